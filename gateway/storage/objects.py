"""`/object`: upload, download, info, copy, move and delete."""

from __future__ import annotations

from typing import Any, Final

import orjson

from gateway.http.messages import Response
from gateway.storage.blobs import BlobMissing, StoreUnavailable
from gateway.storage.call import Call, Reply, raw_reply, reply
from gateway.storage.core import Core, NewRow
from gateway.storage.download import Finder, object_headers, serve
from gateway.storage.errors import (
    ACCESS_DENIED,
    KEY_EXISTS,
    NO_BLOB,
    NO_KEY,
    NO_RELATED,
    RESOURCE_EXISTS,
    TOO_MANY_PATHS,
    StorageError,
)
from gateway.storage.names import check_key
from gateway.storage.rows import WHOLE_OBJECT, Object, http_date, moment_of
from gateway.storage.sql import array
from gateway.storage.upload import upload
from gateway.storage.validate import Field, boolean, check, shape, text
from gateway.storage.validate import array as list_of

_COPY: Final = {
    "bucketId": Field(text(1), required=True),
    "sourceKey": Field(text(1), required=True),
    "destinationBucket": Field(text()),
    "destinationKey": Field(text(1), required=True),
    "metadata": Field(shape({"cacheControl": Field(text()), "mimetype": Field(text())})),
    "copyMetadata": Field(boolean, default=True),
}
_MOVE: Final = {name: _COPY[name] for name in ("bucketId", "sourceKey", "destinationBucket", "destinationKey")}
_DELETE: Final = {"prefixes": Field(list_of(text(), 1), required=True)}


# --- upload ---------------------------------------------------------------------------------------------------------


async def create(core: Core, call: Call) -> Response:
    key, id = await upload(core, call, upsert=call.upsert)
    return reply({"Key": key, "Id": id})


async def replace(core: Core, call: Call) -> Response:
    key, id = await upload(core, call, upsert=True)
    return reply({"Key": key, "Id": id})


# --- download -------------------------------------------------------------------------------------------------------


def finder(core: Core, call: Call, *, as_owner: bool = False, as_anybody: bool = False) -> Finder:
    return Finder(core, call, call.params["bucket"], call.params["key"], as_owner=as_owner, as_anybody=as_anybody)


async def readable(core: Core, call: Call) -> Finder:
    """Who finds the object for its reader: policies do not count in public buckets. Raises StorageError."""
    if call.caller is None:
        return finder(core, call, as_anybody=True)
    bucket = await core.bucket(call, call.params["bucket"])
    return finder(core, call, as_owner=bucket.public)


async def get_public(core: Core, call: Call) -> Reply:
    return await serve(core, call, finder(core, call, as_anybody=True))


async def get(core: Core, call: Call) -> Reply:
    return await serve(core, call, await readable(core, call))


async def info(core: Core, call: Call) -> Reply:
    return _info(core, call, await (await readable(core, call))())


async def info_public(core: Core, call: Call) -> Reply:
    return _info(core, call, await finder(core, call, as_anybody=True)())


def _info(core: Core, call: Call, row: Object) -> Reply:
    if call.method == "HEAD":
        headers = object_headers(core, call, row, None)
        return Response(200, [*headers, (b"content-length", b"%d" % row.size)])
    body = orjson.dumps(
        {
            "id": row.id,
            "name": row.name,
            "version": row.version,
            "bucket_id": row.bucket_id,
            "size": row.metadata.get("size"),
            "content_type": row.metadata.get("mimetype"),
            "cache_control": row.metadata.get("cacheControl"),
            "etag": row.metadata.get("eTag"),
            "metadata": orjson.Fragment(row.user_metadata or "null"),
            "last_modified": moment_of(row.updated_at),
            "created_at": row.created_at,
        }
    )
    made = raw_reply(body)
    made.headers += [
        (b"etag", row.etag.encode()),
        (b"last-modified", http_date(row.modified).encode()),
        (b"cache-control", row.cache_control.encode()),
    ]
    return made


# --- copy and move --------------------------------------------------------------------------------------------------


async def copy(core: Core, call: Call) -> Response:
    """The bytes once more under another version, and a row of the caller's that names it."""
    given = check("body", _COPY, await call.json())
    caller = call.caller
    assert caller is not None
    bucket = given["bucketId"]
    target_bucket = given.get("destinationBucket") or bucket
    target = given["destinationKey"]
    check_key(target)
    source = await core.object(call, bucket, given["sourceKey"])
    metadata = dict(source.metadata)
    user_metadata = source.user_metadata
    if not given["copyMetadata"]:
        wanted = given.get("metadata") or {}
        metadata.update(wanted)
        user_metadata = call.user_metadata()
    row = NewRow(target_bucket, target, caller.owner, caller.sub, user_metadata)
    await core.probe_insert(call, row, upsert=call.upsert, mimetype=str(metadata.get("mimetype")), length=source.size)
    version = await copied(core, source)
    metadata["lastModified"] = moment_of(core.clock())
    id, whole = await core.commit(call, row, version, metadata, upsert=call.upsert, whole=True)
    head = orjson.dumps({"Key": f"{target_bucket}/{target}", "Id": id})
    return raw_reply(head[:-1] + b"," + whole.strip()[1:])


async def copied(core: Core, source: Object) -> str:
    """The version of a copy of an object's bytes. Raises StorageError."""
    version = core.new_version()
    try:
        await core.blobs.copy(source.version, version)
    except BlobMissing:
        raise StorageError(NO_BLOB) from None
    return version


async def move(core: Core, call: Call) -> Response:
    """Another name, and the bytes under another version: what was remembered of the old name is not valid for it."""
    given = check("body", _MOVE, await call.json())
    caller = call.caller
    assert caller is not None
    bucket, key = given["bucketId"], given["sourceKey"]
    target_bucket, target = given.get("destinationBucket") or bucket, given["destinationKey"]
    check_key(target)
    source = await core.object(call, bucket, key)
    if (bucket, key) == (target_bucket, target):
        return reply({"message": "Successfully moved"})
    probed = await core.ask(
        core.caller_scope(call),
        "select storage_private.probe_move($1, $2, $3, $4, $5, $6)",
        bucket,
        key,
        target_bucket,
        target,
        caller.owner,
        caller.sub,
        exists=RESOURCE_EXISTS,
    )
    if probed.value != b"t":
        raise StorageError(ACCESS_DENIED)
    version = await copied(core, source)
    try:
        moved = await core.ask(
            core.owner_scope(call),
            "update storage.objects set bucket_id = $1, name = $2, version = $3, owner = $4, owner_id = $5"
            " where id = $6 and version = $7 returning id",
            target_bucket,
            target,
            version,
            caller.owner,
            caller.sub,
            source.id,
            source.version,
        )
    except StorageError as error:
        if error.row in (RESOURCE_EXISTS, NO_RELATED):
            await _discard(core, version)
        raise
    if moved.value is None:  # replaced or deleted meanwhile
        await _discard(core, version)
        raise StorageError(NO_KEY)
    core.rows.forget(bucket, key)
    core.empty_trash_soon()
    return reply({"message": "Successfully moved"})


async def _discard(core: Core, version: str) -> None:
    try:
        await core.blobs.remove([version])
    except StoreUnavailable:
        return  # the check finds it


# --- delete ---------------------------------------------------------------------------------------------------------


async def delete(core: Core, call: Call) -> Response:
    bucket, key = call.params["bucket"], call.params["key"]
    await core.object(call, bucket, key, as_owner=True)
    result = await core.ask(
        core.caller_scope(call), "delete from storage.objects where bucket_id = $1 and name = $2", bucket, key
    )
    if result.tag == "DELETE 0":
        raise StorageError(ACCESS_DENIED)
    core.forget_all(bucket, [key])
    return reply({"message": "Successfully deleted"})


async def delete_many(core: Core, call: Call) -> Response:
    given = check("body", _DELETE, await call.json())
    keys: list[Any] = given["prefixes"]
    most = core.settings.storage_max_delete
    if most and len(keys) > most:
        raise StorageError(TOO_MANY_PATHS, most=most)
    result = await core.ask(
        core.caller_scope(call),
        "with gone as (delete from storage.objects as o where o.bucket_id = $1 and o.name = any ($2)"
        f" returning o.*) select coalesce(json_agg({WHOLE_OBJECT}), '[]') from gone as o",
        call.params["bucket"],
        array(keys),
        exists=KEY_EXISTS,
    )
    core.forget_all(call.params["bucket"], keys)
    return raw_reply(result.value or b"[]")
