"""A role's own settings hold from the next load of the schema on, for every verb and for what is remembered."""

from __future__ import annotations

import asyncio
from typing import Final

import orjson

from gateway.catalog.load import load
from gateway.catalog.model import SchemaCache
from gateway.database import Database, SyncConnection, with_login
from gateway.identity.authenticator import Identity
from gateway.rest.endpoint import RestService
from gateway.settings import Settings
from tests.gateway.rest.planning import request_of

SCENE: Final = """
create view public.limits as select current_setting('statement_timeout') as "limit";
create function public.limit_now() returns setof public.limits language sql volatile as 'select * from public.limits';
create function public.limit_read() returns setof public.limits language sql stable as 'select * from public.limits';
create table public.kept (id int primary key, "limit" text);
create function public.stamp() returns trigger language plpgsql as
  $$ begin new."limit" = current_setting('statement_timeout'); return new; end $$;
create trigger stamp before insert or update on public.kept for each row execute function public.stamp();
insert into public.kept values (1, '');
grant select on public.limits to anon, authenticated, service_role;
grant select, insert, update on public.kept to anon, authenticated, service_role;
grant execute on all functions in schema public to anon, authenticated, service_role;
"""
ASKED: Final = [
    ("GET", "/limits", b""),
    ("GET", "/rpc/limit_now", b""),
    ("GET", "/rpc/limit_read", b""),
    ("POST", "/rpc/limit_now", b"{}"),
    ("POST", "/rpc/limit_read", b"{}"),
    ("PATCH", "/kept?id=eq.1", b'{"id":1}'),
    ("PUT", "/kept?id=eq.1", b'{"id":1}'),
]
WISHES: Final[list[dict[str, str]]] = [
    {"prefer": "return=representation"},
    {"prefer": "return=representation, tx=rollback"},
    {"prefer": "return=representation, timezone=Asia/Tokyo"},
]
ROLES: Final = ("anon", "authenticated", "service_role")


def test_promise_22_a_changed_timeout_holds_for_every_role_verb_and_remembered_request(
    database_url: str, connection: SyncConnection
) -> None:
    connection.script(SCENE)
    settings = Settings(rest_prefix="", db_extra_search_path=("public",), db_tx_end="commit-allow-override")
    name = connection.rows("select quote_ident(current_database())")[0][0]

    async def work() -> None:
        database = Database(with_login(database_url, "authenticator", None), size=1, core=1)
        await database.open()
        current: list[SchemaCache] = []
        try:
            service = RestService(settings, database, lambda: current[-1])
            for number in (1, 2, None, 3):
                expected = {}
                for offset, role in enumerate(ROLES):
                    limit = None if number is None else f"{number * 100 + offset}s"
                    change = "reset statement_timeout" if limit is None else f"set statement_timeout = '{limit}'"
                    connection.script(f"alter role {role} in database {name} {change}")
                current.append(await load(database, settings))
                for role in ROLES:
                    own = dict(current[-1].roles[role].settings) if role in current[-1].roles else {}
                    expected[role] = own.get("statement_timeout")
                if number is not None:
                    assert list(expected.values()) == [f"{number * 100 + offset}s" for offset in range(3)]
                for _ in "12":
                    for role in ROLES:
                        identity = Identity(role, orjson.dumps({"role": role}).decode())
                        for method, target, body in ASKED:
                            for wish in WISHES:
                                answer = await service.handle(request_of(method, target, body, wish), identity)
                                seen = orjson.loads(answer.body)[0]["limit"]
                                if number is not None:
                                    assert in_seconds(seen) == in_seconds(expected[role]), (role, method, target, wish)
                                else:
                                    assert in_seconds(seen) < 100, (role, method, target, wish)
        finally:
            await database.close()

    asyncio.run(work())


def in_seconds(shown: str | None) -> int:
    """As Postgres shows a length of time: in the largest unit that leaves no rest."""
    assert shown is not None
    return int(shown.removesuffix("min")) * 60 if shown.endswith("min") else int(shown.removesuffix("s"))
