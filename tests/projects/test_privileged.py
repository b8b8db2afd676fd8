"""Event triggers, publications of all tables and settings of a project's own: made by its files, and safe."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from gateway import migrations
from gateway.catalog.load import load
from gateway.catalog.model import SchemaCache
from gateway.catalog.type_facts import load_facts
from gateway.database import Database as AsyncDatabase
from gateway.database import SyncConnection
from gateway.migrations.files import Migration
from gateway.projects.login import author_url
from gateway.projects.privileged import may_need_it, publication_of, rewritten, setting_of
from gateway.settings import Settings
from tests.projects.conftest import Database, Maker, bring_up
from tests.projects.databases import refused

SEEN = """
create table public.seen (tag text, who text);
create function public.note_change() returns event_trigger language plpgsql as $$
begin
  insert into public.seen select command_tag, current_user from pg_event_trigger_ddl_commands();
end $$;
"""
MAKE = "create event trigger noted on ddl_command_end when tag in ('CREATE TABLE', 'CREATE VIEW')\nexecute function"


@pytest.fixture
def author(database: Database) -> str:
    """Address of the project's role."""
    return author_url(database.address, True)


def test_a_projects_event_trigger_runs_as_the_projects_role(database: Database, project: Maker, author: str) -> None:
    bring_up(
        database,
        project(
            {
                "migrations/1_a.sql": f"{SEEN} drop event trigger if exists noted; {MAKE} public.note_change();",
                "migrations/2_b.sql": "create table public.made (a int);",
            }
        ),
    )
    ((statements,),) = database.rows(
        "select statements[4] from supabase_migrations.schema_migrations where version = '1'"
    )
    assert str(statements).startswith("create event trigger noted"), "the ledger has the author's words"
    database.script("create view public.by_a_superuser as select 1 as a")
    assert database.rows("select tag, who from public.seen where who <> 'postgres'") == []
    assert ("CREATE VIEW", "postgres") in database.rows("select tag, who from public.seen")
    # a function that is replaced would lose what keeps it from a superuser's rights
    with SyncConnection(author) as postgres:
        for setting in ("", "set session_replication_role = replica;"):
            postgres.script(setting + SEEN.split(";", 1)[1].replace("create function", "create or replace function"))
            assert postgres.rows(
                "select prosecdef, proconfig::text ~ 'pg_temp' from pg_proc where proname = 'note_change'"
            ) == [("t", "t")]
        postgres.script(
            "alter function public.note_change() security invoker; alter function public.note_change() reset all"
        )
        assert postgres.rows("select prosecdef from pg_proc where proname = 'note_change'") == [("t",)]


def test_one_that_fails_does_not_keep_the_platform_from_migrating(database: Database, project: Maker) -> None:
    broken = "create function public.f() returns event_trigger language plpgsql as $$ begin raise 'never'; end $$;"
    bring_up(
        database,
        project(
            {"migrations/1_a.sql": f"{broken} create event trigger never on ddl_command_end execute procedure f();"}
        ),
    )
    added = Migration("projects/9999_a.sql", "create table gateway.added (a int)", "0")
    platform = migrations.platform()
    migrations.migrate(database, (replace(platform, migrations=(*platform.migrations, added)),))
    assert refused(database, "create table public.t (a int)").message == "never"


def test_publications_of_all_tables_and_of_schemas_are_made(database: Database, project: Maker, author: str) -> None:
    bring_up(
        database,
        project(
            {
                "migrations/1_a.sql": "drop publication if exists supabase_realtime;"
                "create publication supabase_realtime for all tables;",
                "migrations/2_b.sql": "do $$ begin if not exists (select from pg_publication where pubname = 'p')"
                " then\n"
                "    CREATE PUBLICATION p FOR TABLES IN SCHEMA public WITH (publish = 'insert, update');\n"
                "  end if;\nend $$;",
                "migrations/3_c.sql": "begin; drop publication if exists supabase_realtime;"
                "create publication supabase_realtime; commit;",
            }
        ),
    )
    assert database.rows(
        "select pubname, puballtables, pubinsert, pubdelete, pg_get_userbyid(pubowner) from pg_publication order by 1"
    ) == [("p", "f", "t", "f", "supabase_admin"), ("supabase_realtime", "f", "t", "t", "postgres")]


def test_a_database_gets_settings_of_the_projects_own(database: Database, project: Maker, author: str) -> None:
    ((name,),) = database.rows("select current_database()")
    bring_up(
        database,
        project(
            {
                "migrations/1_a.sql": f"alter database \"{name}\" set app.endpoint to 'http://x';"
                "alter role anon set my.own = '1'; alter role anon set edge.key = '2';"
                "alter role authenticator set pgaudit.log = 'all'; alter role anon set safeupdate.enabled = 0"
            }
        ),
    )
    with SyncConnection(author) as postgres:
        assert postgres.rows("show app.endpoint") == [("http://x",)]
        postgres.rows("select gateway.allow_setting('shared_preload_libraries')")
        assert refused(postgres, f"alter database \"{name}\" set session_preload_libraries = 'x'").sqlstate == "42501"
        assert refused(postgres, f'alter database "{name}" set plperl.on_init = 1').sqlstate == "42501"
    database.script(
        "alter role anon reset my.own; alter role anon reset edge.key; alter role authenticator reset pgaudit.log;"
        " alter role anon reset safeupdate.enabled; revoke set on parameter app.endpoint, my.own, edge.key, "
        " pgaudit.log, safeupdate.enabled from postgres"
    )


WRAPPER = """
create extension if not exists wrappers with schema extensions;
create foreign data wrapper shop_wrapper
  handler shop_fdw_handler
  validator shop_fdw_validator;
create server shop_server foreign data wrapper shop_wrapper options (api_key_id 'x');
create foreign table public.customers (id text, attrs jsonb) server shop_server options (object 'customers');
do $$ begin
  if not exists (select from pg_foreign_data_wrapper where fdwname = 'other') then
    CREATE FOREIGN DATA WRAPPER "other" HANDLER "extensions"."other_fdw_handler";
  end if;
  drop foreign data wrapper if exists nothing cascade;
end $$;
create view public.names as select id from public.customers;
create view public.more_names as select id from public.names;
create table public.own (a int);
create view public.written as select a from public.own;
create extension postgres_fdw with schema extensions;
create foreign data wrapper real handler postgres_fdw_handler validator extensions.postgres_fdw_validator;
"""


async def load_cache(url: str) -> SchemaCache:
    """What the API knows of a database."""
    loading = AsyncDatabase(url, size=1, core=1, application_name="test")
    try:
        return await load(loading, Settings.load({}))
    finally:
        await loading.close()


def test_wrappers_without_a_handler_are_declared_and_their_tables_refuse_to_be_read(
    database: Database, project: Maker, author: str
) -> None:
    bring_up(database, project({"migrations/1_a.sql": WRAPPER}))
    assert database.rows("select fdwname, fdwhandler <> 0 from pg_foreign_data_wrapper order by 1") == [
        ("other", "f"), ("postgres_fdw", "t"), ("real", "t"), ("shop_wrapper", "f")
    ]  # fmt: skip
    # what nothing can be read of keeps the API from no other table
    cache = asyncio.run(load_cache(database.address))
    assert {name.name: table.insertable for name, table in cache.tables.items()} == {
        "customers": False, "names": False, "more_names": False, "own": True, "written": True
    }  # fmt: skip
    assert len(load_facts(database, ("public",)).relations) == 5
    with SyncConnection(author) as postgres:
        assert "no handler" in refused(postgres, "select * from public.customers").message
        assert refused(postgres, "create foreign data wrapper x").sqlstate == "42501"
        assert refused(postgres, "select gateway.make_wrapper('x', 'postgres_fdw_validator', null)").sqlstate == "42501"
        assert "extension" in refused(postgres, "select gateway.drop_wrapper('postgres_fdw', false, '')").message
        postgres.rows(rewritten("drop foreign data wrapper shop_wrapper cascade"))
        assert postgres.rows("select to_regclass('public.customers')") == [(None,)]


def test_a_handler_that_nobody_has_is_named(database: Database, project: Maker, author: str) -> None:
    with SyncConnection(author) as postgres:
        error = refused(postgres, rewritten("create foreign data wrapper w handler nobodys"))
        assert (error.sqlstate, error.message) == ("42883", "function nobodys() does not exist")


def test_an_event_trigger_of_the_projects_is_changed_by_its_files(database: Database, project: Maker) -> None:
    bring_up(
        database,
        project(
            {
                "migrations/1_a.sql": f"{SEEN} {MAKE} public.note_change(); alter event trigger noted disable;"
                "create table public.quiet (a int); alter event trigger noted enable always;"
                'alter event trigger noted owner to "postgres";'
                "comment on event trigger noted is 'it''s ours'; alter event trigger noted rename to \"Noted\";",
                "migrations/2_b.sql": "create table public.loud (a int);",
            }
        ),
    )
    assert database.rows("select tag from public.seen") == [("CREATE TABLE",)]
    assert database.rows(
        "select evtenabled, obj_description(oid, 'pg_event_trigger') from pg_event_trigger where evtname = 'Noted'"
    ) == [("A", "it's ours")]


def test_schemas_are_added_to_a_publication_and_taken_out(database: Database, project: Maker) -> None:
    bring_up(
        database,
        project(
            {
                "migrations/1_a.sql": 'create schema "B c"; alter publication supabase_realtime add tables in schema'
                ' public, "B c"; alter publication supabase_realtime drop tables in schema public;'
            }
        ),
    )
    assert database.rows(
        "select pubname, pnnspid::regnamespace::text from pg_publication p join pg_publication_namespace n"
        " on pnpubid = p.oid"
    ) == [("supabase_realtime", '"B c"')]


def test_extensions_move_to_another_schema(database: Database, project: Maker) -> None:
    bring_up(
        database,
        project(
            {
                "migrations/1_a.sql": "create extension vector; create table t (e vector(3));"
                "create extension pg_trgm schema public; alter extension pg_trgm set schema extensions;",
                "migrations/2_b.sql": "do $do$ begin\n  -- alter extension vector set schema private;\n"
                "  raise notice 'alter extension vector set schema private';\n"
                "  execute 'ALTER EXTENSION vector SET SCHEMA extensions';\n"
                "  alter extension vector set schema public;\n"
                "  execute $q$ alter extension vector set schema extensions; $q$;\nend $do$;",
            }
        ),
    )
    assert database.rows(
        "select extname, extnamespace::regnamespace::text, pg_get_userbyid(extowner) from pg_extension"
        " where extname in ('vector', 'pg_trgm') order by 1"
    ) == [("pg_trgm", "extensions", "postgres"), ("vector", "extensions", "postgres")]


def test_publications_that_are_a_superusers_get_options_and_stay_his(database: Database, project: Maker) -> None:
    bring_up(
        database,
        project(
            {
                "migrations/1_a.sql": "create publication everything for all tables;"
                "alter publication everything owner to postgres; alter publication everything set (publish = 'insert');"
                "alter publication supabase_realtime set (publish = 'insert, update');"
                "alter publication supabase_realtime owner to postgres;"
                "do $$ begin alter publication everything set (publish = 'insert, delete'); end $$;"
            }
        ),
    )
    assert database.rows(
        "select pubname, pubowner::regrole::text, pubinsert, pubupdate, pubdelete from pg_publication order by 1"
    ) == [("everything", "supabase_admin", "t", "f", "t"), ("supabase_realtime", "postgres", "t", "t", "f")]


def test_what_is_called_otherwise_here_is_taken_for_what_it_is(database: Database, project: Maker) -> None:
    bring_up(
        database,
        project(
            {
                "migrations/1_a.sql": "alter database postgres set app.base_url = 'http://x';"
                "comment on database postgres is 'ours'; grant connect on database postgres to anon;"
                "create extension if not exists pg_net with schema extensions version '0.7.1';"
                "alter extension pg_net update to '0.8.0';"
                "create extension if not exists pg_tle with schema extensions; create extension pgmq schema public;"
                "do $$ begin create extension citext version '1.1' schema extensions; end $$;",
            }
        ),
    )
    database.script("revoke set on parameter app.base_url from postgres")
    assert database.rows(
        "select unnest(setconfig) from pg_db_role_setting"
        " where setdatabase = (select oid from pg_database where datname = current_database())"
    ) == [("app.base_url=http://x",)]
    assert database.rows(
        "select extname from pg_extension where extname ~ '^(citext|pg_net|pg_tle|pgmq)$' order by 1"
    ) == [("citext",), ("pg_net",), ("pg_tle",), ("pgmq",)]


def test_triggers_and_tables_of_the_platforms_other_years_are_passed_over(database: Database, project: Maker) -> None:
    before = database.rows("select count(*) from pg_trigger where tgrelid::regclass::text ~ '^storage'")
    bring_up(
        database,
        project(
            {
                "migrations/1_a.sql": 'revoke delete on table "storage"."prefixes" from "anon";'
                "grant select on realtime.subscription to authenticated;"
                "CREATE TRIGGER protect_buckets_delete BEFORE DELETE ON storage.buckets FOR EACH STATEMENT"
                " EXECUTE FUNCTION storage.protect_delete();"
                "CREATE TRIGGER objects_insert_create_prefix BEFORE INSERT ON storage.objects FOR EACH ROW"
                " EXECUTE FUNCTION storage.objects_insert_prefix_trigger();"
                'CREATE TRIGGER "prefixes_create_hierarchy" BEFORE INSERT ON "storage"."prefixes" FOR EACH ROW'
                ' WHEN ((pg_trigger_depth() < 1)) EXECUTE FUNCTION "storage"."prefixes_insert_trigger"();'
            }
        ),
    )
    assert database.rows("select count(*) from pg_trigger where tgrelid::regclass::text ~ '^storage'") == before
    with pytest.raises(Exception, match="42P01"):
        bring_up(database, project({"migrations/2_b.sql": "grant select on public.nothing to anon"}))


def test_functions_of_extensions_can_be_granted_all_at_once(database: Database, project: Maker) -> None:
    bring_up(database, project({"migrations/1_a.sql": "grant all on all functions in schema extensions to anon"}))


REFUSED = {
    "a handler without what checks its options": "create extension postgres_fdw;"
    "create foreign data wrapper x handler postgres_fdw_handler",
    "an extension of the platform's": "alter extension plpgsql set schema public",
    "an extension in the catalogue": "create extension citext; alter extension citext set schema pg_catalog",
    "the owner of an extension's wrapper": "create extension postgres_fdw;"
    "alter foreign data wrapper postgres_fdw owner to postgres",
    "a setting of a request": "alter role anon set request.jwt.claims = '{}'",
    "a change of the platform's own trigger": "alter event trigger gateway_event_functions disable",
    "words on the platform's own trigger": "comment on event trigger pgrst_ddl_watch is 'x'",
    "an event trigger of somebody else's": "alter event trigger pgrst_ddl_watch owner to supabase_admin",
    "schemas of a publication that is not there": "alter publication nobodys add tables in schema public",
    "the platform's own trigger": "drop event trigger pgrst_ddl_watch",
    "the one that keeps functions confined": "drop event trigger gateway_event_functions",
    "a superuser's function": "create event trigger x on sql_drop execute function extensions.pgrst_drop_watch()",
    "a trigger on logins": "create function f() returns event_trigger language plpgsql as 'begin end';"
    "create event trigger x on login execute function f()",
}


@pytest.mark.parametrize("sql", REFUSED.values(), ids=REFUSED)
def test_what_would_reach_the_platform_is_refused(database: Database, project: Maker, sql: str) -> None:
    with pytest.raises(Exception, match=r"SQLSTATE 42(501|704)"):
        bring_up(database, project({"migrations/1_a.sql": sql}))


def test_the_api_reaches_none_of_it(database: Database) -> None:
    for role in ("anon", "authenticated", "service_role"):
        assert (
            database.rows(
                "select proname from pg_proc where pronamespace = 'gateway'::regnamespace and prosecdef"
                " and proname ~ '(event|publi|setting|wrapper|move_)' and has_function_privilege($1, oid, 'execute')",
                role,
            )
            == []
        )


@pytest.mark.parametrize(
    "text",
    [
        "create table event (a int)",
        "alter table publication add column a int",
        "create publication p for table a, b",
        "alter publication p add table a",
        "alter publication p add table a, tables in schema b",
        "create foreign table wrapper (a int) server s",
        "create foreign data wrapper w options (a 'b')",
        "alter extension e add table a",
        "alter extension e update",
        "do $$ begin -- drop publication p;\n raise notice 'drop publication p;'; /* drop publication p */ end $$",
        "do $$ begin execute 'drop publication ' || p; alter publication p owner to postgres; end $$",
        "create function f() returns void language sql as 'create event trigger x on sql_drop execute function f()'",
        "select 'drop publication p'",
        "insert into t values ('create publication p for all tables')",
    ],
)
def test_other_statements_stay_as_they_are(text: str) -> None:
    assert rewritten(text) == text


def test_names_and_words_are_carried_over() -> None:
    assert rewritten('create event trigger "It\'s" on sql_drop execute procedure a."B"()') == (
        "select gateway.make_event_trigger('It''s', 'sql_drop', '{}', 'a.\"B\"()')"
    )
    assert rewritten("create publication p for tables in schema a, \"B c\" with (publish = 'insert')") == (
        "select gateway.make_publication('p', '{\"a\",\"B c\"}', '{\"publish=insert\"}')"
    )
    assert publication_of("alter publication p set (publish = 'insert')") == "p"
    assert publication_of("alter publication p add tables in schema a") is None
    assert setting_of("alter role x in database y set app.a.b = 1") == "app.a.b"
    assert setting_of("alter role x set search_path = a") is None
    assert may_need_it("ALTER DATABASE a SET app.b = 1") and not may_need_it("select 1")
