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
>>> len(parse_select("id,crew(name)'what follows the last parenthesis is ignored"))
2
>>> parse_select('id,clients(name[])')
Traceback (most recent call last):
...
gateway.errors.ApiError: PGRST100: "failed to parse select parameter (id,clients(name[]))" (line 1, column 16)
"""

from __future__ import annotations

import re
from typing import Final

from gateway.rest import limits
from gateway.rest.parse.diagnostics import grammars
from gateway.rest.parse.grammar import Unreadable, parsed, read_json_path, read_name, skip_blanks, too_deep
from gateway.rest.types import FieldRef, Join, JsonPath, SelectEmbed, SelectField, SelectItem

_cast: Final = re.compile(r"::([\w $]++)").match
_aggregate: Final = re.compile(r"\.(sum|avg|count|max|min)\(\)").match
_name_begins: Final = re.compile(r"[\w $]").match
_JOINS: Final = (("left", Join.LEFT), ("inner", Join.INNER))
_STAR: Final = SelectField(FieldRef("*"))


class _Reader:
    """Reads one `select`, and counts what it has of items and embeds."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.items = 0
        self.embeds = 0

    def forest(self, at: int, depth: int) -> tuple[tuple[SelectItem, ...], int]:
        """Items between commas; none where none begins."""
        text = self.text
        if not self._begins(at):
            return (), at
        found: list[SelectItem] = []
        while True:
            self.items += 1
            if self.items > limits.SELECT_ITEMS:
                raise Unreadable(at, f"at most {limits.SELECT_ITEMS} items are allowed")
            item, at = self._item(at, depth)
            found.append(item)
            after = skip_blanks(text, at)
            if not text.startswith(",", after):
                if after > at:
                    raise Unreadable(after)
                return tuple(found), at
            at = skip_blanks(text, after + 1)

    def _begins(self, at: int) -> bool:
        """Whether there is anything that an item may begin with: a blank is, and must then be followed by one."""
        return self.text.startswith(('"', "\t", "*", "..."), at) or _name_begins(self.text, at) is not None

    def _item(self, at: int, depth: int) -> tuple[SelectItem, int]:
        text = self.text
        at = skip_blanks(text, at)
        if text.startswith("*", at):
            return _STAR, self._end(at + 1)
        if text.startswith("...", at):
            name, end = read_name(text, at + 3)
            return self._embed(None, name, end, depth, spread=True)
        alias: str | None = None
        start = at
        name, end = read_name(text, at)
        if text.startswith(":", end) and not text.startswith(":", end + 1):
            alias, at = name, end + 1
            start = skip_blanks(text, at)
            name, end = read_name(text, start)
        if text.startswith(("(", "!"), end):
            if name != "count":
                # Spaces behind an alias are read as part of the embed's name, which a tab and a quote cannot be.
                if start > at and ("\t" in text[at:start] or text.startswith('"', start)):
                    raise Unreadable(end)
                return self._embed(alias, name, end, depth, spread=False)
            if text.startswith("count()", at):
                cast, end = self._cast(at + 7)
                return SelectField(FieldRef("*"), alias, None, "count", cast), self._end(end)
            raise Unreadable(end)
        return self._column(alias, name, end)

    def _column(self, alias: str | None, name: str, at: int) -> tuple[SelectItem, int]:
        text = self.text
        path: JsonPath = ()
        if text.startswith("-", at):
            path, at = read_json_path(text, at)
        at = skip_blanks(text, at)
        cast, at = self._cast(at)
        aggregate: str | None = None
        found = _aggregate(text, at)
        if found is not None:
            aggregate, at = found[1], found.end()
        aggregate_cast, at = self._cast(at)
        return SelectField(FieldRef(name, path), alias, cast, aggregate, aggregate_cast), self._end(at)

    def _cast(self, at: int) -> tuple[str | None, int]:
        found = _cast(self.text, at)
        return (None, at) if found is None else (found[1].strip(), found.end())

    def _end(self, at: int) -> int:
        if at < len(self.text) and self.text[at] not in "),":
            raise Unreadable(at)
        return at

    def _embed(self, alias: str | None, target: str, at: int, depth: int, *, spread: bool) -> tuple[SelectItem, int]:
        text = self.text
        hints: list[str] = []
        joins: list[Join] = []
        while text.startswith("!", at) and len(hints) + len(joins) < 2:
            at += 1
            for word, join in _JOINS:
                if text.startswith(word, at):
                    joins.append(join)
                    at += len(word)
                    break
            else:
                name, at = read_name(text, at)
                hints.append(name)
        if not text.startswith("(", at):
            raise Unreadable(at)
        self.embeds += 1
        if depth >= limits.NESTING:
            raise too_deep(at)
        if self.embeds > limits.EMBEDS:
            raise Unreadable(at, f"at most {limits.EMBEDS} embeds are allowed")
        items, at = self.forest(at + 1, depth + 1)
        if not text.startswith(")", at):
            raise Unreadable(at)
        hint = hints[0] if hints else None
        return SelectEmbed(target, items, alias, hint, joins[0] if joins else None, spread), at + 1


def _read_select(text: str) -> tuple[SelectItem, ...]:
    """What follows a closing parenthesis is ignored, at the root one that nothing opened, too."""
    items, at = _Reader(text).forest(0, 0)
    if not items and at < len(text) and text[at] != ")":
        raise Unreadable(at)
    return items


def parse_select(text: str) -> tuple[SelectItem, ...]:
    """Items of a `select` parameter; none for an empty text. Raises ApiError QUERY_PARAMETER."""
    return parsed(_read_select, text, "select parameter", grammars.SELECT)
