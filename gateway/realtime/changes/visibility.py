"""Which subscribers may see which changed rows: asked of Postgres in one statement for a whole batch.

In: groups by table and role, each with sets of rows and the claims that want them. Out: what the role may read of the
table, and for each claims the rows that are seen. A login without rights of its own asks (the tables API's), never the
one that reads the log.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

import orjson

from gateway.database import Database, DatabaseError, Scope
from gateway.database.statement import Statement, array_literal
from gateway.realtime.changes.values import TEXT, Kind, to_json

LIMIT: Final = "5000"  # milliseconds that a batch may take
CANCELED: Final = "57014"
SEARCH_PATH: Final = "public, extensions"
_ASK: Final = (
    "select place, part, state, secured, columns, visible, fault from realtime.visible_changes($1::jsonb, $2::bigint[])"
)
_SCOPE: Final = Scope(names=("search_path", "statement_timeout"), values=(SEARCH_PATH, LIMIT))
TOO_SLOW: Final = "the policies of the table take too long"


@dataclass(slots=True)
class Group:
    """What is asked of one table for one role. A row is its key; a set is a choice of rows, by their numbers."""

    table: int
    role: str
    key: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    sets: list[tuple[int, ...]] = field(default_factory=list)
    asks: list[tuple[str, int]] = field(default_factory=list)

    def document(self) -> dict[str, object]:
        """As the function in the database takes it."""
        sets = []
        for numbers in self.sets:
            columns = [
                array_literal([self.rows[number][place] for number in numbers]) for place in range(len(self.key))
            ]
            sets.append([*columns, "{" + ",".join(map(str, numbers)) + "}"])
        return {"table": self.table, "role": self.role, "key": self.key, "sets": sets, "asks": self.asks}


@dataclass(slots=True)
class Seen:
    """What came of a group. `visible` has for each ask the numbers of the rows, or why it failed."""

    state: str
    secured: bool = False
    columns: frozenset[str] = frozenset()
    fault: str = ""
    visible: list[frozenset[int] | str] = field(default_factory=list)


async def ask(database: Database, groups: Sequence[Group], transactions: Collection[int]) -> list[Seen]:
    """`transactions` are those that the rows are of. Raises DatabaseError, DatabaseUnavailable, PoolTimeout.

    A batch that takes too long is asked again in halves, so that slow policies refuse those alone whom they are slow
    for.
    """
    if not groups:
        return []
    try:
        return await _ask(database, groups, transactions)
    except DatabaseError as error:
        if error.sqlstate != CANCELED:
            raise
    if len(groups) > 1:
        middle = len(groups) // 2
        return [
            *await ask(database, groups[:middle], transactions),
            *await ask(database, groups[middle:], transactions),
        ]
    (group,) = groups
    if len(group.asks) < 2:
        return [Seen("fault", fault=TOO_SLOW)]
    middle = len(group.asks) // 2
    halves = []
    for asks in (group.asks[:middle], group.asks[middle:]):
        part = Group(group.table, group.role, group.key, group.rows, group.sets, asks)
        (seen,) = await ask(database, [part], transactions)
        if seen.state == "fault":  # of this half alone
            seen.visible = [seen.fault] * len(asks)
        halves.append(seen)
    kept = next((seen for seen in halves if seen.state != "fault"), halves[0])
    return [Seen(kept.state, kept.secured, kept.columns, kept.fault, [*halves[0].visible, *halves[1].visible])]


async def _ask(database: Database, groups: Sequence[Group], transactions: Collection[int]) -> list[Seen]:
    document = orjson.dumps([group.document() for group in groups])
    result = await database.run(_SCOPE, Statement(_ASK, (document, "{" + ",".join(map(str, transactions)) + "}")))
    found = [Seen("gone") for _ in groups]
    for place, part, state, secured, columns, visible, fault in result.rows:
        seen = found[int(place or 0)]
        if part is None:
            seen.state = (state or b"").decode()
            seen.secured = secured == b"t"
            seen.columns = frozenset(_names(columns))
            seen.fault = (fault or b"").decode()
        elif fault is not None:
            seen.visible.append(fault.decode())
        else:
            numbers = (visible or b"{}")[1:-1]
            seen.visible.append(frozenset(map(int, numbers.split(b",")) if numbers else ()))
    return found


def _names(literal: bytes | None) -> list[str]:
    return list(orjson.loads(to_json(literal.decode(), Kind(TEXT, array=True)))) if literal else []
