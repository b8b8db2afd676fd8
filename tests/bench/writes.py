"""Writes that reach the disk: inserts a second and their median, beside the original's SQL in pgbench, fsync on.

Visitors differ. At each number of connections gateway and pgbench are asked in turn.
"""

from __future__ import annotations

import os
import statistics
from dataclasses import dataclass

from tests.bench import cpu, limit
from tests.bench.compare import ROUNDS, SECONDS, Bench, cleared, medians, verdict
from tests.bench.crowd import crowd
from tests.bench.load import Call, load
from tests.bench.servers import measured_postgres
from tests.bench.site import FEW
from tests.bench.tables import serving
from tests.bench.workload import KINDS

CONNECTIONS = (1, 4, 16, 64)
HELD = 16  # connections that the goals are for
RATE_GOAL = 0.7  # of pgbench's inserts a second
COST_GOAL = 1.6  # of its processor time and Postgres'


@dataclass(frozen=True)
class Round:
    """Inserts a second, the median of their seconds, processor seconds of one: the client of Postgres and Postgres."""

    rate: float
    median: float
    client: float
    postgres: float

    @property
    def cost(self) -> float:
        return self.client + self.postgres


def main() -> None:
    """Print what inserts take, beside pgbench."""
    kind = next(kind for kind in KINDS if kind.name == "insert")
    with measured_postgres() as at, serving(at.server, at.folder, "few", FEW) as (gateway, keys):
        assert at.server.pid is not None
        print(f"inserts, {at.title}, fsync on; visitors that differ, {ROUNDS} rounds of {SECONDS:g} s, medians")
        owner, rest = at.server.url(database="few"), at.server.url("authenticator", "few")
        bench = Bench(gateway.url, gateway.process.pid, keys, rest, owner, at.server.pid, at.programs)
        visitors = crowd(keys, kind.role)
        calls, scripts = kind.differing(bench.url, visitors), kind.scripts(visitors)
        for connections in CONNECTIONS:
            mine, theirs = [], []
            for number in range(ROUNDS + 1):  # the first round warms up
                mine.append(through(bench, calls, connections))
                cleared(bench, kind)
                theirs.append(at_the_limit(bench, scripts, connections))
                cleared(bench, kind)
                if not number:
                    mine, theirs = [], []
            report(connections, mine, theirs)


def through(bench: Bench, calls: list[Call], connections: int) -> Round:
    before = cpu.seconds(bench.pid, bench.postgres), cpu.seconds(bench.postgres)
    outcome = load(bench.url, calls, connections, SECONDS, once=True)
    after = cpu.seconds(bench.pid, bench.postgres), cpu.seconds(bench.postgres)
    client, postgres = ((now - then) / outcome.requests for now, then in zip(after, before, strict=True))
    return Round(outcome.requests / outcome.seconds, outcome.percentile(0.5), client, postgres)


def at_the_limit(bench: Bench, scripts: list[str], connections: int) -> Round:
    seconds = max(1, round(SECONDS))
    before = _children(), cpu.seconds(bench.postgres)
    taken = limit.timed(bench.rest, scripts, connections, seconds, bench.programs)
    after = _children(), cpu.seconds(bench.postgres)
    client, postgres = ((now - then) / len(taken) for now, then in zip(after, before, strict=True))
    return Round(len(taken) / seconds, statistics.median(taken), client, postgres)


def _children() -> float:
    """Processor seconds of the children that were waited for: pgbench's."""
    spent = os.times()
    return spent.children_user + spent.children_system


def report(connections: int, mine: list[Round], theirs: list[Round]) -> None:
    """Print what was found."""
    print(f"{connections} connections")
    for name, rounds in (("gateway", mine), ("pgbench", theirs)):
        rate, median = (statistics.median(each) for each in ([r.rate for r in rounds], [r.median for r in rounds]))
        client = statistics.median(each.client for each in rounds) * 1e6
        postgres = statistics.median(each.postgres for each in rounds) * 1e6
        print(
            f"  {name}   {rate:6.0f}/s   median {median * 1e3:6.2f} ms   processor {client:4.0f} + {postgres:4.0f} µs"
        )
    rates = [a.rate / b.rate for a, b in zip(mine, theirs, strict=True)]
    costs = [a.cost / b.cost for a, b in zip(mine, theirs, strict=True)]
    enough, cheap = "", ""
    if connections == HELD:
        enough = f"   goal {RATE_GOAL}x: {'met' if statistics.median(rates) >= RATE_GOAL else 'MISSED'}"
        cheap = f"   {verdict(statistics.median(costs), COST_GOAL)}"
    print(f"  {medians('rate by pgbench', rates, 'x')}{enough}")
    print(f"  {medians('processor by pgbench', costs, 'x')}{cheap}", flush=True)
