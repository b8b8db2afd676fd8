"""A channel that is joined on a socket: its token, what it may, and what comes on it.

What has to wait, for the database or another process, keeps later messages of the same channel back and no others.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, Final

import orjson

from gateway.database import DatabaseError
from gateway.realtime.changes.interface import Subscribed, SubscriptionRefused
from gateway.realtime.channels import policies
from gateway.realtime.channels.config import JoinConfig
from gateway.realtime.channels.policies import Rights
from gateway.realtime.channels.rooms import TEXT, Key
from gateway.realtime.errors import RealtimeError
from gateway.realtime.socket.connection import Socket
from gateway.realtime.socket.frames import BYTES, PREFIX, V2, Broadcast, Push, dump, message, payload_text, reply
from gateway.realtime.tokens import Token

if TYPE_CHECKING:
    from gateway.realtime.core import RealtimeCore

log = logging.getLogger("gateway.realtime")

RECHECK: Final = 300.0  # seconds between looks at a token
PRESENCE_PUSHES: Final = 5
PRESENCE_WINDOW: Final = 30.0
MANY: Final = 20  # messages that wait for an earlier one of their channel, before the socket is not read any more
LARGEST_PRESENCE: Final = 100_000  # bytes: every worker keeps it
ABOVE: Final = 500  # bytes of a broadcast beside its payload
NO_ACCESS: Final = "You no longer have permission to read from this Channel topic: {}"


class JoinedChannel:
    """One member of a room."""

    __slots__ = (
        "_busy", "_paused", "_presence_times", "_replayed", "_timer", "bindings", "config", "core", "ended", "hears",
        "join_ref", "joined", "key", "rights", "sees_presence", "socket", "subscribed", "token", "wire_topic",
    )  # fmt: skip

    def __init__(
        self, core: RealtimeCore, socket: Socket, wire_topic: str, join_ref: Any, config: JoinConfig, token: Token
    ) -> None:
        self.core = core
        self.socket = socket
        self.wire_topic = wire_topic
        self.join_ref = join_ref
        self.config = config
        self.token = token
        self.key: Key = (config.private, wire_topic[len(PREFIX) :])
        self.rights = Rights(True, None, None, None) if config.private else Rights()
        self.hears = True
        self.sees_presence = not config.private
        self.joined = False
        self.ended = False
        self.bindings: tuple[Any, ...] = ()
        self.subscribed = False
        self._busy: deque[Push] | None = None
        self._paused = False
        self._replayed: set[str] | None = None
        self._presence_times: tuple[float, ...] = ()
        self._timer: asyncio.TimerHandle | None = None

    # --- as a member ---------------------------------------------------------------------------------------------

    @property
    def topic(self) -> str:
        """Without `realtime:`."""
        return self.key[1]

    @property
    def role(self) -> str:
        return self.token.role

    @property
    def claims(self) -> str:
        return self.token.claims

    @property
    def gone(self) -> bool:
        return self.ended

    def has_had(self, id: str) -> bool:
        """Whether it got a row already, by replay; what comes while that is being read is noted."""
        if self._replayed is None:
            return False
        if id in self._replayed:
            return True
        if not self.joined:
            self._replayed.add(id)
        return False

    def collect(self) -> None:
        """From now on what is sent counts against what is replayed."""
        self._replayed = set()
        self.hears = True

    def system(self, extension: str, status: str, message: str) -> None:
        """Say something about the channel itself."""
        payload = {"extension": extension, "status": status, "message": message, "channel": self.topic}
        self.push("system", orjson.dumps(payload), self.join_ref)

    def push(self, event: str, payload: bytes, join_ref: Any = None, ref: Any = None) -> None:
        """Send a message to this member alone."""
        if not self.ended:
            self.socket.send(message(self.socket.version, join_ref, ref, self.wire_topic, event, payload))

    # --- life ----------------------------------------------------------------------------------------------------

    def begin(self, work: Awaitable[None]) -> None:
        """Do what has to be waited for; what comes meanwhile waits too."""
        self._busy = deque()
        self.core.run(self._finish(work))

    async def _finish(self, work: Awaitable[None] | None) -> None:
        waiting = self._busy
        assert waiting is not None
        try:
            while True:
                if work is not None:
                    await work
                if self.ended or not waiting:
                    break
                work = self._take(waiting.popleft())
        except Exception:
            log.exception("a channel failed")
            self.crash()
        finally:
            self._busy = None
            session = self.core.sessions.get(self.socket)
            if session is not None:
                for push in waiting:  # it has ended: they are for who comes after it, or for nobody
                    session.take(push)
            if self._paused:
                self._paused = False
                self.socket.release()

    def watch_token(self) -> None:
        """Look at the token when it ends, or every few minutes."""
        if self._timer is not None:
            self._timer.cancel()
        left = RECHECK if self.token.expires is None else min(RECHECK, self.token.expires - time.time() + 0.05)
        self._timer = asyncio.get_running_loop().call_later(max(left, 0.0), self.check_token)

    def check_token(self) -> None:
        """Look at the token now: one that is no good any more ends the channel."""
        if self.ended or not self.joined:
            return
        try:
            self.token = self.core.verifier.verify(self.token.text)
        except RealtimeError as error:
            self.fail(error.message)
        else:
            self.watch_token()

    def fail(self, text: str) -> None:
        """Say what is wrong with the channel, and end it for good."""
        if not self.ended:
            self.system("system", "error", text)
            self.close()

    def close(self) -> None:
        """End it: clients do not come back."""
        self._end("phx_close")

    def crash(self) -> None:
        """End it: clients come back."""
        self._end("phx_error")

    def _end(self, event: str) -> None:
        if not self.ended:
            frame = message(self.socket.version, self.join_ref, self.join_ref, self.wire_topic, event, b"{}")
            self.let_go()
            self.socket.send(frame)

    def let_go(self) -> None:
        """Leave everything, without a word."""
        if self.ended:
            return
        self.ended = True
        if self._timer is not None:
            self._timer.cancel()
        self.core.forget(self)

    # --- what comes ----------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether later messages wait for one that came before, such as the join itself."""
        return self._busy is not None

    def heard(self, push: Push) -> None:
        """A message of the client's on this channel."""
        if self._busy is not None:
            self._busy.append(push)
            if len(self._busy) > MANY and not self._paused:
                self._paused = True
                self.socket.hold()
            return
        work = self._take(push)
        if work is not None:
            self.begin(work)

    def _take(self, push: Push) -> Awaitable[None] | None:
        event = push.event
        if push.raw is not None or event == "broadcast":
            return self._broadcast(push)
        if event == "presence":
            return self._presence(push)
        if event == "access_token":
            return self._renew(push)
        if event == "phx_leave":
            self.answer(push, "ok")
            self.close()
        elif event == "phx_join":
            self.core.sessions[self.socket].join(push)
        return None

    def answer(self, push: Push, status: str, response: bytes = b"{}") -> None:
        if not self.ended:
            self.socket.send(reply(self.socket.version, push, status, response))

    # --- broadcast -----------------------------------------------------------------------------------------------

    def _broadcast(self, push: Push) -> Awaitable[None] | None:
        if self.config.private and self.rights.write_broadcast is not True:
            if self.rights.write_broadcast is False:
                self.core.refused += 1
                return None
            return self._ask_to_write(push)
        self._send(push)
        return None

    async def _ask_to_write(self, push: Push) -> None:
        self.rights.write_broadcast = await self._may_write(policies.BROADCAST)
        if self.rights.write_broadcast:
            self._send(push)
        else:
            self.core.refused += 1

    async def _may_write(self, extension: str) -> bool:
        try:
            return await self.core.policies.write(self.token, self.topic, self.socket.headers, extension)
        except DatabaseError as error:
            log.warning("RlsPolicyError: %s", error.message)
        except RealtimeError as error:
            log.warning("%s", error)
        return False

    def _send(self, push: Push) -> None:
        core = self.core
        if core.messages.exceeded:
            self.fail("Too many messages per second")
            return
        encoding, payload = (TEXT, payload_text(push.payload)) if push.raw is None else (push.encoding, push.raw)
        if payload is None or len(payload) > core.max_payload + ABOVE:
            core.refused += 1
            if self.config.ack:
                self.answer(push, "error")
            return
        core.messages.add()
        core.rooms.say(self.key, encoding, push.event, payload, sender=None if self.config.own_too else self)
        if self.config.ack:
            self.answer(push, "ok")

    # --- presence ------------------------------------------------------------------------------------------------

    def _presence(self, push: Push) -> Awaitable[None] | None:
        core, now = self.core, time.monotonic()
        self._presence_times = (*(at for at in self._presence_times if now - at < PRESENCE_WINDOW), now)
        core.presence_rate.add()
        if len(self._presence_times) > PRESENCE_PUSHES:
            self.fail("Client presence rate limit exceeded")
            return None
        if core.presence_rate.exceeded:
            self.fail("Too many presence messages per second")
            return None
        sent = push.payload if isinstance(push.payload, dict) else {}
        event = sent.get("event")
        word = event.lower() if isinstance(event, str) else None
        if "event" not in sent:
            self.answer(push, "ok")
        elif word == "untrack":
            core.presence.untrack(self.key, self)
            self.answer(push, "ok")
        elif word != "track":
            self.answer(push, "error")
        else:
            return self._track(push, sent.get("payload", {}))
        return None

    def _track(self, push: Push, payload: Any) -> Awaitable[None] | None:
        if not isinstance(payload, dict):
            self.answer(push, "error", b'{"reason":"Presence track payload must be a map"}')
            return None
        text = payload_text(payload)
        if text is None or len(text) > min(self.core.max_payload + ABOVE, LARGEST_PRESENCE):
            self.fail("Track message size exceeded")
            return None
        if self.config.private and (self.rights.write_presence is None or self.rights.read_presence is None):
            return self._ask_to_track(push, payload)
        self._do_track(push, payload)
        return None

    async def _ask_to_track(self, push: Push, payload: dict[str, Any]) -> None:
        if self.rights.write_presence is None:
            self.rights.write_presence = await self._may_write(policies.PRESENCE)
        if self.rights.read_presence is None:
            try:
                _, seen = await self.core.policies.read(self.token, self.topic, self.socket.headers, True)
            except RealtimeError:
                seen = False
            self.rights.read_presence = self.sees_presence = seen
        self._do_track(push, payload)

    def _do_track(self, push: Push, payload: dict[str, Any]) -> None:
        if self.ended:
            return
        if self.config.private and not self.rights.write_presence:
            self.answer(push, "error")
            return
        self.answer(push, "ok")
        self.core.presence.track(self.key, self, self.config.presence_key, payload)

    # --- token ---------------------------------------------------------------------------------------------------

    def _renew(self, push: Push) -> Awaitable[None] | None:
        text = push.payload.get("access_token") if isinstance(push.payload, dict) else None
        if text is None or text == self.token.text or (isinstance(text, str) and text.startswith("sb_")):
            return None
        try:
            token = self.core.verifier.verify(text if isinstance(text, str) else "")
        except RealtimeError as error:
            self.fail(error.message)
            return None
        self.token = token
        self.watch_token()
        return self._take_rights() if self.config.private or self.bindings else None

    async def _take_rights(self) -> None:
        """What the new token may: read rights are asked anew, those to write when they are needed."""
        if self.config.private:
            before = self.rights
            asked = before.read_presence is not None
            broadcast, presence = await self.core.policies.read(self.token, self.topic, self.socket.headers, asked)
            if not broadcast and not presence:
                self.fail(f"You do not have permissions to read from this Channel topic: {self.topic}")
                return
            if (before.read_broadcast and not broadcast) or (before.read_presence and not presence):
                self.fail(NO_ACCESS.format(self.topic))
                return
            self.rights = Rights(broadcast, presence if asked else None, None, None)
            self.hears, self.sees_presence = broadcast, presence
        if self.bindings and not self.ended:
            self.told(await self.core.changes.renew(self))

    # --- joining -------------------------------------------------------------------------------------------------

    def told(self, outcome: Subscribed | SubscriptionRefused) -> None:
        """What became of its subscription to changes."""
        self.subscribed = isinstance(outcome, Subscribed)
        self.system("postgres_changes", "ok" if self.subscribed else "error", outcome.message)

    def show_replayed(self, id: str, event: str, payload: bytes | None, binary: bytes | None) -> None:
        """Send what it missed."""
        if self._replayed is None or id in self._replayed:
            return
        self._replayed.add(id)
        meta = orjson.dumps({"replayed": True, "id": id})
        if payload is not None:
            text = b'{"event":%b,"payload":%b,"type":"broadcast","meta":%b}' % (dump(event), payload, meta)
            self.push("broadcast", text, self.join_ref)
        elif binary is not None and self.socket.version == V2:
            frame = Broadcast(self.wire_topic, event, binary, BYTES, meta).frame(V2)
            if frame is not None and not self.ended:
                self.socket.send(frame)
