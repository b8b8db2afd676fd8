"""Jobs of `cron`, run by the clock: the extension pg_cron as the embedded server has it (extensions/pg_cron*.sql).

Each run has a connection of its own as the job's role, and is one implicit transaction. A job never overlaps itself:
its session holds a lock. Of several workers one runs a turn, whoever notes it first. Minutes that passed while no
worker ran are left out.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from gateway.database import (
    NO_SCOPE,
    Database,
    DatabaseError,
    DatabaseUnavailable,
    PoolTimeout,
    ScriptSession,
    user_of,
    with_login,
)
from gateway.database.statement import Statement
from gateway.system.cron_schedule import Fields, Seconds, parse

log = logging.getLogger("gateway.jobs")

TICK: Final = 1.0  # seconds
LOOK: Final = 10.0  # seconds between looks for the extension where it is not
AT_ONCE: Final = 32
LOCKS: Final = 1_668_444_014  # the first key of the jobs' locks, any fixed number
# None where the extension is another's, such as the real one, whose own worker runs its jobs.
IS_OURS: Final = Statement("select to_regclass('cron._turns') is not null")
JOBS: Final = Statement(
    "select jobid, schedule, command, username from cron.job where active and database = current_database()"
)
TURN: Final = """
  insert into cron._turns as known (jobid, turn) values ($1, $2::timestamptz)
  on conflict (jobid) do update set turn = excluded.turn where known.turn <= excluded.turn - $3::interval
  returning jobid
"""
BEGUN: Final = """
  insert into cron.job_run_details (jobid, database, username, command, status)
  values ($1, current_database(), $2, $3, 'starting') returning runid
"""
RUNNING: Final = """
  update cron.job_run_details set status = 'running', job_pid = $2, start_time = clock_timestamp() where runid = $1
"""
ENDED: Final = """
  update cron.job_run_details
  set status = $2, return_message = $3, end_time = clock_timestamp(),
    start_time = coalesce(start_time, clock_timestamp())
  where runid = $1
"""
LOST: Final = Statement("""
  update cron.job_run_details set status = 'failed', return_message = 'server restarted', end_time = clock_timestamp()
  where status in ('starting', 'connecting', 'sending', 'running')
    and not exists (select from pg_stat_activity where pid = job_pid)
    and coalesce(start_time, now() - interval '1 day') < now() - interval '1 minute'
""")


@dataclass(frozen=True, slots=True)
class CronJob:
    """A row of cron.job."""

    id: int
    schedule: str
    command: str
    role: str


class CronRunner:
    """Looks at the clock once a second."""

    def __init__(self, database: Database, database_url: str) -> None:
        self._database = database
        self._url = database_url
        self._runs: set[asyncio.Task[None]] = set()
        self._minute: datetime | None = None

    async def run(self) -> None:
        """Run jobs until cancelled."""
        try:
            while True:
                try:
                    is_ours = (await self._database.run(NO_SCOPE, IS_OURS)).value == b"t"
                    if is_ours:
                        await self._database.run(NO_SCOPE, LOST)
                    while is_ours:
                        await self.tick(datetime.now(UTC))
                        await asyncio.sleep(TICK)
                except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
                    log.debug("jobs of cron wait: %s", error)  # the extension went, or the database did
                await asyncio.sleep(LOOK)
        finally:
            for run in self._runs:
                run.cancel()

    async def tick(self, now: datetime) -> None:
        """Begin what is due. Raises what the database raises."""
        minute = now.replace(second=0, microsecond=0)
        # the minute in which a worker starts has begun without it
        begins, self._minute = self._minute not in (None, minute), minute
        for job in [_job(row) for row in (await self._database.run(NO_SCOPE, JOBS)).texts()]:
            if len(self._runs) >= AT_ONCE:
                return
            match self._schedule(job):
                case Seconds(every):
                    due = await self._take(job, now, timedelta(seconds=every) - timedelta(seconds=TICK / 2))
                case Fields() as fields:
                    due = begins and fields.matches(now) and await self._take(job, minute, timedelta(seconds=1))
                case None:
                    due = False
            if due:
                run = asyncio.create_task(self._run(job))
                self._runs.add(run)
                run.add_done_callback(self._runs.discard)

    def _schedule(self, job: CronJob) -> Seconds | Fields | None:
        try:
            return parse(job.schedule)
        except ValueError:
            return None

    async def _take(self, job: CronJob, turn: datetime, apart: timedelta) -> bool:
        params = (str(job.id), turn.isoformat(), f"{apart.total_seconds()} seconds")
        return (await self._database.run(NO_SCOPE, Statement(TURN, params))).value is not None

    async def settle(self) -> None:
        """Wait for what runs."""
        await asyncio.gather(*self._runs, return_exceptions=True)

    async def _run(self, job: CronJob) -> None:
        run_id = ""
        try:
            async with self._session(job) as session:
                if (await session.run(f"select pg_try_advisory_lock({LOCKS}, {job.id % 2**31})")).value != "t":
                    return
                begun = await self._database.run(NO_SCOPE, Statement(BEGUN, (str(job.id), job.role, job.command)))
                run_id = (begun.value or b"").decode()
                await self._note(RUNNING, run_id, str(session.pid))
                said = (await session.run(job.command)).said
                await self._note(ENDED, run_id, "succeeded", said)
        except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
            log.warning("job %d of cron failed: %s", job.id, getattr(error, "sqlstate", "") or type(error).__name__)
            try:
                if not run_id:
                    begun = await self._database.run(NO_SCOPE, Statement(BEGUN, (str(job.id), job.role, job.command)))
                    run_id = (begun.value or b"").decode()
                reason = error.message if isinstance(error, DatabaseError) else str(error)
                await self._note(ENDED, run_id, "failed", f"ERROR: {reason}"[:2000])
            except (DatabaseError, DatabaseUnavailable, PoolTimeout):
                log.warning("the end of job %d of cron could not be noted", job.id)

    async def _note(self, text: str, *params: str) -> None:
        await self._database.run(NO_SCOPE, Statement(text, params))

    @asynccontextmanager
    async def _session(self, job: CronJob) -> AsyncIterator[ScriptSession]:
        url = self._url if job.role == user_of(self._url) else with_login(self._url, job.role, None)
        session = await ScriptSession.open(url, "pg_cron")
        try:
            yield session
        finally:
            session.close()


def _job(row: dict[str, str | None]) -> CronJob:
    return CronJob(int(row["jobid"] or 0), row["schedule"] or "", row["command"] or "", row["username"] or "")
