"""What is kept for a time only: what is older goes, nothing else does, and what nobody was told of stays."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.database import Database, DatabaseError, SyncConnection
from gateway.jobs.retention import forget_old
from gateway.operations import backup
from gateway.settings import Settings, SettingsError
from tests.fixtures.db import Server, clone
from tests.functions.test_submit_lead import CONTACT, NEWSLETTER, QUOTE, submit

AGES = (1, 29, 31, 364, 366, 5000)  # days


def forget(url: str, folder: Path, **days: object) -> None:
    """What the job worker does once an hour, two rows at a time."""

    async def main() -> None:
        database = Database(url, application_name="gateway worker")
        await forget_old(Settings(data_dir=folder, **days), database, most=2)  # type: ignore[arg-type]
        await database.close()

    asyncio.run(main())


def fill(connection: SyncConnection) -> None:
    """A row of each kind for each age."""
    for number, days in enumerate(AGES):
        for form, lead in (("contact", CONTACT), ("newsletter", NEWSLETTER), ("quote", QUOTE)):
            submit(connection, form, {**lead, "email": f"a{number}@example.test"})
        connection.rows(
            "insert into public.quarantine (form, payload, reason, received_at)"
            " values ('contact', '{}', 'x', now() - make_interval(days => $1::integer))",
            str(days),
        )
        connection.rows(
            "insert into auth.audit_log_entries (id, payload, created_at)"
            " values (gen_random_uuid(), '{}', now() - make_interval(days => $1::integer))",
            str(days),
        )
        connection.rows(
            "insert into gateway.console_audit (account, action, target, at)"
            " values ('x', 'x', 'x', now() - make_interval(days => $1::integer))",
            str(days),
        )
        connection.rows(
            "insert into private.lead_audit (action, at) values ('export', now() - make_interval(days => $1::integer))",
            str(days),
        )
    for table in ("contact_messages", "newsletter_subscriptions", "quote_requests"):
        connection.script(
            f"update public.{table} set created_at = now() - make_interval(days =>"
            f" ('{{{','.join(map(str, AGES))}}}'::integer[])[substr(email, 2, 1)::integer + 1])"
        )


def ages(connection: SyncConnection, table: str, column: str) -> list[int]:
    rows = connection.rows(f"select round(extract(epoch from now() - {column}) / 86400) from {table} order by 1")
    return [int(str(row[0])) for row in rows]


LEADS = [("public.contact_messages", "created_at"), ("public.newsletter_subscriptions", "created_at"),
         ("public.quote_requests", "created_at"), ("public.quarantine", "received_at")]  # fmt: skip
AUDIT = [("auth.audit_log_entries", "created_at"), ("private.lead_audit", "at"), ("gateway.console_audit", "at")]


@pytest.fixture
def filled(connection: SyncConnection) -> SyncConnection:
    fill(connection)
    return connection


def test_leads_are_kept_for_ever_unless_somebody_says_otherwise(
    filled: SyncConnection, database_url: str, tmp_path: Path
) -> None:
    forget(database_url, tmp_path)
    for table, column in LEADS:
        assert ages(filled, table, column) == list(AGES)
    for table, column in AUDIT:
        assert ages(filled, table, column) == [days for days in AGES if days <= 365]


def test_each_kind_goes_by_its_own_days(filled: SyncConnection, database_url: str, tmp_path: Path) -> None:
    forget(database_url, tmp_path, retention_days={"leads": 30}, audit_days=0)
    for table, column in LEADS:
        assert ages(filled, table, column) == [1, 29]
    for table, column in AUDIT:
        assert ages(filled, table, column) == list(AGES)
    with pytest.raises(DatabaseError, match="never changed"):
        filled.rows("delete from auth.audit_log_entries")


def test_days_of_a_kind_that_nothing_registered_are_told(
    database_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    forget(database_url, tmp_path, retention_days={"lead": 30, "leads": 30})
    told = [record.getMessage() for record in caplog.records if "without effect" in record.getMessage()]
    assert told == ["GATEWAY_LEAD_DAYS is without effect: nothing of that kind is registered"]


def test_counters_of_what_visitors_sent_go_after_two_days(
    connection: SyncConnection, database_url: str, tmp_path: Path
) -> None:
    connection.script(
        "insert into private.lead_counters values"
        " ('contact', 'email', 'old', 1, now() - interval '3 days'), ('contact', 'email', 'new', 1, now())"
    )
    forget(database_url, tmp_path)
    assert connection.rows("select subject from private.lead_counters") == [("new",)]


@pytest.fixture(scope="module")
def shared(server: Server, template: str) -> Iterator[SyncConnection]:
    """A database for many draws, each in a transaction that is rolled back."""
    name = f"retention_{os.getpid()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    with SyncConnection(server.database(name)) as connection:
        yield connection
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')


MAILS = st.lists(
    st.tuples(
        st.sampled_from(("todo", "doing", "succeeded", "failed", "cancelled", "aborted")),
        st.booleans(),
        st.integers(0, 60),
    ),
    max_size=6,
)


@given(MAILS, st.integers(1, 59))
def test_mails_go_once_they_are_done_with(
    shared: SyncConnection, mails: list[tuple[str, bool, int]], days: int
) -> None:
    """Not what waits or leaves, and not what matters and was never delivered, however old."""
    shared.script("begin")
    try:
        kept = 0
        for status, matters, age in mails:
            mail = {"to": ["a@b.c"], "subject": "x", "text": "y", **({"alarm_after": 600} if matters else {})}
            ((job,),) = shared.rows("select jobs.enqueue_mail($1::jsonb)", json.dumps(mail))
            shared.rows("update jobs.procrastinate_jobs set status = $1::text::jobs.procrastinate_job_status"
                        " where id = $2", status, job)  # fmt: skip
            shared.rows("update jobs.procrastinate_events set at = now() - make_interval(days => $1::integer)"
                        " where job_id = $2", str(age), job)  # fmt: skip
            is_done = status in ("succeeded", "cancelled") or (status in ("failed", "aborted") and not matters)
            kept += not (is_done and age > days)
        while shared.rows("select gateway.forget('mails', $1::integer, 2)", str(days)) != [("0",)]:
            pass
        assert shared.rows("select count(*) from jobs.procrastinate_jobs") == [(str(kept),)]
    finally:
        shared.script("rollback")


def test_old_copies_of_before_a_restore_go_without_another_restore(database_url: str, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    for days in (1, 40):
        path = folder / f"before-restore-{backup.file_name(days)}"
        path.write_text("")
        os.utime(path, (time.time() - days * 86_400,) * 2)
    forget(database_url, tmp_path)
    assert [path.name for path in folder.iterdir()] == [f"before-restore-{backup.file_name(1)}"]


@pytest.mark.parametrize("raw", ["-1", "many", "1.5", "99999999999"])
def test_a_slip_of_a_setting_removes_nothing(raw: str) -> None:
    with pytest.raises(SettingsError, match="GATEWAY_LEADS_DAYS"):
        Settings.load({"GATEWAY_LEADS_DAYS": raw})


@pytest.mark.parametrize("days", ["0", "-1"])
def test_the_database_removes_nothing_of_today(connection: SyncConnection, days: str) -> None:
    with pytest.raises(DatabaseError, match="within a day"):
        connection.rows("select gateway.forget('leads', $1::integer, 10)", days)
