"""Partitions of `realtime.messages`: the job worker makes those of the days to come and drops those that are over."""

from __future__ import annotations

import asyncio
import logging
from typing import Final

from gateway.database import NO_SCOPE, Database, DatabaseError, DatabaseUnavailable, PoolTimeout
from gateway.database.statement import Statement

log = logging.getLogger("gateway.jobs")

EVERY: Final = 4 * 3600.0  # seconds
AGAIN: Final = 60.0  # seconds after an attempt that failed
KEEP: Final = Statement("select realtime_private.keep_partitions()")


async def keep_partitions(database: Database) -> None:
    """Make and drop them until cancelled."""
    while True:
        await asyncio.sleep(EVERY if await kept(database) else AGAIN)


async def kept(database: Database) -> bool:
    """Make and drop what is due; whether that could be done."""
    try:
        await database.run(NO_SCOPE, KEEP)
    except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
        log.warning("PartitionCreationFailed: %s", error)
        return False
    return True
