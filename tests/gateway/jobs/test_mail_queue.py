"""The functions of the mail queue: what is queued, sent again, told of, erased and forgotten, row by row."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

from gateway.database import DatabaseError, SyncConnection
from tests.fixtures.db import Server, clone

MAIL: dict[str, Any] = {"to": ["Staff@umw.example"], "subject": "s", "text": "t"}
STATES = ("todo", "doing", "succeeded", "failed", "cancelled", "aborted")


@pytest.fixture(scope="module")
def database(server: Server, template: str) -> Iterator[SyncConnection]:
    """One database for all of them: what each does is rolled back."""
    name = f"queue_{os.getpid()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    with SyncConnection(server.database(name)) as connection:
        yield connection
    with server.admin() as admin:
        admin.script(f'drop database "{name}" with (force)')


@pytest.fixture
def queue(database: SyncConnection) -> Iterator[SyncConnection]:
    database.script("begin")
    yield database
    database.script("rollback")


def one(connection: SyncConnection, sql: str, *params: str | None) -> str | None:
    ((value,),) = connection.rows(sql, *params)
    return value


def enqueue(connection: SyncConnection, mail: dict[str, Any], *more: str | None) -> str:
    places = "".join(f", ${number}{kind}" for number, kind in zip(range(2, 2 + len(more)), PARAMETERS, strict=False))
    return str(one(connection, f"select jobs.enqueue_mail($1::jsonb{places})", json.dumps(mail), *more))


PARAMETERS = ("::integer", "::timestamptz", "::text")


def in_state(connection: SyncConnection, state: str, mail: dict[str, Any] = MAIL) -> str:
    id = enqueue(connection, mail, "7")
    connection.script("update jobs.procrastinate_jobs set scheduled_at = now() + interval '1 day', attempts = 3")
    if state != "todo":
        connection.rows("update jobs.procrastinate_jobs set status = 'doing' where id = $1", id)
    if state not in ("todo", "doing"):
        connection.rows(
            "update jobs.procrastinate_jobs set status = $2::jobs.procrastinate_job_status where id = $1", id, state
        )
    return id


@pytest.mark.parametrize(
    ("mail", "accepted"),
    [
        ({}, True), ({"text": ""}, False), ({"text": "", "html": "<p>"}, False), ({"text": None, "html": "<p>"}, True),
        ({"text": None}, False), ({"subject": ""}, False), ({"subject": None}, False), ({"to": []}, False),
        ({"to": None}, False), ({"to": "a@b.c"}, False), ({"to": ["a@b.c", "d@e.f"]}, True),
    ],
    ids=str,
)  # fmt: skip
def test_a_mail_has_a_recipient_a_subject_and_words(
    queue: SyncConnection, mail: dict[str, Any], accepted: bool
) -> None:
    given = {name: value for name, value in {**MAIL, **mail}.items() if value is not None}
    if not accepted:
        with pytest.raises(DatabaseError) as caught:
            enqueue(queue, given)
        assert caught.value.sqlstate == "22023"
        return
    id = enqueue(queue, given)
    found = queue.rows(
        "select id, queue_name, task_name, priority, status, scheduled_at, args -> 'mail', args ? 'queued_at'"
        " from jobs.procrastinate_jobs"
    )
    assert found[0][:6] == (id, "mail", "mail.send", "0", "todo", None) and found[0][7] == "t"
    assert json.loads(str(found[0][6])) == given


@pytest.mark.parametrize(("later", "waits"), [("-1 hour", False), ("0", False), ("1 hour", True)])
def test_a_mail_for_later_waits(queue: SyncConnection, later: str, waits: bool) -> None:
    sql = "select jobs.enqueue_mail($1::jsonb, 5, now() + $2::interval)"
    queue.rows(sql, json.dumps(MAIL), later)
    found = queue.rows("select priority, scheduled_at = now() + $1::interval from jobs.procrastinate_jobs", later)
    assert found == [("5", "t" if waits else None)]


def test_a_lock_that_is_queued_is_not_queued_twice(queue: SyncConnection) -> None:
    first = enqueue(queue, MAIL, "0", "now", "a")
    assert enqueue(queue, MAIL, "0", "now", "a") == first
    assert enqueue(queue, MAIL, "0", "now", "b") != first
    queue.rows("update jobs.procrastinate_jobs set status = 'doing' where id = $1", first)
    assert enqueue(queue, MAIL, "0", "now", "a") != first, "what is being sent may be out of date"
    assert one(queue, "select count(*) from jobs.procrastinate_jobs") == "3"


@pytest.mark.parametrize(
    ("set_to", "mail", "kept"), [(None, {}, None), ("", {}, None), ("r1", {}, "r1"), ("r1", {"request": "r0"}, "r0")]
)
def test_a_mail_says_which_request_it_is_for(
    queue: SyncConnection, set_to: str | None, mail: dict[str, Any], kept: str | None
) -> None:
    queue.rows("select set_config('request.id', $1, true)", set_to or "")
    enqueue(queue, {**MAIL, **mail})
    assert one(queue, "select args #>> '{mail,request}' from jobs.procrastinate_jobs") == kept


@pytest.mark.parametrize("state", STATES)
def test_a_mail_goes_again_by_the_state_that_it_is_in(queue: SyncConnection, state: str) -> None:
    id = in_state(queue, state)
    queue.script('update jobs.procrastinate_jobs set args = args || \'{"queued_at": "long ago"}\'')
    if state == "doing":
        with pytest.raises(DatabaseError, match="right now"):
            queue.rows("select jobs.resend_mail($1)", id)
        return
    again = one(queue, "select jobs.resend_mail($1)", id)
    sql = "select id, status, scheduled_at, attempts, priority, abort_requested, args ->> 'queued_at' = 'long ago'"
    found = queue.rows(f"{sql} from jobs.procrastinate_jobs order by id")
    if state == "succeeded":
        assert again != id and found[1] == (again, "todo", None, "0", "7", "f", "f")
        assert found[0][1] == "succeeded" and len(found) == 2
    else:
        # What waits goes on as it was; what had ended begins anew, with its five days.
        fresh = ("0", "7", "f", "f") if state != "todo" else ("3", "7", "f", "t")
        assert again == id and found == [(id, "todo", None, *fresh)]


def test_what_is_no_mail_is_not_sent_again(queue: SyncConnection) -> None:
    other = one(queue, "insert into jobs.procrastinate_jobs (queue_name, task_name) values ('x', 'other') returning id")
    in_state(queue, "failed")
    for id in (other, "999999"):
        queue.script("savepoint s")
        with pytest.raises(DatabaseError) as caught:
            queue.rows("select jobs.resend_mail($1)", id)
        assert caught.value.sqlstate == "P0002"
        queue.script("rollback to s")


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("kind", ["auth.recovery", "contact-notice", "author", None])
def test_a_link_that_signs_in_ends_with_its_job(queue: SyncConnection, state: str, kind: str | None) -> None:
    mail = {**MAIL, "html": "<a>"} | ({"kind": kind} if kind else {})
    id = in_state(queue, state, mail)
    kept = json.loads(str(one(queue, "select args -> 'mail' from jobs.procrastinate_jobs where id = $1", id)))
    if kind == "auth.recovery" and state not in ("todo", "doing"):
        assert kept == {"to": MAIL["to"], "subject": "s", "kind": kind, "blanked": True}
        with pytest.raises(DatabaseError, match="ask for a new one"):
            queue.rows("select jobs.resend_mail($1)", id)
    else:
        assert kept == mail


def troubles(connection: SyncConnection) -> list[str]:
    return [str(kind) for (kind,) in connection.rows("select kind from jobs.troubles()")]


def heartbeat(connection: SyncConnection, *ages: str) -> None:
    for age in ages:
        connection.rows("insert into jobs.procrastinate_workers (last_heartbeat) values (now() - $1::interval)", age)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("age", ["599 s", "600 s", "601 s"])
@pytest.mark.parametrize("matters", [True, False])
def test_a_mail_that_matters_is_told_of_when_it_is_late_or_dead(
    queue: SyncConnection, state: str, age: str, matters: bool
) -> None:
    heartbeat(queue, "0")
    in_state(queue, state, {**MAIL, **({"alarm_after": 600} if matters else {})})
    queue.rows("update jobs.procrastinate_events set at = now() - $1::interval", age)
    late = state in ("todo", "doing") and age == "601 s"
    assert troubles(queue) == (["mail"] if matters and (late or state in ("failed", "aborted")) else [])


@pytest.mark.parametrize(
    ("ages", "silent"),
    [
        ((), True),
        (("44 s",), False),
        (("45 s",), False),
        (("46 s",), True),
        (("1 h", "1 s"), False),
        (("1 h", "2 h"), True),
    ],
)
def test_workers_are_silent_when_none_of_them_was_heard_of(
    queue: SyncConnection, ages: tuple[str, ...], silent: bool
) -> None:
    heartbeat(queue, *ages)
    assert troubles(queue) == (["jobs"] if silent else [])


def test_what_is_told_of_late_mails_is_the_oldest_and_the_last_word_on_it(queue: SyncConnection) -> None:
    heartbeat(queue, "0")
    ids = [in_state(queue, "failed", {**MAIL, "kind": kind, "alarm_after": 1}) for kind in ("new", "old")]
    queue.rows("update jobs.procrastinate_events set at = now() - interval '2 h' where job_id = $1", ids[1])
    # Its age is counted from the first time that it was queued.
    queue.rows(
        "insert into jobs.procrastinate_events (job_id, type, at) values ($1, 'deferred', now() + '1 s')", ids[1]
    )
    for outcome, reply in (("deferred", "first"), ("refused", "x" * 300)):
        queue.rows(
            "insert into jobs.mail_attempts (job_id, outcome, reply) values ($1, $2, $3)", ids[1], outcome, reply
        )
    ((text,),) = queue.rows("select detail from jobs.troubles()")
    assert text is not None and text.startswith(
        f"2 mails that matter are not delivered, the oldest (mail {ids[1]}, old)"
    )
    assert ": refused: " + "x" * 200 + "." in text and "first" not in text


def digest(connection: SyncConnection, email: str) -> str:
    return str(one(connection, "select gateway.email_digest($1)", email))


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ({"a": "ada@x.y"}, True), ({"a": [{"b": " ADA@X.Y "}]}, True), (["ada@x.y"], True), ({"ada@x.y": 1}, False),
        ({"a": "to ada@x.y"}, False), ({"a": "bob@x.y"}, False), ({}, False), ({"a": None, "b": 1}, False),
    ],
    ids=str,
)  # fmt: skip
def test_a_person_is_found_in_any_member_however_she_is_written(
    queue: SyncConnection, content: object, named: bool
) -> None:
    sql = "select gateway.names_one_of($1::jsonb, array[$2, 'other'])"
    assert one(queue, sql, json.dumps(content), digest(queue, "Ada@x.y")) == ("t" if named else "f")


@pytest.mark.parametrize("state", STATES)
def test_an_erased_persons_mails_go_and_one_that_is_leaving_loses_its_words(queue: SyncConnection, state: str) -> None:
    hers = in_state(queue, state, {**MAIL, "reply_to": "ada@x.y"})
    queue.rows("insert into jobs.mail_attempts (job_id, outcome, reply) values ($1, 'deferred', 'ada?')", hers)
    others = enqueue(queue, MAIL)
    queue.rows("insert into jobs.mail_attempts (job_id, outcome, reply) values ($1, 'deferred', 'kept')", others)
    queue.script(
        "insert into jobs.procrastinate_jobs (queue_name, task_name, args) values ('x', 'x', '{\"a\": \"ada@x.y\"}')"
    )
    counts = json.loads(str(one(queue, "select gateway.erase_person('ADA@x.y')")))
    assert counts["mails"] == 1
    left = queue.rows(
        "select id, args -> 'mail' from jobs.procrastinate_jobs where task_name = 'mail.send' order by id"
    )
    kept = (others, one(queue, "select $1::jsonb", json.dumps(MAIL)))
    assert left == ([(hers, '{"to": [], "kind": "erased"}'), kept] if state == "doing" else [kept])
    replies = queue.rows("select reply from jobs.mail_attempts order by id")
    assert replies == ([("",), ("kept",)] if state == "doing" else [("kept",)])
    assert one(queue, "select count(*) from jobs.procrastinate_jobs where task_name = 'x'") == "1"
    assert queue.rows("select digest from gateway.erasures") == [(digest(queue, "ada@x.y"),)]


def test_who_was_erased_is_erased_again_and_nobody_else(queue: SyncConnection) -> None:
    assert one(queue, "select gateway.erase_again()") == "{}", "nobody was"
    queue.script("select gateway.erase_person('ada@x.y')")
    in_state(queue, "todo", {**MAIL, "reply_to": "ada@x.y"})
    in_state(queue, "todo", {**MAIL, "reply_to": "bob@x.y"})
    queue.script(
        "insert into public.newsletter_subscriptions (first_name, last_name, email) values ('A', 'B', 'ada@x.y')"
    )
    counts = json.loads(str(one(queue, "select gateway.erase_again()")))
    assert (counts["mails"], counts["newsletter_subscriptions"]) == (1, 1)
    assert one(queue, "select count(*) from jobs.procrastinate_jobs") == "1"
    notes = queue.rows("select detail -> 'again' from private.lead_audit order by id")
    assert notes == [(None,), ("true",)]


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("age", ["29 days", "31 days"])
@pytest.mark.parametrize("matters", [True, False])
def test_a_mail_is_forgotten_once_it_is_done_with_and_old(
    queue: SyncConnection, state: str, age: str, matters: bool
) -> None:
    in_state(queue, state, {**MAIL, **({"alarm_after": 600} if matters else {})})
    queue.rows("update jobs.procrastinate_events set at = now() - $1::interval", age)
    done_with = state in ("succeeded", "cancelled") or (state in ("failed", "aborted") and not matters)
    hits = one(queue, "select gateway.forget('mails', 30, 10)")
    assert hits == one(queue, "select 1 - count(*) from jobs.procrastinate_jobs")
    assert hits == ("1" if done_with and age == "31 days" else "0")


@pytest.mark.parametrize(
    ("kind", "insert"),
    [
        ("audit", "auth.audit_log_entries (id, payload, created_at) values (gen_random_uuid(), '{}', "),
        ("audit", "private.lead_audit (action, at) values ('export', "),
        ("lead_counters", "private.lead_counters values ('contact', 'email', gen_random_uuid()::text, 1, "),
        (
            "leads",
            "public.newsletter_subscriptions (first_name, last_name, email, created_at)"
            " values ('A', 'B', gen_random_uuid() || '@x.y', ",
        ),
        (
            "leads",
            "public.contact_messages (name, email, subject, message, created_at) values ('A', 'a@x.y', 's', 'm', ",
        ),
        ("leads", "public.quarantine (form, payload, reason, received_at) values ('contact', '{}', 'x', "),
    ],
)
def test_old_rows_go_a_few_at_a_time_and_young_ones_stay(queue: SyncConnection, kind: str, insert: str) -> None:
    for age in ("1 day", "29 days", "31 days", "32 days", "33 days"):
        queue.script(f"insert into {insert}now() - interval '{age}')")
    assert [one(queue, f"select gateway.forget('{kind}', 30, 2)") for _ in range(3)] == ["2", "1", "0"]
    assert one(queue, f"select count(*) from {insert.split()[0]}") == "2"
    assert one(queue, "select gateway.forget('nothing of this name', 30, 2)") == "0"


@pytest.mark.parametrize(("days", "allowed"), [("-1", False), ("0", False), ("1", True)])
def test_nothing_is_forgotten_within_a_day(queue: SyncConnection, days: str, allowed: bool) -> None:
    if allowed:
        assert one(queue, "select gateway.forget('audit', $1::integer, 5)", days) == "0"
    else:
        with pytest.raises(DatabaseError, match="within a day"):
            queue.rows("select gateway.forget('audit', $1::integer, 5)", days)


def test_logs_can_only_be_added_to_after_all_of_this(queue: SyncConnection) -> None:
    queue.script(
        'insert into auth.audit_log_entries (id, payload, created_at) values (gen_random_uuid(), \'{"a": "ada@x.y"}\','
        " now() - interval '9 days'), (gen_random_uuid(), '{\"a\": \"ADA@x.y\"}', now())"
    )
    queue.script("insert into private.lead_audit (action, at) values ('export', now() - interval '9 days')")
    assert json.loads(str(one(queue, "select gateway.erase_person('ada@x.y')")))["audit"] == 2
    queue.script("insert into private.lead_audit (action) values ('export')")
    assert one(queue, "select gateway.forget('audit', 5, 9)") == "2"
    assert queue.rows("select payload::text from auth.audit_log_entries") == [('{"a": "erased"}',)]
    for table in ("auth.audit_log_entries", "private.lead_audit"):
        queue.script("savepoint s")
        with pytest.raises(DatabaseError, match="never changed"):
            queue.rows(f"delete from {table}")
        queue.script("rollback to s")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("update leads set seen = true where email = 'Ada@x.y'", True),
        ("auth/v1/admin/users?filter=ada%40x.y&page=1", True),
        ('{"note": "She (ada@X.Y) called."}', True),
        ("Write to ada@x.y.", True),
        ("where email like 'ada@x.yz' or email = 'bada@x.y'", False),
        ("ada at x.y", False),
    ],
)
def test_an_address_is_found_in_a_text(queue: SyncConnection, text: str, named: bool) -> None:
    sql = "select gateway.address_in($1, array[$2, 'other'])"
    assert one(queue, sql, text, digest(queue, "ada@x.y")) == ("t" if named else "f")


def test_an_erased_person_is_in_no_audit_log_of_the_console_and_in_no_stored_call(queue: SyncConnection) -> None:
    """Values before and after, SQL as it was typed, the row that a call of a function is about."""
    queue.script("""
        insert into gateway.console_audit (account, action, target, status, detail) values
          ('ann', 'rows/changes', 'public.leads', 200, '{"before": [{"email": "ADA@x.y", "name": "Ada"}]}'),
          ('ann', 'sql', 'postgres', 200, '{"sql": "delete from leads where email = ''ada@x.y''"}'),
          ('ann', 'proxy', 'auth/v1/admin/users?filter=ada%40x.y', 200, null),
          ('ann', 'sql', 'postgres', 200, '{"sql": "select ''bob@x.y''"}');
        insert into jobs.function_calls (source, target, body, state) values
          ('change', 'welcome', '{"record": {"email": "ada@x.y", "name": "Ada"}}', 'waiting'),
          ('change', 'welcome', '{"record": {"email": "bob@x.y"}}', 'waiting'),
          ('hook', 'welcome', '"name=Ada, address=ada@x.y"', 'succeeded');
    """)
    counts = json.loads(str(one(queue, "select gateway.erase_person('ada@X.y')")))
    assert (counts["console_audit"], counts["function_calls"]) == (3, 2)
    for table in ("gateway.console_audit", "jobs.function_calls"):
        assert one(queue, f"select count(*) from {table} as kept where kept::text ilike '%ada%'") == "0"
        assert one(queue, f"select count(*) from {table} as kept where kept::text like '%bob@x.y%'") == "1"
    assert queue.rows("select account, action from gateway.console_audit order by id")[0] == ("ann", "rows/changes")
    states = queue.rows("select state from jobs.function_calls order by id")
    assert states == [("dismissed",), ("waiting",), ("succeeded",)]
