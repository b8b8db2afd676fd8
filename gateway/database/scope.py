"""A transaction's role and settings, its values encoded, and what comes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from psycopg import pq

from gateway.database.errors import DatabaseError
from gateway.database.statement import Statement, Value

READ_ONLY: Final = "transaction_read_only"  # the setting by which a scope tells that it writes nothing


class Scope(NamedTuple):
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


class Result(NamedTuple):
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


def column_names(result: pq.abc.PGresult) -> tuple[str, ...]:
    return tuple([(result.fname(column) or b"").decode() for column in range(result.nfields)])


def read_result(result: pq.abc.PGresult, names: tuple[str, ...] | None = None) -> Result:
    columns = result.nfields
    get = result.get_value
    if columns == 1:
        rows: list[tuple[bytes | None, ...]] = [(get(row, 0),) for row in range(result.ntuples)]
    else:
        rows = [tuple([get(row, column) for column in range(columns)]) for row in range(result.ntuples)]
    tag = result.command_status
    return Result(column_names(result) if names is None else names, rows, tag.decode() if tag else "")


class Encoded(tuple[bytes | None, ...]):
    """Values as libpq takes them: encoded once, however often they are sent."""

    __slots__ = ()


def encode(values: Sequence[Value]) -> Encoded:
    """Values in the connection's encoding. Raises DatabaseError for one that Postgres texts cannot hold."""
    if values.__class__ is Encoded:
        return values
    raw = Encoded([value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value for value in values])
    for value in raw:
        if value is not None and b"\0" in value:  # libpq takes text values as C strings and would cut them there
            raise DatabaseError("22021", 'invalid byte sequence for encoding "UTF8": 0x00')
    return raw


class _SettingsText(dict[tuple[str, ...], str]):
    """`select set_config(…)` text by the names it sets, which it is made of alone: it can never be out of date.

    Kept for the 5 µs that it takes to make, which each request would pay (docs/decisions/0016-three-memories.md); there
    are as many as there are kinds of plans, roles with settings of their own and functions with some.
    """

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


settings_text = _SettingsText()
