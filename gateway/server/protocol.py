"""uvicorn's HTTP/1.1 protocol, with bounds on what a connection may cost, an end that cuts nobody short, and whole
answers.

ASGI sends head and body as two messages, which become two system calls, and has no reason phrase: a request served
by this protocol carries `scope["extensions"]["gateway.respond"]`, which takes a finished `Response` and writes it
whole.

What this uses of uvicorn beyond its documented interface is listed in tests/gateway/server/test_uvicorn.py, and
uvicorn's version is pinned.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import time
from collections.abc import Callable, Iterable
from typing import Any, Final, cast
from typing import Protocol as Interface

import httptools
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from gateway.http.messages import FRAMING, RESPOND, SEND_FILE, HeaderList, OpenFile, Request, Response
from gateway.server.compose import compose

AT_ONCE: Final = 1_048_576  # bytes of a file that are sent before others have their turn
MSG_MORE: Final = getattr(socket, "MSG_MORE", 0)
MAX_HEAD: Final = 262_144  # bytes of request line and headers; more than the longest URL that the settings allow
TOO_LARGE: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: 25\r\nconnection: close\r\n\r\nToo many or long headers\n"
)
NO_ROOM: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\nretry-after: 5\r\n"
    b"content-length: 22\r\nconnection: close\r\n\r\nToo many open sockets\n"
)
PIECE: Final = 4096  # bytes that are parsed at once, where they are not known to be of one body
TURN: Final = 0.002  # seconds that a connection's bytes may take of the loop at once
MAX_PIPELINED: Final = 32  # requests behind the one that is answered; more are not parsed yet
MAX_HEADERS: Final = 1000  # lines; a browser sends some twenty
LINGER: Final = 3.0  # seconds in which a connection of a server that ends may send once more; then it is closed


class Crowded(Interface):
    """Who looks after the number of connections (gateway/server/client_timeouts.py)."""

    most: int
    """Connections that a worker has at most."""

    def make_room(self, connections: Iterable[object], now: float) -> None:
        """Close some that are not waiting for an answer."""


class SocketDoor(Interface):
    """Who takes upgrades past ASGI (gateway/realtime/door.py)."""

    prefix: str

    def has(self, path: str) -> bool:
        """Whether it takes one at this path."""

    def open(
        self, request: Request, client: tuple[str, int] | None, transport: asyncio.Transport
    ) -> tuple[bytes, asyncio.Protocol] | Response:
        """The answer and who has the transport from then on, or a refusal."""

    def welcome(self, protocol: asyncio.Protocol) -> None:
        """It has it."""

    async def drain(self) -> None:
        """The server ends."""


class Cycle(RequestResponseCycle):
    """One request and its response."""

    async def run_asgi(self, app: Any) -> None:
        """Answer it. Its scope, which names this object, lets go of it: the collector looks too rarely for that."""
        try:
            await super().run_asgi(app)
        finally:
            self.scope.pop("extensions", None)

    async def respond(self, response: Response) -> None:
        """Send a whole response at once. Raises RuntimeError as `send` would."""
        if self.flow.write_paused and not self.disconnected:
            await self.flow.drain()
        if self.disconnected:
            return
        if self.response_started:
            raise RuntimeError("the response was already started")
        self.response_started = True
        self.waiting_for_100_continue = False
        self.transport.write(compose(response, self.default_headers, self.keep_alive, self.scope["method"] == "HEAD"))
        self.response_complete = True
        self.message_event.set()
        if not self.keep_alive:
            self.transport.close()
        self.on_response()

    async def send_file(self, response: Response, file: OpenFile, start: int, length: int) -> bool:
        """Send a head and bytes of a file, which the kernel copies; False if that is not possible now, and nothing was
        sent. Raises RuntimeError as `send` would, OSError of the file."""
        if self.disconnected:
            return True
        if self.response_started:
            raise RuntimeError("the response was already started")
        protocol = cast(Protocol, self.transport.get_protocol())
        if self.transport.get_write_buffer_size() or self.transport.get_extra_info("sslcontext") is not None:
            return False
        head = compose(response, self.default_headers, self.keep_alive, True)
        # A socket of its own on the same connection: the transport's descriptor is the loop's alone.
        with socket.socket(fileno=os.dup(self.transport.get_extra_info("socket").fileno())) as connection:
            self.response_started = True
            self.waiting_for_100_continue = False
            protocol.file_left = length
            try:
                await self._push(protocol, connection, head, file, start, length)
            except (BrokenPipeError, ConnectionResetError):
                self.transport.abort()
                return True
            finally:
                protocol.file_left = 0
        if self.disconnected:
            return True
        self.response_complete = True
        self.message_event.set()
        if not self.keep_alive:
            self.transport.close()
        self.on_response()
        return True

    async def _push(
        self, protocol: Protocol, connection: socket.socket, head: bytes, file: OpenFile, at: int, length: int
    ) -> None:
        """All of it, or until the client is gone."""
        end = at + length
        loop = asyncio.get_running_loop()
        while (head or at < end) and not self.disconnected:
            try:
                if head:
                    head = head[connection.send(head, socket.MSG_DONTWAIT | MSG_MORE) :]
                    continue
                most = min(end - at, AT_ONCE)
                await file.load(at, most)
                sent = os.sendfile(connection.fileno(), file.fileno(), at, most)
                if not sent:
                    self.transport.abort()  # the file ended before its length, which was said
                    return
                at += sent
                protocol.file_left = end - at
                if sent == most:
                    await asyncio.sleep(0)  # others have their turn
            except BlockingIOError:
                await protocol.writable(loop, connection.fileno())


_REQUEST_TARGET: Final = re.compile(rb"[A-Z]+ [^ \r\n]*")
_BODILESS: Final = frozenset((b"GET", b"HEAD"))
_LETTERS: Final = re.compile(rb"[\x80-\xff]+")


def _encoded(data: bytes) -> bytes:
    """The start of a request with its URL percent-encoded, as many clients, curl among them, send what was typed.

    >>> _encoded("GET /caf\u00e9 HTTP/1.1".encode())
    b'GET /caf%C3%A9 HTTP/1.1'
    """
    start = _REQUEST_TARGET.match(data)
    if start is None or start.end() > MAX_HEAD // 2:  # the latter is refused for its length
        return data
    return _LETTERS.sub(lambda letters: b"%" + letters[0].hex("%").upper().encode(), start[0]) + data[start.end() :]


def _declared(headers: HeaderList) -> int:
    """The length of a body by its head, which the parser has checked; 0 where it has none or comes in chunks."""
    for name, value in headers:
        if name == b"content-length":
            return int(value)
    return 0


class _Trailers(HeaderList):
    """Takes the place of the headers behind the head: what follows the chunks of a body is no header of the request,
    or a client could send past a proxy what the proxy takes out."""

    def append(self, item: tuple[bytes, bytes]) -> None:
        """Let it go."""


class _Flow(FlowControl):
    """Reading does not begin again while there is something unread."""

    _held = False

    def hold(self) -> None:
        """Read nothing for now, whoever asks for more."""
        self._held = True
        self.pause_reading()

    def let_go(self, paused: bool) -> None:
        """Read again, if it was held and nothing else pauses it."""
        if self._held:
            self._held = False
            if not paused:
                self.resume_reading()

    def resume_reading(self) -> None:
        if not self._held:
            super().resume_reading()


class Protocol(HttpToolsProtocol):
    """uvicorn's protocol, its requests answered by `Cycle`."""

    draining = False
    begun = 0  # requests of this connection
    file_left = 0  # bytes of a file that are to be sent past the transport
    _writable: asyncio.Future[None] | None = None
    received = 0  # bytes of it
    in_head = False
    _head_size = 0  # bytes of a head, or of a body's framing, since something came of them
    _has_body = False
    _body_left = 0  # bytes of a body of declared length that are still to come
    _unread = b""  # what came at once and is not parsed yet, behind so many bytes that are
    _parsed = 0
    _upgrades = False  # whether the request that is read opens a websocket
    _answered: RequestResponseCycle | None = None  # the request that is being answered

    def __init__(
        self, *arguments: Any, timeouts: Crowded | None = None, door: SocketDoor | None = None, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self._timeouts = timeouts
        self._door = door
        self.since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self.flow = self._flow = _Flow(transport)
        self.draining = getattr(self.server_state, "draining", False)  # accepted while the server was told to end
        self.since = time.monotonic()
        if self._timeouts is not None and len(self.connections) > self._timeouts.most:
            self._timeouts.make_room(self.connections, self.since)

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        cycle = self.cycle
        if self._unread:
            self._unread += data
            return
        if (cycle is None or not cycle.more_body) and not data.isascii():
            data = _encoded(data)
        if len(data) > PIECE:
            self._unread = data
            self._read_on()
        else:
            self._parse(data)

    def _read_on(self) -> None:
        """Parse what came at once by pieces, for so long as nobody else has to wait: thousands of requests, headers or
        chunks may be in it. Until that is done nothing more is read, and no more requests are taken than a few."""
        until = time.perf_counter() + TURN
        while len(self._unread) > self._parsed and not self.transport.is_closing():
            waiting = len(self.pipeline) >= MAX_PIPELINED
            if waiting or time.perf_counter() > until:
                self._flow.hold()
                if not waiting:  # else it goes on when one of them has been answered
                    self.loop.call_soon(self._read_on)
                return
            # What is known to be of one body is neither requests nor headers nor chunks: it is taken at once.
            piece = self._unread[self._parsed : self._parsed + max(self._body_left, PIECE)]
            self._parsed += len(piece)
            self._parse(piece)
        self._unread = b""
        self._parsed = 0
        if not self.transport.is_closing():
            self._flow.let_go(bool(self.pipeline))

    def _parse(self, data: bytes) -> None:
        self._has_body = False
        self._feed(data)
        # Chunks have a tail of headers too, as long as a client likes.
        if self.in_head or (not self._has_body and self.cycle is not None and self.cycle.more_body):
            self._head_size += len(data)
            too_many = self.in_head and len(self.headers) > MAX_HEADERS
            if (self._head_size > MAX_HEAD or too_many) and not self.transport.is_closing():
                self._refuse(lambda: self.transport.write(TOO_LARGE))

    def _feed(self, data: bytes) -> None:
        """As uvicorn's `data_received`, but what follows a request that asked for another protocol is read on: by
        that protocol, or as what it is where the request was answered as any other."""
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as pause:
            rest = data[pause.args[0] :]
            if self._upgrades:
                self._open_socket(rest)
            elif rest and not self.transport.is_closing():
                self._parse(rest if rest.isascii() else _encoded(rest))
        except httptools.HttpParserError:
            self.send_400_response("Invalid HTTP request received.")

    def _should_upgrade(self) -> bool:
        return self._upgrades

    def _may_upgrade(self) -> bool:
        """Whether the request whose head is complete and asks for an upgrade opens a websocket: any other is answered
        as if it did not ask. One behind another request is none, or its answer would come in the midst of the
        other's."""
        return (
            self._get_upgrade() == b"websocket"
            and self.parser.get_method() == b"GET"
            and self.parser.get_http_version() == "1.1"
            and not any(name in FRAMING and value != b"0" for name, value in self.headers)
            and (self.cycle is None or self.cycle.response_complete)
        )

    def _open_socket(self, rest: bytes) -> None:
        rest += self._unread[self._parsed :]
        self._unread = b""
        self._flow.let_go(False)
        path, _, query = self.url.decode("latin-1").partition("?")
        if self._door is not None and self._door.has(path):
            self._pass_on(self._door, path[len(self._door.prefix) :], query, rest)
            return
        sockets = sum(not isinstance(each, Protocol) for each in self.connections)
        if self._timeouts is not None and sockets >= self._timeouts.most // 2:
            self._refuse(lambda: self.transport.write(NO_ROOM))
            return
        self.handle_websocket_upgrade()
        if rest:
            cast(asyncio.Protocol, self.transport.get_protocol()).data_received(rest)

    def _pass_on(self, door: SocketDoor, path: str, query: str, rest: bytes) -> None:
        """Leave the transport to who takes sockets past ASGI."""
        request = Request("GET", path, query, list(self.headers))
        opened = door.open(request, self.client, self.transport)
        if isinstance(opened, Response):
            answer = compose(opened, self.server_state.default_headers, False, False)
            self._refuse(lambda: self.transport.write(answer))
            return
        head, protocol = opened
        self.connections.discard(self)
        self.transport.write(head)
        self.transport.set_protocol(protocol)
        protocol.connection_made(self.transport)
        door.welcome(protocol)
        if rest:
            protocol.data_received(rest)

    def on_body(self, body: bytes) -> None:
        self._has_body = True
        self._head_size = 0
        if self._body_left:
            self._body_left -= len(body)
        cycle = self.cycle
        if not cycle.body:
            cycle.body, body = cast(bytearray, body), b""  # as it is: whoever takes it takes it without a copy
        elif isinstance(cycle.body, bytes):
            cycle.body = bytearray(cycle.body)
        super().on_body(body)

    def send_400_response(self, msg: str) -> None:
        self._refuse(lambda: super(Protocol, self).send_400_response(msg))

    def _refuse(self, answer: Callable[[], None]) -> None:
        """End with an answer what cannot be read on, but never in the place or the midst of another answer."""
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete and not cycle.more_body:
            cycle.keep_alive = False
            self.flow.pause_reading()
            return
        self._hang_up()
        if cycle is None or not (cycle.more_body and cycle.response_started):
            answer()
        self.transport.close()

    def eof_received(self) -> bool:  # type: ignore[override]  # as asyncio's own has it
        """The client says nothing more; maybe it is gone, which a write will show. What it has asked for whole is
        still answered; until then the transport stays, which uvloop would close now."""
        last: RequestResponseCycle | None = self.cycle
        if last is not None and last.more_body and not last.response_complete:  # of this one the rest never comes
            last.disconnected = True
            last.message_event.set()
            if self.pipeline and self.pipeline[0][0] is last:
                self.pipeline.popleft()
            last = self.pipeline[0][0] if self.pipeline else self._answered
        if last is None or last.response_complete or last.disconnected:
            self._hang_up()
            return False
        last.keep_alive = False
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        self._hang_up()
        super().connection_lost(exc)
        self._let_go()

    def _let_go(self) -> None:
        """The connection is over. Its last answer, once it is written, and this object would keep each other alive."""
        if all(cycle is None or cycle.response_complete for cycle in (self._answered, self.cycle)):
            self._answered = None
            self.cycle = None  # type: ignore[assignment]  # as uvicorn has it before the first request

    async def writable(self, loop: asyncio.AbstractEventLoop, descriptor: int) -> None:
        """Wait until a descriptor can be written to, or the client is gone."""
        waiting = self._writable = loop.create_future()

        def done() -> None:
            if not waiting.done():
                waiting.set_result(None)

        loop.add_writer(descriptor, done)
        try:
            await waiting
        finally:
            loop.remove_writer(descriptor)
            self._writable = None

    def _hang_up(self) -> None:
        """Nobody hears the answers that are not finished: the one under way and the last one asked for."""
        if self._writable is not None and not self._writable.done():
            self._writable.set_result(None)
        for cycle in (self._answered, self.cycle):
            if cycle is not None and not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()

    def on_message_begin(self) -> None:
        self.begun += 1
        self.in_head = True
        self._head_size = 0
        self._body_left = 0
        self.url = b""
        self.headers: HeaderList = []
        self.expect_100_continue = False

    def drain(self) -> None:
        """Answer what comes, and end the connection with an answer that says so.

        One whose head has been sent cannot say it any more: the connection then takes one more request, if that comes
        soon. A client sends on a connection that it was not told would end.
        """
        self.draining = True
        if self.cycle is None or self.cycle.response_complete:
            self._linger()
        elif not self.cycle.response_started:
            self.cycle.keep_alive = False

    def _linger(self) -> None:
        self.loop.call_later(LINGER, self._end_unless_asked, self.begun)

    def _end_unless_asked(self, begun: int) -> None:
        if self.begun == begun:
            self.transport.close()

    def shutdown(self) -> None:
        """The server ends: at once where nobody was given time."""
        if not self.draining:
            super().shutdown()

    def on_headers_complete(self) -> None:
        self.in_head = False
        if self.transport.is_closing():
            return  # the answer before was said to be the last
        asks_upgrade = self.parser.should_upgrade()
        self._upgrades = asks_upgrade and self._may_upgrade()
        if not asks_upgrade and self.parser.get_method() not in _BODILESS:
            self._body_left = _declared(self.headers)
        self._begin()

    def _begin(self) -> None:
        """Begin to answer the request whose head is complete."""
        url, headers, expects = self.url, self.headers, self.expect_100_continue
        super().on_message_begin()  # makes the scope
        self.url, self.expect_100_continue = url, expects
        self.headers = self.scope["headers"] = headers
        super().on_headers_complete()
        if not self.parser.should_upgrade():
            self.headers = _Trailers()
        if self.draining and self.cycle is not None:
            self.cycle.keep_alive = False

    def on_response_complete(self) -> None:
        """As uvicorn's, but without a timer for each pause: client_timeouts.py looks after idle connections."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            if self.parser is None:  # it has closed
                self._let_go()
            return
        if self.flow.read_paused:
            self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
            if self._unread and len(self.pipeline) == MAX_PIPELINED - 1:
                self.loop.call_soon(self._read_on)
        elif self.draining:
            self._linger()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answered = cycle
        cycle.__class__ = Cycle  # uvicorn makes the cycle itself; this is the one place to widen it
        assert isinstance(cycle, Cycle)
        scope: dict[str, Any] = cycle.scope  # type: ignore[assignment]
        scope["extensions"] = {RESPOND: cycle.respond, SEND_FILE: cycle.send_file}
        super()._start_asgi_task(cycle, app)
