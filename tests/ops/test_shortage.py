"""What runs out: room on a disk, connections. The gateway says so, goes on with what it can, and recovers."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from gateway.database import DatabaseError, SyncConnection
from gateway.functions.invocations import BATCH as CALLS
from gateway.middleware.access_log import BATCH as ACCESS
from tests.fixtures.server import GatewayStarter, LiveGateway, start_gateway
from tests.ops.procs import LIMIT, alive, children, until
from tests.ops.test_metrics import admin_of
from tests.ops.test_supervision import lead, postmaster, said, stored
from tests.test_start import tree


def ready(gateway: LiveGateway) -> tuple[int, dict[str, str]]:
    answer = httpx.get(f"{admin_of(gateway)}/ready", timeout=LIMIT)
    return answer.status_code, answer.json()["checks"]


def read(gateway: LiveGateway) -> httpx.Response:
    headers = {"apikey": gateway.publishable_key}
    return httpx.get(f"{gateway.url}/rest/v1/blog_posts?select=id&limit=1", headers=headers, timeout=LIMIT)


@contextmanager
def no_room(*pids: int) -> Iterator[None]:
    """Every write of these processes to a file fails, and those of the processes they start.

    Functions have users of their own, and start with a message in memory that counts as a file.
    """
    before = {}
    for pid in pids:
        with suppress(PermissionError):
            before[pid] = resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        for pid, limit in before.items():
            resource.prlimit(pid, resource.RLIMIT_FSIZE, limit)


def test_promise_16_ready_says_that_the_disk_is_full(gateways: GatewayStarter) -> None:
    gateway = gateways(extra={"GATEWAY_LEAST_DISK": str(10**18), "GATEWAY_ACCESS_LOG": "true"})
    status, checks = ready(gateway)
    assert status == 503 and checks.pop("disk").startswith("full: ")
    assert set(checks.values()) == {"ok"}
    workers = children(gateway.process.pid)
    headers = {"apikey": gateway.publishable_key}
    httpx.post(f"{gateway.url}/functions/v1/submit-newsletter", headers=headers, json={}, timeout=LIMIT)
    with no_room(gateway.process.pid, *workers), httpx.Client(headers=headers, timeout=LIMIT) as client:
        for _ in range(ACCESS + 1):
            assert client.get(f"{gateway.url}/rest/v1/blog_posts?select=id&limit=1").status_code == 200
        for _ in range(CALLS + 1):
            assert client.post(f"{gateway.url}/functions/v1/submit-newsletter", json={}).status_code == 422
    assert all(alive(pid) for pid in workers)
    assert gateway.stop() == 0
    assert not [line for line in gateway.output if "Traceback" in line]


def test_promise_16_ready_says_that_the_disk_of_the_database_is_full(
    gateways: GatewayStarter, database_url: str
) -> None:
    with SyncConnection(database_url) as connection:
        connection.script(
            "create function public.full() returns void language plpgsql as $$ begin raise exception"
            " using errcode = 'disk_full', message = 'could not extend file: No space left on device'; end $$;"
            "grant execute on function public.full to anon"
        )
    gateway = gateways()
    assert ready(gateway)[0] == 200
    refused = httpx.post(f"{gateway.url}/rest/v1/rpc/full", headers={"apikey": gateway.publishable_key}, timeout=LIMIT)
    assert (refused.status_code, refused.json()["code"]) == (503, "53100")
    until(lambda: ready(gateway)[0] == 503, "not ready")
    assert ready(gateway)[1]["database"] == "the disk of the database is full"
    assert read(gateway).status_code == 200


def test_promise_16_ready_says_that_there_are_too_many_connections(gateways: GatewayStarter, database_url: str) -> None:
    name = database_url.partition("?")[0].rpartition("/")[2]
    gateway = gateways(extra={"PGRST_DB_URI": database_url.replace("supabase_admin@", "authenticator@")})
    assert (ready(gateway)[0], read(gateway).status_code) == (200, 200)
    with SyncConnection(database_url) as connection:
        # Only superusers get in beyond this, such as the auth API of this test.
        connection.script(f'alter database "{name}" connection limit 0')
        connection.rows("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'authenticator'")
        until(lambda: ready(gateway)[1]["database"] == "the database has too many connections", "not ready")
        refused = read(gateway)
        assert refused.status_code == 503 and int(refused.headers["retry-after"]) >= 1
        assert httpx.get(f"{admin_of(gateway)}/live").status_code == 200
        connection.script(f'alter database "{name}" connection limit -1')
    until(lambda: ready(gateway)[0] == 200, "ready again")
    assert read(gateway).status_code == 200


@pytest.fixture
def dev() -> Iterator[LiveGateway]:
    """`gateway dev` with the embedded database, on a short path: a socket's path may not be long."""
    folder = Path(tempfile.mkdtemp(prefix="gw-full-"))
    gateway = start_gateway("", folder, "dev", {"GATEWAY_LOG_MAX_BYTES": "6000000"})
    try:
        yield gateway
    finally:
        gateway.stop()
        shutil.rmtree(folder, ignore_errors=True)


def log_of_postgres(gateway: LiveGateway) -> str:
    return "".join(path.read_text() for path in sorted((gateway.data_dir / "postgres-logs").iterdir()))


def superuser(gateway: LiveGateway) -> SyncConnection:
    return SyncConnection(f"postgresql://supabase_admin@/postgres?host={gateway.data_dir}/sockets")


def test_leads_are_stored_while_no_log_can_be_written(gateways: GatewayStarter) -> None:
    """The database has a disk of its own; what functions and the gateway print finds no room."""
    gateway = gateways()
    assert lead(gateway, 0)
    with no_room(*tree(gateway.process.pid)):
        assert [lead(gateway, number) for number in range(1, 12)] == [True] * 11
    assert stored(gateway) == 12


def test_postgres_comes_back_when_there_is_room_again(dev: LiveGateway) -> None:
    """A server that cannot write ends, and so does each that takes its place, for as long as it lasts."""
    assert lead(dev, 1)
    with no_room(dev.process.pid):
        os.kill(postmaster(dev), signal.SIGKILL)
        tried = ("Postgres (process", "Postgres could not be started: File too large")
        until(lambda: len([line for line in dev.output if any(each in line for each in tried)]) > 1, "some have tried")
        assert said(dev, "ended with status 1 (") or said(dev, tried[1]), "the log says why"
        assert not lead(dev, 2) and ready(dev)[0] == 503
        assert len(children(dev.process.pid)) >= 2, "the jobs worker and the gateway's are there"
    until(lambda: lead(dev, 3), "leads are stored again")
    assert stored(dev) == 2
    until(lambda: said(dev, "Postgres is ready again"), "the gateway says so")


def test_what_visitors_send_is_not_in_the_log_of_postgres(dev: LiveGateway) -> None:
    secret = "of-a-visitor-" * 4000
    headers = {"apikey": dev.publishable_key}
    with httpx.Client(base_url=f"{dev.url}/rest/v1", headers=headers, timeout=LIMIT) as client:
        for path in (
            f"/blog_posts?id=eq.{secret}",
            f"/blog_posts?published_at=gt.{secret}",
            f"/blog_posts?{secret}=eq.1",
        ):
            assert client.get(path).status_code == 400
        assert client.post("/newsletter_subscriptions", json={"email": secret}).status_code >= 400
    login = {"email": secret[:200], "password": secret}
    httpx.post(f"{dev.url}/auth/v1/token?grant_type=password", headers=headers, json=login, timeout=LIMIT)
    with superuser(dev) as connection:
        connection.script("create table public.unique_rows (word text primary key)")
        connection.rows("insert into public.unique_rows values ($1)", "in-a-row")
        with pytest.raises(DatabaseError):
            connection.rows("insert into public.unique_rows values ($1)", "in-a-row")
    until(lambda: "duplicate key" in log_of_postgres(dev), "errors of others are logged")
    log = log_of_postgres(dev)
    assert "in-a-row" not in log and "of-a-visitor" not in log and "STATEMENT" not in log


def test_the_log_of_postgres_is_bounded_while_it_is_written(dev: LiveGateway) -> None:
    folder = dev.data_dir / "postgres-logs"
    with superuser(dev) as connection:
        for _ in range(8):
            connection.rows("do $$ begin for n in 1 .. 100 loop raise log '%', repeat('x', 100000); end loop; end $$")

            def bounded() -> bool:
                with suppress(FileNotFoundError):  # it was just removed
                    return sum(path.stat().st_size for path in folder.iterdir()) < 2 * 6_000_000
                return False

            until(bounded, "old files are removed")
    assert {path.stat().st_mode & 0o077 for path in (folder, *folder.iterdir())} == {0}
