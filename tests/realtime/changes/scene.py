"""Workers of gateways in one process: a bus between them, members that note what they are told, and a database."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from gateway.database import Database, SyncConnection
from gateway.realtime.bus import Callback
from gateway.realtime.changes.interface import Binding, Member, Subscribed, SubscriptionRefused
from gateway.realtime.changes.leadership import Keeping
from gateway.realtime.changes.logical import LogicalChanges

T = TypeVar("T")
LIMIT = 60.0  # seconds; nothing is measured here, and two readers in turn may each wait for the slot


class Hub:
    """What is between the workers. `drops` says which messages are lost."""

    def __init__(self) -> None:
        self.callbacks: dict[str, list[tuple[HubBus, Callback]]] = defaultdict(list)
        self.drops: Callable[[str, bytes], bool] = lambda topic, payload: False


class HubBus:
    """One worker's end of it."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.cut = False
        self.name = secrets.token_hex(4)
        self.lost: list[Callable[[str], None]] = []

    async def start(self) -> None:
        """Nothing is to do."""

    async def stop(self) -> None:
        """Nothing is to do."""

    def publish(self, topic: str, payload: bytes) -> None:
        if self.cut or self._hub.drops(topic, payload):
            return
        for bus, callback in tuple(self._hub.callbacks[topic]):
            if bus is not self and not bus.cut:
                asyncio.get_running_loop().call_soon(callback, payload)

    async def subscribe(self, topic: str, callback: Callback) -> None:
        self._hub.callbacks[topic].append((self, callback))

    def unsubscribe(self, topic: str, callback: Callback) -> None:
        known = self._hub.callbacks[topic]
        known[:] = [each for each in known if each[0] is not self or each[1] != callback]

    @property
    def counters(self) -> dict[str, int]:
        return {}


class Listening:
    """A member that notes what it is told."""

    def __init__(self, role: str = "anon", topic: str = "room", **claims: Any) -> None:
        self.topic = topic
        self.role = role
        self.claims = json.dumps({"role": role, **claims})
        self.gone = False
        self.joined = True
        self.told: list[tuple[str, str]] = []
        self.got: list[dict[str, Any]] = []
        self.ids: list[tuple[int, ...]] = []
        self._came = asyncio.Event()

    def system(self, extension: str, status: str, message: str) -> None:
        assert extension == "postgres_changes"
        self.told.append((status, message))
        self._came.set()

    def take(self, ids: tuple[int, ...], data: bytes) -> None:
        self.ids.append(ids)
        self.got.append(json.loads(data, parse_float=str))
        self._came.set()

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(LIMIT):
            while not holds():
                self._came.clear()
                await self._came.wait()

    async def changes(self, count: int) -> list[dict[str, Any]]:
        """The first so many changes, once they have come."""
        await self.until(lambda: len(self.got) >= count)
        return self.got[:count]

    async def heard(self, event: str, id: int) -> None:
        """Wait for one change."""
        await self.until(lambda: (event, id) in self.rows)

    @property
    def rows(self) -> list[tuple[str, Any]]:
        """What happened to which ids."""
        return [(each["type"], (each.get("record") or each["old_record"]).get("id")) for each in self.got]


def deliver(members: Sequence[tuple[Member, tuple[int, ...]]], data: bytes) -> None:
    """Hand a change to members at once."""
    for member, ids in members:
        assert isinstance(member, Listening)
        member.take(ids, data)


class Worker:
    """One worker's changes, and its end of the bus."""

    def __init__(self, scene: Scene, keeping: Keeping) -> None:
        self.bus = HubBus(scene.hub)
        self.database = Database(scene.login, size=4, core=2)
        self.changes = LogicalChanges(self.bus, deliver, self.database, [scene.reader], keeping)

    async def listen(self, member: Listening, *bindings: Binding) -> Listening:
        """Subscribe a member, which must succeed."""
        async with asyncio.timeout(LIMIT):
            outcome = await self.changes.subscribe(member, bindings)
        assert isinstance(outcome, Subscribed), outcome
        return member

    async def refusal(self, member: Listening, *bindings: Binding) -> str:
        """Subscribe a member, which must fail: why."""
        async with asyncio.timeout(LIMIT):
            outcome = await self.changes.subscribe(member, bindings)
        assert isinstance(outcome, SubscriptionRefused), outcome
        return outcome.message

    async def stop(self) -> None:
        await self.changes.stop()
        await self.database.close()


class Scene:
    """A database and the workers on it; `sql` runs statements as its owner."""

    def __init__(self, owner: str, login: str, reader: str) -> None:
        self.owner, self.login, self.reader = owner, login, reader
        self.hub = Hub()
        self.workers: list[Worker] = []
        self._connection: SyncConnection | None = None

    def sql(self, text: str) -> None:
        if self._connection is None:
            self._connection = SyncConnection(self.owner)
        self._connection.script(text)

    def rows(self, text: str) -> list[tuple[str | None, ...]]:
        if self._connection is None:
            self._connection = SyncConnection(self.owner)
        return self._connection.rows(text)

    async def worker(self, keeping: Keeping | None = None) -> Worker:
        worker = Worker(self, keeping or Keeping())
        self.workers.append(worker)
        await worker.changes.start()
        return worker

    def play(self, work: Callable[[Scene], Awaitable[T]]) -> T:
        """Run a test, and stop what it has started."""

        async def main() -> T:
            try:
                return await work(self)
            finally:
                for worker in self.workers:
                    await worker.stop()
                self.workers.clear()
                self.hub = Hub()

        try:
            return asyncio.run(main())
        finally:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
