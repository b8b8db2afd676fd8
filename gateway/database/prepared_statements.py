"""The statements that a connection has prepared by name, bounded by their count and by the length of their texts.

Postgres keeps the parsed and planned form of each for as long as the connection lives: measured, 60 to 180 bytes for a
character of SQL (tests/gateway/database/test_prepared_statements.py has the bound). The least recently used are closed
first.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

Key = tuple[str, str]
"""Role and text: a plan holds what the role was allowed."""

COUNT: Final = 500
LENGTH: Final = 8_000  # characters of a statement; a longer one is seldom asked twice, and is sent without a name
TOTAL: Final = 200_000  # characters of all


class Prepared:
    """Names by role and text. `closing` are names that the server still has to be told to forget."""

    __slots__ = ("_names", "closing", "length")

    def __init__(self) -> None:
        self._names: OrderedDict[Key, bytes] = OrderedDict()
        self.length = 0  # characters of all
        self.closing: list[bytes] = []

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, key: Key) -> bool:
        return key in self._names

    def get(self, key: Key) -> bytes | None:
        name = self._names.get(key)
        if name is not None:
            self._names.move_to_end(key)
        return name

    def add(self, key: Key, name: bytes) -> list[Key]:
        """Remember a name; the keys that had to make room."""
        self._names[key] = name
        self.length += len(key[1])
        gone = []
        while len(self._names) > 1 and (len(self._names) > COUNT or self.length > TOTAL):
            oldest = next(iter(self._names))
            self.forget(oldest)
            gone.append(oldest)
        return gone

    def forget(self, key: Key) -> None:
        """Have the server close a name before the next one is given."""
        name = self._names.pop(key, None)
        if name is not None:
            self.length -= len(key[1])
            self.closing.append(name)

    def clear(self) -> None:
        """Forget every name."""
        for key in tuple(self._names):
            self.forget(key)
