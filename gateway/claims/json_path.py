"""JSON Path (RFC 9535) as the tables API takes it in `jwt-role-claim-key`: text in, a query out, and what it finds.

Names, indexes, slices, wildcards, descendants and filters are the standard's; of its functions there is `search` alone,
with a regular expression that is written out.

>>> parse("$.app.roles[?search(@, '^ed_')]").find({"app": {"roles": ["guest", "ed_anna"]}})
['ed_anna']
>>> parse("$..id[-1]").find({"a": {"id": [1, 2]}, "id": [3]})
[3, 2]
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

_NAME: Final = re.compile(r"(?:[A-Za-z_]|[^\x00-\x7f])(?:\w|[^\x00-\x7f])*", re.ASCII)
_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]{0,15}(?![0-9])")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_BLANKS: Final = " \t\n\r"
_OPERATORS: Final = ("==", "!=", "<=", ">=", "<", ">")
_WORDS: Final = {"true": True, "false": False, "null": None}
_DEPTH: Final = 50  # parentheses and queries in filters that may nest

Test = Callable[[Any, Any], bool]
"""Whether a value (the second) passes a filter in a document (the first)."""


class PathError(ValueError):
    """Text that is no path; `column` is counted from one."""

    def __init__(self, column: int) -> None:
        self.column = column
        super().__init__(f"no JSON path, at column {column}")


@dataclass(frozen=True, slots=True)
class NameSelector:
    """The member of an object."""

    name: str


@dataclass(frozen=True, slots=True)
class ArraySelector:
    """Elements of an array: one, or those of a slice."""

    where: int | slice


@dataclass(frozen=True, slots=True)
class Every:
    """All members or elements."""


@dataclass(frozen=True, slots=True)
class FilterSelector:
    """Members or elements that pass a test."""

    test: Test


Selector = NameSelector | ArraySelector | Every | FilterSelector


@dataclass(frozen=True, slots=True)
class PathSegment:
    """Selectors that are applied to each value, or to it and all that is in it (`deep`)."""

    selectors: tuple[Selector, ...]
    deep: bool = False

    @property
    def is_singular(self) -> bool:
        only = self.selectors[0]
        return (
            not self.deep
            and len(self.selectors) == 1
            and (isinstance(only, NameSelector) or (isinstance(only, ArraySelector) and isinstance(only.where, int)))
        )


@dataclass(frozen=True, slots=True)
class Path:
    """A query; `relative` to the value that a filter looks at, not to the document."""

    segments: tuple[PathSegment, ...]
    relative: bool = False

    def find(self, document: Any, current: Any = None) -> list[Any]:
        """Values in their order."""
        found = [current if self.relative else document]
        for segment in self.segments:
            starts = [inner for value in found for inner in _descendants(value)] if segment.deep else found
            found = [
                value
                for start in starts
                for selector in segment.selectors
                for value in _select(selector, start, document)
            ]
        return found


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _descendants(value: Any) -> Iterator[Any]:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += reversed(_children(each))


def _select(selector: Selector, value: Any, document: Any) -> list[Any]:
    match selector:
        case NameSelector(name=name):
            return [value[name]] if isinstance(value, dict) and name in value else []
        case ArraySelector(where=where):
            if not isinstance(value, list):
                return []
            if isinstance(where, slice):
                return value[where] if where.step != 0 else []
            return [value[where]] if -len(value) <= where < len(value) else []
        case Every():
            return _children(value)
        case FilterSelector(test=test):
            return [each for each in _children(value) if test(document, each)]


def parse(text: str) -> Path:
    """A query from the root. Raises PathError."""
    reader = _Reader(text)
    path = reader.query("$")
    if reader.at < len(text):
        raise PathError(reader.at + 1)
    return path


class _Reader:
    """Reads a path from left to right, once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    # --- characters ------------------------------------------------------------------------------------------------

    def fail(self) -> PathError:
        return PathError(self.at + 1)

    def blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in _BLANKS:
            self.at += 1

    def took(self, word: str) -> bool:
        if self.text.startswith(word, self.at):
            self.at += len(word)
            return True
        return False

    def take(self, word: str) -> None:
        if not self.took(word):
            raise self.fail()

    def match(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    # --- queries ---------------------------------------------------------------------------------------------------

    def query(self, root: str) -> Path:
        self.take(root)
        segments: list[PathSegment] = []
        while True:
            before = self.at
            self.blanks()
            segment = self.segment()
            if segment is None:
                self.at = before
                return Path(tuple(segments), relative=root == "@")
            segments.append(segment)

    def segment(self) -> PathSegment | None:
        deep = self.took("..")
        if self.took("["):
            return PathSegment(self.selectors(), deep)
        if not deep and not self.took("."):
            return None
        if self.took("*"):
            return PathSegment((Every(),), deep)
        name = self.match(_NAME)
        if name is None:
            raise self.fail()
        return PathSegment((NameSelector(name),), deep)

    def selectors(self) -> tuple[Selector, ...]:
        found = []
        while True:
            self.blanks()
            found.append(self.selector())
            self.blanks()
            if self.took("]"):
                return tuple(found)
            self.take(",")

    def selector(self) -> Selector:
        if self.took("*"):
            return Every()
        if self.took("?"):
            self.blanks()
            return FilterSelector(self.either())
        if self.text[self.at : self.at + 1] in ("'", '"'):
            return NameSelector(self.string())
        first = self.match(_INTEGER)
        before = self.at
        self.blanks()
        if not self.took(":"):
            self.at = before
            if first is None:
                raise self.fail()
            return ArraySelector(int(first))
        self.blanks()
        end = self.match(_INTEGER)
        self.blanks()
        step = None
        if self.took(":"):
            self.blanks()
            step = self.match(_INTEGER)
        return ArraySelector(slice(*(None if part is None else int(part) for part in (first, end, step))))

    def string(self) -> str:
        quote = self.text[self.at]
        began = self.at
        self.at += 1
        written = '"'
        while not self.took(quote):
            character = self.text[self.at : self.at + 1]
            if character == "":
                raise self.fail()
            if character == "\\":
                escaped = self.text[self.at + 1 : self.at + 2]
                if escaped in ("'", '"') and escaped != quote:
                    raise self.fail()
                written += "'" if escaped == "'" else character + escaped
                self.at += 2
            else:
                written += '\\"' if character == '"' else character
                self.at += 1
        try:
            return str(json.loads(written + '"'))
        except ValueError:
            self.at = began
            raise self.fail() from None

    # --- filters ---------------------------------------------------------------------------------------------------

    def either(self) -> Test:
        tests = [self.both()]
        while self.next_is("||"):
            tests.append(self.both())
        return tests[0] if len(tests) == 1 else lambda document, value: any(test(document, value) for test in tests)

    def both(self) -> Test:
        tests = [self.basic()]
        while self.next_is("&&"):
            tests.append(self.basic())
        return tests[0] if len(tests) == 1 else lambda document, value: all(test(document, value) for test in tests)

    def next_is(self, operator: str) -> bool:
        before = self.at
        self.blanks()
        if self.took(operator):
            self.blanks()
            return True
        self.at = before
        return False

    def basic(self) -> Test:
        self.depth += 1
        if self.depth > _DEPTH:
            raise self.fail()
        try:
            if self.took("!"):
                self.blanks()
                inner = self.group() if self.text.startswith("(", self.at) else self.existence()
                return lambda document, value: not inner(document, value)
            if self.text.startswith("(", self.at):
                return self.group()
            return self.comparison_or_existence()
        finally:
            self.depth -= 1

    def group(self) -> Test:
        self.take("(")
        self.blanks()
        inner = self.either()
        self.blanks()
        self.take(")")
        return inner

    def existence(self) -> Test:
        if self.text.startswith("search", self.at):
            return self.search()
        path = self.query("$" if self.text.startswith("$", self.at) else "@")
        return lambda document, value: bool(path.find(document, value))

    def search(self) -> Test:
        self.take("search(")
        self.blanks()
        path = self.query("$" if self.text.startswith("$", self.at) else "@")
        self.blanks()
        self.take(",")
        self.blanks()
        if self.text[self.at : self.at + 1] not in ("'", '"'):
            raise self.fail()
        began = self.at
        try:
            pattern = re.compile(self.string())
        except re.error:
            self.at = began
            raise self.fail() from None
        self.blanks()
        self.take(")")

        def test(document: Any, value: Any) -> bool:
            found = path.find(document, value)
            return len(found) == 1 and isinstance(found[0], str) and pattern.search(found[0]) is not None

        return test

    def comparison_or_existence(self) -> Test:
        if self.text.startswith("search", self.at):
            return self.search()
        began = self.at
        left, path = self.operand()
        before = self.at
        self.blanks()
        operator = next((operator for operator in _OPERATORS if self.took(operator)), None)
        if operator is None:
            self.at = before
            if path is None:
                raise self.fail()
            return lambda document, value: bool(path.find(document, value))
        if path is not None and not all(segment.is_singular for segment in path.segments):
            self.at = began
            raise self.fail()
        self.blanks()
        began = self.at
        right, other = self.operand()
        if other is not None and not all(segment.is_singular for segment in other.segments):
            self.at = began
            raise self.fail()
        return lambda document, value: _compare(operator, left(document, value), right(document, value))

    def operand(self) -> tuple[Callable[[Any, Any], list[Any]], Path | None]:
        """A literal or a query, as what finds its value; none or one."""
        character = self.text[self.at : self.at + 1]
        if character and character in "$@":
            path = self.query(character)
            return path.find, path
        if character and character in "'\"":
            constant: Any = self.string()
        else:
            word = next((word for word in _WORDS if self.took(word)), None)
            number = self.match(_NUMBER) if word is None else None
            if word is None and number is None:
                raise self.fail()
            constant = _WORDS[word] if word is not None else json.loads(number or "")
        return lambda *_: [constant], None


def _compare(operator: str, left: list[Any], right: list[Any]) -> bool:
    match operator:
        case "==":
            return _equal(left, right)
        case "!=":
            return not _equal(left, right)
        case "<":
            return _less(left, right)
        case ">":
            return _less(right, left)
        case "<=":
            return _less(left, right) or _equal(left, right)
        case _:
            return _less(right, left) or _equal(left, right)


def _equal(left: Any, right: Any) -> bool:
    """Whether two values are the same JSON: true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_equal, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_equal(value, right[key]) for key, value in left.items())
    return bool(left == right)


def _less(left: list[Any], right: list[Any]) -> bool:
    if not left or not right:
        return False
    one, other = left[0], right[0]
    if isinstance(one, str) and isinstance(other, str):
        return one < other
    numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (one, other))
    return numbers and bool(one < other)
