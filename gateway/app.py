"""The whole gateway on one page: prefixes, order of the edge's checks, start and stop.

A raw ASGI callable. `/rest/v1`, `/auth/v1` and `/functions/v1` go to their services, everything else to the site; a
prefix may be empty, and then takes what no other prefix matched.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import math
import os
import re
import signal
import time
from collections.abc import Callable, Coroutine, Mapping, MutableMapping
from contextlib import suppress
from typing import Any, Final

import orjson

from gateway import POSTGREST
from gateway.auth.call import MAX_BODY
from gateway.auth.http.routes import FIXED_PATHS
from gateway.auth.service import AuthService
from gateway.catalog.model import SchemaCache
from gateway.catalog.reload import SchemaCacheHolder
from gateway.database import Database
from gateway.database.poolers import Urls
from gateway.errors import BODY_TOO_LARGE, INTERNAL, TOO_MANY, URL_TOO_LONG, ApiError
from gateway.functions.environment import injected
from gateway.functions.service import FunctionsService
from gateway.http.messages import (
    App,
    Bodies,
    ClientDisconnected,
    HeaderList,
    Hold,
    Receive,
    Request,
    Response,
    Scope,
    Send,
    read_body,
    refuse_declared,
    refuse_socket,
    respond,
    send_response,
)
from gateway.identity.authenticator import AnonymousRefused, Authenticator, strip_key
from gateway.identity.keyring import KeyRing
from gateway.identity.tokens import TokenError
from gateway.lru_cache import Caches, LruCache
from gateway.middleware.access_log import AccessLog
from gateway.middleware.limits import Buckets, Limits
from gateway.middleware.metrics import OTHER, Board, Tally
from gateway.middleware.tracing import Telemetry
from gateway.rest.endpoint import RestService
from gateway.rest.openapi import Documents
from gateway.rest.replica import Recent, Replica
from gateway.server import logs
from gateway.server.protocol import HEADS, Read
from gateway.settings import Settings
from gateway.site.service import Site

log = logging.getLogger("gateway")

BODY_METHODS: Final = frozenset(("POST", "PUT", "PATCH", "DELETE"))
# Reached by links and by other servers, which carry no key.
AUTH_OPEN: Final = re.compile(r"/(?:verify|callback|authorize|health|\.well-known/.*)")
TELL: Final = 1.0  # seconds
REQUEST_ID: Final = re.compile(rb"[\w.:-]{1,128}")


def give_up() -> None:
    """End the supervisor and with it every worker, for whoever starts it again finds a database by himself."""
    log.error("Automatic recovery disabled, exiting.")
    os.kill(os.getppid(), signal.SIGTERM)


class Gateway:
    """One worker: its services share settings, keys and two pools of connections."""

    def __init__(
        self,
        settings: Settings,
        keys: KeyRing,
        urls: Urls,
        *,
        mounts: Mapping[str, App] | None = None,
        board: Board | None = None,
        buckets: Buckets | None = None,
        recent: Recent | None = None,
        slot: int = 0,
    ) -> None:
        """`mounts` are further ASGI applications by path prefix, such as the development mail trap's page; `slot` is
        this worker's place on the board."""
        self.settings = settings
        self.keys = keys
        self.caches = Caches(settings.caches)
        self.authenticator = Authenticator(settings, keys, caches=self.caches)
        self.limits = Limits(settings, buckets)
        self.tally = Tally()
        self.board = board or Board(1)
        self._slot = slot
        self._telling: asyncio.Task[None] | None = None
        self._loads = 0
        self._telemetry = Telemetry(settings) if settings.otlp_endpoint else None
        self._access = AccessLog(settings.data_dir / "access.jsonl") if settings.access_log else None
        self.rest_db = Database(
            urls.rest,
            unprivileged=True,
            prepared=settings.db_prepared_statements,
            size=settings.db_pool,
            acquire_timeout=settings.db_pool_acquisition_timeout,
            share=settings.db_pool_share,
            idle_timeout=settings.db_pool_max_idletime,
            lifetime=settings.db_pool_max_lifetime,
            on_lost=None if settings.db_pool_automatic_recovery else give_up,
            application_name=f"PostgREST {POSTGREST}",
        )
        self.auth_db = Database(
            urls.auth,
            become=urls.auth_as,
            unprivileged=True,
            prepared=settings.db_prepared_statements,
            size=8,
            core=2,
            application_name="gateway auth",
        )
        self._databases = [self.rest_db, self.auth_db]
        self.cache = SchemaCacheHolder(
            settings,
            self.rest_db,
            urls.listen,
            on_config=self._reconfigure,
            on_schema=self._loaded,
            on_renewal=self._renew_sessions,
        )
        self.rest = RestService(settings, self.rest_db, lambda: self.cache.current, Documents(self.caches), self.caches)
        self.rest.source = self.limits.source
        self.replica: Replica | None = None
        if urls.read:
            read_db = Database(
                urls.read,
                unprivileged=True,
                prepared=settings.db_prepared_statements,
                size=settings.db_pool,
                acquire_timeout=settings.db_pool_acquisition_timeout,
                share=settings.db_pool_share,
                idle_timeout=settings.db_pool_max_idletime,
                lifetime=settings.db_pool_max_lifetime,
                application_name=f"PostgREST {POSTGREST}",
            )
            self._databases.append(read_db)
            self.replica = self.rest.replica = Replica(self.rest_db, read_db, settings, recent)
        self.auth = AuthService(settings, self.auth_db, keys)
        self.functions = FunctionsService(
            settings, lambda: injected(self.settings, self.keys), self.authenticator.claims
        )
        self.site = Site(settings, keys, self.functions.call)
        self.bodies = Bodies(max(settings.body_memory, 4 * settings.max_body_bytes))
        self._mounts = tuple((mounts or {}).items())
        self._ids = itertools.count(int.from_bytes(os.urandom(4), "big"))
        self._process = os.urandom(4).hex()
        # Who comes by a socket of the file system is this machine's, as a proxy on loopback is.
        self._peer = "127.0.0.1" if settings.unix_socket else None
        self._trace_header = (settings.trace_header or "x-request-id").lower().encode()
        self.reads: LruCache[bytes, Read] = self.caches.make("messages", HEADS)
        self._direct_prefix = settings.rest_prefix.encode() + b"/" if settings.rest_prefix else None
        # The longest prefix first: an empty one takes what is left, tables before the others.
        self._services: list[tuple[str, Callable[[Scope, Receive, Send, str], Any]]] = sorted(
            (
                (settings.rest_prefix, self._serve_rest),
                (settings.auth_prefix, self._serve_auth),
                (settings.functions_prefix, self._serve_functions),
            ),
            key=lambda service: -len(service[0]),
        )

    # --- life ----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Open the tables' pool, load the schema cache, get functions ready. Raises DatabaseUnavailable."""
        await self.rest_db.open()
        await self.cache.start()
        if self.settings.reuse_port:
            await self.cache.loaded()  # or it would take requests from a process that can answer them
        if self.replica is not None:
            await self.replica.start()
        await self.functions.start()
        self._telling = asyncio.create_task(self._tell())
        if self._telemetry is not None:
            self._telemetry.start()
        self.auth.start(self._rekeyed)

    async def stop(self) -> None:
        """End functions, then let go of the database."""
        if self._telling is not None:
            self._telling.cancel()
        if self._access is not None:
            self._access.flush()
        await self.functions.stop()
        if self._telemetry is not None:
            await self._telemetry.stop()
        await self.cache.stop()
        if self.replica is not None:
            await self.replica.stop()
        await self.rest.bodies.close()
        await self.auth.settle()
        self.auth.close()
        await self.auth_db.close()
        await self.rest_db.close()

    def _reconfigure(self, settings: Settings) -> None:
        """Settings were read again: the tables API takes them, remembered tokens are forgotten."""
        if settings.jwt_secret != self.settings.jwt_secret:
            try:
                self.keys.renew(settings)
            except ValueError as error:
                log.error("Failed reloading config: %s", error)
            self.functions.renew()
        self.settings = settings
        self.rest.settings = settings
        self.authenticator.configure(settings, self.keys)

    def _rekeyed(self) -> None:
        """Keys changed: remembered tokens are forgotten, functions get the new ones."""
        self.authenticator.configure(self.settings, self.keys)
        self.functions.renew()

    def _loaded(self, cache: SchemaCache) -> None:
        self._loads += 1
        for database in self._databases:
            database.renew(self.cache.version, cache.runs_given_sql)

    def _renew_sessions(self) -> None:
        """Maintenance begins or ends; a replica has sessions of its own."""
        self.rest_db.renew_sessions()
        self.auth_db.renew_sessions()

    async def _tell(self) -> None:
        """Write this worker's numbers on the board, once a second."""
        while True:
            self.board.write(
                self._slot,
                {
                    "requests": self.tally.rows(),
                    "functions": self.functions.tally.rows(),
                    "caches": self.caches.stats(),
                    "lookups": sorted(self.rest.lookups),
                    "shortages": self.rest.shortages.seen | self.auth.shortages.seen,
                    "pools": {
                        "tables": self.rest_db.stats,
                        "auth": self.auth_db.stats,
                        **({"replica": self.replica.replica.stats} if self.replica is not None else {}),
                    },
                    "counters": {
                        "schema_reloads": self._loads,
                        "plans_built": self.rest.plans_built,
                        "plans_reused": self.rest.plans_reused,
                        "tokens_verified": self.authenticator.tokens_verified,
                        "tokens_reused": self.authenticator.tokens_reused,
                        "refused_bodies": self.bodies.refused,
                        "limited_requests": self.tally.limited(),
                        "log_lines_dropped": logs.dropped() + (self._access.dropped if self._access else 0),
                        "failed_sign_ins": self.tally.count(f"{self.settings.auth_prefix}/token", range(400, 500)),
                    },
                },
            )
            await asyncio.sleep(TELL)

    # --- requests ------------------------------------------------------------------------------------------------

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        path = raw.decode("latin-1")
        for prefix, app in self._mounts:
            if path.startswith(prefix):
                await app(scope, receive, send)
                return
        for prefix, serve in self._services:
            if path.startswith(prefix) and (not prefix or path[len(prefix) : len(prefix) + 1] in ("", "/")):
                await serve(scope, receive, send, path[len(prefix) :] or "/")
                return
        if scope["type"] != "http":
            await refuse_socket(send)
            return
        await self.site(scope, receive, self._traced(scope, send, self._request_id(scope["headers"]), "site"))

    def takes(self, method: bytes, target: bytes, headers: HeaderList) -> Request | None:
        """A request to a table, for an answer without ASGI in between (gateway/server/protocol.py); else None."""
        prefix = self._direct_prefix
        if prefix is None or not target.startswith(prefix) or b"#" in target:
            return None
        path, _, query = target[len(prefix) - 1 :].partition(b"?")
        return Request(method.decode("latin-1"), path.decode("latin-1"), query.decode("latin-1"), headers)

    def answer(self, request: Request, client: tuple[str, int] | None) -> Coroutine[Any, Any, Response]:
        """The response to what `takes` took."""
        given = request.header(self._trace_header)
        given = given if given is not None and REQUEST_ID.fullmatch(given) else self._new_id()
        asked = request.asked_by(client[0] if client else self._peer, given.decode())
        return self._finished_table(asked, None)

    async def _serve_rest(self, scope: Scope, receive: Receive, send: Send, path: str) -> None:
        if scope["type"] != "http":
            await refuse_socket(send)
            return
        request = self._request(scope, path)
        try:
            response = await self._finished_table(request, receive)
        except ClientDisconnected:
            return
        finally:
            if request.hold is not None:
                request.hold.release()
        await respond(scope, send, response)

    async def _finished_table(self, request: Request, receive: Receive | None) -> Response:
        """The tables' answer with its request id, whatever happens. Raises ClientDisconnected."""
        began = time.perf_counter()
        try:
            response = await self._tables(request, receive)
        except ClientDisconnected:
            raise
        except Exception:
            response = self._unexpected(request)
        response.headers.append((self._trace_header, request.request_id.encode()))
        self._note(self.settings.rest_prefix, self.settings.rest_prefix, request, response, began)
        return response

    async def _tables(self, request: Request, receive: Receive | None) -> Response:
        """`receive` gives the body where the request has not got it yet."""
        preflight = self.rest.preflight(request)
        if preflight is not None:
            return preflight
        began = time.perf_counter()
        try:
            self._limit("tables", self.settings.rest_prefix, request)
            self._check_url(request)
            identity = None
            if request.method != "OPTIONS":
                identity = self.authenticator.demand_key(request, self.settings.rest_prefix)
            if identity is None:
                identity = self.authenticator.identify(request)
            token_seconds = time.perf_counter() - began
            request.query = strip_key(request.query)
            if request.method in BODY_METHODS:
                limit = self.settings.max_body_bytes
                if receive is not None:
                    refuse_declared(request, limit)
                    request.hold = Hold(self.bodies)
                    request.body = await read_body(receive, limit, request.hold)
                elif len(request.body) > limit:
                    raise ApiError(BODY_TOO_LARGE, limit=limit)
        except (TokenError, AnonymousRefused) as error:
            return self.rest.refuse(request, error)
        except ApiError as error:
            return edge_error(error)
        return await self.rest.handle(request, identity, token_seconds)

    async def _serve_auth(self, scope: Scope, receive: Receive, send: Send, path: str) -> None:
        if scope["type"] != "http":
            await refuse_socket(send)
            return
        began = time.perf_counter()
        request = self._request(scope, path)
        try:
            response = await self._sessions(request, receive)
        except ClientDisconnected:
            return
        except Exception:
            response = self._unexpected(request)
        finally:
            if request.hold is not None:
                request.hold.release()
        response.headers += _auth_cors(request)
        response.headers.append((self._trace_header, request.request_id.encode()))
        prefix = self.settings.auth_prefix
        self._note(prefix + (path if path in FIXED_PATHS else ""), prefix, request, response, began)
        await respond(scope, send, response)

    async def _sessions(self, request: Request, receive: Receive) -> Response:
        if request.method == "OPTIONS" and request.header(b"access-control-request-method") is not None:
            return Response(204)
        try:
            self._limit("auth", self.settings.auth_prefix, request)
            self._check_url(request)
            if not AUTH_OPEN.fullmatch(request.path):
                self.authenticator.demand_key(request, self.settings.auth_prefix)
            if request.method in BODY_METHODS:
                # The service refuses what is longer, in its own envelope.
                request.hold = Hold(self.bodies)
                request.body = await read_body(receive, MAX_BODY, request.hold, cut=True)
        except ApiError as error:
            return edge_error(error)
        try:
            return await self.auth.handle(request)
        finally:
            self._wrote(request)

    def _wrote(self, request: Request) -> None:
        """A session that may have written past the tables API reads from the primary for a while too."""
        if self.replica is not None and request.method in BODY_METHODS:
            with suppress(ApiError, TokenError, AnonymousRefused):
                self.replica.wrote(request, self.authenticator.identify(request))

    async def _serve_functions(self, scope: Scope, receive: Receive, send: Send, path: str) -> None:
        request_id = self._request_id(scope["headers"])
        headers = [pair for pair in scope["headers"] if pair[0] != b"x-request-id"]
        headers.append((b"x-request-id", request_id))
        inner = {**scope, "path": path, "raw_path": path.encode("latin-1"), "headers": headers}
        name = path[1:].partition("/")[0]
        prefix = self.settings.functions_prefix
        traced = self._traced(scope, send, request_id, f"{prefix}/{name}")
        if scope["type"] == "http" and scope["method"] != "OPTIONS":
            try:
                self._limit("functions", prefix, self._request(scope, path))
            except ApiError as error:
                await send_response(traced, self.functions.refusal(name, error))
                return
        if self.replica is None or scope["type"] != "http":
            await self.functions(inner, receive, traced)
            return
        request = self._request(scope, path)
        self._wrote(request)  # before too: the client has the answer before the call returns
        try:
            await self.functions(inner, receive, traced)
        finally:
            self._wrote(request)

    def _traced(self, scope: Scope, send: Send, request_id: bytes, route: str) -> Send:
        """`send` that names the request in the answer, and counts the answer when it is complete."""
        began = time.perf_counter()
        status = size = 0

        async def traced(message: MutableMapping[str, Any]) -> None:
            nonlocal status, size
            kind = message["type"]
            if kind == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (self._trace_header, request_id)]
            await send(message)
            if kind == "http.response.body":
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    seconds = time.perf_counter() - began
                    self.tally.note(route if status != 404 else OTHER, scope["method"], status, seconds)
                    client = scope.get("client")
                    address, id = client[0] if client else None, request_id.decode()
                    if self._access is not None:
                        self._access.add(id, scope["method"], scope["path"], status, seconds, size, address)
                    if self._telemetry is not None:
                        parent = next((value for key, value in scope["headers"] if key == b"traceparent"), None)
                        self._telemetry.note(
                            route, scope["method"], scope["path"], status, seconds, id, address, parent
                        )

        return traced

    def _note(self, route: str, prefix: str, request: Request, response: Response, began: float) -> None:
        """Count an answer, and write it to the access log where there is one."""
        seconds = time.perf_counter() - began
        self.tally.note(route, request.method, response.status, seconds)
        if self._access is not None:
            path, size = prefix + request.path, len(response.body)
            self._access.add(request.request_id, request.method, path, response.status, seconds, size, request.client)
        if self._telemetry is not None:
            self._telemetry.note(
                route, request.method, prefix + request.path, response.status, seconds, request.request_id,
                request.client, request.header(b"traceparent"),
            )  # fmt: skip

    # --- parts ---------------------------------------------------------------------------------------------------

    def _request(self, scope: Scope, path: str) -> Request:
        headers = list(scope["headers"])
        client = scope.get("client")
        return Request(
            scope["method"],
            path,
            scope["query_string"].decode("latin-1"),
            headers,
            client=client[0] if client else self._peer,
            request_id=self._request_id(headers).decode(),
        )

    def _request_id(self, headers: list[tuple[bytes, bytes]]) -> bytes:
        for key, value in headers:
            if key == self._trace_header and REQUEST_ID.fullmatch(value):
                return value
        return self._new_id()

    def _new_id(self) -> bytes:
        return f"{self._process}-{next(self._ids):x}".encode()

    def _check_url(self, request: Request) -> None:
        if len(request.path) + len(request.query) > self.settings.max_url_bytes:
            raise ApiError(URL_TOO_LONG, limit=self.settings.max_url_bytes)

    def _limit(self, service: str, prefix: str, request: Request) -> None:
        """Refuse a client that asks too much. Raises ApiError TOO_MANY."""
        wait = self.limits.wait(service, prefix + request.path, request)
        if wait > 0:
            seconds = math.ceil(wait)
            retry = ((b"retry-after", b"%d" % seconds), (b"access-control-expose-headers", b"Retry-After"))
            raise ApiError(TOO_MANY, seconds=seconds, headers=retry)

    def _unexpected(self, request: Request) -> Response:
        log.exception("unexpected failure on %s %s, request %s", request.method, request.path, request.request_id)
        return edge_error(ApiError(INTERNAL))

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                try:
                    await self.start()
                except Exception as error:
                    await send({"type": "lifespan.startup.failed", "message": str(error)})
                    return
                await send({"type": "lifespan.startup.complete"})
            else:
                with suppress(asyncio.CancelledError):
                    await self.stop()
                await send({"type": "lifespan.shutdown.complete"})
                return


def edge_error(error: ApiError) -> Response:
    """The edge's own envelope; browsers may read it."""
    content = {"message": error.message, "hint": error.hint} if error.hint else {"message": error.message}
    body = orjson.dumps({"code": error.code, **content} if error.row is INTERNAL else content)
    headers = [
        (b"content-type", b"application/json; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"access-control-allow-origin", b"*"),
        *error.headers,
    ]
    return Response(error.status, headers, body)


_AUTH_ALLOWED = (
    "Accept, Authorization, Content-Type, X-Client-IP, X-Client-Info, X-JWT-AUD, x-use-cookie, "
    "X-Supabase-Api-Version, apikey"
)


def _auth_cors(request: Request) -> list[tuple[bytes, bytes]]:
    if request.header(b"origin") is None:
        return []
    headers = [
        (b"access-control-allow-origin", b"*"),
        (b"access-control-allow-credentials", b"true"),
        (b"access-control-expose-headers", b"X-Total-Count, Link, X-Supabase-Api-Version"),
    ]
    asked = request.header(b"access-control-request-headers")
    if request.header(b"access-control-request-method") is not None:
        allowed = _AUTH_ALLOWED.encode() + (b", " + asked if asked else b"")
        headers += [
            (b"access-control-allow-methods", b"GET, POST, PUT, PATCH, DELETE"),
            (b"access-control-allow-headers", allowed),
            (b"access-control-max-age", b"86400"),
        ]
    return headers
