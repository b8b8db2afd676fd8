"""JSON, CSV and form bodies → rows and columns (contract section 11).

>>> from gateway.rest.media import JSON, decode_media_type
>>> parse_payload(b'[{"b":1,"a":2}]', JSON, None, routine=False).columns
('a', 'b')
>>> parse_payload(b'a,b\\n1,NULL\\n', decode_media_type('text/csv'), None, routine=False).raw
b'[{"a":"1","b":null}]'
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any, Final, NoReturn

import orjson

from gateway.errors import ApiError
from gateway.rest.errors import BODY
from gateway.rest.shape import decode
from gateway.rest.types import MediaType, Payload

_EMPTY_ARRAY: Final = Payload(b"[]")
_RAW_KINDS: Final = frozenset({"text", "xml", "octet"})


def parse_payload(body: bytes, media: MediaType, columns: tuple[str, ...] | None, *, routine: bool) -> Payload:
    """A body of the given content type. Raises ApiError BODY.

    With `columns` a JSON body is not looked into: only they are written.
    """
    if media.kind == "json":
        if columns is not None:
            return Payload(body, columns, looks_like_object(body))
        if routine and not body:
            return Payload(b"{}", (), True)
        return _json(body)
    if media.kind == "csv":
        return _csv(body)
    if media.kind == "form":
        pairs = tuple(_form(body))
        names = tuple(sorted({name for name, _ in pairs}))
        if routine:
            return Payload(b"", names, fields=pairs)
        return Payload(orjson.dumps(dict(pairs)), names, True)
    if routine and media.kind in _RAW_KINDS:
        return Payload(body)
    _refuse(f"Content-Type not acceptable: {media.mime}")


def looks_like_object(body: bytes) -> bool:
    """Whether a JSON text is an object, by its first character."""
    return body.lstrip(b" \t\n\r")[:1] == b"{"


def _refuse(message: str) -> NoReturn:
    raise ApiError(BODY, message=message)


def _json(body: bytes) -> Payload:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        _refuse("Empty or invalid json")
    if isinstance(value, dict):
        return Payload(body, tuple(sorted(value)), True)
    if not isinstance(value, list) or not value:
        return _EMPTY_ARRAY
    return Payload(body, _same_keys(value))


def _same_keys(rows: list[Any]) -> tuple[str, ...]:
    first = rows[0]
    if not isinstance(first, dict):
        _refuse("All object keys must match")
    keys = first.keys()
    for row in rows:
        if not isinstance(row, dict) or row.keys() != keys:
            _refuse("All object keys must match")
    return tuple(sorted(keys))


def _csv(body: bytes) -> Payload:
    try:
        text = body.decode("utf-8-sig")
        lines = [line for line in csv.reader(io.StringIO(text, newline=""), strict=True) if line]
    except (UnicodeDecodeError, csv.Error):
        _refuse("All lines must have same number of fields")
    if len(lines) < 2:
        if not text.endswith(("\n", "\r")):  # the heading must end
            _refuse('parse error (not enough input) at ""')
        return _EMPTY_ARRAY
    header, *records = lines
    if any(len(record) != len(header) for record in records):
        _refuse("All lines must have same number of fields")
    rows: list[Mapping[str, str | None]] = [
        {name: None if value == "NULL" else value for name, value in zip(header, record, strict=True)}
        for record in records
    ]
    return Payload(orjson.dumps(rows), tuple(sorted(set(header))))


def _form(body: bytes) -> Iterable[tuple[str, str]]:
    text = body.decode("utf-8", "replace")
    for piece in text.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            yield decode(name), decode(value)
