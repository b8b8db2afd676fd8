"""What ties the resources of a read to each other, once all are resolved: aliases, related orders, null filters, the
columns that spreads lift, the aggregates that are hoisted.

Each step walks the tree; `tie` has their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gateway.errors import ApiError
from gateway.rest.errors import (
    AGGREGATES,
    NOT_EMBEDDED,
    NOT_IMPLEMENTED,
    RELATED_ORDER,
)
from gateway.rest.types import (
    SOURCE,
    Column,
    Is,
    Lift,
    NullEmbed,
    PlanCondition,
    PlanFilter,
    PlanLogic,
    PlanOrder,
    ReadPlan,
    SelectColumn,
    SpreadColumn,
)


def tie(root: ReadPlan, aggregates: bool) -> None:
    """Tie the resources of a read; `aggregates` are allowed or not.

    Raises ApiError AGGREGATES, RELATED_ORDER, NOT_EMBEDDED, NOT_IMPLEMENTED.
    """
    _name_columns(root)
    _relate_orders(root)
    _tie_null_filters(root)
    _gather_spreads(root)
    if not aggregates and _aggregates(root):
        raise ApiError(AGGREGATES)
    _hoist(root)
    _order_spreads(root)


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
