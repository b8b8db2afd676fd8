"""Uploads by a form in a browser (`POST /BUCKET`): its policy is what is signed, and says what the form may hold."""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator
from typing import Final

import orjson

from gateway.http.messages import Response
from gateway.storage.call import Body
from gateway.storage.errors import INVALID_PARAMETER, TOO_LARGE, StorageError
from gateway.storage.form import Form
from gateway.storage.s3 import policy
from gateway.storage.s3.access import S3Access
from gateway.storage.s3.chunks import BodyFormat
from gateway.storage.s3.errors import MISMATCH, NO_SIGNATURE
from gateway.storage.s3.objects import write
from gateway.storage.s3.request import META, Asked, answer
from gateway.storage.s3.signature import ALGORITHM, read_scope, sign, signing_key
from gateway.storage.upload import DEFAULT_TYPE, Incoming

MAX_FIELDS: Final = 50


async def post(asked: Asked, access: S3Access) -> Response:
    """Raises StorageError."""
    call = asked.call
    form = Form(asked.header("content-type") or "", call.chunks(), MAX_FIELDS)
    await form.begin()
    fields = {name.lower(): value for name, value in form.fields.items()}
    if fields.get("x-amz-algorithm") != ALGORITHM or "policy" not in fields:
        raise StorageError(NO_SIGNATURE)
    scope = read_scope(fields.get("x-amz-credential", ""))
    token = fields.get("x-amz-security-token")
    signatures = [sign(signing_key(secret, scope), fields["policy"]) for secret in access.secrets(scope, token)]
    if not any(hmac.compare_digest(each, fields.get("x-amz-signature", "").lower()) for each in signatures):
        raise StorageError(MISMATCH)
    limits = policy.check(fields["policy"], asked.bucket, fields, access.clock())
    call.caller = access.caller(token)
    key = fields.get("key", "").replace("${filename}", form.filename or "")
    if not key:
        raise StorageError(INVALID_PARAMETER, name="key")
    metadata = {name.removeprefix(META): value for name, value in fields.items() if name.startswith(META)}
    body = Body(form.pieces(), limits[1] if limits is not None else 2**62)
    given = Incoming(
        _at_least(body, limits[0] if limits is not None else 0),
        fields.get("content-type") or form.content_type or DEFAULT_TYPE,
        fields.get("cache-control") or "no-cache",
        orjson.dumps(metadata).decode() if metadata else None,
        call.declared_length,
        True,
    )
    asked.payload = BodyFormat()
    etag = await write(asked, key, given)
    headers = [(b"etag", etag.encode()), (b"location", f"/{asked.bucket}/{key}".encode())]
    status = {"200": 200, "201": 201}.get(fields.get("success_action_status", ""), 204)
    if status == 201:
        said = {"Location": f"/{asked.bucket}/{key}", "Bucket": asked.bucket, "Key": key, "ETag": etag}
        return answer(call, {"PostResponse": said}, headers, 201)
    return Response(status, headers)


async def _at_least(body: Body, least: int) -> AsyncIterator[bytes]:
    async for piece in body:
        yield piece
    if body.size < least:
        raise StorageError(TOO_LARGE, "The object is smaller than the policy allows")
