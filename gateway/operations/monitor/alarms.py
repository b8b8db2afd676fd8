"""Which troubles stand, since when, and which of them somebody has been told of.

Kept in `alarms.json` in the data folder, so that a restart neither forgets a trouble nor tells of it again, and read
there by `/ready`, `gateway status` and the metrics.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from gateway.identity.keyring import write_private
from gateway.operations.monitor.checks import Trouble

FILE: Final = "alarms.json"
# Seconds that a trouble of a kind stands before somebody is told: a restart is none.
PATIENCE: Final = {"gateway": 45.0, "worker": 30.0, "database": 30.0, "jobs": 30.0, "maintenance": 900.0}
AGAIN: Final = 86_400.0  # seconds after which a trouble that still stands is told of again
SILENT: Final = 120.0  # seconds after which the monitor itself counts as silent


@dataclass(frozen=True, slots=True)
class Alarm:
    """A trouble that stands; times in epoch seconds, `told` is 0 until somebody was told."""

    kind: str
    subject: str
    text: str
    since: float
    told: float = 0.0

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.subject

    @property
    def name(self) -> str:
        return Trouble(*self.key, self.text).name


@dataclass(frozen=True, slots=True)
class News:
    """What somebody is to be told: troubles that stand, and such that are over."""

    standing: tuple[Alarm, ...] = ()
    over: tuple[Alarm, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.standing or self.over)


class Alarms:
    """The book of alarms. Each look is `note`; once somebody was told, `told`."""

    def __init__(self, path: Path) -> None:
        self.standing = {alarm.key: alarm for alarm in read(path.parent)[0]}
        self._path = path
        self._over: dict[tuple[str, str], Alarm] = {}  # that nobody was told of yet
        self._written: tuple[float, list[Alarm]] = (0.0, [])

    def note(self, troubles: Iterable[Trouble], now: float) -> News:
        """Take down what is wrong now; what there is to tell of it."""
        found = {}
        for trouble in troubles:
            key = (trouble.kind, trouble.subject)
            before = self.standing.get(key) or self._over.pop(key, None) or Alarm(*key, trouble.text, now)
            # A clock that was set back must not silence an alarm.
            found[key] = replace(before, text=trouble.text, since=min(before.since, now), told=min(before.told, now))
        for key, alarm in self.standing.items():
            if key not in found and alarm.told:
                self._over[key] = alarm
        self.standing = found
        standing = tuple(alarm for alarm in found.values() if _is_due(alarm, now))
        return News(standing, tuple(self._over.values()))

    def told(self, news: News, now: float) -> None:
        """Somebody was told."""
        for alarm in news.standing:
            if alarm.key in self.standing:
                self.standing[alarm.key] = replace(self.standing[alarm.key], told=now)
        for alarm in news.over:
            self._over.pop(alarm.key, None)

    def write(self, now: float) -> None:
        """Keep the book: each change at once, the time of the last look now and then. Raises OSError."""
        alarms = list(self.standing.values())
        at, before = self._written
        if alarms == before and at <= now < at + SILENT / 3:
            return
        rows = [asdict(alarm) for alarm in alarms]
        write_private(self._path, json.dumps({"pid": os.getpid(), "at": now, "alarms": rows}) + "\n")
        self._written = (now, alarms)


def _is_due(alarm: Alarm, now: float) -> bool:
    if alarm.told:
        return now - alarm.told >= AGAIN
    return now - alarm.since >= PATIENCE.get(alarm.kind, 0.0)


def read(folder: Path) -> tuple[list[Alarm], float]:
    """The alarms of a data folder and when they were looked for, in epoch seconds; 0 where nobody looks."""
    try:
        content: dict[str, Any] = json.loads((folder / FILE).read_text())
        return [Alarm(**row) for row in content["alarms"]], float(content["at"])
    except (OSError, ValueError, KeyError, TypeError):
        return [], 0.0


def summary(folder: Path, now: float | None = None) -> dict[str, Any]:
    """What `/ready` and `gateway status` say: the alarms that stand, and whether anybody looks."""
    alarms, at = read(folder)
    age = (time.time() if now is None else now) - at
    state = "ok" if age < SILENT else f"silent for {age:.0f} s" if at else "not running"
    due = [alarm for alarm in alarms if alarm.told or _is_due(alarm, at)]
    return {"monitor": state, "alarms": [{"name": alarm.name, **asdict(alarm)} for alarm in due]}
