"""What the gateway's own log looks like: one line a record on standard error, repetitions held back."""

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


def configure(settings: Settings) -> None:
    """Log to standard error at the level of the settings."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(Debounce())
    logging.basicConfig(level=settings.log_level.upper(), handlers=[handler], force=True)
    if settings.log_level != "debug":
        for library in NOISY:
            logging.getLogger(library).setLevel(logging.WARNING)
