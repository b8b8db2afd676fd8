"""The order grammar."""

from __future__ import annotations

import pytest

from gateway.errors import ApiError
from gateway.rest.parse.order import parse_order
from gateway.rest.types import FieldRef, JsonStep, OrderTerm

TERMS = [
    ("id", OrderTerm(FieldRef("id"))),
    ("id.asc", OrderTerm(FieldRef("id"), False)),
    ("id.desc.nullsfirst", OrderTerm(FieldRef("id"), True, True)),
    ("id.nullslast", OrderTerm(FieldRef("id"), None, False)),
    ("d->>a.desc", OrderTerm(FieldRef("d", (JsonStep("a", True),)), True)),
    ('"a.b".desc', OrderTerm(FieldRef("a.b"), True)),
    ("t(name).desc.nullslast", OrderTerm(FieldRef("name"), True, False, "t")),
    ("t(d->a)", OrderTerm(FieldRef("d", (JsonStep("a", False),)), relation="t")),
]


@pytest.mark.parametrize(("text", "expected"), TERMS, ids=[text for text, _ in TERMS])
def test_a_term_is_read(text: str, expected: OrderTerm) -> None:
    assert parse_order(text) == (expected,)


def test_terms_are_separated_by_commas() -> None:
    assert [term.field.name for term in parse_order("a, b.desc,c")] == ["a", "b", "c"]


ERRORS = [
    ("id.ac", 4, 'unexpected "c" expecting "asc", "desc", "nullsfirst" or "nullslast"'),
    ("id.descc", 8, "unexpected 'c' expecting delimiter (.), \",\" or end of input"),
    ("id.asc.nullslasttt", 17, "unexpected 't' expecting \",\" or end of input"),
    ("id.asc.smth", 8, 'unexpected "s" expecting "nullsfirst" or "nullslast"'),
    ("t(a,b)", 2, 'unexpected \'(\' expecting letter, digit, "-", "->>", "->", delimiter (.), "," or end of input'),
]


@pytest.mark.parametrize(("text", "column", "details"), ERRORS, ids=[row[0] for row in ERRORS])
def test_a_broken_order_is_placed_and_explained(text: str, column: int, details: str) -> None:
    with pytest.raises(ApiError) as caught:
        parse_order(text)
    assert caught.value.message == f'"failed to parse order ({text})" (line 1, column {column})'
    assert caught.value.details == details
