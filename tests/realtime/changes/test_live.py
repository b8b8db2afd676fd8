"""Changes through a running gateway of two workers, in both serialisations, and what it survives."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from gateway.database import SyncConnection
from tests.fixtures.server import ROOT, LiveGateway
from tests.realtime.conftest import Line, Realtime

COUNT = int(os.environ.get("CHAOS_CHANGES", "300"))  # `make chaos` has more of them
TABLES = """
create table public.todos (id bigint primary key, owner text, title text);
alter table public.todos enable row level security;
create policy own on public.todos for select to authenticated using (owner = auth.jwt() ->> 'sub');
grant select on public.todos to anon, authenticated, service_role;
create table public.open (id bigint primary key, title text);
grant select on public.open to anon;
grant all on public.open to service_role;
alter publication supabase_realtime add table public.todos, public.open;
"""


@pytest.fixture(scope="module", autouse=True)
def tables(running: LiveGateway) -> None:
    with SyncConnection(running.database_url) as connection:
        connection.script(TABLES)


def listen(line: Line, topic: str, *bindings: dict[str, Any], token: str | None = None) -> list[int]:
    """Join with bindings and wait until changes flow; the ids."""
    reply = line.join(topic, {"postgres_changes": list(bindings)}, token=token)
    assert reply.payload["status"] == "ok", reply.payload
    said = reply.payload["response"]["postgres_changes"]
    assert [{key: each[key] for key in each if key != "id"} for each in said] == list(bindings)
    system = line.until("system")
    assert system.payload == {
        "extension": "postgres_changes",
        "status": "ok",
        "message": "Subscribed to PostgreSQL",
        "channel": topic.removeprefix("realtime:"),
    }
    return [each["id"] for each in said]


def test_a_change_reaches_a_channel(realtime: Realtime, version: int, room: Callable[[], str]) -> None:
    topic = room()
    line = realtime.line(version)
    binding = {"event": "INSERT", "schema": "public", "table": "open", "filter": "title=eq.x"}
    (id,) = listen(line, topic, binding)
    realtime.sql("delete from open; insert into open values (1, 'y'), (2, 'x')")
    heard = line.until("postgres_changes")
    assert (heard.topic, heard.ref, heard.join_ref) == (topic, None, None)
    assert heard.payload["ids"] == [id]
    data = heard.payload["data"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", data.pop("commit_timestamp"))
    assert data == {
        "schema": "public",
        "table": "open",
        "type": "INSERT",
        "columns": [{"name": "id", "type": "int8"}, {"name": "title", "type": "text"}],
        "record": {"id": 2, "title": "x"},
        "errors": None,
    }


def test_a_binding_that_cannot_be_is_told_and_the_channel_stays(realtime: Realtime, room: Callable[[], str]) -> None:
    topic = room()
    line = realtime.line()
    line.joined(
        topic, {"postgres_changes": [{"event": "*", "schema": "public", "table": "nope"}], "broadcast": {"self": True}}
    )
    refused = line.until("system").payload
    assert refused["status"] == "error" and "Please check Realtime is enabled" in refused["message"]
    line.say(topic, "broadcast", {"type": "broadcast", "event": "e", "payload": {}})
    assert line.until("broadcast").payload["event"] == "e"


def test_policies_hold_on_every_worker(realtime: Realtime, room: Callable[[], str]) -> None:
    people = [f"user{number}" for number in range(8)]
    lines = {}
    for person in people:
        lines[person] = realtime.line()
        binding = {"event": "INSERT", "schema": "public", "table": "todos"}
        listen(lines[person], room(), binding, token=realtime.token(sub=person))
    values = ", ".join(f"({1000 + number}, '{person}')" for number, person in enumerate(people))
    realtime.sql(f"insert into todos (id, owner) values {values}")
    for number, person in enumerate(people):
        assert lines[person].until("postgres_changes").payload["data"]["record"]["id"] == 1000 + number
    for line in lines.values():
        assert line.silent()


def test_a_token_of_another_user_changes_what_is_heard(realtime: Realtime, room: Callable[[], str]) -> None:
    topic, line = room(), realtime.line()
    listen(line, topic, {"event": "INSERT", "schema": "public", "table": "todos"}, token=realtime.token(sub="ann"))
    line.say(topic, "access_token", {"access_token": realtime.token(sub="bob")})
    assert line.until("system").payload["message"] == "Subscribed to PostgreSQL"
    realtime.sql("insert into todos (id, owner) values (2001, 'ann'), (2002, 'bob')")
    assert line.until("postgres_changes").payload["data"]["record"]["id"] == 2002


def reading(gateway: LiveGateway) -> int:
    """The process that reads the log."""
    question = (
        "select split_part(application_name, ' ', 4) from pg_stat_replication"
        " join pg_replication_slots on active_pid = pid where database = current_database()"
    )
    with SyncConnection(gateway.database_url) as connection:
        ((pid,),) = connection.rows(question)
    return int(pid or 0)


def test_promise_67_the_worker_that_reads_is_killed_and_who_stays_connected_misses_nothing(
    realtime: Realtime, room: Callable[[], str]
) -> None:
    lines = [realtime.line() for _ in range(8)]
    for line in lines:
        listen(line, room(), {"event": "INSERT", "schema": "public", "table": "open"})
    realtime.sql("delete from open")
    victim = reading(realtime.gateway)

    def write() -> None:
        with SyncConnection(realtime.gateway.database_url) as connection:
            for number in range(1, COUNT + 1):
                connection.script(f"insert into open values ({number})")
                if number == COUNT // 3:
                    os.kill(victim, signal.SIGKILL)

    writing = threading.Thread(target=write)
    writing.start()
    stayed = 0
    for line in lines:
        got: list[int] = []
        try:
            while len(got) < COUNT:
                got.append(line.until("postgres_changes", 30).payload["data"]["record"]["id"])
        except Exception as error:
            assert "ConnectionClosed" in type(error).__name__, error
            continue
        stayed += 1
        assert got == list(range(1, COUNT + 1))
    writing.join()
    assert stayed


def run_client(gateway: LiveGateway, *command: str) -> list[Any]:
    """What an official client was told."""
    keys = {"URL": gateway.url, "KEY": gateway.publishable_key, "SECRET": gateway.secret_key}
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **keys}, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    told: list[Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return told


def test_the_official_client_of_javascript_hears_changes(realtime: Realtime) -> None:
    # Beside the packages that it imports.
    script = ROOT / "supabase-compat" / f"changes-{os.getpid()}.mjs"
    shutil.copy(ROOT / "tests" / "realtime" / "changes" / "client.mjs", script)
    try:
        told = run_client(realtime.gateway, "node", "--experimental-websocket", str(script))
    finally:
        script.unlink()
    assert [each for each in told if each[0] != "filtered"] == [
        ["INSERT", {"id": 9001, "title": "x"}, {}, None],
        ["UPDATE", {"id": 9001, "title": "y"}, {"id": 9001}, None],
        ["DELETE", {}, {"id": 9001}, None],
    ]
    assert ["filtered", {"id": 9001, "title": "x"}] in told


def test_the_official_client_of_python_hears_changes(realtime: Realtime) -> None:
    told = run_client(realtime.gateway, sys.executable, str(ROOT / "tests" / "realtime" / "changes" / "client.py"))
    assert told == [["INSERT", {"id": 9002, "title": "x"}, None, None], ["DELETE", None, {"id": 9002}, None]]


def test_the_command_says_who_is_told_of_a_change(realtime: Realtime) -> None:
    realtime.sql("insert into todos values (7001, 'ann', 'x')")
    claims = json.dumps({"sub": "bob"})
    said = realtime.gateway.command(
        "explain", "CHANGE", "todos?id=eq.7001", "--as", "authenticated", "--claims", claims
    )
    assert said.returncode == 0, said.stderr
    assert "authenticated does not see the row: it is not told" in said.stdout
