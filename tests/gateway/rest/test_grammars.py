"""What is written down by the grammars is read back: trees by chance, with quotes, blanks, paths, casts and nesting."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import ApiError
from gateway.rest import limits
from gateway.rest.parse.filters import QUANTIFIED, SIMPLE, array_of, parse_logic, parse_operation, value_at
from gateway.rest.parse.grammar import parse_columns, parse_logic_path, parse_on_conflict, parse_tree_path
from gateway.rest.parse.order import parse_order
from gateway.rest.parse.query_shape import parse_query
from gateway.rest.parse.select import parse_select
from gateway.rest.types import (
    Compare,
    Condition,
    FieldRef,
    Filter,
    FullText,
    InList,
    Is,
    IsDistinct,
    Join,
    JsonStep,
    Literal,
    Logic,
    Operation,
    OrderTerm,
    SelectEmbed,
    SelectField,
)

BLANKS = st.sampled_from(["", "", " ", "\t", " \t "])
# As it is written, and as it is read.
NAMES = st.sampled_from(
    [("id", "id"), ("a b", "a b"), ("with-dash", "with-dash"), ('"a.b"', "a.b"), ('"q\\"x\\\\"', 'q"x\\'),
     ("é_$1", "é_$1"), ('"->"', "->"), ("count", "count"), ("left", "left"), ("not", "not"), ('"(,)"', "(,)"),
     ("a - b", "a-b")]
)  # fmt: skip
KEYS = st.sampled_from(
    [("a", JsonStep("a", False)), ("a b", JsonStep("a b", False)), ("x-y", JsonStep("x-y", False)),
     ('"k.k"', JsonStep("k.k", False)), ('"\\""', JsonStep('"', False)), ("1a", JsonStep("1a", False))]
)  # fmt: skip
# Not before a closing parenthesis, where the original reads a key.
INDEXES = st.sampled_from(
    [("0", JsonStep("+0", False, True)), ("12", JsonStep("+12", False, True)), ("-3", JsonStep("-3", False, True))]
)
CASTS = st.sampled_from([None, "text", "int4", "double precision"])


@st.composite
def fields(draw: st.DrawFn, indexes: bool = True) -> tuple[str, FieldRef]:
    text, name = draw(NAMES)
    steps = []
    for key, step in draw(st.lists(st.one_of(KEYS, INDEXES) if indexes else KEYS, max_size=3)):
        as_text = draw(st.booleans())
        text += ("->>" if as_text else "->") + key
        steps.append(JsonStep(step.key, as_text, step.index))
    return text, FieldRef(name, tuple(steps))


@st.composite
def selected(draw: st.DrawFn, indexes: bool) -> tuple[str, SelectField]:
    alias, cast, aggregate, after = draw(NAMES), draw(CASTS), draw(st.sampled_from([None, "sum", "count"])), draw(CASTS)
    aliased = draw(st.booleans())
    head = f"{alias[0]}:" if aliased else ""
    name = alias[1] if aliased else None
    match draw(st.sampled_from(["star", "count", "field", "field", "field"])):
        case "star":
            return "*", SelectField(FieldRef("*"))
        case "count":
            return f"{head}count(){'' if after is None else f'::{after}'}", SelectField(
                FieldRef("*"), name, None, "count", after
            )
    text, field = draw(fields(indexes))
    if cast is None and aggregate is None:
        after = None  # it would be the first
    text = head + text + ("" if cast is None else f"::{cast}") + ("" if aggregate is None else f".{aggregate}()")
    after = after if aggregate is not None else None
    return text + ("" if after is None else f"::{after}"), SelectField(field, name, cast, aggregate, after)


@st.composite
def embedded(
    draw: st.DrawFn, inner: st.SearchStrategy[tuple[str, SelectField | SelectEmbed]]
) -> tuple[str, SelectEmbed]:
    target, name = draw(NAMES.filter(lambda each: each[1] != "count"))
    spread = draw(st.booleans())
    alias = None if spread else draw(st.one_of(st.none(), NAMES))
    hint = draw(st.one_of(st.none(), NAMES.filter(lambda each: each[1] != "left")))
    join = draw(st.sampled_from([None, Join.LEFT, Join.INNER]))
    marks = [f"!{hint[0]}"] if hint else []
    marks.insert(draw(st.integers(0, len(marks))), f"!{join.value}" if join else "")
    items = draw(st.lists(inner, max_size=3))
    text = ("..." if spread else f"{alias[0]}:" if alias else "") + target + "".join(marks)
    embed = SelectEmbed(
        name, tuple(item for _, item in items), alias[1] if alias else None, hint[1] if hint else None, join, spread
    )
    return f"{text}({listed(draw, items)})", embed


def listed(draw: Callable[[st.SearchStrategy[str]], str], items: list[tuple[str, SelectField | SelectEmbed]]) -> str:
    """Between commas, with blanks where they may stand: behind a comma, and before one that follows an embed."""
    text = ""
    for number, (written, item) in enumerate(items):
        text += ("," + draw(BLANKS) if number else "") + written
        if isinstance(item, SelectEmbed) and number + 1 < len(items):
            text += draw(BLANKS)
    return text


NESTED = st.recursive(selected(False), lambda inner: st.one_of(selected(False), embedded(inner)), max_leaves=8)
SELECTS = st.one_of(selected(True), NESTED)


@given(st.lists(SELECTS, min_size=1, max_size=4), st.data())
def test_a_select_is_read_as_it_was_written(
    items: list[tuple[str, SelectField | SelectEmbed]], data: st.DataObject
) -> None:
    text = listed(data.draw, items)
    assert parse_select(text) == tuple(item for _, item in items), text


DIRECTIONS = ((None, ""), (False, ".asc"), (True, ".desc"))
NULLS = ((None, ""), (True, ".nullsfirst"), (False, ".nullslast"))


@st.composite
def ordered(draw: st.DrawFn) -> tuple[str, OrderTerm]:
    relation = draw(st.one_of(st.none(), NAMES))
    text, field = draw(fields(relation is None))
    descending, direction = draw(st.sampled_from(DIRECTIONS))
    nulls_first, nulls = draw(st.sampled_from(NULLS))
    whole = f"{relation[0]}({text})" if relation else text
    return whole + direction + nulls, OrderTerm(field, descending, nulls_first, relation[1] if relation else None)


@given(st.lists(ordered(), min_size=1, max_size=4), BLANKS)
def test_an_order_is_read_as_it_was_written(terms: list[tuple[str, OrderTerm]], blank: str) -> None:
    text = f",{blank}".join(text for text, _ in terms)
    assert parse_order(text) == tuple(term for _, term in terms), text


PLAIN = st.sampled_from(["1", "", "x y", "a.b", "{1,2}", 'q"', "\\", "true", "null", "é", "}"])
ODD = st.text(st.sampled_from('ab,.()"\\{} \t:-é'), max_size=6)


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@st.composite
def values(draw: st.DrawFn) -> tuple[str, str]:
    if draw(st.booleans()):
        text = draw(ODD)
        return quoted(text), text
    text = draw(PLAIN)
    return text, text


@st.composite
def operations(draw: st.DrawFn) -> tuple[str, Operation, str | None]:
    """What stands behind the field, the operation without its number, and its value."""
    bound = Literal("", 0)
    match draw(st.sampled_from(["simple", "quantified", "is", "in", "isdistinct", "text"])):
        case "is":
            word = draw(st.sampled_from(["null", "not_null", "true", "false", "unknown"]))
            return f"is.{word}", Is(word.replace("_", " ")), None
        case "in":
            items = draw(
                st.lists(st.one_of(ODD.map(lambda text: (quoted(text), text)), st.just(("7", "7"))), max_size=3)
            )
            blank = draw(BLANKS)
            return (
                f"in.{blank}({blank}{','.join(text for text, _ in items)}){blank}",
                InList(bound),
                array_of([item for _, item in items] or [""]),
            )
        case "simple":
            word = draw(st.sampled_from(sorted(SIMPLE)))
            head, operation = word, Compare(SIMPLE[word], bound)
        case "quantified":
            word, mode = draw(st.sampled_from(sorted(QUANTIFIED))), draw(st.sampled_from([None, "any", "all"]))
            head, operation = f"{word}({mode})" if mode else word, Compare(QUANTIFIED[word], bound, mode)
        case "isdistinct":
            head, operation = "isdistinct", IsDistinct(bound)  # type: ignore[assignment]
        case _:
            config = draw(st.sampled_from([None, "english", "simple"]))
            head = f"plfts({config})" if config else "plfts"
            operation = FullText("plainto_tsquery", config, bound)  # type: ignore[assignment]
    text, value = draw(values())
    return f"{head}.{text}", operation, value


Written = tuple[str, Condition, list[str]]


@st.composite
def leaves(draw: st.DrawFn) -> Written:
    text, field = draw(fields())
    negated = draw(st.booleans())
    operation, meant, value = draw(operations())
    blank = "" if field.path else draw(BLANKS)  # behind a key it would be of the key
    written = f"{text}{blank}.{'not.' if negated else ''}{operation}"
    return written, Filter(field, meant, negated), [] if value is None else [value]


def grouped(members: list[Written], blanks: tuple[str, str]) -> str:
    before, after = blanks
    # A blank behind a value that is not quoted is of the value.
    return "(" + ",".join(f"{before}{text}{after if text.endswith(')') else ''}" for text, _, _ in members) + ")"


@st.composite
def groups(draw: st.DrawFn, inner: st.SearchStrategy[Written]) -> Written:
    members = draw(st.lists(inner, min_size=1, max_size=3))
    word, negated = draw(st.sampled_from(["and", "or"])), draw(st.booleans())
    text = f"{'not.' if negated else ''}{word}{draw(BLANKS)}{grouped(members, draw(st.tuples(BLANKS, BLANKS)))}"
    condition = Logic(word, tuple(condition for _, condition, _ in members), negated)
    return text, condition, [value for _, _, values in members for value in values]


TREES = st.recursive(leaves(), lambda inner: st.one_of(leaves(), groups(inner)), max_leaves=8)


def unnumbered(condition: Condition, slots: list[int]) -> Condition:
    """The condition without the numbers of its values, which are collected."""
    if isinstance(condition, Logic):
        members = tuple(unnumbered(member, slots) for member in condition.members)
        return Logic(condition.operator, members, condition.negated)
    operation = condition.operation
    if not isinstance(operation, Is):
        assert operation.value.slot is not None
        slots.append(operation.value.slot)
        operation = type(operation)(**{name: getattr(operation, name) for name in operation.__slots__} | {
            "value": Literal("", 0)
        })  # fmt: skip
    return Filter(condition.field, operation, condition.negated)


@given(
    st.lists(TREES, min_size=1, max_size=3),
    st.tuples(BLANKS, BLANKS),
    st.sampled_from(["and", "or", "not.and", "not.or"]),
)
def test_a_logic_tree_is_read_as_it_was_written(members: list[Written], blanks: tuple[str, str], operator: str) -> None:
    text = grouped(members, blanks)
    tree, found = parse_logic(operator, text)
    slots: list[int] = []
    meant = Logic(operator.removeprefix("not."), tuple(each for _, each, _ in members), operator.startswith("not."))
    assert unnumbered(tree, slots) == meant, text
    assert found == [value for _, _, values in members for value in values], text
    assert slots == list(range(len(found)))


@given(operations(), st.booleans())
def test_a_filter_is_read_as_it_was_written(written: tuple[str, Operation, str | None], negated: bool) -> None:
    text, meant, value = written
    text = f"not.{text}" if negated else text
    found = parse_operation(text)
    assert found[:2] == (negated, meant) or found[2] is None  # true and false belong to the operation
    at = value_at(text)
    if isinstance(meant, Is):
        assert at == 0
    elif isinstance(meant, InList):
        assert found[2] == value and text[:at] == ("not.in." if negated else "in.")
    else:
        assert found[2] is None or found[2] == text[at:]  # a filter's value is not quoted
        assert text[: at - 1].endswith(text.partition(".")[0] if not negated else text[4:].partition(".")[0])


@given(st.lists(NAMES, min_size=1, max_size=4), BLANKS, st.sampled_from(["", "'", "'x,y"]))
def test_names_are_read_as_they_were_written(names: list[tuple[str, str]], blank: str, tail: str) -> None:
    text = f",{blank}".join(text for text, _ in names) + tail
    meant = tuple(name for _, name in names)
    assert parse_on_conflict(text) == meant
    columns = parse_columns(text)
    assert set(columns) == set(meant) and all(one < two for one, two in pairwise(columns))


@given(st.lists(NAMES, max_size=3), fields())
def test_a_path_is_read_as_it_was_written(names: list[tuple[str, str]], field: tuple[str, FieldRef]) -> None:
    text = ".".join([*[text for text, _ in names], field[0]])
    assert parse_tree_path(text) == (tuple(name for _, name in names), field[1])


@pytest.mark.parametrize(
    ("text", "read"),
    [("or", ((), "or")), ("not.and", ((), "not.and")), ("a.or", (("a",), "or")), ("a.b.not.or", (("a", "b"), "not.or")),
     ('"a.b".and', (("a.b",), "and"))],
)  # fmt: skip
def test_the_key_of_a_tree_is_read(text: str, read: tuple[tuple[str, ...], str]) -> None:
    assert parse_logic_path(text) == read


# --- as much as the limits allow, and one more ------------------------------------------------------------------------


def _nested(levels: int) -> str:
    return "or=" + "(and" * (levels - 1) + "(a.eq.1)" + ")" * (levels - 1)


def _distinct(count: int) -> str:
    return ",".join(f"c{number}" for number in range(count))


AT_MOST: dict[str, tuple[int, Callable[[int], str]]] = {
    "items": (limits.SELECT_ITEMS, lambda n: "select=" + ",".join(["a"] * n)),
    "items in embeds": (limits.SELECT_ITEMS, lambda n: f"select={','.join(['a'] * (n - 3))},b({','.join('cd')})"),
    "embeds": (limits.EMBEDS, lambda n: "select=" + ",".join(["a()"] * n)),
    "embeds in embeds": (limits.EMBEDS, lambda n: f"select={','.join(['a()'] * (n - 3))},a(b(),c())"),
    "levels of a select": (limits.NESTING, lambda n: "select=" + "a(" * n + ")" * n),
    "levels of spreads": (limits.NESTING, lambda n: "select=" + "...a(" * n + ")" * n),
    "levels of a tree": (limits.NESTING, _nested),
    "levels of a path": (limits.NESTING, lambda n: "a." * n + "b=eq.1"),
    "columns": (limits.NAMES, lambda n: "columns=" + ",".join(["a"] * n)),
    "columns of a conflict": (limits.NAMES, lambda n: "on_conflict=" + ",".join(["a"] * n)),
    "terms of an order": (limits.ORDER_TERMS, lambda n: "order=" + ",".join(["a"] * n)),
    "conditions": (limits.CONDITIONS, lambda n: "or=(" + ",".join(["a.is.null"] * n) + ")"),
    "conditions in groups": (limits.CONDITIONS, lambda n: f"or=({'a.is.null,' * (n - 3)}and(a.is.null,b.is.null))"),
    "steps": (limits.JSON_STEPS, lambda n: "a" + "->b" * n + "=eq.1"),
    "elements": (limits.LIST_ELEMENTS, lambda n: f"a=in.({','.join(['1'] * n)})"),
    "elements some of which are quoted": (limits.LIST_ELEMENTS, lambda n: f"""a=in.("x"{",1" * (n - 1)})"""),
    "parameters": (limits.PARAMETERS, lambda n: "&".join(["a=eq.1"] * n)),
    "items of columns": (limits.TERMS, lambda n: f"columns={_distinct(n - 5)}&" + "&".join(["a=eq.1"] * 5)),
    "items of an embed": (limits.TERMS, lambda n: f"columns={_distinct(n - 6)}&select=a,b(c)"),
    "items of an order": (limits.TERMS, lambda n: f"columns={_distinct(n - 2)}&order=a,b"),
    "items of a tree": (limits.TERMS, lambda n: f"columns={_distinct(n - 5)}&or=(a.eq.1,and(b.eq.1,c.is.null))"),
}  # fmt: skip


@pytest.mark.parametrize("name", AT_MOST)
def test_as_much_as_a_limit_allows_is_read_and_no_more(name: str) -> None:
    most, text = AT_MOST[name]
    parse_query(text(most))
    with pytest.raises(ApiError, match="PGRST100") as caught:
        parse_query(text(most + 1))
    assert f"at most {most} " in str(caught.value.details)


@pytest.mark.parametrize(
    ("text", "column"),
    [("select=" + "a(" * (limits.NESTING + 1), 2 * limits.NESTING + 2),
     ("or=" + "(and" * limits.NESTING + "(a.eq.1)", 4 * limits.NESTING + 1)],
    ids=["select", "tree"],
)  # fmt: skip
def test_too_deep_is_where_the_parenthesis_is(text: str, column: int) -> None:
    with pytest.raises(ApiError) as caught:
        parse_query(text)
    assert str(caught.value.message).endswith(f'(nested too deeply)" (line 1, column {column})')
