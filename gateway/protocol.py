"""uvicorn's HTTP/1.1 protocol with two shorter ways to answer.

ASGI sends head and body as two messages, which become two system calls, and has no reason phrase: a request served
by this protocol carries `scope["extensions"]["gateway.respond"]`, which takes a finished `Response` and writes it
whole.

A read of a table needs nothing of ASGI. Where the application offers `direct(method, target, headers, client)` and
it returns a coroutine, that coroutine answers, without a scope, an event and their messages: the same answer for
half the processor time. Whatever it declines goes the ordinary way.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Coroutine
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from gateway.http import HeaderList, Response

log = logging.getLogger("gateway")

EXTENSION: Final = "gateway.respond"
MAX_HEAD: Final = 262_144  # bytes of request line and headers; more than the longest URL that the settings allow
TOO_LARGE: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: 25\r\nconnection: close\r\n\r\nToo many or long headers\n"
)
BODILESS: Final = frozenset((b"GET", b"HEAD"))


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
    """A request answered by a coroutine; has what the protocol asks of a cycle."""

    def __init__(self, protocol: Protocol, keep_alive: bool, head_only: bool) -> None:
        self.protocol = protocol
        self.keep_alive = keep_alive
        self.head_only = head_only
        self.response_complete = False
        self.disconnected = False
        self.more_body = True
        self.body = bytearray()  # a body that nobody asked for
        self.message_event = _NO_EVENT

    async def run(self, answer: Coroutine[Any, Any, Response]) -> None:
        """Write the answer; one that cannot be had closes the connection, as an ASGI failure in mid-response does."""
        protocol = self.protocol
        transport = protocol.transport
        try:
            response = await answer
            if protocol.flow.write_paused and not self.disconnected:
                await protocol.flow.drain()
            if self.disconnected:
                return
            transport.write(compose(response, protocol.server_state.default_headers, self.keep_alive, self.head_only))
        except Exception:
            log.exception("a direct answer failed")
            transport.close()
            return
        self.response_complete = True
        if not self.keep_alive:
            transport.close()
        protocol.on_response_complete()


_REQUEST_TARGET: Final = re.compile(rb"[A-Z]+ [^ \r\n]*")
_LETTER: Final = re.compile(rb"[\x80-\xff]")


def _encoded(data: bytes) -> bytes:
    """The start of a request with its URL percent-encoded, as many clients, curl among them, send what was typed.

    >>> _encoded("GET /caf\u00e9 HTTP/1.1".encode())
    b'GET /caf%C3%A9 HTTP/1.1'
    """
    start = _REQUEST_TARGET.match(data)
    if start is None:
        return data
    return _LETTER.sub(lambda letter: b"%%%02X" % letter[0][0], start[0]) + data[start.end() :]


class Protocol(HttpToolsProtocol):
    """uvicorn's protocol, its requests answered by `Cycle` or `Direct`."""

    draining = False
    begun = 0  # requests of this connection
    received = 0  # bytes of it
    in_head = False
    _head_size = 0

    def data_received(self, data: bytes) -> None:
        self.received += len(data)
        if not data.isascii() and (self.cycle is None or not self.cycle.more_body):
            data = _encoded(data)
        super().data_received(data)
        if self.in_head:
            self._head_size += len(data)
            if self._head_size > MAX_HEAD and not self.transport.is_closing():
                self.transport.write(TOO_LARGE)
                self.transport.close()

    def on_message_begin(self) -> None:
        self.begun += 1
        self.in_head = True
        self._head_size = 0
        super().on_message_begin()

    def drain(self) -> None:
        """Answer what comes, and end the connection with that answer."""
        self.draining = True
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.keep_alive = False

    def on_headers_complete(self) -> None:
        self.in_head = False
        method: bytes = self.parser.get_method()
        previous = self.cycle
        if method in BODILESS and (previous is None or previous.response_complete) and not self.parser.should_upgrade():
            direct = getattr(self.app, "direct", None)
            answer = direct(method, self.url, self.headers, self.client) if direct is not None else None
            if answer is not None:
                keep_alive = (
                    not self.draining and self.parser.get_http_version() != "1.0" and self.parser.should_keep_alive()
                )
                cycle = Direct(self, keep_alive, method == b"HEAD")
                self.cycle = cycle  # type: ignore[assignment]
                task = self.loop.create_task(cycle.run(answer))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)
                return
        super().on_headers_complete()
        if self.draining and self.cycle is not None:
            self.cycle.keep_alive = False

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        cycle.__class__ = Cycle  # uvicorn makes the cycle itself; this is the one place to widen it
        assert isinstance(cycle, Cycle)
        scope: dict[str, Any] = cycle.scope  # type: ignore[assignment]
        scope["extensions"] = {EXTENSION: cycle.respond}
        super()._start_asgi_task(cycle, app)
