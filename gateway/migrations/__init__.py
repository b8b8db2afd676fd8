"""The platform's own schema, and what applies it and the application's.

Layout: a folder for each subject (`roles`, `auth`, `tables`, `jobs`, `gateway`; a service that is added brings its
own), files `SUBJECT/NNNN_what_it_does.sql`. They run in the order of their numbers across all folders, so take the
number after the highest there is, whatever the folder. What was applied is never edited. A file of this set makes no
object in schemas that users make (`public`, `private`), and names none of an application: an application registers what
the platform is to call (`gateway/0090_hooks.sql`, `gateway/0093_retention.sql`).

An application is a folder with `migrations/NNNN_subject.sql` and `seed/SET.sql` (setting GATEWAY_SCHEMA_DIR, default
`schema` in the folder the program is started in). Where there is none, the platform's schema stands alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from gateway.migrations import ledger
from gateway.migrations.connection import Connection
from gateway.migrations.errors import (
    ApplicationMissing,
    DatabaseNewer,
    FolderError,
    MigrationEdited,
    MigrationFailed,
    SchemaError,
    SeedFailed,
    SeedUnknown,
)
from gateway.migrations.files import Migration, MigrationSet, load, load_migrations, next_number
from gateway.migrations.run import migrate, pending
from gateway.migrations.seeds import seed, seed_new

__all__ = [
    "FOLDER",
    "ApplicationMissing",
    "Connection",
    "DatabaseNewer",
    "FolderError",
    "Migration",
    "MigrationEdited",
    "MigrationFailed",
    "MigrationSet",
    "SchemaError",
    "SeedFailed",
    "SeedUnknown",
    "application",
    "load",
    "load_migrations",
    "migrate",
    "next_number",
    "pending",
    "platform",
    "seed",
    "seed_new",
    "sets",
    "unknown",
]

FOLDER: Final = Path(__file__).parent


@cache
def platform() -> MigrationSet:
    """The gateway's own migrations."""
    return load(FOLDER, ledger.PLATFORM)


def application(folder: Path) -> MigrationSet | None:
    """The migrations of an application's folder; None where there is no application. Raises FolderError."""
    found = folder / "migrations"
    return load(found, ledger.APPLICATION) if found.is_dir() else None


def sets(folder: Path) -> tuple[MigrationSet, ...]:
    """Everything that a database gets: the platform's, then those of the application in this folder, if any."""
    own = application(folder)
    return (platform(),) if own is None else (platform(), own)


def unknown(sets: Sequence[MigrationSet], platform: Iterable[str], application: Iterable[str]) -> list[str]:
    """Which names of a copy's ledgers a newer version must have made. Without an application its own cannot be told."""
    names = {files.ledger: files.names for files in sets}
    own, others = names[ledger.PLATFORM], names.get(ledger.APPLICATION)
    new = {name for name in platform if name not in own and not ledger.is_old(name)}
    theirs = {name for name in platform if name not in own and ledger.is_old(name)} | set(application)
    return sorted(new | (theirs - others if others is not None else set()))
