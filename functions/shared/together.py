"""What several ask for at the same time is done once for all of them.

Nothing is kept: who asks gets what was begun after he asked, never what others began before, so an article that was
published a moment ago is on the page. While something is under way, those who come wait for the next, together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Final, Generic, TypeVar

PATIENCE: Final = 1.0  # seconds that work waits for the one before, which may hang

T = TypeVar("T")


class Together(Generic[T]):
    """Work by what is asked for."""

    def __init__(self) -> None:
        self._waiting: dict[Hashable, asyncio.Task[T]] = {}
        self._running: dict[Hashable, asyncio.Task[T]] = {}

    async def do(self, key: Hashable, work: Callable[[], Awaitable[T]]) -> T:
        """The work's result, which is shared with all who ask for the same key before it begins; so are its errors."""
        task = self._waiting.get(key)
        if task is None:
            task = self._waiting[key] = asyncio.create_task(self._run(key, work))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())  # seen, if nobody waits any more
        # One who leaves does not take it from the others.
        return await asyncio.shield(task)

    async def _run(self, key: Hashable, work: Callable[[], Awaitable[T]]) -> T:
        mine = asyncio.current_task()
        assert mine is not None
        before = self._running.get(key)
        if before is not None:
            await asyncio.wait([before], timeout=PATIENCE)
        self._running[key] = mine
        del self._waiting[key]
        try:
            return await work()
        finally:
            if self._running.get(key) is mine:
                del self._running[key]
