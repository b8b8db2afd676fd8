"""When a job of `cron` runs: five fields, a word for them, or a number of seconds.

What a schedule may say is checked by the database when it is stored (cron._is_schedule); here it is read.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final

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


@dataclass(frozen=True, slots=True)
class Seconds:
    """Every so many seconds."""

    every: int


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
        is_last = moment.day == monthrange(moment.year, moment.month)[1]
        day = moment.day in self.days or (is_last and LAST_DAY in self.days)
        weekday = moment.isoweekday() % 7 in self.weekdays
        return day and weekday if self.any_day or self.any_weekday else day or weekday


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
        if part == "$" and place == 2:
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
