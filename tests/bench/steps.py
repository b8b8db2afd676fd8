"""What each step past one process gives: requests a second, and processor time of a request by where it is spent.

The steps behind PgBouncer need it installed (`python -m tests.road.packages`); names need 1.21 or newer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from gateway.db import SyncConnection
from schema.migrate import seed
from tests.bench import cpu
from tests.bench.load import load
from tests.bench.tables import EXTRAS, FEW, POSTS, VACUUM, works
from tests.fixtures.pooler import Pooler, version
from tests.fixtures.replication import Pair, replicated
from tests.fixtures.server import LiveGateway, start_gateway

CONNECTIONS = 16
SECONDS = 4.0
KINDS = ("single article", "list, exact count", "insert")


def main() -> None:
    """Print the figures of each step."""
    print(f"steps: {CONNECTIONS} connections, {SECONDS:g} s each")
    print("µs of processor a request: gateway, primary, replica, pooler")
    with replicated() as pair:
        with SyncConnection(pair.primary.url()) as connection:
            seed(connection, "demo")
            for script in (POSTS.format(posts=FEW), EXTRAS, VACUUM):
                connection.script(script)
        read = {"DATABASE_READ_URL": pair.standby.url()}
        _measure(pair, "one worker", {})
        _measure(pair, "two workers", {"GATEWAY_WORKERS": "2"})
        _measure(pair, "reads at a replica", read)
        pooler = Pooler(pair.primary.folder / "sockets")
        around = {"DATABASE_DIRECT_URL": pair.primary.url()}
        title = f"PgBouncer {'.'.join(map(str, version()))}"
        try:
            if version() >= (1, 21):
                _measure(pair, f"{title}, names", around, pooler)
            _measure(pair, f"{title}, no names", around | {"PGRST_DB_PREPARED_STATEMENTS": "false"}, pooler)
        finally:
            pooler.remove()


def _measure(pair: Pair, title: str, extra: Mapping[str, str], pooler: Pooler | None = None) -> None:
    folder = pair.primary.folder.parent / title.replace(" ", "-")
    url = pair.primary.url() if pooler is None else pooler.url(pair.primary.url())
    gateway = start_gateway(url, folder, extra=extra)
    try:
        keys = json.loads((folder / "keys.json").read_text())
        print(f"  {title}")
        for work in works(keys, gateway.url):
            if work.name in KINDS:
                load(gateway.url, work.calls, CONNECTIONS, 1.0)
                before = _spent(pair, gateway, pooler)
                outcome = load(gateway.url, work.calls, CONNECTIONS, SECONDS)
                spent = [
                    (after - then) / outcome.requests * 1e6
                    for after, then in zip(_spent(pair, gateway, pooler), before, strict=True)
                ]
                rate = outcome.requests / outcome.seconds
                print(f"    {work.name:<18} {rate:7.0f}/s   {'  '.join(f'{value:5.0f}' for value in spent)}")
    finally:
        gateway.stop()


def _spent(pair: Pair, gateway: LiveGateway, pooler: Pooler | None) -> tuple[float, ...]:
    """Processor seconds of gateway, primary, replica and pooler so far."""
    pids = (gateway.process.pid, pair.primary.pid, pair.standby.pid, pooler.pid if pooler is not None else None)
    return tuple(cpu.seconds(pid) for pid in pids if pid is not None)
