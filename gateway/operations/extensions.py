"""What the extensions are that a database has, or that migrations ask for: the server's own, in SQL, or missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from gateway.database import SyncConnection, plain_extensions, trusted_extensions
from gateway.database.extension_files import SQL_ONLY
from gateway.database.placeholders import PLACEHOLDERS
from gateway.database.statement import array_literal

REAL: Final = "the server's own"
IN_SQL: Final = "written in SQL"
PLAIN: Final = "plain objects in SQL, as this server lets nobody add an extension"
BROUGHT: Final = "the project's own, by pg_tle"
MISSING: Final = "missing"

_ASKED: Final = re.compile(r'create\s+extension\s+(?:if\s+not\s+exists\s+)?"?([a-z][\w@-]*)"?', re.IGNORECASE)
_BRINGS: Final = re.compile(r"pgtle\s*\.\s*install_extension\s*\(\s*'([^']+)'", re.IGNORECASE)
_COMMENTS: Final = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_AVAILABLE: Final = """
  select wanted.name, coalesce(e.comment, ''), e.name is not null
  from unnest($1::text[]) as wanted (name) left join pg_available_extensions as e on e.name = wanted.name
  order by 1
"""


def asked_for(texts: Iterable[str]) -> set[str]:
    """Names of the extensions that SQL makes.

    >>> sorted(asked_for(['create extension "uuid-ossp"; -- create extension none', "CREATE EXTENSION vector"]))
    ['uuid-ossp', 'vector']
    """
    return {found[1].lower() for text in texts for found in _ASKED.finditer(_COMMENTS.sub(" ", text))}


def expected(texts: Iterable[str], *, is_embedded: bool) -> dict[str, str]:
    """What the extensions that SQL makes will be, as far as can be said without the server."""
    texts = list(texts)
    brought = {found[1] for text in texts for found in _BRINGS.finditer(_COMMENTS.sub(" ", text))}
    own = {path.stem for path in (SQL_ONLY / "extension").glob("*.control")}
    absent = {each.name for each in PLACEHOLDERS}
    found = {}
    for name in sorted(asked_for(texts)):
        if name in brought and name not in own:
            found[name] = BROUGHT
        elif is_embedded:
            found[name] = MISSING if name in absent else IN_SQL if name in own else REAL
        else:
            found[name] = f"{REAL}, else {PLAIN}" if name in plain_extensions.MARKERS else REAL
    return found


def kinds(connection: SyncConnection, folder: Path | None) -> Iterator[tuple[str, str, bool]]:
    """Name, kind and whether it is there, of what the database has and of what the migrations of a folder ask for."""
    made = connection.rows("select extname from pg_extension where extname <> 'plpgsql'")
    installed = {str(name) for (name,) in made}
    plain = {name for name in plain_extensions.MARKERS if plain_extensions.is_there(connection, name)} - installed
    brought = trusted_extensions.brought(connection)
    wanted = installed | plain | brought
    if folder is not None and folder.is_dir():
        wanted |= asked_for(path.read_text(errors="replace") for path in sorted(folder.glob("*.sql")))
    own = {path.stem: _comment(path) for path in (SQL_ONLY / "extension").glob("*.control")}
    absent = {each.name for each in PLACEHOLDERS}
    for name, comment, is_available in connection.rows(_AVAILABLE, array_literal(sorted(wanted))):
        kind = REAL
        if is_available != "t" and name in plain_extensions.MARKERS:
            kind = PLAIN
        elif is_available != "t" and name in brought:
            kind = BROUGHT
        elif is_available != "t" or (name in absent and str(comment).startswith("placeholder:")):
            kind = MISSING
        elif name in own and comment == own[str(name)]:
            kind = IN_SQL
        yield str(name), kind, str(name) in installed | plain | brought


def _comment(control: Path) -> str:
    found = re.search(r"^comment = '(.*)'$", control.read_text(), re.MULTILINE)
    return found[1].replace("''", "'") if found else ""
