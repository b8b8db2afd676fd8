"""Whether a planned read or write runs no code of the application, so that nothing of it can stay in the session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gateway.catalog.model import ComputedRelationship, Name, Relationship, SchemaCache
from gateway.rest.types import (
    Body,
    Column,
    PlanCondition,
    PlanFilter,
    PlanLogic,
    ReadPlan,
    ResponseFormat,
    SelectColumn,
    Write,
    WritePlan,
)


def is_code_free(read: ReadPlan, response_format: ResponseFormat, cache: SchemaCache, role: str | None = None) -> bool:
    """Whether a read of a relation with its embeds is free of code for a role, or for all; what is in doubt is not."""
    return response_format.body is not Body.CUSTOM and _is_free(read, cache, role)


def roles_without_code(read: ReadPlan, response_format: ResponseFormat, cache: SchemaCache) -> frozenset[str]:
    """Roles for which a read is free of code that is not for others."""
    root = read.source
    known = cache.code_free_for.get(root, frozenset())
    if root in cache.code_free:
        known = frozenset(role for roles in cache.code_free_for.values() for role in roles)
    return frozenset(role for role in known if is_code_free(read, response_format, cache, role))


def is_code_free_write(write: WritePlan, read: ReadPlan, response_format: ResponseFormat, cache: SchemaCache) -> bool:
    """Whether a write, and the read of what it returns, are free of code; what is in doubt is not."""
    changes = cache.code_free_writes.get(write.table.name)
    if changes is None or not (changes or (write.kind is Write.INSERT and not write.merge)):
        return False
    return (
        not any(column.transform is not None for column in write.columns)
        and not any(_calls(column) for column in _of(write.where))
        and is_code_free(replace(read, source=write.table.name), response_format, cache)
    )


def _is_free_table(table: Name, cache: SchemaCache, role: str | None) -> bool:
    return table in cache.code_free or (role is not None and role in cache.code_free_for.get(table, ()))


def _is_free(read: ReadPlan, cache: SchemaCache, role: str | None) -> bool:
    if not _is_free_table(read.source, cache, role):
        return False
    relationship = read.relationship
    if isinstance(relationship, ComputedRelationship):
        return False
    junction = relationship.junction if isinstance(relationship, Relationship) else None
    if junction is not None and not _is_free_table(junction.table, cache, role):
        return False
    selected = [*read.select, *(select for _, select in read.spread_extra)]
    columns = [*(select.column for select in selected), *_of(read.where), *(order.column for order in read.order)]
    return (
        not any(_casts(select) for select in selected)
        and not any(_calls(column) for column in columns)
        and all(_is_free(embed, cache, role) for embed in read.embeds)
    )


def _casts(select: SelectColumn) -> bool:
    return select.cast is not None or select.aggregate_cast is not None


def _calls(column: Column) -> bool:
    """What is no column of the table is a function that is called like one."""
    known = bool(column.type) or column.full_row or column.name == "*"
    return column.transform is not None or not known


def _of(conditions: Iterable[PlanCondition]) -> Iterator[Column]:
    for condition in conditions:
        if isinstance(condition, PlanFilter):
            yield condition.column
        elif isinstance(condition, PlanLogic):
            yield from _of(condition.members)
