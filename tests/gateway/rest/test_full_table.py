"""Writes that would change more than was meant, over a real database."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import orjson
import pytest

from gateway.catalog.load import load
from gateway.database import Database, SyncConnection
from gateway.http.messages import Response
from gateway.identity.authenticator import Identity
from gateway.rest.endpoint import RestService
from gateway.settings import Settings
from tests.gateway.rest.planning import request_of

SCHEMA = """
create table public.parents (id int primary key);
create table public.rows (id int primary key, n int, parent int references public.parents);
grant select, update, delete on public.rows to service_role;
grant select on public.parents to service_role;
insert into public.rows select generate_series(1, 3), 0;
"""
SERVICE = Identity("service_role", '{"role":"service_role"}')
BODY = b'{"n":1}'
Asked = tuple[str, str, bytes, dict[str, str]]


def ask(url: str, connection: SyncConnection, settings: Settings, requests: Iterable[Asked]) -> list[Response]:
    connection.script(SCHEMA)

    async def work() -> list[Response]:
        database = Database(url, size=1)
        await database.open()
        try:
            cache = await load(database, settings)
            service = RestService(settings, database, lambda: cache)
            return [
                await service.handle(request_of(method, target, body, headers), SERVICE)
                for method, target, body, headers in requests
            ]
        finally:
            await database.close()

    return asyncio.run(work())


REFUSED: list[Asked] = [
    ("PATCH", "/rows", BODY, {}),
    ("DELETE", "/rows", b"", {}),
    ("DELETE", "/rows?select=id&order=id&limit=1", b"", {"prefer": "return=representation"}),
    ("DELETE", "/rows?select=id,parents(id)&parents.id=eq.1", b"", {"prefer": "return=representation"}),
]
ALLOWED: list[Asked] = [
    ("PATCH", "/rows", b"{}", {}),
    ("PATCH", "/rows?id=lt.2", BODY, {}),
    ("PATCH", "/rows?or=(id.eq.2,id.eq.3)", BODY, {}),
    ("DELETE", "/rows?id=not.is.null", b"", {}),
]


def test_promise_10_a_write_without_a_filter_is_refused_by_default(
    database_url: str, connection: SyncConnection
) -> None:
    answers = ask(database_url, connection, Settings(), REFUSED)
    assert [answer.status for answer in answers] == [400] * len(REFUSED)
    assert [orjson.loads(answer.body) for answer in answers] == [
        {"code": "21000", "details": None, "hint": None, "message": f"{command} requires a WHERE clause"}
        for command in ("UPDATE", "DELETE", "DELETE", "DELETE")
    ]
    assert connection.rows("select count(*), sum(n) from public.rows") == [("3", "0")]


def test_promise_10_a_filter_that_any_row_passes_says_that_all_are_meant(
    database_url: str, connection: SyncConnection
) -> None:
    answers = ask(database_url, connection, Settings(), ALLOWED)
    assert [answer.status for answer in answers] == [204] * len(ALLOWED)
    assert connection.rows("select from public.rows") == []


@pytest.mark.parametrize("settings", [Settings(rest_prefix=""), Settings(require_filter=False)], ids=["bare", "set"])
def test_a_bare_api_changes_every_row(database_url: str, connection: SyncConnection, settings: Settings) -> None:
    answers = ask(database_url, connection, settings, REFUSED[:2])
    assert [answer.status for answer in answers] == [204, 204]
    assert connection.rows("select from public.rows") == []


def test_promise_10_max_affected_undoes_a_write_that_is_too_large(
    database_url: str, connection: SyncConnection
) -> None:
    strict = {"prefer": "handling=strict, max-affected=2"}
    asked: list[Asked] = [
        ("PATCH", "/rows?id=gt.0", BODY, strict),
        ("DELETE", "/rows?id=gt.0", b"", strict),
        ("DELETE", "/rows?id=gt.1", b"", strict),
    ]
    *refused, done = ask(database_url, connection, Settings(), asked)
    assert [(answer.status, orjson.loads(answer.body)["code"]) for answer in refused] == [(400, "PGRST124")] * 2
    assert done.status == 204
    assert connection.rows("select id, n from public.rows") == [("1", "0")]
