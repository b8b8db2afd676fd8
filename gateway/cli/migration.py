"""`gateway migration …`: the files of `supabase/migrations` beside the ledger of a database, in the official words."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import typer

from gateway.cli.common import fail, project_here
from gateway.cli.target import DbUrl, target
from gateway.database import DatabaseError, SyncConnection
from gateway.projects import ledger
from gateway.projects.content import Content
from gateway.projects.database import Done, apply_all, read_sql
from gateway.projects.errors import ProjectError
from gateway.projects.folder import MigrationFile
from gateway.projects.statements import split

migration_app = typer.Typer(help="Migrations of the project, and which of them a database has.", no_args_is_help=True)


class Status(StrEnum):
    """What a repaired row says."""

    applied = "applied"
    reverted = "reverted"


@migration_app.command("new")
def new(name: Annotated[str, typer.Argument(help="What it changes, a few words")]) -> None:
    """Begin `supabase/migrations/<now>_NAME.sql`; its text is read from standard input where that is no terminal."""
    content = project_here()
    slug = re.sub(r"[^A-Za-z0-9_-]+", "_", name.strip()).strip("_")
    if not slug:
        fail("a migration needs a name of letters or digits")
    folder = content.project.migrations_folder
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.now(UTC):%Y%m%d%H%M%S}_{slug}.sql"
    path.write_text("" if sys.stdin.isatty() else sys.stdin.read())
    print(f"Created new migration at {path.relative_to(content.project.root)}")


@migration_app.command("list")
def list_migrations(db_url: DbUrl = "", linked: Annotated[bool, typer.Option("--linked")] = False) -> None:
    """Files beside the ledger of the database."""
    content = project_here()
    files = {file.version: file for file in content.project.migrations().files}
    with target(content, db_url, linked) as connection:
        remote = set(ledger.versions(connection))
    print(f"  {'Local':<14} | {'Remote':<14} | Time (UTC)")
    print(f"  {'-' * 14}-|-{'-' * 14}-|-{'-' * 19}")
    for version in sorted(version for version in {*files, *remote} if version.isdigit()):
        here, there = (version if version in side else "" for side in (files, remote))
        print(f"  {here:<14} | {there:<14} | {_time(version)}")


@migration_app.command("up")
def up(
    db_url: DbUrl = "",
    linked: Annotated[bool, typer.Option("--linked")] = False,
    include_all: Annotated[bool, typer.Option("--include-all", help="Also files older than the last applied")] = False,
) -> None:
    """Apply pending migrations."""
    content = project_here()
    with target(content, db_url, linked) as connection:
        done = Done()
        try:
            apply_all(connection, content.project, pending(connection, content, include_all), print, done)
        except (ProjectError, DatabaseError) as error:
            fail(str(error))
    print("Local database is up to date." if not done.migrations else f"{len(done.migrations)} applied")


@migration_app.command("repair")
def repair(
    versions: Annotated[list[str] | None, typer.Argument(help="Versions; all files where none is named")] = None,
    status: Annotated[Status, typer.Option(help="What the ledger is to say of them")] = Status.applied,
    db_url: DbUrl = "",
    linked: Annotated[bool, typer.Option("--linked")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask")] = False,
) -> None:
    """Change what the ledger says was applied, and nothing else."""
    content = project_here()
    files = {file.version: file for file in content.project.migrations().files}
    wanted = versions or []
    if unknown := [version for version in wanted if status is Status.applied and version not in files]:
        fail(f"there is no migration {unknown[0]} in {content.project.migrations_folder}")
    if not wanted and not yes and not typer.confirm("Write the whole ledger anew from the files?"):
        raise SystemExit(1)
    with target(content, db_url, linked) as connection:
        try:
            ledger.ensure(connection)
            with connection.transaction():
                if not wanted:
                    ledger.clear(connection)
                if status is Status.applied:
                    for version in wanted or sorted(files):
                        _note(connection, files[version])
                else:
                    for version in wanted:
                        ledger.remove(connection, version)
        except (ProjectError, DatabaseError) as error:
            fail(str(error))
    print(f"Repaired migration history: [{' '.join(wanted) or 'all'}] => {status.value}")


@migration_app.command("fetch")
def fetch(db_url: DbUrl = "", linked: Annotated[bool, typer.Option("--linked")] = False) -> None:
    """Write the ledger's rows as files; those that are there stay."""
    content = project_here()
    folder = content.project.migrations_folder
    folder.mkdir(parents=True, exist_ok=True)
    with target(content, db_url, linked) as connection:
        for version, name in ledger.names(connection).items():
            path = folder / f"{version}_{re.sub(r'[^A-Za-z0-9_.-]+', '_', name)}.sql"
            if not re.fullmatch(r"[0-9]+", version) or path.exists():
                continue
            path.write_text(";\n".join([*ledger.statements(connection, version), ""]))
            print(path.relative_to(content.project.root))


def pending(connection: SyncConnection, content: Content, include_all: bool) -> tuple[MigrationFile, ...]:
    """What is to be applied; a ledger that the files do not fit ends the command."""
    found = content.project.migrations()
    for line in found.skipped:
        print(line, file=sys.stderr)
    compared = ledger.compare(found.files, ledger.versions(connection))
    if compared.unknown:
        fail(
            "the database has migrations that are no files here: "
            + ", ".join(compared.unknown)
            + f".\nIf they are not wanted: gateway migration repair --status reverted {' '.join(compared.unknown)}"
            "\nElse: gateway migration fetch"
        )
    if compared.between and not include_all:
        fail(
            "files are to be inserted before the last applied one:\n"
            + "".join(f"  {file.path.name}\n" for file in compared.between)
            + "Repeat with --include-all to apply them."
        )
    chosen = {file.version for file in (*compared.between, *compared.pending)}
    return tuple(file for file in found.files if file.version in chosen)


def _note(connection: SyncConnection, file: MigrationFile) -> None:
    texts = [statement.text for statement in split(read_sql(file.path))]
    ledger.add(connection, file.version, file.name, texts, again=True)


def _time(version: str) -> str:
    try:
        return datetime.strptime(version, "%Y%m%d%H%M%S").strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return version
