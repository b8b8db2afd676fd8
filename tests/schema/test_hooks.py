"""What an application registers with the gateway, and its counts: a function that fails hides nothing of others."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest

from gateway.database import DatabaseError, SyncConnection
from tests.fixtures.db import Server, clone


@pytest.fixture(scope="module")
def database(server: Server, template: str) -> Iterator[SyncConnection]:
    """One database for all of them: what each does is rolled back."""
    name = f"hooks_{os.getpid()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    with SyncConnection(server.database(name)) as connection:
        connection.script(
            "delete from gateway.hooks; delete from gateway.tallies;"
            "create schema app; revoke all on schema app from public"
        )
        yield connection
    with server.admin() as admin:
        admin.script(f'drop database "{name}" with (force)')


@pytest.fixture
def gateway(database: SyncConnection) -> Iterator[SyncConnection]:
    database.script("begin")
    yield database
    database.script("rollback")


def as_auth(connection: SyncConnection, sql: str) -> list[tuple[str | None, ...]]:
    """What the login that the gateway asks with is told."""
    connection.script("set local role supabase_auth_admin")
    try:
        return connection.rows(sql)
    finally:
        connection.script("reset role")


def metrics(name: str, rows: str) -> str:
    return (
        f"create function app.{name}() returns table (name text, labels jsonb, value int) language sql as"
        f" $$ {rows} $$; select gateway.hook('metrics', 'app.{name}()')"
    )


def alarms(name: str, body: str) -> str:
    return (
        f"create function app.{name}() returns table (kind text, subject text, detail text) language plpgsql as"
        f" $$ begin {body}; end $$; select gateway.hook('alarms', 'app.{name}()')"
    )


def test_a_function_is_registered_once(gateway: SyncConnection) -> None:
    gateway.script(metrics("counts", "select 'leads', '{}'::jsonb, 3"))
    gateway.script("select gateway.hook('metrics', 'app.counts()')")
    assert gateway.rows("select event, function from gateway.hooks") == [("metrics", "app.counts()")]


def test_an_unknown_event_is_refused(gateway: SyncConnection) -> None:
    gateway.script("create function app.f() returns void language sql as ''")
    with pytest.raises(DatabaseError) as caught:
        gateway.script("select gateway.hook('start', 'app.f()')")
    assert caught.value.sqlstate == "23514"


@pytest.mark.parametrize(
    ("event", "takes", "accepted"),
    [
        ("metrics", "", True), ("alarms", "", True), ("erasure", "text[], jsonb, boolean", True),
        ("metrics", "text", False), ("alarms", "text[], jsonb, boolean", False), ("erasure", "", False),
        ("erasure", "jsonb, text[], boolean", False), ("erasure", "text[], jsonb", False),
    ],
)  # fmt: skip
def test_a_function_takes_what_its_event_gives(gateway: SyncConnection, event: str, takes: str, accepted: bool) -> None:
    gateway.script(f"create function app.f({takes}) returns void language sql as ''")
    register = f"select gateway.hook('{event}', 'app.f({takes})')"
    if accepted:
        gateway.script(register)
        assert gateway.rows(f"select gateway.hooked('{event}')") == [("app.f",)]
        return
    with pytest.raises(DatabaseError) as caught:
        gateway.script(register)
    assert caught.value.sqlstate == "22023"
    expected = "text[], jsonb, boolean" if event == "erasure" else ""
    assert f"a function for {event} takes ({expected})" in str(caught.value)


def test_functions_are_called_by_name_and_dropped_ones_passed_over(gateway: SyncConnection) -> None:
    for name in ("later", "Earlier One", "gone"):
        gateway.script(f"""create function app."{name}"() returns void language sql as ''""")
        gateway.script(f"""select gateway.hook('alarms', 'app."{name}"()')""")
    gateway.script("drop function app.gone()")
    assert gateway.rows("select gateway.hooked('alarms')") == [('app."Earlier One"',), ("app.later",)]
    assert gateway.rows("select gateway.hooked('metrics')") == []


def test_alarms_of_every_function_are_told_though_one_fails(gateway: SyncConnection) -> None:
    gateway.script(alarms("a_first", "return query select 'disk', 'the disk', 'It is full.'"))
    gateway.script(alarms("b_broken", "perform 1 / 0"))
    gateway.script(alarms("c_last", "return query select 'lead', 'a lead', 'It waits.'"))
    assert as_auth(gateway, "select kind, subject, detail from gateway.alarms()") == [
        ("disk", "the disk", "It is full."),
        ("hook", "app.b_broken", "app.b_broken cannot be asked for alarms: division by zero"),
        ("lead", "a lead", "It waits."),
    ]


def test_numbers_of_every_function_are_told_though_one_fails(gateway: SyncConnection) -> None:
    gateway.script("select gateway.count_up('forms_total', '{\"form\": \"quote\"}')")
    gateway.script(metrics("a_first", """select 'leads', '{"state": "new"}'::jsonb, 3"""))
    gateway.script(metrics("b_broken", "select 'x', '{}'::jsonb, 1 / 0"))
    gateway.script(metrics("c_last", "select 'posts', '{}'::jsonb, 4"))
    told = as_auth(gateway, "select name, labels, value from gateway.metrics() where name !~ '^jobs'")
    assert told == [
        ("forms_total", '{"form": "quote"}', "1"), ("leads", '{"state": "new"}', "3"), ("posts", "{}", "4"),
    ]  # fmt: skip


def test_a_count_adds_what_it_is_given_to_its_own_labels(gateway: SyncConnection) -> None:
    for labels, by in (({"a": 1}, None), ({"a": 1}, 5), ({"a": 2}, 7), ({}, None)):
        gateway.rows(f"select gateway.count_up('n', $1::jsonb{'' if by is None else f', {by}'})", json.dumps(labels))
    gateway.rows("select gateway.count_up('m', '{}', 9)")
    rows = gateway.rows("select name, labels ->> 'a', value from gateway.tallies order by value")
    assert rows == [("n", None, "1"), ("n", "1", "6"), ("n", "2", "7"), ("m", None, "9")]


def queue(connection: SyncConnection, *, scheduled: str = "null", status: str = "todo", age: str = "0 s") -> str:
    ((id,),) = connection.rows(
        "insert into jobs.procrastinate_jobs (queue_name, task_name, args, scheduled_at)"
        f" values ('mail', 'send', '{{\"mail\": {{\"kind\": \"notice\"}}}}', {scheduled}) returning id"
    )
    connection.rows(f"update jobs.procrastinate_events set at = now() - interval '{age}' where job_id = $1", id)
    if status != "todo":
        connection.rows("update jobs.procrastinate_jobs set status = 'doing' where id = $1", id)
    if status not in ("todo", "doing"):
        connection.rows(
            "update jobs.procrastinate_jobs set status = $2::jobs.procrastinate_job_status where id = $1", id, status
        )
    return str(id)


def test_jobs_that_are_not_done_are_counted_by_queue_and_status(gateway: SyncConnection) -> None:
    gateway.script("delete from jobs.procrastinate_jobs")
    for status in ("todo", "todo", "doing", "failed", "succeeded"):
        queue(gateway, status=status)
    told = as_auth(gateway, "select labels ->> 'status', value from gateway.metrics() where name = 'jobs' order by 1")
    assert told == [("doing", "1"), ("failed", "1"), ("todo", "2")]


@pytest.mark.parametrize(
    ("jobs", "seconds"),
    [
        ([], 0),
        ([{"age": "300 s"}, {"age": "20 s"}], 300),
        ([{"age": "300 s", "scheduled": "now() + interval '1 s'"}], 0),
        ([{"age": "300 s", "scheduled": "now() - interval '40 s'"}], 40),
        ([{"age": "300 s", "status": "doing"}, {"age": "7 s"}], 7),
    ],
    ids=["none", "the oldest", "not yet", "since it may", "in work"],
)
def test_the_oldest_waiting_mail_is_told_in_seconds(
    gateway: SyncConnection, jobs: list[dict[str, str]], seconds: int
) -> None:
    gateway.script("delete from jobs.procrastinate_jobs")
    for job in jobs:
        queue(gateway, **job)
    told = as_auth(gateway, "select labels, value from gateway.metrics() where name = 'jobs_oldest_seconds'")
    assert told == [('{"queue": "mail"}', str(seconds))]


def test_each_attempt_at_a_mail_is_counted_by_its_kind(gateway: SyncConnection) -> None:
    id = queue(gateway)
    gateway.rows("insert into jobs.mail_attempts (job_id, outcome) values ($1, 'sent')", id)
    gateway.rows("insert into jobs.mail_attempts (job_id, outcome) values ($1, 'sent')", id)
    gateway.rows("update jobs.procrastinate_jobs set args = '{\"mail\": {}}' where id = $1", id)
    gateway.rows("insert into jobs.mail_attempts (job_id, outcome) values ($1, 'deferred')", id)
    long = json.dumps({"mail": {"kind": "k" * 70}})
    gateway.rows("update jobs.procrastinate_jobs set args = $2::jsonb where id = $1", id, long)
    gateway.rows("insert into jobs.mail_attempts (job_id, outcome) values ($1, 'refused')", id)
    rows = gateway.rows("select name, labels ->> 'outcome', labels ->> 'kind', value from gateway.tallies order by 2")
    assert rows == [
        ("mail_attempts_total", "deferred", "", "1"), ("mail_attempts_total", "refused", "k" * 60, "1"),
        ("mail_attempts_total", "sent", "notice", "2"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "call",
    [
        "gateway.hook('alarms', 'app.f()')", "gateway.hooked('alarms')", "gateway.alarms()", "gateway.metrics()",
        "gateway.count_up('n', '{}')", "gateway.count_mail_attempt()",
    ],
)  # fmt: skip
@pytest.mark.parametrize("role", ["anon", "authenticated", "service_role"])
def test_no_api_role_may_call_them(gateway: SyncConnection, role: str, call: str) -> None:
    gateway.script("create function app.f() returns void language sql as ''")
    gateway.script(f"grant usage on schema gateway, app to {role}; set local role {role}")
    with pytest.raises(DatabaseError) as caught:
        gateway.rows(f"select {call}")
    assert caught.value.sqlstate == "42501"


@pytest.mark.parametrize("table", ["hooks", "tallies"])
def test_a_grant_by_mistake_opens_no_row_of_them(gateway: SyncConnection, table: str) -> None:
    gateway.script("create function app.f() returns void language sql as ''; select gateway.hook('alarms', 'app.f()')")
    gateway.script("select gateway.count_up('n', '{}')")
    gateway.script(f"grant usage on schema gateway to anon; grant select on gateway.{table} to anon")
    gateway.script("set local role anon")
    assert gateway.rows(f"select * from gateway.{table}") == []
