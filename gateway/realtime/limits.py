"""How often something may happen in a worker, as an average over up to a minute (contract, section 19).

Time is cut into buckets of five seconds; the average is that of the last twelve that are complete. So a burst that is
shorter than a bucket is not punished, and a limit that was passed is passed until the average has fallen below it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Final

BUCKET: Final = 5.0  # seconds
KEPT: Final = 12


class Rate:
    """Counts; `limit` is a second's worth, 0 for none."""

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit = limit
        self._clock = clock
        self._began = clock()
        self._now = 0
        self._full: deque[int] = deque(maxlen=KEPT)
        self.average = 0.0

    def add(self, count: int = 1) -> None:
        """So many happened now."""
        self._turn()
        self._now += count

    @property
    def exceeded(self) -> bool:
        """Whether there is too much of it."""
        self._turn()
        return self.limit > 0 and self.average >= self.limit

    def _turn(self) -> None:
        passed = int((self._clock() - self._began) / BUCKET)
        if passed <= 0:
            return
        self._began += passed * BUCKET
        self._full.append(self._now)
        self._full.extend([0] * min(passed - 1, KEPT))
        self._now = 0
        self.average = sum(self._full) / (len(self._full) * BUCKET)
