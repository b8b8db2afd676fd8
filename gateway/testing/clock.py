"""A clock that is ahead: what `time.time` answers in a process that installed it, and in those forked from it.

It is installed before anything else is imported, as modules take `time.time` by its value. Postgres' own clock, such as
`now()` in a query, stays where it is.
"""

from __future__ import annotations

import mmap
import struct
import time
from typing import Final

_SECONDS: Final = struct.Struct("d")
_real: Final = time.time


class Ahead:
    """How many seconds a clock is ahead, in memory that a process shares with those forked from it."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SECONDS.size)

    @property
    def seconds(self) -> float:
        return float(_SECONDS.unpack_from(self._memory)[0])

    @seconds.setter
    def seconds(self, value: float) -> None:
        _SECONDS.pack_into(self._memory, 0, value)


_ahead = Ahead()


def install() -> None:
    """Have `time.time` be ahead from now on."""
    time.time = lambda: _real() + _ahead.seconds


def use(ahead: Ahead) -> None:
    """Be ahead by what this says, in this process."""
    global _ahead
    _ahead = ahead
