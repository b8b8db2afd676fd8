"""Statements that name what is called otherwise here: the database `postgres`, a version of an extension, and triggers
and tables that the platform had in other years.

At hosted projects the database is always `postgres`, and an extension has the version of the day that a file was
written. A file that names them means the database that it runs in and the extension that there is. A history that was
pulled has the platform's own triggers of its day, and grants on tables that are gone: these are the platform's affair.
"""

from __future__ import annotations

import re
from typing import Final

from gateway.database import SyncConnection

_NAME: Final = r'(?:"[^"]+"|[A-Za-z_][\w$]*)'
_OF_DATABASE: Final = re.compile(
    r"(?P<before>(?:alter|comment\s+on)\s+database\s+"
    rf"|alter\s+(?:role|user)\s+{_NAME}\s+in\s+database\s+"
    r"|(?:grant|revoke)\s[^;()']*?\son\s+database\s+)"
    r'(?:"postgres"|postgres)(?=[\s;]|$)',
    re.IGNORECASE,
)
_PINNED: Final = re.compile(
    rf"(?P<before>create\s+extension\s+(?:if\s+not\s+exists\s+)?(?P<name>{_NAME})"
    rf"(?:\s+(?:with|schema\s+{_NAME}))*?)\s+version\s+(?P<version>'[^']*'|\"[^\"]*\"|\w+)",
    re.IGNORECASE,
)
# Extensions that make their schema themselves; Postgres refuses to put them into another.
_FIXED: Final = re.compile(
    r"(?P<before>create\s+extension\s+(?:if\s+not\s+exists\s+)?\"?(?:pgmq|pg_tle|pgsodium|postgis_tiger_geocoder"
    r"|postgis_topology)\"?(?:\s+with)?)"
    rf'\s+schema\s+(?!"?pgsodium){_NAME}',
    re.IGNORECASE,
)
_UPDATE: Final = re.compile(
    rf"alter\s+extension\s+(?P<name>{_NAME})\s+update(?:\s+to\s+(?P<version>'[^']*'|\"[^\"]*\"|\w+))?(?=\s*(?:;|$))",
    re.IGNORECASE,
)
_BODY: Final = re.compile(r"do\s+(?:language\s+\w+\s+)?\$", re.IGNORECASE)


_PLATFORM: Final = r'"?(?:storage|auth|realtime)"?\s*\.\s*'
_TRIGGER: Final = re.compile(
    rf"create\s+(?:or\s+replace\s+)?(?:constraint\s+)?trigger\s+(?P<name>{_NAME})\s[^;]*?\son\s+(?P<table>{_PLATFORM}{_NAME})"
    rf"[^;]*?\sexecute\s+(?:function|procedure)\s+(?P<function>{_PLATFORM}{_NAME})\s*\([^;]*\)\s*",
    re.IGNORECASE,
)
_RIGHT: Final = re.compile(
    rf"(?:grant|revoke)\s[^;()]*?\son\s+(?:table\s+)?(?P<table>{_PLATFORM}{_NAME})\s+(?:to|from)\s[^;,]*", re.IGNORECASE
)


def is_the_platforms(connection: SyncConnection, words: str) -> bool:
    """Whether a statement makes a trigger of the platform's own, or gives rights to a table that it has no longer."""
    if (right := _RIGHT.fullmatch(words)) is not None:
        return connection.rows("select to_regclass($1) is null", right["table"]) == [("t",)]
    if (trigger := _TRIGGER.fullmatch(words)) is None:
        return False
    name = trigger["name"].strip('"') if trigger["name"].startswith('"') else trigger["name"].lower()
    return connection.rows(
        "select to_regclass($1) is null or to_regproc($2) is null"
        " or exists (select from pg_trigger where tgrelid = to_regclass($1) and tgname = $3)",
        trigger["table"], trigger["function"], name,
    ) == [("t",)]  # fmt: skip


def of_this_database(connection: SyncConnection, words: str) -> str:
    """A statement about the database `postgres` as one about the database that it runs in."""
    if "database" not in words.lower() or not (_OF_DATABASE.match(words) or _BODY.match(words)):
        return words
    ((name,),) = connection.rows("select quote_ident(current_database())")
    if name == "postgres":
        return words
    if _BODY.match(words):
        return _OF_DATABASE.sub(lambda found: f"{found['before']}{name}", words)
    return _OF_DATABASE.sub(lambda found: f"{found['before']}{name}", words, count=1)


def unpinned(connection: SyncConnection, words: str) -> str:
    """A statement that makes or updates an extension, without a version which this server does not have, and without a
    schema where it has one of its own."""
    is_body = _BODY.match(words) is not None
    if is_body or _FIXED.match(words):
        words = _FIXED.sub(r"\g<before>", words)

    def any_version(found: re.Match[str]) -> str:
        return found[0] if _has(connection, found["name"], found["version"]) else found["before"]

    def nothing(found: re.Match[str]) -> str:
        if found["version"] is None or _has(connection, found["name"], found["version"]):
            return found[0]
        return "null" if is_body else "select 1"

    if is_body:
        return _UPDATE.sub(nothing, _PINNED.sub(any_version, words))
    if (pinned := _PINNED.match(words)) is not None:
        return any_version(pinned) + words[pinned.end() :]
    if (update := _UPDATE.match(words)) is not None:
        return nothing(update) + words[update.end() :]
    return words


def _has(connection: SyncConnection, name: str, version: str) -> bool:
    """Whether a server has an extension in that version, or has it not at all, of which it speaks itself."""
    name = name.strip('"') if name.startswith('"') else name.lower()
    known = connection.rows("select version from pg_available_extension_versions where name = $1", name)
    return not known or (version.strip("'\""),) in known
