"""The channels of one socket: what a client says goes to the channel that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gateway.realtime import errors
from gateway.realtime.channels.channel import JoinedChannel
from gateway.realtime.channels.config import parse
from gateway.realtime.channels.joining import join
from gateway.realtime.errors import RealtimeError
from gateway.realtime.socket.connection import Socket
from gateway.realtime.socket.frames import PREFIX, Push, dump, payload_text, reply

if TYPE_CHECKING:
    from gateway.realtime.core import RealtimeCore

GOING_AWAY: Final = 1001
LONGEST_TOPIC: Final = 2_000  # characters: it is kept for as long as the channel is joined, as its bindings are
LARGEST_JOIN: Final = 100_000  # bytes, with token and bindings


class ChannelSession:
    """What is joined on a socket, by topic."""

    __slots__ = ("_core", "channels", "empty_since", "socket")

    def __init__(self, core: RealtimeCore, socket: Socket) -> None:
        self._core = core
        self.socket = socket
        self.channels: dict[str, JoinedChannel] = {}
        self.empty_since = 0.0  # when the last channel was left; 0 before the first and while there are some

    def ended(self) -> None:
        """The socket is gone, and with it its channels."""
        self._core.slow += self.socket.slow
        if self._core.sessions.pop(self.socket, None) is not None and not self.socket.transport.is_closing():
            self._core.closing.add(self.socket)  # until the client has closed its side too
        for channel in list(self.channels.values()):
            channel.let_go()
        self.channels.clear()

    def heard(self, push: Push) -> None:
        """A message of the client's."""
        self._core.messages_in += 1
        self.take(push)

    def take(self, push: Push) -> None:
        """To the channel that it is for; behind what came before it on the same topic, a join too."""
        if push.topic == "phoenix":
            if push.event == "heartbeat":
                self.socket.send(reply(self.socket.version, push, "ok", joined=False))
            else:
                self._unmatched(push)
            return
        channel = self.channels.get(push.topic)
        joins = push.event == "phx_join" and push.raw is None
        if joins and (channel is None or not channel.busy):
            self.join(push)
        elif channel is not None:
            channel.heard(push)
        elif push.event == "phx_leave":
            self.socket.send(reply(self.socket.version, push, "ok"))
        else:
            self._unmatched(push)

    def _unmatched(self, push: Push) -> None:
        self.socket.send(reply(self.socket.version, push, "error", b'{"reason":"unmatched topic"}', joined=False))

    def join(self, push: Push) -> None:
        """Join a topic, in place of a channel that is joined on it."""
        if not push.topic.startswith(PREFIX):
            self._unmatched(push)
            return
        core = self._core
        try:
            if len(push.topic) == len(PREFIX):
                raise RealtimeError(*errors.NO_TOPIC)
            sent = payload_text(push.payload)
            if sent is None or len(sent) > LARGEST_JOIN or len(push.topic) > LONGEST_TOPIC:
                raise RealtimeError(*errors.TOO_LARGE)
            config = parse(push.payload)
            core.admit(self, push.topic, config)
            text = config.token
            if text is None or text.startswith("sb_"):
                text = self.socket.key
            channel = JoinedChannel(core, self.socket, push.topic, push.join_ref, config, core.verifier.verify(text))
        except RealtimeError as error:
            self.refuse(push, error)
            return
        former = self.channels.get(push.topic)
        if former is not None:
            # It makes room at once; its `phx_close` comes behind the reply to the new join.
            former.let_go()
        self.channels[push.topic] = channel
        self.empty_since = 0.0
        channel.begin(join(core, self, channel, push, former))

    def refuse(self, push: Push, error: RealtimeError) -> None:
        """Answer a join that cannot be."""
        self._core.joins_refused += 1
        self.socket.send(reply(self.socket.version, push, "error", b'{"reason":%b}' % dump(error.reason)))
        if error.code == errors.TOO_MANY_JOINS[0]:
            self.socket.close(GOING_AWAY)
