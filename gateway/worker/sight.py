"""What all workers of this gateway did in a minute, as one row in the database, for the console's pictures of a day.

The first worker reads the board that all write to. A worker that starts anew begins to count at nothing.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from gateway.database import NO_SCOPE, DatabaseError, DatabaseUnavailable, PoolTimeout
from gateway.database.statement import Statement
from gateway.middleware.metrics import BUCKETS
from gateway.worker.parts import Parts

log = logging.getLogger("gateway.worker")

MINUTE: Final = 60.0  # seconds
HITS: Final = ("plans_reused", "tokens_reused")
MISSES: Final = ("plans_built", "tokens_verified")
NOTE: Final = """
    select gateway.note_sight(
      $1::timestamptz, $2, $3::bigint, $4::bigint, $5::bigint[], $6::integer, $7::bigint, $8::bigint
    )
"""

Said = Mapping[int, Mapping[str, Any]]
"""The board: what each worker says of itself, by its place."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What was counted; `buckets` are answers by how long they took (gateway/middleware/metrics.py)."""

    requests: int = 0
    errors: int = 0
    buckets: tuple[int, ...] = field(default=(0,) * (len(BUCKETS) + 1))
    hits: int = 0
    misses: int = 0

    def since(self, before: Counts) -> Counts:
        """What was added; all of it where less is counted than before."""
        if self.requests < before.requests:
            return self
        return Counts(
            self.requests - before.requests,
            max(0, self.errors - before.errors),
            tuple(max(0, now - then) for now, then in zip(self.buckets, before.buckets, strict=True)),
            max(0, self.hits - before.hits),
            max(0, self.misses - before.misses),
        )


def counts_of(worker: Mapping[str, Any]) -> Counts:
    """The numbers of one worker.

    >>> counts_of({"requests": [["/rest/v1", "GET", 500, 0.1, 1, *[0] * 14]], "counters": {"plans_built": 2}}).errors
    1
    """
    buckets, errors = [0] * (len(BUCKETS) + 1), 0
    for _, _, status, _, *row in worker.get("requests", ()):
        for place, count in enumerate(row):
            buckets[place] += int(count)
        errors += int(sum(row)) if status >= 500 else 0
    counters = worker.get("counters", {})

    def all_of(names: Iterable[str]) -> int:
        return sum(int(counters.get(name, 0)) for name in names)

    return Counts(sum(buckets), errors, tuple(buckets), all_of(HITS), all_of(MISSES))


class Minutes:
    """Turns the growing numbers of workers into those of a time."""

    def __init__(self) -> None:
        self._before: dict[tuple[int, int], Counts] | None = None

    def take(self, said: Said) -> tuple[Counts, int] | None:
        """What was done since the last time, and how many connections are busy now; None at the first."""
        now = {(slot, int(worker.get("pid", 0))): counts_of(worker) for slot, worker in said.items()}
        before, self._before = self._before, now
        if before is None:
            return None
        parts = [counts.since(before.get(key, Counts())) for key, counts in now.items()]
        total = Counts(
            sum(part.requests for part in parts),
            sum(part.errors for part in parts),
            tuple(map(sum, zip(*(part.buckets for part in parts), strict=True))) if parts else Counts().buckets,
            sum(part.hits for part in parts),
            sum(part.misses for part in parts),
        )
        return total, sum(pool["busy"] for worker in said.values() for pool in worker.get("pools", {}).values())


async def keep_sight(gateway: Parts) -> None:
    """Write a row at each full minute, without an end; what cannot be written is left out."""
    minutes, name = Minutes(), f"{socket.gethostname()}:{gateway.settings.port}"
    minutes.take(gateway.board.read())
    async for at in ended_minutes():
        try:
            await note(gateway, minutes, name, at)
        except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
            log.debug("a minute's numbers are not kept: %s", error)


async def ended_minutes(
    clock: Callable[[], float] = time.time, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> AsyncIterator[float]:
    """The beginning of each minute, in seconds since the epoch, as it ends."""
    while True:
        ends = (clock() // MINUTE + 1) * MINUTE
        while (left := ends - clock()) > 0:  # who is woken a moment early would take two minutes for one
            await sleep(left)
        yield ends - MINUTE


async def note(gateway: Parts, minutes: Minutes, name: str, at: float) -> None:
    """Write what was done since the last time. Raises the database's errors."""
    taken = minutes.take(gateway.board.read())
    if taken is None:
        return
    counts, busy = taken
    values = (
        datetime.fromtimestamp(at, UTC).isoformat(),
        name,
        str(counts.requests),
        str(counts.errors),
        "{" + ",".join(map(str, counts.buckets)) + "}",
        str(busy),
        str(counts.hits),
        str(counts.misses),
    )
    await gateway.databases.auth.run(NO_SCOPE, Statement(NOTE, values))
