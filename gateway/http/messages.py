"""The plain request and response that the hot path hands on, and their way in and out of ASGI."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from gateway.errors import BODIES_FULL, BODY_TOO_LARGE, ApiError
from gateway.lru_cache import LruCache

BODY_METHODS: Final = frozenset(("POST", "PUT", "PATCH", "DELETE"))
FRAMING: Final = frozenset((b"content-length", b"transfer-encoding"))
RESPOND: Final = "gateway.respond"  # extension of the scope that sends a whole response
SEND_FILE: Final = "gateway.send_file"  # the same of a head and of bytes that the kernel takes from a file
RETRY: Final = ((b"retry-after", b"2"),)

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
HeaderList = list[tuple[bytes, bytes]]


class Bodies:
    """The bytes of all bodies that a worker has in memory at once, which are bounded.

    Where there is no room for more of them, the longest of those that are still on their way gives way, so that few
    who send much, or slowly, keep nobody out who sends little.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = 0
        self.refused = 0
        self.arriving: set[Hold] = set()


class Hold:
    """What one request has of them."""

    __slots__ = ("_bodies", "_gives_way", "_task", "size")

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies
        self._task: asyncio.Task[Any] | None = None
        self._gives_way = False
        self.size = 0

    def grow(self, size: int) -> None:
        """Take so many bytes more. Raises ApiError BODIES_FULL."""
        bodies = self._bodies
        self.size += size
        bodies.held += size
        while bodies.held > bodies.limit:
            longest = max((self, *bodies.arriving), key=lambda hold: hold.size)
            longest.release()
            bodies.refused += 1
            if longest is self:
                raise ApiError(BODIES_FULL, headers=RETRY)
            longest._give_way()

    def release(self) -> None:
        """Give back what was taken."""
        self._bodies.held -= self.size
        self._bodies.arriving.discard(self)
        self.size = 0

    def _give_way(self) -> None:
        self._gives_way = True
        if self._task is not None:
            self._task.cancel()

    @contextmanager
    def arriving(self) -> Iterator[Callable[[int], None]]:
        """While the body comes it may have to give way; what is yielded counts it. Raises ApiError BODIES_FULL."""
        self._task = asyncio.current_task()
        self._bodies.arriving.add(self)
        try:
            yield self.grow
        except asyncio.CancelledError:
            if not self._gives_way or self._task is None:
                raise
            self._task.uncancel()
            raise ApiError(BODIES_FULL, headers=RETRY) from None
        finally:
            self._bodies.arriving.discard(self)
            self._task = None


class ClientDisconnected(Exception):
    """The client went away before its request was read."""


@dataclass(slots=True)
class Request:
    """One HTTP request. `path` is percent-encoded as sent, without the service's prefix, and begins with `/`;
    `query` is the raw query string; header names are lower case."""

    method: str
    path: str
    query: str
    headers: HeaderList
    body: bytes = b""
    client: str | None = None
    request_id: str = ""
    _first: dict[bytes, bytes] | None = None
    hold: Hold | None = None
    cached: CachedRequest | None = None
    statement: tuple[str, float | None] | None = None
    """What it asked of the database, parameters in the place of values, and the seconds; for the access log."""

    def again(self) -> Request:
        """The same once more, of nobody yet."""
        return Request(self.method, self.path, self.query, self.headers, self.body, _first=self._first)

    @property
    def size(self) -> int:
        """Characters of path and query string."""
        return len(self.path) + len(self.query)

    def header(self, name: bytes) -> bytes | None:
        """First value of a header (name in lower case), or None."""
        if self._first is None:
            self._first = dict(reversed(self.headers))
        return self._first.get(name)


class CachedRequest:
    """A request that may come again byte for byte: as it was parsed, and what its service made of it.

    It is kept when its service has answered it, never when it was refused. Whoever sends the same bytes has his key,
    token and limits looked at all the same.
    """

    __slots__ = ("_cache", "_data", "_request", "_size", "keep_alive", "made")

    def __init__(self, request: Request, keep_alive: bool) -> None:
        """Of a request that is answered now: a copy is kept, as what answers may change it. The copy knows nothing of
        this object: the two would keep each other alive, long after the cache has let go of both."""
        self._request = request.again()
        self.keep_alive = keep_alive
        self.made: object = None
        self._size = 0
        self._data = b""
        self._cache: LruCache[bytes, CachedRequest] | None = None
        request.cached = self

    def again(self) -> Request:
        """The request as it comes once more."""
        request = self._request.again()
        request.cached = self
        return request

    def came_as(self, data: bytes, cache: LruCache[bytes, CachedRequest]) -> None:
        """These bytes are the request and nothing else; `cache` has the requests by their bytes."""
        self._data, self._cache = data, cache
        self._put()

    def keep(self, made: object, size: int) -> None:
        """Keep the request with what was made of it, which takes about `size` bytes."""
        self.made, self._size = made, size
        self._put()

    def _put(self) -> None:
        if self._cache is not None and self.made is not None:
            self._cache.put(self._data, self, 2_000 + 4 * len(self._data) + self._size)


@dataclass(slots=True)
class Response:
    """One whole response. `reason` is the HTTP/1.1 reason phrase where it is not the standard one."""

    status: int
    headers: HeaderList = field(default_factory=list)
    body: bytes = b""
    reason: str | None = None


class OpenFile(Protocol):
    """A file whose bytes are sent without being read here."""

    def fileno(self) -> int:
        """Its descriptor."""

    async def load(self, start: int, length: int) -> None:
        """Have bytes in memory, so that nobody waits for a disk."""


def refuse_declared(request: Request, limit: int) -> None:
    """Refuse a body that says of itself that it is too long. Raises ApiError BODY_TOO_LARGE."""
    declared = request.header(b"content-length")
    if declared is not None and len(declared) <= 20 and declared.isdigit() and int(declared) > limit:
        raise ApiError(BODY_TOO_LARGE, limit=limit)


async def read_body(receive: Receive, limit: int, hold: Hold | None = None, *, cut: bool = False) -> bytes:
    """The whole request body, counted by `hold` where it comes in more than one part.

    With `cut` one that is longer ends behind one byte more than `limit`, which says so. Raises ApiError
    BODY_TOO_LARGE past `limit` bytes, BODIES_FULL where there is no room for it, and
    ClientDisconnected when the client leaves.
    """
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientDisconnected
    chunk: bytes = message.get("body", b"")
    if not message.get("more_body", False):
        return _limited(chunk, limit, cut)
    # One text that grows, and no list of parts: a client may send a byte at a time.
    body = bytearray(chunk)
    with (hold or Hold(Bodies(sys.maxsize))).arriving() as arrived:
        arrived(len(chunk))
        while message.get("more_body", False):
            if len(body) > limit:
                break
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnected
            chunk = message.get("body", b"")
            arrived(len(chunk))
            body += chunk
    return _limited(bytes(body), limit, cut)


def _limited(body: bytes, limit: int, cut: bool) -> bytes:
    if len(body) <= limit:
        return body
    if cut:
        return body[: limit + 1]
    raise ApiError(BODY_TOO_LARGE, limit=limit)


async def refuse_socket(send: Send) -> None:
    """Answer a websocket's handshake with 403."""
    await send({"type": "websocket.close", "code": 1008})


def raw_path(scope: Scope) -> str:
    """The path as it was sent, percent-encoded."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    return raw.decode("latin-1")


async def respond(scope: Scope, send: Send, response: Response) -> None:
    """Send a whole response, in one write with its reason phrase where the server can (gateway/server/protocol.py).

    Its length is told here and nowhere else: what a response says of it is left out, where it has a body.
    """
    extensions = scope.get("extensions")
    whole = extensions.get(RESPOND) if extensions else None
    if whole is not None:
        await whole(response)
        return
    length = length_of(response, scope.get("method") == "HEAD")
    headers = response.headers if length is None else [*sized(response.headers), (b"content-length", length)]
    start: dict[str, Any] = {"type": "http.response.start", "status": response.status, "headers": headers}
    if response.reason is not None:
        start["reason"] = response.reason
    await send(start)
    await send({"type": "http.response.body", "body": response.body})


def length_of(response: Response, head_only: bool) -> bytes | None:
    """What the header says of the length; None where there is nothing to say."""
    if response.status < 200 or response.status in (204, 304) or (head_only and not response.body):
        return None
    return b"%d" % len(response.body)


def sized(headers: HeaderList) -> HeaderList:
    """Headers without those that say where the body ends."""
    return [header for header in headers if header[0] not in FRAMING]
