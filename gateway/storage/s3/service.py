"""The protocol's door: which operation a request asks for, who asks, and the answer in XML."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from gateway.storage.blobs import BlobMissing
from gateway.storage.call import Call, Reply
from gateway.storage.core import Core
from gateway.storage.errors import INVALID_REQUEST, NO_BLOB, StorageError
from gateway.storage.s3 import buckets, form, listing, multipart, objects
from gateway.storage.s3.access import S3Access, parameters
from gateway.storage.s3.chunks import BodyFormat
from gateway.storage.s3.errors import INVALID_ARGUMENT, NO_OPERATION
from gateway.storage.s3.request import Asked, refusal

log = logging.getLogger("gateway.storage")

Handler = Callable[[Asked], Awaitable[Reply]]
_PATH: Final = re.compile(r"/s3(?:/(?P<bucket>[^/]*)(?:/(?P<key>.*))?)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Operation:
    """`level` is what the path names: 0 nothing, 1 a bucket, 2 an object. `query` has to be in the query, `copies` is
    whether another object is named in a header."""

    method: str
    level: int
    query: frozenset[str]
    handle: Handler
    name: str
    copies: bool = False


def _row(method: str, level: int, query: str, handle: Handler, name: str, copies: bool = False) -> Operation:
    return Operation(method, level, frozenset(query.split()), handle, f"storage.s3.{name}", copies)


# The first that matches is taken.
OPERATIONS: Final = (
    _row("GET", 0, "", buckets.find_all, "bucket.list"),
    _row("PUT", 1, "", buckets.create, "bucket.create"),
    _row("DELETE", 1, "", buckets.delete, "bucket.delete"),
    _row("HEAD", 1, "", buckets.head, "bucket.head"),
    _row("GET", 1, "location", buckets.location, "bucket.get_location"),
    _row("GET", 1, "versioning", buckets.versioning, "bucket.get_versioning"),
    _row("GET", 1, "uploads", multipart.list_uploads, "upload.list_multipart"),
    _row("GET", 1, "versions", listing.list_versions, "object.list"),
    _row("GET", 1, "list-type", listing.list_v2, "object.list"),
    _row("GET", 1, "", listing.list_v1, "object.list"),
    _row("POST", 1, "delete", objects.delete_many, "object.delete_many"),
    _row("POST", 2, "uploads", multipart.create, "upload.create_multipart"),
    _row("POST", 2, "uploadId", multipart.complete, "upload.complete_multipart"),
    _row("PUT", 2, "partNumber uploadId", multipart.copy_part, "upload.part_copy", True),
    _row("PUT", 2, "partNumber uploadId", multipart.put_part, "upload.part"),
    _row("GET", 2, "uploadId", multipart.list_parts, "upload.list_parts"),
    _row("DELETE", 2, "uploadId", multipart.abort, "upload.abort_multipart"),
    _row("GET", 2, "tagging", objects.tagging, "object.get_tagging"),
    _row("PUT", 2, "", objects.copy, "object.copy", True),
    _row("PUT", 2, "", objects.put, "upload"),
    _row("GET", 2, "", objects.get, "object.get"),
    _row("HEAD", 2, "", objects.get, "object.info"),
    _row("DELETE", 2, "", objects.delete, "object.delete"),
)
# Words in the query that name another resource than the bucket or object itself: those that have no row above are not
# served, and nobody is given the object in their place.
SUBRESOURCES: Final = frozenset((
    "accelerate", "acl", "analytics", "attributes", "cors", "encryption", "intelligent-tiering", "inventory",
    "legal-hold", "lifecycle", "location", "logging", "metrics", "notification", "object-lock", "ownershipControls",
    "policy", "policyStatus", "publicAccessBlock", "replication", "requestPayment", "restore", "retention",
    "select", "select-type", "tagging", "torrent", "uploads", "versioning", "versions", "website", "delete",
    "uploadId", "partNumber",
))  # fmt: skip


def find(method: str, level: int, query: dict[str, str], copies: bool) -> Operation | None:
    """The operation of a request."""
    asked = SUBRESOURCES & query.keys()
    for row in OPERATIONS:
        if (
            row.method == method
            and row.level == level
            and row.query <= query.keys()
            and asked <= row.query
            and (copies or not row.copies)
        ):
            return row
    return None


class S3Service:
    """Answers what comes under /s3."""

    def __init__(self, core: Core, access: S3Access) -> None:
        self._core = core
        self._access = access

    async def handle(self, call: Call) -> Reply:
        """The answer, errors included. Raises ClientDisconnected and what is nobody's fault."""
        try:
            reply = await self._handle(call)
        except StorageError as error:
            refused = error
        except BlobMissing:
            refused = StorageError(NO_BLOB)
        else:
            return reply
        self._core.note(refused)
        return refusal(call, refused)

    async def _handle(self, call: Call) -> Reply:
        found = _PATH.fullmatch(call.path)
        if found is None or "\0" in call.path:
            raise StorageError(INVALID_REQUEST, "Invalid path")
        bucket, key = found["bucket"] or "", found["key"] or ""
        level = 0 if not bucket else 1 if not key else 2
        query = parameters(call.query_string)
        asked = Asked(self._core, call, bucket, key, query, BodyFormat())
        is_form = (call.header(b"content-type") or "").lower().startswith("multipart/form-data")
        if call.method == "POST" and level == 1 and is_form and "delete" not in query:
            call.operation = "storage.s3.upload"
            return await form.post(asked, self._access)
        call.caller, asked.payload = self._access.enter(call, query)
        if query.get("versionId", listing.VERSION) != listing.VERSION:
            raise StorageError(INVALID_ARGUMENT, reason="Invalid version id specified")
        operation = find(call.method, level, query, call.header(b"x-amz-copy-source") is not None)
        if operation is None:
            raise StorageError(NO_OPERATION)
        call.operation = operation.name
        return await operation.handle(asked)
