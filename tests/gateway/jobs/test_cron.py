"""Jobs of cron: when they run, as whom, and what is noted of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.database import Database, SyncConnection
from gateway.jobs.cron import CronRunner
from gateway.system.cron_schedule import Fields, Seconds, parse
from tests.fixtures.db import Server
from tests.projects.databases import database, embedded

T = TypeVar("T")
NOON = datetime(2026, 2, 28, 12, 0, 5, tzinfo=UTC)  # a Saturday, the last day of its month

RUNS = {
    "* * * * *": True,
    "0 12 * * *": True,
    "1 12 * * *": False,
    "*/5 */6 * * *": True,
    "0 9-17 * * mon-fri": False,
    "0 9-17 * * sat": True,
    "0 12 $ * *": True,
    "0 12 27 * *": False,
    "0 12 27 * sat": True,  # either kind of days will do where both are said
    "0 12 28 3 *": False,
    "0 12 28 feb *": True,
    "0 12 * * 6,7": True,
    "0 12 * * 0": False,
    "@hourly": True,
    "@daily": False,
}


@pytest.mark.parametrize("schedule", RUNS)
def test_a_schedule_says_when_a_job_runs(schedule: str) -> None:
    found = parse(schedule)
    assert isinstance(found, Fields) and found.matches(NOON) is RUNS[schedule]


@given(st.integers(0, 59), st.integers(0, 23), st.integers(1, 31), st.integers(1, 12), st.datetimes())
def test_plain_numbers_run_at_their_minute_alone(minute: int, hour: int, day: int, month: int, at: datetime) -> None:
    found = parse(f"{minute} {hour} {day} {month} *")
    assert isinstance(found, Fields)
    assert found.matches(at) is ((at.minute, at.hour, at.day, at.month) == (minute, hour, day, month))


@pytest.fixture(scope="module")
def shared(server: Server) -> Iterator[tuple[Server, str]]:
    with embedded(server) as ours, database(ours) as name:
        with SyncConnection(ours.database(name, "postgres")) as connection:
            connection.script("create extension pg_cron")
        yield ours, name


@pytest.fixture
def owner(shared: tuple[Server, str]) -> Iterator[SyncConnection]:
    server, name = shared
    with SyncConnection(server.database(name, "postgres")) as connection:
        yield connection
        connection.script("select cron.unschedule(jobid) from cron.job; truncate cron.job_run_details")


def ticks(shared: tuple[Server, str], *moments: datetime, runners: int = 1) -> None:
    """Runners that look at the clock at these moments, and wait for what they began."""
    server, name = shared
    url = server.database(name)

    async def main() -> None:
        pool = Database(url, size=2, application_name="test")
        try:
            many = [CronRunner(pool, url) for _ in range(runners)]
            for moment in moments:
                await asyncio.gather(*(each.tick(moment) for each in many))
                for each in many:
                    await each.settle()
        finally:
            await pool.close()

    asyncio.run(main())


MINUTE = timedelta(minutes=1)
DETAILS = (
    "select username, command, status, return_message, start_time <= end_time from cron.job_run_details order by runid"
)


def test_a_job_runs_as_its_maker_and_its_end_is_noted(shared: tuple[Server, str], owner: SyncConnection) -> None:
    command = "create table if not exists public.seen (who text); insert into public.seen values (current_user)"
    owner.rows("select cron.schedule('a', '* * * * *', $1)", command)
    owner.rows("select cron.schedule('b', '* * * * *', 'select 1 from nothing')")
    owner.rows("select cron.schedule('c', '* * * * *', 'select 1; select 2 union select 3')")
    owner.rows("select cron.schedule('d', '1 1 1 1 *', 'select 4')")
    ticks(shared, NOON, NOON + MINUTE)
    assert owner.rows("select * from public.seen") == [("postgres",)]
    assert sorted(owner.rows(DETAILS), key=str) == [
        ("postgres", command, "succeeded", "INSERT 0 1", "t"),
        ("postgres", "select 1 from nothing", "failed", 'ERROR: relation "nothing" does not exist', "t"),
        ("postgres", "select 1; select 2 union select 3", "succeeded", "2 rows", "t"),
    ]


def test_of_several_workers_one_runs_a_turn(shared: tuple[Server, str], owner: SyncConnection) -> None:
    owner.rows("select cron.schedule('a', '* * * * *', 'select 1'), cron.schedule('b', '10 seconds', 'select 2')")
    later = [NOON + timedelta(hours=1, seconds=second) for second in range(0, 61, 5)]
    ticks(shared, *later, runners=3)
    assert owner.rows("select command, count(*) from cron.job_run_details group by 1 order by 1") == [
        ("select 1", "1"),
        ("select 2", "7"),
    ]


def test_a_job_that_still_runs_is_not_begun_again(shared: tuple[Server, str], owner: SyncConnection) -> None:
    job = owner.rows("select cron.schedule('a', '1 second', 'select 1')")[0][0]
    owner.script(f"select pg_advisory_lock(1668444014, {job})")
    ticks(shared, NOON + timedelta(hours=2))
    assert owner.rows("select * from cron.job_run_details") == []
    owner.script("select pg_advisory_unlock_all()")
    ticks(shared, NOON + timedelta(hours=3))
    assert owner.rows("select status from cron.job_run_details") == [("succeeded",)]


@pytest.mark.parametrize(
    "command", ["reset role; set session authorization supabase_admin", "copy (select 1) to stdout"]
)
def test_a_job_gets_no_further_than_its_role(shared: tuple[Server, str], owner: SyncConnection, command: str) -> None:
    owner.rows("select cron.schedule('a', '1 second', $1)", command)
    ticks(shared, NOON + timedelta(hours=4), NOON + timedelta(hours=5))
    assert {status for _, _, status, _, _ in owner.rows(DETAILS)} == {"failed"}


def test_switched_off_jobs_rest(shared: tuple[Server, str], owner: SyncConnection) -> None:
    owner.rows("select cron.schedule('a', '1 second', 'select 1')")
    owner.script("select cron.alter_job(jobid, active := false) from cron.job")
    ticks(shared, NOON + timedelta(hours=6))
    assert owner.rows("select * from cron.job_run_details") == []


def test_seconds_are_told_from_fields() -> None:
    assert parse(" 5  Seconds ") == Seconds(5)
    with pytest.raises(ValueError, match="invalid schedule"):
        parse("90 seconds")
