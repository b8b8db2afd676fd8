"""What fifty sign-ins at once do to the site's list query: its p99 with and without them, in interleaved rounds."""

from __future__ import annotations

import asyncio
import json
import shutil
import statistics
import tempfile
import threading
import time
from pathlib import Path

import httpx

from gateway.auth.accounts import NewAccount, create
from gateway.database import SyncConnection
from gateway.database.embedded import EmbeddedPostgres
from tests.bench.load import Outcome, load
from tests.bench.tables import works
from tests.fixtures.schema import migrate, seed
from tests.fixtures.server import start_gateway

ROUNDS = 5
SECONDS = 4.0
CONNECTIONS = 4  # readers; more would measure the queue in front of two processors
SIGN_INS = 50
EMAIL, PASSWORD = "bench@example.com", "tin-lantern-42-river"


async def sign_in(url: str, key: str, count: int) -> float:
    """So many sign-ins at once; seconds until the last is answered."""
    limits = httpx.Limits(max_connections=count)
    async with httpx.AsyncClient(trust_env=False, timeout=120, limits=limits) as client:
        begun = time.perf_counter()
        answers = await asyncio.gather(
            *(
                client.post(
                    f"{url}/auth/v1/token?grant_type=password",
                    headers={"apikey": key},
                    json={"email": EMAIL, "password": PASSWORD},
                )
                for _ in range(count)
            )
        )
        taken = time.perf_counter() - begun
    assert {answer.status_code for answer in answers} == {200}, [answer.status_code for answer in answers]
    return taken


def main() -> None:
    """Print the figures."""
    folder = Path(tempfile.mkdtemp(prefix="gw-bench-"))
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    try:
        with SyncConnection(postgres.url()) as connection:
            migrate(connection)
            seed(connection, "demo")
            create(connection, NewAccount(EMAIL, PASSWORD))
        gateway = start_gateway(
            postgres.url(), folder / "gateway", "serve", {"PGRST_DB_URI": postgres.url("authenticator")}
        )
        try:
            _compare(gateway.url, json.loads((folder / "gateway" / "keys.json").read_text()))
        finally:
            gateway.stop()
    finally:
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _compare(url: str, keys: dict[str, str]) -> None:
    calls = works(keys, url)[0].calls
    load(url, calls, CONNECTIONS, 1.0)
    alone: list[Outcome] = []
    beside: list[Outcome] = []
    waits: list[float] = []
    for _ in range(ROUNDS):
        alone.append(load(url, calls, CONNECTIONS, SECONDS))
        thread = threading.Thread(
            target=lambda: waits.append(asyncio.run(sign_in(url, keys["publishable_key"], SIGN_INS)))
        )
        thread.start()
        beside.append(load(url, calls, CONNECTIONS, SECONDS))
        thread.join()

    def p99(outcomes: list[Outcome]) -> float:
        return statistics.median(outcome.percentile(0.99) for outcome in outcomes) * 1000

    print("sign-in")
    print(f"  {SIGN_INS} sign-ins at once are answered in    {statistics.median(waits):6.2f} s")
    print(
        f"  list query, p99, {CONNECTIONS} connections   alone {p99(alone):6.1f} ms   beside them {p99(beside):6.1f} ms"
    )


if __name__ == "__main__":
    main()
