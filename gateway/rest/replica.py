"""Reads at a replica, and what must not be read there.

A GET or HEAD is answered by the replica, and by the primary in its stead
  for who wrote within the last seconds: a session, or where there is none a key at an address. All workers of a gateway
  know of it by memory that they share. A token made within these seconds counts as a write: signing in is one
  when the replica has not replayed by now what the primary had written so many seconds ago
  when the replica is away or refuses; what it answers with an error is asked of the primary, whose word counts
While the primary is away the replica goes on answering who did not write.
"""

from __future__ import annotations

import asyncio
import logging
import mmap
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import orjson

from gateway.database import NO_SCOPE, Database, DatabaseError, DatabaseUnavailable, PoolTimeout, Result
from gateway.database.statement import Statement
from gateway.http.client_address import client_address, parse_networks
from gateway.http.messages import Request
from gateway.identity.authenticator import Identity
from gateway.rest.transaction import Ready, run
from gateway.settings import Settings
from gateway.system.lasting import lasting

log = logging.getLogger("gateway.replica")

PLACES: Final = 1 << 17
LOOK: Final = 1.0  # seconds between two looks at the replica
ANSWER_LIMIT: Final = 2.0  # seconds that either may take over a look
WRITTEN: Final = Statement("select pg_current_wal_lsn()")
REPLAYED: Final = Statement("select pg_last_wal_replay_lsn()")
QUERY_CANCELED: Final = "57014"  # took too long, and would at the primary

_AWAY: Final = (DatabaseUnavailable, PoolTimeout, TimeoutError)


class Recent:
    """Who wrote until when, in memory that all workers share. Two subjects that meet in one place both read there."""

    def __init__(self, count: int = PLACES) -> None:
        self._until = memoryview(mmap.mmap(-1, count * 8)).cast("d")
        self._count = count

    def mark(self, subject: tuple[str, ...], until: float) -> None:
        self._until[hash(subject) % self._count] = until  # forks share the seed of `hash`

    def until(self, subject: tuple[str, ...]) -> float:
        return self._until[hash(subject) % self._count]


class Replica:
    """Chooses between primary and replica for each request; one in each worker."""

    def __init__(
        self,
        primary: Database,
        replica: Database,
        settings: Settings,
        recent: Recent | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.replica = replica
        self._primary = primary
        self._seconds = float(settings.read_after_write)
        self._proxies = parse_networks(settings.trusted_proxies)
        self._recent = recent or Recent()
        self._clock = clock
        self._written: deque[tuple[float, int]] = deque()  # when the primary was how far
        self._watching: asyncio.Task[None] | None = None
        self.usable = False  # until it was looked at

    async def start(self) -> None:
        """Look at the replica, and go on doing so."""
        await self.look()
        self._watching = asyncio.create_task(lasting(self._watch))

    async def stop(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            with suppress(asyncio.CancelledError):
                await self._watching
        await self.replica.close()

    async def run(self, ready: Ready, request: Request, identity: Identity, source: str = "") -> list[Result]:
        """As `gateway.rest.transaction.run`, wherever the request belongs."""
        if not ready.prepared.read_only:
            try:
                return await run(self._primary, ready, source)
            finally:
                self.wrote(request, identity)
        if request.method in ("GET", "HEAD") and self.usable and not self._wrote_lately(request, identity):
            try:
                return await run(self.replica, ready, source)
            except (DatabaseUnavailable, PoolTimeout) as error:
                self._turn(False, str(error) or "every connection is busy")
            except DatabaseError as error:
                if error.sqlstate == QUERY_CANCELED:
                    raise
        return await run(self._primary, ready, source)

    def wrote(self, request: Request, identity: Identity) -> None:
        """Who asks reads from the primary for a while."""
        self._recent.mark(self._subject(request, identity), self._clock() + self._seconds)

    def _wrote_lately(self, request: Request, identity: Identity) -> bool:
        if self._recent.until(self._subject(request, identity)) > self._clock():
            return True
        return time.time() - _session(identity.claims)[1] < self._seconds

    def _subject(self, request: Request, identity: Identity) -> tuple[str, ...]:
        session = _session(identity.claims)[0]
        if session:
            return (session,)
        forwarded = request.header(b"x-forwarded-for") if self._proxies else None
        said = forwarded.decode("latin-1") if forwarded is not None else None
        return (identity.role, client_address(request.client, said, self._proxies) or "")

    # --- how far the replica is --------------------------------------------------------------------------------------

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            await self.look()

    async def look(self) -> None:
        """Ask the primary how far it is, and the replica how far it has followed."""
        now = self._clock()
        is_primary_away = False
        try:
            written = await _position(self._primary, WRITTEN)
            if written is not None:
                self._written.append((now, written))
        except _AWAY:
            is_primary_away = True
        try:
            replayed = await _position(self.replica, REPLAYED)
        except _AWAY as error:
            self._turn(False, str(error) or "it does not answer")
            return
        while replayed is not None and self._written and self._written[0][1] <= replayed:
            self._written.popleft()
        if replayed is None:  # a primary itself, or one that does not tell
            self._written.clear()
        behind = now - self._written[0][0] if self._written else 0.0
        # What a lost primary had and never sent cannot be waited for.
        self._turn(behind <= self._seconds or is_primary_away, f"it is {behind:.0f} s behind")

    def _turn(self, usable: bool, reason: str) -> None:
        if usable != self.usable:
            self.usable = usable
            if usable:
                log.info("reads go to the replica")
            else:
                log.warning("reads go to the primary, for the replica cannot be used: %s", reason)


async def _position(database: Database, statement: Statement) -> int | None:
    """A place in the write-ahead log; None from a server that has none to tell."""
    try:
        async with asyncio.timeout(ANSWER_LIMIT):
            value = (await database.run(NO_SCOPE, statement)).value
    except DatabaseError:
        return None
    if value is None:
        return None
    high, _, low = value.partition(b"/")
    return int(high, 16) << 32 | int(low, 16)


def _session(claims: str) -> tuple[str, float]:
    """The session or user of a token, and when it was made."""
    content = orjson.loads(claims)
    session, made = content.get("session_id") or content.get("sub"), content.get("iat")
    return (
        session if isinstance(session, str) else "",
        float(made) if isinstance(made, int | float) else 0.0,
    )
