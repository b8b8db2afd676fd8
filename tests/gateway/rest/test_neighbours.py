"""Many requests at once over few connections: none sees or spoils another."""

from __future__ import annotations

import asyncio

import orjson

from gateway.catalog.load import load
from gateway.database import Database, SyncConnection
from gateway.http.messages import Response
from gateway.identity.authenticator import Identity
from gateway.rest.endpoint import RestService
from gateway.settings import Settings
from tests.gateway.rest.planning import request_of

SCHEMA = """
create function public.whoami() returns json language sql stable as $$
  select json_build_object('role', current_user, 'claims', current_setting('request.jwt.claims')::json,
                           'path', current_setting('request.path'), 'mark', current_setting('request.headers')::json
                           ->> 'x-mark') $$;
create table public.marks (n int primary key, owner text default current_user check (n <> 13));
alter table public.marks enable row level security;
create policy own on public.marks to anon, authenticated using (owner = current_user) with check (n < 1000);
grant execute on function public.whoami() to anon, authenticated, service_role;
grant all on public.marks to anon, authenticated, service_role;
"""


def _identity(role: str, number: int) -> Identity:
    return Identity(role, orjson.dumps({"role": role, "sub": str(number)}).decode())


async def _ask(
    service: RestService, method: str, target: str, role: str, number: int, body: object = None
) -> tuple[str, int, Response]:
    request = request_of(
        method, target, b"" if body is None else orjson.dumps(body), {"x-mark": str(number), "prefer": "return=minimal"}
    )
    return role, number, await service.handle(request, _identity(role, number))


def test_mixed_roles_errors_and_writes_leave_each_other_alone(database_url: str, connection: SyncConnection) -> None:
    connection.script(SCHEMA)
    settings = Settings(rest_prefix="", db_extra_search_path=("public",))

    async def work() -> None:
        db = Database(database_url, size=2, core=2)
        await db.open()
        try:
            cache = await load(db, settings)
            service = RestService(settings, db, lambda: cache)
            roles = ("anon", "authenticated", "service_role")
            reads = [_ask(service, "GET", "/rpc/whoami", roles[n % 3], n) for n in range(120)]
            writes = [_ask(service, "POST", "/marks", roles[n % 2], n, {"n": n}) for n in range(1, 40)]
            faults = [
                _ask(service, "GET", "/marks?n=eq.none", "anon", 0),
                _ask(service, "GET", "/marks?nope=eq.1", "authenticated", 0),
                _ask(service, "POST", "/marks", "anon", 0, {"n": 5000}),
                _ask(service, "GET", "/marks", "no such role", 0),
            ]
            mixed = [*reads[:60], *faults, *writes, *reads[60:]]
            answers = await asyncio.gather(*mixed)
            own = await _ask(service, "GET", "/marks?select=owner&owner=neq.anon", "anon", 0)
            total = await _ask(service, "HEAD", "/marks", "service_role", 0)
        finally:
            await db.close()

        for role, number, response in answers[:60] + answers[-60:]:
            seen = orjson.loads(response.body)
            assert seen == {
                "role": role,
                "claims": {"role": role, "sub": str(number)},
                "path": "/rpc/whoami",
                "mark": str(number),
            }
        assert [response.status for _, _, response in answers[60:64]] == [400, 400, 401, 401]
        statuses = {number: response.status for _, number, response in answers[64:-60]}
        assert statuses == {number: 400 if number == 13 else 201 for number in range(1, 40)}
        assert own[2].body == b"[]"
        assert dict(total[2].headers)[b"content-range"] == b"0-37/*"

    asyncio.run(work())
    owners = connection.rows("select owner, count(*)::text from public.marks group by 1 order by 1")
    assert owners == [("anon", "19"), ("authenticated", "19")]
