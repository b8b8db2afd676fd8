"""Files of storage, by the S3 protocol of the other end: rows moved before, and each names the bytes that belong to it.

A file that is here already, as long as its row says, is passed over: what was interrupted goes on where it was.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import obstore
from obstore.exceptions import BaseError
from obstore.store import S3Store

from gateway.database import SyncConnection
from gateway.storage.blobs import VERSION, BlobMissing, BlobStore, StoreUnavailable

AT_ONCE: Final = 8
_MD5: Final = 32


@dataclass(frozen=True, slots=True)
class Place:
    """The S3 protocol of a project's storage: its endpoint and what signs requests."""

    endpoint: str
    region: str
    access_key: str
    secret_key: str

    def bucket(self, name: str) -> Any:
        """One of its buckets."""
        return S3Store(
            name,
            endpoint=self.endpoint.rstrip("/"),
            region=self.region,
            access_key_id=self.access_key,
            secret_access_key=self.secret_key,
            virtual_hosted_style_request=False,
            client_options={"allow_http": self.endpoint.startswith("http://"), "timeout": "300s"},
        )


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file, as the table of objects names it; a size or ETag that it does not tell is None."""

    id: str
    bucket: str
    name: str
    version: str
    size: int | None
    etag: str
    kind: str


@dataclass(slots=True)
class Moved:
    """How many files and bytes moved, how many were there, and which did not move and why."""

    files: int = 0
    bytes: int = 0
    there: int = 0
    failed: list[str] = field(default_factory=list)


def rows(connection: SyncConnection) -> list[FileRow]:
    """All files. A row without a version that names bytes gets one. Raises DatabaseError."""
    found = []
    for id, bucket, name, version, size, etag, kind in connection.rows(ROWS):
        if version is None or not VERSION.fullmatch(version):
            version = str(uuid.uuid4())
            connection.rows("update storage.objects set version = $2 where id = $1::uuid", id, version)
        length = int(size) if size and size.isdecimal() else None
        found.append(FileRow(str(id), str(bucket), str(name), version, length, (etag or "").strip('"'), kind or ""))
    return found


async def bring(files: Sequence[FileRow], place: Place, store: BlobStore, told: Callable[[Moved], None]) -> Moved:
    """Have the bytes of all files here."""

    async def one(row: FileRow, bucket: Any, moved: Moved) -> None:
        if await _is_here(store, row):
            moved.there += 1
            return
        writer = store.writer(row.version)
        try:
            answer = await obstore.get_async(bucket, row.name)
            async for piece in answer.stream(min_chunk_size=1 << 20):
                await writer.write(bytes(piece))
            stored = await writer.finish()
            wrong = row.size is not None and stored.size != row.size
            if wrong or (len(row.etag) == _MD5 and stored.md5 != row.etag):
                raise ValueError(f"its {stored.size} bytes are not those that its row names")
        except BaseException:
            await writer.abort()
            raise
        moved.files += 1
        moved.bytes += stored.size

    return await _each(files, place, one, told)


async def send(files: Sequence[FileRow], place: Place, store: BlobStore, told: Callable[[Moved], None]) -> Moved:
    """Have the bytes of all files there."""

    async def one(row: FileRow, bucket: Any, moved: Moved) -> None:
        blob = await store.open(row.version)

        async def pieces() -> AsyncIterator[bytes]:
            async for piece in blob.read(0, blob.size):
                yield piece

        try:
            await obstore.put_async(
                bucket, row.name, pieces(), attributes={"Content-Type": row.kind} if row.kind else {}
            )
        finally:
            blob.close()
        moved.files += 1
        moved.bytes += blob.size

    return await _each(files, place, one, told)


async def _is_here(store: BlobStore, row: FileRow) -> bool:
    try:
        blob = await store.open(row.version)
    except BlobMissing:
        return False
    size = blob.size
    blob.close()
    return row.size in (None, size)


async def _each(
    files: Sequence[FileRow], place: Place, one: Callable[..., Any], told: Callable[[Moved], None]
) -> Moved:
    moved = Moved()
    buckets = {name: place.bucket(name) for name in {row.bucket for row in files}}
    waiting = iter(files)

    async def work() -> None:
        for row in waiting:
            try:
                await one(row, buckets[row.bucket], moved)
            except (BaseError, BlobMissing, StoreUnavailable, OSError, ValueError) as error:
                moved.failed.append(f"{row.bucket}/{row.name}: {(str(error).splitlines() or ['missing'])[0][:200]}")
            told(moved)

    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    return moved


ROWS: Final = """
  select id::text, bucket_id, name, version, metadata ->> 'size', metadata ->> 'eTag', metadata ->> 'mimetype'
  from storage.objects order by bucket_id, name
"""
