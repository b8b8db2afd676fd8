"""The select grammar."""

from __future__ import annotations

import pytest

from gateway.errors import ApiError
from gateway.rest.parse.select import parse_select
from gateway.rest.types import FieldRef, Join, JsonStep, SelectEmbed, SelectField

FIELDS = [
    ("*", SelectField(FieldRef("*"))),
    ("id", SelectField(FieldRef("id"))),
    (" a b ", SelectField(FieldRef("a b"))),
    ('"a.b,c"', SelectField(FieldRef("a.b,c"))),
    ("with-dash", SelectField(FieldRef("with-dash"))),
    ("ünïcode_名", SelectField(FieldRef("ünïcode_名"))),
    ("x:id", SelectField(FieldRef("id"), "x")),
    ("id::text", SelectField(FieldRef("id"), cast="text")),
    ("x:d->a->>b::int", SelectField(FieldRef("d", (JsonStep("a", False), JsonStep("b", True))), "x", "int")),
    ("d->0", SelectField(FieldRef("d", (JsonStep("+0", False, True),)))),
    ("d->-1", SelectField(FieldRef("d", (JsonStep("-1", False, True),)))),
    ('d->"a.b"', SelectField(FieldRef("d", (JsonStep("a.b", False),)))),
    ("count()", SelectField(FieldRef("*"), None, None, "count")),
    ("n:count()::int", SelectField(FieldRef("*"), "n", None, "count", "int")),
    ("a.sum()", SelectField(FieldRef("a"), None, None, "sum")),
    ("a::int.avg()::text", SelectField(FieldRef("a"), None, "int", "avg", "text")),
    ("d->a::int.max()", SelectField(FieldRef("d", (JsonStep("a", False),)), None, "int", "max")),
    ("count", SelectField(FieldRef("count"))),
]


@pytest.mark.parametrize(("text", "expected"), FIELDS, ids=[text for text, _ in FIELDS])
def test_a_field_is_read(text: str, expected: SelectField) -> None:
    assert parse_select(text) == (expected,)


EMBEDS = [
    ("t(*)", SelectEmbed("t", (SelectField(FieldRef("*")),))),
    ("t()", SelectEmbed("t", ())),
    ("x:t!h(a)", SelectEmbed("t", (SelectField(FieldRef("a")),), "x", "h")),
    ("t!inner()", SelectEmbed("t", (), join=Join.INNER)),
    ("t!left!h()", SelectEmbed("t", (), hint="h", join=Join.LEFT)),
    ("t!h!inner()", SelectEmbed("t", (), hint="h", join=Join.INNER)),
    ("...t(a)", SelectEmbed("t", (SelectField(FieldRef("a")),), spread=True)),
    ("t(u(v()))", SelectEmbed("t", (SelectEmbed("u", (SelectEmbed("v", ()),)),))),
]


@pytest.mark.parametrize(("text", "expected"), EMBEDS, ids=[text for text, _ in EMBEDS])
def test_an_embed_is_read(text: str, expected: SelectEmbed) -> None:
    assert parse_select(text) == (expected,)


def test_an_empty_select_has_no_items() -> None:
    assert parse_select("") == ()


ERRORS = [
    ("id,", 4, 'unexpected end of input expecting "...", field name (* or [a..z0..9_$]), "*" or "count()"'),
    ("name::", 7, "unexpected end of input expecting letter or digit"),
    ("id,t(name[])", 10, "unexpected '[' expecting letter, digit, \"-\", \"->>\", \"->\", \"::\", \".\", \")\", \",\" "
                        "or end of input"),
    ("d->>-78xy", 8, "unexpected 'x' expecting digit, \"->\", \"::\", \".\", \",\" or end of input"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "column", "details"), ERRORS, ids=[row[0] for row in ERRORS])
def test_a_broken_select_is_placed_and_explained(text: str, column: int, details: str) -> None:
    with pytest.raises(ApiError) as caught:
        parse_select(text)
    assert caught.value.code == "PGRST100"
    assert caught.value.message == f'"failed to parse select parameter ({text})" (line 1, column {column})'
    assert caught.value.details == details


@pytest.mark.parametrize("text", ["*!hint", "'", "(", "t(a", "...t", "t(a) b", "t!(a)", "id::a[]", "id::numeric(3)"])
def test_text_outside_the_grammar_is_refused(text: str) -> None:
    with pytest.raises(ApiError, match="PGRST100"):
        parse_select(text)


@pytest.mark.parametrize("text", ["a(" * 1000, "a(" * 51 + ")" * 51, "a(" * 20_000], ids=["1000", "51", "20000"])
def test_deep_nesting_is_refused_without_recursion(text: str) -> None:
    with pytest.raises(ApiError, match="nested too deeply"):
        parse_select(text)


def test_nesting_to_the_limit_is_read() -> None:
    assert parse_select("a(" * 50 + ")" * 50)
