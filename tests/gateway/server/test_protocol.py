"""Whole responses on the wire: one write, reason phrases, lengths, and no header that smuggles another."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from typing import Any

import pytest
import uvicorn

from gateway.errors import ApiError
from gateway.http.messages import (
    CachedRequest,
    HeaderList,
    Receive,
    Request,
    Response,
    Scope,
    Send,
    read_body,
    refuse_declared,
    respond,
)
from gateway.lru_cache import Caches, LruCache
from gateway.server import http_server as server
from gateway.server import protocol
from gateway.server.client_timeouts import ClientTimeouts
from gateway.server.fast_path import FastPath, matcher
from gateway.server.fast_path.protocol import MAX_BODY, FastProtocol
from gateway.server.http_server import listen
from gateway.server.protocol import Protocol

RESPONSES = {
    "/plain": Response(200, [(b"content-type", b"text/plain")], b"hello"),
    "/reason": Response(402, [(b"content-type", b"text/plain")], b"pay", reason="Pay first"),
    "/unknown-status": Response(546, [], b"limit", reason="Worker Limit"),
    "/empty": Response(204, []),
    "/unchanged": Response(304, [(b"etag", b'"a"')]),
    "/split": Response(200, [(b"x-a", b"1\r\nx-b: 2")], b""),
    "/split-reason": Response(400, [], b"", reason="Bad\r\nx-b: 2"),
}


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["path"] == "/asgi":
        await respond({"method": "GET"}, send, Response(200, [], b"by messages"))
    elif scope["path"] == "/echo":
        await respond(scope, send, Response(200, [], await read_body(receive, 1_000_000)))
    else:
        known = RESPONSES[scope["path"]]
        await respond(scope, send, Response(known.status, list(known.headers), known.body, known.reason))


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close"})
        return
    # Behind a request that is not answered yet, a request goes the plain way too.
    await app({**scope, "path": scope["path"].removeprefix("/direct")}, receive, send)


class Direct(FastPath):
    """Answers what lies below /direct without ASGI, and says what it took and answered."""

    def __init__(self) -> None:
        super().__init__(lambda path: path[7:] if path.startswith("/direct/") else None, self.answer, Caches(True))
        self.requests: LruCache[bytes, CachedRequest] = LruCache(1_000_000, 2)
        self.taken: list[str] = []
        self.answered: list[str] = []

    def match(self, method: bytes, target: bytes, headers: HeaderList) -> Request | None:
        request = super().match(method, target, headers)
        if request is not None:
            self.taken.append(target.decode())
        return request

    async def answer(self, request: Request, client: tuple[str, int] | None) -> Response:
        assert client is not None
        self.answered.append(request.path)
        if request.path == "/at-once":
            return Response(200, [], request.body)
        if request.path == "/broken":
            raise ValueError("broken")
        if request.path == "/large":
            return Response(200, [], b"x" * 2_000_000)
        await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        if request.path == "/ended":
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            future.cancel()
            await future
        if request.path == "/echo":
            return Response(200, [], request.body)
        if request.path == "/changed":
            said, request.query = request.query, "nothing"
            if request.cached is not None:
                request.cached.keep("answered", 100)
            return Response(200, [], said.encode())
        if request.path == "/headers":
            return Response(200, [], b" ".join(value for _, value in request.headers))
        known = RESPONSES[request.path]
        if request.cached is not None and not request.body:
            request.cached.keep("answered", 100)
        return Response(known.status, list(known.headers), known.body, known.reason)


DIRECT = Direct()


def fast_protocol() -> Any:
    """What uvicorn calls to make the protocol of a connection."""
    return partial(FastProtocol, fast_path=DIRECT)


@pytest.fixture(scope="module")
def address() -> Iterator[tuple[str, int]]:
    bound = listen("127.0.0.1", 0)
    config = uvicorn.Config(
        application, http=fast_protocol(), loop="uvloop", lifespan="off", log_config=None, server_header=False,
        proxy_headers=False,
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: server.run(sockets=[bound]))
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield bound.getsockname()
    server.should_exit = True
    thread.join()


def exchange(address: tuple[str, int], *requests: bytes, until: bytes = b"") -> bytes:
    """Send bytes on one connection; everything that comes back until the server closes or `until` was seen."""
    with closing(socket.create_connection(address, timeout=10)) as client:
        client.sendall(b"".join(requests))
        received = b""
        while chunk := client.recv(65536):
            received += chunk
            if until and until in received:
                break
        return received


def request(path: str, method: str = "GET", body: bytes = b"", close: bool = True) -> bytes:
    ending = b"connection: close\r\n" if close else b""
    length = b"content-length: %d\r\n" % len(body) if body else b""
    return b"%s %s HTTP/1.1\r\nhost: x\r\n%s%s\r\n%s" % (method.encode(), path.encode(), length, ending, body)


def parts(raw: bytes) -> tuple[bytes, dict[bytes, bytes], bytes]:
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    return first, dict(line.split(b": ", 1) for line in lines), body


def test_a_response_has_its_length_and_its_body(address: tuple[str, int]) -> None:
    first, headers, body = parts(exchange(address, request("/plain")))
    assert (first, body) == (b"HTTP/1.1 200 OK", b"hello")
    assert headers[b"content-length"] == b"5" and b"transfer-encoding" not in headers
    assert headers[b"connection"] == b"close"


@pytest.mark.parametrize(
    ("path", "line"),
    [("/reason", b"HTTP/1.1 402 Pay first"), ("/unknown-status", b"HTTP/1.1 546 Worker Limit")],
)
def test_a_reason_phrase_is_sent(address: tuple[str, int], path: str, line: bytes) -> None:
    assert parts(exchange(address, request(path)))[0] == line


def test_letters_of_a_url_may_be_sent_as_they_are(address: tuple[str, int]) -> None:
    both = request("/plain?name=é", close=False) + request("/plain")
    assert exchange(address, both).count(b"HTTP/1.1 200 OK") == 2


def test_a_body_is_not_taken_for_a_url(address: tuple[str, int]) -> None:
    body = "GET /plain?é HTTP/1.1".encode()
    with closing(socket.create_connection(address, timeout=10)) as client:
        client.sendall(request("/echo", "POST", body + body)[: -2 * len(body)])
        for half in (body, body):
            time.sleep(0.05)
            client.sendall(half)
        received = client.makefile("rb").read()
    assert parts(received)[2] == body + body


def test_head_has_the_headers_and_no_body(address: tuple[str, int]) -> None:
    _, headers, body = parts(exchange(address, request("/plain", "HEAD")))
    assert headers[b"content-length"] == b"5" and body == b""


@pytest.mark.parametrize("path", ["/empty", "/unchanged"])
def test_a_status_without_a_body_has_no_length(address: tuple[str, int], path: str) -> None:
    _, headers, body = parts(exchange(address, request(path)))
    assert b"content-length" not in headers and body == b""


@pytest.mark.parametrize("path", ["/split", "/split-reason"])
def test_a_line_break_never_makes_another_header(address: tuple[str, int], path: str) -> None:
    raw = exchange(address, request(path))
    assert b"x-b" not in raw
    assert raw.startswith(b"HTTP/1.1 500") or raw == b""


def test_requests_on_one_connection_are_answered_in_order(address: tuple[str, int]) -> None:
    raw = exchange(
        address,
        request("/plain", close=False),
        request("/echo", "POST", b"one", close=False),
        request("/asgi", close=False),
        request("/echo", "POST", b"two"),
    )
    positions = [raw.index(word) for word in (b"hello", b"one", b"by messages", b"two")]
    assert positions == sorted(positions) and raw.count(b"HTTP/1.1 200 OK") == 4


def test_a_large_response_reaches_a_slow_reader_whole(address: tuple[str, int]) -> None:
    body = b"x" * 900_000
    assert parts(exchange(address, request("/echo", "POST", body)))[2] == body


@pytest.mark.parametrize("path", [path for path in RESPONSES if "split" not in path])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_direct_answer_is_the_same_on_the_wire(address: tuple[str, int], path: str, method: str) -> None:
    def comparable(raw: bytes) -> bytes:
        return b"\r\n".join(line for line in raw.split(b"\r\n") if not line.startswith(b"date"))

    ordinary = comparable(exchange(address, request(path, method)))
    assert comparable(exchange(address, request("/direct" + path, method))) == ordinary


def test_direct_and_ordinary_answers_keep_their_order(address: tuple[str, int]) -> None:
    raw = exchange(
        address,
        request("/direct/plain", close=False),
        request("/echo", "POST", b"one", close=False),
        request("/direct/reason", close=False),
        request("/direct/unknown-status", body=b"a body nobody asked for", close=False),
        request("/echo", "POST", b"two"),
    )
    positions = [raw.index(word) for word in (b"hello", b"one", b"Pay first", b"Worker Limit", b"two")]
    assert positions == sorted(positions)


def test_a_large_direct_answer_arrives_whole(address: tuple[str, int]) -> None:
    assert len(parts(exchange(address, request("/direct/large")))[2]) == 2_000_000


@pytest.mark.parametrize("path", ["/direct/broken", "/direct/split", "/direct/ended"])
def test_a_failed_direct_answer_closes_the_connection_and_no_other(address: tuple[str, int], path: str) -> None:
    assert exchange(address, request(path, close=False)) == b""
    assert b"hello" in exchange(address, request("/direct/plain"))


def test_a_request_keeps_what_it_was_given() -> None:
    asked = Request("GET", "/", "", [(b"accept", b"a"), (b"accept", b"b")])
    assert asked.header(b"accept") == b"a" and asked.header(b"none") is None


def turns(address: tuple[str, int], *requests: bytes) -> list[bytes]:
    """Requests on one connection, each sent when the one before was answered; bodies of the answers."""
    with closing(socket.create_connection(address, timeout=10)) as client, client.makefile("rb") as answers:
        bodies = []
        for asked in requests:
            client.sendall(asked)
            length = 0
            while (line := answers.readline()) != b"\r\n":
                assert line, "the connection was closed"
                if line.startswith(b"content-length: "):
                    length = int(line[16:])
            bodies.append(answers.read(length))
        return bodies


@pytest.fixture
def forgetful() -> None:
    """Nothing came before."""
    DIRECT.requests.clear()
    DIRECT._seen.clear()
    DIRECT.taken.clear()


@pytest.mark.usefixtures("forgetful")
def test_a_read_that_comes_a_third_time_is_not_parsed_again(address: tuple[str, int]) -> None:
    plain = request("/direct/plain", close=False)
    assert turns(address, plain, plain, request("/echo", "POST", b"one", close=False), plain) == [
        b"hello", b"hello", b"one", b"hello"
    ]  # fmt: skip
    assert turns(address, plain) == [b"hello"]  # nor on another connection
    assert DIRECT.taken == ["/direct/plain"] * 2


@pytest.mark.usefixtures("forgetful")
def test_what_came_once_leaves_a_number_alone(address: tuple[str, int]) -> None:
    turns(address, *(b"GET /direct/plain HTTP/1.1\r\nhost: %d\r\n\r\n" % number for number in range(5)))
    assert len(DIRECT.requests) == 0 and len(DIRECT._seen) == 5


def test_what_answers_a_read_may_change_it(address: tuple[str, int]) -> None:
    asked = request("/direct/changed?n=1", close=False)
    assert turns(address, *[asked] * 4) == [b"n=1"] * 4


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(request("/direct/echo", "POST", b"one", close=False), id="write"),
        pytest.param(request("/direct/plain", close=False) * 2, id="two at once"),
        pytest.param(request("/direct/plain", body=b"a body", close=False), id="body"),
        pytest.param(request("/direct/plain?" + "a" * 5000, close=False), id="long"),
        pytest.param(request("/plain", close=False), id="ordinary"),
    ],
)
@pytest.mark.usefixtures("forgetful")
def test_only_one_whole_short_read_is_remembered(address: tuple[str, int], asked: bytes) -> None:
    turns(address, asked, asked, asked)
    assert len(DIRECT.requests) == 0


@pytest.mark.usefixtures("forgetful")
def test_a_read_in_pieces_is_not_remembered(address: tuple[str, int]) -> None:
    whole = request("/direct/plain", close=False)
    with closing(socket.create_connection(address, timeout=10)) as client:
        for _ in range(3):
            for piece in (whole[:10], whole[10:]):
                client.sendall(piece)
                time.sleep(0.05)
            assert b"hello" in client.recv(65536)
        assert len(DIRECT.requests) == 0
        # and what looks like a remembered read is none in the middle of another
        assert turns(address, whole, whole) == [b"hello"] * 2 and len(DIRECT.requests) == 1
        client.sendall(request("/direct/echo", "POST", whole, close=False)[: -len(whole)])
        time.sleep(0.05)
        client.sendall(whole)
        assert whole in client.recv(65536)


@pytest.mark.usefixtures("forgetful")
def test_the_memory_of_reads_is_bounded(address: tuple[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matcher, "SEEN", 3)
    for number in range(5):
        turns(address, *[b"GET /direct/plain HTTP/1.1\r\nhost: %d\r\n\r\n" % number] * 2)
        assert len(DIRECT._seen) <= 3
    assert len(DIRECT.requests) == 2


KINDS = {
    "read": [b"GET /direct/plain HTTP/1.1\r\nhost: %d\r\n\r\n" % number for number in range(20)],
    "read that comes again": [
        b"GET /direct/plain HTTP/1.1\r\nhost: %d\r\n\r\n" % (number // 4) for number in range(20)
    ],
    "write": [request("/direct/echo", "POST", b"%d" % number, close=False) for number in range(20)],
    "changed": [request(f"/direct/changed?n={number // 3}", close=False) for number in range(20)],
    "plain way": [request("/echo", "POST", b"%d" % number, close=False) for number in range(20)],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("forgetful")
def test_a_request_leaves_nothing_that_only_the_collector_finds(address: tuple[str, int], kind: str) -> None:
    """The collector of a worker looks rarely: what waits for it made a worker five times as large as its caches."""
    turns(address, *KINDS[kind])  # what is made once is there
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        turns(address, *KINDS[kind])
        gc.collect()
        left = Counter(type(each).__qualname__ for each in gc.garbage if type(each).__module__.startswith("gateway."))
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert not left


def test_a_remembered_read_ends_its_connection_when_it_says_so(address: tuple[str, int]) -> None:
    for _ in range(3):
        _, headers, body = parts(exchange(address, request("/direct/plain")))
        assert headers[b"connection"] == b"close" and body == b"hello"


@pytest.mark.parametrize("size", [0, 1, MAX_BODY, MAX_BODY + 1, 900_000])
def test_a_body_reaches_a_direct_answer_whole(address: tuple[str, int], size: int) -> None:
    body = bytes(range(256)) * (size // 256 + 1)
    assert parts(exchange(address, request("/direct/echo", "POST", body[:size])))[2] == body[:size]


def test_a_body_in_chunks_or_after_a_question_goes_the_ordinary_way(address: tuple[str, int]) -> None:
    chunked = b"POST /direct/echo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n"
    asking = b"POST /direct/echo HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 3\r\n\r\n"
    assert turns(address, chunked) == [b"one"]
    with closing(socket.create_connection(address, timeout=10)) as client:
        client.sendall(asking)
        assert client.recv(65536).startswith(b"HTTP/1.1 100 ")
        client.sendall(b"two")
        assert client.recv(65536).endswith(b"two")


def test_a_client_that_leaves_within_its_body_is_not_answered(address: tuple[str, int]) -> None:
    with closing(socket.create_connection(address, timeout=10)) as client:
        client.sendall(request("/direct/broken", "POST", b"whole", close=False)[:-1])
    assert turns(address, request("/direct/plain", close=False)) == [b"hello"]


CHUNKED = b"POST /echo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("framing", [b"0\r\nx-long: ", b"2;"], ids=["trailer", "extension"])
def test_what_goes_with_chunks_is_no_longer_than_a_head(address: tuple[str, int], framing: bytes) -> None:
    with closing(socket.create_connection(address, timeout=10)) as client:
        client.sendall(CHUNKED + b"3\r\none\r\n" + framing)
        with suppress(ConnectionError):  # closed before it was all said
            for _ in range(64):
                client.sendall(b"x" * 65_536)
        with suppress(ConnectionError):  # the answer may be lost with what was not read
            assert client.recv(65_536)[:12] in (b"HTTP/1.1 431", b"HTTP/1.1 400", b"")
    assert turns(address, request("/direct/plain", close=False)) == [b"hello"]


def test_a_long_body_in_small_chunks_is_no_framing(address: tuple[str, int]) -> None:
    chunks = b"1;note=abcdefghijkl\r\nx\r\n" * 60_000
    raw = exchange(address, CHUNKED.replace(b"host: x", b"host: x\r\nconnection: close"), chunks, b"0\r\n\r\n")
    assert parts(raw)[2] == b"x" * 60_000


def test_nothing_is_heard_after_a_request_that_was_the_last(address: tuple[str, int]) -> None:
    raw = exchange(address, request("/direct/plain"), request("/direct/reason"))
    assert raw.count(b"HTTP/1.1 ") == 1 and raw.endswith(b"hello")


def test_promise_18_an_idle_connection_is_answered_once_more_before_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request may be on its way while the worker is told to end."""
    monkeypatch.setattr(protocol, "LINGER", 60.0)

    async def main() -> list[bytes]:
        bound = listen("127.0.0.1", 0)
        config = uvicorn.Config(application, http=fast_protocol(), lifespan="off", log_config=None, access_log=False)
        ready = asyncio.Event()
        serving = server._Server(config, ready.set, None, ClientTimeouts(60.0, 60.0))
        ending = asyncio.ensure_future(serving._serve([bound]))
        await ready.wait()
        reader, writer = await asyncio.open_connection(*bound.getsockname())
        writer.write(b"GET /direct/plain HTTP/1.1\r\nhost: x\r\n\r\n")
        answers = [await reader.readuntil(b"hello")]
        serving._captured_signals.append(signal.SIGTERM)
        serving.should_exit = True
        while serving.servers[0].is_serving():
            await asyncio.sleep(0.01)
        writer.write(b"GET /direct/plain HTTP/1.1\r\nhost: x\r\n\r\n")
        answers.append(await reader.read())
        writer.close()
        await ending
        return answers

    threshold = gc.get_threshold()
    try:
        first, last = asyncio.run(asyncio.wait_for(main(), 60))
    finally:  # a server keeps what is loaded by its start from the collector
        gc.unfreeze()
        gc.set_threshold(*threshold)
    assert b"connection: close" not in first
    assert last.startswith(b"HTTP/1.1 200 ") and b"connection: close" in last and last.endswith(b"hello")


@pytest.mark.parametrize("late", [False, True], ids=["head sent", "connected since"])
def test_promise_18_a_connection_that_was_not_told_of_its_end_is_answered_once_more(late: bool) -> None:
    """Whether the server is told to end between an answer's head and its body, or just before a client connects."""

    async def main() -> list[bytes]:
        going_on = asyncio.Event()

        async def slow(scope: Scope, receive: Receive, send: Send) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"6")]})
            await send({"type": "http.response.body", "body": b"one", "more_body": True})
            await going_on.wait()
            await send({"type": "http.response.body", "body": b"two"})

        bound = listen("127.0.0.1", 0)
        config = uvicorn.Config(slow, http=Protocol, lifespan="off", log_config=None, access_log=False)
        ready = asyncio.Event()
        serving = server._Server(config, ready.set, None, ClientTimeouts(60.0, 60.0))
        ending = asyncio.ensure_future(serving._serve([bound]))
        await ready.wait()

        def end() -> None:
            serving._captured_signals.append(signal.SIGTERM)
            serving.should_exit = True

        loop = asyncio.get_running_loop()
        with socket.create_connection(bound.getsockname()) as client:
            client.setblocking(False)
            if late:  # the connection is made, and not yet seen, when the others are told
                serving.server_state.draining = True
                end()
            await loop.sock_sendall(client, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
            first = b""
            while not first.endswith(b"one"):
                first += await loop.sock_recv(client, 1000)
            if not late:
                end()
            while serving.servers[0].is_serving():
                await asyncio.sleep(0.01)
            going_on.set()
            while not first.endswith(b"two"):
                first += await loop.sock_recv(client, 1000)
            answers = [first]
            if b"connection: close" not in first:
                await asyncio.sleep(0.3)  # longer than the server looks round for what it may close
                await loop.sock_sendall(client, b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
                answers.append(b"")
                while data := await loop.sock_recv(client, 1000):
                    answers[-1] += data
        await ending
        return answers

    threshold = gc.get_threshold()
    try:
        answers = asyncio.run(asyncio.wait_for(main(), 60))
    finally:  # a server keeps what is loaded by its start from the collector
        gc.unfreeze()
        gc.set_threshold(*threshold)
    assert len(answers) == (1 if late else 2)
    assert all(answer.startswith(b"HTTP/1.1 200 ") and answer.endswith(b"onetwo") for answer in answers)
    assert [b"connection: close" in answer for answer in answers] == ([True] if late else [False, True])


UPGRADE = (
    b"GET /ws HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
    b"sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


@pytest.mark.parametrize("pause", [True, False])
@pytest.mark.parametrize("after", [UPGRADE, b"GET /direct/plain HTTP/1.1\r\nhost: x\r\n\r\n"])
@pytest.mark.parametrize("path", ["/direct/echo", "/direct/at-once"])
@pytest.mark.parametrize("close", [True, False])
def test_no_write_is_made_twice_whatever_follows(
    address: tuple[str, int], path: str, after: bytes, pause: bool, close: bool
) -> None:
    DIRECT.answered.clear()
    with closing(socket.create_connection(address, timeout=10)) as client:
        write = request(path, "POST", b"one", close=close)
        client.sendall(write if pause else write + after)
        with suppress(OSError):  # gone, where the answer was the last
            if pause:
                assert b"one" in client.recv(65536)
                client.sendall(after)
            client.shutdown(socket.SHUT_WR)
            while client.recv(65536):
                pass
    assert DIRECT.answered.count(path[7:]) == 1


def test_a_body_that_says_it_is_too_long_is_not_read() -> None:
    asked = Request("POST", "/", "", [(b"content-length", b"1001")])
    with pytest.raises(ApiError):
        refuse_declared(asked, 1000)
    refuse_declared(asked, 1001)
    refuse_declared(Request("POST", "/", "", []), 1000)


@pytest.mark.parametrize("cut", [True, False])
def test_no_more_is_read_of_a_body_than_may_be(cut: bool) -> None:
    read = 0

    async def receive() -> dict[str, object]:
        nonlocal read
        read += 1
        return {"type": "http.request", "body": b"x" * 600, "more_body": True}

    if cut:
        assert len(asyncio.run(read_body(receive, 1000, cut=True))) == 1001
    else:
        with pytest.raises(ApiError):
            asyncio.run(read_body(receive, 1000))
    assert read == 2
