"""What generated types say of a schema: relations, functions and types, as the official generator does.

The schema cache will not do: types name a column's own type (of a domain the one beneath, one step), columns that a
view takes from a table are as little null as there, and functions are listed that no request can call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gateway.catalog.queries import UNHANDLED
from gateway.catalog.view_columns import ViewColumns
from gateway.database import SyncConnection
from gateway.database.statement import array_literal


@dataclass(frozen=True, slots=True)
class TypeFact:
    """A type; `kind` is base, array, enum, composite (also the row type of a relation), domain or other."""

    oid: int
    schema: str
    name: str
    kind: str
    element: int = 0
    labels: tuple[str, ...] = ()
    relation: int = 0
    relation_kind: str = ""
    written: str = ""  # as SQL names it for this session's search path


@dataclass(frozen=True, slots=True)
class ColumnFact:
    """A column. `closed` ones take no value, `optional` ones need none; `updatable` is a view's."""

    name: str
    type: int
    nullable: bool
    optional: bool
    closed: bool
    updatable: bool
    of_domain: bool


@dataclass(frozen=True, slots=True)
class RelationFact:
    """A table or view; `writable` tells whether a view can be written to."""

    oid: int
    schema: str
    name: str
    kind: str
    writable: bool
    columns: tuple[ColumnFact, ...]

    @property
    def is_view(self) -> bool:
        return self.kind in ("v", "m")


@dataclass(frozen=True, slots=True)
class ArgumentFact:
    """An argument; `mode` is one of pg_proc's letters."""

    name: str
    mode: str
    type: int
    has_default: bool


@dataclass(frozen=True, slots=True)
class FunctionFact:
    """A function."""

    schema: str
    name: str
    written: str  # its input arguments as SQL writes them
    arguments: tuple[ArgumentFact, ...]
    returns: int
    is_set: bool
    rows: float

    @property
    def inputs(self) -> tuple[ArgumentFact, ...]:
        return tuple(each for each in self.arguments if each.mode in ("i", "b", "v"))


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything of the schemas that are exposed."""

    schemas: tuple[str, ...]
    relations: Sequence[RelationFact]
    functions: Sequence[FunctionFact]
    types: Mapping[int, TypeFact] = field(default_factory=dict)

    def relation(self, oid: int) -> RelationFact | None:
        return next((relation for relation in self.relations if relation.oid == oid), None)


_TYPES: Final = """
select jsonb_build_object(
  'oid', t.oid::int8, 'schema', n.nspname, 'name', t.typname, 'element', t.typelem::int8,
  'kind', case
    when t.typtype = 'e' then 'enum' when t.typtype = 'c' then 'composite' when t.typtype = 'd' then 'domain'
    when t.typtype = 'b' and t.typcategory = 'A' and t.typname like '\\_%' then 'array'
    when t.typtype = 'b' then 'base' else 'other' end,
  'labels', (select jsonb_agg(enumlabel order by enumsortorder) from pg_enum where enumtypid = t.oid),
  'relation', t.typrelid::int8, 'relation_kind', (select relkind from pg_class where oid = t.typrelid),
  'written', format_type(t.oid, null))::text
from pg_type t join pg_namespace n on n.oid = t.typnamespace
"""

_RELATIONS: Final = f"""
with {UNHANDLED}
select jsonb_build_object(
  'oid', c.oid::int8, 'schema', n.nspname, 'name', c.relname, 'kind', c.relkind,
  'writable', case when c.relkind = 'v' and c.oid not in (select oid from unhandled)
    then (pg_relation_is_updatable(c.oid, true) & 20) = 20 else false end,
  'columns', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'name', a.attname, 'number', a.attnum,
      'type', case when t.typtype = 'd' then t.typbasetype else t.oid end::int8,
      'nullable', not (a.attnotnull or t.typtype = 'd' and t.typnotnull),
      'default', a.atthasdef and a.attgenerated = '', 'identity', a.attidentity, 'generated', a.attgenerated <> '',
      'of_domain', t.typtype = 'd',
      'updatable', c.relkind in ('r', 'p')
        or case when c.relkind in ('v', 'f') and c.oid not in (select oid from unhandled)
        then pg_column_is_updatable(c.oid, a.attnum, true) else false end
    ) order by a.attnum), '[]')
    from pg_attribute a join pg_type t on t.oid = a.atttypid
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped))::text
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = any($1::text[]) and c.relkind in ('r', 'p', 'f', 'v', 'm', 'c')
"""

_FUNCTIONS: Final = """
select jsonb_build_object(
  'schema', n.nspname, 'name', p.proname, 'written', pg_get_function_identity_arguments(p.oid),
  'types', coalesce(to_jsonb(p.proallargtypes::int8[]), to_jsonb(p.proargtypes::oid[]::int8[])),
  'modes', to_jsonb(p.proargmodes::text[]), 'names', to_jsonb(p.proargnames), 'defaults', p.pronargdefaults,
  'returns', p.prorettype::int8, 'is_set', p.proretset, 'rows', p.prorows)::text
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname = any($1::text[]) and p.prokind = 'f'
and p.prorettype not in ('pg_catalog.trigger'::regtype, 'pg_catalog.event_trigger'::regtype)
"""

_RULES: Final = """
select c.oid::int8, w.ev_action::text from pg_class c join pg_rewrite w on w.ev_class = c.oid
where c.relkind in ('v', 'm') and w.rulename = '_RETURN'
"""

_NOT_NULL: Final = """
select a.attrelid::int8, a.attnum from pg_attribute a join pg_class c on c.oid = a.attrelid
join pg_type t on t.oid = a.atttypid
where a.attnum > 0 and not a.attisdropped and (a.attnotnull or t.typtype = 'd' and t.typnotnull)
and c.relkind in ('r', 'p', 'f')
"""


def load_facts(connection: SyncConnection, schemas: Sequence[str]) -> Facts:
    """Read the catalogue. Raises DatabaseError."""
    wanted = array_literal(schemas)
    types = {fact.oid: fact for fact in map(_type, _json(connection, _TYPES))}
    rules = {int(str(oid)): str(action) for oid, action in connection.rows(_RULES)}
    not_null = {(int(str(oid)), int(str(number))) for oid, number in connection.rows(_NOT_NULL)}
    views = ViewColumns(rules, not_null)
    return Facts(
        tuple(schemas),
        [_relation(row, views) for row in _json(connection, _RELATIONS, wanted)],
        [_function(row) for row in _json(connection, _FUNCTIONS, wanted)],
        types,
    )


def _json(connection: SyncConnection, sql: str, *params: str) -> list[dict[str, Any]]:
    return [json.loads(str(row[0])) for row in connection.rows(sql, *params)]


def _type(row: Mapping[str, Any]) -> TypeFact:
    return TypeFact(
        row["oid"], row["schema"], row["name"], row["kind"], row["element"], tuple(row["labels"] or ()),
        row["relation"], row["relation_kind"] or "", row["written"],
    )  # fmt: skip


def _relation(row: Mapping[str, Any], views: ViewColumns) -> RelationFact:
    is_view = row["kind"] in ("v", "m")
    columns = []
    for column in row["columns"]:
        nullable = column["nullable"]
        if is_view:
            nullable = nullable and not views.is_not_null(row["oid"], column["number"])
        identity = column["identity"]
        columns.append(
            ColumnFact(
                name=column["name"],
                type=column["type"],
                nullable=nullable,
                optional=nullable or bool(identity) or column["default"],
                closed=identity == "a" or column["generated"],
                updatable=column["updatable"],
                of_domain=column["of_domain"],
            )
        )
    return RelationFact(row["oid"], row["schema"], row["name"], row["kind"], row["writable"], tuple(columns))


def _function(row: Mapping[str, Any]) -> FunctionFact:
    types = row["types"] or []
    modes = row["modes"] or ["i"] * len(types)
    names = row["names"] or [""] * len(types)
    inputs = [place for place, mode in enumerate(modes) if mode in ("i", "b", "v")]
    with_default = set(inputs[len(inputs) - row["defaults"] :])
    arguments = tuple(
        ArgumentFact(name or "", mode, type, place in with_default)
        for place, (name, mode, type) in enumerate(zip(names, modes, types, strict=True))
    )
    return FunctionFact(
        row["schema"], row["name"], row["written"], arguments, row["returns"], row["is_set"], row["rows"]
    )
