"""Which requests take the fast path, and what is kept of those that come again."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, Final

from gateway.http.messages import CachedRequest, HeaderList, Request, Response
from gateway.lru_cache import Caches, LruCache

CACHED: Final = 16_000_000  # bytes of requests that are kept
SEEN: Final = 8_192  # requests that came once, of which nothing but a number is kept

PathOf = Callable[[str], str | None]
Handle = Callable[[Request, tuple[str, int] | None], Coroutine[Any, Any, Response]]


class FastPath:
    """Takes the requests of one service; one in each worker."""

    def __init__(self, path_of: PathOf, handle: Handle, caches: Caches) -> None:
        """`path_of` gives a path without the service's prefix, None for a path of another service; `handle` makes the
        answer to a request that was matched, of a client's address."""
        self._path_of = path_of
        self.handle = handle
        self.requests: LruCache[bytes, CachedRequest] = caches.make("requests", CACHED)
        self._seen: set[int] = set()

    def comes_again(self, data: bytes) -> bool:
        """Whether these bytes came before, not long ago; only then is it worth keeping what is made of them."""
        number = hash(data)
        if number in self._seen:
            return True
        if len(self._seen) >= SEEN:
            self._seen.clear()
        self._seen.add(number)
        return False

    def match(self, method: bytes, target: bytes, headers: HeaderList) -> Request | None:
        """The request, still without its body; None for one of the plain way."""
        if not target.startswith(b"/") or target.startswith(b"//") or b"#" in target:
            return None  # whatever is more than a path and a query is for uvicorn to read
        whole, _, query = target.decode("latin-1").partition("?")
        path = self._path_of(whole)
        return Request(method.decode("latin-1"), path, query, headers) if path is not None else None
