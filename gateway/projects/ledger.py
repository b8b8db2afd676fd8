"""What was applied, where the official CLI looks for it: `supabase_migrations.schema_migrations` and `.seed_files`.

Hosted projects have further columns there, so each is named. The tables are made at the first apply, not by looking.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from gateway.database import DatabaseError, SyncConnection
from gateway.database.statement import array_literal
from gateway.projects.folder import MigrationFile

MISSING: Final = ("42P01", "3F000", "42703")  # no such table, schema or column: nothing was applied yet
_MAKE: Final = """
  set lock_timeout = '4s';
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations (version text not null primary key);
  alter table supabase_migrations.schema_migrations add column if not exists statements text[];
  alter table supabase_migrations.schema_migrations add column if not exists name text;
"""
_MAKE_SEEDS: Final = """
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.seed_files (path text not null primary key, hash text not null);
"""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Files and ledger side by side; `unknown` are versions of the ledger without a file, `between` files older than
    the ledger's newest that it lacks, `pending` those after it."""

    unknown: tuple[str, ...]
    between: tuple[MigrationFile, ...]
    pending: tuple[MigrationFile, ...]


def versions(connection: SyncConnection) -> tuple[str, ...]:
    """What was applied, oldest first; nothing where there is no ledger."""
    return tuple(str(row[0]) for row in _read(connection, "select version from supabase_migrations.schema_migrations"))


def names(connection: SyncConnection) -> dict[str, str]:
    """Versions and the names of what was applied."""
    rows = _read(connection, "select version, coalesce(name, '') from supabase_migrations.schema_migrations")
    return {str(version): str(name) for version, name in rows}


def statements(connection: SyncConnection, version: str) -> list[str]:
    """The statements that a row of the ledger holds."""
    rows = connection.rows(
        "select unnest(statements) from supabase_migrations.schema_migrations where version = $1", version
    )
    return [str(row[0]) for row in rows]


def compare(files: Sequence[MigrationFile], applied: Iterable[str]) -> Comparison:
    """Files against the ledger."""
    have = set(applied)
    known = {file.version for file in files}
    unknown = sorted(have - known)
    last = max((place for place, file in enumerate(files) if file.version in have), default=-1)
    missing = [(place, file) for place, file in enumerate(files) if file.version not in have]
    early = {file.version for place, file in missing if place < last or (unknown and file.version < unknown[-1])}
    return Comparison(
        unknown=tuple(unknown),
        between=tuple(file for _, file in missing if file.version in early),
        pending=tuple(file for _, file in missing if file.version not in early),
    )


def ensure(connection: SyncConnection) -> None:
    """Make what is missing of the ledger of migrations."""
    connection.script(f"begin; {_MAKE} commit; reset lock_timeout")


def add(connection: SyncConnection, version: str, name: str, texts: Sequence[str], again: bool = False) -> None:
    """Note a migration; `again` replaces a row that is there."""
    connection.rows(
        "insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3::text[])"
        + (
            " on conflict (version) do update set name = excluded.name, statements = excluded.statements"
            if again
            else ""
        ),
        version,
        name,
        array_literal(texts),
    )


def remove(connection: SyncConnection, version: str) -> bool:
    """Forget a migration; whether there was one."""
    return bool(
        connection.rows("delete from supabase_migrations.schema_migrations where version = $1 returning 1", version)
    )


def clear(connection: SyncConnection) -> None:
    """Forget all migrations."""
    connection.script("truncate supabase_migrations.schema_migrations")


def seeds(connection: SyncConnection) -> dict[str, str]:
    """Seed files that ran, and their hashes."""
    return {
        str(path): str(hash)
        for path, hash in _read(connection, "select path, hash from supabase_migrations.seed_files")
    }


def ensure_seeds(connection: SyncConnection) -> None:
    """Make what is missing of the ledger of seeds."""
    connection.script(_MAKE_SEEDS)


def add_seed(connection: SyncConnection, path: str, hash: str) -> None:
    """Note a seed file with its hash."""
    connection.rows(
        "insert into supabase_migrations.seed_files (path, hash) values ($1, $2)"
        " on conflict (path) do update set hash = excluded.hash",
        path,
        hash,
    )


def _read(connection: SyncConnection, sql: str) -> list[tuple[str | None, ...]]:
    try:
        return connection.rows(f"{sql} order by 1")
    except DatabaseError as error:
        if error.sqlstate in MISSING:
            return []
        raise
