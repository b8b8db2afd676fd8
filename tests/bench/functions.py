"""Functions: calls through the gateway against calls of the function's own process, and the time to a first answer."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

from tests.bench import cpu
from tests.bench.load import Call, load
from tests.fixtures.server import environment

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests" / "functions" / "samples"
CONNECTIONS = 16
ROUNDS = 5
SECONDS = 2.0
STARTS = 11
OVERHEAD_GOAL = 400  # microseconds of gateway processor time a call
START_GOAL = 400  # milliseconds
BODY = b'{"name": "Ada"}'
HEADERS = {"content-type": "application/json", "apikey": "x" * 46, "x-client-info": "supabase-js-web/2.109.0"}


def start(*arguments: str) -> tuple[subprocess.Popen[str], str]:
    """A server of the samples and its address, once it listens."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", *arguments],
        cwd=ROOT,
        env={**environment("", Path(tempfile.mkdtemp(prefix="gw-bench-"))), "PORT": "0", "FUNCTIONS_ADMIN": "true"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    address = next(word for word in line.split() if word.startswith("http://"))
    return process, address


def spent(gateway: int) -> float:
    """Processor seconds of a gateway without those of the functions and of what starts them."""
    starting = [pid for pid in cpu.children(gateway) if b"forkserver" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    return cpu.seconds(gateway, *starting)


def cold_starts(url: str, admin: str, key: str) -> list[float]:
    """Milliseconds of first calls: each time the process is killed before."""
    taken = []
    for _ in range(STARTS):
        rows = httpx.get(admin, headers={"apikey": key}, trust_env=False).json()
        pid = next(row["process"] for row in rows if row["name"] == "counts")
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            time.sleep(0.2)
        begun = time.perf_counter()
        assert httpx.post(url, content=BODY, headers=HEADERS, trust_env=False).json() == {"calls": 1}
        taken.append((time.perf_counter() - begun) * 1000)
    return taken[1:]


def main() -> None:
    """Print the figures."""
    gateway, prefix = start("functions", "serve", "--dir", str(SAMPLES), "--no-reload", "--port", "0")
    alone, direct_url = start("functions_runner.runner", "counts", "--dir", str(SAMPLES))
    base = prefix.partition("/NAME")[0]
    url = f"{base}/counts"
    try:
        assert httpx.post(url, content=BODY, headers=HEADERS, trust_env=False).status_code == 200
        through, direct, overhead = [], [], []
        for _ in range(ROUNDS):
            before = spent(gateway.pid)
            outcome = load(url, [Call.of(url, "POST", HEADERS, BODY)], CONNECTIONS, SECONDS)
            overhead.append((spent(gateway.pid) - before) / outcome.requests * 1e6)
            through.append(outcome.requests / outcome.seconds)
            outcome = load(direct_url, [Call.of(direct_url, "POST", HEADERS, BODY)], CONNECTIONS, SECONDS)
            direct.append(outcome.requests / outcome.seconds)
        data_dir = Path(gateway_folder(gateway.pid))
        key = httpx.Response(200, content=(data_dir / "keys.json").read_bytes()).json()["secret_key"]
        starts = cold_starts(url, f"{base}/_admin/functions", key)
    finally:
        for process in (gateway, alone):
            process.terminate()
            process.wait()
    print("functions")
    print(
        f"  calls a second, {CONNECTIONS} connections   gateway {statistics.median(through):6.0f}"
        f"   the function's process alone {statistics.median(direct):6.0f}"
    )
    print(f"  gateway processor time a call      {statistics.median(overhead):6.0f} us   (at most {OVERHEAD_GOAL})")
    print(f"  first answer of a cold function    {statistics.median(starts):6.0f} ms   (at most {START_GOAL})")


def gateway_folder(pid: int) -> str:
    """The data folder that a server was told."""
    words = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return next(word.partition("=")[2] for word in words if word.startswith("GATEWAY_DATA_DIR="))


if __name__ == "__main__":
    main()
