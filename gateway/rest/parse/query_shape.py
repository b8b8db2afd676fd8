"""The query string, read once: its shape, which a plan is made of and remembered by, and the values bound to that plan.

Each parameter is read into a part of the shape, in which every value is a numbered `Literal`, and the values. A plan is
made of nothing but parts (see `PlanKey`), so two requests of equal parts have the same plan, and differ in their values
only.

>>> one = parse_query('select=id,title&views=gt.10&or=(a.eq.x,b.in.(1,2))&limit=5')
>>> one.literals
['10', 'x', '{"1","2"}']
>>> one.limit
'5'
>>> one.shape == parse_query('select=id,title&views=gt.99&or=(a.eq.y,b.in.(3))&limit=7').shape
True
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from gateway.errors import ApiError
from gateway.lru_cache import LruCache
from gateway.rest import limits
from gateway.rest.errors import QUERY_PARAMETER
from gateway.rest.parse.filters import CONSTANTS, parse_logic, parse_operation, value_at
from gateway.rest.parse.grammar import parse_columns, parse_logic_path, parse_on_conflict, parse_tree_path
from gateway.rest.parse.order import parse_order
from gateway.rest.parse.select import parse_select
from gateway.rest.types import (
    Condition,
    EmbedPath,
    Filter,
    Is,
    Literal,
    Logic,
    OrderTerm,
    Query,
    RangeSlots,
    SelectEmbed,
    SelectItem,
)

_RESERVED: Final = frozenset({"select", "columns", "on_conflict"})
_ALL: Final = parse_select("*")

# --- parts ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Selected:
    """`select`"""

    items: tuple[SelectItem, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """`columns`"""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Conflict:
    """`on_conflict`"""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ordered:
    """`order` of the root or of an embed."""

    path: EmbedPath
    terms: tuple[OrderTerm, ...]


@dataclass(frozen=True, slots=True)
class Limited:
    """`limit` or `offset` of an embed; those of the root are no part of the shape."""

    path: EmbedPath
    bound: str


@dataclass(frozen=True, slots=True)
class Filtered:
    """A filter."""

    path: EmbedPath
    condition: Filter


@dataclass(frozen=True, slots=True)
class Matched:
    """A logic tree."""

    path: EmbedPath
    condition: Logic


@dataclass(frozen=True, slots=True)
class Passed:
    """An argument of a function."""

    name: str


Content = Selected | Columns | Conflict | Ordered | Limited | Filtered | Matched | Passed


class Part:
    """One parameter without its values. Its hash is reckoned once: parts are shared by many requests."""

    __slots__ = ("_hash", "content", "terms", "values")

    def __init__(self, content: Content, values: int = 0) -> None:
        """`values`: how many literals the content has, which are numbered from 0."""
        self.content = content
        self.values = values
        self.terms = _terms(content)
        self._hash = hash(content)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Part) and self.content == other.content)

    def __repr__(self) -> str:
        return f"Part({self.content!r})"


Shape = tuple[Part, ...]


class Parameter(NamedTuple):
    """A parameter as it was read: decoded, as Content-Location shows it, its part of the shape and its values."""

    key: str
    value: str | None
    shown: str
    part: Part | None
    values: tuple[str, ...]


ParameterKey = str | tuple[str, str]
"""The exact text of a parameter; or the name of a filter, as it was sent, and its operator."""


@dataclass(slots=True)
class ParsedQuery:
    """A query string as it was read; `limit` and `offset` are the root's texts."""

    parameters: list[Parameter] = field(default_factory=list)
    shape: Shape = ()
    literals: list[str] = field(default_factory=list)
    limit: str | None = None
    offset: str | None = None
    _canonical: bytes | None = None

    @property
    def pairs(self) -> list[tuple[str, str | None]]:
        """Decoded keys and values in their order; None for a key without an equals sign."""
        return [(parameter.key, parameter.value) for parameter in self.parameters]

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names of the `columns` parameter, if there is one."""
        for part in self.shape:
            if isinstance(part.content, Columns):
                return part.content.names
        return None

    @property
    def canonical(self) -> bytes:
        """The query string of Content-Location: keys sorted, all re-encoded, the values of one key between commas.

        >>> parse_query('b=eq.x+y&a').canonical
        b'a=&b=eq.x%20y'
        >>> parse_query('n=gt.1&a&n=lt.9').canonical
        b'a=&n=gt.1,lt.9'
        """
        if self._canonical is None:
            shown: list[str] = []
            before = None
            for key, _, text, _, _ in sorted(self.parameters, key=_KEY):
                if key == before:
                    shown[-1] += "," + text.partition("=")[2]
                else:
                    shown.append(text)
                before = key
            self._canonical = "&".join(shown).encode()
        return self._canonical


_KEY: Final = itemgetter(0)

# --- reading --------------------------------------------------------------------------------------------------------


def decode(text: str) -> str:
    """Percent-decoding, with `+` for a space."""
    if "+" in text:
        text = text.replace("+", " ")
    return unquote(text, errors="replace") if "%" in text else text


def parse_query(
    query: str, calling: bool = False, known: LruCache[ParameterKey, Parameter] | None = None
) -> ParsedQuery:
    """Read a raw query string. `calling`: values without an operator are arguments of a function. `known` has
    parameters without values, and logic trees, by their exact text, and filters by what is before their value; such a
    text says the same wherever it stands.

    Raises ApiError QUERY_PARAMETER for what cannot be read, or asks for more than `limits` allows.
    """
    parsed_query = ParsedQuery()
    if not query:
        return parsed_query
    if ";" in query:
        query = query.replace(";", "&")
    pieces = query.split("&")
    if len(pieces) > limits.PARAMETERS:
        raise _too_long(f"at most {limits.PARAMETERS} parameters are allowed")
    parameters, literals = parsed_query.parameters, parsed_query.literals
    parts: list[Part] = []
    seen: set[str] = set()
    terms = 0
    for raw in pieces:
        if not raw:
            continue
        if known is None:
            parameter = _read(raw, calling, seen)
        else:
            parameter = known.get(raw) or _filtered(raw, known) or _read_anew(raw, calling, seen, known)
        parameters.append(parameter)
        key, value, _, part, values = parameter
        if part is not None:
            if key in _RESERVED:
                if key in seen:
                    continue
                seen.add(key)
            parts.append(part)
            literals += values
            terms += part.terms
            if terms > limits.TERMS:
                raise _too_long(f"at most {limits.TERMS} items, conditions, names and terms are allowed")
        elif key == "limit":
            parsed_query.limit = value
        elif key == "offset":
            parsed_query.offset = value
    parsed_query.shape = tuple(parts)
    return parsed_query


def _filtered(raw: str, known: LruCache[ParameterKey, Parameter]) -> Parameter | None:
    """A filter of which another one with another value was read before."""
    key, _, text = raw.partition("=")
    operator, dot, text = text.partition(".")
    if operator not in _VERBATIM or not dot:
        return None
    before = known.get((key, operator))
    if before is None:
        return None
    value = decode(text)
    if value in CONSTANTS:
        return None
    whole = f"{operator}.{value}"
    shown = whole if _PLAIN(whole) else quote(whole, safe="")
    return Parameter(before.key, whole, before.shown + shown, before.part, (value,))


def _read_anew(raw: str, calling: bool, seen: Container[str], known: LruCache[ParameterKey, Parameter]) -> Parameter:
    """Read a parameter, and remember it: whole where it has no values, and a logic tree, which takes long to read; else
    without its value where that is all that follows the operator."""
    parameter = _read(raw, calling, seen)
    part = parameter.part
    if part is None:
        return parameter
    tree = isinstance(part.content, Matched)
    if tree or not parameter.values:
        # `a.eq.1,` becomes four objects
        known.put(raw, parameter, 1_000 + (100 if tree else 20) * len(raw))
    elif isinstance(part.content, Filtered):
        key, _, text = raw.partition("=")
        operator = text.partition(".")[0]
        if operator in _VERBATIM:
            shown = parameter.shown.partition("=")[0] + "="
            known.put((key, operator), Parameter(parameter.key, None, shown, part, ()), 1_000 + 20 * len(key))
    return parameter


# Operators whose value is bound as it stands.
_VERBATIM: Final = frozenset({"eq", "neq", "gt", "gte", "lt", "lte", "like", "ilike", "cs", "cd", "ov"})
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.~-]*").fullmatch


def _too_long(details: str) -> ApiError:
    return ApiError(QUERY_PARAMETER, message='"failed to parse query string (too long)"', details=details)


def _read(raw: str, calling: bool, seen: Container[str]) -> Parameter:
    """Read one parameter. `seen` are the reserved names before it: of each the first counts."""
    raw_key, equals, raw_value = raw.partition("=")
    key = decode(raw_key)
    value = decode(raw_value) if equals else None
    shown = f"{quote(key, safe='')}={quote(value or '', safe='')}"
    if value is None or key == "limit" or key == "offset" or key in seen:
        return Parameter(key, value, shown, None, ())
    part, values = _part(key, value, calling)
    return Parameter(key, value, shown, part, values)


def _part(key: str, value: str, calling: bool) -> tuple[Part, tuple[str, ...]]:
    match key:
        case "select":
            return Part(Selected(parse_select(value))), ()
        case "columns":
            return Part(Columns(parse_columns(value))), ()
        case "on_conflict":
            return Part(Conflict(parse_on_conflict(value))), ()
    match key.rpartition(".")[2]:
        case "order":
            return Part(Ordered(parse_tree_path(key)[0], parse_order(value))), ()
        case "limit" | "offset" as bound:
            return Part(Limited(parse_tree_path(key)[0], bound), 1), (value,)
        case "and" | "or":
            path, operator = parse_logic_path(key)
            tree, values = parse_logic(operator, value)
            return Part(Matched(path, tree), len(values)), tuple(values)
    if calling and not value_at(value) and not value.startswith(("is.", "not.")):
        path, ref = parse_tree_path(key)
        if not path and not ref.path:
            return Part(Passed(ref.name), 1), (value,)
    path, ref = parse_tree_path(key)
    negated, operation, text = parse_operation(value)
    part = Part(Filtered(path, Filter(ref, operation, negated)), 0 if text is None else 1)
    return part, () if text is None else (text,)


def _terms(content: Content) -> int:
    match content:
        case Selected(items):
            return _items(items)
        case Columns(names) | Conflict(names):
            return len(names)
        case Ordered(_, terms):
            return len(terms)
        case Matched(_, tree):
            return _conditions(tree)
    return 1


def _items(items: tuple[SelectItem, ...]) -> int:
    """An embed costs as much as some columns."""
    return len(items) + sum([3 + _items(item.items) for item in items if isinstance(item, SelectEmbed)])


def _conditions(condition: Condition) -> int:
    return 1 + sum(map(_conditions, condition.members)) if isinstance(condition, Logic) else 1


# --- the shape as a query -------------------------------------------------------------------------------------------


def query_of(shape: Shape) -> Query:
    """What a shape asks for, its literals numbered throughout."""
    select: tuple[SelectItem, ...] = ()
    columns = on_conflict = None
    filters: list[tuple[EmbedPath, Filter]] = []
    logic: list[tuple[EmbedPath, Condition]] = []
    orders: list[tuple[EmbedPath, tuple[OrderTerm, ...]]] = []
    ranges: dict[EmbedPath, RangeSlots] = {}
    arguments: list[tuple[str, Literal]] = []
    first = 0
    for part in shape:
        match part.content:
            case Selected(items):
                select = items
            case Columns(names):
                columns = names
            case Conflict(names):
                on_conflict = names
            case Ordered(path, terms):
                orders.append((path, terms))
            case Limited(path, bound):
                before = ranges.get(path, RangeSlots())
                ranges[path] = replace(before, **{bound: Literal("", first)})
            case Filtered(path, condition):
                filters.append((path, _numbered_filter(condition, first)))
            case Matched(path, tree):
                logic.append((path, _numbered(tree, first)))
            case Passed(name):
                arguments.append((name, Literal("", first)))
        first += part.values
    return Query(
        select=select or _ALL,
        filters=tuple(filters),
        logic=tuple(logic),
        order=tuple(orders),
        ranges=tuple(ranges.items()),
        columns=columns,
        on_conflict=on_conflict,
        arguments=tuple(arguments),
    )


def _numbered(condition: Condition, first: int) -> Condition:
    if isinstance(condition, Logic):
        return replace(condition, members=tuple(_numbered(member, first) for member in condition.members))
    return _numbered_filter(condition, first)


def _numbered_filter(condition: Filter, first: int) -> Filter:
    operation = condition.operation
    if isinstance(operation, Is) or operation.value.slot is None or first == 0:
        return condition
    return replace(condition, operation=replace(operation, value=Literal("", operation.value.slot + first)))
