"""Query strings as shape and literals."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote_plus

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gateway.errors import ApiError
from gateway.rest.filters import parse_logic
from gateway.rest.shape import list_to_array, parse_query, scan
from gateway.rest.types import Compare, Condition, Filter, InList, Literal, Logic


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("id=eq.1", "id=eq.2"),
        ("id=in.(1)", "id=in.(1,2,3)"),
        ("id=not.like(any).{a}", "id=not.like(any).{b,c}"),
        ("t=fts(english).a", "t=fts(english).b"),
        ("or=(a.eq.1,b.in.(1,2))", "or=(a.eq.9,b.in.(3))"),
        ("limit=1&offset=2", "limit=3&offset=4"),
        ("c.limit=1", "c.limit=2"),
    ],
)
def test_values_are_no_part_of_the_shape(one: str, two: str) -> None:
    assert scan(one).shape == scan(two).shape
    assert scan(one).literals != scan(two).literals or scan(one).limit != scan(two).limit


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("id=eq.1", "id=neq.1"),
        ("id=eq.1", "ip=eq.1"),
        ("id=is.null", "id=is.true"),
        ("t=fts(english).a", "t=fts(german).a"),
        ("or=(a.eq.1,b.eq.2)", "and=(a.eq.1,b.eq.2)"),
        ("or=(a.eq.1,b.eq.2)", "or=(a.eq.1,and(b.eq.2))"),
        ("select=a", "select=b"),
        ("order=a", "order=a.desc"),
        ("a=eq.1&b=eq.2", "a=eq.1"),
        ("id=eq(any).{1}", "id=eq.{1}"),
    ],
)
def test_everything_else_is(one: str, two: str) -> None:
    assert scan(one).shape != scan(two).shape


def test_the_scan_decodes_once_and_reads_plus_as_a_space() -> None:
    assert scan("a+b=eq.c%2Bd+%2541").pairs == [("a b", "eq.c+d %41")]


def test_semicolons_separate_and_bare_names_are_kept_for_the_location() -> None:
    scanned = scan("b=eq.1;a")
    assert scanned.pairs == [("b", "eq.1"), ("a", None)]
    assert scanned.canonical == b"a=&b=eq.1"


def test_arguments_of_a_function_are_literals() -> None:
    scanned = scan("a=1&b=gt.2&c=in.x", calling=True)
    assert scanned.literals == ["1", "2", "x"]
    query = parse_query(scan("a=1&b=gt.2", calling=True), calling=True)
    assert query.arguments == (("a", Literal("1", 0)),)
    assert query.filters[0][1].operation == Compare(">", Literal("2", 1))


def test_a_malformed_operator_is_no_argument() -> None:
    for value in ("is.nope", "not.nope", "in.nope"):
        with pytest.raises(ApiError, match="PGRST100"):
            parse_query(scan(f"a={value}", calling=True), calling=True)


def test_the_first_of_a_reserved_name_counts() -> None:
    query = parse_query(scan("select=a&select=b&columns=x&columns=y&on_conflict=p&on_conflict=q"))
    assert [item.field.name for item in query.select] == ["a"]  # type: ignore[union-attr]
    assert (query.columns, query.on_conflict) == (("x",), ("p",))


def test_a_malformed_list_is_refused_when_it_is_bound() -> None:
    assert list_to_array('("a,b",c)') == '{"a,b","c"}'
    with pytest.raises(ApiError, match=r"failed to parse filter \(in.1,2\)"):
        list_to_array("1,2")


_VALUES = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=20)


@given(_VALUES)
@example("false")
@example("False")
def test_a_filter_value_arrives_as_it_was_sent(value: str) -> None:
    scanned = scan(f"a=eq.{quote_plus(value)}")
    shaped = value in ("true", "false")  # then it belongs to the shape
    assert scanned.literals == ([] if shaped else [value])
    ((_, condition),) = parse_query(scanned).filters
    assert condition.operation == Compare("=", Literal(value, None if shaped else 0))


def _leaves(tree: Condition) -> Iterable[Filter]:
    if isinstance(tree, Logic):
        for member in tree.members:
            yield from _leaves(member)
    else:
        yield tree


def _bound(operation: object, literals: list[str]) -> object:
    """What will be bound for an operation's value."""
    assert isinstance(operation, Compare | InList)
    value = operation.value
    if value.slot is None:
        return value.text
    text = literals[value.slot]
    return list_to_array(text) if isinstance(operation, InList) else text


_ODD = st.text(st.sampled_from(list('ab .,(){}"\\-')), max_size=8)
_MEMBERS = st.lists(st.tuples(st.sampled_from(["eq.", "in.", "not.gt.", "cs."]), _ODD), min_size=1, max_size=4)


@given(_MEMBERS)
@example([("eq.", "()"), ("eq.", "")])  # the parser ends it at the first closing parenthesis
def test_scanner_and_grammar_agree_on_every_tree(members: list[tuple[str, str]]) -> None:
    text = f"({','.join(f'c{i}.{operator}{value}' for i, (operator, value) in enumerate(members))})"
    try:
        whole = parse_logic("or", text)
    except ApiError:
        return
    scanned = scan(f"or={quote_plus(text)}")
    ((_, split),) = parse_query(scanned).logic
    ours = [_bound(leaf.operation, scanned.literals) for leaf in _leaves(split)]
    assert ours == [_bound(leaf.operation, []) for leaf in _leaves(whole)]
    assert [leaf.field for leaf in _leaves(split)] == [leaf.field for leaf in _leaves(whole)]


@given(_MEMBERS, _MEMBERS)
def test_trees_of_one_shape_differ_in_their_literals_only(
    one: list[tuple[str, str]], two: list[tuple[str, str]]
) -> None:
    def text_of(members: list[tuple[str, str]]) -> str:
        return f"({','.join(f'c.{operator}{value}' for operator, value in members)})"

    def skeleton(tree: Condition) -> object:
        if isinstance(tree, Logic):
            return tree.operator, tree.negated, [skeleton(member) for member in tree.members]
        return tree.field, type(tree.operation), getattr(tree.operation, "operator", None), tree.negated

    scans = [scan(f"or={quote_plus(text_of(members))}") for members in (one, two)]
    if scans[0].shape != scans[1].shape:
        return
    try:
        trees = [parse_logic("or", text_of(members)) for members in (one, two)]
    except ApiError:
        return
    if all(scanned.exact for scanned in scans):
        assert skeleton(trees[0]) == skeleton(trees[1])
