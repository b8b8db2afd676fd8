"""Names, json paths and quoted values: what the readers of the query string share (contract section 4).

A reader takes a text and a position, and gives what it read and where that ends. Each looks at a character a bounded
number of times, and raises `Unreadable` with the place where it could not go on.

>>> read_field('data->>0,x', 0)
(FieldRef(name='data', path=(JsonStep(key='+0', as_text=True, index=True),)), 8)
>>> read_name(' some name ', 0)
('some name', 11)
>>> read_name('" a.b "', 0)
(' a.b ', 7)
>>> read_name('with-dash->key', 0)
('with-dash', 9)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeVar

from gateway.errors import ApiError
from gateway.rest import limits
from gateway.rest.errors import QUERY_PARAMETER
from gateway.rest.parse.diagnostics import grammars
from gateway.rest.parse.diagnostics.parsec import ParseError, Parser, place, run
from gateway.rest.types import FieldRef, JsonPath, JsonStep

_T = TypeVar("_T")


class Unreadable(Exception):
    """A text that does not follow its grammar at `position`, or asks for more than `limits` allows."""

    def __init__(self, position: int, limit: str | None = None) -> None:
        self.position = position
        self.limit = limit
        super().__init__(limit or f"unreadable at {position}")


def too_deep(position: int) -> Unreadable:
    """What nests deeper than it may."""
    return Unreadable(position, f"at most {limits.NESTING} levels of parentheses are allowed")


_blanks: Final = re.compile(r"[ \t]*+").match
# Letters, digits, `_`, `$` and space, with dashes between them unless an arrow begins there.
_name: Final = re.compile(r"[\w $]++(?:-(?!>)[\w $]++)*+").match
_quoted: Final = re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL).match
_index: Final = re.compile(r"(-?)([0-9]++)(?=->|::|[.,]|\Z)").match
_key: Final = re.compile(r"[^(\-:.,>)]++(?:-(?!>)[^(\-:.,>)]++)*+").match
_control: Final = re.compile(r"[\x00-\x1f\x7f]").search


def skip_blanks(text: str, at: int) -> int:
    """Where the spaces and tabs from here on end."""
    if not text.startswith((" ", "\t"), at):
        return at
    found = _blanks(text, at)
    assert found is not None  # it matches the empty text, too
    return found.end()


def unescaped(text: str) -> str:
    r"""What stood between quotes, each backslash taken from the character behind it.

    >>> print(unescaped(r'a\"b\\\c\\'))
    a"b\c\
    """
    return "\\".join([part.replace("\\", "") for part in text.split("\\\\")]) if "\\" in text else text


def read_quoted(text: str, at: int) -> tuple[str, int]:
    """What stands between double quotes, where a backslash takes the next character as it is."""
    found = _quoted(text, at)
    if found is None:
        raise Unreadable(len(text))
    return unescaped(found[1]), found.end()


def _read_quoted_name(text: str, at: int) -> tuple[str, int]:
    name, end = read_quoted(text, at)
    control = _control(text, at, end)
    if control is not None:
        raise Unreadable(control.start())
    return name, end


def _check_dash(text: str, at: int) -> None:
    """A dash that no arrow begins with must have been followed by more of the name."""
    if text.startswith("-", at) and not text.startswith(">", at + 1):
        raise Unreadable(at + 1)


def _stripped(name: str) -> str:
    return "-".join([part.strip() for part in name.split("-")])


def read_name(text: str, at: int) -> tuple[str, int]:
    """The name of a column or a relation."""
    found = _name(text, at)
    if found is None:
        if text.startswith('"', at):
            return _read_quoted_name(text, at)
        raise Unreadable(at)
    end = found.end()
    _check_dash(text, end)
    name = found[0]
    return _stripped(name) if " " in name else name, end


def read_json_path(text: str, at: int) -> tuple[JsonPath, int]:
    """The arrows behind a column, if there are any."""
    steps: list[JsonStep] = []
    while text.startswith("->", at):
        if len(steps) >= limits.JSON_STEPS:
            raise Unreadable(at, f"at most {limits.JSON_STEPS} steps of a json path are allowed")
        as_text = text.startswith(">", at + 2)
        at += 3 if as_text else 2
        index = _index(text, at)
        if index is not None:
            steps.append(JsonStep((index[1] or "+") + index[2], as_text, True))
            at = index.end()
            continue
        if text.startswith('"', at):
            key, at = _read_quoted_name(text, at)
        else:
            found = _key(text, at)
            if found is None:
                raise Unreadable(at)
            control = _control(text, at, found.end())
            if control is not None:
                raise Unreadable(control.start())
            key, at = _stripped(found[0]), found.end()
            _check_dash(text, at)
        steps.append(JsonStep(key, as_text))
    return tuple(steps), at


def read_field(text: str, at: int) -> tuple[FieldRef, int]:
    """A column with its json path, and the blanks around them."""
    name, at = read_name(text, skip_blanks(text, at))
    path: JsonPath = ()
    if text.startswith("-", at):
        path, at = read_json_path(text, at)
    return FieldRef(name, path), skip_blanks(text, at)


def _read_path(text: str) -> tuple[list[str], int]:
    names: list[str] = []
    at = 0
    while True:
        name, at = read_name(text, at)
        names.append(name)
        if not text.startswith(".", at):
            return names, at
        at += 1
        if len(names) > limits.NESTING:
            raise too_deep(at)


def _read_tree_path(text: str) -> tuple[tuple[str, ...], FieldRef]:
    names, at = _read_path(text)
    path, at = read_json_path(text, at)
    if at < len(text):
        raise Unreadable(at)
    return tuple(names[:-1]), FieldRef(names[-1], path)


def _read_logic_path(text: str) -> tuple[tuple[str, ...], str]:
    names, at = _read_path(text)
    if at < len(text):
        raise Unreadable(at)
    operator = f"not.{names[-1]}" if "not" in names else names[-1]
    return tuple(name for name in names[:-1] if name != "not"), operator


def _read_names(text: str) -> tuple[str, ...]:
    """Names between commas; what follows the last one that can be read is ignored."""
    names: list[str] = []
    at = 0
    while True:
        name, at = read_name(text, at)
        names.append(name)
        after = skip_blanks(text, at)
        if not text.startswith(",", after):
            if after > at:
                raise Unreadable(after)
            return tuple(names)
        if len(names) >= limits.NAMES:
            raise Unreadable(after, f"at most {limits.NAMES} names are allowed")
        at = skip_blanks(text, after + 1)


def parsed(
    reader: Callable[[str], _T], text: str, label: str, grammar: Parser, before: str = ""
) -> _T:  # fmt: skip
    """What a reader makes of a whole text.

    Raises ApiError QUERY_PARAMETER in the words of the original's grammar, which takes the text behind `before`.
    """
    try:
        return reader(text)
    except Unreadable as error:
        message, details = _words(error, text, label, grammar, before)
    raise ApiError(QUERY_PARAMETER, message=message, details=details)


def _words(error: Unreadable, text: str, label: str, grammar: Parser, before: str) -> tuple[str, str]:
    if error.limit is not None:
        reason = "nested too deeply" if "levels" in error.limit else "too long"
        return f'"failed to parse {label} ({reason})" {place(text, error.position)}', error.limit
    whole = before + text
    if len(text) <= limits.WORDED and text.count("(") <= limits.NESTING:
        try:
            run(grammar, whole, label, text)
        except ParseError as refused:
            return refused.message, refused.details
    found = repr(text[error.position]) if error.position < len(text) else "end of input"
    where = place(whole, error.position + len(before))
    return f'"failed to parse {label} ({text})" {where}', f"unexpected {found}"


def parse_columns(text: str) -> tuple[str, ...]:
    """The `columns` parameter: names without repetition, sorted.

    >>> parse_columns('b,"a b",b')
    ('a b', 'b')
    """
    return tuple(sorted(set(parsed(_read_names, text, "columns parameter", grammars.NAMES))))


def parse_on_conflict(text: str) -> tuple[str, ...]:
    """The `on_conflict` parameter.

    >>> parse_on_conflict("a,b'c")
    ('a', 'b')
    """
    return parsed(_read_names, text, "on_conflict parameter", grammars.NAMES)


def parse_tree_path(text: str) -> tuple[tuple[str, ...], FieldRef]:
    """A filter's key: path of embeds, then the field.

    >>> parse_tree_path('comments.author.name')
    (('comments', 'author'), FieldRef(name='name', path=()))
    """
    return parsed(_read_tree_path, text, "tree path", grammars.TREE_PATH)


def parse_logic_path(key: str) -> tuple[tuple[str, ...], str]:
    """A logic parameter's key: path of embeds, and its operator with an eventual `not.`.

    >>> parse_logic_path('comments.not.or')
    (('comments',), 'not.or')
    """
    return parsed(_read_logic_path, key, "logic path", grammars.LOGIC_PATH)
