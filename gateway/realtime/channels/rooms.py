"""Who is in which channel of this worker, and the way of a message to all of them.

A room is a topic and whether it is private: a public and a private one of the same name never hear each other. While a
room has members, the worker hears by the bus what others say in it.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import orjson

from gateway.realtime.bus import Bus
from gateway.realtime.socket.frames import BYTES, PREFIX, V1, V2, Broadcast, Outgoing

if TYPE_CHECKING:
    from gateway.realtime.channels.channel import JoinedChannel

log = logging.getLogger("gateway.realtime")

Key = tuple[bool, str]
"""Whether it is private, and its topic without `realtime:`."""

LONGEST: Final = 200  # characters of a topic that is told
TEXT: Final = 2  # beside JSON and BYTES, the encodings of a user's broadcast: a payload that goes on as it came


class Room:
    """Members in the order in which they came."""

    __slots__ = ("_deliver", "key", "members", "opened")

    def __init__(self, key: Key, deliver: Callable[[Key, Outgoing], int]) -> None:
        self.key = key
        self._deliver = deliver
        self.members: dict[JoinedChannel, None] = {}
        self.opened: asyncio.Future[None] | None = None

    def heard(self, payload: bytes) -> None:
        """Another process has said something in it."""
        size = int.from_bytes(payload[:4], "big")
        encoding, name, meta = orjson.loads(payload[4 : 4 + size])
        self._deliver(self.key, made(self.key, encoding, name, payload[4 + size :], meta.encode()))


class Rooms:
    """Those of a worker."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self.by_key: dict[Key, Room] = {}
        self.delivered = 0
        self.dropped = 0

    def largest(self, most: int) -> list[tuple[str, bool, int]]:
        """Topic, whether it is private, and members of this worker, of the channels that have most of them."""
        rooms = heapq.nlargest(most, self.by_key.values(), key=lambda room: len(room.members))
        return [(room.key[1][:LONGEST], room.key[0], len(room.members)) for room in rooms]

    async def enter(self, key: Key, channel: JoinedChannel) -> None:
        """Be a member; when this returns nothing that is said from then on is missed."""
        room = self.by_key.get(key)
        if room is None:
            room = self.by_key[key] = Room(key, self.deliver)
            room.opened = asyncio.ensure_future(self._bus.subscribe(bus_topic(key), room.heard))
        room.members[channel] = None
        if room.opened is not None:
            await asyncio.shield(room.opened)

    def leave(self, key: Key, channel: JoinedChannel) -> None:
        """Be none any more."""
        room = self.by_key.get(key)
        if room is None or room.members.pop(channel, channel) is channel or room.members:
            return
        del self.by_key[key]
        self._bus.unsubscribe(bus_topic(key), room.heard)

    def say(
        self, key: Key, encoding: int, name: str, payload: bytes, meta: bytes = b"", sender: JoinedChannel | None = None
    ) -> None:
        """Send to the members of a room, here and in all other processes; not to `sender`."""
        self.deliver(key, made(key, encoding, name, payload, meta), sender)
        head = orjson.dumps((encoding, name, meta.decode()))
        self._bus.publish(bus_topic(key), b"%b%b%b" % (len(head).to_bytes(4, "big"), head, payload))

    def deliver(self, key: Key, message: Outgoing, sender: JoinedChannel | None = None, id: str | None = None) -> int:
        """To the members of a room in this worker; how many got it. `id` is that of a row, which nobody gets twice."""
        room = self.by_key.get(key)
        if room is None:
            return 0
        sent = 0
        frames = (None, None, None)
        for member in list(room.members):
            if member is sender or not member.hears or (id is not None and member.has_had(id)):
                continue
            socket = member.socket
            version = socket.version
            frame = frames[version]
            if frame is None:
                if frames[0] is None:
                    frames = (b"", message.frame(V1), message.frame(V2))  # type: ignore[assignment]
                    frame = frames[version]
                if frame is None:
                    if version == V2:
                        log.warning("WarnSendingBroadcastMessage: topic, event or metadata longer than 255 bytes")
                    self.dropped += 1
                    continue
            if socket.send(frame):
                sent += 1
        self.delivered += sent
        return sent


def made(key: Key, encoding: int, name: str, payload: bytes, meta: bytes) -> Outgoing:
    """The message of a broadcast."""
    topic = PREFIX + key[1]
    if encoding == TEXT:
        return Outgoing(topic, "broadcast", payload)
    return Broadcast(topic, name, payload, encoding, meta)


def bus_topic(key: Key) -> str:
    return f"room:{'private' if key[0] else 'public'}:{key[1]}"


__all__ = ("BYTES", "TEXT", "Key", "Room", "Rooms", "bus_topic", "made")
