"""WebSockets of functions: both directions passed on, message by message, until either side ends or time runs out.

Browsers cannot set headers on a WebSocket, so its token travels in the query or the sub-protocol and the function
checks it; `verify_jwt` must then be off.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from gateway.http.messages import Receive, Response, Scope, Send

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

GOING_AWAY: Final = 1001
TRY_LATER: Final = 1013
HANDSHAKE: Final = frozenset(
    (
        b"host",
        b"connection",
        b"upgrade",
        b"sec-websocket-key",
        b"sec-websocket-version",
        b"sec-websocket-extensions",
        b"sec-websocket-protocol",
        b"x-forwarded-for",
    )
)


async def relay_websocket(scope: Scope, receive: Receive, send: Send, path: str, wall: float) -> None:
    """Relay one WebSocket to the process on the unix socket `path`, for at most `wall` seconds."""
    assert (await receive())["type"] == "websocket.connect"
    target = (scope.get("raw_path") or quote(scope["path"]).encode()).decode("latin-1")
    query = scope["query_string"].decode("latin-1")
    uri = f"ws://function{target}" + (f"?{query}" if query else "")
    headers = [
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"] if name not in HANDSHAKE
    ]
    client = scope.get("client")
    if client:
        headers.append(("x-forwarded-for", str(client[0])))
    from websockets.asyncio.client import unix_connect
    from websockets.exceptions import InvalidHandshake, InvalidStatus

    try:
        function = await unix_connect(
            path,
            uri,
            additional_headers=headers,
            subprotocols=scope.get("subprotocols") or None,
            user_agent_header=None,
            compression=None,
            proxy=None,
            max_size=16_000_000,
        )
    except InvalidStatus as error:
        response = error.response
        await _deny(scope, send, response.status_code, list(response.headers.raw_items()), response.body or b"")
        return
    except (OSError, InvalidHandshake, TimeoutError):
        await send({"type": "websocket.close", "code": TRY_LATER})
        return
    await send({"type": "websocket.accept", "subprotocol": function.subprotocol})
    tasks = [
        asyncio.ensure_future(_to_function(receive, function)),
        asyncio.ensure_future(_to_client(function, send)),
    ]
    try:
        done, _ = await asyncio.wait(tasks, timeout=wall, return_when=asyncio.FIRST_COMPLETED)
        if not done:
            await send({"type": "websocket.close", "code": GOING_AWAY, "reason": "time limit"})
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(Exception):
            await function.close()


async def refuse_websocket(scope: Scope, receive: Receive, send: Send, response: Response) -> None:
    """Answer a WebSocket's opening request with an HTTP response."""
    with suppress(Exception):
        await receive()
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers]
    await _deny(scope, send, response.status, headers, response.body)


async def _deny(scope: Scope, send: Send, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008})
        return
    left_out = ("connection", "content-length", "transfer-encoding")
    raw = [(name.lower().encode(), value.encode()) for name, value in headers if name.lower() not in left_out]
    raw.append((b"content-length", str(len(body)).encode()))
    await send({"type": "websocket.http.response.start", "status": status, "headers": raw})
    await send({"type": "websocket.http.response.body", "body": body})


async def _to_function(receive: Receive, function: ClientConnection) -> None:
    from websockets.exceptions import ConnectionClosed

    while True:
        message: Any = await receive()
        if message["type"] == "websocket.disconnect":
            await function.close(_closing(message.get("code")), message.get("reason") or "")
            return
        data = message.get("bytes")
        try:
            await function.send(data if data is not None else message.get("text") or "")
        except ConnectionClosed:
            return


async def _to_client(function: ClientConnection, send: Send) -> None:
    from websockets.exceptions import ConnectionClosed

    try:
        async for data in function:
            key = "text" if isinstance(data, str) else "bytes"
            await send({"type": "websocket.send", key: data})
    except ConnectionClosed:
        pass
    code = function.close_code or GOING_AWAY
    await send({"type": "websocket.close", "code": _closing(code), "reason": function.close_reason or ""})


def _closing(code: int | None) -> int:
    """A close code that may be sent: those without meaning on the wire become 'going away'."""
    return code if code is not None and (1000 <= code < 1004 or 1007 <= code < 1015 or code >= 3000) else GOING_AWAY
