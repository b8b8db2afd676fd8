"""Filters of a binding: `COLUMN=[not.]OP.VALUE`, joined by commas, all of which must hold.

In: the text as it was sent. Out: a tuple of `ColumnFilter`. What a value means by its column's type, Postgres says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import orjson

MOST_VALUES: Final = 100
COMPARISONS: Final = {
    "eq": "=", "neq": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=",
    "like": "~~", "ilike": "~~*", "match": "~", "imatch": "~*", "isdistinct": "is distinct from",
}  # fmt: skip
"""Operators that compare a column with one value, and their SQL."""
IS: Final = {"null": "is null", "true": "is true", "false": "is false", "unknown": "is unknown"}
OPERATORS: Final = (*COMPARISONS, "in", "is")


class FilterFault(ValueError):
    """A filter is not written as one; the message is the contract's."""


@dataclass(frozen=True, slots=True)
class ColumnFilter:
    """A condition on one column; `values` is one value, or those of `in`."""

    column: str
    operator: str
    values: tuple[str, ...]
    negated: bool = False


def parse_filters(text: str) -> tuple[ColumnFilter, ...]:
    """The filters of a binding. Raises FilterFault.

    >>> parse_filters('id=not.in.(1,2),name=eq."a,b"')[1]
    ColumnFilter(column='name', operator='eq', values=('a,b',), negated=False)
    >>> parse_filters(" ")
    ()
    """
    if not text.strip():
        return ()
    segments = split(text)
    if not all(segment.strip() for segment in segments):
        raise FilterFault("filter must not contain empty segments (check for extra commas)")
    return tuple(map(_parse, segments))


def split(text: str) -> list[str]:
    """Cut at commas that are neither within parentheses nor within quotes.

    A quote opens a quoted value only where a value can begin; one without an end is an ordinary letter.

    >>> split('a=in.(1,2),b=eq."x,y",c=eq.5",d=eq.1')
    ['a=in.(1,2)', 'b=eq."x,y"', 'c=eq.5"', 'd=eq.1']
    """
    parts, begin, at, depth, last_quote = [], 0, 0, 0, text.rfind('"')
    while at < len(text):
        letter = text[at]
        if letter == '"' and at and text[at - 1] in ".(," and at < last_quote and (end := _end_of_quote(text, at)):
            at = end
            continue
        if letter == "(":
            depth += 1
        elif letter == ")":
            depth = max(0, depth - 1)
        elif letter == "," and not depth:
            parts.append(text[begin:at])
            begin = at + 1
        at += 1
    parts.append(text[begin:])
    return parts


def _end_of_quote(text: str, at: int) -> int:
    """Where a quoted value that begins at `at` has ended; 0 where it never does."""
    at += 1
    while at < len(text):
        if text[at] == "\\":
            at += 2
        elif text[at] == '"':
            return at + 1
        else:
            at += 1
    return 0


def _parse(segment: str) -> ColumnFilter:
    column, equals, condition = segment.partition("=")
    if not equals:
        raise FilterFault(_words(segment))
    negated = condition.startswith("not.")
    operator, dot, value = condition.removeprefix("not.").partition(".")
    if not dot:
        raise FilterFault(_words(operator))
    if operator not in OPERATORS:
        raise FilterFault(_words(operator, value))
    column = column.strip()
    if operator == "in":
        return ColumnFilter(column, operator, _listed(value), negated)
    if operator == "is" and value not in IS:
        raise FilterFault("`is` filter value must be one of null, true, false, unknown")
    return ColumnFilter(column, operator, (unquoted(value),), negated)


def _listed(value: str) -> tuple[str, ...]:
    if not (value.startswith("(") and value.endswith(")")):
        raise FilterFault("`in` filter value must be wrapped by parentheses")
    # The comma in front lets a quote at the beginning open a value, as one after any other comma does.
    values = split("," + value[1:-1])[1:]
    if len(values) > MOST_VALUES:
        raise FilterFault(f"too many values for `in` filter. Maximum {MOST_VALUES}")
    return tuple(unquoted(each) for each in values)


def unquoted(value: str) -> str:
    r"""What stands in a value that is quoted as a whole; any other is what it is.

    >>> unquoted('"say \\"hi\\""'), unquoted('5"'), unquoted('"a"b"')
    ('say "hi"', '5"', '"a"b"')
    """
    if len(value) < 2 or value[0] != '"' or _end_of_quote(value, 0) != len(value):
        return value
    found, at, inside = [], 0, value[1:-1]
    while at < len(inside):
        if inside[at] == "\\" and at + 1 < len(inside):
            at += 1
        found.append(inside[at])
        at += 1
    return "".join(found)


def _words(*words: str) -> str:
    return "[" + ", ".join(orjson.dumps(word).decode() for word in words) + "]"
