"""What a client may send that means no good: frames of any kind, in any pieces, more at once than can be looked at."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed
from websockets.frames import Opcode

from gateway.realtime.socket.connection import PIECE, SMALL, Socket, Unfinished
from gateway.realtime.socket.frames import MOST_PARTS, Push
from tests.realtime.conftest import Realtime

Room = Callable[[], str]
HEARTBEAT = b'[null,"1","phoenix","heartbeat",{}]'


class Pipe(asyncio.Transport):
    """A transport that notes what is written, and never gets rid of it."""

    def __init__(self) -> None:
        super().__init__()
        self.written = 0
        self.reads = True
        self.closed = False

    def write(self, data: Any) -> None:
        self.written += len(data)

    def get_write_buffer_size(self) -> int:
        return self.written

    def pause_reading(self) -> None:
        assert self.reads
        self.reads = False

    def resume_reading(self) -> None:
        assert not self.reads
        self.reads = True

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True


class Hearing:
    """A session that notes what it hears."""

    def __init__(self) -> None:
        self.heard_of: list[Push] = []
        self.over = False

    def heard(self, push: Push) -> None:
        self.heard_of.append(push)

    def ended(self) -> None:
        self.over = True


def opened(
    unfinished: Unfinished | None = None, version: int = 2, queue: int = 100_000
) -> tuple[Socket, Pipe, Hearing]:
    socket = Socket(version, queue, "", "", None, unfinished or Unfinished())
    pipe, hearing = Pipe(), Hearing()
    socket.connection_made(pipe)
    socket.session = hearing
    return socket, pipe, hearing


def frame(data: bytes, opcode: Opcode = Opcode.TEXT, fin: bool = True) -> bytes:
    """As a client would, with a mask of zeros; also what no client may send."""
    size = len(data)
    head = bytes([fin << 7 | opcode])
    if size < 126:
        return head + bytes([128 | size, 0, 0, 0, 0]) + data
    if size < 65_536:
        return head + bytes([128 | 126]) + size.to_bytes(2, "big") + bytes(4) + data
    return head + bytes([128 | 127]) + size.to_bytes(8, "big") + bytes(4) + data


async def feed(socket: Socket, pipe: Pipe, data: bytes, size: int = 262_144) -> int:
    """Hand over bytes as the system does, never while nothing is to be read; the turns that it took."""
    turns = 0
    for at in range(0, len(data), size):
        socket.data_received(data[at : at + size])
        while not pipe.reads and not pipe.closed:
            turns += 1
            await asyncio.sleep(0)
    return turns


def run(work: Awaitable[Any]) -> Any:
    async def main() -> Any:
        return await work

    return asyncio.run(main())


FRAMES = st.builds(
    frame,
    st.binary(max_size=200) | st.sampled_from([HEARTBEAT, b"[]", b"\x03\x01\x01\x01\x01\x00\x011", b"\xff\xfe"]),
    st.sampled_from([Opcode.TEXT, Opcode.BINARY, Opcode.CONT, Opcode.PING, Opcode.PONG, Opcode.CLOSE]),
    st.booleans(),
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(FRAMES | st.binary(max_size=50), max_size=12), st.integers(1, 80), st.sampled_from([1, 2]))
def test_any_frames_in_any_pieces_end_in_messages_or_a_close(pieces: list[bytes], size: int, version: int) -> None:
    async def work() -> None:
        unfinished = Unfinished()
        socket, pipe, hearing = opened(unfinished, version)
        await feed(socket, pipe, b"".join(pieces), size)
        assert all(isinstance(push.topic, str) and isinstance(push.event, str) for push in hearing.heard_of)
        assert hearing.over is socket.closing
        if not socket.closing:
            socket.connection_lost(None)
        assert unfinished.kept == 0

    run(work())


@pytest.mark.parametrize(
    "one",
    [frame(HEARTBEAT), frame(b""), frame(b"", Opcode.PONG), frame(b"[]"), frame(b"\x00", Opcode.BINARY)],
    ids=["heartbeats", "empty", "pongs", "no messages", "no broadcasts"],
)
def test_others_have_their_turn_while_a_client_sends_thousands_of_frames_at_once(one: bytes) -> None:
    async def work() -> tuple[int, int]:
        socket, pipe, hearing = opened()
        return await feed(socket, pipe, one * (262_144 // len(one))), len(hearing.heard_of)

    turns, heard = run(work())
    assert turns > 3
    assert heard == (262_144 // len(one) if one == frame(HEARTBEAT) else 0)


def test_frames_without_end_are_one_message_that_has_a_size() -> None:
    async def work() -> None:
        socket, pipe, hearing = opened()
        await feed(socket, pipe, frame(b'["', fin=False) + frame(b"", Opcode.CONT, False) * 20_000)
        assert not socket.closing
        await feed(socket, pipe, frame(b"x" * 100_000, Opcode.CONT, False) * 60)
        assert socket.closing and hearing.over

    run(work())


def test_who_does_not_read_the_answers_to_pings_is_let_go() -> None:
    async def work() -> None:
        socket, pipe, _ = opened()
        socket.pause_writing()  # as the transport does above its mark
        await feed(socket, pipe, frame(b"x" * 100, Opcode.PING) * 2_000)
        assert socket.slow and socket.closing
        assert pipe.written < 100_000 + 2 * PIECE

    run(work())


def test_messages_that_never_end_share_a_bound() -> None:
    async def work() -> None:
        unfinished = Unfinished(1_000_000)
        many = [opened(unfinished) for _ in range(40)]
        small, pipe, hearing = opened(unfinished)
        await feed(small, pipe, frame(HEARTBEAT)[:-5])
        for socket, each, _ in many:
            await feed(socket, each, frame(b"x" * 60_000, fin=False) + frame(b"x" * 60_000, Opcode.CONT, False))
        assert unfinished.kept <= 1_000_000
        left = [socket for socket, _, _ in many if not socket.closing]
        assert 0 < len(left) < 10
        await feed(small, pipe, frame(HEARTBEAT)[-5:])  # who has a small part of it goes on
        assert [push.event for push in hearing.heard_of] in (["heartbeat"], [])
        assert not small.closing
        for socket in left:
            socket.connection_lost(None)
        assert unfinished.kept < SMALL

    run(work())


def test_a_socket_that_is_held_takes_nothing_and_then_all_of_it() -> None:
    async def work() -> None:
        socket, pipe, hearing = opened()
        socket.hold()
        assert not pipe.reads
        socket.data_received(frame(HEARTBEAT) * 3)
        await asyncio.sleep(0)
        assert hearing.heard_of == []
        socket.release()
        while not pipe.reads:
            await asyncio.sleep(0)
        assert len(hearing.heard_of) == 3

    run(work())


# --- against a gateway -----------------------------------------------------------------------------------------------

DEEP = "[" * 300 + "]" * 300
LONG = "x" * 100_000


@pytest.mark.parametrize(
    "said",
    [
        '[{"a":1},"1","phoenix","heartbeat",{}]',
        f'["{LONG}","1","phoenix","heartbeat",{{}}]',
        f'[null,{DEEP},"phoenix","heartbeat",{{}}]',
        f'[null,"1","realtime:x","broadcast",[{"[]," * MOST_PARTS}1]]',
        "[" * 200_000,
        f'[null,"1","realtime:{LONG}","{LONG}",{{}}]',
        '[null,1e400,"phoenix","heartbeat",{}]',
        '[null,"\\ud800","phoenix","heartbeat",{}]',
    ],
    ids=["ref object", "ref long", "ref deep", "parts", "brackets", "topic long", "infinity", "half a pair"],
)
def test_a_message_that_costs_too_much_is_dropped_and_the_socket_stays(realtime: Realtime, said: str) -> None:
    line = realtime.line()
    line.socket.send(said)
    line.say("phoenix", "heartbeat", {}, ref="after")
    while line.hear().ref != "after":
        pass


def test_what_is_too_deep_to_be_said_again_is_refused_by_name(realtime: Realtime, room: Room) -> None:
    line, topic = realtime.line(), room()
    deep = json.loads(DEEP)
    answer = line.join(topic, {"postgres_changes": [{"table": deep}]})
    assert answer.payload["response"] == {"reason": "InvalidJoinPayload: Topic or join are too long"}
    line.joined(topic, {"broadcast": {"ack": True}})
    line.say(topic, "broadcast", {"event": "e", "payload": deep}, ref="b")
    assert line.until("phx_reply").payload["status"] == "error"
    line.say(topic, "presence", {"event": "track", "payload": {"x": deep}})
    assert line.until("system").payload["message"] == "Track message size exceeded"
    sent = realtime.post("/api/broadcast", json={"messages": [{"topic": "t", "event": "e", "payload": {"x": deep}}]})
    assert sent.status_code == 422


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(["\0", "public", "*", "id=eq.1", "id=in.(", "a\0b", "true", "%", "sb_x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
BINDINGS = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(("event", "schema", "table", "filter", "select", "since", "other"), JSON_VALUES),
)
CONFIGS = st.fixed_dictionaries(
    {},
    optional={
        "private": JSON_VALUES,
        "broadcast": JSON_VALUES | st.fixed_dictionaries({}, optional={"ack": JSON_VALUES, "replay": JSON_VALUES}),
        "presence": JSON_VALUES | st.fixed_dictionaries({}, optional={"key": JSON_VALUES, "enabled": JSON_VALUES}),
        "postgres_changes": JSON_VALUES | st.lists(BINDINGS, min_size=1, max_size=2),
    },
)


def test_any_join_is_answered_and_the_socket_stays(realtime: Realtime, version: int) -> None:
    line = realtime.line(version)

    @settings(
        max_examples=int(os.environ.get("HOSTILE_JOINS", "60")), deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(st.text(max_size=6), JSON_VALUES | CONFIGS.map(lambda config: {"config": config}), JSON_VALUES)
    def check(name: str, payload: Any, said: Any) -> None:
        topic = f"realtime:{name}"
        line.say(topic, "phx_join", payload, ref="j", join_ref="j")
        while line.hear().ref != "j":
            pass
        for event in ("broadcast", "presence", "access_token", "phx_leave", "phx_leave"):
            line.say(topic, event, said, ref="p")
        line.say("phoenix", "heartbeat", said, ref="h")
        while line.hear().ref != "h":
            pass

    check()


def test_a_flood_of_joins_and_leaves_is_answered_each(realtime: Realtime, room: Room) -> None:
    line, topic = realtime.line(), room()
    for number in range(100):
        line.say(topic, "phx_join", {}, ref=f"j{number}", join_ref=f"j{number}")
        line.say(topic, "phx_leave", {}, ref=f"l{number}")
    answered: set[Any] = set()
    while len(answered) < 200:
        heard = line.hear()
        if heard.event == "phx_reply":
            answered.add(heard.ref)
    line.joined(topic)


def test_a_protocol_that_is_broken_ends_the_socket_alone(realtime: Realtime, room: Room) -> None:
    line, other = realtime.line(), realtime.line().joined(topic := room())
    line.joined(topic)
    line.socket.socket.sendall(b"\xff" * 1_000)
    with pytest.raises(ConnectionClosed):
        while True:
            line.hear()
    other.say("phoenix", "heartbeat", {}, ref="1")
    assert other.until("phx_reply").ref == "1"
