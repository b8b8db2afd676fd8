"""Read plans as queries: the resource with its embeds joined laterally, and the count of its rows."""

from __future__ import annotations

from gateway.catalog.model import ComputedRelationship, Relationship
from gateway.database.sql import NOTHING, Fragment, bind, identifier, joined, sql
from gateway.rest.statements.clauses import (
    STAR,
    aggregated,
    column_of,
    condition_of,
    field_of,
    limits,
    named_as,
    null_embed_of,
    order_by,
    selected,
    where,
)
from gateway.rest.statements.terms import qualified
from gateway.rest.types import (
    Join,
    Lift,
    NullEmbed,
    ReadPlan,
    SpreadColumn,
)


def table_of(plan: ReadPlan) -> Fragment:
    """How columns of a resource are addressed."""
    return identifier(plan.alias) if plan.alias is not None else qualified(plan.source)


def _from(plan: ReadPlan) -> Fragment:
    relationship = plan.relationship
    if isinstance(relationship, ComputedRelationship):
        parent = identifier(plan.parent_alias or relationship.source.name)
        source = sql(qualified(relationship.function), "(", parent, "::", qualified(relationship.source), ")")
    else:
        source = qualified(plan.source)
    parts = [source, named_as(plan.alias)]
    if isinstance(relationship, Relationship) and relationship.junction is not None:
        parts += [sql(", "), qualified(relationship.junction.table)]
    return joined(parts, "")


def _join_conditions(plan: ReadPlan) -> list[Fragment]:
    relationship = plan.relationship
    if not isinstance(relationship, Relationship):
        return []
    parent = identifier(plan.parent_alias) if plan.parent_alias is not None else qualified(relationship.source)
    own = table_of(plan)
    junction = relationship.junction
    if junction is not None:
        between = qualified(junction.table)
        return [
            *(sql(column_of(own, b), " = ", column_of(between, c)) for b, c in junction.target_columns),
            *(sql(column_of(parent, a), " = ", column_of(between, c)) for a, c in junction.source_columns),
        ]
    return [sql(column_of(own, b), " = ", column_of(parent, a)) for a, b in relationship.columns]


def read_query(plan: ReadPlan, chosen: Fragment | None = None) -> Fragment:
    """The SELECT of a resource with its embeds joined laterally; `chosen` is a condition that already says which of its
    rows there are, in place of filters and limits."""
    table = table_of(plan)
    items = [selected(table, select) for select in plan.select]
    if not items and not plan.embeds:
        items = [column_of(table, STAR)]
    for relation, select in plan.spread_extra:
        items.append(selected(identifier(relation) if relation is not None else table, select))
    for embed in plan.embeds:
        items += _embed_items(embed)
    if chosen is None:
        conditions = [condition_of(table, condition, null_embed_of) for condition in plan.where]
        conditions += _join_conditions(plan)
    else:
        conditions = [chosen]
    return sql(
        "select ",
        joined(items),
        " from ",
        _from(plan),
        *[_embed_join(embed) for embed in plan.embeds],
        where(conditions),
        _group(table, plan),
        order_by(table, plan.order),
        limits(plan) if chosen is None else NOTHING,
    )


def _embed_items(embed: ReadPlan) -> list[Fragment]:
    alias = identifier(embed.join_alias)
    if embed.spread is not None:
        return [_spread_item(alias, column) for column in embed.spread_columns]
    if embed.only_nulls:
        return []
    shown = identifier(embed.shown_name)
    if embed.relationship is not None and embed.relationship.to_one:
        return [sql("row_to_json(", alias, ".*)::jsonb as ", shown)]
    return [sql("coalesce(", alias, ".", alias, ", '[]') as ", shown)]


def _spread_item(alias: Fragment, column: SpreadColumn) -> Fragment:
    value = aggregated(column_of(alias, column.name), column.aggregate, column.aggregate_cast)
    return sql(value, named_as(column.alias))


def _embed_join(embed: ReadPlan) -> Fragment:
    alias = identifier(embed.join_alias)
    inner = embed.join is Join.INNER
    head = " inner join lateral (" if inner else " left join lateral ("
    to_one = embed.relationship is not None and embed.relationship.to_one
    if to_one:
        return sql(head, read_query(embed), ") as ", alias, " on true")
    arrays: list[Fragment] = [sql("json_agg(", alias, ")::jsonb as ", alias)]
    if embed.spread is Lift.TO_MANY:
        arrays += [_spread_array(alias, column, embed) for column in embed.spread_columns]
    return sql(
        head,
        "select ",
        joined(arrays),
        " from (",
        read_query(embed),
        ") as ",
        alias,
        ") as ",
        alias,
        sql(" on ", alias, " is not null") if inner else sql(" on true"),
    )


def _spread_array(alias: Fragment, column: SpreadColumn, embed: ReadPlan) -> Fragment:
    return sql(
        "coalesce(json_agg(",
        column_of(alias, column.name),
        order_by(alias, embed.spread_order),
        "), '[]')::jsonb as ",
        identifier(column.alias or column.name),
    )


def _group(table: Fragment, plan: ReadPlan) -> Fragment:
    """GROUP BY everything that is shown beside an aggregate."""
    spreads = [(embed, column) for embed in plan.embeds if embed.spread for column in embed.spread_columns]
    if not any(select.aggregate for select in plan.select) and not any(column.aggregate for _, column in spreads):
        return NOTHING
    terms: list[Fragment] = [
        identifier(select.alias) if select.alias is not None else field_of(table, select.column)
        for select in plan.select
        if select.aggregate is None
    ]
    for embed in plan.embeds:
        if embed.spread is None:
            terms += [] if embed.only_nulls else [identifier(embed.shown_name)]
        else:
            alias = identifier(embed.join_alias)
            terms += [column_of(alias, column.name) for column in embed.spread_columns if column.aggregate is None]
    terms += [field_of(identifier(term.relation), term.column) for term in plan.order if term.relation is not None]
    return sql(" group by ", joined(terms)) if terms else NOTHING


def count_query(plan: ReadPlan, limit: int | None = None) -> Fragment:
    """One row for each row of the root that the filters and inner embeds leave; at most `limit` of them."""
    return sql(matching_query(plan, sql("1")), _capped(limit))


def whole_rows_query(plan: ReadPlan, limit: int) -> Fragment:
    """These rows whole, each a value of the root's own type in the column `whole`."""
    return sql(matching_query(plan, sql("coalesce(", table_of(plan), ".*) as whole")), _capped(limit))


def _capped(limit: int | None) -> Fragment:
    return sql(" limit ", bind(str(limit)), "::bigint") if limit is not None else NOTHING


def matching_query(plan: ReadPlan, shown: Fragment) -> Fragment:
    """What is shown of each of these rows."""
    table = table_of(plan)

    def null_embed(condition: NullEmbed) -> Fragment:
        embed = next(embed for embed in plan.embeds if embed.join_alias == condition.alias)
        return sql("not exists (" if condition.absent else "exists (", count_query(embed), ")")

    conditions = [condition_of(table, condition, null_embed) for condition in plan.where]
    conditions += _join_conditions(plan)
    conditions += [sql("exists (", count_query(embed), ")") for embed in plan.embeds if embed.join is Join.INNER]
    return sql("select ", shown, " from ", _from(plan), where(conditions))
