"""Who a project is in its database: what its migrations may do, and what they cannot take from the platform."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gateway import migrations
from gateway.database import SyncConnection
from gateway.database.cluster import SUPERUSER
from gateway.database.embedded import EmbeddedPostgres, programs
from tests.fixtures.db import Server
from tests.projects.databases import database, embedded, refused, rolled_back


@pytest.fixture(scope="module")
def owner(server: Server) -> Iterator[SyncConnection]:
    """A session of the project's own role."""
    with (
        embedded(server) as ours,
        database(ours) as name,
        SyncConnection(ours.database(name, "postgres")) as connection,
    ):
        yield connection


@pytest.fixture
def project(owner: SyncConnection) -> Iterator[SyncConnection]:
    with rolled_back(owner):
        yield owner


def test_the_projects_role_is_no_superuser_and_owns_the_database(project: SyncConnection) -> None:
    assert project.rows(
        "select session_user, rolsuper, rolcreaterole, rolbypassrls, rolreplication"
        " from pg_roles where rolname = session_user"
    ) == [("postgres", "f", "t", "t", "t")]
    assert project.rows("select datdba::regrole from pg_database where datname = current_database()") == [("postgres",)]


def test_the_platforms_schemas_are_the_superusers(project: SyncConnection) -> None:
    """What drops all that a project's role owns, as the official reset does, spares them."""
    assert project.rows(
        "select nspname from pg_namespace where nspowner::regrole::text <> 'supabase_admin' and nspname !~ '^pg_'"
        " and nspname <> 'information_schema' order by 1"
    ) == [("extensions",), ("public",), ("supabase_functions",)]
    assert project.rows("select count(*) from pg_policies") == [("0",)]


ALLOWED = {
    "a trigger on users": "create function public.f() returns trigger language plpgsql as 'begin return new; end';"
    "create trigger t after insert on auth.users for each row execute function public.f();"
    "drop trigger t on auth.users",
    "policies of storage": "create policy p on storage.objects for select using (bucket_id = 'a' and auth.uid()::text ="
    " (storage.foldername(name))[1]); alter policy p on storage.objects to authenticated;"
    "drop policy p on storage.objects",
    "policies of buckets": "create policy p on storage.buckets for all to authenticated using (true)",
    "row security that is on": "alter table storage.objects enable row level security",
    "a reference to users": "create table public.t (id uuid primary key references auth.users (id) on delete cascade)",
    "buckets": "insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)"
    " values ('a', 'a', true, 1, '{image/png}') on conflict (id) do nothing",
    "a user": "insert into auth.users (id, email, encrypted_password) values (gen_random_uuid(), 'a@b.c',"
    " extensions.crypt('pw', extensions.gen_salt('bf', 4)))",
    "functions of auth": "create function auth.tenant() returns text language sql as 'select null'",
    "realtime": "create table public.t (); alter publication supabase_realtime add table public.t",
    "the publication anew": "drop publication if exists supabase_realtime; create publication supabase_realtime",
    "a role's timeout": "alter role anon set statement_timeout = '5s'",
    "settings of the API": "alter role authenticator set pgrst.db_schemas = 'public, api'",
    "settings of old guides": "alter database {database} set app.settings.jwt_secret = 'x'",
    "roles": "create role reader; grant reader to authenticator; grant anon to reader",
    "replica mode": "set session_replication_role = replica",
    "dumps of public": "comment on schema public is 'x'; alter schema public owner to postgres;"
    " revoke usage on schema public from public",
    "defaults": "alter default privileges for role postgres in schema public grant all on tables to anon",
    "grants in storage": "grant usage on schema storage to anon; grant all on storage.objects to anon",
    "a server": "create extension postgres_fdw; create server s foreign data wrapper postgres_fdw",
    "comments on what was there": "comment on extension pgcrypto is 'x'",
    "emptying auth": "truncate auth.users cascade",
}


@pytest.mark.parametrize("sql", ALLOWED.values(), ids=ALLOWED)
def test_a_migration_may(project: SyncConnection, sql: str) -> None:
    ((name,),) = project.rows("select current_database()")
    project.script(sql.replace("{database}", str(name)))


REFUSED = {
    "become the superuser": "set role supabase_admin",
    "be made one": "alter role postgres superuser",
    "make one": "create role mine superuser",
    "take the platform's schema": "drop schema gateway cascade",
    "take a service's schema": "drop schema auth cascade",
    "read the machine": "select pg_read_file('/etc/passwd')",
    "run a program": "copy (select 1) to program 'true'",
    "write a file": "copy (select 1) to '/tmp/none'",
    "grant itself programs": "grant pg_execute_server_program to postgres",
    "load a library": "load 'test_decoding'",
    "write the platform's ledger": "delete from gateway.migrations",
    "make an event trigger": "create event trigger e on ddl_command_end execute function extensions.pgrst_ddl_watch()",
    "reach the superuser by dblink": "create extension dblink;"
    "select dblink('dbname=postgres user=supabase_admin', 'select 1')",
}


@pytest.mark.parametrize("sql", REFUSED.values(), ids=REFUSED)
def test_a_migration_may_not(project: SyncConnection, sql: str) -> None:
    assert refused(project, sql).sqlstate in ("42501", "2F003")


def test_functions_of_a_definer_reach_no_further_than_the_project(project: SyncConnection) -> None:
    project.script(
        "create function public.run(sql text) returns void language plpgsql security definer as 'begin execute sql;"
        " end';"
        "grant execute on function public.run to anon; set local role anon"
    )
    assert refused(project, "select public.run('copy (select 1) to program ''true''')").sqlstate == "42501"


# --- clusters of before ----------------------------------------------------------------------------------------------


class Former(EmbeddedPostgres):
    """A cluster as version 0.7 made it: its superuser is `postgres`."""

    def _initialize(self) -> None:
        self.data.mkdir()
        self._hand_over(self.data)
        options = ["-A", "trust", "-E", "UTF8", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"]
        command = [
            str(programs() / "initdb"),
            "-D",
            str(self.data),
            "-U",
            "postgres",
            *options,
            "--locale",
            "C",
            "--no-sync",
        ]
        subprocess.run(command, check=True, capture_output=True, **self._identity())

    def _prepare_roles(self) -> None:
        SyncConnection(self.url("postgres")).close()


@pytest.fixture
def former() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="gw-was-"))
    server = Former(folder)
    server.start()
    try:
        with SyncConnection(server.url("postgres")) as connection:
            migrations.migrate(connection, (_until("0110"),))
            connection.script(
                "create table public.kept (n int); insert into public.kept values (7);"
                "create function public.trusted() returns text language sql security definer"
                " as 'select current_user || (select rolsuper from pg_roles where rolname = current_user)';"
                "alter role postgres password 'kept too'; create table public.hosted (); "
                "alter table public.hosted owner to supabase_admin"
            )
    finally:
        server.stop()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def _until(number: str) -> Any:
    files = migrations.platform()
    kept = tuple(each for each in files.migrations if each.name.rpartition("/")[2][:4] <= number)
    return type(files)(kept, files.ledger, files.adopted)


def test_a_cluster_of_before_keeps_what_it_had_under_the_superusers_new_name(former: Path) -> None:
    for _ in range(2):  # the second start finds it done
        server = EmbeddedPostgres(former)
        server.start()
        try:
            with SyncConnection(server.url()) as connection:
                migrations.migrate(connection, (migrations.platform(),))
                assert connection.rows("select current_user, n from public.kept") == [(SUPERUSER, "7")]
                assert connection.rows("select public.trusted()") == [(f"{SUPERUSER}true",)]
                assert connection.rows("select tableowner from pg_tables where tablename = 'hosted'") == [(SUPERUSER,)]
                assert connection.rows("select rolname from pg_roles where rolname ~ 'former|adopting'") == []
                assert connection.rows("select count(*) from pg_authid where rolpassword like 'SCRAM%'") == [("1",)]
            with SyncConnection(server.url("postgres")) as connection:
                assert connection.rows("select rolsuper from pg_roles where rolname = current_user") == [("f",)]
                assert refused(connection, "alter table public.kept add m int").sqlstate == "42501"
        finally:
            server.stop()
