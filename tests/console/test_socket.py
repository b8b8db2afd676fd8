"""The console's socket: who may open it, that it listens alone, and that the page has neither key nor token."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.server import ServerConnection, serve

from gateway.console import tail
from gateway.console.mount import PREFIX
from tests.console.conftest import HOST, Desk, Desks

Messages = list[dict[str, Any]]


@pytest.fixture(scope="module")
def wired(desks: Desks) -> Desk:
    """A desk whose gateway is said to listen at a port that a test opens."""
    made = desks(port=0)
    made.sign_in()
    return made


def opened(
    desk: Desk, path: str = f"/api{tail.PATH}", said: tuple[str, ...] = (), headers: dict[str, str] | None = None
) -> Messages:
    """What is sent to a browser that asks for the socket, says something and leaves."""
    cookies = "; ".join(f"{name}={value}" for name, value in desk.cookies.items())
    sent = {"host": HOST.removeprefix("http://"), "origin": HOST, "cookie": cookies, **(headers or {})}
    given: Messages = [{"type": "websocket.connect"}, *({"type": "websocket.receive", "text": text} for text in said)]
    told: Messages = []

    async def receive() -> dict[str, Any]:
        if not given:
            await asyncio.sleep(0.2)
            return {"type": "websocket.disconnect", "code": 1000}
        return given.pop(0)

    async def send(message: Any) -> None:
        told.append(message)

    scope = {
        "type": "websocket",
        "path": PREFIX + path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in sent.items() if value],
        "client": ("127.0.0.1", 40000),
    }
    desk.wait(asyncio.wait_for(desk.app(scope, receive, send), 20))
    return told


REFUSED: Messages = [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize(
    "headers",
    [
        {"cookie": ""},
        {"cookie": "console_00000000=x"},
        {"origin": "https://evil.example"},
        {"origin": "http://localhost:3000"},
        {"origin": ""},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"host": "evil.example:54321"},
    ],
    ids=str,
)
def test_the_socket_opens_to_the_consoles_own_page_and_session_alone(wired: Desk, headers: dict[str, str]) -> None:
    assert opened(wired, headers=headers) == REFUSED


def test_no_other_path_is_a_socket(wired: Desk) -> None:
    for path in ("/", "/api/session", "/api/proxy/realtime/v1/websocket", f"/api{tail.PATH}/x"):
        assert opened(wired, path) == REFUSED, path


def test_an_account_for_records_has_no_socket(desks: Desks) -> None:
    made = desks()
    made.add_account("clerk", "records", "an apple a week 7")
    assert made.enter(account="clerk", password="an apple a week 7").status_code == 200
    assert opened(made) == REFUSED


def test_what_is_said_goes_on_with_the_key_and_what_is_heard_comes_back(
    wired: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[Any] = []

    async def gateway(socket: ServerConnection) -> None:
        assert socket.request is not None
        heard.append(socket.request.headers["x-api-key"])
        async for text in socket:
            heard.append(orjson.loads(text))
            await socket.send('{"event":"phx_reply"}')

    join = '{"topic":"realtime:a","event":"phx_join","payload":{"access_token":"mine","config":{}},"ref":"1"}'

    async def listening() -> Any:
        return await serve(gateway, "127.0.0.1", 0)

    server = wired.wait(listening())
    port = server.sockets[0].getsockname()[1]
    monkeypatch.setattr(type(wired.settings), "local_url", property(lambda _: f"http://127.0.0.1:{port}"))
    try:
        told = opened(wired, said=(join,))
        broadcast = opened(wired, said=('{"topic":"realtime:a","event":"broadcast","payload":{}}',))
    finally:
        server.close()
        wired.wait(server.wait_closed())
    assert told == [{"type": "websocket.accept"}, {"type": "websocket.send", "text": '{"event":"phx_reply"}'}]
    assert heard[:2] == [wired.keys.secret_key, {**orjson.loads(join), "payload": {"config": {}}}]
    assert [message["type"] for message in broadcast] == ["websocket.accept", "websocket.close"]
    assert len(heard) == 3, "the broadcast went on"


def test_a_gateway_that_cannot_be_reached_closes_the_socket(wired: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(wired.settings), "local_url", property(lambda _: "http://127.0.0.1:9"))
    assert opened(wired) == [{"type": "websocket.close", "code": tail.TRY_LATER}]


@given(
    st.recursive(
        st.none() | st.integers(-(2**63), 2**63) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_nothing_goes_on_but_what_listens(message: Any) -> None:
    for text in (orjson.dumps(message, option=orjson.OPT_NON_STR_KEYS).decode(), str(message)):
        assert tail.said_on(text) is None or orjson.loads(text)["event"] in tail.LISTENS
    said = tail.said_on(orjson.dumps({"event": "phx_join", "payload": {"access_token": message}}).decode())
    assert said is not None and "access_token" not in orjson.loads(said)["payload"]
