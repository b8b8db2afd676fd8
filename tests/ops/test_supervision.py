"""Whatever process dies or hangs is started again by itself, and nothing outlives what started it."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from gateway.database import SyncConnection
from gateway.database.embedded import EmbeddedPostgres
from gateway.server import supervisor
from gateway.server.supervisor import Lifeline, Role, Supervisor
from gateway.system.processes import has_ended
from tests.fixtures.server import ROOT, LiveGateway, start_gateway
from tests.ops.procs import LIMIT, alive, children, until, workers
from tests.test_start import tree


@pytest.fixture
def dev() -> Iterator[LiveGateway]:
    """`gateway dev` with the embedded database, on a short path: a socket's path may not be long."""
    folder = Path(tempfile.mkdtemp(prefix="gw-kill-"))
    gateway = start_gateway("", folder, "dev", {"GATEWAY_WORKERS": "2", "GATEWAY_WORKER_TIMEOUT": "8"})
    try:
        yield gateway
    finally:
        gateway.stop()
        shutil.rmtree(folder, ignore_errors=True)


def lead(gateway: LiveGateway, number: int) -> bool:
    """Whether a form takes a lead now."""
    try:
        answer = httpx.post(
            f"{gateway.url}/functions/v1/submit-newsletter",
            headers={"apikey": gateway.publishable_key, "idempotency-key": f"of-this-test-{number}"},
            json={"firstName": "Lena", "lastName": "Okafor", "email": f"lena{number}@bayclinic.example"},
            timeout=LIMIT,
        )
    except httpx.HTTPError:
        return False
    return answer.status_code == 200


def stored(gateway: LiveGateway) -> int:
    answer = httpx.get(
        f"{gateway.url}/rest/v1/newsletter_subscriptions?select=email",
        headers={"apikey": gateway.secret_key},
        timeout=LIMIT,
    )
    assert answer.status_code == 200, answer.text
    return len(answer.json())


def postmaster(gateway: LiveGateway) -> int:
    return int((gateway.data_dir / "postgres" / "postmaster.pid").read_text().splitlines()[0])


def said(gateway: LiveGateway, text: str) -> bool:
    return any(text in line for line in gateway.output)


def test_a_killed_postgres_is_started_again_with_what_it_had(dev: LiveGateway) -> None:
    assert lead(dev, 1)
    first = postmaster(dev)
    # A session that hangs holds the server's memory, and the note that is left names a pid that lives.
    session = children(first)[0]
    os.kill(session, signal.SIGSTOP)
    os.kill(first, signal.SIGKILL)
    until(lambda: lead(dev, 2), "leads are stored again")
    assert postmaster(dev) != first and not alive(session)
    assert stored(dev) == 2
    assert said(dev, f"Postgres (process {first}) was ended by SIGKILL and is started again")
    until(lambda: said(dev, "Postgres is ready again"), "the gateway says so")


def test_every_process_but_the_supervisor_may_be_killed(dev: LiveGateway) -> None:
    assert lead(dev, 0)
    kept = len(children(dev.process.pid))
    victims = tree(dev.process.pid)[1:]
    assert len(victims) > 8, "Postgres and what it keeps, workers, functions' hosts, functions, jobs"
    count = 1
    for victim in victims:
        if not alive(victim):
            continue  # it went with one before
        os.kill(victim, signal.SIGKILL)
        until(lambda: not alive(victim), "it is gone")  # noqa: B023  (asked within the loop's turn)
        until(lambda: lead(dev, count), f"leads are stored again after process {victim}")  # noqa: B023
        count += 1
    until(lambda: len(children(dev.process.pid)) == kept, "Postgres, jobs, monitor and two workers are there")
    assert stored(dev) == count
    members = tree(dev.process.pid)
    assert dev.stop() == 0
    until(lambda: not any(alive(pid) for pid in members), "nothing is left")


@pytest.mark.parametrize("which", ["worker", "jobs"])
def test_a_process_that_hangs_is_replaced(dev: LiveGateway, which: str) -> None:
    word = b"worker\0--lifeline"
    jobs = [pid for pid in children(dev.process.pid) if word in Path(f"/proc/{pid}/cmdline").read_bytes()]
    kept = len(children(dev.process.pid))
    others = set(children(dev.process.pid)) - {postmaster(dev), *jobs}
    assert len(jobs) == 1 and len(others) == 3, "two workers and the monitor"
    assert len(workers(dev)) == 2, "nobody else keeps the port open"
    with SyncConnection(f"postgresql://supabase_admin@/postgres?host={dev.data_dir}/sockets") as connection:
        at_work = "select from pg_stat_activity where application_name = 'gateway worker'"
        until(lambda: bool(connection.rows(at_work)), "the jobs worker has begun")
    victim = jobs[0] if which == "jobs" else max(others)
    os.kill(victim, signal.SIGSTOP)
    until(lambda: not alive(victim), "it is ended")
    until(lambda: len(children(dev.process.pid)) == kept, "another takes its place")
    assert said(dev, f"(process {victim}) has hung for ")
    assert all(alive(pid) for pid in others - {victim}) and lead(dev, 1)


def test_a_pid_that_is_another_program_s_by_now_does_not_stop_postgres() -> None:
    folder = Path(tempfile.mkdtemp(prefix="gw-pid-"))
    server = EmbeddedPostgres(folder)
    server.start()
    assert server.pid is not None
    kept = [(path, path.read_text()) for path in (folder / "postgres" / "postmaster.pid", *folder.glob("sockets/.*k"))]
    try:
        server.stop()
        with subprocess.Popen(["sleep", "60"], **server._identity()) as other:
            try:
                for path, text in kept:
                    path.write_text(text.replace(text.splitlines()[0], str(other.pid), 1))
                assert not server.running
                server.start()
            finally:
                other.kill()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def test_pauses_grow_between_starts_that_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    starts = []

    def spawn() -> int:
        starts.append(clock[0])
        raise OSError("no room")

    process = supervisor._Process(supervisor.Program("it", spawn, lambda: False, 1), pid=1, ready=True)
    keeper = Supervisor([], on_ready=lambda: None)
    keeper._companions.append(process)
    keeper._put_off(process)  # it ran for long and ended
    for _ in range(400):
        keeper._start_due()
        clock[0] += 0.1
    pauses = [round(after - before) for before, after in itertools.pairwise(starts)]
    assert pauses == [1, 2, 4, 8, *[10] * (len(pauses) - 4)] and len(pauses) > 5


# A worker leaves a daemon: a child of a child, with a session of its own.
ORPHANS = """
import os, signal, sys, time
from gateway.server.supervisor import Role, Supervisor

def run(lifeline):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            print(os.getppid(), os.getpid(), flush=True)
            time.sleep(600)
        time.sleep(600)
    lifeline()
    signal.pause()
    return 0

Supervisor([Role("worker", run)], on_ready=lambda: None).run()
"""


@contextmanager
def started(*command: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_what_a_worker_leaves_ends_with_it() -> None:
    with started(sys.executable, "-c", ORPHANS) as process:
        assert process.stdout is not None
        first = [int(word) for word in process.stdout.readline().split()]
        (worker,) = children(process.pid)
        os.kill(worker, signal.SIGKILL)
        until(lambda: not any(alive(pid) for pid in first), "its children end with it")
        second = [int(word) for word in process.stdout.readline().split()]
        until(lambda: all(alive(pid) for pid in second), "the next one has its own")
        process.terminate()
        assert process.wait(LIMIT) == 0
        until(lambda: all(has_ended(pid) for pid in second), "they end with the supervisor")


def test_the_children_of_the_program_before_are_let_be() -> None:
    """As in `tail -f log & exec gateway serve`."""
    script = f"sleep 60 & echo $!; exec {sys.executable} -c '{ORPHANS}'"
    with started("bash", "-c", script) as process:
        assert process.stdout is not None
        beside = int(process.stdout.readline())
        process.stdout.readline()
        process.terminate()
        assert process.wait(LIMIT) == 0
        assert alive(beside)
        os.kill(beside, signal.SIGKILL)


def test_a_process_notices_that_its_supervisor_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "kill", lambda _, number: ended.append(number))
    read, write = os.pipe()
    line = Lifeline(write)
    line()
    line.beat()
    assert os.read(read, 10) == b"1." and not ended
    monkeypatch.setattr(os, "getppid", lambda: 1)
    os.close(read)
    line.beat()
    assert ended == [signal.SIGTERM]
    os.close(write)


def test_a_process_that_never_gets_anywhere_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(Supervisor, "_end", lambda *_: None)
    keeper = Supervisor([], on_ready=lambda: None, silence=30.0)
    process = supervisor._Process(Role("worker", lambda _: 0))
    keeper._coming, keeper._looked = [process], now
    monkeypatch.setattr(os, "fork", os.getpid)  # the child never says a word
    keeper._start(process)
    while now < 1000 + supervisor.START_LIMIT + 29:
        now += 1
        keeper._look()
    assert not process.condemned
    now += 2
    keeper._look()
    assert process.condemned


def test_a_hang_that_the_supervisor_slept_through_too_is_forgiven(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    monkeypatch.setattr(Supervisor, "_end", lambda *_: None)  # else the children of this process, which it knows not
    keeper = Supervisor([], on_ready=lambda: None, silence=30.0)
    process = supervisor._Process(Role("worker", lambda _: 0), pid=os.getpid(), ready=True, heard=now)
    keeper._current, keeper._looked = [process], now
    now += 3600.0
    keeper._look()
    assert not process.condemned
