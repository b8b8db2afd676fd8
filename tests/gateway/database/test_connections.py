"""Connections that ask for another protocol, end half-way, or are opened and left: each request has its answer, and
nobody keeps others out."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import uvicorn
from uvicorn.server import ServerState

from gateway.server.protocol import PIECE, Protocol
from tests.fixtures.db import Server, clone
from tests.fixtures.server import LiveGateway, start_gateway
from tests.ops.procs import LIMIT, until

MOST = 64
PATHS = {
    "table": b"/rest/v1/blog_posts?select=id&limit=1",
    "sign-in": b"/auth/v1/health",
    "function": b"/functions/v1/submit-contact",
    "page": b"/",
}
PLAIN = b"GET /rest/v1/blog_posts?select=slug&limit=1 HTTP/1.1\r\nHost: x\r\napikey: KEY\r\nConnection: close\r\n\r\n"
SOCKET = b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"


@pytest.fixture(scope="module")
def live(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveGateway]:
    name = f"connections_{os.getpid()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    site = tmp_path_factory.mktemp("site")
    (site / "index.html").write_text("<!doctype html><title>x</title>")
    extra = {"GATEWAY_MAX_CONNECTIONS": str(MOST), "SITE_DIR": str(site), "GATEWAY_CLIENT_TIMEOUT": "600"}
    gateway = start_gateway(server.database(name), tmp_path_factory.mktemp(name), "serve", extra)
    yield gateway
    gateway.stop()
    with server.admin() as admin:
        admin.script(f'drop database "{name}" with (force)')


def opened(live: LiveGateway) -> socket.socket:
    parts = urlsplit(live.url)
    assert parts.hostname and parts.port
    return socket.create_connection((parts.hostname, parts.port), timeout=LIMIT)


def filled(live: LiveGateway, message: bytes, path: bytes = b"/") -> bytes:
    return message.replace(b"PATH", path).replace(b"KEY", live.publishable_key.encode())


def rest_of(client: socket.socket) -> bytes:
    """All that comes until the server closes."""
    answer = b""
    with suppress(ConnectionError):
        while chunk := client.recv(65_536):
            answer += chunk
    return answer


def statuses(answer: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)]


UPGRADES = {
    "a websocket by POST": b"POST PATH HTTP/1.1\r\nHost: x\r\napikey: KEY\r\nContent-Length: 2\r\n"
    b"Connection: upgrade\r\nUpgrade: websocket\r\n" + SOCKET + b"\r\n{}",
    "a websocket by POST without a body": b"POST PATH HTTP/1.1\r\nHost: x\r\napikey: KEY\r\n"
    b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    "a websocket with a body": b"GET PATH HTTP/1.1\r\nHost: x\r\napikey: KEY\r\nContent-Length: 2\r\n"
    b"Connection: upgrade\r\nUpgrade: websocket\r\n" + SOCKET + b"\r\n{}",
    "h2c": b"GET PATH HTTP/1.1\r\nHost: x\r\napikey: KEY\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
    b"HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
    "h2c by POST": b"POST PATH HTTP/1.1\r\nHost: x\r\napikey: KEY\r\nConnection: Upgrade, HTTP2-Settings\r\n"
    b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nContent-Length: 2\r\n\r\n{}",
    "h2c in chunks": b"POST PATH HTTP/1.1\r\nHost: x\r\napikey: KEY\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    "TLS": b"OPTIONS PATH HTTP/1.1\r\nHost: x\r\napikey: KEY\r\nConnection: upgrade\r\nUpgrade: TLS/1.0\r\n\r\n",
}


@pytest.mark.parametrize("pause", [True, False], ids=["then", "at once"])
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("shape", UPGRADES)
def test_a_protocol_that_is_not_spoken_is_no_reason_for_silence(
    live: LiveGateway, shape: str, path: str, pause: bool
) -> None:
    """The request is answered as any other, and so is what comes behind it."""
    with closing(opened(live)) as client:
        message = filled(live, UPGRADES[shape], PATHS[path])
        if pause:
            client.sendall(message)
            first = client.recv(65_536)
            assert len(statuses(first)) == 1
            with suppress(BrokenPipeError):
                client.sendall(filled(live, PLAIN))
            answer = first + rest_of(client)
        else:
            client.sendall(message + filled(live, PLAIN))
            answer = rest_of(client)
    assert all(status < 500 for status in statuses(answer)), answer
    if b"connection: close" not in answer.lower().partition(b"\r\n\r\n")[0]:
        assert len(statuses(answer)) == 2 and statuses(answer)[1] == 200, answer


@pytest.mark.parametrize("path", PATHS)
def test_a_websocket_where_there_is_none_is_refused_and_closed(live: LiveGateway, path: str) -> None:
    message = b"GET PATH HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
    for rest in (SOCKET, b"", b"Sec-WebSocket-Version: 99\r\n"):
        with closing(opened(live)) as client:
            client.sendall(filled(live, message + rest + b"\r\n", PATHS[path]))
            (status,) = statuses(rest_of(client))
            assert 400 <= status < 500


@pytest.mark.parametrize("path", PATHS)
def test_who_has_said_all_has_all_answers(live: LiveGateway, path: str) -> None:
    get = b"GET PATH HTTP/1.1\r\nHost: x\r\napikey: KEY\r\n\r\n"
    post = b"POST PATH HTTP/1.1\r\nHost: x\r\napikey: KEY\r\nContent-Length: 2\r\n\r\n{}"
    large = b"POST PATH HTTP/1.1\r\nHost: x\r\napikey: KEY\r\nContent-Length: 100002\r\n\r\n{" + b" " * 100_000 + b"}"
    half = b"POST PATH HTTP/1.1\r\nHost: x\r\napikey: KEY\r\nContent-Length: 9\r\n\r\n{}"
    for messages, answers in (
        ((get,), 1), ((post,), 1), ((large,), 1), ((get, get, get), 3), ((get, post), 2), ((get, get[:20]), 1),
        ((get, half), 1), ((half,), 0), ((get[:20],), 0),
    ):  # fmt: skip
        with closing(opened(live)) as client:
            client.sendall(filled(live, b"".join(messages), PATHS[path]))
            client.shutdown(socket.SHUT_WR)
            answer = rest_of(client)
        early = path == "page" and half in messages  # it is refused before its body is there
        assert len(statuses(answer)) in (answers, answers + early), (messages, answer)
        assert all(status < 500 for status in statuses(answer))


def test_what_is_asked_again_is_answered_to_who_has_said_all(live: LiveGateway) -> None:
    """A read that is remembered takes a shorter way."""
    get = filled(live, b"GET /rest/v1/blog_posts?select=slug HTTP/1.1\r\nHost: x\r\napikey: KEY\r\n\r\n")
    for _ in range(5):
        with closing(opened(live)) as client:
            client.sendall(get)
            client.shutdown(socket.SHUT_WR)
            assert statuses(rest_of(client)) == [200]


def test_thousands_of_requests_at_once_are_all_answered_in_order(live: LiveGateway) -> None:
    """They are taken a few at a time, so that no other connection waits for all of them."""
    for path in (b"/rest/v1/blog_posts?select=id&id=eq.%d", b"/auth/v1/health?%d", b"/?%d"):
        lines = b" HTTP/1.1\r\nHost: x\r\napikey: KEY\r\nX-Request-Id: n-%d\r\n\r\n"
        requests = [filled(live, b"GET " + path % number + lines % number) for number in range(1000)]
        requests[-1] = requests[-1].replace(b"Host: x", b"Host: x\r\nConnection: close")
        with closing(opened(live)) as client:
            sending = threading.Thread(target=client.sendall, args=(b"".join(requests),))
            sending.start()
            answer = rest_of(client)
            sending.join()
        assert re.findall(rb"x-request-id: n-(\d+)", answer) == [b"%d" % number for number in range(1000)]


def test_a_head_of_very_many_lines_is_refused(live: LiveGateway) -> None:
    with closing(opened(live)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n" + b"a:b\r\n" * 2000 + b"\r\n")
        assert statuses(rest_of(client)) == [431]


def test_a_body_in_the_smallest_chunks_comes_whole(live: LiveGateway) -> None:
    body = b'{"name":"' + b"x" * 60_000 + b'"}'
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
    head = b"POST PATH HTTP/1.1\r\nHost: x\r\napikey: KEY\r\nConnection: close\r\n"
    answers = []
    for framed in (b"Transfer-Encoding: chunked\r\n\r\n" + chunks, b"Content-Length: %d\r\n\r\n%b" % (len(body), body)):
        with closing(opened(live)) as client:
            client.sendall(filled(live, head, PATHS["function"]) + framed)
            answers.append(rest_of(client).partition(b"\r\n\r\n")[2])
    assert answers[0] == answers[1] and answers[0]


def test_what_comes_at_once_is_parsed_a_moment_at_a_time() -> None:
    """Nothing that one connection sends holds the loop: its bytes are parsed by pieces, others' turns in between."""

    async def never(scope: object, receive: object, send: object) -> None:
        await asyncio.Event().wait()

    async def scenario(data: bytes) -> None:
        config = uvicorn.Config(never, http=Protocol, lifespan="off", log_config=None)
        config.load()
        state = ServerState()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Protocol(config, state, {}), "127.0.0.1", 0)
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        await asyncio.sleep(0.01)
        (connection,) = state.connections
        assert isinstance(connection, Protocol)
        began = time.thread_time()
        connection.data_received(data)
        taken = time.thread_time() - began
        assert taken < 0.03, f"{taken:.3f} s"
        for _ in range(1000):
            await asyncio.sleep(0)
        assert len(connection.pipeline) < 500, "the others are not taken yet"
        writer.close()
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    asyncio.run(scenario(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 9000))
    chunked = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    asyncio.run(scenario(chunked + b"1\r\nx\r\n" * 42_000))


LEFT = {
    "nothing": b"",
    "half a head": b"GET / HTTP/1.1\r\nHo",
    "half a body": b"POST /rest/v1/blog_posts HTTP/1.1\r\nHost: x\r\napikey: KEY\r\nContent-Length: 100000\r\n\r\n{",
    "an answered request": b"GET /auth/v1/health HTTP/1.1\r\nHost: x\r\napikey: KEY\r\n\r\n",
    "a websocket by POST": b"POST / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    "a websocket": b"GET /rest/v1/x HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n" + SOCKET,
}


@pytest.mark.parametrize("kind", LEFT)
def test_connections_left_open_keep_nobody_out(live: LiveGateway, kind: str) -> None:
    with ExitStack() as left:
        clients = []
        for _ in range(4 * MOST):
            client = left.enter_context(closing(opened(live)))
            clients.append(client)
            with suppress(OSError):
                client.sendall(filled(live, LEFT[kind]))
        with closing(opened(live)) as honest:
            honest.sendall(filled(live, PLAIN))
            assert statuses(rest_of(honest)) == [200]
        until(lambda: descriptors(live) < 2 * MOST, "most are closed")


def descriptors(live: LiveGateway) -> int:
    """Connections that the gateway's processes have open on their port."""
    port = f":{urlsplit(live.url).port:04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[1].endswith(port) and row[3] == "01" for row in rows)


def test_a_thousand_sockets_keep_nobody_out(gateway: LiveGateway) -> None:
    with ExitStack() as left:
        for _ in range(1000):
            left.enter_context(closing(opened(gateway)))
        for _ in range(5):
            with closing(opened(gateway)) as honest:
                honest.sendall(filled(gateway, PLAIN))
                assert statuses(rest_of(honest)) == [200]


def test_a_body_of_known_length_is_parsed_at_once_and_nothing_else_is() -> None:
    """What is parsed at once is a piece, or of one body; and the same comes of it as of every other cut."""
    body = b"b" * 50_000
    after = b"GET /after HTTP/1.1\r\nHost: x\r\nX-Long: %b\r\n\r\n" % (b"x" * 1500) * 20
    post = b"POST /declared HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%b\r\n"
    streams = {
        "declared": (post % (len(body), b"") + body + after, len(body)),
        "upgrade": (post % (len(body), b"Connection: upgrade\r\nUpgrade: other\r\n") + after, PIECE),
        "chunked": (
            b"POST /chunked HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nc350\r\n" + body
            + b"\r\n0\r\n\r\n" + after, PIECE,
        ),
        "read": (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 50000\r\n\r\n" + body + after, PIECE),
    }  # fmt: skip

    async def never(scope: object, receive: object, send: object) -> None:
        await asyncio.Event().wait()

    async def scenario(data: bytes, size: int) -> tuple[int, int]:
        config = uvicorn.Config(never, http=Protocol, lifespan="off", log_config=None)
        config.load()
        state = ServerState()
        loop = asyncio.get_running_loop()
        fed: list[int] = []

        class Watched(Protocol):
            def _feed(self, data: bytes) -> None:
                fed.append(len(data))
                super()._feed(data)

        server = await loop.create_server(lambda: Watched(config, state, {}), "127.0.0.1", 0)
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        while not state.connections:
            await asyncio.sleep(0)
        (connection,) = state.connections
        assert isinstance(connection, Watched)
        for start in range(0, len(data), size):
            connection.data_received(data[start : start + size])
            while connection._unread and len(connection.pipeline) < 32:
                await asyncio.sleep(0)
        begun = connection.begun
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        connection.transport.abort()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        server.close()
        await server.wait_closed()
        return begun, max(fed)

    for name, (data, most) in streams.items():
        found = {size: asyncio.run(scenario(data, size)) for size in (len(data), 65_536, 5_000, 1_000)}
        assert max(fed for _, fed in found.values()) <= most, name
        assert len({begun for begun, _ in found.values()}) == 1, (name, found)
        if name == "declared":
            assert found[len(data)][1] > PIECE
