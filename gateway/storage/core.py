"""What every handler uses: the database in the caller's role or as the schema's owner, and the blobs.

A write goes: 1. Postgres is asked, in the caller's role, whether the row may be written (and takes that back: it need
not reach the disk); 2. the bytes are written as a blob of a fresh version, which lasts from then on; 3. the row that
names the version commits, and with it (by a trigger) the version that it replaces becomes trash; 4. the trash is
removed. Of a small upload that will probably be allowed, 1 and 3 are one transaction after 2. A crash after 2 leaves a
blob that no row names, after 3 a version in the trash: both are found and removed later (`tidying`). No crash leaves a
row without its bytes. A commit whose outcome is unknown, because the connection was lost, leaves the blob to the check
as well.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
import uuid
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import orjson

from gateway.database import (
    READ_ONLY,
    Database,
    DatabaseError,
    DatabaseUnavailable,
    PoolTimeout,
    Result,
    Scope,
)
from gateway.database.statement import Statement, Value
from gateway.identity.tokens import Key
from gateway.lru_cache import ENTRY, Caches
from gateway.settings import Settings
from gateway.storage.blobs import BlobStore, Stored, StoreUnavailable, WrongStore
from gateway.storage.call import Call
from gateway.storage.counters import Counters
from gateway.storage.errors import (
    DATABASE_TIMEOUT,
    INTERNAL,
    KEY_EXISTS,
    NO_BLOB,
    NO_BUCKET,
    NO_KEY,
    RESOURCE_EXISTS,
    SLOW_DOWN,
    Row,
    StorageError,
    of_database,
)
from gateway.storage.row_cache import RowCache
from gateway.storage.rows import BUCKET_COLUMNS, BUCKET_WIDTH, OBJECT_COLUMNS, WHOLE_OBJECT, Bucket, Object
from gateway.storage.sql import LOCK_TIMEOUT, STATEMENT_TIMEOUT
from gateway.storage.tidying import claim, empty_trash

if TYPE_CHECKING:
    from gateway.storage.images.renderer import Renderer

log = logging.getLogger("gateway.storage")

ROW_SIZE: Final = 4_000  # bytes that an object's row and its headers take, without long texts
WRITERS: Final = 200_000  # bytes of the memory of who was allowed to write where
ALIKE: Final = 64  # versions that begin with the same two digits
TRASH_PAUSE: Final = 0.5  # seconds in which replaced versions gather, to be removed together

_OWNER: Final = (
    "storage.operation",
    "storage.allow_delete_query",
    "statement_timeout",
    "lock_timeout",
    "request.method",
    "request.path",
)
_CALLER: Final = (
    "role",
    "request.jwt.claims",
    "request.jwt.claim.role",
    "request.jwt.claim.sub",
    "request.jwt",
    "request.headers",
    *_OWNER,
)
_READER: Final = (*_CALLER, READ_ONLY)
_PROBE: Final = (*_CALLER, "synchronous_commit")  # what it writes is taken back: nobody waits for the disk to have it

GET_BUCKET: Final = f"select {BUCKET_COLUMNS} from storage.buckets as b where b.id = $1"
GET_OBJECT: Final = f"select {OBJECT_COLUMNS} from storage.objects as o where o.bucket_id = $1 and o.name = $2"
# One question for an address that anybody may open: the bucket, and beside it the object.
GET_PUBLIC: Final = (
    f"select {BUCKET_COLUMNS}, {OBJECT_COLUMNS} from storage.buckets as b"
    " left join storage.objects as o on o.bucket_id = b.id and o.name = $2 where b.id = $1"
)
# Reads as the owner need no settings, and no reset of the session after them: no policy and no other code of the
# application runs in them.
OWNER_READS: Final = Scope("supabase_storage_admin", code_free=True)
PROBE_INSERT: Final = "select storage_private.probe_insert($1, $2, $3, $4, $5, $6, $7)"
INSERT: Final = (
    "insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)"
    " values ($1, $2, $3, $4, $5, $6, $7)"
)
REPLACE: Final = (
    " on conflict (bucket_id, name) do update set owner = excluded.owner, owner_id = excluded.owner_id,"
    " version = excluded.version, metadata = excluded.metadata, user_metadata = excluded.user_metadata"
)
WRITE: Final = "select storage_private.write_object($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
RETURNING: Final = " returning o.id"
RETURNING_WHOLE: Final = f"{RETURNING}, {WHOLE_OBJECT}"


@dataclass(frozen=True, slots=True)
class CodeFree:
    """What is known to run no code of the application: a read of objects under policies, and the writing of a row past
    them (there are no triggers or defaults of the application's)."""

    reads: bool = False
    writes: bool = False


@dataclass(frozen=True, slots=True)
class NewRow:
    """A row that is to be written."""

    bucket_id: str
    name: str
    owner: str | None
    owner_id: str | None
    user_metadata: str | None = None


class Core:
    """Shared by all requests of a worker."""

    def __init__(
        self,
        settings: Settings,
        db: Database,
        blobs: BlobStore,
        signing: Callable[[], Key],
        verification: Callable[[], tuple[Key, ...]],
        clock: Callable[[], float] = time.time,
        rows: RowCache[Bucket, Object] | None = None,
        caches: Caches | None = None,
        code_free: Callable[[], CodeFree] = CodeFree,
    ) -> None:
        """`signing` gives the key of signed URLs, `verification` those that they are tried with; `code_free` says
        what of the work on objects is known to run no code of the application."""
        self.settings = settings
        self.db = db
        self.blobs = blobs
        self.signing = signing
        self.verification = verification
        self.clock = clock
        self._caches = caches or Caches(enabled=False)
        self.counters = Counters()
        self._renderer: Renderer | None = None
        self.rows = rows or RowCache(Caches(enabled=False))
        self._code_free = code_free
        self._allowed = self._caches.make("storage writers", WRITERS)
        self._random = b""
        self._folder = ""
        self._claimed = False
        self._emptying: asyncio.Task[None] | None = None
        self._has_trash = False

    @property
    def renderer(self) -> Renderer:
        """What makes pictures; most workers never have it."""
        if self._renderer is None:
            from gateway.storage.images.renderer import Renderer

            self._renderer = Renderer(self._caches)
        return self._renderer

    # --- asking Postgres -----------------------------------------------------------------------------------------

    def owner_scope(self, call: Call, *, code_free: bool = False) -> Scope:
        """As the owner of the storage schema, past every policy."""
        return Scope("supabase_storage_admin", _OWNER, self._common(call), code_free)

    def caller_scope(self, call: Call) -> Scope:
        """In the caller's role, with what policies may look at."""
        caller = call.caller
        assert caller is not None
        headers = orjson.dumps({name.decode("latin-1"): value.decode("latin-1") for name, value in call.headers})
        values: tuple[Value, ...] = (
            caller.role,
            caller.claims,
            caller.role,
            caller.sub or "",
            caller.token,
            headers,
            *self._common(call),
        )
        return Scope(caller.role, _CALLER, values)

    def reader_scope(self, call: Call) -> Scope:
        """The same for what only reads objects. Where no policy runs code of the application it can neither write nor
        leave anything in the session: such reads share connections, and nothing is reset after them."""
        scope = self.caller_scope(call)
        if not self._code_free().reads:
            return scope
        return Scope(scope.role, _READER, (*scope.values, "on"), code_free=True)

    @staticmethod
    def _common(call: Call) -> tuple[Value, ...]:
        return call.operation, "true", STATEMENT_TIMEOUT, LOCK_TIMEOUT, call.method, call.path

    async def ask(self, scope: Scope, text: str, *values: Value, exists: Row = RESOURCE_EXISTS) -> Result:
        """Run one statement. Raises StorageError."""
        try:
            return await self.db.run(scope, Statement(text, values))
        except DatabaseError as error:
            told = of_database(error, exists)
            if told.row.status >= 500:
                log.error("the database refused: %s", error)
            raise told from error
        except PoolTimeout as error:
            raise StorageError(SLOW_DOWN) from error
        except DatabaseUnavailable as error:
            log.error("database unavailable: %s", error.reason)
            raise StorageError(DATABASE_TIMEOUT) from error

    async def bucket(self, call: Call, id: str) -> Bucket:
        """A bucket, whoever asks. Raises StorageError."""
        found = self.rows.bucket(id)
        if found is not None:
            self.counters.rows_remembered += 1
            return found
        self.counters.rows_asked += 1
        generation = self.rows.generation
        rows = (await self.ask(OWNER_READS, GET_BUCKET, id)).rows
        if not rows:
            raise StorageError(NO_BUCKET)
        found = Bucket.read(rows[0])
        self.rows.keep_bucket(id, found, generation)
        return found

    async def object(self, call: Call, bucket: str, name: str, *, as_owner: bool = False) -> Object:
        """An object that the caller may see. Raises StorageError."""
        scope = OWNER_READS if as_owner else self.reader_scope(call)
        rows = (await self.ask(scope, GET_OBJECT, bucket, name)).rows
        if not rows:
            raise StorageError(NO_KEY)
        return Object.read(rows[0])

    async def public_object(self, bucket: str, name: str) -> Object:
        """An object of a public bucket, whoever asks; a private one is not there. Raises StorageError."""
        known = self.rows.bucket(bucket)
        if known is not None:
            if not known.public:
                raise StorageError(NO_BUCKET)
            return await self.any_object(bucket, name)
        self.counters.rows_asked += 1
        generation = self.rows.generation
        rows = (await self.ask(OWNER_READS, GET_PUBLIC, bucket, name)).rows
        if not rows:
            raise StorageError(NO_BUCKET)
        known = Bucket.read(rows[0][:BUCKET_WIDTH])
        self.rows.keep_bucket(bucket, known, generation)
        if not known.public:
            raise StorageError(NO_BUCKET)
        if rows[0][BUCKET_WIDTH] is None:
            raise StorageError(NO_KEY)
        return self._keep(Object.read(rows[0][BUCKET_WIDTH:]), generation)

    async def any_object(self, bucket: str, name: str) -> Object:
        """An object that is to be given out and that no policy is asked about. Raises StorageError."""
        found = self.rows.object(bucket, name)
        if found is not None:
            self.counters.rows_remembered += 1
            return found
        self.counters.rows_asked += 1
        generation = self.rows.generation
        rows = (await self.ask(OWNER_READS, GET_OBJECT, bucket, name)).rows
        if not rows:
            raise StorageError(NO_KEY)
        return self._keep(Object.read(rows[0]), generation)

    def _keep(self, found: Object, generation: int) -> Object:
        size = (
            ROW_SIZE + 2 * len(found.user_metadata or "") + 8 * sum(len(str(each)) for each in found.metadata.values())
        )
        self.rows.keep_object(found.bucket_id, found.name, found, size, generation)
        return found

    async def probe_insert(self, call: Call, row: NewRow, *, upsert: bool, mimetype: str, length: int | None) -> None:
        """Whether the caller may write a row, as far as it is known before the bytes are. Raises StorageError."""
        scope = self.caller_scope(call)
        await self.ask(
            Scope(scope.role, _PROBE, (*scope.values, "off"), code_free=True),
            PROBE_INSERT,
            row.bucket_id,
            row.name,
            row.owner,
            row.owner_id,
            _asked(mimetype, length),
            row.user_metadata or "{}",
            "true" if upsert else "false",
            exists=KEY_EXISTS,
        )
        self._allowed.put((scope.role, row.bucket_id), True, ENTRY + len(scope.role) + len(row.bucket_id))

    def will_allow(self, call: Call, bucket: str) -> bool:
        """Whether it is likely that the caller may write an object, and the row may be asked about and written in one
        transaction. The last upload of the role to the bucket is the sign: where it errs, bytes were taken in vain. A
        trigger of the application's would find the caller's settings there, so where there are any it is not done."""
        caller = call.caller
        assert caller is not None
        return self._code_free().writes and self._allowed.get((caller.role, bucket)) is not None

    def note(self, error: StorageError) -> None:
        """A request was refused."""
        self.counters.blobs_missing += error.row is NO_BLOB

    # --- writing -------------------------------------------------------------------------------------------------

    async def claim(self) -> None:
        """Before the first write: is this the store of these rows? Raises StorageError."""
        if self._claimed:
            return
        try:
            await claim(self.db, self.blobs)
        except WrongStore as error:
            log.error("nothing is written: %s", error)
            raise StorageError(INTERNAL) from error
        self._claimed = True

    def new_version(self) -> str:
        """Some that follow each other begin alike: their blobs lie in one folder, which is made to last once for all
        that come at the same time."""
        if not self._random:
            # Drawn together: the call lets other threads have the interpreter, which is to be won back each time.
            self._random = os.urandom(16 * ALIKE)
        drawn, self._random = self._random[:16], self._random[16:]
        version = str(uuid.UUID(bytes=drawn, version=4))
        if len(self._random) == 16 * (ALIKE - 1):
            self._folder = version[:2]
        return self._folder + version[2:]

    async def write_blob(self, pieces: AsyncIterator[bytes]) -> Stored:
        """A blob of a fresh version; nothing is left of one that does not come whole."""
        await self.claim()
        writer = self.blobs.writer(self.new_version())
        try:
            async for piece in pieces:
                await writer.write(piece)
            stored = await writer.finish()
        except BaseException:
            with suppress(StoreUnavailable):
                await writer.abort()
            raise
        self.counters.bytes_in += stored.size
        return stored

    async def commit(
        self, call: Call, row: NewRow, version: str, metadata: dict[str, Any], *, upsert: bool, whole: bool = False
    ) -> tuple[str, bytes]:
        """Write the row of a blob as the owner: its id, and the `whole` row as JSON where that is wanted. Raises
        StorageError, and then the blob is gone, unless it is not known whether the row was written."""
        try:
            result = await self.ask(
                self.owner_scope(call, code_free=self._code_free().writes),
                INSERT + (REPLACE if upsert else "") + (RETURNING_WHOLE if whole else RETURNING),
                row.bucket_id,
                row.name,
                row.owner,
                row.owner_id,
                version,
                orjson.dumps(metadata),
                row.user_metadata or "{}",
                exists=KEY_EXISTS,
            )
        except StorageError as error:
            await self._undo(error, version)
            raise
        self._written(row, upsert)
        id, *row_as_json = result.rows[0]
        return (id or b"").decode(), (row_as_json[0] if row_as_json else None) or b"{}"

    async def write(
        self,
        call: Call,
        row: NewRow,
        version: str,
        metadata: dict[str, Any],
        *,
        upsert: bool,
        mimetype: str,
        length: int | None,
    ) -> str:
        """Ask whether the caller may write the row of a blob, and write it as the owner, in one transaction: its id.
        Raises StorageError, as `commit` does."""
        scope = self.caller_scope(call)
        try:
            result = await self.ask(
                Scope("supabase_storage_admin", _CALLER[1:], scope.values[1:], code_free=True),
                WRITE,
                scope.role,
                row.bucket_id,
                row.name,
                row.owner,
                row.owner_id,
                _asked(mimetype, length),
                row.user_metadata or "{}",
                version,
                orjson.dumps(metadata),
                "true" if upsert else "false",
                exists=KEY_EXISTS,
            )
        except StorageError as error:
            self._allowed.discard((scope.role, row.bucket_id))
            await self._undo(error, version)
            raise
        self._written(row, upsert)
        return (result.value or b"").decode()

    async def _undo(self, error: StorageError, version: str) -> None:
        """Remove the blob of a row that was not written, if that is known."""
        if isinstance(error.__cause__, DatabaseError | PoolTimeout):
            with suppress(StoreUnavailable):
                await self.blobs.remove([version])

    def _written(self, row: NewRow, upsert: bool) -> None:
        if upsert:
            self.rows.forget(row.bucket_id, row.name)
            self.empty_trash_soon()

    def forget_all(self, bucket: str, names: Collection[str]) -> None:
        """Objects went."""
        for name in names:
            self.rows.forget(bucket, name)
        if names:
            self.empty_trash_soon()

    # --- trash ---------------------------------------------------------------------------------------------------

    def empty_trash_soon(self) -> None:
        """Rows went, or name other versions now: remove what they named, after the answer."""
        self._has_trash = True
        if self._emptying is None or self._emptying.done():
            self._emptying = asyncio.get_running_loop().create_task(self._empty_later())

    async def _empty_later(self) -> None:
        while self._has_trash:  # again for what came while it was looked for
            await asyncio.sleep(TRASH_PAUSE)
            self._has_trash = False
            try:
                await empty_trash(self.db, self.blobs)
            except (StoreUnavailable, DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
                self.counters.store_failures += isinstance(error, StoreUnavailable)
                log.warning("replaced blobs could not be removed yet: %s", error)

    async def settle(self) -> None:
        """Wait for what was left to do after answers."""
        if self._renderer is not None:
            await self._renderer.close()
        if self._emptying is not None:
            await asyncio.wait([self._emptying])


def _asked(mimetype: str, length: int | None) -> bytes:
    """The metadata that policies are shown of bytes that have not come yet."""
    return orjson.dumps({"mimetype": mimetype} if length is None else {"mimetype": mimetype, "contentLength": length})
