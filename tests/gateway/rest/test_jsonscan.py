"""The scan of JSON: the same judgement as a parser's, over texts that are JSON, nearly JSON and none."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from gateway.errors import ApiError
from gateway.rest.body import jsonscan, payload
from gateway.rest.body.jsonscan import InvalidJson
from gateway.rest.parse.media import JSON
from gateway.rest.types import Payload

TOKENS = [
    b"[", b"]", b"{", b"}", b",", b":", b'"a"', b"1", b"-0.5e3", b"null", b"true", b" ", b"\n", b'"\\u00e9b"', b'"a":',
    b"{}", b"[]", b"01", b'"\\x"', b'"a"b', b"\xff", b'"\x01"', b".5", b"1.", b"-", b"+1", b"nul", "ä".encode(), b"",
]  # fmt: skip
SCALARS = [b"1", b'"a"', b"null", b"true", b"-1.5E+3", b'"x\\n\\"y"', b"[]", b"{}", b"1e999"]


def parsed(text: bytes) -> Any:
    """The value; an object is the list of its names and values."""

    def refuse(_: str) -> None:
        raise ValueError

    return json.loads(text.decode(), parse_constant=refuse, object_pairs_hook=lambda pairs: ("object", pairs))


def made(chance: random.Random, depth: int = 0) -> bytes:
    def space() -> bytes:
        return chance.choice([b"", b"", b" ", b"\n\t"])

    kind = chance.random()
    if depth > 5 or kind < 0.3:
        return chance.choice(SCALARS)
    items = [made(chance, depth + 1) for _ in range(chance.randrange(4))]
    if kind < 0.65:
        return b"[" + space() + (space() + b"," + space()).join(items) + space() + b"]"
    pairs = [
        chance.choice([b'"a"', b'"b"', b'"c\\u0041"']) + space() + b":" + space() + item + space() for item in items
    ]
    return b"{" + space() + (space() + b"," + space()).join(pairs) + space() + b"}"


def texts(chance: random.Random) -> bytes:
    if chance.random() < 0.3:
        return b"".join(chance.choices(TOKENS, k=chance.randrange(1, 14)))
    text = made(chance)
    if chance.random() < 0.5:
        cut = chance.randrange(len(text) + 1)
        text = text[:cut] + chance.choice(TOKENS) + text[cut + chance.randrange(2) :]
    return text


def wanted(value: Any) -> list[list[str] | None]:
    if isinstance(value, tuple):
        return [[name for name, _ in value[1]]]
    if not isinstance(value, list):
        return []
    return [[name for name, _ in row[1]] if isinstance(row, tuple) else None for row in value]


@pytest.mark.parametrize("seed", range(8))
def test_the_scan_and_a_parser_agree(seed: int) -> None:
    chance = random.Random(seed)
    valid = 0
    for _ in range(4000):
        text = texts(chance)
        try:
            value = parsed(text)
        except ValueError:
            with pytest.raises(InvalidJson):
                list(jsonscan.rows(text))
            with pytest.raises(InvalidJson):
                list(jsonscan.members(text))
            continue
        valid += 1
        found = [None if row is None else list(jsonscan.names(row)) for row in jsonscan.rows(text)]
        assert found == wanted(value), text
        for row, shown in zip(jsonscan.members(text), value if isinstance(value, list) else [value], strict=False):
            for (_, start, end), (_, member) in zip(row or (), shown[1] if row else (), strict=True):
                assert parsed(text[start:end]) == member, text
    assert valid > 500


@pytest.mark.parametrize("seed", range(4))
def test_a_short_object_that_is_read_whole_has_the_names_that_the_scan_finds(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    odd = [
        b'{"\\ud800":1}',
        b'{"a":"\\ud800"}',
        b'{"a":1e999}',
        b'{"a":' + b"[" * 1500 + b"]" * 1500 + b"}",
        b'\xef\xbb\xbf{"a":1}',
    ]
    objects = 0
    for text in [*odd, *(texts(chance) for _ in range(4000))]:
        found: list[object] = []
        for short in (payload.SHORT, 0):
            monkeypatch.setattr(payload, "SHORT", short)
            try:
                found.append(payload.parse_payload(text, JSON, None, routine=False))
            except ApiError as error:
                found.append(str(error))
        monkeypatch.undo()
        assert found[0] == found[1], text
        objects += isinstance(found[0], Payload) and found[0].is_object
    assert objects > 300
