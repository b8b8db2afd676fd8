"""Every error of the storage API: its code, the status in the body, the HTTP status, its word and its message.

StorageError
  Row           one row of the table below; `render` makes `{"statusCode","error","message","code"}` of it

The HTTP status is 400 for nearly all of them: clients read `statusCode` in the body. Only S3 and resumable uploads
answer with the real one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import orjson

from gateway.database import DatabaseError


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of error. `status` is the real status, `http` what is sent."""

    code: str
    status: int
    error: str
    message: str
    http: int = 400


class StorageError(Exception):
    """An error that the client is told. Its message is safe to show; the cause is for the log."""

    def __init__(self, row: Row, message: str | None = None, **fields: object) -> None:
        self.row = row
        self.message = row.message.format(**fields) if message is None else message
        super().__init__(f"{row.code}: {self.message}")


INVALID_REQUEST: Final = Row("InvalidRequest", 400, "Error", "{reason}")
INVALID_JSON: Final = Row(
    "InvalidRequest", 400, "FastifyError",
    "Body is not valid JSON but content-type is set to 'application/json'",
)  # fmt: skip
COMPLEX_JSON: Final = Row("InvalidRequest", 400, "FastifyError", "Body is nested too deeply or has too many parts")
EMPTY_JSON: Final = Row(
    "InvalidRequest", 400, "FastifyError", "Body cannot be empty when content-type is set to 'application/json'"
)
BODY_TOO_LARGE: Final = Row("InvalidRequest", 413, "FastifyError", "Request body is too large", 413)
NO_ROUTE: Final = Row("InvalidRequest", 404, "Not Found", "Route {method}:{url} not found", 404)
NO_CONTENT: Final = Row("InvalidRequest", 400, "InvalidRequest", "No content provided")
INVALID_ROBOTS: Final = Row("InvalidRequest", 400, "invalid_x_robots_tag", "Invalid X-Robots-Tag header: {reason}")
INVALID_HEADER: Final = Row("InvalidRequest", 400, "InvalidRequest", "Invalid character in response header {name}")
INVALID_FORM: Final = Row("InvalidRequest", 400, "InvalidRequest", "{reason}")
TOO_MANY_PATHS: Final = Row(
    "InvalidRequest", 400, "InvalidRequest", "Bulk object requests are limited to {most} objects per request."
)
ACCESS_DENIED: Final = Row("AccessDenied", 403, "Unauthorized", "Access denied")
INVALID_TOKEN: Final = Row("AccessDenied", 403, "Unauthorized", "{reason}")
INVALID_ROLE: Final = Row("AccessDenied", 403, "Unauthorized", "Access denied: Invalid role", 403)
NOT_RUN: Final = Row("AccessDenied", 403, "Unauthorized", "Pages of this origin run no scripts of a bucket", 403)
NO_BUCKET: Final = Row("NoSuchBucket", 404, "Bucket not found", "Bucket not found")
NO_KEY: Final = Row("NoSuchKey", 404, "not_found", "Object not found")
NO_BLOB: Final = Row("NoSuchKey", 404, "Not found", "The resource was not found")
NO_RELATED: Final = Row("InvalidRequest", 404, "InvalidRequest", "The related resource does not exist")
NO_UPLOAD: Final = Row("NoSuchUpload", 404, "NoSuchUpload", "Upload not found")
BUCKET_EXISTS: Final = Row("BucketAlreadyExists", 409, "Duplicate", "The resource already exists")
KEY_EXISTS: Final = Row("KeyAlreadyExists", 409, "Duplicate", "The resource already exists")
RESOURCE_EXISTS: Final = Row("ResourceAlreadyExists", 409, "Duplicate", "The resource already exists")
NOT_EMPTY: Final = Row("ResourceNotEmpty", 409, "ResourceNotEmpty", "The bucket you tried to delete is not empty")
TOO_MANY_OBJECTS: Final = Row(
    "InvalidRequest", 409, "InvalidRequest", "Unable to empty the bucket because it contains too many objects"
)
REFERENCED: Final = Row(
    "ResourceReferenced", 409, "ResourceReferenced",
    "The resource could not be updated or removed due to a foreign key constraint",
)  # fmt: skip
PENDING_UPLOADS: Final = Row(
    "ResourceReferenced", 409, "ResourceReferenced",
    "The bucket could not be updated because it is referenced by a pending multipart upload.",
)  # fmt: skip
FEATURE_OFF: Final = Row("FeatureNotEnabled", 409, "FeatureNotEnabled", "The feature {feature} is not enabled")
INVALID_BUCKET_NAME: Final = Row("InvalidBucketName", 400, "Invalid Input", "Bucket name invalid")
INVALID_KEY: Final = Row("InvalidKey", 400, "InvalidKey", "Invalid key: {key}")
TOO_LARGE: Final = Row(
    "EntityTooLarge", 413, "Payload too large", "The {what} exceeded the maximum allowed size"
)  # fmt: skip
INVALID_MIME: Final = Row("InvalidMimeType", 415, "invalid_mime_type", "mime type {mime} is not supported")
INVALID_TYPE_HEADER: Final = Row("InvalidMimeType", 415, "invalid_mime_type", "Invalid Content-Type header")
INVALID_JWT: Final = Row("InvalidJWT", 400, "InvalidJWT", "{reason}")
INVALID_SIGNATURE: Final = Row("InvalidSignature", 400, "InvalidSignature", "Invalid signature")
INVALID_PARAMETER: Final = Row("InvalidParameter", 400, "InvalidParameter", "Invalid Parameter {name}")
INVALID_PICTURE: Final = Row("InvalidRequest", 400, "InvalidRequest", "{reason}")
MISSING_PARAMETER: Final = Row("MissingParameter", 400, "MissingParameter", "Missing Required Parameter {name}")
INVALID_RANGE: Final = Row("InvalidRange", 416, "invalid_range", "invalid range provided", 416)
LOCKED: Final = Row("ResourceLocked", 423, "ResourceLocked", "The resource is locked")
SLOW_DOWN: Final = Row(
    "SlowDown", 429, "too_many_connections", "Too many connections issued to the database", 429
)  # fmt: skip
READ_ONLY: Final = Row("DatabaseReadOnly", 503, "DatabaseReadOnly", "The database is read-only")
SCHEMA_MISMATCH: Final = Row("DatabaseSchemaMismatch", 503, "DatabaseSchemaMismatch", "{reason}")
INVALID_DEFINITION: Final = Row(
    "DatabaseInvalidObjectDefinition", 503, "DatabaseInvalidObjectDefinition", "{reason}"
)  # fmt: skip
DATABASE_ERROR: Final = Row("DatabaseError", 500, "DatabaseError", "database error, code: {sqlstate}", 500)
DATABASE_TIMEOUT: Final = Row(
    "DatabaseTimeout", 544, "DatabaseTimeout", "The connection to the database timed out", 544
)
INTERNAL: Final = Row("InternalError", 500, "InternalError", "Internal Server Error", 500)

_RLS: Final = "new row violates row-level security policy"


def of_database(error: DatabaseError, exists: Row = RESOURCE_EXISTS) -> StorageError:
    """What the client is told of an error of Postgres; `exists` is for a key that is taken."""
    state, message = error.sqlstate, error.message
    if state == "42501":
        return StorageError(INVALID_TOKEN, _RLS if message.startswith(_RLS) else message)
    if state == "23505":
        return StorageError(exists)
    if state == "23503":
        return StorageError(REFERENCED if message.startswith("update or delete") else NO_RELATED)
    if state == "55P03":
        return StorageError(LOCKED)
    if state == "57014":
        return StorageError(DATABASE_TIMEOUT)
    if state == "25006":
        return StorageError(READ_ONLY)
    if state[:2] in ("22", "54"):  # values that Postgres cannot have, or not that long: the client's
        return StorageError(INVALID_PARAMETER, message)
    if state in ("42703", "42P01"):
        return StorageError(SCHEMA_MISMATCH, message)
    if state == "42P17":
        return StorageError(INVALID_DEFINITION, message)
    return StorageError(DATABASE_ERROR, sqlstate=state)


def render(error: StorageError) -> bytes:
    """The body.

    >>> render(StorageError(NO_KEY))
    b'{"statusCode":"404","error":"not_found","message":"Object not found","code":"NoSuchKey"}'
    """
    row = error.row
    return orjson.dumps({"statusCode": str(row.status), "error": row.error, "message": error.message, "code": row.code})
