"""What each step past one process gives: requests a second, and processor time of a request by where it is spent.

Every way is served at once and asked in turn, so that their ratios hold on a machine that has other things to do. Those
behind PgBouncer are left out where there is none (`python -m tests.ha.packages` installs it); names need 1.21.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from gateway.database import SyncConnection
from tests.bench import cpu
from tests.bench.load import load
from tests.bench.site import EXTRAS, FEW, POSTS, VACUUM
from tests.bench.tables import Work, works
from tests.fixtures.pooler import Pooler, version
from tests.fixtures.replication import Pair, replicated
from tests.fixtures.schema import seed
from tests.fixtures.server import LiveGateway, start_gateway

CONNECTIONS = 16
ROUNDS = 7
SECONDS = 1.5
KINDS = ("list, exact count", "single article", "insert")


@dataclass
class Way:
    """A gateway and what is around it; a row of `samples` is a rate, then µs of a request by process."""

    title: str
    gateway: LiveGateway
    keys: dict[str, Any]
    pids: tuple[int | None, ...]
    samples: list[tuple[float, ...]] = field(default_factory=list)

    def work(self, kind: str) -> Work:
        return next(work for work in works(self.keys, self.gateway.url) if work.name == kind)

    def measure(self, work: Work) -> tuple[float, ...]:
        before = self._spent()
        outcome = load(self.gateway.url, work.calls, CONNECTIONS, SECONDS)
        spent = [(now - then) / outcome.requests * 1e6 for now, then in zip(self._spent(), before, strict=True)]
        return (outcome.requests / outcome.seconds, *spent)

    def _spent(self) -> list[float]:
        return [cpu.seconds(pid) if pid is not None else 0.0 for pid in self.pids]


def main() -> None:
    """Print the figures of each step."""
    print(f"steps: {CONNECTIONS} connections, medians of {ROUNDS} interleaved rounds of {SECONDS:g} s")
    print("requests a second; µs of processor a request: gateway, primary, replica, pooler; their sum by the first's")
    with replicated() as pair, ExitStack() as stack:
        with SyncConnection(pair.primary.url()) as connection:
            seed(connection, "demo")
            for script in (POSTS.format(posts=FEW), EXTRAS, VACUUM):
                connection.script(script)
        wanted: list[tuple[str, dict[str, str], Pooler | None]] = [
            ("one worker", {}, None),
            ("two workers", {"GATEWAY_WORKERS": "2"}, None),
            ("reads at a replica", {"DATABASE_READ_URL": pair.standby.url()}, None),
        ]
        try:
            pooler = Pooler(pair.primary.folder / "sockets")
            stack.callback(pooler.remove)
            title = f"PgBouncer {'.'.join(map(str, version()))}"
            around = {"DATABASE_DIRECT_URL": pair.primary.url()}
            if version() >= (1, 21):
                wanted.append((f"{title}, names", around, pooler))
            wanted.append((f"{title}, no names", around | {"PGRST_DB_PREPARED_STATEMENTS": "false"}, pooler))
        except LookupError as error:
            print(f"  nothing behind PgBouncer: {error}")
        ways = [stack.enter_context(_served(pair, *way)) for way in wanted]
        for kind in KINDS:
            _compare(pair, kind, ways)


@contextmanager
def _served(pair: Pair, title: str, extra: Mapping[str, str], pooler: Pooler | None) -> Iterator[Way]:
    folder = pair.primary.folder.parent / title.replace(" ", "-")
    url = pair.primary.url() if pooler is None else pooler.url(pair.primary.url())
    gateway = start_gateway(url, folder, extra=extra)
    pids = (gateway.process.pid, pair.primary.pid, pair.standby.pid, None if pooler is None else pooler.pid)
    try:
        yield Way(title, gateway, json.loads((folder / "keys.json").read_text()), pids)
    finally:
        gateway.stop()


def _compare(pair: Pair, kind: str, ways: list[Way]) -> None:
    for number in range(ROUNDS + 1):
        for way in ways:
            sample = way.measure(way.work(kind))
            way.samples = [*way.samples, sample] if number else []  # the first round warms up
        if clear := ways[0].work(kind).after:
            with SyncConnection(pair.primary.url()) as connection:
                connection.script(clear)
    print(f"  {kind}")
    for way in ways:
        rate, *spent = [statistics.median(column) for column in zip(*way.samples, strict=True)]
        sums = [sum(mine[1:]) / sum(first[1:]) for mine, first in zip(way.samples, ways[0].samples, strict=True)]
        shown = "  ".join(f"{value:4.0f}" for value in spent)
        print(f"    {way.title:<26} {rate:6.0f}/s   {shown}   {statistics.median(sums):.2f}")
