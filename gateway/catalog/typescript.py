"""A schema as TypeScript types, equal to what the official generator writes once both are formatted. Pure.

For every exposed schema: rows, inserts and updates of tables and views, their relationships, functions, enums and
composite types; then `Tables`, `TablesInsert`, `TablesUpdate`, `Enums` and `CompositeTypes` to name them shortly.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from gateway.catalog.collation import collation_key
from gateway.catalog.model import Cardinality, Name, Relationship, SchemaCache
from gateway.catalog.type_facts import ArgumentFact, ColumnFact, Facts, FunctionFact, RelationFact, TypeFact
from gateway.catalog.typescript_helpers import helpers

_BASE: Final = {
    "bool": "boolean",
    **dict.fromkeys(("int2", "int4", "int8", "float4", "float8", "numeric"), "number"),
    **dict.fromkeys(
        (
            "bytea", "bpchar", "varchar", "date", "text", "citext", "time", "timetz", "timestamp", "timestamptz",
            "uuid", "vector", "interval",
        ),
        "string",
    ),
    **dict.fromkeys(("json", "jsonb"), "Json"),
    "void": "undefined",
    "record": "Record<string, unknown>",
}  # fmt: skip
_UNNAMED: Final = ("json", "jsonb", "text")  # types of a single argument that a request's body can be
_NOBODY: Final = "Record<PropertyKey, never>"
_ROW_KINDS: Final = ("r", "p", "f", "v", "m")

_HEAD: Final = """\
export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]
"""

Members = Sequence[tuple[str, str]]  # names, with the mark of an optional one, and types


def generate(facts: Facts, cache: SchemaCache, postgrest_version: str = "") -> str:
    """The text of a TypeScript module for the exposed schemas.

    With a version, the module says which PostgREST answers, as types of a hosted project do.
    """
    schemas = sorted(facts.schemas, key=collation_key)
    module = _Module(facts, cache)
    members = [(_key(schema), module.schema(schema)) for schema in schemas]
    if postgrest_version:
        members.insert(0, ("__InternalSupabase", _block([("PostgrestVersion", _text(postgrest_version))])))
    constants = [(_key(schema), _block([("Enums", module.labels(schema))], ",")) for schema in schemas]
    return "\n".join(
        (
            _HEAD,
            f"export type Database = {_block(members)}\n",
            helpers("public" if "public" in schemas else facts.schemas[0]),
            f"export const Constants = {_block(constants, ',')} as const\n",
        )
    )


class _Module:
    def __init__(self, facts: Facts, cache: SchemaCache) -> None:
        self._facts = facts
        self._cache = cache

    def schema(self, schema: str) -> str:
        relations = [each for each in self._facts.relations if each.schema == schema and each.kind in _ROW_KINDS]
        relations.sort(key=lambda each: collation_key(each.name))
        functions = [each for each in self._facts.functions if each.schema == schema and self._is_callable(each)]
        functions.sort(key=lambda each: (collation_key(each.name), collation_key(each.written)))
        return _block(
            [
                ("Tables", _group([self._relation(each, functions) for each in relations if not each.is_view])),
                ("Views", _group([self._relation(each, functions) for each in relations if each.is_view])),
                ("Functions", self._functions(functions)),
                ("Enums", self._enums(schema)),
                ("CompositeTypes", self._composites(schema)),
            ]
        )

    # --- relations ----------------------------------------------------------------------------------------------------

    def _relation(self, relation: RelationFact, functions: Sequence[FunctionFact]) -> tuple[str, str]:
        columns = sorted(relation.columns, key=lambda column: collation_key(column.name))
        computed = [each for each in functions if self._computes(each, relation)]
        rows = self._row(relation) + [(_key(each.name), _or_null(self._returned(each))) for each in computed]
        names = " | ".join(_text(each.name) for each in computed)
        members = [("Row", _block(rows)), ("ComputedFields", names or "never")]
        if not relation.is_view:
            members.append(("Insert", _block([self._insert(column) for column in columns])))
            members.append(("Update", _block([self._update(column) for column in columns])))
        elif relation.writable:
            written = _block([self._written(column) for column in columns])
            members += [("Insert", written), ("Update", written)]
        members.append(("Relationships", self._relationships(relation)))
        return _key(relation.name), _block(members)

    def _row(self, relation: RelationFact) -> list[tuple[str, str]]:
        columns = sorted(relation.columns, key=lambda column: collation_key(column.name))
        return [(_key(column.name), self._value(column)) for column in columns]

    def _value(self, column: ColumnFact) -> str:
        kind = self._type(column.type)
        if column.nullable:
            return _or_null(kind)
        return "NonNullable<Json>" if kind == "Json" else kind

    def _insert(self, column: ColumnFact) -> tuple[str, str]:
        if column.closed:
            return f"{_key(column.name)}?", "never"
        return f"{_key(column.name)}{'?' if column.optional else ''}", self._value(column)

    def _update(self, column: ColumnFact) -> tuple[str, str]:
        return f"{_key(column.name)}?", "never" if column.closed else self._value(column)

    def _written(self, column: ColumnFact) -> tuple[str, str]:
        """A column of a view that can be written to."""
        return f"{_key(column.name)}?", _or_null(self._type(column.type)) if column.updatable else "never"

    def _relationships(self, relation: RelationFact) -> str:
        """The foreign keys on the relation's side, to relations of its schema."""
        name = Name(relation.schema, relation.name)
        own = {
            (each.constraint, each.target.name, each.columns): each
            for each in self._cache.relationships.get((name, name.schema), ())
            if isinstance(each, Relationship)
            and each.cardinality in (Cardinality.M2O, Cardinality.O2O)
            and not each.is_parent
            and each.target.schema == relation.schema
        }
        items = [
            _block(
                [
                    ("foreignKeyName", _text(each.constraint)),
                    ("columns", _list(left for left, _ in each.columns)),
                    ("isOneToOne", "true" if each.cardinality is Cardinality.O2O else "false"),
                    ("referencedRelation", _text(each.target.name)),
                    ("referencedColumns", _list(right for _, right in each.columns)),
                ]
            )
            for each in sorted(
                own.values(),
                key=lambda each: (
                    collation_key(each.constraint),
                    collation_key(each.target.name),
                    collation_key(json.dumps([right for _, right in each.columns])),
                ),
            )
        ]
        return "[\n" + "".join(_indent(f"{item},\n") for item in items) + "]" if items else "[]"

    # --- functions ----------------------------------------------------------------------------------------------------

    def _is_callable(self, function: FunctionFact) -> bool:
        """All of its arguments have names, or it has one that a request's body or a row can be."""
        inputs = function.inputs
        if all(each.name for each in inputs):
            return True
        return len(inputs) == 1 and (self._name(inputs[0].type) in _UNNAMED or self._is_row(inputs[0].type))

    def _computes(self, function: FunctionFact, relation: RelationFact) -> bool:
        """Whether it is a column that is computed of a relation's row."""
        (first, *others) = function.arguments or (None,)
        return first is not None and not others and self._relation_of(first.type) == relation.oid

    def _functions(self, functions: Sequence[FunctionFact]) -> str:
        members = []
        for name, group in groupby(functions, key=lambda each: each.name):
            overloads = list(group)
            shapes = [self._function(each, overloads) for each in overloads]
            union = "".join(f"\n| {shape}" for shape in shapes)
            members.append((_key(name), shapes[0] if len(shapes) == 1 else _indent(union)))
        return _group(members)

    def _function(self, function: FunctionFact, overloads: Sequence[FunctionFact]) -> str:
        inputs = sorted(function.inputs, key=lambda each: collation_key(each.name))
        arguments = "; ".join(
            f"{_key(each.name)}{'?' if each.has_default else ''}: {self._argument(each)}" for each in inputs
        )
        parts = [f"Args: {{ {arguments} }}" if inputs else f"Args: {_NOBODY}"]
        fault = self._conflict(function, overloads) or self._uncallable(function)
        if fault:
            parts.append(f"Returns: {{ error: true }} & {_text(fault)}")
        else:
            parts.append(f"Returns: {self._returned(function)}{'[]' if function.is_set and function.rows > 1 else ''}")
        if (target := self._facts.types[function.returns]).relation:
            source = inputs[0].type if len(inputs) == 1 and self._is_row(inputs[0].type) else 0
            options = _block(
                [
                    ("from", _text(self._facts.types[source].written if source else "*")),
                    ("to", _text(target.name)),
                    ("isOneToOne", "false" if function.rows > 1 else "true"),
                    ("isSetofReturn", "true" if function.is_set else "false"),
                ]
            )
            parts.append(f"SetofOptions: {options}")
        return f"{{ {'; '.join(parts)} }}"

    def _argument(self, argument: ArgumentFact) -> str:
        kind = self._type(argument.type)
        if argument.name and self._is_row(argument.type) and kind != "unknown":
            fields = re.sub(r'\["Row"\]$', '["ComputedFields"]', kind)
            return f"Omit<{kind}, {fields}>"
        return kind

    def _returned(self, function: FunctionFact) -> str:
        """What one row of a function's answer is."""
        table = [each for each in function.arguments if each.mode == "t"]
        if table:
            table.sort(key=lambda each: collation_key(each.name))
            return _block([(_key(each.name), self._type(each.type)) for each in table])
        relation = self._facts.relation(self._relation_of(function.returns))
        if relation is not None and relation.schema == function.schema and relation.kind in _ROW_KINDS:
            return _block(self._row(relation))
        return self._type(function.returns)

    def _conflict(self, function: FunctionFact, overloads: Sequence[FunctionFact]) -> str:
        """What the original answers where functions differ only in the type of their one argument."""
        if len(function.inputs) != 1 or not function.inputs[0].name:
            return ""
        own = function.inputs[0]
        others = [
            each
            for each in overloads
            if each is not function
            and len(each.inputs) == 1
            and each.inputs[0].name == own.name
            and each.inputs[0].type != own.type
        ]
        if not others:
            return ""
        among = sorted((function, *others), key=lambda each: collation_key(self._name(each.inputs[0].type)))
        named = ", ".join(
            f"{function.schema}.{function.name}({own.name} => {self._name(each.inputs[0].type)})" for each in among
        )
        return (
            f"Could not choose the best candidate function between: {named}. Try renaming the parameters or the"
            " function itself in the database so function overloading can be resolved"
        )

    def _uncallable(self, function: FunctionFact) -> str:
        """What the original answers where the one argument is a row without a name."""
        inputs = function.inputs
        if len(inputs) != 1 or inputs[0].name or self._name(inputs[0].type) in _UNNAMED:
            return ""
        return (
            f"the function {function.schema}.{function.name} with parameter or with a single unnamed json/jsonb"
            " parameter, but no matches were found in the schema cache"
        )

    # --- types --------------------------------------------------------------------------------------------------------

    def _of_schema(self, schema: str, kind: str) -> list[TypeFact]:
        found = [each for each in self._facts.types.values() if each.schema == schema and each.kind == kind]
        return sorted(found, key=lambda each: collation_key(each.name))

    def _enums(self, schema: str) -> str:
        return _group(
            [(_key(each.name), _union(each.labels)) for each in self._of_schema(schema, "enum") if each.labels]
        )

    def labels(self, schema: str) -> str:
        found = [(_key(each.name), _list(each.labels)) for each in self._of_schema(schema, "enum") if each.labels]
        return _block(found, ",") if found else "{}"

    def _composites(self, schema: str) -> str:
        members = []
        for each in self._of_schema(schema, "composite"):
            relation = self._facts.relation(each.relation) if each.relation_kind == "c" else None
            if relation is not None and relation.columns:
                members.append((_key(each.name), _block([self._attribute(column) for column in relation.columns])))
        return _group(members)

    def _attribute(self, column: ColumnFact) -> tuple[str, str]:
        # The type beneath a domain is a column's alone.
        return _key(column.name), _or_null(self._type(column.type)) if not column.of_domain else "unknown"

    def _name(self, oid: int) -> str:
        return self._facts.types[oid].name

    def _relation_of(self, oid: int) -> int:
        return self._facts.types[oid].relation

    def _is_row(self, oid: int) -> bool:
        return self._facts.types[oid].relation_kind in _ROW_KINDS

    def _type(self, oid: int) -> str:
        """TypeScript for a type; `unknown` for those that the official generator knows nothing of."""
        fact = self._facts.types.get(oid)
        if fact is None:
            return "unknown"
        is_exposed = fact.schema in self._facts.schemas
        place = f"Database[{_text(fact.schema)}]"
        match fact.kind:
            case "array":
                element = self._type(fact.element)
                return f"({element})[]" if "|" in element and not element.startswith("{") else f"{element}[]"
            case "enum":
                return f'{place}["Enums"][{_text(fact.name)}]' if is_exposed else _union(fact.labels)
            case "composite" if not is_exposed:
                return "unknown"
            case "composite":
                if fact.relation_kind == "c":
                    return f'{place}["CompositeTypes"][{_text(fact.name)}]'
                group = "Views" if fact.relation_kind in ("v", "m") else "Tables"
                return f'{place}["{group}"][{_text(fact.name)}]["Row"]'
            case "domain":
                return "unknown"
        return _BASE.get(fact.name, "unknown")


# --- text -----------------------------------------------------------------------------------------------------------


def _or_null(kind: str) -> str:
    return kind if kind == "unknown" else f"{kind} | null"


def _union(labels: Iterable[str]) -> str:
    return " | ".join(map(_text, labels))


def _group(members: Members) -> str:
    """A block of names, where an empty one has none at all."""
    return _block(members) if members else "{\n  [_ in never]: never\n}"


def _block(members: Members, separator: str = "") -> str:
    if not members:
        return "{}"
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
