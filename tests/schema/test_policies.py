"""Who may do what: every table of the application, every kind of caller, every verb. Columns: test_rights.py."""

from __future__ import annotations

import json

import pytest

from gateway.database import DatabaseError, SyncConnection
from gateway.database.statement import Statement
from tests.schema.acting import (
    ACCOUNTS,
    ACTORS,
    ADMIN,
    ADMIN_ID,
    ANON,
    PLAIN,
    PLAIN_ID,
    SERVICE,
    Actor,
    attempt,
    become,
)

DENIED = "42501"

# One published article and one draft, each once published under another address; one of every lead.
ROWS = """
    insert into public.blog_posts (id, title, slug, published, published_at) values
      ('00000000-0000-4000-8000-00000000000a', 'Seen', 'seen-first', true, now()),
      ('00000000-0000-4000-8000-00000000000b', 'Unseen', 'unseen-first', true, now());
    update public.blog_posts set slug = 'seen' where slug = 'seen-first';
    update public.blog_posts set published = false, published_at = null where slug = 'unseen-first';
    insert into public.newsletter_subscriptions (first_name, last_name, email) values ('A', 'B', 'a@example.com');
    insert into public.quote_requests
      (facility_name, facility_type, contact_name, email, phone, services, waste_volume, pickup_frequency)
      values ('Clinic', 'hospital', 'A B', 'a@example.com', '555', '{sharps}', '1-2', 'weekly');
    insert into public.contact_messages (name, email, subject, message)
      values ('A B', 'a@example.com', 'Hello', 'Please call');
    insert into public.post_previews (post_id) values ('00000000-0000-4000-8000-00000000000b');
    insert into public.quarantine (form, reason, payload) values ('contact', 'honeypot', '{}');
"""

LEAD_READ = (DENIED, 0, 1, 1)
LEAD_CHANGE = (DENIED, 0, 1, 1)
SERVICE_ONLY = (DENIED, DENIED, DENIED, 1)

# table → statement → what anon, a signed-in user, an administrator and the service get:
# a number of rows, or a refusal
MATRIX: dict[str, dict[str, tuple[int | str, int | str, int | str, int | str]]] = {
    "blog_posts": {
        "select from public.blog_posts": (1, 1, 2, 2),
        "insert into public.blog_posts (title, slug) values ('New', 'new')": (DENIED, DENIED, 1, 1),
        "update public.blog_posts set title = 'Changed'": (DENIED, 0, 2, 2),
        "delete from public.blog_posts": (DENIED, 0, 2, 2),
    },
    "post_previews": {
        "select from public.post_previews": (DENIED, 0, 1, 1),
        "insert into public.post_previews (post_id) values ('00000000-0000-4000-8000-00000000000b')": (
            DENIED,
            DENIED,
            1,
            1,
        ),
        "update public.post_previews set expires_at = now()": SERVICE_ONLY,
        "delete from public.post_previews": (DENIED, 0, 1, 1),
    },
    "blog_post_revisions": {
        "select from public.blog_post_revisions": (DENIED, 0, 1, 1),
        "insert into public.blog_post_revisions (post_id, title, slug, content, author_name, tags, published,"
        " reading_time_minutes, saved_at) values ('00000000-0000-4000-8000-00000000000a', 'T', 's', '', 'A', '{}',"
        " false, 5, now())": SERVICE_ONLY,
        "update public.blog_post_revisions set title = 'Changed'": SERVICE_ONLY,
        "delete from public.blog_post_revisions": SERVICE_ONLY,
    },
    "blog_post_slugs": {
        "select from public.blog_post_slugs": (1, 1, 2, 2),
        "insert into public.blog_post_slugs (slug, post_id)"
        " values ('x', '00000000-0000-4000-8000-00000000000a')": SERVICE_ONLY,
        "update public.blog_post_slugs set retired_at = now() where slug = 'seen-first'": SERVICE_ONLY,
        "delete from public.blog_post_slugs where slug = 'seen-first'": SERVICE_ONLY,
    },
    "user_roles": {
        "select from public.user_roles": (DENIED, 0, 1, 2),
        f"insert into public.user_roles (user_id, role) values ('{PLAIN_ID}', 'admin')": SERVICE_ONLY,
        f"update public.user_roles set user_id = '{PLAIN_ID}' where user_id = '{ADMIN_ID}'": SERVICE_ONLY,
        f"delete from public.user_roles where user_id = '{ADMIN_ID}'": SERVICE_ONLY,
    },
    "newsletter_subscriptions": {
        "select from public.newsletter_subscriptions": LEAD_READ,
        "insert into public.newsletter_subscriptions (first_name, last_name, email)"
        " values ('C', 'D', 'c@example.com')": SERVICE_ONLY,
        "update public.newsletter_subscriptions set status = 'handled'": LEAD_CHANGE,
        "delete from public.newsletter_subscriptions": SERVICE_ONLY,
    },
    "quote_requests": {
        "select from public.quote_requests": LEAD_READ,
        "insert into public.quote_requests (facility_name, facility_type, contact_name, email, phone, services,"
        " waste_volume, pickup_frequency) values ('C', 'other', 'A', 'a@example.com', '5', '{sharps}', '1-2',"
        " 'weekly')": SERVICE_ONLY,
        "update public.quote_requests set status = 'handled'": LEAD_CHANGE,
        "delete from public.quote_requests": SERVICE_ONLY,
    },
    "contact_messages": {
        "select from public.contact_messages": LEAD_READ,
        "insert into public.contact_messages (name, email, subject, message)"
        " values ('A', 'a@example.com', 'S', 'M')": SERVICE_ONLY,
        "update public.contact_messages set status = 'handled'": LEAD_CHANGE,
        "delete from public.contact_messages": SERVICE_ONLY,
    },
    "quarantine": {
        "select from public.quarantine": LEAD_READ,
        "insert into public.quarantine (form, reason, payload) values ('contact', 'spam', '{}')": SERVICE_ONLY,
        "update public.quarantine set released_at = now()": LEAD_CHANGE,
        "delete from public.quarantine": SERVICE_ONLY,
    },
}

CASES = [
    pytest.param(actor, sql, outcome, id=f"{actor.name} {sql.split()[0]} {table}")
    for table, statements in MATRIX.items()
    for sql, outcomes in statements.items()
    for actor, outcome in zip(ACTORS, outcomes, strict=True)
]


@pytest.fixture(scope="module")
def site(shared: SyncConnection) -> SyncConnection:
    """A database with accounts and one row of everything; the cases undo what they do."""
    shared.script(ACCOUNTS + ROWS)
    return shared


@pytest.mark.parametrize(("actor", "sql", "outcome"), CASES)
def test_promise_36_policy(site: SyncConnection, actor: Actor, sql: str, outcome: int | str) -> None:
    assert attempt(site, actor, sql) == outcome


# Who says to be more than the row in `user_roles` says, and whom the answer takes them for (a column of the matrix).
FORGED = [
    ("anon", {"sub": ADMIN_ID}, 0),
    ("anon", {"sub": ADMIN_ID, "role": "service_role"}, 0),
    ("authenticated", {}, 1),
    ("authenticated", {"sub": None}, 1),
    ("authenticated", {"sub": PLAIN_ID, "role": "service_role"}, 1),
    ("authenticated", {"sub": PLAIN_ID, "user_role": "admin", "is_admin": True}, 1),
    ("authenticated", {"sub": PLAIN_ID, "app_metadata": {"role": "admin"}, "user_metadata": {"role": "admin"}}, 1),
    ("authenticated", {"sub": PLAIN_ID, "email": "admin@example.com"}, 1),
    ("authenticated", {"sub": "00000000-0000-4000-8000-0000000000ff"}, 1),
]


@pytest.mark.parametrize(("role", "claims", "taken_for"), FORGED)
def test_promise_36_no_claim_but_the_account_makes_an_administrator(
    site: SyncConnection, role: str, claims: dict[str, object], taken_for: int
) -> None:
    for statements in MATRIX.values():
        for sql, outcomes in statements.items():
            site.script("begin")
            try:
                site.rows(
                    "select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)",
                    role,
                    json.dumps({"role": role} | claims),
                )
                outcome: int | str = int(site.run(Statement(sql)).tag.split()[-1])
            except DatabaseError as error:
                outcome = str(error.sqlstate)
            finally:
                site.script("rollback")
            assert outcome == outcomes[taken_for], sql


PICTURE = "(bucket_id, name) values ('pictures', 'own/9x9.png')"


@pytest.mark.parametrize(
    ("actor", "seen", "written", "elsewhere"),
    [(ANON, 0, DENIED, DENIED), (PLAIN, 0, DENIED, DENIED), (ADMIN, 1, 1, DENIED), (SERVICE, 1, 1, 1)],
    ids=lambda value: value.name if isinstance(value, Actor) else "",
)
def test_promise_36_only_administrators_write_and_list_pictures(
    site: SyncConnection, actor: Actor, seen: int, written: int | str, elsewhere: int | str
) -> None:
    site.script(
        "insert into storage.buckets (id, name) values ('elsewhere', 'elsewhere') on conflict do nothing;"
        " insert into storage.objects (bucket_id, name) values ('pictures', 'a/8x8.png') on conflict do nothing"
    )
    try:
        assert attempt(site, actor, "select from storage.objects") == seen
        assert attempt(site, actor, f"insert into storage.objects {PICTURE}") == written
        assert (
            attempt(site, actor, f"insert into storage.objects {PICTURE.replace('pictures', 'elsewhere')}") == elsewhere
        )
        assert attempt(site, actor, "update storage.objects set user_metadata = '{}'") == seen
        if actor.role != "anon":
            assert attempt(site, actor, "select from public.list_pictures()") == seen
    finally:
        site.script(
            "set storage.allow_delete_query = 'true'; delete from storage.objects;"
            " delete from storage.buckets where id = 'elsewhere'; reset storage.allow_delete_query"
        )


def test_promise_36_every_public_table_is_in_the_matrix(site: SyncConnection) -> None:
    tables = {row[0] for row in site.rows("select tablename from pg_tables where schemaname = 'public'")}
    assert tables == set(MATRIX)


def test_claims_of_an_administrator_are_worth_nothing_to_the_anonymous_role(site: SyncConnection) -> None:
    forged = Actor("anon with a name", "anon", ADMIN_ID)
    assert attempt(site, forged, "select from public.blog_posts") == 1
    assert attempt(site, forged, "update public.blog_posts set title = 'Changed'") == DENIED


def test_promise_36_a_revoked_administrator_is_one_no_longer(site: SyncConnection) -> None:
    site.script("begin")
    site.script(f"delete from public.user_roles where user_id = '{ADMIN_ID}'")
    site.rows("select set_config('request.jwt.claims', $1, true)", f'{{"sub": "{ADMIN_ID}"}}')
    site.script("set local role authenticated")
    seen = site.rows("select count(*) from public.blog_posts")
    site.script("rollback")
    assert seen == [("1",)]


def test_a_reader_sees_old_addresses_of_published_articles_only(site: SyncConnection) -> None:
    assert attempt(site, ANON, "select from public.blog_post_slugs where slug = 'seen-first'") == 1
    assert attempt(site, ANON, "select from public.blog_post_slugs where slug = 'unseen-first'") == 0


@pytest.mark.parametrize("schema", ["auth", "gateway"])
@pytest.mark.parametrize("actor", ACTORS, ids=lambda actor: actor.name)
def test_no_api_role_reaches_a_table_of_this_schema(site: SyncConnection, actor: Actor, schema: str) -> None:
    tables = site.rows("select format('%I.%I', schemaname, tablename) from pg_tables where schemaname = $1", schema)
    assert tables
    for (table,) in tables:
        assert attempt(site, actor, f"select from {table}") == DENIED, table
        assert attempt(site, actor, f"delete from {table}") == DENIED, table


def test_row_level_security_is_on_everywhere(site: SyncConnection) -> None:
    unlocked = site.rows(
        "select format('%I.%I', schemaname, tablename) from pg_tables"
        " where schemaname in ('public', 'auth', 'gateway', 'private') and not rowsecurity"
    )
    assert unlocked == []


@pytest.mark.parametrize("actor", [ANON, PLAIN, ADMIN], ids=lambda actor: actor.name)
@pytest.mark.parametrize("verb", ["select from", "delete from", "insert into", "update"])
def test_a_new_table_is_closed(site: SyncConnection, actor: Actor, verb: str) -> None:
    tail = {"insert into": " default values", "update": " set id = 1"}.get(verb, "")
    site.script("create table if not exists public.brand_new (id int)")
    try:
        assert attempt(site, actor, f"{verb} public.brand_new{tail}") == DENIED
    finally:
        site.script("drop table public.brand_new")


def test_a_new_table_serves_functions(site: SyncConnection) -> None:
    site.script("create table public.brand_new (id int)")
    try:
        assert attempt(site, SERVICE, "insert into public.brand_new values (1)") == 1
    finally:
        site.script("drop table public.brand_new")


def test_a_new_function_is_closed(site: SyncConnection) -> None:
    site.script("create function public.brand_new() returns int language sql as 'select 1'")
    try:
        outcomes = [attempt(site, actor, "select public.brand_new()") for actor in ACTORS]
    finally:
        site.script("drop function public.brand_new()")
    assert outcomes == [DENIED, DENIED, DENIED, 1]


def test_api_roles_create_nothing(site: SyncConnection) -> None:
    for actor in ACTORS:
        for schema in ("public", "auth", "private", "gateway", "extensions"):
            assert attempt(site, actor, f"create table {schema}.mine ()") == DENIED


def test_authenticator_has_no_rights_of_its_own(site: SyncConnection) -> None:
    assert attempt(site, Actor("authenticator", "authenticator"), "select from public.blog_posts") == DENIED


def test_authenticator_becomes_the_api_roles_and_no_other(site: SyncConnection) -> None:
    roles = site.rows(
        "select rolname from pg_roles where pg_has_role('authenticator', oid, 'member')"
        " and rolname <> 'authenticator' order by 1"
    )
    assert roles == [("anon",), ("authenticated",), ("service_role",)]


@pytest.mark.parametrize("table", MATRIX)
def test_the_service_needs_no_bypass_of_row_security(site: SyncConnection, table: str) -> None:
    # managed servers may refuse BYPASSRLS to every role we can make
    site.script("begin")
    try:
        site.script("alter role service_role nobypassrls")
        every = site.rows(f"select count(*) from public.{table}")
        become(site, SERVICE)
        assert site.rows(f"select count(*) from public.{table}") == every != [("0",)]
    finally:
        site.script("rollback")
