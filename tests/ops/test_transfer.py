"""A project moves in from dumps and databases, and out again, with all that is its own."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from gateway import migrations
from gateway.database import SyncConnection
from gateway.operations.transfer.rules import HELPERS, PLATFORM
from tests.fixtures.db import Server, clone
from tests.fixtures.server import LiveGateway, environment, start_gateway

USER = "11111111-1111-1111-1111-111111111111"
PROJECT = (Path(__file__).parent / "project.sql").read_text()


@dataclass(frozen=True)
class Place:
    """A database with the platform's schema, and the command line on it."""

    url: str
    folder: Path

    def sql(self, text: str) -> list[tuple[str | None, ...]]:
        with SyncConnection(self.url) as connection:
            return connection.rows(text)

    def script(self, text: str) -> None:
        with SyncConnection(self.url) as connection:
            connection.script(text)

    def run(self, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gateway", *arguments],
            env={**environment(self.url, self.folder), "GATEWAY_SCHEMA_DIR": str(self.folder / "none"), **more},
            capture_output=True,
            text=True,
        )

    def does(self, *arguments: str, **more: str) -> str:
        done = self.run(*arguments, **more)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def empty(own_server: Server) -> Iterator[str]:
    """Name of a database with the platform's schema alone."""
    name = f"transfer_{os.getpid()}"
    with own_server.admin() as admin:
        admin.script(f'create database "{name}" owner postgres')
    with SyncConnection(own_server.database(name)) as connection:
        migrations.migrate(connection, (migrations.platform(),))
    yield name
    with own_server.admin() as admin:
        admin.script(f'drop database "{name}" with (force)')


@pytest.fixture
def place(own_server: Server, empty: str, tmp_path: Path) -> Iterator[Callable[[], Place]]:
    made: list[str] = []

    def make() -> Place:
        name = f"place_{uuid4().hex[:10]}"
        made.append(name)
        with own_server.admin() as admin:
            admin.script(clone(name, empty) + " owner postgres")
        folder = tmp_path / name
        folder.mkdir()
        return Place(own_server.database(name), folder)

    yield make
    with own_server.admin() as admin:
        for name in made:
            admin.script(f'drop database if exists "{name}" with (force)')


@pytest.fixture
def project(place: Callable[[], Place]) -> Place:
    """One with rows in it."""
    made = place()
    made.script(PROJECT)
    return made


def is_whole(there: Place) -> None:
    """Everything that project.sql made is there and works."""
    assert there.sql("select body from app.notes order by id") == [
        ("a;b",), ("tab\tand \\ backslash",), (None,), ("quote ' \" $$ ",), ("line\nbreak\n\\.\nend",),
    ]  # fmt: skip
    assert there.sql("insert into app.notes (body) values ('next') returning id") == [("6",)]
    assert there.sql("select name, feeling from public.profiles") == [("Ada", "ok")]
    assert there.sql("select email, encrypted_password, confirmed_at is not null from auth.users") == [
        ("ada@example.com", "$2a$10$hash", "t")
    ]
    assert there.sql("select provider, email from auth.identities") == [("email", "ada@example.com")]
    assert there.sql("select policyname from pg_policies where schemaname in ('storage', 'public') order by 1") == [
        ("Avatars; are public",), ("own; rows",),
    ]  # fmt: skip
    assert there.sql("select tablename from pg_publication_tables where pubname = 'supabase_realtime'") == [("notes",)]
    assert there.sql("select relrowsecurity from pg_class where oid = 'public.profiles'::regclass") == [("t",)]
    assert there.sql("select has_table_privilege('anon', 'public.profiles', 'select')") == [("t",)]
    assert there.sql("select public.atomic(2), obj_description('app.notes'::regclass)") == [("3", "Notes; all")]
    assert there.sql(
        "select distinct relowner::regrole::text from pg_class where relnamespace in ('app'::regnamespace,"
        " 'public'::regnamespace) union select proowner::regrole::text from pg_proc where proname = 'handle_new_user'"
    ) == [("postgres",)]
    # the trigger on auth.users still makes a profile of who signs up
    there.script(
        "insert into auth.users (id, email, raw_user_meta_data)"
        " values ('22222222-2222-2222-2222-222222222222', 'b@example.com', '{\"name\": \"Bea\"}')"
    )
    assert there.sql("select name from public.profiles order by 1") == [("Ada",), ("Bea",)]


def test_a_database_moves_in_whole_and_a_second_run_says_what_is_there(
    project: Place, place: Callable[[], Place]
) -> None:
    here = place()
    said = here.does("import", "--db-url", project.url)
    assert "1  public.profiles" in said and "tables have as many rows as their source" in said
    again = here.run("import", "--db-url", project.url)
    assert again.returncode == 1
    assert "there already: rows of app.notes, rows of auth.identities, rows of auth.users" in again.stderr
    is_whole(here)


def test_what_moved_out_moves_in_again_as_files(project: Place, place: Callable[[], Place], tmp_path: Path) -> None:
    here, out = place(), tmp_path / "out"
    project.does("export", str(out))
    assert sorted(path.name for path in out.iterdir()) == ["data.sql", "schema.sql"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in out.iterdir())
    here.does("import", str(out / "schema.sql"), str(out / "data.sql"))
    is_whole(here)


def test_what_moved_out_is_loaded_by_psql_alone(project: Place, place: Callable[[], Place], tmp_path: Path) -> None:
    here, out = place(), tmp_path / "out"
    project.does("export", str(out))
    loaded = ["db", "psql", "-v", "ON_ERROR_STOP=1", "--single-transaction", "-q"]
    here.does(*loaded, "-f", str(out / "schema.sql"), "-f", str(out / "data.sql"))
    is_whole(here)


def test_a_project_moves_straight_into_another_one(project: Place, place: Callable[[], Place]) -> None:
    there = place()
    assert "tables have as many rows as their source" in project.does("export", "--db-url", there.url)
    is_whole(there)


@pytest.mark.parametrize("kind", ["plain", "packed", "inserts"])
def test_a_dump_of_everything_moves_in(project: Place, place: Callable[[], Place], tmp_path: Path, kind: str) -> None:
    """As pg_dump writes it, the platform's own tables and all."""
    here, path = place(), tmp_path / "all.sql"
    more = ["--inserts", "--rows-per-insert=2", "--column-inserts"] if kind == "inserts" else []
    project.does("db", "dump", f"--file={path}", *more)
    if kind == "packed":
        path = tmp_path / "all.sql.gz"
        path.write_bytes(gzip.compress((tmp_path / "all.sql").read_bytes()))
    here.does("import", str(path))
    is_whole(here)


def test_a_data_dump_moves_into_tables_that_migrations_made(
    project: Place, place: Callable[[], Place], tmp_path: Path
) -> None:
    here, out = place(), tmp_path / "out"
    here.script(PROJECT)
    here.script("set session_replication_role = replica; delete from auth.users; delete from auth.identities;")
    here.script(
        "truncate app.notes, public.profiles; set session_replication_role = replica; delete from storage.buckets"
    )
    project.does("export", str(out))
    here.does("import", "--data-only", str(out / "data.sql"))
    is_whole(here)


def test_one_statement_that_fails_leaves_nothing(project: Place, place: Callable[[], Place], tmp_path: Path) -> None:
    here, out = place(), tmp_path / "out"
    project.does("export", str(out))
    with (out / "data.sql").open("a") as file:
        file.write("INSERT INTO app.notes (nothing) VALUES (1);\n")
    lines = len((out / "data.sql").read_text().splitlines())
    done = here.run("import", str(out / "schema.sql"), str(out / "data.sql"))
    assert done.returncode == 1
    assert f'data.sql, line {lines}: column "nothing" of relation "notes" does not exist' in done.stderr
    assert here.sql("select to_regnamespace('app'), (select count(*) from auth.users)") == [(None, "0")]


def test_a_dump_reaches_no_command_of_psql_and_no_superuser(place: Callable[[], Place], tmp_path: Path) -> None:
    path, mark = tmp_path / "dump.sql", tmp_path / "mark"
    path.write_text(
        f"\\! touch {mark}\n"
        "create table public.who as select current_user::text as name;\n"
        "create function public.f() returns text language sql security definer as $$ select current_user::text $$;\n"
    )
    here = place()
    here.does("import", str(path))
    assert not mark.exists()
    assert here.sql("select name, public.f() from public.who") == [("postgres", "postgres")]
    path.write_text(f"copy public.who to program 'touch {mark}';\n")
    refused = here.run("import", str(path))
    assert refused.returncode == 1 and "line 1: permission denied" in refused.stderr
    path.write_text(f"select 1 \\! touch {mark}\n;\n")
    assert here.run("import", str(path)).returncode == 1
    assert not mark.exists()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"PGDMP\x01\x0e", "pg_dump's own format"),
        (b"COPY app.notes (body) FROM stdin;\nx\n", "cut off"),
        (gzip.compress(b"select 1;" * 5000)[:40], "cut off"),
        (b"select '\xff\xfe';\n", "no UTF-8"),
    ],
    ids=["custom", "cut", "packed and cut", "bytes"],
)
def test_a_file_that_is_no_dump_says_so(
    place: Callable[[], Place], tmp_path: Path, content: bytes, reason: str
) -> None:
    path = tmp_path / "dump.sql"
    path.write_bytes(content)
    done = place().run("import", str(path))
    assert done.returncode == 1 and reason in done.stderr and "Traceback" not in done.stderr


def test_every_schema_and_function_of_the_platform_is_known(place: Callable[[], Place]) -> None:
    """What is new in the platform would move as if it were a project's."""
    here = place()
    schemas = {row[0] for row in here.sql("select nspname from pg_namespace where nspname !~ '^pg_'")}
    assert schemas - {"public"} <= PLATFORM
    functions = {row[0] for row in here.sql("select proname from pg_proc where pronamespace = 'auth'::regnamespace")}
    assert functions <= HELPERS
    assert "0  rows in all" in here.does("export", "--db-url", place().url)


@pytest.fixture
def serving(project: Place) -> Iterator[LiveGateway]:
    running = start_gateway(project.url, project.folder, extra={"GATEWAY_SCHEMA_DIR": str(project.folder / "none")})
    yield running
    running.stop()


def test_files_move_by_the_s3_protocol(project: Place, serving: LiveGateway, place: Callable[[], Place]) -> None:
    names = ["plain.txt", "in/a folder/its & (name)'s.bin", "empty"]
    contents = {name: os.urandom(300_000) if "folder" in name else name.encode() * (name != "empty") for name in names}
    with httpx.Client(base_url=f"{serving.url}/storage/v1/object/avatars/", timeout=30) as client:
        for name, content in contents.items():
            sent = client.post(
                httpx.URL(client.base_url).copy_with(raw_path=b"/storage/v1/object/avatars/" + quote(name)),
                content=content,
                headers={"authorization": f"Bearer {serving.secret_key}", "content-type": "text/plain"},
            )
            assert sent.status_code == 200, sent.text
    pair = json.loads(project.does("keys", "create", "move", "--s3", "--json"))
    keys = {"AWS_ACCESS_KEY_ID": pair["access_key_id"], "AWS_SECRET_ACCESS_KEY": pair["secret_access_key"]}
    endpoint = f"{serving.url}/storage/v1/s3"
    here = place()
    here.does("import", "--db-url", project.url)
    assert "3 files moved, 300,009 bytes; 0 were there already" in here.does(
        "import", "--s3-endpoint", endpoint, **keys
    )
    assert "0 files moved, 0 bytes; 3 were there already" in here.does("import", "--s3-endpoint", endpoint, **keys)
    for stored, version in here.sql("select name, version from storage.objects"):
        (path,) = (here.folder / "storage").rglob(str(version))
        assert hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(contents[str(stored)]).digest()


def quote(name: str) -> bytes:
    from urllib.parse import quote

    return quote(name).encode()
