"""What one request leaves in memory never changes what another one does: a plan's key tells all that the plan is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import orjson
import pytest

from gateway.catalog.load import load
from gateway.db import Database, SyncConnection
from gateway.edge import Identity
from gateway.http import Response
from gateway.rest.endpoint import RestService
from gateway.settings import Settings
from tests.gateway.rest.planning import request_of

SCHEMA = """
create table public.orders (id int primary key, note text, deleted_at timestamptz);
insert into public.orders select n, 'order ' || n from generate_series(1, 10) n;
grant select on public.orders to anon;
grant all on public.orders to service_role;
create function public.pick(a int default 0, b int default 0) returns json language sql stable
  as $$ select json_build_array(a, b) $$;
grant execute on function public.pick(int, int) to anon, service_role;
"""
SETTINGS = Settings(rest_prefix="", db_extra_search_path=("public",))
ANON = Identity("anon", '{"role":"anon"}')
OWNER = Identity("service_role", '{"role":"service_role"}')
Asked = tuple[str, str, Identity]


def ask(url: str, requests: Sequence[Asked]) -> list[Response]:
    """The answers of one service to requests, one after the other."""

    async def work() -> list[Response]:
        database = Database(url, size=1)
        await database.open()
        try:
            cache = await load(database, SETTINGS)
            service = RestService(SETTINGS, database, lambda: cache)
            return [await service.handle(request_of(method, target), who) for method, target, who in requests]
        finally:
            await database.close()

    return asyncio.run(work())


# What a stranger sends first, what somebody asks for then, and what that one must get.
POISON = {
    "a filter swallowed by is": (
        ("DELETE", "/orders?deleted_at=is.null%01id%01eq."),
        ("DELETE", "/orders?deleted_at=is.null&id=eq.3"),
        "9",
    ),
    "a filter swallowed by a select": (
        ("GET", "/orders?select=id%01id%01eq."),
        ("GET", "/orders?select=id&id=eq.3"),
        [{"id": 3}],
    ),
    "a filter swallowed by an order": (
        ("GET", "/orders?order=id%01id%01eq."),
        ("GET", "/orders?order=id&id=eq.3&select=id"),
        [{"id": 3}],
    ),
    "a mark among the values of a tree": (
        ("GET", "/orders?select=id&or=(note.ilike.%00)"),
        ("GET", "/orders?select=id&or=(note.ilike.*3)"),
        [{"id": 3}],
    ),
    "two marks in a tree": (
        ("GET", "/orders?select=id&or=(note.eq.%00,note.eq.order 4)"),
        ("GET", "/orders?select=id&or=(note.eq.order 3,note.eq.order 3)"),
        [{"id": 3}],
    ),
    "an argument swallowed by another": (
        ("GET", "/rpc/pick?a=is.null%01b%01%02"),
        ("GET", "/rpc/pick?a=1&b=2"),
        [1, 2],
    ),
    "arguments in the other order": (
        ("GET", "/rpc/pick?b=1&a=2"),
        ("GET", "/rpc/pick?a=1&b=2"),
        [1, 2],
    ),
    "columns swallowed by an embed": (
        ("GET", "/orders?select=id&id=eq.3%01select%01note"),
        ("GET", "/orders?select=id&id=eq.3&select=note"),
        [{"id": 3}],
    ),
}


@pytest.mark.parametrize("before", [ANON, OWNER], ids=["a stranger", "somebody with rights"])
@pytest.mark.parametrize(("first", "then", "wanted"), POISON.values(), ids=POISON)
def test_what_was_asked_before_changes_no_answer(
    database_url: str,
    connection: SyncConnection,
    first: tuple[str, str],
    then: tuple[str, str],
    wanted: object,
    before: Identity,
) -> None:
    connection.script(SCHEMA)
    one, two = ask(database_url, [(*first, before), (*then, OWNER)])
    assert one.status < 500
    assert two.status in (200, 204)
    if then[0] == "DELETE":
        left = connection.rows("select count(*)::text from public.orders")
        assert left == [(wanted,)]
    else:
        assert orjson.loads(two.body) == wanted


@pytest.mark.parametrize(("first", "then", "wanted"), POISON.values(), ids=POISON)
def test_what_is_refused_at_first_is_refused_afterwards(
    database_url: str, connection: SyncConnection, first: tuple[str, str], then: tuple[str, str], wanted: object
) -> None:
    connection.script(SCHEMA)
    fresh, _, after = ask(database_url, [(*first, ANON), (*then, OWNER), (*first, ANON)])
    assert (after.status, after.body) == (fresh.status, fresh.body)
