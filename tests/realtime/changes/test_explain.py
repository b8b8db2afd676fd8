"""`gateway explain CHANGE`: who would be told of a change, and why not."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from gateway.database import Database
from gateway.identity.authenticator import Identity
from gateway.operations.explain_change import explain_change
from tests.realtime.changes.scene import Scene

TABLES = """
create table public.notes (id int primary key, owner text, hidden text);
alter table public.notes enable row level security;
create policy own on public.notes for select to authenticated
  using (owner = current_setting('request.jwt.claims', true)::jsonb ->> 'sub');
grant select (id, owner) on public.notes to authenticated;
create table public.bare (note text);
grant select on public.bare to authenticated;
create table public.unpublished (id int primary key);
insert into public.notes values (1, 'ann'), (2, 'bob');
alter publication supabase_realtime add table public.notes, public.bare;
"""


@pytest.fixture(scope="module", autouse=True)
def tables(scene: Scene) -> None:
    scene.sql(TABLES)


def explained(scene: Scene, table: str, sub: str = "ann", role: str = "authenticated", **more: Any) -> str:
    row = {"id": str(more.pop("id"))} if "id" in more else {}
    identity = Identity(role, json.dumps({"role": role, "sub": sub}))

    async def run() -> list[str]:
        database = Database(scene.owner, size=1, core=1)
        try:
            return await explain_change(database, identity, "public", table, row, more)
        finally:
            await database.close()

    return "\n".join(asyncio.run(run()))


def test_each_reason_is_named_with_its_remedy(scene: Scene) -> None:
    assert "authenticated sees the row: it is told" in explained(scene, "notes", id=1)
    hidden = explained(scene, "notes", id=2, filter="id=eq.1")
    assert "does not see the row: it is not told" in hidden
    assert "`gateway explain GET '/notes?id=eq.2'` says which policy hides it" in hidden
    assert "the filter id eq 1 does not hold" in hidden
    assert "may not read, and is not told: hidden" in hidden
    assert "tells the primary key alone" in hidden and "has the primary key" in hidden
    assert "invalid column for filter hidden" in explained(scene, "notes", filter="hidden=eq.1")
    assert "there is no such row" in explained(scene, "notes", id=77)
    assert "alter publication supabase_realtime add table public.unpublished;" in explained(scene, "unpublished")
    assert "has no primary key" in explained(scene, "bare")
    assert "grant select on public.notes to" in explained(scene, "notes", role="anon")
    assert "passes by row level security: every row is told" in explained(scene, "notes", role="postgres")
    assert explained(scene, "nothing") == "there is no table public.nothing"
