"""What the workers have answered: plain numbers, counted by each worker and read by all.

A worker counts in its own memory, which costs a request less than a microsecond, and writes the numbers once a second
to a board that the supervisor made before it forked them. Whoever is asked for metrics reads the whole board.
"""

from __future__ import annotations

import json
import mmap
import os
import time
from bisect import bisect_left
from typing import Any, Final

SLOT: Final = 262_144  # bytes of a worker on the board
BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)  # seconds
SERIES: Final = 500  # routes, methods and statuses told apart; what comes later is counted together
OTHER: Final = "other"


class Tally:
    """Requests by route (calls by function), method and status, and how long they took."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str, int], list[float]] = {}

    def note(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one answer."""
        row = self._rows.get((route, method, status)) or self._row(route, method, status)
        row[0] += seconds
        row[1 + bisect_left(BUCKETS, seconds)] += 1

    def _row(self, route: str, method: str, status: int) -> list[float]:
        if len(self._rows) >= SERIES:
            route = OTHER
        return self._rows.setdefault((route, method, status), [0.0] * (2 + len(BUCKETS)))

    def rows(self) -> list[list[Any]]:
        """Route, method, status, seconds in all, and the count of each bucket; the last has no upper end."""
        return [[*key, *row] for key, row in self._rows.items()]

    def count(self, route: str, statuses: range) -> int:
        """Answers of a route with these statuses."""
        return int(sum(sum(row[1:]) for key, row in self._rows.items() if key[0] == route and key[2] in statuses))

    def limited(self) -> int:
        """Answers that said there were too many requests."""
        return int(sum(sum(row[1:]) for key, row in self._rows.items() if key[2] == 429))


class Shortages:
    """What the database said that it lacks, and when it last did; `select 1` does not find a full disk."""

    STATES: Final = frozenset(("53100", "53300"))  # disk full, too many connections

    def __init__(self) -> None:
        self.seen: dict[str, float] = {}

    def note(self, sqlstate: str) -> None:
        """Remember an error of the database, if it is of this kind."""
        if sqlstate in self.STATES:
            self.seen[sqlstate] = time.monotonic()


class Board:
    """Memory that all workers share: one slot each, which only its worker writes."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self._memory = mmap.mmap(-1, slots * SLOT)  # anonymous and shared with every process forked from now on

    def write(self, slot: int, content: dict[str, Any]) -> None:
        """Replace what a worker says of itself."""
        raw = json.dumps({"pid": os.getpid(), "at": time.monotonic(), **content}, separators=(",", ":")).encode()
        if len(raw) > SLOT - 4:
            return
        start = slot * SLOT
        self._memory[start : start + 4 + len(raw)] = len(raw).to_bytes(4, "big") + raw

    def read(self) -> dict[int, dict[str, Any]]:
        """What each worker last said; one that is writing this moment is asked again."""
        found = {}
        for slot in range(self.slots):
            for _ in range(5):
                start = slot * SLOT
                length = int.from_bytes(self._memory[start : start + 4], "big")
                try:
                    found[slot] = json.loads(self._memory[start + 4 : start + 4 + length]) if length else {}
                    break
                except ValueError:
                    time.sleep(0.001)
        return {slot: content for slot, content in found.items() if content}
