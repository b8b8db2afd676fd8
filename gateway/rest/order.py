"""The `order` grammar: direction and nulls, by own or related columns (contract section 9).

>>> parse_order('published_at.desc.nullslast,id')[0]
OrderTerm(field=FieldRef(name='published_at', path=()), descending=True, nulls_first=False, relation=None)
>>> parse_order('author(name).desc')[0].relation
'author'
>>> parse_order('id.ac')
Traceback (most recent call last):
...
gateway.errors.ApiError: PGRST100: "failed to parse order (id.ac)" (line 1, column 4)
"""

from __future__ import annotations

from typing import Final

from gateway.rest.grammar import delimiter, field, field_name, parse
from gateway.rest.parsec import (
    Parser,
    alt,
    attempt,
    between,
    char,
    eof,
    fmap,
    lexeme,
    look_ahead,
    optional,
    sep_by_1,
    seq,
    string,
    value,
)
from gateway.rest.types import OrderTerm

_end: Final[Parser] = alt(attempt(look_ahead(char(","))), attempt(eof))
_direction: Final[Parser] = optional(
    alt(
        value(attempt(seq(delimiter, string("asc"))), False),
        value(attempt(seq(delimiter, string("desc"))), True),
    )
)
_nulls: Final[Parser] = optional(
    alt(
        value(attempt(seq(delimiter, string("nullsfirst"))), True),
        value(attempt(seq(delimiter, string("nullslast"))), False),
    )
)
_by_relation: Final[Parser] = fmap(
    lambda parts: OrderTerm(parts[1], parts[2], parts[3], parts[0]),
    seq(field_name, between(char("("), field, char(")")), _direction, _nulls, _end),
)
_by_column: Final[Parser] = fmap(
    lambda parts: OrderTerm(parts[0], parts[1], parts[2]), seq(field, _direction, _nulls, _end)
)
_order: Final[Parser] = sep_by_1(lexeme(alt(attempt(_by_relation), _by_column)), char(","))


def parse_order(text: str) -> tuple[OrderTerm, ...]:
    """Terms of an `order` parameter. Raises ApiError QUERY_PARAMETER."""
    return tuple(parse(_order, text, "order"))
