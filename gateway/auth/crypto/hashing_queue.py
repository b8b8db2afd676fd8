"""Turns at something scarce, dealt out fairly: who asks often waits behind who asks once.

Each source (an address) has a queue of its own, and the queues are served in rotation. A source that fills its queue is
refused, and when all queues together are full the longest one gives way: however many wait from a few sources, a
newcomer waits for one turn of each of them.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from typing import Final

PER_SOURCE: Final = 64  # that may wait at once
ALTOGETHER: Final = 512


class TooManyWait(Exception):
    """There is no room in the queue."""


class HashingQueue:
    """`count` turns at once. `None` is a source without a limit of its own."""

    def __init__(self, count: int, per_source: int = PER_SOURCE, altogether: int = ALTOGETHER) -> None:
        self._free = count
        self._per_source = per_source
        self._altogether = altogether
        self._queues: OrderedDict[str | None, deque[asyncio.Future[None]]] = OrderedDict()
        self._waiting = 0

    async def enter(self, source: str | None) -> None:
        """Wait for a turn; `leave` ends it. Raises TooManyWait."""
        if self._free and not self._waiting:
            self._free -= 1
            return
        queue = self._queues.get(source, ())
        if source is not None and len(queue) >= self._per_source:
            raise TooManyWait
        if self._waiting >= self._altogether:
            self._push_out(len(queue))
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(source, deque()).append(future)
        self._waiting += 1
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self.leave()  # the turn came in the same moment
            else:
                self._remove(source, future)
            raise

    def leave(self) -> None:
        """Give the turn to who is next."""
        while self._queues:
            source, queue = next(iter(self._queues.items()))
            future = queue.popleft()
            self._waiting -= 1
            if queue:
                self._queues.move_to_end(source)
            else:
                del self._queues[source]
            if not future.done():
                future.set_result(None)
                return
        self._free += 1

    def _push_out(self, than: int) -> None:
        """Refuse the last of the longest queue, if it is longer than the newcomer's would be."""
        source, queue = max(self._queues.items(), key=lambda item: len(item[1]))
        if len(queue) <= than + 1:
            raise TooManyWait
        future = queue[-1]
        self._remove(source, future)
        if not future.done():
            future.set_exception(TooManyWait())

    def _remove(self, source: str | None, future: asyncio.Future[None]) -> None:
        queue = self._queues.get(source)
        if queue is not None and future in queue:
            queue.remove(future)
            self._waiting -= 1
            if not queue:
                del self._queues[source]
