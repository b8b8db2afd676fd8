"""The filter grammar: operators, modifiers, lists, and/or/not trees and their quoting (contract sections 5 and 6).

>>> parse_operation('not.eq.1')
(True, Compare(operator='=', value=Literal(text='1', slot=None), any_all=None))
>>> parse_operation('ilike(any).{a*,*b}')
(False, Compare(operator='ilike', value=Literal(text='{a*,*b}', slot=None), any_all='any'))
>>> parse_list('("a,b",c)')
['a,b', 'c']
>>> parse_logic('or', '(a.eq.1,not.and(b.gt.2,c.is.null))').members[1].negated
True
>>> parse_operation('val')
Traceback (most recent call last):
...
gateway.errors.ApiError: PGRST100: "failed to parse filter (val)" (line 1, column 1)
"""

from __future__ import annotations

import re
from typing import Any, Final

from gateway.rest import parsec
from gateway.rest.grammar import check_depth, delimiter, field, field_name, identifier, parse, quoted
from gateway.rest.parsec import (
    Failure,
    Parser,
    Reply,
    alt,
    attempt,
    between,
    char,
    defer,
    fmap,
    label,
    lexeme,
    many,
    not_followed_by,
    optional,
    sep_by_1,
    seq,
    string,
    succeed,
    value,
)
from gateway.rest.types import (
    Compare,
    Condition,
    Filter,
    FullText,
    InList,
    Is,
    IsDistinct,
    Literal,
    Logic,
    Operation,
)

# Operators without and with the any/all modifiers: word of the grammar → SQL.
SIMPLE: Final = {
    "neq": "<>",
    "cs": "@>",
    "cd": "<@",
    "ov": "&&",
    "sl": "<<",
    "sr": ">>",
    "nxr": "&<",
    "nxl": "&>",
    "adj": "-|-",
}
QUANTIFIED: Final = {
    "eq": "=",
    "gte": ">=",
    "gt": ">",
    "lte": "<=",
    "lt": "<",
    "like": "like",
    "ilike": "ilike",
    "match": "~",
    "imatch": "~*",
}
FULL_TEXT: Final = {
    "fts": "to_tsquery",
    "plfts": "plainto_tsquery",
    "phfts": "phraseto_tsquery",
    "wfts": "websearch_to_tsquery",
}
_IS_WORDS: Final = {
    "null": "null",
    "not_null": "not null",
    "true": "true",
    "false": "false",
    "unknown": "unknown",
}

_unquoted: Final[Parser] = many(r"[^,)]")
_BLANK = re.compile(r"[ \t]*")
# A quoted element must be followed by `,` or `)`; otherwise it is read raw, quotes included.
_ELEMENT = re.compile(r'"((?:[^"\\]|\\.)*)"(?![^,)])|([^,)]*)', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def _list(text: str, at: int) -> Reply:
    """`(a,"b c",d)`, scanned in one pass as lists may be long."""
    start = _BLANK.match(text, at).end()  # type: ignore[union-attr]  # matches the empty text, too
    if not text.startswith("(", start):
        return char("(")(text, start)
    items: list[str] = []
    position = start + 1
    while True:
        match = _ELEMENT.match(text, position)
        assert match is not None  # the raw form matches the empty text, too
        items.append(match[2] if match[1] is None else _ESCAPED.sub(r"\1", match[1]))
        position = match.end()
        if text.startswith(",", position):
            position += 1
        elif text.startswith(")", position):
            end = _BLANK.match(text, position + 1).end()  # type: ignore[union-attr]
            found = f'"{text[end]}"' if end < len(text) else ""
            return Reply(True, True, items, end, Failure(end, ((0, found),)))
        else:
            return Reply(False, True, None, at, Failure(position, ((0, ""), (2, '","'), (2, '")"'))))


_array: Final[Parser] = fmap("".join, seq(string("{"), many(r"[^{}]"), string("}")))
_logic_value: Final[Parser] = alt(
    attempt(fmap(lambda parts: parts[0], seq(quoted, not_followed_by(r"[^,)]")))),
    attempt(_array),
    _unquoted,
)


def _words(table: dict[str, str]) -> Parser:
    return alt(*(value(attempt(string(word)), word) for word in table))


def _case_free(word: str) -> Parser:
    letters = [alt(char(c), char(c.upper())) for c in word]
    return attempt(seq(*letters))


_is_word: Final[Parser] = label(
    alt(*(value(_case_free(word), Is(sql)) for word, sql in _IS_WORDS.items())),
    "isVal: (null, not_null, true, false, unknown)",
)


def _compare(parts: list[Any]) -> Compare:
    word, any_all, _, text = parts
    return Compare(SIMPLE.get(word) or QUANTIFIED[word], Literal(text), any_all)


def _operation(single: Parser, after_word: Parser) -> Parser:
    """`[not.]operator.value`, with the parser of a single value; `after_word` is what may follow the word of an
    `is`: left unread it would be no part of the operation and yet of the request."""
    in_list = fmap(
        lambda parts: InList(Literal(_rejoin(parts[1]))),
        seq(attempt(seq(string("in"), delimiter)), _list),
    )
    is_word = fmap(lambda parts: parts[1], seq(attempt(seq(string("is"), delimiter)), _is_word, after_word))
    distinct = fmap(
        lambda parts: IsDistinct(Literal(parts[1])), seq(attempt(seq(string("isdistinct"), delimiter)), single)
    )
    config = optional(attempt(between(char("("), identifier, char(")"))))
    full_text = fmap(
        lambda parts: FullText(FULL_TEXT[parts[0]], parts[1], Literal(parts[3])),
        seq(_words(FULL_TEXT), config, delimiter, single),
    )
    simple = fmap(_compare, seq(_words(SIMPLE), succeed(None), delimiter, single))
    modifier = optional(attempt(between(char("("), alt(attempt(string("any")), string("all")), char(")"))))
    quantified = fmap(_compare, seq(_words(QUANTIFIED), modifier, delimiter, single))
    operation = label(
        alt(in_list, is_word, distinct, attempt(full_text), attempt(simple), attempt(quantified)),
        "operator (eq, gt, ...)",
    )
    negation = alt(value(attempt(seq(string("not"), delimiter)), True), succeed(False))
    return fmap(tuple, seq(negation, operation))


def _rejoin(items: list[str]) -> str:
    """The list of an `in`, as an array literal (contract section 5: a lone empty string equals the empty list)."""
    return array_of(items)


def array_of(items: list[str]) -> str:
    r"""Array literal of an `in` list.

    >>> array_of(['a', 'b"c'])
    '{"a","b\\"c"}'
    >>> array_of([''])
    '{}'
    """
    if items == [""]:
        return "{}"
    joined = '","'.join(items)
    if "\\" in joined or joined.count('"') != 2 * (len(items) - 1):
        joined = '","'.join(item.replace("\\", "\\\\").replace('"', '\\"') for item in items)
    return '{"' + joined + '"}'


_filter_operation: Final[Parser] = _operation(parsec.rest, parsec.eof)
_logic_operation: Final[Parser] = _operation(_logic_value, succeed(None))


def _logic_filter(parts: list[Any]) -> Filter:
    ref, _, (negated, operation) = parts
    return Filter(ref, operation, negated)


_leaf: Final[Parser] = attempt(fmap(_logic_filter, seq(field, delimiter, _logic_operation)))
_not: Final[Parser] = label(
    alt(value(attempt(seq(string("not"), delimiter)), True), succeed(False)), "negation operator (not)"
)
_and_or: Final[Parser] = label(alt(attempt(string("and")), string("or")), "logic operator (and, or)")


_members: Final[Parser] = between(
    lexeme(char("(")), sep_by_1(defer(lambda: _logic_tree), lexeme(char(","))), lexeme(char(")"))
)
_group: Final[Parser] = fmap(lambda parts: Logic(parts[1], tuple(parts[2]), parts[0]), seq(_not, _and_or, _members))
_logic_tree: Final[Parser] = alt(_leaf, _group)

_logic_path: Final[Parser] = sep_by_1(field_name, delimiter)


def parse_operation(text: str) -> tuple[bool, Operation]:
    """`[not.]operator.value` of a filter: whether it is negated, and the operation. Raises ApiError."""
    result: tuple[bool, Operation] = parse(_filter_operation, text, "filter")
    return result


def parse_list(text: str) -> list[str]:
    """Elements of an `in` list with its parentheses. Raises ApiError."""
    result: list[str] = parse(_list, text, "filter")
    return result


def parse_logic_path(key: str) -> tuple[tuple[str, ...], str]:
    """A logic parameter's key: path of embeds, and its operator with an eventual `not.`.

    >>> parse_logic_path('comments.not.or')
    (('comments',), 'not.or')
    """
    path: list[str] = parse(_logic_path, key, "logic path")
    operator = f"not.{path[-1]}" if "not" in path else path[-1]
    return tuple(name for name in path[:-1] if name != "not"), operator


def parse_logic(operator: str, text: str) -> Condition:
    """A logic parameter's tree. Raises ApiError QUERY_PARAMETER."""
    check_depth(text, "logic tree")
    result: Condition = parse(_group, operator + text, "logic tree", shown=text)
    return result
