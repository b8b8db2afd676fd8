"""Whether a binding can be served: its tables, columns and the values of its filters, asked of Postgres.

In: what a client wants, understood (bindings.py). Out: conditions that changes are held against, or a refusal in the
contract's words. Values are brought into the form in which the log has them, so that simple conditions need no
statement later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from gateway.database import Database, DatabaseError, Scope
from gateway.database.errors import condition_name
from gateway.database.replication import lsn_of
from gateway.database.statement import Statement, array_literal
from gateway.realtime.changes.bindings import ANY, WantedChanges, described
from gateway.realtime.changes.filters import COMPARISONS, IS, ColumnFilter
from gateway.realtime.changes.slot import PUBLICATION
from gateway.realtime.changes.visibility import SEARCH_PATH

FAILED: Final = "Unable to subscribe to changes with given parameters."
# Types whose values are equal exactly where their texts are, and those among them that are numbers.
INTEGERS: Final = frozenset((20, 21, 23, 26))
PLAIN: Final = INTEGERS | {16, 2950}
_COLLATED: Final = (25, 1043, 19)

_FACTS: Final = """
select jsonb_build_object(
  'position', pg_current_wal_insert_lsn()::text,
  'role', exists (select from pg_roles where rolname = $1),
  'publication', exists (select from pg_publication where pubname = $2),
  'tables', (select jsonb_agg((
    select jsonb_build_object('count', count(*), 'columns', case when table_name <> '*' and schema_name <> '*' then (
        select jsonb_object_agg(a.attname, jsonb_build_object(
          'type', format('%I.%I', n.nspname, t.typname), 'oid', t.oid::int8, 'enum', t.typtype = 'e',
          'exact', coalesce((select collisdeterministic from pg_collation where oid = a.attcollation), true),
          'collation', case when a.attcollation <> t.typcollation then (
            select format(' collate %I.%I', nspname, collname) from pg_collation c
            join pg_namespace on pg_namespace.oid = collnamespace where c.oid = a.attcollation) end,
          'readable', case when exists (select from pg_roles where rolname = $1)
            then has_column_privilege($1::name, a.attrelid, a.attnum, 'select') end))
        from pg_attribute a join pg_type t on t.oid = a.atttypid join pg_namespace n on n.oid = t.typnamespace
        where a.attrelid = max(c.oid::int8)::oid and a.attnum > 0 and not a.attisdropped) end)
    from pg_publication_tables p
    join pg_namespace pn on pn.nspname = p.schemaname join pg_class c on c.relnamespace = pn.oid and relname = tablename
    where pubname = $2 and schema_name in ('*', schemaname) and table_name in ('*', tablename)) order by place)
  from unnest($3::text[], $4::text[]) with ordinality as asked (schema_name, table_name, place)))"""


class BindingRefused(Exception):
    """A subscription cannot be; the message is what the client is told."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter whose values are in the form of the log; `exact` says that texts can be compared, `number` that they are
    whole numbers, `type_sql` is the column's type, `collation` what is written behind a value where the column has one
    of its own."""

    filter: ColumnFilter
    type_sql: str
    exact: bool
    number: bool
    values: tuple[str, ...]
    collation: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """Bindings that can be served, each with its conditions, and the place in the log as of which they are."""

    place: int
    conditions: tuple[tuple[Condition, ...], ...]


async def check(database: Database, role: str, claims: str, wanted: Sequence[WantedChanges]) -> Checked:
    """Raises BindingRefused, DatabaseError, DatabaseUnavailable, PoolTimeout."""
    schemas, tables = array_literal([each.schema for each in wanted]), array_literal([each.table for each in wanted])
    result = await database.run(Scope(code_free=True), Statement(_FACTS, (role, PUBLICATION, schemas, tables)))
    facts = orjson.loads(result.value or b"{}")
    for each, about in zip(wanted, facts["tables"], strict=True):
        if not about["count"]:
            raise BindingRefused(
                f"{FAILED} Please check Realtime is enabled for the given connect parameters: {described(each)}"
            )
        if not facts["role"]:
            raise _exception(each, "42704", f'role "{role}" does not exist')
    conditions = []
    for each, about in zip(wanted, facts["tables"], strict=True):
        columns: dict[str, Any] = about["columns"] or {}
        for kind, names in (("filter", [f.column for f in each.filters]), ("select", each.select)):
            for name in names:
                if not columns.get(name, {}).get("readable"):
                    raise _exception(each, "P0001", f"invalid column for {kind} {name}")
        try:
            conditions.append(await _conditions(database, role, claims, each.filters, columns))
        except DatabaseError as error:
            raise _exception(each, error.sqlstate, error.message) from error
    return Checked(lsn_of(facts["position"]), tuple(conditions))


def _exception(wanted: WantedChanges, sqlstate: str, message: str) -> BindingRefused:
    name = condition_name(sqlstate)
    return BindingRefused(
        f"{FAILED} An exception happened so please check your connect parameters: {described(wanted)}."
        f" Exception: ERROR {sqlstate} ({name}) {message}"
    )


async def _conditions(
    database: Database, role: str, claims: str, filters: tuple[ColumnFilter, ...], columns: dict[str, Any]
) -> tuple[Condition, ...]:
    """Have Postgres read each value as its column's type, and see whether the type has the operator."""
    if not filters:
        return ()
    parts: list[str] = []
    params: list[str] = []
    for each in filters:
        type_sql = columns[each.column]["type"]
        if each.operator == "is":
            parts.append(f"array[(null::{type_sql} {IS[each.values[0]]})::text]")
            continue
        number = len(params) + 1
        if each.operator == "in":
            params.append(array_literal(each.values))
            tried = f"null::{type_sql} = any (array(select value::{type_sql} from unnest(${number}::text[]) value))"
            found = f"array(select value::{type_sql}::text from unnest(${number}::text[]) value)"
        else:
            params.append(each.values[0])
            tried = f"null::{type_sql} {COMPARISONS[each.operator]} ${number}::text::{type_sql}"
            found = f"array[${number}::text::{type_sql}::text]"
            if each.operator in ("match", "imatch"):
                tried += f" and '' ~ ${number}::text"
        parts.append(f"case when ({tried}) is distinct from (1 = 0) then {found} else {found} end")
    text = "select " + ", ".join(f"to_jsonb({part})" for part in parts)
    names = ("search_path", "datestyle", "timezone", "role", "request.jwt.claims")
    scope = Scope(role, names, (SEARCH_PATH, "ISO, YMD", "UTC", role, claims))
    (row,) = (await database.run(scope, Statement(text, tuple(params)))).rows
    return tuple(
        _condition(each, columns[each.column], orjson.loads(values or b"[]"))
        for each, values in zip(filters, row, strict=True)
    )


def _condition(each: ColumnFilter, column: dict[str, Any], values: list[str]) -> Condition:
    oid = column["oid"]
    exact = oid in PLAIN or (oid in _COLLATED and column["exact"]) or column["enum"]
    if each.operator == "is":
        return Condition(each, column["type"], each.values[0] == "null" or oid == 16, False, each.values)
    if oid == 16:  # whose cast to text is another one than what the log has
        values = [value[0] for value in values]
    return Condition(each, column["type"], exact, oid in INTEGERS, tuple(values), column["collation"] or "")


def is_everything(wanted: WantedChanges) -> bool:
    """Whether it is of more than one table."""
    return ANY in (wanted.schema, wanted.table)
