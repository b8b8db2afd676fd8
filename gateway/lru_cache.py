"""What one request leaves in memory for the next: least-recently-used caches, bounded by bytes and emptied together.

A cache is made by `Caches.make` and by nobody else, so that one switch turns all of them off, one call empties them
when settings, keys or the schema change, and the metrics show each.

>>> caches = Caches()
>>> plans = caches.make("plans", 800)
>>> for name in "abcdefghi":
...     plans.put(name, name.upper(), 100)
>>> plans.get("a"), plans.get("i"), caches.stats()["plans"]
(None, 'I', {'entries': 8, 'bytes': 800})
"""

from __future__ import annotations

import enum
import sys
import types
from collections import OrderedDict
from dataclasses import fields, is_dataclass
from typing import Any, Final, Generic, TypeVar

_K = TypeVar("_K")
_V = TypeVar("_V")

ENTRY: Final = 200
"""Bytes that an entry costs by itself."""


class LruCache(Generic[_K, _V]):
    """The least recently used entries go first, until the rest is within the bound. What takes more than an eighth of
    it is not kept, as it would drive out too many others."""

    def __init__(self, most_bytes: int, most_entries: int | None = None) -> None:
        self._most_bytes = most_bytes
        self._most_entries = most_entries
        self._entries: OrderedDict[_K, tuple[_V, int]] = OrderedDict()
        self.bytes = 0

    def get(self, key: _K) -> _V | None:
        """What is kept under a key, or None."""
        found = self._entries.get(key)
        if found is None:
            return None
        self._entries.move_to_end(key)
        return found[0]

    def put(self, key: _K, value: _V, size: int) -> None:
        """Keep a value that takes about `size` bytes, its key included."""
        if size > self._most_bytes // 8:
            return
        before = self._entries.pop(key, None)
        if before is not None:
            self.bytes -= before[1]
        self._entries[key] = (value, size)
        self.bytes += size
        while self.bytes > self._most_bytes or (
            self._most_entries is not None and len(self._entries) > self._most_entries
        ):
            _, (_, freed) = self._entries.popitem(last=False)
            self.bytes -= freed

    def discard(self, key: _K) -> None:
        """Forget what is kept under a key, if anything is."""
        found = self._entries.pop(key, None)
        if found is not None:
            self.bytes -= found[1]

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._entries)


class Caches:
    """All caches of a worker."""

    def __init__(self, enabled: bool = True) -> None:
        self.enabled = enabled
        self._caches: dict[str, LruCache[Any, Any]] = {}

    def make(self, name: str, most_bytes: int, most_entries: int | None = None) -> LruCache[Any, Any]:
        """A cache by the name that the metrics show; it keeps nothing where caches are switched off."""
        made: LruCache[Any, Any] = LruCache(most_bytes if self.enabled else 0, most_entries)
        self._caches[name] = made
        return made

    def invalidate(self) -> None:
        """Forget everything: settings, keys or the schema changed."""
        for cache in self._caches.values():
            cache.clear()

    def stats(self) -> dict[str, dict[str, int]]:
        """Entries and bytes of each cache."""
        return {name: {"entries": len(cache), "bytes": cache.bytes} for name, cache in self._caches.items()}


def size_of(*values: object, shared: tuple[type, ...] = ()) -> int:
    """About how many bytes values take with all that they hold, save what is an instance of a `shared` type.

    >>> size_of("a" * 1000) > 1000
    True
    """
    total = ENTRY
    seen: set[int] = set()
    waiting: list[object] = list(values)
    while waiting:
        value = waiting.pop()
        if value is None or id(value) in seen or isinstance(value, (*_SHARED, *shared)):
            continue
        seen.add(id(value))
        total += sys.getsizeof(value)
        if isinstance(value, (tuple, list, set, frozenset)):
            waiting += value
        elif isinstance(value, dict):
            waiting += value.keys()
            waiting += value.values()
        elif is_dataclass(value):
            waiting += [getattr(value, each.name) for each in fields(value)]
        else:
            waiting += [getattr(value, name, None) for name in getattr(value, "__slots__", ())]
    return total


_SHARED: Final = (type, enum.Enum, types.FunctionType, types.BuiltinFunctionType, bool)
