"""Brings a database to the schema in this folder and fills it with sample rows.

In: `migrations/NNNN_subject.sql` and `seed/<set>.sql`. Out: the same tables in any Postgres 15 or newer. A
migration runs once, in a transaction of its own, in the order of the numbers; `gateway.migrations` keeps its
name and the checksum of its text. Numbers may be added below the last one applied, because the parts of the
system own separate ranges of them; what was applied is never edited.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, Protocol

HERE: Final = Path(__file__).parent
MIGRATIONS: Final = HERE / "migrations"
SEEDS: Final = HERE / "seed"

# Any fixed number: it only has to be the same in every process that migrates this database.
_LOCK: Final = str(int.from_bytes(b"gateway", "big"))
_NAME: Final = re.compile(r"\d{4}_[a-z0-9_]+\.sql")


class Connection(Protocol):
    """What migrating needs of a database session that is not inside a transaction."""

    def script(self, sql: str) -> None:
        """Runs one or more statements without values; raises if one of them fails."""

    def rows(self, sql: str, *params: str | None) -> list[tuple[str | None, ...]]:
        """Runs one statement with values for `$1`, `$2`, ...; every column comes back as text."""


class SchemaError(Exception):
    """Root of this module's errors; the message is a sentence for whoever runs the command.

    SchemaError
      FolderError        a file name without a number, or one number used twice
      MigrationEdited    an applied file differs from what was applied
      DatabaseNewer      the database has migrations that this folder does not know
      MigrationFailed    the database refused a statement; nothing of that file remains
      SeedUnknown        no such set of sample rows
      SeedFailed         the database refused a sample row; nothing of that set remains
    """


class FolderError(SchemaError):
    """The migrations folder itself is wrong."""


class MigrationEdited(SchemaError):
    """An applied migration was edited afterwards."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} was changed after it was applied to this database."
            " Put its text back and write the change as a new migration."
        )
        self.name = name


class DatabaseNewer(SchemaError):
    """The database was made by a newer version."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(
            f"This database was made by a newer version: it has {', '.join(names)}, which this version"
            " does not know. Install that version, or restore a backup made with this one."
        )
        self.names = tuple(names)


class MigrationFailed(SchemaError):
    """One migration failed and was rolled back; those before it stay applied."""

    def __init__(self, name: str, cause: Exception) -> None:
        super().__init__(f"{name} failed and was rolled back: {cause}")
        self.name = name


class SeedUnknown(SchemaError):
    """The named set of sample rows does not exist."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"There is no seed {name!r}; there are: {', '.join(known)}.")
        self.name = name


class SeedFailed(SchemaError):
    """A set of sample rows failed and was rolled back."""

    def __init__(self, name: str, cause: Exception) -> None:
        super().__init__(f"The seed {name!r} failed and was rolled back: {cause}")
        self.name = name


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of the folder."""

    name: str
    sql: str
    checksum: str


def load_migrations(folder: Path = MIGRATIONS) -> tuple[Migration, ...]:
    """All migrations of the folder in the order they run. Raises FolderError."""
    files = sorted(folder.glob("*.sql"))
    numbers: dict[str, str] = {}
    for file in files:
        if not _NAME.fullmatch(file.name):
            raise FolderError(f"{file.name} is not named like 0001_subject.sql.")
        other = numbers.setdefault(file.name[:4], file.name)
        if other != file.name:
            raise FolderError(f"{other} and {file.name} have the same number.")
    return tuple(_read(file) for file in files)


def pending(conn: Connection, folder: Path = MIGRATIONS) -> list[str]:
    """Names of the migrations still to run. Raises FolderError, MigrationEdited, DatabaseNewer."""
    return [migration.name for migration in _pending(conn, load_migrations(folder))]


def migrate(conn: Connection, folder: Path = MIGRATIONS) -> list[str]:
    """Applies what is pending and returns the names; safe to call from several processes at once.

    Raises what `pending` raises, and MigrationFailed with everything before the failed file applied.
    """
    migrations = load_migrations(folder)
    applied = []
    while (name := _apply_next(conn, migrations)) is not None:
        applied.append(name)
    return applied


def seed(conn: Connection, set: str = "demo", folder: Path = SEEDS) -> None:
    """Adds the rows of one set; rows already there stay as they are. Raises SeedUnknown, SeedFailed."""
    files = {file.stem: file for file in sorted(folder.glob("*.sql"))}
    if set not in files:
        raise SeedUnknown(set, tuple(files))
    try:
        with _transaction(conn):
            conn.script(files[set].read_text(encoding="utf-8"))
    except Exception as cause:
        raise SeedFailed(set, cause) from cause


def _read(file: Path) -> Migration:
    # read_text makes line ends "\n", so a checkout with other line ends has the same checksum
    sql = file.read_text(encoding="utf-8")
    return Migration(file.name, sql, sha256(sql.encode()).hexdigest())


def _apply_next(conn: Connection, migrations: Sequence[Migration]) -> str | None:
    # The lock is taken and the list of applied files read inside the transaction that applies the next one:
    # a second process waits, then sees the file as applied. It also holds through a transaction pooler.
    with _transaction(conn):
        conn.rows("select pg_advisory_xact_lock($1::bigint)", _LOCK)
        todo = _pending(conn, migrations)
        if not todo:
            return None
        following = todo[0]
        try:
            _ensure_ledger(conn)
            conn.script(following.sql)
            conn.rows(
                "insert into gateway.migrations (name, checksum) values ($1, $2)",
                following.name,
                following.checksum,
            )
        except Exception as cause:
            raise MigrationFailed(following.name, cause) from cause
    return following.name


def _pending(conn: Connection, migrations: Sequence[Migration]) -> list[Migration]:
    applied = _applied(conn)
    unknown = sorted(applied.keys() - {migration.name for migration in migrations})
    if unknown:
        raise DatabaseNewer(unknown)
    for migration in migrations:
        if applied.get(migration.name, migration.checksum) != migration.checksum:
            raise MigrationEdited(migration.name)
    return [migration for migration in migrations if migration.name not in applied]


def _applied(conn: Connection) -> dict[str, str]:
    if not _has_ledger(conn):
        return {}
    rows = conn.rows("select name, checksum from gateway.migrations")
    return {str(name): str(checksum) for name, checksum in rows}


def _has_ledger(conn: Connection) -> bool:
    return conn.rows("select to_regclass('gateway.migrations')") != [(None,)]


def _ensure_ledger(conn: Connection) -> None:
    if not _has_ledger(conn):
        conn.script(
            """
            create schema if not exists gateway;
            revoke all on schema gateway from public;
            create table gateway.migrations (
              name text primary key,
              checksum text not null,
              applied_at timestamptz not null default now()
            );
            alter table gateway.migrations enable row level security;
            comment on table gateway.migrations is 'Migrations applied to this database; no API role reads it';
            """
        )


@contextmanager
def _transaction(conn: Connection) -> Iterator[None]:
    conn.script("begin")
    try:
        yield
        conn.script("commit")
    except BaseException:
        # a connection that was lost has rolled back by itself
        with suppress(Exception):
            conn.script("rollback")
        raise
