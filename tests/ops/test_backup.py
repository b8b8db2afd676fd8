"""Copies: what was dumped reads back whole, what is broken or newer is refused, what fails leaves the former alone."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from email import message_from_bytes, policy
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from gateway.database import DatabaseUnavailable, SyncConnection
from gateway.database.embedded import EmbeddedPostgres, client_program
from gateway.jobs import backup_schedule as copies
from gateway.jobs import worker
from gateway.mail.trap import Trap
from gateway.operations import backup, object_copies
from gateway.settings import Seconds, Settings
from tests.fixtures.db import Server
from tests.fixtures.schema import migrate, seed
from tests.fixtures.server import ROOT, GatewayStarter, LiveGateway, environment
from tests.ops.procs import LIMIT, until

PASSWORD = "a password that stays the same"


@pytest.fixture
def filled(gateways: GatewayStarter, database_url: str) -> LiveGateway:
    """A gateway with articles, a user, a mail that waits and a deployed function."""
    with SyncConnection(database_url) as connection:
        seed(connection, "demo")
        connection.rows(
            "select jobs.enqueue_mail($1::jsonb)", json.dumps({"to": ["a@b.c"], "subject": "x", "text": "y"})
        )
    gateway = gateways()
    made = gateway.command("users", "create", "ruth@example.com", "--password-stdin", input=PASSWORD + "\n")
    assert made.returncode == 0, made.stderr
    deployed = gateway.data_dir / "functions" / "versions" / "hello" / "abc"
    deployed.mkdir(parents=True)
    (deployed / "main.py").write_text("async def handle(request): return 'hello'\n")
    return gateway


@pytest.fixture
def other_url(server: Server) -> Iterator[str]:
    """An empty database."""
    name = f"restored_{os.getpid()}"
    with server.admin() as admin:
        admin.script(f'create database "{name}"')
    yield server.database(name)
    with server.admin() as admin:
        admin.script(f'drop database "{name}" with (force)')


def copy(gateway: LiveGateway, path: Path) -> None:
    done = gateway.command("db", "dump", "--archive", str(path))
    assert done.returncode == 0, done.stderr


def tables(url: str) -> dict[str, object]:
    """What each table holds, without the figures that a running gateway adds by the minute."""
    with SyncConnection(url) as connection:
        connection.script("set timezone = 'UTC'")
        found: dict[str, object] = backup.describe(connection)["tables"]
    return {name: row for name, row in found.items() if name != "gateway.sight"}


def structure(url: str) -> list[str]:
    """All that a database is beside its rows: tables, rights, rules, functions, comments, places of sequences."""
    program = [str(client_program("pg_dump", url)), "--schema-only", "--dbname", url]
    text = subprocess.run(program, check=True, capture_output=True, text=True).stdout
    with SyncConnection(url) as connection:
        places = connection.rows("select schemaname, sequencename, last_value from pg_sequences order by 1, 2")
    # Postgres writes brackets of its own into what it reads back, and a comment of its own on `public`.
    lines = [re.sub(r"[()]", "", line) for line in text.splitlines() if "restrict" not in line]
    return [*(line for line in lines if "SCHEMA public" not in line or "GRANT" in line), *map(str, places)]


def test_promise_55_a_copy_reads_back_and_restores_whole(
    filled: LiveGateway, gateways: GatewayStarter, other_url: str, tmp_path: Path
) -> None:
    path = tmp_path / "copy.gateway.tar"
    copy(filled, path)
    before = tables(filled.database_url)
    with tarfile.open(path) as archive:
        content = b"".join(archive.extractfile(member).read() for member in archive if member.isfile())  # type: ignore[union-attr]
        kept = json.loads(archive.extractfile(backup.SETTINGS).read())  # type: ignore[union-attr]
    assert kept["data_dir"] == str(filled.data_dir)
    for secret in (filled.secret_key, filled.keys["jwt_secret"], filled.keys["session_secret"]):
        assert secret.encode() not in content
    verified = filled.command("db", "verify", str(path))
    assert verified.returncode == 0 and "tables are equal" in verified.stdout, verified.stderr

    folder = tmp_path / "elsewhere"
    other = LiveGateway("", other_url, folder, filled.process, [])
    restored = other.command("db", "restore", str(path), "--yes", "--yes-remote")
    assert restored.returncode == 0, restored.stderr
    after = tables(other_url)
    audit = "auth.audit_log_entries"  # has one row more: the restore itself
    assert {name: row for name, row in after.items() if name != audit} == {
        name: row for name, row in before.items() if name != audit
    }
    differing = set(structure(other_url)) ^ set(structure(filled.database_url))
    assert differing == set()
    assert (folder / "functions" / "versions" / "hello" / "abc" / "main.py").exists()
    assert list((folder / "backups").glob("before-restore-*"))
    started = gateways(extra={"DATABASE_URL": other_url})
    body = {"email": "ruth@example.com", "password": PASSWORD}
    token = f"{started.url}/auth/v1/token?grant_type=password"
    assert httpx.post(token, headers={"apikey": started.publishable_key}, json=body, timeout=30).status_code == 200
    with SyncConnection(other_url) as connection:
        said = connection.rows(f"select payload ->> 'action' from {audit} order by created_at desc limit 1")
    assert said[0][0] in ("database_restored", "login")


def rewrite(path: Path, change: Callable[[dict[str, bytes]], None]) -> None:
    """A copy with other content."""
    with tarfile.open(path) as archive:
        content = {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]
    change(content)
    with tarfile.open(path, "w") as archive:
        for name, raw in content.items():
            part = path.parent / "part"
            part.write_bytes(raw)
            archive.add(part, name)


def _damage(content: dict[str, bytes]) -> None:
    content["database.dump"] = content["database.dump"][:-100] + b"\0" * 100


def _newer_format(content: dict[str, bytes]) -> None:
    content["manifest.json"] = json.dumps({**json.loads(content["manifest.json"]), "format": 99}).encode()


def _newer_migration(content: dict[str, bytes]) -> None:
    manifest = json.loads(content["manifest.json"])
    manifest["migrations"].append("9999_from_the_future.sql")
    content["manifest.json"] = json.dumps(manifest).encode()


def _newer_postgres(content: dict[str, bytes]) -> None:
    content["manifest.json"] = json.dumps({**json.loads(content["manifest.json"]), "postgres": "990001"}).encode()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_damage, "is damaged: database.dump"),
        (_newer_format, "newer gateway"),
        (_newer_migration, "newer version of this application: 9999_from_the_future.sql"),
        (_newer_postgres, "of Postgres 99, newer than"),
    ],
    ids=["damaged", "format", "migration", "postgres"],
)
def test_promise_55_a_broken_or_newer_copy_is_refused(
    gateway: LiveGateway, tmp_path: Path, change: Callable[[dict[str, bytes]], None], reason: str
) -> None:
    path = tmp_path / "copy.gateway.tar"
    copy(gateway, path)
    rewrite(path, change)
    before = tables(gateway.database_url)
    refused = gateway.command("db", "restore", str(path), "--yes", "--yes-remote")
    assert refused.returncode == 1 and reason in refused.stderr
    assert tables(gateway.database_url) == before


KEY = base64.b64encode(bytes(range(32))).decode()


@pytest.mark.parametrize("key", ["", KEY], ids=["plain", "encrypted"])
def test_promise_55_damage_in_any_part_is_found(database_url: str, tmp_path: Path, key: str) -> None:
    settings = Settings(data_dir=tmp_path / "data", backup_key=key)
    (tmp_path / "data" / "functions" / "versions" / "a").mkdir(parents=True)
    (tmp_path / "data" / "functions" / "versions" / "a" / "main.py").write_text("x = 1\n")
    path = tmp_path / "copy.gateway.tar"
    parts = sorted(backup.dump(database_url, settings, path)["files"])
    assert parts == [backup.DATABASE, backup.FUNCTIONS, object_copies.OBJECTS, backup.ROLES_FILE, backup.SETTINGS]
    whole = path.read_bytes()

    def refused(reason: str = "") -> None:
        (folder := tmp_path / "parts").mkdir()
        with pytest.raises(backup.BackupError, match=reason or None):
            backup.unpack(path, folder, settings)
        shutil.rmtree(folder)

    for length in (0, 1, 511, 512, len(whole) // 3, len(whole) // 2):
        path.write_bytes(whole[:length])
        refused()
    if key:
        for place in (0, 40, len(whole) // 2, len(whole) - 1):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            refused()
        path.write_bytes(whole)
        for other in ("", base64.b64encode(bytes(32)).decode()):
            settings = Settings(data_dir=tmp_path, backup_key=other)
            refused("GATEWAY_BACKUP_KEY")
        return
    for name in parts:
        for change in (lambda raw: raw + b"x", lambda raw: raw[:-1], lambda raw: bytes([raw[0] ^ 1]) + raw[1:]):
            path.write_bytes(whole)
            rewrite(path, lambda content, name=name, change=change: content.update({name: change(content[name])}))  # type: ignore[misc]
            refused(name)
        path.write_bytes(whole)
        rewrite(path, lambda content, name=name: content.__delitem__(name))  # type: ignore[misc]
        refused(name)
    path.write_bytes(whole)
    rewrite(path, lambda content: content.__delitem__(backup.MANIFEST))
    refused("no whole copy")


def test_promise_55_a_copy_that_lacks_a_row_does_not_verify(gateway: LiveGateway, tmp_path: Path) -> None:
    path = tmp_path / "copy.gateway.tar"
    copy(gateway, path)

    def claim_more(content: dict[str, bytes]) -> None:
        manifest = json.loads(content["manifest.json"])
        manifest["tables"]["public.blog_posts"]["rows"] += 1
        content["manifest.json"] = json.dumps(manifest).encode()

    rewrite(path, claim_more)
    refused = gateway.command("db", "verify", str(path))
    assert refused.returncode == 1 and "public.blog_posts" in refused.stderr


@pytest.mark.parametrize("key", ["", KEY], ids=["plain", "encrypted"])
def test_promise_56_wherever_a_copy_fails_the_former_one_stays(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    settings = Settings(data_dir=tmp_path, backup_key=key)
    path = tmp_path / "copies" / "copy.gateway.tar"
    backup.dump(database_url, settings, path)
    former = path.read_bytes()

    def broken(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    steps = ["_run", "describe", "public_settings", "_pack", "checksum", "tarfile.open", "os.chmod", "os.fsync"]
    steps += ["os.replace", *(["encrypt"] if key else [])]
    for step in steps:
        with monkeypatch.context() as patch:
            patch.setattr(f"gateway.operations.backup.{step}", broken)
            with pytest.raises(OSError, match="no space"):
                backup.dump(database_url, settings, path)
        assert path.read_bytes() == former, step
        assert [entry.name for entry in path.parent.iterdir()] == [path.name], step


def test_promise_56_a_copy_that_fails_leaves_the_former_one(gateway: LiveGateway, tmp_path: Path) -> None:
    path = tmp_path / "copies" / "copy.gateway.tar"
    copy(gateway, path)
    former = path.read_bytes()
    with SyncConnection(gateway.database_url) as connection:
        connection.script("create table public.broken (n int); create view public.gone as select n from public.broken")
        # what pg_dump cannot read: a table whose file is not there
        file = connection.rows(
            "select current_setting('data_directory') || '/' || pg_relation_filepath('public.broken')"
        )
        Path(str(file[0][0])).unlink()
    failed = gateway.command("db", "dump", "--archive", str(path))
    assert failed.returncode == 1 and "no copy was made" in failed.stderr
    assert path.read_bytes() == former
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_copies_are_made_by_the_clock_and_the_owner_is_told_when_one_fails(database_url: str, tmp_path: Path) -> None:
    alarms: list[str] = []
    made = tmp_path / "copies"
    settings = Settings(data_dir=tmp_path, backup_dir=str(made), backup_every=Seconds(3600.0), backup_keep=1)
    made.mkdir()
    former = made / backup.file_name(0)
    former.write_text("")
    os.utime(former, (0, 0))

    async def alarm(reason: str) -> None:
        alarms.append(reason)

    async def work(url: str, enough: Callable[[], bool]) -> None:
        task = asyncio.ensure_future(copies.keep_copies(settings, url, alarm))
        while not enough():
            await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    assert copies.is_due(settings, time.time())
    asyncio.run(work(database_url, lambda: not former.exists()))
    assert len(list(made.glob("*" + backup.SUFFIX))) == 1, "the newest is kept"
    assert not copies.is_due(settings, time.time()) and copies.is_due(settings, time.time() + 3600)
    assert alarms == []
    for path in made.glob("*" + backup.SUFFIX):
        os.utime(path, (0, 0))
    asyncio.run(work("postgresql://nobody@127.0.0.1:1/none", lambda: bool(alarms)))
    assert "no copy was made" in alarms[0]


def test_the_owner_gets_a_mail_when_a_copy_fails(database_url: str, tmp_path: Path) -> None:
    mails = tmp_path / "mails"
    (tmp_path / "file").write_text("no folder can be made here")

    async def main() -> None:
        async with Trap(mails, "127.0.0.1", 0) as trap:
            settings = Settings(
                data_dir=tmp_path / "data",
                backup_dir=str(tmp_path / "file" / "copies"),
                alarm_email="owner@example.com",
                smtp_host="127.0.0.1",
                smtp_port=trap.port,
            )
            work = asyncio.ensure_future(worker.run(settings, database_url))
            while not list(mails.glob("*.eml")):
                assert not work.done(), work.exception()
                await asyncio.sleep(0.05)
            os.kill(os.getpid(), signal.SIGTERM)  # as whoever ends a worker; it handles the signal by now
            await work

    asyncio.run(asyncio.wait_for(main(), 60))
    (path,) = mails.glob("*.eml")
    mail = message_from_bytes(path.read_bytes(), policy=policy.default)
    assert mail["X-Trap-To"] == "owner@example.com"
    assert mail["subject"].startswith("Alarm: copies (")
    body = mail.get_body(("plain",))
    assert body is not None and "file/copies: Not a directory" in body.get_content()


def test_only_the_newest_copies_are_kept(tmp_path: Path) -> None:
    for number in range(5):
        path = tmp_path / backup.file_name(number * 86_400)
        path.write_text("")
        os.utime(path, (number, number))
    (tmp_path / "something else").write_text("")
    assert len(backup.rotate(tmp_path, 2)) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        backup.file_name(3 * 86_400), backup.file_name(4 * 86_400), "something else",
    ]  # fmt: skip


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[str]:
    """URL of a migrated database whose owner has a password."""
    folder = Path(tempfile.mkdtemp(prefix="gw-pass-"))
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    try:
        with SyncConnection(postgres.url()) as connection:
            migrate(connection)
            connection.script(f"create role owner login superuser password '{PASSWORD}'")
            rules = connection.rows("show hba_file")[0][0]
            assert rules is not None
            Path(rules).write_text("local all owner scram-sha-256\nlocal all all trust\n")
            connection.rows("select pg_reload_conf()")
        yield postgres.url("owner").replace("owner@", f"owner:{quote(PASSWORD)}@")
    finally:
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)


def test_the_databases_password_is_on_no_command_line(
    guarded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = tmp_path / "said"

    def telling(name: str, url: str) -> Path:
        """The program, which first writes down its arguments."""
        path = tmp_path / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >> "{said}"\nexec "{client_program(name, url)}" "$@"\n')
        path.chmod(0o755)
        return path

    monkeypatch.setattr(backup, "client_program", telling)
    copied = tmp_path / "copy.gateway.tar"
    with pytest.raises(DatabaseUnavailable, match="password"):
        backup.dump(guarded.replace(quote(PASSWORD), "another"), Settings(data_dir=tmp_path), copied)
    backup.dump(guarded, Settings(data_dir=tmp_path), copied)
    (tmp_path / "parts").mkdir()
    manifest = backup.unpack(copied, tmp_path / "parts")
    backup.load(guarded, tmp_path / "parts", manifest)
    lines = said.read_text().splitlines()
    assert {line.split()[0] for line in lines} == {"pg_dump", "pg_restore", "psql"}

    psql = subprocess.Popen(
        [sys.executable, "-m", "gateway", "db", "psql", "--tuples-only", "--no-align"],
        cwd=ROOT,
        env=environment(guarded, tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    command = Path(f"/proc/{psql.pid}/cmdline")
    until(lambda: b"gateway" not in command.read_bytes(), "the process is psql's")
    lines.append(command.read_text())
    assert psql.communicate("select current_user", timeout=LIMIT)[0] == "owner\n"
    assert [line for line in lines if PASSWORD in line or quote(PASSWORD) in line] == []


def test_an_older_server_is_not_asked_for_what_it_does_not_know(tmp_path: Path) -> None:
    path = tmp_path / "database.sql"
    header = b"SET lock_timeout = 0;\n"
    newer = b"SET transaction_timeout = 0;\n"
    path.write_bytes(header + newer + b"COPY t FROM stdin;\n" + newer + b"\\.\n")
    backup._drop_line(path, newer)
    assert path.read_bytes() == header + b"COPY t FROM stdin;\n" + newer + b"\\.\n", "data stays as it is"
    backup._drop_line(path, b"not there\n")
    assert path.read_bytes().startswith(header)


def test_settings_in_a_copy_hold_no_secret() -> None:
    settings = Settings(database_url="postgresql://a:secret@b/c", jwt_secret="x" * 40, workers=3, db_schemas=("a", "b"))
    assert backup.public_settings(settings) == {"workers": 3, "db_schemas": ("a", "b")}
