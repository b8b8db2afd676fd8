"""Whether the storage API's bytes are where its rows say, by looking at a few of them: for `gateway doctor`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from gateway.database import SyncConnection
from gateway.settings import Settings
from gateway.storage.blobs import BlobMissing, StoreUnavailable
from gateway.storage.compose import blob_store

LOOKED_AT: Final = 20  # objects, the newest
OLD_TRASH: Final = 3600  # seconds


@dataclass(frozen=True, slots=True)
class StorageState:
    """`unavailable` says why the store cannot be used; `lost` of the objects that were `looked_at` have no bytes;
    `old_trash` are versions that should have been removed long ago."""

    objects: int
    bytes: int
    looked_at: int
    lost: int
    old_trash: int
    unavailable: str = ""


def look(settings: Settings, connection: SyncConnection) -> StorageState | None:
    """None where there is no storage schema. Raises DatabaseError."""
    if connection.rows("select to_regclass('storage.objects') is null")[0][0] == "t":
        return None
    count, size = connection.rows(
        "select count(*), coalesce(sum((metadata ->> 'size')::bigint), 0) from storage.objects"
    )[0]
    newest = connection.rows(
        "select version from storage.objects where version is not null order by updated_at desc limit $1",
        str(LOOKED_AT),
    )
    versions = [str(row[0]) for row in newest]
    ((trash,),) = connection.rows(
        "select count(*) from storage_private.trash where since < now() - make_interval(secs => $1::double precision)",
        str(OLD_TRASH),
    )
    lost, unavailable = 0, ""
    try:
        lost = asyncio.run(_lost(settings, versions)) if versions else 0
    except (StoreUnavailable, ValueError) as error:
        unavailable = str(error)
    return StorageState(int(count or 0), int(size or 0), len(versions), lost, int(trash or 0), unavailable)


async def _lost(settings: Settings, versions: list[str]) -> int:
    store = blob_store(settings)
    lost = 0
    try:
        for version in versions:
            try:
                (await store.open(version)).close()
            except BlobMissing:
                lost += 1
    finally:
        await store.close()
    return lost
