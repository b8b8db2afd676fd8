"""One pipelined connection: segments of statements go out, each up to a sync, and their results come back in order."""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Sequence
from typing import Any, Final, Protocol

from psycopg import pq

from gateway.database.errors import (
    INVALID_STATEMENT_NAME,
    REPLACED,
    ConnectionLost,
    DatabaseError,
    DatabaseUnavailable,
    PoolTimeout,
    error_of,
)
from gateway.database.fair_queue import Turns
from gateway.database.libpq_codes import (
    COMMAND_OK,
    CONNECTION_OK,
    FATAL_ERROR,
    PIPELINE_ABORTED,
    PIPELINE_SYNC,
    TUPLES_OK,
)
from gateway.database.pipeline_sync import sync_of
from gateway.database.poolers import WAITED, Become, SessionKind
from gateway.database.prepared_statements import LENGTH, Prepared
from gateway.database.scope import (
    NO_SCOPE,
    READ_ONLY,
    Encoded,
    Result,
    Scope,
    column_names,
    encode,
    read_result,
    settings_text,
)
from gateway.database.session_reset import NUMBERS, SEEDED, Reset
from gateway.database.statement import Statement, Value
from gateway.database.timeouts import STATEMENT_TIMEOUT, seconds

# What one queued item expects back, in order: a named query, its preparation, nothing to keep, the end of a name.
_PREPARE, _QUERY, _DISCARD, _CLOSE = 0, 1, 2, 3

# What is asked of a connection that works for others waits for the end of the loop's turn, so that one send takes all
# that were asked in it: a small read costs the gateway and Postgres 8 % less each. Where a turn has just one, as where
# queries take long, waiting costs more than it saves, and so many that follow are sent at once.
AT_ONCE: Final = 8

# Where a segment stands in its transaction: it is one, or has its settings from one that was begun, or ends that.
WHOLE, INSIDE, ENDING = 0, 1, 2


class Owner(Protocol):
    """What a connection asks and tells the pool that it belongs to."""

    become: Become | None
    schema: str
    turns: Turns[Any]
    runs_given_sql: bool
    resets: Reset

    def observe(self, key: tuple[str, str], seconds: float) -> None:
        """Learn how long a statement took."""

    def on_idle(self, connection: Connection) -> None:
        """Nothing is asked of the connection any more."""

    def on_broken(self, connection: Connection, reason: str, quiet: bool) -> None:
        """The connection is gone."""

    def dispatch(self) -> None:
        """Hand connections to whoever waits."""


class Segment:
    """One segment: statements up to a sync, and the future that their results resolve."""

    __slots__ = (
        "asked_anew", "error", "future", "holds", "key", "place", "quick", "results", "retried", "scope", "slots",
        "source", "started", "statements", "usual",
    )  # fmt: skip

    def __init__(
        self,
        scope: Scope,
        statements: Sequence[Statement],
        future: asyncio.Future[list[Result]] | None,
        place: int = WHOLE,
    ) -> None:
        """`future` is None for what nobody waits for, the reset of a session."""
        self.scope = scope
        self.place = place
        self.statements = statements
        self.future = future
        self.key = (scope.role, statements[-1].text) if statements else ("", "")
        self.quick = False  # whether others may be queued behind it
        self.usual = 0.0  # seconds that it is expected to take
        self.source = ""  # who asks, for the share of the pool
        self.holds = False  # whether it counts as holding its connection
        self.asked_anew = False  # on another connection, because what is in front of it takes long
        self.slots: deque[tuple[int, tuple[str, str]]] = deque()
        self.results: list[Result] = []
        self.error: DatabaseError | None = None
        self.started = 0.0
        self.retried = False


class Connection:
    """One libpq connection in pipeline mode, its queue, and the statements it has prepared."""

    def __init__(self, owner: Owner, pgconn: pq.abc.PGconn, session: SessionKind) -> None:
        self.owner = owner
        self.pgconn = pgconn
        self.loop = asyncio.get_running_loop()
        self.fd = pgconn.socket
        self._sync = sync_of(pgconn)
        self.gathered = 0  # segments that are flushed together at the end of this turn of the loop
        self.at_once = 0  # segments to come that are sent without waiting
        self.queue: deque[Segment] = deque()
        self.asked = 0  # queued ones that somebody waits for: all but resets
        self.slow = 0  # queued ones that are not known to be quick
        self.expected = 0.0  # seconds that those queued are expected to take together
        self.prepared = Prepared()
        self.columns: dict[tuple[str, str], tuple[str, ...]] = {}  # of the prepared statements
        self.prepared_length = LENGTH if session.named else -1  # characters of what is prepared
        self.shared = not session.own
        self.calls_reset = session.calls_reset
        self.become = owner.become if self.shared else None  # in each transaction
        self.counter = 0
        self.numbered = False  # whether `lastval()` may tell of a write that ran no code
        self.writing = False
        self.broken = False
        self.retired = False
        self.limit = seconds(session.timeout)  # of a statement, by the login; 0 for none
        self.leased = False
        self.lessee = ""  # who has it alone
        self.opened = self.idle_since = time.monotonic()
        self.loop.add_reader(self.fd, self._on_readable)

    # --- sending -------------------------------------------------------------------------------------------------

    def submit(self, work: Segment) -> None:
        """Queue one segment; its future is resolved by the sync result."""
        work.slots.clear()
        work.results = []
        work.error = None
        try:
            try:
                self._send_all(work)
            except DatabaseError as error:  # refused before it was sent: settle what is on the wire, then report
                work.error = error
            self._sync()
        except Exception as error:  # the connection is gone, which its reader has not been told yet
            self.queue.append(work)
            self.fail(str(error).strip())
            return
        work.started = time.monotonic()
        self.queue.append(work)
        alone = not self.asked
        if alone and not work.place:
            work.holds = True
            self.owner.turns.hold(work.source)
        self.asked += 1
        self.expected += work.usual
        if not work.quick:
            self.slow += 1
        if not work.scope.code_free and work.place != INSIDE:
            try:
                resets = self.owner.resets
                self._take_away(resets.called if self.calls_reset else resets.listed)
            except Exception as error:
                self.fail(str(error).strip())
                return
        if alone or self.at_once:
            self.at_once -= not alone
            self._flush()
        elif not self.gathered:
            self.gathered = 1
            self.loop.call_soon(self._flush_gathered)
        else:
            self.gathered += 1

    def _send_all(self, work: Segment) -> None:
        if work.scope.code_free:
            self.numbered = self.numbered or READ_ONLY not in work.scope.names
        elif self.numbered:
            self._take_away(NUMBERS)
        scope = work.scope if work.place or self.become is None else self.whole(work.scope)
        if scope.names:
            self._send(work, "", settings_text[scope.names], scope.values, _DISCARD)
        for statement in work.statements:
            self._send(work, work.scope.role, statement.text, statement.params, _QUERY)

    def _take_away(self, resets: tuple[str, ...]) -> None:
        """Take away what a transaction may have left in the session; see gateway/database/session_reset.py."""
        self.numbered = False
        if self.shared:
            return
        pgconn = self.pgconn
        work = Segment(NO_SCOPE, (), None)
        work.quick = True
        named = not self.owner.runs_given_sql  # else the names may be gone
        for text in resets:
            values = (repr(random.random()).encode(),) if text in SEEDED else ()
            if named:
                self._send(work, "", text, values, _DISCARD)
            else:
                pgconn.send_query_params(text.encode(), values)
                work.slots.append((_DISCARD, ("", text)))
        self._sync()
        work.started = time.monotonic()
        self.queue.append(work)

    def whole(self, scope: Scope) -> Scope:
        """The settings of a transaction, with what only a session of our own is set to for good."""
        if self.become is None:
            return scope
        name, value = self.become
        return Scope(scope.role, (name, *scope.names), (value, *scope.values), scope.code_free)

    def _send(self, work: Segment, role: str, text: str, params: tuple[Value, ...], kind: int) -> None:
        values = params if params.__class__ is Encoded else encode(params)
        pgconn = self.pgconn
        key = (role, text)
        # An end that code of the application could deallocate would leave the transaction open, or aborted.
        if len(text) > self.prepared_length or work.place == ENDING:
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

    def _flush_gathered(self) -> None:
        gathered, self.gathered = self.gathered, 0
        if gathered == 1:
            self.at_once = AT_ONCE
        if not self.broken:
            self._flush()

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
        if not self.queue and pgconn.status != CONNECTION_OK:
            self.fail("server closed the connection unexpectedly")

    def _take(self, work: Segment, result: pq.abc.PGresult) -> None:
        status = result.status
        if status == PIPELINE_SYNC:
            self.queue.popleft()
            if work.future is not None:
                self.asked -= 1
                self.expected = self.expected - work.usual if self.asked else 0.0
            if not work.quick:
                self.slow -= 1
            self._finish(work)
            return
        if status == FATAL_ERROR and work.error is None:
            work.error = error_of(result)
            if work.slots:
                work.error.statement = work.slots[0][1][1]
        if not work.slots:  # refused at the commit, or told to go
            return
        kind, key = work.slots[0]
        if status in (TUPLES_OK, COMMAND_OK):
            if kind == _QUERY:
                names = self.columns.get(key)
                if names is None or len(names) != result.nfields:
                    names = column_names(result)
                    if key in self.prepared:
                        self.columns[key] = names
                work.results.append(read_result(result, names))
        elif status in (FATAL_ERROR, PIPELINE_ABORTED):  # refused, or never looked at
            if kind == _PREPARE:
                self._forget(key)
            elif kind == _CLOSE:
                self.prepared.closing.append(key[1].encode())

    def _finish(self, work: Segment) -> None:
        now = time.monotonic()
        if self.queue:
            self.queue[0].started = now
        if work.holds:
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
            self._forget(("", settings_text[self.whole(work.scope).names]))
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
        if self.owner.turns.waiting:
            self.owner.dispatch()

    def _let_go(self, work: Segment) -> None:
        work.holds = False
        self.owner.turns.let_go(work.source)

    # --- ending --------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the socket; whatever is queued fails as lost."""
        self.fail("the connection was closed", quiet=True)

    def limit_of(self, work: Segment) -> float:
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
            if work.holds:
                self._let_go(work)
            if work.future is not None and not work.future.done():
                work.future.set_exception(PoolTimeout() if never_ran else kind(reason))
        self.owner.on_broken(self, reason, quiet)
