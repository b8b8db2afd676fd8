"""The server's protocol with the fast path before it."""

from __future__ import annotations

from typing import Any, Final

from gateway.http.messages import FRAMING, CachedRequest, Request
from gateway.server.fast_path.answer import FastAnswer
from gateway.server.fast_path.matcher import FastPath
from gateway.server.protocol import Protocol

BODILESS: Final = frozenset((b"GET", b"HEAD"))
MAX_BODY: Final = 65_536  # bytes; larger bodies are read as they come, by ASGI
MAX_CACHED: Final = 4096  # bytes of a request that is kept


class FastProtocol(Protocol):
    """Offers each request to the fast path, and serves the others as `Protocol` does."""

    _fresh: FastAnswer | None = None  # what the bytes that are read began to answer, if it has no body

    def __init__(self, *arguments: Any, fast_path: FastPath, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._fast_path = fast_path

    def data_received(self, data: bytes) -> None:
        cycle = self.cycle
        at_rest = cycle is None or (cycle.response_complete and not cycle.more_body)
        if not at_rest or self.in_head or self._unread or len(data) > MAX_CACHED:
            super().data_received(data)
            return
        cached = self._fast_path.requests.get(data)
        if cached is not None:
            self.received += len(data)
            self.begun += 1
            answer = self._hold(cached.again(), cached.keep_alive)
            answer.more_body = False
            answer.start()
            return
        again = self._fast_path.comes_again(data)
        self._fresh = None
        begun = self.begun
        super().data_received(data)
        fresh, self._fresh = self._fresh, None
        if again and fresh is not None and self.begun == begun + 1 and not self.in_head and not fresh.more_body:
            # These bytes are one whole request without a body and nothing else.
            CachedRequest(fresh.request, fresh.keeps_alive).came_as(data, self._fast_path.requests)

    def _begin(self) -> None:
        request = self._matched()
        if request is None:
            super()._begin()
            return
        keep_alive = self.parser.get_http_version() != "1.0" and self.parser.should_keep_alive()
        answer = self._hold(request, keep_alive)
        if request.method in ("GET", "HEAD"):
            self._fresh = answer

    def _matched(self) -> Request | None:
        """The request whose head is complete, if it is the only one under way, small, and one of the fast path."""
        previous = self.cycle
        if not (previous is None or previous.response_complete):
            return None
        if self.expect_100_continue or self.parser.should_upgrade():
            return None
        method: bytes = self.parser.get_method()
        for name, value in self.headers:
            if name in FRAMING and (
                name == b"transfer-encoding" or method in BODILESS or len(value) > 5 or int(value) > MAX_BODY
            ):
                return None
        return self._fast_path.match(method, self.url, self.headers)

    def _hold(self, request: Request, keep_alive: bool) -> FastAnswer:
        """Make one the answer that is under way."""
        answer = FastAnswer(self, self._fast_path, request, keep_alive and not self.draining, keep_alive)
        # No cycle of uvicorn's, but all that its code and ours ask of one.
        self._answered = self.cycle = answer  # type: ignore[assignment]
        return answer

    def on_message_complete(self) -> None:
        answer: object = self.cycle
        if not isinstance(answer, FastAnswer):
            super().on_message_complete()
        elif answer.more_body:  # else it was begun before, and what ends here is a message that nobody answers
            answer.more_body = False
            if answer.body:
                answer.request.body = bytes(answer.body)
            answer.start()
