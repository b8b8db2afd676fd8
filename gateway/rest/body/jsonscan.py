"""JSON text → where its parts are, without a value of it being made.

A body goes to Postgres as it was written, so that no digit and no depth is lost on the way; all that is wanted of it
are the names in its rows and, of some, where the values stand. Memory is one byte for each level that is open and
what one row's names take; time grows with the length alone, whatever the text: the expressions are possessive, so none
goes back over what it has matched, and no part is looked at more than a few times.

>>> [names(row) for row in rows(b'[{"b":[[1e999]],"a":2}, {"a":1,"b":2}]')]
[('b', 'a'), ('a', 'b')]
>>> list(rows(b'[1, {"a":1,}]'))
Traceback (most recent call last):
...
gateway.rest.body.jsonscan.InvalidJson: 11
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

import orjson

_T = TypeVar("_T")

CHUNK: Final = 65_536  # bytes whose encoding is checked at once

_WS: Final = rb"[ \t\n\r]*+"
_STRING: Final = rb'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+"'
_NUMBER: Final = rb"-?+(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?+[0-9]++)?+"
_SCALAR: Final = rb"(?:%b|%b|true|false|null)" % (_STRING, _NUMBER)
_KEY: Final = rb"%b%b:%b" % (_STRING, _WS, _WS)
_ITEM: Final = rb"%b%b" % (_SCALAR, _WS)
_PAIR: Final = rb"%b%b" % (_KEY, _ITEM)
# A scalar, or a container of scalars.
_FLAT: Final = rb"(?:%b|\[%b(?:%b(?:,%b%b)*+)?+\]|\{%b(?:%b(?:,%b%b)*+)?+\})" % (
    (_SCALAR, _WS, _ITEM, _WS, _ITEM, _WS, _PAIR, _WS, _PAIR)
)
_MEMBER: Final = rb"%b%b%b" % (_KEY, _FLAT, _WS)

_SPACE: Final = re.compile(_WS)
_VALUE: Final = re.compile(_FLAT)
_ITEMS: Final = re.compile(rb"(?:%b%b,%b)*+" % (_FLAT, _WS, _WS))  # all but the last of what is in an array
_PAIRS: Final = re.compile(rb"(?:%b,%b)*+" % (_MEMBER, _WS))
_NAME: Final = re.compile(rb"(%b)%b:%b" % (_STRING, _WS, _WS))
_OPENED: Final = re.compile(rb"(?:\[%b)++" % _WS)
_CLOSED: Final = re.compile(rb"(?:[\]}]%b)++" % _WS)
_COMMA: Final = re.compile(rb",%b" % _WS)
_ROW: Final = re.compile(rb"\{%b(?:%b(?:,%b%b)*+)?+\}" % (_WS, _MEMBER, _WS, _MEMBER))
_ROW_NAMES: Final = re.compile(rb"(%b)%b:%b%b" % (_STRING, _WS, _WS, _FLAT))
_SPACES: Final = b" \t\n\r"

Member = tuple[bytes, int, int]
"""A name as it was written, quotes and all, and the span of its value."""


class InvalidJson(ValueError):
    """The text is no JSON; the number is about where."""


def rows(body: bytes) -> Iterator[Sequence[bytes] | None]:
    """The names, as they are written, of an object or of each object in an array; None stands for what is no object.

    Nothing comes of a scalar. Raises InvalidJson, when what is wrong is reached.
    """
    return _walk(body, _names_at)


def members(body: bytes) -> Iterator[Sequence[Member] | None]:
    """As `rows`, with the spans of the values."""
    return _walk(body, _members_at)


def names(row: Sequence[bytes]) -> tuple[str, ...]:
    """Names without quotes and escapes. Raises InvalidJson for half of a surrogate pair."""
    try:
        return tuple([raw[1:-1].decode() if b"\\" not in raw else orjson.loads(raw) for raw in row])
    except orjson.JSONDecodeError:
        raise InvalidJson(0) from None


def skip(body: bytes, start: int) -> int:
    """The end of the value that begins at `start`, however deep it is. Raises InvalidJson."""
    flat = _VALUE.match(body, start)
    if flat is not None:
        return flat.end()
    opened = bytearray()  # what closes each level that is open
    position = start
    while True:
        empty = False
        if body[position : position + 1] == b"{":
            opened += b"}"
            position = _value(body, _end(_SPACE.match(body, position + 1)))
        else:
            run = _OPENED.match(body, position)
            if run is None:
                raise InvalidJson(position)
            opened += b"]" * run[0].count(b"[")
            position = _end(_ITEMS.match(body, run.end()))
            empty = position == run.end() and body[position : position + 1] == b"]"
        while True:
            if not empty:
                flat = _VALUE.match(body, position)
                if flat is None:
                    break  # one level deeper, or an error
                position = _space(body, flat.end())
            empty = False
            closed = _CLOSED.match(body, position)
            if closed is None:
                raise InvalidJson(position)
            marks = closed[0].translate(None, _SPACES)
            level = len(opened) - len(marks)
            if level <= 0:
                return _closing(body, position, opened)
            if opened[level:] != marks[::-1]:
                raise InvalidJson(position)
            del opened[level:]
            comma = _COMMA.match(body, closed.end())
            if comma is None:
                raise InvalidJson(closed.end())
            position = comma.end()
            position = _value(body, position) if opened[-1:] == b"}" else _end(_ITEMS.match(body, position))


def _walk(body: bytes, take: Callable[[bytes, int], tuple[_T, int]]) -> Iterator[_T | None]:
    if not body.isascii():
        _check_encoding(body)
    position = _space(body, 0)
    first = body[position : position + 1]
    if first == b"{":
        taken, position = take(body, position)
        yield taken
    elif first == b"[":
        position = _space(body, position + 1)
        more = body[position : position + 1] != b"]"
        while more:
            if body[position : position + 1] == b"{":
                taken, position = take(body, position)
                yield taken
            else:
                position = skip(body, position)
                yield None
            position = _space(body, position)
            comma = _COMMA.match(body, position)
            more = comma is not None
            if comma is not None:
                position = comma.end()
        if body[position : position + 1] != b"]":
            raise InvalidJson(position)
        position += 1
    else:
        position = skip(body, position)
    position = _space(body, position)
    if position != len(body):
        raise InvalidJson(position)


def _names_at(body: bytes, start: int) -> tuple[Sequence[bytes], int]:
    flat = _ROW.match(body, start)
    if flat is not None:
        end = flat.end()
        return _ROW_NAMES.findall(body, start, end), end
    found, end = _members_at(body, start)
    return [member[0] for member in found], end


def _members_at(body: bytes, start: int) -> tuple[list[Member], int]:
    found: list[Member] = []
    position = _space(body, start + 1)
    more = body[position : position + 1] != b"}"
    while more:
        name = _NAME.match(body, position)
        if name is None:
            raise InvalidJson(position)
        end = skip(body, name.end())
        found.append((name[1], name.end(), end))
        position = _space(body, end)
        comma = _COMMA.match(body, position)
        more = comma is not None
        if comma is not None:
            position = comma.end()
    if body[position : position + 1] != b"}":
        raise InvalidJson(position)
    return found, position + 1


def _value(body: bytes, position: int) -> int:
    """Where the last or the first deep value of an object begins, behind pairs that are flat."""
    position = _end(_PAIRS.match(body, position))
    name = _NAME.match(body, position)
    if name is None:
        raise InvalidJson(position)
    return name.end()


def _closing(body: bytes, position: int, opened: bytearray) -> int:
    """The end of the outermost level, where all are closed from here on."""
    for mark in reversed(opened):
        position = _space(body, position)
        if body[position] != mark:
            raise InvalidJson(position)
        position += 1
    return position


def _end(found: re.Match[bytes] | None) -> int:
    assert found is not None  # these match nothing at all, if need be
    return found.end()


def _space(body: bytes, position: int) -> int:
    return _end(_SPACE.match(body, position))


def _check_encoding(body: bytes) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(body)
    try:
        for start in range(0, len(body), CHUNK):
            decoder.decode(view[start : start + CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise InvalidJson(error.start) from None
