"""What a schedule says and the times it stands for: five fields as cron has them, a word for them, or N seconds.

The one reader of all schedules: the database's (`cron.schedule`; what it stores it has checked, cron._is_schedule) and
those of functions (`function.toml`). Seconds are counted from the epoch, so that every machine means the same times.
Fields are in a time zone: where a change of clocks leaves a time out, it is as long after as it would have been; a time
that comes twice is a time once, but for a schedule of every hour, which has all times that the clock shows.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

WORDS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
RANGES: Final = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
# of each field
NAMES: Final[tuple[dict[str, int], ...]] = (
    {},
    {},
    {},
    {name: n for n, name in enumerate(MONTHS, 1)},
    {name: n for n, name in enumerate(DAYS)},
)
SECONDS: Final = re.compile(r"\s*([1-9]|[1-5]\d)\s+seconds?\s*", re.IGNORECASE)
LAST_DAY: Final = 0  # no day's number
LONGEST: Final = 9 * 366  # days between two of the rarest, 29 February over a year 2100
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Seconds:
    """Every so many seconds."""

    every: int

    def times(self, after: datetime) -> Iterator[datetime]:
        """The times after a moment, in UTC."""
        count = int((after - EPOCH).total_seconds() // self.every)
        while True:
            count += 1
            yield EPOCH + timedelta(seconds=count * self.every)


@dataclass(frozen=True, slots=True)
class Fields:
    """Minutes, hours, days, months and days of the week, and which of the two kinds of days were said."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool
    any_weekday: bool

    def matches(self, moment: datetime) -> bool:
        """Whether a job begins in this minute. Where both kinds of days are said, either will do."""
        if moment.minute not in self.minutes or moment.hour not in self.hours or moment.month not in self.months:
            return False
        return self.is_on(moment.date())

    def is_on(self, day: date) -> bool:
        """Whether a job begins on this day."""
        if day.month not in self.months:
            return False
        is_last = day.day == monthrange(day.year, day.month)[1]
        is_day = day.day in self.days or (is_last and LAST_DAY in self.days)
        is_weekday = day.isoweekday() % 7 in self.weekdays
        return is_day and is_weekday if self.any_day or self.any_weekday else is_day or is_weekday

    def times(self, after: datetime, zone: ZoneInfo) -> Iterator[datetime]:
        """The times after a moment, in UTC; none at all where no day is ever meant, such as 31 February."""
        day = after.astimezone(zone).date()
        last, end = after, day + timedelta(days=LONGEST)
        while day < end:
            if self.is_on(day):
                for moment in self._on(day, zone, after):
                    if moment > last:
                        last, end = moment, day + timedelta(days=LONGEST)
                        yield moment
            day += DAY

    def _on(self, day: date, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
        """The moments of a day in order, those long before `after` left out."""
        begin, end = (datetime.combine(date, time(), zone) for date in (day, day + DAY))
        if begin.utcoffset() == end.utcoffset():
            first = after.astimezone(zone)
            hours = [hour for hour in sorted(self.hours) if day > first.date() or hour >= first.hour]
            for hour in hours:
                for minute in sorted(self.minutes):
                    yield begin.replace(hour=hour, minute=minute).astimezone(UTC)
            return
        every = len(self.hours) == 24
        found: set[datetime] = set()
        for hour in self.hours:
            for minute in self.minutes:
                local = begin.replace(hour=hour, minute=minute)
                moments = [local.replace(fold=fold).astimezone(UTC) for fold in ((0, 1) if every else (0,))]
                # The clock never shows what is left out; a schedule of every hour has the times around it.
                is_shown = moments[0].astimezone(zone).replace(tzinfo=None) == local.replace(tzinfo=None)
                found.update(moments if is_shown or not every else ())
        yield from sorted(found)


@lru_cache(maxsize=1024)
def parse(text: str) -> Seconds | Fields:
    """A schedule. Raises ValueError.

    >>> parse("30 seconds")
    Seconds(every=30)
    >>> found = parse("*/20 9-10 * * mon")
    >>> sorted(found.minutes), sorted(found.hours), sorted(found.weekdays)
    ([0, 20, 40], [9, 10], [1])
    """
    if found := SECONDS.fullmatch(text):
        return Seconds(int(found[1]))
    text = text.strip().lower()
    fields = WORDS.get(text, text).split()
    if len(fields) != len(RANGES):
        raise ValueError(f"invalid schedule: {text}")
    minutes, hours, days, months, weekdays = (
        _field(field, place, low, high) for place, (field, (low, high)) in enumerate(zip(fields, RANGES, strict=True))
    )
    return Fields(
        minutes, hours, days, months, frozenset(day % 7 for day in weekdays), fields[2] == "*", fields[4] == "*"
    )  # fmt: skip


def _field(field: str, place: int, low: int, high: int) -> frozenset[int]:
    found: set[int] = set()
    for part in field.split(","):
        if part in ("$", "l") and place == 2:
            found.add(LAST_DAY)
            continue
        span, _, step = part.partition("/")
        if span == "*":
            first, last = low, high
        else:
            begin, _, end = span.partition("-")
            first = _number(begin, place)
            last = _number(end, place) if end else (high if step else first)
        if not (low <= first <= last <= high) or (step and int(step) == 0):
            raise ValueError(f"{part} is not within {low} to {high}")
        found.update(range(first, last + 1, int(step or 1)))
    return frozenset(found)


def _number(word: str, place: int) -> int:
    return int(NAMES[place].get(word, word))
