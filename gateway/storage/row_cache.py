"""Rows of buckets and of public objects, remembered while Postgres is heard to say when they change.

A trigger on each of the two tables notifies, with the commit, which rows are others now (schema
storage_private, `tell_of_changes`). Only while a connection of this worker listens is anything remembered: it forgets
all when that connection begins, and when it is lost, which a pulse on it notices where the network does not say so. A
row that was read before such news and arrives after it is not kept: `generation` has moved on. What this worker writes
itself it forgets at once, so that whoever wrote reads what he wrote; another worker hears of it in the moment that a
notification takes.

What a policy decides is never remembered: an object's row only as anybody may read it, in a public bucket, and a
bucket's as the owner of the schema sees it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, Generic, TypeVar

import orjson

from gateway.lru_cache import ENTRY, Caches

log = logging.getLogger("gateway.storage")

CHANNEL: Final = "storage_rows"
EVERYTHING: Final = "*"
PULSE: Final = 5.0  # seconds of silence after which the listening connection is tried
OBJECTS: Final = 16_000_000  # bytes
BUCKETS: Final = 1_000_000

_B = TypeVar("_B")
_O = TypeVar("_O")


class RowCache(Generic[_B, _O]):
    """`begin` starts to listen; it is called when something could be remembered for the first time."""

    def __init__(self, caches: Caches, begin: Callable[[RowCache[_B, _O]], asyncio.Task[None]] | None = None) -> None:
        """Without `begin` nothing is ever remembered."""
        self._objects = caches.make("storage objects", OBJECTS)
        self._buckets = caches.make("storage buckets", BUCKETS)
        self._begin = begin if caches.enabled else None
        self._listening: asyncio.Task[None] | None = None
        self.is_live = False
        self.generation = 0

    # --- asking --------------------------------------------------------------------------------------------------

    def bucket(self, id: str) -> _B | None:
        found: _B | None = self._buckets.get(id) if self.is_live else None
        return found

    def object(self, bucket: str, name: str) -> _O | None:
        found: _O | None = self._objects.get((bucket, name)) if self.is_live else None
        return found

    def keep_bucket(self, id: str, row: _B, generation: int) -> None:
        """Keep a row that was asked for at a generation."""
        if self._may_keep(generation):
            self._buckets.put(id, row, ENTRY + 8 * len(id) + 2_000)

    def keep_object(self, bucket: str, name: str, row: _O, size: int, generation: int) -> None:
        """The same of an object; `size` is of the row alone."""
        if self._may_keep(generation):
            self._objects.put((bucket, name), row, ENTRY + 8 * (len(bucket) + len(name)) + size)

    def _may_keep(self, generation: int) -> bool:
        if self._begin is not None and self._listening is None:
            self._listening = self._begin(self)
        return self.is_live and generation == self.generation

    # --- forgetting ----------------------------------------------------------------------------------------------

    def invalidate(self) -> None:
        """Forget everything."""
        self.generation += 1
        self._objects.clear()
        self._buckets.clear()

    def forget(self, bucket: str, name: str) -> None:
        """Forget an object."""
        self.generation += 1
        self._objects.discard((bucket, name))

    # --- hearing -------------------------------------------------------------------------------------------------

    def heard(self, payload: str) -> None:
        """What the trigger says: names of objects with their buckets, or that everything may be another."""
        try:
            changed = orjson.loads(payload) if payload != EVERYTHING else None
            if changed is None:
                self.invalidate()
                return
            for bucket, name in changed:
                self.forget(bucket, name)
        except (ValueError, TypeError):
            self.invalidate()  # anybody with SQL may notify

    def begin(self) -> None:
        """From now on every change is heard of."""
        self.invalidate()
        self.is_live = True

    def end(self) -> None:
        """From now on it is not."""
        self.is_live = False
        self.invalidate()

    async def stop(self) -> None:
        """Listen no more."""
        self.end()
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait([self._listening])
