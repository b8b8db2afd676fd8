"""Taking bytes in: a raw body or a form, checked before it is read, written as a blob, and committed as a row."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

from gateway.storage.blobs import CHUNK, Stored
from gateway.storage.call import Body, Call, json_object
from gateway.storage.core import Core, NewRow
from gateway.storage.errors import TOO_LARGE, StorageError
from gateway.storage.form import Form
from gateway.storage.names import PLACEHOLDER, check_key, check_robots, check_type
from gateway.storage.rows import Bucket, content_metadata

FORM_ROOM: Final = 2 * 1_048_576  # bytes that a form may have beside its file
DEFAULT_TYPE: Final = "application/octet-stream"


@dataclass(slots=True)
class Incoming:
    """What is known of an upload before its bytes come."""

    pieces: AsyncIterator[bytes]
    mimetype: str
    cache_control: str
    user_metadata: str | None
    declared: int | None
    is_form: bool


async def incoming(call: Call) -> Incoming:
    """The head of an upload, which of a form is what stands before the file. Raises StorageError."""
    kind = call.header(b"content-type") or ""
    metadata = call.user_metadata()
    if not kind.lower().startswith("multipart/form-data"):
        cache = call.header(b"cache-control") or "no-cache"
        return Incoming(call.chunks(), kind or DEFAULT_TYPE, cache, metadata, call.declared_length, False)
    form = Form(kind, call.chunks())
    await form.begin()
    fields = form.fields
    text = fields.get("metadata", fields.get("userMetadata"))
    age = fields.get("cacheControl")
    return Incoming(
        form.pieces(),
        fields.get("contentType") or form.content_type or DEFAULT_TYPE,
        f"max-age={age}" if age else "no-cache",
        metadata if text is None else json_object(text.encode()),
        call.declared_length,
        True,
    )


def size_limit(core: Core, bucket: Bucket) -> int:
    """The largest object that a bucket takes."""
    limits = [bucket.file_size_limit, core.settings.storage_file_size_limit]
    return min(limit for limit in limits if limit is not None)


def check_size(call: Call, given: Incoming, limit: int) -> None:
    """Refuse what says of itself that it is too long. Raises StorageError."""
    if given.declared is not None and given.declared > limit + (FORM_ROOM if given.is_form else 0):
        raise StorageError(TOO_LARGE, what="object")


async def take(core: Core, bucket: Bucket, key: str, given: Incoming) -> Stored:
    """The bytes as a blob. Raises StorageError where there are too many."""
    limit = 0 if is_placeholder(key) else size_limit(core, bucket)
    return await core.write_blob(aiter(Body(given.pieces, limit)))


def is_placeholder(key: str) -> bool:
    """Whether an object only makes its folder seen."""
    return key.rpartition("/")[2] == PLACEHOLDER


async def upload(core: Core, call: Call, *, upsert: bool) -> tuple[str, str]:
    """Write an object of the caller's: its key with the bucket, and the id of its row. Raises StorageError."""
    caller = call.caller
    assert caller is not None
    key = call.params["key"]
    bucket = await core.bucket(call, call.params["bucket"])
    robots = check_robots(call.header(b"x-robots-tag"))
    given = await incoming(call)
    check_given(core, call, bucket, key, given)
    row = NewRow(bucket.id, key, caller.owner, caller.sub, given.user_metadata)
    id, _ = await place(core, call, bucket, row, given, robots, upsert=upsert)
    return f"{bucket.id}/{row.name}", id


def check_given(core: Core, call: Call, bucket: Bucket, key: str, given: Incoming) -> None:
    """Everything that can be refused without asking Postgres. Raises StorageError."""
    if not is_placeholder(key):
        check_type(given.mimetype, bucket.allowed_mime_types)
    check_size(call, given, 0 if is_placeholder(key) else size_limit(core, bucket))
    check_key(key)


async def place(
    core: Core, call: Call, bucket: Bucket, row: NewRow, given: Incoming, robots: str | None = None, *, upsert: bool
) -> tuple[str, Stored]:
    """Bytes and row of the caller's, who is asked about before the bytes come; of a small body after them, where it is
    likely that he may. The id of the row. Raises StorageError."""
    small = given.declared is not None and given.declared < CHUNK

    async def probe() -> None:
        await core.probe_insert(call, row, upsert=upsert, mimetype=given.mimetype, length=given.declared)

    if not small or not core.will_allow(call, bucket.id):
        await probe()
        return await finish(core, call, bucket, row, given, robots, upsert=upsert)
    try:
        stored = await take(core, bucket, row.name, given)
    except StorageError:
        await probe()  # who may not write hears that, whatever he sends
        raise
    metadata = _metadata(core, stored, given, robots)
    id = await core.write(
        call, row, stored.version, metadata, upsert=upsert, mimetype=given.mimetype, length=given.declared
    )
    return id, stored


async def finish(
    core: Core, call: Call, bucket: Bucket, row: NewRow, given: Incoming, robots: str | None, *, upsert: bool
) -> tuple[str, Stored]:
    """Bytes and row of an upload that was allowed: the row's id. Raises StorageError."""
    stored = await take(core, bucket, row.name, given)
    id, _ = await core.commit(call, row, stored.version, _metadata(core, stored, given, robots), upsert=upsert)
    return id, stored


def _metadata(core: Core, stored: Stored, given: Incoming, robots: str | None) -> dict[str, Any]:
    return content_metadata(
        size=stored.size,
        md5=stored.md5,
        mimetype=given.mimetype,
        cache_control=given.cache_control,
        now=core.clock(),
        robots=robots,
    )
