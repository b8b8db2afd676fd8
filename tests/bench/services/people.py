"""Sign-in and refresh: people of their own, each with a session, beside the original's SQL in pgbench."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Any, Final, cast
from urllib.parse import urlsplit

import bcrypt
import orjson

from gateway.auth.accounts import NewAccount, create
from gateway.database import SyncConnection
from tests.bench import limit
from tests.bench.compare import CONNECTIONS, SECONDS, Sample, measure
from tests.bench.crowd import crowd
from tests.bench.load import Call, load
from tests.bench.servers import Measured
from tests.bench.services.sides import Side, compared
from tests.bench.tables import Served

PEOPLE: Final = 1_600
EMAIL, PASSWORD = "visitor@example.org", "tin-lantern-42-river"
CHECKS: Final = 4  # of a hash, in a sample
JSON: Final = "application/json"
UNLIMITED: Final = {"GATEWAY_AUTH_ADDRESS_LIMITS": "false", "GOTRUE_RATE_LIMIT_TOKEN_REFRESH": "1000000"}

# People as one that was made by the gateway, each with a session and a token of the original's table.
CROWD: Final = """
create function pg_temp.columns(regclass) returns text language sql as
  $$ select string_agg(quote_ident(attname), ', ') from pg_attribute
     where attrelid = $1 and attnum > 0 and not attisdropped and attgenerated = '' $$;
do $do$ begin
  execute format('insert into auth.users (%1$s) select %1$s from (
    select r.* from auth.users u, generate_series(1, {people}) n,
      lateral jsonb_populate_record(null::auth.users, to_jsonb(u) || jsonb_build_object(
        ''id'', md5(''visitor-'' || n)::uuid, ''email'', ''visitor-'' || n || ''@example.org'')) r
      where u.email = ''{email}'') made', pg_temp.columns('auth.users'));
  execute format('insert into auth.identities (%1$s) select %1$s from (
    select r.* from auth.identities i, generate_series(1, {people}) n,
      lateral jsonb_populate_record(null::auth.identities, to_jsonb(i) || jsonb_build_object(
        ''id'', gen_random_uuid(), ''user_id'', md5(''visitor-'' || n)::uuid,
        ''provider_id'', md5(''visitor-'' || n))) r) made', pg_temp.columns('auth.identities'));
end $do$;
insert into auth.sessions (id, user_id, created_at, updated_at, aal)
  select md5('session-' || n)::uuid, md5('visitor-' || n)::uuid, now(), now(), 'aal1'
  from generate_series(1, {people}) n;
insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
  select gen_random_uuid(), md5('session-' || n)::uuid, now(), now(), 'password'
  from generate_series(1, {people}) n;
insert into auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, session_id)
  select left(md5('token-' || n), 12), md5('visitor-' || n)::uuid, false, now(), now(), md5('session-' || n)::uuid
  from generate_series(1, {people}) n;
analyze auth.users, auth.identities, auth.sessions, auth.refresh_tokens, auth.mfa_amr_claims;
"""

# What the original asks for, in one trip.
PERSON: Final = """
select * from auth.identities where user_id = md5('visitor-' || :n)::uuid;
select * from auth.mfa_factors where user_id = md5('visitor-' || :n)::uuid;
"""
NOTED: Final = """
insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
  values (null, gen_random_uuid(), '{"action": "login"}', now(), '');
"""
SIGN_IN: Final = f"""
\\set n random(1, {PEOPLE})
\\set m random(1, 1000000000000000)
\\startpipeline
begin;
select * from auth.users where instance_id is not distinct from null
  and lower(email) = 'visitor-' || :n || '@example.org' and aud = 'authenticated' and is_sso_user = false limit 1;
{PERSON}
insert into auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip)
  values (md5('new-' || :m)::uuid, md5('visitor-' || :n)::uuid, now(), now(), 'aal1', 'pgbench', '127.0.0.1');
insert into auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, session_id)
  values (left(md5('new-' || :m), 12), md5('visitor-' || :n)::uuid, false, now(), now(), md5('new-' || :m)::uuid);
insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
  values (gen_random_uuid(), md5('new-' || :m)::uuid, now(), now(), 'password');
update auth.users set last_sign_in_at = now(), updated_at = now() where id = md5('visitor-' || :n)::uuid;
{NOTED}
commit;
\\endpipeline
"""
REFRESH: Final = f"""
\\set n random(1, {PEOPLE})
\\set m random(1, 1000000000000000)
\\startpipeline
begin;
select * from auth.refresh_tokens where token = left(md5('token-' || :n), 12) limit 1;
select * from auth.sessions where id = md5('session-' || :n)::uuid for update;
select * from auth.users where id = md5('visitor-' || :n)::uuid;
{PERSON}
select * from auth.mfa_amr_claims where session_id = md5('session-' || :n)::uuid;
update auth.refresh_tokens set revoked = true, updated_at = now() where token = left(md5('token-' || :n), 12);
insert into auth.refresh_tokens (token, user_id, revoked, created_at, updated_at, session_id, parent)
  values (left(md5('new-' || :m), 12), md5('visitor-' || :n)::uuid, false, now(), now(), md5('session-' || :n)::uuid,
    '');
update auth.sessions set refreshed_at = now(), user_agent = 'pgbench', ip = '127.0.0.1'
  where id = md5('session-' || :n)::uuid;
{NOTED}
commit;
\\endpipeline
"""


def main(at: Measured, served: Served) -> None:
    """Print the figures."""
    gateway, keys = served
    assert at.server.pid is not None
    postgres, owner = at.server.pid, at.server.url(database="services")
    with SyncConnection(owner) as connection:
        create(connection, NewAccount(EMAIL, PASSWORD))
        connection.script(CROWD.format(people=PEOPLE, email=EMAIL))
    grant = f"{gateway.url}/auth/v1/token?grant_type="
    headers = [
        {**visitor.headers, "authorization": f"Bearer {keys['publishable_key']}", "content-type": JSON}
        for visitor in crowd(keys, "authenticated", PEOPLE)
    ]

    def in_pgbench(script: str) -> Sample:
        drive = partial(limit.run, owner, [script], CONNECTIONS, max(1, round(SECONDS)), at.programs)
        return measure(drive, None, postgres)

    def signing_in(hashed: bytes) -> tuple[Side, Side]:
        turn = count()

        def sign_in() -> int:
            start = next(turn) * 97
            calls = [
                Call.of(grant + "password", "POST", headers[n % PEOPLE], _credentials(n % PEOPLE + 1))
                for n in range(start, start + PEOPLE)
            ]
            return load(gateway.url, calls, CONNECTIONS, SECONDS, once=True).requests

        def at_the_limit() -> Sample:
            began = time.process_time()
            for _ in range(CHECKS):
                assert bcrypt.checkpw(PASSWORD.encode(), hashed)
            spent = (time.process_time() - began) / CHECKS * 1e6
            sql = in_pgbench(SIGN_IN)
            return replace(sql, server=sql.server + spent)

        return partial(measure, sign_in, gateway.process.pid, postgres), at_the_limit

    tokens = _Tokens(grant + "refresh_token", headers)
    compared("refresh", partial(measure, tokens.spend, gateway.process.pid, postgres), partial(in_pgbench, REFRESH))
    for cost in (10, 4):  # what is made, and one that hides nothing of the rest
        hashed = bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(cost))
        with SyncConnection(owner) as connection:
            connection.rows("update auth.users set encrypted_password = $1", hashed.decode())
        compared(f"sign-in, a hash of cost {cost}", *signing_in(hashed))


def _credentials(number: int) -> bytes:
    return orjson.dumps({"email": f"visitor-{number}@example.org", "password": PASSWORD})


class _Tokens:
    """Refresh tokens, each of which gives the next."""

    def __init__(self, url: str, headers: Sequence[Mapping[str, str]]) -> None:
        self.url = url
        self.headers = headers
        self.tokens = [_md5(f"token-{n + 1}")[:12] for n in range(len(headers))]

    def spend(self) -> int:
        """Refresh sessions in turn over connections of their own; how many were."""
        import uvloop

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(self._spend())

    async def _spend(self) -> int:
        parts = urlsplit(self.url)
        loop = asyncio.get_running_loop()
        deadline = time.perf_counter() + SECONDS
        assert parts.hostname and parts.port
        made = [
            (await loop.create_connection(partial(_Refreshing, self, n, deadline), parts.hostname, parts.port))[1]
            for n in range(CONNECTIONS)
        ]
        return sum(await asyncio.gather(*[each.done for each in made]))

    def wire(self, number: int) -> bytes:
        body = orjson.dumps({"refresh_token": self.tokens[number]})
        return Call.of(self.url, "POST", self.headers[number], body).wire


class _Refreshing(asyncio.Protocol):
    def __init__(self, tokens: _Tokens, number: int, deadline: float) -> None:
        self.tokens = tokens
        self.number = number
        self.deadline = deadline
        self.count = 0
        self.buffer = b""
        self.done: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.write(self.tokens.wire(self.number))

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, _, body = self.buffer.partition(b"\r\n\r\n")
        try:
            answer: Any = orjson.loads(body)
        except orjson.JSONDecodeError:
            return  # it goes on
        if "refresh_token" not in answer:
            self.done.set_exception(AssertionError(f"{head!r} {body!r}"))
            self.transport.close()
            return
        self.buffer = b""
        self.tokens.tokens[self.number] = answer["refresh_token"]
        self.count += 1
        self.number = (self.number + CONNECTIONS) % len(self.tokens.tokens)
        if time.perf_counter() < self.deadline:
            self.transport.write(self.tokens.wire(self.number))
        else:
            self.done.set_result(self.count)
            self.transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("the server closed the connection"))


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
