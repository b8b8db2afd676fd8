"""The floor: a bare hello under the same server, `uvicorn tests.bench.floor:app`; `BENCH_HELLO` is a file to say."""

from __future__ import annotations

import os
from pathlib import Path

from gateway.http.messages import Receive, Scope, Send

BODY = Path(os.environ["BENCH_HELLO"]).read_bytes() if "BENCH_HELLO" in os.environ else b'{"hello":"world"}'
HEADERS = [(b"content-type", b"application/json"), (b"content-length", str(len(BODY)).encode())]


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers every request alike."""
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await send({"type": "http.response.body", "body": BODY})
