"""The access log: one JSON line a request, in a file only its owner reads; gateway/server/log_rotation.py bounds it.

A line is `{"at", "id", "method", "path", "status", "ms", "bytes", "client"}`, of a request of tables also `{"sql",
"sql_ms"}`: the statement with parameters in the place of values, and its transaction's time (null where it failed).
Query strings are left out: they may hold what a visitor typed, a key, or the token of a mailed link.
"""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any, Final

import orjson

LONGEST: Final = 1_500  # characters of a statement
BATCH: Final = 256  # lines written together …
SOON: Final = 0.5  # … or those of so many seconds


class AccessLog:
    """Writes the log; several workers may write to one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pending: list[bytes] = []
        self._timer: asyncio.TimerHandle | None = None
        self._second, self._written = -1, ""
        self.dropped = 0

    def add(
        self,
        id: str,
        method: str,
        path: str,
        status: int,
        seconds: float,
        size: int,
        client: str | None,
        statement: tuple[str, float | None] | None = None,
    ) -> None:
        """Note one answer; it is on disk soon."""
        line: dict[str, Any] = {
            "at": self._timestamp(time.time()),
            "id": id,
            "method": method,
            "path": path,
            "status": status,
            "ms": round(seconds * 1000, 2),
            "bytes": size,
            "client": client,
        }
        if statement is not None:
            text, spent = statement
            line["sql"], line["sql_ms"] = text[:LONGEST], None if spent is None else round(spent * 1000, 2)
        self._pending.append(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
        if len(self._pending) >= BATCH:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SOON, self.flush)

    def _timestamp(self, now: float) -> str:
        """RFC 3339 text of a time; all but its milliseconds is written once a second."""
        second = int(now)
        if second != self._second:
            self._second, self._written = second, time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
        return f"{self._written}.{int(now * 1000) % 1000:03d}Z"

    def flush(self) -> None:
        """Write what has come together. A full disk loses lines of the log, never an answer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._pending:
            return
        lines, self._pending = self._pending, []
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            with open(descriptor, "ab") as file:
                file.write(b"".join(lines))
        except OSError:
            self.dropped += len(lines)
