"""Whether every process keeps its size: resident memory along a hundred thousand requests of every kind.

What a process remembers is bounded, and is filled in the first part; what is reported is how much it grows from three
fifths of the way to the end.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from tests.bench import cpu
from tests.bench.load import Call, load
from tests.bench.site import FEW
from tests.bench.tables import postgres_at, serving, works
from tests.fixtures.server import LiveGateway
from tests.ops.procs import children

REQUESTS = int(os.environ.get("BENCH_REQUESTS", "100000"))
STEPS = 5
CONNECTIONS = 16
WORKERS = 2
FROM = 3  # the step from which it is flat
GROWTH_GOAL = 1.02
SLICE = 1.0  # seconds of one kind of request at a time


def main() -> None:
    """Print each process' memory along the way."""
    with (
        postgres_at() as (folder, postgres),
        serving(postgres, folder, "few", FEW, WORKERS, "dev") as (gateway, keys),
    ):
        kinds = [work.calls for work in works(keys, gateway.url) if work.goal is not None or "call" in work.name]
        kinds.append(_missing(gateway.url, keys["publishable_key"]))
        kinds.append(_refused(gateway.url, keys["publishable_key"]))
        kinds.append((Call.of(f"{gateway.url}/auth/v1/settings", headers={"apikey": keys["publishable_key"]}),))
        kinds.append((Call.of(f"{gateway.url}/functions/v1/sitemap"), Call.of(f"{gateway.url}/insights")))
        steps = [_sizes(gateway)]
        done = 0
        for step in range(1, STEPS + 1):
            while done < REQUESTS * step // STEPS:
                for calls in kinds:
                    done += load(gateway.url, calls, CONNECTIONS, SLICE).requests
            time.sleep(1.0)
            steps.append(_sizes(gateway))
        print(f"memory: {done} requests of {len(kinds)} kinds over {CONNECTIONS} connections, MB after each fifth")
        for name in steps[-1]:
            sizes = [step.get(name, 0.0) for step in steps]
            growth = sizes[-1] / sizes[FROM] if sizes[FROM] else 1.0
            verdict = "flat" if growth <= GROWTH_GOAL else "GROWS"
            print(f"  {name:<14} {'  '.join(f'{size:6.1f}' for size in sizes)}   {growth:.3f} {verdict}")
        print(f"  goal: at the end at most {GROWTH_GOAL} times what it was after {FROM} fifths")


def _missing(url: str, key: str) -> tuple[Call, ...]:
    """Shapes that were never seen before: what is remembered of requests is bounded."""
    return tuple(
        Call.of(
            f"{url}/rest/v1/blog_posts?select=id&title=eq.{number}&limit={number % 90 + 1}", headers={"apikey": key}
        )
        for number in range(5000)
    )


def _refused(url: str, key: str) -> tuple[Call, ...]:
    """Requests that end in an error."""
    headers = {"apikey": key}
    return (
        Call.of(f"{url}/rest/v1/nothing?select=id", headers=headers, status=404),
        Call.of(f"{url}/rest/v1/blog_posts?select=nothing", headers=headers, status=400),
    )


def _sizes(gateway: LiveGateway) -> dict[str, float]:
    """Megabytes by what a process is."""
    supervisor = gateway.process.pid
    direct = set(children(supervisor))
    sizes = {"supervisor": cpu.memory(supervisor)}
    for pid in sorted(cpu.children(supervisor)):
        line = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        if "worker" in line.split("\0"):
            name = "jobs"
        elif pid in direct:
            name = "worker"
        else:
            name = "forkserver" if set(children(pid)) else "function"
        number = sum(known.startswith(name) for known in sizes) + 1
        sizes[f"{name} {number}"] = cpu.memory(pid)
    return sizes
