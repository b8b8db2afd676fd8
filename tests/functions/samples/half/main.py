"""Dies in the middle of an answer whose length it has announced."""

import asyncio
import os


async def app(scope, receive, send):
    length = scope["query_string"] or b"100"
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", length)]})
    await send({"type": "http.response.body", "body": b"x" * (int(length) // 2), "more_body": True})
    await asyncio.sleep(0.1)
    os._exit(3)
