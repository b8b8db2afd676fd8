"""The only user of psycopg: pipelined connections, transactions with role and claims, `run(scope, statement)`.

`Database.run` sends the transaction's settings, the statements and one sync in a single round trip: everything up to
the sync is one implicit transaction, and several requests may be in flight on one connection. `Database.transaction`
is the slower way for the cases that must look at a result before they commit.

How requests find a connection: an idle one first; then, once `core` connections are open, the shortest queue among
connections whose every queued statement is known to be quick (its usual duration is remembered by text), so that a
slow query never delays a quick one; else a new connection up to `size`; else they wait up to `acquire_timeout`.

Each new connection finds out whether it has a session of its own or shares those of a pooler
(`gateway.database.poolers`).

Drives libpq through psycopg's lowest public layer, `psycopg.pq`
(https://www.psycopg.org/psycopg3/docs/api/pq.html, https://www.postgresql.org/docs/current/libpq-pipeline-mode.html).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from gateway.database.connection import INSIDE, Connection, Segment
from gateway.database.errors import (
    READ_ONLY_REFUSED,
    READ_ONLY_RETRY,
    REPLACED,
    SUPERUSER,
    ConnectionLost,
    DatabaseError,
    DatabaseUnavailable,
    PoolerFull,
    PoolTimeout,
    ReadOnlyDatabase,
)
from gateway.database.fair_queue import Turns
from gateway.database.opening import connect, execute, find_session
from gateway.database.poolers import WAITED, Become
from gateway.database.prepared_statements import LENGTH
from gateway.database.scope import IS_READ_ONLY, NO_SCOPE, READ_ONLY, Result, Scope
from gateway.database.session_reset import reset_of
from gateway.database.statement import Statement, quote_name
from gateway.database.transaction import Transaction
from gateway.database.watch import Watch

log = logging.getLogger("gateway.database")


# Seconds: statements that usually take longer are never queued in front of others, and nobody is queued behind some
# that take so long together. A count of them would be too low for small reads, which cost less on few connections (of
# 64 visitors at once 190 µs each at eight to a connection, 135 by this), and too high for what takes milliseconds.
QUICK: Final = 0.010
COSTS_REMEMBERED: Final = 2000
BACKOFF_LIMIT: Final = 32.0  # seconds between attempts to reach a lost database
# A host that vanished without a word is noticed in a minute, not in the hours of the system's own settings.
PROMPT: Final = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3, "tcp_user_timeout": 30_000}


# A request that waits for a connection (its work), or a transaction that waits to have one alone (None); who asks, and
# whether it is known to be quick.
_Waiting = tuple[Segment | None, asyncio.Future[Any], str, bool]


class Database:
    """A pool of pipelined connections to one database."""

    def __init__(
        self,
        url: str,
        *,
        size: int = 10,
        core: int = 2,
        acquire_timeout: float = 10.0,
        idle_timeout: float = 30.0,
        lifetime: float = 1800.0,
        on_lost: Callable[[], None] | None = None,
        application_name: str = "gateway",
        become: Become | None = None,
        prepared: bool | None = None,
        unprivileged: bool = False,
        share: float = 1.0,
    ) -> None:
        """`size` connections at most, `core` before requests share one; times in seconds; the login is made a lesser
        role by `become`. `prepared` is False where no statement may have a name, True where each connection has a
        session of its own; None has each find out. `unprivileged` refuses a superuser's session;
        `share` is the part of the connections that one source of requests may hold. A connection is used no longer
        than its `lifetime`. `on_lost` is told of a lost connection in place of another one being opened."""
        parameters = conninfo_to_dict(url)
        parameters.setdefault("application_name", application_name)
        parameters["client_encoding"] = "utf8"
        for name, value in PROMPT.items():
            parameters.setdefault(name, value)
        self.become = become
        self.schema = ""
        again = () if become is None else (f"set {become[0]} to {quote_name(become[1])}",)
        self._resets = {given: reset_of(given, again) for given in (False, True)}
        self.runs_given_sql = True
        self.resets = self._resets[True]
        self._prepared = prepared
        self._unprivileged = unprivileged
        self._conninfo = make_conninfo("", **parameters)
        self._size = size
        self._core = min(core, size)
        self._acquire_timeout = acquire_timeout
        self._on_lost = on_lost
        self._connections: list[Connection] = []
        self._opening = 0
        self.turns: Turns[_Waiting] = Turns(size, share)
        self._costs: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._closed = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._down: DatabaseUnavailable | None = None
        self._backoff = 0.0
        self._watch = Watch(
            self._connections, self._conninfo, self._core, idle_timeout, lifetime, self._ask_anew, self.observe
        )

    # --- life ----------------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Open the first connection now rather than with the first request, to learn whether it can be had.

        Raises DatabaseUnavailable with libpq's reason.
        """
        self._admit(await self._connect())

    def _admit(self, connection: Connection) -> None:
        self._connections.append(connection)
        self._watch.start()
        self.on_idle(connection)

    async def close(self) -> None:
        """Close every connection; waiting requests fail as unavailable."""
        self._closed = True
        await self._watch.stop()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for connection in tuple(self._connections):
            connection.close()
        self._connections.clear()
        self._fail_waiting(DatabaseUnavailable("the pool is closed"))

    @property
    def stats(self) -> dict[str, int]:
        """Connections open and busy, requests waiting for one, and what the connections have prepared."""
        busy = sum(1 for c in self._connections if c.leased or c.asked)
        return {
            "open": len(self._connections),
            "busy": busy,
            "waiting": len(self.turns),
            "held_most": self.turns.held_most,
            "prepared": sum(len(c.prepared) for c in self._connections),
            "prepared_characters": sum(c.prepared.length for c in self._connections),
        }

    def renew(self, schema: str, runs_given_sql: bool = True) -> None:
        """Prepare statements anew if the schema is another, for a parameter keeps the type it had. `schema` is a word
        that is the same wherever the schema is; `runs_given_sql` whether its functions may prepare statements."""
        self.runs_given_sql = runs_given_sql
        self.resets = self._resets[runs_given_sql]
        if schema != self.schema:
            self.schema = schema
            for connection in self._connections:
                connection.renew()

    # --- running -------------------------------------------------------------------------------------------------

    async def run(self, scope: Scope, *statements: Statement) -> Result:
        """Run statements in one transaction and one round trip; the last one's result.

        Raises DatabaseError (the whole segment is rolled back), PoolTimeout, DatabaseUnavailable.
        """
        return (await self.run_all(scope, *statements))[-1]

    async def run_all(self, scope: Scope, *statements: Statement, source: str = "") -> list[Result]:
        """As `run`, with every statement's result. `source` is who asks, for the share of the pool."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[list[Result]] = loop.create_future()
        work = Segment(scope, statements, future)
        # A write waits for the disk; see gateway/database/write_lane.py.
        writes = scope.names and READ_ONLY not in scope.names
        work.usual = self.usual(work.key, QUICK)
        work.quick = not writes and work.usual < QUICK
        work.source = source
        hurried = self.is_hurried(work)
        connection = self._choose(work.quick, hurried, source)
        results: list[Result]
        try:
            if connection is not None:
                connection.submit(work)
                return await future
            results = await self._wait((work, future, source, hurried))
            return results
        except ConnectionLost:
            # Its session was ended, as maintenance does with every one; what only reads can be asked again.
            if READ_ONLY not in scope.names:
                raise
        except DatabaseError as error:
            if error.sqlstate not in REPLACED or not await self._in_maintenance(error):
                raise
            if READ_ONLY not in scope.names:
                raise ReadOnlyDatabase(error.message, READ_ONLY_RETRY) from error
            if error.sqlstate == READ_ONLY_REFUSED:
                raise
        # Another segment: this one may still be in a queue, where it was asked anew because it waited too long.
        future = loop.create_future()
        results = await self._wait((self._again(work, future), future, source, work.quick))
        return results

    @asynccontextmanager
    async def transaction(
        self, scope: Scope = NO_SCOPE, begin: str = "begin", source: str = ""
    ) -> AsyncIterator[Transaction]:
        """An explicit transaction on a connection of its own: commits at the end of the block, rolls back on error.

        `begin` may carry modes, such as `begin isolation level serializable read only`.
        """
        connection = await self._lease(source)
        tx = Transaction(connection, scope, begin)
        try:
            try:
                yield tx
            except BaseException as error:
                with suppress(DatabaseUnavailable):
                    await asyncio.shield(tx.end(failed=True))
                if not isinstance(error, DatabaseError) or error.sqlstate not in REPLACED:
                    raise
                writes = READ_ONLY not in scope.names and "read only" not in begin.lower()
                if writes and await self._in_maintenance(error):
                    raise ReadOnlyDatabase(error.message, READ_ONLY_RETRY) from error
                raise
            await tx.end(failed=False)
        finally:
            self._release(connection)
            if connection.broken:
                self.dispatch()
            elif connection.asked:
                connection.close()  # cancelled in mid-flight: its state is unknown
            else:
                self.on_idle(connection)

    def renew_sessions(self) -> None:
        """Let go of every connection once it has done what it was given; requests from now on find new ones."""
        retired = tuple(self._connections)
        self._connections.clear()  # not replaced: the watch has the same list
        for connection in retired:
            connection.retired = True
            if not connection.asked and not connection.leased:
                connection.close()

    async def _in_maintenance(self, error: DatabaseError) -> bool:
        """Whether a statement failed because the database takes no writes.

        The session that refused it is asked: others may be of a time before or after. One that was ended since was
        ended because that time is over.
        """
        connection, error.connection = error.connection, None
        if not isinstance(connection, Connection):
            return False
        if connection.broken:
            return True
        future: asyncio.Future[list[Result]] = connection.loop.create_future()
        connection.submit(Segment(NO_SCOPE, (IS_READ_ONLY,), future, INSIDE))
        try:
            return (await future)[-1].value == b"t"
        except DatabaseUnavailable:
            return True

    # --- choosing a connection -----------------------------------------------------------------------------------

    def observe(self, key: tuple[str, str], seconds: float) -> None:
        """Remember how long a statement usually takes (exponential average)."""
        if len(key[1]) > LENGTH:
            return
        costs = self._costs
        known = costs.get(key)
        if known is None:
            if len(costs) >= COSTS_REMEMBERED:
                costs.popitem(last=False)
            costs[key] = seconds
        else:
            costs[key] = known * 0.7 + seconds * 0.3

    def usual(self, key: tuple[str, str], unknown: float) -> float:
        """Seconds that a statement usually takes."""
        return self._costs.get(key, unknown)

    def is_hurried(self, work: Segment) -> bool:
        """Whether its source may hold some more than its share for it."""
        return work.quick

    def _choose(self, quick: bool, hurried: bool, source: str = "") -> Connection | None:
        """A connection that can take a statement now, or None when it has to wait for one.

        Sharing the first `core` connections comes before waking an idle one beyond them: Postgres answers the same
        load for less on few connections, and the extra ones are closed when they stay idle. Two of them keep pace
        with a worker, which has one processor.
        """
        connections = self._connections
        core = connections[: self._core]
        may_hold = self.turns.may_hold(source, hurried)
        if may_hold:
            for connection in core:
                if not connection.asked and not connection.leased:
                    return connection
        if quick and len(core) == self._core:
            shared: Connection | None = None
            latest = time.monotonic() - QUICK * 2  # what runs since before this is not as quick as it used to be
            shortest = QUICK
            for connection in core:
                queue = connection.queue
                is_open = not connection.slow and not connection.leased and connection.asked
                if is_open and connection.expected < shortest and queue[0].started > latest:
                    shared, shortest = connection, connection.expected
            if shared is not None:
                return shared
        if may_hold:
            for connection in connections[self._core :]:
                if not connection.asked and not connection.leased:
                    return connection
        return None

    async def _lease(self, source: str) -> Connection:
        if self.turns.may_hold(source, False):
            for connection in self._connections:
                if not connection.leased and not connection.broken and not connection.asked:
                    self._take_alone(connection, source)
                    return connection
        future: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
        try:
            leased: Connection = await self._wait((None, future, source, False))
            return leased
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                connection = future.result()
                self._release(connection)
                self.on_idle(connection)
            raise

    def _take_alone(self, connection: Connection, source: str) -> None:
        connection.leased = True
        connection.lessee = source
        self.turns.hold(source)

    def _release(self, connection: Connection) -> None:
        connection.leased = False
        self.turns.let_go(connection.lessee)

    async def _wait(self, entry: _Waiting) -> Any:
        """Wait for a connection, at most the acquisition time, and then for the result."""
        if self._closed:
            raise DatabaseUnavailable("the pool is closed")
        if self._down is not None and not self._connections:
            raise self._down
        _, _, source, quick = entry
        self.turns.add(source, quick, entry)
        if len(self._connections) + self._opening < self._size and self.turns.may_hold(source, quick):
            self._open_another()
        deadline = asyncio.get_running_loop().call_later(self._acquire_timeout, self._expire, entry)
        try:
            return await entry[1]
        except asyncio.CancelledError:
            self._withdraw(entry)
            raise
        finally:
            deadline.cancel()

    def _expire(self, entry: _Waiting) -> None:
        """Fails the request if it is still waiting; one that is already on a connection has no such limit."""
        _, _, source, quick = entry
        if self.turns.remove(source, quick, entry) and not entry[1].done():
            entry[1].set_exception(PoolTimeout())
            log.warning("no database connection became free within %g s", self._acquire_timeout)

    def _withdraw(self, entry: _Waiting) -> None:
        _, _, source, quick = entry
        self.turns.remove(source, quick, entry)

    def on_idle(self, connection: Connection) -> None:
        """A connection has nothing to do: give it the next waiting request, or close it."""
        if connection.retired:
            connection.close()
            return
        while not connection.broken and not connection.leased and not connection.asked:
            entry = self.turns.next()
            if entry is None:
                break
            work, future, source, _ = entry
            if future.done():
                continue
            if work is None:
                self._take_alone(connection, source)
                future.set_result(connection)
            else:
                connection.submit(work)

    def dispatch(self) -> None:
        """Somebody's share has room again: idle connections go to who waits."""
        for connection in tuple(self._connections):
            if not self.turns.waiting:
                break
            if not connection.asked and not connection.leased:
                self.on_idle(connection)

    def on_broken(self, connection: Connection, reason: str, quiet: bool) -> None:
        """Forget a broken connection and, when requests wait, open another."""
        with suppress(ValueError):
            self._connections.remove(connection)
        if not quiet:
            log.warning("database connection lost: %s", reason)
            if self._on_lost is not None and not self._closed:
                self._on_lost()
        if len(self.turns) and not self._closed:
            self._open_another()

    # --- opening and closing connections -------------------------------------------------------------------------

    def _open_another(self) -> None:
        self._opening += 1
        task = asyncio.create_task(self._open_one())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _open_one(self) -> None:
        try:
            connection = await self._connect()
        except DatabaseUnavailable as error:
            self._opening -= 1
            if isinstance(error, PoolerFull):
                if len(self.turns):
                    self._open_another()
            elif not self._connections:
                self._mark_down(error)
            return
        except BaseException:
            self._opening -= 1
            raise
        self._opening -= 1
        self._admit(connection)

    def _mark_down(self, error: DatabaseUnavailable) -> None:
        """No connection can be had: requests fail at once with Retry-After until an attempt succeeds."""
        if self._down is None:  # of the attempts that several requests make at once the first counts
            self._backoff = 1.0
            self._down = DatabaseUnavailable(error.reason, retry_after=1)
            log.error("database unavailable: %s", error.reason)
            task = asyncio.create_task(self._recover())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self._fail_waiting(self._down)

    async def _recover(self) -> None:
        while not self._closed:
            await asyncio.sleep(self._backoff)
            try:
                connection = await self._connect()
            except DatabaseUnavailable as error:
                self._backoff = min(BACKOFF_LIMIT, self._backoff * 2)
                self._down = DatabaseUnavailable(error.reason, retry_after=max(1, round(self._backoff)))
                continue
            log.info("database is back")
            self._down = None
            self._backoff = 0.0
            self._admit(connection)
            return

    def _fail_waiting(self, error: Exception) -> None:
        for _, future, *_ in self.turns.clear():
            if not future.done():
                future.set_exception(error)

    def _ask_anew(self, work: Segment) -> None:
        """Ask what waits behind a slow statement on other connections; whichever answers first, answers."""
        assert work.future is not None
        again = self._again(work, work.future)
        again.asked_anew = True
        self._hand_out((again, work.future, work.source, work.quick))

    @staticmethod
    def _again(work: Segment, future: asyncio.Future[list[Result]]) -> Segment:
        again = Segment(work.scope, work.statements, future)
        again.quick, again.usual, again.source = work.quick, work.usual, work.source
        return again

    def _hand_out(self, entry: _Waiting) -> None:
        """To a connection that is idle, or in line for one."""
        _, _, source, quick = entry
        self.turns.add(source, quick, entry)
        self.dispatch()
        if len(self.turns) and len(self._connections) + self._opening < self._size:
            self._open_another()

    async def _connect(self) -> Connection:
        pgconn = await connect(self._conninfo)
        try:
            session = await find_session(pgconn, self._prepared)
            if self._unprivileged and (session.superuser or pgconn.parameter_status(b"is_superuser") == b"on"):
                raise DatabaseUnavailable(SUPERUSER)
            if session.own and self.become is not None:
                await execute(pgconn, f"set {self.become[0]} to {quote_name(self.become[1])}")
            pgconn.enter_pipeline_mode()
            return Connection(self, pgconn, session)
        except Exception as error:  # lost, or refused, before it could be used
            pgconn.finish()
            is_full = isinstance(error, DatabaseError) and error.message == WAITED
            raise (PoolerFull if is_full else DatabaseUnavailable)(str(error).strip()) from error
        except BaseException:
            pgconn.finish()
            raise
