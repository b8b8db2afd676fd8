"""Bounds every log in the data folder by size and age while it is written, whoever writes it.

Looked at once a second by the supervisor, so that one process does it for all that write. Of each log the file that is
written and one before it are kept; writers open the file by its name for each batch of lines. Postgres rotates by
itself, and its old files are removed here. Nothing of it raises: a disk that is full must not stop who keeps it.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from gateway.database.embedded import LOGS

LOOK: Final = 1.0  # seconds between looks at sizes …
LOOK_AT_AGES: Final = 600.0  # … and at ages
CAUGHT_MAILS: Final = 200_000_000  # bytes that the mail trap keeps
WRITTEN: Final = ("access.jsonl", "functions/invocations.jsonl", "functions/logs/*.log")
_AT: Final = re.compile(rb'"at":\s*"([0-9T:.-]+)Z"')


@dataclass(slots=True)
class Rotation:
    """The logs below a data folder: each has two files of some `max_bytes`, no line is older than `max_age` seconds."""

    folder: Path
    max_bytes: int
    max_age: float
    _looked: float = float("-inf")
    _looked_at_ages: float = float("-inf")

    def look(self, now: float) -> None:
        """Do what is due; `now` is of a clock that only goes on."""
        if now - self._looked < LOOK:
            return
        self._looked = now
        for path in self._files():
            if _size(path) > self.max_bytes:
                if not _is_older(path):
                    _set_aside(path)
                elif _size(path) > 2 * self.max_bytes:  # who still has it open writes on
                    with suppress(OSError):
                        os.truncate(path, 0)
        _prune(self.folder / LOGS, "postgres-*.log", 2 * self.max_bytes, self.max_age)
        if now - self._looked_at_ages >= LOOK_AT_AGES:
            self._looked_at_ages = now
            self._look_at_ages()
            _prune(self.folder / "mail", "*.eml", CAUGHT_MAILS, float("inf"))

    def _look_at_ages(self) -> None:
        """A file is set aside at half the age, so that all its lines are gone when the first one has reached it."""
        for path in sorted(self._files(), key=_is_older, reverse=True):
            if _is_older(path) and _age(path) > self.max_age:
                with suppress(OSError):
                    path.unlink()
            elif not _is_older(path) and _age(path) > self.max_age / 2:
                _set_aside(path)

    def _files(self) -> Iterator[Path]:
        for pattern in WRITTEN:
            yield from self.folder.glob(pattern)
            if "*" not in pattern:
                yield from self.folder.glob(str(before(Path(pattern))))


def before(path: Path) -> Path:
    """Where a log is set aside.

    >>> str(before(Path("logs/access.jsonl")))
    'logs/access.1.jsonl'
    """
    return path.with_suffix(f".1{path.suffix}")


def _is_older(path: Path) -> bool:
    return path.name.endswith(f".1{path.suffix}")


def _set_aside(path: Path) -> None:
    with suppress(OSError):
        path.replace(before(path))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _age(path: Path) -> float:
    """Seconds since the first line was written, by that line; of a file that does not say, since the last was."""
    try:
        with path.open("rb") as file:
            found = _AT.search(file.read(300))
            written = os.fstat(file.fileno()).st_mtime
    except OSError:
        return 0.0
    if found is not None:
        with suppress(ValueError):
            written = datetime.fromisoformat(found[1].decode() + "+00:00").timestamp()
    return time.time() - written


def _prune(folder: Path, pattern: str, max_bytes: int, max_age: float) -> None:
    """Remove the oldest files, whose names sort by time, beyond a size in all or an age.

    The newest may be open: it is emptied, and only if it is too large by itself, as when Postgres wrote so much in a
    second, which has one name.
    """
    total = 0
    for position, path in enumerate(sorted(folder.glob(pattern), reverse=True)):
        try:
            found = path.stat()
            total += found.st_size
            if position and (total > max_bytes or time.time() - found.st_mtime > max_age):
                path.unlink()
            elif total > max_bytes:
                os.truncate(path, 0)
        except OSError:
            continue
