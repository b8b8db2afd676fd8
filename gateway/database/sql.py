"""SQL put together: PyPika's queries, and one kind of fragment for what PyPika cannot express.

A `Fragment` is a row of parts: SQL text of the source, bound values, other fragments, and PyPika's queries and
expressions. It is an expression of PyPika itself, so each goes into the other:

>>> from pypika import Table
>>> users = Table("users", schema="auth")
>>> newest = select_from(users).select(users.id).where(users.aud == bind("authenticated"))
>>> newest = newest.where(sql("lower(", users.email, ") = lower(", bind("Ada@example.org"), ")"))
>>> render(sql("select count(*) from (", newest, ") as found where id > ", bind(7), "::bigint")).params
('authenticated', 'Ada@example.org', '7')

How to use it, here and in every service:

- a statement of a fixed table that PyPika can express is a PyPika query, begun with `select_from`, `insert_into` or
  `update`; its names are constants of the source, as PyPika does not escape quotes inside names
- everything else is `sql(…)`, whose texts the type checker demands to be constants of the source (`LiteralString`)
- a name that comes from a request or from the catalogue goes through `identifier`, a value through `bind`
- `catalogued` is for texts that Postgres itself has written, such as a type's name, and for nothing else
- a fragment with an `or` brings its own parentheses: PyPika cannot see that it would need some
- `render` makes the `Statement`; nothing else calls PyPika's `get_sql`
- a statement that is the same but for its values is a `template` of the module, whose values are `parameter`s: no
  request pays for building it

>>> by_aud = template(select_from(users).select(users.id).where(users.aud == parameter("aud")))
>>> by_aud.fill(aud="authenticated")
Statement(text='SELECT "id" FROM "auth"."users" WHERE "aud"=$1', params=('authenticated',))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final, LiteralString, cast

from pypika import PostgreSQLQuery, Table
from pypika.dialects import PostgreSQLQueryBuilder
from pypika.queries import Selectable
from pypika.terms import Criterion, ListParameter, Node, Term

from gateway.database.statement import Statement, Value, quote_name


@dataclass(frozen=True, slots=True)
class Bound:
    """A value that takes a placeholder. Equal ones that are `shared` under one word take the same placeholder, so that
    an expression is the same text wherever it stands, as GROUP BY demands."""

    value: Any
    shared: str | None = None


class Fragment(Criterion):
    """SQL of parts in a row. It has no state but these and is made by the functions of this module only."""

    def __init__(self, parts: tuple[str | Bound | Term, ...]) -> None:
        super().__init__()
        self.parts = parts

    def get_sql(self, parameter: Placeholders | None = None, with_alias: bool = False, **kwargs: Any) -> str:
        """The text; its values are collected in `parameter`."""
        if parameter is None:
            raise TypeError("a fragment needs a collector of its values: use gateway.database.sql.render")
        kwargs.pop("subquery", None)  # a query among the parts has its parentheses from the fragment
        texts = []
        for part in self.parts:
            if isinstance(part, str):
                texts.append(part)
            elif isinstance(part, Bound):
                texts.append(parameter.place(part))
            else:
                texts.append(part.get_sql(parameter=parameter, **kwargs))
        text = "".join(texts)
        return f"{text} as {quote_name(self.alias)}" if with_alias and self.alias else text

    def nodes_(self) -> Iterator[Any]:
        """The parts that PyPika looks at to find out which tables an expression names."""
        yield self
        for part in self.parts:
            if isinstance(part, Node):
                yield from part.nodes_()

    def __repr__(self) -> str:
        return f"Fragment({self.parts!r})"


class Placeholders(ListParameter):
    """Collects values as `$1`, `$2` …, those of PyPika's own wrappers too."""

    def __init__(self) -> None:
        super().__init__(placeholder=lambda index: f"${index + 1}")
        self._shared: dict[tuple[str, Any], str] = {}

    def place(self, bound: Bound) -> str:
        """The placeholder of a value."""
        key = None if bound.shared is None else (bound.shared, bound.value)
        known = self._shared.get(key) if key is not None else None
        if known is not None:
            return known
        placeholder: str = self.get_sql()
        self.update_parameters(bound.value)
        if key is not None:
            self._shared[key] = placeholder
        return placeholder

    def values(self) -> tuple[Any, ...]:
        return tuple(self._parameters)


# --- making them ----------------------------------------------------------------------------------------------------


def sql(*parts: LiteralString | Term) -> Fragment:
    """Constants of the source, fragments and PyPika's expressions in a row.

    >>> render(sql("select ", identifier("a"), " where b = ", bind("1")))
    Statement(text='select "a" where b = $1', params=('1',))
    """
    return _row(parts)


def joined(parts: Iterable[Term], separator: LiteralString = ", ") -> Fragment:
    """Parts with a separator between them."""
    pieces: list[str | Term] = []
    for part in parts:
        if pieces:
            pieces.append(separator)
        pieces.append(part)
    return _row(pieces)


def _row(parts: Iterable[str | Term]) -> Fragment:
    flat: list[str | Bound | Term] = []
    for part in parts:
        if isinstance(part, Fragment) and not part.alias:
            flat += part.parts
        else:
            flat.append(part)
    return Fragment(tuple(flat))


def identifier(name: str) -> Fragment:
    """A quoted name, whatever it has in it.

    >>> render(identifier('say "hi"')).text
    '"say ""hi\"""'
    """
    return Fragment((quote_name(name),))


def bind(value: Any) -> Fragment:
    """A value; None is SQL null, a bool and a number become their text, whose type Postgres infers."""
    return Fragment((Bound(value),))


def bind_shared(value: str, kind: LiteralString) -> Fragment:
    """A value whose placeholder is that of every equal one of its kind in the statement; a kind is of one type.

    >>> render(sql("a->", bind_shared("x", "key"), ", b->", bind_shared("x", "key")))
    Statement(text='a->$1, b->$1', params=('x',))
    """
    return Fragment((Bound(value, kind),))


def catalogued(text: str) -> Fragment:
    """Text that the system catalogue wrote, such as a type's name or a default's expression, or a number of ours."""
    return Fragment((text,))


@dataclass(frozen=True, slots=True)
class NamedParameter:
    """Stands for a value of a template."""

    name: str


def parameter(name: LiteralString) -> Fragment:
    """A value that a template is given later; one name has one placeholder, and so one type."""
    return Fragment((Bound(NamedParameter(name), "parameter"),))


NOTHING: Final = Fragment(())

# --- PyPika's queries -----------------------------------------------------------------------------------------------
#
# Of these types are only the clauses that Postgres alone has (`on_conflict`, `do_nothing`, `returning`, `for_update`);
# the others are typed as every database's. So Postgres' own come first.


def select_from(table: Selectable) -> PostgreSQLQueryBuilder:
    """A query over a table; `.delete()` makes it a delete."""
    return cast(PostgreSQLQueryBuilder, PostgreSQLQuery.from_(table))


def insert_into(table: Table) -> PostgreSQLQueryBuilder:
    """An insert."""
    return cast(PostgreSQLQueryBuilder, PostgreSQLQuery.into(table))


def update(table: Table) -> PostgreSQLQueryBuilder:
    """An update."""
    return cast(PostgreSQLQueryBuilder, PostgreSQLQuery.update(table))


# --- rendering ------------------------------------------------------------------------------------------------------


def render_parts(query: Term) -> tuple[str, tuple[Any, ...]]:
    """The text of a query, and the bound values in placeholder order as they were given."""
    collector = Placeholders()
    text: str = query.get_sql(quote_char='"', parameter=collector)
    return text, collector.values()


def render(query: Term) -> Statement:
    """The statement of a query."""
    text, values = render_parts(query)
    return Statement(text, tuple([_text(value) for value in values]))


@dataclass(frozen=True, slots=True)
class StatementTemplate:
    """A statement whose values are missing: its text, and the name of each placeholder's value."""

    text: str
    names: tuple[str, ...]
    in_order: Callable[[Mapping[str, Value]], tuple[Value, ...]]

    def fill(self, **values: Value) -> Statement:
        """The statement with its values. Raises KeyError for one that is missing, TypeError for one too many."""
        if len(values) > len(self.names):
            raise TypeError(f"the values are {self.names}, not {tuple(values)}")
        return Statement(self.text, self.in_order(values))


def template(query: Term) -> StatementTemplate:
    """The template of a query. Raises TypeError where a value is not a parameter: a constant is text of the source."""
    text, values = render_parts(query)
    names = [value.name for value in values if isinstance(value, NamedParameter)]
    if len(names) != len(values):
        raise TypeError(f"a template has parameters only: {values}")
    # Of one name itemgetter gives no tuple; of several it makes one in half the time of a comprehension.
    in_order = itemgetter(*names) if len(names) > 1 else lambda values: tuple([values[name] for name in names])
    return StatementTemplate(text, tuple(names), in_order)


def _text(value: Any) -> Value:
    if value is None or isinstance(value, str | bytes):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
