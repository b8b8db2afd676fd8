"""A refused statement of a project's file → whether it is about the platform's affairs alone, so that nothing is lost.

Histories that were pulled from a hosted project say what the platform there did with its own: rights to functions of
its extensions, some of which are gone, are written in SQL here or not there at all; owners, default privileges and
memberships of roles that nobody becomes; comments on its schemas and on extensions. Hosted's own tools leave such lines
out by now, older ones did not. They are tried first, and passed over where Postgres refuses them for one of these
reasons; what they say of the project's own objects counts as it does anywhere.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from gateway.database import DatabaseError, SyncConnection
from gateway.database.extension_files import SQL_ONLY
from gateway.database.placeholders import PLACEHOLDERS

_NAME: Final = r'(?:"(?:[^"]|"")+"|[A-Za-z_][\w$]*)'
_SCHEMAS: Final = (
    "auth", "cron", "extensions", "graphql", "graphql_public", "net", "pgbouncer", "pgmq", "pgsodium",
    "pgsodium_masks", "pgtle", "realtime", "repack", "storage", "supabase_functions", "tiger", "tiger_data", "topology",
    "vault",
)  # fmt: skip
_SCHEMA: Final = rf'"?(?:{"|".join(_SCHEMAS)})"?'
_ROLE: Final = (
    r'"?(?:supabase_\w+|pgsodium_\w+|pgtle_admin|pgbouncer|dashboard_user|authenticator|cli_login_\w+)"?(?=[\s,;]|$)'
)
# Rights: the kind of what they are to, and its schema.
_RIGHT: Final = re.compile(
    r"(?:grant|revoke)\s[^;']*?\son\s+(?:(?P<kind>table|sequence|function|procedure|routine|type|schema|"
    r"foreign\s+data\s+wrapper|foreign\s+server)\s+)?"
    rf"(?P<schema>{_NAME})\s*(?P<dot>\.)?",
    re.IGNORECASE,
)
# Membership of a role of the platform, which old projects had: `postgres` may do here what these roles may.
_MEMBERSHIP: Final = re.compile(
    r'grant\s+"?supabase_(?:auth|storage|realtime|functions)_admin"?\s+to\s+"?postgres"?(?:\s+with\s[^;]*)?$',
    re.IGNORECASE,
)
_TO_ITSELF: Final = re.compile(r'\sto\s+"?postgres"?\s+with\s+grant\s+option\s*$', re.IGNORECASE)
_OWNER: Final = re.compile(rf"alter\s[^;']*?\sowner\s+to\s+{_ROLE}\s*$", re.IGNORECASE)
_DEFAULTS: Final = re.compile(
    rf"alter\s+default\s+privileges\s+(?:in\s+schema\s+[^;]*?\s)?for\s+(?:role|user)\s+{_ROLE}", re.IGNORECASE
)
_COMMENT: Final = re.compile(
    rf"comment\s+on\s+(?:schema\s+{_SCHEMA}\s|(?P<extension>extension\s)|(?:table|view|column|function|type|sequence)\s+{_SCHEMA}\s*\.)",
    re.IGNORECASE,
)
_OF_THE_PLATFORM: Final = re.compile(
    rf"(?:alter|comment\s+on)\s+(?:[a-z]+\s+){{1,3}}?(?:if\s+exists\s+)?{_SCHEMA}\s*\.", re.IGNORECASE
)
# Whom one cannot become, whose default privileges one may not change, what one does not own and has words on.
_REFUSED: Final = re.compile(
    r"must be able to SET ROLE|must be member of role|permission denied to change default privileges|"
    r"permission denied to grant role|must be owner of "
    r"(?:extension|schema|table|view|function|type|sequence|relation|column)"
)
_ABSENT: Final = frozenset(("42883", "42P01", "3F000"))  # no such function, table, schema
_UNDEFINED: Final = "42704"  # no such type or role
_OWN_GRANTOR: Final = "0LP01"  # what one has given may not come back with the right to give it
_DENIED: Final = "42501"


def may_be(words: str) -> bool:
    """Whether a refusal of the statement could be forgiven: it is to be tried with a way back."""
    start = words[:7].lower()
    if start.startswith(("grant", "revoke")):
        return _RIGHT.match(words) is not None or _MEMBERSHIP.match(words) is not None
    if start.startswith("alter"):
        return _OWNER.match(words) is not None or _DEFAULTS.match(words) is not None
    return start.startswith("comment") and _COMMENT.match(words) is not None


def is_lost_on_nobody(connection: SyncConnection, words: str, error: DatabaseError) -> bool:
    """Whether a refused statement may be passed over; the transaction is whole again when this is asked."""
    if (right := _RIGHT.match(words)) is None:
        if error.sqlstate in _ABSENT:
            return _OF_THE_PLATFORM.match(words) is not None
        if error.sqlstate == _UNDEFINED:
            return (comment := _COMMENT.match(words)) is not None and comment["extension"] is not None
        return error.sqlstate == _DENIED and _REFUSED.match(error.message) is not None
    schema = right["schema"].strip('"').lower()
    is_whole_schema = (right["kind"] or "").lower() == "schema"
    is_of_the_platform = schema in _SCHEMAS and (is_whole_schema or right["dot"] is not None)
    if error.sqlstate == _OWN_GRANTOR:
        return is_of_the_platform and _TO_ITSELF.search(words) is not None
    if error.sqlstate == _UNDEFINED and error.message.startswith("role "):
        return re.match(rf"role {_ROLE} does not exist", error.message) is not None and is_of_the_platform
    if error.sqlstate not in _ABSENT and error.sqlstate != _UNDEFINED:
        return False
    return is_of_the_platform or (right["dot"] is not None and _has_a_stand_in(connection, schema))


def _has_a_stand_in(connection: SyncConnection, schema: str) -> bool:
    """Whether an extension is in a schema that has not all that it has elsewhere: a placeholder, or one in SQL."""
    found = connection.rows(
        "select extname from pg_extension join pg_namespace n on n.oid = extnamespace where nspname = $1", schema
    )
    return any(str(name) in _stand_ins() for (name,) in found)


@lru_cache(maxsize=1)
def _stand_ins() -> frozenset[str]:
    in_sql = (path.stem for path in (SQL_ONLY / "extension").glob("*.control"))
    return frozenset((*in_sql, *(each.name for each in PLACEHOLDERS)))
