"""`gateway db diff` and `gateway db pull`: what a database has beyond the project's files, as a migration.

A shadow database gets the platform's schema and the project's migrations; what makes the other one of it is worked out
by pg-delta, which the official CLI brings (docs/decisions/0019-diff-by-the-official-cli.md).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from gateway import migrations
from gateway.cli.common import fail, load_settings, owner_url, project_here
from gateway.cli.target import DbUrl, linked_url, target
from gateway.database import DatabaseError, DatabaseUnavailable, SyncConnection, privileges
from gateway.database.embedded import EmbeddedPostgres
from gateway.database.loopback import Loopback, url_of
from gateway.projects import ledger
from gateway.projects.apply import run_file, shown_path
from gateway.projects.content import Content
from gateway.projects.database import read_sql
from gateway.projects.errors import ProjectError
from gateway.projects.login import author_url
from gateway.projects.statements import split
from gateway.settings import Settings
from gateway.system.scratch import scratch

SHADOW: Final = "gateway_shadow"
TOOL: Final = "supabase"
MISSING: Final = (
    "differences are worked out by the official CLI (3.1 or newer), which is not installed here: `npm install"
    " --save-dev supabase` in the project, or put it on the PATH"
)
Linked = Annotated[bool, typer.Option("--linked", help="The database of `gateway link`")]
Schemas = Annotated[str, typer.Option("--schema", "-s", help="Only these schemas: a,b")]


def diff(
    db_url: DbUrl = "",
    linked: Linked = False,
    name: Annotated[str, typer.Option("--file", "-f", help="Write it as a new migration of this name")] = "",
    schema: Schemas = "",
) -> None:
    """Print what the database has beyond the project's migrations, as SQL."""
    content = project_here()
    settings = load_settings()
    found = _difference(content, settings, db_url or (linked_url(content) if linked else ""), schema)
    if not found.strip():
        print("No schema changes found", file=sys.stderr)
    elif name:
        print(_write(content, name, found))
    else:
        print(found, end="")


def pull(
    name: Annotated[str, typer.Argument(help="Name of the migration")] = "remote_schema",
    db_url: DbUrl = "",
    linked: Linked = False,
    schema: Schemas = "",
    yes: Annotated[bool, typer.Option("--yes", help="Note it in that database's ledger without asking")] = False,
) -> None:
    """Write what another database has beyond the project's migrations as a new one, and note it in its ledger."""
    content = project_here()
    url = db_url or linked_url(content)
    settings = load_settings()
    found = _difference(content, settings, url, schema)
    if not found.strip():
        print("No schema changes found", file=sys.stderr)
        return
    path = _write(content, name, found)
    print(f"Schema written to {path}")
    if yes or typer.confirm("Note it as applied in that database?", default=True):
        version, _, rest = path.name.partition("_")
        with target(content, url) as connection:
            try:
                ledger.ensure(connection)
                texts = [statement.text for statement in split(found)]
                ledger.add(connection, version, rest.removesuffix(".sql"), texts, again=True)
            except DatabaseError as error:
                fail(f"it could not be noted: {error.message}")


def _write(content: Content, name: str, text: str) -> Path:
    folder = content.project.migrations_folder
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.now(UTC):%Y%m%d%H%M%S}_{name}.sql"
    path.write_text(text.rstrip() + "\n")
    return path


def _difference(content: Content, settings: Settings, url: str, schema: str) -> str:
    """SQL that makes what the URL names, else the database here, of what the files make."""
    program = _program(content.project.root)
    if settings.database_url:
        fail("the shadow database is made on the embedded server: run this without DATABASE_URL, and name the other"
             " database by --db-url")  # fmt: skip
    with _shadow(content, settings) as (shadow, here), scratch() as folder:
        written = folder / "diff.sql"
        arguments = [program, "db", "diff", "--from", shadow, "--to", url or here, "--output", str(written)]
        done = subprocess.run(
            [*arguments, *(["--schema", schema] if schema else [])],
            capture_output=True,
            text=True,
            cwd=content.project.root,
        )
        found = written.read_text() if written.exists() else ""
    if done.returncode != 0:
        fail(f"the official CLI could not compare: {(done.stderr or done.stdout).strip()}")
    return found


def _program(root: Path) -> str:
    own = root / "node_modules" / ".bin" / TOOL
    found = str(own) if own.exists() else shutil.which(TOOL)
    if found is None:
        fail(MISSING)
    return found


@contextmanager
def _shadow(content: Content, settings: Settings) -> Iterator[tuple[str, str]]:
    """Addresses of a database with the project's migrations and of the gateway's own, both by the port."""
    postgres = EmbeddedPostgres(settings.data_dir)
    own = None if postgres.running else Loopback(settings.data_dir, settings.db_port or 0)
    owner = owner_url(settings, own)
    port = own.port if own is not None else postgres.port
    if port is None:
        fail("the running gateway has no port for its database (GATEWAY_DB_PORT)")
    here = url_of(settings.data_dir, port)
    shadow_owner = postgres.url(database=SHADOW)
    try:
        with SyncConnection(owner) as admin:
            if own is not None:
                own.admit(admin)
            admin.script(f"drop database if exists {SHADOW} with (force)")
            admin.script(f"create database {SHADOW}")
        try:
            _fill(content, settings, shadow_owner)
            yield here.replace("/postgres?", f"/{SHADOW}?"), here
        finally:
            with SyncConnection(owner) as admin:
                admin.script(f"drop database if exists {SHADOW} with (force)")
    except (migrations.SchemaError, ProjectError, DatabaseError) as error:
        fail(f"the shadow database could not be made: {error}")
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")


def _fill(content: Content, settings: Settings, owner: str) -> None:
    with SyncConnection(owner) as connection:
        migrations.migrate(connection, migrations.sets(settings.schema_dir))
        privileges.apply(connection, content.config.default_privileges)
    with SyncConnection(author_url(owner, True)) as author:
        for file in content.project.migrations().files:
            run_file(author, shown_path(content.project.root, file.path), read_sql(file.path), lambda texts: None)
