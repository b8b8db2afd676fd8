"""Whose turn it is to get a connection: sources take turns, and none holds more than its share.

A source is a client's address; what is asked without one, as by the site's own programs, has no share to keep to. What
is known to be quick may hold some more, so that it need not wait for what is slow of the same source. Requests of one
source wait in order.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")


class Turns(Generic[T]):
    """Those who wait, in a line for each source and kind."""

    def __init__(self, size: int, share: float, quick: int | None = None) -> None:
        """`share` is the part of `size` connections that a source may hold, `quick` how many with what is quick."""
        self.share = min(size, max(1, int(size * share)))
        self._quick_share = self.share + (size - self.share) // 2 if quick is None else max(self.share, quick)
        self._held: dict[str, int] = {}
        self._lines: OrderedDict[tuple[str, bool], dict[T, None]] = OrderedDict()  # whose turn it is comes first
        self.waiting = 0  # how many there are

    def __len__(self) -> int:
        return self.waiting

    @property
    def held_most(self) -> int:
        """Connections of the source that holds most."""
        return max(self._held.values(), default=0)

    def may_hold(self, source: str, quick: bool) -> bool:
        """Whether a source may have one more connection."""
        return not source or self._held.get(source, 0) < (self._quick_share if quick else self.share)

    def hold(self, source: str) -> None:
        if source:
            self._held[source] = self._held.get(source, 0) + 1

    def let_go(self, source: str) -> None:
        if source:
            left = self._held[source] - 1
            if left:
                self._held[source] = left
            else:
                del self._held[source]

    def add(self, source: str, quick: bool, entry: T) -> None:
        """Wait at the end of the line."""
        self._lines.setdefault((source, quick), {})[entry] = None
        self.waiting += 1

    def remove(self, source: str, quick: bool, entry: T) -> bool:
        """Wait no more; whether it did."""
        line = self._lines.get((source, quick))
        if line is None or entry not in line:
            return False
        del line[entry]
        self.waiting -= 1
        if not line:
            del self._lines[source, quick]
        return True

    def next(self) -> T | None:
        """Whose turn it is, who waits no more then; None where nobody may."""
        for key, line in self._lines.items():
            if self.may_hold(*key):
                entry = next(iter(line))
                self.remove(*key, entry)
                if line:
                    self._lines.move_to_end(key)
                return entry
        return None

    def clear(self) -> list[T]:
        """Nobody waits any more; who did."""
        entries = [entry for line in self._lines.values() for entry in line]
        self._lines.clear()
        self.waiting = 0
        return entries
