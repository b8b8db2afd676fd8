"""Between all workers of all gateways by Redis or Valkey: a channel for each topic, heard where it has members.

https://redis.io/docs/latest/develop/pubsub/. Whoever reaches the server hears and says everything: it is to be the
gateways' own.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Callable
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from gateway.realtime.bus import Callback
from gateway.system.lasting import lasting

log = logging.getLogger("gateway.realtime")

PREFIX: Final = b"gateway:realtime:"
MOST_WAITING: Final = 16_000_000  # bytes that may wait to be sent
CONFIRMED: Final = 2.0  # seconds that a subscription waits for the server's word
AGAIN: Final = 1.0  # seconds between attempts
BATCH: Final = 500
IDLE: Final = PREFIX + b"-"  # a channel of nobody's: a connection without any cannot be read from


class RedisBus:
    """A worker's connections: one hears, the others say."""

    def __init__(self, address: str) -> None:
        self.name = secrets.token_hex(8)
        self.lost: list[Callable[[str], None]] = []
        self._mark = self.name.encode()
        self._client: Redis = Redis.from_url(address, socket_timeout=5.0, socket_connect_timeout=5.0)
        self._hearing_client: Redis = Redis.from_url(address, socket_connect_timeout=5.0, health_check_interval=15)
        self._pubsub: Any = None
        self._callbacks: dict[bytes, list[Callback]] = {}
        self._confirmed: dict[bytes, asyncio.Event] = {}
        self._queue: list[tuple[bytes, bytes]] = []
        self._waiting = 0
        self._sending: asyncio.Task[None] | None = None
        self._hearing: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.sent = self.heard = self.dropped = 0

    @property
    def counters(self) -> dict[str, int]:
        return {"sent": self.sent, "heard": self.heard, "dropped": self.dropped}

    async def start(self) -> None:
        """Begin to hear."""
        self._confirmed[IDLE] = asyncio.Event()
        self._callbacks[IDLE] = []
        self._hearing = asyncio.create_task(lasting(self._hear))
        try:
            await asyncio.wait_for(self._confirmed[IDLE].wait(), CONFIRMED)
        except TimeoutError:
            log.error("the server of GATEWAY_REALTIME_BUS does not answer: other workers are not reached")

    async def stop(self) -> None:
        """Let go of the server."""
        if self._sending is not None and not self._sending.done():
            await asyncio.wait((self._sending,), timeout=1.0)
        tasks = [task for task in (self._hearing, self._sending, *self._tasks) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._client.aclose()
        await self._hearing_client.aclose()

    # --- saying --------------------------------------------------------------------------------------------------

    def publish(self, topic: str, payload: bytes) -> None:
        """Send, behind what waits."""
        if self._waiting + len(payload) > MOST_WAITING:
            self.dropped += 1
            return
        self._waiting += len(payload)
        self._queue.append((PREFIX + topic.encode(), self._mark + payload))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())

    async def _send(self) -> None:
        while self._queue:
            batch, self._queue = self._queue[:BATCH], self._queue[BATCH:]
            self._waiting -= sum(len(payload) - len(self._mark) for _, payload in batch)
            try:
                async with self._client.pipeline(transaction=False) as pipeline:
                    for channel, payload in batch:
                        pipeline.publish(channel, payload)
                    await pipeline.execute()
                self.sent += len(batch)
            except (RedisError, OSError) as error:
                self.dropped += len(batch)
                log.warning("messages to other workers are lost: %s", error)

    # --- hearing -------------------------------------------------------------------------------------------------

    async def _hear(self) -> None:
        """Read what comes; subscribe anew where the connection was lost."""
        while True:
            self._pubsub = self._hearing_client.pubsub()
            try:
                await self._pubsub.subscribe(*self._callbacks)
                while True:
                    message = await self._pubsub.get_message(ignore_subscribe_messages=False, timeout=None)
                    if message is not None:
                        self._take(message)
            except (RedisError, OSError) as error:
                log.warning("the server of GATEWAY_REALTIME_BUS is lost, next attempt in a second: %s", error)
            finally:
                pubsub, self._pubsub = self._pubsub, None
                with contextlib.suppress(RedisError, OSError):
                    await pubsub.aclose()
            await asyncio.sleep(AGAIN)

    def _take(self, message: dict[str, Any]) -> None:
        channel = message["channel"]
        if message["type"] == "subscribe":
            event = self._confirmed.get(channel)
            if event is not None:
                event.set()
        elif message["type"] == "message":
            data: bytes = message["data"]
            if not data.startswith(self._mark):
                self.heard += 1
                for callback in tuple(self._callbacks.get(channel, ())):
                    callback(data[len(self._mark) :])

    async def subscribe(self, topic: str, callback: Callback) -> None:
        """Subscribe, and wait for the server's word."""
        channel = PREFIX + topic.encode()
        callbacks = self._callbacks.setdefault(channel, [])
        callbacks.append(callback)
        if len(callbacks) > 1:
            return
        event = self._confirmed[channel] = asyncio.Event()
        try:
            if self._pubsub is not None:
                await self._pubsub.subscribe(channel)
            await asyncio.wait_for(event.wait(), CONFIRMED)
        except (TimeoutError, RedisError, OSError) as error:
            log.warning("a subscription is not confirmed yet: %s", error or "no answer")
        finally:
            self._confirmed.pop(channel, None)

    def unsubscribe(self, topic: str, callback: Callback) -> None:
        """Hear it no more."""
        channel = PREFIX + topic.encode()
        callbacks = self._callbacks.get(channel, [])
        if callback in callbacks:
            callbacks.remove(callback)
        if not callbacks and self._callbacks.pop(channel, None) is not None and self._pubsub is not None:
            task = asyncio.create_task(self._let_go(channel))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _let_go(self, channel: bytes) -> None:
        try:
            if channel not in self._callbacks and self._pubsub is not None:
                await self._pubsub.unsubscribe(channel)
        except (RedisError, OSError) as error:
            log.debug("a topic was not given up: %s", error)
