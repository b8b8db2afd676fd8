"""A join, from what it asks for to its reply and what follows (contract, section 6)."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Any, Final

import orjson

from gateway.realtime.changes.interface import Subscribed, SubscriptionRefused
from gateway.realtime.channels import replay
from gateway.realtime.channels.channel import JoinedChannel
from gateway.realtime.channels.policies import Rights
from gateway.realtime.errors import RealtimeError, unauthorized
from gateway.realtime.socket.frames import Push, message, reply

if TYPE_CHECKING:
    from gateway.realtime.channels.session import ChannelSession
    from gateway.realtime.core import RealtimeCore

log = logging.getLogger("gateway.realtime")

LIVE: Final = 1.0  # seconds that the reply waits for a subscription to be live
ESTABLISHED: Final = "Replication connection established"
NOT_ESTABLISHED: Final = "Replication connection was not established in time"
LONGEST: Final = 60.0


async def join(
    core: RealtimeCore, session: ChannelSession, channel: JoinedChannel, push: Push, former: JoinedChannel | None
) -> None:
    """Answer a join whose token is valid. `former` was joined on the same topic of this socket."""
    socket = channel.socket
    missed: list[replay.StoredMessage] = []
    try:
        wanted = await _prepare(core, channel)
    except RealtimeError as error:
        _drop(session, channel)
        session.refuse(push, error)
        _close_former(channel, former)
        return
    except Exception:
        log.exception("a join failed")
        _drop(session, channel)
        socket.send(reply(socket.version, push, "error", b'{"reason":"Unknown Error on Channel"}'))
        _close_former(channel, former)
        return
    if channel.ended:
        core.rooms.leave(channel.key, channel)
        return
    subscribing, bound = await _subscribe(core, channel)
    if wanted is not None:
        channel.collect()
        try:
            missed = await replay.read(core.db, channel.topic, wanted)
        except RealtimeError as error:
            _drop(session, channel)
            session.refuse(push, error)
            _close_former(channel, former)
            return
    if channel.ended:
        core.rooms.leave(channel.key, channel)
        return
    channel.joined = True
    channel.answer(push, "ok", b'{"postgres_changes":%b}' % orjson.dumps(bound))
    _close_former(channel, former)
    channel.hears = channel.rights.read_broadcast
    core.joins += 1
    channel.watch_token()
    for each in missed:
        channel.show_replayed(each.id, each.event, each.payload, each.binary)
    if channel.config.presence and channel.rights.read_presence:
        channel.push("presence_state", core.presence.state(channel.key), channel.join_ref)
    channel.sees_presence = not channel.config.private or bool(channel.rights.read_presence)
    if subscribing is not None:
        if subscribing.done():
            _tell(channel, subscribing)
        else:
            subscribing.add_done_callback(lambda done: _tell(channel, done))
    if channel.config.replication_ready:
        core.run(_establish(core, channel))


async def _subscribe(
    core: RealtimeCore, channel: JoinedChannel
) -> tuple[asyncio.Future[Subscribed | SubscriptionRefused] | None, list[dict[str, Any]]]:
    """Its bindings with their ids, and what will become of its subscription."""
    if not channel.config.bindings:
        return None, []
    channel.bindings = channel.config.bindings
    ids = core.changes.ids(channel.bindings)
    bound = [{**binding, "id": id} for binding, id in zip(channel.bindings, ids, strict=True)]
    subscribing = asyncio.ensure_future(core.subscribe(channel))
    await asyncio.wait((subscribing,), timeout=LIVE)
    return subscribing, bound


async def _prepare(core: RealtimeCore, channel: JoinedChannel) -> replay.Wanted | None:
    """Rights, what is to be replayed, and the room. Raises RealtimeError."""
    config = channel.config
    await core.ready()
    if config.private:
        broadcast, presence = await core.policies.read(
            channel.token, channel.topic, channel.socket.headers, config.presence
        )
        if not broadcast and not presence:
            raise unauthorized(channel.topic)
        channel.rights = Rights(broadcast, presence if config.presence else None, None, None)
    wanted = replay.parse(config.replay, config.private)
    if wanted is not None and not channel.rights.read_broadcast:
        raise unauthorized(channel.topic)
    if config.presence:
        await core.presence.ready()
    channel.sees_presence = False  # what comes before its reply is in its presence_state
    channel.hears = False
    await core.rooms.enter(channel.key, channel)
    return wanted


def _drop(session: ChannelSession, channel: JoinedChannel) -> None:
    channel.let_go()
    if session.channels.get(channel.wire_topic) is channel:
        del session.channels[channel.wire_topic]


def _close_former(channel: JoinedChannel, former: JoinedChannel | None) -> None:
    if former is not None:
        socket = channel.socket
        join_ref = former.join_ref
        socket.send(message(socket.version, join_ref, join_ref, channel.wire_topic, "phx_close", b"{}"))


def _tell(channel: JoinedChannel, done: asyncio.Future[Subscribed | SubscriptionRefused]) -> None:
    if not channel.ended and not done.cancelled():
        channel.told(done.result())


async def _establish(core: RealtimeCore, channel: JoinedChannel) -> None:
    """Say when messages of the database flow."""
    until = time.monotonic() + LONGEST
    while not channel.ended:
        if core.stored_flow():
            channel.system("system", "ok", ESTABLISHED)
            return
        if time.monotonic() > until:
            channel.fail(NOT_ESTABLISHED)
            return
        await asyncio.sleep(0.5)
