"""Fixtures for a function's own tests: `functions test NAME` runs pytest in its folder with this plugin.

call         call the function as a client would: `call(json={"name": "Ada"})`; status, headers, body, text, json
make_request a Starlette Request for a handler or its parts: `make_request("POST", "/sub?x=1", json={...})`
function     the function's configuration
gateway      the gateway of this machine: its url, keys, and `request(method, path, ...)`; skips where none runs
mails        what the gateway's mail trap has caught since the test began: `mails()`, newest first
"""

from __future__ import annotations

import json as _json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.requests import Request

from functions_runner import registry
from functions_runner.commands.common import environment_alone, environments
from functions_runner.remote import Gateway
from functions_runner.types import FunctionConfig

FOLDER = "FUNCTION_UNDER_TEST"  # variable with the function's folder


class CallAnswer:
    """What a call came back with."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return _json.loads(self.body)


@pytest.fixture(scope="session")
def function() -> FunctionConfig:
    """The function's configuration."""
    return registry.read(Path(os.environ[FOLDER]))


@pytest.fixture(scope="session")
def _told(function: FunctionConfig) -> None:
    os.environ.update(environment_alone(function, None))


@pytest.fixture
def call(function: FunctionConfig, _told: None) -> Callable[..., CallAnswer]:
    """Calls the function without a gateway around it, in its own interpreter."""

    def calling(
        method: str = "POST",
        path: str = "",
        *,
        json: Any = None,
        content: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> CallAnswer:
        from functions_runner import in_process, script_alone

        sub, _, query = path.partition("?")
        body, given = _body(json, content, headers)
        target = f"/{function.name}{sub}"
        if function.is_script:
            found = script_alone.call(function, environments(), method, target, query, given, body)
        else:
            python = environments().python(function)
            make = in_process.call_elsewhere(python) if python else in_process.call
            found = make(function, method, target, query, given, body)
        return CallAnswer(found.status, found.headers, found.body)

    return calling


@pytest.fixture
def make_request(function: FunctionConfig, _told: None) -> Callable[..., Request]:
    """Makes a request as the function's handler gets it."""

    def making(
        method: str = "POST",
        path: str = "",
        *,
        json: Any = None,
        content: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> Request:
        sub, _, query = path.partition("?")
        body, given = _body(json, content, headers)
        scope = {
            "type": "http",
            "method": method,
            "scheme": "http",
            "path": f"/{function.name}{sub}",
            "raw_path": f"/{function.name}{sub}".encode(),
            "query_string": query.encode(),
            "headers": [(name.lower().encode(), value.encode()) for name, value in given.items()],
            "server": ("127.0.0.1", 80),
            "client": ("127.0.0.1", 0),
        }

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        return Request(scope, receive)

    return making


@pytest.fixture
def gateway() -> Gateway:
    """The gateway of this machine."""
    found = Gateway.find(None)
    try:
        httpx.get(f"{found.url}/auth/v1/health", timeout=5, trust_env=False)
    except httpx.TransportError:
        pytest.skip(f"no gateway runs at {found.url}")
    return found


@pytest.fixture
def mails(gateway: Gateway) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """What the mail trap caught since the test began."""
    folder = Path(os.environ.get("GATEWAY_DATA_DIR", ".gateway"))
    try:
        key = _json.loads((folder / "serving.json").read_text())["mail_key"]
    except (OSError, ValueError, KeyError):
        pytest.skip("the mail trap's key is not here: run this where the gateway's data folder is")

    def caught() -> list[dict[str, Any]]:
        address = f"{gateway.url}/_mail/messages.json"
        rows: list[dict[str, Any]] = httpx.get(address, headers={"apikey": key}, trust_env=False).json()
        return rows

    before = len(caught())
    yield lambda: caught()[: len(caught()) - before]


def _body(json: Any, content: bytes, headers: Mapping[str, str] | None) -> tuple[bytes, dict[str, str]]:
    given = dict(headers or {})
    if json is None:
        return content, given
    return _json.dumps(json).encode(), {"content-type": "application/json", **given}
