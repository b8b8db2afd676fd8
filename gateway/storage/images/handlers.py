"""`/render/image`: who may download an object may have it in another size and format."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final

from gateway.http.messages import Response
from gateway.storage.blobs import BlobMissing
from gateway.storage.call import Call, Reply
from gateway.storage.core import Core
from gateway.storage.download import Finder, disposition, object_headers, serve, unchanged
from gateway.storage.errors import INVALID_PICTURE, NO_BLOB, StorageError
from gateway.storage.images.sizes import PLACES
from gateway.storage.objects import finder, readable
from gateway.storage.rows import Object
from gateway.storage.signed import required_token, verify
from gateway.storage.transformation import Transformation, parse_transform, read_text

MOST_BYTES: Final = 25_000_000  # of a picture that another is made of
NO_PICTURE: Final = "The source image is invalid or unsupported for rendering"
FILE_TOO_LARGE: Final = "The source image file is too large to process"
VECTOR: Final = "image/svg+xml"


async def get_public(core: Core, call: Call) -> Reply:
    wanted = parse_transform("querystring", call.query)
    return await _render(core, call, finder(core, call, as_anybody=True), wanted)


async def get(core: Core, call: Call) -> Reply:
    wanted = parse_transform("querystring", call.query)
    return await _render(core, call, await readable(core, call), wanted)


async def get_signed(core: Core, call: Call) -> Reply:
    """What is in the token is asked; nobody changes it by a query."""
    bucket, key = call.params["bucket"], call.params["key"]
    grant = verify(core, required_token(call), f"{bucket}/{key}", "download")
    wanted = read_text(grant.transformations)
    return await _render(core, call, Finder(core, call, bucket, key, as_owner=True), wanted, grant.expires)


async def _render(
    core: Core, call: Call, find: Callable[[], Awaitable[Object]], wanted: Transformation, expires: int | None = None
) -> Reply:
    row = await find()
    if row.mimetype.partition(";")[0].strip().lower() == VECTOR:
        return await serve(core, call, find, expires)  # has no size of its own, and comes with its sandbox
    headers = {**dict(object_headers(core, call, row, expires)), b"vary": b"accept"}
    del headers[b"accept-ranges"]
    headers.pop(b"content-security-policy", None)
    if unchanged(call, row):
        del headers[b"content-type"]
        return Response(304, list(headers.items()))
    job = job_of(core, wanted, call.header(b"accept") or "")
    renderer = core.renderer
    picture = renderer.kept(row.version, job)
    if picture is not None:
        core.counters.pictures_remembered += 1
    else:
        picture = await renderer.render(row.version, job, await _source(core, row))
        core.counters.pictures_made += 1
    core.counters.bytes_out += len(picture.content)
    headers[b"content-type"] = picture.type.encode()
    # As it was made, the sides within their limits.
    if said := replace(wanted, width=job["width"], height=job["height"]).said():
        headers[b"x-transformations"] = said.encode()
    attached = disposition(call.query.get("download"))
    if attached is not None:
        headers[b"content-disposition"] = attached.encode()
    return Response(200, list(headers.items()), picture.content)


def job_of(core: Core, wanted: Transformation, accept: str) -> dict[str, Any]:
    """What the process is asked, which with the version of the object is all that the picture depends on."""
    settings = core.settings
    least, most = settings.image_least, settings.image_most

    def side(length: int) -> int:
        return min(max(length, least), most) if length else 0

    place = (wanted.x_offset, wanted.y_offset) if wanted.gravity == "fp" else PLACES.get(wanted.gravity, (0.5, 0.5))
    kind = wanted.format or ("webp" if "image/webp" in accept else "origin")
    return {
        "width": side(wanted.width),
        "height": side(wanted.height),
        "resize": wanted.resize or "cover",
        "place": place,
        "format": kind,
        "quality": wanted.quality,
    }


async def _source(core: Core, row: Object) -> bytes:
    """The bytes of a picture. Raises StorageError."""
    if row.size > MOST_BYTES:
        raise StorageError(INVALID_PICTURE, FILE_TOO_LARGE)
    if not row.mimetype.lower().startswith(("image/", "application/octet-stream")):
        raise StorageError(INVALID_PICTURE, NO_PICTURE)
    try:
        blob = await core.blobs.open(row.version)
    except BlobMissing:
        raise StorageError(NO_BLOB) from None
    try:
        return b"".join([piece async for piece in blob.read(0, min(blob.size, MOST_BYTES))])
    finally:
        blob.close()
