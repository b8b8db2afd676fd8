"""Leads are sent at a steady rate while every part is killed in turn: what was acknowledged is there once, with its
mails."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from gateway.db import SyncConnection
from gateway.embedded import EmbeddedPostgres
from gateway.jobs.trap_page import caught
from schema.migrate import migrate
from tests.fixtures.server import environment

ROOT = Path(__file__).parents[2]
LIMIT = 120.0  # seconds; generous, nothing is measured here
PHASE = 2.0  # seconds of sending before the next part is killed
SENDERS = 3
TRAP = """
import asyncio, sys
from pathlib import Path
from gateway.jobs.trap import Trap

async def main():
    async with Trap(Path(sys.argv[1]), "127.0.0.1", int(sys.argv[2])):
        print("ready", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@dataclass
class Plant:
    """Everything between a visitor and the desk, each part a process that can be killed."""

    folder: Path
    postgres: EmbeddedPostgres
    port: int = field(default_factory=free_port)
    smtp_port: int = field(default_factory=free_port)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def mail(self) -> Path:
        return self.folder / "mail"

    def start(self, name: str) -> None:
        arguments = {
            "gateway": ["-m", "gateway", "serve", "--port", str(self.port)],
            "worker": ["-m", "gateway", "worker"],
            "smtp": ["-c", TRAP, str(self.mail), str(self.smtp_port)],
        }[name]
        extra = {"SMTP_HOST": "127.0.0.1", "SMTP_PORT": str(self.smtp_port), "GATEWAY_LOG_LEVEL": "error"}
        env = environment(self.postgres.url(), self.folder / "gateway", extra)
        deadline = time.monotonic() + LIMIT
        while True:
            process = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env=env, stdout=subprocess.DEVNULL)
            self.processes[name] = process
            if name == "worker" or self._answers(process, self.port if name == "gateway" else self.smtp_port):
                return
            # a gateway does not start without its database; whoever supervises it tries again
            assert time.monotonic() < deadline, f"{name} did not come up"

    def _answers(self, process: subprocess.Popen[bytes], port: int) -> bool:
        deadline = time.monotonic() + LIMIT
        while process.poll() is None and time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return True
            except OSError:
                time.sleep(0.05)
        return False

    def kill(self, name: str) -> None:
        self.processes[name].kill()
        self.processes[name].wait()

    def kill_function(self) -> None:
        key = json.loads((self.folder / "gateway" / "keys.json").read_text())["secret_key"]
        rows = httpx.get(f"{self.url}/functions/v1/_admin/functions", headers={"apikey": key}, trust_env=False).json()
        for row in rows:
            if row.get("process"):
                os.kill(row["process"], signal.SIGKILL)

    def kill_postgres(self) -> None:
        pid = self.postgres.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)  # as its parent: until it is collected its number counts as alive
        self.postgres.stop()

    def stop(self) -> None:
        for process in self.processes.values():
            if process.poll() is None:
                process.terminate()
        for process in self.processes.values():
            process.wait(LIMIT)
        self.postgres.stop()


@pytest.fixture
def plant() -> Iterator[Plant]:
    folder = Path(tempfile.mkdtemp(prefix="gw-loss-"))  # short, because a socket's path may not be long
    plant = Plant(folder, EmbeddedPostgres(folder / "pg"))
    try:
        plant.postgres.start()
        with SyncConnection(plant.postgres.url()) as connection:
            migrate(connection)
            connection.script("update private.lead_limits set burst = 100000")
        for name in ("smtp", "gateway", "worker"):
            plant.start(name)
        yield plant
    finally:
        plant.stop()
        shutil.rmtree(folder, ignore_errors=True)


class Senders:
    """Visitors who press the button until they are told that it worked, as the site's form does."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._done = threading.Event()
        self.acknowledged: list[str] = []
        self.threads = [threading.Thread(target=self._send) for _ in range(SENDERS)]
        for thread in self.threads:
            thread.start()

    def _send(self) -> None:
        while not self._done.is_set():
            name = uuid.uuid4().hex
            body = {"name": "Visitor", "email": f"{name}@example.test", "subject": "Pickup", "message": name}
            headers = {"idempotency-key": name}
            while True:
                try:
                    response = httpx.post(
                        f"{self._url}/functions/v1/submit-contact",
                        json=body,
                        headers=headers,
                        timeout=30,
                        trust_env=False,
                    )
                    if response.status_code == 200 and response.json() == {"ok": True}:
                        self.acknowledged.append(name)
                        break
                except (httpx.HTTPError, ValueError):
                    pass
                if self._done.is_set():
                    return  # gave up without an acknowledgement
                time.sleep(0.1)
            time.sleep(0.1)

    def stop(self) -> None:
        self._done.set()
        for thread in self.threads:
            thread.join()


def test_every_acknowledged_lead_and_its_mails_survive_every_kill(plant: Plant) -> None:
    senders = Senders(plant.url)
    try:
        time.sleep(PHASE)
        plant.kill_function()
        time.sleep(PHASE)
        plant.kill("smtp")
        time.sleep(PHASE)
        plant.start("smtp")
        plant.kill_postgres()
        time.sleep(PHASE)
        plant.postgres.start()
        time.sleep(PHASE)
        plant.kill("gateway")
        plant.start("gateway")
        time.sleep(PHASE)
        plant.kill("worker")
        plant.start("worker")
        time.sleep(PHASE)
    finally:
        senders.stop()
    assert len(senders.acknowledged) > 20

    with SyncConnection(plant.postgres.url()) as connection:
        stored = Counter(str(row[0]) for row in connection.rows("select message from public.contact_messages"))
        assert {name: stored[name] for name in senders.acknowledged} == dict.fromkeys(senders.acknowledged, 1)
        assert set(stored.values()) == {1}

        # also what was stored without the visitor hearing of it has its two mails
        wanted = 2 * len(stored)
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            (left,) = connection.rows("select count(*) from jobs.procrastinate_jobs where status <> 'succeeded'")
            if left == ("0",):
                break
            connection.script("update jobs.procrastinate_jobs set scheduled_at = now() where status = 'todo'")
            time.sleep(0.5)
        assert connection.rows("select status, count(*) from jobs.procrastinate_jobs group by 1") == [
            ("succeeded", str(wanted))
        ]

    ids: Counter[str] = Counter()
    about: Counter[str] = Counter()
    for mail in caught(plant.mail):
        id = mail.header("Message-ID")
        ids[id] += 1
        if ids[id] == 1:  # the same id again is the same mail, and says so
            about[
                mail.header("Reply-To").split("@")[0]
                if "Contact" in mail.header("Subject")
                else mail.header("X-Trap-To").split("@")[0]
            ] += 1
    assert len(ids) == wanted
    assert about == Counter(dict.fromkeys(stored, 2))
