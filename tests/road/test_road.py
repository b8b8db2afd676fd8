"""Two gateways behind a balancer, Postgres behind a pooler, a replica: whatever ends, no acknowledged write is lost and
nobody who reads notices. Balancer and pooler run as `compose.yaml` sets them up, on loopback."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.db import DatabaseUnavailable, SyncConnection
from tests.fixtures.replication import Pair, replicated
from tests.fixtures.server import ROOT, LiveGateway, environment, start_gateway
from tests.ops.procs import until
from tests.road.packages import program

LIMIT = 60.0
MORE = 40  # answers to each kind of client between two events


def config(name: str) -> str:
    """A configuration as compose.yaml has it."""
    found = re.search(rf"^  {name}:\n    content: \|\n((?:      .*\n|\n)+)", (ROOT / "compose.yaml").read_text(), re.M)
    assert found is not None
    return textwrap.dedent(found[1])


def replaced(text: str, **changes: str) -> str:
    """The text with lines of its own; each must be there once."""
    for old, new in changes.items():
        text, count = re.subn(rf"^( *){old}.*$", lambda match, new=new: match[1] + new, text, flags=re.M)  # type: ignore[misc]
        assert count == 1, old
    return text


class Pooler:
    """PgBouncer before one server, on a socket."""

    def __init__(self, pair: Pair) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="gw-pool-"))
        owner = pair.primary.data.stat()  # who alone may enter the folder of its socket
        os.chown(self._folder, owner.st_uid, owner.st_gid)
        is_root = os.geteuid() == 0
        identity: dict[str, Any] = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []} if is_root else {}
        self._file = self._folder / "pooler.ini"
        self.point(pair.primary.folder / "sockets")
        self._process = subprocess.Popen(
            [program("pgbouncer"), "-q", str(self._file)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **identity,
        )
        try:
            until(self._answers, "the pooler answers")
        except BaseException:
            self.stop()
            raise

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={self._folder}&port=6432"

    def point(self, sockets: Path) -> None:
        """At another server; one that runs is told."""
        text = replaced(
            config("pooler"),
            **{
                "postgres =": f"postgres = host={sockets} user=postgres",
                "listen_addr =": f"logfile = {self._folder / 'log'}",
                "auth_type =": "auth_type = any",
                "auth_file =": "",
                "unix_socket_dir =": f"unix_socket_dir = {self._folder}",
            },
        )
        self._file.write_text(text)
        self._file.chmod(0o644)
        if hasattr(self, "_process"):
            self._process.send_signal(signal.SIGHUP)

    def _answers(self) -> bool:
        with suppress(DatabaseUnavailable):
            SyncConnection(self.url).close()
            return True
        assert self._process.poll() is None
        return False

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(LIMIT)
        shutil.rmtree(self._folder, ignore_errors=True)


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


class Client(threading.Thread):
    """A visitor with an address of its own, who reads or writes until told to stop."""

    def __init__(self, load: Load, number: int, writes: bool) -> None:
        super().__init__(daemon=True)
        self._load = load
        self._writes = writes
        transport = httpx.HTTPTransport(local_address=f"127.0.1.{number}")
        self._http = httpx.Client(base_url=load.url, headers=load.headers, timeout=LIMIT, transport=transport)
        self.done = 0

    def run(self) -> None:
        with self._http:
            while not self._load.over.is_set():
                (self._write if self._writes else self._read)()
                time.sleep(0.02)

    def _read(self) -> None:
        try:
            response = self._http.get("/rest/v1/notes?select=id,body&order=id&limit=20")
        except httpx.HTTPError as error:
            self._load.faults.append(f"a read failed: {error!r}")
            return
        if response.status_code != 200:
            self._load.faults.append(f"a read was answered with {response.status_code} {response.text[:200]}")
        self.done += 1

    def _write(self) -> None:
        """Once, whatever the answer; what was acknowledged is read at once."""
        body = uuid.uuid4().hex
        try:
            response = self._http.post("/rest/v1/notes", json={"body": body})
        except httpx.HTTPError:
            self._load.answers["no answer"] += 1
            return
        self._load.answers[str(response.status_code)] += 1
        if response.status_code == 201:
            self._load.acknowledged.append(body)
            self.done += 1
        elif response.status_code not in (502, 503, 504):
            self._load.faults.append(f"a write was answered with {response.status_code} {response.text[:200]}")


class Load:
    """Visitors who read and visitors who write, all through one address."""

    def __init__(self, url: str, key: str) -> None:
        self.url = url
        self.headers = {"apikey": key}
        self.over = threading.Event()
        self.faults: list[str] = []
        self.acknowledged: list[str] = []
        self.answers: Counter[str] = Counter()
        self._readers = [Client(self, number, writes=False) for number in range(1, 5)]
        self._writers = [Client(self, number, writes=True) for number in range(5, 9)]

    def __enter__(self) -> Load:
        for client in (*self._readers, *self._writers):
            client.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for client in (*self._readers, *self._writers):
            client.join(LIMIT)

    def until_more(self, reads: int = MORE, writes: int = MORE) -> None:
        """Wait for further answers of both kinds."""
        wanted = [
            (self._readers, self._done(self._readers) + reads),
            (self._writers, self._done(self._writers) + writes),
        ]

        def enough() -> bool:
            return bool(self.faults) or all(self._done(clients) >= goal for clients, goal in wanted)

        until(enough, f"{reads} more reads and {writes} more writes")
        assert self.faults == []

    @staticmethod
    def _done(clients: list[Client]) -> int:
        return sum(client.done for client in clients)


@pytest.fixture
def pair() -> Iterator[Pair]:
    with replicated() as servers:
        yield servers


@pytest.fixture
def pooler(pair: Pair) -> Iterator[Pooler]:
    pooler = Pooler(pair)
    yield pooler
    pooler.stop()


def settings(pair: Pair, pooler: Pooler) -> dict[str, str]:
    """As compose.yaml gives them."""
    return {
        "DATABASE_DIRECT_URL": pair.url(target_session_attrs="read-write"),
        "DATABASE_READ_URL": pair.standby.url(),
        "PGRST_DB_PREPARED_STATEMENTS": "false",
        "GATEWAY_TRUSTED_PROXIES": "127.0.0.1/32",
        "GATEWAY_RATE_LIMIT_TABLES": "0",
        "PGRST_JWT_SECRET": "a secret that both gateways know, long enough",
        "SUPABASE_PUBLISHABLE_KEY": "sb_publishable_for_both_gateways_of_this_test",
        "SUPABASE_SECRET_KEY": "sb_secret_for_both_gateways_of_this_test",
    }


def test_whatever_ends_no_write_is_lost_and_reads_go_on(pair: Pair, pooler: Pooler, tmp_path: Path) -> None:
    extra = settings(pair, pooler)
    key = extra["SUPABASE_PUBLISHABLE_KEY"]
    gateways = [start_gateway(pooler.url, tmp_path / name, extra=extra) for name in ("one", "two")]
    try:
        with balancer(gateways) as url, Load(url, key) as load:
            load.until_more()

            pair.kill(pair.standby)  # the replica ends, and comes back
            load.until_more()
            pair.standby.start()
            load.until_more()

            port = gateways[0].url.rpartition(":")[2]  # one gateway of two is killed, and comes back
            gateways[0].process.kill()
            gateways[0].process.wait(LIMIT)
            load.until_more()
            gateways[0].process = _again(gateways[0], pooler.url, port, extra)
            until(lambda: _status(f"{gateways[0].url}/auth/v1/health") == 200, "the gateway is back")
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
    gateway = start_gateway(pooler.url, tmp_path, extra=settings(pair, pooler) | {"DATABASE_READ_URL": ""})
    try:
        made = gateway.command("users", "create", "ruth@example.com", "--password-stdin", input="a long password\n")
        assert made.returncode == 0, made.stderr
        key = settings(pair, pooler)["SUPABASE_PUBLISHABLE_KEY"]
        with httpx.Client(base_url=gateway.url, headers={"apikey": key}, timeout=LIMIT, trust_env=False) as client:
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
    with SyncConnection(pair.primary.url()) as primary:
        assert primary.rows("select session_user") == [("postgres",)]


def _json(response: httpx.Response) -> Any:
    assert response.status_code == 200, response.text
    return response.json()
