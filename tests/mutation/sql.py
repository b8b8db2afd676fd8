"""The ways to break the functions of a migration: operators turned round, numbers moved, conditions denied."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

# Each is found between the dollar quotes of a function's body; what is read there as SQL stays SQL.
CHANGES: Final[tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]] = (
    (re.compile(r" >= "), " > "),
    (re.compile(r" <= "), " < "),
    (re.compile(r" > "), " >= "),
    (re.compile(r" < "), " <= "),
    (re.compile(r" = (?!\()"), " <> "),
    (re.compile(r" <> "), " = "),
    (re.compile(r"\band\b"), "or"),
    (re.compile(r"\bor\b(?! replace)"), "and"),
    (re.compile(r" \+ "), " - "),
    (re.compile(r" - "), " + "),
    (re.compile(r" \* "), " / "),
    (re.compile(r"\bnot exists\b"), "exists"),
    (re.compile(r"(?<!not )\bexists\b"), "not exists"),
    (re.compile(r"\bis null\b"), "is not null"),
    (re.compile(r"\bis not null\b"), "is null"),
    (re.compile(r"\bif found\b"), "if not found"),
    (re.compile(r"\bif not found\b"), "if found"),
    (re.compile(r"(?<![\w.'$])\d+(?![\w.'])"), lambda match: str(int(match[0]) + 1)),
    (re.compile(r"\bleast\b"), "greatest"),
    (re.compile(r"\bgreatest\b"), "least"),
    (re.compile(r"\bmin\("), "max("),
    (re.compile(r"'(\w+)', true\b"), r"'\1', false"),
)
_BODY: Final = re.compile(r"as \$\$\n(.*?)\$\$", re.DOTALL)
_NAMED: Final = re.compile(r"^create (?:or replace )?function ([\w.]+)", re.MULTILINE)
_ENDED: Final = re.compile(r"^(?:create (?:or replace )?|drop )function ([\w.]+)", re.MULTILINE)
# What is read by people: comments, and texts of several words.
_WORDS: Final = re.compile(r"--[^\n]*|'[^'\n]* [^'\n]*'")


def mutants(source: str, later: Iterable[str] = ()) -> Iterator[str]:
    """Texts of a migration, each broken in one place of a function's body.

    `later` migrations replace or drop functions: those are in force no longer, and are not broken.
    """
    over = {name for text in later for name in _ENDED.findall(text)}
    for body in _BODY.finditer(source):
        *_, name = _NAMED.findall(source, 0, body.start()) or [""]
        if name not in over:
            for broken in changes(body[1]):
                yield source[: body.start(1)] + broken + source[body.end(1) :]


def changes(text: str) -> Iterator[str]:
    """A text of SQL, each time broken in one place."""
    # Blanked for the search alone, so that places stay the same.
    searched = _WORDS.sub(lambda match: " " * len(match[0]), text)
    for pattern, change in CHANGES:
        for found in pattern.finditer(searched):
            new = change(found) if callable(change) else found.expand(change)
            yield text[: found.start()] + new + text[found.end() :]
