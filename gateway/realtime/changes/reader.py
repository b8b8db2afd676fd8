"""The one process that reads the log: decodes it, says what changed to all others, keeps the last of it.

What is read is confirmed to the server late, by as long as changes are kept: a reader that takes over reads that part
once more, and so has it to give, too. Whoever has seen it drops it by its position.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from gateway.database.replication import LogData
from gateway.realtime.changes.log import Change, Frame, Position, Ring, before, cut, plain
from gateway.realtime.changes.pgoutput import Begin, Commit, Delete, Insert, Relation, Row, Update, decode
from gateway.realtime.changes.slot import OpenSlot

BEAT: Final = 1.0  # seconds between two frames where nothing changes
SLICE: Final = 0.003  # seconds of work after which others have their turn
AT_ONCE: Final = 500  # changes that are gathered before they are said, in the middle of a transaction too


class LogReader:
    """Reads from a slot until it is stopped, or the database ends it."""

    def __init__(
        self,
        slot: OpenSlot,
        epoch: str,
        ring: Ring,
        say: Callable[[Frame], None],
    ) -> None:
        """`say` is given each frame."""
        self.slot = slot
        self.epoch = epoch
        self.ring = ring
        self.number = 0
        self.reached = before(slot.since)
        self.read = 0  # changes, for the metrics
        self.hurry = False  # confirm all that was read: too much of the log is held back
        self._say = say
        self._relations: dict[int, Relation] = {}
        self._begun: Begin | None = None
        self._place = 0  # of the next row in its transaction
        self._changes: list[Change] = []
        self._done = slot.since  # up to here everything was said
        self._marks: deque[tuple[float, int]] = deque()
        self._confirmed = slot.since
        self._end = slot.since  # of the server's log, as far as it was told
        self._said_at = 0.0
        ring.reach, ring.reach_at = self.reached, int(time.time() * 1_000_000)

    async def run(self) -> None:
        """Raises DatabaseError, DatabaseUnavailable, Malformed."""
        beating = asyncio.create_task(self._beat())
        try:
            self.beat()
            while True:
                began = time.monotonic()
                answer = False
                for message in await self.slot.connection.receive():
                    self._end = max(self._end, message.end)
                    if isinstance(message, LogData):
                        self._take(message.data)
                    else:
                        answer = answer or message.answer
                        if self._begun is None:
                            self._done = max(self._done, message.end)
                    if len(self._changes) >= AT_ONCE:
                        self._flush()
                    if time.monotonic() - began > SLICE:
                        self._flush()
                        await asyncio.sleep(0)
                        began = time.monotonic()
                self._flush()
                if answer:
                    await self.confirm()
                if beating.done():
                    beating.result()
        finally:
            beating.cancel()
            self.slot.connection.close()

    def beat(self) -> None:
        """Say that it lives, and how far it has read."""
        self._frame(())

    async def confirm(self) -> None:
        """Let go of the part of the log that is old enough."""
        now = time.monotonic()
        self._marks.append((now, self._done))
        # Half of what may be held back is held back: better that nobody has the past than that the slot is lost.
        near = self.slot.bound is not None and self._end - self._confirmed > self.slot.bound // 2
        wait = 0.0 if self.hurry or near or not self.slot.lasting else self.ring.seconds
        self.hurry = False
        while self._marks and self._marks[0][0] <= now - wait:
            self._confirmed = self._marks.popleft()[1]
        await self.slot.connection.confirm(self._confirmed)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            self.ring.expire()
            if time.monotonic() - self._said_at > BEAT / 2:
                self.beat()
            await self.confirm()

    def _take(self, raw: bytes) -> None:
        match decode(raw):
            case Begin() as begun:
                self._begun, self._place = begun, 0
            case Commit(_, end, _):
                self._begun = None
                self._done = max(self._done, end)
            case Relation() as relation:
                self._relations[relation.oid] = plain(relation)
            case Insert(relation, new):
                self._add("INSERT", relation, new, None, False)
            case Update(relation, old, whole, new):
                self._add("UPDATE", relation, new, old, whole)
            case Delete(relation, old, whole):
                self._add("DELETE", relation, None, old, whole)
            case _:
                pass  # what is emptied is never told; types are asked of the catalogue

    def _add(self, kind: str, oid: int, new: Row | None, old: Row | None, whole: bool) -> None:
        begun, relation = self._begun, self._relations[oid]
        assert begun is not None
        position = Position(begun.commit, self._place)
        self._place += 1
        self.read += 1
        change = Change(position, begun.at, kind, relation, new, old, whole, begun.xid & 0xFFFFFFFF)
        self.ring.add(change)
        self._changes.append(change)

    def _flush(self) -> None:
        changes, self._changes = self._changes, []
        for piece in cut(changes):
            self.reached = max(self.reached, piece[-1].position)
            self._frame(piece)
        if self._begun is None:
            self.reached = max(self.reached, before(self._done))

    def _frame(self, changes: tuple[Change, ...]) -> None:
        self.number += 1
        self._said_at = time.monotonic()
        self._say(Frame(self.epoch, self.number, self.slot.since, self.reached, changes))
