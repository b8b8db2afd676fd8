"""Columns of one table as the schema cache knows them, and the functions that represent them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from gateway.catalog.model import (
    Name,
    Representation,
    SchemaCache,
    Table,
)
from gateway.errors import ApiError
from gateway.rest.errors import (
    NO_COLUMN,
)
from gateway.rest.types import (
    Column,
    Condition,
    FieldRef,
    FullText,
    Logic,
    OrderTerm,
    PlanCondition,
    PlanFilter,
    PlanLogic,
    PlanOrder,
    SelectColumn,
    SelectField,
)

_STAR: Final = "*"


class Resolver:
    """Finds columns of one table, and the functions that represent them."""

    def __init__(self, cache: SchemaCache, table: Name) -> None:
        self.columns = cache.tables[table].columns if table in cache.tables else {}
        self.representations: Mapping[tuple[str, str], Representation] = cache.representations

    def column(self, ref: FieldRef, tsvector: bool = False) -> Column:
        """A column as the cache knows it; one that it does not know is left for Postgres to refuse."""
        known = self.columns.get(ref.name)
        if known is None:
            return Column(ref.name, ref.path, to_json=True)
        return Column(
            ref.name,
            ref.path,
            known.nominal_type,
            to_json=known.type not in ("json", "jsonb"),
            default=known.default,
            tsvector=tsvector and known.type != "tsvector",
        )

    def _transformed(self, column: Column, source: str, target: str) -> Column:
        found = self.representations.get((source, target))
        return column if found is None else replace(column, type=source, transform=found.function)

    def output(self, ref: FieldRef) -> Column:
        column = self.column(ref)
        return self._transformed(column, column.type, "json")

    def written(self, name: str, table: Table) -> Column:
        """A column of a payload. Raises ApiError NO_COLUMN."""
        if name not in self.columns:
            raise ApiError(NO_COLUMN, column=name, table=table.name.name)
        column = self.column(FieldRef(name))
        return self._transformed(column, "json", column.type)

    def select(self, items: Iterable[SelectField], spelled: bool, spread: bool) -> list[SelectColumn]:
        """Columns of a select; `*` is spelled out where it must be, and where columns have representations."""
        items = list(items)
        represented = any((column.nominal_type, "json") in self.representations for column in self.columns.values())
        chosen: list[SelectColumn] = []
        for item in items:
            is_star = item.field.name == _STAR and not item.field.path
            if is_star and item.aggregate is None and (spelled or represented):
                chosen += [SelectColumn(self.output(FieldRef(name))) for name in self.columns]
            elif is_star and item.aggregate == "count" and spread:
                # The rows of a spread are counted where they arrive, so they are handed up whole.
                full = Column(_STAR, full_row=True)
                chosen.append(SelectColumn(full, item.alias, None, "count", item.aggregate_cast))
            else:
                chosen.append(
                    SelectColumn(
                        Column(_STAR) if is_star else self.output(item.field),
                        item.alias,
                        item.cast,
                        item.aggregate,
                        item.aggregate_cast,
                    )
                )
        return chosen

    def condition(self, condition: Condition) -> PlanCondition:
        if isinstance(condition, Logic):
            members = tuple(self.condition(member) for member in condition.members)
            return PlanLogic(condition.operator, members, condition.negated)
        column = self.column(condition.field, tsvector=isinstance(condition.operation, FullText))
        column = self._transformed(column, "text", column.type)
        return PlanFilter(column, condition.operation, condition.negated)

    def order(self, term: OrderTerm) -> PlanOrder:
        if term.relation is not None:
            column = Column(term.field.name, term.field.path, to_json=True)
        else:
            column = self.column(term.field)
        return PlanOrder(column, term.descending, term.nulls_first, term.relation)
