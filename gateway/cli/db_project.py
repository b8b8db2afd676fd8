"""`gateway db …` where there is a project: reset, push, pull, diff, lint, in the official CLI's words."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated

import typer

from gateway import migrations
from gateway.cli.common import SERVING, connect, fail, owner_url, prepare_logins, project_here
from gateway.cli.db_diff import diff, pull
from gateway.cli.db_lint import lint
from gateway.cli.migration import pending
from gateway.cli.target import DbUrl, target
from gateway.cli.test import db as test_db
from gateway.database import DatabaseError, DatabaseUnavailable, SyncConnection
from gateway.database.embedded import EmbeddedPostgres
from gateway.projects.buckets import fill_when_served
from gateway.projects.content import Content
from gateway.projects.database import Done, apply_all, prepare, put_secrets, run_roles, run_seeds
from gateway.projects.errors import ProjectError
from gateway.projects.login import author_url
from gateway.projects.reset import recreate
from gateway.settings import Settings

Linked = Annotated[bool, typer.Option("--linked", help="The database of `gateway link`")]


def bring_up(owner: str, settings: Settings, content: Content, seed: bool | None) -> list[str]:
    """Bring a database up to the project; the migrations that were applied.

    Raises ProjectError, DatabaseError, DatabaseUnavailable.
    """
    with SyncConnection(owner) as connection, SyncConnection(author_url(owner, not settings.database_url)) as author:
        done = prepare(connection, author, content, print, seed)
    for warning in (*content.config.warnings, *done.warnings):
        print(f"gateway: {warning}", file=sys.stderr)
    if done.failed_seed:
        raise ProjectError(done.failed_seed)
    return done.migrations


def reset_project(settings: Settings, content: Content, seed: bool, version: str, last: int) -> None:
    """Make the database anew, with the project's files."""
    files = content.project.migrations().files
    if last:
        version = files[-last - 1].version if last < len(files) else "0"
    elif version and version not in {file.version for file in files}:
        fail(f"there is no migration {version} in {content.project.migrations_folder}")
    content = replace(content, until=version or None)
    try:
        url = owner_url(settings)
        if settings.database_url:
            with connect(settings) as connection:
                drop_schemas(connection)
        else:
            with SyncConnection(EmbeddedPostgres(settings.data_dir).url(database="template1")) as admin:
                recreate(admin, "postgres")
        with SyncConnection(url) as connection:
            migrations.migrate(connection, migrations.sets(settings.schema_dir))
        bring_up(url, settings, content, seed)
    except (migrations.SchemaError, ProjectError, DatabaseError) as error:
        fail(str(error))
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    if settings.database_url:
        prepare_logins(settings)
    if content.config.buckets and (settings.data_dir / SERVING).exists():  # else the next start does
        fill_when_served(content, settings, url)
    print("Finished: the database is as the project's files say")


def drop_schemas(connection: SyncConnection) -> None:
    """Drop every schema but Postgres' own, and make `public`. Raises DatabaseError."""
    found = connection.rows(
        "select quote_ident(nspname) from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'"
    )
    connection.script("".join(f"drop schema {name} cascade;" for (name,) in found) + "create schema public;")


def add_commands(app: typer.Typer) -> None:
    """Add these commands to `gateway db`."""
    app.command("push")(push)
    app.command("pull")(pull)
    app.command("diff")(diff)
    app.command("lint")(lint)
    app.command("test")(test_db)


def push(
    db_url: DbUrl = "",
    linked: Linked = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be applied")] = False,
    include_all: Annotated[bool, typer.Option("--include-all", help="Also files older than the last applied")] = False,
    include_roles: Annotated[bool, typer.Option("--include-roles", help="Also supabase/roles.sql")] = False,
    include_seed: Annotated[bool, typer.Option("--include-seed", help="Also seeds that were not loaded yet")] = False,
) -> None:
    """Apply the project's pending migrations to a database."""
    content = project_here()
    if not content.config.migrations_enabled:
        fail("migrations are off: [db.migrations] enabled = false")
    done = Done()
    with target(content, db_url, linked) as connection:
        files = pending(connection, content, include_all)
        if dry_run:
            for file in files:
                print(f"Would push {file.path.name}")
            print("Would push nothing." if not files else "DRY RUN: nothing was pushed.")
            return
        try:
            put_secrets(connection, content.config, done)
            if include_roles:
                run_roles(connection, content.project, print)
            apply_all(connection, content.project, files, print, done)
            if include_seed and content.config.seed_enabled:
                run_seeds(connection, content, print, done)
        except (ProjectError, DatabaseError) as error:
            fail(str(error))
    for warning in done.warnings:
        print(f"gateway: {warning}", file=sys.stderr)
    name = "Remote" if db_url or linked else "Local"
    print(f"{name} database is up to date." if not done.migrations and not done.seeds else "Finished gateway db push.")
