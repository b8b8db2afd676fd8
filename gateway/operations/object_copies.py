"""The bytes of objects in a copy: `objects.tar`, a file for each version that a row of the copy names.

They are read while the copy's snapshot is held and nothing in the trash is removed, so that every row of the copy has
its bytes. Each is hashed on its way in and held against its row's ETag; what was lost or damaged before is in the
manifest by name, for a copy that does not come to be helps nobody. On the way back a version that the store has stays.
"""

from __future__ import annotations

import asyncio
import hashlib
import tarfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from gateway.database import SyncConnection
from gateway.settings import Settings
from gateway.storage.blobs import CHUNK, VERSION, Blob, BlobMissing, BlobStore, StoreUnavailable
from gateway.storage.compose import blob_store
from gateway.storage.tidying import COPY_LOCK

OBJECTS: Final = "objects.tar"
SHOWN: Final = 20  # names of a kind that a manifest has
_ROWS: Final = (
    "select version, bucket_id || '/' || name, metadata ->> 'eTag', metadata ->> 'size' from storage.objects"
    ' where version is not null order by version collate "C"'
)


class ObjectsDiffer(Exception):
    """A copy's objects are not those of its rows; the message is one line."""


def is_there(connection: SyncConnection) -> bool:
    """Whether a database has objects at all."""
    return connection.rows("select to_regclass('storage.objects') is not null")[0][0] == "t"


@contextmanager
def held(connection: SyncConnection) -> Iterator[None]:
    """Meanwhile no version in the trash is removed: a row of the snapshot may still name it."""
    connection.rows("select pg_advisory_lock_shared($1::bigint)", str(COPY_LOCK))
    try:
        yield
    finally:
        connection.rows("select pg_advisory_unlock_shared($1::bigint)", str(COPY_LOCK))


def pack(connection: SyncConnection, settings: Settings, target: Path) -> dict[str, Any]:
    """Write the objects of the connection's snapshot; what the manifest says of them. Raises StoreUnavailable."""
    rows = connection.rows(_ROWS)
    stores = connection.rows("select id from storage_private.store")
    said: dict[str, Any] = {
        "count": 0,
        "bytes": 0,
        "lost": [],
        "damaged": [],
        "differing": {},  # by version: the hash of each damaged one, as it was packed
        "store": stores[0][0] if stores else None,
    }
    store = blob_store(settings)
    with asyncio.Runner() as runner, tarfile.open(target, "w") as archive:
        for version, name, etag, size in rows:
            try:
                blob = runner.run(store.open(str(version)))
            except BlobMissing:
                said["lost"].append(name)
                continue
            reader = _Reader(runner, blob)
            info = tarfile.TarInfo(str(version))
            info.size = blob.size
            try:
                archive.addfile(info, reader)  # type: ignore[arg-type]  # it only reads
            finally:
                blob.close()
            said["count"] += 1
            said["bytes"] += blob.size
            if str(blob.size) != size or not _is(etag, reader.digest):
                said["damaged"].append(name)
                said["differing"][str(version)] = reader.digest
        runner.run(store.close())
    for kind in ("lost", "damaged"):
        said[f"{kind}_count"] = len(said[kind])
        said[kind] = said[kind][:SHOWN]
    return said


def verify(connection: SyncConnection, packed: Path, said: dict[str, Any]) -> None:
    """Hold what was packed against the rows of a restored copy, hash by hash; what was damaged before against the hash
    that it had then. Raises ObjectsDiffer."""
    rows = {str(row[0]): row for row in connection.rows(_ROWS)}
    differing: dict[str, str] | None = said.get("differing")  # copies of before 0.8.0 have none
    found = 0
    with tarfile.open(packed) as archive:
        for info in archive:
            row = rows.pop(info.name, None)
            if row is None:
                raise ObjectsDiffer(f"{info.name} is of no object of the copy")
            file = archive.extractfile(info)
            assert file is not None
            digest = hashlib.md5(usedforsecurity=False)
            while piece := file.read(CHUNK):
                digest.update(piece)
            found += 1
            if differing is None and said["damaged_count"]:
                continue
            if not _is((differing or {}).get(info.name, row[2]), digest.hexdigest()):
                raise ObjectsDiffer(f"the bytes of {row[1]} are not those that its row names")
    if found != said["count"] or len(rows) != said["lost_count"]:
        raise ObjectsDiffer(f"{len(rows)} objects of the copy have no bytes in it")


def put_back(settings: Settings, packed: Path, said: dict[str, Any]) -> int:
    """Write what the store has not got; how many that were. Raises StoreUnavailable, tarfile.TarError."""
    written = 0
    store = blob_store(settings)
    with asyncio.Runner() as runner, tarfile.open(packed) as archive:
        if said.get("store"):
            runner.run(store.identity(said["store"]))  # a new store is the one that the rows are about
        for info in archive:
            if VERSION.fullmatch(info.name) and not runner.run(_has(store, info.name, info.size)):
                file = archive.extractfile(info)
                assert file is not None
                runner.run(_write(store, info.name, iter(lambda file=file: file.read(CHUNK), b"")))  # type: ignore[misc]
                written += 1
        runner.run(store.close())
    return written


async def _has(store: BlobStore, version: str, size: int) -> bool:
    try:
        blob = await store.open(version)
    except BlobMissing:
        return False
    blob.close()
    return blob.size == size


async def _write(store: BlobStore, version: str, pieces: Iterator[bytes]) -> None:
    writer = store.writer(version)
    try:
        for piece in pieces:
            await writer.write(piece)
        await writer.finish()
    except BaseException:
        with suppress(StoreUnavailable):
            await writer.abort()
        raise


def _is(etag: str | None, digest: str) -> bool:
    """Whether bytes are those of an ETag; one of several parts says nothing of the whole."""
    return not etag or "-" in etag or etag.strip('"') == digest


class _Reader:
    """A blob as a file for tarfile, hashed while it is read."""

    def __init__(self, runner: asyncio.Runner, blob: Blob) -> None:
        self._runner = runner
        self._pieces: AsyncIterator[bytes] = aiter(blob.read(0, blob.size))
        self._buffer = bytearray()
        self._hash = hashlib.md5(usedforsecurity=False)

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()

    def read(self, size: int) -> bytes:
        while len(self._buffer) < size:
            piece = self._runner.run(self._next())
            if piece is None:
                break
            self._hash.update(piece)
            self._buffer += piece
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    async def _next(self) -> bytes | None:
        return await anext(self._pieces, None)
