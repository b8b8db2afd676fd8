"""The one way in: the order in which every request passes the middleware, whichever service it is for.

    on the way in                               refused with       where
    1  request id, client's address                                request_id.py, below
    2  preflight of another origin              answered           cors.py
    3  rate limits, length of the URL           429, 414           limits.py
    4  API key, identity                        401                api_key.py
    5  body, where the service wants it whole   413, 503           body.py
       the service
    on the way out
    6  cross-origin and security headers                           cors.py, security_headers.py
    7  request id                                                  request_id.py
    8  metrics, access log, trace                                  metrics.py, access_log.py, tracing.py

Services are of two kinds, of whole answers and of streams (gateway/middleware/service.py), so the order stands twice
below, made of the same steps: `answer` and `_stream`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final
from urllib.parse import unquote

from gateway.errors import INTERNAL, ApiError
from gateway.http.messages import (
    BODY_METHODS,
    RESPOND,
    SEND_FILE,
    ClientDisconnected,
    Receive,
    Request,
    Response,
    Scope,
    Send,
    refuse_socket,
    respond,
)
from gateway.identity.authenticator import AnonymousRefused, Authenticator, Identity
from gateway.identity.tokens import TokenError
from gateway.middleware.answer import StreamedAnswer
from gateway.middleware.api_key import authenticate
from gateway.middleware.body import Bodies, take_body
from gateway.middleware.limits import Limits
from gateway.middleware.observers import Observers
from gateway.middleware.refusal import render_refusal
from gateway.middleware.request_id import RequestIds
from gateway.middleware.service import Service, StreamedService, WholeService

log = logging.getLogger("gateway")

IDENTITY: Final = "gateway.identity"  # in the scope of a streamed service


class Stack:
    """The middleware of one worker."""

    def __init__(
        self,
        ids: RequestIds,
        authenticator: Authenticator,
        limits: Limits,
        bodies: Bodies,
        observers: Observers,
        *,
        peer: str | None = None,
        wrote: Callable[[Request, Identity], None] | None = None,
    ) -> None:
        """`peer` is the address of clients that have none, as at a socket of the file system; `wrote` is told who may
        have written past the tables API."""
        self.ids = ids
        self.authenticator = authenticator
        self.limits = limits
        self.bodies = bodies
        self.observers = observers
        self._peer = peer
        self._wrote = wrote

    # --- services of whole answers -------------------------------------------------------------------------------

    async def serve(self, service: Service, scope: Scope, receive: Receive, send: Send, path: str) -> None:
        """Answer by ASGI; `path` comes without the service's prefix."""
        if isinstance(service, StreamedService):
            await self._stream(service, scope, receive, send, path)
            return
        assert isinstance(service, WholeService)
        if scope["type"] != "http":
            await refuse_socket(send)
            return
        request = self._request(scope, path)
        try:
            response = await self.answer(service, request, receive)
        except ClientDisconnected:
            return
        finally:
            if request.hold is not None:
                request.hold.release()
        await respond(scope, send, response)

    async def answer(self, service: WholeService, request: Request, receive: Receive | None = None) -> Response:
        """The whole answer, whatever happens; `receive` gives the body where the request has not got it yet.

        Raises ClientDisconnected.
        """
        began = time.perf_counter()
        try:
            response = service.cors.preflight(request) if request.method == "OPTIONS" else None
            if response is None:
                try:
                    identity = self._admit(service, request)
                    seconds = time.perf_counter() - began
                    if request.method in BODY_METHODS:
                        await take_body(request, receive, self.bodies, service.max_body(), cut=service.cuts_body)
                except (ApiError, TokenError, AnonymousRefused) as error:
                    response = service.refuse(request, error)
                else:
                    try:
                        response = await service.handle(request, identity, seconds)
                    finally:
                        self._note_write(service, request)
                service.cors.dress(request, response)
        except ClientDisconnected:
            raise
        except Exception:
            response = self._unexpected(request)
            service.cors.dress(request, response)
        response.headers.append((self.ids.header, request.request_id.encode()))
        self.observers.note(
            service.label(request.path, response.status), request, service.prefix, response.status, len(response.body),
            began,
        )  # fmt: skip
        return response

    # --- streams -------------------------------------------------------------------------------------------------

    async def _stream(self, service: StreamedService, scope: Scope, receive: Receive, send: Send, path: str) -> None:
        if scope["type"] != "http" and not service.sockets:
            await refuse_socket(send)
            return
        request = self._request(scope, path)
        answer = StreamedAnswer(self.ids, self.observers, service, request, scope, send)
        extensions = scope.get("extensions") or {}
        if RESPOND in extensions:
            extensions = {**extensions, RESPOND: answer.respond}
        if SEND_FILE in extensions:
            extensions = {**extensions, SEND_FILE: answer.send_file}
        inner: dict[str, Any] = {
            **scope,
            "path": unquote(path),
            "raw_path": path.encode("latin-1"),
            "headers": self.ids.passed_on(request.headers, request.request_id),
            "extensions": extensions,
        }
        response = service.cors.preflight(request) if request.method == "OPTIONS" else None
        if response is None:
            try:
                inner[IDENTITY] = self._admit(service, request)
            except (ApiError, TokenError, AnonymousRefused) as error:
                response = service.refuse(request, error)
        if response is not None:
            if scope["type"] == "http":
                await respond(inner, answer.send, response)
            else:
                await refuse_socket(send)
            return
        self._note_write(service, request)  # before too: the client has the answer before the call returns
        try:
            await service.app(inner, receive, answer.send)
        finally:
            self._note_write(service, request)

    # --- steps ---------------------------------------------------------------------------------------------------

    def begin(self, request: Request, client: tuple[str, int] | None) -> Request:
        """Step 1, of a request that came without ASGI."""
        ids = self.ids
        request.client = client[0] if client else self._peer
        request.request_id = ids.of(request.header(ids.header))
        return request

    def socket_refusal(self, service: Service, request: Request) -> Response | None:
        """Step 3 for an upgrade that skips ASGI: its refusal, or None."""
        try:
            if service.limited(request):
                self.limits.check(service.name, service.prefix, request)
        except ApiError as error:
            return service.refuse(request, error)
        return None

    def socket_noted(self, service: Service, request: Request, status: int, size: int, began: float) -> None:
        """Step 8 for one: it was answered."""
        label = service.label(request.path, status)
        self.observers.note(label, request, service.prefix, status, size, began)

    def _request(self, scope: Scope, path: str) -> Request:
        client = scope.get("client")
        request = Request(
            scope.get("method", "GET"),  # a socket's handshake has none
            path,
            scope["query_string"].decode("latin-1"),
            list(scope["headers"]),
            client=client[0] if client else self._peer,
        )
        request.request_id = self.ids.of(request.header(self.ids.header))
        return request

    def _admit(self, service: Service, request: Request) -> Identity | None:
        """Steps 3 and 4. Raises ApiError, TokenError, AnonymousRefused."""
        if service.limited(request):
            self.limits.check(service.name, service.prefix, request)
        return authenticate(self.authenticator, service, request)

    def _note_write(self, service: Service, request: Request) -> None:
        """A session that may have written past the tables API reads from the primary for a while too."""
        if self._wrote is not None and service.writes and request.method in BODY_METHODS:
            with suppress(ApiError, TokenError, AnonymousRefused):
                self._wrote(request, self.authenticator.identify(request))

    def _unexpected(self, request: Request) -> Response:
        log.exception("unexpected failure on %s %s, request %s", request.method, request.path, request.request_id)
        return render_refusal(ApiError(INTERNAL))
