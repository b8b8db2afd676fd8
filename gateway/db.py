"""The only user of psycopg: pipelined connections, transactions with role and claims, `run(scope, statement)`.

`Database.run` sends the transaction's settings, the statements and one sync in a single round trip: everything up to
the sync is one implicit transaction, and several requests may be in flight on one connection. `Database.transaction`
is the slower way for the cases that must look at a result before they commit.

How requests find a connection: an idle one first; then, once `core` connections are open, the shortest queue among
connections whose every queued statement is known to be quick (its usual duration is remembered by text), so that a
slow query never delays a quick one; else a new connection up to `size`; else they wait up to `acquire_timeout`.

Each new connection finds out whether it has a session of its own or shares those of a pooler (`gateway.pooler`).

Drives libpq through psycopg's lowest public layer, `psycopg.pq`
(https://www.psycopg.org/psycopg3/docs/api/pq.html, https://www.postgresql.org/docs/current/libpq-pipeline-mode.html).
"""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from psycopg import ProgrammingError, pq
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from gateway.db_timeouts import MARGIN, PROBE_AFTER, PROBE_LIMIT, STATEMENT_TIMEOUT, seconds
from gateway.pooler import OWN, QUESTION, WAITED, Become, Session, session
from gateway.prepared import LENGTH, Prepared
from gateway.session import DEALLOCATE, RESET, SEEDED
from gateway.statement import Statement, Value, quote_name
from gateway.turns import Turns

log = logging.getLogger("gateway.db")

READ_ONLY: Final = "transaction_read_only"  # the setting by which a scope tells that it writes nothing
READ_ONLY_REFUSED: Final = "25006"  # a write in a transaction that takes none
# What a restore makes of a statement that meets it: what it names is another by now, or is being replaced.
REPLACED: Final = frozenset((READ_ONLY_REFUSED, "XX000", "3F000", "40P01", "42704", "42883", "42P01"))
RENEW_SESSIONS: Final = "reload sessions"  # notified when sessions must begin anew under other settings
QUICK: Final = 0.010  # seconds: statements that usually take longer are never queued in front of others
# What waits behind one that takes longer than this, in spite of what is known of it, is asked anew elsewhere: a text
# that was quick for all values so far can be slow for others.
STUCK: Final = 0.25  # seconds
WATCH: Final = 0.1  # seconds between two looks
MAX_DEPTH: Final = 8  # requests in flight on one connection
READ_ONLY_RETRY: Final = 30  # seconds after which to try a write again
COSTS_REMEMBERED: Final = 2000
BACKOFF_LIMIT: Final = 32.0  # seconds between attempts to reach a lost database
INVALID_STATEMENT_NAME: Final = "26000"
CONNECT_TIMEOUT: Final = 10  # seconds, for each host
SILENT: Final = "Postgres does not answer"
SUPERUSER: Final = "the login is a superuser, whose session any function that runs SQL of its caller could take back"
# A host that vanished without a word is noticed in a minute, not in the hours of the system's own settings.
PROMPT: Final = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3, "tcp_user_timeout": 30_000}

_E = pq.ExecStatus
_F = pq.DiagnosticField
# Plain numbers: a member of an enumeration costs a look-up each time it is named.
_TUPLES_OK: Final = int(_E.TUPLES_OK)
_COMMAND_OK: Final = int(_E.COMMAND_OK)
_PIPELINE_SYNC: Final = int(_E.PIPELINE_SYNC)
_FATAL_ERROR: Final = int(_E.FATAL_ERROR)
_PIPELINE_ABORTED: Final = int(_E.PIPELINE_ABORTED)
_OK: Final = int(pq.ConnStatus.OK)


@dataclass(frozen=True, slots=True)
class Scope:
    """Settings of one transaction, set in order and local to it; `role` also names the prepared statements' plans.

    `names` are configuration parameters, `values` their texts. An empty scope sets nothing. Where no code of the
    application can run (`code_free`) nothing can stay in the session, which is not reset then.
    """

    role: str = ""
    names: tuple[str, ...] = ()
    values: tuple[Value, ...] = ()
    code_free: bool = False


NO_SCOPE: Final = Scope()
IS_READ_ONLY: Final = Statement("select current_setting('default_transaction_read_only') = 'on' or pg_is_in_recovery()")


@dataclass(frozen=True, slots=True)
class Result:
    """Rows of one statement as raw text values; `tag` is the command tag, such as `UPDATE 3`."""

    columns: tuple[str, ...]
    rows: list[tuple[bytes | None, ...]]
    tag: str

    @property
    def value(self) -> bytes | None:
        """First column of the first row, or None."""
        return self.rows[0][0] if self.rows else None

    def texts(self) -> list[dict[str, str | None]]:
        """Rows as dictionaries of text."""
        return [
            {name: None if value is None else value.decode() for name, value in zip(self.columns, row, strict=True)}
            for row in self.rows
        ]


class DatabaseError(Exception):
    """An error Postgres raised: five-character SQLSTATE and its texts."""

    connection: _Connection | None = None  # the one that it was raised on

    def __init__(
        self,
        sqlstate: str,
        message: str,
        detail: str | None = None,
        hint: str | None = None,
        constraint: str | None = None,
    ) -> None:
        self.sqlstate = sqlstate
        self.message = message
        self.detail = detail
        self.hint = hint
        self.constraint = constraint
        super().__init__(f"{sqlstate}: {message}")


class DatabaseUnavailable(Exception):
    """Postgres cannot be reached. `retry_after` is in whole seconds; `reason` is libpq's text without secrets."""

    def __init__(self, reason: str, retry_after: int = 1) -> None:
        self.reason = reason
        self.retry_after = retry_after
        super().__init__(reason)


class ConnectionLost(DatabaseUnavailable):
    """The connection broke while the request was on it; whether a write took place is unknown."""


class ReadOnlyDatabase(DatabaseUnavailable):
    """The database takes no writes for now: maintenance, or a standby in the primary's place. Nothing was written."""


class Unresponsive(DatabaseUnavailable):
    """Postgres gave no answer for longer than it may take; whether a write took place is unknown. Asking again would
    only wait again."""


class _PoolerFull(DatabaseUnavailable):
    """A pooler had no connection to lend for as long as it lets anybody wait: another attempt may be luckier."""


class PoolTimeout(Exception):
    """No connection became free within the acquisition time."""


def _error(result: pq.abc.PGresult) -> DatabaseError:
    def text(field: pq.DiagnosticField) -> str | None:
        raw = result.error_field(field)
        return raw.decode("utf-8", "replace") if raw is not None else None

    message = text(_F.MESSAGE_PRIMARY)
    return DatabaseError(
        text(_F.SQLSTATE) or "XX000",
        result.get_error_message() if message is None else message,  # one that is empty was meant to be
        text(_F.MESSAGE_DETAIL),
        text(_F.MESSAGE_HINT),
        text(_F.CONSTRAINT_NAME),
    )


def _names(result: pq.abc.PGresult) -> tuple[str, ...]:
    return tuple([(result.fname(column) or b"").decode() for column in range(result.nfields)])


def _read(result: pq.abc.PGresult, names: tuple[str, ...] | None = None) -> Result:
    columns = result.nfields
    get = result.get_value
    if columns == 1:
        rows: list[tuple[bytes | None, ...]] = [(get(row, 0),) for row in range(result.ntuples)]
    else:
        rows = [tuple([get(row, column) for column in range(columns)]) for row in range(result.ntuples)]
    tag = result.command_status
    return Result(_names(result) if names is None else names, rows, tag.decode() if tag else "")


class Encoded(tuple[bytes | None, ...]):
    """Values as libpq takes them: encoded once, however often they are sent."""

    __slots__ = ()


def encode(values: Sequence[Value]) -> Encoded:
    """Values in the connection's encoding. Raises DatabaseError for one that Postgres texts cannot hold."""
    if values.__class__ is Encoded:
        return values
    return Encoded([None if value is None else _bytes(value) for value in values])


def _bytes(value: str | bytes) -> bytes:
    raw = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    if b"\0" in raw:  # libpq takes text values as C strings and would cut them here without a word
        raise DatabaseError("22021", 'invalid byte sequence for encoding "UTF8": 0x00')
    return raw


# What one queued item expects back, in order: a named query, its preparation, nothing to keep, the end of a name.
_PREPARE, _QUERY, _DISCARD, _CLOSE = 0, 1, 2, 3


# Where a segment stands in its transaction: it is one, or has its settings from one that was begun, or ends that.
_WHOLE, _INSIDE, _ENDING = 0, 1, 2


class _Work:
    """One segment: statements up to a sync, and the future that their results resolve."""

    __slots__ = (
        "asked_anew", "error", "future", "holds", "key", "place", "quick", "results", "retried", "scope", "slots",
        "source", "started", "statements",
    )  # fmt: skip

    def __init__(
        self,
        scope: Scope,
        statements: Sequence[Statement],
        future: asyncio.Future[list[Result]] | None,
        place: int = _WHOLE,
    ) -> None:
        """`future` is None for what nobody waits for, the reset of a session."""
        self.scope = scope
        self.place = place
        self.statements = statements
        self.future = future
        self.key = (scope.role, statements[-1].text) if statements else ("", "")
        self.quick = False  # whether others may be queued behind it
        self.source = ""  # who asks, for the share of the pool
        self.holds = False  # whether it counts as holding its connection
        self.asked_anew = False  # on another connection, because what is in front of it takes long
        self.slots: deque[tuple[int, tuple[str, str]]] = deque()
        self.results: list[Result] = []
        self.error: DatabaseError | None = None
        self.started = 0.0
        self.retried = False


# A request that waits for a connection (its work), or a transaction that waits to have one alone (None); who asks, and
# whether it is known to be quick.
_Waiting = tuple[_Work | None, asyncio.Future[Any], str, bool]


class _SettingsCache(dict[tuple[str, ...], str]):
    """`select set_config(…)` text by the names it sets."""

    def __missing__(self, names: tuple[str, ...]) -> str:
        if len(self) > 200:
            self.clear()
        calls = [
            "set_config('{}', ${}, true)".format(name.replace("\0", "").replace("'", "''"), index)
            for index, name in enumerate(names, 1)
        ]
        # One small column comes back instead of every value that was set; a function takes a hundred arguments.
        listed = ", ".join(calls)
        self[names] = text = f"select octet_length(concat({listed}))" if len(calls) <= 100 else f"select {listed}"
        return text


_settings_text = _SettingsCache()


class _Connection:
    """One libpq connection in pipeline mode, its queue, and the statements it has prepared."""

    def __init__(self, owner: Database, pgconn: pq.abc.PGconn, session: Session) -> None:
        self.owner = owner
        self.pgconn = pgconn
        self.loop = asyncio.get_running_loop()
        self.fd = pgconn.socket
        self.queue: deque[_Work] = deque()
        self.asked = 0  # queued ones that somebody waits for: all but resets
        self.slow = 0  # queued ones that are not known to be quick
        self.prepared = Prepared()
        self.columns: dict[tuple[str, str], tuple[str, ...]] = {}  # of the prepared statements
        self.prepared_length = LENGTH if session.named else -1  # characters of what is prepared
        self.shared = not session.own
        self.become = owner.become if self.shared else None  # in each transaction
        self.counter = 0
        self.writing = False
        self.broken = False
        self.retired = False
        self.limit = seconds(session.timeout)  # of a statement, by the login; 0 for none
        self.leased = False
        self.lessee = ""  # who has it alone
        self.opened = self.idle_since = time.monotonic()
        self.loop.add_reader(self.fd, self._on_readable)

    # --- sending -------------------------------------------------------------------------------------------------

    def submit(self, work: _Work) -> None:
        """Queue one segment; its future is resolved by the sync result."""
        pgconn = self.pgconn
        work.slots.clear()
        work.results = []
        work.error = None
        try:
            scope = work.scope if work.place else self.whole(work.scope)
            if scope.names:
                self._send(work, "", _settings_text[scope.names], scope.values, _DISCARD)
            for statement in work.statements:
                self._send(work, work.scope.role, statement.text, statement.params, _QUERY)
            pgconn.pipeline_sync()
        except DatabaseError as error:  # refused before it was sent: settle what is on the wire, then report
            pgconn.pipeline_sync()
            work.error = error
        except Exception as error:  # the connection is gone, which its reader has not been told yet
            self.queue.append(work)
            self.fail(str(error).strip())
            return
        work.started = time.monotonic()
        self.queue.append(work)
        if not self.asked and not work.place:
            work.holds = True
            self.owner.turns.hold(work.source)
        self.asked += 1
        if not work.quick:
            self.slow += 1
        if not work.scope.code_free and work.place != _INSIDE and not self.shared:
            try:
                self._reset()
            except Exception as error:
                self.fail(str(error).strip())
                return
        self._flush()

    def _reset(self) -> None:
        """Take away what the application's code may have left in the session; see gateway/session.py."""
        pgconn = self.pgconn
        work = _Work(NO_SCOPE, (), None)
        work.quick = True
        named = not self.owner.runs_given_sql  # else the names may be gone
        for text in self.owner.resets:
            values = (repr(random.random()).encode(),) if text is SEEDED else ()
            if named:
                self._send(work, "", text, values, _DISCARD)
            else:
                pgconn.send_query_params(text.encode(), values)
                work.slots.append((_DISCARD, ("", text)))
        pgconn.pipeline_sync()
        work.started = time.monotonic()
        self.queue.append(work)

    def whole(self, scope: Scope) -> Scope:
        """The settings of a transaction, with what only a session of our own is set to for good."""
        if self.become is None:
            return scope
        name, value = self.become
        return Scope(scope.role, (name, *scope.names), (value, *scope.values), scope.code_free)

    def _send(self, work: _Work, role: str, text: str, params: tuple[Value, ...], kind: int) -> None:
        values = encode(params)
        pgconn = self.pgconn
        key = (role, text)
        # An end that code of the application could deallocate would leave the transaction open, or aborted.
        if len(text) > self.prepared_length or work.place == _ENDING:
            pgconn.send_query_params(text.encode("utf-8", "surrogatepass"), values)
            work.slots.append((kind, key))
            return
        name = self.prepared.get(key)
        if name is None:
            self.counter += 1
            name = b"g%d" % self.counter
            for gone in self.prepared.add(key, name):
                self.columns.pop(gone, None)
            closing = self.prepared.closing
            while closing:
                old = closing.pop()
                pgconn.send_close_prepared(old)
                work.slots.append((_CLOSE, ("", old.decode())))
            pgconn.send_prepare(name, self._marked(role, text).encode("utf-8", "surrogatepass"))
            work.slots.append((_PREPARE, key))
        pgconn.send_query_prepared(name, values)
        work.slots.append((kind, key))

    def _marked(self, role: str, text: str) -> str:
        """The text of a statement of ours alone. A pooler has one for all that send the same text: its parameters keep
        the types they had at first, and its plan what the first role was allowed, such as a function put in its place.
        """
        return f"{text}\n-- {self.owner.schema} {self.become!r} {role!r}" if self.shared else text

    def renew(self) -> None:
        """Prepare every statement anew, when it is sent next."""
        self.prepared.clear()
        self.columns.clear()

    def _forget(self, key: tuple[str, str]) -> None:
        """A statement's name is closed before the next one is given, if it came to be: a pooler keeps all it heard."""
        self.prepared.forget(key)
        self.columns.pop(key, None)

    def _flush(self) -> None:
        try:
            pending = self.pgconn.flush()
        except Exception as error:
            self.fail(str(error))
            return
        if pending and not self.writing:
            self.loop.add_writer(self.fd, self._on_writable)
            self.writing = True
        elif not pending and self.writing:
            self.loop.remove_writer(self.fd)
            self.writing = False

    def _on_writable(self) -> None:
        self._on_readable()  # libpq asks to read while it waits to write, or both ends may stall
        if not self.broken:
            self._flush()

    # --- receiving -----------------------------------------------------------------------------------------------

    def _on_readable(self) -> None:
        pgconn = self.pgconn
        try:
            pgconn.consume_input()
            queue = self.queue
            while queue and not pgconn.is_busy():
                result = pgconn.get_result()
                if result is not None:
                    self._take(queue[0], result)
                elif queue[0].slots:
                    queue[0].slots.popleft()
        except Exception as error:
            self.fail(str(error).strip())
            return
        if not self.queue and pgconn.status != _OK:
            self.fail("server closed the connection unexpectedly")

    def _take(self, work: _Work, result: pq.abc.PGresult) -> None:
        status = result.status
        if status == _PIPELINE_SYNC:
            self.queue.popleft()
            if work.future is not None:
                self.asked -= 1
            if not work.quick:
                self.slow -= 1
            self._finish(work)
            return
        if status == _FATAL_ERROR and work.error is None:
            work.error = _error(result)
        if not work.slots:  # refused at the commit, or told to go
            return
        kind, key = work.slots[0]
        if status in (_TUPLES_OK, _COMMAND_OK):
            if kind == _QUERY:
                names = self.columns.get(key)
                if names is None or len(names) != result.nfields:
                    names = _names(result)
                    if key in self.prepared:
                        self.columns[key] = names
                work.results.append(_read(result, names))
        elif status in (_FATAL_ERROR, _PIPELINE_ABORTED):  # refused, or never looked at
            if kind == _PREPARE:
                self._forget(key)
            elif kind == _CLOSE:
                self.prepared.closing.append(key[1].encode())

    def _finish(self, work: _Work) -> None:
        now = time.monotonic()
        if self.queue:
            self.queue[0].started = now
        self._let_go(work)
        future = work.future
        if future is None:
            if work.error is not None:
                self.fail(f"the session could not be reset: {work.error}")
            return
        self.owner.observe(work.key, now - work.started)
        if work.error is None:
            if not future.done():
                future.set_result(work.results)
        elif work.error.sqlstate == INVALID_STATEMENT_NAME and not work.retried and not future.done():
            # Queued behind a neighbour whose preparation failed: the name was taken for granted. Nothing ran.
            self._forget(("", _settings_text[self.whole(work.scope).names]))
            for statement in work.statements:
                self._forget((work.scope.role, statement.text))
            work.retried = True
            self.submit(work)
            return
        elif not future.done():
            if work.error.sqlstate in REPLACED:
                work.error.connection = self
            future.set_exception(work.error)
        if not self.asked:
            self.idle_since = now
            self.owner.on_idle(self)
        if len(self.owner.turns):
            self.owner.dispatch()

    def _let_go(self, work: _Work) -> None:
        if work.holds:
            work.holds = False
            self.owner.turns.let_go(work.source)

    # --- ending --------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the socket; whatever is queued fails as lost."""
        self.fail("the connection was closed", quiet=True)

    def limit_of(self, work: _Work) -> float:
        """Seconds after which Postgres itself ends a segment; 0 where that is not known.

        Statements before the last may change it.
        """
        if work.place or len(work.statements) != 1:
            return 0.0
        limit = self.limit
        for name, value in zip(work.scope.names, work.scope.values, strict=True):
            if name == STATEMENT_TIMEOUT:
                limit = seconds(value.decode() if isinstance(value, bytes) else value or "")
        return limit

    def fail(self, reason: str, quiet: bool = False, kind: type[DatabaseUnavailable] = ConnectionLost) -> None:
        """Break the connection: only its own queue fails."""
        if self.broken:
            return
        self.broken = True
        self.loop.remove_reader(self.fd)
        if self.writing:
            self.loop.remove_writer(self.fd)
        lost = tuple(self.queue)
        self.queue.clear()  # not replaced: whoever is reading from it must see its end
        self.pgconn.finish()
        told = lost[0].error if lost else None
        never_ran = told is not None and told.message == WAITED
        for work in lost:
            self._let_go(work)
            if work.future is not None and not work.future.done():
                work.future.set_exception(PoolTimeout() if never_ran else kind(reason))
        self.owner.on_broken(self, reason, quiet)


class Transaction:
    """An explicit transaction on a connection of its own; see `Database.transaction`."""

    def __init__(self, connection: _Connection, scope: Scope, begin: str) -> None:
        self._connection = connection
        self._scope = scope
        self._begin: str | None = begin
        self._rollback = False

    async def run(self, *statements: Statement) -> Result:
        """Run statements; the last one's result."""
        return (await self.run_all(*statements))[-1]

    async def run_all(self, *statements: Statement) -> list[Result]:
        """Run statements in one trip; every result."""
        scope = Scope(self._scope.role)
        opening: tuple[Statement, ...] = ()
        if self._begin is not None:
            opening = (Statement(self._begin),)
            whole = self._connection.whole(self._scope)
            if whole.names:
                opening += (Statement(_settings_text[whole.names], whole.values),)
            self._begin = None
        results = await self._submit(scope, (*opening, *statements))
        return results[len(opening) :]

    def rollback(self) -> None:
        """Undo everything when the block ends."""
        self._rollback = True

    async def _submit(self, scope: Scope, statements: Sequence[Statement], place: int = _INSIDE) -> list[Result]:
        if self._connection.broken:
            raise ConnectionLost("the connection was closed")
        future: asyncio.Future[list[Result]] = self._connection.loop.create_future()
        self._connection.submit(_Work(scope, statements, future, place))
        return await future

    async def end(self, failed: bool) -> None:
        """Commit, or roll back when asked to or when the block failed."""
        if self._begin is not None or self._connection.broken:
            return
        ending = "rollback" if failed or self._rollback else "commit"
        await self._submit(NO_SCOPE, (Statement(ending),), _ENDING)


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
        self._resets = (*RESET, *again), (*RESET, DEALLOCATE, *again)
        self.runs_given_sql = True
        self.resets = self._resets[True]
        self._prepared = prepared
        self._unprivileged = unprivileged
        self._conninfo = make_conninfo("", **parameters)
        self._size = size
        self._core = min(core, size)
        self._acquire_timeout = acquire_timeout
        self._idle_timeout = idle_timeout
        self._lifetime = lifetime
        self._on_lost = on_lost
        self._connections: list[_Connection] = []
        self._opening = 0
        self.turns: Turns[_Waiting] = Turns(size, share)
        self._costs: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._closed = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._down: DatabaseUnavailable | None = None
        self._backoff = 0.0
        self._reaper: asyncio.Task[None] | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._probed = 0.0  # when another connection was last tried

    # --- life ----------------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Open the first connection now rather than with the first request, to learn whether it can be had.

        Raises DatabaseUnavailable with libpq's reason.
        """
        self._admit(await self._connect())

    def _admit(self, connection: _Connection) -> None:
        self._connections.append(connection)
        if self._reaper is None:
            self._reaper = asyncio.create_task(self._reap())
            self._watcher = asyncio.create_task(self._watch())
        self.on_idle(connection)

    async def close(self) -> None:
        """Close every connection; waiting requests fail as unavailable."""
        self._closed = True
        if self._reaper is not None:
            self._reaper.cancel()
            with suppress(asyncio.CancelledError):
                await self._reaper
            self._reaper = None
        if self._watcher is not None:
            self._watcher.cancel()
            with suppress(asyncio.CancelledError):
                await self._watcher
            self._watcher = None
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
        work = _Work(scope, statements, future)
        # A write waits for the disk: many at once, each on a connection of its own, share one wait between them.
        writes = scope.names and READ_ONLY not in scope.names
        work.quick = not writes and self._costs.get(work.key, QUICK) < QUICK
        work.source = source
        connection = self._choose(work.quick, source)
        results: list[Result]
        try:
            if connection is not None:
                connection.submit(work)
                return await future
            results = await self._wait((work, future, source, work.quick))
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
        work.future = loop.create_future()
        results = await self._wait((work, work.future, source, work.quick))
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
        retired, self._connections = self._connections, []
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
        if connection is None or connection.broken:
            return connection is not None
        future: asyncio.Future[list[Result]] = connection.loop.create_future()
        connection.submit(_Work(NO_SCOPE, (IS_READ_ONLY,), future, _INSIDE))
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

    def _choose(self, quick: bool, source: str = "") -> _Connection | None:
        """A connection that can take a statement now, or None when it has to wait for one.

        Sharing the first `core` connections comes before waking an idle one beyond them: Postgres answers the same
        load for less on few connections, and the extra ones are closed when they stay idle. Two of them keep pace
        with a worker, which has one processor.
        """
        connections = self._connections
        core = connections[: self._core]
        may_hold = self.turns.may_hold(source, quick)
        if may_hold:
            for connection in core:
                if not connection.asked and not connection.leased:
                    return connection
        if quick and len(core) == self._core:
            shared: _Connection | None = None
            latest = time.monotonic() - QUICK * 2  # what runs since before this is not as quick as it used to be
            depth = MAX_DEPTH
            for connection in core:
                queue = connection.queue
                is_open = not connection.slow and not connection.leased and connection.asked < depth
                if is_open and queue[0].started > latest:
                    shared, depth = connection, connection.asked
            if shared is not None:
                return shared
        if may_hold:
            for connection in connections[self._core :]:
                if not connection.asked and not connection.leased:
                    return connection
        return None

    async def _lease(self, source: str) -> _Connection:
        if self.turns.may_hold(source, False):
            for connection in self._connections:
                if not connection.leased and not connection.broken and not connection.asked:
                    self._take_alone(connection, source)
                    return connection
        future: asyncio.Future[_Connection] = asyncio.get_running_loop().create_future()
        try:
            leased: _Connection = await self._wait((None, future, source, False))
            return leased
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                connection = future.result()
                self._release(connection)
                self.on_idle(connection)
            raise

    def _take_alone(self, connection: _Connection, source: str) -> None:
        connection.leased = True
        connection.lessee = source
        self.turns.hold(source)

    def _release(self, connection: _Connection) -> None:
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

    def on_idle(self, connection: _Connection) -> None:
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
            if not len(self.turns):
                break
            self.on_idle(connection)

    def on_broken(self, connection: _Connection, reason: str, quiet: bool) -> None:
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
            if isinstance(error, _PoolerFull):
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
        """Give up connections whose statement should have ended by itself; see gateway/db_timeouts.py."""
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
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

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

    def _ask_anew(self, connection: _Connection, now: float) -> None:
        """Ask what waits behind a slow statement on other connections; whichever answers first, answers.

        What writes is never asked twice.
        """
        head, *behind = connection.queue
        if head.future is not None:
            self.observe(head.key, now - head.started)
        for work in behind:
            waits = work.future is not None and not work.future.done() and not work.asked_anew
            if waits and READ_ONLY in work.scope.names:
                work.asked_anew = True
                again = _Work(work.scope, work.statements, work.future)
                again.quick, again.source, again.asked_anew = work.quick, work.source, True
                assert work.future is not None
                self._hand_out((again, work.future, work.source, work.quick))

    def _hand_out(self, entry: _Waiting) -> None:
        """To a connection that is idle, or in line for one."""
        _, _, source, quick = entry
        self.turns.add(source, quick, entry)
        self.dispatch()
        if len(self.turns) and len(self._connections) + self._opening < self._size:
            self._open_another()

    async def _connect(self) -> _Connection:
        pgconn = await connect(self._conninfo)
        try:
            session = await _session(pgconn, self._prepared)
            if self._unprivileged and (session.superuser or pgconn.parameter_status(b"is_superuser") == b"on"):
                raise DatabaseUnavailable(SUPERUSER)
            if session.own and self.become is not None:
                await _execute(pgconn, f"set {self.become[0]} to {quote_name(self.become[1])}")
            pgconn.enter_pipeline_mode()
            return _Connection(self, pgconn, session)
        except Exception as error:  # lost, or refused, before it could be used
            pgconn.finish()
            is_full = isinstance(error, DatabaseError) and error.message == WAITED
            raise (_PoolerFull if is_full else DatabaseUnavailable)(str(error).strip()) from error
        except BaseException:
            pgconn.finish()
            raise


# --- the plain layer ------------------------------------------------------------------------------------------------


def is_address(text: str) -> bool:
    """Whether libpq understands a text as a database's address or a list of parameters.

    >>> is_address("postgresql://ruth@db/site"), is_address("host=db"), is_address(""), is_address("site")
    (True, True, True, False)
    """
    try:
        conninfo_to_dict(text)
    except ProgrammingError:
        return False
    return True


def command_line(url: str) -> tuple[str, dict[str, str]]:
    """How a Postgres program is told of a database: the argument, and the environment with the password.

    Everyone on the machine sees arguments; the environment is for the process's own user.

    >>> command_line("postgresql://ruth:hidden-word@db/site?sslmode=require")
    ('--dbname=user=ruth dbname=site host=db sslmode=require', {'PGPASSWORD': 'hidden-word'})
    """
    parameters = conninfo_to_dict(url)
    password = parameters.pop("password", None)
    return f"--dbname={make_conninfo('', **parameters)}", {} if password is None else {"PGPASSWORD": str(password)}


def with_login(address: str, user: str, password: str | None) -> str:
    """An address with another login.

    >>> with_login("postgresql://ruth:hidden-word@db/site?sslmode=require", "anna", None)
    'user=anna dbname=site host=db sslmode=require'
    """
    parameters = {**conninfo_to_dict(address), "user": user}
    parameters.pop("password", None)
    return make_conninfo("", **parameters, **({} if password is None else {"password": password}))


def with_login_of(address: str, other: str) -> str:
    """An address with the login of another one."""
    return with_login(address, user_of(other) or "", password_of(other))


def user_of(address: str) -> str | None:
    """The login that an address names."""
    user = conninfo_to_dict(address).get("user")
    return None if user is None else str(user)


def password_of(address: str) -> str | None:
    """The password that an address holds."""
    password = conninfo_to_dict(address).get("password")
    return None if password is None else str(password)


def attempts(conninfo: str) -> list[tuple[str, float]]:
    """One conninfo for each host of a list, in the order to try them, and the seconds that each may take.

    libpq goes through a list by itself, but keeps to `connect_timeout` only where it may block.

    >>> [attempt.split()[0] for attempt, _ in attempts("host=a,b port=1,2 target_session_attrs=read-write")]
    ['host=a', 'host=b']
    """
    parameters = conninfo_to_dict(conninfo)
    seconds = float(parameters.get("connect_timeout") or 0) or CONNECT_TIMEOUT
    lists = {name: str(parameters[name]).split(",") for name in ("host", "hostaddr", "port") if parameters.get(name)}
    count = max((len(values) for name, values in lists.items() if name != "port"), default=1)
    if count == 1:
        return [(conninfo, seconds)]
    if any(len(values) not in (1, count) for values in lists.values()):
        return [(conninfo, seconds)]  # libpq says what is wrong with it
    hosts = [{name: values[n % len(values)] for name, values in lists.items()} for n in range(count)]
    if parameters.get("load_balance_hosts") == "random":
        random.shuffle(hosts)
    wanted = parameters.get("target_session_attrs") or "any"
    rounds = ("standby", "any") if wanted == "prefer-standby" else (wanted,)
    return [
        (make_conninfo("", **{**parameters, **host, "target_session_attrs": kind}), seconds)
        for kind in rounds
        for host in hosts
    ]


async def connect(conninfo: str) -> pq.abc.PGconn:
    """Open one nonblocking libpq connection, to the first host of a list that will do.

    Raises DatabaseUnavailable with libpq's reason, of every host.
    """
    reasons = []
    for attempt, allowed in attempts(conninfo):
        try:
            return await _connect_to(attempt, allowed)
        except DatabaseUnavailable as error:
            reasons.append(error.reason)
    raise DatabaseUnavailable("; ".join(dict.fromkeys(reasons)))


async def _connect_to(conninfo: str, seconds: float) -> pq.abc.PGconn:
    loop = asyncio.get_running_loop()
    pgconn = pq.PGconn.connect_start(conninfo.encode())
    try:
        async with asyncio.timeout(seconds):
            while True:
                if pgconn.status == pq.ConnStatus.BAD:
                    raise DatabaseUnavailable(_reason(pgconn))
                polled = pgconn.connect_poll()
                if polled == pq.PollingStatus.OK:
                    break
                if polled == pq.PollingStatus.FAILED:
                    raise DatabaseUnavailable(_reason(pgconn))
                await _ready(loop, pgconn.socket, write=polled == pq.PollingStatus.WRITING)
    except TimeoutError:
        host = pgconn.host.decode() if pgconn.host else "the server"
        pgconn.finish()
        raise DatabaseUnavailable(f"{host} did not answer within {seconds:g} s") from None
    except BaseException:
        pgconn.finish()
        raise
    pgconn.nonblocking = 1
    return pgconn


async def _ready(loop: asyncio.AbstractEventLoop, fd: int, write: bool) -> None:
    future: asyncio.Future[None] = loop.create_future()

    def done() -> None:
        if not future.done():
            future.set_result(None)

    if write:
        loop.add_writer(fd, done)
    else:
        loop.add_reader(fd, done)
    try:
        await future
    finally:
        if write:
            loop.remove_writer(fd)
        else:
            loop.remove_reader(fd)


async def _execute(pgconn: pq.abc.PGconn, sql: str) -> None:
    pgconn.send_query(sql.encode())
    while await _next_result(pgconn) is not None:
        pass


async def _next_result(pgconn: pq.abc.PGconn) -> pq.abc.PGresult | None:
    """What comes next, None at the end of a statement's results. Raises DatabaseError."""
    loop = asyncio.get_running_loop()
    while pgconn.flush():
        await _ready(loop, pgconn.socket, write=True)
    while pgconn.is_busy():
        await _ready(loop, pgconn.socket, write=False)
        pgconn.consume_input()
    result = pgconn.get_result()
    if result is not None and result.status == _FATAL_ERROR:
        raise _error(result)
    return result


async def _session(pgconn: pq.abc.PGconn, prepared: bool | None) -> Session:
    """What the connection leads to, asked in one trip and one transaction. Raises DatabaseError."""
    if prepared:
        return OWN
    name = b"" if prepared is False else b"gateway_" + secrets.token_hex(4).encode()
    pgconn.enter_pipeline_mode()
    pgconn.send_prepare(name, QUESTION.encode())
    pgconn.send_query_prepared(name, [name])
    if name:
        pgconn.send_close_prepared(name)
    pgconn.pipeline_sync()
    answer: tuple[bytes | None, ...] = ()
    while (result := await _next_result(pgconn)) is None or result.status != _PIPELINE_SYNC:
        if result is not None and result.status == _TUPLES_OK:
            (answer,) = _read(result).rows
    pgconn.exit_pipeline_mode()
    found = session(
        pgconn.backend_pid, int(answer[0] or 0), answer[1] == b"t", answer[2] == b"t", (answer[3] or b"0").decode()
    )
    return found if name else replace(found, named=False)


def _reason(pgconn: pq.abc.PGconn) -> str:
    return " ".join(pgconn.get_error_message().split())


class _Unheard(Exception):
    """The connection leads to a pooler, which hands no notifications on."""


class _Renewed(Exception):
    """Sessions are to begin anew, this one too."""


class Listener:
    """LISTEN on a connection of its own; reconnects for ever with back-off up to 32 s.

    `on_notify(payload)` is called for each notification, and `on_connect()` after each (re)connection, so that
    whatever was missed in between can be made up for. `prepared` is that of `Database`.
    """

    def __init__(
        self,
        url: str,
        channel: str,
        on_notify: Callable[[str], None],
        on_connect: Callable[[], None],
        prepared: bool | None = None,
    ) -> None:
        parameters = conninfo_to_dict(url)
        parameters.setdefault("application_name", "gateway listener")
        self._conninfo = make_conninfo("", **parameters)
        self._channel = channel
        self._on_notify = on_notify
        self._on_connect = on_connect
        self._prepared = prepared
        self._delay = 1.0

    async def run(self) -> None:
        """Listen until cancelled; return where a pooler would swallow what is said."""
        while True:
            try:
                await self._listen()
            except _Unheard:
                return
            except _Renewed:
                continue
            except (DatabaseUnavailable, DatabaseError, OSError) as error:
                log.warning("schema listener lost its connection, next attempt in %.0f s: %s", self._delay, error)
            await asyncio.sleep(self._delay)
            self._delay = min(BACKOFF_LIMIT, self._delay * 2)

    async def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        pgconn = await connect(self._conninfo)
        try:
            if not (await _session(pgconn, self._prepared)).own:
                raise _Unheard
            channel = self._channel.replace('"', '""')
            await _execute(pgconn, f'listen "{channel}"')
            self._delay = 1.0
            self._on_connect()
            while True:
                while (notify := pgconn.notifies()) is not None:
                    self._on_notify(notify.extra.decode("utf-8", "replace"))
                    if notify.extra == RENEW_SESSIONS.encode():
                        raise _Renewed
                await _ready(loop, pgconn.socket, write=False)
                pgconn.consume_input()
                if pgconn.status != pq.ConnStatus.OK:
                    raise DatabaseUnavailable(_reason(pgconn) or "connection closed")
        except Exception as error:
            if isinstance(error, DatabaseUnavailable | DatabaseError | OSError | _Unheard | _Renewed):
                raise
            raise DatabaseUnavailable(str(error).strip()) from error
        finally:
            pgconn.finish()


class SyncConnection:
    """A blocking connection for commands and migrations."""

    def __init__(self, url: str, application_name: str = "gateway cli") -> None:
        """Raises DatabaseUnavailable."""
        parameters = conninfo_to_dict(url)
        parameters.setdefault("application_name", application_name)
        parameters.setdefault("connect_timeout", CONNECT_TIMEOUT)
        self._pgconn = pq.PGconn.connect(make_conninfo("", **parameters).encode())
        if self._pgconn.status != pq.ConnStatus.OK:
            reason = _reason(self._pgconn)
            self._pgconn.finish()
            raise DatabaseUnavailable(reason)
        self._pgconn.notice_handler = None

    def script(self, sql: str) -> None:
        """Run one or more statements by the simple protocol: one implicit transaction unless the text says else.

        Raises DatabaseError.
        """
        result = self._pgconn.exec_(sql.encode())
        if result.status in (_E.FATAL_ERROR, _E.BAD_RESPONSE):
            raise _error(result)

    def rows(self, sql: str, *params: str | None) -> list[tuple[str | None, ...]]:
        """Run one statement with `$1 …` parameters; rows of text. Raises DatabaseError."""
        result = self._pgconn.exec_params(sql.encode(), encode(params))
        if result.status in (_E.FATAL_ERROR, _E.BAD_RESPONSE):
            raise _error(result)
        return [tuple(None if value is None else value.decode() for value in row) for row in _read(result).rows]

    @property
    def is_shared(self) -> bool:
        """Whether a pooler is in between. Raises DatabaseError."""
        return int(self.rows("select pg_backend_pid()")[0][0] or 0) != self._pgconn.backend_pid

    @property
    def used_password(self) -> bool:
        """Whether the server asked for a password."""
        return self._pgconn.used_password

    @property
    def password(self) -> str:
        """The password that the server asked for, from wherever libpq had it; empty where it asked for none."""
        return (self._pgconn.password or b"").decode() if self._pgconn.used_password else ""

    def encrypted(self, password: str, role: str) -> str:
        """What the server keeps of a role's password."""
        return self._pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()

    def run(self, statement: Statement) -> Result:
        """Run one Statement. Raises DatabaseError."""
        result = self._pgconn.exec_params(statement.text.encode(), encode(statement.params))
        if result.status in (_E.FATAL_ERROR, _E.BAD_RESPONSE):
            raise _error(result)
        return _read(result)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Statements inside commit together, or not at all."""
        self.script("begin")
        try:
            yield
        except BaseException:
            self.script("rollback")
            raise
        self.script("commit")

    def close(self) -> None:
        """Close the connection; safe to call twice."""
        self._pgconn.finish()

    def __enter__(self) -> SyncConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
