"""Changes held against conditions: by texts where that is exact, else by one statement a batch.

A column that the log does not carry (a long value that stayed the same, a DELETE's columns beside its identity) matches
nothing, and neither does null but by `is` and `isdistinct`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gateway.database import Database, Scope
from gateway.database.statement import Statement, array_literal
from gateway.realtime.changes.filters import COMPARISONS, IS
from gateway.realtime.changes.pgoutput import UNCHANGED, Column, Row
from gateway.realtime.changes.subscribing import Condition
from gateway.realtime.changes.tables import PublishedTable
from gateway.realtime.changes.visibility import SEARCH_PATH

_ORDERED: Final = ("lt", "lte", "gt", "gte")


def value_of(condition: Condition, table: PublishedTable, row: Row, identity: bool) -> Column:
    """The value that a condition looks at; UNCHANGED where the log does not carry it. `identity` says that the row has
    the columns of the replica identity alone."""
    place = table.places.get(condition.filter.column)
    if place is None or place >= len(row) or (identity and not table.relation.columns[place].key):
        return UNCHANGED
    return row[place]


def decided(condition: Condition, value: Column) -> bool | None:
    """Whether a value matches; None where Postgres has to be asked.

    >>> from gateway.realtime.changes.filters import parse_filters
    >>> over = Condition(parse_filters("n=gt.9")[0], "int4", True, True, ("9",))
    >>> decided(over, "10"), decided(over, None), decided(over, UNCHANGED)
    (True, False, False)
    """
    if not (value is None or isinstance(value, str)):
        return False
    operator, negated = condition.filter.operator, condition.filter.negated
    if operator == "is":
        word = condition.values[0]
        if value is None or word == "null":
            return (value is None and word in ("null", "unknown")) is not negated
        return (value == word[0]) is not negated if condition.exact else None
    if value is None:
        return operator == "isdistinct" and not negated
    if not condition.exact:
        return None
    if operator in ("eq", "in"):
        return (value in condition.values) is not negated
    if operator in ("neq", "isdistinct"):
        return (value != condition.values[0]) is not negated
    if operator in _ORDERED and condition.number:
        mine, theirs = int(value), int(condition.values[0])
        holds = {"lt": mine < theirs, "lte": mine <= theirs, "gt": mine > theirs, "gte": mine >= theirs}[operator]
        return holds is not negated
    return None


async def ask(database: Database, role: str, asked: Sequence[tuple[Condition, Sequence[str]]]) -> list[list[bool]]:
    """Have Postgres hold values against conditions: for each condition, whether each of its values matches.

    Raises DatabaseError, DatabaseUnavailable, PoolTimeout.
    """
    parts: list[str] = []
    params: list[str] = []
    for number, (condition, values) in enumerate(asked):
        type_sql, operator, at = condition.type_sql, condition.filter.operator, len(params)
        params.append(array_literal(list(values)))
        if operator == "is":
            holds = f"value::{type_sql} {IS[condition.values[0]]}"
        elif operator == "in":
            params.append(array_literal(list(condition.values)))
            listed = f"array(select v::{type_sql} from unnest(${at + 2}::text[]) v)"
            holds = f"value::{type_sql}{condition.collation} = any ({listed})"
        else:
            params.append(condition.values[0])
            holds = f"value::{type_sql}{condition.collation} {COMPARISONS[operator]} ${at + 2}::text::{type_sql}"
        if condition.filter.negated:
            holds = f"not ({holds})"
        parts.append(
            f"select {number}, place from unnest(${at + 1}::text[]) with ordinality u (value, place) where {holds}"
        )
    found = [[False] * len(values) for _, values in asked]
    names = ("search_path", "datestyle", "timezone", "role", "statement_timeout")
    scope = Scope(role, names, (SEARCH_PATH, "ISO, YMD", "UTC", role, "5000"))
    for which, place in (await database.run(scope, Statement(" union all ".join(parts), tuple(params)))).rows:
        found[int(which or 0)][int(place or 1) - 1] = True
    return found
