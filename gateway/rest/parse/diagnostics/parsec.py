"""A small parser-combinator core whose error reports read like those of the grammar's original (Haskell's Parsec).

A parser is a function of (text, position) to a `Reply`. What matters for the reports is kept faithfully: whether input
was consumed, the furthest position, and which expectations met there.

>>> parser = seq(string("id"), char("."), alt(attempt(string("asc")), attempt(string("desc"))))
>>> run(parser, "id.desc", "order")
['id', '.', 'desc']
>>> run(parser, "id.down", "order")
Traceback (most recent call last):
...
gateway.rest.parse.diagnostics.parsec.ParseError: "failed to parse order (id.down)" (line 1, column 4): \
unexpected "d" expecting "asc" or "desc"
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

# Kinds of message, in the order in which they are shown.
_SYSTEM, _UNEXPECTED, _EXPECT = 0, 1, 2

_Messages = tuple[tuple[int, str], ...]


class Failure(NamedTuple):
    """Where parsing could not go on, and what met there."""

    position: int
    messages: _Messages = ()


class Reply(NamedTuple):
    ok: bool
    consumed: bool
    value: Any
    position: int
    failure: Failure


Parser = Callable[[str, int], Reply]


class ParseError(Exception):
    """A text that does not follow its grammar: `message` names label and place, `details` what was expected."""

    def __init__(self, message: str, details: str) -> None:
        self.message = message
        self.details = details
        super().__init__(f"{message}: {details}")


def run(parser: Parser, text: str, label: str, shown: str | None = None) -> Any:
    """Value of `parser` over the whole or a prefix of `text` (as the parser has it). Raises ParseError."""
    reply = parser(text, 0)
    if reply.ok:
        return reply.value
    position = reply.failure.position
    source = f"failed to parse {label} ({text if shown is None else shown})"
    raise ParseError(f'"{source}" {place(text, position)}', _describe(reply.failure.messages))


def place(text: str, position: int) -> str:
    """Line and column of a position.

    >>> place("a\\nbc", 3)
    '(line 2, column 2)'
    """
    line = text.count("\n", 0, position) + 1
    return f"(line {line}, column {position - text.rfind(chr(10), 0, position)})"


def _describe(messages: _Messages) -> str:
    def texts(kind: int) -> list[str]:
        return [text for k, text in messages if k == kind]

    parts = []
    system, unexpected, expected = texts(_SYSTEM), texts(_UNEXPECTED), texts(_EXPECT)
    if unexpected:
        parts.append("unexpected " + _either(unexpected))
    elif system:
        parts.append(f"unexpected {system[0] or 'end of input'}")
    if any(expected):
        parts.append("expecting " + _either(expected))
    return " ".join(parts) or "unknown parse error"


def _either(texts: list[str]) -> str:
    unique = list(dict.fromkeys(text for text in texts if text))
    return unique[0] if len(unique) == 1 else f"{', '.join(unique[:-1])} or {unique[-1]}"


def _merge(one: Failure, two: Failure) -> Failure:
    if not two.messages and one.messages:
        return one
    if not one.messages and two.messages:
        return two
    if one.position == two.position:
        return Failure(one.position, one.messages + two.messages)
    return one if one.position > two.position else two


def _shown(character: str) -> str:
    escaped = character.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


# --- primitives -----------------------------------------------------------------------------------------------------


def char(wanted: str) -> Parser:
    """One given character."""
    expect = (_EXPECT, _shown(wanted))

    def parse(text: str, at: int) -> Reply:
        if text.startswith(wanted, at) and at < len(text):
            return Reply(True, True, wanted, at + 1, Failure(at + 1))
        found = _shown(text[at]) if at < len(text) else ""
        return Reply(False, False, None, at, Failure(at, ((_SYSTEM, found), expect)))

    return parse


def string(wanted: str) -> Parser:
    """A given word; a mismatch after its first character counts as consumed and is reported at its start."""
    expect = (_EXPECT, _shown(wanted))

    def parse(text: str, at: int) -> Reply:
        if text.startswith(wanted, at):
            end = at + len(wanted)
            return Reply(True, True, wanted, end, Failure(end))
        matched = 0
        while at + matched < len(text) and text[at + matched] == wanted[matched]:
            matched += 1
        found = _shown(text[at + matched]) if at + matched < len(text) else ""
        return Reply(False, matched > 0, None, at, Failure(at, ((_SYSTEM, found), expect)))

    return parse


def many(pattern: str, *labels: str, least: int = 0) -> Parser:
    """A run of characters of the class `pattern` (a regular expression for one character)."""
    matcher = re.compile(f"(?:{pattern})*", re.DOTALL)
    expects = tuple((_EXPECT, label) for label in labels)

    def parse(text: str, at: int) -> Reply:
        match = matcher.match(text, at)
        end = match.end() if match else at
        found = _shown(text[end]) if end < len(text) else ""
        failure = Failure(end, ((_SYSTEM, found), *expects))
        if end - at < least:
            return Reply(False, False, None, at, failure)
        return Reply(True, end > at, text[at:end], end, failure)

    return parse


def any_char(text: str, at: int) -> Reply:
    """Any one character."""
    if at < len(text):
        return Reply(True, True, text[at], at + 1, Failure(at + 1))
    return Reply(False, False, None, at, Failure(at, ((_SYSTEM, ""),)))


def rest(text: str, at: int) -> Reply:
    """All that is left."""
    end = len(text)
    return Reply(True, end > at, text[at:], end, Failure(end, ((_SYSTEM, ""),)))


def eof(text: str, at: int) -> Reply:
    """The end of the text."""
    if at >= len(text):
        return Reply(True, False, None, at, Failure(at, ((_EXPECT, ""),)))
    return Reply(False, False, None, at, Failure(at, ((_UNEXPECTED, f"'{text[at]}'"), (_EXPECT, "end of input"))))


def not_followed_by(pattern: str) -> Parser:
    """Succeeds unless a character of the class comes next."""
    matcher = re.compile(pattern, re.DOTALL)

    def parse(text: str, at: int) -> Reply:
        if at < len(text) and matcher.match(text[at]):
            return Reply(False, False, None, at, Failure(at, ((_UNEXPECTED, f"'{text[at]}'"),)))
        return Reply(True, False, None, at, Failure(at))

    return parse


def fail(text: str, at: int) -> Reply:
    """Never succeeds and has nothing to say."""
    return Reply(False, False, None, at, Failure(at))


# --- combinators ----------------------------------------------------------------------------------------------------


def seq(*parsers: Parser) -> Parser:
    """All parsers in turn; their values as a list."""

    def parse(text: str, at: int) -> Reply:
        values = []
        consumed = False
        failure = Failure(at)
        position = at
        for parser in parsers:
            reply = parser(text, position)
            failure = reply.failure if reply.consumed else _merge(failure, reply.failure)
            consumed = consumed or reply.consumed
            if not reply.ok:
                return Reply(False, consumed, None, at, failure)
            values.append(reply.value)
            position = reply.position
        return Reply(True, consumed, values, position, failure)

    return parse


def alt(*parsers: Parser) -> Parser:
    """The first parser that succeeds; one that fails after consuming input ends the choice."""

    def parse(text: str, at: int) -> Reply:
        failure = Failure(at)
        for parser in parsers:
            reply = parser(text, at)
            if reply.consumed:
                return reply
            failure = _merge(failure, reply.failure)
            if reply.ok:
                return Reply(True, False, reply.value, reply.position, failure)
        return Reply(False, False, None, at, failure)

    return parse


def attempt(parser: Parser) -> Parser:
    """As `parser`, but a failure gives the input back."""

    def parse(text: str, at: int) -> Reply:
        reply = parser(text, at)
        if reply.ok or not reply.consumed:
            return reply
        return Reply(False, False, None, at, reply.failure)

    return parse


def label(parser: Parser, name: str) -> Parser:
    """Name what was expected where `parser` fails before consuming anything."""

    def parse(text: str, at: int) -> Reply:
        reply = parser(text, at)
        if reply.consumed or (reply.ok and not reply.failure.messages):
            return reply
        kept = tuple(message for message in reply.failure.messages if message[0] != _EXPECT)
        return reply._replace(failure=Failure(reply.failure.position, ((_EXPECT, name), *kept)))

    return parse


def look_ahead(parser: Parser) -> Parser:
    """Succeeds where `parser` would, consuming nothing."""

    def parse(text: str, at: int) -> Reply:
        reply = parser(text, at)
        if reply.ok:
            return Reply(True, False, reply.value, at, Failure(at))
        return reply

    return parse


def optional(parser: Parser) -> Parser:
    """Value of `parser`, or None where it does not apply."""
    return alt(parser, succeed(None))


def succeed(value: Any) -> Parser:
    """Always succeeds with `value`."""

    def parse(_: str, at: int) -> Reply:
        return Reply(True, False, value, at, Failure(at))

    return parse


def fmap(function: Callable[[Any], Any], parser: Parser) -> Parser:
    """`parser` with its value passed through `function`."""

    def parse(text: str, at: int) -> Reply:
        reply = parser(text, at)
        return reply._replace(value=function(reply.value)) if reply.ok else reply

    return parse


def value(parser: Parser, constant: Any) -> Parser:
    """`parser` with its value replaced."""
    return fmap(lambda _: constant, parser)


def repeat(parser: Parser) -> Parser:
    """As many of `parser` as apply, as a list."""

    def parse(text: str, at: int) -> Reply:
        values: list[Any] = []
        position = at
        while True:
            reply = parser(text, position)
            if reply.ok and reply.consumed:
                values.append(reply.value)
                position = reply.position
            elif reply.consumed:
                return Reply(False, True, None, at, reply.failure)
            else:
                return Reply(True, position > at, values, position, reply.failure)

    return parse


def sep_by_1(item: Parser, separator: Parser) -> Parser:
    """One or more items between separators, as a list."""
    more = repeat(fmap(lambda pair: pair[1], seq(separator, item)))
    return fmap(lambda pair: [pair[0], *pair[1]], seq(item, more))


def between(opening: Parser, item: Parser, closing: Parser) -> Parser:
    """`item` between two brackets."""
    return fmap(lambda parts: parts[1], seq(opening, item, closing))


def lexeme(item: Parser) -> Parser:
    """`item` with blanks around it."""
    return between(BLANKS, item, BLANKS)


def defer(thunk: Callable[[], Parser]) -> Parser:
    """A parser that is looked up when it runs, for grammars that nest."""

    def parse(text: str, at: int) -> Reply:
        return thunk()(text, at)

    return parse


BLANKS: Final = many(r"[ \t]")
