"""A project's content in a database, on top of the platform's schema.

A new database gets, in this order: default privileges, secrets of the vault, `roles.sql`, migrations, seeds; its
buckets come with the storage API (`buckets.py`). Each is noted when it is done, so that a first start which failed goes
on where it stopped.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from gateway.database import DatabaseError, SyncConnection, privileges
from gateway.projects import ledger
from gateway.projects.apply import prepare_session, run_file, shown_path
from gateway.projects.config import ProjectConfig
from gateway.projects.content import Content
from gateway.projects.errors import ProjectError
from gateway.projects.folder import MigrationFile, Project

Say = Callable[[str], None]
ROLES: Final = "roles"
SEEDS: Final = "seeds"
BUCKETS: Final = "buckets"
_NO_VAULT: Final = ("3F000", "42883", "42P01", "42501")


@dataclass(slots=True)
class Done:
    """What a run did."""

    migrations: list[str] = field(default_factory=list)
    seeds: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    failed_seed: str = ""  # what was said of a seed that failed; the schema is whole


def prepare(
    owner: SyncConnection, author: SyncConnection, content: Content, say: Say, seed: bool | None = True
) -> Done:
    """Bring a database up to the project: what a first start does, or the migrations that are pending.

    `owner` is the connection of whom the platform's schema belongs to, `author` that by which files run. `seed` None
    leaves the seeds for later, False says that they are not wanted. Raises ProjectError, DatabaseError.
    """
    done = Done()
    steps = done_steps(owner)
    if ROLES not in steps:
        privileges.apply(owner, content.config.default_privileges)
        say(f"New tables and functions of public are {content.config.default_privileges}.")
        put_secrets(author, content.config, done)
        run_roles(author, content.project, say)
        note_step(owner, ROLES)
    _migrate_start(author, content, say, done)
    if SEEDS not in steps and seed is not None:
        try:
            if seed and content.config.seed_enabled:
                run_seeds(author, content, say, done)
            note_step(owner, SEEDS)
        except ProjectError as error:  # the next start tries again
            done.failed_seed = str(error)
    return done


def _migrate_start(connection: SyncConnection, content: Content, say: Say, done: Done) -> None:
    """Apply what is pending. Files that the ledger's order leaves no place for are told of, and not run."""
    if not content.config.migrations_enabled:
        return
    found = content.project.migrations()
    done.warnings += found.skipped
    files = (
        found.files if content.until is None else tuple(each for each in found.files if each.version <= content.until)
    )
    compared = ledger.compare(files, ledger.versions(connection))
    if compared.between:
        names = ", ".join(file.path.name for file in compared.between)
        done.warnings.append(
            f"not applied, because later ones are: {names}. `gateway db push --include-all` applies them,"
            " `gateway db reset` begins anew"
        )
    if compared.unknown:
        done.warnings.append(
            f"the database has migrations that are no files here: {', '.join(compared.unknown)}."
            " `gateway db reset` begins anew"
        )
    apply_all(connection, content.project, compared.pending, say, done)


def apply_all(
    connection: SyncConnection, project: Project, files: Sequence[MigrationFile], say: Say, done: Done
) -> None:
    """Run migrations and note them. Raises ProjectError, DatabaseError."""
    if not files:
        return
    prepare_session(connection)
    ledger.ensure(connection)
    for file in files:
        say(f"Applying migration {file.path.name}...")
        run_file(
            connection,
            shown_path(project.root, file.path),
            read_sql(file.path),
            partial(ledger.add, connection, file.version, file.name),
        )
        done.migrations.append(file.path.name)


def run_roles(connection: SyncConnection, project: Project, say: Say) -> None:
    """Run `roles.sql`, where there is one. Raises ProjectError, DatabaseError."""
    if project.roles_file.is_file():
        say("Seeding globals from roles.sql...")
        run_file(connection, shown_path(project.root, project.roles_file), read_sql(project.roles_file), _unnoted)


def run_seeds(connection: SyncConnection, content: Content, say: Say, done: Done) -> None:
    """Run the seed files that were not run yet; of a changed one only the new hash is noted. Raises ProjectError."""
    found: list[Path] = []
    for pattern, paths in content.project.matches(content.config.seed_paths):
        if paths is None:
            if pattern != "./seed.sql":
                done.warnings.append(f"no seed file matches {pattern}")
            continue
        found += paths
    if not found:
        return
    prepare_session(connection)
    ledger.ensure_seeds(connection)
    known = ledger.seeds(connection)
    for path in found:
        shown = shown_path(content.project.root, path)
        hash = hashlib.sha256(path.read_bytes()).hexdigest()
        if known.get(shown) == hash:
            continue
        if shown in known:
            say(f"Updating seed hash to {shown}...")
            ledger.add_seed(connection, shown, hash)
            continue
        say(f"Seeding data from {shown}...")
        run_file(connection, shown, read_sql(path), partial(_note_seed, connection, shown, hash))
        done.seeds.append(shown)


def put_secrets(connection: SyncConnection, config: ProjectConfig, done: Done) -> None:
    """Give the vault the secrets of `[db.vault]`."""
    for name, value in config.vault.items():
        try:
            known = connection.rows("select id::text from vault.secrets where name = $1", name)
            if known:
                connection.rows("select vault.update_secret($1::uuid, $2)", known[0][0], value)
            else:
                connection.rows("select vault.create_secret($1, $2)", value, name)
        except DatabaseError as error:
            if error.sqlstate not in _NO_VAULT:
                raise
            done.warnings.append(f"[db.vault] {name} is not stored: {error.message}")


# --- steps ------------------------------------------------------------------------------------------------------------


def done_steps(connection: SyncConnection) -> frozenset[str]:
    """The steps of the first start that are done."""
    return frozenset(str(row[0]) for row in connection.rows("select step from gateway.project_steps"))


def note_step(connection: SyncConnection, step: str) -> None:
    """Note that a step is done."""
    connection.rows("insert into gateway.project_steps (step) values ($1) on conflict do nothing", step)


def leave_session(connection: SyncConnection) -> None:
    """The session as its login had it before the project's files ran in it."""
    connection.script("reset all; reset session authorization; reset role")


def read_sql(path: Path) -> str:
    """The text of a file. Raises ProjectError."""
    try:
        raw = path.read_bytes()
        return (gzip.decompress(raw) if path.name.endswith(".gz") else raw).decode("utf-8")
    except (UnicodeDecodeError, gzip.BadGzipFile) as error:
        raise ProjectError(f"{path}: {error}") from error


def _note_seed(connection: SyncConnection, path: str, hash: str, texts: Iterable[str]) -> None:
    del texts
    ledger.add_seed(connection, path, hash)


def _unnoted(texts: Iterable[str]) -> None:
    """Nothing is noted of a file that has no ledger."""
