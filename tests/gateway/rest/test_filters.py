"""The filter grammar: operators, modifiers, lists and logic trees."""

from __future__ import annotations

import pytest

from gateway.errors import ApiError
from gateway.rest.parse.filters import QUANTIFIED, SIMPLE, array_of, parse_logic, parse_operation
from gateway.rest.types import Compare, FieldRef, Filter, FullText, InList, Is, IsDistinct, Literal, Logic, Operation

PLAIN = {**SIMPLE, **QUANTIFIED}
VALUE = Literal("", 0)


def read(text: str) -> tuple[bool, Operation, str | None]:
    return parse_operation(text)


@pytest.mark.parametrize("word", PLAIN)
def test_an_operator_takes_the_rest_of_the_text(word: str) -> None:
    value = '1,(2).not.eq."x" \\'
    assert read(f"{word}.{value}") == (False, Compare(PLAIN[word], VALUE), value)


@pytest.mark.parametrize("word", QUANTIFIED)
@pytest.mark.parametrize("modifier", ["any", "all"])
def test_any_and_all_modify_comparisons(word: str, modifier: str) -> None:
    expected = Compare(QUANTIFIED[word], VALUE, modifier)
    assert read(f"not.{word}({modifier}).{{a}}") == (True, expected, "{a}")


@pytest.mark.parametrize("word", SIMPLE)
def test_other_operators_have_no_modifier(word: str) -> None:
    with pytest.raises(ApiError, match="PGRST100"):
        parse_operation(f"{word}(any).{{a}}")


@pytest.mark.parametrize("modifier", ["any", "all", "some", "english"])
@pytest.mark.parametrize("word", ["is", "in", "isdistinct", "and", "unheard"])
@pytest.mark.parametrize("value", ["null", "(1)", "1"])
def test_what_takes_no_modifier_is_refused_with_one(word: str, modifier: str, value: str) -> None:
    with pytest.raises(ApiError, match="PGRST100"):
        parse_operation(f"{word}({modifier}).{value}")


@pytest.mark.parametrize("value", ["null", "(1)", "1", ""])
@pytest.mark.parametrize("word", ["unheard", "eqs", "nul", "and"])
def test_a_word_that_is_no_operator_is_refused(word: str, value: str) -> None:
    with pytest.raises(ApiError, match="PGRST100"):
        parse_operation(f"{word}.{value}")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("null", "null"),
        ("NULL", "null"),
        ("not_null", "not null"),
        ("True", "true"),
        ("false", "false"),
        ("UnKnown", "unknown"),
    ],
)
def test_is_knows_its_words_in_any_case(text: str, word: str) -> None:
    assert read(f"is.{text}") == (False, Is(word), None)


@pytest.mark.parametrize("tail", ["x", " ", ",", ")", "\x00", "\x01id\x01eq.", "\n", "\t", ".null", "null"])
@pytest.mark.parametrize("word", ["null", "NOT_NULL", "true", "false", "unknown"])
def test_nothing_follows_the_word_of_an_is(word: str, tail: str) -> None:
    with pytest.raises(ApiError, match="PGRST100"):
        parse_operation(f"is.{word}{tail}")


def test_the_words_of_is_are_ascii() -> None:
    with pytest.raises(ApiError, match="PGRST100"):
        parse_operation("is.un\u212anown")  # the sign of the unit of temperature, which folds to a k


@pytest.mark.parametrize("value", ["true", "false"])
def test_a_plain_true_or_false_belongs_to_the_operation(value: str) -> None:
    assert read(f"eq.{value}") == (False, Compare("=", Literal(value)), None)


def test_full_text_search_takes_a_configuration() -> None:
    assert read("wfts(english).a b") == (False, FullText("websearch_to_tsquery", "english", VALUE), "a b")
    assert read("not.fts.a") == (True, FullText("to_tsquery", None, VALUE), "a")


def test_isdistinct_is_not_taken_for_is() -> None:
    assert read("isdistinct.x") == (False, IsDistinct(VALUE), "x")


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("()", [""]),
        ("(1,2)", ["1", "2"]),
        ('("a,b",c)', ["a,b", "c"]),
        ('("a\\"b")', ['a"b']),
        ('("a"b,c)', ['"a"b', "c"]),
        ("( a ,b )", ["a ", "b "]),
        ("( a , b )", ["a ", " b "]),
        ("(   )", [""]),
        ("( ,)", ["", ""]),
        ("(\t1)", ["1"]),
        (" (1) ", ["1"]),
        ("(1)x", ["1"]),
        ("(1),(2)", ["1"]),
        ('("")', [""]),
        ("(é,名)", ["é", "名"]),
    ],
)
def test_a_list_is_read(text: str, items: list[str]) -> None:
    assert read("in." + text) == (False, InList(VALUE), array_of(items))


@pytest.mark.parametrize("text", ["", "1,2", "(1,2", '("a'])
def test_a_broken_list_is_refused(text: str) -> None:
    with pytest.raises(ApiError, match="PGRST100"):
        parse_operation("in." + text)


def test_a_lone_empty_element_is_the_empty_list() -> None:
    assert read("in.()")[2] == "{}"
    assert array_of(["", ""]) == '{"",""}'


def test_ten_thousand_elements_are_one_array() -> None:
    items = [str(n) for n in range(10_000)]
    assert read(f"in.({','.join(items)})")[2] == array_of(items)


def _leaf(name: str, slot: int) -> Filter:
    return Filter(FieldRef(name), Compare("=", Literal("", slot)))


def test_a_logic_tree_nests_and_negates() -> None:
    tree, values = parse_logic("not.or", "(a.eq.1,and(b.not.eq.2,not.or(c.is.null,d.in.(1,2))))")
    inner = Logic(
        "or",
        (Filter(FieldRef("c"), Is("null")), Filter(FieldRef("d"), InList(Literal("", 2)))),
        negated=True,
    )
    second = Filter(FieldRef("b"), Compare("=", Literal("", 1)), negated=True)
    assert tree == Logic("or", (_leaf("a", 0), Logic("and", (second, inner))), negated=True)
    assert values == ["1", "2", '{"1","2"}']


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('(a.eq."x,y)",b.eq.z)', ["x,y)", "z"]),
        ("(a.eq.{1,2},b.eq.z)", ["{1,2}", "z"]),
        ("(a.eq.,b.eq.)", ["", ""]),
        ('(a.eq."q\\"q",b.eq.z)', ['q"q', "z"]),
        ("( a.eq.1 , b.eq.2 )", ["1 ", "2 "]),
    ],
)
def test_values_in_a_tree_are_quoted_or_end_at_a_comma(text: str, values: list[str]) -> None:
    assert parse_logic("and", text)[1] == values


@pytest.mark.parametrize(
    ("text", "column", "details"),
    [
        ("()", 4, 'unexpected ")" expecting field name (* or [a..z0..9_$]), negation operator (not) '
                  "or logic operator (and, or)"),
        ("(id.in.1,2)", 10, 'unexpected "1" expecting "("'),
        ("(id.eq.1,not.xor(id.eq.2))", 16, 'unexpected "x" expecting logic operator (and, or)'),
    ],
)  # fmt: skip
def test_a_broken_tree_is_placed_and_explained(text: str, column: int, details: str) -> None:
    with pytest.raises(ApiError) as caught:
        parse_logic("or", text)
    assert caught.value.message == f'"failed to parse logic tree ({text})" (line 1, column {column})'
    assert caught.value.details == details


def test_a_thousand_nested_groups_are_refused() -> None:
    with pytest.raises(ApiError, match="nested too deeply"):
        parse_logic("and", "(and" * 1000)


def test_parentheses_inside_quotes_are_no_nesting() -> None:
    assert parse_logic("and", f'(a.eq."{"(" * 500}")')
