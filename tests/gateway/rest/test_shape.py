"""Query strings as shape and literals."""

from __future__ import annotations

from urllib.parse import quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gateway.errors import ApiError
from gateway.rest import limits
from gateway.rest.parse.filters import array_of
from gateway.rest.parse.query_shape import parse_query, query_of
from gateway.rest.types import Compare, Literal, Query


def query(text: str, calling: bool = False) -> Query:
    return query_of(parse_query(text, calling).shape)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("id=eq.1", "id=eq.2"),
        ("id=in.(1)", "id=in.(1,2,3)"),
        ("id=not.like(any).{a}", "id=not.like(any).{b,c}"),
        ("t=fts(english).a", "t=fts(english).b"),
        ("or=(a.eq.1,b.in.(1,2))", "or=(a.eq.9,b.in.(3))"),
        ('or=(a.eq."1,2",b.cs.{1})', "or=( a.eq.9 , b.cs.{2,3} )"),
        ("limit=1&offset=2", "limit=3&offset=4"),
        ("c.limit=1", "c.limit=2"),
        ("select=a,b(c)", "select=a, b(c)'tail"),
    ],
)
def test_values_are_no_part_of_the_shape(one: str, two: str) -> None:
    assert parse_query(one).shape == parse_query(two).shape
    assert hash(parse_query(one).shape) == hash(parse_query(two).shape)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("id=eq.1", "id=neq.1"),
        ("id=eq.1", "ip=eq.1"),
        ("id=eq.1", "id=not.eq.1"),
        ("id=eq.true", "id=eq.false"),
        ("id=eq.true", "id=eq.1"),
        ("id=is.null", "id=is.true"),
        ("t=fts(english).a", "t=fts(german).a"),
        ("t=fts(english).a", "t=fts.a"),
        ("or=(a.eq.1,b.eq.2)", "and=(a.eq.1,b.eq.2)"),
        ("or=(a.eq.1,b.eq.2)", "not.or=(a.eq.1,b.eq.2)"),
        ("or=(a.eq.1,b.eq.2)", "or=(a.eq.1,and(b.eq.2))"),
        ("or=(a.eq.1)", "c.or=(a.eq.1)"),
        ("select=a", "select=b"),
        ("select=a", "columns=a"),
        ("columns=a", "on_conflict=a"),
        ("order=a", "order=a.desc"),
        ("a=eq.1&b=eq.2", "a=eq.1"),
        ("a=eq.1&b=eq.2", "b=eq.1&a=eq.2"),
        ("id=eq(any).{1}", "id=eq.{1}"),
        ("c.limit=1", "c.offset=1"),
        ("data->a=eq.1", "data->>a=eq.1"),
        ("data->1=eq.1", 'data->"1"=eq.1'),
        ('"a.b"=eq.1', "a.b=eq.1"),
    ],
)
def test_everything_else_is(one: str, two: str) -> None:
    assert parse_query(one).shape != parse_query(two).shape


def test_an_argument_is_no_filter() -> None:
    assert parse_query("a=1", calling=True).shape != parse_query("a=eq.1").shape


def test_the_scan_decodes_once_and_reads_plus_as_a_space() -> None:
    assert parse_query("a+b=eq.c%2Bd+%2541").pairs == [("a b", "eq.c+d %41")]


def test_semicolons_separate_and_bare_names_are_kept_for_the_location() -> None:
    parsed_query = parse_query("b=eq.1;a")
    assert parsed_query.pairs == [("b", "eq.1"), ("a", None)]
    assert parsed_query.canonical == b"a=&b=eq.1"


def test_arguments_of_a_function_are_literals() -> None:
    parsed_query = parse_query("a=1&b=gt.2&c=in.(x)", calling=True)
    assert parsed_query.literals == ["1", "2", '{"x"}']
    asked = query("a=1&b=gt.2", calling=True)
    assert asked.arguments == (("a", Literal("", 0)),)
    assert asked.filters[0][1].operation == Compare(">", Literal("", 1))


def test_a_malformed_operator_is_no_argument() -> None:
    for value in ("is.nope", "not.nope", "in.nope"):
        with pytest.raises(ApiError, match="PGRST100"):
            parse_query(f"a={value}", calling=True)


def test_an_argument_has_a_name() -> None:
    with pytest.raises(ApiError, match="PGRST100"):
        parse_query("=1", calling=True)


def test_the_first_of_a_reserved_name_counts() -> None:
    asked = query("select=a&select=b::&columns=x&columns=,&on_conflict=p&on_conflict=q")
    assert [item.field.name for item in asked.select] == ["a"]  # type: ignore[union-attr]
    assert (asked.columns, asked.on_conflict) == (("x",), ("p",))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("select=id)", "select=id"),
        ("select=id,crew(name)'x", "select=id,crew(name)"),
        ("select=crew(name))),id", "select=crew(name)"),
        ("columns=a,b'c", "columns=a,b"),
        ("columns=a(", "columns=a"),
        ("on_conflict=a.b", "on_conflict=a"),
        ("or=(a.eq.1)),b.eq.2", "or=(a.eq.1)"),
        ("id=in.(1)x", "id=in.(1)"),
        ("id=in.( 1)", "id=in.(1)"),
    ],
)
def test_what_the_contract_ignores_is_cut_before_it_is_a_key(text: str, same: str) -> None:
    assert parse_query(text).shape == parse_query(same).shape
    assert parse_query(text).literals == parse_query(same).literals


@pytest.mark.parametrize(
    "text",
    ["select=id'", "select=id,crew(name),", "select=id,crew(name) x", "columns=a,", "columns=", "order=a'", "a'=eq.1"],
)
def test_what_it_does_not_ignore_is_refused(text: str) -> None:
    with pytest.raises(ApiError, match="PGRST100"):
        parse_query(text)


CONTROLS = [chr(code) for code in (*range(0x20), 0x7F)]


@pytest.mark.parametrize("control", CONTROLS, ids=[f"{ord(control):02x}" for control in CONTROLS])
@pytest.mark.parametrize(
    "text",
    [
        "i{}d=eq.1", '"i{}d"=eq.1', "data->a{}b=eq.1", "id=e{}q.1", "id=eq{}.1", "id=is.{}null", "id=is.null{}",
        "id=not{}.eq.1", "t=fts({}english).a", "t=fts(eng{}lish).a", "select=i{}d", 'select="i{}d"', "select=id{}x",
        "select=a{}b:id", "select=crew!{}hint(id)", "order=i{}d", "order=id.{}desc", "columns=i{}d,x",
        'columns="i{}d"', 'on_conflict="i{}d"', "or=(i{}d.eq.1)", "or=(id.e{}q.1)", "or=(id.is.null{}x)",
        "o{}r=(id.eq.1)",
        "crew.{}limit=1", "data->>\"a{}\"=eq.1",
    ],
)  # fmt: skip
def test_no_control_character_is_in_a_name_or_keyword(text: str, control: str) -> None:
    filled = text.replace("{}", control)
    ignored = text in ("columns=i{}d,x",)  # what cannot be read of names is a tail that is not looked at
    if ignored and control != "\t":
        assert query(f"{quote_plus(filled, safe='=,')}").columns == ("i",)
        return
    with pytest.raises(ApiError, match="PGRST100"):
        key, _, value = filled.partition("=")
        parse_query(f"{quote_plus(key)}={quote_plus(value)}")


@pytest.mark.parametrize(
    "text",
    [
        "select=" + ",".join(["a"] * (limits.SELECT_ITEMS + 1)),
        "select=" + ",".join(["a()"] * (limits.EMBEDS + 1)),
        "select=" + "a(" * (limits.NESTING + 1),
        "columns=" + ",".join(["a"] * (limits.NAMES + 1)),
        "order=" + ",".join(["a"] * (limits.ORDER_TERMS + 1)),
        "or=(" + ",".join(["a.is.null"] * (limits.CONDITIONS + 1)) + ")",
        "or=" + "(and" * limits.NESTING + "(a.eq.1)" + ")" * limits.NESTING,
        "a" + "->b" * (limits.JSON_STEPS + 1) + "=eq.1",
        "a." * (limits.NESTING + 1) + "b=eq.1",
        "a=in.(" + "," * limits.LIST_ELEMENTS + ")",
        "&".join(["a=eq.1"] * (limits.PARAMETERS + 1)),
        "&".join(["or=(" + ",".join(["a.is.null"] * 900) + ")"] * 3),
    ],
    ids=lambda text: text[:12],
)
def test_what_asks_for_more_than_the_limits_is_refused(text: str) -> None:
    with pytest.raises(ApiError, match="PGRST100") as caught:
        parse_query(text)
    assert "allowed" in str(caught.value.details)


_VALUES = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=20)


@given(_VALUES)
@example("false")
@example("False")
def test_a_filter_value_arrives_as_it_was_sent(value: str) -> None:
    parsed_query = parse_query(f"a=eq.{quote_plus(value)}")
    shaped = value in ("true", "false")  # then it belongs to the shape
    assert parsed_query.literals == ([] if shaped else [value])
    ((_, condition),) = query_of(parsed_query.shape).filters
    assert condition.operation == Compare("=", Literal(value) if shaped else Literal("", 0))


@given(st.lists(_VALUES, min_size=1, max_size=5))
def test_values_of_a_tree_and_of_a_list_arrive_as_they_were_quoted(values: list[str]) -> None:
    def quoted(value: str) -> str:
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'

    members = ",".join(f"a{number}.eq.{quoted(value)}" for number, value in enumerate(values))
    assert parse_query(f"or={quote_plus(f'({members})')}").literals == values
    listed = f"({','.join(map(quoted, values))})"
    assert parse_query(f"a=in.{quote_plus(listed)}").literals == [array_of(values)]
    assert parse_query(f"or={quote_plus(f'(a.in.{listed},b.eq.1)')}").literals == [array_of(values), "1"]
