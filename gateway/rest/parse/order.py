"""The `order` grammar: direction and nulls, by own or related columns (contract section 9).

>>> parse_order('opened_at.desc.nullslast,id')[0]
OrderTerm(field=FieldRef(name='opened_at', path=()), descending=True, nulls_first=False, relation=None)
>>> parse_order('author(name).desc')[0].relation
'author'
>>> parse_order('id.ac')
Traceback (most recent call last):
...
gateway.errors.ApiError: PGRST100: "failed to parse order (id.ac)" (line 1, column 4)
"""

from __future__ import annotations

from gateway.rest import limits
from gateway.rest.parse.diagnostics import grammars
from gateway.rest.parse.grammar import Unreadable, parsed, read_field, read_name, skip_blanks
from gateway.rest.types import FieldRef, OrderTerm


def _read_order(text: str) -> tuple[OrderTerm, ...]:
    terms: list[OrderTerm] = []
    at = 0
    while True:
        term, at = _read_term(text, skip_blanks(text, at))
        terms.append(term)
        if at == len(text):
            return tuple(terms)
        if len(terms) >= limits.ORDER_TERMS:
            raise Unreadable(at, f"at most {limits.ORDER_TERMS} terms are allowed")
        at += 1  # the comma that the term ended at


def _read_term(text: str, at: int) -> tuple[OrderTerm, int]:
    relation: str | None = None
    field: FieldRef
    name, end = read_name(text, at)
    if text.startswith("(", end):
        relation = name
        field, end = read_field(text, end + 1)
        if not text.startswith(")", end):
            raise Unreadable(end)
        end += 1
    else:
        field, end = read_field(text, at)
    descending = nulls_first = None
    if text.startswith(".asc", end):
        descending, end = False, end + 4
    elif text.startswith(".desc", end):
        descending, end = True, end + 5
    if text.startswith(".nullsfirst", end):
        nulls_first, end = True, end + 11
    elif text.startswith(".nullslast", end):
        nulls_first, end = False, end + 10
    if end < len(text) and text[end] != ",":
        raise Unreadable(end)
    return OrderTerm(field, descending, nulls_first, relation), end


def parse_order(text: str) -> tuple[OrderTerm, ...]:
    """Terms of an `order` parameter. Raises ApiError QUERY_PARAMETER."""
    return parsed(_read_order, text, "order", grammars.ORDER)
