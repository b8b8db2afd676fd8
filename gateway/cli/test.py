"""`gateway test …`: the project's pgTAP suites, as the official CLI runs them, without a container."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer

from gateway.cli.common import fail, load_settings, owner_url, project_here
from gateway.cli.target import DbUrl, linked_url
from gateway.database import DatabaseError, DatabaseUnavailable, SyncConnection, command_line
from gateway.database.embedded import EmbeddedError, client_program
from gateway.projects.apply import shown_path
from gateway.projects.content import Content
from gateway.projects.login import author_url, become_author
from gateway.projects.tap import line_of, read, summary

test_app = typer.Typer(help="Tests of the project's database.", no_args_is_help=True)
SUITES: Final = (".sql", ".pg")
# What pg_prove gives psql.
PSQL: Final = (
    "--no-psqlrc", "--no-align", "--quiet", "--pset", "pager=off", "--pset", "tuples_only=true",
    "--set", "ON_ERROR_STOP=1",
)  # fmt: skip
NEW: Final = """begin;
select plan(1);

select ok(true, 'a first test');

select * from finish();
rollback;
"""


@test_app.command("db")
def db(
    paths: Annotated[list[Path] | None, typer.Argument(help="Files or folders in place of supabase/tests")] = None,
    db_url: DbUrl = "",
    linked: Annotated[bool, typer.Option("--linked", help="The database of `gateway link`")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print each test")] = False,
) -> None:
    """Run the suites of supabase/tests by psql, with pgTAP, and report as pg_prove does."""
    content = project_here()
    files = tuple(_files(content, paths or [content.project.folder / "tests"]))
    if not files:
        fail(f"there are no tests in {content.project.folder / 'tests'}: `gateway test new NAME` begins one")
    settings = load_settings()
    url = db_url or (linked_url(content) if linked else "")
    if not url:
        url = author_url(owner_url(settings), not settings.database_url)
    try:
        program = client_program("psql", url)
        with SyncConnection(url) as connection:
            become_author(connection)
            is_new = connection.rows("select 1 from pg_extension where extname = 'pgtap'") == []
            if is_new:
                connection.script("create extension pgtap with schema extensions")
            try:
                passed = _run(program, url, content.project.root, files, verbose)
            finally:
                if is_new:
                    connection.script("drop extension if exists pgtap")
    except (DatabaseError, EmbeddedError) as error:
        fail(f"pgtap: {error.message}" if isinstance(error, DatabaseError) else str(error))
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    if not passed:
        raise SystemExit(1)


@test_app.command("new")
def new(name: Annotated[str, typer.Argument(help="What it tests, a few words")]) -> None:
    """Begin `supabase/tests/NAME_test.sql`."""
    content = project_here()
    slug = re.sub(r"[^A-Za-z0-9_-]+", "_", name.strip()).strip("_")
    if not slug:
        fail("a test needs a name of letters or digits")
    path = content.project.folder / "tests" / f"{slug}_test.sql"
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        fail(f"{path} is there already")
    path.write_text(NEW)
    print(f"Created new test at {path.relative_to(content.project.root)}")


def _files(content: Content, paths: list[Path]) -> Iterator[Path]:
    """The suites, folders searched through, in the order of their names."""
    for path in paths:
        if path.is_dir():
            yield from sorted(each for each in path.rglob("*") if each.suffix in SUITES and each.is_file())
        elif path.is_file():
            yield path
        elif paths != [content.project.folder / "tests"]:
            fail(f"{path}: there is no such file or folder")


def _run(program: Path, url: str, root: Path, files: tuple[Path, ...], verbose: bool) -> bool:
    """Run each file in a session of its own, and say what came of it; whether all passed."""
    database, secret = command_line(url)
    environ = {**os.environ, **secret, "PGAPPNAME": "gateway test"}
    names = [shown_path(root, path) for path in files]
    width = max(map(len, names))
    begun = time.monotonic()
    outcomes = []
    for name, path in zip(names, files, strict=True):
        done = subprocess.run(
            [str(program), *PSQL, "--file", str(path.resolve()), database],
            cwd=root,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        if verbose:
            print(done.stdout, end="")
        outcomes.append(read(name, done.stdout.splitlines(), done.returncode))
        print(line_of(outcomes[-1], width), flush=True)
    for line in summary(outcomes, time.monotonic() - begun):
        print(line)
    return all(outcome.passed for outcome in outcomes)
