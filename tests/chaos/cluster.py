"""Everything between a visitor and the desk, each part a process that can be killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from gateway.database import SyncConnection
from gateway.database.embedded import EmbeddedPostgres
from tests.fixtures.schema import migrate
from tests.fixtures.server import environment

ROOT = Path(__file__).parents[2]
LIMIT = 120.0  # seconds; generous, nothing is measured here
TRAP = """
import asyncio, sys
from pathlib import Path
from gateway.mail.trap import Trap

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
class Cluster:
    """Everything between a visitor and the desk, each part a process that can be killed."""

    folder: Path
    postgres: EmbeddedPostgres
    port: int = field(default_factory=free_port)
    smtp_port: int = field(default_factory=free_port)
    workers: int = 1
    extra: dict[str, str] = field(default_factory=dict)
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    failed_starts: Counter[str] = field(default_factory=Counter)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def mail(self) -> Path:
        return self.folder / "mail"

    def start(self, name: str) -> None:
        arguments = {
            "gateway": ["-m", "gateway", "serve", "--port", str(self.port), "--workers", str(self.workers)],
            "worker": ["-m", "gateway", "worker"],
            "smtp": ["-c", TRAP, str(self.mail), str(self.smtp_port)],
        }[name]
        extra = {**self.extra, "SMTP_HOST": "127.0.0.1", "SMTP_PORT": str(self.smtp_port), "GATEWAY_LOG_LEVEL": "error"}
        env = environment(self.postgres.url(), self.folder / "gateway", extra)
        deadline = time.monotonic() + LIMIT
        while True:
            process = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, env=env, stdout=subprocess.DEVNULL)
            self.processes[name] = process
            if name == "worker" or self._answers(process, self.port if name == "gateway" else self.smtp_port):
                return
            self.failed_starts[name] += 1
            # a gateway does not start without its database; whoever supervises it tries again
            assert time.monotonic() < deadline, f"{name} did not come up"

    def _answers(self, process: subprocess.Popen[bytes], port: int) -> bool:
        deadline = time.monotonic() + LIMIT
        while process.poll() is None and time.monotonic() < deadline:
            try:
                if port == self.port and self.serving().get("pid") != process.pid:
                    raise ConnectionError("another may answer there, but not this one yet")
                socket.create_connection(("127.0.0.1", port), 1).close()
                return True
            except OSError:
                time.sleep(0.05)
        return False

    def serving(self) -> dict[str, Any]:
        """What the gateway that serves says of itself."""
        try:
            note: dict[str, Any] = json.loads((self.folder / "gateway" / "serving.json").read_text())
        except (OSError, ValueError):
            return {}
        return note

    def kill(self, name: str) -> None:
        self.processes[name].kill()
        self.processes[name].wait()

    def kill_function(self) -> None:
        note = self.serving()
        rows = httpx.get(f"{note['admin']}/_admin/functions", headers={"apikey": note["key"]}, trust_env=False).json()
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


@contextmanager
def running(workers: int = 1, **extra: str) -> Iterator[Cluster]:
    """A cluster with all its parts up, on a fresh database."""
    folder = Path(tempfile.mkdtemp(prefix="gw-loss-"))  # short, because a socket's path may not be long
    cluster = Cluster(folder, EmbeddedPostgres(folder / "pg"), workers=workers, extra=extra)
    try:
        cluster.postgres.start()
        with SyncConnection(cluster.postgres.url()) as connection:
            migrate(connection)
            connection.script("update private.lead_limits set burst = 100000")
        for name in ("smtp", "gateway", "worker"):
            cluster.start(name)
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
