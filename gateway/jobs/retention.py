"""What is kept for a time only, by the settings in days: the job worker removes what is older, once an hour."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Final

from gateway.database import NO_SCOPE, Database, DatabaseError, DatabaseUnavailable, PoolTimeout
from gateway.database.statement import Statement
from gateway.operations.backup import prune_safety_copies
from gateway.settings import Settings

log = logging.getLogger("gateway.jobs")

EVERY: Final = 3600.0  # seconds
MOST: Final = 1000  # rows of a table at once
KINDS: Final = Statement("select kind, max(days) as days from gateway.retention group by kind order by kind")
FORGET: Final = "select gateway.forget($1, $2::integer, $3::integer)"


async def keep_for_a_time(settings: Settings, database: Database) -> None:
    """Remove what is too old until cancelled."""
    while True:
        await forget_old(settings, database)
        await asyncio.sleep(EVERY)


async def forget_old(settings: Settings, database: Database, most: int = MOST) -> None:
    """Remove what is too old; days of 0 keep a kind for ever."""
    try:
        await asyncio.to_thread(prune_safety_copies, settings, time.time())
    except OSError as error:
        log.warning("old copies cannot be removed: %s", error)
    days = {**settings.retention_days, "audit": settings.audit_days, "mails": settings.mails_days}
    try:
        kinds = {str(row["kind"]): int(row["days"] or 0) for row in (await database.run(NO_SCOPE, KINDS)).texts()}
    except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
        log.warning("what is old could not be looked for, it is tried again in an hour: %s", error)
        return
    for kind in sorted(settings.retention_days.keys() - kinds.keys()):
        log.warning("GATEWAY_%s_DAYS is without effect: nothing of that kind is registered", kind.upper())
    for kind, given in kinds.items():
        if (kept := days.get(kind, given)) > 0:
            await _forget(database, kind, kept, most)


async def _forget(database: Database, kind: str, days: int, most: int) -> None:
    total = 0
    try:
        while removed := int(
            (await database.run(NO_SCOPE, Statement(FORGET, (kind, str(days), str(most))))).value or 0
        ):
            total += removed
    except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
        log.warning("old %s could not be removed, it is tried again in an hour: %s", kind, error)
    if total:
        log.info("%d rows of %s older than %d days removed", total, kind, days)
