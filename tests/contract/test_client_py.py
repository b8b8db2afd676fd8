"""The official Python client drives every method it has against a live gateway.

What is written is undone, as the profile `open` has it, so that every row stands alone.
"""

from __future__ import annotations

import asyncio
import datetime
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from postgrest import APIError, AsyncPostgrestClient, CountMethod, ReturnMethod, SyncPostgrestClient
from postgrest._sync import client as client_module
from postgrest._sync import request_builder
from postgrest.base_request_builder import BaseFilterRequestBuilder, BaseRPCRequestBuilder, BaseSelectRequestBuilder

from tests.fixtures.contract import MAIN, Services, server_names

Client = Any  # its types are narrower than what it takes
EXACT = CountMethod.exact
NOTE = {"id": 50, "body": "new"}
FULL = {"id": 50, "body": "new", "author": "nobody", "stars": 0, "made": "2024-01-01T00:00:00+00:00"}


@pytest.fixture(scope="module", params=server_names())
def client(request: pytest.FixtureRequest, services: Services) -> Iterator[Client]:
    with SyncPostgrestClient(services(request.param, "open").url, schema="harbor") as opened:
        yield opened


def rows(*numbers: int) -> list[dict[str, int]]:
    return [{"id": number} for number in numbers]


Query = Callable[[Client], Any]

# The ids of the ships that a filter finds.
FILTERS: dict[str, tuple[Callable[[Any], Any], list[int]]] = {
    "eq": (lambda q: q.eq("kind", "tug"), [2]),
    "eq with a date": (lambda q: q.gt("docked", "empty").eq("id", 1), [1]),
    "neq": (lambda q: q.neq("kind", "tug"), [1, 3, 5]),
    "gt": (lambda q: q.gt("built", 1999), [2, 5]),
    "gte": (lambda q: q.gte("built", 1999), [1, 2, 5]),
    "lt": (lambda q: q.lt("built", 1999), [3]),
    "lte": (lambda q: q.lte("built", 1999), [1, 3]),
    "is_ with None": (lambda q: q.is_("kind", None), [4]),
    "is_ with True": (lambda q: q.is_("active", True), [1, 2, 5]),
    "is_ with False": (lambda q: q.is_("active", False), [3]),
    "not_": (lambda q: q.not_.is_("kind", "null"), [1, 2, 3, 5]),
    "like": (lambda q: q.like("name", "%or%"), [1, 2]),
    "ilike": (lambda q: q.ilike("name", "a%"), [1]),
    "like_all_of": (lambda q: q.like_all_of("name", "%o%,%r%"), [1, 2]),
    "like_any_of": (lambda q: q.like_any_of("name", "A%,C%"), [1, 3]),
    "ilike_all_of": (lambda q: q.ilike_all_of("name", "%O%,%R%"), [1, 2]),
    "ilike_any_of": (lambda q: q.ilike_any_of("name", "a%,c%"), [1, 3]),
    "or_": (lambda q: q.or_("id.eq.1,built.lt.1990"), [1, 3]),
    "not_ or_": (lambda q: q.not_.or_("id.eq.1,id.eq.2"), [3, 4, 5]),
    "in_": (lambda q: q.in_("id", [1, 3]), [1, 3]),
    "in_ with text": (lambda q: q.in_("name", ["Aurora", 'Étoile "7"']), [1, 5]),
    "cs": (lambda q: q.cs("tags", ["blue"]), [1, 3]),
    "cd": (lambda q: q.cd("tags", ["strong", "fast"]), [2, 5]),
    "contains with a list": (lambda q: q.contains("tags", ["blue"]), [1, 3]),
    "contains with a range": (lambda q: q.contains("berth", "[2,3)"), [1]),
    "contains with a document": (lambda q: q.contains("specs", {"crew": 4}), [2]),
    "contained_by with a list": (lambda q: q.contained_by("tags", ["strong"]), [2, 5]),
    "contained_by with a range": (lambda q: q.contained_by("berth", "[0,6)"), [1]),
    "contained_by with a document": (lambda q: q.contained_by("specs", {"crew": None}), [5]),
    "ov": (lambda q: q.ov("tags", ["strong", "old"]), [2, 3]),
    "overlaps": (lambda q: q.overlaps("berth", "[4,6)"), [1, 2]),
    "sl": (lambda q: q.sl("berth", (7, 9)), [1, 2]),
    "sr": (lambda q: q.sr("berth", (4, 7)), [4, 5]),
    "nxl": (lambda q: q.nxl("berth", (4, 7)), [2, 4, 5]),
    "nxr": (lambda q: q.nxr("berth", (5, 8)), [1, 2]),
    "adj": (lambda q: q.adj("berth", (8, 10)), [4, 5]),
    "range_gt": (lambda q: q.range_gt("berth", (4, 7)), [4, 5]),
    "range_gte": (lambda q: q.range_gte("berth", (4, 7)), [2, 4, 5]),
    "range_lt": (lambda q: q.range_lt("berth", (7, 9)), [1, 2]),
    "range_lte": (lambda q: q.range_lte("berth", (5, 8)), [1, 2]),
    "range_adjacent": (lambda q: q.range_adjacent("berth", (8, 10)), [4, 5]),
    "match": (lambda q: q.match({"kind": "tug", "active": True}), [2]),
    "filter": (lambda q: q.filter("name", "match", "^[AB]"), [1, 2]),
    "a json path": (lambda q: q.eq("specs->engine->>maker", "Rumble"), [2]),
}

# Text searches over the notices.
SEARCHES: dict[str, tuple[Callable[[Any], Any], list[int]]] = {
    "fts": (lambda q: q.fts("search", "fog & bank"), [1]),
    "plfts": (lambda q: q.plfts("search", "moving bank"), [1, 2]),
    "phfts": (lambda q: q.phfts("search", "fog bank"), [1]),
    "wfts": (lambda q: q.wfts("search", "bank -fog"), [2]),
    "text_search": (lambda q: q.text_search("search", "bank"), [1, 2]),
    "text_search, plain": (lambda q: q.text_search("search", "moving bank", {"type": "plain"}), [1, 2]),
    "text_search, phrase": (lambda q: q.text_search("search", "fog bank", {"type": "phrase"}), [1]),
    "text_search, web": (lambda q: q.text_search("search", "bank -fog", {"type": "web_search"}), [2]),
    "text_search with a configuration": (lambda q: q.text_search("search", "fährt", {"config": "german"}), [3]),
}


@pytest.mark.parametrize(("build", "expected"), FILTERS.values(), ids=FILTERS)
def test_filter_finds_its_rows(client: Client, build: Callable[[Any], Any], expected: list[int]) -> None:
    assert build(client.from_("ships").select("id")).order("id").execute().data == rows(*expected)


@pytest.mark.parametrize(("build", "expected"), SEARCHES.values(), ids=SEARCHES)
def test_text_search_finds_its_rows(client: Client, build: Callable[[Any], Any], expected: list[int]) -> None:
    assert build(client.from_("notices").select("id")).order("id").execute().data == rows(*expected)


CALLS: dict[str, tuple[Query, Any]] = {
    "select": (
        lambda c: c.from_("owners").select("id", "name").eq("id", 1).execute().data,
        [{"id": 1, "name": "Nordline"}],
    ),
    "table": (lambda c: c.table("owners").select("id").eq("id", 1).execute().data, rows(1)),
    "schema": (lambda c: c.schema("annex").from_("ports").select("code").execute().data, [{"code": "ALM"}]),
    "select with an embed": (
        lambda c: c.from_("ships").select("id, owners(name)").eq("id", 1).execute().data,
        [{"id": 1, "owners": {"name": "Nordline"}}],
    ),
    "a count": (lambda c: c.from_("ships").select("id", count=EXACT).limit(2).execute().count, 5),
    "a head": (
        lambda c: (r := c.from_("ships").select("*", count=EXACT, head=True).execute()) and (r.data, r.count),
        ([], 5),
    ),
    "order, nulls first and last": (
        lambda c: (
            c.from_("ships").select("id").order("owner_id", desc=True, nullsfirst=False).order("id").execute().data
        ),
        rows(3, 5, 1, 2, 4),
    ),
    "limit and offset": (
        lambda c: c.from_("ships").select("id").order("id").limit(2).offset(1).execute().data,
        rows(2, 3),
    ),
    "range": (lambda c: c.from_("ships").select("id").order("id").range(1, 2).execute().data, rows(2, 3)),
    "order and limit of an embed": (
        lambda c: (
            c.from_("ships")
            .select("id, sailors(id)")
            .eq("id", 1)
            .order("id", desc=True, foreign_table="sailors")
            .limit(1, foreign_table="sailors")
            .execute()
            .data
        ),
        [{"id": 1, "sailors": rows(3)}],
    ),
    "range of an embed": (
        lambda c: (
            c.from_("ships")
            .select("id, sailors(id)")
            .eq("id", 1)
            .order("id", foreign_table="sailors")
            .range(1, 1, foreign_table="sailors")
            .execute()
            .data
        ),
        [{"id": 1, "sailors": rows(2)}],
    ),
    "or_ on an embed": (
        lambda c: (
            c.from_("ships")
            .select("id, sailors(id)")
            .eq("id", 1)
            .or_("rank.eq.mate,rank.eq.nobody", reference_table="sailors")
            .execute()
            .data
        ),
        [{"id": 1, "sailors": rows(2)}],
    ),
    "single": (lambda c: c.from_("owners").select("id").eq("id", 1).single().execute().data, {"id": 1}),
    "maybe_single, one": (
        lambda c: c.from_("owners").select("id").eq("id", 1).maybe_single().execute().data,
        {"id": 1},
    ),
    "maybe_single, none": (lambda c: c.from_("owners").select("id").eq("id", 0).maybe_single().execute(), None),
    "csv": (lambda c: c.from_("owners").select("id, code").eq("id", 1).csv().execute().data, "id,code\n1,NOR"),
    "strip_nulls": (
        lambda c: c.from_("owners").select("*").eq("id", 3).strip_nulls().execute().data,
        [{"id": 3, "name": "Idle Co"}],
    ),
    "retry": (lambda c: c.from_("owners").select("id").eq("id", 1).retry(False).execute().data, rows(1)),
    "insert": (lambda c: c.from_("notes").insert(NOTE).execute().data, [FULL]),
    "insert with select": (lambda c: c.from_("notes").insert(NOTE).select("id").execute().data, rows(50)),
    "insert, minimal": (lambda c: c.from_("notes").insert(NOTE, returning=ReturnMethod.minimal).execute().data, []),
    "insert of many with a count": (
        lambda c: c.from_("notes").insert([NOTE, NOTE | {"id": 51}], count=EXACT).execute().count,
        2,
    ),
    "insert of rows that differ": (
        lambda c: c.from_("notes").insert([NOTE, {"id": 51, "body": "b", "stars": 2}]).select("stars").execute().data,
        [{"stars": None}, {"stars": 2}],
    ),
    "insert of rows that differ, with defaults": (
        lambda c: (
            c.from_("notes")
            .insert([NOTE, {"id": 51, "body": "b", "stars": 2}], default_to_null=False)
            .select("stars")
            .execute()
            .data
        ),
        [{"stars": 0}, {"stars": 2}],
    ),
    "insert as upsert": (
        lambda c: c.from_("stamps").insert({"code": "a", "label": "A2"}, upsert=True).execute().data,
        [{"code": "a", "label": "A2", "uses": 1}],
    ),
    "insert of values that JSON has not": (
        lambda c: (
            c.from_("ports")
            .insert({"id": 9, "name": "N", "opened": datetime.date(2024, 2, 29)})
            .select("opened")
            .execute()
            .data
        ),
        [{"opened": "2024-02-29"}],
    ),
    "upsert": (
        lambda c: c.from_("stamps").upsert([{"code": "a", "label": "A2"}, {"code": "c", "label": "C"}]).execute().data,
        [{"code": "a", "label": "A2", "uses": 1}, {"code": "c", "label": "C", "uses": 0}],
    ),
    "upsert that ignores": (
        lambda c: c.from_("stamps").upsert({"code": "a", "label": "A2"}, ignore_duplicates=True).execute().data,
        [],
    ),
    "upsert on another key": (
        lambda c: c.from_("stamps").upsert({"code": "z", "label": "Alpha"}, on_conflict="label").execute().data,
        [{"code": "z", "label": "Alpha", "uses": 1}],
    ),
    "update": (
        lambda c: c.from_("notes").update({"stars": 9}).eq("id", 1).select("stars").execute().data,
        [{"stars": 9}],
    ),
    "update with a count": (
        lambda c: c.from_("notes").update({"stars": 9}, count=EXACT).eq("author", "ada").execute().count,
        2,
    ),
    "delete": (lambda c: c.from_("notes").delete().eq("id", 1).select("id").execute().data, rows(1)),
    "delete, minimal": (
        lambda c: c.from_("notes").delete(returning=ReturnMethod.minimal).eq("id", 1).execute().data,
        [],
    ),
    "max_affected, within": (
        lambda c: c.from_("notes").update({"stars": 9}).eq("id", 1).max_affected(1).select("id").execute().data,
        rows(1),
    ),
    "rpc": (lambda c: c.rpc("add", {"a": 1, "b": 2}).execute().data, 3),
    "rpc by GET": (lambda c: c.rpc("add", {"a": 1}, get=True).execute().data, 11),
    "rpc by GET with a list": (lambda c: c.rpc("sum_array", {"amounts": [1, 2, 3]}, get=True).execute().data, 6),
    "rpc by HEAD with a count": (
        lambda c: c.rpc("find_ships", {"term": "o"}, head=True, count=EXACT).execute().count,
        4,
    ),
    "rpc with filters": (
        lambda c: c.rpc("find_ships", {"term": "o"}).select("id").gt("built", 2000).order("id").execute().data,
        rows(2, 5),
    ),
    "rpc single": (lambda c: c.rpc("find_ships", {"term": "Comet"}).select("id").single().execute().data, {"id": 3}),
    "rpc maybe_single": (lambda c: c.rpc("no_rows", {}).maybe_single().execute(), None),
    "rpc csv": (lambda c: c.rpc("find_ships", {"term": "Comet"}).select("id").csv().execute().data, "id\n3"),
    "rpc of nothing": (lambda c: c.rpc("nothing", {}).execute().data, []),
    "rpc of a table": (lambda c: c.rpc("tallies", {}).limit(1).execute().data, [{"kind": "ferry", "amount": 1}]),
}


@pytest.mark.parametrize(("query", "expected"), CALLS.values(), ids=CALLS)
def test_call_gives_its_result(client: Client, query: Query, expected: Any) -> None:
    assert query(client) == expected


@pytest.mark.parametrize("format", ["text", "json"])
def test_explain_gives_a_plan(client: Client, format: Any) -> None:
    answer = client.from_("ships").select("id").explain(analyze=True, verbose=True, format=format).execute()
    if format == "text":
        assert "actual time=" in answer
    else:
        assert answer.data[0]["Plan"]["Actual Rows"] == 1


FAILURES: dict[str, tuple[Query, str]] = {
    "single of many": (lambda c: c.from_("ships").select("id").single().execute(), "PGRST116"),
    "maybe_single of many": (lambda c: c.from_("ships").select("id").maybe_single().execute(), "406"),
    "a table that does not exist": (lambda c: c.from_("nope").select("*").execute(), "PGRST205"),
    "a column that does not exist": (lambda c: c.from_("ships").select("nope").execute(), "42703"),
    "a duplicate": (lambda c: c.from_("notes").insert({"id": 1, "body": "x"}).execute(), "23505"),
    "max_affected, beyond": (
        lambda c: c.from_("notes").update({"stars": 9}).eq("author", "ada").max_affected(1).execute(),
        "PGRST124",
    ),
    "a function that does not exist": (lambda c: c.rpc("nope", {}).execute(), "PGRST202"),
    "a schema that is not exposed": (lambda c: c.schema("vault").from_("ledgers").select("*").execute(), "PGRST106"),
}


@pytest.mark.parametrize(("query", "code"), FAILURES.values(), ids=FAILURES)
def test_failure_raises_its_code(client: Client, query: Query, code: str) -> None:
    with pytest.raises(APIError) as caught:
        query(client)
    assert caught.value.code == code
    assert caught.value.message


def test_auth_sends_the_token_of_a_user(services: Services) -> None:
    service = services(MAIN, "open")
    with SyncPostgrestClient(service.url, schema="harbor") as opened:
        opened.auth(service.token("contract_member"))
        assert opened.rpc("who", {}).execute().data == "contract_member"


def test_async_client_works_alike(services: Services) -> None:
    async def main() -> Any:
        async with AsyncPostgrestClient(services(MAIN, "open").url, schema="harbor") as opened:
            requests = [
                opened.from_("ships").select("id").eq("id", number).single().execute() for number in range(1, 6)
            ]
            return [answer.data for answer in await asyncio.gather(*requests)]

    assert asyncio.run(main()) == rows(1, 2, 3, 4, 5)


def test_every_method_of_the_client_is_driven() -> None:
    builders = [
        BaseFilterRequestBuilder,
        BaseSelectRequestBuilder,
        BaseRPCRequestBuilder,
        client_module.SyncPostgrestClient,
        *(kind for _, kind in inspect.getmembers(request_builder, inspect.isclass) if kind.__name__.startswith("Sync")),
    ]
    methods = {name for kind in builders for name in vars(kind) if not name.startswith("_")}
    source = Path(__file__).read_text()
    aside = {"aclose", "from_table"}  # called when the client's block is left; an alias it has given up
    assert {name for name in methods - aside if not re.search(rf"\.{name}\b", source)} == set()
