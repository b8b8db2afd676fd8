"""Each name of uvicorn's protocol that the server builds on, of the version that is pinned.

uvicorn documents none of them, so a newer version is taken by raising the pin in pyproject.toml and running these.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pytest
import uvicorn
from uvicorn.protocols.http import httptools_impl
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

ROOT: Final = Path(__file__).parents[3]
SERVER: Final = ROOT / "gateway" / "server"
PROTOCOLS: Final = (SERVER / "protocol.py", SERVER / "fast_path" / "protocol.py", SERVER / "fast_path" / "answer.py")

# Methods that are overridden or called, with the arguments that they are given.
METHODS: Final = {
    "_get_upgrade": [],
    "_should_upgrade": [],
    "_start_asgi_task": ["cycle", "app"],
    "connection_lost": ["exc"],
    "connection_made": ["transport"],
    "data_received": ["data"],
    "eof_received": [],
    "handle_websocket_upgrade": [],
    "on_body": ["body"],
    "on_headers_complete": [],
    "on_message_begin": [],
    "on_message_complete": [],
    "on_response_complete": [],
    "send_400_response": ["msg"],
    "shutdown": [],
}
# What each connection has.
STATE: Final = {
    "app", "client", "connections", "cycle", "expect_100_continue", "flow", "headers", "loop", "parser", "pipeline",
    "scope", "server_state", "transport",
}  # fmt: skip
CYCLE: Final = {
    "default_headers", "disconnected", "flow", "keep_alive", "message_event", "more_body", "on_response",
    "response_complete", "response_started", "scope", "transport", "waiting_for_100_continue",
}  # fmt: skip


async def state() -> HttpToolsProtocol:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        """Answers nothing."""

    return HttpToolsProtocol(uvicorn.Config(app, log_config=None, lifespan="off"), ServerState(), {})


def test_uvicorn_is_pinned_to_what_is_tested() -> None:
    pin = re.search(r'"uvicorn==([\d.]+)"', (ROOT / "pyproject.toml").read_text())
    assert pin is not None and pin[1] == version("uvicorn")


@pytest.mark.parametrize("name", METHODS)
def test_a_method_takes_what_it_is_given(name: str) -> None:
    parameters = list(inspect.signature(getattr(HttpToolsProtocol, name)).parameters)
    assert parameters == ["self", *METHODS[name]]


def test_a_connection_has_what_is_read_of_it() -> None:
    assert vars(asyncio.run(state())).keys() >= STATE


def test_a_request_has_what_is_read_of_it() -> None:
    source = inspect.getsource(RequestResponseCycle.__init__)
    assert {name for name in CYCLE if f"self.{name} " not in source and f"self.{name}:" not in source} == set()


def test_flow_control_and_status_lines_are_there() -> None:
    assert all(hasattr(FlowControl, name) for name in ("drain", "pause_reading", "resume_reading"))
    assert httptools_impl.STATUS_LINE[200] == b"HTTP/1.1 200 OK\r\n"


def test_the_server_has_what_is_called_of_it() -> None:
    for name in ("startup", "shutdown", "on_tick", "run"):
        assert inspect.iscoroutinefunction(getattr(uvicorn.Server, name)) or name == "run"
    state = ServerState()
    assert (state.total_requests, state.connections, state.default_headers) == (0, set(), [])


def test_every_name_of_uvicorns_that_is_used_is_tested_here() -> None:
    theirs = {name for name in dir(HttpToolsProtocol) if not name.startswith("__")} | vars(asyncio.run(state())).keys()
    used = set()
    for path in PROTOCOLS:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Call):
                used.add(node.attr)
            elif isinstance(node, ast.FunctionDef):
                used.add(node.name)
    assert (used & theirs) - METHODS.keys() - STATE - {"url"} <= {"tasks"}
