"""Signed URLs: a token that names a path, what it is for and until when. Who holds it needs no rights of his own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from gateway.http.messages import Response
from gateway.identity.tokens import Fault, TokenError, mint, verify_signature
from gateway.storage.call import Call, Reply, reply
from gateway.storage.core import Core, NewRow
from gateway.storage.download import Finder, serve
from gateway.storage.errors import (
    INVALID_JWT,
    INVALID_PARAMETER,
    INVALID_REQUEST,
    INVALID_SIGNATURE,
    KEY_EXISTS,
    NO_KEY,
    StorageError,
)
from gateway.storage.names import check_key, check_robots
from gateway.storage.sql import array
from gateway.storage.transformation import Transformation, parse_transform
from gateway.storage.upload import DEFAULT_TYPE, check_given, finish, incoming
from gateway.storage.validate import Field, check, text, whole
from gateway.storage.validate import array as list_of

MOST_PATHS: Final = 1000
LATEST: Final = 2**53 // 1000  # seconds since 1970 that JavaScript has milliseconds for
NOT_FOUND: Final = "Either the object does not exist or you do not have access to it"
_SIGN: Final = {"expiresIn": Field(whole(1), required=True), "transform": Field(lambda value: value)}
_SIGN_MANY: Final = {
    "expiresIn": Field(whole(1), required=True),
    "paths": Field(list_of(text(), 1, MOST_PATHS), required=True),
}


@dataclass(frozen=True, slots=True)
class Grant:
    """What a token allows. `transformations` and `format` are for images, the rest for uploads."""

    url: str
    expires: int
    owner: str | None = None
    upsert: bool = False
    transformations: str = ""
    format: str = ""
    user_metadata: str | None = None


# --- tokens ---------------------------------------------------------------------------------------------------------


def sign(core: Core, claims: dict[str, Any], seconds: int) -> str:
    """A token that ends after so many seconds. Raises StorageError."""
    now = int(core.clock())
    if now + seconds > LATEST:
        raise StorageError(INVALID_PARAMETER, name="expiresIn")
    return mint({**claims, "iat": now, "exp": now + seconds}, core.signing(), typed=False)


def verify(core: Core, token: str, url: str, scope: str) -> Grant:
    """What a token allows at a path. Raises StorageError."""
    try:
        claims = verify_signature(token, core.verification())
    except TokenError as error:
        failed = error.fault is Fault.NO_KEY
        raise StorageError(INVALID_JWT, "signature verification failed" if failed else "Invalid Compact JWS") from error
    end = claims.get("exp")
    if not isinstance(end, int | float) or isinstance(end, bool) or core.clock() >= end:
        raise StorageError(INVALID_JWT, '"exp" claim timestamp check failed')
    given = claims.get("scope", "upload" if "upsert" in claims else "download")
    if given != scope:
        raise StorageError(INVALID_SIGNATURE, f"Token is not scoped for {scope}")
    if claims.get("url") != url:
        raise StorageError(INVALID_SIGNATURE)

    def text_of(name: str) -> str:
        value = claims.get(name)
        return value if isinstance(value, str) else ""

    return Grant(
        url,
        int(end),
        text_of("owner") or None,
        claims.get("upsert") is True,
        text_of("transformations"),
        text_of("format"),
        text_of("metadata") or None,
    )


def required_token(call: Call) -> str:
    """The token of the query. Raises StorageError."""
    token = call.query.get("token")
    if token is None:
        raise StorageError(INVALID_REQUEST, "querystring must have required property 'token'")
    return token


# --- download -------------------------------------------------------------------------------------------------------


async def sign_one(core: Core, call: Call) -> Response:
    given = check("body", _SIGN, await call.json())
    bucket, key = call.params["bucket"], call.params["key"]
    await core.object(call, bucket, key)
    claims: dict[str, Any] = {"url": f"{bucket}/{key}", "scope": "download"}
    wanted = parse_transform("body/transform", given.get("transform") or {})
    kind = "object"
    if wanted != Transformation():
        kind = "render/image"
        claims["transformations"] = wanted.text()
        if wanted.format:
            claims["format"] = wanted.format
    return reply({"signedURL": f"/{kind}/sign/{bucket}/{key}?token={sign(core, claims, given['expiresIn'])}"})


async def sign_many(core: Core, call: Call) -> Response:
    given = check("body", _SIGN_MANY, await call.json())
    bucket, paths = call.params["bucket"], given["paths"]
    result = await core.ask(
        core.reader_scope(call),
        "select name from storage.objects where bucket_id = $1 and name = any ($2)",
        bucket,
        array(paths),
    )
    seen = {(row[0] or b"").decode() for row in result.rows}
    answers: list[dict[str, Any]] = []
    for path in paths:
        if path in seen:
            token = sign(core, {"url": f"{bucket}/{path}", "scope": "download"}, given["expiresIn"])
            answers.append({"error": None, "path": path, "signedURL": f"/object/sign/{bucket}/{path}?token={token}"})
        else:
            answers.append({"error": NOT_FOUND, "path": path, "signedURL": None})
    return reply(answers)


async def get_signed(core: Core, call: Call) -> Reply:
    bucket, key = call.params["bucket"], call.params["key"]
    grant = verify(core, required_token(call), f"{bucket}/{key}", "download")
    return await serve(core, call, Finder(core, call, bucket, key, as_owner=True), grant.expires)


# --- upload ---------------------------------------------------------------------------------------------------------


async def sign_upload(core: Core, call: Call) -> Response:
    """Asks now whether the caller may write the row; who uses the URL is not asked again."""
    bucket, key = call.params["bucket"], call.params["key"]
    caller = call.caller
    assert caller is not None
    found = await core.bucket(call, bucket)
    check_key(key)
    metadata = call.user_metadata()
    row = NewRow(found.id, key, caller.owner, caller.sub, metadata)
    await core.probe_insert(call, row, upsert=call.upsert, mimetype=DEFAULT_TYPE, length=None)
    claims: dict[str, Any] = {"owner": caller.sub, "url": f"{bucket}/{key}", "upsert": call.upsert, "scope": "upload"}
    if metadata is not None:
        claims["metadata"] = metadata
    token = sign(core, claims, core.settings.storage_upload_url_seconds)
    return reply({"url": f"/object/upload/sign/{bucket}/{key}?token={token}", "token": token})


async def upload_signed(core: Core, call: Call) -> Response:
    bucket, key = call.params["bucket"], call.params["key"]
    grant = verify(core, required_token(call), f"{bucket}/{key}", "upload")
    found = await core.bucket(call, bucket)
    robots = check_robots(call.header(b"x-robots-tag"))
    if not grant.upsert:
        await refuse_existing(core, call, bucket, key)
    given = await incoming(call)
    check_given(core, call, found, key, given)
    row = NewRow(bucket, key, as_uuid(grant.owner), grant.owner, given.user_metadata or grant.user_metadata)
    await finish(core, call, found, row, given, robots, upsert=grant.upsert)
    return reply({"Key": f"{bucket}/{key}"})


async def refuse_existing(core: Core, call: Call, bucket: str, key: str) -> None:
    """Refuse an upload that could not be committed before its bytes are taken. Raises StorageError."""
    try:
        await core.object(call, bucket, key, as_owner=True)
    except StorageError as error:
        if error.row is NO_KEY:
            return
        raise
    raise StorageError(KEY_EXISTS)


def as_uuid(owner: str | None) -> str | None:
    """An owner that is a UUID, for the column that takes no other."""
    from gateway.storage.call import Caller

    return Caller("", "", owner).owner
