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


class LogFile:
    """A function's log, bounded in rate; several processes may write to it, and whoever bounds its size may rename it.

    What cannot be written, as on a full disk, is lost: a log must not stop a function.
    """

    def __init__(self, path: Path, redact: Callable[[str], str], clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._redact = redact
        self._clock = clock
        self._file = -1
        self._partial = b""
        self._window = 0.0
        self._lines = self._bytes = 0

    def feed(self, data: bytes) -> None:
        """Take what was written, in pieces of any size."""
        lines = (self._partial + data).split(b"\n")
        self._partial = lines.pop()
        if len(self._partial) > LINE_LIMIT * 8:  # a line of JSON may hold escapes, not as many as this
            lines.append(self._partial)
            self._partial = b""
        kept = b"".join(self._admit(line) for line in lines)
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
        return self._redact(line[: LINE_LIMIT * 8].decode("utf-8", "replace")).encode() + b"\n"

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
