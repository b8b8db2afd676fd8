"""Presence: states, diffs and limits, across serialisations and workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.realtime.conftest import Line, Realtime

Room = Callable[[], str]


def watching(key: str) -> dict[str, Any]:
    return {"presence": {"enabled": True, "key": key}}


def track(line: Line, topic: str, payload: Any, ref: str = "t") -> None:
    line.say(topic, "presence", {"type": "presence", "event": "track", "payload": payload}, ref=ref, join_ref="1")


def metas(payload: Any, key: str) -> list[dict[str, Any]]:
    return [{k: v for k, v in meta.items() if k != "phx_ref"} for meta in payload[key]["metas"]]


def test_a_track_is_seen_by_all_who_are_there_and_by_who_comes(realtime: Realtime, room: Room, version: int) -> None:
    topic = room()
    ann, bob = realtime.line(version), realtime.line()
    ann.joined(topic, watching("ann"))
    state = ann.hear()
    assert (state.event, state.payload, state.ref) == ("presence_state", {}, None)
    assert state.join_ref == ("1" if version == 2 else None)
    bob.joined(topic)  # presence is not enabled: diffs come all the same
    track(ann, topic, {"on": True})
    for line in (ann, bob):
        diff = line.until("presence_diff").payload
        assert set(diff) == {"joins", "leaves"}
        assert (metas(diff["joins"], "ann"), diff["leaves"]) == ([{"on": True}], {})
    cid = realtime.line().joined(topic, watching("cid"))
    assert metas(cid.until("presence_state").payload, "ann") == [{"on": True}]
    ann.say(topic, "phx_leave", {}, ref="9")
    diff = bob.until("presence_diff").payload
    assert (diff["joins"], metas(diff["leaves"], "ann")) == ({}, [{"on": True}])


def test_an_update_names_what_it_replaces(realtime: Realtime, room: Room) -> None:
    line, topic = realtime.line(), room()
    line.joined(topic, watching("a"))
    track(line, topic, {"n": 1})
    first = line.until("presence_diff").payload["joins"]["a"]["metas"][0]
    track(line, topic, {"n": 1})  # the same again is nothing new
    track(line, topic, {"n": 2, "phx_ref": "mine"})
    diff = line.until("presence_diff").payload
    (joined,), (left,) = diff["joins"]["a"]["metas"], diff["leaves"]["a"]["metas"]
    assert (joined["n"], joined["phx_ref_prev"]) == (2, first["phx_ref"])
    assert joined["phx_ref"] not in (first["phx_ref"], "mine")
    assert left["phx_ref"] == first["phx_ref"]


def test_two_of_one_key_are_two_metas(realtime: Realtime, room: Room) -> None:
    topic = room()
    one, two, seer = realtime.line(), realtime.line(1), realtime.line()
    for line in (one, two):
        line.joined(topic, watching("k"))
        track(line, topic, {})
        line.until("presence_diff")
    seer.joined(topic, watching("s"))
    assert len(seer.until("presence_state").payload["k"]["metas"]) == 2
    two.socket.close()
    diff = seer.until("presence_diff").payload
    assert len(diff["leaves"]["k"]["metas"]) == 1
    late = realtime.line().joined(topic, watching("l"))
    assert len(late.until("presence_state").payload["k"]["metas"]) == 1


@pytest.mark.parametrize(
    ("payload", "status", "response"),
    [
        ({"type": "presence", "event": "TRACK"}, "ok", {}),
        ({"type": "presence", "event": "untrack"}, "ok", {}),
        ({"type": "presence", "event": "dance"}, "error", {}),
        ({"type": "presence"}, "ok", {}),
        ({"event": "track", "payload": []}, "error", {"reason": "Presence track payload must be a map"}),
    ],
)
def test_every_push_is_answered(
    realtime: Realtime, room: Room, version: int, payload: dict[str, Any], status: str, response: dict[str, Any]
) -> None:
    line, topic = realtime.line(version), room()
    line.joined(topic)
    line.say(topic, "presence", payload, ref="7")
    reply = line.until("phx_reply")
    assert (reply.ref, reply.payload) == ("7", {"status": status, "response": response})


def test_the_sixth_push_in_half_a_minute_ends_the_channel(realtime: Realtime, room: Room) -> None:
    line, topic = realtime.line(), room()
    line.joined(topic)
    for n in range(6):
        line.say(topic, "presence", {"event": "untrack"}, ref=str(n))
    assert [line.hear().ref for _ in range(5)] == ["0", "1", "2", "3", "4"]
    assert line.hear().payload["message"] == "Client presence rate limit exceeded"
    assert line.hear().event == "phx_close"
