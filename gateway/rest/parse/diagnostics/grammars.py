"""The original's grammars as Parsec has them, without values: only where they fail, and what they expected, matters."""

from __future__ import annotations

from typing import Final

from gateway.rest.parse.diagnostics.parsec import (
    Parser,
    Reply,
    alt,
    any_char,
    attempt,
    between,
    char,
    defer,
    eof,
    fail,
    label,
    lexeme,
    look_ahead,
    many,
    not_followed_by,
    optional,
    repeat,
    rest,
    sep_by_1,
    seq,
    string,
    succeed,
)

# --- names ----------------------------------------------------------------------------------------------------------

# letter, digit, `_`, `$` and space: the characters of an unquoted name
_identifier: Final[Parser] = many(r"[^\W_]|[_ $]", "letter", "digit", least=1)
_quoted: Final[Parser] = between(
    char('"'), repeat(alt(many(r'[^\\"]', least=1), seq(char("\\"), any_char))), char('"')
)  # fmt: skip
_dash: Final[Parser] = attempt(seq(char("-"), not_followed_by(">")))
_field_name: Final[Parser] = label(alt(_quoted, sep_by_1(_identifier, _dash)), "field name (* or [a..z0..9_$])")
_delimiter: Final[Parser] = label(char("."), "delimiter (.)")
_json_key: Final[Parser] = label(
    alt(_quoted, sep_by_1(many(r"[^(\-:.,>)]", least=1), _dash)),
    "any non reserved character different from: .,>()",
)
_after_index: Final[Parser] = alt(
    *(attempt(look_ahead(string(word))) for word in ("->", "::", ".", ",")), attempt(eof)
)  # fmt: skip
_json_index: Final[Parser] = seq(alt(char("-"), succeed("+")), many("[0-9]", "digit", least=1), _after_index)
_json_step: Final[Parser] = seq(
    alt(attempt(string("->>")), attempt(string("->"))), alt(attempt(_json_index), attempt(_json_key))
)  # fmt: skip
_json_path: Final[Parser] = repeat(_json_step)
_field: Final[Parser] = lexeme(seq(_field_name, optional(_json_path)))

TREE_PATH: Final[Parser] = seq(sep_by_1(_field_name, _delimiter), optional(_json_path), eof)
LOGIC_PATH: Final[Parser] = seq(sep_by_1(_field_name, _delimiter), eof)
NAMES: Final[Parser] = sep_by_1(_field_name, lexeme(char(",")))

# --- filters --------------------------------------------------------------------------------------------------------

_SIMPLE: Final = ("neq", "cs", "cd", "ov", "sl", "sr", "nxr", "nxl", "adj")
_QUANTIFIED: Final = ("eq", "gte", "gt", "lte", "lt", "like", "ilike", "match", "imatch")
_FULL_TEXT: Final = ("fts", "plfts", "phfts", "wfts")


def _words(words: tuple[str, ...]) -> Parser:
    return alt(*(attempt(string(word)) for word in words))


def _case_free(word: str) -> Parser:
    return attempt(seq(*[alt(char(letter), char(letter.upper())) for letter in word]))


_element: Final[Parser] = alt(attempt(seq(_quoted, not_followed_by("[^,)]"))), many("[^,)]"))
_list: Final[Parser] = seq(lexeme(char("(")), sep_by_1(_element, char(",")), char(")"), many(r"[ \t]"))
_is_word: Final[Parser] = label(
    alt(*(_case_free(word) for word in ("null", "not_null", "true", "false", "unknown"))),
    "isVal: (null, not_null, true, false, unknown)",
)


def _operation(single: Parser, after_word: Parser) -> Parser:
    """`[not.]operator.value`, with the grammar of a single value and what may follow the word of an `is`."""
    in_list = seq(attempt(seq(string("in"), _delimiter)), _list)
    is_word = seq(attempt(seq(string("is"), _delimiter)), _is_word, after_word)
    distinct = seq(attempt(seq(string("isdistinct"), _delimiter)), single)
    config = optional(attempt(between(char("("), _identifier, char(")"))))
    full_text = seq(_words(_FULL_TEXT), config, _delimiter, single)
    simple = seq(_words(_SIMPLE), _delimiter, single)
    modifier = optional(attempt(between(char("("), alt(attempt(string("any")), string("all")), char(")"))))
    quantified = seq(_words(_QUANTIFIED), modifier, _delimiter, single)
    operation = label(
        alt(in_list, is_word, distinct, attempt(full_text), attempt(simple), attempt(quantified)),
        "operator (eq, gt, ...)",
    )
    return seq(optional(attempt(seq(string("not"), _delimiter))), operation)


FILTER: Final[Parser] = _operation(rest, eof)

_array: Final[Parser] = seq(string("{"), many(r"[^{}]"), string("}"))
_logic_value: Final[Parser] = alt(
    attempt(seq(_quoted, not_followed_by(r"[^,)]"))), attempt(_array), many(r"[^,)]")
)  # fmt: skip
_leaf: Final[Parser] = attempt(seq(_field, _delimiter, _operation(_logic_value, succeed(None))))
_not: Final[Parser] = label(optional(attempt(seq(string("not"), _delimiter))), "negation operator (not)")
_and_or: Final[Parser] = label(alt(attempt(string("and")), string("or")), "logic operator (and, or)")
_members: Final[Parser] = between(
    lexeme(char("(")), sep_by_1(defer(lambda: _logic_tree), lexeme(char(","))), lexeme(char(")"))
)
LOGIC_TREE: Final[Parser] = seq(_not, _and_or, _members)
_logic_tree: Final[Parser] = alt(_leaf, LOGIC_TREE)

# --- order ----------------------------------------------------------------------------------------------------------

_order_end: Final[Parser] = alt(attempt(look_ahead(char(","))), attempt(eof))
_direction: Final[Parser] = optional(
    alt(attempt(seq(_delimiter, string("asc"))), attempt(seq(_delimiter, string("desc"))))
)
_nulls: Final[Parser] = optional(
    alt(attempt(seq(_delimiter, string("nullsfirst"))), attempt(seq(_delimiter, string("nullslast"))))
)
_by_relation: Final[Parser] = seq(
    _field_name, between(char("("), _field, char(")")), _direction, _nulls, _order_end
)  # fmt: skip
_by_column: Final[Parser] = seq(_field, _direction, _nulls, _order_end)
ORDER: Final[Parser] = sep_by_1(lexeme(alt(attempt(_by_relation), _by_column)), char(","))

# --- select ---------------------------------------------------------------------------------------------------------

_alias: Final[Parser] = optional(attempt(seq(_field_name, char(":"), not_followed_by(":"))))
_cast: Final[Parser] = optional(seq(string("::"), _identifier))
_end: Final[Parser] = alt(attempt(look_ahead(string(")"))), attempt(look_ahead(string(","))), attempt(eof))
_hint: Final[Parser] = seq(
    char("!"), alt(attempt(string("left")), attempt(string("inner")), attempt(_field_name))
)  # fmt: skip
_hints: Final[Parser] = seq(optional(_hint), optional(_hint))


def _target(text: str, at: int) -> Reply:
    """The target of an embed: any name but `count`, which is the row count in its old notation."""
    reply = _field_name(text, at)
    if reply.ok and text[at : reply.position].strip().strip('"') == "count":
        return fail(text, at)._replace(consumed=True, failure=reply.failure)
    return reply


_opening: Final[Parser] = attempt(look_ahead(string("(")))
_relation: Final[Parser] = lexeme(seq(_alias, _target, _hints, _opening))
_spread: Final[Parser] = lexeme(seq(string("..."), _field_name, _hints, _opening))
_inside: Final[Parser] = between(char("("), defer(lambda: _forest), char(")"))
_aggregate: Final[Parser] = alt(
    string("sum"), string("avg"), string("count"), attempt(string("max")), attempt(string("min"))
)
_star: Final[Parser] = attempt(seq(string("*"), _end))
_count: Final[Parser] = attempt(seq(_alias, string("count()"), _cast, _end))
_column: Final[Parser] = seq(
    _alias, _field, _cast, optional(attempt(seq(char("."), _aggregate, string("()")))), _cast, _end
)  # fmt: skip
_item: Final[Parser] = alt(
    seq(attempt(_spread), _inside), seq(attempt(_relation), _inside), lexeme(alt(_star, _count, _column))
)
_forest: Final[Parser] = alt(sep_by_1(_item, lexeme(char(","))), succeed(None))
SELECT: Final[Parser] = seq(_forest, eof)
