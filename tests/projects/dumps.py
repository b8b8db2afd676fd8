"""Dumps in the shapes that projects come with: of the official CLI, of pg_dump 15, 17 and 18."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Final

from gateway.database import command_line
from gateway.database.embedded import client_program

# What the official CLI leaves out of a schema dump; of these the rows of the second line are in its data dump.
_NOT_OURS: Final = (
    "information_schema|extensions|graphql|graphql_public|pgbouncer|pgsodium|pgsodium_masks|pgtle|realtime|repack|vault|etl|"
    "supabase_migrations|_analytics|_realtime|_supavisor|gateway|jobs|functions"
)
_ROWS_ALONE: Final = "auth|storage|supabase_functions|cron|net|pgmq"
_NOT_ROWS: Final = ("auth.schema_migrations", "storage.migrations", "supabase_functions.migrations")
# Its rewriting of a schema dump, line by line.
_SCHEMA: Final = (
    (r'^CREATE (SCHEMA|TABLE|SEQUENCE) "', r'CREATE \1 IF NOT EXISTS "'),
    (r'^CREATE (VIEW|FUNCTION|TRIGGER) "', r'CREATE OR REPLACE \1 "'),
    (r'^(CREATE EXTENSION IF NOT EXISTS "(?:pg_tle|pgsodium|pgmq)").+', r"\1;"),
    (
        r'^(CREATE PUBLICATION "supabase_realtime|CREATE EVENT TRIGGER|ALTER EVENT TRIGGER|         WHEN TAG IN'
        r"|   EXECUTE FUNCTION|ALTER FOREIGN DATA WRAPPER .+ OWNER|COMMENT ON EXTENSION|SET transaction_timeout"
        r'|ALTER DEFAULT PRIVILEGES FOR ROLE "supabase_admin"|CREATE POLICY "cron_job_|ALTER TABLE "cron"'
        rf'|(?:GRANT|REVOKE) .+ ON .+ "(?:{_NOT_OURS}|{_ROWS_ALONE})"'
        r"|GRANT .+ ON FOREIGN DATA WRAPPER|\\(?:un)?restrict)",
        r"-- \1",
    ),
)
_RESERVED: Final = (
    r"(?:anon|authenticated|authenticator|service_role|postgres|dashboard_user|pgbouncer|supabase_\w+|gateway\w*|pgtle_admin"
    r"|pgsodium_key\w+)"
)


def _run(name: str, url: str, *arguments: str) -> str:
    database, secret = command_line(url)
    done = subprocess.run(
        [client_program(name, url), *arguments, database],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **secret},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def by_the_cli(url: str, folder: Path, *, copy: bool, managed: bool = False) -> list[Path]:
    """`supabase db dump` three times: roles.sql, schema.sql, data.sql; once more where the managed schemas are wanted,
    and then with comments."""
    quoted = ("--quote-all-identifiers", "--role=postgres")
    roles = _run("pg_dumpall", url, "--roles-only", "--no-role-passwords", "--no-comments")
    kept = re.compile(
        r'^ALTER ROLE "?\w+"? SET "?(?:statement_timeout|pgrst\.|pgaudit\.|session_replication_role|track_io_timing)'
    )
    lines = []
    for line in roles.splitlines():
        is_theirs = re.match(rf'(?:(?:CREATE|ALTER) ROLE|GRANT .* TO) "?{_RESERVED}"?\b|\\', line)
        line = re.sub(r" (?:NOSUPERUSER|NOREPLICATION)\b", "", line)
        lines.append(f"-- {line}" if is_theirs and not kept.match(line) else line)
    schema = _run("pg_dump", url, "--schema-only", *quoted, f"--exclude-schema={_NOT_OURS}|{_ROWS_ALONE}")
    if managed:
        schema += _run("pg_dump", url, "--schema-only", *quoted, "--schema=auth|storage")
    else:
        schema = "\n".join(line for line in schema.splitlines() if not line.startswith("--"))
    for pattern, becomes in _SCHEMA:
        schema = re.sub(pattern, becomes, schema, flags=re.MULTILINE)
    more = [] if copy else ["--column-inserts", "--rows-per-insert=100000"]
    data = _run(
        "pg_dump", url, "--data-only", *quoted, f"--exclude-schema={_NOT_OURS}",
        *(f"--exclude-table={table}" for table in _NOT_ROWS), *more,
    )  # fmt: skip
    data = re.sub(r"^(\\(?:un)?restrict)", r"-- \1", data, flags=re.MULTILINE)
    texts = {
        "roles.sql": "\n".join((*lines, "RESET ALL;", "")),
        "schema.sql": f"{schema}\nRESET ALL;\n",
        "data.sql": f"SET session_replication_role = replica;\n\n{data}\nRESET ALL;\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [folder / name for name in texts]


def whole(url: str, folder: Path, version: int) -> list[Path]:
    """Plain `pg_dump` of everything, as that version writes it."""
    text = _run("pg_dump", url)
    if version < 18:
        text = re.sub(r"^\\(?:un)?restrict .*\n", "", text, flags=re.MULTILINE) if version == 15 else text
        text = text.replace("-- Dumped from database version 18", f"-- Dumped from database version {version}")
    if version == 15:
        text = text.replace("SET transaction_timeout = 0;\n", "").replace(",MAINTAIN", "")
    (folder / "all.sql").write_text(text)
    return [folder / "all.sql"]
