"""What a refused statement needs, in words: an extension, a schema, a role, a right."""

from __future__ import annotations

import re
from typing import Final

from gateway.database import DatabaseError
from gateway.database.placeholders import PLACEHOLDERS

_QUOTED: Final = re.compile(r'"([^"]+)"')
# Functions and types by the extension that brings them.
_OF_EXTENSION: Final = {
    "pgcrypto": (
        "gen_random_bytes", "digest", "hmac", "crypt", "gen_salt", "pgp_sym_encrypt", "pgp_sym_decrypt", "armor",
    ),
    "uuid-ossp": ("uuid_generate_v1", "uuid_generate_v1mc", "uuid_generate_v3", "uuid_generate_v4", "uuid_generate_v5"),
    "pgjwt": ("sign", "verify"),
    "vector": ("vector", "halfvec", "sparsevec"),
    "citext": ("citext",),
    "hstore": ("hstore",),
    "ltree": ("ltree", "lquery"),
    "postgis": ("geometry", "geography", "st_point", "st_distance", "st_dwithin", "st_makepoint", "st_setsrid"),
    "pg_trgm": ("similarity", "word_similarity", "gin_trgm_ops", "gist_trgm_ops"),
    "unaccent": ("unaccent",),
    "moddatetime": ("moddatetime",),
    "http": ("http_get", "http_post", "http", "urlencode"),
    "fuzzystrmatch": ("levenshtein", "soundex", "metaphone", "dmetaphone"),
    "pg_partman": ("create_parent", "run_maintenance", "run_maintenance_proc"),
    "pgtap": ("plan", "has_table", "finish"),
}  # fmt: skip
_BRINGS: Final = {name: extension for extension, names in _OF_EXTENSION.items() for name in names}
# What the embedded server can only name.
_ABSENT: Final = frozenset(each.name for each in PLACEHOLDERS)
_SCHEMAS: Final = {
    "cron": "pg_cron", "net": "pg_net", "vault": "supabase_vault", "pgmq": "pgmq", "pgsodium": "pgsodium",
    "graphql": "pg_graphql", "http": "http", "pgtle": "pg_tle",
    "supabase_functions": "[experimental.webhooks] enabled = true in config.toml",
}  # fmt: skip
_ICU: Final = (
    "a Postgres with ICU, by DATABASE_URL; to compare without regard to case, the type extensions.citext serves"
)
# Tables that hosted projects have for reading alone.
_BY_FUNCTIONS: Final = {
    "permission denied for table job": "cron.unschedule(…) or cron.alter_job(…), as at hosted projects",
    "permission denied for table secrets": "vault.create_secret(…) or vault.update_secret(…), as at hosted projects",
}
_OF_THE_PLATFORM: Final = re.compile(
    r'permission denied to (?:set|grant) role "(supabase_\w+|dashboard_user|pgbouncer)"'
)
_OWNED_BY: Final = re.compile(r'Only roles with privileges of role "([^"]+)" may (?:drop|reassign) objects owned by it')
_TAKEN: Final = frozenset(("gateway", "jobs", "functions"))  # schemas of the platform that hosted projects do not have


def need_of(error: DatabaseError) -> str | None:
    """What would let a refused statement pass; None where its own words say it.

    >>> need_of(DatabaseError("42883", "function uuid_generate_v4() does not exist"))
    'extension uuid-ossp; write extensions.uuid_generate_v4(…) where the search path does not name that schema'
    """
    message = error.message
    if error.sqlstate in ("0A000", "58P01") and (found := re.search(r'extension "([^"]+)" is not available', message)):
        return f"extension {found[1]}, which this Postgres does not have"
    if error.sqlstate == "58P01" and (found := re.search(r"extension/([\w-]+)\.control", message)):
        return f"extension {found[1]}, which this Postgres does not have"
    if error.sqlstate == "42883" and (found := re.search(r'function (?:"?(\w+)"?\.)?"?(\w+)"?\(', message)):
        return _function(found[1], found[2])
    if error.sqlstate == "42704":
        return _undefined(message)
    if error.sqlstate == "3F000" and (found := _QUOTED.search(message)):
        brings = _SCHEMAS.get(found[1])
        return f"schema {found[1]}" + (f", which {brings} brings" if brings else "")
    if error.sqlstate == "42P01" and (found := re.search(r'relation "(\w+)\.\w+"', message)):
        brings = _SCHEMAS.get(found[1])
        return f"{brings}" if brings else None
    if error.sqlstate == "55P04":
        return "the new value of the enum in a migration before this one: Postgres commits a file as a whole"
    if error.sqlstate == "0A000" and message.startswith("COPY from standard input"):
        return (
            "rows as INSERT, or a select instead of a copy to stdout: migrations and seeds are not run by psql"
            " (`gateway db psql -f FILE` is)"
        )
    if error.sqlstate == "22023" and message.startswith('security label provider "pgsodium"'):
        return "encryption of columns by pgsodium, which hosted projects no longer have: keep secrets by supabase_vault"
    if error.sqlstate == "42P06" and (found := _QUOTED.search(message)) and found[1] in _TAKEN:
        return f"another name for the schema {found[1]}, which the platform has for itself"
    if error.sqlstate == "0A000" and message.startswith("ICU is not supported"):
        return _ICU
    if error.sqlstate == "42501" and message in _BY_FUNCTIONS:
        return _BY_FUNCTIONS[message]
    if error.sqlstate == "42501" and (found := _OF_THE_PLATFORM.search(message)):
        return (
            f"nothing of {found[1]}: run it as postgres, who may do to auth, storage and realtime what their owners may"
            " (hosted projects refuse this too)"
        )
    if error.sqlstate == "42501" and (found := _OWNED_BY.match(error.detail or "")):
        return f"`grant {found[1]} to postgres` before it: Postgres lets nobody else drop or take over what a role has"
    if error.sqlstate == "55000" and message.endswith("has no handler"):
        return "extension wrappers, which the embedded Postgres does not have; `create foreign table` declares tables"
    if error.sqlstate == "42601" and message.endswith('at or near "\\"'):
        return "SQL alone: commands of psql, which begin with a backslash, run by `gateway db psql -f FILE`"
    if error.sqlstate == "42501" and (found := re.search(r"must be owner of (?:\w+ )+(\S+)", message)):
        return f"ownership of {found[1]}, which belongs to the platform, as it does at hosted projects"
    return None


def _function(schema: str | None, name: str) -> str | None:
    extension = _SCHEMAS.get(schema or "") or _BRINGS.get(name)
    if extension is None:
        return None
    if extension in _ABSENT:
        return f"extension {extension}, which the embedded Postgres does not have: set DATABASE_URL to one that has it"
    written = f"; write extensions.{name}(…) where the search path does not name that schema" if not schema else ""
    return f"extension {extension}{written}"


def _undefined(message: str) -> str | None:
    found = _QUOTED.search(message)
    if found is None:
        return None
    name = found[1].rpartition(".")[2]
    if message.startswith("role "):
        return f"role {name}: create it in supabase/roles.sql, which runs before the migrations"
    if (extension := _BRINGS.get(name)) in _ABSENT:
        return f"extension {extension}, which the embedded Postgres does not have: set DATABASE_URL to one that has it"
    if extension is not None:
        return f"extension {extension}; write extensions.{name} where the search path does not name that schema"
    if message.startswith("collation ") and name.endswith("-x-icu"):
        return _ICU
    if message.startswith(("language ", "access method ")) and name in _ABSENT:
        return f"extension {name}, which the embedded Postgres does not have: set DATABASE_URL to one that has it"
    if message.startswith("publication "):
        return f"publication {name}"
    return None
