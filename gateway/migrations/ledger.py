"""Ledgers: tables with the name and checksum of each migration that a database has.

The gateway's own set is in `gateway.migrations`, the application's in `gateway.application_migrations`. Up to version
0.6 both were one set, in the first of the two, under names without a folder: `move_old` parts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from gateway.migrations.connection import Connection
from gateway.migrations.errors import DatabaseNewer, MigrationEdited
from gateway.migrations.files import Migration, MigrationSet

PLATFORM: Final = "gateway.migrations"
APPLICATION: Final = "gateway.application_migrations"
_COMMENTS: Final = {
    PLATFORM: "Migrations applied to this database; no API role reads it",
    APPLICATION: "Migrations of the application applied to this database; no API role reads it",
}


def read(conn: Connection, ledger: str) -> dict[str, str]:
    """Names and checksums of a ledger; nothing where it was never made."""
    if conn.rows("select to_regclass($1)", ledger) == [(None,)]:
        return {}
    return {str(name): str(checksum) for name, checksum in conn.rows(f"select name, checksum from {ledger}")}


def ensure(conn: Connection) -> None:
    """Make the ledgers that are missing."""
    for ledger, comment in _COMMENTS.items():
        if conn.rows("select to_regclass($1)", ledger) == [(None,)]:
            conn.script(
                f"""
                create schema if not exists gateway;
                revoke all on schema gateway from public;
                create table {ledger} (
                  name text primary key,
                  checksum text not null,
                  applied_at timestamptz not null default now()
                );
                alter table {ledger} enable row level security;
                comment on table {ledger} is '{comment}';
                """
            )


def add(conn: Connection, ledger: str, migration: Migration) -> None:
    """Note that a migration was applied."""
    conn.rows(f"insert into {ledger} (name, checksum) values ($1, $2)", migration.name, migration.checksum)


# --- ledgers of earlier versions -------------------------------------------------------------------------------------


def is_old(name: str) -> bool:
    """Whether a name of the gateway's ledger is of the time when the application's were in it too."""
    return "/" not in name


def parted(platform: MigrationSet, applied: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """A ledger of an earlier version as the gateway's entries and those of the application.

    Raises MigrationEdited for a file of the gateway that was not what that version shipped.
    """
    own = {name: checksum for name, checksum in applied.items() if not is_old(name)}
    others: dict[str, str] = {}
    for name, checksum in applied.items():
        if not is_old(name):
            continue
        entry = platform.adopted.get(name)
        if entry is None:
            others[name] = checksum
            continue
        own |= _stood_for(platform, name, checksum)
        if entry.rest:
            others[name] = checksum
    return own, others


def renamed(files: MigrationSet, applied: Mapping[str, str]) -> dict[str, str]:
    """A set's ledger with the names that its files have now. Raises DatabaseNewer, MigrationEdited."""
    known = {migration.name: migration.checksum for migration in files.migrations}
    unknown = sorted(name for name in applied if name not in known and name not in files.adopted)
    if unknown:
        raise DatabaseNewer(unknown)
    current: dict[str, str] = {}
    for name, checksum in applied.items():
        if name in files.adopted and checksum != known.get(name):
            current |= _stood_for(files, name, checksum)
        else:
            current[name] = checksum
    for name, checksum in current.items():
        if known[name] != checksum:
            raise MigrationEdited(name)
    return current


def write(conn: Connection, ledger: str, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """Make a ledger say what it stands for now."""
    for name in before.keys() - after.keys():
        conn.rows(f"delete from {ledger} where name = $1", name)
    for name, checksum in after.items():
        if before.get(name) != checksum:
            conn.rows(
                f"insert into {ledger} (name, checksum) values ($1, $2)"
                " on conflict (name) do update set checksum = excluded.checksum",
                name,
                checksum,
            )


def _stood_for(files: MigrationSet, name: str, checksum: str) -> dict[str, str]:
    entry = files.adopted[name]
    if checksum != entry.checksum:
        raise MigrationEdited(name)
    wanted: Iterable[str] = entry.files
    return {migration.name: migration.checksum for migration in files.migrations if migration.name in wanted}
