"""Broadcasts over the socket and by HTTP: who gets what, in which form, across serialisations and workers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.realtime.conftest import Line, Realtime

Room = Callable[[], str]
SAID = {"type": "broadcast", "event": "hi", "payload": {"n": 1}, "more": [None]}


def pair(realtime: Realtime, version: int = 2, config: Any = None) -> tuple[Line, Line]:
    return realtime.line(version), realtime.line(2)


def test_text_reaches_the_other_members_unchanged_and_not_the_sender(
    realtime: Realtime, room: Room, version: int
) -> None:
    topic = room()
    sender, one, two = realtime.line(version), realtime.line(1), realtime.line(2)
    for line in (sender, one, two):
        line.joined(topic)
    sender.say(topic, "broadcast", SAID)
    for line in (one, two):
        heard = line.hear()
        assert (heard.event, heard.payload, heard.ref, heard.join_ref) == ("broadcast", SAID, None, None)
    assert sender.silent()


@pytest.mark.parametrize("own", [True, "TRUE", False])
@pytest.mark.parametrize("ack", [True, False])
def test_one_s_own_copy_and_the_answer_come_where_they_were_asked_for(
    realtime: Realtime, room: Room, version: int, own: object, ack: bool
) -> None:
    line, topic = realtime.line(version), room()
    line.joined(topic, {"broadcast": {"self": own, "ack": ack}})
    line.say(topic, "broadcast", SAID, ref="5", join_ref="1")
    expected = {"broadcast"} if own else set()
    expected |= {"phx_reply"} if ack else set()
    heard = {(message := line.hear()).event: message for _ in expected}
    assert set(heard) == expected
    if ack:
        assert (heard["phx_reply"].ref, heard["phx_reply"].payload) == ("5", {"status": "ok", "response": {}})
    assert line.silent()


def test_a_binary_frame_of_json_is_binary_to_the_new_and_text_to_the_old(realtime: Realtime, room: Room) -> None:
    topic = room() + "-żółć"
    sender, old, new = realtime.line(), realtime.line(1), realtime.line()
    for line in (sender, old, new):
        line.joined(topic)
    sender.push(topic, "ęvent", b'{"n": 1}')
    assert new.hear().raw == ("ęvent", "", 1, b'{"n": 1}')
    assert old.hear().payload == {"event": "ęvent", "payload": {"n": 1}, "type": "broadcast"}


def test_bytes_reach_the_new_alone(realtime: Realtime, room: Room) -> None:
    topic = room()
    sender, old, new = realtime.line(), realtime.line(1), realtime.line()
    sender.joined(topic, {"broadcast": {"self": True, "ack": True}})
    for line in (old, new):
        line.joined(topic)
    sender.push(topic, "raw", bytes(range(256)), 0, ref="77")
    assert new.hear().raw == ("raw", "", 0, bytes(range(256)))
    events = [sender.hear(), sender.hear()]
    assert [event.ref for event in events if event.event == "phx_reply"] == ["77"]
    assert old.silent()


def test_order_is_kept(realtime: Realtime, room: Room) -> None:
    topic = room()
    sender, hearer = realtime.line(), realtime.line(1)
    for line in (sender, hearer):
        line.joined(topic)
    for n in range(200):
        sender.say(topic, "broadcast", {"event": "n", "payload": n})
    assert [hearer.hear().payload["payload"] for _ in range(200)] == list(range(200))


def test_a_large_broadcast_is_dropped_and_said_so(realtime: Realtime, room: Room) -> None:
    line, topic = realtime.line(), room()
    line.joined(topic, {"broadcast": {"ack": True, "self": True}})
    line.push(topic, "big", b'"' + b"x" * 3_000_600 + b'"', ref="9")
    assert line.hear().payload["status"] == "error"
    line.push(topic, "large", b'"' + b"x" * 2_999_000 + b'"', ref="10")
    assert {line.hear().event, line.hear().event} == {"phx_reply", "broadcast"}


# --- by HTTP ------------------------------------------------------------------------------------------------------


def test_a_batch_reaches_members_of_both_serialisations(realtime: Realtime, room: Room, version: int) -> None:
    line, topic = realtime.line(version), room()
    line.joined(topic)
    name = topic.removeprefix("realtime:")
    response = realtime.post(
        "/api/broadcast",
        json={
            "messages": [
                {"topic": name, "event": "e", "payload": {"a": 1}, "id": "x"},
                {"topic": name, "event": "f", "payload": {}},
            ]
        },
    )
    assert (response.status_code, response.content) == (202, b"")
    assert {"x-rate-rolling", "x-rate-limit", "x-rate-limit-remaining"} <= set(response.headers)
    assert line.hear().payload == {"event": "e", "payload": {"a": 1}, "type": "broadcast", "meta": {"id": "x"}}
    assert line.hear().payload == {"event": "f", "payload": {}, "type": "broadcast"}


@pytest.mark.parametrize(
    ("body", "status", "expected"),
    [
        ({}, 422, {"errors": {"messages": ["can't be blank"]}}),
        ({"messages": []}, 422, {"errors": {"messages": ["can't be blank"]}}),
        (
            {"messages": [{"topic": "a"}, {"topic": "a", "event": "e", "payload": {}}]},
            422,
            {"errors": {"messages": [{"payload": ["can't be blank"], "event": ["can't be blank"]}, {}]}},
        ),
        (
            {"messages": [{"topic": "a", "event": "e", "payload": 7}]},
            422,
            {"errors": {"messages": [{"payload": ["is invalid"]}]}},
        ),
        (
            {"messages": [{"topic": "a", "event": "e", "payload": {"x": "y" * 3_001_000}}]},
            422,
            {"errors": {"messages": [{"payload": ["Payload size exceeds tenant limit"]}]}},
        ),
    ],
    ids=["nothing", "none", "missing fields", "no object", "too large"],
)
def test_a_batch_with_a_fault_is_refused_whole(
    realtime: Realtime, body: dict[str, Any], status: int, expected: dict[str, Any]
) -> None:
    response = realtime.post("/api/broadcast", json=body)
    assert (response.status_code, response.json()) == (status, expected)


def test_a_single_message_keeps_its_form(realtime: Realtime, room: Room) -> None:
    old, new, topic = realtime.line(1), realtime.line(), room() + "/a b"
    for line in (old, new):
        line.joined(topic)
    path = "/api/broadcast/" + topic.removeprefix("realtime:").replace("/", "%2F").replace(" ", "%20") + "/events/e%2F1"
    assert realtime.post(path, json={"a": 1}).status_code == 202
    assert old.hear().payload == {"event": "e/1", "payload": {"a": 1}, "type": "broadcast"}
    heard = new.hear().raw
    assert heard is not None and (heard[0], heard[2], json.loads(heard[3])) == ("e/1", 1, {"a": 1})
    assert realtime.post(path, json=[1]).status_code == 202
    assert old.hear().payload["payload"] == {"_json": [1]}
    new.hear()
    octets = {"content-type": "application/octet-stream"}
    assert realtime.post(path, content=b"\0\1", headers=octets).status_code == 202
    assert new.hear().raw == ("e/1", "", 0, b"\0\1")
    assert old.silent()


def test_refusals_by_http(realtime: Realtime) -> None:
    path = "/api/broadcast/a/events/e"
    refused = realtime.post(path, content=b"x", headers={"content-type": "text/plain"})
    assert (refused.status_code, refused.json()) == (
        415,
        {"error": "Unsupported Media Type. Use application/json or application/octet-stream"},
    )
    refused = realtime.post(path, json={}, headers={"apikey": "sb_publishable_nobody"})
    assert (refused.status_code, refused.json()) == (401, {"message": "Unauthorized"})
    refused = realtime.post(path, json={"x": "y" * 3_001_000})
    assert (refused.status_code, refused.json()) == (
        422,
        {"errors": {"payload": ["Payload size exceeds tenant limit"]}},
    )
    refused = realtime.post(f"{path}?private=true", json={})
    assert (refused.status_code, refused.json()) == (403, {"message": "Unauthorized"})
    batch = {"messages": [{"topic": "a", "event": "e", "payload": {}, "private": True}]}
    assert realtime.post("/api/broadcast", json=batch).status_code == 202
    assert realtime.post("/api/nothing").status_code == 404


def test_a_browser_may_ask_from_any_origin(realtime: Realtime) -> None:
    import httpx

    asked = httpx.options(
        f"{realtime.url}/realtime/v1/api/broadcast",
        headers={"origin": "https://elsewhere", "access-control-request-method": "POST",
                 "access-control-request-headers": "apikey,authorization,content-type"},
    )  # fmt: skip
    assert asked.status_code == 204
    assert asked.headers["access-control-allow-origin"] == "*"
    assert "authorization" in asked.headers["access-control-allow-headers"]
    ping = httpx.get(f"{realtime.url}/realtime/v1/api/ping", headers={"origin": "https://elsewhere"})
    assert (ping.json(), ping.headers["access-control-allow-origin"]) == ({"message": "Success"}, "*")
