"""What a connection's prepared statements take of the server's memory has an end, whatever is asked."""

from __future__ import annotations

import asyncio
import random

import pytest

from gateway.catalog.load import load
from gateway.database import NO_SCOPE, Database, SyncConnection
from gateway.database import prepared_statements as prepared
from gateway.database.prepared_statements import Prepared
from gateway.database.statement import Statement
from gateway.identity.authenticator import Identity
from gateway.rest.endpoint import RestService
from gateway.settings import Settings
from tests.gateway.rest.planning import request_of

SCENE = """
create table public.a (id int primary key, name text, size int);
create table public.b (id int primary key, a int references public.a, name text, size int);
create table public.c (id int primary key, b int references public.b, a int references public.a, name text);
"""
# What the server keeps for the session, caches of the catalogue included.
MEMORY = Statement("select sum(total_bytes) from pg_backend_memory_contexts")


def embeds(chance: random.Random, count: int) -> str:
    """A request with so many embeds, which nobody asked for before."""
    names = [f"e{number}{chance.choice('xyz')}" for number in range(count)]
    return "/a?select=id," + ",".join(f"{name}:b(id,{chance.choice(('name', 'size'))},c(id,name))" for name in names)


def grown(url: str, targets: list[str]) -> tuple[int, int, int]:
    """Bytes that a session takes more after requests than after the first, and its statements and their characters."""

    async def main() -> tuple[int, int, int]:
        db = Database(url, size=1, core=1)
        await db.open()
        try:
            settings = Settings(rest_prefix="", db_anon_role="supabase_admin")
            cache = await load(db, settings)
            service = RestService(settings, db, lambda: cache)
            before = 0
            for target in targets:
                response = await service.handle(request_of("GET", target), Identity("supabase_admin", "{}"))
                assert response.status == 200, response.body
                before = before or int((await db.run(NO_SCOPE, MEMORY)).value or 0)
            after = int((await db.run(NO_SCOPE, MEMORY)).value or 0)
            (connection,) = db._connections
            return after - before, len(connection.prepared), connection.prepared.length
        finally:
            await db.close()

    return asyncio.run(main())


@pytest.mark.parametrize("count", [2, 12, 40])
def test_requests_that_differ_leave_a_session_small(database_url: str, connection: SyncConnection, count: int) -> None:
    connection.script(SCENE)
    chance = random.Random(count)
    targets = [embeds(chance, count) for _ in range(120)]
    more, statements, characters = grown(database_url, targets)
    print(more, statements, characters)
    assert more < 32_000_000
    assert characters <= prepared.TOTAL


@pytest.mark.parametrize("seed", range(3))
def test_names_are_bounded_by_count_and_length_and_each_is_closed_once(seed: int) -> None:
    chance = random.Random(seed)
    held = Prepared()
    given: set[bytes] = set()
    for number in range(5_000):
        key = ("anon", str(chance.randrange(3_000)) + " " * chance.randrange(prepared.LENGTH))
        if held.get(key) is None:
            name = b"g%d" % number
            given.add(name)
            held.add(key, name)
        if chance.random() < 0.05:
            held.forget(key)
        assert len(held) <= prepared.COUNT and held.length <= prepared.TOTAL
        closed = set(held.closing)
        assert len(closed) == len(held.closing) and len(given - closed) == len(held)
    held.clear()
    assert (len(held), held.length, set(held.closing)) == (0, 0, given)


def test_metrics_tell_what_is_prepared(database_url: str) -> None:
    async def main() -> None:
        db = Database(database_url, size=1, core=1)
        await db.open()
        await db.run(NO_SCOPE, Statement("select 1"))
        assert (db.stats["prepared"], db.stats["prepared_characters"]) == (1, len("select 1"))
        await db.close()

    asyncio.run(main())
