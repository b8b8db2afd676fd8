"""Dumps in every shape that projects come with: each sample moves in from each, with the same rows and its sign-ups."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gateway import migrations
from gateway.database import SyncConnection
from gateway.operations.transfer import contents
from gateway.operations.transfer.load import Loaded, load
from gateway.projects.login import become_author
from gateway.projects.privileged import rewritten
from tests.fixtures.db import Server, clone
from tests.projects import dumps
from tests.projects.conftest import Database
from tests.projects.sample_projects import SIGN_UPS, loaded, sign_up

SHAPES: dict[str, Callable[[str, Path], list[Path]]] = {
    "of the CLI, as inserts": lambda url, folder: dumps.by_the_cli(url, folder, copy=False),
    "of the CLI, as copies": lambda url, folder: dumps.by_the_cli(url, folder, copy=True, managed=True),
    "of everything, by pg_dump 18": lambda url, folder: dumps.whole(url, folder, 18),
    "of everything, by pg_dump 17": lambda url, folder: dumps.whole(url, folder, 17),
    "of everything, by pg_dump 15": lambda url, folder: dumps.whole(url, folder, 15),
}
# Each shape is tried with the sample that has the most; of the others these.
USUAL = ("of the CLI, as copies", "of everything, by pg_dump 18")


@pytest.fixture(scope="module")
def server(own_server: Server) -> Server:
    """Dumps hold every role of the server, and the run's has those of every module before."""
    return own_server


@pytest.fixture(scope="module")
def platform_template(server: Server) -> str:
    """Name of a database with the gateway's own migrations, at that server."""
    name = f"platform_{os.getpid()}"
    with server.admin() as admin:
        admin.script(f'create database "{name}"')
    with SyncConnection(server.database(name)) as connection:
        migrations.migrate(connection, (migrations.platform(),))
    return name


@pytest.fixture
def target(server: Server, platform_template: str) -> Iterator[Callable[[], str]]:
    """Makes an empty project and says its address."""
    made: list[str] = []

    def make() -> str:
        made.append(f"dumped_{os.getpid()}_{len(made)}")
        with server.admin() as admin:
            admin.script(clone(made[-1], platform_template))
            admin.script(f'alter database "{made[-1]}" owner to postgres')
        return server.database(made[-1])

    yield make
    with server.admin() as admin:
        for name in made:
            admin.script(f'drop database "{name}" with (force)')


def move_in(url: str, files: list[Path]) -> Loaded:
    with SyncConnection(url) as connection:
        become_author(connection)
        return load(connection, files, as_calls=rewritten)


def rows(connection: SyncConnection) -> dict[str, int]:
    """Rows of every table that moves; the official dumps have none of the ledger."""
    return {
        table: count
        for table, count in contents.rows_of(connection).items()
        if not table.startswith("supabase_migrations.")
    }


@pytest.mark.parametrize("name", SIGN_UPS)
def test_a_sample_moves_in_from_dumps_of_every_shape(
    name: str, database: Database, target: Callable[[], str], tmp_path: Path
) -> None:
    with loaded(database, name, tmp_path / "project"):
        sign_up(database)
        database.script(
            "insert into storage.buckets (id, name) values ('moved', 'moved');"
            " insert into storage.objects (bucket_id, name, metadata) values ('moved', 'a/b.png', '{\"size\": 1}')"
        )
        before = rows(database)
        sign_up(database, "cy")
        expected = rows(database)
        of_a_sign_up = {table: count - before[table] for table, count in expected.items()}
        for shape, dump in SHAPES.items():
            if shape not in USUAL and name not in ("kinds", "todo"):
                continue
            folder, url = tmp_path / shape, target()
            folder.mkdir()
            report = move_in(url, dump(database.address, folder))
            with SyncConnection(url) as connection:
                assert rows(connection) == expected, shape
                lost = [note for note in report.notes if note.startswith("no trigger calls")]
                is_told = shape == "of the CLI, as inserts"
                assert bool(lost) is is_told, (shape, report.notes)
                sign_up(connection, "bea")
                grown = {table: count - expected[table] for table, count in rows(connection).items()}
                assert is_told or grown == of_a_sign_up, shape
                connection.script(f"drop owned by reporter_of_{name}" if name in ("kinds", "teams") else "")


def test_columns_that_the_platform_has_no_longer_are_left_out(
    database: Database, target: Callable[[], str], tmp_path: Path
) -> None:
    """Storage had `level` for half a year, and a table of prefixes; auth filled columns that it makes now."""
    made = tmp_path / "data.sql"
    made.write_text(
        "SET session_replication_role = replica;\n"
        'INSERT INTO "auth"."users" ("id", "email", "confirmed_at", "aud") VALUES\n'
        "\t('11111111-1111-1111-1111-111111111111', 'a@example.com', '2021-01-01', 'authenticated');\n"
        'COPY "storage"."buckets" ("id", "name", "public") FROM stdin;\na\ta\tt\n\\.\n'
        'COPY "storage"."objects" ("id", "bucket_id", "name", "level", "metadata") FROM stdin;\n'
        "22222222-2222-2222-2222-222222222222\ta\tx/y\t2\t{}\n"
        "33333333-3333-3333-3333-333333333333\ta\tx/z\t\\N\t{}\n\\.\n"
        'COPY "storage"."prefixes" ("bucket_id", "name", "created_at", "updated_at") FROM stdin;\na\tx\t\\N\t\\N\n\\.\n'
        'INSERT INTO "storage"."objects" ("id", "bucket_id", "name", "level") VALUES\n'
        "\t('44444444-4444-4444-4444-444444444444', 'a', 'w', 1);\n"
        "RESET ALL;\n"
    )
    url = target()
    report = move_in(url, [made])
    assert report.rows["storage.objects"] == 3
    assert sum("storage.objects has no level here" in note for note in report.notes) == 1
    with SyncConnection(url) as connection:
        assert connection.rows("select name from storage.objects order by 1") == [("w",), ("x/y",), ("x/z",)]
        assert connection.rows("select email from auth.users") == [("a@example.com",)]
