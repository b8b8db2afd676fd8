"""Objects by the S3 protocol: put, get, head, copy, delete."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from gateway.http.messages import Response
from gateway.storage.call import Call, Reply
from gateway.storage.core import NewRow
from gateway.storage.download import SANDBOX, Finder, header_value, is_inert, serve
from gateway.storage.errors import ACCESS_DENIED, INVALID_PARAMETER, NO_KEY, StorageError
from gateway.storage.names import PLACEHOLDER, check_key
from gateway.storage.objects import copied
from gateway.storage.rows import Object, moment_of
from gateway.storage.s3 import chunks
from gateway.storage.s3.errors import MALFORMED_XML, NO_LENGTH, PRECONDITION
from gateway.storage.s3.request import Asked, answer, metadata_headers, source_of
from gateway.storage.sql import array
from gateway.storage.upload import DEFAULT_TYPE, Incoming, check_given, place

MOST_DELETED: Final = 1000
_OVERRIDES: Final = ("cache-control", "content-disposition", "content-encoding", "content-language", "expires")


async def put(asked: Asked) -> Response:
    """Always in the place of what is there."""
    key = asked.key
    if key.endswith("/") and asked.payload.length == 0:
        key += PLACEHOLDER
    if asked.payload.length is None:
        raise StorageError(NO_LENGTH)
    given = Incoming(
        chunks.pieces(asked.call.chunks(), asked.payload),
        asked.header("content-type") or DEFAULT_TYPE,
        asked.header("cache-control") or "no-cache",
        asked.user_metadata(),
        asked.payload.length,
        False,
    )
    etag = await write(asked, key, given)
    return Response(200, [(b"etag", etag.encode()), (b"content-length", b"0")])


async def write(asked: Asked, key: str, given: Incoming) -> str:
    """An object of the caller's; its ETag. Raises StorageError."""
    core, call = asked.core, asked.call
    caller = call.caller
    assert caller is not None
    bucket = await core.bucket(call, asked.bucket)
    check_given(core, call, bucket, key, given)
    row = NewRow(bucket.id, key, caller.owner, caller.sub, given.user_metadata)
    _, stored = await place(core, call, bucket, row, given, upsert=True)
    return f'"{stored.md5}"'


# --- reading --------------------------------------------------------------------------------------------------------


class _Find(Finder):
    """Looks the object up, and keeps what was found last."""

    row: Object | None = None

    async def __call__(self) -> Object:
        self.row = await super().__call__()
        return self.row


async def get(asked: Asked) -> Reply:
    """As the other routes give it, with what is S3's own."""
    call = asked.call
    find = _Find(asked.core, call, asked.bucket, asked.key)

    async def found() -> Object:
        row = await find()
        if _fails(call, row):
            raise StorageError(PRECONDITION)
        return row

    reply = await serve(asked.core, call, found)
    row = find.row
    assert row is not None
    headers = dict(reply.headers)
    del headers[b"x-robots-tag"]
    kind = asked.query.get("response-content-type") or row.mimetype
    if reply.status != 304:
        headers[b"content-type"] = header_value("content-type", kind)
    headers.pop(b"content-security-policy", None)
    if not is_inert(kind):
        headers[b"content-security-policy"] = SANDBOX
    headers[b"cache-control"] = header_value("cache-control", row.cache_control)
    for name in _OVERRIDES:
        value = asked.query.get(f"response-{name}")
        if value is not None:
            headers[name.encode()] = header_value(name, value)
    reply.headers = [*headers.items(), *metadata_headers(row.user_metadata)]
    return reply


def _fails(call: Call, row: Object) -> bool:
    """Whether If-Match or If-Unmodified-Since says that another object was meant."""
    tags = call.header(b"if-match")
    if tags is not None:
        return tags.strip() != "*" and row.etag not in [_quoted(tag) for tag in tags.split(",")]
    since = _moment(call.header(b"if-unmodified-since"))
    return since is not None and row.modified.replace(microsecond=0) > since


def _quoted(tag: str) -> str:
    return '"' + tag.strip().strip('"') + '"'


def _moment(text: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text) if text is not None else None
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment


async def tagging(asked: Asked) -> Response:
    await asked.core.object(asked.call, asked.bucket, asked.key)
    return answer(asked.call, {"Tagging": {"TagSet": ""}})


# --- copying --------------------------------------------------------------------------------------------------------


async def copy(asked: Asked) -> Response:
    core, call = asked.core, asked.call
    caller = call.caller
    assert caller is not None
    source = await copy_source(asked)
    check_key(asked.key)
    directive = (asked.header("x-amz-metadata-directive") or "COPY").upper()
    if directive not in ("COPY", "REPLACE"):
        raise StorageError(INVALID_PARAMETER, name="MetadataDirective")
    metadata: dict[str, Any] = dict(source.metadata)
    user_metadata = source.user_metadata
    if directive == "REPLACE":
        metadata["mimetype"] = asked.header("content-type") or DEFAULT_TYPE
        metadata["cacheControl"] = asked.header("cache-control") or "no-cache"
        user_metadata = asked.user_metadata()
    await core.bucket(call, asked.bucket)
    row = NewRow(asked.bucket, asked.key, caller.owner, caller.sub, user_metadata)
    await core.probe_insert(call, row, upsert=True, mimetype=str(metadata.get("mimetype")), length=source.size)
    version = await copied(core, source)
    metadata["lastModified"] = moment_of(core.clock())
    await core.commit(call, row, version, metadata, upsert=True)
    return answer(call, {"CopyObjectResult": {"ETag": source.etag, "LastModified": metadata["lastModified"]}})


async def copy_source(asked: Asked) -> Object:
    """The object that is to be copied, if it is as it was said to be. Raises StorageError."""
    bucket, key = source_of(asked.header("x-amz-copy-source") or "")
    row = await asked.core.object(asked.call, bucket, key)
    if not row.version:
        raise StorageError(NO_KEY)
    header = asked.header
    match, other = header("x-amz-copy-source-if-match"), header("x-amz-copy-source-if-none-match")
    newer = _moment(header("x-amz-copy-source-if-modified-since"))
    older = _moment(header("x-amz-copy-source-if-unmodified-since"))
    changed = row.modified.replace(microsecond=0)
    if (
        (match is not None and _quoted(match) != row.etag)
        or (other is not None and _quoted(other) == row.etag)
        or (newer is not None and changed <= newer)
        or (older is not None and match is None and changed > older)
    ):
        raise StorageError(PRECONDITION)
    return row


# --- deleting -------------------------------------------------------------------------------------------------------

_DELETE: Final = "delete from storage.objects where bucket_id = $1 and name = any ($2) returning name"
_KEPT: Final = "select name from storage.objects where bucket_id = $1 and name = any ($2)"


async def delete(asked: Asked) -> Response:
    """Also of what is not there."""
    if asked.key not in await _delete(asked, [asked.key]):
        await asked.core.bucket(asked.call, asked.bucket)
        if asked.key in await _kept(asked, [asked.key]):
            raise StorageError(ACCESS_DENIED)
    return Response(204)


async def delete_many(asked: Asked) -> Response:
    body = await asked.xml("Delete")
    if body is None:
        raise StorageError(MALFORMED_XML)
    keys = [each.value("Key") or "" for each in body.all("Object")]
    if len(keys) > MOST_DELETED:
        raise StorageError(MALFORMED_XML)
    gone = await _delete(asked, keys) if keys else set()
    left = [key for key in keys if key not in gone]
    kept = await _kept(asked, left) if left else set()
    if not gone and not kept:
        await asked.core.bucket(asked.call, asked.bucket)
    deleted = [{"Key": key} for key in keys if key not in kept]
    errors = [{"Key": key, "Code": "AccessDenied", "Message": "Access Denied"} for key in keys if key in kept]
    quiet = (body.value("Quiet") or "").strip().lower() == "true"
    return answer(asked.call, {"DeleteResult": {"Deleted": [] if quiet else deleted, "Error": errors}})


async def _delete(asked: Asked, keys: list[str]) -> set[str]:
    """As the caller; the names that went."""
    core = asked.core
    result = await core.ask(core.caller_scope(asked.call), _DELETE, asked.bucket, array(keys))
    gone = {(row[0] or b"").decode() for row in result.rows}
    core.forget_all(asked.bucket, gone)
    return gone


async def _kept(asked: Asked, keys: list[str]) -> set[str]:
    """What is still there, whoever may see it."""
    core = asked.core
    result = await core.ask(core.owner_scope(asked.call), _KEPT, asked.bucket, array(keys))
    return {(row[0] or b"").decode() for row in result.rows}
