"""A read is a straight line: the modules that the endpoint hands it to, in their order, each entered once."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import gateway
from gateway.catalog.model import SchemaCache
from gateway.database import Result
from gateway.http.messages import Request
from gateway.identity.authenticator import Identity
from gateway.lru_cache import Caches
from gateway.rest.endpoint import RestService
from gateway.settings import Settings
from tests.gateway.rest.planning import Wire, request_of

ROOT = Path(gateway.__file__).parent
# What every stage may use: it belongs to none.
SHARED = {"lru_cache", "http.messages", "database.statement", "catalog.model", "rest.types", "settings", "errors"}


class _Pretended:
    async def run_all(self, _: object, *statements: object, **__: object) -> list[Result]:
        await asyncio.sleep(0)
        return [Result(("c",) * 5, [(b"1", b"1", b"[{}]", b"", b"")], "SELECT 1") for _ in statements]


def _module(frame: FrameType | None) -> str | None:
    if frame is None or not frame.f_code.co_filename.startswith(str(ROOT)):
        return None
    return str(Path(frame.f_code.co_filename).relative_to(ROOT).with_suffix("")).replace("/", ".")


def _line(service: RestService, request: Request) -> list[str]:
    """The modules that the endpoint calls, those that follow each other once."""
    entered: list[str] = []

    def trace(frame: FrameType, event: str, _: Any) -> None:
        module = _module(frame)
        if event == "call" and module is not None and _module(frame.f_back) == "rest.endpoint":
            known = module == "rest.endpoint" or module in SHARED
            if not known and entered[-1:] != [module]:
                entered.append(module)

    async def ask() -> int:
        sys.setprofile(trace)
        try:
            return (await service.handle(request, Identity("anon", '{"role":"anon"}'))).status
        finally:
            sys.setprofile(None)

    assert asyncio.run(ask()) == 200
    return entered


@pytest.fixture
def service(cache: SchemaCache, settings: Settings) -> RestService:
    made = RestService(settings, _Pretended(), lambda: cache, caches=Caches())  # type: ignore[arg-type]  # has `run_all`
    made.current_cache()
    return made


TARGET = "/posts?select=id,title,authors!posts_author_id_fkey(name)&id=gt.3&order=title.desc&limit=5"


def test_a_read_crosses_at_most_ten_modules_each_once(service: RestService) -> None:
    first = _line(service, request_of("GET", TARGET))
    assert len(first) == len(set(first)) <= 10, first
    again = _line(service, request_of("GET", TARGET.replace("gt.3", "gt.4")))
    assert again == [module for module in first if module in again]
    assert (service.plans_built, service.plans_reused) == (1, 1)


def test_the_same_read_again_goes_to_the_database_at_once(service: RestService) -> None:
    wire = Wire(service._caches.make("requests", 1_000_000))
    asyncio.run(service.handle(wire.hand_on(request_of("GET", TARGET)), Identity("anon", '{"role":"anon"}')))
    again = _line(service, wire.hand_on(request_of("GET", TARGET)))
    assert again == ["rest.transaction", "rest.render"]


def test_without_caches_a_read_takes_the_whole_line(service: RestService, cache: SchemaCache) -> None:
    off = RestService(replace(service.settings, caches=False), _Pretended(), lambda: cache)  # type: ignore[arg-type]
    off.current_cache()
    assert _line(off, request_of("GET", TARGET)) == _line(off, request_of("GET", TARGET))
