"""Workers that come and go while requests are answered: what ends, ends politely, and nobody is cut off."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import jwt
import pytest

from gateway.database import SyncConnection, with_login
from gateway.database.embedded import EmbeddedPostgres
from tests.fixtures.db import Server
from tests.fixtures.server import ROOT, GatewayStarter, LiveGateway, environment
from tests.ops.procs import LIMIT, Load, alive, background, nap, open_files, prepare, until, workers

SECRETS = ["the first secret of this test, long enough", "the second secret of this test, long enough"]


def active_naps(database_url: str) -> int:
    with SyncConnection(database_url) as connection:
        return len(connection.rows("select from pg_stat_activity where wait_event = 'PgSleep'"))


def test_promise_17_sigterm_lets_requests_finish_and_exits_0(gateways: GatewayStarter, database_url: str) -> None:
    prepare(database_url)
    gateway = gateways(extra={"GATEWAY_WORKERS": "2"})
    serving = workers(gateway)
    thread, answers = background(lambda: nap(gateway, 1.5))
    until(lambda: active_naps(database_url) == 1, "the request is in flight")
    gateway.process.send_signal(signal.SIGTERM)

    def refused() -> bool:
        try:
            httpx.get(gateway.url, timeout=LIMIT)
        except httpx.ConnectError:
            return True
        return False

    until(refused, "new connections are refused")
    assert not answers, "refused while the request is still in flight"
    assert gateway.process.wait(LIMIT) == 0
    thread.join(LIMIT)
    assert [answer.status_code for answer in answers] == [200]
    assert len(serving) == 2 and not any(alive(worker) for worker in serving)


def test_a_dead_worker_is_replaced_and_the_others_notice_nothing(gateways: GatewayStarter, database_url: str) -> None:
    prepare(database_url)
    gateway = gateways(extra={"GATEWAY_WORKERS": "2"})
    before = workers(gateway)
    requests = [background(lambda: nap(gateway, 2.0)) for _ in range(6)]
    until(lambda: active_naps(database_url) == 6, "requests are in flight")
    victim = before[0]
    on_victim = connections_of(victim)
    os.kill(victim, signal.SIGKILL)
    until(lambda: len(set(workers(gateway)) - set(before)) == 1, "a new worker")
    for thread, _ in requests:
        thread.join(LIMIT)
    answered = [answers[0].status_code for _, answers in requests if answers]
    assert answered == [200] * (6 - on_victim), "only requests of the dead worker are lost"
    assert nap(gateway, 0).status_code == 200
    assert gateway.stop() == 0


def connections_of(pid: int) -> int:
    """Accepted connections of a process on the gateway's port."""
    sockets = open_files(pid)
    count = 0
    for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == "01" and f"socket:[{fields[9]}]" in sockets:
            count += 1
    return count


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGUSR2], ids=["settings", "program"])
def test_promise_18_new_workers_take_over_without_a_failed_request(
    gateways: GatewayStarter, database_url: str, number: signal.Signals
) -> None:
    prepare(database_url)
    gateway = gateways(extra={"GATEWAY_WORKERS": "2"})
    before = set(workers(gateway))
    with Load(gateway) as load:
        load.until_more(20)
        gateway.process.send_signal(number)
        until(
            lambda: (
                len(after := set(workers(gateway))) == 2
                and not before & after
                and not any(alive(worker) for worker in before)
            ),
            "two new workers and no old one",
        )
        load.until_more(50)
    assert load.failures == []
    assert gateway.process.poll() is None
    assert gateway.stop() == 0


class Browser(threading.Thread):
    """A client that keeps its connection for as long as it is not told of its end, and never asks anything twice."""

    def __init__(self, gateway: LiveGateway, path: str) -> None:
        super().__init__(daemon=True)
        self._address = gateway.url.removeprefix("http://")
        self._path = path
        self._headers = {"apikey": gateway.publishable_key}
        self.over = threading.Event()
        self.answered = 0
        self.failures: list[str] = []

    def run(self) -> None:
        connection = http.client.HTTPConnection(self._address, timeout=LIMIT)
        while not self.over.is_set():
            try:
                connection.request("GET", self._path, headers=self._headers)
                response = connection.getresponse()
                response.read()  # closes the connection where the answer says so
                if response.status != 200:
                    self.failures.append(f"{self._path}: {response.status}")
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(f"{self._path}: {error!r}")
                connection.close()
            self.answered += 1
        connection.close()


# A table is answered whole; what a function and the site answer comes as head and body.
PATHS = ("/rest/v1/blog_posts?select=id&limit=1", "/functions/v1/sitemap", "/auth/v1/health", "/auth/v1/settings")


def test_promise_18_busy_connections_lose_nothing_over_many_hand_overs(gateways: GatewayStarter) -> None:
    unlimited = {"GATEWAY_RATE_LIMIT_FUNCTIONS": "0", "GATEWAY_RATE_LIMIT_AUTH": "0", "GATEWAY_RATE_LIMIT_TABLES": "0"}
    gateway = gateways(extra={"GATEWAY_WORKERS": "2", **unlimited})
    browsers = [Browser(gateway, path) for path in PATHS for _ in range(3)]
    for browser in browsers:
        browser.start()
    for number in [signal.SIGHUP, signal.SIGUSR2] * 4:
        before = set(workers(gateway))
        counts = [browser.answered for browser in browsers]
        until(lambda: all(b.answered > c + 5 for b, c in zip(browsers, counts, strict=True)), "all are busy")  # noqa: B023
        gateway.process.send_signal(number)
        until(lambda: not any(alive(pid) for pid in before), "the old workers have ended")  # noqa: B023
    for browser in browsers:
        browser.over.set()
    for browser in browsers:
        browser.join(LIMIT)
    assert [failure for browser in browsers for failure in browser.failures] == []
    assert gateway.stop() == 0


def test_a_program_that_would_not_start_does_not_take_over(
    gateways: GatewayStarter, database_url: str, tmp_path: Path
) -> None:
    config = tmp_path / "settings.toml"
    config.write_text("")
    gateway = gateways(extra={"GATEWAY_CONFIG": str(config)})
    before = workers(gateway)
    config.write_text('pgrst_db_tx_end = "sometimes"\n')
    for number in (signal.SIGUSR2, signal.SIGHUP):
        gateway.output.clear()
        gateway.process.send_signal(number)
        until(lambda: "PGRST_DB_TX_END" in "".join(gateway.output), "the log says why")
    assert workers(gateway) == before
    assert httpx.get(f"{gateway.url}/auth/v1/health").status_code == 200


def token(secret: str) -> dict[str, str]:
    claims = {"role": "anon", "exp": int(time.time()) + 600}
    return {"Authorization": f"Bearer {jwt.encode(claims, secret, algorithm='HS256')}"}


def status_of(gateway: LiveGateway, secret: str) -> int:
    headers = {"apikey": gateway.publishable_key, **token(secret)}
    return httpx.get(f"{gateway.url}/rest/v1/blog_posts?select=id&limit=1", headers=headers).status_code


def test_promise_21_a_changed_secret_takes_effect_without_a_restart(gateways: GatewayStarter, tmp_path: Path) -> None:
    config = tmp_path / "settings.toml"
    config.write_text(f'pgrst_jwt_secret = "{SECRETS[0]}"\n')
    gateway = gateways(extra={"GATEWAY_CONFIG": str(config)})
    assert [status_of(gateway, secret) for secret in SECRETS] == [200, 401]
    config.write_text(f'pgrst_jwt_secret = "{SECRETS[1]}"\n')
    until(lambda: status_of(gateway, SECRETS[1]) == 200, "the new secret is known")
    until(lambda: status_of(gateway, SECRETS[0]) == 401, "what was remembered of the old one is forgotten")
    assert gateway.process.poll() is None


def refused(database_url: str, folder: Path, extra: Mapping[str, str] | None = None) -> str:
    """`gateway serve` where it cannot start: status 1 and the single line it says."""
    done = subprocess.run(
        [sys.executable, "-m", "gateway", "serve", "--port", "0", "--workers", "2"],
        cwd=ROOT,
        env=environment(database_url, folder, extra),
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert done.returncode == 1, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    return done.stderr


def test_promise_14_a_missing_database_ends_the_start(server: Server, tmp_path: Path) -> None:
    assert 'database "nowhere" does not exist' in refused(server.database("nowhere"), tmp_path)


def test_promise_14_an_unreachable_host_ends_the_start(tmp_path: Path) -> None:
    assert "cannot connect" in refused("postgresql://nobody@127.0.0.1:1/none", tmp_path)


def test_promise_14_a_wrong_password_ends_the_start(tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="gw-pass-"))
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    try:
        with SyncConnection(postgres.url()) as connection:
            connection.script("create role guarded login password 'the right one'")
            rules = connection.rows("show hba_file")[0][0]
            assert rules is not None
            Path(rules).write_text("local all guarded scram-sha-256\nlocal all all trust\n")
            connection.rows("select pg_reload_conf()")
        url = postgres.url("guarded").replace("guarded@", "guarded:the-wrong-one@")
        until(lambda: "password authentication failed" in refused(url, tmp_path), "the password is asked for")
        assert "the-wrong-one" not in refused(url, tmp_path)
    finally:
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)


def test_promise_14_a_fault_that_only_a_worker_finds_is_one_line(database_url: str, tmp_path: Path) -> None:
    assert "'everyone' does not appear to be" in refused(
        database_url, tmp_path, {"GATEWAY_TRUSTED_PROXIES": "everyone"}
    )


COMMANDS = [
    "db migrate", "db status", "db lint", "db dump copy.dump", "maintenance status",
    "users list",
    "users create a@example.com --password-stdin", "audit", "storage ls", "storage check", "leads export contact --csv",
    "leads quarantine", "gen types", "explain select posts", "keys list",
]  # fmt: skip


@pytest.fixture(scope="module")
def stranger(server: Server) -> Iterator[str]:
    """The address of a database that has nothing, for a login that may do nothing there."""
    with server.admin() as admin:
        admin.script("create role stranger login")
        admin.script("create database bare")
        admin.script("revoke all on database bare from public; grant connect on database bare to stranger")
    yield with_login(server.database("bare"), "stranger", None)
    with server.admin() as admin:
        admin.script("drop database bare with (force)")
        admin.script("drop role stranger")


@pytest.mark.parametrize("command", COMMANDS)
def test_promise_14_a_login_without_rights_is_no_traceback(stranger: str, tmp_path: Path, command: str) -> None:
    """Each command says what it was refused; what needs no rights works."""
    done = subprocess.run(
        [sys.executable, "-m", "gateway", *command.split()],
        cwd=ROOT,
        env=environment(stranger, tmp_path),
        input="",
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1, 2), done.stderr
    assert done.returncode == 0 or done.stderr.strip()
