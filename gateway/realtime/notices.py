"""What Postgres tells a worker, on one connection: notices of stored messages, and messages of other gateways."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from gateway.database.listener import Listener
from gateway.system.lasting import lasting

CHANNEL: Final = "gateway_realtime"


class Notices:
    """Hands each notice to whom its first word is for; opened with the first who wants one."""

    def __init__(self, address: str) -> None:
        self._listener = Listener(address, CHANNEL, self._told, self._connected)
        self._by_word: dict[str, Callable[[str], None]] = {}
        self._on_connect: list[Callable[[float | None], None]] = []
        self._task: asyncio.Task[None] | None = None
        self._last_heard: float | None = None
        self.flow = asyncio.Event()

    def want(self, word: str, callback: Callable[[str], None], on_connect: Callable[[float | None], None]) -> None:
        """Call back with what follows a word; and at each connection, with the seconds since the last notice before it,
        None for the first."""
        self._by_word[word] = callback
        self._on_connect.append(on_connect)
        if self._task is None:
            self._task = asyncio.create_task(lasting(self._listener.run))

    async def stop(self) -> None:
        """Hear of nothing any more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _connected(self) -> None:
        away = None if self._last_heard is None else time.monotonic() - self._last_heard
        self._last_heard = time.monotonic()
        self.flow.set()
        for callback in self._on_connect:
            callback(away)

    def _told(self, payload: str) -> None:
        self._last_heard = time.monotonic()
        word, _, rest = payload.partition(" ")
        callback = self._by_word.get(word)
        if callback is not None:
            callback(rest)
