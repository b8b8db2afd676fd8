"""Resumable uploads by tus 1.0.0 (https://tus.io/protocols/resumable-upload).

State is in Postgres, so that any gateway goes on with what another began; what has arrived is a blob for each PATCH,
and the object is made of them when the last one is there. A PATCH that breaks off keeps what it brought. The one who
began last is the only one who can add (`writer`): a second PATCH takes the place of the first, which then gets 423.

The object's row is written before the upload says that it is complete. A crash between the two has the client send the
last bytes again, which finds the row by `final_version`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from gateway.http.messages import ClientDisconnected, HeaderList, Response
from gateway.storage.blobs import BlobMissing, Stored, StoreUnavailable
from gateway.storage.call import Call, json_object
from gateway.storage.core import Core, NewRow
from gateway.storage.errors import NO_BLOB, NO_KEY, TOO_LARGE, Row, StorageError
from gateway.storage.names import check_key, check_type
from gateway.storage.rows import content_metadata, http_date
from gateway.storage.signed import as_uuid, refuse_existing, verify
from gateway.storage.upload import DEFAULT_TYPE, is_placeholder, size_limit

VERSION: Final = b"1.0.0"
EXTENSIONS: Final = b"creation,creation-with-upload,creation-defer-length,termination,expiration,checksum"
ALGORITHMS: Final = ("md5", "sha1", "sha256")
OFFSET_TYPE: Final = "application/offset+octet-stream"
MAX_HEADER: Final = 65_536  # characters of Upload-Metadata

PRECONDITION: Final = Row("tus", 412, "tus", "Tus-Resumable Required", 412)
BAD: Final = Row("tus", 400, "tus", "{reason}", 400)
NO_OFFSET: Final = Row("tus", 403, "tus", "Upload-Offset header required", 403)
NOT_THERE: Final = Row("tus", 404, "tus", "The file for this url was not found", 404)
GONE: Final = Row("tus", 410, "tus", "The file for this url no longer exists", 410)
CONFLICT: Final = Row("tus", 409, "tus", "Upload-Offset conflict", 409)
FINISHED: Final = Row("tus", 409, "tus", "The upload is complete", 409)
LOCKED: Final = Row("tus", 423, "tus", "Another client writes to this upload", 423)
TOO_BIG: Final = Row("tus", 413, "tus", "Maximum size exceeded", 413)
BEYOND: Final = Row("tus", 413, "tus", "upload's size exceeded", 413)
CHECKSUM: Final = Row("tus", 460, "tus", "Checksum mismatch", 460)

_COLUMNS: Final = (
    'bucket_id, name, owner_id, upsert, length, "offset", metadata, final_version, finished,'
    " extract(epoch from expires_at), expires_at < now()"
)


@dataclass(slots=True)
class Upload:
    """A row of an upload. `metadata` are the decoded pairs of Upload-Metadata."""

    id: str
    bucket_id: str
    name: str
    owner_id: str | None
    upsert: bool
    length: int | None
    offset: int
    metadata: dict[str, str]
    final_version: str | None
    finished: bool
    expires: int

    @property
    def row(self) -> NewRow:
        text = self.metadata.get("metadata")
        user_metadata = json_object(text.encode()) if text is not None else None
        return NewRow(self.bucket_id, self.name, as_uuid(self.owner_id), self.owner_id, user_metadata)

    @property
    def mimetype(self) -> str:
        return self.metadata.get("contentType") or DEFAULT_TYPE

    @property
    def cache_control(self) -> str:
        age = self.metadata.get("cacheControl", "")
        return f"max-age={age}" if age.isascii() and age.isdecimal() else "no-cache"


def parse_metadata(text: str) -> dict[str, str]:
    """The pairs of Upload-Metadata. Raises StorageError.

    >>> parse_metadata("bucketName YQ==,objectName Yi9j,empty")
    {'bucketName': 'a', 'objectName': 'b/c', 'empty': ''}
    """
    found: dict[str, str] = {}
    if len(text) > MAX_HEADER:
        raise StorageError(BAD, reason="Upload-Metadata is too long")
    for pair in text.split(","):
        name, _, value = pair.strip().partition(" ")
        try:
            found[name] = base64.b64decode(value, validate=True).decode()
        except (binascii.Error, ValueError):
            raise StorageError(BAD, reason="Invalid Upload-Metadata header") from None
    return found


def write_metadata(pairs: dict[str, str]) -> str:
    """The header of such pairs."""
    return ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in pairs.items())


# --- routes ---------------------------------------------------------------------------------------------------------


# As any client of the protocol may ask; a browser's own question is answered before it comes here.
PREFLIGHT: Final = (
    (b"access-control-allow-methods", b"POST, HEAD, PATCH, OPTIONS, DELETE"),
    (
        b"access-control-allow-headers",
        b"Authorization, X-HTTP-Method-Override, Upload-Length, Upload-Offset, Tus-Resumable, Upload-Metadata,"
        b" Upload-Defer-Length, Upload-Concat, Upload-Checksum, Location, Tus-Version, Tus-Max-Size, Tus-Extension,"
        b" X-Requested-With, X-Forwarded-Host, X-Forwarded-Proto, Forwarded, Content-Type, X-Upsert, Upload-Expires,"
        b" ApiKey, x-signature",
    ),
    (b"access-control-max-age", b"86400"),
)


async def options(core: Core, call: Call) -> Response:
    most = str(core.settings.storage_file_size_limit).encode()
    return Response(
        204,
        [
            *_headers(),
            (b"tus-version", VERSION),
            (b"tus-extension", EXTENSIONS),
            (b"tus-checksum-algorithm", ",".join(ALGORITHMS).encode()),
            (b"tus-max-size", most),
            *PREFLIGHT,
        ],
    )


async def create(core: Core, call: Call) -> Response:
    """A new upload, which may bring its first bytes along."""
    _demand_version(call)
    said = call.header(b"upload-metadata")
    if not said:
        raise StorageError(BAD, reason="Metadata header is required")
    metadata = parse_metadata(said)
    bucket_id, name = metadata.get("bucketName", ""), metadata.get("objectName", "")
    if not bucket_id or not name:
        raise StorageError(BAD, reason="Upload-Metadata must name bucketName and objectName")
    length = _length(call)
    if length is None and call.header(b"upload-defer-length") != "1":
        raise StorageError(BAD, reason="Upload-Length or Upload-Defer-Length header required")
    bucket = await core.bucket(call, bucket_id)
    check_key(name)
    upload = Upload("", bucket_id, name, None, call.upsert, length, 0, metadata, None, False, 0)
    if not is_placeholder(name):
        check_type(upload.mimetype, bucket.allowed_mime_types)
    if (length or 0) > (0 if is_placeholder(name) else size_limit(core, bucket)):
        raise StorageError(TOO_BIG)
    await _permit(core, call, upload)
    upload.id = base64.urlsafe_b64encode(f"{bucket_id}/{name}/{core.new_version()}".encode()).decode().rstrip("=")
    made = await core.ask(
        core.owner_scope(call),
        "insert into storage_private.tus_uploads (id, bucket_id, name, owner_id, upsert, length, metadata, expires_at)"
        " values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8::double precision))"
        " returning extract(epoch from expires_at)",
        upload.id,
        bucket_id,
        name,
        upload.owner_id,
        "true" if upload.upsert else "false",
        None if length is None else str(length),
        orjson.dumps(metadata),
        str(core.settings.storage_tus_seconds),
    )
    upload.expires = int(float(made.value or 0))
    headers = [*_headers(upload), (b"location", f"{base_url(core, call)}/{upload.id}".encode())]
    brings = call.header(b"content-type") == OFFSET_TYPE and (call.declared_length or 0) > 0
    if brings or length == 0:
        await _append(core, call, upload)
        headers.append((b"upload-offset", b"%d" % upload.offset))
    if upload.finished:
        headers.append((b"tus-complete", b"1"))
    return Response(201, headers)


async def head(core: Core, call: Call) -> Response:
    _demand_version(call)
    upload = await _find(core, call)
    pairs = dict(upload.metadata)
    if "cacheControl" in pairs:
        pairs["cacheControl"] = upload.cache_control
    length = (b"upload-defer-length", b"1") if upload.length is None else (b"upload-length", b"%d" % upload.length)
    headers = [
        *_headers(upload),
        (b"upload-offset", b"%d" % upload.offset),
        length,
        (b"upload-metadata", write_metadata(pairs).encode()),
        (b"cache-control", b"no-store"),
    ]
    return Response(200, headers)


async def patch(core: Core, call: Call) -> Response:
    _demand_version(call)
    if call.header(b"content-type") != OFFSET_TYPE:
        raise StorageError(BAD, reason="Invalid content-type")
    offset = call.header(b"upload-offset")
    if offset is None or not (offset.isascii() and offset.isdecimal()):
        raise StorageError(NO_OFFSET)
    upload = await _find(core, call)
    if int(offset) != upload.offset or upload.finished:
        raise StorageError(CONFLICT)
    if upload.length is None:
        upload.length = _length(call)
    await _permit(core, call, upload)
    await _append(core, call, upload)
    headers = [*_headers(upload), (b"upload-offset", b"%d" % upload.offset)]
    if upload.finished:
        headers.append((b"tus-complete", b"1"))
    return Response(204, headers)


async def delete(core: Core, call: Call) -> Response:
    _demand_version(call)
    upload = await _find(core, call)
    if upload.finished:
        raise StorageError(FINISHED)
    await _permit(core, call, upload)
    await core.ask(core.owner_scope(call), "delete from storage_private.tus_uploads where id = $1", upload.id)
    core.empty_trash_soon()
    return Response(204, _headers())


def render(error: StorageError) -> Response:
    """Errors of this protocol are text, with the real status."""
    body = error.message.encode() + b"\n"
    headers = [*_headers(), (b"content-type", b"text/plain; charset=utf-8")]
    return Response(error.row.status, headers, body)


# --- steps ----------------------------------------------------------------------------------------------------------


def base_url(core: Core, call: Call) -> str:
    """The address of uploads as the client reaches it, whatever stands before the gateway."""
    path = call.raw_path.split("/upload/resumable")[0] + "/upload/resumable"
    if call.params.get("signed"):
        path += "/sign"
    if core.settings.public_url:
        return core.settings.api_url + core.settings.storage_prefix + path
    scheme = call.header(b"x-forwarded-proto") or "http"
    host = call.header(b"x-forwarded-host") or call.header(b"host") or "localhost"
    port = call.header(b"x-forwarded-port")
    if port and port not in ("80", "443") and ":" not in host:
        host = f"{host}:{port}"
    prefix = call.header(b"x-forwarded-prefix")
    return f"{scheme}://{host}{core.settings.storage_prefix if prefix is None else prefix.rstrip('/')}{path}"


def _headers(upload: Upload | None = None) -> HeaderList:
    headers = [(b"tus-resumable", VERSION)]
    if upload is not None and upload.expires:
        headers.append((b"upload-expires", http_date(datetime.fromtimestamp(upload.expires, UTC)).encode()))
    return headers


def _demand_version(call: Call) -> None:
    if call.header(b"tus-resumable") != "1.0.0":
        raise StorageError(PRECONDITION)


def _length(call: Call) -> int | None:
    text = call.header(b"upload-length")
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal()) or len(text) > 18:
        raise StorageError(BAD, reason="Invalid Upload-Length header")
    return int(text)


async def _permit(core: Core, call: Call, upload: Upload) -> None:
    """Whether the caller may write the object, or whoever signed the upload could. Raises StorageError."""
    if call.params.get("signed"):
        token = call.header(b"x-signature")
        if not token:
            raise StorageError(BAD, reason="Missing x-signature header")
        grant = verify(core, token, f"{upload.bucket_id}/{upload.name}", "upload")
        upload.owner_id, upload.upsert = grant.owner, grant.upsert
        if not upload.upsert:
            await refuse_existing(core, call, upload.bucket_id, upload.name)
        return
    caller = call.caller
    assert caller is not None
    if not upload.id:
        upload.owner_id = caller.sub
    row = NewRow(upload.bucket_id, upload.name, caller.owner, caller.sub, upload.row.user_metadata)
    await core.probe_insert(call, row, upsert=upload.upsert, mimetype=upload.mimetype, length=upload.length)


async def _find(core: Core, call: Call) -> Upload:
    """The upload of an address. Raises StorageError."""
    id = call.params["id"]
    text = f"select {_COLUMNS} from storage_private.tus_uploads where id = $1"
    rows = (await core.ask(core.owner_scope(call), text, id)).rows
    if not rows:
        raise StorageError(NOT_THERE)
    bucket, name, owner, upsert, length, offset, metadata, final, finished, expires, expired = [
        None if value is None else value.decode() for value in rows[0]
    ]
    if expired == "t":
        raise StorageError(GONE)
    pairs: Any = orjson.loads(metadata or "{}")
    return Upload(
        id,
        bucket or "",
        name or "",
        owner,
        upsert == "t",
        None if length is None else int(length),
        int(offset or 0),
        pairs,
        final,
        finished == "t",
        int(float(expires or 0)),
    )


class _Checksum:
    """What Upload-Checksum says of the bytes of a request."""

    def __init__(self, said: str | None) -> None:
        name, _, wanted = (said or "").partition(" ")
        if said is not None and name not in ALGORITHMS:
            raise StorageError(BAD, reason="Unsupported checksum algorithm")
        self._wanted = wanted
        self._hash = hashlib.new(name, usedforsecurity=False) if said is not None else None

    def add(self, piece: bytes) -> None:
        if self._hash is not None:
            self._hash.update(piece)

    @property
    def holds(self) -> bool:
        if self._hash is None:
            return True
        return hmac.compare_digest(base64.b64encode(self._hash.digest()).decode(), self._wanted)


async def _append(core: Core, call: Call, upload: Upload) -> None:
    """Take the body as the next part; the last one makes the object. Raises StorageError."""
    bucket = await core.bucket(call, upload.bucket_id)
    most = 0 if is_placeholder(upload.name) else size_limit(core, bucket)
    most = most if upload.length is None else min(most, upload.length)
    left = most - upload.offset
    if left < 0 or (call.declared_length or 0) > left:
        raise StorageError(BEYOND)
    checksum = _Checksum(call.header(b"upload-checksum"))
    writer = str(uuid.uuid4())
    await _take_place(core, call, upload, writer)
    part, broken = await _take(core, call, left, checksum)
    if not checksum.holds:
        await _forget(core, part)
        if broken:
            raise ClientDisconnected
        raise StorageError(CHECKSUM)
    end = upload.offset + part.size
    if end == upload.length:
        await _complete(core, call, upload, part, writer)
    elif part.size:
        await _keep(core, call, upload, part, writer)
    else:
        await _forget(core, part)
    upload.offset = end
    if broken:
        raise ClientDisconnected


async def _take_place(core: Core, call: Call, upload: Upload, writer: str) -> None:
    taken = await core.ask(
        core.owner_scope(call),
        "update storage_private.tus_uploads set writer = $2, length = coalesce(length, $3::bigint)"
        ' where id = $1 and "offset" = $4::bigint and not finished returning id',
        upload.id,
        writer,
        None if upload.length is None else str(upload.length),
        str(upload.offset),
    )
    if taken.value is None:
        raise StorageError(CONFLICT)


async def _take(core: Core, call: Call, left: int, checksum: _Checksum) -> tuple[Stored, bool]:
    """The body as a blob, and whether it broke off. Raises StorageError where it is too long."""
    broken = False

    async def pieces() -> AsyncIterator[bytes]:
        nonlocal left, broken
        try:
            async for piece in call.chunks():
                left -= len(piece)
                if left < 0:
                    raise StorageError(BEYOND)
                checksum.add(piece)
                yield piece
        except ClientDisconnected:
            broken = True

    return await core.write_blob(pieces()), broken


async def _forget(core: Core, part: Stored) -> None:
    with suppress(StoreUnavailable):
        await core.blobs.remove([part.version])


async def _keep(core: Core, call: Call, upload: Upload, part: Stored, writer: str) -> None:
    """Commit a part, if this is still the one who writes. Raises StorageError."""
    kept = await core.ask(
        core.owner_scope(call),
        'with mine as (update storage_private.tus_uploads set "offset" = $4::bigint + $5::bigint'
        ' where id = $1 and writer = $2 and "offset" = $4::bigint and not finished returning id)'
        " insert into storage_private.tus_parts (upload_id, start, version, size)"
        " select id, $4::bigint, $3, $5::bigint from mine returning start",
        upload.id,
        writer,
        part.version,
        str(upload.offset),
        str(part.size),
    )
    if kept.value is None:
        await _forget(core, part)
        raise StorageError(LOCKED)


async def _complete(core: Core, call: Call, upload: Upload, last: Stored, writer: str) -> None:
    """Make the object of all parts, and commit its row. Raises StorageError."""
    try:
        if not await _is_written(core, call, upload):
            await _make_object(core, call, upload, last, writer)
    finally:
        await _forget(core, last)
    await core.ask(
        core.owner_scope(call),
        "with gone as (delete from storage_private.tus_parts where upload_id = $1)"
        ' update storage_private.tus_uploads set finished = true, "offset" = length where id = $1',
        upload.id,
    )
    upload.finished = True
    core.empty_trash_soon()


async def _is_written(core: Core, call: Call, upload: Upload) -> bool:
    """Whether the row is there already, from a request whose answer was lost."""
    if upload.final_version is None:
        return False
    try:
        row = await core.object(call, upload.bucket_id, upload.name, as_owner=True)
    except StorageError as error:
        if error.row is NO_KEY:
            return False
        raise
    return row.version == upload.final_version


async def _make_object(core: Core, call: Call, upload: Upload, last: Stored, writer: str) -> None:
    version = core.new_version()
    mine = await core.ask(
        core.owner_scope(call),
        "update storage_private.tus_uploads set final_version = $3 where id = $1 and writer = $2"
        ' and "offset" = $4::bigint and not finished returning id',
        upload.id,
        writer,
        version,
        str(upload.offset),
    )
    if mine.value is None:
        raise StorageError(LOCKED)
    parts = await core.ask(
        core.owner_scope(call),
        "select version from storage_private.tus_parts where upload_id = $1 order by start",
        upload.id,
    )
    versions = [(row[0] or b"").decode() for row in parts.rows] + [last.version]
    try:
        if len(versions) == 1:
            await core.blobs.copy(last.version, version)
            stored = Stored(version, last.size, last.md5)
        else:
            stored = await core.blobs.join(versions, version)
    except BlobMissing:
        raise StorageError(NO_BLOB) from None
    if stored.size != upload.length:
        await _forget(core, stored)
        raise StorageError(TOO_LARGE, what="object")
    metadata = content_metadata(
        size=stored.size,
        md5=stored.md5,
        mimetype=upload.mimetype,
        cache_control=upload.cache_control,
        now=core.clock(),
    )
    await core.commit(call, upload.row, version, metadata, upsert=upload.upsert)
