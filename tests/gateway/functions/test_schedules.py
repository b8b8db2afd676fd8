"""Calls that are made later: by schedules, after changes of tables, by webhooks; each stored before it is made."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from functions_runner.types import FunctionConfig, FunctionConfigError
from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.database import Database, SyncConnection
from gateway.functions.schedules import Schedule, read_schedule
from gateway.jobs.function_schedules import MOST, Planner
from tests.fixtures.db import Server, clone
from tests.fixtures.server import LiveGateway, start_gateway
from tests.gateway.functions.conftest import wait_for

NOW = datetime(2026, 3, 1, 12, 0, 0, 500_000, tzinfo=UTC)


def config(schedule: str, timezone: str = "UTC", **more: Any) -> FunctionConfig:
    return FunctionConfig("tick", Path("/none/tick"), schedule=schedule, timezone=timezone, **more)


# --- times -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schedule", "zone", "expected"),
    [
        ("*/5 * * * *", "UTC", "2026-03-01T12:05:00+00:00"),
        ("1 second", "UTC", "2026-03-01T12:00:01+00:00"),
        ("45 seconds", "UTC", "2026-03-01T12:00:45+00:00"),
        ("0 9 * * mon", "Europe/Berlin", "2026-03-02T08:00:00+00:00"),
        ("0 0 $ * *", "UTC", "2026-03-31T00:00:00+00:00"),
        ("0 0 1 jan *", "America/New_York", "2027-01-01T05:00:00+00:00"),
        ("@daily", "Asia/Tokyo", "2026-03-01T15:00:00+00:00"),
    ],
)
def test_the_next_time_of_a_schedule(schedule: str, zone: str, expected: str) -> None:
    found = read_schedule(config(schedule, zone))
    assert found is not None and found.after(NOW).isoformat() == expected


@pytest.mark.parametrize(
    ("schedule", "zone"),
    [("* * * *", "UTC"), ("* * * * * *", "UTC"), ("60 * * * *", "UTC"), ("0 seconds", "UTC"), ("60 seconds", "UTC"),
     ("often", "UTC"), ("0 0 31 2 *", "UTC"), ("* * * * *", "Mars/Olympus"), ("* * * * *", "../UTC")],
)  # fmt: skip
def test_a_schedule_that_cannot_be_meant_is_refused(schedule: str, zone: str) -> None:
    with pytest.raises(FunctionConfigError):
        read_schedule(config(schedule, zone))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["*/7 * * * *", "30 2 * * *", "0,30 1-3 * * *", "15 * * * sun", "13 seconds"]),
    st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]),
    st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)),
    st.integers(1, 200_000),
)
def test_times_are_the_same_wherever_one_begins_to_count(text: str, zone: str, begin: datetime, seconds: int) -> None:
    """Two workers that began at other moments, or one that was started anew, mean the same times."""
    schedule = Schedule(text, zone)
    begin = begin.replace(tzinfo=UTC)
    until = begin + timedelta(seconds=seconds)
    whole = schedule.between(begin, until, 10**6)
    assert whole == sorted(set(whole)) and all(begin < time <= until for time in whole)
    if whole:
        middle = whole[len(whole) // 2]
        assert schedule.between(middle, until, 10**6) == [time for time in whole if time > middle]


def test_a_change_of_clocks_neither_loses_nor_doubles_a_day() -> None:
    schedule = Schedule("0 12 * * *", "Europe/Berlin")
    found = schedule.between(datetime(2026, 3, 20, tzinfo=UTC), datetime(2026, 4, 5, tzinfo=UTC), 100)
    local = [time.astimezone(ZoneInfo("Europe/Berlin")) for time in found]
    assert [time.hour for time in local] == [12] * 16 and len({time.date() for time in local}) == 16


@pytest.mark.parametrize(
    ("schedule", "zone", "day", "expected"),
    [
        ("30 2 * * *", "Europe/Berlin", "2026-03-29", ["01:30"]),  # 02:30 is left out, 03:30 is the moment
        ("30 2 * * *", "Europe/Berlin", "2026-10-25", ["00:30"]),  # 02:30 comes twice
        ("0 * * * *", "Europe/Berlin", "2026-10-25", ["00:00", "01:00", "02:00"]),
        ("0 * * * *", "Europe/Berlin", "2026-03-29", ["00:00", "01:00", "02:00"]),
        ("*/20 * * * *", "Australia/Lord_Howe", "2026-10-03", ["15:10", "15:40", "16:00"]),  # by half an hour
    ],
)
def test_a_change_of_clocks_has_its_rules(schedule: str, zone: str, day: str, expected: list[str]) -> None:
    begin = datetime.fromisoformat(f"{day}T{expected[0]}+00:00") - timedelta(seconds=1)
    found = Schedule(schedule, zone).between(begin, begin + timedelta(hours=2, minutes=1), 100)
    assert [time.strftime("%H:%M") for time in found][: len(expected)] == expected


# --- storing ---------------------------------------------------------------------------------------------------------


def plan(database_url: str, functions: list[FunctionConfig], *moments: datetime) -> None:
    """A worker that looks at these moments."""

    async def scenario() -> None:
        database = Database(database_url, size=1, application_name="test")
        clock = iter(moments)
        now = [next(clock)]
        planner = Planner(database, lambda: functions, lambda: now[0])
        try:
            await planner.read()
            await planner.store()
            for moment in clock:
                now[0] = moment
                await planner.store()
        finally:
            await database.close()

    asyncio.run(scenario())


def begin(connection: SyncConnection, at: datetime) -> None:
    connection.rows("insert into jobs.function_schedules values ('tick', '1 second', 'UTC', $1)", at.isoformat())


def test_each_time_is_stored_once_by_whichever_worker(database_url: str, connection: SyncConnection) -> None:
    begin(connection, NOW)
    moments = [NOW + timedelta(seconds=second) for second in range(0, 21, 4)]
    for _ in range(3):
        plan(database_url, [config("1 second")], *moments)
    found = connection.rows("select count(*), count(distinct slot), min(state), max(state) from jobs.function_calls")
    assert found == [("20", "20", "waiting", "waiting")]
    jobs = "select count(*) from jobs.procrastinate_jobs where task_name = 'functions.call'"
    assert connection.rows(jobs) == [("20",)]


def test_what_nobody_was_there_for_is_made_up_for_as_far_as_it_says(
    database_url: str, connection: SyncConnection
) -> None:
    begin(connection, NOW)
    later = NOW + timedelta(hours=1)
    plan(database_url, [config("1 second", catch_up=30)], later)
    counts = connection.rows("select state, count(*) from jobs.function_calls group by state order by state")
    assert counts == [("missed", "1"), ("waiting", "30")]
    plan(database_url, [config("1 second", catch_up=100_000)], later + timedelta(hours=2))
    assert connection.rows("select count(*) from jobs.function_calls where state = 'waiting'") == [(str(30 + MOST),)]


def test_what_was_paused_is_not_made_up_for(database_url: str, connection: SyncConnection) -> None:
    begin(connection, NOW)
    connection.script("update jobs.function_schedules set paused = true")
    plan(database_url, [config("1 second")], NOW + timedelta(seconds=5))
    assert connection.rows("select count(*) from jobs.function_calls") == [("0",)]


def test_a_new_schedule_begins_now(database_url: str, connection: SyncConnection) -> None:
    plan(database_url, [config("1 second")], datetime.now(UTC))
    plan(database_url, [config("*/5 * * * *")], datetime.now(UTC))
    assert connection.rows("select schedule from jobs.function_schedules") == [("*/5 * * * *",)]
    assert int(str(connection.rows("select count(*) from jobs.function_calls")[0][0])) <= 1


# --- the whole -------------------------------------------------------------------------------------------------------

TICK = (
    "import os\n\n\nasync def handle(request):\n    body = await request.json()\n"
    "    print('CALL', body.get('slot'), request.headers['x-call-id'], flush=True)\n"
    "    return 'ok'\n"
)
FAILS = "async def handle(request):\n    return 'no use', 400\n"
FLAKY = (
    "seen = []\n\n\nasync def handle(request):\n    seen.append(1)\n"
    "    print('ROW', (await request.body()).decode(), flush=True)\n"
    "    return ('later', 503) if len(seen) == 1 else 'ok'\n"
)


@pytest.fixture(scope="module")
def live(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveGateway]:
    """A gateway with its job worker and functions of these tests."""
    root = tmp_path_factory.mktemp("later") / "functions"
    for name, text, more in (
        ("tick", TICK, 'schedule = "1 second"\n'),
        ("fails", FAILS, ""),
        ("guarded", FLAKY, "verify_jwt = true\n"),
    ):
        (root / name).mkdir(parents=True)
        (root / name / "main.py").write_text(text)
        settings = more if "verify_jwt" in more else f"verify_jwt = false\n{more}"
        (root / name / "function.toml").write_text(settings)
    database = f"later_{os.getpid()}"
    with server.admin() as admin:
        admin.script(clone(database, template))
    extra = {"FUNCTIONS_DIR": str(root), "PGRST_ADMIN_SERVER_PORT": "0"}
    running = start_gateway(server.database(database), root.parent / "data", "dev", extra)
    yield running
    running.stop()
    with server.admin() as admin:
        admin.script(f'drop database if exists "{database}" with (force)')


@pytest.fixture
def database(live: LiveGateway) -> Iterator[SyncConnection]:
    with SyncConnection(live.database_url) as connection:
        yield connection


def command(live: LiveGateway, *words: str) -> str:
    import subprocess
    import sys

    env = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", "functions", *words],
        env={**env, "GATEWAY_DATA_DIR": str(live.data_dir)},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def log(live: LiveGateway, name: str) -> str:
    path = live.data_dir / "functions" / "logs" / f"{name}.log"
    return path.read_text() if path.exists() else ""


def value(database: SyncConnection, text: str, *values: str) -> str | None:
    return database.rows(text, *values)[0][0]


def test_a_schedule_calls_its_function_each_time_once(live: LiveGateway, database: SyncConnection) -> None:
    done = "select count(*) from jobs.function_calls where target = 'tick' and state = 'succeeded'"
    wait_for(lambda: int(value(database, done) or 0) >= 4)
    slots = [line.split("CALL ")[1].split()[0] for line in log(live, "tick").splitlines() if "CALL 2" in line]
    assert len(slots) == len(set(slots)) >= 3
    row = json.loads(command(live, "schedule", "list", "--json"))[0]
    assert (row["function"], row["paused"], row["state"]) == ("tick", False, "succeeded") or row["state"] == "waiting"
    assert row["next"]


def test_a_schedule_is_paused_run_by_hand_and_resumed(live: LiveGateway, database: SyncConnection) -> None:
    command(live, "schedule", "pause", "tick")
    waiting = "select count(*) from jobs.function_calls where target = 'tick' and state = 'waiting'"
    wait_for(lambda: value(database, waiting) == "0")
    id = command(live, "schedule", "run", "tick").split()[-1]
    wait_for(lambda: value(database, "select state from jobs.function_calls where id = $1", id) == "succeeded")
    assert f" {id}" in log(live, "tick")
    assert "paused" in command(live, "schedule", "list")
    command(live, "schedule", "resume", "tick")
    assert "paused" not in command(live, "schedule", "list")


def test_a_changed_row_calls_a_function_after_the_commit_and_again_until_it_takes_it(
    live: LiveGateway, database: SyncConnection
) -> None:
    database.script("create table public.orders (id int primary key, word text)")
    database.script("select gateway.on_change('public.orders', 'guarded', '{insert,delete}')")
    for text in (
        "begin; insert into public.orders values (1, 'undone')",
        "rollback",
        "insert into public.orders values (2, 'kept')",
        "update public.orders set word = 'quiet'",
    ):
        database.script(text)
    settled = "select state || attempts from jobs.function_calls where target = 'guarded'"
    wait_for(lambda: [row[0] for row in database.rows(settled)] == ["succeeded2"])
    seen = [json.loads(line)["text"] for line in log(live, "guarded").splitlines() if "ROW" in line]
    body = json.loads(seen[0].removeprefix("ROW "))
    assert body.pop("record") == {"id": 2, "word": "kept"}
    assert body == {"type": "INSERT", "table": "orders", "schema": "public", "old_record": None}
    assert len(seen) == 2 and seen[0] == seen[1]
    database.script("delete from public.orders")
    wait_for(lambda: len(database.rows(settled)) == 2 and log(live, "guarded").count("ROW") == 3)
    database.script("select gateway.off_change('public.orders', 'guarded'); insert into public.orders values (3, 'x')")
    assert len(database.rows(settled)) == 2


def test_a_call_that_is_given_up_alarms_until_it_is_seen_to(live: LiveGateway, database: SyncConnection) -> None:
    id = command(live, "schedule", "run", "fails").split()[-1]
    wait_for(lambda: value(database, "select state from jobs.function_calls where id = $1", id) == "dead")
    assert "no use" in command(live, "calls", "fails", "--dead")
    troubles = "select detail from jobs.troubles_of_calls() where subject = 'fails'"
    assert "functions retry" in str(value(database, troubles))
    command(live, "retry", id)
    wait_for(lambda: value(database, "select state from jobs.function_calls where id = $1", id) == "dead")
    assert "1 calls" in command(live, "dismiss", "fails")
    assert database.rows(troubles) == []


@pytest.fixture(scope="module")
def listener() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server that webhooks are sent to, and what it got; its first answer is a failure."""
    got: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            got.append({"path": self.path, "headers": dict(self.headers), "body": body})
            self.send_response(500 if len(got) == 1 else 200)
            self.end_headers()

        do_GET = do_POST

        def log_message(self, *_: Any) -> None:
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{running.server_address[1]}", got
    running.shutdown()
    running.server_close()


def test_a_webhook_as_hosted_projects_have_it_is_sent_until_it_is_taken(
    live: LiveGateway, database: SyncConnection, listener: tuple[str, list[dict[str, Any]]]
) -> None:
    url, got = listener
    headers = json.dumps({"Content-Type": "application/json", "x-mine": "1"})
    arguments = f"'{url}/hook', 'POST', '{headers}', '{json.dumps({'a': 'b c'})}', '5000'"
    database.script("create table public.parcels (id int primary key, word text)")
    database.script(
        "create trigger tell after insert or update or delete on public.parcels for each row"
        f" execute function supabase_functions.http_request({arguments})"
    )
    database.script("insert into public.parcels values (1, 'a')")
    wait_for(lambda: len(got) == 2)
    first, again = got
    assert first["path"] == "/hook?a=b+c" or first["path"] == "/hook?a=b%20c"
    seen = {name.lower(): text for name, text in first["headers"].items()}
    assert (seen["x-mine"], seen["content-type"]) == ("1", "application/json")
    body = json.loads(first["body"])
    assert (body["type"], body["table"], body["record"], body["old_record"]) == (
        "INSERT", "parcels", {"id": 1, "word": "a"}, None,
    )  # fmt: skip
    assert again["body"] == first["body"] and again["headers"]["x-call-id"] == first["headers"]["x-call-id"]
    assert value(database, "select hook_name from supabase_functions.hooks") == "tell"
    assert value(database, "select count(*) from jobs.function_calls where source = 'hook'") == "1"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "url argument is missing"),
        ("'null'", "url argument is missing"),
        ("'http://x'", "method argument is missing"),
        ("'http://x', 'PUT'", "method argument PUT is invalid"),
    ],
)
def test_a_webhook_that_says_too_little_is_refused(connection: SyncConnection, arguments: str, message: str) -> None:
    connection.script(
        "create table public.w (id int); create trigger t after insert on public.w for each row"
        f" execute function supabase_functions.http_request({arguments})"
    )
    with pytest.raises(Exception, match=message):
        connection.script("insert into public.w values (1)")


@pytest.mark.parametrize("call", ["'public.w', 'a b'", "'public.w', 'f', '{}'", "'public.w', 'f', '{truncate}'"])
def test_a_change_that_cannot_be_meant_is_refused(connection: SyncConnection, call: str) -> None:
    connection.script("create table public.w (id int)")
    with pytest.raises(Exception, match=r"no name of a function|needs one of|is none of"):
        connection.script(f"select gateway.on_change({call})")


def test_nobody_of_the_api_stores_a_call_by_himself(connection: SyncConnection) -> None:
    for role in ("anon", "authenticated", "service_role"):
        for text in (
            "select jobs.call_function_now('x', '{}')",
            "insert into jobs.function_calls (source, target) values ('hook', 'http://x')",
            "select gateway.on_change('pg_class', 'x')",
        ):
            with pytest.raises(Exception, match="permission denied"):
                connection.script(f"begin; set local role {role}; {text}")
            connection.script("rollback")
