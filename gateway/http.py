"""The plain request and response that the hot path hands on, and their way in and out of ASGI."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from gateway.errors import BODY_TOO_LARGE, ApiError

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
HeaderList = list[tuple[bytes, bytes]]


class ClientDisconnected(Exception):
    """The client went away before its request was read."""


@dataclass(slots=True)
class Request:
    """One HTTP request. `path` is percent-encoded as sent, without the service's prefix, and begins with `/`;
    `query` is the raw query string; header names are lower case."""

    method: str
    path: str
    query: str
    headers: HeaderList
    body: bytes = b""
    client: str | None = None
    request_id: str = ""
    _first: dict[bytes, bytes] | None = None

    def asked_by(self, client: str | None, request_id: str) -> Request:
        """The same once more, from somebody."""
        if self._first is None:
            self._first = dict(reversed(self.headers))
        return Request(
            self.method, self.path, self.query, self.headers, self.body, client, request_id, self._first
        )  # fmt: skip

    @property
    def size(self) -> int:
        """Characters of path and query string."""
        return len(self.path) + len(self.query)

    def header(self, name: bytes) -> bytes | None:
        """First value of a header (name in lower case), or None."""
        if self._first is None:
            self._first = dict(reversed(self.headers))
        return self._first.get(name)


@dataclass(slots=True)
class Response:
    """One whole response. `reason` is the HTTP/1.1 reason phrase where it is not the standard one."""

    status: int
    headers: HeaderList = field(default_factory=list)
    body: bytes = b""
    reason: str | None = None


async def read_body(receive: Receive, limit: int) -> bytes:
    """The whole request body.

    Raises ApiError BODY_TOO_LARGE past `limit` bytes and ClientDisconnected when the client leaves.
    """
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientDisconnected
    chunk: bytes = message.get("body", b"")
    if not message.get("more_body", False):
        if len(chunk) > limit:
            raise ApiError(BODY_TOO_LARGE, limit=limit)
        return chunk
    chunks = [chunk]
    size = len(chunk)
    while message.get("more_body", False):
        if size > limit:
            raise ApiError(BODY_TOO_LARGE, limit=limit)
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnected
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
    if size > limit:
        raise ApiError(BODY_TOO_LARGE, limit=limit)
    return b"".join(chunks)


async def refuse_socket(send: Send) -> None:
    """Answer a websocket's handshake with 403."""
    await send({"type": "websocket.close", "code": 1008})


async def send_response(send: Send, response: Response) -> None:
    """Send a whole response through ASGI; its length is told where the response does not tell it."""
    if response.body and not any(name == b"content-length" for name, _ in response.headers):
        response.headers.append((b"content-length", b"%d" % len(response.body)))
    start: dict[str, Any] = {"type": "http.response.start", "status": response.status, "headers": response.headers}
    if response.reason is not None:
        start["reason"] = response.reason
    await send(start)
    await send({"type": "http.response.body", "body": response.body})


async def respond(scope: Scope, send: Send, response: Response) -> None:
    """Send a whole response, in one write and with its reason phrase where the server can (gateway/protocol.py)."""
    extensions = scope.get("extensions")
    direct = extensions.get("gateway.respond") if extensions else None
    if direct is None:
        await send_response(send, response)
    else:
        await direct(response)
