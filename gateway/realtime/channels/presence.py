"""Who is where (contract, section 9): entries of this worker's channels and of all other processes.

Each process owns the entries of its sockets and tells all others of each change, so that everybody has the whole and a
join is answered at once. Every few seconds a process says which change was its last: who has missed one asks for all of
its entries. The entries of a process that says nothing for a while, or takes its leave, are gone.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import orjson

from gateway.realtime.bus import Bus
from gateway.realtime.channels.rooms import Key, Rooms
from gateway.realtime.socket.frames import PREFIX, Outgoing
from gateway.system.lasting import lasting

if TYPE_CHECKING:
    from gateway.realtime.channels.channel import JoinedChannel

log = logging.getLogger("gateway.realtime")

TOPIC: Final = "presence"
BEAT: Final = 5.0  # seconds
SILENCE: Final = 16.0  # seconds after which a process is taken for dead
SYNC: Final = 0.5  # seconds that the first joins wait for what others know
PART: Final = 200  # entries told at once
MOST_KEYS: Final = 100_000  # entries of one room: more are not shown


@dataclass(frozen=True, slots=True)
class Entry:
    """One channel's presence. `meta` is JSON of an object, its `phx_ref` in it."""

    key: str
    ref: str
    meta: bytes


@dataclass(slots=True)
class _Peer:
    """Another process: its last change that is known here, when it was heard, and its entries."""

    last: int = 0
    heard: float = 0.0
    rooms: dict[Key, dict[str, Entry]] = field(default_factory=dict)
    coming: list[Any] = field(default_factory=list)


class Presence:
    """The whole of it, in one worker."""

    def __init__(self, rooms: Rooms, bus: Bus, clock: Callable[[], float] = time.monotonic) -> None:
        self._rooms = rooms
        self._bus = bus
        self._clock = clock
        self._me = bus.name
        bus.lost.append(self._lose)
        self._last = 0
        self._refs = 0
        self._own: dict[Key, dict[JoinedChannel, Entry]] = {}
        self._peers: dict[str, _Peer] = {}
        self._task: asyncio.Task[None] | None = None
        self._synced = asyncio.Event()

    # --- life ----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Begin to hear of others."""
        await self._bus.subscribe(TOPIC, self._hear)
        self._tell({"t": "hello"})
        asyncio.get_running_loop().call_later(SYNC, self._synced.set)
        self._task = asyncio.create_task(lasting(self._beat))

    def stop(self) -> None:
        """Take leave of others."""
        if self._task is not None:
            self._task.cancel()
            self._tell({"t": "bye"})
            self._bus.unsubscribe(TOPIC, self._hear)

    async def ready(self) -> None:
        """Until it is known who is where, or nobody says so."""
        await self._synced.wait()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            self._tell({"t": "beat", "n": self._last})
            self.look()

    def look(self) -> None:
        """Let go of who has been silent for too long."""
        now = self._clock()
        for name, peer in list(self._peers.items()):
            if now - peer.heard > SILENCE:
                log.info("a process is silent: its presences leave")
                self._lose(name)

    # --- this worker's channels ----------------------------------------------------------------------------------

    def track(self, key: Key, channel: JoinedChannel, name: str, payload: dict[str, Any]) -> None:
        """A channel is there, as `payload` says of it; the same again is nothing new."""
        own = self._own.setdefault(key, {})
        before = own.get(channel)
        kept = {field: value for field, value in payload.items() if field not in ("phx_ref", "phx_ref_prev")}
        if before is not None and _without_refs(before.meta) == kept:
            return
        self._refs += 1
        ref = f"{self._me}{self._refs:x}"
        meta = {"phx_ref": ref, **kept} if before is None else {"phx_ref": ref, "phx_ref_prev": before.ref, **kept}
        own[channel] = entry = Entry(name, ref, orjson.dumps(meta))
        self._change(key, (entry,), () if before is None else (before,))

    def untrack(self, key: Key, channel: JoinedChannel) -> None:
        """It is not there any more."""
        own = self._own.get(key)
        entry = own.pop(channel, None) if own is not None else None
        if own is not None and not own:
            del self._own[key]
        if entry is not None:
            self._change(key, (), (entry,))

    def state(self, key: Key) -> bytes:
        """Who is in a room, as JSON."""
        return _grouped(self._entries(key))

    def count(self) -> int:
        """Entries of this worker."""
        return sum(len(own) for own in self._own.values())

    def _entries(self, key: Key) -> list[Entry]:
        found = list(self._own.get(key, {}).values())
        for peer in self._peers.values():
            found += peer.rooms.get(key, {}).values()
        return found[:MOST_KEYS]

    # --- changes -------------------------------------------------------------------------------------------------

    def _change(self, key: Key, joins: tuple[Entry, ...], leaves: tuple[Entry, ...]) -> None:
        self._last += 1
        self._tell(
            {
                "t": "diff",
                "n": self._last,
                "room": key,
                "joins": [_as_sent(entry) for entry in joins],
                "leaves": [entry.ref for entry in leaves],
            }
        )
        self._show(key, joins, leaves)

    def _show(self, key: Key, joins: Iterable[Entry], leaves: Iterable[Entry]) -> None:
        """Tell this worker's members of a room."""
        room = self._rooms.by_key.get(key)
        if room is None:
            return
        payload = b'{"joins":%b,"leaves":%b}' % (_grouped(joins), _grouped(leaves))
        message = Outgoing(PREFIX + key[1], "presence_diff", payload)
        for member in list(room.members):
            if member.sees_presence:
                frame = message.frame(member.socket.version)
                if frame is not None:
                    member.socket.send(frame)

    # --- other processes -----------------------------------------------------------------------------------------

    def _tell(self, message: dict[str, Any]) -> None:
        self._bus.publish(TOPIC, orjson.dumps({"from": self._me, **message}))

    def _tell_all(self) -> None:
        """Everything that is this worker's, in parts."""
        entries = [(key, entry) for key, own in self._own.items() for entry in own.values()]
        for at in range(0, max(len(entries), 1), PART):
            part = [(key, *_as_sent(entry)) for key, entry in entries[at : at + PART]]
            last = at + PART >= len(entries)
            self._tell({"t": "all", "n": self._last, "first": at == 0, "last": last, "entries": part})

    def _hear(self, payload: bytes) -> None:
        message = orjson.loads(payload)
        name, kind = message["from"], message["t"]
        if name == self._me:
            return
        if kind == "bye":
            self._lose(name)
            return
        peer = self._peers.setdefault(name, _Peer())
        peer.heard = self._clock()
        if kind == "hello":
            self._tell_all()
        elif kind == "ask":
            if message["whom"] == self._me:
                self._tell_all()
        elif kind == "all":
            self._take_all(peer, message)
        elif kind == "diff":
            self._take_diff(name, peer, message)
        elif message["n"] != peer.last:
            self._tell({"t": "ask", "whom": name})

    def _take_diff(self, name: str, peer: _Peer, message: dict[str, Any]) -> None:
        if message["n"] <= peer.last:
            return
        if message["n"] != peer.last + 1:
            self._tell({"t": "ask", "whom": name})
        else:
            peer.last = message["n"]
        key = (bool(message["room"][0]), str(message["room"][1]))
        known = peer.rooms.setdefault(key, {})
        leaves = [known.pop(ref) for ref in message["leaves"] if ref in known]
        joins = [Entry(at, ref, meta.encode()) for at, ref, meta in message["joins"]]
        known.update({entry.ref: entry for entry in joins})
        if not known:
            del peer.rooms[key]
        self._show(key, joins, leaves)

    def _take_all(self, peer: _Peer, message: dict[str, Any]) -> None:
        """Take all that a process has; only what is new or gone is shown."""
        if message["first"]:
            peer.coming = []
        peer.coming += message["entries"]
        if not message["last"]:
            return
        entries, peer.coming = peer.coming, []
        before, peer.rooms = peer.rooms, {}
        peer.last = message["n"]
        fresh: dict[Key, list[Entry]] = {}
        for (private, topic), at, ref, meta in entries:
            key = (bool(private), str(topic))
            entry = Entry(at, ref, meta.encode())
            peer.rooms.setdefault(key, {})[ref] = entry
            if before.get(key, {}).pop(ref, None) is None:
                fresh.setdefault(key, []).append(entry)
        for key in {*fresh, *before}:
            gone = before.get(key, {}).values()
            if key in fresh or gone:
                self._show(key, fresh.get(key, ()), gone)

    def _lose(self, name: str) -> None:
        peer = self._peers.pop(name, None)
        if peer is not None:
            for key, entries in peer.rooms.items():
                self._show(key, (), entries.values())


def _grouped(entries: Iterable[Entry]) -> bytes:
    """Metas by key, as JSON."""
    by_key: dict[str, list[bytes]] = {}
    for entry in entries:
        by_key.setdefault(entry.key, []).append(entry.meta)
    parts = [b'%b:{"metas":[%b]}' % (orjson.dumps(key), b",".join(metas)) for key, metas in by_key.items()]
    return b"{%b}" % b",".join(parts)


def _as_sent(entry: Entry) -> tuple[str, str, str]:
    return entry.key, entry.ref, entry.meta.decode()


def _without_refs(meta: bytes) -> dict[str, Any]:
    said: dict[str, Any] = orjson.loads(meta)
    said.pop("phx_ref", None)
    said.pop("phx_ref_prev", None)
    return said
