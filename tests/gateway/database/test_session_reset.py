"""What the application's code leaves in a session is gone before anybody else has it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import orjson
import pytest

from gateway.catalog.load import load
from gateway.catalog.model import Name
from gateway.catalog.queries import FINGERPRINT
from gateway.database import NO_SCOPE, Database, DatabaseError, Scope, SyncConnection, with_login
from gateway.database.connection import Connection
from gateway.database.session_reset import Reset
from gateway.database.statement import Statement
from gateway.identity.authenticator import Identity
from gateway.rest.endpoint import RestService
from gateway.settings import Settings
from tests.fixtures.db import Server, drop
from tests.fixtures.schema import migrate
from tests.gateway.rest.planning import request_of

# By name: what code may leave, as a function with dynamic SQL runs it.
LEFTOVERS: Final = {
    "a claim": "select set_config('request.jwt.claim.sub', 'somebody', false)",
    "claims": "set request.jwt.claims = '{}'".format('{"sub":"somebody"}'),
    "a header of the answer": "select set_config('response.headers', '[{\"x-mine\":\"1\"}]', false)",
    "a status": "select set_config('response.status', '418', false)",
    "row security": "select set_config('row_security', 'off', false)",
    "a search path": "set search_path = private",
    "a role": "set role service_role",
    "a timeout": "set statement_timeout = 5000",
    "reading alone": "set default_transaction_read_only = on",
    "an isolation level": "set default_transaction_isolation = serializable",
    "a zone": "set timezone = 'Asia/Tokyo'",
    "a style of dates": "set datestyle = 'German'",
    "a name of the application": "set application_name = 'mine'",
    "any setting": "select set_config('my.own', 'secret', false)",
    "a lock": "select pg_advisory_lock(7)",
    "a shared lock": "select pg_advisory_lock_shared(8, 9)",
    "a table": "create temp table if not exists mine as select 'secret' as word",
    "a statement": "prepare mine_{n} as select 'secret'",
    "a cursor": "declare mine_{n} cursor with hold for select 'secret'",
    "a channel": "listen mine",
    "a sequence": "select nextval('public.numbers')",
    "no statements": "deallocate all",
    "a seed": "select setseed(0.5)",
}

SCENE: Final = """
create sequence public.numbers;
grant usage on sequence public.numbers to public;
grant temporary on database {database} to public;
create function public.leave(script text[], fails boolean) returns void language plpgsql as $$
declare line text;
begin
  foreach line in array script loop
    execute line;
  end loop;
  if fails then raise exception 'on purpose'; end if;
end $$;
grant execute on function public.leave to anon;
create function public.seen() returns jsonb language plpgsql as $$
declare last text;
begin
  begin
    last = lastval();
  exception when object_not_in_prerequisite_state then last = 'none';
  end;
  return jsonb_build_object(
    'settings', (select jsonb_object_agg(name, setting) from pg_settings where source = 'session' and name <> 'role'),
    'own', concat(current_setting('my.own', true), current_setting('request.jwt.claim.sub', true),
      current_setting('request.jwt.claims', true), current_setting('response.headers', true),
      current_setting('response.status', true)),
    'shown', array[current_setting('search_path'), current_setting('row_security'), current_setting('timezone'),
      current_setting('application_name'), current_setting('default_transaction_read_only')],
    'user', current_user,
    'locks', (select count(*) from pg_locks where locktype = 'advisory'),
    'temporary', to_regclass('pg_temp.mine'),
    'prepared', (select count(*) from pg_prepared_statements where from_sql),
    'cursors', (select count(*) from pg_cursors where is_holdable),
    'channels', (select count(*) from pg_listening_channels()),
    'sequence', last,
    'random', random() in (0.2499104186659835, 0.9851677175347999)
  );
end $$;
grant execute on function public.seen to anon;
"""

ANON: Final = Scope("anon", ("role",), ("anon",))
READER: Final = Scope("anon", ("role", "transaction_read_only"), ("anon", "on"))
SEEN: Final = Statement("select public.seen()")


def leave(lines: list[str], fails: bool) -> Statement:
    listed = "{" + ",".join('"' + line.replace("\\", "\\\\").replace('"', '\\"') + '"' for line in lines) + "}"
    return Statement("select public.leave($1, $2)", (listed, "true" if fails else "false"))


CALLED: Final = "gateway.reset_session(double precision, boolean)"


@pytest.fixture(params=["called", "listed"])
def login(database_url: str, connection: SyncConnection, request: pytest.FixtureRequest) -> Iterator[str]:
    """Address of the tables' login, in a database with functions that leave things and look for them; which may have
    its sessions reset by one statement, or not."""
    if request.param == "listed":
        connection.script(f"revoke execute on function {CALLED} from authenticator")
    database = str(connection.rows("select quote_ident(current_database())")[0][0])
    connection.script(SCENE.format(database=database))
    yield with_login(database_url, "authenticator", None)


async def run_script(db: Database, way: int, statement: Statement) -> None:
    """In one of the ways that a request takes."""
    with suppress(DatabaseError):
        if way == 0:
            await db.run(ANON, statement)
        elif way == 1:
            await db.run(READER, statement)
        else:
            async with db.transaction(ANON) as transaction:
                await transaction.run(statement)
                if way == 3:
                    transaction.rollback()


def test_a_reset_by_name_takes_as_much_away(login: str) -> None:
    async def main() -> None:
        db = Database(login, size=1, core=1)
        await db.open()
        db.renew("a schema", runs_given_sql=False)
        before = (await db.run(ANON, SEEN)).value
        for name, line in LEFTOVERS.items():
            if name not in ("a statement", "no statements"):  # which cannot be where this is so
                await db.run(ANON, leave([line.replace("{n}", "x")], False))
                assert (await db.run(ANON, SEEN)).value == before, name
        await db.close()

    asyncio.run(main())


@pytest.mark.parametrize("seed", range(4))
def test_nothing_of_what_a_request_leaves_is_found_by_the_next(login: str, seed: int) -> None:
    chance = random.Random(seed)

    async def main() -> None:
        db = Database(login, size=1, core=1, unprivileged=True)
        await db.open()
        try:
            before = (await db.run(ANON, SEEN)).value
            at_reads = (await db.run(READER, SEEN)).value
            singles = [[name] for name in LEFTOVERS] if seed == 0 else []
            several = [chance.sample(sorted(LEFTOVERS), chance.randint(2, 6)) for _ in range(20)]
            for number, names in enumerate([*singles, *several]):
                lines = [LEFTOVERS[name].replace("{n}", str(number)) for name in names]
                for way in range(4):
                    for fails in (False, True):
                        await run_script(db, way, leave(lines, fails))
                        assert (await db.run(ANON, SEEN)).value == before, (names, way, fails)
            # What was sent along with the one that leaves something, on the same connection, sees nothing either.
            for name, line in LEFTOVERS.items():
                asked = [
                    db.run(READER, leave([line.replace("{n}", "x")], False)),
                    *[db.run(READER, SEEN) for _ in "123"],
                ]
                _, *seen = await asyncio.gather(*asked, return_exceptions=True)
                assert all(not isinstance(each, BaseException) and each.value == at_reads for each in seen), (
                    name,
                    seen,
                )
            assert len(db._connections) == 1
        finally:
            await db.close()

    asyncio.run(main())


def test_a_session_that_cannot_be_reset_is_nobodys(login: str) -> None:
    async def main() -> None:
        db = Database(login, size=1, core=1)
        await db.open()
        first = (await db.run(NO_SCOPE, Statement("select pg_backend_pid()"))).value
        kept, db.resets = db.resets, Reset(("select 1 / 0",), ("select 1 / 0",))
        assert (await db.run(ANON, SEEN)).value is not None  # which its answer does not suffer from
        db.resets = kept
        async with asyncio.timeout(20):
            while db._connections and db._connections[0].queue:
                await asyncio.sleep(0.01)
        assert (await db.run(NO_SCOPE, Statement("select pg_backend_pid()"))).value != first
        await db.close()

    asyncio.run(main())


def test_a_session_whose_function_is_gone_is_nobodys_and_the_next_does_without(
    login: str, database_url: str, request: pytest.FixtureRequest
) -> None:
    async def main() -> None:
        db = Database(login, size=1, core=1)
        await db.open()
        called = db._connections[0].calls_reset
        assert called is ("[called]" in request.node.name)
        process = Statement("select pg_backend_pid()")
        first = (await db.run(NO_SCOPE, process)).value
        with SyncConnection(database_url) as owner:
            owner.script(f"drop function {CALLED}")
        await db.run(ANON, leave(["set my.own = 'secret'"], False))
        async with asyncio.timeout(20):
            while db._connections and db._connections[0].queue:
                await asyncio.sleep(0.01)
        assert ((await db.run(NO_SCOPE, process)).value != first) is called
        assert not db._connections[0].calls_reset
        second = (await db.run(NO_SCOPE, process)).value
        for _ in range(3):
            await db.run(ANON, leave(["set my.own = 'secret'"], False))
            assert orjson.loads((await db.run(ANON, SEEN)).value or b"")["own"] == ""
        assert (await db.run(NO_SCOPE, process)).value == second
        await db.close()

    asyncio.run(main())


def test_auth_resets_its_sessions_and_takes_its_role_on_again(database_url: str) -> None:
    who = Statement("select current_user || ' ' || coalesce(current_setting('my.own', true), '')")

    async def main() -> None:
        db = Database(database_url, size=1, core=1, become=("role", "supabase_auth_admin"))
        await db.open()
        await db.run(
            NO_SCOPE, Statement("select set_config('my.own', 'secret', false), set_config('role', 'anon', false)")
        )
        assert (await db.run(NO_SCOPE, who)).value == b"supabase_auth_admin "
        await db.close()

    asyncio.run(main())


# --- what is spared the reset ---------------------------------------------------------------------------------------

CODE: Final = """
create function private.mine() returns boolean language sql stable as 'select true';
create function private.of(n int) returns boolean language sql stable as 'select true';
create type public.mood as enum ('fine');
create type public.pair as (a int, b int);
create domain public.word as text check (private.of(length(value)));
create domain public.shown as text;
create function public.shown_json(public.shown) returns json language sql stable as 'select to_json($1::text)';
create cast (public.shown as json) with function public.shown_json as assignment;

create table public.plain (id int primary key, at timestamptz, mood public.mood, moods public.mood[], word public.word);
create table public.owned (id int primary key, owner uuid, plain int references public.plain);
alter table public.owned enable row level security;
create policy own on public.owned for select using ((select auth.uid()) = owner and auth.role() = 'anon');
create policy made on public.owned for insert with check (private.mine());

create table public.called (id int primary key references public.plain);
alter table public.called enable row level security;
create policy calls on public.called using (private.mine());
create table public.asking (id int primary key);
alter table public.asking enable row level security;
create policy asks on public.asking using (exists (select from public.called where called.id = asking.id));
create table public.teams (id int primary key, boss uuid);
alter table public.teams enable row level security;
create policy bosses on public.teams using (boss = (select auth.uid()));
create table private.members (team int references public.teams, who uuid);
alter table private.members enable row level security;
create policy members on private.members using (exists (select from public.teams t where t.id = team));
create table public.asked (id int primary key, team int);
alter table public.asked enable row level security;
create policy asks on public.asked using (team in (select team from private.members where who = auth.uid()));
create table public.asking_twice (id int primary key);
alter table public.asking_twice enable row level security;
create policy asks on public.asking_twice using (exists (select from public.asking a where a.id = asking_twice.id));
create table public.asking_view (id int primary key);
create view private.shown as select * from public.plain;
alter table public.asking_view enable row level security;
create policy asks on public.asking_view using (exists (select from private.shown s where s.id = asking_view.id));
create table public.circle (id int primary key);
create table public.circled (id int primary key);
alter table public.circle enable row level security;
alter table public.circled enable row level security;
create policy asks on public.circle using (exists (select from public.circled a where a.id = circle.id));
create policy asks on public.circled using (exists (select from public.circle a where a.id = circled.id));
create table public.asking_setting (id int primary key);
alter table public.asking_setting enable row level security;
create policy asks on public.asking_setting using (
  exists (select from public.plain where set_config('my.own', 'x', false) is not null));
create table public.setting (id int primary key);
alter table public.setting enable row level security;
create policy sets on public.setting using (set_config('my.own', 'x', false) is not null);
create table public.locking (id int primary key);
alter table public.locking enable row level security;
create policy locks on public.locking using (pg_try_advisory_lock(id));
create view public.seen_through as select * from public.plain;
create table public.typed (id int primary key, pair public.pair);
create table public.cast_table (id int primary key, shown public.shown);
create function public.bigger(public.plain) returns int language sql as 'select $1.id + 1';
grant select on all tables in schema public to anon;
grant select on private.members to anon;
grant usage on schema private to anon;
grant execute on all functions in schema public, private to anon;
"""
FREE: Final = {"plain", "owned", "teams", "asked"}
NOT_FREE: Final = {
    "asking_twice",
    "asking_view",
    "asking_setting",
    "called",
    "asking",
    "setting",
    "locking",
    "seen_through",
    "typed",
    "cast_table",
}


@pytest.mark.parametrize(
    ("target", "free"),
    [
        ("/plain?select=*", True),
        ("/plain?select=id,at&id=gt.1&or=(id.eq.2,mood.eq.fine)&order=at", True),
        ("/owned?select=id,plain(*)", True),
        ("/plain?select=id,owned(id)", True),
        ("/asked?select=id", True),
        ("/asking", False),
        ("/plain?select=id,called(id)", False),
        ("/plain?select=id,bigger", False),
        ("/plain?select=id&bigger=gt.1", False),
        ("/plain?select=id&or=(id.eq.1,and(bigger.gt.1,id.eq.2))", False),
        ("/plain?select=id&order=bigger", False),
        ("/plain?select=id::text", False),
        ("/seen_through", False),
        ("/rpc/mood_of", False),
    ],
)
def test_a_read_is_spared_the_reset_where_no_code_can_run(
    database_url: str, connection: SyncConnection, target: str, free: bool
) -> None:
    connection.script(CODE)
    connection.script("create function public.mood_of() returns int language sql stable as 'select 1'")
    connection.script("grant execute on function public.mood_of to anon")

    async def main() -> None:
        settings = Settings(rest_prefix="")
        db = Database(with_login(database_url, "authenticator", None), size=1, core=1)
        await db.open()
        cache = await load(db, settings)
        known = {name.name for name in cache.code_free if name.schema == "public"}
        assert known >= FREE and not NOT_FREE & known
        assert Name("public", "seen_through") in cache.tables
        service = RestService(settings, db, lambda: cache)
        (session,) = db._connections
        resets = counted_resets(session)
        for _ in range(2):  # planned, and as it was remembered
            response = await service.handle(request_of("GET", target), Identity("anon", orjson.dumps({}).decode()))
            assert response.status == 200, response.body
        assert len(resets) == (0 if free else 2)
        await db.close()

    asyncio.run(main())


OF_SOME: Final = """
create table public.news (id int primary key references public.called, shown boolean default true,
  plain int references public.plain);
alter table public.news enable row level security;
create policy readers on public.news for select to anon, authenticated using (shown);
create policy editors on public.news to authenticated using ((select private.mine())) with check (true);
grant usage on schema private to authenticated;
grant execute on function private.mine to authenticated;
grant select on public.news, public.called to anon, authenticated;
grant select on public.plain to authenticated;
create role reset_editor noinherit nologin in role authenticated;
grant reset_editor to authenticator;
grant usage on schema public to reset_editor;
grant select on public.news to reset_editor;
"""


def test_a_read_is_spared_the_reset_where_policies_with_code_are_for_others(own_server: Server) -> None:
    name = "reset_of_some"
    with own_server.admin() as admin:
        admin.script(f"create database {name}")
    url = own_server.database(name)
    try:
        with SyncConnection(url) as connection:
            migrate(connection)
            connection.script(CODE)
            connection.script(OF_SOME)
        asyncio.run(_some_are_spared(url))
    finally:
        drop(own_server, name)


async def _some_are_spared(url: str) -> None:
    db = Database(with_login(url, "authenticator", None), size=1, core=1)
    await db.open()
    settings = Settings(rest_prefix="")
    cache = await load(db, settings)
    assert Name("public", "news") not in cache.code_free
    service = RestService(settings, db, lambda: cache)
    (session,) = db._connections
    resets = counted_resets(session)
    for target, role, free in (
        ("/news?select=id", "anon", True),
        ("/news?select=id", "authenticated", False),
        ("/news?select=id", "anon", True),  # by the same plan
        ("/news?select=id", "reset_editor", False),  # who may become one for whom the policy is
        ("/news?select=id,plain(id)", "anon", True),
        ("/plain?select=id,news(id)", "anon", True),
        ("/plain?select=id,news(id)", "authenticated", False),
        ("/plain?select=id,news(id),called(id)", "anon", False),
        ("/news?select=id::text", "anon", False),
    ):
        del resets[:]
        response = await service.handle(request_of("GET", target), Identity(role, orjson.dumps({}).decode()))
        assert response.status == 200, (target, role, response.body)
        assert len(resets) == (0 if free else 1), (target, role)
    await db.close()


def counted_resets(session: Connection) -> list[tuple[str, ...]]:
    """What is taken away from a session from now on."""
    taken: list[tuple[str, ...]] = []
    take_away = session._take_away

    def counted(resets: tuple[str, ...]) -> None:
        taken.append(resets)
        take_away(resets)

    session._take_away = counted  # type: ignore[method-assign]
    return taken


WRITTEN: Final = """
create function public.sly(n int) returns int language plpgsql immutable as
  $$ begin perform set_config('my.own', 'secret', false); return n; end $$;
create function public.stamp() returns trigger language plpgsql as $$ begin return new; end $$;
create operator public.=== (leftarg = int, rightarg = int, function = public.eq);

create table public.plain (id bigint generated always as identity primary key, body text check (length(body) < 100),
  made timestamptz not null default now(), key uuid default gen_random_uuid(), serial serial, tags text[] default '{}',
  upper text generated always as (upper(body)) stored, mood public.mood default 'fine');
create index on public.plain (lower(body)) where body is not null;
create table public.below (id int primary key, plain bigint references public.plain);
create table public.cascading (id int primary key, below int references public.below on delete cascade);
create table public.owned (id int primary key default 1, body text, owner uuid default auth.uid());
alter table public.owned enable row level security;
create policy reads on public.owned for select using (true);
create policy writes on public.owned for insert with check (owner is null or (select auth.uid()) = owner);
create policy changes on public.owned for update using (true) with check (id > 0);

create table public.triggered (id int, body text);
create trigger stamps before insert on public.triggered for each row execute function public.stamp();
create table public.idle (id int, body text);
create trigger stamps before insert on public.idle for each row execute function public.stamp();
alter table public.idle disable trigger stamps;
create table public.ruled (id int, body text);
create rule twice as on insert to public.ruled do also select public.sly(1);
create table public.defaulted (id int default public.sly(1), body text);
create table public.told (id bigint default lastval(), body text);
create table public.setting (body text default set_config('my.own', 'secret', false));
create table public.checked (id int check (public.sly(id) > 0), body text);
create table public.operated (id int check (id operator(public.===) id), body text);
create table public.indexed (id int, body text);
create index on public.indexed (public.sly(id));
create table public.partly (id int, body text);
create index on public.partly (id) where public.sly(id) > 0;
create table public.made (id int, body text, twice int generated always as (public.sly(id)) stored);
create table public.worded (id int, body public.word);
create table public.listed (id int, body public.word[]);
create table public.guarded (id int, body text);
alter table public.guarded enable row level security;
create policy reads on public.guarded for select using (true);
create policy writes on public.guarded for insert with check (public.sly(id) > 0);
create table public.guarded_changes (id int, body text);
alter table public.guarded_changes enable row level security;
create policy all_of_it on public.guarded_changes using (true);
create policy changes on public.guarded_changes for update using (set_config('my.own', body, false) <> '');
create table public.parent (id int, body text);
create table public.child () inherits (public.parent);
create table public.parted (id int, body text) partition by list (id);
create table public.parted_1 partition of public.parted default;
grant all on all tables in schema public to anon;
grant usage on all sequences in schema public to anon;
"""
TYPES: Final = """
create type public.mood as enum ('fine');
create function public.long(text) returns boolean language plpgsql immutable as $$ begin return true; end $$;
create function public.eq(a int, b int) returns boolean language plpgsql immutable as $$ begin return a = b; end $$;
create domain public.word as text check (public.long(value));
"""
FREE_WRITES: Final = {"plain": True, "below": False, "cascading": True, "owned": True, "child": True}
NO_FREE_WRITES: Final = {
    "triggered", "idle", "ruled", "defaulted", "told", "setting", "checked", "operated", "indexed", "partly", "made",
    "worded", "listed", "guarded", "guarded_changes", "parent", "parted", "parted_1",
}  # fmt: skip


def test_writes_that_may_run_code_are_known(database_url: str, connection: SyncConnection) -> None:
    connection.script(TYPES + WRITTEN)

    async def main() -> None:
        db = Database(with_login(database_url, "authenticator", None))
        await db.open()
        cache = await load(db, Settings())
        known = {name.name: free for name, free in cache.code_free_writes.items() if name.schema == "public"}
        assert {name: known.get(name) for name in FREE_WRITES} == FREE_WRITES
        assert not NO_FREE_WRITES & known.keys()
        await db.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("method", "target", "headers", "free"),
    [
        ("POST", "/plain", {}, True),
        ("POST", "/plain", {"prefer": "return=representation"}, True),
        ("POST", "/plain", {"prefer": "return=representation", "accept": "application/vnd.pgrst.object+json"}, True),
        ("POST", "/plain", {"prefer": "missing=default"}, True),
        ("POST", "/plain?on_conflict=id", {"prefer": "resolution=merge-duplicates"}, True),
        ("PATCH", "/plain?id=eq.1", {}, True),
        ("DELETE", "/plain?id=eq.1", {}, True),
        ("POST", "/below", {}, True),
        ("PATCH", "/below?id=eq.1", {}, False),
        ("DELETE", "/below?id=eq.1", {}, False),
        ("POST", "/below", {"prefer": "resolution=merge-duplicates"}, False),
        ("POST", "/plain?select=id,longer", {"prefer": "return=representation"}, False),
        ("DELETE", "/plain?longer=gt.1000", {}, False),
        ("POST", "/owned", {}, True),
        ("POST", "/triggered", {}, False),
        ("POST", "/defaulted", {}, False),
    ],
)
def test_a_write_is_spared_the_reset_where_no_code_can_run(
    database_url: str, connection: SyncConnection, method: str, target: str, headers: dict[str, str], free: bool
) -> None:
    connection.script(TYPES + WRITTEN)
    connection.script("create function public.longer(public.plain) returns int language sql as 'select 1'")
    connection.script("grant execute on all functions in schema public to anon")

    async def main() -> None:
        settings = Settings(rest_prefix="")
        db = Database(with_login(database_url, "authenticator", None), size=1, core=1)
        await db.open()
        cache = await load(db, settings)
        service = RestService(settings, db, lambda: cache)
        (session,) = db._connections
        resets = counted_resets(session)
        field = "id" if "defaulted" not in target and "plain" not in target else "body"
        for number in range(2):  # planned, and as it was remembered
            body = b"" if method == "DELETE" else orjson.dumps({field: 100 + number if field == "id" else "some"})
            if "on_conflict" in target:
                body = b"{}"
            request = request_of(method, target, body, {"content-type": "application/json", **headers})
            response = await service.handle(request, Identity("anon", "{}"))
            assert response.status < 300, response.body
        assert len(resets) == (0 if free else 2)
        await db.close()

    asyncio.run(main())


def test_the_place_in_a_sequence_is_taken_away_before_code_can_find_it(login: str, connection: SyncConnection) -> None:
    connection.script("create table public.counted (id bigint generated always as identity); "
                      "grant all on public.counted to anon")  # fmt: skip
    insert = Statement("insert into public.counted default values")
    free = Scope("anon", ("role",), ("anon",), code_free=True)

    async def main() -> None:
        db = Database(login, size=1, core=1)
        await db.open()
        (session,) = db._connections
        before = (await db.run(ANON, SEEN)).value
        resets = counted_resets(session)
        await db.run(free, insert)
        await db.run(free, insert)
        assert not resets and session.numbered
        assert (await db.run(ANON, SEEN)).value == before
        assert not session.numbered
        # Along with what may find it, and within a transaction of several trips.
        _, seen = await asyncio.gather(db.run(free, insert), db.run(ANON, SEEN))
        assert seen.value == before
        async with db.transaction(free) as transaction:
            await transaction.run(insert)
        async with db.transaction(ANON) as transaction:
            assert (await transaction.run(SEEN)).value == before
        with suppress(DatabaseError):
            await db.run(free, insert, Statement("select 1 / 0"))
        assert (await db.run(ANON, SEEN)).value == before
        await db.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("sql", "free"),
    [
        ("", True),
        (
            "create policy own on storage.objects using ((storage.foldername(name))[1] = (select auth.uid()::text)"
            " and storage.allow_only_operation('object.list'))",
            True,
        ),
        ("create policy sets on storage.objects using (set_config('my.own', name, false) is not null)", False),
        (
            "create function public.mine(text) returns boolean language sql as 'select true';"
            "create policy calls on storage.objects using (public.mine(name))",
            False,
        ),
        ("create policy asks on storage.objects using (exists (select from storage.buckets))", True),
        (
            "create policy asks on storage.objects using (exists (select from auth.users where private.is_admin()))",
            False,
        ),
        (
            "create function storage.later() returns text language sql return set_config('my.own', 'x', false)",
            False,
        ),
        (
            "create or replace function storage.extension(name text) returns text language sql"
            " return set_config('my.own', name, false)",
            False,
        ),
    ],
    ids=["none", "ours", "sets", "calls", "asks", "both", "function", "replaced"],
)
def test_reads_of_objects_are_known_to_run_no_code(
    database_url: str, connection: SyncConnection, sql: str, free: bool
) -> None:
    for (policy,) in connection.rows("select polname from pg_policy where polrelid = 'storage.objects'::regclass"):
        connection.script(f'drop policy "{policy}" on storage.objects')  # the application has some, which call its code
    connection.script(sql)

    async def main() -> None:
        db = Database(with_login(database_url, "authenticator", None))
        await db.open()
        assert (Name("storage", "objects") in (await load(db, Settings())).code_free) is free
        await db.close()

    asyncio.run(main())


def test_a_change_of_a_policy_is_seen_where_no_event_trigger_tells_of_it(
    database_url: str, connection: SyncConnection
) -> None:
    seen = {connection.rows(FINGERPRINT)[0][0]}
    for sql in ("create policy p on storage.objects using (true)", "alter policy p on storage.objects using (false)"):
        connection.script(sql)
        seen.add(connection.rows(FINGERPRINT)[0][0])
    assert len(seen) == 3


@pytest.mark.parametrize(
    ("body", "language", "runs"),
    [
        ("begin execute line; end", "plpgsql", True),
        ("begin execute format('prepare %I as select 1', line); end", "plpgsql", True),
        ("begin EXECUTE line || ''; end", "plpgsql", True),
        ("begin execute format('delete from public.%I', line); end", "plpgsql", False),
        ("begin execute format($q$ with found as (select 1) select %L $q$, line); end", "plpgsql", False),
        ("begin execute format($q$ %s $q$, line); end", "plpgsql", True),
        ("begin deallocate all; end", "plpgsql", True),
        ("begin perform 1; end", "plpgsql", False),
    ],
)
def test_functions_that_run_given_sql_are_known(
    database_url: str, connection: SyncConnection, body: str, language: str, runs: bool
) -> None:
    connection.script(f"create function public.f(line text) returns void language {language} as $body${body}$body$")

    async def main() -> None:
        db = Database(database_url)
        await db.open()
        assert (await load(db, Settings())).runs_given_sql is runs
        await db.close()

    asyncio.run(main())
