"""The root path's documents: made off the loop, one at a time, once for what they depend on."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from gateway.catalog.model import Column, Name, SchemaCache, Table
from gateway.lru_cache import Caches
from gateway.rest import openapi
from gateway.rest.openapi import Access, Documents, document
from gateway.settings import Settings

MANY = 2000


def tables(count: int, columns: int = 10) -> SchemaCache:
    made = {}
    for number in range(count):
        name = Name("public", f"table_{number}")
        made[name] = Table(name, {f"c{i}": Column(f"c{i}", "text", "text") for i in range(columns)}, ("c0",))
    return SchemaCache(tables=made)


class Service:
    """What a document is made of, and what Postgres says that a role may touch."""

    def __init__(self, cache: SchemaCache, settings: Settings | None = None) -> None:
        self.cache = cache
        self.settings = settings or Settings()
        self.caches = Caches()
        self.documents = Documents(self.caches)
        self.access = orjson.dumps({"tables": [name.name for name in cache.tables], "routines": []})

    def current_cache(self) -> SchemaCache:
        return self.cache

    async def read(self, *_: object) -> list[Any]:
        await asyncio.sleep(0)
        return [SimpleNamespace(value=self.access)]

    async def ask(self) -> bytes:
        asked: Any = SimpleNamespace(schema="public")
        nothing: Any = None
        service: Any = self
        return await self.documents(service, nothing, asked, nothing)


@pytest.fixture
def builders(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The thread of each document that is made."""
    seen: list[int] = []
    inner = openapi._encoded

    def noted(*arguments: Any) -> bytes:
        seen.append(threading.get_ident())
        return inner(*arguments)

    monkeypatch.setattr(openapi, "_encoded", noted)
    return seen


def test_a_document_of_many_tables_is_made_once_and_beside_the_loop(builders: list[int]) -> None:
    service = Service(tables(MANY))
    ticks = 0

    async def main() -> list[bytes]:
        done = asyncio.Event()

        async def tick() -> None:
            nonlocal ticks
            while not done.is_set():
                await asyncio.sleep(0)
                ticks += 1

        ticking = asyncio.create_task(tick())
        answers = await asyncio.gather(*(service.ask() for _ in range(20)))
        done.set()
        await ticking
        return answers

    answers = asyncio.run(main())
    assert len(set(answers)) == 1
    assert len(builders) == 1, "twenty who ask at once wait for one"
    assert builders[0] != threading.get_ident()
    assert ticks > 20, "the loop goes round while the document is made"
    assert len(orjson.loads(answers[0])["definitions"]) == MANY


def test_a_document_is_what_its_members_are(builders: list[int]) -> None:
    cache = tables(7)
    service = Service(cache)
    service.access = b'{"tables":["table_1","table_5"],"routines":[]}'
    text = asyncio.run(service.ask())
    access = Access(frozenset({"table_1", "table_5"}), frozenset())
    assert orjson.loads(text) == document(cache, service.settings, "public", access)


def test_what_a_document_depends_on_makes_it_anew(builders: list[int]) -> None:
    service = Service(tables(3))

    async def main() -> None:
        async def made(count: int) -> bytes:
            text = await service.ask()
            assert len(builders) == count
            return text

        whole = await made(1)
        await made(1)
        service.access = b'{"tables":["table_2"],"routines":[]}'
        assert list(orjson.loads(await made(2))["definitions"]) == ["table_2"]
        service.settings = replace(service.settings, openapi_mode="ignore-privileges")
        assert await made(3) == whole
        service.settings = replace(service.settings, openapi_security_active=True)
        service.caches.invalidate()  # as new settings do
        assert b"securityDefinitions" in await made(4)
        service.cache = tables(4)
        service.caches.invalidate()  # as a new schema does
        assert len(orjson.loads(await made(5))["definitions"]) == 4

    asyncio.run(main())


def test_a_document_of_an_older_schema_is_not_kept(builders: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service(tables(3))
    inner = openapi._encoded

    def overtaken(*arguments: Any) -> bytes:
        text = inner(*arguments)
        if len(builders) == 1:
            service.cache = tables(4)
            service.caches.invalidate()
        return text

    monkeypatch.setattr(openapi, "_encoded", overtaken)

    async def main() -> list[int]:
        return [len(orjson.loads(await service.ask())["definitions"]) for _ in range(2)]

    service.settings = replace(service.settings, openapi_mode="ignore-privileges")
    assert asyncio.run(main()) == [3, 4]


def test_a_client_that_leaves_does_not_begin_another_beside(builders: list[int]) -> None:
    service = Service(tables(300))

    async def main() -> None:
        leaving = [asyncio.create_task(service.ask()) for _ in range(5)]
        while not builders:
            await asyncio.sleep(0)
        for task in leaving:
            task.cancel()
        await asyncio.gather(*leaving, return_exceptions=True)
        await service.ask()

    asyncio.run(main())
    assert len(builders) == 1


def test_documents_are_kept_within_a_bound(builders: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openapi, "DOCUMENTS", 100_000)
    service = Service(tables(200))

    async def main() -> None:
        for number in range(30):
            service.access = orjson.dumps({"tables": [f"table_{number}"], "routines": []})
            await service.ask()
        assert 0 < service.caches.stats()["documents"]["bytes"] <= 100_000
        service.access = orjson.dumps({"tables": [f"table_{number}" for number in range(200)], "routines": []})
        assert len(await service.ask()) > 100_000

    asyncio.run(main())
    assert service.caches.stats()["documents"]["bytes"] <= 100_000
