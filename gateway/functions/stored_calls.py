"""Calls that are made later, as a person sees and steers them: schedules, and what became of each call."""

from __future__ import annotations

import json
from typing import Any, Final

from gateway.database import NO_SCOPE, Database
from gateway.database.statement import Statement

SCHEDULES: Final = """
    select coalesce(jsonb_agg(jsonb_build_object(
      'function', known.function, 'schedule', known.schedule, 'timezone', known.timezone, 'paused', known.paused,
      'last', last.slot, 'state', last.state, 'attempts', last.attempts, 'status', last.status, 'error', last.error,
      'missed', (select count(*) from jobs.function_calls where target = known.function and state = 'missed')
    ) order by known.function), '[]')
    from jobs.function_schedules as known left join lateral (
      select * from jobs.function_calls where target = known.function and source in ('schedule', 'manual')
      order by id desc limit 1
    ) as last on true
"""
CALLS: Final = """
    select coalesce(jsonb_agg(row order by (row->>'id')::bigint), '[]') from (
      select jsonb_build_object(
        'id', id, 'source', source, 'target', target, 'slot', slot, 'state', state, 'attempts', attempts,
        'retries', retries, 'status', status, 'error', error, 'created_at', created_at, 'started_at', started_at,
        'ended_at', ended_at
      ) as row
      from jobs.function_calls where ($1 = '' or target = $1) and ($2 = '' or state = $2)
      order by id desc limit $3::integer
    ) as rows
"""
# What was paused is not made up for.
PAUSE: Final = """
    update jobs.function_schedules set paused = $2::boolean, since = case when paused then now() else since end
    where function = $1 returning function
"""
RUN: Final = "select jobs.call_function_now($1, $2::jsonb)"
RETRY: Final = "select jobs.retry_function_call($1::bigint)"
DISMISS: Final = """
    with seen as (
      update jobs.function_calls set state = 'dismissed' where target = $1 and state = 'dead' returning id
    )
    select count(*) from seen
"""


class StoredCalls:
    """The rows of `jobs.function_calls` and `jobs.function_schedules`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def schedules(self) -> list[dict[str, Any]]:
        """Every schedule with its last call."""
        return list(json.loads(await self._value(SCHEDULES) or "[]"))

    async def calls(self, target: str, state: str, limit: int) -> list[dict[str, Any]]:
        """The latest calls, oldest first; of one function or address, in one state, where these are not empty."""
        return list(json.loads(await self._value(CALLS, target, state, str(limit)) or "[]"))

    async def pause(self, function: str, *, paused: bool) -> bool:
        """Whether there is such a schedule."""
        return bool(await self._value(PAUSE, function, "true" if paused else "false"))

    async def run(self, function: str) -> int:
        """Call a function now; the call's number."""
        body = json.dumps({"type": "schedule", "slot": None})
        return int(await self._value(RUN, function, body) or 0)

    async def retry(self, id: str) -> bool:
        """Make a call again that was given up or missed; whether there is one."""
        return await self._value(RETRY, id) == "t"

    async def dismiss(self, target: str) -> int:
        """Have calls that were given up alarm no more; how many."""
        return int(await self._value(DISMISS, target) or 0)

    async def _value(self, text: str, *values: str) -> str:
        found = (await self._database.run(NO_SCOPE, Statement(text, values))).value
        return "" if found is None else found.decode()
