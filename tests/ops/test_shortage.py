"""What runs out: room on a disk, connections. The gateway says so, goes on with what it can, and recovers."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from gateway.access import BATCH as ACCESS
from gateway.db import SyncConnection
from gateway.functions.invocations import BATCH as CALLS
from tests.fixtures.server import GatewayStarter, LiveGateway
from tests.ops.procs import LIMIT, alive, children, until
from tests.ops.test_sight import admin_of


def ready(gateway: LiveGateway) -> tuple[int, dict[str, str]]:
    answer = httpx.get(f"{admin_of(gateway)}/ready", timeout=LIMIT)
    return answer.status_code, answer.json()["checks"]


def read(gateway: LiveGateway) -> httpx.Response:
    headers = {"apikey": gateway.publishable_key}
    return httpx.get(f"{gateway.url}/rest/v1/blog_posts?select=id&limit=1", headers=headers, timeout=LIMIT)


@contextmanager
def no_room(*pids: int) -> Iterator[None]:
    """Every write of these processes to a file fails, and those of the processes they start."""
    before = {pid: resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY)) for pid in pids}
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
    gateway = gateways(extra={"PGRST_DB_URI": database_url.replace("postgres@", "authenticator@")})
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
