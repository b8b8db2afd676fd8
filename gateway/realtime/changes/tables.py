"""What a table's changes need to be told beside what the log says of it: names of types, the primary key.

Asked once for each description of a table that the log gives, which it gives anew whenever the table is another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from gateway.database import Database, DatabaseError, Scope
from gateway.database.statement import Statement, array_literal
from gateway.realtime.changes.pgoutput import Relation
from gateway.realtime.changes.values import ASKED, TEXT, Kind

# What a type is to JSON: by its own oid where it is built in, else by what it is made of. A domain is what it is on.
_ABOUT: Final = """
with recursive steps as (
  select a.attnum, a.attname, t.typname as said, format('%I.%I', n.nspname, t.typname) as type,
    t.oid, t.typtype, t.typbasetype
  from pg_attribute a join pg_type t on t.oid = a.atttypid join pg_namespace n on n.oid = t.typnamespace
  where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped
  union all
  select steps.attnum, steps.attname, steps.said, steps.type, t.oid, t.typtype, t.typbasetype
  from steps join pg_type t on t.oid = steps.typbasetype where steps.typtype = 'd'
),
columns as (
  select attnum, attname, said, type, coalesce(element.oid, base.oid) as oid, element.oid is not null as is_array,
    coalesce(element.typtype, base.typtype) as typtype, coalesce(element.typdelim, ',') as delimiter
  from steps
  join pg_type base on base.oid = steps.oid
  left join pg_type element on element.oid = base.typelem and base.typcategory = 'A' and base.typelem <> 0
  where steps.typtype <> 'd'
)
select jsonb_build_object(
  'columns', (select jsonb_agg(jsonb_build_array(attname, said, type, is_array, case
      when oid in (20, 21, 23, 26, 700, 701, 1700) then 'number'
      when oid = 16 then 'boolean'
      when oid in (114, 3802) then 'document'
      when oid in (1114, 1184) then 'moment'
      when oid = 17 then 'bytes'
      when typtype in ('c', 'd') or delimiter <> ','
        or oid >= 16384 and exists (select from pg_cast where castsource = columns.oid and casttarget = 114)
        then 'asked'
      else 'text' end) order by attnum) from columns),
  'key', (select jsonb_agg(a.attname order by k.place)
    from pg_index i cross join unnest(i.indkey) with ordinality k (attnum, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    where i.indrelid = $1::oid and i.indisprimary))"""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column: the name of its type for clients, the type as SQL writes it, and what its values are to JSON."""

    name: str
    type_name: str
    type_sql: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table as the log described it; `places` says where in a row of the log a column is."""

    relation: Relation
    columns: tuple[TableColumn, ...]
    key: tuple[str, ...]
    places: Mapping[str, int]

    @property
    def name(self) -> str:
        return f"{self.relation.schema}.{self.relation.table}"


async def describe(database: Database, relation: Relation) -> PublishedTable | None:
    """The table; None where it is gone by now. Raises DatabaseError, DatabaseUnavailable, PoolTimeout."""
    result = await database.run(Scope(code_free=True), Statement(_ABOUT, (str(relation.oid),)))
    about = orjson.loads(result.value or b"{}")
    known = {
        name: (said, type_sql, Kind(of, is_array)) for name, said, type_sql, is_array, of in about["columns"] or ()
    }
    if not known:
        return None
    # A column that was dropped or renamed since is told as text; its table is described anew before the next change.
    columns = tuple(
        TableColumn(column.name, *known.get(column.name, ("text", "text", Kind(TEXT)))) for column in relation.columns
    )
    places = {column.name: place for place, column in enumerate(relation.columns)}
    return PublishedTable(relation, columns, tuple(about["key"] or ()), places)


async def ask_json(database: Database, values: Sequence[tuple[str, str]]) -> list[bytes]:
    """JSON of values of which only Postgres knows what they are: pairs of the type as SQL writes it, and the text.

    One statement; where it fails, as for a type that was dropped, the texts are told as they are.
    """
    by_type: dict[str, list[int]] = {}
    for number, (type_sql, _) in enumerate(values):
        by_type.setdefault(type_sql, []).append(number)
    found: list[bytes] = [orjson.dumps(text) for _, text in values]
    types = list(by_type)
    text = " union all ".join(
        f"select {index}, place, to_jsonb(value::{type_sql})::text"
        f" from unnest(${index + 1}::text[]) with ordinality as given (value, place)"
        for index, type_sql in enumerate(types)
    )
    params = tuple(array_literal([values[number][1] for number in by_type[type_sql]]) for type_sql in types)
    try:
        result = await database.run(Scope("service_role", ("role",), ("service_role",)), Statement(text, params))
    except DatabaseError:
        return found
    for index, place, value in result.rows:
        if value is not None:
            found[by_type[types[int(index or 0)]][int(place or 1) - 1]] = value
    return found


def asks(kind: Kind) -> bool:
    """Whether only Postgres can turn values of this kind into JSON."""
    return kind.of == ASKED
