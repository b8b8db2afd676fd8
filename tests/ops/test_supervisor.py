"""The supervisor with workers that do as they are told: the old ones serve until the new ones do."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fixtures.server import ROOT
from tests.ops.procs import LIMIT, alive, until

# A worker notes its pid under its name, waits for a word, and is ready or fails. Each look at what no signal tells of
# is a byte more of `looks`.
PROGRAM = """
import os, signal, sys, time
from pathlib import Path
from gateway.server.supervisor import Role, Supervisor

folder = Path(sys.argv[1])

def role(name):
    def run(ready):
        told = folder / f"{name}.told"
        aside = folder / f"{name}.new"
        aside.write_text(str(os.getpid()))
        aside.rename(folder / name)
        while not told.exists():
            time.sleep(0.01)
        if told.read_text() == "fail":
            return 1
        ready()
        signal.pause()
        return 0
    return Role(name, run)

def looked():
    with (folder / "looks").open("ab") as looks:
        looks.write(b".")
    return False

Supervisor(
    [role("old")],
    on_ready=lambda: (folder / "serves").touch(),
    reload=lambda: [role("new 1"), role("new 2")],
    changed=looked,
).run()
"""


@dataclass
class Supervised:
    """A supervisor, and the folder in which its workers are told what to do."""

    folder: Path
    process: subprocess.Popen[bytes]

    def tell(self, name: str, word: str = "serve") -> None:
        aside = self.folder / f"{name}.word"
        aside.write_text(word)
        aside.rename(self.folder / f"{name}.told")

    def pid(self, name: str) -> int:
        """Of a worker, once it runs."""
        until((self.folder / name).exists, f"{name} has started")
        return int((self.folder / name).read_text())

    def looks(self) -> int:
        path = self.folder / "looks"
        return path.stat().st_size if path.exists() else 0

    def has_looked_again(self) -> None:
        """Whatever the supervisor was going to do about what it knows, it has done."""
        before = self.looks()
        until(lambda: self.looks() >= before + 2, "the supervisor looks")


@pytest.fixture
def supervised(tmp_path: Path) -> Iterator[Supervised]:
    """A supervisor whose one worker serves."""
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(tmp_path)], cwd=ROOT)
    running = Supervised(tmp_path, process)
    try:
        running.tell("old")
        until((tmp_path / "serves").exists, "the first worker serves")
        yield running
    finally:
        process.terminate()
        assert process.wait(LIMIT) == 0


def test_promise_18_old_workers_serve_until_all_new_ones_are_ready(supervised: Supervised) -> None:
    old = supervised.pid("old")
    supervised.process.send_signal(signal.SIGHUP)
    first = supervised.pid("new 1")
    supervised.has_looked_again()
    assert alive(old), "no new worker is ready"
    supervised.tell("new 1")
    second = supervised.pid("new 2")
    supervised.has_looked_again()
    assert alive(old), "one of two is ready"
    supervised.tell("new 2")
    until(lambda: not alive(old), "the old worker ends")
    assert alive(first) and alive(second)


@pytest.mark.parametrize("failing", ["new 1", "new 2"])
def test_promise_18_old_workers_stay_when_a_new_one_does_not_start(supervised: Supervised, failing: str) -> None:
    old = supervised.pid("old")
    supervised.process.send_signal(signal.SIGHUP)
    pids = []
    for name in ("new 1", "new 2"):
        pids.append(supervised.pid(name))
        supervised.tell(name, "fail" if name == failing else "serve")
        if name == failing:
            break
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), "nothing is left of the new workers")
    supervised.has_looked_again()
    assert alive(old)
    assert supervised.process.poll() is None


STUBBORN = """
import signal, sys, time
import gateway.server.supervisor as supervisor

supervisor.STOP_LIMIT = 0.2

def deaf_to_the_end(ready):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ready()
    while True:
        time.sleep(1)

stubborn = supervisor.Role("stubborn", deaf_to_the_end)
supervisor.Supervisor([stubborn], on_ready=lambda: print("serves", flush=True)).run()
"""


def test_a_worker_that_does_not_end_says_where_it_hangs_and_is_killed() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", STUBBORN], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"serves\n"
    process.terminate()
    _, said = process.communicate(timeout=LIMIT)
    assert process.returncode == 0
    assert b"still there, killed now: stubborn" in said
    assert b"deaf_to_the_end" in said, "the frame that it hung in"


BESIDE = """
import gc, os, signal, time
from gateway.server.supervisor import Role, Supervisor

def say(word):
    os.write(1, f"{word} {gc.get_freeze_count() > 1000}\\n".encode())

def work(ready):
    time.sleep(0.3)
    say("worker")
    ready()
    signal.pause()
    return 0

def watch(ready):
    ready.wait_for_workers()
    say("companion")
    signal.pause()
    return 0

Supervisor([Role("beside", watch, worker=False), Role("worker", work)], on_ready=lambda: None).run()
"""


def test_companions_wait_for_the_workers_and_the_collector_leaves_to_all_what_they_began_with() -> None:
    with subprocess.Popen([sys.executable, "-c", BESIDE], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert [process.stdout.readline().split() for _ in range(2)] == [["worker", "True"], ["companion", "True"]]
        finally:
            process.terminate()
            process.wait(LIMIT)
