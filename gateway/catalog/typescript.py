"""The schema cache as TypeScript types, in the shape that `createClient<Database>` of the Supabase clients takes. Pure.

For every exposed schema: rows, inserts and updates of tables and views, their relationships, functions, enums and
composite types; then `Tables`, `TablesInsert`, `TablesUpdate`, `Enums` and `CompositeTypes` to name them shortly.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final

from gateway.catalog.model import (
    AnyRelationship,
    Cardinality,
    Column,
    ComputedRelationship,
    Name,
    Relationship,
    Routine,
    SchemaCache,
    Table,
)
from gateway.settings import Settings

VERSION: Final = "14.17"  # the newest that the official client's types know

_PLAIN: Final[Mapping[str, str]] = {
    "boolean": "boolean",
    **dict.fromkeys(("smallint", "integer", "bigint", "real", "double precision", "numeric"), "number"),
    **dict.fromkeys(
        (
            "text", "character varying", "character", "citext", "bytea", "uuid", "date", "name",
            "time without time zone", "time with time zone", "timestamp without time zone", "timestamp with time zone",
            "vector",
        ),
        "string",
    ),
    **dict.fromkeys(("json", "jsonb"), "Json"),
    "void": "undefined",
    "record": "Record<string, unknown>",
}  # fmt: skip

_HEAD: Final = """\
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]
"""

_TAIL: Final = """\
type Schemas = Omit<Database, "__InternalSupabase">

type InSchema = { schema: keyof Schemas }

type SchemaOf<Where> = Where extends InSchema ? Schemas[Where["schema"]] : Schemas[DefaultSchema]

type Relations<Schema extends Schemas[keyof Schemas]> = Schema["Tables"] & Schema["Views"]

type Part<Group, Name, Key extends string> = Name extends keyof Group
  ? Group[Name] extends { [Only in Key]: infer Shape }
    ? Shape
    : never
  : never

export type Tables<
  Where extends keyof Relations<Schemas[DefaultSchema]> | InSchema,
  Name extends Where extends InSchema ? keyof Relations<Schemas[Where["schema"]]> : never = never,
> = Part<Relations<SchemaOf<Where>>, Where extends InSchema ? Name : Where, "Row">

export type TablesInsert<
  Where extends keyof Schemas[DefaultSchema]["Tables"] | InSchema,
  Name extends Where extends InSchema ? keyof Schemas[Where["schema"]]["Tables"] : never = never,
> = Part<SchemaOf<Where>["Tables"], Where extends InSchema ? Name : Where, "Insert">

export type TablesUpdate<
  Where extends keyof Schemas[DefaultSchema]["Tables"] | InSchema,
  Name extends Where extends InSchema ? keyof Schemas[Where["schema"]]["Tables"] : never = never,
> = Part<SchemaOf<Where>["Tables"], Where extends InSchema ? Name : Where, "Update">

export type Enums<
  Where extends keyof Schemas[DefaultSchema]["Enums"] | InSchema,
  Name extends Where extends InSchema ? keyof Schemas[Where["schema"]]["Enums"] : never = never,
> = Where extends InSchema
  ? Schemas[Where["schema"]]["Enums"][Name & keyof Schemas[Where["schema"]]["Enums"]]
  : Schemas[DefaultSchema]["Enums"][Where & keyof Schemas[DefaultSchema]["Enums"]]

export type CompositeTypes<
  Where extends keyof Schemas[DefaultSchema]["CompositeTypes"] | InSchema,
  Name extends Where extends InSchema ? keyof Schemas[Where["schema"]]["CompositeTypes"] : never = never,
> = Where extends InSchema
  ? Schemas[Where["schema"]]["CompositeTypes"][Name & keyof Schemas[Where["schema"]]["CompositeTypes"]]
  : Schemas[DefaultSchema]["CompositeTypes"][Where & keyof Schemas[DefaultSchema]["CompositeTypes"]]
"""

Members = Sequence[tuple[str, str]]  # names, with the mark of an optional one, and types


def generate(cache: SchemaCache, settings: Settings) -> str:
    """The text of a TypeScript module for the exposed schemas."""
    schemas = sorted(settings.db_schemas)
    internal = ("__InternalSupabase", _block([("PostgrestVersion", _text(VERSION))]))
    database = _block([internal, *((_key(schema), _schema(cache, schema)) for schema in schemas)])
    default = "public" if "public" in schemas else settings.db_schemas[0]
    constants = [(_key(schema), _block([("Enums", _labels(cache, schema))])) for schema in schemas]
    return "\n".join(
        (
            _HEAD,
            f"export type Database = {database}\n",
            f"type DefaultSchema = {_text(default)}\n",
            _TAIL,
            f"export const Constants = {_block(constants, ',')} as const\n",
        )
    )


def _schema(cache: SchemaCache, schema: str) -> str:
    tables = [table for name, table in sorted(cache.tables.items()) if name.schema == schema]
    return _block(
        [
            ("Tables", _block([_relation(cache, table) for table in tables if not table.is_view])),
            ("Views", _block([_relation(cache, table) for table in tables if table.is_view])),
            ("Functions", _functions(cache, schema)),
            ("Enums", _enums(cache, schema)),
            ("CompositeTypes", _composites(cache, schema)),
        ]
    )


# --- relations ------------------------------------------------------------------------------------------------------


def _relation(cache: SchemaCache, table: Table) -> tuple[str, str]:
    columns = sorted(table.columns.values(), key=lambda column: column.name)
    rows: list[tuple[str, str]] = [(_key(column.name), _value(cache, column)) for column in columns]
    computed = cache.computed_columns.get(table.name, {})
    rows += [(_key(name), f"{_type(cache, kind)} | null") for name, kind in sorted(computed.items())]
    members = [("Row", _block(rows))]
    if not table.is_view or table.insertable:
        members.append(("Insert", _block([_insert(cache, column) for column in columns])))
    if not table.is_view or table.updatable:
        members.append(("Update", _block([_update(cache, column) for column in columns])))
    members.append(("Relationships", _relationships(cache, table)))
    return _key(table.name.name), _block(members)


def _value(cache: SchemaCache, column: Column) -> str:
    kind = _type(cache, column.type)
    return f"{kind} | null" if column.nullable else kind


def _insert(cache: SchemaCache, column: Column) -> tuple[str, str]:
    if column.generated or column.always:
        return f"{_key(column.name)}?", "never"
    optional = column.nullable or column.identity or column.default is not None
    return f"{_key(column.name)}{'?' if optional else ''}", _value(cache, column)


def _update(cache: SchemaCache, column: Column) -> tuple[str, str]:
    fixed = column.generated or column.always
    return f"{_key(column.name)}?", "never" if fixed else _value(cache, column)


def _relationships(cache: SchemaCache, table: Table) -> str:
    """The foreign keys on the relation's side; the client works out the other side by itself."""
    found: Iterable[AnyRelationship] = cache.relationships.get((table.name, table.name.schema), ())
    own = [
        relationship
        for relationship in found
        if isinstance(relationship, Relationship)
        and relationship.cardinality in (Cardinality.M2O, Cardinality.O2O)
        and not relationship.is_parent
    ]
    if not own:
        return "[]"
    items = [
        _block(
            [
                ("foreignKeyName", _text(relationship.constraint)),
                ("columns", _list(left for left, _ in relationship.columns)),
                ("isOneToOne", "true" if relationship.cardinality is Cardinality.O2O else "false"),
                ("referencedRelation", _text(relationship.target.name)),
                ("referencedColumns", _list(right for _, right in relationship.columns)),
            ]
        )
        for relationship in sorted(own, key=lambda item: (item.constraint, item.target, item.columns))
    ]
    return "[\n" + "".join(_indent(f"{item},\n") for item in items) + "]"


# --- functions and types --------------------------------------------------------------------------------------------


def _functions(cache: SchemaCache, schema: str) -> str:
    found = [
        (name.name, _function(cache, routine))
        for name, overloads in cache.routines.items()
        if name.schema == schema
        for routine in overloads
    ]
    found += [
        (relationship.function.name, _computed(cache, relationship))
        for relationships in cache.relationships.values()
        for relationship in relationships
        if isinstance(relationship, ComputedRelationship) and relationship.function.schema == schema
    ]
    members = []
    for function, group in groupby(sorted(found), key=lambda item: item[0]):
        shapes = [shape for _, shape in group]
        union = "".join(f"\n| {shape}" for shape in shapes)
        members.append((_key(function), shapes[0] if len(shapes) == 1 else _indent(union)))
    return _block(members)


def _function(cache: SchemaCache, routine: Routine) -> str:
    arguments = [
        (f"{_key(parameter.name)}{'' if parameter.required else '?'}", _type(cache, parameter.type))
        for parameter in sorted(routine.parameters, key=lambda parameter: parameter.name)
    ]
    returns = routine.returns
    many = "[]" if returns.is_set else ""
    members = [("Args", _block(arguments) if arguments else "never")]
    if returns.columns:
        members.append(("Returns", _block([(_key(name), _type(cache, kind)) for name, kind in returns.columns]) + many))
        return _block(members)
    members.append(("Returns", _type(cache, returns.written) + many))
    if returns.relation in cache.tables:
        members.append(
            ("SetofOptions", _setof("*", returns.relation.name, one=not returns.is_set, many=returns.is_set))
        )
    return _block(members)


def _computed(cache: SchemaCache, relationship: ComputedRelationship) -> str:
    row = _row(cache, relationship.target)
    return _block(
        [
            ("Args", _block([('""', _row(cache, relationship.source))])),
            ("Returns", row if relationship.to_one else f"{row}[]"),
            (
                "SetofOptions",
                _setof(relationship.source.name, relationship.target.name, one=relationship.to_one, many=True),
            ),
        ]
    )


def _setof(source: str, target: str, one: bool, many: bool) -> str:
    return _block(
        [
            ("from", _text(source)),
            ("to", _text(target)),
            ("isOneToOne", "true" if one else "false"),
            ("isSetofReturn", "true" if many else "false"),
        ]
    )


def _enums(cache: SchemaCache, schema: str) -> str:
    return _block(
        [
            (_key(name.name), " | ".join(map(_text, labels)) or "never")
            for name, labels in sorted(cache.enums.items())
            if name.schema == schema
        ]
    )


def _labels(cache: SchemaCache, schema: str) -> str:
    members = [
        (_key(name.name), _list(labels)) for name, labels in sorted(cache.enums.items()) if name.schema == schema
    ]
    return _block(members, ",", empty="{}")


def _composites(cache: SchemaCache, schema: str) -> str:
    return _block(
        [
            (_key(name.name), _block([(_key(key), f"{_type(cache, kind)} | null") for key, kind in attributes]))
            for name, attributes in sorted(cache.composites.items())
            if name.schema == schema
        ]
    )


def _type(cache: SchemaCache, written: str) -> str:
    """TypeScript for a type as SQL writes it; `unknown` for those that nobody described."""
    if written.endswith("[]"):
        return f"{_type(cache, written.removesuffix('[]'))}[]"
    if written in cache.domains:
        return _type(cache, cache.domains[written])
    name = cache.type_names.get(written)
    if name is None:
        return _PLAIN.get(re.sub(r"\([\d,-]+\)", "", written), "unknown")
    if name in cache.enums:
        return f'Database[{_text(name.schema)}]["Enums"][{_text(name.name)}]'
    if name in cache.composites:
        return f'Database[{_text(name.schema)}]["CompositeTypes"][{_text(name.name)}]'
    return _row(cache, name)


def _row(cache: SchemaCache, relation: Name) -> str:
    group = "Views" if cache.tables[relation].is_view else "Tables"
    return f'Database[{_text(relation.schema)}]["{group}"][{_text(relation.name)}]["Row"]'


# --- text -----------------------------------------------------------------------------------------------------------


def _block(members: Members, separator: str = "", empty: str = "{\n  [_ in never]: never\n}") -> str:
    if not members:
        return empty
    return "{\n" + "".join(_indent(f"{name}: {value}{separator}\n") for name, value in members) + "}"


def _indent(text: str) -> str:
    return re.sub(r"^(?=.)", "  ", text, flags=re.MULTILINE)


def _key(name: str) -> str:
    """A property's name, quoted where it must be.

    >>> _key("id"), _key("user-id")
    ('id', '"user-id"')
    """
    return name if re.fullmatch(r"[A-Za-z_$][\w$]*", name, re.ASCII) else _text(name)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _list(values: Iterable[str]) -> str:
    return "[" + ", ".join(map(_text, values)) + "]"
