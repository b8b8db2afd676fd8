"""Which columns a planned request filters and orders by, so that an operator can be told of a missing index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from gateway.catalog.model import Name
from gateway.rest.types import Column, Compare, PlanCondition, PlanFilter, PlanLogic, ReadPlan, WritePlan

Lookup = tuple[str, ...]
"""Schema, table and column; `PATTERN` after these where it is looked up by one."""
PATTERN: Final = "pattern"
_PATTERNS: Final = frozenset(("like", "ilike", "~", "~*"))


def lookups(read: ReadPlan, write: WritePlan | None = None) -> frozenset[Lookup]:
    """What a read and its embeds look rows up by, and a write the rows that it changes."""
    written = _known(write.table.name, _of_conditions(write.where)) if write is not None else ()
    return frozenset((*_of_read(read), *written))


def _of_read(read: ReadPlan) -> Iterator[Lookup]:
    own = ((order.column, False) for order in read.order if order.relation is None)
    yield from _known(read.source, (*_of_conditions(read.where), *own))
    for embed in read.embeds:
        yield from _of_read(embed)


def _of_conditions(conditions: Iterable[PlanCondition]) -> Iterator[tuple[Column, bool]]:
    """Columns, and whether by a pattern."""
    for condition in conditions:
        if isinstance(condition, PlanFilter):
            operation = condition.operation
            yield condition.column, isinstance(operation, Compare) and operation.operator in _PATTERNS
        elif isinstance(condition, PlanLogic):
            yield from _of_conditions(condition.members)


def _known(table: Name, columns: Iterable[tuple[Column, bool]]) -> Iterator[Lookup]:
    """Those that the table has: a client may name any other, which Postgres then refuses, and what a write returns
    is in no table's schema."""
    for column, by_pattern in columns:
        if column.type and table.schema:
            found = table.schema, table.name, column.name
            yield (*found, PATTERN) if by_pattern else found
