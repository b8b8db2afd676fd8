"""The floor: a bare hello under the same server, `uvicorn tests.bench.floor:app`."""

from __future__ import annotations

from gateway.http.messages import Receive, Scope, Send

BODY = b'{"hello":"world"}'
HEADERS = [(b"content-type", b"application/json"), (b"content-length", str(len(BODY)).encode())]


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers every request alike."""
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await send({"type": "http.response.body", "body": BODY})
