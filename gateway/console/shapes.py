"""The shape of a table that rows are asked of, and SQL about its rows: pure, but for the one question.

Names of columns come from the catalogue and are quoted; values are bound. What a client names and the catalogue does
not know is refused before any SQL is made of it.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from gateway.console.errors import ConsoleError, bad_request, not_found
from gateway.database import NO_SCOPE, Database
from gateway.database.statement import Statement, array_literal, quote_name

CUT: Final = 200  # characters of a cell
LONGEST_CURSOR: Final = 2000  # bytes of a value that a cursor holds

_SHAPE: Final = Statement("""
select a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, c.relkind,
  coalesce(array_position(k.columns, a.attnum), 0), c.reltuples::bigint, a.attgenerated <> ''
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
left join lateral (
  select string_to_array(i.indkey::text, ' ')::int2[] as columns
  from pg_index i
  where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
    and i.indnkeyatts = i.indnatts
    and not exists (select from unnest(i.indkey::int2[]) as key join pg_attribute as column_of
      on column_of.attrelid = c.oid and column_of.attnum = key where not column_of.attnotnull)
  order by not i.indisprimary, i.indnatts, i.indexrelid limit 1
) k on true
where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'v', 'm', 'f', 'p')
order by a.attnum""")

# What the contract calls an operator, and its SQL: `{0}` is the column, `{1}` the value.
_OPERATORS: Final[Mapping[str, str]] = {
    "eq": "{0} = {1}", "neq": "{0} <> {1}", "gt": "{0} > {1}", "gte": "{0} >= {1}", "lt": "{0} < {1}",
    "lte": "{0} <= {1}", "like": "{0}::text like {1}", "ilike": "{0}::text ilike {1}", "match": "{0}::text ~ {1}",
    "imatch": "{0}::text ~* {1}", "in": "{0} = any ({1})", "cs": "{0} @> {1}", "cd": "{0} <@ {1}", "ov": "{0} && {1}",
    "sl": "{0} << {1}", "sr": "{0} >> {1}", "nxr": "{0} &< {1}", "nxl": "{0} &> {1}", "adj": "{0} -|- {1}",
    "fts": "{2} @@ to_tsquery({1})", "plfts": "{2} @@ plainto_tsquery({1})", "phfts": "{2} @@ phraseto_tsquery({1})",
    "wfts": "{2} @@ websearch_to_tsquery({1})", "isdistinct": "{0} is distinct from {1}",
}  # fmt: skip
_IS: Final = {
    "null": "is null", "not_null": "is not null", "not null": "is not null", "true": "is true", "false": "is false",
    "unknown": "is unknown",
}  # fmt: skip
# Which take `(any)` or `(all)` of an array, as `like(any)`, and which a text search's configuration, as `fts(english)`.
_QUANTIFIED: Final = ("eq", "gt", "gte", "lt", "lte", "like", "ilike", "match", "imatch")
_SEARCHES: Final = ("fts", "plfts", "phfts", "wfts")
_MODIFIED: Final = re.compile(r"([a-z]+)\(([A-Za-z0-9_]+)\)")
# Types without an equality of their own.
_AS_TEXT: Final = ("json", "xml", "point", "polygon")


@dataclass(frozen=True, slots=True)
class ShapeColumn:
    """A column; `key` is its place in the key, from 1, or 0."""

    name: str
    type: str
    not_null: bool
    key: int
    generated: bool


@dataclass(frozen=True, slots=True)
class Shape:
    """A table, view or the like; `estimate` is negative where nobody has counted."""

    schema: str
    name: str
    kind: str
    columns: tuple[ShapeColumn, ...]
    estimate: int

    @property
    def sql(self) -> str:
        return f"{quote_name(self.schema)}.{quote_name(self.name)}"

    @property
    def key(self) -> tuple[ShapeColumn, ...]:
        """The primary key, or a unique one without nulls; nothing where a row cannot be named."""
        return tuple(sorted((column for column in self.columns if column.key), key=lambda column: column.key))

    def column(self, name: object) -> ShapeColumn:
        """Raises ConsoleError 400 for a name that is no column's."""
        for column in self.columns:
            if column.name == name:
                return column
        raise bad_request(f"{self.schema}.{self.name} has no column {name!r}")


async def shape_of(database: Database, schema: str, table: str) -> Shape:
    """Raises ConsoleError 404 for what is no table."""
    if "\0" in schema + table:
        raise not_found("there is no such table")
    result = await database.run(NO_SCOPE, Statement(_SHAPE.text, (schema, table)))
    if not result.rows:
        raise not_found(f"there is no table {schema}.{table}")
    texts = [[(value or b"").decode() for value in row] for row in result.rows]
    columns = tuple(ShapeColumn(row[0], row[1], row[2] == "t", int(row[4]), row[6] == "t") for row in texts)
    return Shape(schema, table, texts[0][3], columns, int(texts[0][5]))


class Values:
    """Values of one statement, as they are bound."""

    def __init__(self) -> None:
        self.bound: list[str | None] = []

    def add(self, value: str | None) -> str:
        """Bind one; its place in the text."""
        self.bound.append(value)
        return f"${len(self.bound)}"


def where(shape: Shape, filters: object, values: Values) -> list[str]:
    """Conditions of `[{"column", "op", "value", "not"}]`. Raises ConsoleError 400."""
    if not isinstance(filters, list) or len(filters) > 50:
        raise bad_request("filters must be a list of at most fifty")
    return [_condition(shape, one, values) for one in filters]


def _condition(shape: Shape, one: object, values: Values) -> str:
    if not isinstance(one, dict):
        raise bad_request("a filter has column, op and value")
    column = shape.column(one.get("column"))
    op, value = one.get("op"), one.get("value")
    negated = one.get("not") is True
    if isinstance(op, str) and op.startswith("not."):
        op, negated = op[4:], not negated
    name = quote_name(column.name)
    modifier = ""
    if isinstance(op, str) and (modified := _MODIFIED.fullmatch(op)):
        op, modifier = modified[1], modified[2]
        if not (op in _SEARCHES or (op in _QUANTIFIED and modifier in ("any", "all"))):
            raise bad_request(f"there is no operator {op}({modifier})")
    if op == "is" or (value is None and op in ("eq", "neq")):
        word = "null" if value is None else str(value).lower()
        if word not in _IS:
            raise bad_request("is takes null, not_null, true, false or unknown")
        text = f"{name} {_IS[word]}"
        negated = negated != (op == "neq")
    else:
        template = _OPERATORS.get(op) if isinstance(op, str) else None
        if template is None:
            raise bad_request(f"there is no operator {op!r}")
        if op == "in":
            elements = value if isinstance(value, list) else elements_of(str(value))
            given: str | None = array_literal([str(element) for element in elements])
        elif not isinstance(value, str | int | float) or isinstance(value, bool):
            raise bad_request(f"the value of {column.name} must be a text")
        else:
            given = str(value).replace("*", "%") if op in ("like", "ilike") else str(value)
        plain = column.type in _AS_TEXT and op in ("eq", "neq", "in", "isdistinct")
        language = ""
        if modifier and op in _SEARCHES:
            language = f"{values.add(modifier)}::regconfig, "
        searched = name if column.type == "tsvector" else f"to_tsvector({language}{name}::text)"
        bound = values.add(given)
        bound = f"{modifier} ({bound})" if modifier and not language else f"{language}{bound}"
        text = template.format(f"{name}::text" if plain else name, bound, searched)
    return f"not ({text})" if negated else f"({text})"


def elements_of(text: str) -> list[str]:
    """The elements of `(a,"b,c",d)`, with or without the parentheses.

    >>> elements_of('(a,"b,\\\\"c",)'), elements_of("1,2"), elements_of("()")
    (['a', 'b,"c', ''], ['1', '2'], [])
    """
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    if not text:
        return []
    found, word, at, quoted = [], "", 0, False
    while at < len(text):
        letter = text[at]
        if quoted and letter == "\\" and at + 1 < len(text):
            at += 1
            word += text[at]
        elif letter == '"' and (quoted or not word):
            quoted = not quoted
        elif letter == "," and not quoted:
            found.append(word)
            word = ""
        else:
            word += letter
        at += 1
    return [*found, word]


@dataclass(frozen=True, slots=True)
class Ordering:
    """One column of an order."""

    column: ShapeColumn
    desc: bool
    nulls_first: bool

    @property
    def sql(self) -> str:
        direction = "desc" if self.desc else "asc"
        # What Postgres takes by itself is not said, so that an index is seen to have the order.
        natural = self.nulls_first == self.desc or self.column.not_null
        nulls = "" if natural else f" nulls {'first' if self.nulls_first else 'last'}"
        return f"{quote_name(self.column.name)} {direction}{nulls}"


def ordering(shape: Shape, order: object) -> tuple[Ordering, ...]:
    """`[{"column", "desc", "nulls_first"}]`, and the key after it, so that no two rows share a place.

    Raises ConsoleError 400."""
    if not isinstance(order, list) or len(order) > 20:
        raise bad_request("order must be a list of at most twenty")
    found: list[Ordering] = []
    for one in order:
        if not isinstance(one, dict):
            raise bad_request("an order has column and desc")
        column, desc = shape.column(one.get("column")), one.get("desc") is True
        first = one.get("nulls_first")
        if column not in [each.column for each in found]:
            found.append(Ordering(column, desc, first if isinstance(first, bool) else desc))
    named = {each.column for each in found}
    return (*found, *(Ordering(column, False, False) for column in shape.key if column not in named))


def after(order: Sequence[Ordering], place: Sequence[str | None], values: Values) -> str:
    """The condition of rows that come after one, by the values of its order."""
    if all(each.column.not_null and not each.desc for each in order):  # an index answers this as it is
        names = ", ".join(quote_name(each.column.name) for each in order)
        bound = ", ".join(values.add(value) for value in place)
        return f"({names}) > ({bound})" if len(order) > 1 else f"{names} > {bound}"
    choices: list[str] = []
    equal: list[str] = []
    for each, value in zip(order, place, strict=True):
        name = quote_name(each.column.name)
        if value is None:
            later = f"{name} is not null" if each.nulls_first else "false"
            same = f"{name} is null"
        else:
            bound = values.add(value)
            later = f"{name} {'<' if each.desc else '>'} {bound}"
            if not each.nulls_first and not each.column.not_null:
                later = f"({later} or {name} is null)"
            same = f"{name} = {bound}"
        choices.append(" and ".join([*equal, later]))
        equal.append(same)
    first, value = order[0], place[0]
    text = "(" + " or ".join(f"({choice})" for choice in choices) + ")"
    if value is not None and first.column.not_null:  # what an index can begin at
        text = f"{quote_name(first.column.name)} {'<=' if first.desc else '>='} {values.add(value)} and {text}"
    return text


def write_cursor(kind: str, place: object) -> str:
    return base64.urlsafe_b64encode(orjson.dumps([kind, place])).decode()


def read_cursor(cursor: object, order: Sequence[Ordering]) -> tuple[str, Any]:
    """What `write_cursor` wrote: `key` and values, `place` and a ctid, or `skip` and a number.

    Raises ConsoleError 400."""
    try:
        kind, place = orjson.loads(base64.urlsafe_b64decode(str(cursor).encode()))
    except (ValueError, binascii.Error, TypeError):
        raise bad_request("the cursor cannot be read") from None
    fits = {
        "key": isinstance(place, list)
        and len(place) == len(order)
        and all(value is None or isinstance(value, str) for value in place),
        "place": isinstance(place, str) and len(place) < 40,
        "skip": isinstance(place, int) and 0 <= place < 10**9,
    }
    if not (isinstance(kind, str) and fits.get(kind)):
        raise bad_request("the cursor is of another order")
    return kind, place


def by_key(shape: Shape, key: object, values: Values) -> str:
    """The condition of one row. Raises ConsoleError 400, 409 for a table whose rows have no key."""
    if not shape.key:
        raise ConsoleError(
            409, "no_key", f"{shape.schema}.{shape.name} has no primary key: its rows cannot be told apart.",
            hint="Give it a primary key, or change it by SQL.",
        )  # fmt: skip
    if not isinstance(key, dict) or set(key) != {column.name for column in shape.key}:
        raise bad_request(f"the key is {', '.join(column.name for column in shape.key)}")
    parts = []
    for column in shape.key:
        value = key[column.name]
        if not isinstance(value, str):
            raise bad_request(f"the key's {column.name} must be a text")
        parts.append(f"{quote_name(column.name)} = {values.add(value)}")
    return " and ".join(parts)
