"""A bounded memory for what requests have in common."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

_K = TypeVar("_K")
_V = TypeVar("_V")


class Remembered(Generic[_K, _V]):
    """A bounded memory: the least recently used goes first, and what is too large is not kept at all."""

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._memory: OrderedDict[_K, _V] = OrderedDict()

    def get(self, key: _K) -> _V | None:
        found = self._memory.get(key)
        if found is not None:
            self._memory.move_to_end(key)
        return found

    def put(self, key: _K, value: _V) -> None:
        if len(self._memory) >= self._entries and key not in self._memory:
            self._memory.popitem(last=False)
        self._memory[key] = value

    def clear(self) -> None:
        self._memory.clear()

    def __len__(self) -> int:
        return len(self._memory)
