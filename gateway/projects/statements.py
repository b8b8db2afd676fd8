"""SQL text → its statements, divided where the official CLI divides it, so that both write the same ledger.

A statement ends at a `;` outside of quotes, dollar quotes, comments (they nest), parentheses and the body of a function
written as `BEGIN ATOMIC … END`; a backslash outside of quotes shields the character after it. Each is kept as written,
comments included, less the white space around it and its `;`.

Where the original errs this does not: it knows `E'it\\'s'` and the `END` of a `CASE` in such a body. `\\restrict` and
`\\unrestrict`, which pg_dump writes for psql alone, are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

# What can change the state; everything between is passed over.
_TOKEN: Final = re.compile(
    r"--|/\*|['\"();\\]|\$(?:[^\W\d]\w*)?\$|\$|[^\W\d][\w$]*|\d[\w$]*",
)
_BLOCK: Final = re.compile(r"/\*|\*/")
_FOR_PSQL: Final = re.compile(r"\\(?:un)?restrict\b[^\n]*(?:\n|$)")
_LEADING: Final = re.compile(r"(?:\s+|--[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)+")


@dataclass(frozen=True, slots=True)
class SqlStatement:
    """One statement of a file; `line` is that of its first character, counted from 1."""

    text: str
    line: int

    @property
    def words(self) -> str:
        """The statement from its first word on, without the comments before it, for telling what it is."""
        found = _LEADING.match(self.text)
        return self.text[found.end() :] if found else self.text

    def line_of(self, position: int | None) -> int:
        """Line in the file of a character that Postgres names (from 1); without one the first word's."""
        at = position - 1 if position else len(self.text) - len(self.words)
        return self.line + self.text.count("\n", 0, at)


def split(sql: str) -> list[SqlStatement]:
    """The statements of a text.

    >>> [each.text for each in split("select ';'; -- a; b\\nselect 2;;")]
    ["select ';'", '-- a; b\\nselect 2']
    """
    sql = _without_psql_commands(sql.removeprefix("\ufeff"))
    found = []
    line, start = 1, 0
    for end in (*_ends(sql), len(sql)):
        piece = sql[start:end]
        body = piece.rstrip(";").strip()
        if body:
            before = len(piece) - len(piece.lstrip())
            found.append(SqlStatement(body, line + piece.count("\n", 0, before)))
        line += piece.count("\n")
        start = end
    return found


def _ends(sql: str) -> Iterator[int]:
    """Positions after each `;` that ends a statement."""
    at, size = 0, len(sql)
    parentheses = 0
    cases = 0  # depth within a body of BEGIN ATOMIC; 0 outside of one
    before, end_of_before = "", 0  # the word before, in lower case, and where it ended
    while at < size:
        found = _TOKEN.search(sql, at)
        if found is None:
            return
        token, at = found[0], found.end()
        word = ""
        if token == "--":
            at = _after(sql, "\n", at)
            continue
        if token == "/*":
            at = _after_block(sql, at)
            continue
        if token in ("'", '"'):
            # A word before without space between is the string's prefix: only E gives the backslash a meaning.
            escapes = token == "'" and before == "e" and found.start() == end_of_before
            at = _after_quote(sql, token, at, escapes)
        elif token[0] == "$" and len(token) > 1:
            at = _after(sql, token, at)
        elif token == "\\":
            at += 1
        elif token == "(":
            parentheses += 1
        elif token == ")":
            parentheses = max(0, parentheses - 1)
        elif token == ";":
            if parentheses == 0 and cases == 0:
                yield at
                before = ""
        elif token != "$":
            word = token.lower()
            end_of_before = at
            if word == "atomic" and before == "begin":
                cases = 1
            elif cases and before not in ("as", "."):
                cases += {"case": 1, "end": -1}.get(word, 0)
        before = word


def _after(sql: str, mark: str, at: int) -> int:
    end = sql.find(mark, at)
    return len(sql) if end < 0 else end + len(mark)


def _after_quote(sql: str, quote: str, at: int, escapes: bool) -> int:
    """After the closing quote; a doubled one is part of the text, and so is one after a backslash where that counts."""
    while at < len(sql):
        end = sql.find(quote, at)
        if end < 0:
            return len(sql)
        if escapes:
            slash = sql.find("\\", at, end)
            if slash >= 0:
                at = slash + 2
                continue
        if sql.startswith(quote, end + 1):
            at = end + 2
            continue
        return end + 1
    return len(sql)


def _after_block(sql: str, at: int) -> int:
    depth = 1
    while depth:
        found = _BLOCK.search(sql, at)
        if found is None:
            return len(sql)
        depth += 1 if found[0] == "/*" else -1
        at = found.end()
    return at


def _without_psql_commands(sql: str) -> str:
    """The text with the lines for psql alone emptied, so that the others keep their numbers."""
    if "restrict" not in sql:
        return sql
    starts = {0}
    for end in _ends(sql):
        starts.add(end)
    kept, at = [], 0
    for start in sorted(starts):
        while True:
            lead = _LEADING.match(sql, max(start, at))
            begin = lead.end() if lead else max(start, at)
            found = _FOR_PSQL.match(sql, begin)
            if found is None:
                break
            kept += [sql[at:begin], "\n" if found[0].endswith("\n") else ""]
            at = found.end()
    return "".join((*kept, sql[at:]))
