"""Which columns each role of the API may read, insert and change, and where it may delete: said as data, then tried.

Row level security comes on top (test_policies.py); here no row is touched, so that the right itself decides alone.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass

import orjson
import pytest

from gateway.catalog.load import load
from gateway.database import Database, DatabaseError, SyncConnection
from gateway.identity.authenticator import Identity
from gateway.rest.endpoint import RestService
from gateway.settings import Settings
from tests.fixtures.db import Server
from tests.gateway.rest.planning import request_of

ROLES = ("anon", "authenticated", "service_role")
VERBS = ("select", "insert", "update", "delete")
DENIED, GENERATED = "42501", "428C9"

ALL = "all"
NOTHING: dict[str, str] = {}
EVERYTHING = dict.fromkeys(VERBS, ALL)
ARTICLE = (
    "title slug excerpt content featured_image_url author_name tags published published_at reading_time_minutes"
    " meta_title meta_description publish_at"
)
LEAD = {"anon": NOTHING, "authenticated": {"select": ALL, "update": "status"}, "service_role": EVERYTHING}

# Rows of the storage API are for its policies. They cannot be deleted by SQL, and nobody inserts what is generated.
BUCKET = {"select": ALL, "insert": ALL, "update": ALL}
OBJECT_COLUMNS = (
    "id bucket_id name owner created_at updated_at last_accessed_at metadata version owner_id user_metadata archived_at"
    " is_delete_marker is_versioned"
)
OBJECT = {"select": ALL, "insert": OBJECT_COLUMNS, "update": ALL}
MESSAGE = {"select": ALL, "insert": ALL, "update": ALL}
PARTS = {"anon": {"select": ALL}, "authenticated": {"select": ALL}, "service_role": EVERYTHING}

# table → role → verb → columns; what is not named is denied
RIGHTS: dict[str, dict[str, dict[str, str]]] = {
    "public.blog_posts": {
        "anon": {"select": ALL},
        "authenticated": {"select": ALL, "insert": f"id {ARTICLE}", "update": ARTICLE, "delete": ALL},
        "service_role": EVERYTHING,
    },
    "public.post_previews": {
        "anon": NOTHING,
        "authenticated": {"select": ALL, "insert": "token post_id", "delete": ALL},
        "service_role": EVERYTHING,
    },
    "public.blog_post_revisions": {
        "anon": NOTHING,
        "authenticated": {"select": ALL},
        "service_role": EVERYTHING,
    },
    "public.blog_post_slugs": {
        "anon": {"select": ALL},
        "authenticated": {"select": ALL},
        "service_role": EVERYTHING,
    },
    "public.user_roles": {
        "anon": NOTHING,
        "authenticated": {"select": ALL},
        "service_role": EVERYTHING,
    },
    "storage.buckets": dict.fromkeys(ROLES, BUCKET),
    "storage.objects": dict.fromkeys(ROLES, OBJECT),
    "storage.s3_multipart_uploads": PARTS,
    "storage.s3_multipart_uploads_parts": PARTS,
    "realtime.messages": dict.fromkeys(ROLES, MESSAGE),
    "realtime.subscription": {role: {"select": ALL} for role in ROLES},  # as hosted grants it; here it is empty
    "public.contact_messages": LEAD,
    "public.newsletter_subscriptions": LEAD,
    "public.quote_requests": LEAD,
    "public.quarantine": {
        "anon": NOTHING,
        "authenticated": {"select": ALL, "update": "released_at"},
        "service_role": EVERYTHING,
    },
}

TABLES = (
    "select format('%I.%I', nspname, relname), array_to_string(array_agg(quote_ident(attname) order by attnum), ' ')"
    " from pg_class join pg_namespace n on n.oid = relnamespace join pg_attribute on attrelid = pg_class.oid"
    " where relkind in ('r', 'p', 'v', 'm', 'f') and attnum > 0 and not attisdropped"
    " and nspname !~ '^pg_' and nspname <> 'information_schema'"
    " and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e') group by 1 order by 1"
)
TRIES = {
    "select": "select {column} from {table} limit 0",
    "insert": "insert into {table} ({column}) select null where false",
    "update": "update {table} set {column} = default where false",
}


@pytest.fixture(scope="module")
def tables(shared: SyncConnection) -> dict[str, list[str]]:
    """Every table and view of the application with its columns."""
    return {str(name): str(columns).split(" ") for name, columns in shared.rows(TABLES)}


def may(connection: SyncConnection, role: str, sql: str) -> bool:
    """Whether a role may run a statement that touches no row."""
    connection.script(f"set role {role}")
    try:
        connection.script(sql)
    except DatabaseError as error:
        assert error.sqlstate in (DENIED, GENERATED), f"{sql}: {error.message}"
        return False
    finally:
        connection.script("reset role")
    return True


def rights(connection: SyncConnection, role: str, table: str, columns: list[str]) -> dict[str, set[str]]:
    """The columns by verb that a role has a right to."""
    found = {
        verb: {column for column in columns if may(connection, role, sql.format(table=table, column=column))}
        for verb, sql in TRIES.items()
    }
    found["delete"] = set(columns) if may(connection, role, f"delete from {table} where false") else set()
    return {verb: granted for verb, granted in found.items() if granted}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("table", RIGHTS)
def test_promise_36_rights_by_column(
    shared: SyncConnection, tables: dict[str, list[str]], table: str, role: str
) -> None:
    columns = tables[table]
    expected = {
        verb: set(columns if granted == ALL else granted.split()) for verb, granted in RIGHTS[table][role].items()
    }
    assert rights(shared, role, table, columns) == expected


def test_promise_36_no_role_has_a_right_to_any_other_table(
    shared: SyncConnection, tables: dict[str, list[str]]
) -> None:
    others = tables.keys() - RIGHTS.keys()
    assert len(others) > 20 and not any(name.startswith("public.") for name in others)
    found = {
        (table, role): granted
        for table in sorted(others)
        for role in ROLES
        if (granted := rights(shared, role, table, tables[table]))
    }
    assert found == {}


# Functions that a role of the API may call; what runs as its owner has a mark.
CLAIMS = {
    "auth.email()",
    "auth.uid()",
    "auth.jwt()",
    "auth.role()",
    "graphql_public.graphql(text,text,jsonb,jsonb)",
}
# Of event triggers, and of a trigger that hosted projects let every role have: nobody can call them.
WATCHES = {"extensions.pgrst_ddl_watch()", "extensions.pgrst_drop_watch()", "supabase_functions.http_request()!"}
SIGNED_IN = {"private.is_admin()!", "private.are_tags(text[])"}
STORAGE = {
    "storage.foldername(text)",
    "storage.filename(text)",
    "storage.extension(text)",
    "storage.operation()",
    "storage.allow_any_operation(text[])",
    "storage.allow_only_operation(text)",
    "storage.get_size_by_bucket()",
    "storage.can_insert_object(text,text,uuid,jsonb)",
    "storage.prefix_end(text)",
    "storage.get_common_prefix(text,text,text)",
    "storage.search_by_timestamp(text,text,integer,integer,text,text,text)",
    "storage.search(text,text,integer,integer,integer,text,text,text)",
    "storage.search_v2(text,text,integer,integer,text,text,text,text)",
    "storage.list_objects_with_delimiter(text,text,text,integer,text,text,text)",
    "storage.list_multipart_uploads_with_delimiter(text,text,text,integer,text,text)",
    "storage_private.clean_session()",  # of the own session alone
    "storage_private.probe_insert(text,text,uuid,text,jsonb,jsonb,boolean)",
    "storage_private.probe_move(text,text,text,text,uuid,text)",
}
REALTIME = {
    "realtime.topic()",
    "realtime.send(jsonb,text,text,boolean)",
    "realtime.send_binary(bytea,text,text,boolean)",
    "realtime.broadcast_changes(text,text,text,text,text,record,record,text)",
}
# What a preview link shows; it runs as its owner and takes nothing but the link.
PREVIEW = {"preview_post(uuid)!"}
# A page of Insights, with the caller's own rights to its articles.
INSIGHTS = {"list_articles(text,text,integer,integer)", "list_topics()"}
# Pictures of articles, with the caller's own rights to their objects.
PICTURES = {"list_pictures(text)"}
CALLABLE = {
    "anon": CLAIMS | WATCHES | STORAGE | REALTIME | PREVIEW | INSIGHTS,
    "authenticated": CLAIMS | WATCHES | STORAGE | REALTIME | SIGNED_IN | PREVIEW | INSIGHTS | PICTURES,
    "service_role": CLAIMS
    | WATCHES
    | STORAGE
    | REALTIME
    | SIGNED_IN
    | PREVIEW
    | INSIGHTS
    | PICTURES
    | {
        "jobs.enqueue_mail(jsonb,integer,timestamp with time zone,text)!",
        "realtime.visible_changes(jsonb,bigint[])",  # with the caller's own rights: it takes on no role that he may not
        "quarantine_lead(text,jsonb,text,text,text)!",
        "submit_lead(text,jsonb,jsonb,text,text,jsonb)!",
    },
}
OF_APPLICATION = "nspname !~ '^pg_' and nspname <> 'information_schema'"


@pytest.mark.parametrize("role", ROLES)
def test_promise_36_no_role_calls_any_other_function(shared: SyncConnection, role: str) -> None:
    callable_ones = shared.rows(
        "select p.oid::regprocedure || case when prosecdef then '!' else '' end"
        " from pg_proc p join pg_namespace n on n.oid = pronamespace"
        f" where {OF_APPLICATION} and has_schema_privilege($1, n.oid, 'usage')"
        " and has_function_privilege($1, p.oid, 'execute')"
        " and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')",
        role,
    )
    assert {name for (name,) in callable_ones} == CALLABLE[role]


def test_promise_36_nothing_else_is_open_to_a_role_of_the_api(shared: SyncConnection) -> None:
    roles = " cross join unnest(array['anon', 'authenticated', 'service_role']) r(name)"
    for what, sql in {
        "a schema to create in": f"select r.name, nspname from pg_namespace n {roles}"
        f" where {OF_APPLICATION} and has_schema_privilege(r.name, n.oid, 'create')",
        "a sequence": f"select r.name, c.oid::regclass from pg_class c {roles} where relkind = 'S'"
        " and (has_sequence_privilege(r.name, c.oid, 'usage') or has_sequence_privilege(r.name, c.oid, 'select'))",
        "more than rows": f"select r.name, c.oid::regclass from pg_class c join pg_namespace n on n.oid = relnamespace"
        f" {roles} where {OF_APPLICATION} and relkind in ('r', 'p', 'v') and r.name <> 'service_role'"
        " and (has_table_privilege(r.name, c.oid, 'truncate') or has_table_privilege(r.name, c.oid, 'references')"
        " or has_table_privilege(r.name, c.oid, 'trigger'))",
        "a table without row security": "select oid::regclass from pg_class where relkind in ('r', 'p')"
        " and relnamespace = 'public'::regnamespace and not relrowsecurity",
        "a view with its owner's rights": "select oid::regclass from pg_class where relkind in ('v', 'm')"
        " and relnamespace = 'public'::regnamespace"
        " and not coalesce(reloptions @> '{security_invoker=true}', false)",
        "an owner's function that its caller's path bends": "select p.oid::regprocedure from pg_proc p where prosecdef"
        " and not exists (select from unnest(proconfig) c where c like 'search_path=%')",
        "a role that another one may become": f"select r.name, g.rolname from pg_roles g {roles}"
        " where g.rolname <> r.name and pg_has_role(r.name, g.oid, 'member')",
        "an attribute": "select rolname from pg_roles where rolname in ('anon', 'authenticated')"
        " and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication)",
    }.items():
        assert shared.rows(sql) == [], what


# --- the same over a schema that nobody wrote -------------------------------------------------------------------------


@dataclass(frozen=True)
class Made:
    """A table of a random schema. `granted` has columns by role and verb; `policies` the pairs of role and verb that
    row security lets through, None without row security."""

    name: str
    granted: dict[tuple[str, str], frozenset[str]]
    policies: frozenset[tuple[str, str]] | None

    def script(self) -> str:
        lines = [f"create table public.{self.name} (a int, b text, c int)"]
        lines.append(f"insert into public.{self.name} values (1, 'x', 1), (2, 'y', 2)")
        for (role, verb), columns in self.granted.items():
            listed = "" if verb == "delete" else f" ({', '.join(sorted(columns))})"
            lines.append(f"grant {verb}{listed} on public.{self.name} to {role}")
        if self.policies is not None:
            lines.append(f"alter table public.{self.name} enable row level security")
        for role, verb in sorted(self.policies or ()):
            clause = {"insert": "with check (true)", "update": "using (true) with check (true)"}.get(
                verb, "using (true)"
            )
            lines.append(f"create policy {role}_{verb} on public.{self.name} for {verb} to {role} {clause}")
        return ";\n".join(lines)

    def outcome(self, role: str, verb: str, column: str) -> str:
        """What a request comes to: `denied`, or how many rows it reads or changes."""
        is_service = role == "service_role"  # every new table is open to it, and row security does not hold it
        if not is_service and column not in self.granted.get((role, verb), ()):
            return "denied"
        passes = is_service or self.policies is None or (role, verb) in self.policies
        if verb == "insert":
            return "1" if passes else "denied"
        return "2" if passes else "0"


COLUMNS = ("a", "b", "c")


def make(chance: random.Random, name: str) -> Made:
    """A table with rights and policies drawn by chance; every third has neither, as new tables do."""
    if chance.random() < 1 / 3:
        return Made(name, {}, None)
    granted: dict[tuple[str, str], frozenset[str]] = {}
    for role in ("anon", "authenticated"):
        for verb in VERBS:
            columns = frozenset(column for column in COLUMNS if chance.random() < 0.5)
            if columns:
                granted[role, verb] = frozenset(COLUMNS) if verb == "delete" else columns
    drawn = frozenset((role, verb) for role in ("anon", "authenticated") for verb in VERBS if chance.random() < 0.5)
    return Made(name, granted, drawn if chance.random() < 0.7 else None)


async def ask(service: RestService, role: str, verb: str, table: str, column: str) -> str:
    """What a request of the tables API comes to, in the words of `Made.outcome`; it is undone."""
    method = {"select": "GET", "insert": "POST", "update": "PATCH", "delete": "DELETE"}[verb]
    target = f"/{table}?select={column}" if verb == "select" else f"/{table}"
    body = orjson.dumps({column: None}) if verb in ("insert", "update") else b""
    headers = {"prefer": "count=exact" + ("" if verb == "select" else ",return=minimal")}
    identity = Identity(role, orjson.dumps({"role": role}).decode())
    response = await service.handle(request_of(method, target, body, headers), identity)
    if response.status in (401, 403):
        assert response.status == (401 if role == "anon" else 403)
        assert orjson.loads(response.body)["code"] == DENIED
        return "denied"
    assert response.status in (200, 201, 204), response.body
    return dict(response.headers)[b"content-range"].decode().rpartition("/")[2]


@pytest.mark.parametrize("seed", range(3))
def test_promise_36_a_random_schema_is_as_open_as_its_grants(server: Server, shared: SyncConnection, seed: int) -> None:
    chance = random.Random(seed)
    made = [Made(f"closed_{seed}", {}, None), *(make(chance, f"made_{seed}_{number}") for number in range(4))]
    assert any(table.granted for table in made)
    shared.script(";".join(table.script() for table in made))
    url = server.database(str(shared.rows("select current_database()")[0][0]), "authenticator")
    settings = Settings(rest_prefix="", db_tx_end="rollback")

    async def work() -> dict[tuple[str, str, str, str], str]:
        database = Database(url, size=1)
        await database.open()
        try:
            cache = await load(database, settings)
            service = RestService(settings, database, lambda: cache)
            return {
                (table.name, role, verb, column): await ask(service, role, verb, table.name, column)
                for table in made
                for role in ROLES
                for verb in VERBS
                for column in (COLUMNS[:1] if verb == "delete" else COLUMNS)
            }
        finally:
            await database.close()

    try:
        answered = asyncio.run(work())
    finally:
        shared.script(";".join(f"drop table public.{table.name}" for table in made))
    by_name = {table.name: table for table in made}
    assert answered == {
        (name, role, verb, column): by_name[name].outcome(role, verb, column) for name, role, verb, column in answered
    }
    others = {outcome for (_, role, _, _), outcome in answered.items() if role != "service_role"}
    assert others == {"denied", "0", "1", "2"}, "every outcome was drawn"
