"""The OpenAPI document of the tables, with what it leaves unsaid.

PostgREST's document, and so the gateway's, says nothing of errors, of columns that may be null, of what a write returns
when it is asked for rows, and of the grammar in the query string. Where it is silent, Schemathesis takes every such
answer for a fault and sends filters that never get past the parser. What the document does say stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Json = dict[str, Any]

ERROR: Final[Json] = {
    "description": "Refused",
    "schema": {
        "type": "object",
        "required": ["message"],  # all that the edge says; the tables API itself says the rest too
        "properties": {
            "code": {"type": "string"},
            "message": {"type": "string"},
            "details": {"x-nullable": True},
            "hint": {"type": "string", "x-nullable": True},
        },
        "additionalProperties": False,
    },
}
EMPTY: Final[Json] = {"description": "Nothing"}
ANYTHING: Final[Json] = {"description": "What the function returns"}

VALUES: Final[Mapping[str, str]] = {
    "integer": "-?[0-9]{1,10}",
    "number": r"-?[0-9]{1,6}(\.[0-9]{1,4})?",
    "boolean": "(true|false)",
    "array": r"\{([a-z0-9]{1,3}(,[a-z0-9]{1,3}){0,2})?\}",
}
DATE: Final = "20[0-9]{2}-(0[1-9]|1[0-2])-[0-3][0-9]"
UUID: Final = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}"
TEXT: Final = "[a-zé'\"%*(), ._]{0,12}"
COMPARED: Final = "(not\\.)?(eq|neq|gt|gte|lt|lte|isdistinct)"
ODD: Final = "(not\\.)?(like|ilike|match|is|in|cs|cd|ov|sl|fts|eq\\(any\\))"


def in_full(document: Json) -> Json:
    """The document with answers and grammar spelled out."""
    definitions = document["definitions"]
    rows = {f"rows of {name}": _rows(definition) for name, definition in definitions.items()}
    parameters = dict(document["parameters"])
    for name, definition in definitions.items():
        for column, declared in definition["properties"].items():
            key = f"rowFilter.{name}.{column}"
            parameters[key] = {**parameters[key], "pattern": f"^{_filter(declared)}$"}
    paths = {
        path: {verb: _operation(path, verb, operation, definitions) for verb, operation in operations.items()}
        for path, operations in document["paths"].items()
    }
    return {
        **document,
        "paths": paths,
        "definitions": {**definitions, **rows},
        "parameters": parameters,
        "securityDefinitions": {"apikey": {"type": "apiKey", "in": "header", "name": "apikey"}},
        "security": [{"apikey": []}],
    }


def _rows(definition: Json) -> Json:
    """Rows of a table with some or all of its columns, each null unless it must not be."""
    required = definition.get("required", ())
    properties = {
        name: declared if name in required else {**declared, "x-nullable": True}
        for name, declared in definition["properties"].items()
    }
    return {"type": "array", "items": {"type": "object", "properties": properties, "additionalProperties": False}}


def _operation(path: str, verb: str, operation: Json, definitions: Json) -> Json:
    name = path[1:]
    if name not in definitions:
        more = {"204": EMPTY, "206": ANYTHING, "300": ERROR} if path.startswith("/rpc/") else {}
        return {**operation, "responses": {**operation["responses"], **more, "default": ERROR}}
    rows = {"description": "Rows", "schema": {"$ref": f"#/definitions/rows of {name}"}}
    answers = {
        "get": {"200": rows, "206": rows},
        "post": {"200": rows, "201": rows},
        "patch": {"200": rows, "204": EMPTY},
        "delete": {"200": rows, "204": EMPTY},
    }[verb]
    assert operation["responses"].keys() <= answers.keys(), (path, verb)
    columns = sorted(definitions[name]["properties"])
    parameters = [_spelled(parameter, columns) for parameter in operation["parameters"]]
    return {**operation, "parameters": parameters, "responses": {**answers, "default": ERROR}}


def _spelled(parameter: Json, columns: list[str]) -> Json:
    """`select` and `order` name columns of their table; ranges are numbers."""
    name = parameter["$ref"].rpartition("/")[2]
    plain = [column for column in columns if column.replace("_", "").isalnum() and column.isascii()] or ["*"]
    one = "(" + "|".join(plain).replace("*", r"\*") + ")"
    grammar = {
        "select": ("query", "select", rf"^(\*|{one}(,{one}){{0,2}})$"),
        "order": ("query", "order", rf"^{one}(\.(asc|desc))?(\.nulls(first|last))?$"),
        "limit": ("query", "limit", "^[0-9]{1,3}$"),
        "offset": ("query", "offset", "^[0-9]{1,3}$"),
        "range": ("header", "Range", "^[0-9]{1,2}-[0-9]{0,2}$"),
    }
    if name not in grammar:
        return parameter
    place, sent, pattern = grammar[name]
    return {"in": place, "name": sent, "required": False, "type": "string", "pattern": pattern}


def _filter(declared: Json) -> str:
    """The grammar of a column's filter, with values of its type as often as not."""
    value = VALUES.get(declared.get("type", ""), TEXT)
    if declared.get("format") == "uuid":
        value = UUID
    elif str(declared.get("format")).startswith(("date", "timestamp")):
        value = DATE
    elif "enum" in declared:
        value = "(" + "|".join(declared["enum"]) + ")"
    return rf"({COMPARED}\.{value}|in\.\({value}(,{value}){{0,2}}\)|(not\.)?is\.null|{ODD}\.{TEXT})"
