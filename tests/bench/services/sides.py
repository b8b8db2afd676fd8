"""A service and its limit in turn, and what the first costs by the second."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from functools import partial

from tests.bench.compare import CONNECTIONS, ROUNDS, SECONDS, Sample, measure
from tests.bench.crowd import Visitor
from tests.bench.load import Call, load

Side = Callable[[], Sample]


def compared(name: str, mine: Side, beside: Side) -> float:
    """Ask both in turn and print them; what the first costs by the second."""
    pairs = [(mine(), beside()) for _ in range(ROUNDS + 1)][1:]  # the first warms up
    ratio = statistics.median([a.total / b.total for a, b in pairs])
    found, limit = (_shown([pair[side] for pair in pairs]) for side in (0, 1))
    print(f"  {name:<34} {found}   limit {limit}   x{ratio:.2f}", flush=True)
    return ratio


def _shown(samples: Sequence[Sample]) -> str:
    server = statistics.median([sample.server for sample in samples])
    return f"{server:6.0f} + {statistics.median([sample.postgres for sample in samples]):5.0f} µs"


def asked(url: str, calls: Sequence[Call], pid: int, postgres: int) -> Side:
    """A side that sends these calls to a server, no two of them at once."""
    return partial(measure, lambda: load(url, calls, CONNECTIONS, SECONDS, once=True).requests, pid, postgres)


def browsing(visitor: Visitor) -> dict[str, str]:
    """Headers without what a client of the API sends."""
    return {name: value for name, value in visitor.headers.items() if name not in ("authorization", "apikey")}
