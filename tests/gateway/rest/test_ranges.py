"""Rows asked for, against what sets of row numbers say, and how they are told of."""

from __future__ import annotations

from itertools import product

import pytest

from gateway.errors import ApiError
from gateway.rest.errors import LOWER_ABOVE_UPPER, NEGATIVE_LIMIT
from gateway.rest.parse.ranges import ALL_ROWS, Range, content_range, integer, root_range, status_of

LIMITS = [None, "x", "", "-1", "0", "1", "2", "3", "9"]
OFFSETS = [None, "x", "-2", "0", "1", "3"]
HEADERS = [None, "x", "-5", "0-", "1-", "3-", "0-0", "0-9", "1-2", "2-2", "3-5", "5-5", "2-1", "1-0", " 1-2", "1-2,3-4"]
BEYOND = 30  # no bound above reaches a row of this number


def number(text: str | None) -> int | None:
    return int(text) if text is not None and text.removeprefix("-").isdigit() else None


def wanted(limit: str | None, offset: str | None, header: str | None) -> Range | str:
    """The range, or why there is none, by the rows themselves."""
    count, skipped = number(limit), max(number(offset) or 0, 0)
    if count is not None and count < 0:
        return NEGATIVE_LIMIT
    if count == skipped == 0:
        return Range(0, 0)
    rows = set(range(skipped, BEYOND if count is None else skipped + count))
    first, dash, last = (header or "").partition("-")
    if dash and first.isdigit() and (not last or last.isdigit()):
        if last and int(last) < int(first):
            return LOWER_ABOVE_UPPER
        rows &= set(range(int(first), int(last) + 1 if last else BEYOND))
    if not rows:
        return NEGATIVE_LIMIT
    return Range(None if max(rows) == BEYOND - 1 else len(rows), min(rows))


@pytest.mark.parametrize("header", HEADERS)
def test_limit_offset_and_header_meet_in_the_rows_of_all_three(header: str | None) -> None:
    for limit, offset in product(LIMITS, OFFSETS):
        found: Range | str | object
        try:
            found = root_range(limit, offset, header)
        except ApiError as error:
            assert (error.status, error.code) == (416, "PGRST103")
            found = error.details
        assert found == wanted(limit, offset, header), (limit, offset)


@pytest.mark.parametrize(
    ("text", "value"),
    [(None, None), ("", None), ("1.5", None), ("1e3", None), ("+1", None), ("٣", None), (" 7 ", 7), ("-3", -3),
     ("007", 7), ("9" * 100, int("9" * 100)), ("9" * 101, None)],
)  # fmt: skip
def test_a_bound_is_a_whole_number_or_ignored(text: str | None, value: int | None) -> None:
    assert integer(text) == value


def test_only_a_range_without_bounds_is_everything() -> None:
    assert Range(None, 0) == ALL_ROWS and ALL_ROWS.everything
    assert not any(Range(limit, offset).everything for limit, offset in [(0, 0), (1, 0), (None, 1), (1, 1)])


@pytest.mark.parametrize(
    ("low", "high", "total", "shown"),
    [(0, 9, None, b"0-9/*"), (0, 0, None, b"0-0/*"), (0, 0, 1, b"0-0/1"), (3, 5, 37, b"3-5/37"), (0, -1, None, b"*/*"),
     (5, 4, 37, b"*/37"), (0, -1, 0, b"*/0"), (0, 0, 0, b"*/0")],
)  # fmt: skip
def test_content_range_names_the_rows_or_none(low: int, high: int, total: int | None, shown: bytes) -> None:
    assert content_range(low, high, total) == shown


@pytest.mark.parametrize(
    ("offset", "rows", "total", "status"),
    [(0, 0, None, 200), (99, 0, None, 200), (0, 5, 5, 200), (0, 6, 5, 200), (0, 4, 5, 206), (0, 0, 0, 200),
     (2, 3, 5, 206), (5, 0, 5, 206), (6, 0, 5, 416), (1, 0, 0, 416)],
)  # fmt: skip
def test_the_status_tells_all_a_part_or_nothing(offset: int, rows: int, total: int | None, status: int) -> None:
    assert status_of(offset, rows, total) == status
