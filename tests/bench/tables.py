"""The tables API: processor time a request against its own SQL in pgbench, and against a bare hello.

Further: what a list page costs in a small and in a large table, and what slow queries do to quick ones.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from gateway.database import SyncConnection
from gateway.database.embedded import EmbeddedPostgres
from gateway.database.poolers import Urls
from gateway.settings import Settings
from tests.bench import cpu, limit
from tests.bench.compare import CONNECTIONS, ROUNDS, SECONDS, Bench, compare, measure, medians, verdict
from tests.bench.load import Call, load
from tests.bench.servers import Running, measured_postgres
from tests.bench.site import CALL, EMBED, EXTRAS, FEW, LIST, MANY, NOTES, OBJECT, ONE, POSTS, SEARCH, VACUUM
from tests.bench.workload import BULK, KINDS, SINGLE
from tests.fixtures.schema import migrate, seed
from tests.fixtures.server import LiveGateway, environment, start_gateway

SLOW, QUICK = 3, 4  # connections
GROWTH_GOAL = 1.2  # a page of the large table against one of the small
SLOW_GOAL = 2.0  # the median of quick reads beside slow queries, against their median alone


@dataclass(frozen=True)
class Work:
    """A kind of request, and the total processor time that it may cost, by that of pgbench."""

    name: str
    calls: tuple[Call, ...]
    goal: float | None = None
    after: str = ""
    """SQL that clears away what was written."""


def works(keys: dict[str, Any], base: str) -> list[Work]:
    """The site's calls, as its client sends them, and a few that any other might."""
    headers = {
        "apikey": keys["publishable_key"],
        "authorization": f"Bearer {keys['publishable_key']}",
        "accept": "application/json",
        "x-client-info": "supabase-js-web/2.109.0",
        "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0 Safari/537.36",
        "accept-encoding": "gzip, deflate, br",
    }
    counted = {**headers, "prefer": "count=exact"}
    single = {**headers, "accept": OBJECT}
    secret = {"apikey": keys["secret_key"], "authorization": f"Bearer {keys['secret_key']}"}
    writing = {**headers, **secret, "content-type": "application/json"}
    posting = {**headers, "content-type": "application/json"}
    topics = [("sharps", "Sharps"), ("training", "Training"), ("audits", "Audits"), ("shipping", "DOT")]
    notes = [
        {"title": f"Note {n}", "body": f"Some words, number {n}", "tags": ["a", "b"], "details": {"n": n}}
        for n in range(BULK)
    ]
    columns = "?columns=" + ",".join(f"%22{name}%22" for name in notes[0])
    clear = "truncate public.bench_notes restart identity"

    def post(target: str, headers: dict[str, str], body: Any, status: int) -> Call:
        return Call.of(base + target, "POST", headers, orjson.dumps(body), status)

    return [
        Work("list, exact count", (Call.of(base + LIST, headers=counted, status=206),), 1.5),
        Work(SINGLE, tuple(Call.of(base + ONE.format(n), headers=single) for n in POSTS_READ), 2.0),
        Work(
            "search, exact count",
            tuple(Call.of(base + SEARCH.format(word, tag), headers=counted, status=206) for word, tag in topics),
            1.5,
        ),
        Work("insert", tuple(post(NOTES, writing, note, 201) for note in notes[:8]), 2.2, clear),
        Work(f"insert of {BULK} rows", (post(NOTES + columns, writing, notes, 201),), None, clear),
        Work("list with an embed", (Call.of(base + EMBED, headers=headers),)),
        Work("call of a function", tuple(post(CALL, posting, {"many": n}, 200) for n in range(5, 13))),
    ]


POSTS_READ = range(1, 1000, 126)
Served = tuple[LiveGateway, dict[str, Any]]


def main() -> None:
    """Print what requests cost."""
    with measured_postgres() as at, serving(at.server, at.folder, "few", FEW) as (gateway, keys):
        print(f"{at.title}, fsync on; {CONNECTIONS} connections, medians of {ROUNDS} rounds of {SECONDS:g} s")
        print("processor µs a request: gateway (or pgbench) + Postgres; their sum by that of the original in pgbench\n")
        assert at.server.pid is not None
        owner, rest = at.server.url(database="few"), at.server.url("authenticator", "few")
        bench = Bench(gateway.url, gateway.process.pid, keys, rest, owner, at.server.pid, at.programs)
        compare(bench, KINDS)
        worker = max(cpu.memory(pid) for pid in cpu.children(gateway.process.pid))
        print(f"gateway worker after the load: {worker:.0f} MB\n")


def growth() -> None:
    """Print what a page costs in a small table and in a large one."""
    with (
        postgres_at() as (folder, postgres),
        serving(postgres, folder, "few", FEW) as few,
        serving(postgres, folder, "many", MANY) as many,
    ):
        grow(postgres, (few, many))


def delays() -> None:
    """Print what slow queries do to quick ones."""
    with postgres_at() as (folder, postgres), serving(postgres, folder, "few", FEW) as few:
        delay(*few)


@contextlib.contextmanager
def postgres_at() -> Iterator[tuple[Path, EmbeddedPostgres]]:
    """A folder with a Postgres in it, for as long as it is needed."""
    folder = Path(tempfile.mkdtemp(prefix="gw-bench-"))
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    try:
        yield folder, postgres
    finally:
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def serving(
    postgres: Running,
    folder: Path,
    name: str,
    posts: int,
    workers: int = 1,
    command: str = "serve",
    script: str = "",
    extra: Mapping[str, str] | None = None,
) -> Iterator[Served]:
    """A gateway over a database of so many posts, where a script has run, and its keys; `extra` are settings of it."""
    folder = folder / f"gateway-{name}"
    with SyncConnection(postgres.url()) as connection:
        connection.script(f"create database {name}")
    with SyncConnection(postgres.url(database=name)) as connection:
        migrate(connection)
        seed(connection, "demo")
        for each in (POSTS.format(posts=posts), EXTRAS, VACUUM, script):
            connection.script(each)
    gateway = start_gateway(
        postgres.url(database=name),
        folder,
        command,
        {"PGRST_DB_URI": postgres.url("authenticator", name), "GATEWAY_WORKERS": str(workers), **(extra or {})},
    )
    try:
        yield gateway, json.loads((folder / "keys.json").read_text())
    finally:
        gateway.stop()


# --- a small table and a large one -----------------------------------------------------------------------------------


def grow(postgres: EmbeddedPostgres, served: Sequence[Served]) -> None:
    """The list page over few and over many posts, without a count, with the planner's, and with an exact one."""
    assert postgres.pid is not None
    print(f"list page, {FEW} and {MANY} posts; processor µs a request, {ROUNDS} interleaved rounds of 1 s")
    for count, goal in ((None, GROWTH_GOAL), ("planned", GROWTH_GOAL), ("exact", None)):
        found: list[list[float]] = [[] for _ in served]
        for number in range(ROUNDS + 1):
            for samples, (gateway, keys) in zip(found, served, strict=True):
                prefer = {"prefer": f"count={count}"} if count else {}
                headers = {"apikey": keys["publishable_key"], **prefer}
                calls = (Call.of(gateway.url + LIST, headers=headers, status=206 if count else 200),)
                counted = partial(lambda url, calls: load(url, calls, CONNECTIONS, 1.0).requests, gateway.url, calls)
                sample = measure(counted, gateway.process.pid, postgres.pid)
                if number:  # the first round warms up
                    samples.append(sample.total)
        ratio = [many / few for few, many in zip(*found, strict=True)]
        shown = " and ".join(f"{statistics.median(values):.0f}" for values in found)
        told = f"   {verdict(statistics.median(ratio), goal)}" if goal is not None else ""
        print(f"  {(count or 'no') + ' count':14} {shown}   {medians('ratio', ratio, 'x')}{told}")
    for gateway, keys in served:
        indexes = ", ".join(index_names(gateway, keys)) or "none"
        print(f"  index of the page: {indexes}")
    print()


def index_names(gateway: LiveGateway, keys: dict[str, Any]) -> list[str]:
    """Indexes that Postgres reads for the page, by the plan of the gateway's own statement."""
    rest = gateway.database_url.replace("postgres@", "authenticator@", 1)
    call = Call.of(gateway.url + LIST, headers={"apikey": keys["publishable_key"]})
    settings = Settings.load(environment("", gateway.data_dir))
    (recorded,) = limit.record(Urls(rest, rest), settings, [call])
    with SyncConnection(rest) as connection:
        connection.script("begin")
        connection.rows(limit.settings(recorded.scope))
        plan = connection.rows(f"explain (format json) {limit.filled(recorded.statements[0])}")[0][0]
    return [found["Index Name"] for found in _nodes(json.loads(plan or "[]")[0]["Plan"]) if "Index Name" in found]


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from _nodes(below)


# --- slow queries beside quick ones ----------------------------------------------------------------------------------


def delay(gateway: LiveGateway, keys: dict[str, Any]) -> None:
    """Medians of quick reads alone, and with slow queries in flight, over the default pool."""
    headers = {"apikey": keys["publishable_key"], "accept": OBJECT}
    quick = tuple(Call.of(gateway.url + ONE.format(n), headers=headers) for n in (1, 2, 3, 4, 5))
    body = {"apikey": keys["publishable_key"], "content-type": "application/json"}
    slow = (Call.of(gateway.url + "/rest/v1/rpc/bench_wait", "POST", body, b'{"seconds": 0.5}', 204),)
    alone: list[float] = []
    beside: list[float] = []
    for _ in range(ROUNDS):
        alone.append(load(gateway.url, quick, QUICK, SECONDS).percentile(0.5) * 1000)
        waiting = threading.Thread(target=partial(load, gateway.url, slow, SLOW, SECONDS + 1.0))
        waiting.start()
        time.sleep(0.3)
        beside.append(load(gateway.url, quick, QUICK, SECONDS).percentile(0.5) * 1000)
        waiting.join()
    ratio = [b / a for a, b in zip(alone, beside, strict=True)]
    print(f"quick reads over {QUICK} connections, alone and beside {SLOW} queries of 0.5 s; milliseconds")
    print(f"  {medians('median alone', alone)}   {medians('beside', beside)}")
    print(f"  {medians('ratio', ratio, 'x')}   {verdict(statistics.median(ratio), SLOW_GOAL)}\n")


if __name__ == "__main__":
    main()
