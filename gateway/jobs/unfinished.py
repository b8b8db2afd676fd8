"""Restores that were killed: the job worker ends the maintenance they left, so that writes are not refused for ever."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from gateway.database import NO_SCOPE, Database, DatabaseError, DatabaseUnavailable, PoolTimeout, SyncConnection
from gateway.database.statement import Statement
from gateway.operations.maintenance import MaintenanceError
from gateway.operations.restore import settle
from gateway.settings import Settings

log = logging.getLogger("gateway.jobs")

LOOK: Final = 10.0  # seconds
IS_RESTORING: Final = Statement(
    "select exists (select from gateway.maintenance where kind = 'restore')"
    " and current_setting('default_transaction_read_only') = 'on'"
)


async def settle_restores(settings: Settings, database: Database, url: str, every: float = LOOK) -> None:
    """Settle until cancelled."""
    while True:
        try:
            if (await database.run(NO_SCOPE, IS_RESTORING)).value == b"t" and await asyncio.to_thread(
                _settle, settings, url
            ):
                log.warning("a restore was killed; what it left is settled, writes are taken again")
        except (DatabaseError, DatabaseUnavailable, PoolTimeout, MaintenanceError) as error:
            log.debug("could not look for restores that were killed: %s", error)
        await asyncio.sleep(every)


def _settle(settings: Settings, url: str) -> bool:
    with SyncConnection(url) as connection:
        return settle(connection, settings)
