"""Starting and stopping as a person does it: one command, honest failures, no orphan, nothing lost to a kill."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.fixtures.server import ROOT, LiveGateway, environment, start_gateway


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data folder on a short path: a socket's path may not be long."""
    path = Path(tempfile.mkdtemp(prefix="gw-start-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


Starter = Callable[[], LiveGateway]


@pytest.fixture
def start(folder: Path) -> Iterator[Starter]:
    """Starts `gateway dev` with the embedded database; what a test leaves running, as one that fails does, is ended."""
    with ExitStack() as stops:

        def started() -> LiveGateway:
            gateway = start_gateway("", folder, "dev")
            stops.callback(gateway.stop)
            return gateway

        yield started


def banner(gateway: LiveGateway) -> str:
    return "".join(gateway.output)


def first_password(gateway: LiveGateway) -> str | None:
    found = re.search(r"First password\s+(\S+)", banner(gateway))
    return found[1] if found else None


def sign_in(gateway: LiveGateway, password: str) -> httpx.Response:
    return httpx.post(
        f"{gateway.url}/auth/v1/token?grant_type=password",
        headers={"apikey": gateway.publishable_key},
        json={"email": "admin@unitedmedicalwaste.example", "password": password},
    )


def articles(gateway: LiveGateway) -> int:
    response = httpx.get(
        f"{gateway.url}/rest/v1/blog_posts?select=id&limit=1",
        headers={"apikey": gateway.publishable_key, "prefer": "count=exact"},
    )
    return int(response.headers["content-range"].partition("/")[2])


def tree(pid: int) -> list[int]:
    """The process and everything below it, Postgres included."""
    listing = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents: dict[int, list[int]] = {}
    for line in listing.splitlines():
        child, parent = map(int, line.split())
        parents.setdefault(parent, []).append(child)
    found, waiting = [pid], [pid]
    while waiting:
        below = parents.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until_gone(pids: list[int]) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if not any(alive(pid) for pid in pids):
            return
        time.sleep(0.05)
    raise AssertionError(f"still alive: {[pid for pid in pids if alive(pid)]}")


def refused(folder: Path, **extra: str) -> str:
    """Start where it must fail: the single line it says."""
    done = subprocess.run(
        [sys.executable, "-m", "gateway", "dev", "--port", extra.pop("port", "0")],
        cwd=ROOT,
        env=environment("", folder, extra),
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert done.returncode == 1, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    return done.stderr.strip()


def test_the_first_start_prepares_everything_and_the_second_keeps_it(start: Starter) -> None:
    first = start()
    password = first_password(first)
    assert password is not None and len(password) >= 12
    assert first.publishable_key in banner(first)
    assert first.secret_key not in banner(first)
    assert re.search(r"Mail trap\s+http", banner(first))
    assert articles(first) >= 13
    assert sign_in(first, password).status_code == 200
    members = tree(first.process.pid)
    assert len(members) > 3
    assert first.stop() == 0
    until_gone(members)

    second = start()
    assert first_password(second) is None
    assert second.publishable_key == first.publishable_key
    assert sign_in(second, password).status_code == 200


def test_promise_19_a_killed_gateway_leaves_no_process_and_starts_again(start: Starter) -> None:
    first = start()
    count = articles(first)
    members = tree(first.process.pid)
    os.kill(first.process.pid, signal.SIGKILL)
    first.process.wait()
    again = start()
    assert articles(again) == count
    until_gone(members)
    assert again.stop() == 0


def test_closing_the_terminal_ends_everything(start: Starter) -> None:
    # The suite itself may run under `nohup`, which the gateway would inherit.
    former = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        gateway = start()
    finally:
        signal.signal(signal.SIGHUP, former)
    articles(gateway)
    members = tree(gateway.process.pid)
    gateway.process.send_signal(signal.SIGHUP)
    assert gateway.process.wait(30) == 0
    until_gone(members)


def test_a_gateway_that_was_told_to_outlive_its_terminal_does(folder: Path) -> None:
    """As `nohup make run &` does."""
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        gateway = start_gateway("", folder, "dev")
    finally:
        signal.signal(signal.SIGHUP, former)
    members = tree(gateway.process.pid)
    os.kill(gateway.process.pid, signal.SIGHUP)
    assert articles(gateway) > 0 and all(alive(pid) for pid in members if pid != gateway.process.pid)
    assert gateway.stop() == 0


def test_a_busy_port_is_one_clear_line(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert re.search(rf"port {port} .*in use", refused(folder, port=str(port)))


def test_promise_20_a_folder_in_use_names_the_process_and_its_port(start: Starter, folder: Path) -> None:
    running = start()
    named = f"pid {running.process.pid}, port {running.url.rpartition(':')[2]}"
    assert named in refused(folder)
    upgrade = running.command("db", "upgrade")
    assert upgrade.returncode == 1 and named in upgrade.stderr
    assert articles(running) > 0


def test_data_of_a_newer_postgres_is_refused(folder: Path) -> None:
    (folder / "postgres").mkdir()
    (folder / "postgres" / "PG_VERSION").write_text("99\n")
    assert "newer" in refused(folder)


@pytest.mark.parametrize("name", ["9999_from_the_future.sql", "0001_another_beginning.sql", "0043_between.sql"])
def test_promise_59_a_database_migrated_by_a_newer_version_is_refused(
    database_url: str, folder: Path, name: str
) -> None:
    """Whatever number the unknown migration has, and with nothing of what is pending applied first."""
    from gateway.database import SyncConnection

    ledger = "select name from gateway.migrations order by name"
    with SyncConnection(database_url) as connection:
        connection.rows(
            "insert into gateway.migrations (name, checksum) select $1, checksum from gateway.migrations limit 1", name
        )
        last = "select max(name) from gateway.migrations where name not like '9999%'"
        connection.script(f"delete from gateway.migrations where name = ({last})")
        before = connection.rows(ledger)
    said = refused(folder, DATABASE_URL=database_url)
    assert "newer" in said and name in said
    env = environment(database_url, folder, {})
    done = subprocess.run(
        [sys.executable, "-m", "gateway", "db", "migrate"], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert done.returncode == 1 and "newer" in done.stderr and name in done.stderr
    with SyncConnection(database_url) as connection:
        assert connection.rows(ledger) == before


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("postgresql://nobody@127.0.0.1:1/none", "connect"),
        ("postgresql:///none?host=/nonexistent", "connect"),
    ],
    ids=["nobody listens", "no socket"],
)
def test_promise_14_an_unreachable_database_is_one_clear_line(folder: Path, url: str, reason: str) -> None:
    assert reason in refused(folder, DATABASE_URL=url)


def test_bad_settings_are_named(folder: Path) -> None:
    assert "PGRST_DB_TX_END" in refused(folder, PGRST_DB_TX_END="sometimes")


def test_a_short_secret_stops_the_start(folder: Path) -> None:
    assert "32" in refused(folder, PGRST_JWT_SECRET="short")
