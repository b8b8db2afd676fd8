"""What a read can never do, over a real database: write, or answer more than the cap."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable

import orjson

from gateway.catalog.load import load
from gateway.database import Database, SyncConnection
from gateway.http.messages import Response
from gateway.identity.authenticator import Identity
from gateway.rest.endpoint import RestService
from gateway.settings import Settings
from tests.gateway.rest.planning import request_of

SCHEMA = """
create table public.parents (id int primary key);
create table public.rows (id int primary key, parent int references public.parents);
create function public.write() returns int language sql volatile as
  $$ insert into public.parents values (99) returning id $$;
create function public.stable_write() returns int language sql stable as 'select public.write()';
create view public.mode as select current_setting('transaction_read_only') as read_only;
create function public.mode_of_call() returns text language sql volatile as
  $$ select current_setting('transaction_read_only') $$;
create function public.many() returns setof public.rows language sql stable as 'select * from public.rows order by id';
grant select on public.mode, public.parents, public.rows to anon;
grant insert on public.parents to anon;
grant execute on all functions in schema public to anon;
insert into public.parents select generate_series(1, 2);
insert into public.rows select n, 1 + n % 2 from generate_series(1, 15) as n;
"""
ANON = Identity("anon", '{"role":"anon"}')
Asked = tuple[str, str, dict[str, str]]


def ask(url: str, connection: SyncConnection, settings: Settings, requests: Iterable[Asked]) -> list[Response]:
    """The answers to requests, one after the other, on the schema above."""
    connection.script(SCHEMA)

    async def work() -> list[Response]:
        database = Database(url, size=1)
        await database.open()
        try:
            cache = await load(database, settings)
            service = RestService(settings, database, lambda: cache)
            return [
                await service.handle(request_of(method, target, b"{}" if method == "POST" else b"", headers), ANON)
                for method, target, headers in requests
            ]
        finally:
            await database.close()

    return asyncio.run(work())


def test_promise_06_get_and_head_run_read_only(database_url: str, connection: SyncConnection) -> None:
    settings = Settings(rest_prefix="", db_extra_search_path=("public",))
    calls = [("GET", "/rpc/write"), ("GET", "/rpc/stable_write"), ("HEAD", "/rpc/write")]
    modes = [
        ("GET", "/parents?id=eq.99"),
        ("GET", "/mode"),
        ("GET", "/rpc/mode_of_call"),
        ("POST", "/rpc/mode_of_call"),
        ("POST", "/rpc/write"),
    ]
    asked: list[Asked] = [(method, target, {}) for method, target in (*calls, *modes)]
    answers = ask(database_url, connection, settings, asked)
    refused, (left, table, read, called, written) = answers[:3], answers[3:]
    assert [answer.status for answer in refused] == [405, 405, 405]
    assert [orjson.loads(answer.body)["code"] for answer in refused[:2]] == ["25006", "25006"]
    assert orjson.loads(left.body) == []
    assert orjson.loads(table.body) == [{"read_only": "on"}]
    assert (orjson.loads(read.body), orjson.loads(called.body)) == ("on", "off")
    assert (written.status, orjson.loads(written.body)) == (200, 99)


CAP, TOTAL = 4, 15


def test_promise_09_no_answer_exceeds_the_cap(database_url: str, connection: SyncConnection) -> None:
    chance = random.Random(9)
    # What a client may say, as parameters and as a header; the range of it, and whether rows are counted.
    drawn: list[tuple[int, int | None, bool, Asked]] = []
    for _ in range(120):
        first, size = chance.randint(0, TOTAL + 3), chance.choice([None, 1, 3, CAP, CAP + 1, 10, 1000])
        counted, target = chance.random() < 0.5, chance.choice(["/rows", "/rpc/many"])
        headers = {"prefer": "count=exact"} if counted else {}
        query = "order=id"
        if chance.random() < 0.5:
            headers["range"] = f"{first}-" + ("" if size is None else str(first + size - 1))
        else:
            query += f"&offset={first}" + ("" if size is None else f"&limit={size}")
        drawn.append((first, size, counted, ("GET", f"{target}?{query}", headers)))
    settings = Settings(rest_prefix="", db_max_rows=CAP, db_extra_search_path=("public",))
    nested: Asked = ("GET", "/parents?select=id,rows(id)", {})
    *answers, embedded = ask(database_url, connection, settings, [*(asked for *_, asked in drawn), nested])

    for (first, size, counted, asked), answer in zip(drawn, answers, strict=True):
        status, content_range, ids = expected(first, size, counted)
        assert answer.status == status, asked
        assert dict(answer.headers)[b"content-range"].decode() == content_range, asked
        if status != 416:
            assert [row["id"] for row in orjson.loads(answer.body)] == ids, asked
    assert [len(parent["rows"]) for parent in orjson.loads(embedded.body)] == [CAP, CAP]


def expected(first: int, size: int | None, counted: bool) -> tuple[int, str, list[int]]:
    """Status, Content-Range and ids of a range of the rows."""
    ids = list(range(first + 1, TOTAL + 1))[: min(CAP, size or CAP)]
    total = str(TOTAL) if counted else "*"
    if counted and first > TOTAL:
        return 416, f"*/{total}", []
    span = f"{first}-{first + len(ids) - 1}" if ids else "*"
    return (206 if counted and len(ids) < TOTAL else 200), f"{span}/{total}", ids
