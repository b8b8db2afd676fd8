"""Values, fields, conditions, orders and limits as SQL terms: what queries are put together from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, assert_never

from gateway.database.sql import NOTHING, Fragment, bind, bind_shared, catalogued, identifier, joined, sql
from gateway.database.statement import Value
from gateway.rest.parse.ranges import integer
from gateway.rest.statements.terms import Slot, qualified, type_name
from gateway.rest.types import (
    SPECIALS,
    Bound,
    Capped,
    Column,
    Compare,
    Fixed,
    FullText,
    InList,
    Is,
    IsDistinct,
    JsonPath,
    Literal,
    NullEmbed,
    PlanCondition,
    PlanFilter,
    PlanLogic,
    PlanOrder,
    ReadPlan,
    SelectColumn,
    Special,
)

STAR: Final = "*"

_OPERATORS: Final = {
    "=": sql(" = "),
    "<>": sql(" <> "),
    ">": sql(" > "),
    ">=": sql(" >= "),
    "<": sql(" < "),
    "<=": sql(" <= "),
    "like": sql(" like "),
    "ilike": sql(" ilike "),
    "~": sql(" ~ "),
    "~*": sql(" ~* "),
    "@>": sql(" @> "),
    "<@": sql(" <@ "),
    "&&": sql(" && "),
    "<<": sql(" << "),
    ">>": sql(" >> "),
    "&<": sql(" &< "),
    "&>": sql(" &> "),
    "-|-": sql(" -|- "),
}
_SEARCHES: Final = {
    "to_tsquery": sql(" @@ to_tsquery("),
    "plainto_tsquery": sql(" @@ plainto_tsquery("),
    "phraseto_tsquery": sql(" @@ phraseto_tsquery("),
    "websearch_to_tsquery": sql(" @@ websearch_to_tsquery("),
}
_IS: Final = {
    "null": sql(" is null"),
    "not null": sql(" is not null"),
    "true": sql(" is true"),
    "false": sql(" is false"),
    "unknown": sql(" is unknown"),
}
_AGGREGATES: Final = {
    "count": sql("count("),
    "sum": sql("sum("),
    "avg": sql("avg("),
    "min": sql("min("),
    "max": sql("max("),
}


_CONSTANTS: Final = {"true": sql("'true'"), "false": sql("'false'")}


def literal_value(literal: Literal, convert: Callable[[str], Value] | None = None) -> Fragment:
    """A value of the request: written out, bound at once, or bound anew for each request of the shape."""
    if literal.slot is not None:
        return bind(Slot(literal.slot + SPECIALS, convert))
    if convert is None and literal.text in _CONSTANTS:
        return _CONSTANTS[literal.text]
    return bind(convert(literal.text) if convert is not None else literal.text)


def _stars(text: str) -> str:
    return text.replace("*", "%")


def column_of(table: Fragment, name: str) -> Fragment:
    """A column of a table, or all of them."""
    return sql(table, ".*") if name == STAR else sql(table, ".", identifier(name))


def _path(path: JsonPath) -> Iterable[Fragment]:
    for step in path:
        key = sql(bind_shared(step.key, "index"), "::int") if step.index else bind_shared(step.key, "key")
        yield sql("->>" if step.as_text else "->", key)


def field_of(table: Fragment, column: Column, config: str | None = None) -> Fragment:
    """A column, what its json path finds, or the search vector of that."""
    if column.full_row:
        return table
    field = column_of(table, column.name)
    if column.path:
        field = sql("to_jsonb(", field, ")") if column.to_json else field
        field = sql(field, *_path(column.path))
    if column.tsvector:
        field = sql("to_tsvector(", bind(config) if config else NOTHING, ", " if config else "", field, ")")
    return field


def cast_to(term: Fragment, cast: str | None) -> Fragment:
    """A cast, if there is one."""
    return term if cast is None else sql("cast(", term, " as ", type_name(cast), ")")


def aggregated(term: Fragment, aggregate: str | None, cast: str | None) -> Fragment:
    """An aggregate with its cast, if there is one."""
    return term if aggregate is None else cast_to(sql(_AGGREGATES[aggregate], term, ")"), cast)


def named_as(alias: str | None) -> Fragment:
    """An alias, if there is one."""
    return NOTHING if alias is None else sql(" as ", identifier(alias))


def selected(table: Fragment, select: SelectColumn) -> Fragment:
    """An item of a select list."""
    field = field_of(table, select.column)
    if select.column.transform is not None:
        field = sql(qualified(select.column.transform), "(", field, ")")
    return sql(aggregated(cast_to(field, select.cast), select.aggregate, select.aggregate_cast), named_as(select.alias))


# --- conditions -----------------------------------------------------------------------------------------------------


def condition_of(table: Fragment, condition: PlanCondition, null_embed: Callable[[NullEmbed], Fragment]) -> Fragment:
    """A filter or a tree of them; `null_embed` says how the absence of an embed is told."""
    match condition:
        case PlanLogic(operator=operator, members=members, negated=negated):
            inner = joined(
                [condition_of(table, member, null_embed) for member in members],
                " and " if operator == "and" else " or ",
            )
            return sql("not (" if negated else "(", inner, ")")
        case NullEmbed():
            return null_embed(condition)
        case PlanFilter():
            return sql("not " if condition.negated else "", _filter(table, condition))
    assert_never(condition)


def _filter(table: Fragment, condition: PlanFilter) -> Fragment:
    column, operation = condition.column, condition.operation
    match operation:
        case Compare(operator=operator, value=literal, any_all=any_all):
            if operator in ("like", "ilike"):
                value = literal_value(literal, _stars)
            else:
                value = represented(column, literal_value(literal))
            if any_all is not None:
                value = sql("any(" if any_all == "any" else "all(", value, ")")
            return sql(field_of(table, column), _OPERATORS[operator], value)
        case InList(value=literal):
            listed = literal_value(literal)
            if column.transform is not None:
                listed = sql("(select ", qualified(column.transform), "(unnest(", listed, "::text[])))")
            return sql(field_of(table, column), " = any (", listed, ")")
        case Is(word=word):
            return sql(field_of(table, column), _IS[word])
        case IsDistinct(value=literal):
            return sql(field_of(table, column), " is distinct from ", represented(column, literal_value(literal)))
        case FullText(operator=operator, config=config, value=literal):
            named = sql(bind(config), ", ") if config is not None else NOTHING
            return sql(field_of(table, column, config), _SEARCHES[operator], named, literal_value(literal), ")")
    assert_never(operation)


def represented(column: Column, value: Fragment) -> Fragment:
    """A value as its column's representation takes it."""
    return value if column.transform is None else sql(qualified(column.transform), "(", value, ")")


def null_embed_of(condition: NullEmbed) -> Fragment:
    """The absence of an embed, by its lateral join."""
    absent = " is not distinct from null" if condition.absent else " is distinct from null"
    return sql(identifier(condition.alias), absent)


def where(conditions: list[Fragment]) -> Fragment:
    """A WHERE clause, if there are conditions."""
    return sql(" where ", joined(conditions, " and ")) if conditions else NOTHING


def order_by(table: Fragment, terms: list[PlanOrder]) -> Fragment:
    """An ORDER BY clause, if there are terms."""
    if not terms:
        return NOTHING
    return sql(" order by ", joined([_order_term(table, term) for term in terms]))


def _order_term(table: Fragment, term: PlanOrder) -> Fragment:
    field = field_of(identifier(term.relation) if term.relation is not None else table, term.column)
    direction = "" if term.descending is None else " desc" if term.descending else " asc"
    nulls = "" if term.nulls_first is None else " nulls first" if term.nulls_first else " nulls last"
    return sql(field, direction, nulls)


def _limit_value(ceiling: int | None) -> Callable[[str], Value]:
    def convert(text: str) -> Value:
        wanted = integer(text)
        if wanted is None or (ceiling is not None and wanted > ceiling):
            return None if ceiling is None else str(ceiling)
        return str(wanted)  # a negative one is for Postgres to refuse

    return convert


def _offset_value(text: str) -> Value:
    return str(max(integer(text) or 0, 0))


def _bound(bound_: Bound, convert: Callable[[int | None], Callable[[str], Value]]) -> Fragment | None:
    match bound_:
        case Fixed(number=number):
            return catalogued(str(number))
        case Special():
            return bind(Slot(bound_.value))
        case Capped(literal=literal, ceiling=ceiling):
            return literal_value(literal, convert(ceiling))
    return None


def limits(plan: ReadPlan) -> Fragment:
    """LIMIT and OFFSET of a resource, if there are any."""
    limit = _bound(plan.limit, _limit_value)
    offset = _bound(plan.offset, lambda _: _offset_value)
    return sql(
        sql(" limit ", limit) if limit is not None else NOTHING,
        sql(" offset ", offset) if offset is not None else NOTHING,
    )
