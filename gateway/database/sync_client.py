"""A blocking connection for programs that do one thing at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from psycopg import pq
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from gateway.database.conninfo import CONNECT_TIMEOUT
from gateway.database.errors import DatabaseError, DatabaseUnavailable, error_of
from gateway.database.opening import reason_of
from gateway.database.scope import Result, encode, read_result
from gateway.database.statement import Statement


class SyncConnection:
    """A blocking connection for commands and migrations."""

    def __init__(self, url: str, application_name: str = "gateway cli") -> None:
        """Raises DatabaseUnavailable."""
        parameters = conninfo_to_dict(url)
        parameters.setdefault("application_name", application_name)
        parameters.setdefault("connect_timeout", CONNECT_TIMEOUT)
        self._pgconn = pq.PGconn.connect(make_conninfo("", **parameters).encode())
        if self._pgconn.status != pq.ConnStatus.OK:
            reason = reason_of(self._pgconn)
            self._pgconn.finish()
            raise DatabaseUnavailable(reason)
        self._pgconn.notice_handler = None

    def script(self, sql: str) -> None:
        """Run one or more statements by the simple protocol: one implicit transaction unless the text says else.

        Raises DatabaseError.
        """
        result = self._pgconn.exec_(sql.encode())
        if result.status in (pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.BAD_RESPONSE):
            raise error_of(result)

    def rows(self, sql: str, *params: str | None) -> list[tuple[str | None, ...]]:
        """Run one statement with `$1 …` parameters; rows of text. Raises DatabaseError."""
        result = self._pgconn.exec_params(sql.encode(), encode(params))
        if result.status in (pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.BAD_RESPONSE):
            raise error_of(result)
        return [tuple(None if value is None else value.decode() for value in row) for row in read_result(result).rows]

    def execute(self, sql: str) -> int:
        """Run one statement without values, by the extended protocol; how many rows it wrote. Raises DatabaseError."""
        result = self._pgconn.exec_params(sql.encode(), None)
        if result.status in (pq.ExecStatus.COPY_IN, pq.ExecStatus.COPY_OUT):
            if result.status == pq.ExecStatus.COPY_IN:
                self._pgconn.put_copy_end(b"no rows can be sent")
            else:  # libpq names the same copy again until its rows are taken
                while self._pgconn.get_copy_data(0)[0] > 0:
                    pass
            while self._pgconn.get_result() is not None:
                pass
            raise DatabaseError("0A000", "COPY from standard input or to standard output is not possible here")
        if result.status in (pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.BAD_RESPONSE):
            raise error_of(result)
        return result.command_tuples or 0

    def copy_in(self, sql: str, rows: Iterable[bytes]) -> int:
        """Run one `COPY … FROM stdin`, with its rows as they come; how many there were. Raises DatabaseError."""
        result = self._pgconn.exec_(sql.encode())
        if result.status != pq.ExecStatus.COPY_IN:
            raise error_of(result)
        try:
            for piece in rows:
                self._pgconn.put_copy_data(piece)
        except BaseException:
            self._pgconn.put_copy_end(b"its rows could not be read")
            self._pgconn.get_result()
            raise
        self._pgconn.put_copy_end()
        last = None
        while (done := self._pgconn.get_result()) is not None:
            last = done if last is None or last.status == pq.ExecStatus.COMMAND_OK else last
        if last is None or last.status != pq.ExecStatus.COMMAND_OK:
            raise error_of(last) if last is not None else DatabaseUnavailable("the connection was closed")
        return last.command_tuples or 0

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open, be it a failed one."""
        return self._pgconn.transaction_status != pq.TransactionStatus.IDLE

    def on_notice(self, told: Callable[[str, str], None]) -> None:
        """Tell of what the server says beside its answers: severity and message."""

        def tell(result: pq.abc.PGresult) -> None:
            severity = result.error_field(pq.DiagnosticField.SEVERITY_NONLOCALIZED) or b""
            message = result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or b""
            told(severity.decode("utf-8", "replace"), message.decode("utf-8", "replace"))

        self._pgconn.notice_handler = tell

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
        if result.status in (pq.ExecStatus.FATAL_ERROR, pq.ExecStatus.BAD_RESPONSE):
            raise error_of(result)
        return read_result(result)

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
