"""Giving bytes out: conditions, ranges, and headers that keep hosted content harmless."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import quote

from gateway.http.messages import HeaderList, Response
from gateway.storage.blobs import BlobMissing
from gateway.storage.call import Call, Download, Reply
from gateway.storage.core import Core
from gateway.storage.errors import INVALID_HEADER, INVALID_RANGE, NO_BLOB, NO_KEY, NOT_RUN, StorageError
from gateway.storage.rows import Object, http_date

_RANGE: Final = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
_UNESCAPED: Final = "!'()*~"  # what encodeURIComponent leaves besides letters, digits and -_.
_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
# What no browser runs anything of where it is opened as a page. Everything else, known to be active or not, is opened
# without a right of the site's origin.
_INERT: Final = re.compile(
    r"(?:image/(?:png|p?jpe?g|gif|webp|avif|apng|bmp|tiff|hei[cf]|jxl|x-icon|vnd\.microsoft\.icon)"
    r"|(?:audio|video|font)/[\w.-]+|text/(?:plain|css|csv|markdown|vtt|calendar|vcard)"
    r"|application/(?:octet-stream|pdf|json|zip|gzip|x-gzip|x-tar|msword|vnd\.[\w.-]+))[ \t]*(?:;[^,]*)?",
    re.IGNORECASE | re.ASCII,
)
_RUN_AS: Final = frozenset(("script", "worker", "sharedworker", "serviceworker", "audioworklet", "paintworklet"))
AT_ONCE: Final = 65_536  # bytes that are sent with their head, where they need not be waited for
SANDBOX: Final = b"default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes from `start`, `length` of them."""

    start: int
    length: int


def parse_range(text: str, size: int) -> Span:
    """The one range of a header. Raises StorageError.

    >>> parse_range("bytes=2-5", 10), parse_range("bytes=-3", 10), parse_range("bytes=4-", 10)
    (Span(start=2, length=4), Span(start=7, length=3), Span(start=4, length=6))
    """
    found = _RANGE.fullmatch(text.strip())
    if found is None or size == 0 or not (found[1] or found[2]):
        raise StorageError(INVALID_RANGE)
    if not found[1]:
        wanted = int(found[2])
        if wanted < 1:
            raise StorageError(INVALID_RANGE)
        length = min(wanted, size)
        return Span(size - length, length)
    start = int(found[1])
    end = min(int(found[2]), size - 1) if found[2] else size - 1
    if start >= size or end < start:
        raise StorageError(INVALID_RANGE)
    return Span(start, end - start + 1)


def safe_type(mimetype: str) -> str:
    """The type that is sent: pages of HTML are shown as text.

    >>> safe_type("text/html; charset=utf-8"), safe_type("image/png")
    ('text/plain', 'image/png')
    """
    return "text/plain" if "text/html" in mimetype.lower() else mimetype


def is_inert(mimetype: str) -> bool:
    """Whether no browser runs anything of such content.

    >>> is_inert("image/png"), is_inert("image/svg+xml"), is_inert("text/plain; charset=utf-8")
    (True, False, True)
    """
    return _INERT.fullmatch(mimetype) is not None


def refuse_to_run(call: Call) -> None:
    """A page of the API's own origin runs no script of a bucket: whoever may upload could else be the site. Pages of
    other origins take that upon themselves. Raises StorageError."""
    if call.header(b"sec-fetch-dest") in _RUN_AS and call.header(b"sec-fetch-site") == "same-origin":
        raise StorageError(NOT_RUN)


def disposition(value: str | None) -> str | None:
    """The header for `?download`.

    >>> disposition("café x.txt"), disposition("")
    ("attachment; filename=caf%C3%A9%20x.txt; filename*=UTF-8''caf%C3%A9%20x.txt", 'attachment;')
    """
    if value is None:
        return None
    if not value:
        return "attachment;"
    name = quote(value, safe=_UNESCAPED, errors="replace")
    return f"attachment; filename={name}; filename*=UTF-8''{name}"


def unchanged(call: Call, row: Object) -> bool:
    """Whether the client has these bytes already."""
    tags = call.header(b"if-none-match")
    if tags is not None and (
        tags.strip() == "*" or row.etag in [each.strip().removeprefix("W/") for each in tags.split(",")]
    ):
        return True
    since = call.header(b"if-modified-since")
    if since is not None:
        try:
            moment = parsedate_to_datetime(since)
        except ValueError:
            return False
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return row.modified.replace(microsecond=0) <= moment
    return False


def header_value(name: str, text: str) -> bytes:
    """A stored text as a header's value. Raises StorageError for one that cannot be."""
    if _CONTROL.search(text):
        raise StorageError(INVALID_HEADER, name=name)
    return text.encode("utf-8")


def object_headers(core: Core, call: Call, row: Object, expires: int | None) -> HeaderList:
    """Headers that say what an object is. `expires` is the end of a signed URL. Raises StorageError."""
    if row.headers is None:
        row.headers = _lasting_headers(row)
    headers = row.headers.copy()
    if expires is not None:
        headers.append((b"expires", http_date(datetime.fromtimestamp(expires, UTC)).encode()))
    else:
        control = row.cache_control
        if call.header(b"if-none-match") is not None:
            if core.settings.storage_s_maxage > 0:
                control += f", s-maxage={core.settings.storage_s_maxage}"
            if not unchanged(call, row):
                control += ", must-revalidate" if call.method == "HEAD" else ", stale-while-revalidate=30"
        headers.append((b"cache-control", header_value("cache-control", control)))
    attached = disposition(call.query.get("download")) if "download" in call.query_string else None
    if attached is not None:
        headers.append((b"content-disposition", attached.encode()))
    return headers


def _lasting_headers(row: Object) -> HeaderList:
    """Those that are the same whoever asks."""
    kind = safe_type(row.mimetype)
    robots = row.metadata.get("xRobotsTag")
    headers: HeaderList = [
        (b"accept-ranges", b"bytes"),
        (b"content-type", header_value("content-type", kind)),
        (b"etag", header_value("etag", row.etag)),
        (b"x-robots-tag", header_value("x-robots-tag", robots if isinstance(robots, str) else "none")),
        (b"last-modified", http_date(row.modified).encode()),
        (b"x-content-type-options", b"nosniff"),
    ]
    if not is_inert(kind):
        headers.append((b"content-security-policy", SANDBOX))
    return headers


async def send_object(core: Core, call: Call, row: Object, expires: int | None = None) -> Reply:
    """An object, a part of it, or the word that the client has it already. Raises StorageError."""
    refuse_to_run(call)
    headers = object_headers(core, call, row, expires)
    if unchanged(call, row):
        return Response(304, [pair for pair in headers if pair[0] != b"content-type"])
    size = row.size
    ranged = call.header(b"range")
    if call.method == "HEAD":
        headers.append((b"content-length", b"%d" % size))
        return Response(200, headers)
    span = Span(0, size)
    if ranged is not None:
        span = parse_range(ranged, size)
        headers.append((b"content-range", b"bytes %d-%d/%d" % (span.start, span.start + span.length - 1, size)))
    headers.append((b"content-length", b"%d" % span.length))
    blob = await core.blobs.open(row.version)  # BlobMissing is `serve`'s to deal with
    if blob.size != size:
        blob.close()
        raise StorageError(NO_BLOB)
    if span.length <= AT_ONCE and (body := blob.at_hand(span.start, span.length)) is not None:
        blob.close()
        core.counters.bytes_out += span.length
        return Response(200 if ranged is None else 206, headers, body)
    return Download(200 if ranged is None else 206, headers, blob, span.start, span.length)


async def serve(core: Core, call: Call, find: Callable[[], Awaitable[Object]], expires: int | None = None) -> Reply:
    """An object as `find` gives it. Its bytes may go between the two: then the row is another by now, or none."""
    for attempt in range(2):
        row = await find()
        try:
            return await send_object(core, call, row, expires)
        except BlobMissing:
            core.rows.forget(row.bucket_id, row.name)
            if attempt:
                break
    raise StorageError(NO_BLOB)


class Finder:
    """Looks an object up once more each time it is called: as the caller, as the owner, or as anybody may."""

    def __init__(
        self, core: Core, call: Call, bucket: str, key: str, *, as_owner: bool = False, as_anybody: bool = False
    ) -> None:
        self._core, self._call, self._bucket, self._key = core, call, bucket, key
        self._as_owner, self._as_anybody = as_owner, as_anybody

    async def __call__(self) -> Object:
        if self._as_anybody:
            row = await self._core.public_object(self._bucket, self._key)
        elif self._as_owner:
            row = await self._core.any_object(self._bucket, self._key)
        else:
            row = await self._core.object(self._call, self._bucket, self._key)
        if not row.version:
            raise StorageError(NO_KEY)
        return row
