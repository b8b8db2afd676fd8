"""When a function is called by itself: the `schedule` of its `function.toml`, in its time zone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from functions_runner.types import FunctionConfig, FunctionConfigError

from gateway.system.cron_schedule import Seconds, parse


@dataclass(frozen=True)
class Schedule:
    """A schedule that can be read."""

    text: str
    timezone: str

    def after(self, moment: datetime) -> datetime:
        """The first time after a moment, in UTC. Raises ValueError where there is none."""
        found = next(self._times(moment), None)
        if found is None:
            raise ValueError(f"no day is ever meant by {self.text}")
        return found

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
        said = parse(self.text)
        return said.times(after) if isinstance(said, Seconds) else said.times(after, ZoneInfo(self.timezone))


def read_schedule(config: FunctionConfig) -> Schedule | None:
    """A function's schedule; None where it has none. Raises FunctionConfigError."""
    if not config.schedule:
        return None
    schedule = Schedule(config.schedule.strip(), config.timezone)
    try:
        ZoneInfo(schedule.timezone)
    except (OSError, ValueError, KeyError) as error:
        raise FunctionConfigError(f"{config.name}: there is no time zone {schedule.timezone!r}") from error
    try:
        schedule.after(datetime.now(UTC))
    except ValueError as error:
        raise FunctionConfigError(
            f"{config.name}: the schedule {config.schedule!r} cannot be read: five fields as cron has them, such as"
            " '*/5 * * * *', or '1 second' to '59 seconds'"
        ) from error
    return schedule
