"""ApiRequest and schema cache → ReadPlan, WritePlan, CallPlan: all that can be known before the database is asked.

The steps follow the contract's sections 7 to 12: parameters are put on the embeds they name, relationships are found,
columns are resolved, null filters and related orders are tied to joins, aggregates are allowed and hoisted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from gateway.catalog.model import (
    ComputedRelationship,
    Name,
    Relationship,
    Representation,
    SchemaCache,
    Table,
)
from gateway.errors import ApiError
from gateway.rest import limits
from gateway.rest.errors import (
    AGGREGATES,
    ALIASED,
    NO_COLUMN,
    NO_TABLE,
    NOT_EMBEDDED,
    NOT_IMPLEMENTED,
    PUT_FILTERS,
    QUERY_PARAMETER,
    RELATED_ORDER,
)
from gateway.rest.parse.ranges import ALL_ROWS, Range
from gateway.rest.planner.embed import find_relationship
from gateway.rest.planner.nearest import nearest
from gateway.rest.types import (
    Action,
    Bound,
    Capped,
    Column,
    Compare,
    Condition,
    EmbedPath,
    FieldRef,
    Fixed,
    FullText,
    Is,
    Lift,
    Literal,
    Logic,
    NullEmbed,
    OrderTerm,
    Payload,
    PlanCondition,
    PlanFilter,
    PlanLogic,
    PlanOrder,
    Preferences,
    Query,
    RangeSlots,
    ReadPlan,
    SelectColumn,
    SelectEmbed,
    SelectField,
    SelectItem,
    Special,
    SpreadColumn,
    Write,
    WritePlan,
)
from gateway.settings import Settings

SOURCE: Final = Name("", "pgrst_source")
"""The common table expression that holds what a write or a function returned."""

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


# --- reads ----------------------------------------------------------------------------------------------------------


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
    _name_columns(root)
    _relate_orders(root)
    _tie_null_filters(root)
    _gather_spreads(root)
    if not settings.db_aggregates_enabled and _aggregates(root):
        raise ApiError(AGGREGATES)
    _hoist(root)
    _order_spreads(root)
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


def _walk(plan: ReadPlan) -> Iterable[ReadPlan]:
    yield plan
    for embed in plan.embeds:
        yield from _walk(embed)


def _name_columns(root: ReadPlan) -> None:
    """Give the alias that a json path, a representation or a hoisted aggregate implies."""
    for plan in _walk(root):
        plan.select = [_named(column, plan.spread is Lift.TO_ONE) for column in plan.select]


def _named(select: SelectColumn, hoisted: bool) -> SelectColumn:
    column = select.column
    if select.alias is not None:
        return select
    if select.aggregate is not None:
        # Lifted by the function's name, so that two functions of one column are told apart.
        return replace(select, alias=select.aggregate) if hoisted else select
    if column.path:
        last = column.path[-1]
        if last.index:
            keys = [step.key for step in column.path if not step.index]
            return replace(select, alias=keys[-1] if keys else column.name)
        return replace(select, alias=last.key)
    return replace(select, alias=column.name) if column.transform is not None else select


def _relate_orders(root: ReadPlan) -> None:
    """Tie orders by a related column to the embed's join. Raises ApiError RELATED_ORDER, NOT_EMBEDDED."""
    for plan in _walk(root):
        for index, term in enumerate(plan.order):
            if term.relation is None:
                continue
            embed = next((embed for embed in plan.embeds if embed.shown_name == term.relation), None)
            if embed is None:
                raise ApiError(NOT_EMBEDDED, name=term.relation)
            if embed.relationship is None or not embed.relationship.to_one:
                origin = plan.alias if plan.source == SOURCE else plan.source.name
                raise ApiError(RELATED_ORDER, origin=origin, target=embed.shown_name)
            plan.order[index] = replace(term, relation=embed.join_alias)


def _tie_null_filters(root: ReadPlan) -> None:
    """Turn `embed=is.null` into a filter on the embed's join."""
    for plan in _walk(root):
        aliases = {embed.shown_name: embed.join_alias for embed in reversed(plan.embeds)}
        if aliases:
            plan.where = [_null_filter(condition, aliases) for condition in plan.where]


def _null_filter(condition: PlanCondition, aliases: Mapping[str, str]) -> PlanCondition:
    match condition:
        case PlanLogic():
            return replace(condition, members=tuple(_null_filter(member, aliases) for member in condition.members))
        case PlanFilter(column=Column(name=name, path=()), operation=Is(word="null")) if name in aliases:
            return NullEmbed(aliases[name], not condition.negated)
    return condition


def _aggregates(root: ReadPlan) -> bool:
    return any(column.aggregate is not None for plan in _walk(root) for column in plan.select)


def _gather_spreads(plan: ReadPlan) -> None:
    """List the columns that each spread lifts, from the leaves up."""
    for embed in plan.embeds:
        _gather_spreads(embed)
    if plan.is_spread:
        plan.spread_columns = [SpreadColumn(select.alias or select.column.name) for select in plan.select]
        for embed in plan.embeds:
            if embed.is_spread:
                plan.spread_columns += [SpreadColumn(column.name) for column in embed.spread_columns]
            elif not embed.only_nulls:
                plan.spread_columns.append(SpreadColumn(embed.shown_name))


_Hoisted = dict[tuple[str, str], SelectColumn]


def _hoist(plan: ReadPlan) -> _Hoisted:
    """Move the aggregates of a to-one spread to its nearest parent that is no such spread.

    Within the spread there is one row, so the aggregate means the parent's rows.
    """
    inherited: _Hoisted = {}
    for embed in plan.embeds:
        inherited |= _hoist(embed)
    if plan.spread is not Lift.TO_ONE:
        for embed in plan.embeds:
            embed.spread_columns = [_aggregated(column, embed.join_alias, inherited) for column in embed.spread_columns]
        return {}
    own = {(plan.join_alias, name): select for (_, name), select in inherited.items()}
    for index, select in enumerate(plan.select):
        if select.aggregate is not None:
            own[plan.join_alias, select.alias or select.column.name] = select
            plan.select[index] = replace(select, aggregate=None, aggregate_cast=None)
    return own


def _aggregated(column: SpreadColumn, alias: str, hoisted: _Hoisted) -> SpreadColumn:
    select = hoisted.get((alias, column.name))
    if select is None:
        return column
    return SpreadColumn(column.name, select.alias, select.aggregate, select.aggregate_cast)


def _order_spreads(root: ReadPlan) -> None:
    """Move the order of a to-many spread into its aggregation. Raises ApiError NOT_IMPLEMENTED for aggregates."""
    for plan in _walk(root):
        if plan.spread is not Lift.TO_MANY:
            continue
        lifted = any(column.aggregate for embed in plan.embeds for column in embed.spread_columns)
        if lifted or any(select.aggregate for select in plan.select):
            details = "Aggregates are not implemented for one-to-many or many-to-many spreads."
            raise ApiError(NOT_IMPLEMENTED, details=details)
        for number, term in enumerate(plan.order, 1):
            alias = f"{plan.join_alias}_{term.column.name}_{number}"
            plan.spread_extra.append((term.relation, SelectColumn(term.column, alias)))
            plan.spread_order.append(PlanOrder(Column(alias), term.descending, term.nulls_first))
        if plan.limit is None and plan.offset is None:
            plan.order = []  # with a limit the order also decides which rows there are


# --- writes ---------------------------------------------------------------------------------------------------------


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
