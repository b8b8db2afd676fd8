"""The tables API: processor time a request against its own SQL in pgbench, and against a bare hello.

Further: what a list page costs in a small and in a large table, and what slow queries do to quick ones.
"""

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
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import orjson

from gateway.app import Gateway
from gateway.database import Database, Result, Scope, SyncConnection
from gateway.database.embedded import EmbeddedPostgres
from gateway.database.poolers import Urls
from gateway.database.statement import Statement
from gateway.identity.keyring import KeyRing
from gateway.server.http_server import listen
from gateway.settings import Settings
from tests.bench import cpu, limit
from tests.bench.limit import Recorded
from tests.bench.load import Call, Outcome, load
from tests.fixtures.schema import migrate, seed
from tests.fixtures.server import LiveGateway, environment, start_gateway

CONNECTIONS = 16
FEW, MANY = 1_000, 200_000  # posts
BULK = 1_000  # rows of a bulk insert
SLOW, QUICK = 3, 4  # connections
HELLO_GOAL = 3.0  # the gateway alone against a bare hello, on a single row
GROWTH_GOAL = 1.2  # a page of the large table against one of the small
SLOW_GOAL = 2.0  # the median of quick reads beside slow queries, against their median alone

LIST = (
    "/rest/v1/blog_posts?select=id,title,slug,excerpt,featured_image_url,author_name,published_at,tags,"
    "reading_time_minutes&published=eq.true&order=published_at.desc&offset=0&limit=10"
)
SEARCH = LIST + "&or=(title.ilike.*{0}*,excerpt.ilike.*{0}*)&tags=cs.%7B{1}%7D"
ONE = "/rest/v1/blog_posts?select=*&slug=eq.post-{0}&published=eq.true"
EMBED = "/rest/v1/blog_posts?select=id,title,bench_comments(id,body)&published=eq.true&order=published_at.desc&limit=10"
CALL = "/rest/v1/rpc/bench_latest?select=id,title,slug"
NOTES = "/rest/v1/bench_notes"
OBJECT = "application/vnd.pgrst.object+json"

POSTS = """
insert into public.blog_posts (title, slug, excerpt, content, tags, published, published_at, created_at)
select 'Post number ' || n || ' on ' || (array['sharps', 'training', 'audits', 'shipping'])[n % 4 + 1],
  'post-' || n, repeat('An excerpt of some words about topic ' || n % 50 || '. ', 3),
  '<p>' || repeat('Body text of ordinary length for an article. ', 60) || '</p>',
  array[(array['Sharps', 'Training', 'Audits', 'DOT'])[n % 4 + 1], 'Topic ' || n % 20],
  n % 10 <> 0, case when n % 10 <> 0 then timestamptz '2026-01-01' + n * interval '7 minutes' end,
  timestamptz '2026-01-01' + n * interval '7 minutes'
from generate_series(1, {posts}) as n"""
VACUUM = "vacuum analyze public.blog_posts"

# What the calls beside those of the site need.
EXTRAS = r"""
create table public.bench_notes (
  id bigint generated always as identity primary key,
  title text not null,
  body text,
  tags text[] not null default '{}',
  details jsonb,
  made timestamptz not null default now()
);
create table public.bench_comments (
  id bigint generated always as identity primary key,
  post_id uuid not null references public.blog_posts,
  body text
);
insert into public.bench_comments (post_id, body)
select id, 'A comment of some words, number ' || n from generate_series(1, 3) n, public.blog_posts
  where slug ~ '^post-\d{1,3}$';
create index on public.bench_comments (post_id);
create function public.bench_latest(many int) returns setof public.blog_posts stable language sql as
  $$ select * from public.blog_posts where published order by published_at desc limit many $$;
create function public.bench_wait(seconds float) returns void volatile language sql as $$ select pg_sleep(seconds) $$;
grant select, insert on public.bench_notes to service_role;
grant select on public.bench_comments to anon;
grant execute on function public.bench_latest, public.bench_wait to anon;
analyze public.bench_comments;
notify pgrst;
"""


@dataclass(frozen=True)
class Work:
    """A kind of request, and the total processor time that it may cost, by that of pgbench."""

    name: str
    calls: tuple[Call, ...]
    goal: float | None = None
    after: str = ""
    """SQL that clears away what was written."""


class Recorder(Database):
    """Remembers what each request sends, on its way to the database."""

    recorded: ClassVar[list[Recorded]] = []

    async def run_all(self, scope: Scope, *statements: Statement, source: str = "") -> list[Result]:
        self.recorded.append(Recorded(scope, statements))
        return await super().run_all(scope, *statements)


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


SINGLE = "single article"
POSTS_READ = range(1, 1000, 126)  # few: pgbench prepares a statement for each, in each connection


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

    from gateway.worker import databases

    async def main() -> list[Recorded]:
        # the room imports the name for itself alone, which mypy holds others to
        databases.Database = Recorder  # type: ignore[attr-defined]
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
            assert len(Recorder.recorded) == len(calls), "what was asked passed by the recorder"
            return list(Recorder.recorded)
        finally:
            databases.Database = Database  # type: ignore[attr-defined]
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
    before = (cpu.seconds(server, postgres) if server else 0.0, cpu.seconds(postgres))
    count = load_it()
    after = (cpu.seconds(server, postgres) if server else 0.0, cpu.seconds(postgres))
    return Sample(*((b - a) / count * 1e6 for a, b in zip(before, after, strict=True)))


@dataclass
class Samples:
    """Interleaved samples of the gateway, of pgbench and of the bare server."""

    mine: list[Sample]
    limit: list[Sample]
    floor: list[Sample]
    outcomes: list[Outcome]


def medians(name: str, values: Sequence[float], unit: str = "") -> str:
    return f"{name} {statistics.median(values):.2f}{unit} ({min(values):.2f} to {max(values):.2f})"


def verdict(found: float, goal: float) -> str:
    return f"goal {goal}x: {'met' if found <= goal else 'MISSED'}"


PAIRS = int(os.environ.get("BENCH_PAIRS", "5"))
SECONDS = int(os.environ.get("BENCH_SECONDS", "2"))

Served = tuple[LiveGateway, dict[str, Any]]


def main() -> None:
    """Print what requests cost."""
    with postgres_at() as (folder, postgres), serving(postgres, folder, "few", FEW) as few:
        compare(postgres, *few)


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
    postgres: EmbeddedPostgres, folder: Path, name: str, posts: int, workers: int = 1, command: str = "serve"
) -> Iterator[Served]:
    """A gateway over a database of so many posts, and its keys."""
    folder = folder / f"gateway-{name}"
    with SyncConnection(postgres.url()) as connection:
        connection.script(f"create database {name}")
    with SyncConnection(postgres.url(database=name)) as connection:
        migrate(connection)
        seed(connection, "demo")
        for script in (POSTS.format(posts=posts), EXTRAS, VACUUM):
            connection.script(script)
    gateway = start_gateway(
        postgres.url(database=name),
        folder,
        command,
        {"PGRST_DB_URI": postgres.url("authenticator", name), "GATEWAY_WORKERS": str(workers)},
    )
    try:
        yield gateway, json.loads((folder / "keys.json").read_text())
    finally:
        gateway.stop()


# --- against pgbench and a bare hello --------------------------------------------------------------------------------


def compare(postgres: EmbeddedPostgres, gateway: LiveGateway, keys: dict[str, Any]) -> None:
    rest = postgres.url("authenticator", "few")
    settings = Settings.load(environment("", gateway.data_dir))
    urls = Urls(rest, rest.replace("authenticator", "supabase_auth_admin", 1))
    print(f"{CONNECTIONS} connections, {PAIRS} interleaved rounds of {SECONDS} s; processor µs a request\n")
    with floor() as hello:
        for work in works(keys, gateway.url):
            with _cleared(gateway, work):
                scripts = [limit.script(recorded) for recorded in record(urls, settings, work.calls)]
                load(gateway.url, work.calls, CONNECTIONS, 1.0)
            at_the_limit = partial(limit.run, rest, scripts, CONNECTIONS, SECONDS)
            samples = rounds(postgres, gateway, work, at_the_limit, hello)
            report(work, samples)
    worker = max(cpu.memory(pid) for pid in cpu.children(gateway.process.pid))
    print(f"gateway worker after the load: {worker:.0f} MB\n")


@contextlib.contextmanager
def _cleared(gateway: LiveGateway, work: Work) -> Iterator[None]:
    yield
    if work.after:
        with SyncConnection(gateway.database_url) as connection:
            connection.script(work.after)


def rounds(
    postgres: EmbeddedPostgres,
    gateway: LiveGateway,
    work: Work,
    at_the_limit: Callable[[], int],
    hello: tuple[str, int],
) -> Samples:
    """Samples of one kind of request; the bare server's only where a goal names it."""
    assert postgres.pid is not None
    url, pid = hello
    samples = Samples([], [], [], [])

    def through() -> int:
        samples.outcomes.append(load(gateway.url, work.calls, CONNECTIONS, SECONDS))
        return samples.outcomes[-1].requests

    def bare() -> int:
        # Asked the same, so that neither has fewer headers to read.
        return load(url, [replace(call, status=200) for call in work.calls], CONNECTIONS, SECONDS).requests

    for _ in range(PAIRS):
        with _cleared(gateway, work):
            samples.mine.append(measure(through, gateway.process.pid, postgres.pid))
        with _cleared(gateway, work):
            samples.limit.append(measure(at_the_limit, None, postgres.pid))
        if work.name == SINGLE:
            samples.floor.append(measure(bare, pid, postgres.pid))
    return samples


def report(work: Work, samples: Samples) -> None:
    print(f"{work.name}")
    print(f"  {medians('gateway', [s.server for s in samples.mine])}")
    print(f"  {medians('postgres under it', [s.postgres for s in samples.mine])}")
    print(f"  {medians('postgres under pipelined pgbench', [s.postgres for s in samples.limit])}")
    rate = statistics.median(o.requests / o.seconds for o in samples.outcomes)
    tail = statistics.median(o.percentile(0.99) for o in samples.outcomes) * 1000
    print(f"  {rate:.0f} requests/s, p99 {tail:.1f} ms")
    total = [a.total / b.total for a, b in zip(samples.mine, samples.limit, strict=True)]
    goal = f"   {verdict(statistics.median(total), work.goal)}" if work.goal is not None else ""
    print(f"  {medians('total / pgbench', total, 'x')}{goal}")
    if samples.floor:
        above = [a.server / b.server for a, b in zip(samples.mine, samples.floor, strict=True)]
        print(f"  {medians('bare hello', [s.server for s in samples.floor])}")
        print(f"  {medians('gateway / hello', above, 'x')}   {verdict(statistics.median(above), HELLO_GOAL)}")
    print()


# --- a small table and a large one -----------------------------------------------------------------------------------


def grow(postgres: EmbeddedPostgres, served: Sequence[Served]) -> None:
    """The list page over few and over many posts, without a count, with the planner's, and with an exact one."""
    assert postgres.pid is not None
    print(f"list page, {FEW} and {MANY} posts; processor µs a request, {PAIRS} interleaved rounds of 1 s")
    for count, goal in ((None, GROWTH_GOAL), ("planned", GROWTH_GOAL), ("exact", None)):
        found: list[list[float]] = [[] for _ in served]
        for number in range(PAIRS + 1):
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
    (recorded,) = record(Urls(rest, rest), settings, [call])
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
    for _ in range(PAIRS):
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
