"""`gateway import` and `gateway export`: a project moves in, and out again."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from gateway.cli.common import fail, load_settings, owner_url
from gateway.database import DatabaseError, DatabaseUnavailable, SyncConnection
from gateway.operations.transfer import contents, source
from gateway.operations.transfer.dump_text import DumpFault
from gateway.operations.transfer.load import Loaded, LoadFault, load, select
from gateway.operations.transfer.roles import write_roles
from gateway.projects.login import become_author
from gateway.projects.privileged import rewritten
from gateway.settings import Settings
from gateway.system.scratch import scratch

FAULTS: Final = (LoadFault, DumpFault, DatabaseError, OSError)
# Elsewhere who logs in is the owner of all there is.
AUTHOR_OWNS: Final = (
    "select coalesce((select has_database_privilege(oid, current_database(), 'create') from pg_roles"
    " where rolname = 'postgres'), false)"
)
SCHEMA, ROWS = "schema.sql", "data.sql"

DbUrl = Annotated[str | None, typer.Option("--db-url", metavar="URL", help="The other project's database")]
Endpoint = Annotated[
    str | None,
    typer.Option(
        "--s3-endpoint",
        metavar="URL",
        help="The other project's S3 endpoint, for its files; keys by AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY",
    ),
]
Region = Annotated[str, typer.Option("--s3-region", help="The region that the other project's S3 settings name")]


def import_command(
    dumps: Annotated[
        list[Path] | None,
        typer.Argument(help="Dumps in their order: roles, schema, data, or one of everything", metavar="FILE …"),
    ] = None,
    db_url: DbUrl = None,
    data_only: Annotated[bool, typer.Option("--data-only", help="Rows alone; migrations have made the tables")] = False,
    s3_endpoint: Endpoint = None,
    s3_region: Region = "us-east-1",
) -> None:
    """Move a project in: roles, schemas, users, rows, policies, triggers: all of it, or nothing. Then its files."""
    if (dumps and db_url) or not (dumps or db_url or s3_endpoint):
        fail("name the dumps to load, the database by --db-url, or an S3 endpoint to get files from")
    settings = load_settings()
    target = owner_url(settings)
    with ExitStack() as stack:
        left = contents.Left()
        if db_url:
            dumps, left = _dump(db_url, stack.enter_context(scratch()))
        if dumps:
            _tell(_load(target, dumps, data_only))
    if db_url:
        _compare(db_url, target)
    _tell_left(left)
    if s3_endpoint:
        _move_files(settings, target, s3_endpoint, s3_region, out=False)


def export_command(
    folder: Annotated[
        Path | None, typer.Argument(help=f"Folder that gets {SCHEMA} and {ROWS}", metavar="FOLDER")
    ] = None,
    db_url: DbUrl = None,
    s3_endpoint: Endpoint = None,
    s3_region: Region = "us-east-1",
) -> None:
    """Move this project out: into two files that any project loads, or into another project at once."""
    if (folder and db_url) or not (folder or db_url or s3_endpoint):
        fail("name a folder for the dumps, the database to fill by --db-url, or an S3 endpoint to bring files to")
    settings = load_settings()
    url = owner_url(settings)
    if folder or db_url:
        with scratch() as place:
            dumps, left = _dump(url, place)
            if folder is not None:
                _write(url, dumps, folder)
            else:
                _tell(_load(db_url or "", dumps, False))
                _compare(url, db_url or "")
        _tell_left(left)
    if s3_endpoint:
        _move_files(settings, url, s3_endpoint, s3_region, out=True)


def _dump(url: str, place: Path) -> tuple[list[Path], contents.Left]:
    try:
        with SyncConnection(url) as connection:
            left = contents.left_behind(connection)
            write_roles(connection, place / "roles.sql")
        source.dump(url, place / "all.sql")
        return [place / "roles.sql", place / "all.sql"], left
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    except FAULTS as error:
        fail(str(error))


def _load(url: str, dumps: Sequence[Path], data_only: bool) -> Loaded:
    try:
        with SyncConnection(url) as connection:
            if connection.rows(AUTHOR_OWNS) == [("t",)]:
                become_author(connection)  # what a dump makes without naming an owner is no superuser's
            return load(connection, dumps, data_only=data_only, as_calls=rewritten)
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    except DatabaseError as error:
        fail(f"nothing was loaded: {error.message}")
    except FAULTS as error:
        fail(str(error))


def _write(url: str, dumps: Sequence[Path], folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in ((SCHEMA, False), (ROWS, True)):
            with SyncConnection(url) as connection:
                select(dumps, contents.elsewhere(connection), folder / name, rows=rows)
            (folder / name).chmod(0o600)
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    except FAULTS as error:
        fail(str(error))
    print(f"{folder / SCHEMA} and {folder / ROWS}: load them in this order, in one transaction")


def _tell(report: Loaded) -> None:
    for note in report.notes:
        print(f"note: {note}")
    for table, rows in sorted(report.rows.items()):
        if rows:
            print(f"{rows:>12,}  {table}")
    print(f"{sum(report.rows.values()):>12,}  rows in all, {report.run} statements")


def _tell_left(left: contents.Left) -> None:
    for kind, names in (("secrets of the vault", left.secrets), ("scheduled jobs", left.jobs), ("queues", left.queues)):
        if names:
            print(f"not carried: {kind}: {', '.join(names)}")


def _compare(source_url: str, target_url: str) -> None:
    """Every table of the source has as many rows at the target; ends with status 1 where one has not."""
    try:
        with SyncConnection(source_url) as connection:
            expected = contents.rows_of(connection)
        with SyncConnection(target_url) as connection:
            there = contents.rows_of(connection)
    except DatabaseUnavailable as error:
        fail(f"the rows could not be counted again: {error.reason}")
    except DatabaseError as error:
        fail(f"the rows could not be counted again: {error.message}")
    differing = [
        f"{table}: {count:,} at the source, {there.get(table, 0):,} at the target"
        for table, count in expected.items()
        if there.get(table, 0) != count
    ]
    if differing:
        fail(
            "\ngateway: ".join(["loaded, but the source was written to meanwhile, or the target had rows:", *differing])
        )
    print(f"{len(expected)} tables have as many rows as their source")


def _move_files(settings: Settings, url: str, endpoint: str, region: str, *, out: bool) -> None:
    from gateway.operations.transfer import objects  # loads the S3 library
    from gateway.storage.compose import blob_store

    keys = os.environ.get("AWS_ACCESS_KEY_ID", ""), os.environ.get("AWS_SECRET_ACCESS_KEY", "")
    if not all(keys):
        fail("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to the other project's S3 keys")
    place = objects.Place(endpoint, region, *keys)
    try:
        with SyncConnection(url) as connection:
            files = objects.rows(connection)
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")

    async def move() -> Any:
        store = blob_store(settings)
        try:
            return await (objects.send if out else objects.bring)(files, place, store, told)
        finally:
            await store.close()

    def told(moved: Any) -> None:
        if sys.stderr.isatty():
            done = moved.files + moved.there + len(moved.failed)
            print(f"\r{done:,} of {len(files):,} files", end="", file=sys.stderr, flush=True)

    moved = asyncio.run(move())
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print(f"{moved.files:,} files moved, {moved.bytes:,} bytes; {moved.there:,} were there already")
    if moved.failed:
        fail("\ngateway: ".join([f"{len(moved.failed):,} files did not move; run it again:", *moved.failed[:20]]))
