"""One websocket: bytes of the transport in, `Push` by `Push` to its session; whole frames out.

It stands on the transport itself, by the protocol of `websockets` without its I/O. Nothing is compressed: a compressor
for each socket takes three times the memory of all the rest.

What leaves is bounded: a client that does not read what it is sent is told so (close 1013) and let go once more than
`queue_bytes` wait for it; nobody else waits for that.

What comes is taken in turns of some milliseconds, however many frames lie in what the system hands over at once, and
not read on meanwhile. Messages that are not whole yet are kept by all sockets of a worker together up to a bound.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from typing import Any, Final, Protocol

from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request as Handshake
from websockets.protocol import State
from websockets.server import ServerProtocol

from gateway.realtime.socket.frames import V1, V2, MalformedMessage, Push, read_binary, read_text

log = logging.getLogger("gateway.realtime")

MAX_FRAME: Final = 5_000_000  # bytes of a message
CLOSING: Final = 5.0  # seconds that a client has for its part of a close
SLICE: Final = 0.002  # seconds of one socket's frames, after which others have their turn
PIECE: Final = 4_096  # bytes that are made into frames at once: at most some seven hundred of them
MOST_UNFINISHED: Final = 128_000_000  # bytes of messages that are not whole, of all sockets of a worker
SMALL: Final = 65_536  # bytes that a socket may keep of one whatever the others keep
_SILENT: Final = logging.getLogger("gateway.realtime.websockets")
_SILENT.setLevel(logging.ERROR)
_SILENT.propagate = False


class Unfinished:
    """How many bytes of messages that are not whole yet a worker keeps."""

    __slots__ = ("kept", "most")

    def __init__(self, most: int = MOST_UNFINISHED) -> None:
        self.kept = 0
        self.most = most


class SocketSession(Protocol):
    """Who hears what a client says."""

    def heard(self, push: Push) -> None:
        """A message came."""

    def ended(self) -> None:
        """The connection is gone."""


class Socket(asyncio.Protocol):
    """A connection. `session` is set by who made it."""

    __slots__ = (
        "_backlog", "_close_at", "_conn", "_fragments", "_frames", "_holds", "_is_text", "_kept", "_most", "_paused",
        "_reads", "_turn", "_unfinished", "client", "closing", "headers", "key", "received", "session", "since", "slow",
        "transport", "version", "write",
    )  # fmt: skip

    def __init__(
        self, version: int, queue_bytes: int, key: str, headers: str, client: str | None, unfinished: Unfinished
    ) -> None:
        """`key` is what it was opened with, `headers` JSON of its `x-` headers; `unfinished` is the worker's."""
        self.version = version
        self.key = key
        self.headers = headers
        self.client = client
        self.since = self.received = time.monotonic()
        self.session: SocketSession | None = None
        self.transport: Any = None
        self.closing = False
        self.slow = False
        self._conn = ServerProtocol(state=State.OPEN, max_size=MAX_FRAME, logger=_SILENT)
        self._most = queue_bytes
        self._paused = False
        self._fragments: bytearray | None = None
        self._is_text = True
        self._close_at = 0.0
        self._backlog = b""  # what came and was not looked at yet
        self._frames: deque[Frame] = deque()  # of what was, those that were not taken
        self._holds = 0
        self._reads = True
        self._turn: asyncio.Handle | None = None
        self._unfinished = unfinished
        self._kept = 0

    # --- the transport's side ------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.write = transport.write  # type: ignore[attr-defined]  # the hottest call of all

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()

    def _end(self) -> None:
        self.closing = True
        self._close_at = self._close_at or time.monotonic()
        self._unfinished.kept -= self._kept
        self._kept, self._fragments = 0, None
        session, self.session = self.session, None
        if session is not None:
            session.ended()

    def eof_received(self) -> bool:
        return False

    def pause_writing(self) -> None:
        self._paused = True

    def resume_writing(self) -> None:
        self._paused = False

    def data_received(self, data: bytes) -> None:
        self.received = time.monotonic()
        if self._backlog or self._frames or self._holds:  # handed over before it was heard that nothing is to be read
            self._backlog += data
        else:
            self._backlog = data
            self._work()

    def hold(self) -> None:
        """Take nothing more of what comes until `release`. Holds are counted."""
        self._holds += 1
        self._settle()

    def release(self) -> None:
        """Take on what comes."""
        self._holds -= 1
        self._settle()

    def _settle(self) -> None:
        """Have the next turn where something waits for it, and the system read only where nothing does."""
        waits = bool(self._backlog or self._frames)
        if waits and not self._holds and self._turn is None:
            self._turn = asyncio.get_running_loop().call_soon(self._next_turn)
        reads = not waits and not self._holds
        if reads is not self._reads and not self.transport.is_closing():
            self._reads = reads
            if reads:
                self.transport.resume_reading()
            else:
                self.transport.pause_reading()

    def _next_turn(self) -> None:
        self._turn = None
        if not self._holds:
            self._work()

    def _work(self) -> None:
        """Take what came, for a turn."""
        conn, frames, backlog, at = self._conn, self._frames, self._backlog, 0
        end = time.monotonic() + SLICE
        while not self._holds:
            if frames:
                frame = frames.popleft()
                if not self.closing:
                    self._take(frame)
            elif at < len(backlog):
                conn.receive_data(backlog[at : at + PIECE])
                at += PIECE
                frames.extend(event for event in conn.events_received() if isinstance(event, Frame))
                self._answer()
            else:
                break
            if time.monotonic() > end:
                break
        self._backlog = backlog[at:]
        if conn.state is not State.OPEN and not frames:
            self._end()
            if conn.close_rcvd is not None:
                self.transport.close()
            # else it has broken the protocol: it is read on for a while, or it would not see why
        self._count()
        self._settle()

    def _answer(self) -> None:
        """Send what the protocol itself answers, to pings mostly."""
        out = self._conn.data_to_send()
        if out and not self.slow and not self.transport.is_closing():
            self.transport.write(b"".join(out))
            if self._paused and not self.closing and self.transport.get_write_buffer_size() > self._most:
                self.let_go()

    def _count(self) -> None:
        """Note what is kept of messages that are not whole; where all sockets keep too much, this one ends."""
        kept = 0
        if not self.closing:
            kept = len(self._conn.reader.buffer) + len(self._fragments or b"") + len(self._backlog)
        unfinished = self._unfinished
        unfinished.kept += kept - self._kept
        self._kept = kept
        if unfinished.kept > unfinished.most and kept > SMALL:
            self.close(CloseCode.TRY_AGAIN_LATER, "too many messages wait for their end")

    def _take(self, frame: Frame) -> None:
        opcode = frame.opcode
        if opcode is Opcode.TEXT or opcode is Opcode.BINARY:
            self._is_text = opcode is Opcode.TEXT
            if frame.fin:
                self._read(bytes(frame.data))
            else:
                self._fragments = bytearray(frame.data)
        elif opcode is Opcode.CONT and self._fragments is not None:
            self._fragments += frame.data
            if frame.fin:
                whole, self._fragments = bytes(self._fragments), None
                self._read(whole)

    def _read(self, data: bytes) -> None:
        session = self.session
        if session is None:
            return
        try:
            if self._is_text:
                push = read_text(data, self.version)
            elif self.version == V2:
                push = read_binary(data)
            else:
                raise MalformedMessage("no binary frames in 1.0.0")
        except MalformedMessage as error:
            log.debug("MalformedWebSocketMessage: %s", error)
            return
        session.heard(push)

    # --- the session's side --------------------------------------------------------------------------------------

    def send(self, frame: bytes) -> bool:
        """Hand a whole frame to the transport; False where the client is gone or was let go."""
        if self.closing:
            return False
        if self._paused and self.transport.get_write_buffer_size() > self._most:
            self.let_go()
            return False
        self.transport.write(frame)
        return True

    def let_go(self) -> None:
        """It does not read what it is sent: what waits for it is as much as may."""
        self.slow = True
        self.close(CloseCode.TRY_AGAIN_LATER, "slow consumer: messages wait unread")

    def close(self, code: int, reason: str = "") -> None:
        """Say that it ends; who does not answer is cut off by the next look."""
        if self.closing:
            return
        self.closing = True
        self._conn.send_close(code, reason)
        if not self.transport.is_closing():
            self.transport.write(b"".join(self._conn.data_to_send()))
        self._end()

    def look(self, now: float, idle: float) -> None:
        """Seen to every few seconds: end what is silent, ask what has been silent for half of that time."""
        if self.closing:
            return
        if self._paused and self.transport.get_write_buffer_size() > self._most:
            self.let_go()
        elif now - self.received > idle:
            self.close(CloseCode.NORMAL_CLOSURE, "idle")
        elif now - self.received > idle / 2:
            self._conn.send_ping(b"")
            self.transport.write(b"".join(self._conn.data_to_send()))

    def cut(self, now: float) -> bool:
        """End one that was told to and does not; whether it is gone."""
        if now - self._close_at > CLOSING:
            self.transport.abort()
        return bool(self.transport.is_closing())


def handshake(headers: list[tuple[bytes, bytes]], path: str) -> bytes:
    """The whole answer to an upgrade: 101, or why not."""
    from websockets.datastructures import Headers

    said = Headers()
    for name, value in headers:
        said[name.decode("latin-1")] = value.decode("latin-1")
    # no subprotocol is asked for and none given; an offer of compression is declined
    response = ServerProtocol(logger=_SILENT).accept(Handshake(path, said))
    return response.serialize()


def version_of(text: str | None) -> int | None:
    """The serialisation that a client asks for; None for one that there is not.

    >>> [version_of(text) for text in (None, "1.0.0", "1.0.9", "2.0.0", "2.1.0", "3.0.0", "x")]
    [1, 1, 1, 2, None, None, None]
    """
    if text is None:
        return V1
    parts = text.split(".")
    if len(parts) != 3 or not all(part.isdigit() for part in parts):
        return None
    return {("1", "0"): V1, ("2", "0"): V2}.get((parts[0], parts[1]))
