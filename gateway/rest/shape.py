"""The query string as (shape, literals): what the plan cache is keyed by, and what is bound anew each time.

Two requests of one shape differ in their literals only, so they share a plan, its SQL and its prepared statement.
A literal is the value of a filter, of a member of a logic tree, of a function's argument, or of a limit or offset
under an embed. Where a tree is too unusual to be split with certainty it stays whole, as part of the shape. A
filter's `true` or `false` belongs to the shape too: written into the SQL it lets Postgres keep one plan that uses a
partial index, where a bound one would be planned anew for each request.

`scan` runs on every request; `parse_query` only when a shape is first seen.

>>> scanned = scan('select=id,title&views=gt.10&or=(a.eq.x,b.in.(1,2))&limit=5')
>>> scanned.literals
['10', 'x', '(1,2)']
>>> scanned.limit
'5'
>>> scanned.shape == scan('select=id,title&views=gt.99&or=(a.eq.y,b.in.(3))&limit=7').shape
True
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from gateway.errors import ApiError
from gateway.rest.filters import FULL_TEXT, QUANTIFIED, SIMPLE, array_of, parse_list, parse_logic, parse_logic_path
from gateway.rest.filters import parse_operation as parse_filter_operation
from gateway.rest.grammar import parse_columns, parse_on_conflict, parse_tree_path
from gateway.rest.order import parse_order
from gateway.rest.select import parse_select
from gateway.rest.types import (
    Compare,
    Condition,
    EmbedPath,
    Filter,
    FullText,
    InList,
    Is,
    IsDistinct,
    Literal,
    Logic,
    Operation,
    OrderTerm,
    Query,
    RangeSlots,
)

_RESERVED: Final = frozenset({"select", "columns", "on_conflict"})
_ENDINGS: Final = frozenset({"order", "limit", "offset", "and", "or"})

_PLAIN = "|".join(sorted((*SIMPLE, *QUANTIFIED, "isdistinct"), key=len, reverse=True))
_FULL_TEXT = "|".join(sorted(FULL_TEXT, key=len, reverse=True))
_OPERATOR = (
    r"(?:not\.)?(?:in\.|(?:" + _PLAIN + r")\.|(?:" + "|".join(QUANTIFIED) + r")\((?:any|all)\)\.|"
    r"(?:" + _FULL_TEXT + r")(?:\([\w$ ]+\))?\.)"
)
_match_operator = re.compile(_OPERATOR).match

# A member of a logic tree that can be split for certain: a plain field, an operator, and a value whose end is plain.
_LEAF = re.compile(
    r"((?<![\w$>-])[\w$-]+(?:->>?[\w$]+)*\.(?:not\.)?)"
    r"(?:(in\.)(\([^()\"\\]*\))|"
    r"((?:" + _PLAIN + r")\.|(?:" + "|".join(QUANTIFIED) + r")\((?:any|all)\)\.|"
    r"(?:" + _FULL_TEXT + r")(?:\([\w$ ]+\))?\.)"
    r"(\{[^{}()\"\\]*\}|[^,(){}\"\\]*))(?=[,)])"
)
_SKELETON = re.compile(r"[\w$ .,()>\x00-]*").fullmatch
_MARK: Final = "\x00"
_CONSTANTS: Final = frozenset({"true", "false"})


Part = tuple[str, str, int]
"""A parameter's key, its text without what was split off, and how many literals were."""


class _Piece(NamedTuple):
    """One parameter taken apart: decoded, as Content-Location shows it, its part of the shape, and its literals."""

    key: str
    value: str | None
    shown: str
    part: Part | None
    literals: tuple[str, ...]


@dataclass(slots=True)
class Scanned:
    """A query string taken apart; `limit` and `offset` are the root's texts."""

    shape: tuple[Part, ...]
    pieces: list[_Piece]
    literals: list[str]
    limit: str | None = None
    offset: str | None = None
    exact: bool = True
    """Whether the grammar agreed with the scanner, so that the shape may be remembered."""
    _canonical: bytes | None = None

    @property
    def pairs(self) -> list[tuple[str, str | None]]:
        """Decoded keys and values in their order; None for a key without an equals sign."""
        return [(piece.key, piece.value) for piece in self.pieces]

    @property
    def canonical(self) -> bytes:
        """The query string of Content-Location: keys sorted, all re-encoded, the values of one key between commas.

        >>> scan('b=x+y&a').canonical
        b'a=&b=x%20y'
        >>> scan('n=gt.1&a=&n=lt.9').canonical
        b'a=&n=gt.1,lt.9'
        """
        if self._canonical is None:
            shown: list[str] = []
            before = None
            for key, _, text, _, _ in sorted(self.pieces, key=_KEY):
                if key == before:
                    shown[-1] += "," + text.partition("=")[2]
                else:
                    shown.append(text)
                before = key
            self._canonical = "&".join(shown).encode()
        return self._canonical


_KEY: Final = itemgetter(0)


def decode(text: str) -> str:
    """Percent-decoding, with `+` for a space."""
    if "+" in text:
        text = text.replace("+", " ")
    return unquote(text, errors="replace") if "%" in text else text


def scan(query: str, calling: bool = False) -> Scanned:
    """Take a raw query string apart. `calling`: values without an operator are arguments of a function."""
    pieces: list[_Piece] = []
    literals: list[str] = []
    parts: list[Part] = []
    scanned = Scanned((), pieces, literals)
    if ";" in query:
        query = query.replace(";", "&")
    for raw in query.split("&"):
        if not raw:
            continue
        piece = _known_piece(raw, calling) if len(raw) <= _KNOWN else _piece(raw, calling)
        pieces.append(piece)
        key, value, _, part, values = piece
        if value is None or part is None:
            continue
        parts.append(part)
        if values:
            literals += values
        elif key == "limit":
            scanned.limit = value
        elif key == "offset":
            scanned.offset = value
    scanned.shape = tuple(parts)
    return scanned


def _piece(raw: str, calling: bool) -> _Piece:
    raw_key, equals, raw_value = raw.partition("=")
    key = decode(raw_key)
    value = decode(raw_value) if equals else None
    shown = f"{quote(key, safe='')}={quote(value or '', safe='')}"
    if value is None:
        return _Piece(key, None, shown, None, ())
    literals: list[str] = []
    shape = _shape_of(key, value, literals, calling)
    return _Piece(key, value, shown, (key, shape, len(literals)), tuple(literals))


_KNOWN: Final = 1024  # characters of a parameter that is remembered: clients send the same ones over and over
_known_piece = lru_cache(maxsize=4096)(_piece)


def _shape_of(key: str, value: str, literals: list[str], calling: bool) -> str:
    if key in _RESERVED:
        return value
    ending = key.rpartition(".")[2]
    if ending not in _ENDINGS:
        match = _match_operator(value)
        if match is not None:
            literal = value[match.end() :]
            if literal in _CONSTANTS:
                return value
            literals.append(literal)
            return match[0]
        if calling and "." not in key and not value.startswith(("is.", "not.")):
            literals.append(value)
            return "\x02"
        return value
    if ending == "order":
        return value
    if ending == "limit" or ending == "offset":
        if key != ending:
            literals.append(value)
        return ""
    return _split_logic(value, literals)


def _split_logic(value: str, literals: list[str]) -> str:
    """Shape of a logic tree; its values join `literals` where they can be told for certain."""
    found: list[str] = []

    def take(match: re.Match[str]) -> str:
        name, is_in, listed, operator, text = match.groups()
        found.append(text if is_in is None else listed)
        return f"{name}{operator if is_in is None else is_in}{_MARK}"

    if _MARK in value:
        return value
    skeleton = _LEAF.sub(take, value)
    if _SKELETON(skeleton) is None:
        return value
    literals.extend(found)
    return skeleton


def list_to_array(text: str) -> str:
    """Array literal for the text of an `in` list. Raises ApiError where the list is malformed.

    >>> list_to_array('(1,2)')
    '{"1","2"}'
    """
    if text[:1] == "(" and text[-1:] == ")" and '"' not in text and "(" not in text[1:] and ")" not in text[:-1]:
        return array_of(text[1:-1].split(","))
    try:
        return array_of(parse_list(text))
    except ApiError:
        parse_filter_operation("in." + text)
        raise


def parse_query(scanned: Scanned, calling: bool = False) -> Query:
    """Parse a scanned query string. Raises ApiError QUERY_PARAMETER.

    Values that `scan` split off carry their slot; the parser's own reading must agree with it.
    """
    select = columns = on_conflict = None
    filters: list[tuple[EmbedPath, Filter]] = []
    logic: list[tuple[EmbedPath, Condition]] = []
    orders: list[tuple[EmbedPath, tuple[OrderTerm, ...]]] = []
    ranges: dict[EmbedPath, RangeSlots] = {}
    arguments: list[tuple[str, Literal]] = []
    slot = count = 0
    for key, value, _, _, values in scanned.pieces:
        slot, count = slot + count, len(values)
        ending = key.rpartition(".")[2]
        if value is None:
            continue
        if key == "select":
            select = value if select is None else select
        elif key == "columns":
            columns = value if columns is None else columns
        elif key == "on_conflict":
            on_conflict = value if on_conflict is None else on_conflict
        elif ending == "order":
            path, last = parse_tree_path(key)
            orders.append((path, parse_order(value)))
        elif ending == "limit" or ending == "offset":
            path, last = parse_tree_path(key)
            if path:
                before = ranges.get(path, RangeSlots())
                ranges[path] = replace(before, **{last.name: Literal(value, slot)})
        elif ending == "and" or ending == "or":
            path, operator = parse_logic_path(key)
            tree = parse_logic(operator, value)
            numbered = _number(tree, slot, count, scanned.literals)
            if numbered is None:
                scanned.exact = False
            logic.append((path, tree if numbered is None else numbered))
        else:
            path, ref = parse_tree_path(key)
            if calling and count == 1 and _match_operator(value) is None:
                arguments.append((ref.name, Literal(value, slot)))
                continue
            negated, operation = parse_filter_operation(value)
            if count == 1:
                operation = _with_literal(operation, Literal(scanned.literals[slot], slot))
            filters.append((path, Filter(ref, operation, negated)))
    return Query(
        select=parse_select("*" if select is None else select),
        filters=tuple(filters),
        logic=tuple(logic),
        order=tuple(orders),
        ranges=tuple(ranges.items()),
        columns=None if columns is None else parse_columns(columns),
        on_conflict=None if on_conflict is None else parse_on_conflict(on_conflict),
        arguments=tuple(arguments),
    )


def _with_literal(operation: Operation, literal: Literal) -> Operation:
    if isinstance(operation, Is):
        return operation
    return replace(operation, value=literal)


def _leaves(condition: Condition) -> Iterable[Filter]:
    if isinstance(condition, Logic):
        for member in condition.members:
            yield from _leaves(member)
    elif not isinstance(condition.operation, Is):
        yield condition


def _value_text(operation: Operation) -> str:
    match operation:
        case Compare(value=value) | InList(value=value) | IsDistinct(value=value) | FullText(value=value):
            return value.text
        case Is():
            return ""


def _is_value(operation: Operation, text: str) -> bool:
    """Whether what the scanner took for a value is the one that the parser read."""
    own = _value_text(operation)
    return own == text or (isinstance(operation, InList) and text[:1] == "(" and own == list_to_array(text))


def _number(tree: Condition, slot: int, count: int, literals: list[str]) -> Condition | None:
    """Give the leaves of a tree their slots; None where the scanner read it otherwise.

    A tree that was left whole keeps its values.
    """
    if count == 0:
        return tree
    split = literals[slot : slot + count]
    leaves = list(_leaves(tree))
    if len(leaves) != count or not all(
        _is_value(leaf.operation, text) for leaf, text in zip(leaves, split, strict=True)
    ):
        return None
    numbers = iter(range(slot, slot + count))
    return _renumber(tree, numbers, literals)


def _renumber(tree: Condition, numbers: Iterable[int], literals: list[str]) -> Condition:
    if isinstance(tree, Logic):
        return replace(tree, members=tuple(_renumber(member, numbers, literals) for member in tree.members))
    if isinstance(tree.operation, Is):
        return tree
    slot = next(iter(numbers))
    return replace(tree, operation=_with_literal(tree.operation, Literal(literals[slot], slot)))
