"""Cleans text on its way into columns that are marked as sanitized HTML.

Only the values of these columns are touched; all else of the body stays as it was written. An array or an object
becomes the text that Postgres would make of it, cleaned: written as it came, it would be text with its markup whole.
"""

from __future__ import annotations

from dataclasses import replace

import orjson

from gateway.catalog.model import Name, SchemaCache
from gateway.errors import ApiError
from gateway.rest.body import jsonscan
from gateway.rest.body.html import clean_html
from gateway.rest.errors import BODY
from gateway.rest.types import Payload

_TEXTS = (b'"', b"[", b"{")


def guarded_columns(cache: SchemaCache) -> dict[Name, frozenset[str]]:
    """The columns of sanitized HTML of the tables that have any."""
    found = {}
    for name, table in cache.tables.items():
        columns = [column.name for column in table.columns.values() if column.nominal_type in cache.html_domains]
        if columns:
            found[name] = frozenset(columns)
    return found


def guard_html(payload: Payload, guarded: frozenset[str]) -> Payload:
    """The payload with the text of the given columns cleaned; untouched where it writes none of them.

    Raises ApiError BODY.
    """
    if guarded.isdisjoint(payload.columns):
        return payload
    raw = payload.raw
    parts: list[bytes] = []
    done = 0
    try:
        for row in jsonscan.members(raw):
            for name, start, end in row or ():
                if raw[start : start + 1] in _TEXTS and jsonscan.names((name,))[0] in guarded:
                    parts += (raw[done:start], _cleaned(raw[start:end]))
                    done = end
    except (ValueError, RecursionError):
        raise ApiError(BODY, message="Empty or invalid json") from None
    parts.append(raw[done:])
    return replace(payload, raw=b"".join(parts))


def _cleaned(value: bytes) -> bytes:
    """A value as JSON text. Raises ValueError for half of a surrogate pair."""
    text: str = orjson.loads(value) if value[:1] == b'"' else value.decode()
    return orjson.dumps(clean_html(text))
