"""The socket: what is let in, heartbeats, joins and leaves, in both serialisations."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.realtime.conftest import Realtime

Room = Callable[[], str]


def test_a_heartbeat_is_answered_whatever_its_ref(realtime: Realtime, version: int) -> None:
    line = realtime.line(version)
    line.say("phoenix", "heartbeat", {}, ref="7")
    reply = line.hear()
    assert (reply.topic, reply.event, reply.ref) == ("phoenix", "phx_reply", "7")
    assert reply.payload == {"status": "ok", "response": {}}
    line.socket.send(
        '[null,null,"phoenix","heartbeat",{}]'
        if version == 2
        else '{"topic":"phoenix","event":"heartbeat","payload":{},"ref":null}'
    )
    assert line.hear().ref is None


def test_a_join_is_answered_and_so_is_a_leave(realtime: Realtime, room: Room, version: int) -> None:
    line, topic = realtime.line(version), room()
    reply = line.join(topic, join_ref="3")
    assert reply.payload == {"status": "ok", "response": {"postgres_changes": []}}
    assert (reply.topic, reply.ref) == (topic, "3")
    assert reply.join_ref == ("3" if version == 2 else None)
    line.say(topic, "phx_leave", {}, ref="9", join_ref="3")
    left, closed = line.hear(), line.hear()
    assert (left.event, left.ref, left.payload["status"]) == ("phx_reply", "9", "ok")
    assert (closed.event, closed.payload, closed.ref) == ("phx_close", {}, "3")
    line.say(topic, "phx_leave", {}, ref="10")
    assert line.hear().payload == {"status": "ok", "response": {}}


@pytest.mark.parametrize(
    ("topic", "event", "reason"),
    [
        ("realtime:", "phx_join", "TopicNameRequired: You must provide a topic name"),
        ("other:room", "phx_join", "unmatched topic"),
        ("realtime:nobody", "broadcast", "unmatched topic"),
        ("phoenix", "other", "unmatched topic"),
    ],
)
def test_what_is_for_nobody_is_refused(realtime: Realtime, version: int, topic: str, event: str, reason: str) -> None:
    line = realtime.line(version)
    line.say(topic, event, {}, ref="1", join_ref="1")
    assert line.hear().payload == {"status": "error", "response": {"reason": reason}}


@pytest.mark.parametrize(
    "said", ["", "{", "[]", "[1,2,3,4]", '"x"', "7", "null", '{"topic":"a"}', "[1,2,3,4,5]", "[[]]"]
)
def test_what_cannot_be_read_is_dropped_and_the_socket_stays(realtime: Realtime, version: int, said: str) -> None:
    line = realtime.line(version)
    line.socket.send(said)
    line.socket.send(b"\x03\x01")
    line.socket.send(bytes((0, 1, 1, 1, 1)))
    line.say("phoenix", "heartbeat", {}, ref="1")
    assert line.hear().ref == "1"


def test_a_second_join_ends_the_first_one_behind_its_reply(realtime: Realtime, room: Room) -> None:
    line, topic = realtime.line(), room()
    line.joined(topic, join_ref="1")
    reply = line.join(topic, join_ref="5")
    assert (reply.ref, reply.payload["status"]) == ("5", "ok")
    closed = line.hear()
    assert (closed.event, closed.join_ref, closed.ref) == ("phx_close", "1", "1")
    other = realtime.line().joined(topic)
    other.say(topic, "broadcast", {"type": "broadcast", "event": "hi", "payload": {}})
    assert line.hear().event == "broadcast"
    assert line.silent()


@pytest.mark.parametrize(
    ("query", "status", "error"),
    [
        ("", 401, "API key is missing"),
        ("apikey=x", 401, "The token provided is not a valid JWT"),
        ("apikey=sb_publishable_x", 401, "The token provided is not a valid JWT"),
        ("apikey={key}&vsn=3.0.0", 403, None),
        ("apikey={expired}", 401, "Token has expired"),
        ("apikey={roleless}", 401, "Fields `role` and `exp` are required in JWT"),
        ("apikey={forged}", 401, "Failed to validate JWT signature"),
    ],
)
def test_an_upgrade_is_refused_in_the_contract_s_words(
    realtime: Realtime, query: str, status: int, error: str | None
) -> None:
    import jwt

    values = {
        "key": realtime.gateway.publishable_key,
        "expired": realtime.token(seconds=-5),
        "roleless": realtime.token(role=""),
        "forged": jwt.encode({"role": "anon", "exp": 2**32}, "another secret of more than 32 letters", "HS256"),
    }
    headers = {
        "connection": "upgrade",
        "upgrade": "websocket",
        "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "sec-websocket-version": "13",
    }
    response = httpx.get(f"{realtime.url}/realtime/v1/websocket?{query.format(**values)}", headers=headers)
    assert response.status_code == status
    assert (response.json() if response.content else None) == (None if error is None else {"error": error})
    assert response.headers["x-request-id"]


def test_the_key_may_come_as_a_header_and_a_key_of_the_secret_kind_too(realtime: Realtime) -> None:
    line = realtime.line(key="", headers={"x-api-key": realtime.gateway.secret_key})
    line.say("phoenix", "heartbeat", {})
    assert line.hear().event == "phx_reply"
    with pytest.raises(InvalidStatus):
        realtime.line(key="nonsense")


def test_a_message_in_pieces_is_one(realtime: Realtime) -> None:
    line = realtime.line()
    line.socket.send(["[null,", '"1","phoe', 'nix","heartbeat",{}]'])
    assert line.hear().ref == "1"


def test_too_long_a_message_ends_the_socket(realtime: Realtime) -> None:
    line = realtime.line()
    line.socket.send(["x" * 3_000_000, "x" * 3_000_000])
    with pytest.raises(ConnectionClosed) as closed:
        line.hear()
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009
