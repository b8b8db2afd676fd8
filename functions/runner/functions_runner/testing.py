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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from starlette.requests import Request

from functions_runner import registry
from functions_runner.commands.common import environment_alone, environments
from functions_runner.remote import Gateway
from functions_runner.types import FunctionConfig

T = TypeVar("T")
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


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request in its parts, as the gateway would hand it to the function."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes


def _asking(function: FunctionConfig, use: Callable[[_Asked], T]) -> Callable[..., T]:
    """What tests call: a method, a path below the function's, and a body as bytes or as what becomes JSON."""

    def asking(
        method: str = "POST",
        path: str = "",
        *,
        json: Any = None,
        content: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> T:
        sub, _, query = path.partition("?")
        kind = {} if json is None else {"content-type": "application/json"}
        body = content if json is None else _json.dumps(json).encode()
        return use(_Asked(method, f"/{function.name}{sub}", query, {**kind, **(headers or {})}, body))

    return asking


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

    def calling(asked: _Asked) -> CallAnswer:
        from functions_runner import in_process, script_alone

        parts = (asked.method, asked.path, asked.query, asked.headers, asked.body)
        if function.is_script:
            found = script_alone.call(function, environments(), *parts)
        else:
            python = environments().python(function)
            make = in_process.call_elsewhere(python) if python else in_process.call
            found = make(function, *parts)
        return CallAnswer(found.status, found.headers, found.body)

    return _asking(function, calling)


@pytest.fixture
def make_request(function: FunctionConfig, _told: None) -> Callable[..., Request]:
    """Makes a request as the function's handler gets it."""

    def making(asked: _Asked) -> Request:
        scope = {
            "type": "http",
            "method": asked.method,
            "scheme": "http",
            "path": asked.path,
            "raw_path": asked.path.encode(),
            "query_string": asked.query.encode(),
            "headers": [(name.lower().encode(), value.encode()) for name, value in asked.headers.items()],
            "server": ("127.0.0.1", 80),
            "client": ("127.0.0.1", 0),
        }

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": asked.body, "more_body": False}

        return Request(scope, receive)

    return _asking(function, making)


@pytest.fixture
def gateway() -> Gateway:
    """The gateway of this machine."""
    found = Gateway.find(None)
    try:
        httpx.get(f"{found.url}/auth/v1/health", timeout=5, trust_env=False)
    except httpx.TransportError:
        # A function's tests run on a laptop and in a pipeline without a gateway too: those that need none still count.
        pytest.skip(f"no gateway runs at {found.url}")
    return found


@pytest.fixture
def mails(gateway: Gateway) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """What the mail trap caught since the test began."""
    folder = Path(os.environ.get("GATEWAY_DATA_DIR", ".gateway"))
    try:
        key = _json.loads((folder / "serving.json").read_text())["mail_key"]
    except (OSError, ValueError, KeyError):
        # The key is of a gateway that runs here; with one elsewhere, or with real mails, there is no trap to look into.
        pytest.skip("the mail trap's key is not here: run this where the gateway's data folder is")

    def caught() -> list[dict[str, Any]]:
        address = f"{gateway.url}/_mail/messages.json"
        rows: list[dict[str, Any]] = httpx.get(address, headers={"apikey": key}, trust_env=False).json()
        return rows

    before = len(caught())
    yield lambda: caught()[: len(caught()) - before]
