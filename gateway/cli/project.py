"""`gateway project …`: what a folder with `supabase/` brings."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import Annotated

import typer

from gateway.cli.common import connect, fail, load_settings, project_here
from gateway.database import DatabaseError
from gateway.operations.extensions import expected
from gateway.operations.refused_calls import refused_calls
from gateway.projects import ledger
from gateway.projects.content import Content
from gateway.projects.database import read_sql
from gateway.projects.errors import ProjectError

project_app = typer.Typer(
    help="The project in this folder: config.toml, migrations, seeds, buckets.", no_args_is_help=True
)


@project_app.callback()
def group() -> None:
    """The project in this folder."""


@project_app.command("check")
def check(as_json: Annotated[bool, typer.Option("--json", help="For scripts")] = False) -> None:
    """Say what of config.toml is taken, what is ignored and why, and what of the files is skipped."""
    content = project_here()
    project, config = content.project, content.config
    found = project.migrations()
    skipped = list(found.skipped)
    for pattern, paths in project.matches(config.seed_paths):
        if paths is None and pattern != "./seed.sql":
            skipped.append(f"no seed file matches {pattern}")
    settings = load_settings()
    overruled = {
        taken.key: taken.variable
        for taken in config.taken
        if any(taken.variable in row.metadata["names"] and row.name in settings.given for row in fields(settings))
    }
    texts = [(file.path.name, read_sql(file.path)) for file in found.files]
    asked = expected((text for _, text in texts), is_embedded=not settings.database_url)
    refused = [] if settings.database_url else list(refused_calls(texts))
    if as_json:
        print(
            json.dumps(
                {
                    "project_id": config.project_id,
                    "folder": str(project.folder),
                    "migrations": [file.path.name for file in found.files],
                    "taken": {taken.key: taken.value for taken in config.taken},
                    "overruled": overruled,
                    "ignored": config.ignored,
                    "warnings": [*config.warnings, *skipped],
                    "extensions": asked,
                    "refused": [asdict(call) for call in refused],
                    "functions": sorted(config.functions),
                    "buckets": [bucket.name for bucket in config.buckets],
                },
                indent=2,
            )
        )
        return
    print(f"{config.project_id}  {project.folder}")
    print(f"\nFiles: {len(found.files)} migrations, {_seeds(content)} seeds")
    print("\nTaken from config.toml:")
    for taken in sorted(config.taken, key=lambda taken: taken.key):
        note = "  (the environment says otherwise)" if taken.key in overruled else ""
        print(f"  {taken.key} = {taken.value or '(empty)'}{note}")
    for name in sorted(config.functions):
        print(f"  functions.{name}")
    for bucket in config.buckets:
        print(f"  storage.buckets.{bucket.name}")
    if config.vault:
        print(f"  db.vault: {', '.join(sorted(config.vault))}")
    print(f"  new tables and functions of public: {config.default_privileges}")
    if asked:
        print("\nExtensions that migrations ask for:")
        for name, kind in asked.items():
            print(f"  {name}: {kind}")
    if refused:
        print("\nWhat the embedded Postgres cannot do, and what to do instead:")
        for call in refused:
            print(f"  {call}")
    if config.ignored:
        print("\nIgnored, and why:")
        for key, reason in sorted(config.ignored.items()):
            print(f"  {key}: {reason}")
    for warning in (*config.warnings, *skipped):
        print(f"\nWarning: {warning}", end="")
    print()


@project_app.command("status")
def status() -> None:
    """Compare the files with what the database has."""
    content = project_here()
    files = content.project.migrations().files
    with connect(load_settings()) as connection:
        try:
            compared = ledger.compare(files, ledger.versions(connection))
        except (DatabaseError, ProjectError) as error:
            fail(str(error))
    print(f"{len(files)} files, {len(compared.pending)} pending")
    for name, rows in (
        ("pending", [file.path.name for file in compared.pending]),
        ("left behind", [file.path.name for file in compared.between]),
        ("without a file", compared.unknown),
    ):
        for row in rows:
            print(f"  {name:<14} {row}")


def _seeds(content: Content) -> int:
    return sum(len(paths or ()) for _, paths in content.project.matches(content.config.seed_paths))
