"""Tokens that the grammars share: names, json paths, quoted values (contract section 4).

>>> run(field, 'data->>0', 'order')
FieldRef(name='data', path=(JsonStep(key='+0', as_text=True, index=True),))
>>> run(field_name, ' some name ', 'tree path')
'some name'
>>> run(field_name, '" a.b "', 'tree path')
' a.b '
>>> run(field_name, 'with-dash->key', 'tree path')
'with-dash'
"""

from __future__ import annotations

import re
from typing import Any, Final

from gateway.errors import ApiError
from gateway.rest import parsec
from gateway.rest.errors import QUERY_PARAMETER
from gateway.rest.parsec import (
    Parser,
    alt,
    any_char,
    attempt,
    between,
    char,
    eof,
    fmap,
    label,
    lexeme,
    look_ahead,
    many,
    not_followed_by,
    optional,
    repeat,
    run,
    sep_by_1,
    seq,
    string,
    succeed,
    value,
)
from gateway.rest.types import FieldRef, JsonStep

MAX_DEPTH: Final = 50
"""Levels of parentheses in `select` and in logic trees; each level costs stack here and in Postgres."""

_QUOTED_SPAN = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)

# letter, digit, `_`, `$` and space: the characters of an unquoted name
identifier: Final[Parser] = fmap(str.strip, many(r"[^\W_]|[_ $]", "letter", "digit", least=1))

quoted: Final[Parser] = fmap(
    "".join,
    between(
        char('"'), repeat(alt(many(r'[^\\"]', least=1), fmap(lambda p: p[1], seq(char("\\"), any_char)))), char('"')
    ),
)

_dash: Final[Parser] = attempt(seq(char("-"), not_followed_by(">")))


def _by_dash(part: Parser) -> Parser:
    return fmap("-".join, sep_by_1(part, _dash))


field_name: Final[Parser] = label(alt(quoted, _by_dash(identifier)), "field name (* or [a..z0..9_$])")

delimiter: Final[Parser] = label(char("."), "delimiter (.)")

_json_key: Final[Parser] = label(
    alt(quoted, _by_dash(fmap(str.strip, many(r"[^(\-:.,>)]", least=1)))),
    "any non reserved character different from: .,>()",
)

_after_index: Final[Parser] = alt(
    *(attempt(fmap(lambda _: None, look_ahead(string(word)))) for word in ("->", "::", ".", ",")), attempt(eof)
)


def _index(parts: list[Any]) -> tuple[str, bool]:
    sign, digits, _ = parts
    return sign + digits, True


_json_index: Final[Parser] = fmap(
    _index, seq(alt(char("-"), succeed("+")), many("[0-9]", "digit", least=1), _after_index)
)

_json_step: Final[Parser] = fmap(
    lambda parts: JsonStep(parts[1][0], parts[0], parts[1][1]),
    seq(
        alt(value(attempt(string("->>")), True), value(attempt(string("->")), False)),
        alt(attempt(_json_index), attempt(fmap(lambda key: (key, False), _json_key))),
    ),
)

json_path: Final[Parser] = fmap(tuple, repeat(_json_step))

field: Final[Parser] = lexeme(
    fmap(lambda parts: FieldRef(parts[0], parts[1] or ()), seq(field_name, optional(json_path)))
)

tree_path: Final[Parser] = fmap(
    lambda parts: (tuple(parts[0][:-1]), FieldRef(parts[0][-1], parts[1] or ())),
    seq(sep_by_1(field_name, delimiter), optional(json_path), eof),
)

names: Final[Parser] = sep_by_1(field_name, lexeme(char(",")))


def parse(parser: Parser, text: str, label_: str, shown: str | None = None) -> Any:
    """Run a parser. Raises ApiError QUERY_PARAMETER with place and expectation."""
    try:
        return run(parser, text, label_, shown)
    except parsec.ParseError as error:
        raise ApiError(QUERY_PARAMETER, message=error.message, details=error.details) from None


def check_depth(text: str, label_: str) -> None:
    """Refuse text that nests deeper than MAX_DEPTH. Raises ApiError QUERY_PARAMETER.

    >>> check_depth('a(' * 1000, 'select parameter')
    Traceback (most recent call last):
    ...
    gateway.errors.ApiError: PGRST100: "failed to parse select parameter (nested too deeply)" (line 1, column 102)
    """
    if text.count("(") <= MAX_DEPTH:
        return
    blanked = _QUOTED_SPAN.sub(lambda match: " " * len(match[0]), text)
    depth = 0
    for match in re.finditer(r"[()]", blanked):
        depth += 1 if match[0] == "(" else -1
        if depth > MAX_DEPTH:
            raise ApiError(
                QUERY_PARAMETER,
                message=f'"failed to parse {label_} (nested too deeply)" (line 1, column {match.start() + 1})',
                details=f"at most {MAX_DEPTH} levels of parentheses are allowed",
            )


def parse_columns(text: str) -> tuple[str, ...]:
    """The `columns` parameter: names without repetition, sorted.

    >>> parse_columns('b,"a b",b')
    ('a b', 'b')
    """
    return tuple(sorted(set(parse(names, text, "columns parameter"))))


def parse_on_conflict(text: str) -> tuple[str, ...]:
    """The `on_conflict` parameter."""
    return tuple(parse(names, text, "on_conflict parameter"))


def parse_tree_path(text: str) -> tuple[tuple[str, ...], FieldRef]:
    """A filter's key: path of embeds, then the field.

    >>> parse_tree_path('comments.author.name')
    (('comments', 'author'), FieldRef(name='name', path=()))
    """
    result: tuple[tuple[str, ...], FieldRef] = parse(tree_path, text, "tree path")
    return result
