"""The way in to the socket: an upgrade is checked as every request is, then its transport is handed to a `Socket`.

It stands beside ASGI, as the fast path of the tables does: a message for 200 members is 200 writes to transports, and
each of them by ASGI's `send` would cost as much as making the message.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from typing import Final
from urllib.parse import unquote_plus

import orjson

from gateway.http.messages import Request, Response
from gateway.middleware.service import Service
from gateway.middleware.stack import Stack
from gateway.realtime import errors
from gateway.realtime.channels.policies import header_text
from gateway.realtime.core import RealtimeCore
from gateway.realtime.errors import RealtimeError
from gateway.realtime.socket.connection import Socket, handshake, version_of

log = logging.getLogger("gateway.realtime")

PATH: Final = "/websocket"
_BLANKS: Final = re.compile(r"\s+")


class Door:
    """Opens sockets."""

    def __init__(self, core: RealtimeCore, service: Service, stack: Stack) -> None:
        """`service` is the row of the realtime API, `stack` the middleware."""
        self._core = core
        self._service = service
        self._stack = stack
        self.prefix = service.prefix
        self._path = service.prefix + PATH

    def has(self, path: str) -> bool:
        """Whether an upgrade at this path is for it."""
        return path == self._path or path == self._path + "/"

    def open(
        self, request: Request, client: tuple[str, int] | None, transport: asyncio.Transport
    ) -> tuple[bytes, asyncio.Protocol] | Response:
        """The bytes of the answer and who has the transport from now on, or a refusal. `request` has the path without
        the prefix."""
        began = time.perf_counter()
        stack, service = self._stack, self._service
        request = stack.begin(request, client)
        response = stack.socket_refusal(service, request)
        if response is None:
            try:
                socket = self._socket(request)
            except _Refused as error:
                response = error.response
            else:
                answer = handshake(request.headers, PATH)
                status = int(answer[9:12])
                stack.socket_noted(service, request, status, 0, began)
                if status != 101:
                    return answer, _Closed(transport)
                return answer, socket
        response.headers.append((stack.ids.header, request.request_id.encode()))
        stack.socket_noted(service, request, response.status, len(response.body), began)
        return response

    def welcome(self, protocol: asyncio.Protocol) -> None:
        """The answer is sent, and the transport is its own."""
        if isinstance(protocol, Socket):
            self._core.opened(protocol)

    async def drain(self) -> None:
        """Close every socket."""
        await self._core.drain()

    def _socket(self, request: Request) -> Socket:
        """Raises _Refused."""
        core, settings = self._core, self._core.settings
        if core.draining:
            raise _Refused(503, errors.RESTARTING[1])
        query = _parameters(request.query)
        key = _key(request, query)
        if not key:
            raise _Refused(401, "API key is missing")
        version = version_of(query.get("vsn"))
        if version is None:
            raise _Refused(403, None)
        try:
            core.verifier.verify(key)
        except RealtimeError as error:
            message = "Token has expired" if error.message.startswith("Token has expired") else error.message
            raise _Refused(401, message) from error
        if settings.realtime_max_connections and len(core.sessions) >= settings.realtime_max_connections:
            raise _Refused(429, errors.TOO_MANY_USERS[1])
        if core.joins_rate.exceeded:
            raise _Refused(429, errors.TOO_MANY_JOINS[1])
        headers = header_text(request.headers, True)
        return Socket(version, settings.realtime_queue_bytes, key, headers, request.client, core.unfinished)


class _Refused(Exception):
    def __init__(self, status: int, message: str | None) -> None:
        super().__init__(message)
        body = orjson.dumps({"error": message}) if message is not None else b""
        kind = [(b"content-type", b"application/json; charset=utf-8")] if body else []
        self.response = Response(status, kind, body)


class _Closed(asyncio.Protocol):
    """Takes the place of a socket whose handshake was no good."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


def _parameters(query: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in query.split("&")[:50]:
        name, _, value = pair.partition("=")
        found.setdefault(unquote_plus(name), unquote_plus(value))
    return found


def _key(request: Request, query: dict[str, str]) -> str:
    said = request.header(b"x-api-key")
    text = said.decode("latin-1") if said is not None else query.get("apikey", "")
    return _BLANKS.sub("", unquote_plus(text) if "%" in text else text)
