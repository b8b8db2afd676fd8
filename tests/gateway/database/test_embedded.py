"""The embedded Postgres: one owner, no leftovers, data that survives a kill."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.cli.common import owner_url
from gateway.database import SyncConnection, loopback
from gateway.database.embedded import DataLock, EmbeddedError, EmbeddedPostgres
from gateway.settings import Settings


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path: a socket's path may not be long."""
    path = Path(tempfile.mkdtemp(prefix="gw-emb-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


def until_gone(pid: int) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return
        if state == "Z":
            return
        time.sleep(0.02)
    raise AssertionError(f"process {pid} is still there")


def test_data_survives_a_restart_and_a_kill_of_the_server(folder: Path) -> None:
    first = EmbeddedPostgres(folder)
    first.start()
    with SyncConnection(first.url()) as connection:
        connection.script("create table kept (n int); insert into kept values (1)")
    first.stop()
    second = EmbeddedPostgres(folder)
    second.start()
    session = SyncConnection(second.url())
    session.script("insert into kept values (2)")
    (held,) = session.rows("select pg_backend_pid()")[0]
    assert second.pid is not None and held is not None
    # A session that hangs does not notice, and holds the memory that all share.
    os.kill(int(held), signal.SIGSTOP)
    os.kill(second.pid, signal.SIGKILL)
    until_gone(second.pid)
    second.stop()
    third = EmbeddedPostgres(folder)
    third.start()
    until_gone(int(held))
    session.close()
    try:
        with SyncConnection(third.url()) as connection:
            assert connection.rows("select n from kept order by n") == [("1",), ("2",)]
    finally:
        third.stop()
    assert third.running is False


def test_the_server_ends_when_its_gateway_is_killed(folder: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from gateway.database.embedded import EmbeddedPostgres;"
        "p = EmbeddedPostgres(Path(sys.argv[1])); p.start(); print(p.pid, flush=True); time.sleep(60)"
    )
    owner = subprocess.Popen([sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    pid = int(owner.stdout.readline())
    owner.kill()
    owner.wait()
    owner.stdout.close()
    until_gone(pid)


def test_only_its_owner_can_enter_the_folders_of_data_and_socket(folder: Path) -> None:
    server = EmbeddedPostgres(folder)
    server.start()
    try:
        for name in ("postgres", "sockets"):
            assert (folder / name).stat().st_mode & 0o077 == 0
        with SyncConnection(server.url()) as connection:
            assert connection.rows("show listen_addresses") == [("",)]
            assert connection.rows("show compute_query_id") == [("on",)]
            assert connection.rows("show data_checksums") == [("on",)]
    finally:
        server.stop()


def test_a_folder_made_by_a_newer_version_is_refused(folder: Path) -> None:
    (folder / "postgres").mkdir()
    (folder / "postgres" / "PG_VERSION").write_text("99\n")
    with pytest.raises(EmbeddedError, match="made by Postgres 99, newer"):
        EmbeddedPostgres(folder).start()


def test_the_second_gateway_on_a_folder_is_told_of_the_first(folder: Path) -> None:
    lock = DataLock(folder, 4321)
    program = (
        "import sys; from pathlib import Path; from gateway.database.embedded import DataLock, EmbeddedError\n"
        "try: DataLock(Path(sys.argv[1]), 1)\n"
        "except EmbeddedError as error: print(error)"
    )
    told = subprocess.run([sys.executable, "-c", program, str(folder)], capture_output=True, text=True).stdout
    assert f"pid {os.getpid()}, port 4321" in told
    lock.release()
    DataLock(folder, 1).release()


def test_a_command_waits_for_the_server_of_the_gateway_that_has_the_folder(folder: Path) -> None:
    """It starts none of its own in the moment in which the gateway's is started again."""
    program = (
        "import sys, time; from pathlib import Path; from gateway.database.embedded import DataLock, EmbeddedPostgres\n"
        "folder = Path(sys.argv[1]); lock = DataLock(folder, 4321); print(flush=True)\n"
        "time.sleep(2); server = EmbeddedPostgres(folder); print(server.start(), flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE, text=True) as gateway:
        try:
            assert gateway.stdout is not None
            gateway.stdout.readline()
            url = owner_url(Settings(data_dir=folder))
            pid = int(gateway.stdout.readline())
            with SyncConnection(url) as connection:
                folders = connection.rows("select pg_read_file('postmaster.pid')")[0][0]
            assert folders is not None and int(folders.splitlines()[0]) == pid
        finally:
            gateway.kill()
    until_gone(pid)


def test_a_command_that_has_the_folder_is_named(folder: Path) -> None:
    lock = DataLock(folder, 0)
    with pytest.raises(EmbeddedError, match=rf"in use by a command \(pid {os.getpid()}\)"):
        DataLock(folder, 4321)
    lock.release()


def test_a_long_path_still_gets_a_socket(folder: Path) -> None:
    deep = folder / ("x" * 90)
    server = EmbeddedPostgres(deep)
    server.start()
    try:
        with SyncConnection(server.url()) as connection:
            assert connection.rows("select 1") == [("1",)]
    finally:
        server.stop()


def test_promise_20_the_last_holder_is_named_whoever_held_it_before(folder: Path) -> None:
    for port in (54321, 1, 0, 4321):
        DataLock(folder, port).release()
        lock = DataLock(folder, port)
        named = f"gateway (pid {os.getpid()}, port {port})" if port else f"a command (pid {os.getpid()})"
        with pytest.raises(EmbeddedError, match=re.escape(f"in use by {'another ' if port else ''}{named}")):
            DataLock(folder, 99)
        lock.release()


def test_promise_19_a_folder_is_waited_for_while_workers_of_a_killed_gateway_end(folder: Path) -> None:
    """They hold it on: what they inherited is open until the last of them is gone."""
    code = (
        "import os, sys, time; from pathlib import Path\n"
        "from gateway.database.embedded import DataLock\n"
        "lock = DataLock(Path(sys.argv[1]), 4321)\n"
        "if os.fork() == 0: time.sleep(1); os._exit(0)\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(folder)], check=True, stdout=subprocess.DEVNULL)
    assert fcntl_refuses(folder / "lock")
    DataLock(folder, 1).release()


def fcntl_refuses(path: Path) -> bool:
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


def test_a_port_that_was_taken_meanwhile_is_another_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two that start at once see the same port free."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        wrong, free = taken.getsockname()[1], loopback.free_port
        answers = iter([wrong])
        monkeypatch.setattr(loopback, "free_port", lambda wanted: next(answers, None) or free(wanted))
        server = EmbeddedPostgres(folder)
        server.loopback = loopback.Loopback(folder, wrong)
        server.start()
        assert server.loopback.port != wrong
        server.stop()
