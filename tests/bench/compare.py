"""Processor time of a request, the gateway's and Postgres', beside what the original's SQL costs in pgbench.

Every sample of the gateway stands beside one of pgbench's and, where a goal names it, of a bare hello, taken in turn;
what is printed are medians of these and of their ratios.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from gateway.database import SyncConnection
from gateway.server.http_server import listen
from tests.bench import cpu, limit
from tests.bench.crowd import crowd
from tests.bench.load import Call, Outcome, load
from tests.bench.workload import SINGLE, Kind

CONNECTIONS = 16
ROUNDS = int(os.environ.get("BENCH_PAIRS", "5"))
SECONDS = float(os.environ.get("BENCH_SECONDS", "2"))
HELLO_GOAL = 2.5  # the gateway alone against a bare hello, on a single row
VISITORS = ("visitors that differ", "the same again")


@dataclass
class Sample:
    """Processor microseconds a request."""

    server: float
    postgres: float

    @property
    def total(self) -> float:
        return self.server + self.postgres


def measure(load_it: Callable[[], int], server: int | None, postgres: int) -> Sample:
    """A sample of a load, which gives the number of its requests; without a `server` of the programs it runs."""

    def spent() -> tuple[float, float]:
        times = os.times()
        mine = cpu.seconds(server, postgres) if server else times.children_user + times.children_system
        return mine, cpu.seconds(postgres)

    before = spent()
    count = load_it()
    return Sample(*((b - a) / count * 1e6 for a, b in zip(before, spent(), strict=True)))


@dataclass
class Samples:
    """Interleaved samples of the gateway by kind of visitors, of pgbench and of the bare server."""

    mine: dict[str, list[Sample]] = field(default_factory=lambda: {who: [] for who in VISITORS})
    outcomes: dict[str, list[Outcome]] = field(default_factory=lambda: {who: [] for who in VISITORS})
    limit: list[Sample] = field(default_factory=list)
    floor: list[Sample] = field(default_factory=list)


@dataclass(frozen=True)
class Bench:
    """What is measured: a gateway, its database by the login of the tables API and of its owner, and its server."""

    url: str
    pid: int
    keys: Mapping[str, Any]
    rest: str
    owner: str
    postgres: int
    programs: Path


def compare(bench: Bench, kinds: Sequence[Kind]) -> dict[str, Samples]:
    """Samples of all kinds, printed as they come."""
    found = {}
    with floor() as hello:
        for kind in kinds:
            samples = found[kind.name] = _rounds(bench, kind, hello)
            report(kind, samples)
    return found


def _rounds(bench: Bench, kind: Kind, hello: tuple[str, int]) -> Samples:
    visitors = crowd(bench.keys, kind.role)
    same = kind.same(bench.url, bench.keys)
    scripts = kind.scripts(visitors)
    samples = Samples()
    url, pid = hello
    # Every visitor has been here, so that no token is new.
    load(bench.url, kind.differing(bench.url, visitors), CONNECTIONS, SECONDS * 2, once=True)
    for number in range(ROUNDS + 1):  # the first round warms up
        differing = kind.differing(bench.url, visitors, number + 1)
        for who, calls in zip(VISITORS, (differing, same), strict=True):
            outcomes: list[Outcome] = []
            sample = measure(partial(_load, bench.url, calls, outcomes), bench.pid, bench.postgres)
            cleared(bench, kind)
            if number:
                samples.mine[who].append(sample)
                samples.outcomes[who] += outcomes
        at_the_limit = partial(limit.run, bench.rest, scripts, CONNECTIONS, max(1, round(SECONDS)), bench.programs)
        sample = measure(at_the_limit, None, bench.postgres)
        cleared(bench, kind)
        if number:
            samples.limit.append(sample)
        if kind.name == SINGLE:
            # Asked the same, so that neither has fewer headers to read.
            bare = [replace(call, status=200) for call in differing]
            sample = measure(partial(_load, url, bare, []), pid, bench.postgres)
            if number:
                samples.floor.append(sample)
    return samples


def _load(url: str, calls: Sequence[Call], outcomes: list[Outcome]) -> int:
    outcomes.append(load(url, calls, CONNECTIONS, SECONDS, once=len(calls) > CONNECTIONS))
    return outcomes[-1].requests


def cleared(bench: Bench, kind: Kind) -> None:
    """Take away what was written."""
    if kind.clear:
        with SyncConnection(bench.owner) as connection:
            connection.script(kind.clear)


def medians(name: str, values: Sequence[float], unit: str = "") -> str:
    return f"{name} {statistics.median(values):.2f}{unit} ({min(values):.2f} to {max(values):.2f})"


def verdict(found: float, goal: float) -> str:
    return f"goal {goal}x: {'met' if found <= goal else 'MISSED'}"


def report(kind: Kind, samples: Samples) -> None:
    """Print what was found of a kind."""
    print(kind.name)
    print(f"  {'the original in pgbench':<24} {_pair(samples.limit)}")
    for number, (who, mine) in enumerate(samples.mine.items()):
        ratio = statistics.median([a.total / b.total for a, b in zip(mine, samples.limit, strict=True)])
        goal = f"   {verdict(ratio, kind.goal)}" if kind.goal is not None and not number else ""
        outcomes = samples.outcomes[who]
        rate = statistics.median(outcome.requests / outcome.seconds for outcome in outcomes)
        tail = statistics.median(outcome.percentile(0.99) for outcome in outcomes) * 1000
        print(f"  {who:<24} {_pair(mine)}   x{ratio:.2f}{goal}   {rate:.0f}/s, p99 {tail:.1f} ms")
        if samples.floor:
            above = statistics.median([a.server / b.server for a, b in zip(mine, samples.floor, strict=True)])
            hello = statistics.median([b.server for b in samples.floor])
            told = verdict(above, HELLO_GOAL) if not number else ""
            print(f"  {'':<24} gateway alone by a bare hello of {hello:.0f} µs: x{above:.2f}   {told}")
    print(flush=True)


def _pair(samples: Sequence[Sample]) -> str:
    server = statistics.median([sample.server for sample in samples])
    postgres = statistics.median([sample.postgres for sample in samples])
    return f"{server:5.0f} + {postgres:5.0f} µs"


@contextlib.contextmanager
def floor(body: bytes | None = None) -> Iterator[tuple[str, int]]:
    """A bare uvicorn hello, which says these bytes; its URL and pid."""
    with contextlib.ExitStack() as stack:
        with listen("127.0.0.1", 0) as probe:
            port = probe.getsockname()[1]
        environment = dict(os.environ)
        if body is not None:
            said = stack.enter_context(tempfile.NamedTemporaryFile(prefix="gw-bench-"))
            said.write(body)
            said.flush()
            environment["BENCH_HELLO"] = said.name
        process = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "tests.bench.floor:app", "--port", str(port), "--no-access-log",
             "--log-level", "warning", "--loop", "uvloop", "--http", "httptools"],
            env=environment,
        )  # fmt: skip
        stack.callback(process.wait)
        stack.callback(process.terminate)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), contextlib.closing(_connected(port)):
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}", process.pid


def _connected(port: int) -> Any:
    import socket

    return socket.create_connection(("127.0.0.1", port), timeout=1)
