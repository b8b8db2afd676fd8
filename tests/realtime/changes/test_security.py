"""Who is told of a change: policies, rights to columns, and nothing of one subscriber for another."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from gateway.database.statement import quote_literal
from tests.realtime.changes.scene import Listening, Scene

TABLES = """
create table public.notes (id int primary key, owner text, body text, hidden text);
alter table public.notes enable row level security;
create policy own on public.notes for select to authenticated
  using (owner = current_setting('request.jwt.claims', true)::jsonb ->> 'sub');
create policy visitors on public.notes for select to anon using (owner is null);
grant select on public.notes to authenticated, anon, service_role;
create table public.parts (region text, number int, owner text, primary key (region, number));
alter table public.parts enable row level security;
create policy own on public.parts for select to authenticated
  using (owner = current_setting('request.jwt.claims', true)::jsonb ->> 'sub');
grant select on public.parts to authenticated;
create table public.narrow (id int primary key, shown text, hidden text);
grant select (id, shown) on public.narrow to anon;
grant select on public.narrow to authenticated;
create table public.shut (id int primary key, shown text);
grant select (shown) on public.shut to anon;
create table public.whole (id int primary key, body text);
alter table public.whole replica identity full;
alter table public.whole enable row level security;
create policy everyone on public.whole for select to anon using (true);
grant select on public.whole to anon, service_role;
create function public.raises(sub text) returns boolean language plpgsql as $$
begin
  if sub = 'bad' then raise exception 'no such team'; end if;
  return true;
end $$;
grant execute on function public.raises(text) to anon, authenticated;
create table public.teams (id int primary key);
alter table public.teams enable row level security;
create policy members on public.teams for select to authenticated
  using (public.raises(current_setting('request.jwt.claims', true)::jsonb ->> 'sub'));
grant select on public.teams to authenticated;
alter publication supabase_realtime add table public.notes, public.parts, public.narrow, public.shut, public.whole,
  public.teams;
"""


@pytest.fixture(scope="module", autouse=True)
def tables(scene: Scene) -> None:
    scene.sql(TABLES)


def of(table: str, **more: Any) -> dict[str, Any]:
    return {"event": "*", "schema": "public", "table": table, **more}


def test_promise_61_each_subscriber_hears_of_the_rows_that_its_policies_show(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker, other = await scene.worker(), await scene.worker()
        ann = await worker.listen(Listening("authenticated", sub="ann"), of("notes"), of("parts"))
        bob = await other.listen(Listening("authenticated", sub="bob"), of("notes"), of("parts"))
        visitor = await worker.listen(Listening(), of("notes"))
        service = await other.listen(Listening("service_role"), of("notes"))
        scene.sql(
            "insert into notes values (1, 'ann'), (2, 'bob'), (3, null), (4, 'ann');"
            "insert into parts values ('x', 1, 'ann'), ('x', 2, 'bob'), ('y', 1, 'bob');"
            "update notes set body = 'b'; delete from notes"
        )
        await ann.until(lambda: ("DELETE", 4) in ann.rows)
        for member in (bob, visitor, service):
            await member.heard("DELETE", 4)
        assert visitor.rows == [("DELETE", number) for number in (1, 2, 3, 4)]
        everything = [(event, number) for event in ("INSERT", "UPDATE", "DELETE") for number in (1, 2, 3, 4)]
        assert service.rows == everything
        assert [row for row in ann.rows if row[0] != "DELETE"] == [("INSERT", None)]
        assert [each["record"]["number"] for each in bob.got if each["table"] == "parts"] == [2, 1]

    scene.play(work)


def test_rows_are_held_against_policies_as_they_are(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        ann = await worker.listen(Listening("authenticated", sub="ann"), of("notes"))
        bob = await worker.listen(Listening("authenticated", sub="bob"), of("notes"))
        service = await worker.listen(Listening("service_role"), of("notes"))
        scene.sql("insert into notes values (11, 'ann')")
        scene.sql("insert into notes values (12, 'bob')")
        scene.sql("insert into notes values (13, null)")
        await service.changes(3)
        await bob.changes(1)
        await ann.changes(1)
        assert (ann.rows, bob.rows) == ([("INSERT", 11)], [("INSERT", 12)])
        assert service.rows == [("INSERT", 11), ("INSERT", 12), ("INSERT", 13)]
        assert ann.got[0]["record"] == {"id": 11, "owner": "ann", "body": None, "hidden": None}

    scene.play(work)


def test_promise_62_a_delete_under_row_level_security_tells_the_key_alone(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        visitor = await worker.listen(Listening(), of("whole"))
        service = await worker.listen(Listening("service_role"), of("whole"))
        scene.sql("insert into whole values (1, 'secret'); update whole set body = 'other'; delete from whole")
        for member in (visitor, service):
            await member.heard("DELETE", 1)
            assert member.got[-1]["old_record"] == {"id": 1}

    scene.play(work)


def test_columns_that_the_role_may_not_read_are_nowhere(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        visitor = await worker.listen(Listening(), of("narrow"))
        member = await worker.listen(Listening("authenticated"), of("narrow"))
        closed = await worker.listen(Listening(), of("shut"))
        scene.sql("insert into narrow values (1, 'a', 'secret'); insert into shut values (1, 'a'); delete from narrow")
        assert (await visitor.changes(1))[0]["record"] == {"id": 1, "shown": "a"}
        assert [each["name"] for each in visitor.got[0]["columns"]] == ["id", "shown"]
        assert (await member.changes(1))[0]["record"] == {"id": 1, "shown": "a", "hidden": "secret"}
        (refused,) = await closed.changes(1)
        assert refused["errors"] == ["Error 401: Unauthorized"]
        assert (refused["record"], refused["columns"]) == ({}, [])
        reason = await worker.refusal(Listening(), of("narrow", filter="hidden=eq.secret"))
        assert "Exception: ERROR P0001 (raise_exception) invalid column for filter hidden" in reason
        assert "invalid column for select hidden" in await worker.refusal(Listening(), of("narrow", select=["hidden"]))

    scene.play(work)


def test_a_right_that_is_taken_away_counts_for_the_next_change(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        member = await worker.listen(Listening("authenticated"), of("narrow"))
        scene.sql("insert into narrow values (5, 'a', 'b')")
        await member.changes(1)
        scene.sql("revoke select on narrow from authenticated; grant select (id) on narrow to authenticated")
        scene.sql("insert into narrow values (6, 'a', 'b')")
        assert (await member.changes(2))[1]["record"] == {"id": 6}
        scene.sql("revoke select on narrow from authenticated; grant select on narrow to authenticated")

    scene.play(work)


def test_a_policy_that_fails_refuses_whom_it_fails_for(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        good = await worker.listen(Listening("authenticated", sub="good"), of("teams"))
        bad = await worker.listen(Listening("authenticated", sub="bad"), of("teams"))
        scene.sql("insert into teams values (1); insert into teams values (2)")
        await good.changes(2)
        await bad.until(lambda: bad.told)
        assert bad.got == []
        assert bad.told == [("error", "Row level security could not be asked: P0001: no such team")]

    scene.play(work)


def test_promise_63_no_claim_and_no_setting_of_one_reaches_the_next(scene: Scene) -> None:
    """A policy that changes role and claims for the session changes them for its own question alone."""
    hostile = "perform set_config('role', 'none', false), set_config('request.jwt.claims', '{\"sub\": \"ann\"}', false)"
    body = f"begin {hostile}; return true; end"
    scene.sql(
        f"create function public.hostile() returns boolean language plpgsql as {quote_literal(body).strip()};"
        "grant execute on function public.hostile() to authenticated;"
        "create table public.traps (id int primary key); alter table traps enable row level security;"
        "create policy p on traps for select to authenticated using (hostile());"
        "grant select on traps to authenticated; alter publication supabase_realtime add table traps"
    )

    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        bob = await worker.listen(Listening("authenticated", sub="bob"), of("traps"), of("notes"))
        carl = await worker.listen(Listening("authenticated", sub="carl"), of("traps"), of("notes"))
        service = await worker.listen(Listening("service_role"), of("notes"))
        scene.sql("begin; insert into traps values (1); insert into notes values (21, 'ann'), (22, 'bob'); commit")
        await service.changes(2)
        await bob.until(lambda: ("INSERT", 22) in bob.rows)
        assert ("INSERT", 21) not in bob.rows and ("INSERT", 22) not in carl.rows

    scene.play(work)


def test_many_subscribers_with_claims_of_their_own_are_one_statement(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        members = [
            await worker.listen(Listening("authenticated", sub=f"user{number}"), of("notes")) for number in range(60)
        ]
        before = worker.changes.distribution.statements
        scene.sql("begin; insert into notes select 100 + n, 'user' || n from generate_series(0, 59) n; commit")
        for number, member in enumerate(members):
            await member.changes(1)
            assert member.rows == [("INSERT", 100 + number)]
        assert worker.changes.distribution.statements - before <= 3

    scene.play(work)


def test_a_new_token_is_asked_with_its_own_claims_and_misses_nothing(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        member = await worker.listen(Listening("authenticated", sub="ann"), of("notes"))
        scene.sql("insert into notes values (201, 'ann'), (202, 'bob')")
        await member.changes(1)
        other = Listening("authenticated", sub="bob")
        member.claims = other.claims
        await worker.changes.renew(member)
        scene.sql("insert into notes values (203, 'ann'), (204, 'bob')")
        await member.changes(2)
        assert member.rows == [("INSERT", 201), ("INSERT", 204)]
        await worker.changes.unsubscribe(member)
        assert not worker.changes.registry.by_table

    scene.play(work)


def test_promise_69_no_row_is_missed_because_its_commit_is_read_before_it_is_seen(scene: Scene) -> None:
    """The log is read as soon as it is written, and a commit is seen by others only a moment later."""

    async def work(scene: Scene) -> None:
        workers = [await scene.worker() for _ in range(2)]
        members = [await worker.listen(Listening("authenticated", sub="ann"), of("notes")) for worker in workers]
        for number in range(200):
            scene.sql(f"insert into notes values ({3000 + number}, 'ann')")
            await asyncio.sleep(0)
        for member in members:
            await member.changes(200)
            assert member.rows == [("INSERT", 3000 + number) for number in range(200)]

    scene.play(work)
