"""What a function prints becomes one JSON line per line, with its request and without its secrets.

`LogFile` keeps them: what a process writes goes through a pipe to one that the function does not control, so that no
output, however written, is more than its rate allows.

A line is `{"at", "level", "request", "text"}`: `at` is RFC 3339 in UTC, `level` is `info` for standard output and
`error` for standard error, `request` is the id of the request that printed it, or null.
"""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Final

LINE_LIMIT: Final = 10_000  # characters
LONGEST: Final = 80_000  # characters of a line with its escapes, whoever wrote it
BURST: Final = 1_000  # lines …
WINDOW: Final = 10.0  # … in so many seconds
BURST_BYTES: Final = 1_000_000  # of a log, likewise

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)

# Short values (true, 3600, a word) stand in ordinary text too often to be told from it.
_SECRET_LENGTH: Final = 8


def timestamp(now: float) -> str:
    """RFC 3339 text of a time in seconds.

    >>> timestamp(0.25)
    '1970-01-01T00:00:00.250Z'
    """
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"


class Redactor:
    """Writes `[NAME]` in place of each secret."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        """`secrets` is from values to names."""
        self._ordered = sorted(secrets.items(), key=lambda item: -len(item[0]))
        self.longest = max(map(len, secrets), default=0)

    def __call__(self, text: str) -> str:
        for value, name in self._ordered:
            if value in text:
                text = text.replace(value, f"[{name}]")
        return text

    def cut(self, text: str, limit: int) -> str:
        """The beginning of a text that goes on, without the beginning of a secret at its end."""
        redacted = self(text)
        return redacted[: max(0, min(limit, len(redacted) - self.longest))] + "…"


def redactor(env: Mapping[str, str], public: tuple[str, ...] = ("SUPABASE_URL",)) -> Redactor:
    """What writes `[NAME]` in place of each variable's value.

    >>> redactor({"TOKEN": "s3cret-value"})("sent s3cret-value")
    'sent [TOKEN]'
    """
    secrets: dict[str, str] = {}
    for name, value in env.items():
        if name in public:
            continue
        for part in _parts(value):
            if len(part) >= _SECRET_LENGTH:
                # What is written as JSON, or as a Python literal, has the value in another spelling.
                for spelt in (part, json.dumps(part)[1:-1], repr(part)[1:-1]):
                    secrets[spelt] = name
    return Redactor(secrets)


def _parts(value: str) -> list[str]:
    """The value, its lines (a private key has many), and the texts in it where it is JSON (the maps of keys are)."""
    if not value.startswith(("{", "[")):
        return [value, *value.splitlines()]
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
        redact: Redactor,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._write = write
        self._level = level
        self._redact = redact
        self._clock = clock
        self._partial = ""
        self._is_cut = False  # the rest of the line is left out
        self._window = 0.0
        self._count = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        lines = (self._partial + text).split("\n")
        self._partial = lines.pop()
        for line in lines:
            if not self._is_cut:
                self._emit(self._redact(line))
            self._is_cut = False
        if self._is_cut:
            self._partial = ""
        elif len(self._partial) > LINE_LIMIT + self._redact.longest:
            # Not in two lines: a secret that lay across both would stand in neither.
            self._emit(self._redact.cut(self._partial, LINE_LIMIT))
            self._partial, self._is_cut = "", True
        return len(text)

    def flush(self) -> None:
        if self._partial:
            line, self._partial = self._partial, ""
            self._emit(self._redact(line))

    def _emit(self, text: str) -> None:
        now = self._clock()
        if now - self._window > WINDOW:
            self._window, self._count = now, 0
        self._count += 1
        if self._count > BURST:
            return
        if self._count == BURST:
            text = f"more than {BURST} lines in {WINDOW:.0f} seconds: the rest is left out"
        if len(text) > LINE_LIMIT:
            text = text[:LINE_LIMIT] + "…"
        record = {"at": timestamp(now), "level": self._level, "request": request_id.get(), "text": text}
        with suppress(OSError):  # a full disk, or nobody reads: what is printed must not decide what is answered
            self._write(json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n")


class LogFile:
    """A function's log, bounded in rate; several processes may write to it, and whoever bounds its size may rename it.

    What cannot be written, as on a full disk, is lost: a log must not stop a function.
    """

    def __init__(self, path: Path, redact: Redactor, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._redact = redact
        self._clock = clock
        self._file = -1
        self._partial = b""
        self._is_cut = False
        self._window = 0.0
        self._lines = self._bytes = 0

    def feed(self, data: bytes) -> None:
        """Take what was written, in pieces of any size."""
        lines = (self._partial + data).split(b"\n")
        self._partial = lines.pop()
        if lines and self._is_cut:
            del lines[0]
            self._is_cut = False
        kept = b"".join(self._admit(line) for line in lines)
        if self._is_cut:
            self._partial = b""
        elif len(self._partial) > LONGEST + 4 * self._redact.longest:
            kept += self._admit(self._redact.cut(self._partial.decode("utf-8", "replace"), LONGEST).encode())
            self._partial, self._is_cut = b"", True
        if kept:
            with suppress(OSError):
                self._write(kept)

    def close(self) -> None:
        """Write what has no end of line yet."""
        if self._partial:
            self.feed(b"\n")
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _admit(self, line: bytes) -> bytes:
        now = self._clock()
        if not 0 <= now - self._window <= WINDOW:
            self._window, self._lines, self._bytes = now, 0, 0
        if self._lines > BURST or self._bytes > BURST_BYTES:
            return b""
        self._lines += 1
        self._bytes += len(line) + 1
        if self._lines > BURST or self._bytes > BURST_BYTES:
            said = f"more than {BURST} lines or {BURST_BYTES} bytes in {WINDOW:.0f} seconds: the rest is left out"
            record = {"at": timestamp(now), "level": "error", "request": None, "text": said}
            return json.dumps(record).encode() + b"\n"
        # Lines of Python code were redacted where they were made, those of C code were not.
        text = line.decode("utf-8", "replace")
        return (self._redact(text) if len(text) <= LONGEST else self._redact.cut(text, LONGEST)).encode() + b"\n"

    def _write(self, data: bytes) -> None:
        self._open()
        os.write(self._file, data)

    def _open(self) -> None:
        """Have the file open that has the log's name now."""
        with suppress(OSError):
            if self._file >= 0 and os.path.samestat(os.fstat(self._file), os.stat(self._path)):
                return
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
