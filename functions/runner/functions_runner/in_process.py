"""Calls a function in this process, without a server or a gateway: the shortest way to see what it does."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from functions_runner.runner import Runner, load
from functions_runner.types import FunctionConfig


@dataclass(slots=True)
class Answer:
    """What came back."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


def call(config: FunctionConfig, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes) -> Answer:
    """Load the function and call it once. Raises FunctionLoadError."""
    loaded = load(config)
    return asyncio.run(_call(Runner(config, lambda: loaded), method, path, query, headers, body))


async def _call(runner: Runner, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes) -> Answer:
    scope: MutableMapping[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 0),
        "server": ("127.0.0.1", 80),
    }
    answer = Answer()
    sent = False

    async def receive() -> MutableMapping[str, Any]:
        nonlocal sent
        if sent:
            await asyncio.Event().wait()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in message["headers"]}
        else:
            answer.body += message.get("body", b"")

    await runner(scope, receive, send)
    return answer
