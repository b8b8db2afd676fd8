"""Services log in as roles without superuser rights: a function that runs its caller's SQL gives nothing beyond."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from gateway.app import Gateway
from gateway.database import Database, DatabaseUnavailable, SyncConnection
from gateway.database.embedded import EmbeddedPostgres
from gateway.database.poolers import Urls
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings
from tests.fixtures.schema import migrate
from tests.fixtures.server import ROOT, GatewayStarter, LiveGateway, environment, start_gateway
from tests.ops.procs import until

PASSWORD = "a word & of the owner"

# What any visitor may call, and what belongs to the owner.
DYNAMIC = """
create table public.vault (secret text);
alter table public.vault enable row level security;
insert into public.vault values ('gold');
create function public.run(way text, goal text) returns text language plpgsql as $$
declare answer text;
begin
  begin
    execute way;
  exception when others then null;
  end;
  execute goal into answer;
  return answer;
end $$;
grant execute on function public.run to anon;
notify pgrst, 'reload schema';
"""

# Each a way that is known to lead out of a session's role, and what follows once it has.
ESCAPES = {
    "session authorization": "set session authorization postgres",
    "session authorization of a setting": "select set_config('session_authorization', 'supabase_admin', false)",
    "local session authorization": "set local session authorization postgres",
    "reset of the session": "reset session authorization",
    "the superuser's role": "set role supabase_admin",
    "the role of a setting": "select set_config('role', 'supabase_admin', false)",
    "no role": "set role none",
    "a reset role": "reset role",
    "everything reset": "reset all",
    "the auth service's role": "set role supabase_auth_admin",
    "a setting for superusers": "set session_replication_role = replica",
    "row security off": "set row_security = off",
    "a role's own rights": "alter role anon superuser",
    "another role's password": "alter role supabase_admin password 'x'",
    "a right of authenticator": "alter role authenticator createrole",
    "a role of one's own": "create role mine superuser login",
    "a program": "copy (select 1) to program 'touch {file}'",
    "a file": "copy (select 1) to '{file}'",
    "a file read": "select pg_read_file('/etc/hostname')",
    "a large object": "select lo_export(lo_from_bytea(0, 'x'), '{file}')",
    "a language": "create extension plpython3u",
    "another session": "create extension dblink",
    "a library": "load '/tmp/mine.so'",
    "a function in C": "create function mine() returns int as 'libc.so.6', 'system' language c",
    "the server's settings": "alter system set archive_command = 'touch {file}'",
    "a setting of the database": "alter database {database} set session_preload_libraries = 'mine'",
    "reads alone no more": "set transaction_read_only = off",
    "another's session": "select pg_terminate_backend(pid) from pg_stat_activity"
    " where usename = 'supabase_admin' limit 1",
}
GOALS = {
    "the vault": "select secret from public.vault",
    "the users": "select count(*) from auth.users",
    "passwords": "select rolpassword from pg_authid limit 1",
    "a table": "create table public.mine (n int)",
}


def ask(gateway: LiveGateway, way: str, goal: str) -> httpx.Response:
    """What a visitor is answered who goes that way, and then for that."""
    headers = {"apikey": gateway.publishable_key}
    url = f"{gateway.url}/rest/v1/rpc/run"
    return httpx.post(url, headers=headers, json={"way": way, "goal": goal}, timeout=60)


def assert_no_way_out(gateway: LiveGateway, connection: SyncConnection, file: Path) -> None:
    connection.script(DYNAMIC)
    database = str(connection.rows("select quote_ident(current_database())")[0][0])
    until(lambda: ask(gateway, "select 1", "select 1").status_code == 200, "the function is known")
    for name, way in ESCAPES.items():
        way = way.format(file=file, database=database)
        for goal, sql in GOALS.items():
            # In the transaction of the way out, and in the next one.
            for answer in (ask(gateway, way, sql), ask(gateway, "select 1", sql)):
                assert answer.status_code >= 400 or answer.json() is None, (name, goal, answer.text)
    assert ask(gateway, "select 1", "select session_user").json() == "authenticator"
    assert not file.exists()
    facts = connection.rows(
        "select (select rolsuper from pg_roles where rolname = 'anon'),"
        " (select rolcreaterole from pg_roles where rolname = 'authenticator'),"
        " (select count(*) from pg_roles where rolname = 'mine'), to_regclass('public.mine')"
    )
    assert facts == [("f", "f", "0", None)]


def test_no_sql_of_a_visitor_leads_out_of_the_services_login(
    gateways: GatewayStarter, connection: SyncConnection, tmp_path: Path
) -> None:
    assert_no_way_out(gateways(), connection, Path(tempfile.gettempdir()) / f"out-{tmp_path.name}")


def test_the_roles_of_the_api_are_within_reach_of_dynamic_sql_as_in_the_original(
    gateways: GatewayStarter, connection: SyncConnection
) -> None:
    """Functions that run their caller's SQL are not to be granted: authenticator may become any role of the API."""
    gateway = gateways()
    connection.script(DYNAMIC)
    until(lambda: ask(gateway, "select 1", "select 1").status_code == 200, "the function is known")
    assert ask(gateway, "set role service_role", "select secret from public.vault").json() == "gold"
    assert ask(gateway, "select 1", "select secret from public.vault").status_code in (401, 403)


def test_both_services_have_sessions_of_their_own(gateways: GatewayStarter, connection: SyncConnection) -> None:
    gateway = gateways()
    headers = {"apikey": gateway.publishable_key}
    assert httpx.get(f"{gateway.url}/rest/v1/blog_posts?select=id", headers=headers).status_code == 200
    httpx.post(
        f"{gateway.url}/auth/v1/token?grant_type=password", headers=headers, json={"email": "a@b.ch", "password": "x"}
    )
    rows = connection.rows(
        "select distinct split_part(application_name, ' 1', 1), usename from pg_stat_activity"
        " where datname = current_database() and application_name ~ '^PostgREST|gateway (auth|listener)' order by 1"
    )
    assert sorted(rows) == [
        ("PostgREST", "authenticator"),
        ("gateway auth", "supabase_auth_admin"),
        ("gateway listener", "authenticator"),
    ]


# --- a server that asks for passwords -------------------------------------------------------------------------------


@pytest.fixture
def guarded() -> Iterator[tuple[EmbeddedPostgres, str]]:
    """A migrated server that lets nobody in without a password, and its owner's address."""
    folder = Path(tempfile.mkdtemp(prefix="gw-log-"))
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    try:
        with SyncConnection(postgres.url()) as connection:
            migrate(connection)
            connection.script(f"alter role supabase_admin password '{PASSWORD}'")
            rules = connection.rows("show hba_file")[0][0]
            assert rules is not None
            Path(rules).write_text("local all all scram-sha-256\n")
            connection.rows("select pg_reload_conf()")
        yield postgres, postgres.url().replace("supabase_admin@", f"supabase_admin:{quote(PASSWORD)}@", 1)
    finally:
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)


def refusal(url: str, folder: Path, extra: dict[str, str]) -> str:
    """The one line that a start ends with."""
    done = command(url, folder, extra, "serve", "--port", "0")
    assert done.returncode == 1
    (line,) = done.stderr.strip().splitlines()
    return line


def command(url: str, folder: Path, extra: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gateway", *words],
        cwd=ROOT,
        env=environment(url, folder, extra),
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_logins_get_passwords_that_are_the_same_for_every_gateway(
    guarded: tuple[EmbeddedPostgres, str], tmp_path: Path
) -> None:
    _, url = guarded
    with SyncConnection(url) as connection:
        first = start_gateway(url, tmp_path / "one")
        given = connection.rows("select rolname, rolpassword from pg_authid where rolpassword is not null order by 1")
        assert [name for name, _ in given] == [
            "authenticator", "gateway_console", "supabase_admin", "supabase_auth_admin", "supabase_realtime_admin",
            "supabase_replication_admin", "supabase_storage_admin",
        ]  # fmt: skip
        assert all(str(verifier).startswith("SCRAM-SHA-256$") for _, verifier in given)
        second = start_gateway(url, tmp_path / "two")
        assert given == connection.rows(
            "select rolname, rolpassword from pg_authid where rolpassword is not null order by 1"
        )
        assert_no_way_out(second, connection, tmp_path / "out")
        for gateway in (first, second):
            assert gateway.stop() == 0
        # The owner's password is another: so are theirs from the next start on.
        connection.script("alter role supabase_admin password 'new'")
    other = url.replace(quote(PASSWORD), "new")
    assert start_gateway(other, tmp_path / "one").stop() == 0


def test_a_password_that_somebody_gave_a_role_is_left_alone(
    guarded: tuple[EmbeddedPostgres, str], tmp_path: Path
) -> None:
    postgres, url = guarded
    with SyncConnection(url) as connection:
        connection.script("alter role authenticator password 'theirs'")
        assert "set PGRST_DB_URI" in refusal(url, tmp_path, {})
        theirs = postgres.url("authenticator").replace("authenticator@", "authenticator:theirs@")
        assert start_gateway(url, tmp_path, extra={"PGRST_DB_URI": theirs}).stop() == 0


def test_migrating_gives_a_role_the_password_of_the_settings(
    guarded: tuple[EmbeddedPostgres, str], tmp_path: Path
) -> None:
    postgres, url = guarded
    given = {
        "PGRST_DB_URI": postgres.url("authenticator").replace("authenticator@", "authenticator:one-word@"),
        "GOTRUE_DB_DATABASE_URL": postgres.url("supabase_auth_admin").replace("_admin@", "_admin:other-word@"),
    }
    done = command(url, tmp_path, given, "db", "migrate")
    assert done.returncode == 0, done.stderr
    assert start_gateway("", tmp_path, extra=given).stop() == 0  # which needs no owner's address


# --- a superuser's login --------------------------------------------------------------------------------------------


def test_a_superusers_login_is_refused_at_the_start(database_url: str, tmp_path: Path) -> None:
    assert "superuser" in refusal(database_url, tmp_path, {"PGRST_DB_URI": database_url})


def test_a_database_without_the_roles_is_not_served_by_a_superuser(tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="gw-bare-"))
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    try:
        assert "gateway db migrate" in refusal(postgres.url(), tmp_path, {})
    finally:
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("prepared", [None, True, False])
def test_a_session_of_a_superuser_is_refused_when_it_is_opened(database_url: str, prepared: bool | None) -> None:
    async def main() -> None:
        database = Database(database_url, unprivileged=True, prepared=prepared)
        with pytest.raises(DatabaseUnavailable, match="superuser"):
            await database.open()

    asyncio.run(main())


def test_the_services_pools_refuse_superusers(tmp_path: Path, database_url: str) -> None:
    settings = Settings(data_dir=tmp_path)
    gateway = Gateway(settings, KeyRing.load(settings), Urls(database_url, database_url, read=database_url))

    async def main() -> None:
        for database in gateway.databases.by_name.values():
            with pytest.raises(DatabaseUnavailable, match="superuser"):
                await database.open()

    assert len(gateway.databases.by_name) == 5
    asyncio.run(main())


# --- an owner who is no superuser -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("maker", "login"), [("customer", "authenticator"), ("postgres", "customer")])
def test_an_owner_without_superuser_gives_logins_where_he_may(tmp_path: Path, maker: str, login: str) -> None:
    """A managed server's customer makes the roles, or finds them made by the server's host, who keeps them."""
    folder = Path(tempfile.mkdtemp(prefix="gw-man-"))
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    try:
        with SyncConnection(postgres.url()) as host:
            host.script("create role customer login createrole createdb password 'word'")
            host.script("create database shop owner customer")
            if maker == "postgres":
                migrate(host)
                host.script(
                    "grant anon, authenticated, service_role, supabase_auth_admin, supabase_storage_admin,"
                    " supabase_realtime_admin, supabase_functions_admin to customer"
                )
            rules = host.rows("show hba_file")[0][0]
            assert rules is not None
            Path(rules).write_text("local all supabase_admin trust\nlocal all all scram-sha-256\n")
            host.rows("select pg_reload_conf()")
            url = postgres.url("customer:word", "shop").replace("%3A", ":")
            done = command(url, tmp_path, {}, "db", "migrate")
            assert done.returncode == 0, done.stderr
            gateway = start_gateway(url, tmp_path)
            try:
                headers = {"apikey": gateway.publishable_key}
                assert httpx.get(f"{gateway.url}/rest/v1/blog_posts", headers=headers).status_code == 200
                sign_in = f"{gateway.url}/auth/v1/token?grant_type=password"
                wrong = {"email": "nobody@example.com", "password": "none of theirs"}
                assert httpx.post(sign_in, headers=headers, json=wrong).json()["error_code"] == "invalid_credentials"
                said = "".join(gateway.output)
                assert ("can become its role" in said) is (login == "customer")
                users = host.rows(
                    "select distinct usename from pg_stat_activity where application_name like 'PostgREST %'"
                )
                assert users == [(login,)]
            finally:
                gateway.stop()
    finally:
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)
