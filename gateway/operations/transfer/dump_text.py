"""A dump as pg_dump, pg_dumpall and the official CLI write it → its statements, one at a time and in constant memory.

A statement of rows may be as long as its table: its head is given at once and its lines are passed on as they come. The
others are given whole. Lines for psql alone (`\\connect`, `\\restrict`) are no statements and are left out: a dump that
somebody sent must not reach psql's commands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

LONGEST: Final = 16_000_000  # characters of a statement that is no row of a table
_INSERT: Final = re.compile(r"\s*INSERT\s+INTO\s", re.IGNORECASE)
_COPY: Final = re.compile(r"\s*COPY\s.*\sFROM\s+stdin\b.*;\s*$", re.IGNORECASE | re.DOTALL)
_TOKEN: Final = re.compile(r"--[^\n]*|/\*|[eE]?'|\"|\$(?:[^\W\d]\w*)?\$|;|[^\W\d][\w$]*|\d[\w$]*")
_IN_BLOCK: Final = re.compile(r"/\*|\*/")
_IN_STRING: Final = re.compile(r"''|'")
_IN_ESCAPED: Final = re.compile(r"\\.|''|'", re.DOTALL)
_IN_NAME: Final = re.compile(r'""|"')
_CLOSERS: Final = {"'": _IN_STRING, "E'": _IN_ESCAPED, '"': _IN_NAME}


class DumpFault(Exception):
    """A dump that cannot be read; the message is one line."""


@dataclass(slots=True)
class DumpStatement:
    """One statement. `text` is all of it, or where it has rows (`is_rows`) its first line; `lines` are the lines after,
    which are read as they are asked for. `line` is that of its beginning, counted from 1."""

    text: str
    line: int
    is_rows: bool
    lines: Iterator[str]


class _Lexer:
    """Where in a statement a line ends: knows quotes, comments that nest, dollar quotes and bodies of BEGIN ATOMIC."""

    def __init__(self) -> None:
        self._within = ""  # how what is open closes: a quote, a dollar quote, or the depth of a comment
        self._depth = 0
        self._cases = 0
        self._before = ""

    def end(self, line: str, at: int = 0) -> int:
        """Position after the `;` that ends the statement, or -1 if the line does not end it."""
        while at < len(line):
            if self._within:
                at = self._close(line, at)
                continue
            found = _TOKEN.search(line, at)
            if found is None:
                return -1
            token, at = found[0], found.end()
            if token == ";":
                if not self._cases:
                    return at
                self._before = ""
            elif token == "/*":
                self._within, self._depth = "/*", 1
            elif token[-1] in "'\"":
                self._within = "E'" if len(token) == 2 else token
            elif token[0] == "$":
                self._within = token
            elif not token.startswith("--"):
                self._word(token.lower())
        return -1

    def _word(self, word: str) -> None:
        if word == "atomic" and self._before == "begin":
            self._cases = 1
        elif self._cases and self._before != "as":
            self._cases += {"case": 1, "end": -1}.get(word, 0)
        self._before = word

    def _close(self, line: str, at: int) -> int:
        if self._within == "/*":
            found = _IN_BLOCK.search(line, at)
            if found is None:
                return len(line)
            self._depth += 1 if found[0] == "/*" else -1
            if not self._depth:
                self._within = ""
            return found.end()
        if self._within[0] == "$":
            end = line.find(self._within, at)
            if end < 0:
                return len(line)
            at, self._within = end + len(self._within), ""
            return at
        for found in _CLOSERS[self._within].finditer(line, at):
            if found[0] in ("'", '"'):
                self._within = ""
                return found.end()
        return len(line)


def statements(lines: Iterable[str]) -> Iterator[DumpStatement]:
    """The statements of a dump, given line by line with their ends. Raises DumpFault.

    >>> text = "SET a = 1;\\n\\\\restrict x\\nCOPY t (a) FROM stdin;\\n1\\n\\\\.\\nselect ';',\\n  2;\\n"
    >>> [(each.line, each.text, [*each.lines]) for each in statements(text.splitlines(True))]
    [(1, 'SET a = 1;', []), (3, 'COPY t (a) FROM stdin;\\n', ['1\\n', '\\\\.\\n']), (6, "select ';',\\n  2;", [])]
    """
    numbered = _Numbered(lines)
    rest = ""
    while True:
        line = rest or numbered.next()
        rest = ""
        if not line:
            return
        if not line.strip() or line.startswith(("--", "\\")):
            continue
        number, lexer = numbered.number, _Lexer()
        is_copy = _COPY.match(line) is not None
        if is_copy or _INSERT.match(line):
            rows = _copied(numbered) if is_copy else _inserted(numbered, lexer, line)
            yield DumpStatement(line, number, True, rows)
            for _ in rows:  # what nobody asked for
                pass
            continue
        pieces, size = [], 0
        end = lexer.end(line)
        while end < 0:
            pieces.append(line)
            size += len(line)
            if size > LONGEST:
                raise DumpFault(f"line {number}: a statement of more than {LONGEST:,} characters")
            line = numbered.next()
            if not line:
                break
            end = lexer.end(line)
        text = "".join((*pieces, line[:end] if end >= 0 else line))
        rest = line[end:] if end >= 0 and line[end:].strip() else ""
        if _says_something(text):
            if end < 0:
                raise DumpFault(f"line {number}: the last statement has no end: the dump was cut off")
            yield DumpStatement(text, number, False, iter(()))


class _Numbered:
    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self.number = 0

    def next(self) -> str:
        self.number += 1
        return next(self._lines, "")


def _copied(numbered: _Numbered) -> Iterator[str]:
    begun = numbered.number
    while line := numbered.next():
        yield line
        if line.rstrip("\r\n") == "\\.":
            return
    raise DumpFault(f"line {begun}: rows without an end: the dump was cut off")


def _inserted(numbered: _Numbered, lexer: _Lexer, line: str) -> Iterator[str]:
    begun = numbered.number
    while lexer.end(line) < 0:
        line = numbered.next()
        if not line:
            raise DumpFault(f"line {begun}: rows without an end: the dump was cut off")
        yield line


_NOTHING: Final = re.compile(r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/|;)*", re.DOTALL)


def _says_something(text: str) -> bool:
    return _NOTHING.fullmatch(text) is None
