"""The start and the end of an application, as ASGI's lifespan protocol tells it of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from gateway.http.messages import Receive, Send


async def run_lifespan(
    start: Callable[[], Awaitable[None]], stop: Callable[[], Awaitable[None]], receive: Receive, send: Send
) -> None:
    """Start when the server does and stop when it does; a start that fails keeps the server from starting."""
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            try:
                await start()
            except Exception as error:
                await send({"type": "lifespan.startup.failed", "message": str(error)})
                return
            await send({"type": "lifespan.startup.complete"})
        else:
            with suppress(asyncio.CancelledError):
                await stop()
            await send({"type": "lifespan.shutdown.complete"})
            return
