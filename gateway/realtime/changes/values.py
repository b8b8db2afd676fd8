"""Values out of the log as JSON texts: as Postgres' `to_jsonb` writes them, with every digit of a number.

In: a column's text and what kind of type it has. Out: JSON text, never parsed and made anew: no number goes through a
float. What only Postgres can turn into JSON (composites and kin) is asked of it, in one statement a batch (tables.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import orjson

# What a type is to JSON; the words are those of the query in tables.py.
NUMBER: Final = "number"
BOOLEAN: Final = "boolean"
DOCUMENT: Final = "document"
MOMENT: Final = "moment"  # a timestamp, with or without its zone
BYTES: Final = "bytes"
TEXT: Final = "text"
ASKED: Final = "asked"  # of Postgres


class NoArray(ValueError):
    """A text is no array of Postgres'."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How values of a column are written; `array` where it is one of such values."""

    of: str
    array: bool = False


def to_json(text: str | None, kind: Kind) -> bytes:
    """A value. Raises NoArray.

    >>> to_json("12345678901234567890.10", Kind(NUMBER)), to_json("{1,NULL,{2}}", Kind(NUMBER, array=True))
    (b'12345678901234567890.10', b'[1,null,[2]]')
    """
    if text is None:
        return b"null"
    return _array(text, kind.of) if kind.array else _scalar(text, kind.of)


def _scalar(text: str, of: str) -> bytes:
    if of == NUMBER:
        return text.encode() if text[-1:].isdigit() else _quoted(text)  # NaN and Infinity are no numbers of JSON
    if of == BOOLEAN:
        return b"true" if text == "t" else b"false"
    if of == DOCUMENT:
        return text.encode()
    if of == MOMENT:
        return _quoted(moment(text))
    if of == BYTES:
        return _quoted(text.removeprefix("\\x"))
    return _quoted(text)


def _quoted(text: str) -> bytes:
    return orjson.dumps(text)


def moment(text: str) -> str:
    """A timestamp as ISO 8601 has it.

    >>> moment("2025-11-03 09:32:55.5+00"), moment("2025-11-03 09:32:55"), moment("infinity")
    ('2025-11-03T09:32:55.5+00:00', '2025-11-03T09:32:55', 'infinity')
    """
    body, space, era = text.partition(" BC")
    day, between, rest = body.partition(" ")
    if not between:
        return text
    if len(rest) > 3 and rest[-3] in "+-":
        rest += ":00"
    return f"{day}T{rest}{space}{era}"


def _array(text: str, of: str) -> bytes:
    """The literal of an array; the bounds that may stand in front of it are not told, as in `to_jsonb`."""
    if text.startswith("["):
        text = text[text.find("=") + 1 :]
    out: list[bytes] = []
    at, length, depth, fresh = 0, len(text), 0, True
    while at < length:
        letter = text[at]
        if letter == "{":
            depth += 1
            out.append(b"[")
            at, fresh = at + 1, True
        elif letter == "}":
            depth -= 1
            if depth < 0:
                raise NoArray(text)
            out.append(b"]")
            at, fresh = at + 1, False
        elif letter == ",":
            out.append(b",")
            at, fresh = at + 1, True
        elif not fresh or not depth:
            raise NoArray(text)
        elif letter == '"':
            value, at = _quoted_element(text, at + 1)
            out.append(_scalar(value, of))
            fresh = False
        else:
            end = at
            while end < length and text[end] not in ",{}":
                end += 1
            word = text[at:end]
            out.append(b"null" if word == "NULL" else _scalar(word, of))
            at, fresh = end, False
    if depth or not out:
        raise NoArray(text)
    return b"".join(out)


def _quoted_element(text: str, at: int) -> tuple[str, int]:
    parts: list[str] = []
    begin = at
    while at < len(text):
        letter = text[at]
        if letter == "\\":
            parts.append(text[begin:at])
            begin, at = at + 1, at + 2
        elif letter == '"':
            parts.append(text[begin:at])
            return "".join(parts), at + 1
        else:
            at += 1
    raise NoArray(text)
