"""Applying migrations: in order, once, whole files or nothing, never over something unknown."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gateway import migrations
from gateway.database import SyncConnection
from gateway.migrations import (
    DatabaseNewer,
    FolderError,
    MigrationEdited,
    MigrationFailed,
    SeedFailed,
    SeedUnknown,
    load_migrations,
    seed,
)
from tests.fixtures import schema
from tests.fixtures.db import Server


@pytest.fixture
def empty_url(server: Server) -> Iterator[str]:
    """URL of a database in which nothing was ever migrated."""
    name = f"empty_{os.getpid()}"
    with server.admin() as admin:
        admin.script(f'create database "{name}"')
    yield server.database(name)
    with server.admin() as admin:
        admin.script(f'drop database "{name}" with (force)')


@pytest.fixture
def empty(empty_url: str) -> Iterator[SyncConnection]:
    with SyncConnection(empty_url) as opened:
        yield opened


def migrate(connection: SyncConnection, folder: Path) -> list[str]:
    return migrations.migrate(connection, schema.of_folder(folder))


def pending(connection: SyncConnection, folder: Path) -> list[str]:
    return migrations.pending(connection, schema.of_folder(folder))


def write(folder: Path, **files: str) -> Path:
    """Migration files in a folder; `n0001_first` becomes 0001_first.sql."""
    for name, sql in files.items():
        (folder / f"{name.removeprefix('n')}.sql").write_text(sql)
    return folder


def test_migrations_run_in_the_order_of_their_numbers(empty: SyncConnection, tmp_path: Path) -> None:
    write(
        tmp_path, n0010_second="alter table public.things add size int;", n0002_first="create table public.things ();"
    )
    assert migrate(empty, tmp_path) == ["0002_first.sql", "0010_second.sql"]
    assert empty.rows("select size from public.things") == []


def test_a_second_run_applies_nothing(empty: SyncConnection, tmp_path: Path) -> None:
    write(tmp_path, n0001_first="create table public.things ();")
    migrate(empty, tmp_path)
    assert pending(empty, tmp_path) == []
    assert migrate(empty, tmp_path) == []


def test_pending_names_what_would_run_and_changes_nothing(empty: SyncConnection, tmp_path: Path) -> None:
    write(tmp_path, n0001_first="create table public.things ();", n0002_second="select 1;")
    assert pending(empty, tmp_path) == ["0001_first.sql", "0002_second.sql"]
    assert empty.rows("select to_regclass('public.things'), to_regnamespace('gateway')") == [(None, None)]


def test_a_number_below_the_last_applied_still_runs(empty: SyncConnection, tmp_path: Path) -> None:
    write(tmp_path, n0020_theirs="create table public.theirs ();")
    migrate(empty, tmp_path)
    write(tmp_path, n0005_ours="create table public.ours ();")
    assert migrate(empty, tmp_path) == ["0005_ours.sql"]


def test_an_edited_file_is_refused_by_name(empty: SyncConnection, tmp_path: Path) -> None:
    write(tmp_path, n0001_first="create table public.things ();")
    migrate(empty, tmp_path)
    write(tmp_path, n0001_first="create table public.things (size int);", n0002_second="create table public.more ();")
    with pytest.raises(MigrationEdited, match=r"0001_first\.sql was changed"):
        migrate(empty, tmp_path)
    with pytest.raises(MigrationEdited):
        pending(empty, tmp_path)
    assert empty.rows("select to_regclass('public.more')") == [(None,)]


def test_line_ends_are_no_edit(empty: SyncConnection, tmp_path: Path) -> None:
    (tmp_path / "0001_first.sql").write_bytes(b"select 1;\nselect 2;\n")
    migrate(empty, tmp_path)
    (tmp_path / "0001_first.sql").write_bytes(b"select 1;\r\nselect 2;\r\n")
    assert migrate(empty, tmp_path) == []


def test_a_database_of_a_newer_version_is_refused(empty: SyncConnection, tmp_path: Path) -> None:
    write(tmp_path, n0001_first="select 1;", n0002_second="select 1;", n0003_third="select 1;")
    migrate(empty, tmp_path)
    (tmp_path / "0002_second.sql").unlink()
    (tmp_path / "0003_third.sql").unlink()
    with pytest.raises(DatabaseNewer, match=r"newer version: it has 0002_second\.sql, 0003_third\.sql") as caught:
        migrate(empty, tmp_path)
    assert caught.value.names == ("0002_second.sql", "0003_third.sql")


def test_a_failing_file_leaves_nothing_and_those_before_it_stay(empty: SyncConnection, tmp_path: Path) -> None:
    write(
        tmp_path,
        n0001_first="create table public.things ();",
        n0002_second="create table public.more (); create table public.more ();",
        n0003_third="create table public.most ();",
    )
    with pytest.raises(
        MigrationFailed, match=r"0002_second\.sql failed and was rolled back: .*already exists"
    ) as caught:
        migrate(empty, tmp_path)
    assert caught.value.name == "0002_second.sql"
    assert empty.rows("select to_regclass('public.things') is null, to_regclass('public.more')") == [("f", None)]
    assert pending(empty, tmp_path) == ["0002_second.sql", "0003_third.sql"]

    write(tmp_path, n0002_second="create table public.more ();")
    assert migrate(empty, tmp_path) == ["0002_second.sql", "0003_third.sql"]


def test_several_starters_apply_each_file_once(empty_url: str, tmp_path: Path) -> None:
    # the sleep keeps the first one inside its transaction while the others arrive
    write(
        tmp_path,
        n0001_first="create table public.things (); select pg_sleep(0.2);",
        n0002_second="create table public.more ();",
    )

    def start(_: int) -> list[str]:
        with SyncConnection(empty_url) as opened:
            return migrate(opened, tmp_path)

    with ThreadPoolExecutor(4) as pool:
        applied = [name for names in pool.map(start, range(4)) for name in names]
    assert sorted(applied) == ["0001_first.sql", "0002_second.sql"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["first.sql"], r"first\.sql is not named like 0001_subject\.sql"),
        (["0001_First.sql"], r"0001_First\.sql is not named"),
        (["0001_first.sql", "0001_other.sql"], r"0001_first\.sql and 0001_other\.sql have the same number"),
    ],
    ids=["no number", "capitals", "number used twice"],
)
def test_a_wrong_folder_is_refused(tmp_path: Path, names: list[str], message: str) -> None:
    for name in names:
        (tmp_path / name).write_text("select 1;")
    with pytest.raises(FolderError, match=message):
        load_migrations(tmp_path)


def test_the_ledger_is_closed_to_api_roles(connection: SyncConnection) -> None:
    for role in ("anon", "authenticated", "service_role"):
        assert connection.rows(
            "select has_schema_privilege($1, 'gateway', 'usage'),"
            " has_table_privilege($1, 'gateway.migrations', 'select'),"
            " has_table_privilege($1, 'gateway.application_migrations', 'select')",
            role,
        ) == [("f", "f", "f")]


def test_every_migration_of_the_project_begins_by_saying_why() -> None:
    for files in schema.sets():
        for migration in files.migrations:
            assert migration.sql.startswith("-- "), migration.name


def test_an_unknown_seed_names_the_known_ones(connection: SyncConnection) -> None:
    with pytest.raises(SeedUnknown, match=r"There is no seed 'dmeo'; there are: .*demo"):
        schema.seed(connection, "dmeo")


def test_a_failing_seed_leaves_nothing(connection: SyncConnection, tmp_path: Path) -> None:
    (tmp_path / "broken.sql").write_text(
        "insert into public.blog_posts (title, slug) values ('One', 'one'); insert into public.nothing values (1);"
    )
    with pytest.raises(SeedFailed, match=r"'broken' failed and was rolled back"):
        seed(connection, tmp_path, "broken")
    assert connection.rows("select count(*) from public.blog_posts") == [("0",)]
