"""What the fast path buys: processor time of a request with it, and with `GATEWAY_FAST_PATH=false`.

Both are served at once and asked in turn, by visitors who ask the same and by visitors who all ask something else, of
whom nothing is remembered.
"""

from __future__ import annotations

import itertools
import json
import shutil
import statistics
import tempfile
from pathlib import Path

from gateway.database import SyncConnection
from gateway.database.embedded import EmbeddedPostgres
from tests.bench import cpu
from tests.bench.load import Call, load
from tests.bench.site import EXTRAS, FEW, ONE, POSTS, VACUUM
from tests.fixtures.schema import migrate, seed
from tests.fixtures.server import LiveGateway, start_gateway

CONNECTIONS = 16
ROUNDS = 9
SECONDS = 1.0
WAYS = {"fast path": "true", "plain way": "false"}


def main() -> None:
    """Print the figures of each way."""
    folder = Path(tempfile.mkdtemp())
    postgres = EmbeddedPostgres(folder / "postgres")
    postgres.start()
    served: dict[str, LiveGateway] = {}
    try:
        with SyncConnection(postgres.url()) as connection:
            migrate(connection)
            seed(connection, "demo")
            for script in (POSTS.format(posts=FEW), EXTRAS, VACUUM):
                connection.script(script)
        for way, setting in WAYS.items():
            extra = {"GATEWAY_FAST_PATH": setting}
            served[way] = start_gateway(postgres.url(), folder / setting, extra=extra)
        print(f"fast path: gateway's processor µs a request, medians of {ROUNDS} interleaved rounds of {SECONDS:g} s")
        numbers = itertools.count()
        for title, differ in (("the same article", False), ("articles that differ", True)):
            found: dict[str, list[float]] = {way: [] for way in WAYS}
            for number in range(ROUNDS + 1):
                for way, gateway in served.items():
                    spent = measure(gateway, [next(numbers) for _ in range(2000)] if differ else [1])
                    if number:  # the first round warms up
                        found[way].append(spent)
            medians = {way: statistics.median(samples) for way, samples in found.items()}
            shown = ", ".join(f"{way} {spent:.0f}" for way, spent in medians.items())
            print(f"  {title:<22} {shown}   x{medians['fast path'] / medians['plain way']:.2f}")
    finally:
        for gateway in served.values():
            gateway.stop()
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)


def measure(gateway: LiveGateway, numbers: list[int]) -> float:
    """Microseconds of the gateway's processes for a request; a number that is new makes an address that is new."""
    key = json.loads((gateway.data_dir / "keys.json").read_text())["publishable_key"]
    calls = [
        Call.of(f"{gateway.url}{ONE.format(n % FEW + 1)}&reading_time_minutes=lt.{100 + n}", headers={"apikey": key})
        for n in numbers
    ]
    before = cpu.seconds(gateway.process.pid)
    outcome = load(gateway.url, calls, CONNECTIONS, SECONDS)
    return (cpu.seconds(gateway.process.pid) - before) / outcome.requests * 1e6
