"""A live gateway, and a client that speaks both serialisations word by word."""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx
import jwt
import pytest
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from gateway.database import SyncConnection
from tests.fixtures.db import Server, clone, drop
from tests.fixtures.server import LiveGateway, start_gateway

NOTHING = 0.25  # seconds in which what is not to come would have come
SOON = 10.0


@dataclass(frozen=True)
class Heard:
    """A message of the server; of a binary frame `raw` has all that is in it."""

    join_ref: Any
    ref: Any
    topic: str
    event: str
    payload: Any
    raw: tuple[str, str, int, bytes] | None = None  # user event, metadata, encoding, payload


class Line:
    """A socket, by hand."""

    def __init__(self, socket: Connection, version: int) -> None:
        self.socket = socket
        self.version = version
        self._refs = itertools.count(1)

    def say(self, topic: str, event: str, payload: Any, *, ref: Any = None, join_ref: Any = None) -> Any:
        """Send a message; its ref."""
        ref = str(next(self._refs)) if ref is None else ref
        if self.version == 2:
            self.socket.send(json.dumps([join_ref, ref, topic, event, payload]))
        else:
            self.socket.send(
                json.dumps({"topic": topic, "event": event, "payload": payload, "ref": ref, "join_ref": join_ref})
            )
        return ref

    def push(
        self, topic: str, event: str, payload: bytes, encoding: int = 1, *, ref: str = "b", meta: bytes = b""
    ) -> None:
        """Send a broadcast as a binary frame."""
        parts = (b"1", ref.encode(), topic.encode(), event.encode(), meta)
        head = bytes((3, *(len(part) for part in parts), encoding))
        self.socket.send(head + b"".join(parts) + payload)

    def hear(self, timeout: float = SOON) -> Heard:
        """The next message. Raises TimeoutError."""
        data = self.socket.recv(timeout=timeout)
        if isinstance(data, bytes):
            kind, topic_size, event_size, meta_size, encoding = data[:5]
            assert kind == 4
            ends = [5, 5 + topic_size, 5 + topic_size + event_size, 5 + topic_size + event_size + meta_size]
            topic, event, meta = [data[ends[i] : ends[i + 1]].decode() for i in range(3)]
            return Heard(None, None, topic, "broadcast", None, (event, meta, encoding, data[ends[3] :]))
        message = json.loads(data)
        if self.version == 2:
            assert isinstance(message, list) and len(message) == 5
            return Heard(*message)
        assert set(message) == {"topic", "event", "payload", "ref"}
        return Heard(None, message["ref"], message["topic"], message["event"], message["payload"])

    def until(self, event: str, timeout: float = SOON) -> Heard:
        """The next message of an event; others before it are let go."""
        end = time.monotonic() + timeout
        while True:
            heard = self.hear(max(end - time.monotonic(), 0.01))
            if heard.event == event:
                return heard

    def silent(self, seconds: float = NOTHING) -> bool:
        """Whether nothing comes."""
        try:
            self.hear(seconds)
        except TimeoutError:
            return True
        return False

    def join(self, topic: str, config: Any = None, *, token: Any = None, join_ref: str = "1") -> Heard:
        """Join a channel; the reply."""
        payload: dict[str, Any] = {"config": config or {}}
        if token is not None:
            payload["access_token"] = token
        self.say(topic, "phx_join", payload, ref=join_ref, join_ref=join_ref)
        return self.until("phx_reply")

    def joined(self, topic: str, config: Any = None, *, token: Any = None, join_ref: str = "1") -> Line:
        """Join a channel, which must be."""
        reply = self.join(topic, config, token=token, join_ref=join_ref)
        assert reply.payload["status"] == "ok", reply.payload
        return self


@dataclass
class Realtime:
    """A gateway and who connects to it."""

    gateway: LiveGateway
    stack: ExitStack

    @property
    def url(self) -> str:
        return self.gateway.url

    def line(self, version: int = 2, *, key: str | None = None, headers: dict[str, str] | None = None) -> Line:
        """A connected socket."""
        key = self.gateway.publishable_key if key is None else key
        address = f"{self.url.replace('http', 'ws', 1)}/realtime/v1/websocket?apikey={key}&vsn={version}.0.0"
        socket = self.stack.enter_context(
            connect(
                address, compression=None, additional_headers=headers, max_size=None, open_timeout=20, close_timeout=1
            )
        )
        return Line(socket, version)

    def token(self, role: str = "authenticated", seconds: float = 3600, **claims: Any) -> str:
        """A user's token."""
        secret = str(self.gateway.keys["jwt_secret"])
        return jwt.encode({"role": role, "exp": int(time.time() + seconds), **claims}, secret, "HS256")

    def post(self, path: str, **options: Any) -> httpx.Response:
        """Ask by HTTP, with the publishable key."""
        headers = {"apikey": self.gateway.publishable_key, **options.pop("headers", {})}
        return httpx.post(f"{self.url}/realtime/v1{path}", headers=headers, **options)

    def sql(self, script: str) -> None:
        """Run SQL as the database's owner."""
        with SyncConnection(self.gateway.database_url) as connection:
            connection.script(script)


@pytest.fixture(scope="module")
def extra_settings() -> dict[str, str]:
    """Settings of the module's gateway beside its defaults."""
    return {}


@pytest.fixture(scope="module")
def running(
    server: Server, template: str, extra_settings: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveGateway]:
    """A gateway of two workers for the tests of a module."""
    name = f"realtime_{os.getpid()}_{time.monotonic_ns()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    settings = {"GATEWAY_WORKERS": "2", **extra_settings}
    gateway = start_gateway(server.database(name), tmp_path_factory.mktemp("rt"), "serve", settings)
    yield gateway
    gateway.stop()
    assert not [line for line in gateway.output if "Traceback" in line], "".join(gateway.output)
    drop(server, name)


@pytest.fixture
def realtime(running: LiveGateway) -> Iterator[Realtime]:
    """The gateway; sockets of a test are closed behind it."""
    with ExitStack() as stack:
        yield Realtime(running, stack)


@pytest.fixture
def room() -> Callable[[], str]:
    """A topic that no other test uses."""
    return lambda: f"realtime:room-{time.monotonic_ns()}"


@pytest.fixture(params=[1, 2], ids=["1.0.0", "2.0.0"])
def version(request: pytest.FixtureRequest) -> int:
    """Both serialisations."""
    return int(request.param)
