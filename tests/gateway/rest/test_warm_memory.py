"""A memory that is warm changes nothing: the same SQL, the same answer as without any."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from gateway.catalog.load import load
from gateway.database import Database, Result, SyncConnection
from gateway.rest import endpoint
from gateway.rest.endpoint import RestService
from gateway.rest.transaction import Ready, run
from tests.gateway.rest.planning import Wire, request_of
from tests.gateway.rest.requests import Asked as Drawn
from tests.gateway.rest.requests import pairs, requests
from tests.gateway.rest.test_plan_key import ANON, OWNER, SCHEMA, SETTINGS

_PROPERTY = hypothesis_settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None, max_examples=250
)

HARBOUR = """
create table public.authors (id int primary key, name text);
create table public.posts (
  id bigint primary key, author_id int constraint posts_author_id_fkey references public.authors,
  editor_id int constraint posts_editor_id_fkey references public.authors, title text, meta jsonb, tags text[],
  search tsvector, tone text, body text, "a.b" text, "a-b" int, "x,y" text);
create table public.comments (id int primary key, post_id bigint references public.posts, body text);
create table public.labels (id int primary key, name text);
create table public.post_labels (
  post_id bigint references public.posts, label_id int references public.labels, primary key (post_id, label_id));
create function public.add(a int, b int default 2) returns int language sql stable as 'select a + b';
create function public.sum_of(variadic items int[]) returns int language sql stable as 'select items[1]';
create function public.found(q text) returns setof public.posts language sql stable as 'select * from public.posts';
create function public.whole(json) returns json language sql volatile as 'select $1';
insert into public.authors values (1, 'Ann'), (2, 'Bob');
insert into public.posts (id, author_id, title, meta, tags, body)
  select n, 1 + n % 2, 'title ' || n, jsonb_build_object('a', n, 'k', 'x'), array['1', '2'], 'body'
  from generate_series(1, 6) n;
insert into public.comments select n, 1 + n % 3, 'x' from generate_series(1, 9) n;
insert into public.labels values (1, 'x');
insert into public.post_labels values (1, 1), (2, 1);
grant select on all tables in schema public to anon;
grant all on public.comments to anon;
grant execute on all functions in schema public to anon;
"""


@pytest.fixture
def asking(database_url: str, connection: SyncConnection, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Asks two services the same, one with caches that stay and one without any; nothing that is written stays."""
    connection.script(HARBOUR)
    settings = replace(SETTINGS, db_tx_end="rollback", db_aggregates_enabled=True)
    loop = asyncio.new_event_loop()
    databases = [Database(database_url, size=1) for _ in range(2)]

    sent: list[object] = []

    async def noted(database: Database, ready: Ready, *more: Any) -> list[Result]:
        sent.append((ready.statements, ready.scope.names, list(ready.scope.values), ready.isolation))
        return await run(database, ready, *more)

    monkeypatch.setattr(endpoint, "run", noted)

    async def begin() -> list[RestService]:
        for database in databases:
            await database.open()
        cache = await load(databases[0], settings)
        return [
            RestService(replace(settings, caches=caches), database, lambda: cache)
            for database, caches in zip(databases, (True, False), strict=True)
        ]

    services = loop.run_until_complete(begin())

    wires = [Wire(service._caches.make("requests", 1_000_000)) for service in services]

    def ask(drawn: Drawn) -> list[tuple[list[object], int, list[tuple[bytes, bytes]], bytes]]:
        answers = []
        for service, wire in zip(services, wires, strict=True):
            sent.clear()
            response = loop.run_until_complete(service.handle(wire.hand_on(drawn.request()), ANON))
            answers.append((list(sent), response.status, response.headers, response.body))
        return answers

    ask.services = services  # type: ignore[attr-defined]  # for what the caches hold
    yield ask
    for database in databases:
        loop.run_until_complete(database.close())
    loop.close()


def test_a_warm_memory_changes_nothing(asking: Any) -> None:
    seen: Counter[bool] = Counter()

    @given(st.one_of(pairs(), pairs().map(lambda two: two[::-1]), st.tuples(requests())))
    @_PROPERTY
    def check(drawn: tuple[Drawn, ...]) -> None:
        for each in (*drawn, drawn[0]):
            warm, cold = asking(each)
            assert warm == cold
            seen[warm[1] < 400] += 1

    check()
    warm, cold = asking.services
    assert warm.plans_reused > 25 and cold.plans_reused == 0
    assert all(entry["entries"] == 0 for entry in cold._caches.stats().values())
    assert seen[True] > 50 and seen[False] > 50, seen


def test_a_refusal_leaves_no_plan(database_url: str, connection: SyncConnection) -> None:
    connection.script(SCHEMA)

    async def work() -> None:
        database = Database(database_url, size=1)
        await database.open()
        try:
            cache = await load(database, SETTINGS)
            service = RestService(SETTINGS, database, lambda: cache)
            wire = Wire(service._caches.make("requests", 1_000_000))
            for method, target, who, status in (
                ("DELETE", "/orders?id=eq.1", ANON, 401),  # no right
                ("GET", "/orders?id=eq.x", OWNER, 400),  # no number
                ("GET", "/orders?nope=eq.1", OWNER, 400),  # no column
                ("GET", "/orders?id=eq.1%00", OWNER, 400),  # no text of Postgres
                ("POST", "/rpc/pick?" + "&".join(f"f{n}=eq.1" for n in range(50)), OWNER, 400),
            ):
                asked = wire.hand_on(request_of(method, target))
                assert (await service.handle(asked, who)).status == status, target
                assert len(service._plans) == len(wire.cache) == 0, target
            asked = wire.hand_on(request_of("GET", "/orders?id=eq.1"))
            assert (await service.handle(asked, OWNER)).status == 200
            assert len(service._plans) == len(wire.cache) == 1
        finally:
            await database.close()

    asyncio.run(work())


def test_fields_of_a_form_are_bounded_and_leave_nothing(database_url: str, connection: SyncConnection) -> None:
    connection.script(SCHEMA)

    async def work() -> None:
        database = Database(database_url, size=1)
        await database.open()
        try:
            cache = await load(database, SETTINGS)
            service = RestService(SETTINGS, database, lambda: cache)
            form = {"content-type": "application/x-www-form-urlencoded"}
            for count in (100, 5_000, 20_000):
                body = "&".join(f"field{number}={number}" for number in range(count)).encode()
                response = await service.handle(request_of("POST", "/rpc/pick", body, form), ANON)
                assert response.status in (400, 404)
            assert sum(entry["bytes"] for entry in service._caches.stats().values()) < 100_000
            await service.bodies.close()
        finally:
            await database.close()

    asyncio.run(work())
