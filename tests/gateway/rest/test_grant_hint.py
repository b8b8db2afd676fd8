"""What a refusal says of the GRANT that is missing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from gateway import migrations
from gateway.catalog.load import load
from gateway.database import Database, SyncConnection
from gateway.http.messages import Request
from gateway.identity.authenticator import Identity
from gateway.rest.endpoint import RestService
from gateway.settings import Settings
from tests.contract.debian import DebianPostgres, installed_versions
from tests.fixtures.db import Server
from tests.projects.databases import database, embedded

SCHEMA = """
set role postgres;
create table public.notes (id int primary key, body text);
create table public."My Notes" (id int primary key);
create table public.parts (id int primary key, note int references public.notes);
create view public.seen as select 1 as id;
create function public.peek() returns bigint language sql as 'select count(*) from public.notes';
grant select on public.parts to anon, authenticated;
grant execute on function public.peek() to anon;
grant select (id) on public.notes to authenticated;
create role stranger; grant stranger to authenticator; grant usage on schema public to stranger;
"""


@pytest.fixture(scope="module")
def url(server: Server) -> Iterator[str]:
    with embedded(server) as ours, database(ours) as name:
        with SyncConnection(ours.database(name)) as admin:
            admin.script(SCHEMA)
        yield ours.database(name, "authenticator")
        with SyncConnection(ours.database(name)) as admin:
            admin.script("revoke usage on schema public from stranger; drop role stranger")


def hint(missing: str, role: str, table: str = "public.notes") -> str:
    return f"Grant the required privileges to the current role with: GRANT {missing} ON {table} TO {role};"


FULL = "return=representation"
CASES: dict[str, tuple[str, str, str, str, str | None]] = {
    "a read": ("GET", "notes", "", "anon", hint("SELECT", "anon")),
    "a read of the service role": ("GET", "My Notes", "", "service_role", None),
    "a name that is quoted": ("GET", "My Notes", "", "anon", hint("SELECT", "anon", 'public."My Notes"')),
    "a column without a right": ("GET", "notes?select=body", "", "authenticated", hint("SELECT", "authenticated")),
    "an embedded table": ("GET", "parts?select=id,notes(id)", "", "anon", hint("SELECT", "anon")),
    "an insert": ("POST", "notes", "", "anon", hint("INSERT", "anon")),
    "an insert that is read back": ("POST", "notes", FULL, "anon", hint("SELECT, INSERT", "anon")),
    "an upsert": ("POST", "notes", "resolution=merge-duplicates", "anon", hint("SELECT, INSERT, UPDATE", "anon")),
    "an update": ("PATCH", "notes?id=eq.1", "", "anon", hint("SELECT, UPDATE", "anon")),
    "a delete": ("DELETE", "notes?id=eq.1", "", "anon", hint("SELECT, DELETE", "anon")),
    "what is granted is not named": ("PATCH", "parts?id=eq.1", "", "anon", hint("UPDATE", "anon", "public.parts")),
    "a view": ("GET", "seen", "", "anon", None),
    "a function's own statement": ("GET", "rpc/peek", "", "anon", None),
    "a role of the application's own": ("GET", "notes", "", "stranger", None),
}


@pytest.mark.parametrize(("method", "path", "prefer", "role", "expected"), CASES.values(), ids=CASES)
def test_a_refusal_names_the_grant(
    url: str, method: str, path: str, prefer: str, role: str, expected: str | None
) -> None:
    status, answer = ask(url, method, path, prefer, role)
    if role == "service_role":
        assert status == 200
        return
    assert (status, answer["code"]) == (401 if role == "anon" else 403, "42501")
    assert answer["hint"] == expected


@pytest.mark.parametrize("version", installed_versions())
def test_a_view_is_named_where_hosted_names_it(version: str) -> None:
    """Before Postgres 18."""
    postgres = DebianPostgres(version)
    postgres.start()
    try:
        with SyncConnection(postgres.url) as owner:
            migrations.migrate(owner, (migrations.platform(),))
            owner.script(SCHEMA)
        login = postgres.url.replace("postgres@", "authenticator@", 1)
        expected = hint("SELECT", "anon", "public.seen") if int(version) < 18 else None
        assert ask(login, "GET", "seen", "", "anon")[1]["hint"] == expected
        assert ask(login, "GET", "notes", "", "anon")[1]["hint"] == hint("SELECT", "anon")
        assert ask(login, "GET", "rpc/peek", "", "anon")[1]["hint"] is None
    finally:
        postgres.stop()


def test_the_operators_word_on_details_holds(url: str) -> None:
    _, answer = ask(url, "GET", "notes", "", "anon", client_error_verbosity="minimal")
    assert answer == {"code": "42501", "message": "permission denied for table notes"}


def ask(url: str, method: str, path: str, prefer: str, role: str, **more: Any) -> tuple[int, dict[str, Any]]:
    async def main() -> tuple[int, dict[str, Any]]:
        pool = Database(url, size=1, application_name="test")
        try:
            cache = await load(pool, Settings())
            service = RestService(Settings(**more), pool, lambda: cache)
            headers = [(b"content-type", b"application/json"), (b"prefer", prefer.encode())]
            body = b'{"id": 1}' if method in ("POST", "PATCH") else b""
            target, _, query = path.partition("?")
            request = Request(method, f"/{target}", query, headers, body)
            response = await service.handle(request, Identity(role, "{}"))
            found = orjson.loads(response.body or b"{}")
            return response.status, found if isinstance(found, dict) else {}
        finally:
            await pool.close()

    return asyncio.run(main())
