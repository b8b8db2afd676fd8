"""JSON, CSV and form bodies → rows and columns (contract section 11).

>>> from gateway.rest.parse.media import JSON, decode_media_type
>>> parse_payload(b'[{"b":1,"a":2}]', JSON, None, routine=False).columns
('a', 'b')
>>> parse_payload(b'a,b\\n1,NULL\\n', decode_media_type('text/csv'), None, routine=False).raw
b'[{"a":"1","b":null}]'
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final, NoReturn

import orjson

from gateway.errors import ApiError
from gateway.rest.body import jsonscan
from gateway.rest.body.jsonscan import InvalidJson
from gateway.rest.errors import BODY
from gateway.rest.parse.query_shape import decode
from gateway.rest.types import MediaType, Payload

MAX_NAMES: Final = 1_700  # in a row; no table has so many columns (1,600), so what is beyond changes no answer
MAX_NAME: Final = 200  # characters of a name that is told of in an error; Postgres has 63
MAX_FIELDS: Final = 10_000  # of a form
SHORT: Final = 4_096  # bytes of an object that is read whole for its names
MAX_JSON: Final = 60_000_000  # bytes of the JSON that is made of a CSV body, whose every row has the names again

_EMPTY_ARRAY: Final = Payload(b"[]")
_RAW_KINDS: Final = frozenset({"text", "xml", "octet"})
_OBJECT: Final = re.compile(rb"[ \t\n\r]*+\{")
_FIELD: Final = re.compile(rb"[^&]++")

csv.field_size_limit(1 << 30)  # a field may be as long as a body


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
        if routine:
            pairs = tuple(_form(body))
            return Payload(b"", _columns(name for name, _ in pairs), fields=pairs)
        row = dict(_form(body))
        return Payload(orjson.dumps(row), _columns(row), True)
    if routine and media.kind in _RAW_KINDS:
        return Payload(body)
    _refuse(f"Content-Type not acceptable: {media.mime}")


def looks_like_object(body: bytes) -> bool:
    """Whether a JSON text is an object, by its first character."""
    return _OBJECT.match(body) is not None


def _columns(names: Iterable[str]) -> tuple[str, ...]:
    """Names in order; what no column or parameter can be called is cut to what says so."""
    return tuple(sorted({_shortened(name) for name in names})[:MAX_NAMES])


def _shortened(name: str) -> str:
    return name if len(name) <= MAX_NAME else f"{name[:MAX_NAME]}…"


def _refuse(message: str) -> NoReturn:
    raise ApiError(BODY, message=message)


def _json(body: bytes) -> Payload:
    """The names are looked for and the rest is for Postgres to read: it knows depths and numbers that nothing here
    could hold."""
    if len(body) <= SHORT:
        # Of one object the names are had sooner by reading it; what cannot be read so may be JSON all the same.
        with suppress(ValueError):
            row = orjson.loads(body)
            if isinstance(row, dict):
                return Payload(body, _columns(row), True)
    first = None
    differ = False
    count = 0
    try:
        for row in jsonscan.rows(body):
            count += 1
            if count == 1:
                first = row
                known = frozenset(jsonscan.names(row or ()))
            elif row != first and not differ:  # written otherwise, but maybe the same
                differ = row is None or first is None or frozenset(jsonscan.names(row)) != known
    except InvalidJson:
        _refuse("Empty or invalid json")
    if not count:
        return _EMPTY_ARRAY
    if differ or first is None:
        _refuse("All object keys must match")
    return Payload(body, _columns(known), looks_like_object(body))


def _csv(body: bytes) -> Payload:
    """The rows as JSON, one after the other: there are never more of them in memory than one and the text made."""
    lines = csv.reader(io.TextIOWrapper(io.BytesIO(body), "utf-8-sig", newline=""), strict=True)
    rows = bytearray(b"[")
    try:
        header = next((line for line in lines if line), None)
        for record in lines:
            if not record:
                continue
            if header is None or len(record) != len(header):
                _refuse("All lines must have same number of fields")
            row = {name: None if value == "NULL" else value for name, value in zip(header, record, strict=True)}
            rows += orjson.dumps(row)
            rows += b","
            if len(rows) > MAX_JSON:
                _refuse(f"The rows make more than {MAX_JSON} bytes as JSON: send fewer at once")
    except (UnicodeDecodeError, csv.Error):
        _refuse("All lines must have same number of fields")
    if header is None or len(rows) == 1:
        if not body.endswith((b"\n", b"\r")):  # the heading must end
            _refuse('parse error (not enough input) at ""')
        return _EMPTY_ARRAY
    rows[-1:] = b"]"
    return Payload(bytes(rows), _columns(header))


def _form(body: bytes) -> Iterator[tuple[str, str]]:
    for number, piece in enumerate(_FIELD.finditer(body)):
        if number == MAX_FIELDS:
            _refuse(f"More than {MAX_FIELDS} fields")
        name, _, value = piece[0].decode("utf-8", "replace").partition("=")
        yield _shortened(decode(name)), decode(value)
