"""Query and schema cache → ReadPlan: all of a read that can be known before the database is asked.

The steps follow the contract's sections 7 to 12: parameters are put on the embeds they name, relationships are found,
columns are resolved, null filters and related orders are tied to joins, aggregates are allowed and hoisted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from gateway.catalog.model import (
    Name,
    Relationship,
    SchemaCache,
    Table,
)
from gateway.errors import ApiError
from gateway.rest import limits
from gateway.rest.errors import (
    ALIASED,
    NO_TABLE,
    NOT_EMBEDDED,
    QUERY_PARAMETER,
)
from gateway.rest.parse.ranges import ALL_ROWS, Range
from gateway.rest.planner.embed import find_relationship
from gateway.rest.planner.nearest import nearest
from gateway.rest.planner.resolver import Resolver
from gateway.rest.planner.ties import tie
from gateway.rest.types import (
    SOURCE,
    Action,
    Bound,
    Capped,
    Condition,
    EmbedPath,
    FieldRef,
    Fixed,
    Lift,
    Literal,
    OrderTerm,
    Query,
    RangeSlots,
    ReadPlan,
    SelectEmbed,
    SelectField,
    SelectItem,
    Special,
)
from gateway.settings import Settings

_STAR: Final = "*"
_HINTED_RELATIONS: Final = 500  # in larger schemas no nearest table is looked for


@dataclass(slots=True)
class _Draft:
    """A resource with the parameters that name it, not yet checked against the cache."""

    embed: SelectEmbed | None
    fields: list[SelectField] = field(default_factory=list)
    children: list[_Draft] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    order: tuple[OrderTerm, ...] = ()
    range: RangeSlots | None = None
    misnamed: bool = False
    """Whether a parameter named it by its relation although it has an alias."""

    def is_called(self, name: str, legacy: bool) -> bool:
        if self.embed is None:
            return False
        return name == (self.embed.alias or self.embed.target) or (legacy and name == self.embed.target)


def find_table(cache: SchemaCache, name: Name) -> Table:
    """A table of the cache. Raises ApiError NO_TABLE with the nearest one."""
    table = cache.tables.get(name)
    if table is None:
        others = [other.name for other in cache.tables if other.schema == name.schema]
        found = nearest(name.name, others, 0.75) if len(others) < _HINTED_RELATIONS else None
        hint = f"Perhaps you meant the table '{name.schema}.{found}'" if found is not None else None
        raise ApiError(NO_TABLE, table=name, hint=hint)
    return table


def plan_read(
    cache: SchemaCache, settings: Settings, target: Name, query: Query, action: Action, rows: Range = ALL_ROWS
) -> ReadPlan:
    """The tree of a read of `target`: a table, or what a write or a function returned of it, and `rows` of that."""
    draft = _draft(None, query.select or (SelectField(FieldRef(_STAR)),))
    writing = action.writes
    legacy = settings.url_use_legacy_target_names
    for path, condition in (*query.filters, *query.logic):
        if not (writing and not path):  # a write's own filters choose the rows it touches
            _at(draft, path, legacy).conditions.append(condition)
    for path, terms in reversed(query.order):  # of several for one resource the first counts
        _at(draft, path, legacy).order = terms
    if not writing:
        for path, slots in query.ranges:
            _at(draft, path, legacy).range = slots
    planner = _Planner(cache, settings, target.schema, action)
    root = planner.root(draft, target, rows)
    tie(root, settings.db_aggregates_enabled)
    root.renamed = list(_misnamed(draft))
    return root


def default_select(plan: ReadPlan) -> bool:
    """Whether rows are shown as they are: `*` alone."""
    return len(plan.select) == 1 and plan.select[0].column.name == _STAR and not plan.embeds


def _draft(embed: SelectEmbed | None, items: Iterable[SelectItem]) -> _Draft:
    draft = _Draft(embed)
    for item in items:
        if isinstance(item, SelectField):
            draft.fields.append(item)
        else:
            draft.children.append(_draft(item, item.items))
    return draft


def _at(draft: _Draft, path: EmbedPath, legacy: bool) -> _Draft:
    """The embed that a path names: by its alias, or by its relation where it has none; `legacy` names, by either, the
    first that fits. Raises ApiError NOT_EMBEDDED."""
    for name in path:
        found = next((child for child in draft.children if child.is_called(name, legacy)), None)
        if found is None:
            other = next((child.embed for child in draft.children if child.is_called(name, True)), None)
            if other is None:
                raise ApiError(NOT_EMBEDDED, name=name)
            hint = f"Change '{name}' to '{other.alias}' in filters, orders or limits."
            raise ApiError(NOT_EMBEDDED, name=name, details=ALIASED, hint=hint)
        found.misnamed = found.misnamed or not found.is_called(name, False)
        draft = found
    return draft


def _misnamed(draft: _Draft) -> Iterable[tuple[str, str]]:
    """Embeds that were named by their relation although they have an alias, in the order of the select."""
    for child in draft.children:
        if child.misnamed and child.embed is not None and child.embed.alias is not None:
            yield child.embed.target, child.embed.alias
        yield from _misnamed(child)


class _Planner:
    """Resolves a draft against the cache."""

    def __init__(self, cache: SchemaCache, settings: Settings, schema: str, action: Action) -> None:
        self.cache = cache
        self.schema = schema
        self.action = action
        self.ceiling = None if action.writes else settings.db_max_rows
        self.columns = 0  # in all resources

    def root(self, draft: _Draft, target: Name, rows: Range) -> ReadPlan:
        reading = self.action is Action.READ
        plan = ReadPlan(source=target if reading else SOURCE, name=target.name, alias=None if reading else target.name)
        if not self.action.writes:
            limits = [limit for limit in (rows.limit, self.ceiling) if limit is not None]
            plan.limit = Fixed(min(limits)) if limits else None
            plan.offset = Special.OFFSET if rows.offset else None
        self._fill(plan, draft, target, False, False)
        return plan

    def _fill(self, plan: ReadPlan, draft: _Draft, table: Name, spelled: bool, nested: bool) -> None:
        """Resolve the columns of a resource that reads from `table`, and its embeds. `spelled` where each column must
        be named: beside and below an aggregate, and in a spread of many and all below it, as each makes an array.
        `nested` where the parent is a spread itself."""
        resolver = Resolver(self.cache, table)
        spelled = spelled or plan.spread is Lift.TO_MANY or any(item.aggregate for item in draft.fields)
        # In spreads of spreads, `*` would also lift what stands beside it and what was lifted from below.
        lifts = plan.is_spread and (nested or bool(draft.children)) and bool(resolver.columns)
        plan.select = resolver.select(draft.fields, spelled or lifts, plan.is_spread)
        self.columns += len(plan.select)
        if self.columns > limits.TARGETS:
            details = f"at most {limits.TARGETS} columns are allowed"
            raise ApiError(QUERY_PARAMETER, message='"failed to parse select parameter (too long)"', details=details)
        plan.where = [resolver.condition(condition) for condition in draft.conditions]
        plan.order = [resolver.order(term) for term in draft.order]
        for child in draft.children:
            plan.embeds.append(self._embed(plan, child, table, spelled))

    def _embed(self, parent: ReadPlan, draft: _Draft, origin: Name, spelled: bool) -> ReadPlan:
        assert draft.embed is not None
        embed = draft.embed
        relationship = find_relationship(self.cache, self.schema, origin.name, embed.target, embed.hint)
        target = relationship.target
        depth = parent.depth + 1
        many_to_many = isinstance(relationship, Relationship) and relationship.junction is not None
        plan = ReadPlan(
            source=target,
            name=embed.target,
            depth=depth,
            alias=None if many_to_many else f"{target.name}_{depth}",
            embed_alias=embed.alias,
            hint=embed.hint,
            join=embed.join,
            is_spread=embed.spread,
            relationship=relationship,
            parent_alias=parent.alias,
            join_alias=f"{relationship.source.name}_{embed.alias or embed.target}_{depth}",
        )
        if embed.spread:
            plan.spread = Lift.TO_ONE if relationship.to_one else Lift.TO_MANY
        plan.limit, plan.offset = self._bounds(draft.range)
        self._fill(plan, draft, target, spelled, parent.is_spread)
        return plan

    def _bounds(self, slots: RangeSlots | None) -> tuple[Bound, Bound]:
        if slots is None and self.ceiling is None:
            return None, None
        limit = slots.limit if slots is not None else None
        offset = slots.offset if slots is not None else None
        return self._capped(limit), None if offset is None else Capped(offset, None)

    def _capped(self, limit: Literal | None) -> Bound:
        if limit is not None:
            return Capped(limit, self.ceiling)
        return None if self.ceiling is None else Fixed(self.ceiling)
