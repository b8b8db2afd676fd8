"""When a function is called by itself: the `schedule` of its `function.toml`, and the times it stands for.

Five fields as cron has them (`*/5 * * * *`, names of months and weekdays, `$` or `L` for a month's last day), `@hourly`
and its like, or `N seconds`, with N from 1 to 59, counted from the epoch so that every machine means the same times.
Fields are in the function's time zone. A time that a change of clocks repeats is a time once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from functions_runner.types import FunctionConfig, FunctionConfigError

_SECONDS: Final = re.compile(r"([1-9]|[1-5]\d) seconds?")
_MACROS: Final = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Schedule:
    """A schedule that can be read."""

    text: str
    timezone: str

    def after(self, moment: datetime) -> datetime:
        """The first time after a moment, in UTC."""
        return next(self._times(moment))

    def between(self, after: datetime, until: datetime, most: int) -> list[datetime]:
        """The times after one moment and up to another, the last `most` of them where there are more."""
        found: list[datetime] = []
        for time in self._times(after):
            if time > until:
                break
            found.append(time)
            if len(found) > most:
                del found[0]
        return found

    def _times(self, after: datetime) -> Iterator[datetime]:
        if found := _SECONDS.fullmatch(self.text):
            step = int(found[1])
            count = int((after - _EPOCH).total_seconds() // step)
            while True:
                count += 1
                yield _EPOCH + timedelta(seconds=count * step)
        rows = self._made(self._fields, after.astimezone(ZoneInfo(self.timezone)))
        last = after
        while True:
            time: datetime = rows.get_next(datetime).astimezone(UTC)
            if time > last:
                last = time
                yield time

    @property
    def _fields(self) -> str:
        fields = _MACROS.get(self.text, self.text).split()
        if len(fields) == 5 and fields[2] == "$":
            fields[2] = "L"
        return " ".join(fields)

    @staticmethod
    def _made(fields: str, after: datetime) -> Any:
        from croniter import croniter  # costs a start what few need

        return croniter(fields, after)


def read_schedule(config: FunctionConfig) -> Schedule | None:
    """A function's schedule; None where it has none. Raises FunctionConfigError."""
    if not config.schedule:
        return None
    schedule = Schedule(config.schedule.strip(), config.timezone)
    try:
        ZoneInfo(schedule.timezone)
    except (OSError, ValueError, KeyError) as error:
        raise FunctionConfigError(f"{config.name}: there is no time zone {schedule.timezone!r}") from error
    if not _SECONDS.fullmatch(schedule.text):
        if len(schedule._fields.split()) != 5:
            raise FunctionConfigError(_unreadable(config))
        try:
            schedule.after(datetime.now(UTC))
        except (ValueError, KeyError, TypeError) as error:  # croniter's own are of ValueError
            raise FunctionConfigError(_unreadable(config)) from error
    return schedule


def _unreadable(config: FunctionConfig) -> str:
    return (
        f"{config.name}: the schedule {config.schedule!r} cannot be read: five fields as cron has them, such as"
        " '*/5 * * * *', or '1 second' to '59 seconds'"
    )
