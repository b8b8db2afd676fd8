"""Write plans: which columns are set, which rows are touched, what is returned (contract section 11)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gateway.catalog.model import (
    ComputedRelationship,
    Relationship,
    SchemaCache,
    Table,
)
from gateway.errors import ApiError
from gateway.rest.errors import (
    PUT_FILTERS,
)
from gateway.rest.planner.resolver import Resolver
from gateway.rest.types import (
    Action,
    Compare,
    Payload,
    PlanCondition,
    PlanFilter,
    PlanLogic,
    Preferences,
    Query,
    ReadPlan,
    Write,
    WritePlan,
)

_STAR: Final = "*"


def plan_write(
    cache: SchemaCache,
    table: Table,
    query: Query,
    action: Action,
    payload: Payload | None,
    preferences: Preferences,
    read: ReadPlan,
) -> WritePlan:
    """The write that `action` asks for. Raises ApiError NO_COLUMN, PUT_FILTERS."""
    resolver = Resolver(cache, table.name)
    key = table.primary_key
    where = tuple(resolver.condition(condition) for path, condition in (*query.filters, *query.logic) if not path)
    shown = preferences.representation in ("representation", "headers-only")
    returning = _needed_columns(read, key) if shown else ()
    if action is Action.DELETE:
        return WritePlan(Write.DELETE, table, where=where, returning=returning)
    assert payload is not None
    if action is Action.UPSERT:
        _check_put(query, key)
    columns = tuple(resolver.written(name, table) for name in payload.columns)
    defaults = preferences.missing == "default" and action is not Action.UPSERT
    if action is Action.UPDATE:
        return WritePlan(Write.UPDATE, table, columns, payload.is_object, defaults, where=where, returning=returning)
    if action is Action.UPSERT:
        return WritePlan(
            Write.INSERT, table, columns, payload.is_object, False, key, True, where, put=True, returning=returning
        )
    conflict = (key if query.on_conflict is None else query.on_conflict) if preferences.resolution else None
    return WritePlan(
        Write.INSERT,
        table,
        columns,
        payload.is_object,
        defaults,
        conflict,
        preferences.resolution == "merge-duplicates",
        returning=returning,
        location=key if preferences.representation == "headers-only" else (),
    )


def _check_put(query: Query, key: tuple[str, ...]) -> None:
    """Filters of a PUT must be `eq` on every column of the primary key, and nothing else."""
    filters = [(path, condition) for path, condition in query.filters if not path]
    plain = all(
        isinstance(condition.operation, Compare)
        and condition.operation.operator == "="
        and condition.operation.any_all is None
        and not condition.negated
        for _, condition in filters
    )
    names = {condition.field.name for _, condition in query.filters}
    if query.logic or not key or names != set(key) or not plain:
        raise ApiError(PUT_FILTERS)


def _needed_columns(read: ReadPlan, key: tuple[str, ...]) -> tuple[str, ...]:
    """Columns that a write or a function must hand on: those selected, those that joins need, and the key."""
    names = {select.column.name for select in read.select}
    if _STAR in names:
        return (_STAR,)
    for embed in read.embeds:
        match embed.relationship:
            case ComputedRelationship():
                return (_STAR,)
            case Relationship(junction=junction, columns=columns):
                pairs = columns if junction is None else junction.source_columns
                names |= {column for column, _ in pairs}
    names |= {term.column.name for term in read.order if term.relation is None}
    return tuple(sorted(names | set(key)))


def returned_columns(read: ReadPlan) -> tuple[str, ...]:
    """Columns that a function's result must hand on; none for all of them."""
    names = _needed_columns(read, ())
    if _STAR in names or not names:
        return ()
    return tuple(sorted({*names, *_filtered(read.where)}))


def _filtered(conditions: Iterable[PlanCondition]) -> Iterable[str]:
    for condition in conditions:
        match condition:
            case PlanLogic(members=members):
                yield from _filtered(members)
            case PlanFilter(column=column):
                yield column.name
