"""Uploads in parts by the S3 protocol.

Each part is a blob, named by its row; the object is made of them when the client says that all are there, and its row
is written in the statement that ends the upload, so that of two who complete it one does. Parts of an upload that ended
go the way of every version that no row names any more.
"""

from __future__ import annotations

import hashlib
import uuid
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import orjson

from gateway.database import DatabaseError, PoolTimeout
from gateway.http.messages import Response
from gateway.storage.blobs import BlobMissing, Stored, StoreUnavailable
from gateway.storage.call import Body
from gateway.storage.core import REPLACE, NewRow
from gateway.storage.download import parse_range
from gateway.storage.errors import INVALID_PARAMETER, NO_BLOB, NO_UPLOAD, TOO_LARGE, StorageError
from gateway.storage.names import check_key, check_type
from gateway.storage.rows import content_metadata, iso, moment_of
from gateway.storage.s3 import chunks
from gateway.storage.s3.errors import MALFORMED_XML, NO_LENGTH, NO_PART, PART_ORDER, WRONG_PART
from gateway.storage.s3.listing import read_token, write_token
from gateway.storage.s3.objects import copy_source
from gateway.storage.s3.request import Asked, answer
from gateway.storage.s3.signature import encode
from gateway.storage.upload import DEFAULT_TYPE, is_placeholder, size_limit

MOST_PARTS: Final = 10_000
MOST_LISTED: Final = 1000
_PARTS: Final = "storage.s3_multipart_uploads_parts"
_UPLOADS: Final = "storage.s3_multipart_uploads"


@dataclass(slots=True)
class MultipartUpload:
    """A row of an upload; the sizes are of its other parts."""

    id: str
    owner_id: str | None
    user_metadata: str | None
    mimetype: str
    cache_control: str
    size: int


@dataclass(frozen=True, slots=True)
class UploadPart:
    """A row of a part."""

    number: int
    etag: str
    version: str
    size: int
    moment: str


# --- operations -----------------------------------------------------------------------------------------------------


async def create(asked: Asked) -> Response:
    core, call = asked.core, asked.call
    caller = call.caller
    assert caller is not None
    bucket = await core.bucket(call, asked.bucket)
    check_key(asked.key)
    mimetype = asked.header("content-type") or DEFAULT_TYPE
    if not is_placeholder(asked.key):
        check_type(mimetype, bucket.allowed_mime_types)
    metadata = {"mimetype": mimetype, "cacheControl": asked.header("cache-control") or "no-cache"}
    upload = MultipartUpload("", caller.sub, asked.user_metadata(), mimetype, metadata["cacheControl"], 0)
    await _permit(asked, upload)
    id = f"{core.new_version()}.{uuid.uuid4().hex}"
    await core.ask(
        core.owner_scope(call),
        f"insert into {_UPLOADS} (id, upload_signature, bucket_id, key, version, owner_id, user_metadata, metadata)"
        " values ($1, '', $2, $3, $4, $5, $6, $7)",
        id,
        asked.bucket,
        asked.key,
        core.new_version(),
        caller.sub,
        upload.user_metadata,
        orjson.dumps(metadata),
    )
    made = {"Bucket": asked.bucket, "Key": asked.key, "UploadId": id}
    return answer(call, {"InitiateMultipartUploadResult": made})


async def put_part(asked: Asked) -> Response:
    length = asked.payload.length
    if length is None:
        raise StorageError(NO_LENGTH)
    number = _number(asked)
    upload = await _find(asked, number)
    await _permit(asked, upload)
    most = await _room(asked, upload, length)
    body = Body(chunks.pieces(asked.call.chunks(), asked.payload), most)
    part = await asked.core.write_blob(aiter(body))
    await _keep(asked, upload, number, part, most)
    return Response(200, [(b"etag", f'"{part.md5}"'.encode()), (b"content-length", b"0")])


async def copy_part(asked: Asked) -> Response:
    """A part of the bytes of another object."""
    core = asked.core
    number = _number(asked)
    upload = await _find(asked, number)
    source = await copy_source(asked)
    range_ = asked.header("x-amz-copy-source-range")
    start, length = 0, source.size
    if range_ is not None:
        span = parse_range(range_, source.size)
        start, length = span.start, span.length
    await _permit(asked, upload)
    most = await _room(asked, upload, length)
    try:
        blob = await core.blobs.open(source.version)
    except BlobMissing:
        raise StorageError(NO_BLOB) from None
    try:
        part = await core.write_blob(blob.read(start, length))
    finally:
        blob.close()
    await _keep(asked, upload, number, part, most)
    made = {"ETag": f'"{part.md5}"', "LastModified": moment_of(core.clock())}
    return answer(asked.call, {"CopyPartResult": made})


async def list_parts(asked: Asked) -> Response:
    upload = await _find(asked)
    # As for who would go on with it: names of what others upload are nobody's business.
    await _permit(asked, upload)
    most = asked.number("max-parts", MOST_LISTED, MOST_LISTED, 1)
    marker = asked.number("part-number-marker", 0, MOST_PARTS)
    parts = [part for part in await _parts(asked) if part.number > marker]
    shown, more = parts[:most], len(parts) > most
    return answer(
        asked.call,
        {
            "ListPartsResult": {
                "Bucket": asked.bucket,
                "Key": asked.key,
                "UploadId": upload.id,
                "PartNumberMarker": marker,
                "NextPartNumberMarker": shown[-1].number if more else None,
                "MaxParts": most,
                "IsTruncated": more,
                "Part": [
                    {"PartNumber": part.number, "LastModified": part.moment, "ETag": part.etag, "Size": part.size}
                    for part in shown
                ],
                "StorageClass": "STANDARD",
            }
        },
    )


async def list_uploads(asked: Asked) -> Response:
    core, query = asked.core, asked.query
    await core.bucket(asked.call, asked.bucket)
    most = asked.number("max-uploads", MOST_LISTED, MOST_LISTED, 1)
    prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
    key_marker, id_marker = query.get("key-marker") or None, query.get("upload-id-marker") or None
    code = encode if query.get("encoding-type") == "url" else None

    def said(text: str) -> str:
        return code(text.encode()) if code is not None else text

    rows = (
        await core.ask(
            core.caller_scope(asked.call),
            "select key, id,"
            f" {iso('created_at')} from storage.list_multipart_uploads_with_delimiter($1, $2, $3, $4::integer, $5, $6)",
            asked.bucket,
            prefix,
            delimiter,
            str(most + 1),
            read_token(key_marker) if key_marker else "",
            read_token(id_marker) if id_marker else "",
        )
    ).rows
    found = [tuple((value or b"").decode() for value in row) for row in rows]
    shown, more = found[:most], len(found) > most
    folds = [key for key, _, _ in shown if delimiter and delimiter in key[len(prefix) :]]
    return answer(
        asked.call,
        {
            "ListMultipartUploadsResult": {
                "Bucket": asked.bucket,
                "Prefix": said(prefix),
                "KeyMarker": key_marker,
                "UploadIdMarker": id_marker,
                "NextKeyMarker": write_token(shown[-1][0]) if more else None,
                "NextUploadIdMarker": write_token(shown[-1][1]) if more else None,
                "Upload": [
                    {"Key": said(key), "Initiated": moment, "UploadId": id, "StorageClass": "STANDARD"}
                    for key, id, moment in shown
                    if key not in folds
                ],
                "IsTruncated": more,
                "MaxUploads": most,
                "Delimiter": said(delimiter) or None,
                "EncodingType": query.get("encoding-type"),
                "CommonPrefixes": [{"Prefix": said(key)} for key in folds],
            }
        },
    )


async def complete(asked: Asked) -> Response:
    core, call = asked.core, asked.call
    wanted = await _wanted(asked)
    upload = await _find(asked)
    await _permit(asked, upload)
    parts = _chosen(await _parts(asked), wanted)
    bucket = await core.bucket(call, asked.bucket)
    size = sum(part.size for part in parts)
    if size > (0 if is_placeholder(asked.key) else size_limit(core, bucket)):
        raise StorageError(TOO_LARGE, what="object")
    version = core.new_version()
    await core.claim()
    try:
        stored = await core.blobs.join([part.version for part in parts], version, hashed=False)
    except BlobMissing:
        raise StorageError(NO_UPLOAD) from None
    whole = hashlib.md5(b"".join(bytes.fromhex(part.etag.strip('"')) for part in parts), usedforsecurity=False)
    etag = f"{whole.hexdigest()}-{len(parts)}"
    metadata = content_metadata(
        size=stored.size,
        md5=etag,
        mimetype=upload.mimetype,
        cache_control=upload.cache_control,
        now=core.clock(),
    )
    if stored.size != size or not await _commit(asked, upload, version, orjson.dumps(metadata)):
        with suppress(StoreUnavailable):
            await core.blobs.remove([version])
        raise StorageError(NO_UPLOAD)
    core.empty_trash_soon()
    made = {"Location": f"{asked.bucket}/{asked.key}", "Bucket": asked.bucket, "Key": asked.key, "ETag": f'"{etag}"'}
    return answer(call, {"CompleteMultipartUploadResult": made})


async def abort(asked: Asked) -> Response:
    upload = await _find(asked)
    await _permit(asked, upload)
    core = asked.core
    await core.ask(core.owner_scope(asked.call), f"delete from {_UPLOADS} where id = $1", upload.id)
    core.empty_trash_soon()
    return Response(204)


# --- steps ----------------------------------------------------------------------------------------------------------


def _number(asked: Asked) -> int:
    """Raises StorageError."""
    number = asked.number("partNumber", 0, MOST_PARTS + 1, 1)
    if not 1 <= number <= MOST_PARTS:
        raise StorageError(INVALID_PARAMETER, name="PartNumber")
    return number


async def _find(asked: Asked, but: int = 0) -> MultipartUpload:
    """The upload that the request names, with the size of all parts but one. Raises StorageError."""
    core = asked.core
    rows = (
        await core.ask(
            core.owner_scope(asked.call),
            "select u.id, u.owner_id, u.user_metadata, u.metadata ->> 'mimetype', u.metadata ->> 'cacheControl',"
            f" (select coalesce(sum(p.size), 0) from {_PARTS} as p"
            " where p.upload_id = u.id and p.part_number <> $4::int)"
            f" from {_UPLOADS} as u where u.id = $1 and u.bucket_id = $2 and u.key = $3",
            asked.query.get("uploadId", ""),
            asked.bucket,
            asked.key,
            str(but),
        )
    ).rows
    if not rows:
        raise StorageError(NO_UPLOAD)
    id, owner, user_metadata, mimetype, cache, size = [None if each is None else each.decode() for each in rows[0]]
    return MultipartUpload(
        id or "", owner, user_metadata, mimetype or DEFAULT_TYPE, cache or "no-cache", int(size or 0)
    )


async def _permit(asked: Asked, upload: MultipartUpload) -> None:
    """Whether the caller may write the object now. Raises StorageError."""
    caller = asked.call.caller
    assert caller is not None
    row = NewRow(asked.bucket, asked.key, caller.owner, caller.sub, upload.user_metadata)
    await asked.core.probe_insert(asked.call, row, upsert=True, mimetype=upload.mimetype, length=None)


async def _room(asked: Asked, upload: MultipartUpload, length: int) -> int:
    """How many bytes a part may have. Raises StorageError where it is to have more."""
    bucket = await asked.core.bucket(asked.call, asked.bucket)
    most = (0 if is_placeholder(asked.key) else size_limit(asked.core, bucket)) - upload.size
    if length > most:
        raise StorageError(TOO_LARGE, what="object")
    return most


async def _keep(asked: Asked, upload: MultipartUpload, number: int, part: Stored, most: int) -> None:
    """The row of a part, in the place of one of the same number. Raises StorageError."""
    core = asked.core
    caller = asked.call.caller
    assert caller is not None
    try:
        kept = await core.ask(
            core.owner_scope(asked.call),
            f"with upload as (select id from {_UPLOADS} where id = $1 for share),"
            f" former as (delete from {_PARTS} where upload_id = $1 and part_number = $2::int)"
            f" insert into {_PARTS} (upload_id, part_number, size, bucket_id, key, etag, owner_id, version)"
            " select id, $2::int, $3::bigint, $4, $5, $6, $7, $8 from upload returning id",
            upload.id,
            str(number),
            str(part.size),
            asked.bucket,
            asked.key,
            f'"{part.md5}"',
            caller.sub,
            part.version,
        )
        gone = kept.value is None
    except StorageError as error:
        if isinstance(error.__cause__, DatabaseError | PoolTimeout):
            await _forget(asked, part)
        raise
    if gone:
        await _forget(asked, part)
        raise StorageError(NO_UPLOAD)
    core.empty_trash_soon()


async def _forget(asked: Asked, part: Stored) -> None:
    with suppress(StoreUnavailable):
        await asked.core.blobs.remove([part.version])


async def _parts(asked: Asked) -> list[UploadPart]:
    """All parts in their order; of one that was sent twice at once the later."""
    core = asked.core
    rows = (
        await core.ask(
            core.owner_scope(asked.call),
            f"select distinct on (part_number) part_number, etag, version, size, {iso('created_at')}"
            f" from {_PARTS} where upload_id = $1 order by part_number, created_at desc",
            asked.query.get("uploadId", ""),
        )
    ).rows
    return [
        UploadPart(
            int(number or 0), (etag or b"").decode(), (version or b"").decode(), int(size or 0), (at or b"").decode()
        )
        for number, etag, version, size, at in rows
    ]


async def _wanted(asked: Asked) -> list[tuple[int, str]] | None:
    """Numbers and ETags of the parts that the object is to have; None for all there are. Raises StorageError."""
    body = await asked.xml("CompleteMultipartUpload")
    if body is None or not body.children:
        return None
    wanted = []
    for each in body.all("Part"):
        text = (each.value("PartNumber") or "").strip()
        if not (text.isascii() and text.isdecimal() and len(text) < 6):
            raise StorageError(MALFORMED_XML)
        wanted.append((int(text), (each.value("ETag") or "").strip().strip('"')))
    if any(first[0] >= second[0] for first, second in pairwise(wanted)):
        raise StorageError(PART_ORDER)
    return wanted


def _chosen(parts: list[UploadPart], wanted: list[tuple[int, str]] | None) -> list[UploadPart]:
    """The parts of the object. Raises StorageError."""
    if wanted is None:
        chosen = parts
    else:
        known = {part.number: part for part in parts}
        chosen = []
        for number, etag in wanted:
            part = known.get(number)
            if part is None:
                raise StorageError(NO_PART, number=number)
            if etag and part.etag.strip('"') != etag:
                raise StorageError(WRONG_PART, number=number)
            chosen.append(part)
    if not chosen:
        raise StorageError(NO_PART, number=1)
    return chosen


async def _commit(asked: Asked, upload: MultipartUpload, version: str, metadata: bytes) -> bool:
    """End the upload and write the object's row at once; False where somebody else ended it. Raises StorageError."""
    core = asked.core
    caller = asked.call.caller
    assert caller is not None
    try:
        done = await core.ask(
            core.owner_scope(asked.call),
            f"with ended as (delete from {_UPLOADS} where id = $1 returning user_metadata)"
            " insert into storage.objects as o (bucket_id, name, owner, owner_id, version, metadata, user_metadata)"
            " select $2, $3, $4::uuid, $5, $6, $7::jsonb, coalesce(user_metadata, '{}') from ended"
            f"{REPLACE} returning o.id",
            upload.id,
            asked.bucket,
            asked.key,
            caller.owner,
            caller.sub,
            version,
            metadata,
        )
    except StorageError as error:
        if isinstance(error.__cause__, DatabaseError | PoolTimeout):
            with suppress(StoreUnavailable):
                await core.blobs.remove([version])
        raise
    core.rows.forget(asked.bucket, asked.key)
    return done.value is not None
