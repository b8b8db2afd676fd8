"""Two gateways behind a balancer, Postgres behind a pooler, a replica: whatever ends, no acknowledged write is lost and
nobody who reads notices. Balancer and pooler run as `compose.yaml` sets them up, on loopback."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tempfile
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.database import SyncConnection
from tests.fixtures.pooler import Pooler, config, replaced
from tests.fixtures.replication import Pair, replicated
from tests.fixtures.server import ROOT, LiveGateway, environment, start_gateway
from tests.ha.load import LIMIT, MORE, Load
from tests.ha.packages import program
from tests.ops.procs import until

PUBLISHABLE_KEY = "sb_publishable_for_both_gateways_of_this_test"


@contextmanager
def balancer(gateways: list[LiveGateway]) -> Iterator[str]:
    """HAProxy before the gateways; its address."""
    folder = Path(tempfile.mkdtemp(prefix="gw-balance-"))
    ports = [gateway.url.rpartition(":")[2] for gateway in gateways]
    # The system picks the port, HAProxy gets the open socket.
    with socket.create_server(("127.0.0.1", 0)) as bound:
        bound.set_inheritable(True)
        text = replaced(
            config("balancer"),
            **{
                "bind ": f"bind fd@{bound.fileno()}",
                "server one ": f"server one 127.0.0.1:{ports[0]}",
                "server two ": f"server two 127.0.0.1:{ports[1]}",
            },
        )
        file = folder / "haproxy.cfg"
        file.write_text(text)
        process = subprocess.Popen(
            [program("haproxy"), "-q", "-db", "-f", str(file)], pass_fds=[bound.fileno()], stderr=subprocess.DEVNULL
        )
        try:
            url = f"http://127.0.0.1:{bound.getsockname()[1]}"
            until(lambda: _status(f"{url}/auth/v1/health") == 200, "the balancer answers")
            yield url
        finally:
            process.terminate()
            process.wait(LIMIT)
            shutil.rmtree(folder, ignore_errors=True)


def _status(url: str) -> int:
    with suppress(httpx.HTTPError):
        return httpx.get(url, timeout=LIMIT, trust_env=False).status_code
    return 0


@pytest.fixture
def pair() -> Iterator[Pair]:
    with replicated() as servers:
        yield servers


@pytest.fixture
def pooler(pair: Pair) -> Iterator[Pooler]:
    pooler = Pooler(pair.primary.folder / "sockets")
    yield pooler
    pooler.remove()


def settings(pair: Pair) -> dict[str, str]:
    """As compose.yaml gives them."""
    return {
        "DATABASE_DIRECT_URL": pair.url(target_session_attrs="read-write"),
        "DATABASE_READ_URL": pair.standby.url(),
        "GATEWAY_TRUSTED_PROXIES": "127.0.0.1/32",
        "GATEWAY_RATE_LIMIT_TABLES": "0",
        "PGRST_JWT_SECRET": "a secret that both gateways know, long enough",
        "SUPABASE_PUBLISHABLE_KEY": PUBLISHABLE_KEY,
        "SUPABASE_SECRET_KEY": "sb_secret_for_both_gateways_of_this_test",
    }


def test_whatever_ends_no_write_is_lost_and_reads_go_on(pair: Pair, pooler: Pooler, tmp_path: Path) -> None:
    extra = settings(pair)
    url = pooler.url(pair.primary.url())
    gateways = [start_gateway(url, tmp_path / name, extra=extra) for name in ("one", "two")]
    try:
        with balancer(gateways) as address, Load(address, PUBLISHABLE_KEY) as load:
            load.until_more()

            pair.kill(pair.standby)  # the replica ends, and comes back
            load.until_more()
            pair.standby.start()
            until(lambda: all(_reads_at_the_replica(gateway) for gateway in gateways), "the replica is found again")
            load.until_more()

            port = gateways[0].url.rpartition(":")[2]  # one gateway of two is killed, and comes back
            gateways[0].process.kill()
            gateways[0].process.wait(LIMIT)
            load.until_more()
            gateways[0].process = _again(gateways[0], url, port, extra)
            until(lambda: _reads_at_the_replica(gateways[0]), "the gateway is back")
            load.until_more()

            _synchronous(pair)  # the primary ends, and the standby takes over
            load.until_more()
            pair.kill(pair.primary)
            load.until_more(writes=0)
            with SyncConnection(pair.standby.url()) as standby:
                standby.script("select pg_promote()")
                standby.script("alter system set synchronous_standby_names = ''")
                standby.rows("select pg_reload_conf()")
            pooler.point(pair.standby.folder / "sockets")
            load.until_more()
    finally:
        for gateway in gateways:
            gateway.stop()
    with SyncConnection(pair.standby.url()) as connection:
        stored = Counter(str(row[0]) for row in connection.rows("select body from public.notes"))
    assert len(load.acknowledged) >= 5 * MORE
    assert [body for body in load.acknowledged if stored[body] != 1] == []
    print(f"{len(load.acknowledged)} writes acknowledged and there; answers to writes: {dict(load.answers)}")


def _reads_at_the_replica(gateway: LiveGateway) -> bool:
    headers = {"apikey": PUBLISHABLE_KEY}
    with suppress(httpx.HTTPError):
        response = httpx.get(f"{gateway.url}/rest/v1/place", headers=headers, timeout=LIMIT, trust_env=False)
        return bool(response.json() == [{"replica": True}])
    return False


def _again(gateway: LiveGateway, url: str, port: str, extra: dict[str, str]) -> subprocess.Popen[str]:
    """The gateway once more, on the port it had."""
    return subprocess.Popen(
        [sys.executable, "-m", "gateway", "serve", "--port", port],
        cwd=ROOT,
        env=environment(url, gateway.data_dir, extra),
        stdout=subprocess.DEVNULL,
        text=True,
    )


def _synchronous(pair: Pair) -> None:
    """From now on what is acknowledged is on both servers, and so is all that was."""
    with SyncConnection(pair.primary.url()) as primary:
        primary.script("alter system set synchronous_standby_names = '*'")
        primary.rows("select pg_reload_conf()")
        state = "select sync_state from pg_stat_replication"
        until(lambda: primary.rows(state) == [("sync",)], "replication is synchronous")
        (now,) = primary.rows("select pg_current_wal_lsn()")[0]
        behind = "select replay_lsn < $1::pg_lsn from pg_stat_replication"
        until(lambda: primary.rows(behind, now) == [("f",)], "the standby has all there was")


def test_the_whole_contract_holds_behind_the_pooler(pair: Pair, pooler: Pooler, tmp_path: Path) -> None:
    """Sign-in, refresh, a session's own rows, writes, and a change of the schema, through few server connections."""
    gateway = start_gateway(pooler.url(pair.primary.url()), tmp_path, extra=settings(pair) | {"DATABASE_READ_URL": ""})
    try:
        made = gateway.command("users", "create", "ruth@example.com", "--password-stdin", input="a long password\n")
        assert made.returncode == 0, made.stderr
        with httpx.Client(
            base_url=gateway.url, headers={"apikey": PUBLISHABLE_KEY}, timeout=LIMIT, trust_env=False
        ) as client:
            session = _json(
                client.post(
                    "/auth/v1/token?grant_type=password",
                    json={"email": "ruth@example.com", "password": "a long password"},
                )
            )
            fresh = _json(
                client.post("/auth/v1/token?grant_type=refresh_token", json={"refresh_token": session["refresh_token"]})
            )
            bearer = {"authorization": f"Bearer {fresh['access_token']}"}
            assert _json(client.get("/auth/v1/user", headers=bearer))["email"] == "ruth@example.com"
            many = [{"body": uuid.uuid4().hex} for _ in range(50)]
            assert client.post("/rest/v1/notes", json=many).status_code == 201
            assert len(_json(client.get("/rest/v1/notes?select=body&limit=50"))) == 50
            with SyncConnection(pair.primary.url()) as primary:
                primary.script("create view public.fresh as select 1 as one; grant select on public.fresh to anon")
            until(lambda: client.get("/rest/v1/fresh").status_code == 200, "the view is known")
    finally:
        gateway.stop()
    with SyncConnection(pooler.url(pair.primary.url())) as through:
        assert through.rows("select session_user, current_user") == [("supabase_admin", "supabase_admin")]


def _json(response: httpx.Response) -> Any:
    assert response.status_code == 200, response.text
    return response.json()
