"""SQL text and its values travel together and apart from each other.

`Statement` is the only thing `db.py` runs. `render` is the one caller of PyPika's `get_sql`: it collects every
value as a bound `$n` parameter. Names are quoted by `quote_name`, the one quoting function (PyPika itself does not
escape quotes inside names).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pypika.terms import ListParameter, Term

Value = str | bytes | None


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL with `$1 …` placeholders and its values in PostgreSQL's text format (None is SQL null).

    Values are sent untyped, so Postgres infers each type from its place in the query.
    """

    text: str
    params: tuple[Value, ...] = ()


def quote_name(name: str) -> str:
    """Quote an identifier for SQL.

    >>> quote_name('say "hi"')
    '"say ""hi\"""'
    """
    return '"' + name.replace("\0", "").replace('"', '""') + '"'


def quote_literal(text: str) -> str:
    """Quote a constant for the few places where SQL takes no parameter (utility commands such as `alter role`).

    >>> quote_literal("it's")
    "'it''s'"
    """
    escaped = text.replace("\0", "").replace("'", "''")
    return f" E'{escaped.replace(chr(92), chr(92) * 2)}'" if "\\" in escaped else f"'{escaped}'"


class DollarParameter(ListParameter):
    """Collects PyPika values as `$1`, `$2` …; each value is bound, never written into the text."""

    def __init__(self) -> None:
        super().__init__(placeholder=lambda index: f"${index + 1}")
        self.shared: dict[tuple[type, Any], str] = {}
        """Placeholders of values that stand more than once, by type and value."""

    def values(self) -> tuple[Any, ...]:
        return tuple(self._parameters)


class Bind(Term):
    """A bound value of any kind; unlike PyPika's own wrapper it keeps None as SQL null and text untouched."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value

    def get_sql(self, parameter: DollarParameter | None = None, **kwargs: Any) -> str:
        if parameter is None:
            raise TypeError("a bound value needs a parameter collector: render with gateway.database.statement.render")
        placeholder = parameter.get_sql()
        parameter.update_parameters(self.value)
        return placeholder


class Renderable(Protocol):
    def get_sql(self, **kwargs: Any) -> str: ...


def render_parts(query: Renderable) -> tuple[str, tuple[Any, ...]]:
    """SQL text of a PyPika query or term, and the bound values in placeholder order as they were given."""
    collector = DollarParameter()
    text = query.get_sql(quote_char='"', parameter=collector)
    return text, collector.values()


def render(query: Renderable) -> Statement:
    """Render a PyPika query (or term) to a Statement."""
    text, params = render_parts(query)
    return Statement(text, tuple(_text(value) for value in params))


def _text(value: Any) -> Value:
    if value is None or isinstance(value, str | bytes):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def array_literal(values: Sequence[str]) -> str:
    """A PostgreSQL array literal of text elements.

    >>> array_literal(['a', 'say "hi"', 'b,c'])
    '{"a","say \\\\"hi\\\\"","b,c"}'
    """
    return "{" + ",".join('"' + v.replace("\\", "\\\\").replace('"', '\\"') + '"' for v in values) + "}"
