"""A database that is away, busy or closed to writes is said the same way by every verb and on every path."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

import orjson
import pytest

from gateway.catalog.model import SchemaCache
from gateway.database import ConnectionLost, DatabaseUnavailable, PoolTimeout, ReadOnlyDatabase, Unresponsive
from gateway.http.messages import Response
from gateway.settings import Settings
from tests.gateway.rest.test_endpoint import ANON, Service, _page, _written

ASKED: Final[list[tuple[str, str, bytes]]] = [
    ("GET", "/posts", b""),
    ("HEAD", "/posts", b""),
    ("GET", "/posts?select=id,comments(id)&title=eq.x", b""),
    ("GET", "/rpc/add?a=1", b""),
    ("HEAD", "/rpc/add?a=1", b""),
    ("POST", "/rpc/add", b'{"a":1}'),
    ("POST", "/rpc/whole", b'{"a":1}'),
    ("POST", "/posts", b'{"title":"x"}'),
    ("POST", "/posts", b'[{"title":"x"},{"title":"y"}]'),
    ("PATCH", "/posts?id=eq.1", b'{"title":"x"}'),
    ("PUT", "/posts?id=eq.1", b'{"id":1,"title":"x"}'),
    ("DELETE", "/posts?id=eq.1", b""),
]
WISHES: Final[list[dict[str, str]]] = [
    {},
    {"prefer": "return=representation, count=exact"},
    {"prefer": "tx=rollback"},
    {"prefer": "handling=strict, return=representation"},
    {"accept": "application/vnd.pgrst.object+json"},
    {"accept": "text/csv", "origin": "https://site.example"},
    {"prefer": "max-affected=1"},
]
AWAY: Final[list[tuple[Exception, int, str, bytes | None]]] = [
    (DatabaseUnavailable("no server", 8), 503, "PGRST000", b"8"),
    (ConnectionLost("it broke", 4), 503, "PGRST001", b"4"),
    (Unresponsive("it is silent", 2), 503, "PGRST001", b"2"),
    (ReadOnlyDatabase("a restore", 30), 503, "maintenance", b"30"),
    (PoolTimeout(), 504, "PGRST003", None),
]


def _each(cache: SchemaCache, settings: Settings, failure: Exception) -> list[tuple[object, Response, Response]]:
    """What every request is told when the database fails it, and once that is over."""

    async def work() -> list[tuple[object, Response, Response]]:
        answers: list[tuple[object, Response, Response]] = []
        for method, target, body in ASKED:
            for wish in WISHES:
                healthy = (
                    _written(1) if method in ("PATCH", "PUT", "DELETE") or (target == "/posts" and body) else _page()
                )
                service = Service(cache, settings, healthy)
                heal = service.db.answer

                def fail(*_: object) -> list[object]:
                    raise failure

                service.db.answer = fail  # type: ignore[method-assign, assignment]
                told = await service(method, target, body, ANON, **wish)
                service.db.answer = heal  # type: ignore[method-assign]
                answers.append(((method, target, wish), told, await service(method, target, body, ANON, **wish)))
        return answers

    return asyncio.run(work())


def _check(
    cache: SchemaCache, settings: Settings, failure: Exception, status: int, code: str, retry: bytes | None
) -> None:
    healed = 0
    for asked, told, after in _each(cache, replace(settings, db_tx_end="commit-allow-override"), failure):
        headers = dict(told.headers)
        assert (told.status, headers.get(b"retry-after")) == (status, retry), asked
        if asked[0] == "HEAD":  # type: ignore[index]
            assert told.body == b""
        else:
            content = orjson.loads(told.body)
            assert (set(content), content["code"]) == ({"code", "details", "hint", "message"}, code), asked
        assert after.status not in (500, 503, 504), asked  # no failure is remembered
        healed += after.status < 300
    assert healed > len(ASKED)


@pytest.mark.parametrize(("failure", "status", "code", "retry"), AWAY[:4], ids=[row[2] for row in AWAY[:4]])
def test_promise_13_every_verb_and_path_is_told_when_to_come_back(
    cache: SchemaCache, settings: Settings, failure: Exception, status: int, code: str, retry: bytes | None
) -> None:
    _check(cache, settings, failure, status, code, retry)


def test_promise_15_every_verb_and_path_is_told_of_a_full_pool(cache: SchemaCache, settings: Settings) -> None:
    _check(cache, settings, *AWAY[4])
