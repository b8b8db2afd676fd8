"""Messages between processes: the workers of a gateway, and gateways.

A bus carries bytes under a topic. What is published reaches the subscribers of that topic in all *other* processes, in
the order in which this process published it, at most once; a process sees to its own members itself. Nothing is kept
for who is away: who needs more than that, such as presence, repeats itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Callback = Callable[[bytes], None]


class Bus(Protocol):
    """A way between processes."""

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
