"""uvicorn's HTTP/1.1 protocol with two shorter ways to answer.

ASGI sends head and body as two messages, which become two system calls, and has no reason phrase: a request served
by this protocol carries `scope["extensions"]["gateway.respond"]`, which takes a finished `Response` and writes it
whole.

A small request to a table needs nothing of ASGI. An application that is `Answering` is offered each one and makes a
`Request` of those it takes, which it then answers without a scope, an event and their messages: the same answer for
half the processor time. Whatever it declines goes the ordinary way. A read that comes again byte for byte is not even
parsed again: clients ask the same over and over.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, Final, cast
from typing import Protocol as Interface

import httptools
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from gateway.http.messages import HeaderList, Request, Response
from gateway.lru_cache import LruCache

log = logging.getLogger("gateway")

EXTENSION: Final = "gateway.respond"
MAX_HEAD: Final = 262_144  # bytes of request line and headers; more than the longest URL that the settings allow
TOO_LARGE: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: 25\r\nconnection: close\r\n\r\nToo many or long headers\n"
)
NO_ROOM: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain; charset=utf-8\r\nretry-after: 5\r\n"
    b"content-length: 22\r\nconnection: close\r\n\r\nToo many open sockets\n"
)
PIECE: Final = 4096  # bytes that are parsed at once
TURN: Final = 0.002  # seconds that a connection's bytes may take of the loop at once
MAX_PIPELINED: Final = 32  # requests behind the one that is answered; more are not parsed yet
MAX_HEADERS: Final = 1000  # lines; a browser sends some twenty
FRAMING: Final = frozenset((b"content-length", b"transfer-encoding"))
BODILESS: Final = frozenset((b"GET", b"HEAD"))
MAX_BODY: Final = 65_536  # bytes; larger bodies are read as they come, by ASGI
HEADS: Final = 8_000_000  # bytes of reads that are remembered
LINGER: Final = 3.0  # seconds in which a connection of a server that ends may send once more; then it is closed
MAX_REMEMBERED: Final = 4096  # bytes of one


@dataclass(frozen=True, slots=True)
class Read:
    """A request as it was parsed, a read once for all that are the same."""

    request: Request
    keep_alive: bool


class Answering(Interface):
    """An application that can be asked without ASGI."""

    reads: LruCache[bytes, Read]
    """Reads by their bytes on the wire, for all connections."""

    def takes(self, method: bytes, target: bytes, headers: HeaderList) -> Request | None:
        """The request that `answer` answers, still without its body; None where ASGI is to be used."""

    def answer(self, request: Request, client: tuple[str, int] | None) -> Coroutine[Any, Any, Response]:
        """The response to a request, which may be asked again. It runs outside of any task: see `Direct`."""


class Crowded(Interface):
    """Who looks after the number of connections (gateway/server/client_timeouts.py)."""

    most: int
    """Connections that a worker has at most."""

    def make_room(self, connections: Iterable[object], now: float) -> None:
        """Close some that are not waiting for an answer."""


def compose(response: Response, default_headers: HeaderList, keep_alive: bool, head_only: bool) -> bytes:
    """The whole response as it goes on the wire. Raises RuntimeError if a header would smuggle another."""
    status = response.status
    if response.reason is None:
        parts = [STATUS_LINE.get(status) or b"HTTP/1.1 %d \r\n" % status]
    else:
        parts = [b"HTTP/1.1 %d %s\r\n" % (status, response.reason.encode("latin-1", "replace"))]
    lines = 1 + len(default_headers) + len(response.headers)
    measured = False
    for name, value in default_headers:
        parts += (name, b": ", value, b"\r\n")
    for name, value in response.headers:
        if name == b"content-length":
            measured = True
        parts += (name, b": ", value, b"\r\n")
    if not measured and (response.body or not head_only) and status >= 200 and status not in (204, 304):
        parts.append(b"content-length: %d\r\n" % len(response.body))
        lines += 1
    if not keep_alive:
        parts.append(b"connection: close\r\n")
        lines += 1
    head = b"".join(parts)
    if head.count(b"\r") != lines or head.count(b"\n") != lines:
        raise RuntimeError("a header or the reason phrase has a line break")
    return head + b"\r\n" if head_only or status in (204, 304) else b"%b\r\n%b" % (head, response.body)


class Cycle(RequestResponseCycle):
    """One request and its response."""

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


class _NoEvent:
    """Stands where uvicorn wakes a reader of the body: a direct answer has none."""

    def set(self) -> None:
        return


_NO_EVENT: Final = _NoEvent()


class Direct:
    """A request answered by the application itself; has what the protocol asks of a cycle.

    It goes from future to future by itself. A task would do the same, but costs a tenth of the processor time of a
    short read: two turns of the loop more, and an entry in asyncio's list of all tasks.
    """

    message_event = _NO_EVENT
    response_started = False  # it is written whole
    response_complete = False
    disconnected = False
    more_body = True
    body = b""

    def __init__(self, protocol: Protocol, answering: Answering, request: Request, keep_alive: bool) -> None:
        self.protocol = protocol
        self.answering = answering
        self.request = request
        self.keep_alive = keep_alive

    def start(self) -> None:
        """Begin to answer."""
        self._answer = self._run()
        self._go_on()

    def _go_on(self, _: object = None) -> None:
        try:
            awaited = self._answer.send(None)
        except StopIteration:
            return
        if awaited is None:  # only a turn of the loop
            self.protocol.loop.call_soon(self._go_on)
        else:
            awaited._asyncio_future_blocking = False
            awaited.add_done_callback(self._go_on)

    async def _run(self) -> None:
        """Write the answer; one that cannot be had closes the connection, as an ASGI failure in mid-response does."""
        protocol = self.protocol
        transport = protocol.transport
        request = self.request
        try:
            response = await self.answering.answer(request, protocol.client)
            if protocol.flow.write_paused and not self.disconnected:
                await protocol.flow.drain()
            if self.disconnected:
                return
            headers = protocol.server_state.default_headers
            transport.write(compose(response, headers, self.keep_alive, request.method == "HEAD"))
        except asyncio.CancelledError:  # the server ends
            transport.close()
            return
        except Exception:
            log.exception("a direct answer failed")
            transport.close()
            return
        self.response_complete = True
        if not self.keep_alive:
            transport.close()
        protocol.on_response_complete()


_REQUEST_TARGET: Final = re.compile(rb"[A-Z]+ [^ \r\n]*")
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
    """uvicorn's protocol, its requests answered by `Cycle` or `Direct`."""

    draining = False
    begun = 0  # requests of this connection
    received = 0  # bytes of it
    in_head = False
    _head_size = 0  # bytes of a head, or of a body's framing, since something came of them
    _has_body = False
    _unread = b""  # what came at once and is not parsed yet, behind so many bytes that are
    _parsed = 0
    _upgrades = False  # whether the request that is read opens a websocket
    _answered: Direct | RequestResponseCycle | None = None  # the request that is being answered
    _read: Read | None = None  # the last request, if it was a read and answered directly

    def __init__(self, *arguments: Any, patience: Crowded | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._answering = cast(Answering, self.app) if hasattr(self.app, "takes") else None
        self._patience = patience
        self.since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self.flow = self._flow = _Flow(transport)
        self.draining = getattr(self.server_state, "draining", False)  # accepted while the server was told to end
        self.since = time.monotonic()
        if self._patience is not None and len(self.connections) > self._patience.most:
            self._patience.make_room(self.connections, self.since)

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        cycle = self.cycle
        if self._unread:
            self._unread += data
            return
        at_rest = not self.in_head and (cycle is None or (cycle.response_complete and not cycle.more_body))
        answering = self._answering
        if not data.isascii() and (cycle is None or not cycle.more_body):
            data = _encoded(data)
        if len(data) > PIECE:
            self._unread = data
            self._read_on()
            return
        if not at_rest or answering is None or len(data) > MAX_REMEMBERED:
            self._parse(data)
            return
        read = answering.reads.get(data)
        if read is not None:
            self.begun += 1
            direct = self._hold(answering, read)
            direct.more_body = False
            direct.start()
            return
        self._read = None
        begun = self.begun
        self._parse(data)
        if self._read is not None and self.begun == begun + 1 and not self.in_head and not self.cycle.more_body:
            # These bytes are one whole read and nothing else.
            answering.reads.put(data, self._read, 2_000 + 4 * len(data))

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
            piece = self._unread[self._parsed : self._parsed + PIECE]
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
        """Whether the request whose head is complete opens a websocket: any other is answered as if it did not ask.
        One behind another request is none, or its answer would come in the midst of the other's."""
        return (
            self.parser.should_upgrade()
            and self._get_upgrade() == b"websocket"
            and self.parser.get_method() == b"GET"
            and self.parser.get_http_version() == "1.1"
            and not any(name in FRAMING and value != b"0" for name, value in self.headers)
            and (self.cycle is None or self.cycle.response_complete)
        )

    def _open_socket(self, rest: bytes) -> None:
        rest += self._unread[self._parsed :]
        self._unread = b""
        self._flow.let_go(False)
        sockets = sum(not isinstance(each, Protocol) for each in self.connections)
        if self._patience is not None and sockets >= self._patience.most // 2:
            self._refuse(lambda: self.transport.write(NO_ROOM))
            return
        self.handle_websocket_upgrade()
        if rest:
            cast(asyncio.Protocol, self.transport.get_protocol()).data_received(rest)

    def on_body(self, body: bytes) -> None:
        self._has_body = True
        self._head_size = 0
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
        last: RequestResponseCycle | Direct | None = self.cycle
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

    def _hang_up(self) -> None:
        """Nobody hears the answers that are not finished: the one under way and the last one asked for."""
        for cycle in (self._answered, self.cycle):
            if cycle is not None and not cycle.response_complete:
                cycle.disconnected = True
                cycle.message_event.set()

    def on_message_begin(self) -> None:
        self.begun += 1
        self.in_head = True
        self._head_size = 0
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
        self._upgrades = self._may_upgrade()
        if not self._begin_direct():
            url, headers, expects = self.url, self.headers, self.expect_100_continue
            super().on_message_begin()  # makes the scope, which a direct answer does without
            self.url, self.expect_100_continue = url, expects
            self.headers = self.scope["headers"] = headers
            super().on_headers_complete()
            if not self.parser.should_upgrade():
                self.headers = _Trailers()
            if self.draining and self.cycle is not None:
                self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        cycle: object = self.cycle
        if not isinstance(cycle, Direct):
            super().on_message_complete()
        elif cycle.more_body:  # else it was begun before, and what ends here is a message that nobody answers
            cycle.more_body = False
            if cycle.body:
                cycle.request.body = bytes(cycle.body)
            cycle.start()

    def on_response_complete(self) -> None:
        """As uvicorn's, but without a timer for each pause: client_timeouts.py looks after idle connections."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
            if self._unread and len(self.pipeline) == MAX_PIPELINED - 1:
                self.loop.call_soon(self._read_on)
        elif self.draining:
            self._linger()

    def _begin_direct(self) -> bool:
        """Whether the request gets a direct answer: it is the only one under way, small, and the application's wish."""
        previous = self.cycle
        answering = self._answering
        if answering is None or not (previous is None or previous.response_complete):
            return False
        if self.expect_100_continue or self.parser.should_upgrade():
            return False
        method: bytes = self.parser.get_method()
        for name, value in self.headers:
            if name == b"transfer-encoding" or (
                name == b"content-length" and (method in BODILESS or len(value) > 5 or int(value) > MAX_BODY)
            ):
                return False
        request = answering.takes(method, self.url, self.headers)
        if request is None:
            return False
        read = Read(request, self.parser.get_http_version() != "1.0" and self.parser.should_keep_alive())
        if method in BODILESS:
            self._read = read
        self._hold(answering, read)
        return True

    def _hold(self, answering: Answering, read: Read) -> Direct:
        """Make a direct answer the one that is under way."""
        direct = Direct(self, answering, read.request, read.keep_alive and not self.draining)
        self._answered = direct
        self.cycle = direct  # type: ignore[assignment]  # no cycle of uvicorn's, but all that its code asks of one
        return direct

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answered = cycle
        cycle.__class__ = Cycle  # uvicorn makes the cycle itself; this is the one place to widen it
        assert isinstance(cycle, Cycle)
        scope: dict[str, Any] = cycle.scope  # type: ignore[assignment]
        scope["extensions"] = {EXTENSION: cycle.respond}
        super()._start_asgi_task(cycle, app)
