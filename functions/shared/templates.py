"""Templates that the site's build wrote, filled: one small notation, escaped by what each slot is.

    {{text title}}                           a value, by kind
    {{if excerpt}}…{{else}}…{{end}}          shown when the value is there: not None, "", 0, false or an empty list
    {{each posts}}…{{end}}, {{each tags 2}}  once for each item, or for the first two; `.` is the item itself

Inside a list names are those of its item; a dot leads into a mapping. `web/src/templates/syntax.ts` writes them out of
the site's components and refuses kinds in places where their escaping would not hold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any, Final
from urllib.parse import quote, quote_plus

from functions.shared.html import CleanHtml

_MARK: Final = re.compile(r"\{\{([a-z-]+)(?: ([a-z_.]+))?(?: ([0-9]+))?\}\}")


class TemplateInvalid(Exception):
    """A template is not built as expected, or lacks a value."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a value."""

    write: Callable[[Any], str]
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Condition:
    """Two alternatives."""

    path: tuple[str, ...]
    shown: tuple[Part, ...]
    otherwise: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """What is written for each item of a list, or for the first `limit`."""

    path: tuple[str, ...]
    limit: int | None
    item: tuple[Part, ...]


Part = str | Slot | Condition | Repeat


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed template."""

    parts: tuple[Part, ...]

    def fill(self, values: Mapping[str, Any]) -> str:
        """The page with these values. Raises TemplateInvalid."""
        written: list[str] = []
        _write(self.parts, values, written)
        return "".join(written)


def parse(text: str) -> Template:
    """The template in a text. Raises TemplateInvalid.

    >>> parse("<p>{{text name}}</p>{{if more}}{{each more}}<i>{{text .}}</i>{{end}}{{else}}-{{end}}").fill(
    ...     {"name": "<a>", "more": ["b", "c"]}
    ... )
    '<p>&lt;a&gt;</p><i>b</i><i>c</i>'
    """
    pieces = _pieces(text)
    parts, closed_by = _read(pieces)
    if closed_by:
        raise TemplateInvalid(f"a {closed_by} closes nothing")
    return Template(parts)


def _pieces(text: str) -> Iterator[str | re.Match[str]]:
    start = 0
    for found in _MARK.finditer(text):
        yield text[start : found.start()]
        yield found
        start = found.end()
    yield text[start:]


def _read(pieces: Iterator[str | re.Match[str]]) -> tuple[tuple[Part, ...], str]:
    """Parts up to the mark that closes them, and that mark's word; "" at the end of the text."""
    parts: list[Part] = []
    for piece in pieces:
        if isinstance(piece, str):
            if piece:
                parts.append(piece)
            continue
        word, name, limit = piece.groups()
        if word in ("else", "end"):
            return tuple(parts), word
        path = () if name == "." else tuple((name or "").split("."))
        if word == "if":
            shown, closed_by = _read(pieces)
            otherwise: tuple[Part, ...] = ()
            if closed_by == "else":
                otherwise, closed_by = _read(pieces)
            parts.append(Condition(path, shown, otherwise))
        elif word == "each":
            item, closed_by = _read(pieces)
            parts.append(Repeat(path, int(limit) if limit else None, item))
        elif word in _KINDS:
            parts.append(Slot(_KINDS[word], path))
            continue
        else:
            raise TemplateInvalid(f"no kind of slot is named {word}")
        if closed_by != "end":
            raise TemplateInvalid(f"{word} {name} is not closed")
    return tuple(parts), ""


def _write(parts: tuple[Part, ...], values: Any, written: list[str]) -> None:
    for part in parts:
        if isinstance(part, str):
            written.append(part)
        elif isinstance(part, Slot):
            written.append(part.write(_value(part.path, values)))
        elif isinstance(part, Condition):
            _write(part.shown if _value(part.path, values) else part.otherwise, values, written)
        else:
            for item in _value(part.path, values)[: part.limit]:
                _write(part.item, item, written)


def _value(path: tuple[str, ...], values: Any) -> Any:
    for name in path:
        try:
            values = values[name]
        except (KeyError, TypeError) as error:
            raise TemplateInvalid(f"there is no value {'.'.join(path)}") from error
    return values


# --- kinds of slots -------------------------------------------------------------------------------------------------


def script_json(value: Any) -> str:
    r"""JSON that cannot close the script element it stands in.

    >>> script_json("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _text(value: Any) -> str:
    return escape(str(value))


def _url(value: str) -> str:
    """An address that a browser loads; any that is not of the web stays empty."""
    return escape(value) if re.match(r"https?://|/(?!/)", value) else ""


def _html(value: CleanHtml) -> str:
    """Markup, which has to come out of the sanitizer."""
    if not isinstance(value, CleanHtml):
        raise TemplateInvalid("markup that nobody sanitized")
    return value


def path_segment(value: str) -> str:
    """A value as a part of a path, as `encodeURIComponent` writes it.

    >>> path_segment("a/b (c)~é")
    'a%2Fb%20(c)~%C3%A9'
    """
    return quote(value, safe="!*'()")


def query_value(value: str) -> str:
    """A value as it stands in a query string, written as browsers write it.

    >>> query_value("a b~*&é")
    'a+b%7E*%26%C3%A9'
    """
    return quote_plus(value, safe="*").replace("~", "%7E")


def short_date(moment: str) -> str:
    """A day as lists show it.

    >>> short_date("2026-03-04T12:00:00+00:00")
    'Mar 4, 2026'
    """
    day = datetime.fromisoformat(moment)
    return f"{day:%b} {day.day}, {day.year}"


def long_date(moment: str) -> str:
    """A day in words.

    >>> long_date("2026-03-04T12:00:00+00:00")
    'March 4, 2026'
    """
    day = datetime.fromisoformat(moment)
    return f"{day:%B} {day.day}, {day.year}"


_KINDS: Final[Mapping[str, Callable[[Any], str]]] = {
    "text": _text,
    "address": _text,
    "url": _url,
    "html": _html,
    "json": script_json,
    "segment": lambda value: escape(path_segment(value)),
    "query": query_value,
    "short-date": short_date,
    "long-date": long_date,
}
