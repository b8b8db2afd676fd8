"""The storage API's rows and bytes are brought together: replaced bytes every few minutes, lost ones once a day."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Final

from gateway.database import Database, DatabaseError, DatabaseUnavailable, PoolTimeout
from gateway.database.statement import Statement
from gateway.settings import Settings
from gateway.storage.blobs import BlobStore, StoreUnavailable, WrongStore
from gateway.storage.compose import blob_store
from gateway.storage.tidying import OWNER, check, claim, empty_trash, give_up_parts

log = logging.getLogger("gateway.jobs")

EVERY: Final = 300.0  # seconds
CHECK_EVERY: Final = 86_400.0


async def keep_storage_tidy(settings: Settings, database: Database) -> None:
    """Remove bytes that no row names until cancelled. Rows are left alone: `gateway storage check` tells of those that
    have no bytes."""
    blobs = blob_store(settings)
    checked = time.monotonic()
    try:
        while True:
            is_due = time.monotonic() - checked >= CHECK_EVERY
            if is_due:
                await _give_up(settings, database)
            if await tidy(database, blobs, whole=is_due) and is_due:
                checked = time.monotonic()
            await asyncio.sleep(EVERY)
    finally:
        await blobs.close()


async def tidy(database: Database, blobs: BlobStore, *, whole: bool) -> bool:
    """Once; whether it could be done."""
    try:
        if whole:
            report = await check(database, blobs, mend=True)
            if report.orphans or report.unfinished:
                log.info("%d blobs that no row names removed", len(report.orphans) + report.unfinished)
            if report.lost or report.damaged:
                log.error(
                    "%d objects have lost their bytes, %d have others: see `gateway storage check`",
                    len(report.lost), len(report.damaged),
                )  # fmt: skip
        elif await _has_trash(database):
            await claim(database, blobs)
            await empty_trash(database, blobs)
    except WrongStore as error:
        log.error("the storage API's bytes are not looked after: %s", error)
        return False
    except (DatabaseError, DatabaseUnavailable, PoolTimeout, StoreUnavailable) as error:
        log.warning("the storage API's bytes could not be looked after: %s", error)
        return False
    return True


async def _give_up(settings: Settings, database: Database) -> None:
    """Uploads in parts that nobody goes on with; their bytes become trash."""
    try:
        await give_up_parts(database, settings.s3_multipart_seconds)
    except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
        log.warning("uploads in parts could not be given up: %s", error)


async def _has_trash(database: Database) -> bool:
    text = (
        "select exists (select from storage_private.trash)"
        " or exists (select from storage_private.tus_uploads where expires_at < now())"
    )
    return (await database.run(OWNER, Statement(text))).value == b"t"
