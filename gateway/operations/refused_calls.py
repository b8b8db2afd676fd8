"""What a project's files call that the embedded server cannot do, told before a migration or a request meets it.

Found by name in the text: of pgcrypto what encrypts, and of the extensions that the files ask for what their
placeholders refuse, types of PostGIS among it. A name that the files define themselves is theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from gateway.database.extension_files import SQL_ONLY
from gateway.database.placeholders import PLACEHOLDERS
from gateway.operations.extensions import asked_for

_SECRETS: Final = (
    "keep secrets by supabase_vault (vault.create_secret), or set DATABASE_URL to a Postgres with contrib's pgcrypto"
)
_REFUSES: Final = re.compile(r"^create function (\w+)\(.*_refuse\('", re.MULTILINE)
_TYPES: Final = {"postgis": ("geometry", "geography")}
_CALL: Final = re.compile(r'(?:"?(?P<schema>\w+)"?\s*\.\s*)?"?\b(?P<name>\w+)"?\s*\(')
_DEFINED: Final = re.compile(
    r'create\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(?:"?\w+"?\s*\.\s*)?"?(\w+)"?\s*\(', re.IGNORECASE
)
_COMMENTS: Final = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """A call that ends with 0A000 in the embedded server, or a type that is not there: where it first stands."""

    file: str
    line: int
    name: str
    advice: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.name}: {self.advice}"


def refused_calls(files: Iterable[tuple[str, str]]) -> Iterator[RefusedCall]:
    """The first of each name in files, given by name and text.

    >>> [str(call.line) + " " + call.name for call in refused_calls([("a.sql", "select 1;\\nselect armor('x')")])]
    ['2 armor']
    """
    texts = [(name, _COMMENTS.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)) for name, text in files]
    refused = _refused(frozenset(asked_for(text for _, text in texts)))
    defined = {found[1].lower() for _, text in texts for found in _DEFINED.finditer(text)}
    told: set[str] = set()
    for file, text in texts:
        for found in _CALL.finditer(text):
            name = found["name"].lower()
            if name in told or name in defined or name not in refused:
                continue
            schema, advice = refused[name]
            if (found["schema"] or "extensions").lower() not in ("extensions", "public", schema):
                continue
            told.add(name)
            yield RefusedCall(file, text.count("\n", 0, found.start("name")) + 1, name, advice)


@cache
def _refused(asked: frozenset[str]) -> dict[str, tuple[str, str]]:
    """Names that are refused, each with the schema that it may be in besides `extensions`, and what to do."""
    (script,) = (SQL_ONLY / "extension").glob("pgcrypto--*.sql")
    names = dict.fromkeys(_REFUSES.findall(script.read_text()), ("extensions", _SECRETS))
    for each in PLACEHOLDERS:
        if each.name not in asked:
            continue
        works = set(re.findall(r"create function @extschema@\.(\w+)", each.works))
        hint = each.hint.format(name=each.name).rstrip(".")
        for signature in (*each.functions, *_TYPES.get(each.name, ())):
            if (name := signature.partition("(")[0]) not in works:
                names[name] = (each.schema or "extensions", hint[0].lower() + hint[1:])
    return names
