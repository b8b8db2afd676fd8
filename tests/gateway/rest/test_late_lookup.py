"""A page that is looked up late is the page of one step: same rows, same order, same total, same refusals."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any
from urllib.parse import quote

import orjson
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from gateway.catalog.load import load
from gateway.catalog.model import Name, SchemaCache
from gateway.database import Database, SyncConnection
from gateway.http.messages import Response
from gateway.identity.authenticator import Identity
from gateway.rest.endpoint import RestService
from gateway.rest.parse.query_shape import query_of
from gateway.rest.planner import prepare as preparing
from gateway.rest.planner.late_lookup import late_lookup
from gateway.rest.planner.read import plan_read
from gateway.rest.statements import late_lookup as statements
from gateway.rest.types import Action, LateLookup
from gateway.settings import Settings
from tests.gateway.rest.planning import Planner, asked_of, request_of

ANON = Identity("anon", '{"role":"anon"}')
SOME_COLUMNS = Identity("authenticated", '{"role":"authenticated"}')
SETTINGS = Settings(rest_prefix="", db_extra_search_path=("public",))
EXACT = {"prefer": "count=exact"}

# Few values in many rows: ties and nulls in every column that something is ordered by.
SCHEMA = """
create table public.papers (
  id bigint primary key, title text not null, grade int, at timestamptz, tags text[], notes text, secret text,
  open boolean not null default true);
insert into public.papers
  select n, (array['alpha', 'Beta', 'gamma%', 'a_b', 'x*y'])[1 + n % 5], nullif(n % 4, 3),
    case when n % 6 > 0 then timestamptz '2026-01-01' + (n % 3) * interval '1 day' end,
    array['t' || n % 3], repeat('note ', n % 2), 's', n % 7 > 0
  from generate_series(1, 40) n;
create table public.remarks (id int primary key, paper_id bigint references public.papers, body text);
insert into public.remarks select n, 1 + n % 20, 'remark ' || n from generate_series(1, 50) n;
alter table public.papers enable row level security;
create policy readers on public.papers for select to anon, authenticated using (open);
revoke all on public.papers from authenticated;
grant select on public.papers, public.remarks to anon;
grant select (id, title, grade) on public.papers to authenticated;
analyze public.papers;
"""


# --- which pages ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "count", "late"),
    [
        ("/posts?order=title&limit=10", None, LateLookup("id", False)),
        ("/posts?order=title&limit=10", "exact", LateLookup("id", False)),
        ("/posts?select=id,title&order=title&limit=100", None, LateLookup("id", False)),
        ("/posts?select=a:id&order=author_id.desc.nullslast,title&limit=9&offset=9", None, LateLookup("id", False)),
        ("/posts?select=id,comments(body)&order=title&limit=10", None, LateLookup("id", False)),
        ("/posts?title=ilike.*a*&order=author_id&limit=10", "exact", LateLookup("id", True)),
        ("/posts?title=ilike.*a*&order=id&limit=10", "exact", LateLookup("id", True)),
        ("/posts?or=(id.eq.1,title.like.a*)&order=id&limit=10", "exact", LateLookup("id", True)),
        ("/posts?tags=cs.{a}&order=id&limit=10", "exact", LateLookup("id", True)),
        ("/posts?meta->>a=eq.1&order=id&limit=10", "exact", LateLookup("id", True)),
        ("/posts?search=fts.a&order=id&limit=10", "exact", LateLookup("id", True)),
        # what an index orders, found by nothing slow or without its total
        ("/posts?order=id&limit=10", "exact", None),
        ("/posts?id=gt.1&title=in.(a,b)&title=not.is.null&title=isdistinct.a&order=id&limit=10", "exact", None),
        ("/posts?title=ilike.*a*&order=id&limit=10", "planned", None),
        ("/posts?title=ilike.*a*&order=id&limit=10", None, None),
        # no page, no order, a long page, and a key that the request does not ask for
        ("/posts?order=title", None, None),
        ("/posts?title=ilike.*a*&limit=10", "exact", None),
        ("/posts?order=title&limit=101", None, None),
        ("/posts?select=title&order=title&limit=10", None, None),
        # more than the table's own rows and columns decide
        ("/posts?select=id,comments!inner(body)&order=title&limit=10", None, None),
        ("/posts?select=id,comments()&comments=is.null&order=title&limit=10", None, None),
        ("/posts?select=id,last_comment(*)&order=title&limit=10", None, None),
        ("/posts?select=id,authors!posts_author_id_fkey(name)&order=authors(name)&limit=10", None, None),
        ("/posts?select=id,title.count()&order=title&limit=10", None, None),
        ("/posts?order=meta->>a&limit=10", None, None),
        ("/posts?order=called&limit=10", None, None),
        # a key of two columns
        ("/post_labels?order=label_id&limit=10", None, None),
    ],
)  # fmt: skip
def test_pages_that_are_looked_up_late(
    cache: SchemaCache, settings: Settings, target: str, count: str | None, late: LateLookup | None
) -> None:
    cache = replace(cache, ordered=frozenset({("public", "posts", "id")}))
    settings = replace(settings, db_aggregates_enabled=True)
    asked = asked_of(request_of("GET", target), settings, cache)
    table = cache.tables[Name("public", asked.name)]
    query = query_of(asked.parsed_query.shape)
    plan = plan_read(cache, settings, table.name, query, Action.READ, asked.range)
    assert late_lookup(plan, table, count, cache) == late


def test_only_a_table_of_unique_keys_that_tell_nothing_is_looked_up(cache: SchemaCache, settings: Settings) -> None:
    name = Name("public", "posts")
    posts = cache.tables[name]
    key = posts.columns["id"]
    for table, late in (
        (posts, True),
        (replace(posts, columns={**posts.columns, "id": replace(key, type="uuid")}), True),
        (replace(posts, columns={**posts.columns, "id": replace(key, type="public.citext")}), False),
        (replace(posts, is_view=True), False),
        (replace(posts, is_inherited=True), False),
        (replace(posts, primary_key=()), False),
    ):
        planner = Planner(replace(cache, tables={**cache.tables, name: table}), settings)
        text = planner.statement("GET", "/posts?order=title&limit=3").text
        assert ("= any (array(" in text) == late


def test_a_head_that_shows_nothing_is_asked_in_one_step(cache: SchemaCache, settings: Settings) -> None:
    text = Planner(cache, settings).statement("HEAD", "/posts?title=like.a&order=title&limit=3", headers=EXACT).text
    assert "pgrst_found" not in text and "= any (array(" not in text


# --- the same answers -----------------------------------------------------------------------------------------------


@dataclass
class Ways:
    """Services over one database: one of one step, others that hold so many keys at most."""

    loop: asyncio.AbstractEventLoop
    one_step: RestService
    late: dict[int, RestService]

    def ask(self, service: RestService, target: str, headers: dict[str, str], who: Identity = ANON) -> Response:
        return self.loop.run_until_complete(service.handle(request_of("GET", target, headers=headers), who))

    def plans(self) -> list[str]:
        """Statements of the late ones."""
        return [ready.main.text for service in self.late.values() for ready, _ in service._plans._entries.values()]


@contextmanager
def _ways(url: str, connection: SyncConnection, monkeypatch: pytest.MonkeyPatch, schema: str) -> Iterator[Ways]:
    connection.script(schema)
    loop = asyncio.new_event_loop()
    database = Database(url, size=2)

    async def begin() -> SchemaCache:
        await database.open()
        return await load(database, SETTINGS)

    cache = loop.run_until_complete(begin())
    ways = Ways(loop, RestService(SETTINGS, database, lambda: cache), {
        found: RestService(SETTINGS, database, lambda: cache) for found in (0, 7, 1_000)})  # fmt: skip
    plan = RestService._plan

    async def planned(service: RestService, *arguments: Any) -> Any:
        with monkeypatch.context() as patch:
            if service is ways.one_step:
                patch.setattr(preparing, "late_lookup", lambda *_: None)
            for found, other in ways.late.items():
                if service is other:
                    patch.setattr(statements, "FOUND", found)
            return await plan(service, *arguments)

    monkeypatch.setattr(RestService, "_plan", planned)
    try:
        yield ways
    finally:
        loop.run_until_complete(database.close())
        loop.close()


def same_page(order: list[str], one: Response, other: Response) -> None:
    """The same answer, save for which of the rows that tie with the first or the last there are, and in what order."""
    assert one.status == other.status
    for name in (b"content-range", b"content-location", b"content-type"):
        assert dict(one.headers).get(name) == dict(other.headers).get(name)
    if one.status >= 300 or "id" in order:
        assert one.body == other.body
        return
    pages = [orjson.loads(answer.body) for answer in (one, other)]
    keys = [[tuple(row[name] for name in order) for row in page] for page in pages]
    assert keys[0] == keys[1]
    ends = {keys[0][0], keys[0][-1]} if keys[0] else set()
    between = [
        sorted((row for row, key in zip(page, found, strict=True) if key not in ends), key=itemgetter("id"))
        for page, found in zip(pages, keys, strict=True)
    ]
    assert between[0] == between[1]
    assert len({row["id"] for row in pages[1]}) == len(pages[1])


ORDERS = st.lists(
    st.tuples(
        st.sampled_from(["title", "grade", "at", "notes", "id"]),
        st.sampled_from(["", ".asc", ".desc", ".desc.nullslast", ".asc.nullsfirst", ".nullslast"]),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda term: term[0],
)
FILTERS = st.lists(
    st.sampled_from(
        [
            "title=ilike.*a*", "title=like.*b", "title=ilike.*%25*", "title=ilike.nothing", "grade=eq.1", "id=lt.25",
            "grade=is.null", "tags=cs.{t1}", "or=(title.ilike.*x*,grade.eq.0)",
            "and=(id.gt.5,not.or(id.gt.30,at.is.null))",
            "at=gte.2026-01-02", "notes=neq.x", "title=imatch.^[ab]", "id=in.(1,2,3,30,99)", "grade=isdistinct.2",
        ]
    ),
    max_size=3,
)  # fmt: skip


def test_a_page_looked_up_late_is_the_page_of_one_step(
    database_url: str, connection: SyncConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _ways(database_url, connection, monkeypatch, SCHEMA) as ways:

        @given(
            order=ORDERS,
            filters=FILTERS,
            limit=st.sampled_from([0, 1, 3, 10, 50]),
            offset=st.sampled_from([0, 0, 2, 11, 60]),
            select=st.sampled_from(["*", "id,title,grade,at,notes", "*,remarks(id,body)"]),
            count=st.sampled_from(["exact", "exact", "planned", "estimated", None]),
        )
        @hypothesis_settings(max_examples=300, deadline=None)
        def check(
            order: list[tuple[str, str]], filters: list[str], limit: int, offset: int, select: str, count: str | None
        ) -> None:
            terms = ",".join("".join(term) for term in order)
            rest = "".join(f"&{quote(each, safe='=(),.{}%*')}" for each in filters)
            target = f"/papers?select={select}&order={terms}&limit={limit}&offset={offset}{rest}"
            headers = {"prefer": f"count={count}"} if count else {}
            expected = ways.ask(ways.one_step, target, headers)
            for service in ways.late.values():
                same_page([name for name, _ in order], expected, ways.ask(service, target, headers))

        check()
        plans = ways.plans()
        assert sum("pgrst_found" in text for text in plans) > 50
        assert sum("= any (array(" in text for text in plans) > 50


@pytest.mark.parametrize(
    "accept",
    ["text/csv", "application/vnd.pgrst.object+json", "application/vnd.pgrst.array+json;nulls=stripped"],
)
def test_every_kind_of_body_is_made_of_a_page_looked_up_late(
    database_url: str, connection: SyncConnection, monkeypatch: pytest.MonkeyPatch, accept: str
) -> None:
    with _ways(database_url, connection, monkeypatch, SCHEMA) as ways:
        for limit in (1, 4):
            target = f"/papers?title=ilike.*a*&order=grade,id&limit={limit}&offset=2"
            expected = ways.ask(ways.one_step, target, {**EXACT, "accept": accept})
            assert expected.status == (406 if limit > 1 and "object" in accept else 206)
            for service in ways.late.values():
                answer = ways.ask(service, target, {**EXACT, "accept": accept})
                assert (answer.status, answer.headers, answer.body) == (
                    expected.status, expected.headers, expected.body,
                )  # fmt: skip
        if "object" not in accept:  # what was refused leaves no plan
            assert all("pgrst_found" in text for text in ways.plans())


@pytest.mark.parametrize("rows", [0, 1, 999, 1_000, 1_001, 2_500])
def test_the_total_is_exact_however_many_are_found(
    database_url: str, connection: SyncConnection, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    with _ways(database_url, connection, monkeypatch, SCHEMA) as ways:
        connection.script(
            "delete from public.remarks; delete from public.papers;"
            f" insert into public.papers (id, title, grade) select n, 'paper', -n from generate_series(1, {rows}) n"
        )
        for service in ways.late.values():
            answer = ways.ask(service, "/papers?select=id,grade&title=like.paper&order=grade&limit=5", EXACT)
            shown = f"0-{min(rows, 5) - 1}" if rows else "*"
            assert dict(answer.headers)[b"content-range"] == f"{shown}/{rows}".encode()
            assert [row["id"] for row in orjson.loads(answer.body)] == list(range(rows, max(rows - 5, 0), -1))
        assert all("pgrst_found" in text for text in ways.plans())


def test_a_role_with_some_columns_reads_what_it_did(
    database_url: str, connection: SyncConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _ways(database_url, connection, monkeypatch, SCHEMA) as ways:
        for target, status in (
            ("/papers?select=id,title&order=title&limit=3", 200),
            ("/papers?select=title&order=grade&limit=3", 200),
            ("/papers?select=id,title&title=ilike.*a*&order=grade&limit=3", 206),
            ("/papers?select=id,title&order=notes&limit=3", 403),
            ("/papers?select=id,title&secret=like.s&order=title&limit=3", 403),
            ("/papers?select=*&order=title&limit=3", 403),
        ):
            headers = EXACT if status == 206 else {}
            expected = ways.ask(ways.one_step, target, headers, SOME_COLUMNS)
            assert expected.status == status, expected.body
            for service in ways.late.values():
                answer = ways.ask(service, target, headers, SOME_COLUMNS)
                assert (answer.status, answer.body) == (expected.status, expected.body)
        connection.script("revoke select (id) on public.papers from authenticated")
        answer = ways.ask(ways.late[1_000], "/papers?select=title&order=grade&limit=3", {}, SOME_COLUMNS)
        assert answer.status == 200


def test_what_a_policy_hides_is_in_neither_page_nor_total(
    database_url: str, connection: SyncConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _ways(database_url, connection, monkeypatch, SCHEMA) as ways:
        ((hidden,),) = connection.rows("select count(*) from public.papers where not open")
        assert int(hidden or 0) > 0
        for service in ways.late.values():
            answer = ways.ask(service, "/papers?notes=like.*&order=grade&limit=100", EXACT)
            shown = orjson.loads(answer.body)
            assert len(shown) == 40 - int(hidden or 0) and all(row["open"] for row in shown)
            assert dict(answer.headers)[b"content-range"].endswith(b"/%d" % len(shown))


@pytest.mark.parametrize("child", ["create table public.more () inherits (public.papers)", None])
def test_rows_of_one_key_in_tables_that_inherit_are_told_apart(
    database_url: str, connection: SyncConnection, monkeypatch: pytest.MonkeyPatch, child: str | None
) -> None:
    schema = SCHEMA + (
        child or "create table public.more (like public.papers); alter table public.more inherit public.papers"
    )
    with _ways(database_url, connection, monkeypatch, schema) as ways:
        connection.script(
            "insert into public.more (id, title, grade, open) select id, 'other', 99, true from only public.papers"
        )
        for service in ways.late.values():
            answer = ways.ask(service, "/papers?title=like.other&order=grade&limit=5", EXACT)
            assert {row["grade"] for row in orjson.loads(answer.body)} == {99}
            assert dict(answer.headers)[b"content-range"] == b"0-4/40"


# --- what Postgres does ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["uuid", "bigint", "integer", "smallint", "text", "character varying", "public.code"])
def test_rows_under_policies_are_looked_up_by_their_key(
    database_url: str, connection: SyncConnection, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    value = "md5(n::text)::uuid" if kind == "uuid" else f"n::{kind}"
    schema = f"""
        create domain public.code as text;
        create function public.slow(text) returns boolean language plpgsql stable as $$ begin return true; end $$;
        create table public.keyed (id {kind} primary key, title text, rank int);
        insert into public.keyed select {value}, 'title', -n from generate_series(1, 5000) n;
        alter table public.keyed enable row level security;
        create policy readers on public.keyed for select to anon using (public.slow(title));
        grant select on public.keyed to anon;
            grant execute on function public.slow to anon;
        analyze public.keyed;"""
    with _ways(database_url, connection, monkeypatch, schema) as ways:
        target = "/keyed?order=rank&limit=3"
        answer = ways.ask(ways.late[1_000], target, {})
        assert [row["rank"] for row in orjson.loads(answer.body)] == [-5000, -4999, -4998]
        (text,) = ways.plans()
        connection.script("set role anon")
        plan = "\n".join(row[0] or "" for row in connection.rows(f"explain {text}"))
        assert re.search(r"Index Cond: \(\(?id\)?\S* = ANY", plan), plan
        assert len(re.findall("Seq Scan on keyed", plan)) == 1


def test_the_schema_cache_knows_what_indexes_order(database_url: str, connection: SyncConnection) -> None:
    connection.script(
        """
        create table public.ordered (id int primary key, a int, b int, c text, d int, e int[]);
        create index on public.ordered (a, b);
        create index on public.ordered (b desc nulls last) where d > 0;
        create index on public.ordered (lower(c), d);
        create index on public.ordered using hash (d);
        create index on public.ordered using gin (e);
        """
    )

    async def work() -> SchemaCache:
        database = Database(database_url, size=1)
        await database.open()
        try:
            return await load(database, SETTINGS)
        finally:
            await database.close()

    known = asyncio.run(work()).ordered
    assert {column for _, table, column in known if table == "ordered"} == {"id", "a", "b"}
