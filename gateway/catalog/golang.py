"""A schema as Go structs, as the official generator writes them. Pure.

Of every table a struct to select, to insert and to update, of every view one to select, then composite types; columns
and relations in the order of their names. Its quirks are kept: an array's type ends in a space,
and attributes of a composite type are known by the names that SQL writes, of which few are Go's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from gateway.catalog.collation import collation_key
from gateway.catalog.type_facts import ColumnFact, Facts, RelationFact, TypeFact

_ANY: Final = "interface{}"
_BASE: Final = {
    "bool": "bool",
    "int2": "int16",
    "int4": "int32",
    "int8": "int64",
    "float4": "float32",
    "float8": "float64",
    "numeric": "float64",
    "bytea": "[]byte",
    **dict.fromkeys(
        (
            "bpchar", "varchar", "date", "text", "citext", "time", "timetz", "timestamp", "timestamptz", "interval",
            "uuid", "vector", "int4range", "int4multirange", "int8range", "int8multirange", "numrange", "nummultirange",
            "tsrange", "tsmultirange", "tstzrange", "tstzmultirange", "daterange", "datemultirange",
        ),
        "string",
    ),
    "json": _ANY,
    "jsonb": _ANY,
    "void": _ANY,
    "record": "map[string]interface{}",
}  # fmt: skip
_NEVER_A_POINTER: Final = frozenset(("[]byte", _ANY, "map[string]interface{}"))
_TABLES: Final = ("r", "p")


def generate(facts: Facts) -> str:
    """The text of a Go file for the schemas of the facts."""
    relations = sorted(facts.relations, key=lambda each: (collation_key(each.schema), collation_key(each.name)))
    sections = (
        [
            _table(each, facts, operation)
            for each in relations
            if each.kind in _TABLES
            for operation in ("Select", "Insert", "Update")
        ],
        [_table(each, facts, "Select") for each in relations if each.kind == "v"],
        [_table(each, facts, "Select") for each in relations if each.kind == "m"],
        [_composite(each, facts) for each in relations if each.kind == "c" and each.columns],
    )
    return "\n\n".join(("package database", *("\n\n".join(each) for each in sections))).strip() + "\n"


def _table(relation: RelationFact, facts: Facts, operation: str) -> str:
    columns = sorted(relation.columns, key=lambda column: collation_key(column.name))
    fields = [
        (_pascal(each.name), _type(facts.types[each.type].name, _is_nullable(each, operation), facts), each.name)
        for each in columns
    ]
    return _struct(f"{_pascal(relation.schema)}{_pascal(relation.name)}{operation}", fields)


def _is_nullable(column: ColumnFact, operation: str) -> bool:
    if operation == "Insert":
        return column.nullable or column.optional or column.closed
    return operation == "Update" or column.nullable


def _composite(relation: RelationFact, facts: Facts) -> str:
    fields = [
        (_pascal(each.name), _ANY if each.of_domain else _type(facts.types[each.type].written, False, None), each.name)
        for each in relation.columns
    ]
    return _struct(f"{_pascal(relation.schema)}{_pascal(relation.name)}", fields)


def _struct(name: str, fields: Sequence[tuple[str, str, str]]) -> str:
    """A struct whose names, types and tags stand below each other."""
    of_names = max((len(each) for each, _, _ in fields), default=0)
    of_types = max((len(each) for _, each, _ in fields), default=0)
    lines = (f"  {field.ljust(of_names)} {kind.ljust(of_types)} {_tag(column)}" for field, kind, column in fields)
    return "\n".join((f"type {name} struct {{", "\n".join(lines), "}"))


def _tag(column: str) -> str:
    """What a field is called in JSON. A raw string of Go has no backtick in it."""
    tag = f"json:{json.dumps(column, ensure_ascii=False)}"
    if "`" not in tag:
        return f"`{tag}`"
    escaped = tag.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _type(name: str, is_nullable: bool, facts: Facts | None) -> str:
    """A type of Go by the name of Postgres'; without facts none of the schema's own types is known."""
    found = _named(name, facts)
    kind = "string" if found is not None and found.kind == "enum" else _BASE.get(name)
    if kind is not None:
        return f"*{kind}" if is_nullable and kind not in _NEVER_A_POINTER else kind
    if found is not None and found.kind == "composite" and found.relation_kind == "c":
        return "map[string]interface{}"
    return f"[]{_type(name[1:], is_nullable, facts)} " if name.startswith("_") else _ANY


def _named(name: str, facts: Facts | None) -> TypeFact | None:
    """The enum of a name, whatever its schema, else the composite type."""
    if facts is None or name in _BASE:
        return None
    named = [each for each in facts.types.values() if each.name == name and each.kind in ("enum", "composite")]
    return min(named, key=lambda each: each.kind != "enum", default=None)


def _pascal(name: str) -> str:
    return "".join(word[0].upper() + word[1:] for word in re.split(r"[^a-zA-Z0-9]", name) if word)
