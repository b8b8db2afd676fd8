"""A lean HTTP/1.1 client for one server: pooled connections, bodies streamed both ways, nothing buffered beyond 64 kB.

Answers come as a `Head` and then chunks. What is not needed is left out on purpose: no redirects, no cookies, no
decompression, one request in flight on a connection.
"""

from __future__ import annotations

import asyncio
import ssl
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, cast
from urllib.parse import urlsplit

import httptools

HIGH_WATER: Final = 65_536  # bytes received and not yet taken: reading stops above, starts again below
CONNECT_TIMEOUT: Final = 5.0  # seconds
SPARE: Final = 32  # idle connections kept

HeaderList = list[tuple[bytes, bytes]]


class ConnectFailed(Exception):
    """No connection; nothing was sent."""


class UpstreamLost(Exception):
    """The connection ended before the answer did."""


class HeadTimeout(Exception):
    """No answer began in time."""


@dataclass(slots=True)
class Head:
    """Status and headers (names in lower case) of an answer."""

    status: int
    headers: HeaderList


class Connection(asyncio.Protocol):
    """One connection; `send`, then `head`, then `chunk` until None."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._waiter: asyncio.Future[None] | None = None
        self._drained: asyncio.Future[None] | None = None
        self._reading = True
        self.closed = False
        self._reset(False)

    def _reset(self, is_head: bool) -> None:
        self._is_head = is_head
        self._headers: HeaderList = []
        self._answer: Head | None = None
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._complete = False
        self._keep = False
        self._timed_out = False

    # --- transport -----------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's is none by its type

    def connection_lost(self, _error: Exception | None) -> None:
        self.closed = True
        self._upstream.forget(self)
        if self._answer is not None and not self._complete and self._until_close():
            self._complete = True
        self._wake()
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self.close()
        if self._size > HIGH_WATER and self._reading and self._transport is not None:
            self._transport.pause_reading()
            self._reading = False
        self._wake()

    def pause_writing(self) -> None:
        self._drained = self._loop.create_future()

    def resume_writing(self) -> None:
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)
        self._drained = None

    def _wake(self) -> None:
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def _until_close(self) -> bool:
        assert self._answer is not None
        return not any(name in (b"content-length", b"transfer-encoding") for name, _ in self._answer.headers)

    # --- parser --------------------------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        self._headers = []

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status >= 200:  # what comes before is no answer
            self._answer = Head(status, self._headers)
            self._keep = self._parser.should_keep_alive()
            if self._is_head:  # the parser waits for a body that never comes, so this connection ends here
                self._complete = True
                self._keep = False

    def on_body(self, body: bytes) -> None:
        if not self._is_head:
            self._chunks.append(body)
            self._size += len(body)

    def on_message_complete(self) -> None:
        if self._answer is not None:
            self._complete = True

    # --- use -----------------------------------------------------------------------------------------------------

    def send(self, head: bytes, is_head: bool) -> None:
        """Begin a request."""
        self._reset(is_head)
        self.write(head)

    def write(self, data: bytes) -> None:
        """Send bytes of the request; `drain` afterwards where there may be many."""
        if not self.closed and self._transport is not None:
            self._transport.write(data)

    async def drain(self) -> None:
        """Wait until the server takes more."""
        if self._drained is not None:
            await self._drained

    async def head(self, timeout: float) -> Head:
        """Wait for the answer's head. Raises HeadTimeout, UpstreamLost."""
        timer = self._loop.call_later(timeout, self._expire)
        try:
            while self._answer is None:
                if self._timed_out:
                    raise HeadTimeout
                await self._wait()
            return self._answer
        finally:
            timer.cancel()

    async def chunk(self) -> bytes | None:
        """Bytes of the body as they came, None at its end. Raises UpstreamLost."""
        while not self._chunks:
            if self._complete:
                return None
            await self._wait()
        data = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        self._chunks.clear()
        self._size = 0
        if not self._reading and self._transport is not None and not self.closed:
            self._transport.resume_reading()
            self._reading = True
        return data

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self._complete and not self._chunks

    def release(self) -> None:
        """Give the connection back, or close it when its state does not allow another request."""
        if self.ended and self._keep and not self.closed:
            self._upstream.keep(self)
        else:
            self.close()

    def close(self) -> None:
        """Drop the connection at once, whatever is on the way."""
        if self._transport is not None and not self.closed:
            self._transport.abort()

    def _expire(self) -> None:
        self._timed_out = True
        self._wake()

    async def _wait(self) -> None:
        if self.closed:
            raise UpstreamLost
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        finally:
            self._waiter = None


class Upstream:
    """One server: a unix socket's path, or an http(s) URL."""

    def __init__(self, *, path: str = "", url: str = "") -> None:
        self.path = path
        parts = urlsplit(url)
        self._host = parts.hostname or ""
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self._port = parts.port or (443 if self._tls else 80)
        self.base = parts.path.rstrip("/").encode()
        self.authority = parts.netloc.rpartition("@")[2].encode()
        self._idle: list[Connection] = []
        self._open: set[Connection] = set()

    async def connect(self) -> Connection:
        """An idle connection or a new one. Raises ConnectFailed."""
        while self._idle:
            connection = self._idle.pop()
            if not connection.closed:
                return connection
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT):
                if self.path:
                    _, connection = await loop.create_unix_connection(lambda: Connection(self), self.path)
                else:
                    _, connection = await loop.create_connection(
                        lambda: Connection(self), self._host, self._port, ssl=self._tls
                    )
        except (OSError, TimeoutError) as error:
            raise ConnectFailed(str(error)) from error
        self._open.add(connection)
        return connection

    def keep(self, connection: Connection) -> None:
        """Take back a connection that is ready for another request."""
        if len(self._idle) < SPARE:
            self._idle.append(connection)
        else:
            connection.close()

    def forget(self, connection: Connection) -> None:
        """A connection has ended."""
        self._open.discard(connection)
        with suppress(ValueError):
            self._idle.remove(connection)

    def close(self) -> None:
        """Drop every connection."""
        for connection in tuple(self._open):
            connection.close()
