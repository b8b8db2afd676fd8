"""Notifications: one connection that listens, and opens itself again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from psycopg import pq
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from gateway.database.errors import DatabaseError, DatabaseUnavailable
from gateway.database.opening import connect, execute, find_session, ready, reason_of
from gateway.database.pool import BACKOFF_LIMIT

log = logging.getLogger("gateway.database")


RENEW_SESSIONS: Final = "reload sessions"  # notified when sessions must begin anew under other settings


class _Unheard(Exception):
    """At the connection's other end is a pooler, which hands no notifications on."""


class _Renewed(Exception):
    """Sessions are to begin anew, this one too."""


class Listener:
    """LISTEN on a connection of its own; reconnects for ever with back-off up to 32 s.

    `on_notify(payload)` is called for each notification, and `on_connect()` after each (re)connection, so that
    whatever was missed in between can be made up for; `on_lost()` when a connection that listened is given up. With
    `pulse` one that was silent for so many seconds is asked something: a network that is gone does not say so.
    `prepared` is that of `Database`.
    """

    def __init__(
        self,
        url: str,
        channel: str,
        on_notify: Callable[[str], None],
        on_connect: Callable[[], None],
        prepared: bool | None = None,
        on_lost: Callable[[], None] = lambda: None,
        pulse: float | None = None,
    ) -> None:
        parameters = conninfo_to_dict(url)
        parameters.setdefault("application_name", "gateway listener")
        self._conninfo = make_conninfo("", **parameters)
        self._channel = channel
        self._on_notify = on_notify
        self._on_connect = on_connect
        self._prepared = prepared
        self._on_lost = on_lost
        self._pulse = pulse
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
                log.warning("a listener lost its connection, next attempt in %.0f s: %s", self._delay, error)
            await asyncio.sleep(self._delay)
            self._delay = min(BACKOFF_LIMIT, self._delay * 2)

    async def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        pgconn = await connect(self._conninfo)
        listens = False
        try:
            if not (await find_session(pgconn, self._prepared)).own:
                raise _Unheard
            channel = self._channel.replace('"', '""')
            await execute(pgconn, f'listen "{channel}"')
            self._delay = 1.0
            listens = True
            self._on_connect()
            while True:
                while (notify := pgconn.notifies()) is not None:
                    self._tell(notify.extra.decode("utf-8", "replace"))
                    if notify.extra == RENEW_SESSIONS.encode():
                        raise _Renewed
                try:
                    async with asyncio.timeout(self._pulse):
                        await ready(loop, pgconn.socket, write=False)
                except TimeoutError:
                    await self._try(pgconn)
                pgconn.consume_input()
                if pgconn.status != pq.ConnStatus.OK:
                    raise DatabaseUnavailable(reason_of(pgconn) or "connection closed")
        except Exception as error:
            if isinstance(error, DatabaseUnavailable | DatabaseError | OSError | _Unheard | _Renewed):
                raise
            raise DatabaseUnavailable(str(error).strip()) from error
        finally:
            if listens:
                self._on_lost()
            pgconn.finish()

    def _tell(self, payload: str) -> None:
        """Anybody may notify of anything: what cannot be understood must not cost what is said behind it."""
        try:
            self._on_notify(payload)
        except Exception:
            log.exception("a notification on channel %s was not understood", self._channel)

    async def _try(self, pgconn: pq.abc.PGconn) -> None:
        """Is anybody there? Raises DatabaseUnavailable."""
        try:
            async with asyncio.timeout(self._pulse):
                await execute(pgconn, "select 1")
        except TimeoutError:
            raise DatabaseUnavailable("the listening connection does not answer") from None
