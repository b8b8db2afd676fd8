"""A connection of one's own for one text of somebody's: its statements one by one, rows up to a limit, COPY as streams.

Each statement goes by the extended protocol, in which Postgres itself refuses more than one: what a text is divided
into is no more than a proposal.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import psycopg
from psycopg import pq
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from gateway.database.errors import DatabaseError, DatabaseUnavailable
from gateway.database.opening import connect, next_result, ready
from gateway.database.scope import encode
from gateway.database.statement import Value

_ROWS: Final = (pq.ExecStatus.SINGLE_TUPLE, pq.ExecStatus.TUPLES_OK)
_COPIES: Final = (pq.ExecStatus.COPY_IN, pq.ExecStatus.COPY_OUT, pq.ExecStatus.COPY_BOTH)
_TURN: Final = 200  # rows after which others have their turn
MOST_BYTES: Final = 20_000_000  # of a statement's rows


@dataclass(slots=True)
class StatementRows:
    """What a statement answered: columns with type oid and modifier, rows as text, its tag."""

    columns: list[tuple[str, int, int]] = field(default_factory=list)
    rows: list[list[bytes | None]] = field(default_factory=list)
    tag: str = ""
    truncated: bool = False


class QuerySession:
    """One connection; whoever opens it closes it."""

    def __init__(self, pgconn: pq.abc.PGconn) -> None:
        self._pgconn = pgconn
        self.notices: list[dict[str, str]] = []
        pgconn.notice_handler = self._noticed

    @classmethod
    async def open(cls, url: str, application_name: str) -> QuerySession:
        """Raises DatabaseUnavailable."""
        parameters = {**conninfo_to_dict(url), "application_name": application_name, "client_encoding": "utf8"}
        return cls(await connect(make_conninfo("", **parameters)))

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open and has not failed."""
        return self._pgconn.transaction_status == pq.TransactionStatus.INTRANS

    async def run(
        self, sql: str, params: Sequence[Value] = (), limit: int = 1000, stops: bool = False
    ) -> StatementRows:
        """Run one statement. Rows beyond the limit are passed over, or with `stops` not made at all: the statement is
        cancelled, and the transaction with it. Raises DatabaseError, DatabaseUnavailable."""
        pgconn = self._pgconn
        try:
            pgconn.send_query_params(sql.encode(), encode(params) if params else None)
        except psycopg.OperationalError as lost:  # between two statements
            raise DatabaseUnavailable(str(lost).strip()) from lost
        pgconn.set_single_row_mode()
        found, size, seen, error = StatementRows(), 0, 0, None
        while True:
            try:
                result = await next_result(pgconn)
            except DatabaseError as raised:
                error = error or raised
                continue
            except psycopg.OperationalError as lost:
                raise error or DatabaseUnavailable(str(lost).strip()) from lost
            if result is None:
                break
            if result.status in _COPIES:
                raise DatabaseError("0A000", "COPY from or to the client is done by import and export")
            if result.status not in _ROWS:
                found.tag = (result.command_status or b"").decode()
                continue
            if not found.columns:
                found.columns = [
                    ((result.fname(at) or b"").decode(), result.ftype(at), result.fmod(at))
                    for at in range(result.nfields)
                ]
            found.tag = (result.command_status or b"").decode() or found.tag
            for row in range(result.ntuples):
                seen += 1
                if len(found.rows) < limit and size < MOST_BYTES:
                    values = [result.get_value(row, at) for at in range(result.nfields)]
                    size += sum(len(value) for value in values if value is not None)
                    found.rows.append(values)
                elif not found.truncated:
                    found.truncated = True
                    if stops:
                        await self.cancel()
            if seen % _TURN == 0:
                await asyncio.sleep(0)
        if error is not None and not (stops and found.truncated and error.sqlstate == "57014"):
            raise error
        return found

    async def copy_out(self, sql: str) -> AsyncIterator[bytes]:
        """The data of one `COPY … TO stdout`, a row at a time. Raises DatabaseError, DatabaseUnavailable."""
        pgconn, loop = self._pgconn, asyncio.get_running_loop()
        pgconn.send_query(sql.encode())
        result = await next_result(pgconn)
        if result is None or result.status != pq.ExecStatus.COPY_OUT:
            raise DatabaseError("0A000", "this is no COPY to the client")
        count = 0
        while True:
            size, data = pgconn.get_copy_data(1)
            if size > 0:
                yield bytes(data)
                count += 1
                if count % _TURN == 0:
                    await asyncio.sleep(0)
            elif size == 0:
                await ready(loop, pgconn.socket, write=False)
                pgconn.consume_input()
            else:
                break
        await self._drain()

    async def copy_in(self, sql: str, pieces: AsyncIterator[bytes]) -> int:
        """One `COPY … FROM stdin` with its data as it comes; the number of rows. Raises what `pieces` does, and
        DatabaseError, DatabaseUnavailable."""
        pgconn, loop = self._pgconn, asyncio.get_running_loop()
        pgconn.send_query(sql.encode())
        result = await next_result(pgconn)
        if result is None or result.status != pq.ExecStatus.COPY_IN:
            raise DatabaseError("0A000", "this is no COPY from the client")
        try:
            async for piece in pieces:
                while pgconn.put_copy_data(piece) == 0:
                    await ready(loop, pgconn.socket, write=True)
                while pgconn.flush():
                    await ready(loop, pgconn.socket, write=True)
        except BaseException:
            pgconn.put_copy_end(b"the rows could not be read")
            with suppress(DatabaseError, DatabaseUnavailable):
                await self._drain()
            raise
        while pgconn.put_copy_end() == 0:
            await ready(loop, pgconn.socket, write=True)
        return await self._drain()

    async def _drain(self) -> int:
        """Read what is left of a statement; how many rows it says. Raises DatabaseError, DatabaseUnavailable."""
        count, error = 0, None
        while True:
            try:
                result = await next_result(self._pgconn)
            except DatabaseError as raised:
                error = error or raised
                continue
            except psycopg.OperationalError as lost:
                raise error or DatabaseUnavailable(str(lost).strip()) from lost
            if result is None:
                break
            count = result.command_tuples or count
        if error is not None:
            raise error
        return count

    async def cancel(self) -> None:
        """Ask the server to end what runs."""
        with suppress(psycopg.Error):
            await asyncio.to_thread(self._pgconn.get_cancel().cancel)

    def close(self) -> None:
        """Close the connection; what was not committed is undone."""
        self._pgconn.finish()

    def _noticed(self, result: pq.abc.PGresult) -> None:
        if len(self.notices) < 200:
            severity = result.error_field(pq.DiagnosticField.SEVERITY_NONLOCALIZED) or b""
            message = result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or b""
            said = {"severity": severity.decode("utf-8", "replace"), "message": message.decode("utf-8", "replace")}
            self.notices.append(said)
