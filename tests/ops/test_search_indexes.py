"""A search by `ilike` over a large table reads an index of trigrams, and doctor proposes one that is missing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from gateway.catalog.load import load
from gateway.database import Database, Scope, SyncConnection, with_login
from gateway.database.statement import Statement
from gateway.identity.authenticator import Identity
from gateway.operations.doctor import unindexed
from gateway.operations.search_indexes import unsearchable
from gateway.rest.endpoint import RestService
from gateway.settings import Settings
from tests.gateway.rest.planning import request_of

ROWS = 40_000
TABLE = f"""
create table public.papers (id int primary key, title text, body text, open boolean);
insert into public.papers
  select n, 'Paper ' || md5(n::text), 'Some words about ' || md5((n * 7)::text), n % 2 = 0
  from generate_series(1, {ROWS}) n;
grant select on public.papers to anon, service_role;
"""
INDEXES = """
create index papers_title on public.papers using gin (title extensions.gin_trgm_ops);
create index papers_body on public.papers using gin (body extensions.gin_trgm_ops);
"""
SEARCH = "/papers?select=id,title&or=(title.ilike.*{0}*,body.ilike.*{0}*)&limit=10"


@pytest.fixture
def papers(connection: SyncConnection) -> Iterator[SyncConnection]:
    """A database with a large table and the extension; skipped where the server has no pg_trgm."""
    if not connection.rows("select from pg_available_extensions where name = 'pg_trgm'"):
        pytest.skip("the server has no pg_trgm")
    connection.script("create extension if not exists pg_trgm with schema extensions")
    connection.script(TABLE)
    yield connection


def plan_of(url: str, role: str, word: str) -> list[str]:
    """Indexes that Postgres reads for the gateway's own statement, prepared and in the request's transaction."""
    asked: list[tuple[Scope, Statement]] = []

    class Noting(Database):
        async def run_all(self, scope: Scope, *statements: Statement, source: str = "") -> Any:
            if scope.names:
                asked.append((scope, statements[-1]))
            return await super().run_all(scope, *statements, source=source)

    async def main() -> str:
        settings = Settings(rest_prefix="")
        db = Noting(with_login(url, "authenticator", None), size=1, core=1)
        await db.open()
        cache = await load(db, settings)
        service = RestService(settings, db, lambda: cache)
        response = await service.handle(request_of("GET", SEARCH.format(word)), Identity(role, "{}"))
        assert response.status == 200, response.body
        scope, statement = asked[-1]
        if "plan_cache_mode" not in scope.names:  # as after some searches
            scope = scope._replace(
                names=(*scope.names, "plan_cache_mode"), values=(*scope.values, "force_generic_plan")
            )
        async with db.transaction(scope) as tx:
            types = ", ".join(["text"] * len(statement.params))
            await tx.run(Statement(f"prepare search ({types}) as {statement.text}"))
            values = ", ".join("null" if v is None else "'" + (v if isinstance(v, str) else v.decode()) + "'"
                               for v in statement.params)  # fmt: skip
            plan = (await tx.run(Statement(f"explain (format json) execute search ({values})"))).value or b"[]"
        await db.close()
        return plan.decode()

    return sorted(set(_indexes(json.loads(asyncio.run(main())))))


def _indexes(plan: Any) -> Iterator[str]:
    if isinstance(plan, dict):
        if "Index Name" in plan:
            yield plan["Index Name"]
        plan = list(plan.values())
    if isinstance(plan, list):
        for each in plan:
            yield from _indexes(each)


def test_a_search_by_ilike_reads_an_index_of_trigrams(papers: SyncConnection, database_url: str) -> None:
    papers.script("analyze public.papers")
    assert plan_of(database_url, "anon", "c4ca4238") == []
    papers.script(INDEXES)
    papers.script("analyze public.papers")
    assert plan_of(database_url, "anon", "c4ca4238") == ["papers_body", "papers_title"]
    papers.script(
        "alter table public.papers enable row level security; create policy open on public.papers using (true)"
    )
    assert plan_of(database_url, "anon", "c4ca4238") == ["papers_body", "papers_title"]
    # A condition of a policy comes first: the pattern's operator might tell what it saw.
    papers.script("alter policy open on public.papers using (open)")
    assert plan_of(database_url, "anon", "c4ca4238") == []
    assert plan_of(database_url, "service_role", "c4ca4238") == ["papers_body", "papers_title"]


def test_doctor_proposes_an_index_of_trigrams_for_what_is_searched(papers: SyncConnection) -> None:
    papers.script("analyze public.papers")
    lookups = [("public", "papers", "title", "pattern"), ("public", "papers", "id", "pattern"), ("public", "gone", "x")]
    (found,) = unsearchable(papers, lookups)
    assert found.text.startswith("requests search public.papers.title by a pattern")
    assert found.advice == "create index on public.papers using gin (title extensions.gin_trgm_ops); notify pgrst"
    assert not list(unindexed(papers, lookups))
    papers.script(found.advice)
    assert not list(unsearchable(papers, lookups))
    papers.script("drop extension pg_trgm cascade; alter table public.papers enable row level security")
    (found,) = unsearchable(papers, lookups)
    assert found.advice.startswith("create extension pg_trgm with schema extensions; create index on public.papers")
    assert "policies" in found.advice
