"""`create extension` of what a project brought itself by `pgtle.install_extension` → the calls that make it.

Such an extension is rows of the schema `pgtle` (`extensions/extension/pg_tle--*.sql`); no server finds it in a folder.
In: a statement of a project's file. Out: what runs in its place, alone or in the body of a `do`. A server with the
real pg_tle, which has other tables, makes them itself.
"""

from __future__ import annotations

import re
from typing import Final

from gateway.database.statement import quote_literal
from gateway.database.sync_client import SyncConnection

_NAME: Final = r'"(?:[^"]|"")+"|[A-Za-z_][\w$]*'
_VERSION: Final = r"'[^']*'|\"[^\"]*\"|[\w.]+"
_CREATE: Final = re.compile(
    rf"create\s+extension\s+(?P<if>if\s+not\s+exists\s+)?(?P<name>{_NAME})"
    rf"(?P<options>(?:\s+(?:with|cascade|schema\s+(?:{_NAME})|version\s+(?:{_VERSION})))*)(?=\s*(?:;|$))",
    re.IGNORECASE,
)
_DROP: Final = re.compile(
    rf"drop\s+extension\s+(?P<if>if\s+exists\s+)?(?P<name>{_NAME})(?:\s+(?P<cascade>cascade)|\s+restrict)?(?=\s*(?:;|$))",
    re.IGNORECASE,
)
_UPDATE: Final = re.compile(
    rf"alter\s+extension\s+(?P<name>{_NAME})\s+update(?:\s+to\s+(?P<version>{_VERSION}))?(?=\s*(?:;|$))", re.IGNORECASE
)
_COMMENT: Final = re.compile(
    rf"comment\s+on\s+extension\s+(?P<name>{_NAME})\s+is\s+(?:null|'(?:[^']|'')*')(?=\s*(?:;|$))", re.IGNORECASE
)
_SCHEMA: Final = re.compile(rf"\bschema\s+({_NAME})", re.IGNORECASE)
_OF_VERSION: Final = re.compile(rf"\bversion\s+({_VERSION})", re.IGNORECASE)
_CASCADE: Final = re.compile(r"\bcascade\b", re.IGNORECASE)
_BODY: Final = re.compile(r"do\s+(?:language\s+\w+\s+)?\$", re.IGNORECASE)
_IN_BODY: Final = re.compile(
    r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|"
    + "|".join(
        rf"\b(?P<{kind}>" + re.sub(r"\(\?P<\w+>", "(?:", pattern.pattern) + ")"
        for kind, pattern in (("create", _CREATE), ("drop", _DROP), ("update", _UPDATE), ("comment", _COMMENT))
    ),
    re.IGNORECASE | re.DOTALL,
)


def brought(connection: SyncConnection) -> frozenset[str]:
    """Names of the extensions that a project brought itself."""
    if not _is_ours(connection):
        return frozenset()
    found = connection.rows("select name from pgtle._extension union select name from pgtle._made")
    return frozenset(str(name) for (name,) in found)


def called(connection: SyncConnection, words: str) -> str:
    """What runs in a statement's place; the same words where it is about no extension of the project's own."""
    if _BODY.match(words):
        return _in_a_body(connection, words)
    call = _call(words)
    if call is None or call[0] not in brought(connection):
        return words
    return f"select {call[1]}"


def _in_a_body(connection: SyncConnection, words: str) -> str:
    """A body, which may bring an extension and make it: what it is by then is asked where it stands."""
    if not any(found.lastgroup for found in _IN_BODY.finditer(words)) or not _is_ours(connection):
        return words

    def asked(found: re.Match[str]) -> str:
        if found.lastgroup is None or (call := _call(found[0])) is None:
            return found[0]
        name = quote_literal(call[0])
        known = f"pgtle._knows({name}) or exists (select from pgtle._made where name = {name})"
        return f"if {known} then perform {call[1]}; else {found[0]}; end if"

    return _IN_BODY.sub(asked, words)


def _is_ours(connection: SyncConnection) -> bool:
    """Whether pg_tle is there as the platform has it."""
    return connection.rows("select to_regclass('pgtle._made') is not null") == [("t",)]


def _call(text: str) -> tuple[str, str] | None:
    """Name of the extension that a statement is about, and the call that stands for it."""
    for pattern in (_CREATE, _DROP, _UPDATE, _COMMENT):
        if (found := pattern.match(text)) and not text[found.end() :].strip(" \t\n;"):
            break
    else:
        return None
    name = _bare(found["name"])
    of = quote_literal(name)
    if pattern is _COMMENT:
        return name, "null::text"
    if pattern is _UPDATE:
        return name, f"pgtle._update({of}, {_value(found['version'])})"
    is_optional = "true" if found["if"] else "false"
    if pattern is _DROP:
        return name, f"pgtle._drop({of}, {is_optional}, {'true' if found['cascade'] else 'false'})"
    schema, version = _SCHEMA.search(found["options"]), _OF_VERSION.search(found["options"])
    place = quote_literal(_bare(schema[1])) if schema else "null"
    cascade = "true" if _CASCADE.search(found["options"]) else "false"
    return name, f"pgtle._make({of}, {place}, {_value(version[1] if version else None)}, {is_optional}, {cascade})"


def _bare(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name.lower()


def _value(version: str | None) -> str:
    return "null" if version is None else quote_literal(version.strip("'\""))
