"""Upgrades from the last three releases, each with what its own gateway wrote (tests/ops/cut.py)."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import httpx
import pytest

import gateway
from gateway import migrations
from gateway.database import SyncConnection
from gateway.jobs import worker
from gateway.mail.trap import Trap
from gateway.migrations import DatabaseNewer, MigrationSet
from gateway.migrations.snapshot import snapshot
from gateway.settings import Settings
from tests.fixtures import schema
from tests.fixtures.db import Server
from tests.fixtures.server import ROOT, LiveGateway, environment, start_gateway
from tests.ops.cut import EMAIL, LEAD, LEAD_KEY, PASSWORD, RELEASES, RENEWAL, SECRETS
from tests.ops.older import migrate_older, shipped
from tests.ops.procs import LIMIT

STAFF = "leads@unitedmedicalwaste.example"
# The sessions of a file are as old as the file.
FOR_EVER = {"GOTRUE_SESSIONS_TIMEBOX": "0", "GOTRUE_SESSIONS_INACTIVITY_TIMEOUT": "0"}


@dataclass(frozen=True)
class Release:
    """A row of the table of versions."""

    version: str
    last: str  # number of its last migration; empty since 0.7.0, whose ledgers are in its data

    @property
    def data(self) -> str:
        path = RELEASES / f"{self.version}.sql"
        return path.read_text() if path.exists() else ""

    def sets(self) -> tuple[MigrationSet, ...]:
        """The migrations that a version since 0.7.0 had."""
        return tuple(
            replace(files, migrations=tuple(each for each in files.migrations if f"'{each.name}'" in self.data))
            for files in schema.sets()
        )

    def make(self, connection: SyncConnection) -> None:
        """What its own `gateway db migrate` makes of an empty database, and what its gateway wrote."""
        if self.last:
            migrate_older(connection, self.last)
        else:
            migrations.migrate(connection, self.sets())
        if self.data:
            ledgers = ["gateway.migrations"] if self.last else [files.ledger for files in self.sets()]
            connection.script("".join(f"delete from {ledger};" for ledger in ledgers))
            connection.script("set session_replication_role = replica")
            connection.script(self.data)
            connection.script("reset session_replication_role")


def releases() -> list[Release]:
    """All of them, the newest first."""
    rows = re.findall(r"^\| (\d+\.\d+\.\d+) \| (\d{4})? *\|", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    return [Release(*found) for found in rows]


NOW, *BEFORE = releases()
LASTS = {release.last for release in BEFORE}


def test_the_newest_version_of_the_table_is_this_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert NOW.version == project["version"] == gateway.__version__
    assert not NOW.data, "a version whose data is kept is done: a new migration belongs to a new one"
    assert [release.version for release in BEFORE if not release.data] == ["0.1.0"]  # of which the schema is kept


@dataclass
class Upgraded:
    """A database of a release that this version's migrations have taken over."""

    release: Release
    url: str


@pytest.fixture(scope="module", params=BEFORE, ids=lambda release: release.version)
def carried(request: pytest.FixtureRequest, server: Server) -> Iterator[Upgraded]:
    release: Release = request.param
    name = f"release_{os.getpid()}"
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')
        admin.script(f'create database "{name}"')
    url = server.database(name)
    with SyncConnection(url) as connection:
        release.make(connection)
        waiting = migrations.pending(connection, schema.sets())
        assert schema.migrate(connection) == waiting
    yield Upgraded(release, url)
    with server.admin() as admin:
        admin.script(f'drop database "{name}" with (force)')


def test_promise_59_a_database_of_a_release_ends_as_a_new_one(carried: Upgraded, connection: SyncConnection) -> None:
    with SyncConnection(carried.url) as upgraded:
        assert snapshot(upgraded) == snapshot(connection)
        for table in ("gateway.migrations", "gateway.application_migrations"):
            rows = f"select name, checksum from {table} order by name"
            assert upgraded.rows(rows) == connection.rows(rows)
        for table in ("gateway.hooks", "gateway.retention", "private.lead_limits"):
            rows = f"select to_jsonb(t) from {table} as t order by to_jsonb(t)"
            assert upgraded.rows(rows) == connection.rows(rows)


@pytest.mark.parametrize("last", [path.name[:4] for path in shipped("9999") if path.name[:4] not in LASTS])
def test_a_database_between_two_releases_ends_as_a_new_one(
    server: Server, connection: SyncConnection, last: str
) -> None:
    """Such as of a developer, who had each migration as it was written."""
    name = f"between_{os.getpid()}"
    with server.admin() as admin:
        admin.script(f'create database "{name}"')
    try:
        with SyncConnection(server.database(name)) as between:
            migrate_older(between, last)
            schema.migrate(between)
            assert snapshot(between) == snapshot(connection)
    finally:
        with server.admin() as admin:
            admin.script(f'drop database "{name}" with (force)')


def test_promise_59_nothing_that_a_release_kept_is_lost(carried: Upgraded) -> None:
    """Every row of every table is there, be it in the table's new place."""
    moved = {"private.tallies": "gateway.tallies", "private.erasures": "gateway.erasures"}
    kept = re.findall(r"^INSERT INTO ([\w.]+) VALUES\n(.*?)\n?\s*ON CONFLICT", carried.release.data, re.S | re.M)
    assert len(kept) > 15 or not carried.release.data
    with SyncConnection(carried.url) as connection:
        for table, rows in kept:
            if table != "gateway.migrations":
                ((found,),) = connection.rows(f"select count(*) from {moved.get(table, table)}")
                assert int(str(found)) >= len(re.findall(r"^\t\(", rows, re.MULTILINE)) > 0, table


def test_promise_59_a_release_refuses_a_database_of_this_version(carried: Upgraded) -> None:
    """Its program compares the names in `gateway.migrations` with those of its folder."""
    knows = {path.name for path in shipped(carried.release.last)}
    with SyncConnection(carried.url) as connection:
        assert {str(name) for (name,) in connection.rows("select name from gateway.migrations")} - knows


def test_promise_59_what_this_program_does_not_know_is_refused_before_anything_runs(carried: Upgraded) -> None:
    platform, application = schema.sets()
    for older in (
        (replace(platform, migrations=platform.migrations[:-1]), application),
        (platform, replace(application, migrations=application.migrations[:-1])),
    ):
        with SyncConnection(carried.url) as connection, pytest.raises(DatabaseNewer, match="made by a newer version"):
            migrations.migrate(connection, older)


def test_promise_59_a_release_is_not_half_taken_over_where_its_application_is_missing(
    server: Server, tmp_path: Path
) -> None:
    """Such as in another folder than the application's: the database stays as it was, and the command says why."""
    name = f"missing_{os.getpid()}"
    with server.admin() as admin:
        admin.script(f'create database "{name}"')
    url = server.database(name)
    try:
        for make in (BEFORE[0].make, lambda connection: schema.migrate(connection)):
            with SyncConnection(url) as connection:
                make(connection)
                before = snapshot(connection)
            done = subprocess.run([sys.executable, "-m", "gateway", "db", "migrate"], cwd=tmp_path,
                                  env=environment(url, tmp_path / "data"), capture_output=True, text=True)  # fmt: skip
            assert done.returncode == 1 and "GATEWAY_SCHEMA_DIR" in done.stderr
            with SyncConnection(url) as connection:
                assert snapshot(connection) == before
    finally:
        with server.admin() as admin:
            admin.script(f'drop database "{name}" with (force)')


# --- what the gateway of this version does with it --------------------------------------------------------------------


# Of the first version the schema alone is kept.
LIVED_IN = [release for release in BEFORE if release.data]
of_each = pytest.mark.parametrize(
    "carried", LIVED_IN, ids=[release.version for release in LIVED_IN], indirect=True, scope="module"
)


@pytest.fixture(scope="module")
def upgraded(carried: Upgraded) -> Upgraded:
    """One with what its gateway wrote."""
    return carried


@pytest.fixture(scope="module")
def running(upgraded: Upgraded, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveGateway]:
    """This version's gateway on it, with the secrets of the one before."""
    started = start_gateway(upgraded.url, tmp_path_factory.mktemp("gateway"), "serve", SECRETS | FOR_EVER)
    yield started
    started.stop()


@pytest.fixture
def client(running: LiveGateway) -> Iterator[httpx.Client]:
    headers = {"apikey": running.publishable_key}
    with httpx.Client(base_url=running.url, headers=headers, timeout=LIMIT, trust_env=False) as opened:
        yield opened


def session(client: httpx.Client, grant: str, **body: str) -> dict[str, str]:
    """The header of a session that goes on with what the release knew."""
    answer = client.post(f"/auth/v1/token?grant_type={grant}", json=body)
    assert answer.status_code == 200, answer.text
    return {"authorization": f"Bearer {answer.json()['access_token']}"}


@of_each
def test_promise_59_people_of_a_release_sign_in_and_their_sessions_go_on(
    client: httpx.Client, upgraded: Upgraded
) -> None:
    renewal = upgraded.release.data.partition(RENEWAL)[2].split()[0]
    for headers in (
        session(client, "password", email=EMAIL, password=PASSWORD),
        session(client, "refresh_token", refresh_token=renewal),
    ):
        assert client.get("/auth/v1/user", headers=headers).json()["email"] == EMAIL


@of_each
def test_promise_59_posts_and_leads_of_a_release_are_there_with_their_rights(client: httpx.Client) -> None:
    bearer = session(client, "password", email=EMAIL, password=PASSWORD)

    def read(path: str, headers: dict[str, str] | None = None) -> object:
        return client.get(f"/rest/v1/{path}", headers=headers).json()

    assert read("blog_posts?select=slug,excerpt") == [{"slug": "kept", "excerpt": "First, edited"}]
    assert read("blog_posts?select=slug&order=slug", bearer) == [{"slug": "draft"}, {"slug": "kept"}]
    assert read("blog_post_revisions?select=excerpt", bearer) == [{"excerpt": "First"}]
    assert read("contact_messages?select=email,status", bearer) == [{"email": LEAD["email"], "status": "new"}]
    assert read("user_roles?select=role", bearer) == [{"role": "admin"}]
    changed = client.patch("/rest/v1/blog_posts?slug=eq.draft", json={"excerpt": "Since"}, headers=bearer)
    assert changed.status_code == 204


@of_each
def test_promise_59_a_lead_that_a_release_acknowledged_is_not_doubled(client: httpx.Client, upgraded: Upgraded) -> None:
    again = client.post("/functions/v1/submit-contact", json=LEAD, headers={"idempotency-key": LEAD_KEY})
    assert (again.status_code, again.json()) == (200, {"ok": True})
    other = client.post("/functions/v1/submit-contact", json=LEAD, headers={"idempotency-key": "of-this-version"})
    assert (other.status_code, other.json()) == (200, {"ok": True})
    with SyncConnection(upgraded.url) as connection:
        assert connection.rows("select count(*) from public.contact_messages") == [("2",)]
        connection.script("delete from public.contact_messages where idempotency_key like 'of-this-version%'")


@of_each
def test_promise_59_mails_that_a_release_left_waiting_are_delivered(upgraded: Upgraded, tmp_path: Path) -> None:
    folder = tmp_path / "mails"
    assert upgraded.release.data.count("'mail.send'") == 3

    def mails() -> dict[str, EmailMessage]:
        read = [message_from_bytes(path.read_bytes(), policy=policy.default) for path in folder.glob("*.eml")]
        return {mail["X-Trap-To"]: mail for mail in read}

    async def main() -> None:
        async with Trap(folder, "127.0.0.1", 0) as trap:
            settings = Settings.load(
                {**SECRETS, "GOTRUE_SMTP_HOST": "127.0.0.1", "GOTRUE_SMTP_PORT": str(trap.port)}, data_dir=tmp_path
            )
            work = asyncio.ensure_future(worker.run(settings, upgraded.url))
            while not {EMAIL, LEAD["email"], STAFF} <= mails().keys():
                assert not work.done(), work.exception()
                await asyncio.sleep(0.05)
            os.kill(os.getpid(), signal.SIGTERM)  # as whoever ends a worker; it handles the signal by now
            await work

    asyncio.run(asyncio.wait_for(main(), 60))
    words = mails()[EMAIL].get_body(("plain",))
    assert words is not None and "/auth/v1/verify" in words.get_content()
