"""What a function prints becomes one JSON line per line, with its request and without its secrets.

A line is `{"at", "level", "request", "text"}`: `at` is RFC 3339 in UTC, `level` is `info` for standard output and
`error` for standard error, `request` is the id of the request that printed it, or null.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from typing import Final

LINE_LIMIT: Final = 10_000  # characters
BURST: Final = 1_000  # lines …
WINDOW: Final = 10.0  # … in so many seconds

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)

# Short values (true, 3600, a word) stand in ordinary text too often to be told from it.
_SECRET_LENGTH: Final = 8


def timestamp(now: float) -> str:
    """RFC 3339 text of a time in seconds.

    >>> timestamp(0.25)
    '1970-01-01T00:00:00.250Z'
    """
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"


def redactor(env: Mapping[str, str], public: tuple[str, ...] = ("SUPABASE_URL",)) -> Callable[[str], str]:
    """A function that writes `[NAME]` in place of each variable's value.

    >>> redactor({"TOKEN": "s3cret-value"})("sent s3cret-value")
    'sent [TOKEN]'
    """
    secrets: dict[str, str] = {}
    for name, value in env.items():
        if name in public:
            continue
        for part in _parts(value):
            if len(part) >= _SECRET_LENGTH:
                secrets[part] = name
    ordered = sorted(secrets.items(), key=lambda item: -len(item[0]))

    def redact(text: str) -> str:
        for value, name in ordered:
            if value in text:
                text = text.replace(value, f"[{name}]")
        return text

    return redact


def _parts(value: str) -> list[str]:
    """The value, and the texts in it where it is JSON (the maps of keys are)."""
    if not value.startswith(("{", "[")):
        return [value]
    try:
        document = json.loads(value)
    except ValueError:
        return [value]
    members = document.values() if isinstance(document, dict) else document
    return [value, *(member for member in members if isinstance(member, str))]


class LineWriter(io.TextIOBase):
    """A text stream that hands whole lines on as JSON; stands in for standard output and error."""

    def __init__(
        self,
        write: Callable[[bytes], object],
        level: str,
        redact: Callable[[str], str],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._write = write
        self._level = level
        self._redact = redact
        self._clock = clock
        self._partial = ""
        self._window = 0.0
        self._count = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        lines = (self._partial + text).split("\n")
        self._partial = lines.pop()
        for line in lines:
            self._emit(line)
        if len(self._partial) > LINE_LIMIT:
            self.flush()
        return len(text)

    def flush(self) -> None:
        if self._partial:
            line, self._partial = self._partial, ""
            self._emit(line)

    def _emit(self, line: str) -> None:
        now = self._clock()
        if now - self._window > WINDOW:
            self._window, self._count = now, 0
        self._count += 1
        if self._count > BURST:
            return
        if self._count == BURST:
            line = f"more than {BURST} lines in {WINDOW:.0f} seconds: the rest is left out"
        text = self._redact(line)
        if len(text) > LINE_LIMIT:
            text = text[:LINE_LIMIT] + "…"
        record = {"at": timestamp(now), "level": self._level, "request": request_id.get(), "text": text}
        with suppress(OSError):  # a full disk, or nobody reads: what is printed must not decide what is answered
            self._write(json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
