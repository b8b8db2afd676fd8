"""What the tables API adds to `gateway.database.sql`: qualified names, types of casts, and the slots of a template."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from gateway.catalog.model import Name
from gateway.database.sql import Fragment, catalogued, identifier, sql
from gateway.database.statement import Value


@dataclass(frozen=True, slots=True)
class Slot:
    """A bound value that each request of a shape brings along: its place among the request's values, and what is done
    to it on its way."""

    index: int
    convert: Callable[[Any], Value] | None = None


def qualified(name: Name) -> Fragment:
    """A name with its schema, if it has one."""
    return sql(identifier(name.schema), ".", identifier(name.name)) if name.schema else identifier(name.name)


# Types whose names are words of the grammar, so that a quoted name would mean another type or none.
_SQL_TYPES: Final = frozenset(
    {
        "bigint",
        "bit",
        "bit varying",
        "boolean",
        "char",
        "character",
        "character varying",
        "dec",
        "decimal",
        "double precision",
        "float",
        "int",
        "integer",
        "interval",
        "nchar",
        "numeric",
        "real",
        "smallint",
        "time",
        "time with time zone",
        "time without time zone",
        "timestamp",
        "timestamp with time zone",
        "timestamp without time zone",
        "varchar",
    }
)


def type_name(name: str) -> Fragment:
    """A type that a request names in a cast.

    >>> from gateway.database.sql import render
    >>> render(type_name("Double  Precision")).text
    'double precision'
    >>> render(type_name("My_Type")).text
    '"my_type"'
    """
    words = " ".join(name.lower().split())
    return catalogued(words) if words in _SQL_TYPES else identifier(words)
