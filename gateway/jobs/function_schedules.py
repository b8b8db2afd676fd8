"""Has functions called at the times of their schedules, each time once whatever the number of gateways.

Each worker looks which times are due and stores a call for each, under the function and the time; one that another
worker has stored is not stored again. Times at which no worker was there are made up for as far back as the function's
`catch_up` says; what lies further back is noted as missed, in one row.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Final

from functions_runner import registry
from functions_runner.types import FunctionConfig, FunctionError

from gateway.database import NO_SCOPE, Database, DatabaseError, DatabaseUnavailable, PoolTimeout
from gateway.database.statement import Statement
from gateway.functions.schedules import Schedule, read_schedule
from gateway.functions.versions import Versions
from gateway.settings import Settings

log = logging.getLogger("gateway.jobs")

READ_EVERY: Final = 5.0  # seconds between looks at the functions' settings
LONGEST: Final = 1.0  # seconds until the next look at what is due
MOST: Final = 1000  # calls of one function that are made up for
KEPT: Final = "7 days"  # calls that are over

KNOWN: Final = """
    insert into jobs.function_schedules as known (function, schedule, timezone) values ($1, $2, $3)
    on conflict (function) do update set schedule = excluded.schedule, timezone = excluded.timezone,
      since = case when (known.schedule, known.timezone) = (excluded.schedule, excluded.timezone) then known.since
        else now() end
    returning extract(epoch from greatest(
      since, (select max(slot) from jobs.function_calls where target = known.function and slot is not null)))
"""
STORE: Final = """
    select jobs.schedule_function_calls($1, array(select jsonb_array_elements_text($2::jsonb)::timestamptz), $3::jsonb,
      $4::integer, $5::boolean)
"""
FORGET: Final = f"""
    delete from jobs.function_calls as old where state <> 'waiting' and ended_at < now() - interval '{KEPT}'
      and (slot is null or slot < (select max(slot) from jobs.function_calls where target = old.target))
"""


class Planned:
    """One function's schedule, and up to which time its calls are stored."""

    def __init__(self, config: FunctionConfig, schedule: Schedule, done: datetime) -> None:
        self.config = config
        self.schedule = schedule
        self.done = done
        self.next = schedule.after(done)


class Planner:
    """Stores calls as their times come; one in each job worker."""

    def __init__(
        self,
        database: Database,
        functions: Callable[[], Iterable[FunctionConfig]],
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._database = database
        self._functions = functions
        self._clock = clock
        self._planned: dict[str, Planned] = {}
        self._faults: set[str] = set()

    async def read(self) -> None:
        """Take up what the functions' settings say now. Raises the database's errors."""
        found: dict[str, Planned] = {}
        for config in await asyncio.to_thread(lambda: list(self._functions())):
            try:
                schedule = read_schedule(config)
            except FunctionError as error:
                if str(error) not in self._faults:
                    log.error("%s", error)
                    self._faults.add(str(error))
                continue
            if schedule is None:
                continue
            known = self._planned.get(config.name)
            if known is not None and known.schedule == schedule:
                known.config = config
                found[config.name] = known
                continue
            values = (config.name, schedule.text, schedule.timezone)
            epoch = (await self._database.run(NO_SCOPE, Statement(KNOWN, values))).value
            done = datetime.fromtimestamp(float(epoch or b"0"), UTC)
            found[config.name] = Planned(config, schedule, done)
        self._planned = found

    async def store(self) -> float:
        """Store the calls that are due; seconds until the next one is. Raises the database's errors."""
        now = self._clock()
        for planned in self._planned.values():
            if planned.next <= now:
                await self._store(planned, now)
        waits = [(planned.next - self._clock()).total_seconds() for planned in self._planned.values()]
        return max(0.0, min((LONGEST, *waits)))

    async def _store(self, planned: Planned, now: datetime) -> None:
        config, schedule = planned.config, planned.schedule
        oldest = max(planned.done, now - timedelta(seconds=config.catch_up))
        slots = schedule.between(oldest, now, MOST)
        begun = slots[0] if slots else now
        if planned.next < begun:  # further back than is made up for
            await self._call(config, [planned.next], missed=True)
            log.warning("function %s: its calls from %s on were missed", config.name, planned.next.isoformat())
        if slots:
            await self._call(config, slots, missed=False)
        planned.done = now
        planned.next = schedule.after(now)

    async def _call(self, config: FunctionConfig, slots: list[datetime], *, missed: bool) -> None:
        body = {"type": "schedule", "schedule": config.schedule, "timezone": config.timezone}
        values = (
            config.name,
            json.dumps([slot.isoformat() for slot in slots]),
            json.dumps(body),
            str(config.retries),
            "true" if missed else "false",
        )
        await self._database.run(NO_SCOPE, Statement(STORE, values))

    async def forget(self) -> None:
        """Forget calls that have been over for long. Raises the database's errors."""
        await self._database.run(NO_SCOPE, Statement(FORGET))


def scheduled(settings: Settings) -> Callable[[], Iterable[FunctionConfig]]:
    """The functions that are served on this machine, in the versions that are."""
    versions = Versions(settings.data_dir / "functions" / "versions", settings.functions_dir.resolve())

    def found() -> Iterable[FunctionConfig]:
        for name in sorted({*registry.names(settings.functions_dir.resolve()), *versions.names()}):
            try:
                config = registry.find(name, versions.root(name))
            except (FunctionError, OSError, ValueError):
                continue
            if config.enabled:
                yield config

    return found


async def keep_schedules(settings: Settings, database: Database) -> None:
    """Store calls as they become due until cancelled; a database that is away is waited for."""
    planner = Planner(database, scheduled(settings))
    loop = asyncio.get_running_loop()
    read = forgotten = -READ_EVERY
    while True:
        wait = LONGEST
        try:
            if loop.time() - read >= READ_EVERY:
                await planner.read()
                read = loop.time()
            if loop.time() - forgotten >= 3600:
                await planner.forget()
                forgotten = loop.time()
            wait = await planner.store()
        except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
            log.warning("schedules of functions wait for the database: %s", error)
        await asyncio.sleep(wait + 0.002)
