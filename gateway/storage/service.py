"""`StorageService`: the storage API as an ASGI application. Paths come without their prefix.

Request id, limits, CORS and the access log are the business of whoever mounts it. It owns what is said of who asks, and
the shape of its errors.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import orjson

from gateway.database import DatabaseError, DatabaseUnavailable, PoolTimeout, Scope
from gateway.database.statement import Statement
from gateway.errors import ApiError
from gateway.http.messages import SEND_FILE, ClientDisconnected, Receive, Request, Response, Send, respond
from gateway.http.messages import Scope as HttpScope
from gateway.identity.authenticator import Identity, bearer, header_key
from gateway.identity.keyring import KeyRing
from gateway.identity.tokens import Fault, TokenError
from gateway.storage import resumable
from gateway.storage.blobs import BlobMissing, StoreUnavailable
from gateway.storage.blobs.folder import FileBlob
from gateway.storage.call import Call, Caller, Download, Reply, drain
from gateway.storage.core import Core
from gateway.storage.errors import (
    INTERNAL,
    INVALID_REQUEST,
    INVALID_ROLE,
    INVALID_TOKEN,
    MISSING_PARAMETER,
    NO_BLOB,
    NO_ROUTE,
    StorageError,
    render,
)
from gateway.storage.routes import Route, Who, find_route

if TYPE_CHECKING:
    from gateway.storage.s3.service import S3Service

log = logging.getLogger("gateway.storage")

VERSION: Final = "1.0.0"
_WORDS: Final = frozenset(
    ("public", "authenticated", "sign", "info", "upload", "list", "list-v2", "copy", "move", "image", "resumable")
)
NO_BEARER: Final = "headers must have required property 'authorization'"
_FAULTS: Final[Mapping[Fault, str]] = {
    Fault.EXPIRED: '"exp" claim timestamp check failed',
    Fault.NOT_YET: '"nbf" claim timestamp check failed',
    Fault.NO_KEY: "signature verification failed",
}


class StorageService:
    """`identify` gives role and claims of a token or an opaque key; it raises TokenError or ApiError."""

    def __init__(self, core: Core, identify: Callable[[str], Identity], keys: KeyRing) -> None:
        self.core = core
        self._identify = identify
        self._keys = keys
        self._s3_service: S3Service | None = None

    async def stop(self) -> None:
        """Finish what is left to do after answers, and let go of the store."""
        await self.core.rows.stop()
        await self.core.settle()
        await self.core.blobs.close()

    async def __call__(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        call = Call(
            scope["method"],
            "",
            raw.decode("latin-1"),
            scope["query_string"].decode("latin-1"),
            list(scope["headers"]),
            receive,
        )
        try:
            reply = await self._answer(call)
        except ClientDisconnected:
            return
        if isinstance(reply, Response):
            ends = call.method in ("POST", "PUT", "PATCH", "DELETE") and not await self._let_go(call)
            if ends:
                # By ASGI's own messages: only there is this header obeyed, and the client's sending cut short.
                reply.headers.append((b"connection", b"close"))
            if call.method == "HEAD":
                reply.body = b""
            await respond({**scope, "extensions": {}} if ends else scope, send, reply)
            return
        await self._stream(scope, send, reply)

    # --- answering -----------------------------------------------------------------------------------------------

    async def _answer(self, call: Call) -> Reply:
        """The response, whatever happens. Raises ClientDisconnected."""
        try:
            return await self._handle(call)
        except StorageError as error:
            self.core.note(error)
            return refusal(error)
        except BlobMissing:
            missing = StorageError(NO_BLOB)
            self.core.note(missing)
            return refusal(missing)
        except (StoreUnavailable, DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
            self.core.counters.store_failures += isinstance(error, StoreUnavailable)
            log.error("%s %s failed: %s", call.method, call.raw_path, error)
        except ClientDisconnected:
            raise
        except Exception:
            log.exception("%s %s failed", call.method, call.raw_path)
        return refusal(StorageError(INTERNAL))

    async def _handle(self, call: Call) -> Reply:
        try:
            call.path = unquote(call.raw_path, errors="strict")
        except UnicodeDecodeError:
            raise StorageError(INVALID_REQUEST, f"'{call.raw_path}' is not a valid url component") from None
        found = find_route(call.method, call.path, self.core.settings.image_enabled)
        if found is None:
            return await self._other(call)
        route, call.params = found
        call.operation = route.operation
        call.caller = self.caller(call, route)
        if route.who is not Who.UPLOADER:
            return await route.handle(self.core, call)
        if "signed" in call.params:
            call.operation += "_signed"
        try:
            return await route.handle(self.core, call)
        except StorageError as error:
            self.core.note(error)
            return resumable.render(error)

    def caller(self, call: Call, route: Route) -> Caller | None:
        """Who asks; None for nobody in particular. Raises StorageError."""
        if route.who is Who.ANYBODY or (route.who is Who.UPLOADER and "signed" in call.params):
            return None
        token = token_of(call)
        if route.who is Who.UPLOADER and token is None:
            raise StorageError(INVALID_TOKEN, "Invalid Compact JWS")
        if route.who is Who.OPTIONAL:
            try:
                return self._caller(token) if token else None
            except StorageError:
                return None
        if token is None:
            raise StorageError(INVALID_REQUEST, NO_BEARER)
        return self._caller(token)

    def _caller(self, token: str) -> Caller:
        try:
            identity = self._identify(token)
        except TokenError as error:
            raise StorageError(INVALID_TOKEN, _FAULTS.get(error.fault, "Invalid Compact JWS")) from error
        except ApiError as error:
            raise StorageError(INVALID_TOKEN, "Invalid Compact JWS") from error
        claims: Any = orjson.loads(identity.claims)
        sub = claims.get("sub")
        return Caller(identity.role, identity.claims, sub if isinstance(sub, str) else None, token)

    async def _other(self, call: Call) -> Reply:
        """Addresses beside buckets and objects."""
        if call.method in ("GET", "HEAD"):
            if call.path == "/status":
                return Response(200, [(b"content-length", b"0")])
            if call.path == "/version":
                return Response(200, [(b"content-type", b"text/plain; charset=utf-8")], VERSION.encode())
            if call.path == "/health":
                return await self._health(call)
        if call.method == "DELETE" and (call.path == "/cdn" or call.path.startswith("/cdn/")):
            caller = self._required(call)
            if caller.role != "service_role":
                raise StorageError(INVALID_ROLE)
            raise StorageError(MISSING_PARAMETER, name="CDN_PURGE_ENDPOINT_URL is not set")
        if call.path == "/s3" or call.path.startswith("/s3/"):
            return await self._s3(call)
        url = call.raw_path + ("?" + call.query_string if call.query_string else "")
        error = StorageError(NO_ROUTE, method=call.method, url=url)
        if call.path.startswith(("/object", "/bucket", "/render")):
            raise error
        body = orjson.dumps({"message": error.message, "error": "Not Found", "statusCode": 404})
        return Response(404, [(b"content-type", b"application/json; charset=utf-8")], body)

    async def _s3(self, call: Call) -> Reply:
        if self._s3_service is None:
            # Loaded with the first request: most workers never have one.
            from gateway.storage.s3.access import S3Access
            from gateway.storage.s3.service import S3Service

            self._s3_service = S3Service(self.core, S3Access(self.core.settings, self._keys, self._caller))
        if not self.core.settings.s3_enabled:
            raise StorageError(NO_ROUTE, method=call.method, url=call.raw_path)
        return await self._s3_service.handle(call)

    def _required(self, call: Call) -> Caller:
        token = token_of(call)
        if token is None:
            raise StorageError(INVALID_TOKEN, "Invalid Compact JWS")
        return self._caller(token)

    async def _health(self, call: Call) -> Response:
        call.caller = self._required(call)
        try:
            await self.core.db.run(Scope("supabase_storage_admin"), Statement("select id from storage.buckets limit 1"))
            healthy = True
        except (DatabaseError, DatabaseUnavailable, PoolTimeout):
            healthy = False
        body = json.dumps({"healthy": healthy}, separators=(",", ":")).encode()
        return Response(200, [(b"content-type", b"application/json; charset=utf-8")], body)

    # --- sending -------------------------------------------------------------------------------------------------

    @staticmethod
    async def _let_go(call: Call) -> bool:
        """Of a body that was not wanted a little is read, so that the client sees the answer; of a long one nothing,
        and the connection is to end. Whether it can go on."""
        if call.body_read:
            return True
        length = call.declared_length
        if (length is not None and length <= 65_536) or (length is None and call.header(b"transfer-encoding") is None):
            await drain(call)
            return True
        return False

    async def _stream(self, scope: HttpScope, send: Send, download: Download) -> None:
        """A blob by the kernel, where it is a file and the server can, or in pieces, as fast as the client takes
        them."""
        blob = download.blob
        assert blob is not None
        by_kernel = (scope.get("extensions") or {}).get(SEND_FILE)
        counters = self.core.counters
        try:
            if by_kernel is not None and isinstance(blob, FileBlob):
                head = Response(download.status, download.headers)
                if await by_kernel(head, blob, download.start, download.length):
                    counters.bytes_out += download.length
                    return
            await send({"type": "http.response.start", "status": download.status, "headers": download.headers})
            left = download.length
            async for piece in blob.read(download.start, download.length):
                left -= len(piece)
                await send({"type": "http.response.body", "body": piece, "more_body": left > 0})
                counters.bytes_out += len(piece)
            if download.length == 0:
                await send({"type": "http.response.body", "body": b""})
        finally:
            blob.close()


def operation_of(path: str) -> str:
    """What requests are counted under: the operation, without the names of buckets and objects.

    >>> operation_of("/object/public/b/x.png"), operation_of("/object/b/x.png"), operation_of("/bucket/b")
    ('/object/public', '/object', '/bucket')
    """
    first, _, rest = path[1:].partition("/")
    if first not in ("object", "bucket", "render", "upload", "s3", "cdn", "health", "status", "version"):
        return ""
    word = rest.partition("/")[0]
    return f"/{first}/{word}" if first in ("object", "render", "upload") and word in _WORDS else f"/{first}"


def token_of(call: Call) -> str | None:
    """The bearer token, or the API key where there is none."""
    request = Request(call.method, call.raw_path, call.query_string, call.headers)
    token = bearer(request)
    if token is None and call.header(b"authorization") is not None:
        return ""
    return token if token is not None else header_key(request)


def refusal(error: StorageError) -> Response:
    """An error's response."""
    body = render(error)
    headers = [(b"content-type", b"application/json; charset=utf-8"), (b"content-length", b"%d" % len(body))]
    if error.row is NO_BLOB:
        headers.append((b"cache-control", b"no-store"))
    return Response(error.row.http, headers, body)
