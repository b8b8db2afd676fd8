"""`gateway db …`: schema and data."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from gateway import migrations
from gateway.cli.common import connect, fail, load_settings, owner_url, prepare_logins, project_content
from gateway.cli.db_project import add_commands, bring_up, drop_schemas, reset_project
from gateway.cli.migration import new as new_migration
from gateway.database import DatabaseError, DatabaseUnavailable, SyncConnection, command_line, privileges
from gateway.database.embedded import SUPERUSER, VERSION, DataLock, EmbeddedError, client_program
from gateway.encryption import files as copy_encryption
from gateway.migrations.snapshot import FILE, write_snapshot
from gateway.operations import backup, offsite
from gateway.operations.backup import ROLES
from gateway.operations.maintenance import MaintenanceError
from gateway.operations.restore import restore as run_restore
from gateway.operations.upgrade import upgrade as run_upgrade
from gateway.projects.content import Content
from gateway.projects.errors import ProjectError
from gateway.settings import Settings
from gateway.system.scratch import scratch

db_app = typer.Typer(help="Schema and data.", no_args_is_help=True)
add_commands(db_app)


@db_app.command("migrate")
def migrate() -> None:
    """Apply pending migrations: the gateway's own, then those of the application in this folder."""
    settings = load_settings()
    content = project_content()
    with connect(settings) as connection:
        try:
            applied = migrations.migrate(connection, migrations.sets(settings.schema_dir))
        except migrations.SchemaError as error:
            fail(str(error))
    if settings.database_url:
        prepare_logins(settings)
    if content is not None:
        applied += _bring_up(settings, content, seed=None)
    for name in applied:
        print(f"applied {name}")
    print("up to date" if not applied else f"{len(applied)} applied")


def _bring_up(settings: Settings, content: Content, seed: bool | None) -> list[str]:
    try:
        return bring_up(owner_url(settings), settings, content, seed)
    except (ProjectError, DatabaseError) as error:
        fail(str(error))


@db_app.command("new")
def new(subject: Annotated[str, typer.Argument(help="What it changes, a few words")]) -> None:
    """Begin a migration file of the application with the next number."""
    if project_content() is not None:
        new_migration(subject)
        return
    slug = re.sub(r"[^a-z0-9]+", "_", subject.lower()).strip("_")
    if not slug:
        fail("a migration needs a subject of letters or digits")
    folder = load_settings().schema_dir / "migrations"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{migrations.next_number(folder):04}_{slug}.sql"
    except migrations.SchemaError as error:
        fail(str(error))
    path.write_text(f"-- {subject}: why this change is made.\n")
    print(path)


@db_app.command("seed")
def seed(name: Annotated[str, typer.Argument(help="File in the application's folder `seed`")] = "demo") -> None:
    """Load a set of sample rows; safe to run twice."""
    settings = load_settings()
    if (content := project_content()) is not None:
        _bring_up(settings, content, seed=True)
        return
    with connect(settings) as connection:
        try:
            migrations.seed(connection, settings.schema_dir / "seed", name)
        except migrations.SchemaError as error:
            fail(str(error))
    print(f"seeded {name}")


@db_app.command("reset")
def reset(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask")] = False,
    remote: Annotated[bool, typer.Option("--yes-remote", help="Really reset a database given by URL")] = False,
    seeded: Annotated[bool, typer.Option("--seed/--no-seed", help="Load the project's seeds")] = True,
    version: Annotated[str, typer.Option(help="Of a project: no further than this migration")] = "",
    last: Annotated[int, typer.Option(help="Of a project: without its last so many migrations")] = 0,
) -> None:
    """Drop everything, then migrate and seed again."""
    settings = load_settings()
    if settings.database_url and not remote:
        fail("this would erase the database of DATABASE_URL; repeat with --yes-remote if that is meant")
    if not yes and not typer.confirm("Erase every table, row and user of this database?"):
        raise SystemExit(1)
    if (content := project_content()) is not None:
        reset_project(settings, content, seeded, version, last)
        return
    with connect(settings) as connection:
        drop_schemas(connection)
        try:
            migrations.migrate(connection, migrations.sets(settings.schema_dir))
            seeded = migrations.seed_new(connection, settings.schema_dir / "seed")
        except migrations.SchemaError as error:
            fail(str(error))
    print("reset, migrated and seeded" if seeded else "reset and migrated")


@db_app.command("snapshot")
def snapshot() -> None:
    """Write the application's snapshot.sql anew from the database, after a migration."""
    settings = load_settings()
    if not settings.schema_dir.is_dir():
        fail(f"there is no application in {settings.schema_dir}")
    with connect(settings) as connection:
        write_snapshot(connection, settings.schema_dir / FILE)
    print(f"{settings.schema_dir / FILE} written")


PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}


@db_app.command("dump", context_settings=PASS_ON)
def dump(
    context: typer.Context,
    roles_only: Annotated[bool, typer.Option("--roles-only", help="The roles that the schema names, no data")] = False,
    archive: Annotated[
        Path | None, typer.Option("--archive", metavar="FILE", help="A copy of everything, for `verify` and `restore`")
    ] = None,
) -> None:
    """Copy everything into one file, or run pg_dump on the database: further arguments are pg_dump's."""
    settings = load_settings()
    if archive is not None:
        manifest = _copy(owner_url(settings), settings, archive)
        count = sum(table["rows"] for table in manifest["tables"].values())
        print(f"{archive}: {len(manifest['tables'])} tables, {count} rows{_held(manifest)}")
        _tell_of_lost(manifest)
    elif roles_only:
        with connect(settings) as connection:
            print("".join(f"{line[0]}\n" for line in connection.rows(ROLES)), end="")
    else:
        _become("pg_dump", owner_url(settings), context.args)


Progress = Annotated[bool, typer.Option("--progress", help="Say on standard error what is being done, as JSON")]


def _teller(progress: bool) -> Callable[[str, bool], None]:
    """Says each step, where that is wished; until it cannot be given up any more, SIGTERM gives it up in order."""
    if not progress:
        return lambda step, can_stop: None

    def stop(*_: object) -> None:
        raise SystemExit(143)

    def tell(step: str, can_stop: bool) -> None:
        signal.signal(signal.SIGTERM, stop if can_stop else signal.SIG_IGN)
        print(json.dumps({"step": step, "can_stop": can_stop}), file=sys.stderr, flush=True)

    return tell


@db_app.command("backup")
def backup_command(progress: Progress = False) -> None:
    """What the job worker does by the clock: make a copy in GATEWAY_BACKUP_DIR, verify it and take it elsewhere.

    A copy that has not arrived elsewhere yet is sent again in place of making another.
    """
    settings, tell = load_settings(), _teller(progress)
    if not settings.backup_dir:
        fail("set GATEWAY_BACKUP_DIR to the folder for copies")
    folder = Path(settings.backup_dir)
    try:
        copy = offsite.unsent(settings)
        if copy is None or time.time() - copy.stat().st_mtime >= settings.backup_every:
            copy = folder / backup.file_name(time.time())
            tell("Copying the database", True)
            _copy(owner_url(settings), settings, copy)
            tell("Verifying the backup", True)
            _check(copy, settings)
            backup.rotate(folder, settings.backup_keep)
        if offsite.is_wanted(settings):
            tell("Taking it elsewhere", True)
            offsite.send(copy, settings)
    except (backup.BackupError, DatabaseError, DatabaseUnavailable, OSError) as error:
        fail(str(error))
    print(copy)


def _check(copy: Path, settings: Settings) -> None:
    """Verify a copy that was just made; one that does not is set aside, so that it is not taken for one."""
    try:
        backup.verify(copy, settings) if settings.backup_verify == "full" else backup.look_over(copy, settings)
    except backup.BackupError:
        os.replace(copy, copy.with_name(f"{copy.name}.broken"))
        raise


@db_app.command("verify")
def verify(
    file: Annotated[Path, typer.Argument(help="A copy made by `gateway db dump --archive`")], progress: Progress = False
) -> None:
    """Prove a copy: restore it into a throw-away Postgres and compare every table."""
    settings = load_settings()
    _teller(progress)("Restoring into a throw-away Postgres", True)
    try:
        manifest = backup.verify(file, settings)
    except (backup.BackupError, DatabaseError, DatabaseUnavailable) as error:
        fail(str(error))
    tables = len(manifest["tables"])
    print(f"{file} of {manifest['made_at']} reads back whole: {tables} tables are equal{_held(manifest)}")


def _held(manifest: dict[str, Any]) -> str:
    """What a copy has of objects."""
    objects = manifest.get("objects")
    return f", {objects['count']} objects of {objects['bytes']} bytes" if objects else ""


def _tell_of_lost(manifest: dict[str, Any]) -> None:
    objects = manifest.get("objects") or {}
    for kind in ("lost", "damaged"):
        if objects.get(f"{kind}_count"):
            print(f"{objects[f'{kind}_count']} objects were {kind} before: {', '.join(objects[kind])}", file=sys.stderr)


@db_app.command("restore")
def restore(
    file: Annotated[Path, typer.Argument(help="A copy made by `gateway db dump --archive`")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask")] = False,
    remote: Annotated[bool, typer.Option("--yes-remote", help="Really replace a database given by URL")] = False,
    progress: Progress = False,
) -> None:
    """Put a copy back in place of all there is; a copy of that is made first."""
    settings, tell = load_settings(), _teller(progress)
    if settings.database_url and not remote:
        fail("this would replace the database of DATABASE_URL; repeat with --yes-remote if that is meant")
    try:
        tell("Reading the backup", True)
        with scratch() as folder:
            manifest = backup.unpack(file, folder, settings)
            url = owner_url(settings)
            sets = migrations.sets(settings.schema_dir)
            with SyncConnection(url) as connection:
                backup.refuse_newer(manifest, connection, sets)
            if not yes and not typer.confirm(f"Replace everything by the copy of {manifest['made_at']}?"):
                raise SystemExit(1)
            pending: list[str] = []
            safety = run_restore(url, settings, file, folder, manifest, lambda path: _copy(url, settings, path), tell)
            with SyncConnection(url) as connection, suppress(migrations.SchemaError):  # of that `migrate` will tell
                pending = migrations.pending(connection, sets)
    except (
        backup.BackupError, MaintenanceError, DatabaseError, DatabaseUnavailable, OSError, migrations.SchemaError
    ) as error:  # fmt: skip
        fail(str(error))
    print(f"restored the copy of {manifest['made_at']}; what was there before is in {safety}")
    if pending:
        print(f"the copy is older than this program: `gateway db migrate` applies {len(pending)} migrations")


@db_app.command("new-key")
def new_key(file: Annotated[Path, typer.Argument(help="File that gets it; keep another copy of it elsewhere")]) -> None:
    """Make a key for copies: GATEWAY_BACKUP_KEY=@FILE. Without it nobody reads them, you neither."""
    try:
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(copy_encryption.new_key() + "\n")
    except OSError as error:
        fail(f"{file}: {error.strerror}")
    print(f"{file}: keep it apart from the copies, and another copy of it elsewhere")


@db_app.command("privileges")
def default_privileges(
    state: Annotated[str, typer.Argument(help="open, tables-closed or closed; without it the state is printed")] = "",
) -> None:
    """Say or change who may use the tables and functions that are made in `public` from now on."""
    with connect(load_settings()) as connection:
        try:
            if state:
                privileges.apply(connection, privileges.state_of(state))
            print(privileges.found(connection) or "some other")
        except ValueError as error:
            fail(f"a state is {error}")
        except DatabaseError as error:
            fail(error.message)


@db_app.command("upgrade")
def upgrade() -> None:
    """Take the embedded database of an older Postgres over into this gateway's; the gateway must be stopped."""
    settings = load_settings()
    if settings.database_url:
        fail("DATABASE_URL names a server of its own, which is upgraded where it runs")
    try:
        lock = DataLock(settings.data_dir, 0)
        done = run_upgrade(settings)
        lock.release()
    except (backup.BackupError, EmbeddedError, DatabaseError, DatabaseUnavailable) as error:
        fail(str(error))
    if done is None:
        print(f"{settings.data_dir} is of Postgres {VERSION} already")
        return
    print(f"Postgres {done.before} → {VERSION}: {done.tables} tables, {done.rows} rows, each compared")
    print(f"the former cluster is {done.former}, a copy of it {done.copy}: remove them once all is well")
    print("next: `gateway db migrate`")


def _copy(url: str, settings: Settings, target: Path) -> dict[str, Any]:
    try:
        return backup.dump(url, settings, target)
    except (backup.BackupError, DatabaseError, DatabaseUnavailable, OSError) as error:
        fail(f"no copy was made: {error}")


@db_app.command("psql", context_settings=PASS_ON)
def psql(context: typer.Context) -> None:
    """Open psql on the database; further arguments are psql's."""
    settings = load_settings()
    url = owner_url(settings)
    if not settings.database_url and sys.stdout.isatty():
        print(f"connecting as {SUPERUSER}")
    _become("psql", url, context.args)


def _become(name: str, url: str, arguments: list[str]) -> None:
    """Give this process over to a Postgres program, which then also ends the server that was started for it."""
    try:
        program = client_program(name, url)
    except EmbeddedError as error:
        fail(str(error))
    database, secret = command_line(url)
    os.execve(program, [str(program), database, *arguments], {**os.environ, **secret})
