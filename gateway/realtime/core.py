"""What the channels of a worker share: who is joined where, how often what may be done, the ways out of the process.

Nothing is opened before the first socket comes: who uses no realtime pays for none.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from gateway.database import Database
from gateway.identity.keyring import KeyRing
from gateway.realtime import errors
from gateway.realtime.bus import Bus
from gateway.realtime.changes.interface import (
    Changes,
    Deliver,
    Member,
    Subscribed,
    SubscriptionRefused,
)
from gateway.realtime.channels.channel import JoinedChannel
from gateway.realtime.channels.config import JoinConfig
from gateway.realtime.channels.policies import Policies
from gateway.realtime.channels.presence import Presence
from gateway.realtime.channels.rooms import Rooms
from gateway.realtime.channels.session import ChannelSession
from gateway.realtime.channels.stored import StoredMessages
from gateway.realtime.errors import RealtimeError
from gateway.realtime.limits import Rate
from gateway.realtime.notices import Notices
from gateway.realtime.socket.connection import Socket, Unfinished
from gateway.realtime.socket.frames import Outgoing, dump
from gateway.realtime.tokens import Verifier
from gateway.settings import Settings
from gateway.system.lasting import lasting

log = logging.getLogger("gateway.realtime")

LOOK: Final = 5.0  # seconds between looks at sockets
EMPTY: Final = 600.0  # seconds after which a socket that has left its last channel is cut
RESTART: Final = 1012
DRAIN: Final = 4.0  # seconds over which the sockets of a worker that ends are closed, at most
AT_ONCE: Final = 50  # sockets closed in a tenth of a second

MakeChanges = Callable[[Bus, Deliver], Changes]


class RealtimeCore:
    """One in each worker."""

    def __init__(
        self, settings: Settings, keys: KeyRing, db: Database, notices: Notices, bus: Bus, make_changes: MakeChanges
    ) -> None:
        self.settings = settings
        self.db = db
        self.bus = bus
        self.notices = notices
        self.verifier = Verifier(keys)
        self.policies = Policies(db)
        self.rooms = Rooms(bus)
        self.presence = Presence(self.rooms, bus)
        self.stored = StoredMessages(db, notices, self.rooms, settings.realtime_max_payload_kb * 1000)
        self.changes = make_changes(bus, self._deliver)
        self.max_payload = settings.realtime_max_payload_kb * 1000
        self.messages = Rate(settings.realtime_max_messages)
        self.joins_rate = Rate(settings.realtime_max_joins)
        self.presence_rate = Rate(settings.realtime_max_presence)
        self.sessions: dict[Socket, ChannelSession] = {}
        self.unfinished = Unfinished()
        self.closing: set[Socket] = set()
        self.draining = False
        self.joins = self.joins_refused = self.refused = self.messages_in = self.slow = self.changes_sent = 0
        self._started: asyncio.Future[None] | None = None
        self._changes_started: asyncio.Future[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Future[Any]] = set()

    # --- life ----------------------------------------------------------------------------------------------------

    async def ready(self) -> None:
        """Until others are heard."""
        if self._started is None:
            self._started = asyncio.ensure_future(self._start())
        await asyncio.shield(self._started)

    async def _start(self) -> None:
        await self.bus.start()
        await self.presence.start()
        self.stored.start()
        self.run(self.policies.keep_partitions())

    async def stop(self) -> None:
        """Let go of everything."""
        if self._looking is not None:
            self._looking.cancel()
        for socket in list(self.sessions):
            socket.close(RESTART, "the server restarts")
        if self._changes_started is not None:
            await self.changes.stop()
        self.presence.stop()
        await self.stored.stop()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._started is not None:
            await self.bus.stop()
        await self.notices.stop()

    async def drain(self) -> None:
        """Close every socket, some at a time, for all of them come back at once."""
        self.draining = True
        sockets = list(self.sessions)
        random.shuffle(sockets)
        steps = max(1, min(int(DRAIN * 10), len(sockets) // AT_ONCE))
        size = -(-len(sockets) // steps)
        for at in range(0, len(sockets), max(size, 1)):
            if at:
                await asyncio.sleep(0.1)
            for socket in sockets[at : at + size]:
                session = self.sessions.get(socket)
                for channel in list(session.channels.values()) if session is not None else ():
                    channel.system("system", "ok", "Server requested disconnect")
                socket.close(RESTART, "the server restarts")
        await asyncio.sleep(0.05)

    def run(self, work: Awaitable[Any]) -> None:
        """Do something beside."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- sockets -------------------------------------------------------------------------------------------------

    def opened(self, socket: Socket) -> None:
        """A client is connected."""
        session = self.sessions[socket] = ChannelSession(self, socket)
        socket.session = session
        if self._looking is None:
            self._looking = asyncio.create_task(lasting(self._look))
            self.run(self.ready())

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            now, idle = time.monotonic(), self.settings.realtime_idle
            for socket in list(self.sessions):
                socket.look(now, idle)
                session = self.sessions.get(socket)
                if session is not None and session.empty_since and now - session.empty_since > EMPTY:
                    socket.close(1000, "no channels")
            self.closing = {socket for socket in self.closing if not socket.cut(now)}

    def admit(self, session: ChannelSession, topic: str, config: JoinConfig) -> None:
        """Whether a join may be. Raises RealtimeError."""
        if self.draining:
            raise RealtimeError(*errors.RESTARTING)
        if self.settings.realtime_private_only and not config.private:
            raise RealtimeError(*errors.PRIVATE_ONLY)
        self.joins_rate.add()
        if self.joins_rate.exceeded:
            raise RealtimeError(*errors.TOO_MANY_JOINS)
        most = self.settings.realtime_max_channels
        if most and len(session.channels) >= most and topic not in session.channels:
            raise RealtimeError(*errors.TOO_MANY_CHANNELS)

    def forget(self, channel: JoinedChannel) -> None:
        """A channel has ended."""
        session = self.sessions.get(channel.socket)
        if session is not None and session.channels.get(channel.wire_topic) is channel:
            del session.channels[channel.wire_topic]
            session.empty_since = 0.0 if session.channels else time.monotonic()
        self.rooms.leave(channel.key, channel)
        self.presence.untrack(channel.key, channel)
        if channel.bindings:
            self.run(self.changes.unsubscribe(channel))

    def recheck(self) -> None:
        """Keys were rotated or revoked: a channel whose token is no good any more ends."""
        self.run(self._recheck())

    async def _recheck(self) -> None:
        for session in list(self.sessions.values()):
            for channel in list(session.channels.values()):
                channel.check_token()
            await asyncio.sleep(0)  # a signature takes a tenth of a millisecond, and there may be thousands

    # --- changes -------------------------------------------------------------------------------------------------

    async def subscribe(self, channel: JoinedChannel) -> Subscribed | SubscriptionRefused:
        """Subscribe a channel to the changes that it named."""
        try:
            if self._changes_started is None:
                self._changes_started = asyncio.ensure_future(self.changes.start())
            await asyncio.shield(self._changes_started)
            return await self.changes.subscribe(channel, channel.bindings)
        except Exception:
            log.exception("a subscription failed")
            return SubscriptionRefused("Unable to subscribe to changes")

    def _deliver(self, members: Sequence[tuple[Member, tuple[int, ...]]], data: bytes) -> None:
        """Send a change to members of this worker."""
        made: dict[tuple[str, tuple[int, ...]], Outgoing] = {}
        if self.messages.exceeded:
            self.rooms.dropped += len(members)
            return
        self.messages.add(len(members))
        for member, ids in members:
            assert isinstance(member, JoinedChannel)
            if member.ended:
                continue
            key = (member.wire_topic, ids)
            message = made.get(key)
            if message is None:
                payload = b'{"ids":%b,"data":%b}' % (dump(list(ids)), data)
                message = made[key] = Outgoing(member.wire_topic, "postgres_changes", payload)
            frame = message.frame(member.socket.version)
            if frame is not None and member.socket.send(frame):
                self.changes_sent += 1

    # --- what is said of it --------------------------------------------------------------------------------------

    def stored_flow(self) -> bool:
        """Whether messages of the database arrive."""
        return self.stored.flows

    @property
    def counters(self) -> dict[str, int]:
        """For the metrics."""
        return {
            "sockets": len(self.sessions),
            "channels": sum(len(session.channels) for session in self.sessions.values()),
            "presences": self.presence.count(),
            "joins": self.joins,
            "joins_refused": self.joins_refused,
            "messages_in": self.messages_in,
            "messages_out": self.rooms.delivered + self.changes_sent,
            "messages_dropped": self.rooms.dropped + self.refused,
            "slow_consumers": self.slow,
            **{f"bus_{name}": count for name, count in self.bus.counters.items()},
            **{f"changes_{name}": count for name, count in self.changes.counters.items()},
        }
