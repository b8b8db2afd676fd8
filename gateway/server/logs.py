"""What the gateway's own log looks like: one line a record on standard error, repetitions held back.

A line that cannot be written, because a disk is full or a terminal was closed, is counted and forgotten: what is logged
must never decide what is answered.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from typing import Final

from gateway.settings import Settings

WINDOW: Final = 10.0  # seconds
BURST: Final = 5  # records of one kind in a window; an outage must not fill the disk
KINDS: Final = 1000  # kinds remembered
LONGEST: Final = 16_000  # characters of a record, its traceback included; what a visitor sent may be part of it
NOISY: Final = ("uvicorn", "httpx", "procrastinate", "asyncio")


class Debounce(logging.Filter):
    """Lets a few warnings of one kind through in each window; the first of the next one tells how many were not."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._windows: dict[tuple[str, object], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        key, now = (record.name, record.msg), self._clock()
        began, count = self._windows.get(key, (now, 0))
        if now - began >= WINDOW:
            if count > BURST:
                record.msg = f"{record.msg} ({count - BURST} more like this in the {WINDOW:.0f} s before)"
            began, count = now, 0
        if len(self._windows) >= KINDS:
            self._windows.clear()
        self._windows[key] = (began, count + 1)
        return count < BURST


class Formatter(logging.Formatter):
    """One record, no longer than `LONGEST`: of a long one the beginning and the end, which says what failed."""

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        if len(text) <= LONGEST:
            return text
        half = LONGEST // 2
        return f"{text[:half]} … {len(text) - 2 * half} characters left out … {text[-half:]}"


class Handler(logging.StreamHandler):  # type: ignore[type-arg]  # generic in its stubs alone
    """Writes to standard error, or counts what it could not write."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)
        self.setFormatter(Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        self.dropped = 0

    def handleError(self, record: logging.LogRecord) -> None:
        """Python's own would write a traceback to the same place."""
        self.dropped += 1


def dropped() -> int:
    """Lines of this process that could not be written."""
    return sum(handler.dropped for handler in logging.getLogger().handlers if isinstance(handler, Handler))


def configure(settings: Settings) -> None:
    """Log to standard error at the level of the settings."""
    handler = Handler()
    handler.addFilter(Debounce())
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler], force=True)
    if settings.log_level != "debug":
        for library in NOISY:
            logging.getLogger(library).setLevel(logging.WARNING)


def say(text: str) -> None:
    """Print for whoever started the gateway; one that has closed the terminal misses it and nothing else happens."""
    try:
        print(text, flush=True)
    except (OSError, ValueError):
        logging.getLogger("gateway").debug("standard output is closed")
