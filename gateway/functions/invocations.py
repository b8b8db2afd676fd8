"""The log of calls: one JSON line each, in a file only its owner reads; gateway/server/log_rotation.py bounds it.

A function whose `function.toml` says `record = true`, or nothing where FUNCTIONS_RECORD is set, has its calls kept with
headers, body and answer (up to 64 kB, no header that lets anyone in), so that `functions replay` can run one again.
Times are RFC 3339 and milliseconds.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import IO, Any, Final

RECORD_LIMIT: Final = 65_536  # bytes of a body that is kept
BATCH: Final = 64  # calls written together


@dataclass(slots=True)
class Invocation:
    """One call; `body` and `answer` are base64 where the call was recorded, else None. Of a longer answer its begin is
    kept."""

    at: str
    function: str
    version: str
    method: str
    path: str
    query: str
    status: int
    ms: float
    fault: str
    request: str
    headers: list[tuple[str, str]]
    body: str | None
    id: str = field(default_factory=lambda: secrets.token_hex(6))
    answer_headers: list[tuple[str, str]] = field(default_factory=list)
    answer: str | None = None

    def body_bytes(self) -> bytes:
        return base64.b64decode(self.body or "")

    def answer_bytes(self) -> bytes:
        return base64.b64decode(self.answer or "")

    def to_json(self) -> str:
        return json.dumps({name: getattr(self, name) for name in _FIELDS}, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Invocation:
        row: dict[str, Any] = json.loads(line)
        for part in ("headers", "answer_headers"):
            row[part] = [(name, value) for name, value in row.get(part, ())]
        return cls(**row)


_FIELDS: Final = tuple(each.name for each in fields(Invocation))


class Invocations:
    """Writes and reads the log; several gateway processes may write to one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pending: list[Invocation] = []

    def add(self, invocation: Invocation) -> None:
        """Note one call; it is on disk after `flush` or once enough have come together."""
        self._pending.append(invocation)
        if len(self._pending) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Write what has come together. A full disk loses lines of the log, never an answer."""
        if not self._pending:
            return
        pending, self._pending = self._pending, []
        lines = "".join(invocation.to_json() + "\n" for invocation in pending)
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._open() as file:
                file.write(lines.encode())

    def read(self) -> Iterator[Invocation]:
        """All calls kept, oldest first."""
        self.flush()
        for path in (self._older, self._path):
            try:
                lines = path.read_text(encoding="utf-8").splitlines()
            except FileNotFoundError:
                continue
            for line in lines:
                try:
                    yield Invocation.from_json(line)
                except (ValueError, TypeError, KeyError):
                    continue  # the last line of a process that was killed

    def find(self, id: str) -> Invocation | None:
        """One call by its id or its request id."""
        return next((row for row in self.read() if id in (row.id, row.request)), None)

    def close(self) -> None:
        self.flush()

    @property
    def _older(self) -> Path:
        return self._path.with_suffix(".1.jsonl")

    def _open(self) -> IO[bytes]:
        return open(os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab")
