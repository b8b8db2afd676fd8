"""The console's socket: channels listened to as the service, through the gateway's own socket.

A page at the admin port, or behind a tunnel, reaches no other address, and its policy lets it ask none. So it opens
this socket at its own origin, and what it says goes on with the secret key, which it never has. Only what listens is
let through: a broadcast is a change, and goes by `proxy/realtime/v1/api/broadcast`, where every change is looked at.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

import orjson
from websockets.asyncio.client import ClientConnection, connect, unix_connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from gateway.http.messages import Receive, Send
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings

PATH: Final = "/realtime/socket"
LISTENS: Final = frozenset(("phx_join", "phx_leave", "heartbeat"))
LONGEST: Final = 16_000_000  # bytes of a message
LONGEST_SAID: Final = 100_000  # characters of what the page says
LOOK: Final = 20.0  # seconds between looks whether the session still holds
REFUSED: Final = 1008
GOING_AWAY: Final = 1001
TRY_LATER: Final = 1013


def said_on(text: str) -> str | None:
    """What the page said, as it goes on: without a token of its own. None for what does not listen.

    >>> said_on('{"topic": "realtime:a", "event": "phx_join", "payload": {"access_token": "x"}, "ref": "1"}')
    '{"topic":"realtime:a","event":"phx_join","payload":{},"ref":"1"}'
    >>> said_on('{"topic": "realtime:a", "event": "broadcast", "payload": {}, "ref": "2"}')
    """
    try:
        message = orjson.loads(text) if len(text) <= LONGEST_SAID else None
    except ValueError:
        return None
    if not isinstance(message, dict) or message.get("event") not in LISTENS:
        return None
    payload = message.get("payload")
    if isinstance(payload, dict):
        payload.pop("access_token", None)
    return orjson.dumps(message).decode()


async def relay(
    settings: Settings, keys: KeyRing, holds: Callable[[], Awaitable[bool]], receive: Receive, send: Send
) -> None:
    """Pass messages on until either side ends, or `holds` says that the session is over."""
    with suppress(Exception):
        await receive()  # websocket.connect
    try:
        upstream = await _connect(settings, keys.secret_key)
    except (OSError, InvalidStatus, InvalidHandshake, TimeoutError):
        await send({"type": "websocket.close", "code": TRY_LATER})
        return
    await send({"type": "websocket.accept"})
    tasks = [
        asyncio.ensure_future(work)
        for work in (_listen(receive, upstream, send), _tell(upstream, send), _watch(holds, send))
    ]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(Exception):
            await upstream.close()


async def _connect(settings: Settings, key: str) -> ClientConnection:
    path = f"{settings.realtime_prefix}/websocket?vsn=1.0.0"
    options: dict[str, Any] = {
        "additional_headers": {"x-api-key": key},
        "compression": None,
        "max_size": LONGEST,
        "proxy": None,
    }
    if settings.unix_socket:
        return await unix_connect(settings.unix_socket, f"ws://localhost{path}", **options)
    return await connect(f"ws://{urlsplit(settings.local_url).netloc}{path}", **options)


async def _listen(receive: Receive, upstream: ClientConnection, send: Send) -> None:
    while True:
        message: Any = await receive()
        if message["type"] == "websocket.disconnect":
            return
        text = said_on(message.get("text") or "")
        if text is None:
            await send({"type": "websocket.close", "code": REFUSED, "reason": "this socket listens alone"})
            return
        try:
            await upstream.send(text)
        except ConnectionClosed:
            return


async def _tell(upstream: ClientConnection, send: Send) -> None:
    with suppress(ConnectionClosed):
        async for data in upstream:
            if isinstance(data, str):
                await send({"type": "websocket.send", "text": data})
    await send({"type": "websocket.close", "code": GOING_AWAY})


async def _watch(holds: Callable[[], Awaitable[bool]], send: Send) -> None:
    while True:
        await asyncio.sleep(LOOK)
        if not await holds():
            await send({"type": "websocket.close", "code": REFUSED, "reason": "the session is over"})
            return
