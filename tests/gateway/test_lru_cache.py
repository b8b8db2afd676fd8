"""Caches: bounded by bytes whatever is asked, emptied together, switched off together, and shown."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.admin.metric_families import worker_families
from gateway.catalog.model import SchemaCache
from gateway.database import Result
from gateway.identity.authenticator import Identity
from gateway.lru_cache import Caches, LruCache, size_of
from gateway.rest import endpoint
from gateway.rest.endpoint import RestService
from gateway.settings import Settings
from tests.gateway.rest.conftest import cache as cache  # the small schema
from tests.gateway.rest.conftest import settings as settings
from tests.gateway.rest.planning import Wire, request_of


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 200)), max_size=60))
def test_a_cache_is_never_larger_than_it_may_be(puts: list[tuple[str, int]]) -> None:
    cache: LruCache[str, int] = LruCache(800, 5)
    kept: dict[str, int] = {}
    for key, size in puts:
        cache.put(key, size, size)
        assert cache.bytes <= 800 and len(cache) <= 5
        found = cache.get(key)
        assert found == size if size <= 100 else found in (None, kept.get(key))
        if found is not None:
            kept[key] = found
    cache.clear()
    assert (len(cache), cache.bytes) == (0, 0)


def test_the_least_recently_used_goes_first() -> None:
    cache: LruCache[str, int] = LruCache(10_000, 2)
    cache.put("a", 1, 1)
    cache.put("b", 2, 1)
    assert cache.get("a") == 1
    cache.put("c", 3, 1)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_sizes_are_about_what_is_held() -> None:
    def made() -> object:
        return [tuple(f"name {number} of {other}" for number in range(20)) for other in range(200)]

    gc.collect()
    tracemalloc.start()
    value = made()
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert 0.7 * held < size_of(value) < 1.5 * held


class _Pretended:
    """A database that takes everything."""

    async def run_all(self, _: object, *statements: object, **__: object) -> list[Result]:
        return [Result(("c",) * 5, [(None, b"0", b"[]", b"", b"")], "SELECT 1") for _ in statements]


REQUESTS = 1_000_000


async def _flood(service: RestService, count: int) -> None:
    """Requests that differ in all that a stranger can choose."""
    wire = Wire(service._caches.make("requests", REQUESTS))
    for number in range(count):
        wide = ",".join(f"c{number}_{item}" for item in range(number % 150))
        identity = Identity("anon", f'{{"role":"anon","n":{number}}}')
        headers = {"x-mark": f"{number}" * 50, "prefer": f"timezone=z{number}", "accept": f"*/*, a/b{number}"}
        for query in (
            f"select={wide}",
            f"title=eq.{wide}",
            f"x{number}=eq.1&order={wide[:900]}",
            f"or=(a{number}.eq.1)",
        ):
            await service.handle(wire.hand_on(request_of("GET", f"/posts?{query}", b"", headers)), identity)


def test_a_flood_of_requests_takes_no_more_than_the_bounds(
    cache: SchemaCache, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the caches say they hold is what Python holds for them, and it stays within the bounds."""
    bounds = {"PLANS": 4_000_000, "PARAMETERS": 500_000, "WISHES": 500_000}
    for name, most in bounds.items():
        monkeypatch.setattr(endpoint, name, most)
    service = RestService(settings, _Pretended(), lambda: cache)  # type: ignore[arg-type]  # of a database it has `run_all`
    asyncio.run(_flood(service, 20))
    gc.collect()
    tracemalloc.start()
    asyncio.run(_flood(service, 300))
    gc.collect()
    held = tracemalloc.get_traced_memory()[0]
    told = sum(entry["bytes"] for entry in service._caches.stats().values())
    service._caches.invalidate()
    gc.collect()
    freed = held - tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert told <= sum(bounds.values()) + REQUESTS
    assert freed < 1.5 * told, f"{told} bytes are told, {freed} were held"
    assert held - freed < 1_000_000  # nothing else grew


def test_without_caches_nothing_is_kept(cache: SchemaCache, settings: Settings) -> None:
    service = RestService(replace(settings, caches=False), _Pretended(), lambda: cache)  # type: ignore[arg-type]
    asyncio.run(_flood(service, 10))
    assert all(entry == {"entries": 0, "bytes": 0} for entry in service._caches.stats().values())
    assert service.plans_reused == 0


def test_a_new_schema_and_new_settings_empty_every_cache(cache: SchemaCache, settings: Settings) -> None:
    schemas = [cache]
    service = RestService(settings, _Pretended(), lambda: schemas[0])  # type: ignore[arg-type]
    for change in ("schema", "settings"):
        asyncio.run(_flood(service, 3))
        assert any(entry["entries"] for entry in service._caches.stats().values())
        if change == "schema":
            schemas[0] = replace(cache)
            service.current_cache()
        else:
            service.settings = replace(settings, db_max_rows=7)
        assert all(entry["entries"] == 0 for entry in service._caches.stats().values())


def test_the_metrics_show_each_cache() -> None:
    caches = Caches()
    caches.make("plans", 10_000).put("key", "value", 123)
    said: dict[int, dict[str, Any]] = {0: {"caches": caches.stats()}}
    shown = {
        (sample.name, sample.labels["cache"]): sample.value
        for family in worker_families(said)
        for sample in family.samples
        if "cache" in sample.labels
    }
    assert shown == {("gateway_cache_entries", "plans"): 1, ("gateway_cache_bytes", "plans"): 123}
