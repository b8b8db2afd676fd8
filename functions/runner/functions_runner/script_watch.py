"""Watches over a script's process from outside, as its first process: what Python functions see to by themselves.

Among the lines that the process writes are those of boot.ts to this one: that it listens, and how many calls are open.
Processor time is counted from the last of those; nothing that runs in the process can keep it from being ended.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from functions_runner import usage
from functions_runner.logs import Redactor
from functions_runner.types import EXIT_MEMORY

MARK: Final = b"\x1e"
EVERY: Final = 0.5  # seconds between looks at its processor time
REPORT: Final = 20_000  # bytes of what it printed before it listened, which says why it does not
OWN_MB: Final = 192  # of Deno itself, beside a function's memory
# How V8 ends a process whose heap is full.
_FULL: Final = frozenset({-signal.SIGTRAP, -signal.SIGABRT, -signal.SIGILL})


class Watch:
    """One script's process. `cpu` is in seconds, `seconds()` is what it has used so far."""

    def __init__(
        self,
        ready: int,
        cpu: float,
        memory_mb: int,
        redact: Redactor,
        seconds: Callable[[], float] = lambda: processor_time(),
    ) -> None:
        self._ready = ready
        self._cpu = cpu
        self._memory_mb = memory_mb
        self._redact = redact
        self._seconds = seconds
        self._partial = b""
        self._report = b""
        self._open = 0
        self._since = 0.0

    def feed(self, data: bytes) -> bytes:
        """What of this is for the function's log."""
        lines = (self._partial + data).split(b"\n")
        self._partial = lines.pop()
        kept = b""
        for line in lines:
            if line.startswith(MARK):
                self._hear(line[1:])
            else:
                kept += line + b"\n"
        if len(self._partial) > REPORT and not self._partial.startswith(MARK):
            kept, self._partial = kept + self._partial, b""
        if self._ready >= 0:
            self._report = (self._report + kept)[-REPORT:]
        return kept

    def _hear(self, word: bytes) -> None:
        try:
            said: Any = json.loads(word)
        except ValueError:
            return
        if not isinstance(said, dict):
            return
        if said.get("ready"):
            self._tell({"ready": True})
        elif isinstance(said.get("open"), int):
            self._open, self._since = said["open"], self._seconds()

    def excess(self) -> str:
        """Why the process must end, in words; empty for no reason."""
        if self._open > 0 and self._seconds() - self._since > self._cpu:
            return f"it used more than {self._cpu:g} s of processor time without an answer"
        return ""

    def too_large(self) -> str:
        """Likewise, for its memory."""
        taken = sum(usage.memory(pid) for pid in usage.descendants()) // 1024
        most = self._memory_mb + OWN_MB
        return f"it takes {taken} MB, more than {most}" if taken > most else ""

    def ended(self, status: int) -> int:
        """The process has ended; the exit status that says what it was."""
        if self._ready >= 0:
            if self._partial:
                self._report += self._partial
            self._tell({"error": self._redact(_plain(self._report)) or "the process ended while loading"})
        return EXIT_MEMORY if status in _FULL else status

    def _tell(self, message: dict[str, Any]) -> None:
        if self._ready >= 0:
            with suppress(OSError):
                os.write(self._ready, json.dumps(message).encode() + b"\n")
            os.close(self._ready)
            self._ready = -1


def _plain(report: bytes) -> str:
    """What was printed, as its printer meant it."""
    texts = []
    for line in report.decode("utf-8", "replace").splitlines():
        try:
            row = json.loads(line)
            texts.append(str(row["text"]))
        except (ValueError, TypeError, KeyError):
            texts.append(line)
    return "\n".join(texts).strip()


def processor_time() -> float:
    """Seconds of processor time that this process's descendants have used."""
    ticks = os.sysconf("SC_CLK_TCK")
    total = 0
    for pid in usage.descendants():
        with suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
    return total / ticks
