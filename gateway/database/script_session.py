"""A session that runs whole scripts without blocking the loop, and says what came of the last statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import psycopg
from psycopg import pq
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from gateway.database.errors import DatabaseError, DatabaseUnavailable
from gateway.database.opening import connect, next_result

COPIES: Final = (pq.ExecStatus.COPY_IN, pq.ExecStatus.COPY_OUT, pq.ExecStatus.COPY_BOTH)


@dataclass(frozen=True, slots=True)
class ScriptOutcome:
    """The last statement's tag as psql would say it, and its first value."""

    said: str
    value: str | None


class ScriptSession:
    """One connection; a script is one implicit transaction unless it says else."""

    def __init__(self, pgconn: pq.abc.PGconn) -> None:
        self._pgconn = pgconn
        pgconn.notice_handler = None

    @classmethod
    async def open(cls, url: str, application_name: str) -> ScriptSession:
        """Raises DatabaseUnavailable."""
        parameters = {**conninfo_to_dict(url), "application_name": application_name}
        return cls(await connect(make_conninfo("", **parameters)))

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._pgconn.backend_pid

    async def run(self, sql: str) -> ScriptOutcome:
        """Run it. Raises DatabaseError, DatabaseUnavailable; after the latter the session is of no more use."""
        outcome = ScriptOutcome("", None)
        self._pgconn.send_query(sql.encode())
        error: DatabaseError | None = None
        while True:
            try:
                result = await next_result(self._pgconn)
            except DatabaseError as raised:
                error = error or raised
                continue
            except psycopg.OperationalError as lost:
                raise DatabaseUnavailable(str(lost).strip()) from lost
            if result is None:
                break
            if result.status in COPIES:
                raise DatabaseUnavailable("a script cannot copy from or to its client")
            outcome = ScriptOutcome(_tag(result), _first(result))
        if error is not None:
            raise error
        return outcome

    def close(self) -> None:
        """Close the connection."""
        self._pgconn.finish()


def _tag(result: pq.abc.PGresult) -> str:
    tag = (result.command_status or b"").decode()
    if result.status == pq.ExecStatus.TUPLES_OK and tag.startswith("SELECT"):
        return f"{result.ntuples} row{'' if result.ntuples == 1 else 's'}"
    return tag


def _first(result: pq.abc.PGresult) -> str | None:
    if result.status != pq.ExecStatus.TUPLES_OK or not result.ntuples or not result.nfields:
        return None
    value = result.get_value(0, 0)
    return None if value is None else value.decode()
