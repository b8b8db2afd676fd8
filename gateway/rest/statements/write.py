"""Write plans as statements that return the rows they touched."""

from __future__ import annotations

from typing import Final, assert_never

from gateway.database.sql import NOTHING, Fragment, bind, catalogued, identifier, joined, sql
from gateway.database.statement import array_literal
from gateway.rest.statements.clauses import (
    column_of,
    condition_of,
    null_embed_of,
    represented,
    where,
)
from gateway.rest.statements.terms import Slot, qualified
from gateway.rest.types import (
    Special,
    Write,
    WritePlan,
)

_BODY: Final = identifier("pgrst_body")


def location_of(write: WritePlan) -> Fragment:
    """Pairs (column, value) of the key of the one row that was inserted, as JSON."""
    if not write.location:
        return sql("null")
    return sql(
        "case when count(*) = 1 then (select json_agg(json_build_array(e.key, e.value)) from "
        "(select row_to_json(s) as r from pgrst_source s limit 1) one, json_each_text(one.r) e where e.key = any(",
        bind(array_literal(write.location)),
        "::text[])) end",
    )


def write_query(write: WritePlan) -> Fragment:
    """The INSERT, UPDATE or DELETE, returning what the read plan needs."""
    match write.kind:
        case Write.INSERT:
            return _insert(write)
        case Write.UPDATE:
            return _update(write)
        case Write.DELETE:
            table = qualified(write.table.name)
            return sql("delete from ", table, where(_conditions(table, write)), _returning(write))
    assert_never(write.kind)


def _conditions(table: Fragment, write: WritePlan) -> list[Fragment]:
    return [condition_of(table, condition, null_embed_of) for condition in write.where]


def _returning(write: WritePlan) -> Fragment:
    if not write.returning:
        return sql(" returning 1")
    table = qualified(write.table.name)
    return sql(" returning ", joined([column_of(table, name) for name in write.returning]))


_INSERTED: Final = sql(
    "set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), ''), '0')"
)
_COUNT_UP: Final = sql(_INSERTED, "::int + 1)::text, true) <> '0'")
_COUNT_DOWN: Final = sql(_INSERTED, "::int - 1)::text, true) <> '-1'")


def _insert(write: WritePlan) -> Fragment:
    names = [identifier(column.name) for column in write.columns]
    conditions = [_COUNT_UP] if write.merge else []
    conditions += _conditions(_BODY, write)
    into = sql(" (", joined(names), ")") if names else NOTHING
    return sql(
        "insert into ",
        qualified(write.table.name),
        into,
        " select ",
        joined([column_of(_BODY, column.name) for column in write.columns]),
        " from ",
        _payload(write),
        where(conditions),
        _on_conflict(write, names),
        _returning(write),
    )


def _on_conflict(write: WritePlan, names: list[Fragment]) -> Fragment:
    if not write.conflict:
        return NOTHING
    target = joined([identifier(name) for name in write.conflict])
    if not write.merge or not names:
        return sql(" on conflict (", target, ") do nothing")
    changes = joined([sql(name, " = excluded.", name) for name in names])
    return sql(" on conflict (", target, ") do update set ", changes, " where ", _COUNT_DOWN)


def _update(write: WritePlan) -> Fragment:
    table = qualified(write.table.name)
    if not write.columns:
        # Nothing to set: no row, but with the columns that the read plan asks for.
        shown = joined([column_of(table, name) for name in write.returning]) if write.returning else sql("null")
        return sql("select ", shown, " from ", table, " where false")
    changes = [sql(identifier(column.name), " = ", column_of(_BODY, column.name)) for column in write.columns]
    return sql(
        "update ",
        table,
        " set ",
        joined(changes),
        " from ",
        _payload(write),
        where(_conditions(table, write)),
        _returning(write),
    )


def _payload(write: WritePlan) -> Fragment:
    """The body as rows of the table's types, named pgrst_body."""
    body = bind(Slot(Special.BODY.value))
    if not write.columns:
        if write.is_object:
            return sql("(values (1)) ", _BODY)
        return sql("json_array_elements(", body, "::json) ", _BODY)
    typed = joined([sql(identifier(column.name), " ", catalogued(column.type)) for column in write.columns])
    if write.defaults:
        rows = _with_defaults(write, body)
        rows = sql(rows, "jsonb_to_record(" if write.is_object else "jsonb_to_recordset(", "pgrst_json.val)")
    else:
        rows = sql("json_to_record(" if write.is_object else "json_to_recordset(", body, "::json)")
    if not write.defaults and not any(column.transform for column in write.columns):
        return sql(rows, " as ", _BODY, "(", typed, ")")
    named = [
        sql(represented(column, identifier(column.name)), " as ", identifier(column.name)) for column in write.columns
    ]
    return sql("(select ", joined(named), " from ", rows, " as _(", typed, ")) ", _BODY)


def _with_defaults(write: WritePlan, body: Fragment) -> Fragment:
    """The body with the columns' defaults under each of its objects."""
    pairs = [
        sql(bind(column.name), "::text, ", catalogued(column.default))
        for column in write.columns
        if column.default is not None
    ]
    defaults = sql("jsonb_build_object(", joined(pairs), ")")
    if write.is_object:
        return sql("(select ", defaults, " || ", body, "::jsonb as val) pgrst_json, lateral ")
    return sql(
        "(select coalesce(jsonb_agg(",
        defaults,
        " || elem), '[]') as val from jsonb_array_elements(",
        body,
        "::jsonb) elem) pgrst_json, lateral ",
    )
