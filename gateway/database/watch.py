"""Looks after the connections of a pool: ends idle ones, helps whoever waits longer for an answer than they should."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from gateway.database.connection import Connection, Segment
from gateway.database.errors import SILENT, DatabaseUnavailable, Unresponsive
from gateway.database.opening import connect
from gateway.database.scope import READ_ONLY
from gateway.database.timeouts import MARGIN, PROBE_AFTER, PROBE_LIMIT
from gateway.system.lasting import lasting

# What waits behind one that takes longer than this, in spite of what is known of it, is asked anew elsewhere: a text
# that was quick for all values so far can be slow for others.
STUCK: Final = 0.25  # seconds
WATCH: Final = 0.1  # seconds between two looks


class Watch:
    """Two tasks beside a pool, from its first connection to its end."""

    def __init__(
        self,
        connections: list[Connection],
        conninfo: str,
        core: int,
        idle_timeout: float,
        lifetime: float,
        ask_anew: Callable[[Segment], None],
        observe: Callable[[tuple[str, str], float], None],
    ) -> None:
        """`connections` is the pool's own list, `core` how many of them stay open; times in seconds."""
        self._connections = connections
        self._conninfo = conninfo
        self._core = core
        self._idle_timeout = idle_timeout
        self._lifetime = lifetime
        self._again = ask_anew
        self._observe = observe
        self._probed = 0.0  # when another connection was last tried
        self._running: tuple[asyncio.Task[None], ...] = ()
        self._probes: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Begin, if it has not begun yet."""
        if not self._running:
            self._running = asyncio.create_task(lasting(self._reap)), asyncio.create_task(lasting(self._watch))

    async def stop(self) -> None:
        """End both tasks and what they have begun."""
        tasks = (*self._running, *self._probes)
        self._running = ()
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task

    async def _reap(self) -> None:
        """Close connections above `core` that have been idle for a while, and unused ones whose time is over."""
        while True:
            await asyncio.sleep(max(0.01, min(self._idle_timeout, self._lifetime) / 2))
            now = time.monotonic()
            for connection in tuple(self._connections):
                if connection.asked or connection.leased:
                    continue
                spare = len(self._connections) > self._core and now - connection.idle_since > self._idle_timeout
                if spare or now - connection.opened > self._lifetime:
                    connection.close()

    async def _watch(self) -> None:
        """Look after requests that wait for an answer longer than they should."""
        while True:
            await asyncio.sleep(WATCH)
            now = time.monotonic()
            for connection in tuple(self._connections):
                if connection.asked > 1 and now - connection.queue[0].started > STUCK:
                    self._ask_anew(connection, now)
            self._look_for_answers(now)

    def _look_for_answers(self, now: float) -> None:
        """Give up connections whose statement should have ended by itself; see gateway/database/timeouts.py."""
        for connection in tuple(self._connections):
            if not connection.asked:
                continue
            waited = now - connection.queue[0].started
            limit = connection.limit_of(connection.queue[0])
            if limit and waited > limit + MARGIN:
                connection.fail(SILENT, kind=Unresponsive)
            elif waited > PROBE_AFTER and now - self._probed > PROBE_AFTER + PROBE_LIMIT:
                self._probed = now
                task = asyncio.create_task(self._probe())
                self._probes.add(task)
                task.add_done_callback(self._probes.discard)

    async def _probe(self) -> None:
        """See whether the server lets anybody in; if not, nobody need wait for its answer."""
        try:
            async with asyncio.timeout(PROBE_LIMIT):
                (await connect(self._conninfo)).finish()
        except DatabaseUnavailable:
            return  # it said so: whether it is up is another question
        except TimeoutError:
            now = time.monotonic()
            for connection in tuple(self._connections):
                if connection.asked and now - connection.queue[0].started > PROBE_AFTER:
                    connection.fail(SILENT, kind=Unresponsive)

    def _ask_anew(self, connection: Connection, now: float) -> None:
        """Have what waits behind a slow statement asked on other connections. What writes is never asked twice."""
        head, *behind = connection.queue
        if head.future is not None:
            self._observe(head.key, now - head.started)
        for work in behind:
            waits = work.future is not None and not work.future.done() and not work.asked_anew
            if waits and READ_ONLY in work.scope.names:
                work.asked_anew = True
                self._again(work)
