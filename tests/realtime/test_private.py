"""Private channels: policies on realtime.messages decide, in the role and with the claims of the channel's token."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.fixtures.server import LiveGateway
from tests.realtime.conftest import Realtime

Room = Callable[[], str]
SAID = {"type": "broadcast", "event": "hi", "payload": {"n": 1}}
PRIVATE = {"private": True}
ANN = "11111111-1111-4111-8111-111111111111"

POLICIES = """
create policy "readers" on realtime.messages for select to authenticated using (
  (realtime.topic() like 'read:%' or realtime.topic() like 'both:%') and extension = 'broadcast'
  or realtime.topic() like 'seen:%' and extension = 'presence'
  or realtime.topic() like 'both:%'
  or realtime.topic() = 'of:' || (select auth.uid())::text
  or realtime.topic() = 'header' and current_setting('request.headers', true)::json ->> 'x-pass' = 'yes'
  or realtime.topic() = 'broken' and 1 / (length(realtime.topic()) - 6) > 0
);
create policy "writers" on realtime.messages for insert to authenticated with check (
  realtime.topic() like 'both:%' or realtime.topic() like 'write:%' and realtime.messages.extension = 'broadcast'
);
"""


@pytest.fixture(scope="module", autouse=True)
def policies(running: LiveGateway) -> None:
    from gateway.database import SyncConnection

    with SyncConnection(running.database_url) as connection:
        connection.script(POLICIES)


def name(kind: str) -> str:
    return f"realtime:{kind}:{time.monotonic_ns()}"


def refused(topic: str) -> dict[str, object]:
    said = (
        f"Unauthorized: You do not have permissions to read from this Channel topic: {topic.removeprefix('realtime:')}"
    )
    return {"status": "error", "response": {"reason": said}}


def test_who_may_not_read_is_refused(realtime: Realtime, version: int) -> None:
    line = realtime.line(version)
    for kind in ("nothing", "write", "seen"):
        topic = name(kind)
        assert line.join(topic, PRIVATE, token=realtime.token()).payload == refused(topic)
    topic = name("read")
    assert line.join(topic, PRIVATE).payload == refused(topic)  # anon
    assert line.join("realtime:broken", PRIVATE, token=realtime.token()).payload == refused("realtime:broken")


def test_who_may_read_hears_who_may_write(realtime: Realtime) -> None:
    topic = name("both")
    sender, hearer = realtime.line(), realtime.line(1)
    ack = {"private": True, "broadcast": {"ack": True}}
    for line in (sender, hearer):
        line.joined(topic, ack, token=realtime.token())
    sender.say(topic, "broadcast", SAID, ref="4")
    assert sender.hear().ref == "4"
    assert hearer.hear().payload == SAID
    quiet = name("read")
    for line in (sender, hearer):
        line.joined(quiet, ack, token=realtime.token())
    sender.say(quiet, "broadcast", SAID, ref="5")
    assert sender.silent()
    assert hearer.silent()


def test_a_public_room_of_the_same_name_is_another(realtime: Realtime) -> None:
    topic = name("both")
    inside, outside, sender = realtime.line(), realtime.line(), realtime.line()
    inside.joined(topic, PRIVATE, token=realtime.token())
    outside.joined(topic)
    sender.joined(topic, PRIVATE, token=realtime.token())
    sender.say(topic, "broadcast", SAID)
    assert inside.hear().payload == SAID
    assert outside.silent()
    outside.say(topic, "broadcast", SAID)
    assert inside.silent()


def test_claims_and_headers_are_seen_by_policies(realtime: Realtime) -> None:
    line = realtime.line(headers={"x-pass": "yes"})
    line.joined(f"realtime:of:{ANN}", PRIVATE, token=realtime.token(sub=ANN))
    topic = "realtime:of:22222222-2222-4222-8222-222222222222"
    assert line.join(topic, PRIVATE, token=realtime.token(sub=ANN)).payload == refused(topic)
    line.joined("realtime:header", PRIVATE, token=realtime.token())
    assert realtime.line().join("realtime:header", PRIVATE, token=realtime.token()).payload["status"] == "error"


def test_the_service_role_passes(realtime: Realtime) -> None:
    topic = name("nothing")
    line, other = realtime.line(key=realtime.gateway.secret_key), realtime.line(key=realtime.gateway.secret_key)
    for each in (line, other):
        each.joined(topic, PRIVATE)
    line.say(topic, "broadcast", SAID)
    assert other.hear().payload == SAID


def test_presence_has_rights_of_its_own(realtime: Realtime) -> None:
    topic = name("seen")
    line = realtime.line()
    line.joined(topic, {"private": True, "presence": {"enabled": True, "key": "a"}}, token=realtime.token())
    assert line.until("presence_state").payload == {}
    line.say(topic, "presence", {"type": "presence", "event": "track", "payload": {}}, ref="6")
    reply = line.hear()
    assert (reply.ref, reply.payload) == ("6", {"status": "error", "response": {}})
    realtime.post(
        "/api/broadcast", json={"messages": [{"topic": topic[9:], "event": "e", "payload": {}, "private": True}]},
        headers={"apikey": realtime.gateway.secret_key},
    )  # fmt: skip
    assert line.silent()


def test_by_http_the_right_to_write_is_asked_too(realtime: Realtime) -> None:
    topic = name("both")
    line = realtime.line().joined(topic, PRIVATE, token=realtime.token())
    bearer = {"authorization": f"bearer {realtime.token()}"}
    path = f"/api/broadcast/{topic[9:]}/events/e?private=true"
    assert realtime.post(path, json={"a": 1}, headers=bearer).status_code == 202
    assert line.hear().raw is not None
    assert realtime.post(path, json={}).status_code == 403
    assert realtime.post("/api/broadcast/read/events/e?private=true", json={}, headers=bearer).status_code == 403


# --- tokens -------------------------------------------------------------------------------------------------------


def test_a_new_token_is_taken_and_asked_about(realtime: Realtime) -> None:
    topic = f"realtime:of:{ANN}"
    line = realtime.line().joined(topic, PRIVATE, token=realtime.token(sub=ANN))
    for ignored in (None, "sb_publishable_x"):
        line.say(topic, "access_token", {"access_token": ignored})
    line.say(topic, "access_token", {"access_token": realtime.token(sub=ANN, more=1)})
    assert line.silent()
    line.say(topic, "access_token", {"access_token": realtime.token(sub="22222222-2222-4222-8222-222222222222")})
    said, closed = line.hear(), line.hear()
    assert said.payload == {
        "extension": "system",
        "status": "error",
        "message": f"You do not have permissions to read from this Channel topic: of:{ANN}",
        "channel": f"of:{ANN}",
    }
    assert (closed.event, closed.join_ref, closed.ref) == ("phx_close", "1", "1")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("malformed", "The token provided is not a valid JWT"),
        ("empty", "The token provided is not a valid JWT"),
        ("expired", "Token has expired 60 seconds ago"),
        ("roleless", "Fields `role` and `exp` are required in JWT"),
    ],
)
def test_a_bad_token_ends_the_channel_and_not_the_socket(
    realtime: Realtime, room: Room, version: int, kind: str, words: str
) -> None:
    tokens = {
        "malformed": "nonsense",
        "empty": "",
        "expired": realtime.token(seconds=-60),
        "roleless": realtime.token(role=""),
    }
    line, topic = realtime.line(version), room()
    line.joined(topic)
    line.say(topic, "access_token", {"access_token": tokens[kind]})
    said = line.hear()
    assert (said.event, said.payload["status"]) == ("system", "error")
    assert words in said.payload["message"] or (kind == "expired" and "Token has expired 6" in said.payload["message"])
    assert line.hear().event == "phx_close"
    line.joined(topic)


def test_a_join_with_a_bad_token_is_refused_by_name(realtime: Realtime, room: Room) -> None:
    line = realtime.line()
    for token, reason in (
        ("nonsense", "MalformedJWT: The token provided is not a valid JWT"),
        (realtime.token(role=""), "InvalidJWTToken: Fields `role` and `exp` are required in JWT"),
    ):
        assert line.join(room(), token=token).payload == {"status": "error", "response": {"reason": reason}}
    reply = line.join(room(), token=realtime.token(seconds=-7200))
    assert reply.payload["response"]["reason"].startswith("InvalidJWTToken: Token has expired 720")
    line.joined(room(), token="sb_publishable_whatever")  # the socket's own key stands in


def test_a_token_that_ends_ends_its_channel_alone(realtime: Realtime, room: Room) -> None:
    line, topic, other = realtime.line(), room(), room()
    line.joined(other)
    line.joined(topic, token=realtime.token(seconds=2))
    said = line.hear()
    assert said.payload["message"] == "Token has expired 0 seconds ago"
    assert line.hear().event == "phx_close"
    line.say(other, "phx_leave", {}, ref="8")
    assert line.hear().ref == "8"


# --- messages of the database --------------------------------------------------------------------------------------


def test_the_database_sends_after_commit_in_order(realtime: Realtime, version: int) -> None:
    topic = name("both")
    line = realtime.line(version).joined(topic, PRIVATE, token=realtime.token())
    bare = topic[9:]
    realtime.sql(f"begin; select realtime.send('{{}}', 'lost', '{bare}'); rollback")
    sends = "; ".join(f"select realtime.send('{{\"n\": {n}}}', 'e', '{bare}')" for n in range(50))
    realtime.sql(f"begin; {sends}; commit")
    import json

    found = []
    for _ in range(50):
        heard = line.hear()
        if version == 2:
            assert heard.raw is not None and json.loads(heard.raw[1])["id"]
            found.append(json.loads(heard.raw[3])["n"])
        else:
            assert heard.payload["meta"]["id"] == heard.payload["payload"]["id"]
            found.append(heard.payload["payload"]["n"])
    assert found == list(range(50))


def test_public_messages_bytes_and_plain_inserts_are_sent_too(realtime: Realtime, room: Room) -> None:
    topic = room()
    old, new = realtime.line(1).joined(topic), realtime.line(2).joined(topic)
    bare = topic[9:]
    realtime.sql(f"select realtime.send_binary('\\x0102', 'e', '{bare}', false)")
    heard = new.hear().raw
    assert heard is not None and (heard[0], heard[2], heard[3]) == ("e", 0, b"\1\2")
    realtime.sql(
        "insert into realtime.messages (topic, extension, payload, event, private)"
        f" values ('{bare}', 'broadcast', '{{\"a\": 1}}', 'plain', false)"
    )
    assert old.hear().payload["payload"] == {"a": 1}
    assert new.hear().raw is not None


def test_a_trigger_broadcasts_changes_of_a_table(realtime: Realtime) -> None:
    realtime.sql(
        """
        create table public.todos_b (id int primary key, title text);
        create function public.tell_todos() returns trigger language plpgsql as $$
        begin
          perform realtime.broadcast_changes(
            'both:todos', tg_op, tg_op, tg_table_name, tg_table_schema, new, old
          );
          return null;
        end $$;
        create trigger t after insert or update or delete on public.todos_b
          for each row execute function public.tell_todos();
        """
    )
    line = realtime.line(1).joined("realtime:both:todos", PRIVATE, token=realtime.token())
    realtime.sql("insert into public.todos_b values (1, 'a'); update public.todos_b set title = 'b'")
    first, second = line.hear().payload, line.hear().payload
    assert first["event"] == "INSERT"
    assert {key: value for key, value in first["payload"].items() if key != "id"} == {
        "schema": "public",
        "table": "todos_b",
        "operation": "INSERT",
        "record": {"id": 1, "title": "a"},
        "old_record": None,
    }
    assert second["payload"]["old_record"] == {"id": 1, "title": "a"}


# --- replay --------------------------------------------------------------------------------------------------------


def test_what_was_missed_is_replayed_oldest_first_and_marked(realtime: Realtime, version: int) -> None:
    topic = name("both")
    bare = topic[9:]
    since = int(time.time() * 1000) - 60_000
    sends = "; ".join(f"select realtime.send('{{\"n\": {n}}}', 'e', '{bare}')" for n in range(5))
    realtime.sql(f"begin; {sends}; commit")
    line = realtime.line(version)
    config = {"private": True, "broadcast": {"replay": {"since": since, "limit": 3}}}
    line.joined(topic, config, token=realtime.token())
    heard = [line.hear() for _ in range(3)]
    assert [each.payload["payload"]["n"] for each in heard] == [2, 3, 4]
    assert all(each.payload["meta"]["replayed"] is True and each.payload["type"] == "broadcast" for each in heard)
    assert {each.join_ref for each in heard} == ({"1"} if version == 2 else {None})
    again = realtime.line(version)
    again.joined(topic, {"private": True, "broadcast": {"replay": {"since": since}}}, token=realtime.token())
    assert [again.hear().payload["payload"]["n"] for _ in range(5)] == list(range(5))
    assert again.silent()  # none comes twice, though a notice of it may come late


@pytest.mark.parametrize("replay", [{}, {"since": "x"}, {"since": 1, "limit": "x"}, {"limit": 3}, {"since": 1.5}, True])
def test_replay_is_refused_where_it_is_not_valid(realtime: Realtime, replay: object) -> None:
    line = realtime.line()
    config = {"private": True, "broadcast": {"replay": replay}}
    reply = line.join(name("both"), config, token=realtime.token())
    assert reply.payload["response"] == {"reason": "UnableToReplayMessages: Replay params are not valid"}
    reply = line.join(name("both"), {"broadcast": {"replay": replay}}, token=realtime.token())
    assert reply.payload["response"] == {"reason": "UnableToReplayMessages: Replay is not allowed for public channels"}


def test_replication_ready_is_said(realtime: Realtime) -> None:
    topic = name("both")
    line = realtime.line().joined(
        topic, {"private": True, "broadcast": {"replication_ready": True}}, token=realtime.token()
    )
    assert line.until("system").payload == {
        "extension": "system",
        "status": "ok",
        "message": "Replication connection established",
        "channel": topic[9:],
    }
