"""The Prefer header, read and told of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gateway.rest.parse.prefer import NONE, applied, parse_prefer
from gateway.rest.types import Preferences

ALL = (
    "resolution=merge-duplicates, missing=default, return=headers-only, count=exact, tx=rollback, handling=strict, "
    "timezone=Europe/Paris, max-affected=7"
)
READ = Preferences(
    "merge-duplicates", "default", "headers-only", "exact", "rollback", "strict", "Europe/Paris", 7
)  # fmt: skip
FIELDS = {
    "resolution": "resolution=merge-duplicates",
    "missing": "missing=default",
    "representation": "return=headers-only",
    "count": "count=exact",
    "tx": "tx=rollback",
    "handling": "handling=strict",
    "timezone": "timezone=Europe/Paris",
    "max_affected": "max-affected=7",
}


def test_every_preference_is_read_in_any_order() -> None:
    assert parse_prefer(ALL) == READ
    assert parse_prefer(",".join(reversed(ALL.split(", ")))) == READ


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("resolution=ignore-duplicates", "resolution=merge-duplicates"),
        ("missing=null", "missing=default"),
        ("return=representation", "return=minimal"),
        ("count=planned", "count=estimated"),
        ("tx=commit", "tx=rollback"),
        ("handling=lenient", "handling=strict"),
        ("timezone=UTC", "timezone=Asia/Tokyo"),
        ("max-affected=1", "max-affected=2"),
    ],
)
def test_the_first_of_a_kind_wins(first: str, second: str) -> None:
    assert parse_prefer(f"{first},{second}") == parse_prefer(first) != parse_prefer(second)
    assert parse_prefer(f"{first},{second}").invalid == ()


def test_a_transaction_is_ended_by_the_client_only_where_that_is_allowed() -> None:
    assert parse_prefer("tx=rollback").tx == "rollback"
    assert parse_prefer("tx=rollback", tx_allowed=False) == Preferences()
    assert parse_prefer("count=exact", tx_allowed=False).count == "exact"


@pytest.mark.parametrize("token", ["", "x", "count", "count=", "count=Exact", "count = exact", "return=all", "tx=1"])
def test_what_nobody_knows_is_kept_by_name(token: str) -> None:
    assert parse_prefer(f"{token}, count=exact, y") == Preferences(count="exact", invalid=(token, "y"))


@pytest.mark.parametrize(
    ("text", "value"), [("5", 5), ("0", 0), ("-1", -1), (" 3 ", 3), ("x", None), ("", None), ("--1", None)]
)
def test_a_number_of_rows_is_a_whole_one_or_none(text: str, value: int | None) -> None:
    assert parse_prefer(f"max-affected={text}") == Preferences(max_affected=value)


def test_a_number_that_is_none_takes_the_place_of_the_next() -> None:
    assert parse_prefer("max-affected=x, max-affected=5").max_affected is None


@pytest.mark.parametrize("kind", FIELDS)
def test_what_was_honoured_is_told_and_nothing_else(kind: str) -> None:
    assert applied(READ, (kind,)) == FIELDS[kind].encode()
    others = [text for name, text in FIELDS.items() if name != kind]
    assert applied(READ, [name for name in FIELDS if name != kind]) == ", ".join(others).encode()
    assert applied(replace(READ, **{kind: None}), (kind,)) is None  # type: ignore[arg-type]


def test_what_was_not_asked_leaves_no_gap() -> None:
    assert applied(parse_prefer("tx=commit, return=minimal"), FIELDS) == b"return=minimal, tx=commit"


def test_a_number_of_rows_is_honoured_by_the_strict_alone() -> None:
    for handling in (None, "lenient"):
        assert applied(replace(READ, handling=handling), ("max_affected",)) is None


def test_nothing_is_told_where_nothing_was_asked() -> None:
    assert applied(NONE, FIELDS) is None and Preferences() == NONE
