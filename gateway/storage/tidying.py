"""Rows and blobs brought together: which of one have nothing of the other, and what is done about it.

Two ways lead here: blobs that no row names (a crash between the writing of a blob and the commit of its row) and rows
whose blob is gone (a disk that was lost, a row written by SQL). Both lists are walked once, in the order of versions,
and what has no counterpart is looked up once more by itself, because the world goes on meanwhile. A blob younger than
`older` seconds is left alone: its row may be about to commit, which takes no longer than a statement may.
"""

from __future__ import annotations

import hashlib
import logging
import uuid
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from gateway.database import Database, Scope
from gateway.database.statement import Statement, Value
from gateway.storage.blobs import BlobMissing, BlobStore, Found, WrongStore
from gateway.storage.sql import STATEMENT_TIMEOUT, array

log = logging.getLogger("gateway.storage")

OLDER: Final = 86_400.0  # seconds
PAGE: Final = 1000
TRASH_MOST: Final = 500
LONGEST_WRITE: Final = 60.0  # seconds between a blob and the commit of its row, at most

OWNER: Final = Scope(
    "supabase_storage_admin",
    ("role", "storage.allow_delete_query", "statement_timeout"),
    ("supabase_storage_admin", "true", STATEMENT_TIMEOUT),
)
# Every place that names a version, and so keeps its blob.
NAMED: Final = (
    "select version from storage.objects where version = any ($1)"
    " union select version from storage.s3_multipart_uploads_parts where version = any ($1)"
    " union select version from storage_private.tus_parts where version = any ($1)"
    " union select version from storage_private.trash where version = any ($1)"
)
_GIVEN_UP: Final = (
    "delete from storage.s3_multipart_uploads as u"
    " where u.created_at < now() - make_interval(secs => $1::double precision) and not exists"
    " (select from storage.s3_multipart_uploads_parts as p where p.upload_id = u.id"
    " and p.created_at >= now() - make_interval(secs => $1::double precision))"
)
# None while a copy is made of a state in which rows still named them (gateway/operations/object_copies.py). Who has
# begun before that removes only what no row of the copy names.
COPY_LOCK: Final = 0x73746F72_616765
_TRASH: Final = (
    "select version from storage_private.trash where pg_try_advisory_xact_lock($2::bigint) order by since limit $1"
)
_ROWS: Final = (
    "select version, bucket_id, name, (metadata ->> 'size')::bigint, id, metadata ->> 'eTag' from storage.objects"
    ' where version collate "C" > $1 order by version collate "C" limit $2'
)
_WITHOUT: Final = (
    "select id, bucket_id, name from storage.objects where version is null"
    " and updated_at < now() - make_interval(secs => $1::double precision) limit $2"
)


@dataclass(slots=True)
class Report:
    """What a check found. `mended` says whether it did something about it."""

    blobs: int = 0
    bytes: int = 0
    rows: int = 0
    orphans: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    unfinished: int = 0
    trash: int = 0
    mended: bool = False

    @property
    def is_clean(self) -> bool:
        return not (self.orphans or self.lost or self.damaged)


async def claim(db: Database, blobs: BlobStore, *, adopt: bool = False) -> None:
    """Make sure that the store is the one that the rows are about; the first that meets is. Raises WrongStore.

    With `adopt` the rows are about this store from now on.
    """
    found = await blobs.identity(str(uuid.uuid4()))
    meet = "insert into storage_private.store (id) values ($1) on conflict (only_one) do "
    meet += "update set id = excluded.id" if adopt else "nothing"
    await db.run(OWNER, Statement(meet, (found,)))
    known = (await db.run(OWNER, Statement("select id from storage_private.store"))).value
    if known is None or known.decode() != found:
        raise WrongStore(
            "the blob store is not the one that this database's objects are in;"
            " if it has become that, `gateway storage check --adopt` says so"
        )


async def give_up_parts(db: Database, seconds: int) -> None:
    """End S3 uploads in parts that nobody has gone on with for so many seconds."""
    await db.run(OWNER, Statement(_GIVEN_UP, (str(seconds),)))


async def empty_trash(db: Database, blobs: BlobStore) -> int:
    """Give up uploads that have expired, and remove the blobs of all versions in the trash; how many there were.

    A version leaves the trash after its blob has gone, so that a crash between the two repeats a removal that does
    nothing.
    """
    await db.run(OWNER, Statement("delete from storage_private.tus_uploads where expires_at < now()"))
    removed = 0
    while True:
        rows = (await db.run(OWNER, Statement(_TRASH, (str(TRASH_MOST), str(COPY_LOCK))))).rows
        versions = [row[0].decode() for row in rows if row[0] is not None]
        if not versions:
            return removed
        await blobs.remove(versions)
        gone = "delete from storage_private.trash where version = any ($1)"
        await db.run(OWNER, Statement(gone, (array(versions),)))
        removed += len(versions)


async def check(
    db: Database,
    blobs: BlobStore,
    *,
    older: float = OLDER,
    mend: bool = False,
    rows_too: bool = False,
    deep: bool = False,
) -> Report:
    """Compare rows and blobs. With `mend` blobs without a row are removed, with `rows_too` rows without a blob as well;
    `deep` reads every blob and compares its bytes with its MD5. Raises WrongStore."""
    await claim(db, blobs)
    report = Report(mended=mend)
    report.trash = await empty_trash(db, blobs) if mend else await _count(db, "storage_private.trash")
    report.unfinished = await blobs.tidy(older) if mend else 0
    walk = _Walk(db, blobs, report, older, mend, rows_too, deep)
    await walk.run()
    return report


async def _count(db: Database, table: str) -> int:
    return int((await db.run(OWNER, Statement(f"select count(*) from {table}"))).value or 0)


@dataclass(slots=True)
class _Row:
    version: str
    path: str
    size: int | None
    id: str
    etag: str


class _Walk:
    """One pass over both lists."""

    def __init__(
        self, db: Database, blobs: BlobStore, report: Report, older: float, mend: bool, rows_too: bool, deep: bool
    ) -> None:
        self._db = db
        self._blobs = blobs
        self._report = report
        self._older = older
        self._mend = mend
        self._rows_too = rows_too
        self._deep = deep

    async def run(self) -> None:
        rows = self._rows()
        row = await anext(rows, None)
        async for page in self._blobs.list():
            unnamed: list[Found] = []
            for blob in page:
                self._report.blobs += 1
                self._report.bytes += blob.size
                while row is not None and row.version < blob.version:
                    await self._without_blob(row)
                    row = await anext(rows, None)
                matched = False
                while row is not None and row.version == blob.version:
                    matched = True
                    await self._compare(row, blob)
                    row = await anext(rows, None)
                if not matched and blob.age > self._older:
                    unnamed.append(blob)
            await self._without_row(unnamed)
        while row is not None:
            await self._without_blob(row)
            row = await anext(rows, None)
        await self._without_version()

    async def _rows(self) -> AsyncIterator[_Row]:
        after = ""
        while True:
            page = (await self._db.run(OWNER, Statement(_ROWS, (after, str(PAGE))))).rows
            for version, bucket, name, size, id, etag in page:
                after = (version or b"").decode()
                self._report.rows += 1
                path = f"{(bucket or b'').decode()}/{(name or b'').decode()}"
                yield _Row(
                    after, path, None if size is None else int(size), (id or b"").decode(), (etag or b"").decode()
                )
            if len(page) < PAGE:
                return

    async def _without_row(self, found: Sequence[Found]) -> None:
        if not found:
            return
        versions = [blob.version for blob in found]
        named = {
            row[0].decode() for row in (await self._db.run(OWNER, Statement(NAMED, (array(versions),)))).rows if row[0]
        }
        orphans = [version for version in versions if version not in named]
        self._report.orphans += orphans
        if orphans and self._mend:
            await self._blobs.remove(orphans)

    async def _without_blob(self, row: _Row) -> None:
        try:
            (await self._blobs.open(row.version)).close()
            return  # written since the list was made
        except BlobMissing:
            pass
        still = "select exists (select from storage.objects where id = $1 and version = $2)"
        if (await self._db.run(OWNER, Statement(still, (row.id, row.version)))).value == b"t":
            await self._lost(row.path, "id = $1 and version = $2", row.id, row.version)

    async def _without_version(self) -> None:
        """Rows that SQL wrote, and that never had bytes."""
        for id, bucket, name in (await self._db.run(OWNER, Statement(_WITHOUT, (str(self._older), str(PAGE))))).rows:
            path = f"{(bucket or b'').decode()}/{(name or b'').decode()}"
            await self._lost(path, "id = $1 and version is null", (id or b"").decode())

    async def _lost(self, path: str, condition: str, *values: Value) -> None:
        self._report.lost.append(path)
        if self._rows_too:
            await self._db.run(OWNER, Statement(f"delete from storage.objects where {condition}", values))

    async def _compare(self, row: _Row, blob: Found) -> None:
        if (row.size is not None and row.size != blob.size) or (self._deep and not await self._is_whole(row)):
            self._report.damaged.append(row.path)

    async def _is_whole(self, row: _Row) -> bool:
        digest = hashlib.md5(usedforsecurity=False)
        try:
            blob = await self._blobs.open(row.version)
        except BlobMissing:
            return True  # gone since
        try:
            async for piece in blob.read(0, blob.size):
                digest.update(piece)
        finally:
            blob.close()
        # What was written in parts has the hash of their hashes, as S3 has it.
        return "-" in row.etag or row.etag.strip('"') == digest.hexdigest()
