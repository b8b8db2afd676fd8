"""Which pages are read in two steps: the keys of their rows are found first, then the rows of these keys are read.

Postgres carries all columns of each row that a filter leaves through the sort, though it shows ten of them, and reads
the table once for the page and once for its total. Where no index has the rows in their order, the sort of keys alone
is what saves; where a filter is slow (a pattern in a text, a search), the one reading that both the page and the total
are made of. Of a page of ten with its total, Postgres' time by that of one statement: 0.83 for a list of 1,000 rows and
0.85 of 200,000 without an index, 0.65 for a search of 1,000, 0.39 for one of 200,000 that finds few.

It costs ten lookups by key, 20 µs: more than it saves in a table of twenty rows, or where an index gives the order and
the filters are quick, which stays one statement.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gateway.catalog.model import ComputedRelationship, SchemaCache, Table
from gateway.rest.types import (
    Compare,
    Fixed,
    InList,
    Is,
    IsDistinct,
    Join,
    LateLookup,
    NullEmbed,
    PlanCondition,
    PlanFilter,
    PlanLogic,
    PlanOrder,
    ReadPlan,
)

PAGE: Final = 100  # rows: of longer pages the lookups cost more than the sort
# Whose equality tells nothing of what it looks at: so a table with policies is looked up by its index, too.
_KEYS: Final = frozenset({"uuid", "bigint", "integer", "smallint", "text", "character varying"})
_QUICK: Final = frozenset({"=", "<>", ">", ">=", "<", "<="})


def late_lookup(plan: ReadPlan, table: Table, count: str | None, cache: SchemaCache) -> LateLookup | None:
    """How a page of a table is looked up late; None where it is read in one step."""
    if not isinstance(plan.limit, Fixed) or plan.limit.number > PAGE or not plan.order or not _is_plain(plan):
        return None
    key = _key(plan, table)
    if key is None:
        return None
    first = plan.order[0].column.name
    sorts = (*table.name, first) not in cache.ordered
    counts = count == "exact" and not _all_quick(plan.where)
    return LateLookup(key, counts) if sorts or counts else None


def _is_plain(plan: ReadPlan) -> bool:
    """Whether the rows shown are the table's, each once, and its own columns alone decide which and in what order."""
    return (
        not any(select.aggregate for select in plan.select)
        and not any(
            embed.join is Join.INNER
            or isinstance(embed.relationship, ComputedRelationship)
            or any(column.aggregate for column in embed.spread_columns)
            for embed in plan.embeds
        )
        and all(map(_is_own, plan.order))
        and not any(isinstance(condition, NullEmbed) for condition in _leaves(plan.where))
    )


def _is_own(term: PlanOrder) -> bool:
    column = term.column
    return term.relation is None and bool(column.type) and not column.path and not column.full_row


def _key(plan: ReadPlan, table: Table) -> str | None:
    """The column by which rows can be looked up: one that the request shows anyhow, as a role may be granted some
    columns only."""
    if table.is_view or table.is_inherited or len(table.primary_key) != 1:
        return None
    (key,) = table.primary_key
    shown = {select.column.name for select in plan.select if not select.column.path}
    return key if shown & {"*", key} and table.columns[key].type in _KEYS else None


def _all_quick(conditions: Iterable[PlanCondition]) -> bool:
    """Whether no filter looks into a value: with a pattern, a search, a path or a containment."""
    return all(
        isinstance(leaf, PlanFilter)
        and bool(leaf.column.type)
        and not leaf.column.path
        and (
            isinstance(leaf.operation, Is | IsDistinct | InList)
            or (isinstance(leaf.operation, Compare) and leaf.operation.operator in _QUICK)
        )
        for leaf in _leaves(conditions)
    )


def _leaves(conditions: Iterable[PlanCondition]) -> Iterable[PlanFilter | NullEmbed]:
    for condition in conditions:
        if isinstance(condition, PlanLogic):
            yield from _leaves(condition.members)
        else:
            yield condition
