"""What a read of one article costs as things grow: connections, tables of the schema, policies, workers, rows.

Every way stands beside the smallest of its kind, asked in turn; printed are processor µs of gateway and Postgres and
the median ratio of their sums. Rows are `BENCH_ROWS` at most (1,000,000; 5,000,000 want 20 GB of disk).
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import httpx

from gateway.database import SyncConnection
from tests.bench.compare import ROUNDS, Sample, floor, measure
from tests.bench.load import Call, load
from tests.bench.servers import Measured, measured_postgres
from tests.bench.site import FEW, LIST, OBJECT, ONE
from tests.bench.tables import Served, serving

CONNECTIONS = 16
SECONDS = 1.0
CLIENTS = (16, 256, 2_000)
ARTICLE = 3_700  # bytes of an article's answer
TABLES = 2_000
POLICIES = range(6)
ROWS = (200_000, int(os.environ.get("BENCH_ROWS", "1000000")))
READY_LIMIT = 120.0  # seconds until a new schema is served

WIDE = """
create table public.wide_{n} (id bigint generated always as identity primary key, owner uuid default auth.uid(),
  up bigint references public.wide_{up}, body text not null default '' check (length(body) < 100), made timestamptz);
create index on public.wide_{n} (up); alter table public.wide_{n} enable row level security;
create policy own on public.wide_{n} using ((select auth.uid()) = owner);
"""
MEMBERS = "create table public.bench_members (team int, number int); insert into public.bench_members values (1, 1);"
GUARDED = """
create table public.guarded_{n} (id int primary key, team int, body text);
insert into public.guarded_{n} select n, n % 10, 'Some words' from generate_series(1, 1000) n;
alter table public.guarded_{n} enable row level security;
create policy open on public.guarded_{n} using (true);
"""
ASKING = """
create policy asks_{k} on public.guarded_{n} as restrictive using (exists (
  select from public.bench_members m where m.number = 1 and m.team >= {k} - {k}));
"""

Way = tuple[str, Callable[[], Sample]]


def main() -> None:
    """Print the figures."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 10_000)), hard))
    with measured_postgres() as at:
        print(f"growth, {at.title}; medians of {ROUNDS} interleaved rounds of {SECONDS:g} s, processor µs a request")
        with serving(at.server, at.folder, "few", FEW) as few:
            compare("connections", [(str(n), partial(_read, at, few, n)) for n in CLIENTS])
            with floor(b"x" * ARTICLE) as hello:
                compare("connections of a bare hello", [(str(n), partial(_hello, at, hello, n)) for n in CLIENTS])
            _policies(at, few)
            _schema(at, few)
            with serving(at.server, at.folder, "two", FEW, workers=2) as two:
                compare("workers", [("1", partial(_read, at, few)), ("2", partial(_read, at, two))])
            _rows(at, few)


def compare(title: str, ways: Sequence[Way]) -> None:
    """Ask all ways in turn, and print each beside the first."""
    samples: dict[str, list[Sample]] = {name: [] for name, _ in ways}
    for number in range(ROUNDS + 1):
        for name, ask in ways:
            sample = ask()
            if number:  # the first round warms up
                samples[name].append(sample)
    print(title)
    first = samples[ways[0][0]]
    for name, found in samples.items():
        server, postgres = (
            statistics.median(column) for column in ([s.server for s in found], [s.postgres for s in found])
        )
        ratio = statistics.median([a.total / b.total for a, b in zip(found, first, strict=True)])
        print(f"  {name:<18} {server:6.0f} + {postgres:6.0f}   x{ratio:.2f}", flush=True)


def _read(at: Measured, served: Served, connections: int = CONNECTIONS, target: str = "", **headers: str) -> Sample:
    gateway, keys = served
    assert at.server.pid is not None
    sent = {"apikey": keys["publishable_key"], **({} if target else {"accept": OBJECT}), **headers}
    targets = [target] if target else [ONE.format(10 * n + 1) for n in range(90)]
    calls = [Call.of(gateway.url + each, headers=sent) for each in targets]
    return measure(lambda: load(gateway.url, calls, connections, SECONDS).requests, gateway.process.pid, at.server.pid)


def _hello(at: Measured, hello: tuple[str, int], connections: int) -> Sample:
    """What so many connections cost by themselves."""
    (url, pid), call = hello, Call.of(f"{hello[0]}/")
    assert at.server.pid is not None
    return measure(lambda: load(url, [call], connections, SECONDS).requests, pid, at.server.pid)


def _policies(at: Measured, few: Served) -> None:
    """A row of tables that are guarded by none to five policies with sub-selects."""
    parts = [MEMBERS]
    for n in POLICIES:
        parts += [GUARDED.format(n=n), *(ASKING.format(n=n, k=k) for k in range(n))]
    parts.append("grant select on all tables in schema public to anon; analyze")
    _change(at, few, "".join(parts), "guarded_5")
    compare(
        "policies with sub-selects",
        [(str(n), partial(_read, at, few, target=f"/rest/v1/guarded_{n}?id=eq.7&select=id,body")) for n in POLICIES],
    )


def _schema(at: Measured, few: Served) -> None:
    """The same read in the schema of the site, and beside thousands of tables with keys, checks and policies."""
    with serving(at.server, at.folder, "wide", FEW) as wide:
        tables = "".join(WIDE.format(n=n, up=max(0, n - 1)) for n in range(TABLES))
        began = time.monotonic()
        _change(at, wide, tables + "grant select on all tables in schema public to anon", f"wide_{TABLES - 1}", "wide")
        print(f"{TABLES} tables are made and served after {time.monotonic() - began:.1f} s")
        compare(
            "tables of the schema", [("the site's", partial(_read, at, few)), (str(TABLES), partial(_read, at, wide))]
        )


def _change(at: Measured, served: Served, sql: str, table: str, database: str = "few") -> None:
    """Change the schema and wait until it is served."""
    gateway, keys = served
    with SyncConnection(at.server.url(database=database)) as connection:
        for part in sql.split(";\n\n"):
            connection.script(part)
        connection.script("notify pgrst")
    deadline = time.monotonic() + READY_LIMIT
    asked: Any = None
    while time.monotonic() < deadline:
        asked = httpx.get(f"{gateway.url}/rest/v1/{table}?limit=1", headers={"apikey": keys["publishable_key"]})
        if asked.status_code == 200:
            return
        time.sleep(0.1)
    raise AssertionError(f"{table} is not served: {json.dumps(asked.json())}")


def _rows(at: Measured, few: Served) -> None:
    """A page of the list, and one article, over more and more rows."""
    for rows in dict.fromkeys(ROWS):
        name = f"rows_{rows}"
        with serving(at.server, at.folder, name, rows) as many:
            for title, target in (("one article", ""), ("a page of the list", LIST)):
                ways = [(FEW, few), (rows, many)]
                compare(f"rows: {title}", [(str(n), partial(_read, at, it, target=target)) for n, it in ways])
        with SyncConnection(at.server.url()) as connection:
            connection.script(f"drop database {name}")


if __name__ == "__main__":
    main()
