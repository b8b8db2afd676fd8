"""Policies run code of the application. What it leaves in the session is gone when the upload's row was asked about,
without a reset of the session; and a small upload is one transaction where no other code could tell."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

import httpx
import pytest

from gateway.catalog.load import load
from gateway.database import Database, DatabaseError, Scope, SyncConnection, with_login
from gateway.database.statement import Statement
from gateway.settings import Settings
from gateway.storage.core import PROBE_INSERT, WRITE
from tests.fixtures.server import GatewayStarter
from tests.gateway.database.test_session_reset import LEFTOVERS, SCENE, SEEN
from tests.storage.conftest import Storage, make_bucket, problem

OUTCOMES: Final = {
    "allowed": "return true;",
    "refused": "return false;",
    "failed": "raise exception 'on purpose';",
    "asserted": "assert false, 'on purpose';",
    "out of time": "perform pg_sleep(10);",
}
FREE: Final = Scope("supabase_storage_admin", code_free=True)
ASKED: Final = ("b", "a", None, None, "{}", "{}")


def policy(lines: list[str], end: str) -> str:
    """A function that a policy calls."""
    listed = ", ".join("'" + line.replace("'", "''") + "'" for line in lines)
    return (
        "create or replace function public.asked() returns boolean language plpgsql as $$"
        f" begin perform public.leave(array[{listed}]::text[], false); {end} end $$"
    )


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_nothing_that_a_policy_leaves_outlives_the_question(
    database_url: str, connection: SyncConnection, outcome: str
) -> None:
    database = str(connection.rows("select quote_ident(current_database())")[0][0])
    connection.script(SCENE.format(database=database))
    connection.script(
        "insert into storage.buckets (id, name) values ('b', 'b');"
        "create function public.asked() returns boolean language sql return true;"
        "create policy asks on storage.objects to anon with check (public.asked());"
        "grant execute on function public.seen, public.leave to public"
    )

    async def main() -> None:
        db = Database(with_login(database_url, "supabase_storage_admin", None), size=1, core=1)
        timeout = ("statement_timeout", "300ms" if outcome == "out of time" else "30s")
        probe = Scope("anon", ("role", timeout[0]), ("anon", timeout[1]), code_free=True)
        write = Scope("supabase_storage_admin", timeout[:1], timeout[1:], code_free=True)
        try:
            untouched = (await db.run(FREE, SEEN)).value
            # A wait is the same whatever is left before it: all together.
            kinds = [list(LEFTOVERS.values())] if outcome == "out of time" else [[each] for each in LEFTOVERS.values()]
            for number, texts in enumerate(kinds):
                lines = [text.replace("{n}", str(number)) for text in texts]
                connection.script(policy(lines, OUTCOMES[outcome]))
                asked = (
                    (probe, Statement(PROBE_INSERT, (*ASKED, "false"))),
                    (write, Statement(WRITE, ("anon", *ASKED, str(uuid4()), "{}", "true"))),
                )
                for scope, statement in asked:
                    with suppress(DatabaseError):
                        await db.run(scope, statement)
                        assert outcome == "allowed"
                    assert (await db.run(FREE, SEEN)).value == untouched, (lines, statement.text)
                    assert db.stats["open"] == 1
        finally:
            await db.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("sql", "free"),
    [
        ("", True),
        ("create policy calls on storage.objects to anon with check (public.own() is null)", True),
        ("create trigger own after insert on storage.objects execute function public.own()", False),
        ("alter table storage.objects add check (public.mine(name))", False),
        ("alter table storage.objects alter user_metadata set default public.given()", False),
        ("create index own on storage.objects (public.mine(name))", False),
        ("create rule own as on insert to storage.objects do also select 1", False),
        ("alter table storage.objects force row level security", False),
        ("create or replace function storage_private.let_go() returns trigger language plpgsql as"
         " $$ begin perform set_config('my.own', 'x', false); return null; end $$", False),
    ],
    ids=["none", "policy", "trigger", "check", "default", "index", "rule", "forced", "replaced"],
)  # fmt: skip
def test_writes_of_objects_are_known_to_run_no_code(
    database_url: str, connection: SyncConnection, sql: str, free: bool
) -> None:
    connection.script(
        "create function public.own() returns trigger language plpgsql as $$ begin return null; end $$;"
        "create function public.mine(text) returns boolean language sql immutable as 'select true';"
        "create function public.given() returns jsonb language sql as $$ select '{}'::jsonb $$"
    )
    connection.script(sql.replace("public.own() is null", "public.given() is not null"))

    async def main() -> None:
        # As the login that the gateway reads the catalogue with, which may use few schemas.
        db = Database(with_login(database_url, "authenticator", None))
        known = await load(db, Settings())
        assert known.objects_written_code_free is free
        assert not known.runs_given_sql  # nothing of the platform's counts as that, or every reset costs twice as much
        await db.close()

    asyncio.run(main())


def blobs(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("objects/*/*")} | {path.name for path in folder.glob("tmp/*")}


def test_who_was_allowed_before_is_asked_again(storage: Storage, admin: httpx.Client, bucket: str) -> None:
    """A refusal after the bytes says what one before them says, and leaves as little."""
    storage.script(
        f"create policy \"{bucket}\" on storage.objects to authenticated using (bucket_id = '{bucket}')"
        f" with check (bucket_id = '{bucket}' and name like 'mine%' and metadata ->> 'mimetype' = 'text/plain')"
    )
    refused = (400, "403", "AccessDenied", "new row violates row-level security policy")
    as_text = {"content-type": "text/plain"}
    with storage.client(storage.token(str(uuid4()))) as user:
        for number in range(3):
            assert user.post(f"/object/{bucket}/mine{number}", content=b"x", headers=as_text).status_code == 200
        before = blobs(storage.folder)
        assert problem(user.post(f"/object/{bucket}/other", content=b"x", headers=as_text)) == refused
        for way in ({}, {"x-upsert": "true"}):
            assert user.put(f"/object/{bucket}/mine0", content=b"y", headers=as_text).is_success
            answer = user.post(f"/object/{bucket}/mine0", content=b"z", headers={"content-type": "image/png", **way})
            assert problem(answer) == refused
            user.put(f"/object/{bucket}/mine1", content=b"y", headers=as_text)
        assert user.put(f"/object/{bucket}/mine2", content=b"y", headers=as_text).is_success
        taken = user.post(f"/object/{bucket}/mine0", content=b"z", headers=as_text)
        assert problem(taken) == (400, "409", "KeyAlreadyExists", "The resource already exists")
        assert user.get(f"/object/{bucket}/mine0").content == b"y"
    versions = {row[0] for row in storage.sql("select version from storage.objects")}
    trash = {row[0] for row in storage.sql("select version from storage_private.trash")}
    assert blobs(storage.folder) - before <= versions | trash


def test_who_may_not_write_hears_that_whatever_he_sends(storage: Storage, admin: httpx.Client) -> None:
    bucket = make_bucket(admin, file_size_limit=10)
    storage.script(
        f'create policy "{bucket}" on storage.objects for insert to authenticated'
        f" with check (bucket_id = '{bucket}' and name = 'mine')"
    )
    with storage.client(storage.token()) as user:
        assert user.post(f"/object/{bucket}/mine", files={"": ("a", b"x")}).status_code == 200
        long = {"": ("a", b"x" * 100)}
        assert problem(user.post(f"/object/{bucket}/other", files=long))[1:3] == ("403", "AccessDenied")
        assert user.post(f"/object/{bucket}/mine", files=long).json()["statusCode"] in ("409", "413")


def test_triggers_run_with_the_service_s_identity(gateways: GatewayStarter) -> None:
    own = Storage(gateways())
    own.script(
        "create table public.heard (role text, claims text, version text);"
        "create function public.hear() returns trigger language plpgsql security definer as $$ begin"
        " insert into public.heard values (current_setting('role'), current_setting('request.jwt.claims', true),"
        " new.version); return new; end $$;"
        "create policy own on storage.objects to authenticated using (true) with check (true)"
    )
    with own.client(own.secret) as admin:
        bucket = make_bucket(admin)
    with own.client(own.token(str(uuid4()))) as user:
        for number in range(2):
            assert user.post(f"/object/{bucket}/before{number}", content=b"x").status_code == 200
        own.script("create trigger hears after insert on storage.objects for each row execute function public.hear()")
        deadline = time.monotonic() + 30  # until the gateway has heard of the trigger
        while True:
            assert user.post(f"/object/{bucket}/{uuid4()}", content=b"x").status_code == 200
            heard = own.sql("select coalesce(claims, '') from public.heard order by ctid desc limit 1")
            if heard == [("",)] or time.monotonic() > deadline:
                break
            time.sleep(0.05)
        for number in range(3):
            assert user.post(f"/object/{bucket}/after{number}", content=b"x").status_code == 200
    heard = own.sql("select coalesce(claims, '') from public.heard order by ctid desc limit 4")
    assert heard == [("",)] * 4


def test_who_passes_policies_still_needs_the_right_to_write(storage: Storage, admin: httpx.Client, bucket: str) -> None:
    """One transaction asks no policy about the service role, and its uploads and their faults are the same."""
    for number in range(2):
        assert admin.post(f"/object/{bucket}/a{number}", content=b"x").status_code == 200
    first = admin.put(f"/object/{bucket}/a0", content=b"y").json()["Id"]
    assert admin.put(f"/object/{bucket}/a0", content=b"z").json()["Id"] == first
    assert admin.get(f"/object/{bucket}/a0").content == b"z"
    assert problem(admin.post(f"/object/{bucket}/a0", content=b"y"))[2] == "KeyAlreadyExists"
    called = [f"'{bucket}'", "'b'", "null", "null", "'{}'", "'{}'", f"'{uuid4()}'", "'{}'", "true"]
    write = f"select storage_private.write_object('poor', {', '.join(called)})"
    try:
        storage.script(
            "create role poor bypassrls; grant poor to supabase_storage_admin; grant usage on schema storage to poor"
        )
        storage.script("grant usage on schema storage_private to poor; grant select on storage.objects to poor")
        with pytest.raises(DatabaseError, match="permission denied"):
            storage.script(write)
        storage.script("grant insert, update on storage.objects to poor")
        storage.script(write)
    finally:
        storage.script("drop owned by poor; drop role poor")
