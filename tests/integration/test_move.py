"""The way from a hosted project to here and back, with the commands of docs/moving.md as they stand there.

A small application's dump (hosted/*.sql, as the hosted project's command line writes it) moves in: its people sign in
with their passwords and see what its policies allow. Then it moves back, and to a plain Postgres.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from supabase import PostgrestAPIError, create_client
from supabase.lib.client_options import SyncClientOptions

from gateway import migrations
from gateway.database import SyncConnection
from gateway.database.embedded import EmbeddedPostgres, programs
from gateway.migrations import platform
from tests.contract.debian import DebianPostgres, installed_versions
from tests.fixtures.db import Server
from tests.fixtures.server import ROOT, LiveGateway, environment, start_gateway

# the client's own parts warn about how the client calls them
pytestmark = pytest.mark.filterwarnings("ignore:The '.*' parameter is deprecated:DeprecationWarning")

PAGE = ROOT / "docs" / "moving.md"
HOSTED = Path(__file__).parent / "hosted"
SECRET = "the hosted project's own secret, long enough"
ISSUER = "https://project.supabase.co/auth/v1"
RUTH = "3f8f0a52-6c1e-4b7e-9f0e-2f4d1b6f7a10"
PASSWORDS = {"ruth@reading.example": "plum-orchard-in-winter-9", "omar@reading.example": "slow-ferry-to-the-isles-4"}

# The project's command line: what it would fetch is here already.
SUPABASE = f"""#!/bin/sh
case "$*" in
  *--role-only*) part=roles ;;
  *--data-only*) part=data ;;
  *) part=schema ;;
esac
while [ "$1" != -f ]; do shift; done
cp "{HOSTED}/$part.sql" "$2"
"""

POLICIES = """
  select schemaname, tablename, policyname, permissive, roles::text, cmd, qual, with_check
  from pg_policies where schemaname = any ($1::text[]) order by 1, 2, 3
"""
# The right to MAINTAIN (m) is unknown before Postgres 17.
TABLES = """
  select relname, relrowsecurity::text, replace(relacl::text, 'Dxtm', 'Dxt') from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'v') order by 1
"""


def steps() -> list[str]:
    """The blocks of commands on the page: in, back, to a plain Postgres, and the proof."""
    blocks = re.findall(r"```console\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return [re.sub(r"^\$ ", "", block, flags=re.MULTILINE) for block in blocks]


@dataclass
class Desk:
    """A folder to work in, with the commands that the page calls."""

    folder: Path
    database_url: str

    def __post_init__(self) -> None:
        commands = self.folder / "bin"
        commands.mkdir(parents=True)
        self._command("gateway", f'#!/bin/sh\nexec "{sys.executable}" -m gateway "$@"\n')
        self._command("psql", f'#!/bin/sh\nexec "{programs()}/psql" "$@"\n')
        self._command("supabase", SUPABASE)

    def _command(self, name: str, text: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def run(self, script: str, **variables: str) -> None:
        """Each line must succeed."""
        kept = environment(self.database_url, self.folder / "gateway", variables)
        path = f"{self.folder / 'bin'}{os.pathsep}{kept['PATH']}"
        done = subprocess.run(
            ["sh", "-ec", script],
            cwd=self.folder,
            env={**kept, "PATH": path, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def fresh(server: Server, name: str) -> str:
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')
        exists = admin.rows("select 1 from pg_roles where rolname = 'postgres'")
        admin.script(f'create database "{name}"' + (" owner postgres" if exists else ""))
    return server.database(name)


@pytest.fixture(scope="module")
def desk(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """The application, moved in."""
    made = Desk(tmp_path_factory.mktemp("move"), fresh(server, f"moved_{os.getpid()}"))
    with server.admin() as admin:
        admin.script("drop role if exists booking_desk")
    made.run(steps()[0], HOSTED="postgresql://project.supabase.co/postgres")
    yield made
    with server.admin() as admin:
        admin.script(f'drop database "moved_{os.getpid()}" with (force)')
        admin.script("drop role if exists booking_desk")


@pytest.fixture(scope="module")
def moved(desk: Desk) -> Iterator[LiveGateway]:
    """A gateway on it, with the secret of the hosted project and sessions that never end, as there."""
    extra = {
        "PGRST_JWT_SECRET": SECRET, "GATEWAY_AUTH_ISSUERS": ISSUER,
        "GOTRUE_SESSIONS_TIMEBOX": "0", "GOTRUE_SESSIONS_INACTIVITY_TIMEOUT": "0",
    }  # fmt: skip
    running = start_gateway(desk.database_url, desk.folder / "gateway", "serve", extra)
    yield running
    running.stop()


@pytest.fixture
def client(moved: LiveGateway) -> Iterator[Any]:
    """The official client."""
    with httpx.Client(trust_env=False) as session:
        options = SyncClientOptions(httpx_client=session, auto_refresh_token=False)
        yield create_client(moved.url, moved.publishable_key, options)


def signed_in(client: Any, email: str) -> Any:
    client.auth.sign_in_with_password({"email": email, "password": PASSWORDS[email]})
    return client


def days(client: Any) -> list[str]:
    return [row["held_on"] for row in client.table("bookings").select("held_on").order("id").execute().data]


def test_people_sign_in_with_their_old_passwords(client: Any) -> None:
    for email, password in PASSWORDS.items():
        user = client.auth.sign_in_with_password({"email": email, "password": password}).user
        assert user.email == email
        assert user.identities[0].provider == "email"
    assert user.app_metadata["staff"] is True


def test_the_policies_decide_as_before(client: Any) -> None:
    rooms = [{"name": "Harbour room"}, {"name": "Attic"}]
    assert client.table("rooms").select("name").order("id").execute().data == rooms
    assert days(client) == []
    assert days(signed_in(client, "ruth@reading.example")) == ["2026-03-02"]
    assert client.table("booked_days").select("room").execute().data == [{"room": "Harbour room"}]
    assert days(signed_in(client, "omar@reading.example")) == ["2026-03-02", "2026-03-02", "2026-03-09"]


def test_embeds_and_functions_work_as_before(client: Any, moved: LiveGateway) -> None:
    signed_in(client, "ruth@reading.example")
    found = client.table("bookings").select("state, rooms(name)").execute().data
    assert found == [{"state": "confirmed", "rooms": {"name": "Harbour room"}}]
    made = client.rpc("book", {"room": "Attic", "day": "2026-04-01"}).execute().data
    assert sorted(days(client)) == ["2026-03-02", "2026-04-01"]
    with pytest.raises(PostgrestAPIError) as refused:
        client.table("bookings").insert({"room_id": 1, "user_id": str(made), "held_on": "2026-05-01"}).execute()
    assert refused.value.code == "42501"
    with SyncConnection(moved.database_url) as rows:
        rows.rows("delete from public.bookings where id = $1", made)


def test_old_keys_and_sessions_hold(moved: LiveGateway) -> None:
    old_key = jwt.encode({"iss": "supabase", "ref": "project", "role": "anon", "exp": 4_000_000_000}, SECRET)
    session = {"session_id": "7d1c3c55-0f0e-4e57-9c7b-5a3a6f1be901", "aal": "aal1"}
    claims = {"iss": ISSUER, "sub": RUTH, "aud": "authenticated", "role": "authenticated", "exp": 4_000_000_000}
    token = jwt.encode({**claims, **session}, SECRET)
    headers = {"apikey": old_key, "authorization": f"Bearer {token}"}
    with httpx.Client(base_url=moved.url, headers=headers, trust_env=False) as http:
        assert http.get("/rest/v1/bookings?select=state").json() == [{"state": "confirmed"}]
        assert http.get("/auth/v1/user").json()["email"] == "ruth@reading.example"
        renewed = http.post("/auth/v1/token?grant_type=refresh_token", json={"refresh_token": "vq3m8k2x7c1d"})
        assert renewed.status_code == 200, renewed.text
        assert renewed.json()["user"]["id"] == RUTH


def test_new_tables_are_as_open_as_they_were(desk: Desk) -> None:
    with SyncConnection(desk.database_url) as rows:
        rows.script("set role postgres; create table public.later (id int)")
        try:
            open_to = rows.rows(
                "select name from unnest(array['anon', 'authenticated']) as name"
                " where has_table_privilege(name, 'public.later', 'select')"
            )
        finally:
            rows.script("drop table public.later")
    assert open_to == [("anon",), ("authenticated",)]


def act_as(connection: SyncConnection, user: str | None, sql: str) -> list[tuple[str | None, ...]]:
    """Rows that a user (None: anyone) gets under the policies."""
    claims = json.dumps({"sub": user, "role": "authenticated"} if user else {"role": "anon"})
    connection.script("begin")
    try:
        connection.rows("select set_config('request.jwt.claims', $1, true)", claims)
        connection.script(f"set local role {'authenticated' if user else 'anon'}")
        return connection.rows(sql)
    finally:
        connection.script("rollback")


def assert_moved(before: str, after: str, *schemas: str) -> None:
    """The application is the same in both databases: policies, rights, rows, people, and what these may see."""
    listed = "{" + ",".join(schemas) + "}"
    with SyncConnection(before) as old, SyncConnection(after) as new:
        policies = new.rows(POLICIES, listed)
        assert len(policies) >= 5 and policies == old.rows(POLICIES, listed)
        assert new.rows(TABLES) == old.rows(TABLES)
        people = "select id, email, encrypted_password from auth.users order by id"
        assert len(new.rows(people)) == 3 and new.rows(people) == old.rows(people)
        for table in ("rooms", "bookings", "profiles"):
            rows = f"select to_jsonb(t) from public.{table} as t order by id"
            assert new.rows(rows) and new.rows(rows) == old.rows(rows)
        assert act_as(new, RUTH, "select held_on::text from public.bookings") == [("2026-03-02",)]
        assert act_as(new, None, "select held_on::text from public.bookings") == []
        assert len(act_as(new, None, "select name from public.rooms")) == 2
        assert new.rows("select nextval('public.rooms_id_seq')") == [("3",)]


def test_the_way_back_to_a_hosted_project(desk: Desk, server: Server) -> None:
    name = f"hosted_{os.getpid()}"
    project = fresh(server, name)
    with SyncConnection(project) as connection:
        migrations.migrate(connection, (platform(),))
    try:
        desk.run(steps()[1], HOSTED=project)
        assert_moved(desk.database_url, project, "public")
    finally:
        with server.admin() as admin:
            admin.script(f'drop database "{name}" with (force)')


@pytest.fixture(params=["own", *installed_versions()])
def plain(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, bool]]:
    """A server that has nothing of ours, and whether it is older than the one the dump comes from."""
    if request.param == "own":
        embedded = EmbeddedPostgres(tmp_path / "plain")
        embedded.start()
        yield embedded.url(), False
        embedded.stop()
    else:
        debian = DebianPostgres(request.param)
        debian.start()
        yield debian.url, True
        debian.stop()


def test_the_way_to_a_plain_postgres_roles_included(desk: Desk, plain: tuple[str, bool]) -> None:
    url, is_older = plain
    dump_roles, dump, restore = steps()[2].splitlines()
    (fit,) = re.findall(r"`(sed [^`]* all\.sql)`", PAGE.read_text())
    desk.run("\n".join([dump_roles, dump, *([fit] if is_older else []), restore]), PLAIN=url)
    assert_moved(desk.database_url, url, "public", "gateway")
    with SyncConnection(url) as connection:
        assert migrations.pending(connection, (platform(),)) == []
        assert connection.rows("select rolbypassrls from pg_roles where rolname = 'service_role'") == [("t",)]


def test_the_commands_of_the_proof_are_real() -> None:
    for line in steps()[3].splitlines():
        words = line.split()
        done = subprocess.run([sys.executable, "-m", *words[:2], "--help"], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0
        assert all(word in done.stdout for word in words if word.startswith("--"))
