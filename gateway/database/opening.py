"""Opening a connection without blocking the loop, and what its session turns out to be."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import replace

from psycopg import pq

from gateway.database.conninfo import attempts
from gateway.database.errors import DatabaseUnavailable, error_of
from gateway.database.libpq_codes import FATAL_ERROR, PIPELINE_SYNC, TUPLES_OK
from gateway.database.poolers import OWN, QUESTION, SessionKind, session
from gateway.database.scope import read_result


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
                    raise DatabaseUnavailable(reason_of(pgconn))
                polled = pgconn.connect_poll()
                if polled == pq.PollingStatus.OK:
                    break
                if polled == pq.PollingStatus.FAILED:
                    raise DatabaseUnavailable(reason_of(pgconn))
                await ready(loop, pgconn.socket, write=polled == pq.PollingStatus.WRITING)
    except TimeoutError:
        host = pgconn.host.decode() if pgconn.host else "the server"
        pgconn.finish()
        raise DatabaseUnavailable(f"{host} did not answer within {seconds:g} s") from None
    except BaseException:
        pgconn.finish()
        raise
    pgconn.nonblocking = 1
    return pgconn


async def ready(loop: asyncio.AbstractEventLoop, fd: int, write: bool) -> None:
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


async def execute(pgconn: pq.abc.PGconn, sql: str) -> None:
    pgconn.send_query(sql.encode())
    while await next_result(pgconn) is not None:
        pass


async def next_result(pgconn: pq.abc.PGconn) -> pq.abc.PGresult | None:
    """What comes next, None at the end of a statement's results. Raises DatabaseError."""
    loop = asyncio.get_running_loop()
    while pgconn.flush():
        await ready(loop, pgconn.socket, write=True)
    while pgconn.is_busy():
        await ready(loop, pgconn.socket, write=False)
        pgconn.consume_input()
    result = pgconn.get_result()
    if result is not None and result.status == FATAL_ERROR:
        raise error_of(result)
    return result


async def find_session(pgconn: pq.abc.PGconn, prepared: bool | None) -> SessionKind:
    """What is at the connection's other end, asked in one trip and one transaction. Raises DatabaseError."""
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
    while (result := await next_result(pgconn)) is None or result.status != PIPELINE_SYNC:
        if result is not None and result.status == TUPLES_OK:
            (answer,) = read_result(result).rows
    pgconn.exit_pipeline_mode()
    found = session(
        pgconn.backend_pid, int(answer[0] or 0), answer[1] == b"t", answer[2] == b"t", (answer[3] or b"0").decode()
    )
    return replace(found, named=found.named and bool(name), calls_reset=answer[4] == b"t")


def reason_of(pgconn: pq.abc.PGconn) -> str:
    return " ".join(pgconn.get_error_message().split())
