"""limit, offset and Range ↔ Content-Range (contract section 9).

>>> root_range('5', '10', None)
Range(limit=5, offset=10)
>>> root_range(None, None, '2-4')
Range(limit=3, offset=2)
>>> content_range(0, 9, 37)
b'0-9/37'
>>> status_of(0, 2, 37)
206
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from gateway.errors import ApiError
from gateway.rest.errors import LOWER_ABOVE_UPPER, NEGATIVE_LIMIT, RANGE

# More digits than a bigint has: what is too large is for Postgres to refuse.
_HEADER = re.compile(r"([0-9]{1,100})-([0-9]{0,100})").fullmatch
_INTEGER = re.compile(r"\s*-?[0-9]{1,100}\s*").fullmatch


class Range(NamedTuple):
    """Rows asked for: `limit` is None for all of them."""

    limit: int | None = None
    offset: int = 0

    @property
    def everything(self) -> bool:
        return self.limit is None and self.offset == 0


ALL_ROWS: Final = Range()


def integer(text: str | None) -> int | None:
    """A whole number, or None for anything else: such limits and offsets are ignored."""
    return int(text) if text is not None and _INTEGER(text) else None


def root_range(limit: str | None, offset: str | None, header: str | None) -> Range:
    """The rows a request asks for. Raises ApiError RANGE for what can hold no row, save `limit=0`.

    `header` is the Range header of a GET; malformed ones are ignored.
    """
    if limit is None and offset is None and header is None:
        return ALL_ROWS
    wanted = integer(limit)
    skipped = max(integer(offset) or 0, 0)
    if wanted is not None and wanted < 0:
        raise ApiError(RANGE, details=NEGATIVE_LIMIT)
    if wanted == 0 and skipped == 0:
        return Range(0, 0)
    match = _HEADER(header) if header is not None else None
    if match is None:
        if wanted == 0:
            raise ApiError(RANGE, details=NEGATIVE_LIMIT)
        return Range(wanted, skipped)
    low = int(match[1])
    high = int(match[2]) if match[2] else None
    if high is not None and high < low:
        raise ApiError(RANGE, details=LOWER_ABOVE_UPPER)
    first = max(low, skipped)
    ends = [end for end in (high, skipped + wanted - 1 if wanted is not None else None) if end is not None]
    if not ends:
        return Range(None, first)
    last = min(ends)
    if last < first:
        raise ApiError(RANGE, details=NEGATIVE_LIMIT)
    return Range(last - first + 1, first)


def content_range(low: int, high: int, total: int | None) -> bytes:
    """A Content-Range header's value; `high` below `low` for no rows."""
    rows = f"{low}-{high}" if total != 0 and low <= high else "*"
    return f"{rows}/{'*' if total is None else total}".encode()


def status_of(offset: int, rows: int, total: int | None) -> int:
    """200 for all rows or an unknown total, 206 for a part, 416 for an offset beyond the total."""
    if total is None:
        return 200
    if offset > total:
        return 416
    return 206 if rows < total else 200
