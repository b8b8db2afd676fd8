"""A server of the sample functions: the real relay and real processes, without a database."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.identity.keyring import KeyRing
from gateway.settings import Settings

ROOT = Path(__file__).parents[3]
SAMPLES = ROOT / "tests" / "functions" / "samples"
LIMIT = 60.0  # seconds; generous, nothing is measured here


@dataclass
class Served:
    """A running server of functions; `root` is its folder of functions."""

    url: str
    root: Path
    data_dir: Path
    process: subprocess.Popen[str]

    @property
    def keys(self) -> KeyRing:
        return KeyRing.load(Settings.load({}, data_dir=self.data_dir))

    def call(self, path: str, method: str = "POST", **more: Any) -> httpx.Response:
        """One call of `/functions/v1` + path."""
        return httpx.request(method, f"{self.url}/functions/v1{path}", timeout=LIMIT, trust_env=False, **more)

    def admin(self, path: str, method: str = "GET", **more: Any) -> httpx.Response:
        """One call of the admin API."""
        return self.call(f"/_admin{path}", method, headers={"apikey": self.keys.secret_key}, **more)

    def command(self, *arguments: str, input: str | None = None, **extra: str) -> subprocess.CompletedProcess[str]:
        """Run a `functions …` command against it, with variables of its own."""
        return subprocess.run(
            [sys.executable, "-m", "functions", *arguments],
            cwd=ROOT,
            env={**environment(self.data_dir), "SUPABASE_URL": self.url, "FUNCTIONS_DIR": str(self.root), **extra},
            input=input,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            text=True,
        )

    def log(self, name: str) -> str:
        """What a function printed."""
        path = self.data_dir / "functions" / "logs" / f"{name}.log"
        return path.read_text() if path.exists() else ""

    def pid(self, name: str) -> int | None:
        """Process id of the function's warm process."""
        rows = {row["name"]: row for row in self.admin("/functions").json()}
        found: int | None = rows[name]["process"]
        return found


def environment(data_dir: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "FUNCTIONS_ADMIN": "true",
        "GATEWAY_DATA_DIR": str(data_dir),
        "FUNCTIONS_ENV_FILE": str(data_dir / "functions.env"),
    }


def start(
    root: Path, data_dir: Path, *options: str, extra: dict[str, str] | None = None, through: tuple[str, ...] = ()
) -> Served:
    """Start `functions serve` on a free port and wait until it says that it is ready; `through` is a command that
    starts another, as another user for one."""
    data_dir.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(
        [*through, sys.executable, "-u", "-m", "functions", "serve", "--port", "0", "--dir", str(root), *options],
        cwd=ROOT,
        env={**environment(data_dir), **(extra or {})},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith("functions on "), line
    return Served(line.split()[2].split("/functions/")[0], root, data_dir, process)


def stop(served: Served) -> int:
    """Ask it to end; its exit status."""
    if served.process.poll() is None:
        served.process.send_signal(signal.SIGTERM)
    code = served.process.wait(LIMIT)
    assert served.process.stdout is not None
    served.process.stdout.close()
    return code


def wait_for(check: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT
    while not check():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The samples, served to all tests that leave them as they are."""
    running = start(SAMPLES, tmp_path_factory.mktemp("functions"), "--no-reload")
    yield running
    stop(running)


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Served]:
    """A copy of the samples that the test may change, served with reload."""
    root = tmp_path / "functions"
    shutil.copytree(SAMPLES, root)
    running = start(root, tmp_path / "data")
    yield running
    stop(running)
