"""The `select` grammar: columns, casts, json paths, aggregates, embeds and spreads (contract section 7).

>>> parse_select('id')
(SelectField(field=FieldRef(name='id', path=()), alias=None, cast=None, aggregate=None, aggregate_cast=None),)
>>> [item.alias for item in parse_select('n:name, total:amount.sum()::int')]
['n', 'total']
>>> parse_select('author:authors!fk!inner(name)')[0].hint
'fk'
>>> parse_select('...authors(name)')[0].spread
True
>>> parse_select('tags()')[0].items
()
>>> parse_select('id,clients(name[])')
Traceback (most recent call last):
...
gateway.errors.ApiError: PGRST100: "failed to parse select parameter (id,clients(name[]))" (line 1, column 16)
"""

from __future__ import annotations

from typing import Any, Final

from gateway.rest.grammar import check_depth, field, field_name, identifier, parse
from gateway.rest.parsec import (
    Parser,
    Reply,
    alt,
    attempt,
    between,
    char,
    defer,
    eof,
    fail,
    fmap,
    lexeme,
    look_ahead,
    not_followed_by,
    optional,
    sep_by_1,
    seq,
    string,
    succeed,
    value,
)
from gateway.rest.types import FieldRef, Join, SelectEmbed, SelectField, SelectItem

_alias: Final[Parser] = optional(
    attempt(fmap(lambda parts: parts[0], seq(field_name, char(":"), not_followed_by(":"))))
)
_cast: Final[Parser] = optional(fmap(lambda parts: parts[1], seq(string("::"), identifier)))
_end: Final[Parser] = alt(attempt(look_ahead(string(")"))), attempt(look_ahead(string(","))), attempt(eof))

_hint: Final[Parser] = fmap(
    lambda parts: parts[1],
    seq(
        char("!"),
        alt(
            value(attempt(string("left")), Join.LEFT),
            value(attempt(string("inner")), Join.INNER),
            attempt(field_name),
        ),
    ),
)
_hints: Final[Parser] = seq(optional(_hint), optional(_hint))


def _split_hints(hints: list[str | Join | None]) -> tuple[str | None, Join | None]:
    join = next((hint for hint in hints if isinstance(hint, Join)), None)
    name = next((hint for hint in hints if isinstance(hint, str) and not isinstance(hint, Join)), None)
    return name, join


def _target(text: str, at: int) -> Reply:
    """The target of an embed: any name but `count`, which is the row count in its old notation."""
    reply = field_name(text, at)
    if reply.ok and reply.value == "count":
        return fail(text, at)._replace(consumed=True, failure=reply.failure)
    return reply


def _embed(parts: list[Any]) -> tuple[str | None, str, str | None, Join | None]:
    alias, target, hints, _ = parts
    return alias, target, *_split_hints(hints)


_opening: Final[Parser] = attempt(look_ahead(string("(")))
_relation: Final[Parser] = lexeme(fmap(_embed, seq(_alias, _target, _hints, _opening)))
_spread: Final[Parser] = lexeme(
    fmap(lambda parts: _embed([None, *parts[1:]]), seq(string("..."), field_name, _hints, _opening))
)
_inside: Final[Parser] = between(char("("), defer(lambda: _forest), char(")"))


def _build_embed(spread: bool) -> Any:
    def build(parts: list[Any]) -> SelectEmbed:
        (alias, target, hint, join), items = parts
        return SelectEmbed(target, tuple(items), alias, hint, join, spread)

    return build


_aggregate: Final[Parser] = alt(
    string("sum"), string("avg"), string("count"), attempt(string("max")), attempt(string("min"))
)

_star: Final[Parser] = attempt(value(seq(string("*"), _end), SelectField(FieldRef("*"))))
_count: Final[Parser] = attempt(
    fmap(
        lambda parts: SelectField(FieldRef("*"), parts[0], None, "count", parts[2]),
        seq(_alias, string("count()"), _cast, _end),
    )
)
_column: Final[Parser] = fmap(
    lambda parts: SelectField(parts[1], parts[0], parts[2], parts[3], parts[4]),
    seq(
        _alias,
        field,
        _cast,
        optional(attempt(fmap(lambda parts: parts[1], seq(char("."), _aggregate, string("()"))))),
        _cast,
        _end,
    ),
)
_field_select: Final[Parser] = lexeme(alt(_star, _count, _column))

_item: Final[Parser] = alt(
    fmap(_build_embed(True), seq(attempt(_spread), _inside)),
    fmap(_build_embed(False), seq(attempt(_relation), _inside)),
    _field_select,
)
_forest: Final[Parser] = alt(sep_by_1(_item, lexeme(char(","))), succeed([]))
_whole: Final[Parser] = fmap(lambda parts: parts[0], seq(_forest, eof))


def parse_select(text: str) -> tuple[SelectItem, ...]:
    """Items of a `select` parameter; none for an empty text. Raises ApiError QUERY_PARAMETER."""
    check_depth(text, "select parameter")
    return tuple(parse(_whole, text, "select parameter"))
