"""Buckets by the S3 protocol. What the caller may is for policies on storage.buckets."""

from __future__ import annotations

from gateway.http.messages import Response
from gateway.storage import buckets
from gateway.storage.errors import BUCKET_EXISTS, NO_BUCKET, StorageError
from gateway.storage.names import check_bucket_name
from gateway.storage.rows import iso
from gateway.storage.s3.request import Asked, answer


async def find_all(asked: Asked) -> Response:
    core, call = asked.core, asked.call
    text = f'select name, {iso("created_at")} from storage.buckets order by name collate "C"'
    rows = (await core.ask(core.caller_scope(call), text)).rows
    found = [{"Name": (name or b"").decode(), "CreationDate": (made or b"").decode()} for name, made in rows]
    return answer(call, {"ListAllMyBucketsResult": {"Buckets": {"Bucket": found}}})


async def create(asked: Asked) -> Response:
    await asked.xml("CreateBucketConfiguration")
    core, call = asked.core, asked.call
    check_bucket_name(asked.bucket)
    caller = call.caller
    assert caller is not None
    await core.ask(
        core.caller_scope(call),
        "insert into storage.buckets (id, name, owner, owner_id, public) values ($1, $1, $2, $3, $4)",
        asked.bucket,
        caller.owner,
        caller.sub,
        "true" if asked.header("x-amz-acl") == "public-read" else "false",
        exists=BUCKET_EXISTS,
    )
    return Response(200, [(b"location", b"/" + asked.bucket.encode()), (b"content-length", b"0")])


async def delete(asked: Asked) -> Response:
    await buckets.delete_named(asked.core, asked.call, asked.bucket)
    return Response(204)


async def head(asked: Asked) -> Response:
    await _readable(asked)
    region = asked.core.settings.storage_s3_region.encode()
    return Response(200, [(b"x-amz-bucket-region", region), (b"content-length", b"0")])


async def location(asked: Asked) -> Response:
    await _readable(asked)
    return answer(asked.call, {"LocationConstraint": asked.core.settings.storage_s3_region})


async def versioning(asked: Asked) -> Response:
    await _readable(asked)
    return answer(asked.call, {"VersioningConfiguration": {"Status": "Suspended", "MfaDelete": "Disabled"}})


async def _readable(asked: Asked) -> None:
    """Raises StorageError for a bucket that the caller does not see."""
    core = asked.core
    found = await core.ask(core.caller_scope(asked.call), "select id from storage.buckets where id = $1", asked.bucket)
    if found.value is None:
        raise StorageError(NO_BUCKET)
