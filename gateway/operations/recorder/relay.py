"""An ASGI application that passes every request on to another server, unread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import httpx

from gateway.http.messages import Receive, Response, Scope, Send, respond

HOP_BY_HOP: Final = frozenset(
    (
        b"connection",
        b"host",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    )
)
# An extension of the scope: called when the answer is not the server's, so that nobody records it as such.
FORGET: Final = "gateway.forget"
CONNECT_LIMIT: Final = 10.0  # seconds; how long an answer may take is the server's to say


class Relay:
    """Passes requests on to `base`, an address without a trailing slash."""

    def __init__(self, base: str) -> None:
        self._base = httpx.URL(base)
        self._client: httpx.AsyncClient | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            await self._relay(scope, receive, send)
        else:
            await send({"type": "websocket.close"})

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        self._client = httpx.AsyncClient(timeout=httpx.Timeout(None, connect=CONNECT_LIMIT), trust_env=False)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self._client.aclose()
        await send({"type": "lifespan.shutdown.complete"})

    async def _relay(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self._client is not None
        path = self._base.raw_path.rstrip(b"/") + (scope.get("raw_path") or scope["path"].encode())
        query = scope["query_string"]
        url = self._base.copy_with(raw_path=path + (b"?" + query if query else b""))
        headers = [pair for pair in scope["headers"] if pair[0] not in HOP_BY_HOP]
        names = {name for name, _ in scope["headers"]}
        has_body = not names.isdisjoint((b"content-length", b"transfer-encoding"))
        # Made whole: the client's own request would add headers that nobody sent.
        request = httpx.Request(scope["method"], url, headers=headers, content=_body(receive) if has_body else None)
        try:
            response = await self._client.send(request, stream=True)
        except httpx.TransportError as error:
            forget = (scope.get("extensions") or {}).get(FORGET)
            if forget is not None:
                forget()
            await respond(scope, send, _unreachable(self._base, error))
            return
        try:
            kept = [(name.lower(), value) for name, value in response.headers.raw if name.lower() not in HOP_BY_HOP]
            await send({"type": "http.response.start", "status": response.status_code, "headers": kept})
            async for chunk in response.aiter_raw():
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            await response.aclose()


async def _body(receive: Receive) -> AsyncIterator[bytes]:
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise asyncio.CancelledError
        yield message.get("body", b"")
        more = message.get("more_body", False)


def _unreachable(base: httpx.URL, error: Exception) -> Response:
    body = f"{base} cannot be reached: {error or type(error).__name__}\n".encode()
    return Response(502, [(b"content-type", b"text/plain; charset=utf-8")], body)
