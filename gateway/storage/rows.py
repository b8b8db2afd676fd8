"""Buckets and objects as Postgres gives them, and the JSON of their rows as clients are given it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from gateway.http.messages import HeaderList

_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
Row = tuple[bytes | None, ...]

_ISO: Final = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'


def iso(column: str) -> str:
    """SQL for a moment as JavaScript writes it."""
    return f"to_char({column} at time zone 'utc', '{_ISO}')"


BUCKET_COLUMNS: Final = "b.id, b.public, b.file_size_limit, to_json(b.allowed_mime_types)"
BUCKET_WIDTH: Final = 4
OBJECT_COLUMNS: Final = (
    "o.id, o.name, o.bucket_id, o.version, o.metadata, o.user_metadata, extract(epoch from o.updated_at),"
    f" {iso('o.created_at')}, o.owner_id"
)
WHOLE_OBJECT: Final = (
    "json_build_object('name', o.name, 'bucket_id', o.bucket_id, 'owner', o.owner, 'owner_id', o.owner_id,"
    f" 'version', o.version, 'id', o.id, 'updated_at', {iso('o.updated_at')}, 'created_at', {iso('o.created_at')},"
    f" 'last_accessed_at', {iso('o.last_accessed_at')}, 'metadata', o.metadata, 'user_metadata', o.user_metadata)"
)


@dataclass(frozen=True, slots=True)
class Bucket:
    """What the handlers need to know of a bucket."""

    id: str
    public: bool
    file_size_limit: int | None
    allowed_mime_types: tuple[str, ...] | None

    @classmethod
    def read(cls, row: Row) -> Bucket:
        id, public, limit, types = row
        return cls(
            (id or b"").decode(),
            public == b"t",
            int(limit) if limit is not None else None,
            tuple(orjson.loads(types)) if types is not None else None,
        )


@dataclass(slots=True)
class Object:
    """A row of an object. `metadata` is what the API wrote of it, `user_metadata` JSON text; `headers` are those of
    every download, once they were made (download.py)."""

    id: str
    name: str
    bucket_id: str
    version: str
    metadata: dict[str, Any]
    user_metadata: str | None
    updated_at: float
    created_at: str
    owner_id: str | None
    headers: HeaderList | None = None

    @classmethod
    def read(cls, row: Row) -> Object:
        id, name, bucket, version, metadata, user_metadata, updated, created, owner = [
            None if value is None else value.decode() for value in row
        ]
        found = orjson.loads(metadata) if metadata else None
        return cls(
            id or "",
            name or "",
            bucket or "",
            version or "",
            found if isinstance(found, dict) else {},
            user_metadata,
            float(updated or 0),
            created or "",
            owner,
        )

    @property
    def size(self) -> int:
        size = self.metadata.get("size")
        return size if isinstance(size, int) and not isinstance(size, bool) and size >= 0 else 0

    @property
    def mimetype(self) -> str:
        return self._text("mimetype") or "application/octet-stream"

    @property
    def cache_control(self) -> str:
        return self._text("cacheControl") or "no-cache"

    @property
    def etag(self) -> str:
        return self._text("eTag") or f'"{self.version}"'

    @property
    def modified(self) -> datetime:
        """When its bytes were written."""
        try:
            return datetime.fromisoformat(self._text("lastModified"))
        except ValueError:
            return datetime.fromtimestamp(self.updated_at, UTC)

    def _text(self, name: str) -> str:
        value = self.metadata.get(name)
        return value if isinstance(value, str) else ""


def http_date(moment: datetime) -> str:
    """A moment as HTTP headers have it.

    >>> http_date(datetime(2026, 11, 2, 7, 5, 9, 999, UTC))
    'Mon, 02 Nov 2026 07:05:09 GMT'
    """
    at = moment.astimezone(UTC)
    day, month = _DAYS[at.weekday()], _MONTHS[at.month - 1]
    return f"{day}, {at.day:02d} {month} {at.year:04d} {at.hour:02d}:{at.minute:02d}:{at.second:02d} GMT"


def moment_of(epoch: float) -> str:
    """A moment as JavaScript writes it.

    >>> moment_of(0.5)
    '1970-01-01T00:00:00.500Z'
    """
    return datetime.fromtimestamp(epoch, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def content_metadata(
    *, size: int, md5: str, mimetype: str, cache_control: str, now: float, robots: str | None = None
) -> dict[str, Any]:
    """What the row says of its bytes; SQL of applications relies on these names."""
    metadata: dict[str, Any] = {
        "eTag": f'"{md5}"',
        "size": size,
        "mimetype": mimetype,
        "cacheControl": cache_control,
        "lastModified": moment_of(now),
        "contentLength": size,
        "httpStatusCode": 200,
    }
    if robots is not None:
        metadata["xRobotsTag"] = robots
    return metadata
