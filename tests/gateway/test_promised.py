"""What one request has of its own, the next one on the same connection does not have, whatever the first one was."""

from __future__ import annotations

import asyncio
import random
from typing import Any, Final

import orjson
import pytest

from gateway.catalog.load import load
from gateway.database import NO_SCOPE, Database, SyncConnection, with_login
from gateway.database.statement import Statement
from gateway.identity.authenticator import Identity
from gateway.rest.endpoint import RestService
from gateway.settings import Settings
from tests.gateway.rest.planning import request_of

SCENE: Final = """
create table public.plain (id int primary key, word text);
create table public.guarded (id int primary key, word text);
create table public.stamped (id int primary key generated always as identity, word text);
create table public.defaulted (id int primary key generated always as identity, word text);
create function public.leave(how text default 'left') returns text language plpgsql volatile as $$ begin
  perform set_config('my.own', how, false), set_config('timezone', 'Asia/Tokyo', false),
    set_config('request.jwt.claims', '{"role":"service_role","sub":"left"}', false),
    set_config('request.headers', '{"x-left":"1"}', false), set_config('search_path', 'private', false);
  if how = 'fails' then raise exception 'on purpose'; end if;
  return how;
end $$;
create function public.leave_set() returns setof public.plain language plpgsql volatile as
  $$ begin perform public.leave(); return query select * from public.plain; end $$;
create function public.leave_quietly() returns text language sql stable as $$ select public.leave() $$;
create function public.word_of(public.plain) returns text language sql volatile as $$ select public.leave() $$;
create function public.leave_at_write() returns trigger language plpgsql as
  $$ begin perform public.leave(); return coalesce(new, old); end $$;
create trigger at_write before insert or update or delete on public.stamped
  for each row execute function public.leave_at_write();
alter table public.defaulted alter column word set default public.leave();
create view public.viewed as select public.leave() as word;
alter table public.guarded enable row level security;
create policy everybody on public.guarded for select using (public.leave() is not null);
create function public.shown() returns jsonb language sql volatile as $$ select jsonb_build_object(
  'user', current_user, 'claims', current_setting('request.jwt.claims', true),
  'headers', current_setting('request.headers', true), 'cookies', current_setting('request.cookies', true),
  'method', current_setting('request.method', true), 'path', current_setting('request.path', true),
  'own', coalesce(current_setting('my.own', true), ''), 'zone', current_setting('timezone'),
  'timeout', current_setting('statement_timeout'), 'reads', current_setting('transaction_read_only'),
  'isolation', current_setting('transaction_isolation'), 'search', current_setting('search_path')) $$;
create function public.shown_before() returns void language sql as $$ select 1 $$;
insert into public.plain values (1, 'a'), (2, 'b');
insert into public.guarded values (1, 'a');
insert into public.stamped (word) values ('a');
grant select, insert, update, delete on all tables in schema public to anon, authenticated, service_role;
grant execute on all functions in schema public to anon, authenticated, service_role;
"""
WHO: Final = Statement("select current_user, coalesce(current_setting('my.own', true), '')")
FIRST: Final[list[tuple[str, str, bytes]]] = [
    *((method, f"/rpc/{name}", b"") for method in ("GET", "HEAD") for name in ("leave", "leave_set", "leave_quietly")),
    *(("POST", f"/rpc/{name}", b"{}") for name in ("leave", "leave_set", "leave_quietly")),
    ("POST", "/rpc/leave", b'{"how":"fails"}'),
    ("GET", "/rpc/leave?how=fails", b""),
    ("GET", "/plain?select=id,word_of", b""),
    ("GET", "/plain?word_of=eq.x", b""),
    ("GET", "/plain?order=word_of", b""),
    ("GET", "/plain?select=id&or=(word_of.eq.x,id.eq.1)", b""),
    ("GET", "/viewed", b""),
    ("GET", "/guarded", b""),
    ("GET", "/plain", b""),
    ("GET", "/plain?id=eq.nothing", b""),
    ("POST", "/stamped", b'{"word":"x"}'),
    ("PATCH", "/stamped?id=gt.0", b'{"word":"y"}'),
    ("DELETE", "/stamped?id=gt.1", b""),
    ("POST", "/defaulted?columns=word", b"[{}]"),
    ("POST", "/plain", b'{"id":1}'),
    ("PUT", "/plain?id=eq.1", b'{"id":1,"word":"z"}'),
    ("DELETE", "/guarded?id=eq.9", b""),
]
WISHES: Final[list[dict[str, str]]] = [
    {},
    {"prefer": "return=representation, missing=default, timezone=America/Lima"},
    {"prefer": "handling=strict, max-affected=0"},
    {"prefer": "tx=rollback", "accept": "application/vnd.pgrst.object+json"},
    {"cookie": "mine=1", "x-mine": "1", "accept": "text/csv"},
]


@pytest.mark.parametrize("before", ["", "public.shown_before"], ids=["alone", "after a function"])
def test_promise_12_nothing_of_any_request_reaches_the_next(
    database_url: str, connection: SyncConnection, before: str
) -> None:
    connection.script(SCENE)
    settings = Settings(
        rest_prefix="", db_extra_search_path=("public",), db_tx_end="commit-allow-override", db_pre_request=before,
    )  # fmt: skip
    chance = random.Random(12)
    firsts = [(*first, wish) for first in FIRST for wish in WISHES]
    chance.shuffle(firsts)

    async def work() -> None:
        database = Database(with_login(database_url, "authenticator", None), size=1, core=1)
        await database.open()
        try:
            cache = await load(database, settings)
            service = RestService(settings, database, lambda: cache)

            async def send(role: str, method: str, target: str, body: bytes, headers: dict[str, str]) -> Any:
                claims = orjson.dumps({"role": role, "sub": f"{role}-{method}"}).decode()
                return await service.handle(request_of(method, target, body, headers), Identity(role, claims))

            async def look(role: str, method: str) -> dict[str, str]:
                answer = await send(role, method, "/rpc/shown", b"{}" if method == "POST" else b"", {"x-look": role})
                shown: dict[str, str] = orjson.loads(answer.body)
                return shown

            looks = [(role, method) for role in ("anon", "authenticated", "service_role") for method in ("GET", "POST")]
            usual = {one: await look(*one) for one in looks}
            for (role, method), shown in usual.items():
                assert (shown["user"], shown["method"], shown["own"]) == (role, method, "")
                assert orjson.loads(shown["claims"])["sub"] == f"{role}-{method}"
                assert orjson.loads(shown["headers"]) == {"x-look": role}
            for number, (method, target, body, wish) in enumerate(firsts):
                role = ("service_role", "anon", "authenticated")[number % 3]
                one = looks[number % 6]
                # At once, so that the second one is on its way before the first one is answered.
                asked = [send(role, method, target, body, wish), look(*one)]
                if number % 2:
                    _, shown = await asyncio.gather(*asked)
                else:
                    await asked[0]
                    shown = await asked[1]
                assert shown == usual[one], (role, method, target, wish)
            assert (await database.run_all(NO_SCOPE, WHO))[0].rows == [(b"authenticator", b"")]
        finally:
            await database.close()

    asyncio.run(work())


ALIKE: Final = """
create view public.mine as select current_user as role, current_setting('request.jwt.claims') as claims,
  current_setting('request.headers') as headers, current_setting('request.cookies') as cookies,
  current_setting('timezone') as zone;
create function public.my() returns setof public.mine language sql stable as 'select * from public.mine';
create function public.mine_now() returns setof public.mine language sql volatile as 'select * from public.mine';
grant select on public.mine to anon, authenticated, service_role;
grant execute on all functions in schema public to anon, authenticated, service_role;
"""


def test_promise_12_requests_that_are_alike_are_answered_each_to_its_own_sender(
    database_url: str, connection: SyncConnection
) -> None:
    connection.script(ALIKE)
    settings = Settings(rest_prefix="", db_extra_search_path=("public",))
    senders: list[tuple[str, str, dict[str, str]]] = [
        (role, person, headers)
        for role in ("anon", "authenticated", "service_role")
        for person in ("ada", "bob")
        for headers in (
            {}, {"cookie": "a=1"}, {"cookie": "a=2"}, {"x-own": "1"}, {"x-own": "2"},
            {"prefer": "timezone=Asia/Tokyo"}, {"prefer": "timezone=America/Lima"},
        )
    ]  # fmt: skip
    paths = [
        ("GET", "/mine"),
        ("GET", "/rpc/my"),
        ("GET", "/rpc/mine_now"),
        ("POST", "/rpc/mine_now"),
        ("POST", "/rpc/my"),
    ]
    chance = random.Random(12)
    asked = [(sender, path) for sender in senders for path in paths for _ in range(3)]
    chance.shuffle(asked)

    async def work() -> None:
        database = Database(with_login(database_url, "authenticator", None), size=2, core=1)
        await database.open()
        try:
            cache = await load(database, settings)
            service = RestService(settings, database, lambda: cache)

            async def send(sender: tuple[str, str, dict[str, str]], path: tuple[str, str]) -> None:
                role, person, headers = sender
                method, target = path
                claims = {"role": role, "sub": person}
                identity = Identity(role, orjson.dumps(claims).decode())
                answer = await service.handle(
                    request_of(method, target, b"" if method == "GET" else b"{}", headers), identity
                )
                (row,) = orjson.loads(answer.body)
                assert (row["role"], orjson.loads(row["claims"])) == (role, claims), (sender, path)
                assert orjson.loads(row["headers"]) == {n: v for n, v in headers.items() if n != "cookie"}, (
                    sender,
                    path,
                )
                assert orjson.loads(row["cookies"]) == ({"a": headers["cookie"][-1]} if "cookie" in headers else {})
                zone = headers.get("prefer", "").removeprefix("timezone=")
                assert row["zone"] == zone if zone else row["zone"] not in ("Asia/Tokyo", "America/Lima")

            for start in range(0, len(asked), 40):
                await asyncio.gather(*[send(*one) for one in asked[start : start + 40]])
        finally:
            await database.close()

    asyncio.run(work())
