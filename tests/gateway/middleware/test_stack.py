"""The one way in: services of both kinds pass the same steps, and every answer is named and counted."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest

from gateway.http.messages import Bodies, Receive, Request, Response, Scope, Send, respond
from gateway.identity.authenticator import Authenticator, Identity
from gateway.identity.keyring import KeyRing
from gateway.middleware.limits import Limits
from gateway.middleware.observers import Observers
from gateway.middleware.request_id import RequestIds
from gateway.middleware.service import Service, StreamedService, WholeService, always, never
from gateway.middleware.stack import IDENTITY, Stack
from gateway.server.compose import compose
from gateway.settings import Settings


class Served:
    """A stack with one service of each kind, which answer with the role that they were told."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.settings = Settings.load({}, data_dir=folder, **settings)
        self.keys = KeyRing.load(self.settings)
        self.stack = Stack(
            RequestIds(""),
            Authenticator(self.settings, self.keys),
            Limits(self.settings),
            Bodies(10_000),
            Observers(self.settings),
        )
        about: dict[str, Any] = {
            "name": "tables",
            "prefix": "/x",
            "label": lambda path, status: "x",
            "demands_key": always,
            "identified": True,
            "headers": [],
        }
        self.whole = WholeService(**about, handle=self.handle, max_body=lambda: 100)
        self.streamed = StreamedService(**about, app=self.app)

    async def handle(self, request: Request, identity: Identity | None, seconds: float) -> Response:
        assert identity is not None
        if request.path == "/broken":
            raise ValueError("broken")
        return Response(200, [], identity.role.encode())

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert dict(scope["headers"])[b"x-request-id"] == b"mine"
        await respond(scope, send, Response(200, [], scope[IDENTITY].role.encode()))

    def ask(self, service: Service, path: str = "/", client: str = "192.0.2.1", **headers: str) -> Response:
        scope: dict[str, Any] = {
            "type": "http",
            "method": "GET",
            "path": "/x" + path,
            "query_string": b"",
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
            + [(b"x-request-id", b"mine")],
            "client": (client, 1),
        }
        sent: list[MutableMapping[str, Any]] = []

        async def receive() -> MutableMapping[str, Any]:
            return {"type": "http.request"}

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        asyncio.run(self.stack.serve(service, scope, receive, send, path))
        return Response(sent[0]["status"], sorted(sent[0]["headers"]), sent[1]["body"])


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return Served(tmp_path, max_url_bytes=1000, rate_limit_tables=0.2)


def test_both_kinds_are_told_who_asks_and_named_alike(served: Served) -> None:
    for service in (served.whole, served.streamed):
        response = served.ask(service, apikey=served.keys.secret_key)
        assert (response.status, response.body) == (200, b"service_role")
        assert [value for name, value in response.headers if name == b"x-request-id"] == [b"mine"]
    assert served.stack.observers.tally.count("x", range(200, 201)) == 2


@pytest.mark.parametrize(
    ("status", "path", "headers"),
    [(401, "/", {}), (401, "/", {"apikey": "wrong"}), (414, "/" + "a" * 1000, {"apikey": "wrong"})],
    ids=["no key", "wrong key", "long"],
)
def test_both_kinds_refuse_alike(served: Served, status: int, path: str, headers: dict[str, str]) -> None:
    kinds = (served.whole, served.streamed)
    answers = [served.ask(service, path, f"192.0.2.{number}", **headers) for number, service in enumerate(kinds)]
    assert answers[0] == answers[1]
    assert answers[0].status == status
    assert served.stack.observers.tally.count("x", range(status, status + 1)) == 2


def test_who_asks_too_much_is_refused_before_the_key_is_looked_at(served: Served) -> None:
    for service in (served.whole, served.streamed):
        statuses = [served.ask(service).status for _ in range(5)]
        assert 429 in statuses
    free = {name: getattr(served.whole, name) for name in ("name", "prefix", "label", "handle", "max_body")}
    open_service = WholeService(**free, limited=never, identified=True)
    assert {served.ask(open_service).status for _ in range(5)} == {200}


def test_a_failure_is_an_answer_with_its_request(served: Served) -> None:
    response = served.ask(served.whole, "/broken", apikey=served.keys.secret_key)
    assert response.status == 500 and b"internal_error" in response.body
    assert (b"x-request-id", b"mine") in response.headers


@pytest.mark.parametrize("status", [200, 201, 404, 500])
@pytest.mark.parametrize("lie", [(b"content-length", b"1"), (b"transfer-encoding", b"chunked")])
def test_no_header_says_where_a_body_ends_but_the_server(status: int, lie: tuple[bytes, bytes]) -> None:
    head, _, body = compose(Response(status, [lie], b"hello"), [], True, False).partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")[1:]
    assert (lines, body) == ([b"content-length: 5"], b"hello")
