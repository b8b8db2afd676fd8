"""Which statements of a dump are the project's, and which the platform's own, here and at the other end.

Both ends have the platform: its roles, its schemas `auth`, `storage`, `realtime` and so on are there before anything is
loaded. Of these schemas a project owns their rows (users, buckets, objects), triggers on their tables and policies.
A rule looks at the head of a statement alone; what no rule knows is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final

# Schemas that a platform makes: of ours, of the original's, and of what runs beside it.
PLATFORM: Final = frozenset(
    (
        "auth", "storage", "realtime", "_realtime", "_analytics", "_supavisor", "extensions", "graphql",
        "graphql_public", "vault", "pgsodium", "pgsodium_masks", "pgtle", "net", "cron", "pgmq", "pgbouncer",
        "supabase_functions", "storage_private", "realtime_private", "etl", "dbdev", "repack", "tiger", "tiger_data",
        "topology", "gateway", "jobs", "information_schema", "pg_catalog",
    )
)  # fmt: skip
# Tables of these schemas whose rows are a project's.
ROWS: Final = frozenset(
    (
        "storage.buckets", "storage.objects", "storage.buckets_analytics", "storage.buckets_vectors",
    )
)  # fmt: skip
NOT_ROWS: Final = frozenset(("auth.schema_migrations",))
RESERVED: Final = frozenset(
    (
        "anon", "authenticated", "authenticator", "service_role", "postgres", "dashboard_user", "pgbouncer",
        "pgsodium_keyholder", "pgsodium_keyiduser", "pgsodium_keymaker", "pgtle_admin", "public", "gateway_console",
    )
)  # fmt: skip
# What may be set of a role that the platform made.
SETTINGS: Final = re.compile(
    r'SET\s+"?(?:statement_timeout|lock_timeout|idle_in_transaction_session_timeout|search_path|pgrst\.)', re.IGNORECASE
)
# Functions of schema `auth` that a platform makes.
HELPERS: Final = frozenset(("uid", "role", "email", "jwt", "refuse_audit_change"))
EVENT_TRIGGERS: Final = re.compile(r"^(?:issue_|pgrst_|graphql_watch_|pgsodium_|pg_tle_|pgaudit_|gateway_)")
# Extensions that stand beside a project rather than in it: one that is missing breaks none of its objects.
ASIDE: Final = frozenset(
    (
        "pg_graphql", "pgsodium", "pg_tle", "pgaudit", "pg_repack", "hypopg", "index_advisor", "pg_stat_statements",
        "pg_stat_monitor", "supautils", "supabase_vault", "pg_net", "pg_cron", "pgjwt", "plpgsql", "wrappers",
        "plpgsql_check", "pg_buffercache", "pgstattuple", "auto_explain",
    )
)  # fmt: skip
# Extensions that make their schema themselves, and must not be put into one that is not there yet.
OWN_SCHEMA: Final = frozenset(("pgmq", "pg_tle", "pgsodium"))

_OWN_SETTINGS: Final = frozenset(
    (
        "session_replication_role", "default_transaction_read_only", "role", "session", "default_tablespace",
        "transaction_timeout", "client_min_messages", "statement_timeout", "lock_timeout",
        "idle_in_transaction_session_timeout",
    )
)  # fmt: skip
_NAME: Final = r'(?:"((?:[^"]|"")+)"|([\w$]+))'
_QUALIFIED: Final = rf"{_NAME}(?:\.{_NAME})?"
_NEW: Final = r"(?:IF\s+NOT\s+EXISTS\s+)?"
_ANY: Final = r'(?:"(?:[^"]|"")+"|[\w$]+)'


@dataclass(frozen=True, slots=True)
class Judgement:
    """What becomes of a statement: its text as it is run, or None; `note` says what a reader has to know of it."""

    text: str | None
    note: str = ""


@dataclass(slots=True)
class Destination:
    """What the place has where a dump is loaded."""

    roles: Collection[str]
    extensions: Collection[str]  # those that can be made there
    schemas: Collection[str]
    policies: Collection[tuple[str, str]]  # table with its schema, name
    functions: Collection[str] = ()  # of schema auth
    publications: Collection[str] = ("supabase_realtime",)
    indexes: Collection[str] = ()  # of the platform's tables
    # What Postgres keeps for superusers as calls of functions, where the place has them; None where it has not.
    as_calls: Callable[[str], str] | None = None
    made: set[str] = field(default_factory=set)  # roles that the dump makes
    left: set[tuple[str, ...]] = field(default_factory=set)  # foreign tables that are left out

    def has_role(self, name: str) -> bool:
        return name in self.roles or name in self.made or name.lower() == "public"


SKIP: Final = Judgement(None)
Rule = Callable[[re.Match[str], str, Destination], Judgement]


def judge(text: str, target: Destination) -> Judgement:
    """What becomes of a statement, by its text or, where it has rows, by its first line."""
    for pattern, rule in _RULES:
        found = pattern.match(text)
        if found is not None:
            return rule(found, text, target)
    return Judgement(text)


def table_of(head: str) -> str:
    """The table of a statement with rows, as `schema.name`; empty if it names none."""
    found = _OF_ROWS.match(head)
    return ".".join(_names(found)) if found else ""


def wants_rows(table: str) -> bool:
    """Whether rows of a table are the project's."""
    schema, _, _ = table.partition(".")
    if schema == "auth":
        return table not in NOT_ROWS
    return table in ROWS or schema not in PLATFORM


def _names(found: re.Match[str], first: int = 1) -> tuple[str, ...]:
    """Parts of a name that may be qualified, from a group on."""
    groups = found.groups()[first - 1 : first + 3]
    pairs = zip(groups[::2], groups[1::2], strict=True)
    return tuple(
        quoted.replace('""', '"') if quoted is not None else plain.lower()
        for quoted, plain in pairs
        if quoted is not None or plain is not None
    )


def _is_platform(names: tuple[str, ...]) -> bool:
    return len(names) > 1 and names[0] in PLATFORM


def _reserved(role: str) -> bool:
    return role in RESERVED or role.startswith(("supabase_", "pg_", "cli_login_"))


def _rows(found: re.Match[str], text: str, _target: Destination) -> Judgement:
    return Judgement(text) if wants_rows(".".join(_names(found))) else SKIP


def _setting(found: re.Match[str], text: str, _target: Destination) -> Judgement:
    """The session keeps its own role and mode, and servers before 17 know no transaction_timeout."""
    return SKIP if (found[1] or found[2] or "").lower() in _OWN_SETTINGS else Judgement(text)


def _schema(found: re.Match[str], _text: str, target: Destination) -> Judgement:
    (name,) = _names(found)
    if name in PLATFORM or name == "public" or name in target.schemas:
        return SKIP
    return Judgement(f'CREATE SCHEMA IF NOT EXISTS "{name}";')


def _named_schema(found: re.Match[str], text: str, _target: Destination) -> Judgement:
    (name,) = _names(found)
    return SKIP if name in PLATFORM else Judgement(text)


def _extension(found: re.Match[str], text: str, target: Destination) -> Judgement:
    (name,) = _names(found)
    if name in OWN_SCHEMA:  # which they make
        text = re.sub(r"\s+(?:WITH\s+)?SCHEMA\s+(?:\"[^\"]+\"|\w+)", "", text, count=1, flags=re.IGNORECASE)
    if name in target.extensions:
        return Judgement(re.sub(r"EXTENSION (?!IF)", "EXTENSION IF NOT EXISTS ", text, count=1))
    if name in ASIDE:
        return Judgement(None, f"extension {name} is not to be had here and is left out")
    return Judgement(text, f"extension {name} is not to be had here: `gateway doctor` says what there is")


def _made_in(found: re.Match[str], text: str, target: Destination) -> Judgement:
    """Makes or changes an object with a name of its own."""
    names = _names(found)
    if names in target.left:
        return SKIP
    if not _is_platform(names):
        owner = _OWNER.search(text)
        role = _names(owner)[0] if owner is not None else ""
        # Who loads it owns it where the former owner is nobody here, or the platform's.
        return SKIP if role and (role.startswith("supabase_") or not target.has_role(role)) else Judgement(text)
    is_own = text[:40].upper().lstrip().startswith(("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"))
    if is_own and names[0] == "auth" and names[1] not in HELPERS and names[1] not in target.functions:
        return Judgement(text)
    return SKIP


def _of_a_superuser(text: str, target: Destination) -> Judgement | None:
    """A statement that Postgres keeps for superusers as a call of the platform's; None where it is none of them."""
    words = text.strip().rstrip(";").rstrip()
    call = words if target.as_calls is None else target.as_calls(words)
    return Judgement(f"{call};") if call != words else None


def _wrapper(found: re.Match[str], text: str, target: Destination) -> Judgement:
    (name,) = _names(found)
    note = f"foreign data wrapper {name} is left out: superusers make them"
    return _of_a_superuser(text, target) or Judgement(None, note)


def _server(found: re.Match[str], text: str, target: Destination) -> Judgement:
    (name,) = _names(found)
    return (
        Judgement(text) if target.as_calls else Judgement(None, f"server {name} is left out: superusers make wrappers")
    )


def _foreign_table(found: re.Match[str], text: str, target: Destination) -> Judgement:
    if target.as_calls:
        return _made_in(found, text, target)
    target.left.add(_names(found))
    return Judgement(None, f"foreign table {'.'.join(_names(found))} is left out: its server is")


def _index(found: re.Match[str], text: str, target: Destination) -> Judgement:
    """An index of its own name: those that the platform's tables have are not made again."""
    return SKIP if _names(found)[0] in target.indexes else _on_table(found, text, target)


def _on_table(found: re.Match[str], text: str, _target: Destination) -> Judgement:
    """An index, a rule or a statistic of a table."""
    names = _names(found, 3)
    if _is_platform(names):
        return Judgement(
            None, f"{found[0].split()[1].lower()} on {'.'.join(names)} is left out: that table is not yours"
        )
    return Judgement(text)


def _trigger(found: re.Match[str], text: str, _target: Destination) -> Judgement:
    table = _names(found)
    if not _is_platform(table):
        return Judgement(text)
    function = _EXECUTES.search(text)
    is_own = function is not None and not _is_platform(_names(function))
    return Judgement(text) if is_own and table[0] in ("auth", "storage", "realtime") else SKIP


def _policy(found: re.Match[str], text: str, target: Destination) -> Judgement:
    name, table = _names(found)[0], _names(found, 3)
    if _is_platform(table):
        if table[0] not in ("auth", "storage", "realtime"):
            return SKIP
        if (".".join(table), name) in target.policies:
            return Judgement(None, f"policy {name!r} on {'.'.join(table)} is there already")
    return Judgement(text)


def _publication(found: re.Match[str], text: str, target: Destination) -> Judgement:
    (name,) = _names(found)
    if name in target.publications or name == "supabase_realtime_messages_publication" or _OWNER.search(text):
        return SKIP  # (whoever loads it owns it)
    return _of_a_superuser(text, target) or Judgement(text)


def _publish(found: re.Match[str], text: str, target: Destination) -> Judgement:
    if (call := _of_a_superuser(text, target)) is not None:
        return call
    return SKIP if _is_platform(_names(found, 3)) else Judgement(text)


def _event_trigger(found: re.Match[str], text: str, target: Destination) -> Judgement:
    """Its function would run as whoever changes the schema, the platform's migrations among them."""
    (name,) = _names(found)
    function = _EXECUTES.search(text)
    if EVENT_TRIGGERS.match(name) or _OWNER.search(text) or (function is not None and _is_platform(_names(function))):
        return SKIP
    return _of_a_superuser(text, target) or Judgement(None, f"event trigger {name} is left out: superusers make them")


def _make_role(found: re.Match[str], text: str, target: Destination) -> Judgement:
    (name,) = _names(found)
    if _reserved(name) or name in target.roles:
        return SKIP
    target.made.add(name)
    return Judgement(text)


def _alter_role(found: re.Match[str], text: str, target: Destination) -> Judgement:
    (name,) = _names(found)
    if _reserved(name):
        return Judgement(text) if SETTINGS.match(text, found.end()) and target.has_role(name) else SKIP
    if not target.has_role(name):
        return SKIP
    return Judgement(re.sub(r"\b(?:NOSUPERUSER|SUPERUSER|NOREPLICATION|PASSWORD '[^']*')", "", text))


def _default_privileges(found: re.Match[str], text: str, target: Destination) -> Judgement:
    role, schema = (found["role"] or "").strip('"'), (found["schema"] or "").strip('"')
    if role.startswith("supabase_") or schema in PLATFORM or (role and not target.has_role(role)):
        return SKIP
    return _grant(found, text, target)


def _grant(_found: re.Match[str], text: str, target: Destination) -> Judgement:
    """A right, or a membership: for roles that are there, on what is the project's, by whoever loads it."""
    on = _ON.search(text)
    if on is not None:
        kind, names = (on["kind"] or "").upper(), _names(on, 2)
        if (kind == "SCHEMA" and names[0] in PLATFORM) or (kind != "SCHEMA" and _is_platform(names)):
            return SKIP
        if names in target.left:
            return SKIP
        if kind in ("PARAMETER", "DATABASE", "TABLESPACE", "LANGUAGE", "FOREIGN"):
            return SKIP
    given = _TO.search(text)
    if given is not None:
        (role,) = _names(given)
        member = _MEMBERSHIP.match(text) if on is None else None
        if member is not None and (_reserved(role) and _reserved(_names(member)[0])):
            return SKIP
        if not target.has_role(role) or (member is not None and not target.has_role(_names(member)[0])):
            return SKIP
    return Judgement(re.sub(r"\s+GRANTED BY\s+\S+(?=\s*;)", "", text))


def _never(_found: re.Match[str], _text: str, _target: Destination) -> Judgement:
    return SKIP


def _cannot(found: re.Match[str], _text: str, _target: Destination) -> Judgement:
    return Judgement(None, f"{' '.join(found[0].split()).lower()} is left out: it has the password of another server")


def _calls(found: re.Match[str], text: str, _target: Destination) -> Judgement:
    """`select pg_catalog.setval(…)`: of a sequence that belongs to a table whose rows move."""
    named = re.match(rf"\s*{_QUALIFIED}", found[1].replace("''", "'"))
    names = _names(named) if named else ()
    return Judgement(text) if not _is_platform(names) or names[0] == "auth" else SKIP


_OF_ROWS: Final = re.compile(rf"\s*(?:INSERT\s+INTO|COPY)\s+{_QUALIFIED}", re.IGNORECASE)
_OWNER: Final = re.compile(rf"\sOWNER\s+TO\s+{_NAME}\s*;\s*$", re.IGNORECASE)
_EXECUTES: Final = re.compile(rf"EXECUTE\s+(?:FUNCTION|PROCEDURE)\s+{_QUALIFIED}", re.IGNORECASE)
_TO: Final = re.compile(
    rf"\b(?:TO|FROM)\s+{_NAME}\s*(?:WITH\b[^;]*|GRANTED\b[^;]*|CASCADE\s*|RESTRICT\s*)?;\s*$", re.IGNORECASE
)
_MEMBERSHIP: Final = re.compile(
    rf"\s*(?:GRANT|REVOKE(?:\s+\w+\s+OPTION\s+FOR)?)\s+{_NAME}\s+(?:TO|FROM)\b", re.IGNORECASE
)
_ON: Final = re.compile(
    rf"\sON\s+(?:ALL\s+\w+\s+IN\s+)?(?:(?P<kind>TABLE|SEQUENCE|FUNCTION|PROCEDURE|ROUTINE|SCHEMA|TYPE|DOMAIN|PARAMETER"
    rf"|DATABASE|TABLESPACE|LANGUAGE|FOREIGN|LARGE)\s+)?{_QUALIFIED}",
    re.IGNORECASE,
)
_KINDS: Final = (
    r"(?:UNLOGGED\s+)?(?:FOREIGN\s+)?TABLE|(?:MATERIALIZED\s+|RECURSIVE\s+)*VIEW|SEQUENCE|FUNCTION|PROCEDURE|AGGREGATE|TYPE"
    r"|DOMAIN|OPERATOR\s+(?:CLASS|FAMILY)|COLLATION|TEXT\s+SEARCH\s+\w+|INDEX|STATISTICS"
)


def _rule(pattern: str, rule: Rule) -> tuple[re.Pattern[str], Rule]:
    return re.compile(r"(?:\s|--[^\n]*\n)*" + pattern, re.IGNORECASE), rule


_RULES: Final = (
    (_OF_ROWS, _rows),
    _rule(rf"SET\s+(?:LOCAL\s+|SESSION\s+(?=\w+\s*=))?{_NAME}", _setting),
    _rule(r"RESET\s", _never),
    _rule(r"SELECT\s+(?:pg_catalog\.)?set_config\('search_path'", lambda _f, text, _t: Judgement(text)),
    _rule(r"SELECT\s+(?:pg_catalog\.)?setval\('((?:[^']|'')*)'", _calls),
    _rule(r"(?:BEGIN|START\s+TRANSACTION|COMMIT|END)\s*;", _never),
    _rule(r"(?:CREATE|ALTER|DROP|COMMENT\s+ON)\s+DATABASE\s", _never),
    _rule(rf"CREATE\s+SCHEMA\s+(?:IF\s+NOT\s+EXISTS\s+)?{_NAME}", _schema),
    _rule(rf"(?:ALTER|COMMENT\s+ON|DROP)\s+SCHEMA\s+{_NAME}", _named_schema),
    _rule(r"(?:COMMENT\s+ON|ALTER|DROP)\s+EXTENSION\s", _never),
    _rule(rf"CREATE\s+EXTENSION\s+(?:IF\s+NOT\s+EXISTS\s+)?{_NAME}", _extension),
    _rule(rf"CREATE\s+(?:OR\s+REPLACE\s+)?(?:CONSTRAINT\s+)?TRIGGER\s+{_ANY}\s[^;]*?\sON\s+{_QUALIFIED}", _trigger),
    _rule(rf"(?:CREATE|ALTER)\s+POLICY\s+{_NAME}\s+ON\s+{_QUALIFIED}", _policy),
    _rule(rf"COMMENT\s+ON\s+(?:POLICY|TRIGGER|CONSTRAINT|RULE)\s+{_NAME}\s+ON\s+{_QUALIFIED}", _on_table),
    _rule(rf"CREATE\s+(?:UNIQUE\s+)?INDEX\s+{_NEW}{_NAME}\s+ON\s+(?:ONLY\s+)?{_QUALIFIED}", _index),
    _rule(rf"CREATE\s+(?:OR\s+REPLACE\s+)?RULE\s+{_NAME}\s+AS\s+ON\s+\w+\s+TO\s+{_QUALIFIED}", _on_table),
    _rule(rf"(?:CREATE|COMMENT\s+ON)\s+EVENT\s+TRIGGER\s+{_NAME}", _event_trigger),
    _rule(rf"ALTER\s+EVENT\s+TRIGGER\s+{_NAME}", _event_trigger),
    _rule(rf"CREATE\s+PUBLICATION\s+{_NAME}", _publication),
    _rule(rf"ALTER\s+PUBLICATION\s+{_NAME}\s+(?:ADD|SET|DROP)\s+(?:TABLE\s+)?(?:ONLY\s+)?{_QUALIFIED}", _publish),
    _rule(rf"(?:COMMENT\s+ON|ALTER)\s+PUBLICATION\s+{_NAME}", _publication),
    _rule(rf"CREATE\s+FOREIGN\s+DATA\s+WRAPPER\s+{_NAME}", _wrapper),
    _rule(rf"CREATE\s+SERVER\s+{_NEW}{_NAME}", _server),
    _rule(rf"CREATE\s+FOREIGN\s+TABLE\s+{_NEW}{_QUALIFIED}", _foreign_table),
    _rule(r"CREATE\s+(?:SUBSCRIPTION|USER\s+MAPPING\s+FOR)\s+\S+", _cannot),
    _rule(r"(?:ALTER|COMMENT\s+ON)\s+(?:SUBSCRIPTION|SERVER|FOREIGN\s+DATA\s+WRAPPER)\s", _never),
    _rule(r"SECURITY\s+LABEL\s", _never),
    _rule(rf"CREATE\s+ROLE\s+{_NAME}", _make_role),
    _rule(rf"(?:ALTER\s+ROLE|COMMENT\s+ON\s+ROLE)\s+{_NAME}\s+", _alter_role),
    _rule(
        r"ALTER\s+DEFAULT\s+PRIVILEGES\s+(?:FOR\s+ROLE\s+(?P<role>\"[^\"]+\"|\w+)\s+)?(?:IN\s+SCHEMA\s+(?P<schema>\"[^\"]+\"|\w+)\s+)?",
        _default_privileges,
    ),
    _rule(r"(?:GRANT|REVOKE)\s", _grant),
    _rule(
        rf"(?:CREATE|ALTER|COMMENT\s+ON|DROP)\s+(?:OR\s+REPLACE\s+)?(?:{_KINDS})\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(?:ONLY\s+)?{_QUALIFIED}",
        _made_in,
    ),
    _rule(rf"COMMENT\s+ON\s+COLUMN\s+{_QUALIFIED}", _made_in),
)  # fmt: skip
