"""Holds two answers to the same request against each other, apart from what no two servers have in common.

Ids (UUIDs) may differ as long as each stands for the same other one throughout; times may differ but not the way they
are written; tokens and other redacted values need only be there. What the recording calls something, and what it is
called now, is kept in `Names`, with which later requests are translated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final

from gateway.operations.recorder.exchange import Message
from gateway.operations.recorder.redact import MASK, Found

# What a client may act upon; everything else is the transport's, or says who served.
HEADERS: Final = (
    "content-type",
    "content-range",
    "content-profile",
    "location",
    "preference-applied",
    "link",
    "x-total-count",
    "x-supabase-api-version",
    "x-relay-error",
)
EPOCHS: Final = frozenset(("expires_at", "exp", "iat", "auth_time"))  # seconds since 1970
SHOWN: Final = 160  # characters of a value

_VOLATILE: Final = re.compile(
    MASK.pattern
    + r"|(?P<uuid>\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b)"
    + r"|(?P<time>\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)?)"
)
_FRACTION: Final = re.compile(r"\.\d+")
_DIGIT: Final = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two answers part, and what each has there."""

    place: str
    recorded: str
    replayed: str


class Names:
    """What the values of the recording are called now."""

    def __init__(self) -> None:
        self._now: dict[str, str] = {}
        self._before: dict[str, str] = {}  # of ids alone: two of them must not become one
        self.tokens: Found = {}

    def bind_id(self, recorded: str, replayed: str) -> bool:
        """Whether the one may stand for the other."""
        if self._now.setdefault(recorded, replayed) != replayed:
            return False
        return self._before.setdefault(replayed, recorded) == recorded

    def bind_time(self, recorded: str, replayed: str) -> None:
        """The latest meeting counts: two rows may share a time here and not there."""
        self._now[recorded] = replayed

    def translate(self, text: str) -> str:
        """A text of the recording in today's values; what was never met stays."""
        return _VOLATILE.sub(lambda found: self._now.get(found[0], found[0]), text)


def compare(
    recorded: Message, replayed: Message, names: Names, found: Found, ignore: Collection[str] = ()
) -> Iterator[Difference]:
    """Differences of headers and bodies; `found` has the tokens of the replayed answer by their digests.

    `ignore` names headers and members of JSON objects that may differ.
    """
    comparison = _Comparison(names, found, frozenset(ignore))
    yield from comparison.headers(recorded, replayed)
    yield from comparison.bodies(recorded, replayed)


class _Comparison:
    def __init__(self, names: Names, found: Found, ignore: frozenset[str]) -> None:
        self._names = names
        self._found = found
        self._ignore = ignore

    def headers(self, recorded: Message, replayed: Message) -> Iterator[Difference]:
        for name in HEADERS:
            if name not in self._ignore:
                before, now = recorded.headers.get(name), replayed.headers.get(name)
                if name == "content-type":
                    before, now = _media(before), _media(now)
                if before is None or now is None:
                    if before is not now:
                        yield Difference(name, before or "(absent)", now or "(absent)")
                else:
                    yield from self._texts(before, now, name)

    def bodies(self, recorded: Message, replayed: Message) -> Iterator[Difference]:
        if recorded.size or replayed.size:
            # Not kept; a body this long is hardly ever the same length twice.
            return
        if recorded.base64 or replayed.base64:
            if recorded != replayed and recorded.base64 != replayed.base64:
                yield Difference("body", _bytes(recorded), _bytes(replayed))
            return
        if recorded.is_json and replayed.is_json:
            try:
                before, now = json.loads(recorded.text), json.loads(replayed.text)
            except ValueError:
                pass
            else:
                yield from self._values(before, now, "body")
                return
        yield from self._texts(recorded.text, replayed.text, "body")

    def _values(self, before: Any, now: Any, place: str) -> Iterator[Difference]:
        if isinstance(before, dict) and isinstance(now, dict):
            for key in [*before, *(key for key in now if key not in before)]:
                if key in self._ignore:
                    continue
                inner = f"{place}.{key}" if key.isidentifier() else f"{place}[{json.dumps(key)}]"
                if key not in before or key not in now:
                    yield Difference(inner, _show(before, key), _show(now, key))
                elif not (key in EPOCHS and isinstance(before[key], int) and isinstance(now[key], int)):
                    yield from self._values(before[key], now[key], inner)
        elif isinstance(before, list) and isinstance(now, list):
            if len(before) != len(now):
                yield Difference(f"{place}.length", str(len(before)), str(len(now)))
            for index, (one, other) in enumerate(zip(before, now, strict=False)):
                yield from self._values(one, other, f"{place}[{index}]")
        elif isinstance(before, str) and isinstance(now, str):
            yield from self._texts(before, now, place)
        elif before != now or isinstance(before, bool) is not isinstance(now, bool):
            yield Difference(place, _cut(json.dumps(before)), _cut(json.dumps(now)))

    def _texts(self, before: str, now: str, place: str) -> Iterator[Difference]:
        if _skeleton(before) != _skeleton(now):
            start = _first_difference(before, now)
            yield Difference(place, _cut(before, start), _cut(now, start))
            return
        for one, other in zip(_VOLATILE.finditer(before), _VOLATILE.finditer(now), strict=True):
            if one["uuid"]:
                if not self._names.bind_id(one[0], other[0]):
                    yield Difference(place, f"{one[0]} ({self._names.translate(one[0])} before)", other[0])
            elif one["time"]:
                self._names.bind_time(one[0], other[0])
            elif one["digest"] and other["digest"]:
                self._names.tokens[one["digest"]] = self._found[other["digest"]]


def _skeleton(text: str) -> str:
    """The text with only the kind of each volatile value left."""

    def kind(found: re.Match[str]) -> str:
        if found["uuid"]:
            return "<uuid>"
        if found["time"]:
            return _DIGIT.sub("0", _FRACTION.sub("", found["time"]))
        return f"<{found['name']}>"

    return _VOLATILE.sub(kind, text)


def _media(value: str | None) -> str | None:
    return value.replace(" ", "").lower() if value is not None else None


def _first_difference(before: str, now: str) -> int:
    """Where to begin showing: a little before the first character that differs."""
    at = next((index for index, (one, other) in enumerate(zip(before, now, strict=False)) if one != other), 0)
    return max(0, at - 40) if at > SHOWN // 2 else 0


def _cut(text: str, start: int = 0) -> str:
    part = text[start : start + SHOWN]
    return ("…" if start else "") + part + ("…" if start + SHOWN < len(text) else "")


def _show(container: dict[str, Any], key: str) -> str:
    return _cut(json.dumps(container[key], ensure_ascii=False)) if key in container else "(absent)"


def _bytes(message: Message) -> str:
    return _cut(message.base64 or message.text)
