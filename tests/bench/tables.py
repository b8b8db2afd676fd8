"""The tables API: processor time a request against its own SQL in pgbench, and against a bare hello."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from gateway.app import Gateway, Urls
from gateway.db import Database, Result, Scope, SyncConnection
from gateway.embedded import EmbeddedPostgres
from gateway.keys import KeyRing
from gateway.server import listen
from gateway.settings import Settings
from gateway.statement import Statement
from schema.migrate import migrate, seed
from tests.bench import cpu, limit
from tests.bench.limit import Recorded
from tests.bench.load import Call, Outcome, load
from tests.fixtures.server import environment, start_gateway

CONNECTIONS = 16
LIST = (
    "/rest/v1/blog_posts?select=id,title,slug,excerpt,featured_image_url,author_name,published_at,tags,"
    "reading_time_minutes&published=eq.true&order=published_at.desc&offset=0&limit=10"
)
SEARCH = LIST + "&or=(title.ilike.*{0}*,excerpt.ilike.*{0}*)&tags=cs.%7B{1}%7D"
ONE = "/rest/v1/blog_posts?select=*&slug=eq.post-{0}&published=eq.true"
OBJECT = "application/vnd.pgrst.object+json"

POSTS = """
insert into public.blog_posts (title, slug, excerpt, content, tags, published, published_at, created_at)
select 'Post number ' || n || ' on ' || (array['sharps', 'training', 'audits', 'shipping'])[n % 4 + 1],
  'post-' || n, repeat('An excerpt of some words about topic ' || n % 50 || '. ', 3),
  '<p>' || repeat('Body text of ordinary length for an article. ', 60) || '</p>',
  array[(array['Sharps', 'Training', 'Audits', 'DOT'])[n % 4 + 1], 'Topic ' || n % 20],
  n % 10 <> 0, case when n % 10 <> 0 then timestamptz '2026-01-01' + n * interval '7 minutes' end,
  timestamptz '2026-01-01' + n * interval '7 minutes'
from generate_series({first}, {last}) as n;
vacuum analyze public.blog_posts;
"""


@dataclass(frozen=True)
class Work:
    """A kind of request and what it may cost: total processor time against the limit."""

    name: str
    calls: tuple[Call, ...]
    goal: float


class Recorder(Database):
    """Remembers what each request sends, on its way to the database."""

    recorded: ClassVar[list[Recorded]] = []

    async def run_all(self, scope: Scope, *statements: Statement) -> list[Result]:
        self.recorded.append(Recorded(scope, statements))
        return await super().run_all(scope, *statements)


def works(keys: dict[str, Any], base: str) -> list[Work]:
    """The site's calls, as its client sends them."""
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
    wanted = [n for n in range(1, 1000) if n % 10]
    topics = [("sharps", "Sharps"), ("training", "Training"), ("audits", "Audits"), ("shipping", "DOT")]
    return [
        Work("list, exact count", tuple(Call.of(base + LIST, headers=counted, status=206) for _ in range(1)), 2.0),
        Work("single article", tuple(Call.of(base + ONE.format(n), headers=single) for n in wanted[::9]), 4.0),
        Work(
            "search, exact count",
            tuple(Call.of(base + SEARCH.format(word, tag), headers=counted, status=206) for word, tag in topics),
            2.0,
        ),
    ]


@contextlib.contextmanager
def floor() -> Iterator[tuple[str, int]]:
    """A bare uvicorn hello; its URL and pid."""
    with listen("127.0.0.1", 0) as probe:
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "tests.bench.floor:app", "--port", str(port), "--no-access-log",
         "--log-level", "warning", "--loop", "uvloop", "--http", "httptools"]
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), contextlib.closing(_connected(port)):
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait()


def _connected(port: int) -> Any:
    import socket

    return socket.create_connection(("127.0.0.1", port), timeout=1)


def record(url: Urls, settings: Settings, calls: Sequence[Call]) -> list[Recorded]:
    """What the gateway asks of the database for these calls."""
    import httpx

    import gateway.app as app_module

    async def main() -> list[Recorded]:
        app_module.Database = Recorder  # type: ignore[attr-defined]
        gateway = Gateway(settings, KeyRing.load(settings), url)
        await gateway.start()
        Recorder.recorded = []
        transport = httpx.ASGITransport(app=gateway)
        try:
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                for call in calls:
                    head, _, body = call.wire.partition(b"\r\n\r\n")
                    first, *lines = head.decode().split("\r\n")
                    method, target, _ = first.split(" ")
                    headers = dict(line.split(": ", 1) for line in lines if not line.startswith("content-length"))
                    response = await client.request(method, target, headers=headers, content=body)
                    assert response.status_code == call.status, response.text
            return list(Recorder.recorded)
        finally:
            app_module.Database = Database  # type: ignore[attr-defined]
            await gateway.stop()

    return asyncio.run(main())


@dataclass
class Sample:
    """Processor microseconds a request."""

    server: float
    postgres: float

    @property
    def total(self) -> float:
        return self.server + self.postgres


def measure(load_it: Callable[[], int], server: int | None, postgres: int) -> Sample:
    before = (cpu.seconds(server, without=postgres) if server else 0.0, cpu.seconds(postgres))
    count = load_it()
    after = (cpu.seconds(server, without=postgres) if server else 0.0, cpu.seconds(postgres))
    return Sample(*((b - a) / count * 1e6 for a, b in zip(before, after, strict=True)))


def rounds(
    pairs: int,
    through: Callable[[], Outcome],
    at_the_limit: Callable[[], int],
    at_the_floor: Callable[[], Outcome],
    pids: tuple[int, int, int],
) -> tuple[list[Sample], list[Sample], list[Sample], list[Outcome]]:
    """Interleaved samples of the gateway, of pgbench and of the bare server."""
    gateway, postgres, hello = pids
    mine: list[Sample] = []
    bound: list[Sample] = []
    bare: list[Sample] = []
    outcomes: list[Outcome] = []

    def kept() -> int:
        outcomes.append(through())
        return outcomes[-1].requests

    for _ in range(pairs):
        mine.append(measure(kept, gateway, postgres))
        bound.append(measure(at_the_limit, None, postgres))
        bare.append(measure(lambda: at_the_floor().requests, hello, postgres))
    return mine, bound, bare, outcomes


def medians(name: str, values: Sequence[float], unit: str = "") -> str:
    return f"{name} {statistics.median(values):.2f}{unit} ({min(values):.2f} to {max(values):.2f})"


def main() -> None:
    """Run it all and print as it goes."""
    pairs = int(os.environ.get("BENCH_PAIRS", "5"))
    seconds = int(os.environ.get("BENCH_SECONDS", "2"))
    folder = Path(tempfile.mkdtemp(prefix="gw-bench-"))
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    try:
        bench(folder, postgres, pairs, seconds)
    finally:
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)


def bench(folder: Path, postgres: EmbeddedPostgres, pairs: int, seconds: int) -> None:
    assert postgres.pid is not None
    with SyncConnection(postgres.url()) as connection:
        migrate(connection)
        seed(connection, "demo")
        for script in POSTS.format(first=1, last=1000).split(";"):
            if script.strip():
                connection.script(script)
    rest = postgres.url("authenticator")
    gateway = start_gateway(postgres.url(), folder / "gateway", "serve", {"PGRST_DB_URI": rest})
    settings = Settings.load(environment("", folder / "gateway"))
    keys = json.loads((folder / "gateway" / "keys.json").read_text())
    urls = Urls(rest, postgres.url())
    print(f"{CONNECTIONS} connections, {pairs} interleaved rounds of {seconds} s; processor µs a request\n")
    with floor() as (hello_url, hello_pid):
        hello = (Call.of(hello_url + "/"),)
        for work in works(keys, gateway.url):
            scripts = [limit.script(recorded) for recorded in record(urls, settings, work.calls)]
            load(gateway.url, work.calls, CONNECTIONS, 1.0)
            mine, bound, bare, outcomes = rounds(
                pairs,
                partial(load, gateway.url, work.calls, CONNECTIONS, seconds),
                partial(limit.run, rest, scripts, CONNECTIONS, seconds),
                partial(load, hello_url, hello, CONNECTIONS, seconds),
                (gateway.process.pid, postgres.pid, hello_pid),
            )
            print(f"{work.name}")
            print(f"  {medians('gateway', [s.server for s in mine])}")
            print(f"  {medians('postgres under it', [s.postgres for s in mine])}")
            print(f"  {medians('postgres under pipelined pgbench', [s.postgres for s in bound])}")
            print(f"  {medians('bare hello', [s.server for s in bare])}")
            rate = statistics.median(o.requests / o.seconds for o in outcomes)
            tail = statistics.median(o.percentile(0.99) for o in outcomes) * 1000
            print(f"  {rate:.0f} requests/s, p99 {tail:.1f} ms")
            total = [a.total / b.total for a, b in zip(mine, bound, strict=True)]
            above = [a.server / b.server for a, b in zip(mine, bare, strict=True)]
            print(f"  {medians('total / pgbench', total, 'x')}")
            print(f"  {medians('gateway / hello', above, 'x')}\n")
    worker = max(cpu.memory(pid) for pid in cpu.children(gateway.process.pid))
    print(f"gateway worker after the load: {worker:.0f} MB")
    gateway.stop()
