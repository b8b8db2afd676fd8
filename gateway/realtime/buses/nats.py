"""Between all workers of all gateways by NATS: a subject for each topic, heard where it has members.

https://docs.nats.io/nats-concepts/core-nats/pubsub. Whoever may use the subjects below `gateway.realtime` hears and
says everything: the account is to be the gateways' own.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable
from typing import Any, Final

import nats
from nats.aio.client import Client
from nats.errors import Error

from gateway.realtime.bus import Callback

log = logging.getLogger("gateway.realtime")

PREFIX: Final = "gateway.realtime."
CONFIRMED: Final = 2.0  # seconds that a subscription waits for the server's word
MOST_WAITING: Final = 16_000_000  # bytes that may wait to be sent


class NatsBus:
    """A worker's connection, which the client opens anew for ever."""

    def __init__(self, address: str) -> None:
        self.name = secrets.token_hex(8)
        self.lost: list[Callable[[str], None]] = []
        self._mark = self.name.encode()
        self._address = address
        self._client: Client | None = None
        self._callbacks: dict[str, list[Callback]] = {}
        self._subscriptions: dict[str, Any] = {}
        self._queue: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
        self._waiting = 0
        self._tasks: set[asyncio.Task[Any]] = set()
        self.sent = self.heard = self.dropped = 0

    @property
    def counters(self) -> dict[str, int]:
        return {"sent": self.sent, "heard": self.heard, "dropped": self.dropped}

    async def start(self) -> None:
        """Connect, in time or later."""
        connecting = self._run(self._connect())
        await asyncio.wait((connecting,), timeout=CONFIRMED)
        if self._client is None:
            log.error("the server of GATEWAY_REALTIME_BUS does not answer: other workers are not reached")
        self._run(self._send())

    async def _connect(self) -> None:
        async def failed(error: Exception) -> None:
            log.warning("the server of GATEWAY_REALTIME_BUS: %s", error)

        while True:
            try:
                client = await nats.connect(
                    self._address, error_cb=failed, max_reconnect_attempts=-1, reconnect_time_wait=1, no_echo=True
                )
                break
            except (Error, OSError) as error:
                await failed(error)
                await asyncio.sleep(1.0)
        for subject in self._callbacks:
            await self._listen(client, subject)
        self._client = client

    async def stop(self) -> None:
        """Let go of the server."""
        if self._client is not None:
            try:
                await self._client.flush(1)
                await self._client.close()
            except (Error, OSError) as error:
                log.debug("the server was not told: %s", error)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _run(self, work: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def publish(self, topic: str, payload: bytes) -> None:
        """Send, behind what waits."""
        if self._waiting + len(payload) > MOST_WAITING:
            self.dropped += 1
            return
        self._waiting += len(payload)
        self._queue.put_nowait((_subject(topic), payload))

    async def _send(self) -> None:
        while True:
            subject, payload = await self._queue.get()
            self._waiting -= len(payload)
            try:
                if self._client is None:
                    self.dropped += 1
                    continue
                await self._client.publish(subject, payload)
                self.sent += 1
            except (Error, OSError) as error:
                self.dropped += 1
                log.warning("a message to other workers is lost: %s", error)

    async def subscribe(self, topic: str, callback: Callback) -> None:
        """Subscribe, and wait for the server's word."""
        subject = _subject(topic)
        callbacks = self._callbacks.setdefault(subject, [])
        callbacks.append(callback)
        if len(callbacks) == 1 and self._client is not None:
            try:
                await self._listen(self._client, subject)
                await self._client.flush(int(CONFIRMED))
            except (Error, OSError, TimeoutError) as error:
                log.warning("a subscription is not confirmed yet: %s", error)

    async def _listen(self, client: Client, subject: str) -> None:
        async def heard(message: Any) -> None:
            self.heard += 1
            for callback in tuple(self._callbacks.get(subject, ())):
                callback(message.data)

        self._subscriptions[subject] = await client.subscribe(subject, cb=heard)

    def unsubscribe(self, topic: str, callback: Callback) -> None:
        """Hear it no more."""
        subject = _subject(topic)
        callbacks = self._callbacks.get(subject, [])
        if callback in callbacks:
            callbacks.remove(callback)
        if not callbacks and self._callbacks.pop(subject, None) is not None:
            subscription = self._subscriptions.pop(subject, None)
            if subscription is not None:
                self._run(self._let_go(subscription))

    @staticmethod
    async def _let_go(subscription: Any) -> None:
        try:
            await subscription.unsubscribe()
        except (Error, OSError) as error:
            log.debug("a topic was not given up: %s", error)


def _subject(topic: str) -> str:
    """A topic as a subject, which takes neither blanks nor everything else that a topic may have.

    >>> _subject("a b")
    'gateway.realtime.612062'
    """
    return PREFIX + topic.encode().hex()
