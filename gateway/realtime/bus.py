"""Messages between processes: the workers of a gateway, and gateways.

A bus carries bytes under a topic. What is published reaches the subscribers of that topic in all *other* processes, in
the order in which this process published it, at most once; a process sees to its own members itself. Nothing is kept
for who is away: who needs more than that, such as presence, repeats itself.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from typing import Protocol

Callback = Callable[[bytes], None]


class Bus(Protocol):
    """A way between processes."""

    name: str
    """This process, in the words of others."""
    lost: list[Callable[[str], None]]
    """Told of a process that is gone, where the way notices at once."""

    async def start(self) -> None:
        """Begin to hear others; raises nothing: a way that is closed now is tried again."""

    async def stop(self) -> None:
        """Let go of it."""

    def publish(self, topic: str, payload: bytes) -> None:
        """Hand over to be sent, never waiting: what cannot be sent now waits in a bounded queue, or is dropped and
        counted."""

    async def subscribe(self, topic: str, callback: Callback) -> None:
        """Call back with each payload. When this returns, all that others publish from then on arrives."""

    def unsubscribe(self, topic: str, callback: Callback) -> None:
        """Call back no more."""

    @property
    def counters(self) -> dict[str, int]:
        """What was sent, heard and dropped, for the metrics."""


class LocalBus:
    """The bus of a process that is alone: there is nobody to hear it."""

    def __init__(self) -> None:
        self.name = secrets.token_hex(8)
        self.lost: list[Callable[[str], None]] = []

    async def start(self) -> None:
        """Nothing is to do."""

    async def stop(self) -> None:
        """Nothing is to do."""

    def publish(self, topic: str, payload: bytes) -> None:
        """Nobody hears it."""

    async def subscribe(self, topic: str, callback: Callback) -> None:
        """Nobody says anything."""

    def unsubscribe(self, topic: str, callback: Callback) -> None:
        """Nothing is to do."""

    @property
    def counters(self) -> dict[str, int]:
        return {}


class SeveralBuses:
    """Ways to different processes that are used as one: none is reached by two of them."""

    def __init__(self, named: Bus, others: Sequence[Bus]) -> None:
        """`named` is the one by whose name this process is known."""
        self.name = named.name
        self.lost = named.lost
        self._ways = (named, *others)

    async def start(self) -> None:
        """Start each."""
        await asyncio.gather(*(way.start() for way in self._ways))

    async def stop(self) -> None:
        """Stop each."""
        for way in self._ways:
            await way.stop()

    def publish(self, topic: str, payload: bytes) -> None:
        """By all of them."""
        for way in self._ways:
            way.publish(topic, payload)

    async def subscribe(self, topic: str, callback: Callback) -> None:
        """By all of them."""
        await asyncio.gather(*(way.subscribe(topic, callback) for way in self._ways))

    def unsubscribe(self, topic: str, callback: Callback) -> None:
        """By all of them."""
        for way in self._ways:
            way.unsubscribe(topic, callback)

    @property
    def counters(self) -> dict[str, int]:
        """Of all of them together."""
        total: dict[str, int] = {}
        for way in self._ways:
            for name, count in way.counters.items():
                total[name] = total.get(name, 0) + count
        return total
