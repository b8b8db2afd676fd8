"""A replication connection: the log of one database, decoded by its server, streamed over a slot.

Speaks the streaming replication protocol through libpq, with the asynchronous form of reading: the blocking one would
keep the interpreter's lock. See https://www.postgresql.org/docs/current/protocol-replication.html. It goes to Postgres
itself: a pooler hands no replication on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from struct import Struct
from typing import Final

from psycopg import pq
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from gateway.database.errors import ConnectionLost, DatabaseError, DatabaseUnavailable, error_of
from gateway.database.opening import connect, next_result, ready, reason_of
from gateway.database.pool import PROMPT
from gateway.database.scope import Result, read_result
from gateway.database.statement import quote_literal, quote_name

MICROSECONDS_TO_2000: Final = 946_684_800_000_000
BATCH: Final = 256 * 1024  # bytes of the log that are handed on at once
# Texts of values are the same whatever the server or the login is set to.
FORMAT: Final = (
    "-c datestyle=ISO,YMD -c timezone=UTC -c intervalstyle=postgres -c bytea_output=hex -c extra_float_digits=1"
    " -c statement_timeout=0 -c idle_session_timeout=0 -c lock_timeout=0"
)
_DATA: Final = Struct("!QQq")
_ALIVE: Final = Struct("!QqB")
_STATUS: Final = Struct("!cQQQqB")


@dataclass(frozen=True, slots=True)
class LogData:
    """A message of the output plugin; `end` is the end of the server's log as it was then."""

    at: int
    end: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Alive:
    """The server has read its log up to `end` and found nothing (more) for this slot."""

    end: int
    answer: bool


def lsn_text(position: int) -> str:
    """A place in the log as Postgres writes it.

    >>> lsn_text(2 ** 32 + 255)
    '1/FF'
    """
    return f"{position >> 32:X}/{position & 0xFFFFFFFF:X}"


def lsn_of(text: str) -> int:
    """A place in the log out of Postgres' text. Raises ValueError.

    >>> lsn_of("1/FF")
    4294967551
    """
    high, low = text.split("/")
    return int(high, 16) << 32 | int(low, 16)


class ReplicationConnection:
    """One connection; first for commands, then, after `start`, for the stream."""

    def __init__(self, pgconn: pq.abc.PGconn) -> None:
        self._pgconn = pgconn
        self._loop = asyncio.get_running_loop()

    @classmethod
    async def open(cls, url: str, application_name: str) -> ReplicationConnection:
        """Raises DatabaseUnavailable: also where the login may not replicate, or no sender is free."""
        parameters = conninfo_to_dict(url)
        given = str(parameters.get("options") or "")
        parameters |= {
            "replication": "database",
            "application_name": application_name,
            "client_encoding": "utf8",
            "options": f"{given} {FORMAT}".strip(),
        }
        for name, value in PROMPT.items():
            parameters.setdefault(name, value)
        return cls(await connect(make_conninfo("", **parameters)))

    async def command(self, text: str) -> Result:
        """Run one statement or replication command; its last rows. Raises DatabaseError, DatabaseUnavailable."""
        result = Result((), [], "")
        try:
            self._pgconn.send_query(text.encode())
            while (found := await next_result(self._pgconn)) is not None:
                if found.status == pq.ExecStatus.TUPLES_OK:
                    result = read_result(found)
        except DatabaseError:
            with suppress(Exception):  # what follows an error is of no matter
                while self._pgconn.get_result() is not None:
                    pass
            raise
        except Exception as error:
            raise self._lost(error) from error
        return result

    async def start(self, slot: str, position: int, publications: Sequence[str]) -> None:
        """Begin to stream from the slot's confirmed place, or from `position` if that is later. Raises DatabaseError,
        DatabaseUnavailable."""
        named = ",".join(map(quote_name, publications))
        text = (
            f"START_REPLICATION SLOT {quote_name(slot)} LOGICAL {lsn_text(position)}"
            f" (proto_version '1', publication_names {quote_literal(named).strip()})"
        )
        try:
            self._pgconn.send_query(text.encode())
            while self._pgconn.flush():
                await ready(self._loop, self._pgconn.socket, write=True)
            while self._pgconn.is_busy():
                await ready(self._loop, self._pgconn.socket, write=False)
                self._pgconn.consume_input()
            result = self._pgconn.get_result()
        except Exception as error:
            raise self._lost(error) from error
        if result is None or result.status != pq.ExecStatus.COPY_BOTH:
            if result is not None and result.status == pq.ExecStatus.FATAL_ERROR:
                raise error_of(result)
            raise ConnectionLost("the server does not stream")

    async def receive(self) -> list[LogData | Alive]:
        """What has come; waits for at least one message. Raises DatabaseError, DatabaseUnavailable."""
        found: list[LogData | Alive] = []
        size = 0
        try:
            while True:
                length, data = self._pgconn.get_copy_data(1)
                if length > 0:
                    raw = bytes(data)
                    size += len(raw)
                    message = _parse(raw)
                    if message is not None:
                        found.append(message)
                    if size < BATCH:
                        continue
                    return found
                if length < 0:
                    self._ended()
                if found:
                    return found
                await ready(self._loop, self._pgconn.socket, write=False)
                self._pgconn.consume_input()
        except (DatabaseError, DatabaseUnavailable):
            raise
        except Exception as error:
            raise self._lost(error) from error

    async def confirm(self, position: int) -> None:
        """Tell the server that its log up to `position` is needed no more, and that this end lives. Raises
        DatabaseUnavailable."""
        now = int(time.time() * 1_000_000) - MICROSECONDS_TO_2000
        try:
            self._pgconn.put_copy_data(_STATUS.pack(b"r", position, position, position, now, 0))
            while self._pgconn.flush():
                await ready(self._loop, self._pgconn.socket, write=True)
        except Exception as error:
            raise self._lost(error) from error

    def close(self) -> None:
        """Let go of the slot and of every lock; safe to call twice."""
        self._pgconn.finish()

    def _ended(self) -> None:
        """The server ended the stream: raise why."""
        result = self._pgconn.get_result()
        if result is not None and result.status == pq.ExecStatus.FATAL_ERROR:
            raise error_of(result)
        raise ConnectionLost(reason_of(self._pgconn) or "the stream has ended")

    def _lost(self, error: Exception) -> DatabaseUnavailable:
        if isinstance(error, DatabaseUnavailable):
            return error
        return ConnectionLost(" ".join(str(error).split()) or "connection closed")


def _parse(raw: bytes) -> LogData | Alive | None:
    if raw[:1] == b"w":
        at, end, _ = _DATA.unpack_from(raw, 1)
        return LogData(at, end, raw[1 + _DATA.size :])
    if raw[:1] == b"k":
        end, _, answer = _ALIVE.unpack_from(raw, 1)
        return Alive(end, bool(answer))
    return None
