"""Maintenance: no write slips in, reads go on; a restore that is killed leaves all of the old state or of the new."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from functions.shared.leads import UNAVAILABLE
from gateway.database import Database, DatabaseError, SyncConnection
from gateway.database.embedded import EmbeddedPostgres, programs
from gateway.jobs.unfinished import settle_restores
from gateway.operations import backup, maintenance
from gateway.operations.maintenance import MaintenanceError
from gateway.operations.restore import settle
from gateway.settings import Settings
from tests.fixtures.schema import migrate
from tests.fixtures.server import ROOT, GatewayStarter, LiveGateway, environment, start_gateway
from tests.ops.procs import LIMIT, until

RESTORES = int(os.environ.get("RESTORES", "2"))
KILLS = int(os.environ.get("KILLS", "3"))
CONTACT = {"name": "Priya Raman", "subject": "Extra pickup", "message": "We have two full boxes.", "priority": "normal"}


@pytest.fixture
def both(gateways: GatewayStarter, database_url: str) -> tuple[LiveGateway, LiveGateway]:
    """Two gateways on one database that counts no visitor's submissions."""
    with SyncConnection(database_url) as connection:
        connection.script("update private.lead_limits set burst = 1000000, per_hour = 1000000")
    return gateways(), gateways()


def send_form(gateway: LiveGateway, name: str, client: httpx.Client | None = None) -> httpx.Response:
    return (client or httpx).post(
        f"{gateway.url}/functions/v1/submit-contact",
        json={**CONTACT, "email": f"{name}@example.test"},
        headers={"idempotency-key": name},
        timeout=LIMIT * 2,
    )


def send_row(gateway: LiveGateway, name: str, client: httpx.Client | None = None) -> httpx.Response:
    return (client or httpx).post(
        f"{gateway.url}/rest/v1/rpc/submit_lead",
        json={
            "form": "contact",
            "lead": {**CONTACT, "email": f"{name}@example.test"},
            "mails": [],
            "idempotency_key": name,
            "address": None,
        },
        headers={"apikey": gateway.secret_key},
        timeout=LIMIT,
    )


def make_user(gateway: LiveGateway, name: str, client: httpx.Client | None = None) -> httpx.Response:
    return (client or httpx).post(
        f"{gateway.url}/auth/v1/admin/users",
        json={"email": f"{name}@example.test"},
        headers={"apikey": gateway.secret_key, "authorization": f"Bearer {gateway.secret_key}"},
        timeout=LIMIT,
    )


def read(gateway: LiveGateway) -> httpx.Response:
    return httpx.get(f"{gateway.url}/rest/v1/blog_posts", headers={"apikey": gateway.publishable_key}, timeout=LIMIT)


def admin(gateway: LiveGateway, page: str) -> httpx.Response:
    url = json.loads((gateway.data_dir / "serving.json").read_text())["admin"]
    return httpx.get(f"{url}/{page}", timeout=LIMIT)


def run(gateway: LiveGateway, *arguments: str) -> str:
    done = gateway.command(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- the mode ---------------------------------------------------------------------------------------------------------


def test_in_maintenance_every_gateway_reads_and_none_writes(both: tuple[LiveGateway, LiveGateway]) -> None:
    for gateway in both:
        assert send_row(gateway, f"before-{gateway.process.pid}").status_code == 200
        assert make_user(gateway, f"before-{gateway.process.pid}").status_code == 200
    run(both[0], "maintenance", "on", "--reason", "a larger disk")
    for gateway in both:
        assert read(gateway).status_code == 200
        for refused in (send_row(gateway, "during"), make_user(gateway, "during")):
            assert refused.status_code == 503 and int(refused.headers["retry-after"]) > 0
            assert "maintenance" in (refused.json().get("code"), refused.json().get("error_code"))
        ready = admin(gateway, "ready")
        assert ready.status_code == 200 and ready.json()["maintenance"] is True
        assert "gateway_maintenance 1.0" in admin(gateway, "metrics").text
    form = send_form(both[1], "during")
    assert form.status_code == 503 and int(form.headers["retry-after"]) > 0
    assert form.json() == {"ok": False, "error": UNAVAILABLE}
    told = both[1].command("maintenance", "status")
    assert told.returncode == 1 and "a larger disk" in told.stdout
    assert "writes are refused" in both[0].command("status").stdout
    run(both[0], "maintenance", "off")
    for gateway in both:
        assert send_row(gateway, f"after-{gateway.process.pid}").status_code == 200
        assert make_user(gateway, f"after-{gateway.process.pid}").status_code == 200
        assert admin(gateway, "ready").json()["maintenance"] is False
    assert both[1].command("maintenance", "status").returncode == 0


def test_reads_are_answered_while_sessions_are_replaced(both: tuple[LiveGateway, LiveGateway]) -> None:
    over = threading.Event()
    statuses: list[int] = []

    def ask(gateway: LiveGateway) -> None:
        with httpx.Client(timeout=LIMIT) as client:
            while not over.is_set():
                headers = {"apikey": gateway.publishable_key}
                statuses.append(client.get(f"{gateway.url}/rest/v1/blog_posts", headers=headers).status_code)
                time.sleep(0.002)

    threads = [threading.Thread(target=ask, args=(gateway,)) for gateway in both]
    for thread in threads:
        thread.start()
    try:
        for _ in range(2):
            run(both[0], "maintenance", "on")
            run(both[1], "maintenance", "off")
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert set(statuses) == {200}


def test_a_read_only_function_is_refused_as_ever(both: tuple[LiveGateway, LiveGateway]) -> None:
    """A GET that writes breaks a rule of its own, whether there is maintenance or not."""
    with SyncConnection(both[0].database_url) as connection:
        connection.script(
            "create table public.marks (n int); grant all on public.marks to anon;"
            "create function public.mark() returns void language sql as 'insert into public.marks values (1)';"
            "grant execute on function public.mark() to anon; notify pgrst, 'reload schema'"
        )
    url, headers = f"{both[0].url}/rest/v1/rpc/mark", {"apikey": both[0].publishable_key}
    until(lambda: httpx.get(url, headers=headers).status_code == 405, "the function is known")
    assert httpx.get(url, headers=headers).json()["code"] == "25006"


# --- the barrier ------------------------------------------------------------------------------------------------------


@pytest.fixture
def operator(database_url: str) -> Iterator[SyncConnection]:
    with SyncConnection(database_url) as connection:
        yield connection


def test_a_write_from_before_is_committed_or_gone_when_maintenance_has_begun(
    operator: SyncConnection, database_url: str
) -> None:
    """Sessions at every stage of a transaction: none can commit afterwards what a copy made now does not have."""
    operator.script("create table public.written (n int)")
    sessions = [SyncConnection(database_url) for _ in range(3)]
    sessions[0].script("set default_transaction_read_only = off")  # idle, and would write as it was told to
    sessions[1].script("begin; insert into public.written values (1)")
    sessions[2].script("begin; select 1")
    began = time.monotonic()
    maintenance.begin(operator, "operator", "")
    assert time.monotonic() - began >= maintenance.GRACE, "those at work have a moment to finish"
    seen = operator.rows("select count(*) from public.written")
    for session in sessions:
        with pytest.raises(DatabaseError):
            session.script("insert into public.written values (2); commit")
        session.close()
    with SyncConnection(database_url) as late, pytest.raises(DatabaseError, match="read-only"):
        late.script("insert into public.written values (3)")
    assert operator.rows("select count(*) from public.written") == seen == [("0",)]
    maintenance.end(operator)
    with SyncConnection(database_url) as late:
        late.script("insert into public.written values (4)")


def test_maintenance_is_refused_where_somebody_could_write_all_the_same(
    operator: SyncConnection, database_url: str
) -> None:
    role = f"writer_{uuid.uuid4().hex[:8]}"
    operator.script(f"create role {role} login; alter role {role} set default_transaction_read_only = off")
    try:
        with pytest.raises(MaintenanceError, match=f"the role {role} has a default_transaction_read_only of its own"):
            maintenance.begin(operator, "operator", "")
    finally:
        operator.script(f"drop role {role}")
    assert not maintenance.state(operator).is_on
    operator.script("create table public.written (n int)")


def test_a_role_that_only_reads_is_in_nobodys_way(operator: SyncConnection, database_url: str) -> None:
    role = f"reader_{uuid.uuid4().hex[:8]}"
    operator.script(f"create role {role} login; alter role {role} set default_transaction_read_only = on")
    try:
        maintenance.begin(operator, "operator", "")
        maintenance.end(operator)
    finally:
        operator.script(f"drop role {role}")


def test_everything_starts_and_reads_while_maintenance_is_on(both: tuple[LiveGateway, LiveGateway]) -> None:
    """A gateway that is started meanwhile, `dev` too, with what it writes about the server's roles."""
    run(both[0], "maintenance", "on")
    started = start_gateway(both[0].database_url, both[0].data_dir.parent / "late", "dev")
    try:
        assert read(started).status_code == 200
        assert send_row(started, "during").status_code == 503
        run(both[0], "maintenance", "off")
        assert send_row(started, "after").status_code == 200
    finally:
        started.stop()


def test_one_restore_is_at_work_at_a_time(operator: SyncConnection, database_url: str, tmp_path: Path) -> None:
    with SyncConnection(database_url, maintenance.HOLDER) as holder:
        maintenance.hold(holder)
        maintenance.begin(holder, "restore", "a restore")
        with SyncConnection(database_url) as other:
            assert not maintenance.state(other).is_left
            assert not settle(other, Settings(data_dir=tmp_path))
            with pytest.raises(MaintenanceError, match="another restore"):
                maintenance.hold(other)
    with SyncConnection(database_url) as other:
        until(lambda: maintenance.state(other).is_left, "the holder is gone")
        assert settle(other, Settings(data_dir=tmp_path))
        assert not maintenance.state(other).is_on


def test_an_operators_maintenance_outlives_a_restore(both: tuple[LiveGateway, LiveGateway], tmp_path: Path) -> None:
    path = tmp_path / "copy.gateway.tar"
    run(both[0], "db", "dump", "--archive", str(path))
    run(both[0], "maintenance", "on", "--reason", "mine")
    run(both[0], "db", "restore", str(path), "--yes", "--yes-remote")
    assert both[0].command("maintenance", "status").returncode == 1
    assert send_row(both[1], "during").status_code == 503
    run(both[0], "maintenance", "off")
    assert send_row(both[1], "after").status_code == 200


# --- restores under load ----------------------------------------------------------------------------------------------


class Writers:
    """Writers of every kind over all gateways, and whom each was told to be stored."""

    def __init__(self, gateways: tuple[LiveGateway, ...]) -> None:
        self._over = threading.Event()
        self.acknowledged: list[str] = []
        self.odd: list[str] = []
        kinds: list[Callable[..., httpx.Response]] = [send_form, send_row, make_user]
        self._threads = [
            threading.Thread(target=self._write, args=(gateway, kind)) for gateway in gateways for kind in kinds
        ]
        for thread in self._threads:
            thread.start()

    def _write(self, gateway: LiveGateway, kind: Callable[..., httpx.Response]) -> None:
        with httpx.Client(timeout=LIMIT) as client:
            while not self._over.is_set():
                name = f"w{uuid.uuid4().hex}"
                answer = kind(gateway, name, client)
                if answer.status_code == 200:
                    self.acknowledged.append(name)
                elif answer.status_code != 503:
                    self.odd.append(f"{kind.__name__}: {answer.status_code} {answer.text}")
                elif kind is send_form and answer.json() != {"ok": False, "error": UNAVAILABLE}:
                    self.odd.append(f"a form: {answer.text}")
                time.sleep(0.01)

    def stop(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()


def names_in_copy(path: Path) -> str:
    """All rows of a copy as text."""
    with tempfile.TemporaryDirectory() as folder:
        backup.unpack(path, Path(folder))
        return subprocess.run(
            [programs() / "pg_restore", "--data-only", "--file=-", f"{folder}/{backup.DATABASE}"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout


def names_in_database(url: str) -> str:
    with SyncConnection(url) as connection:
        rows = connection.rows("select email from public.contact_messages union all select email from auth.users")
    return "\n".join(str(row[0]) for row in rows)


def test_a_restore_under_writers_loses_nothing_that_was_acknowledged(
    both: tuple[LiveGateway, LiveGateway], tmp_path: Path
) -> None:
    """What was stored before is in the copy that it makes, what after in the database: nothing falls between."""
    path = tmp_path / "copy.gateway.tar"
    run(both[0], "db", "dump", "--archive", str(path))
    for turn in range(RESTORES):
        writers = Writers(both)
        try:
            until(lambda: len(writers.acknowledged) > 10, "some writes")  # noqa: B023
            run(both[turn % 2], "db", "restore", str(path), "--yes", "--yes-remote")
            told = len(writers.acknowledged)
            until(lambda: len(writers.acknowledged) > told + 10, "writes afterwards")  # noqa: B023
        finally:
            writers.stop()
        assert writers.odd == []
        copies = (both[turn % 2].data_dir / "backups").glob("before-restore-*")
        safety = max(copies, key=lambda found: found.stat().st_mtime)
        kept = names_in_copy(safety) + names_in_database(both[0].database_url)
        assert [name for name in writers.acknowledged if f"{name}@" not in kept] == []


def test_reads_are_answered_during_a_restore(both: tuple[LiveGateway, LiveGateway], tmp_path: Path) -> None:
    """What is there is set aside by name: a read that comes while the copy is loaded waits for none of its locks."""
    path = tmp_path / "copy.gateway.tar"
    run(both[0], "db", "dump", "--archive", str(path))
    with tempfile.TemporaryDirectory() as folder:
        manifest = backup.unpack(path, Path(folder))
        url = both[0].database_url
        with SyncConnection(url) as gate:
            gate.script("begin; select pg_advisory_xact_lock(77)")
            loading = threading.Thread(
                target=backup.load, args=(url, Path(folder), manifest, "select pg_advisory_xact_lock(77);")
            )
            loading.start()
            held = "select from pg_locks where locktype = 'advisory' and objid = 77 and not granted"
            until(lambda: bool(gate.rows(held)), "the copy is loaded, and what was there is not yet dropped")
            answered = [read(gateway).status_code for gateway in both]
            gate.script("commit")
            loading.join()
    assert answered == [200, 200]


# --- kills ------------------------------------------------------------------------------------------------------------


class Site:
    """A database of its own with a person who was erased, and a copy that still has her."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.postgres = EmbeddedPostgres(folder / "data")
        self.postgres.start()
        self.copy = folder / "copy.gateway.tar"
        self.environ = environment(self.url, folder / "data")
        with SyncConnection(self.url) as connection:
            migrate(connection)
        self._lead("erased")
        self._deploy("old")
        self.command("db", "dump", "--archive", str(self.copy))
        self.command("leads", "erase", "erased@example.test", "--yes")
        self._lead("since")
        self._deploy("new")

    @property
    def url(self) -> str:
        return self.postgres.url()

    def _deploy(self, version: str) -> None:
        path = self.folder / "data" / "functions" / "versions" / "hello"
        path.mkdir(parents=True, exist_ok=True)
        (path / "version").write_text(version)

    def _lead(self, name: str) -> None:
        lead = {**CONTACT, "email": f"{name}@example.test"}
        with SyncConnection(self.url) as connection:
            connection.rows(
                "select public.submit_lead('contact', $1::jsonb, '[]'::jsonb, $2, null)", json.dumps(lead), name
            )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "gateway", *arguments],
            cwd=ROOT, env=self.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def command(self, *arguments: str) -> str:
        process = self.start(*arguments)
        out, err = process.communicate()
        assert process.returncode == 0, err
        return out

    def seen(self) -> tuple[set[str], str, int]:
        """Leads, deployed version, number of people on the list of the erased."""
        with SyncConnection(self.url) as connection:
            leads = {str(row[0]).split("@")[0] for row in connection.rows("select email from public.contact_messages")}
            erased = int(str(connection.rows("select count(*) from gateway.erasures")[0][0]))
        version = (self.folder / "data" / "functions" / "versions" / "hello" / "version").read_text()
        return leads, version, erased


@pytest.fixture
def own_site() -> Iterator[Site]:
    with tempfile.TemporaryDirectory(prefix="gw-kill-") as folder:
        Path(folder).chmod(0o755)
        made = Site(Path(folder))
        yield made
        made.postgres.stop()


OLD = ({"since"}, "new", 1)
NEW: tuple[set[str], str, int] = (set(), "old", 1)


def _kill_restore(site: Site, process: subprocess.Popen[str]) -> None:
    process.kill()


def _kill_postgres(site: Site, process: subprocess.Popen[str]) -> None:
    pid = site.postgres.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    process.communicate()
    site.postgres.stop()
    site.postgres.start()


@pytest.mark.parametrize("kill", [_kill_restore, _kill_postgres])
def test_a_killed_restore_leaves_the_old_state_or_the_new(own_site: Site, kill: Callable[..., None]) -> None:
    """At whatever moment: nobody who was erased comes back, and the next command finds no mark of it."""
    site = own_site
    began = time.monotonic()
    probe = site.start("db", "restore", str(site.copy), "--yes", "--yes-remote")
    probe.communicate()
    assert probe.returncode == 0 and site.seen() == NEW
    took = time.monotonic() - began
    outcomes = []
    for _ in range(KILLS):
        process = site.start("db", "restore", str(site.copy), "--yes", "--yes-remote")
        time.sleep(random.uniform(0.3, 1.0) * took)
        kill(site, process)
        process.communicate()
        site.command("maintenance", "off")
        leads, version, erased = site.seen()
        outcomes.append((leads, version))
        assert "erased" not in leads and erased == 1
        assert (leads, version) in (OLD[:2], NEW[:2])
        with SyncConnection(site.url) as connection:
            assert not maintenance.state(connection).is_on
            assert connection.rows("select from pg_namespace where nspname like 'gateway_former%'") == []
        # The old state again.
        site._deploy("new")
        if leads != {"since"}:
            site._lead("since")
    parts = Path(site.environ.get("TMPDIR", tempfile.gettempdir())) / f"gateway-parts-{os.geteuid()}"
    left = set(parts.glob(".gateway-parts-*"))
    site.command("db", "restore", str(site.copy), "--yes", "--yes-remote")
    # Other tests may be at work in the same folder: what is theirs goes when they are done.
    until(lambda: not left & set(parts.glob(".gateway-parts-*")), "what a kill left is removed")
    assert list((site.folder / "data" / "backups").glob(".gateway-parts-*")) == []


def test_the_job_worker_ends_what_a_killed_restore_left(database_url: str, tmp_path: Path) -> None:
    """Nobody has to notice that the forms are closed; a restore at work and an operator's mark are let be."""

    def mode() -> maintenance.Maintenance:
        with SyncConnection(database_url) as connection:
            return maintenance.state(connection)

    with SyncConnection(database_url, maintenance.HOLDER) as holder:
        maintenance.hold(holder)
        maintenance.begin(holder, "restore", "a restore")
        asyncio.run(_settling(tmp_path, database_url, 1.0))
        assert mode().is_on
    until(lambda: mode().is_left, "the holder is gone")
    asyncio.run(_settling(tmp_path, database_url, LIMIT, lambda: not mode().is_on))
    assert not mode().is_on
    with SyncConnection(database_url) as operator:
        maintenance.begin(operator, "operator", "mine")
    asyncio.run(_settling(tmp_path, database_url, 1.0))
    assert mode().is_on


async def _settling(folder: Path, url: str, seconds: float, enough: Callable[[], bool] = lambda: False) -> None:
    """What the job worker does, for so long or until it is enough."""
    database = Database(url, application_name="gateway worker")
    task = asyncio.create_task(settle_restores(Settings(data_dir=folder), database, url, every=0.05))
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not await asyncio.to_thread(enough):
        await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await database.close()


def test_a_kill_between_the_database_and_the_functions_is_made_up_for(
    own_site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database has the copy, the deployed functions are still the former: the next command takes them over."""
    site = own_site
    code = (
        "import os, signal, gateway.operations.restore as r\n"
        "r._finish_functions = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "r.settle = lambda *_: True\n"
        "from gateway.cli import main; import sys\n"
        f"sys.argv = ['gateway', 'db', 'restore', {str(site.copy)!r}, '--yes', '--yes-remote']; main()"
    )
    killed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=site.environ)
    assert killed.returncode == -signal.SIGKILL
    assert site.seen() == (set(), "new", 1)
    with SyncConnection(site.url) as connection:
        until(lambda: maintenance.state(connection).is_left, "its session is gone")
        assert settle(connection, Settings(data_dir=site.folder / "data"))
        assert not maintenance.state(connection).is_on
    assert site.seen() == NEW


def test_a_copy_that_does_not_verify_is_not_restored(both: tuple[LiveGateway, LiveGateway], tmp_path: Path) -> None:
    from tests.ops.test_backup import rewrite

    path = tmp_path / "copy.gateway.tar"
    run(both[0], "db", "dump", "--archive", str(path))

    def claim_more(content: dict[str, bytes]) -> None:
        manifest: dict[str, Any] = json.loads(content["manifest.json"])
        manifest["tables"]["public.blog_posts"]["rows"] += 1
        content["manifest.json"] = json.dumps(manifest).encode()

    assert send_row(both[0], "kept").status_code == 200
    rewrite(path, claim_more)
    refused = both[0].command("db", "restore", str(path), "--yes", "--yes-remote")
    assert refused.returncode == 1 and "does not read back as it was: public.blog_posts" in refused.stderr
    assert "kept@" in names_in_database(both[0].database_url)
    assert send_row(both[1], "after").status_code == 200
