"""Calls a function in this process, without a server or a gateway: the shortest way to see what it does."""

from __future__ import annotations

import asyncio
import base64
import json
import subprocess
import sys
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from functions_runner import registry
from functions_runner.confinement import PACKAGE
from functions_runner.process import boot_code
from functions_runner.runner import Runner, load
from functions_runner.types import FunctionConfig, FunctionError, FunctionLoadError

BOOT: Final = boot_code("in_process", "main")


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


def call_elsewhere(python: str) -> Callable[[FunctionConfig, str, str, str, Mapping[str, str], bytes], Answer]:
    """As `call`, in an interpreter that has the function's own packages."""

    def calling(
        config: FunctionConfig, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes
    ) -> Answer:
        asked = [str(config.folder), method, path, query, dict(headers), base64.b64encode(body).decode()]
        done = subprocess.run(
            [python, "-c", BOOT, str(PACKAGE)], input=json.dumps(asked), stdout=subprocess.PIPE, text=True
        )
        if done.returncode != 0:
            raise FunctionLoadError(config.name, f"its interpreter ended with {done.returncode}")
        answer = json.loads(done.stdout)
        return Answer(answer["status"], answer["headers"], base64.b64decode(answer["body"]))

    return calling


def main() -> int:
    """Answer one call that is read from standard input; what the function prints goes to standard error."""
    out, sys.stdout = sys.stdout, sys.stderr
    folder, method, path, query, headers, body = json.load(sys.stdin)
    try:
        answer = call(registry.read(Path(folder)), method, path, query, headers, base64.b64decode(body))
    except FunctionError as error:
        print(error, file=sys.stderr)
        return 1
    row = {"status": answer.status, "headers": answer.headers, "body": base64.b64encode(answer.body).decode()}
    out.write(json.dumps(row))
    return 0


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
