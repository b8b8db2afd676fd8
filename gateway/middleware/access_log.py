"""The access log: one JSON line a request, in a file only its owner reads; gateway/server/log_rotation.py bounds it.

A line is `{"at", "id", "method", "path", "status", "ms", "bytes", "client"}`. Query strings are left out: they may hold
what a visitor typed, a key, or the token of a mailed link.
"""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Final

import orjson
from functions_runner.logs import timestamp

BATCH: Final = 256  # lines written together …
SOON: Final = 0.5  # … or those of so many seconds


class AccessLog:
    """Writes the log; several workers may write to one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pending: list[bytes] = []
        self._timer: asyncio.TimerHandle | None = None
        self.dropped = 0

    def add(self, id: str, method: str, path: str, status: int, seconds: float, size: int, client: str | None) -> None:
        """Note one answer; it is on disk soon."""
        self._pending.append(
            orjson.dumps(
                {
                    "at": timestamp(time.time()),
                    "id": id,
                    "method": method,
                    "path": path,
                    "status": status,
                    "ms": round(seconds * 1000, 2),
                    "bytes": size,
                    "client": client,
                },
                option=orjson.OPT_APPEND_NEWLINE,
            )
        )
        if len(self._pending) >= BATCH:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SOON, self.flush)

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
