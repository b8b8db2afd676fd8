"""SQL as PyPika terms: constants of the source, quoted names, bound values, and nothing else.

PyPika has no LATERAL and quotes no quotes, so queries are put together from these terms;
`gateway.database.statement` renders them and collects what is bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, LiteralString

from pypika.terms import Term

from gateway.catalog.model import Name
from gateway.database.statement import Bind, DollarParameter, Value, quote_name


class Fragment(Term):
    """Parts in a row."""

    def __init__(self, parts: tuple[Term, ...]) -> None:
        super().__init__()
        self.parts = parts

    def get_sql(self, **kwargs: Any) -> str:
        return "".join([part.get_sql(**kwargs) for part in self.parts])


class Constant(Term):
    """Text that stands in the source code or in the system catalogue, never in a request."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text

    def get_sql(self, **_: Any) -> str:
        return self.text


class Identifier(Term):
    """A quoted name."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def get_sql(self, **_: Any) -> str:
        return quote_name(self.name)


NOTHING: Final = Constant("")


def sql(*parts: LiteralString | Term) -> Term:
    """A fragment of constants and terms.

    >>> from gateway.database.statement import render
    >>> render(sql("select ", Identifier("a"), " where b = ", Bind("1")))
    Statement(text='select "a" where b = $1', params=('1',))
    """
    return Fragment(tuple(Constant(part) if isinstance(part, str) else part for part in parts))


def joined(parts: Iterable[Term], separator: LiteralString = ", ") -> Term:
    """Parts with a separator between them."""
    pieces: list[Term] = []
    for part in parts:
        if pieces:
            pieces.append(Constant(separator))
        pieces.append(part)
    return Fragment(tuple(pieces))


def qualified(name: Name) -> Term:
    """A name with its schema, if it has one."""
    return sql(Identifier(name.schema), ".", Identifier(name.name)) if name.schema else Identifier(name.name)


def catalogued(text: str) -> Term:
    """A type's name or a default's expression, as the system catalogue wrote it, or a number."""
    return Constant(text)


@dataclass(frozen=True, slots=True)
class Slot:
    """A bound value that each request of a shape brings along: its place among the request's values, and what is done
    to it on its way."""

    index: int
    convert: Callable[[Any], Value] | None = None


def bound(value: Any) -> Term:
    """A bound value, or a Slot that is filled for each request."""
    return Bind(value)


class JsonKey(str):
    """A key of a json path. Equal keys share one placeholder, so that an expression is the same wherever it stands:
    GROUP BY and ORDER BY must find it in the select list."""


class JsonIndex(str):
    """An array index of a json path, with its sign; shared as keys are, but of another type."""


class _Shared(Bind):
    def get_sql(self, parameter: DollarParameter | None = None, **kwargs: Any) -> str:
        if parameter is None:
            return super().get_sql(parameter=parameter, **kwargs)
        key = (type(self.value), self.value)
        placeholder = parameter.shared.get(key)
        if placeholder is None:
            placeholder = parameter.shared[key] = super().get_sql(parameter=parameter, **kwargs)
        return placeholder


def shared(value: JsonKey | JsonIndex) -> Term:
    """A bound part of a json path.

    >>> from gateway.database.statement import render
    >>> render(sql("a->", shared(JsonKey("x")), ", b->", shared(JsonKey("x"))))
    Statement(text='a->$1, b->$1', params=('x',))
    """
    return _Shared(value)


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


def type_name(name: str) -> Term:
    """A type that a request names in a cast.

    >>> type_name("Double  Precision").get_sql()
    'double precision'
    >>> type_name("My_Type").get_sql()
    '"my_type"'
    """
    words = " ".join(name.lower().split())
    return Constant(words) if words in _SQL_TYPES else Identifier(words)
