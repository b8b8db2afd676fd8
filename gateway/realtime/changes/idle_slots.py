"""Slots that a gateway has left when all of it ended at once: dropped when nobody has read from them for a while."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Final

from gateway.database import Database, DatabaseError, DatabaseUnavailable, PoolTimeout, Scope
from gateway.database.statement import Statement
from gateway.realtime.changes.slot import CannotRead, drop_idle

log = logging.getLogger("gateway.realtime.changes")

_LEFT: Final = Statement(
    "select count(*) from pg_replication_slots join pg_database d on slot_name = 'gateway_changes_' || d.oid"
    " where datname = current_database() and not active"
)


class IdleSlots:
    """Looked for again and again, beside the workers."""

    def __init__(self, database: Database, urls: Sequence[str], patience: float) -> None:
        """`patience` is in seconds; `urls` are logins that may read the log."""
        self._database = database
        self._urls = urls
        self._patience = patience
        self._since = 0.0  # when one was first seen

    async def look(self, now: float | None = None) -> bool:
        """Drop what is left; whether there was something."""
        now = time.monotonic() if now is None else now
        try:
            left = (await self._database.run(Scope(code_free=True), _LEFT)).value != b"0"
            self._since = (self._since or now) if left else 0.0
            if not left or not self._urls or now - self._since < self._patience:
                return False
            await drop_idle(self._urls)
        except (CannotRead, DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
            log.info("a slot that may be left could not be looked for: %s", error)
            return False
        self._since = 0.0
        log.info("a slot that nobody reads was dropped")
        return True
