"""Changes as they go from the process that reads the log to all others: positions, frames, and what is kept of them.

A position is where a transaction was committed in the log, and the number of the change within it; positions only grow
along the log, whoever reads it. A frame is what one reader says at once: its epoch (each reader is a new one), a number
that grows by one, the position that it has reached, and changes with the tables that they are of. A frame without
changes says that the reader lives. Who follows drops what it has already seen by its position, and notices by the
numbers what it missed.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import orjson

from gateway.database.replication import lsn_of, lsn_text
from gateway.realtime.changes.pgoutput import UNCHANGED, Relation, RelationColumn, Row

ROW_COST: Final = 200  # bytes that a change takes beside its texts
FRAME: Final = 48 * 1024  # bytes of texts in a frame, if no single change is larger


class Position(NamedTuple):
    """Where a change stands in the log."""

    commit: int
    number: int

    def __str__(self) -> str:
        return f"{lsn_text(self.commit)}:{self.number}"


START: Final = Position(0, -1)


def before(place: int) -> Position:
    """The position in front of whatever is committed at a place of the log or behind it."""
    return Position(place, -1)


def parse_position(text: str) -> Position:
    """A position out of its text. Raises ValueError.

    >>> parse_position(str(Position(2 ** 32 + 5, 3)))
    Position(commit=4294967301, number=3)
    """
    place, _, number = text.partition(":")
    return Position(lsn_of(place), int(number))


class Change(NamedTuple):
    """A changed row. `kind` is INSERT, UPDATE or DELETE, `at` the commit's time in Unix µs; `whole` says that `old` is
    the whole row and not its identity alone; `xid` is the lower half of its transaction's number."""

    position: Position
    at: int
    kind: str
    relation: Relation
    new: Row | None
    old: Row | None
    whole: bool
    xid: int = 0

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        texts = (value for row in (self.new, self.old) if row for value in row if isinstance(value, str))
        return ROW_COST + sum(map(len, texts))


@dataclass(frozen=True, slots=True)
class Frame:
    """What a reader says at once; `since` is from where in the log its epoch has read."""

    epoch: str
    number: int
    since: int
    reached: Position
    changes: tuple[Change, ...] = ()


def encode_frame(frame: Frame) -> bytes:
    """A frame as bytes."""
    relations = {change.relation.oid: change.relation for change in frame.changes}
    return orjson.dumps(
        (
            frame.epoch,
            frame.number,
            frame.since,
            tuple(frame.reached),
            [
                (each.oid, each.schema, each.table, each.identity, [(c.name, c.type_oid, c.key) for c in each.columns])
                for each in relations.values()
            ],
            [
                (*change.position, change.at, change.kind, change.relation.oid, _said(change.new), _said(change.old),
                 change.whole, change.xid)
                for change in frame.changes
            ],
        )
    )  # fmt: skip


def decode_frame(raw: bytes) -> Frame:
    """A frame out of its bytes. Raises ValueError, TypeError."""
    epoch, number, since, reached, said, changes = orjson.loads(raw)
    relations = {
        oid: Relation(oid, schema, table, identity, tuple([RelationColumn(n, t, -1, k) for n, t, k in columns]))
        for oid, schema, table, identity, columns in said
    }
    return Frame(
        epoch,
        number,
        since,
        Position(*reached),
        tuple(
            [
                Change(Position(commit, place), at, kind, relations[oid], _row(new), _row(old), whole, xid)
                for commit, place, at, kind, oid, new, old, whole, xid in changes
            ]
        ),
    )


def _said(row: Row | None) -> list[Any] | None:
    return None if row is None else [False if value is UNCHANGED else value for value in row]


def _row(said: list[Any] | None) -> Row | None:
    return None if said is None else tuple([UNCHANGED if value is False else value for value in said])


def plain(relation: Relation) -> Relation:
    """A table without what frames do not carry, so that it is equal wherever it was heard of."""
    return Relation(
        relation.oid,
        relation.schema,
        relation.table,
        relation.identity,
        tuple([RelationColumn(c.name, c.type_oid, -1, c.key) for c in relation.columns]),
    )


def cut(changes: Iterable[Change]) -> Iterable[tuple[Change, ...]]:
    """Changes in pieces that fit a frame."""
    piece: list[Change] = []
    size = 0
    for change in changes:
        if piece and size + change.size > FRAME:
            yield tuple(piece)
            piece, size = [], 0
        piece.append(change)
        size += change.size
    if piece:
        yield tuple(piece)


@dataclass(slots=True)
class Ring:
    """The last changes, bounded by age and bytes: for who missed some. After the position `reach`, and after the time
    `reach_at` (Unix µs), nothing is missing in it."""

    seconds: float
    most_bytes: int
    reach: Position = START
    reach_at: int = 0
    bytes: int = 0
    kept: deque[tuple[float, int, Change]] = field(default_factory=deque)

    def add(self, change: Change, now: float | None = None) -> None:
        """Keep a change that follows all others."""
        size = change.size
        self.kept.append((time.monotonic() if now is None else now, size, change))
        self.bytes += size
        while self.bytes > self.most_bytes and len(self.kept) > 1:
            self._drop()

    def expire(self, now: float | None = None) -> None:
        """Let go of what is too old."""
        limit = (time.monotonic() if now is None else now) - self.seconds
        while self.kept and self.kept[0][0] < limit:
            self._drop()

    def _drop(self) -> None:
        _, size, change = self.kept.popleft()
        self.bytes -= size
        self.reach, self.reach_at = change.position, max(self.reach_at, change.at)

    def after(self, position: Position) -> list[Change] | None:
        """What follows a position; None where some of it is no longer kept."""
        if position < self.reach:
            return None
        return [change for _, _, change in self.kept if change.position > position]

    def since(self, at: int) -> list[Change] | None:
        """What was committed at a time (Unix µs) or later; None where some of that may no longer be kept."""
        if at <= self.reach_at:
            return None
        return [change for _, _, change in self.kept if change.at >= at]
