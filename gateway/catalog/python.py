"""The schema cache as Python types: pydantic models of rows, typed dictionaries of what to write. Pure.

Names are the schema's and the relation's in one (`PublicSeaMarks`, `PublicSeaMarksInsert`, `PublicSeaMarksUpdate`);
a column whose name is no Python name keeps it as the alias.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Mapping
from typing import Final

from gateway.catalog.model import Column, Name, SchemaCache, Table
from gateway.settings import Settings

_PLAIN: Final[Mapping[str, str]] = {
    "boolean": "bool",
    **dict.fromkeys(("smallint", "integer", "bigint"), "int"),
    **dict.fromkeys(("real", "double precision", "numeric"), "float"),
    **dict.fromkeys(("text", "character varying", "character", "citext", "bytea", "name"), "str"),
    "uuid": "uuid.UUID",
    "date": "datetime.date",
    **dict.fromkeys(("time without time zone", "time with time zone"), "datetime.time"),
    **dict.fromkeys(("timestamp without time zone", "timestamp with time zone"), "datetime.datetime"),
    "interval": "str",
    **dict.fromkeys(("json", "jsonb"), "Any"),
}

_TAKEN: Final = frozenset(("construct", "copy", "dict", "json", "schema", "validate"))  # by every pydantic model

_HEAD: Final = """\
from __future__ import annotations

import datetime
import uuid
from typing import Any, Literal, NotRequired, Optional, TypeAlias, TypedDict

from pydantic import BaseModel, Field
"""


def generate(cache: SchemaCache, settings: Settings) -> str:
    """The text of a Python module for the exposed schemas."""
    parts = [_HEAD]
    for schema in sorted(settings.db_schemas):
        for name, labels in sorted(cache.enums.items()):
            if name.schema == schema and labels:
                choices = ", ".join(map(_text, labels))
                parts.append(f"{_class(name)}: TypeAlias = Literal[{choices}]\n")
        for name, attributes in sorted(cache.composites.items()):
            if name.schema == schema:
                parts.append(
                    _model(_class(name), [(key, f"Optional[{_type(cache, kind)}]") for key, kind in attributes])
                )
        for name, table in sorted(cache.tables.items()):
            if name.schema == schema:
                parts += _relation(cache, table)
    return "\n\n".join(parts)


def _relation(cache: SchemaCache, table: Table) -> list[str]:
    columns = sorted(table.columns.values(), key=lambda column: column.name)
    name = _class(table.name)
    parts = [_model(name, [(column.name, _value(cache, column)) for column in columns])]
    writable = [column for column in columns if not (column.generated or column.always)]
    if table.insertable:
        members = [(column.name, _value(cache, column), _optional(column)) for column in writable]
        parts.append(_dictionary(f"{name}Insert", members))
    if table.updatable:
        parts.append(_dictionary(f"{name}Update", [(c.name, _value(cache, c), True) for c in writable]))
    return parts


def _optional(column: Column) -> bool:
    return column.nullable or column.identity or column.default is not None


def _value(cache: SchemaCache, column: Column) -> str:
    kind = _type(cache, column.type)
    return f"Optional[{kind}]" if column.nullable else kind


def _model(name: str, members: list[tuple[str, str]]) -> str:
    lines = [f"    {_field(key)}: {kind} = Field(alias={_text(key)})" for key, kind in members] or ["    pass"]
    return "\n".join([f"class {name}(BaseModel):", *lines]) + "\n"


def _dictionary(name: str, members: list[tuple[str, str, bool]]) -> str:
    """The functional form, for keys are the columns' names as they are."""
    lines = [
        f"        {_text(key)}: {_text(f'NotRequired[{kind}]' if optional else kind)},"
        for key, kind, optional in members
    ]
    return "\n".join([f"{name} = TypedDict(", f"    {_text(name)},", "    {", *lines, "    },", ")"]) + "\n"


def _type(cache: SchemaCache, written: str) -> str:
    if written.endswith("[]"):
        return f"list[{_type(cache, written.removesuffix('[]'))}]"
    if written in cache.domains:
        return _type(cache, cache.domains[written])
    name = cache.type_names.get(written)
    if name is not None:
        return _class(name) if cache.enums.get(name, True) else "str"
    return _PLAIN.get(re.sub(r"\([\d,-]+\)", "", written), "Any")


def _class(name: Name) -> str:
    """A class's name.

    >>> _class(Name("public", "sea_marks")), _class(Name("public", "2nd set"))
    ('PublicSeaMarks', 'Public2ndSet')
    """
    words = re.split(r"[\W_]+", f"{name.schema} {name.name}")
    return "".join(word[:1].upper() + word[1:] for word in words)


def _field(column: str) -> str:
    """A field's name: no keyword, no leading underscore, which pydantic takes for its own.

    >>> _field("id"), _field("class"), _field("user-id"), _field("2nd")
    ('id', 'class_', 'user_id', 'field_2nd')
    """
    name = re.sub(r"\W", "_", column).lstrip("_")
    if not name or name[0].isdigit():
        name = f"field_{name}"
    return f"{name}_" if keyword.iskeyword(name) or name in _TAKEN or name.startswith("model_") else name


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
