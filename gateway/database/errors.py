"""What a database may answer with instead of rows, and what stands between the gateway and it."""

from __future__ import annotations

from typing import Final

from psycopg import pq
from psycopg.errors import lookup

READ_ONLY_REFUSED: Final = "25006"  # a write in a transaction that takes none
# What a restore makes of a statement that meets it: what it names is another by now, or is being replaced.
REPLACED: Final = frozenset((READ_ONLY_REFUSED, "XX000", "3F000", "40P01", "42704", "42883", "42P01"))
READ_ONLY_RETRY: Final = 30  # seconds after which to try a write again
INVALID_STATEMENT_NAME: Final = "26000"
SILENT: Final = "Postgres does not answer"
SUPERUSER: Final = "the login is a superuser, whose session any function that runs SQL of its caller could take back"
_F = pq.DiagnosticField


class DatabaseError(Exception):
    """An error Postgres raised: five-character SQLSTATE and its texts.

    `constraint` is the broken rule's name; other schemas may have one of the same name, so it means something only with
    `schema` and `table`. `context` says in which functions it was raised; None where the statement itself is at fault.
    """

    connection: object | None = None  # the one that it was raised on
    statement: str | None = None  # text of the statement that failed; None at the commit

    def __init__(
        self,
        sqlstate: str,
        message: str,
        detail: str | None = None,
        hint: str | None = None,
        constraint: str | None = None,
        schema: str | None = None,
        table: str | None = None,
        context: str | None = None,
        position: int | None = None,
    ) -> None:
        self.sqlstate = sqlstate
        self.message = message
        self.detail = detail
        self.hint = hint
        self.constraint = constraint
        self.schema = schema
        self.table = table
        self.position = position  # of the character in the statement, from 1
        self.context = context
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


class PoolerFull(DatabaseUnavailable):
    """A pooler had no connection to lend for as long as it lets anybody wait: another attempt may be luckier."""


class PoolTimeout(Exception):
    """No connection became free within the acquisition time."""


def error_of(result: pq.abc.PGresult) -> DatabaseError:
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
        text(_F.SCHEMA_NAME),
        text(_F.TABLE_NAME),
        text(_F.CONTEXT),
        int(text(_F.STATEMENT_POSITION) or 0) or None,
    )


def condition_name(sqlstate: str) -> str:
    """The name that Postgres gives an error's code.

    >>> condition_name("P0001"), condition_name("22P02"), condition_name("ZZ999")
    ('raise_exception', 'invalid_text_representation', 'unknown')
    """
    try:
        name = lookup(sqlstate).__name__
    except KeyError:
        return "unknown"
    return "".join([f"_{letter.lower()}" if letter.isupper() else letter for letter in name]).lstrip("_")
