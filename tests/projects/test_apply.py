"""Migrations, seeds and roles run as the official CLI runs them, and are noted as it notes them."""

from __future__ import annotations

import hashlib

import pytest

from gateway import migrations
from gateway.projects.apply import StatementFailed
from gateway.projects.database import Done, run_seeds
from gateway.projects.reset import PLATFORM_ROLES
from tests.fixtures.db import Server
from tests.projects.conftest import Database, Maker, bring_up

FIRST = "migrations/20240101000000_first.sql"
SECOND = "migrations/20240102000000_second.sql"


def ledger(database: Database) -> list[tuple[str | None, ...]]:
    return database.rows(
        "select version, name, array_to_string(statements, '|') from supabase_migrations.schema_migrations order by 1"
    )


def has(database: Database, relation: str) -> bool:
    return database.rows("select to_regclass($1)", relation) != [(None,)]


def test_a_new_database_gets_roles_migrations_and_seeds_in_this_order(database: Database, project: Maker) -> None:
    content = project(
        {
            "roles.sql": "create role reporter_of_tests;",
            FIRST: "-- why\ncreate table a (id int);\n\ngrant select on a to reporter_of_tests;\n",
            "seed.sql": "insert into a values (1); insert into a values (2);",
        }
    )
    try:
        done = bring_up(database, content)
        assert (done.migrations, done.seeds) == (["20240101000000_first.sql"], ["supabase/seed.sql"])
        assert ledger(database) == [
            ("20240101000000", "first", "-- why\ncreate table a (id int)|grant select on a to reporter_of_tests")
        ]
        assert database.rows("select path, hash from supabase_migrations.seed_files") == [
            ("supabase/seed.sql", hashlib.sha256(b"insert into a values (1); insert into a values (2);").hexdigest())
        ]
        assert database.rows("select count(*) from public.a") == [("2",)]
        again = bring_up(database, content)
        assert (again.migrations, again.seeds, again.warnings) == ([], [], [])
    finally:
        database.script("drop owned by reporter_of_tests; drop role reporter_of_tests")


def test_a_history_takes_a_bucket_back_while_there_are_no_files(database: Database, project: Maker) -> None:
    bring_up(
        database,
        project(
            {
                FIRST: "insert into storage.buckets (id, name) values ('a', 'a'), ('b', 'b');"
                "delete from storage.objects where bucket_id = 'a'; delete from storage.buckets where id = 'a';"
            }
        ),
    )
    assert database.rows("select id from storage.buckets") == [("b",)]
    database.script("insert into storage.objects (bucket_id, name) values ('b', 'kept')")
    with pytest.raises(StatementFailed, match="Use the Storage API"):
        bring_up(database, project({SECOND: "delete from storage.objects"}))
    assert database.rows("select name from storage.objects") == [("kept",)]


def test_the_ledger_has_the_official_columns(database: Database, project: Maker) -> None:
    bring_up(database, project({FIRST: "select 1"}))
    assert database.rows(
        "select attname, format_type(atttypid, atttypmod) from pg_attribute where attnum > 0"
        " and attrelid = 'supabase_migrations.schema_migrations'::regclass order by attnum"
    ) == [("version", "text"), ("statements", "text[]"), ("name", "text")]


def test_nothing_is_made_where_nothing_is_applied(database: Database, project: Maker) -> None:
    bring_up(database, project({}))
    assert database.rows("select to_regnamespace('supabase_migrations')") == [(None,)]


@pytest.mark.parametrize(
    ("sql", "line", "state", "need"),
    [
        ("create table b ();\n\n-- then\nselect\n  nothing;", 5, "42703", ""),
        ("create table b ();\nselect uuid_generate_v9()", 2, "42883", ""),
        ("create table b ();\nselect x.uuid_generate_v4()", 2, "3F000", ""),
        ("create table b (e made_up.vector)", 1, "3F000", "schema made_up"),
        ("create table b ();\ncreate extension made_up", 2, "0A000", "extension made_up"),
        ("create table b ();\ngrant select on b to nobody_at_all", 2, "42704", "supabase/roles.sql"),
        ("create table b ();\nalter type e add value 'b';\nselect 'b'::e", 3, "55P04", "a migration before"),
        ("create table b (x int);\ncopy b from stdin", 2, "0A000", "rows as INSERT"),
        ("copy (select generate_series(1, 9)) to stdout", 1, "0A000", "a select instead"),
        ("create schema jobs", 1, "42P06", "another name for the schema jobs"),
        ("create collation ci (provider = icu, locale = 'und', deterministic = false)", 1, "0A000", "with ICU"),
        ("security label for pgsodium on column public.a.b is 'ENCRYPT'", 1, "22023", "supabase_vault"),
        ("create table b ();\nselect 1 1 1", 2, "42601", ""),
    ],
)
def test_a_file_that_fails_leaves_nothing_and_says_where_and_what_it_needs(
    database: Database, project: Maker, sql: str, line: int, state: str, need: str
) -> None:
    with pytest.raises(StatementFailed) as failed:
        bring_up(database, project({FIRST: "create table a (); create type e as enum ('a')", SECOND: sql}))
    error = failed.value
    assert (error.file, error.line, error.sqlstate) == ("supabase/" + SECOND, line, state)
    assert f"supabase/{SECOND}, line {line}: " in str(error) and need in str(error)
    assert [row[0] for row in ledger(database)] == ["20240101000000"]
    assert has(database, "public.a") and not has(database, "public.b")


def test_a_caret_stands_under_the_place(database: Database, project: Maker) -> None:
    with pytest.raises(StatementFailed) as failed:
        bring_up(database, project({FIRST: "select 1,\n  nothing"}))
    assert str(failed.value).endswith("At statement 0:\nselect 1,\n  nothing\n  ^")


def test_a_first_start_that_failed_goes_on_where_it_stopped(database: Database, project: Maker) -> None:
    files = {
        "roles.sql": "create table only_once ()", FIRST: "create table a (id int)", SECOND: "select nothing",
        "seed.sql": "insert into a values (1)",
    }  # fmt: skip
    with pytest.raises(StatementFailed):
        bring_up(database, project(files))
    done = bring_up(database, project({**files, SECOND: "select 1"}))
    assert (done.migrations, done.seeds) == (["20240102000000_second.sql"], ["supabase/seed.sql"])


def test_statements_that_stand_outside_of_transactions(database: Database, project: Maker) -> None:
    sql = "create table a (id int); /* c */ create unique index concurrently i on a (id); create table b (); vacuum a;"
    bring_up(database, project({FIRST: sql, SECOND: "-- why\ndrop index concurrently i; reindex table concurrently a"}))
    assert has(database, "public.b") and not has(database, "public.i")
    assert [row[0] for row in ledger(database)] == ["20240101000000", "20240102000000"]


def test_transactions_of_the_file_are_its_own(database: Database, project: Maker) -> None:
    bring_up(
        database,
        project({FIRST: "begin; create table a (); commit; begin; create table b (); rollback; create table c ()"}),
    )
    assert [has(database, name) for name in ("public.a", "public.b", "public.c")] == [True, False, True]
    with pytest.raises(StatementFailed, match="committed by the file itself"):
        bring_up(database, project({SECOND: "begin; create table d (); commit; create table e (); select nothing"}))
    assert has(database, "public.d") and not has(database, "public.e")
    assert len(ledger(database)) == 1


def test_settings_and_roles_end_with_their_file(database: Database, project: Maker) -> None:
    bring_up(
        database,
        project(
            {
                FIRST: "set search_path = ''; set session_replication_role = replica; set role anon; select 1",
                SECOND: "create table found_by_the_path as select current_user as who,"
                " current_setting('search_path') as path, current_setting('session_replication_role') as replication",
            }
        ),
    )
    ((who, path, replication),) = database.rows("select * from public.found_by_the_path")
    assert who == "postgres" and path is not None and "extensions" in path and replication == "origin"
    assert database.rows("select current_user = session_user") == [("t",)]


def test_a_changed_seed_is_noted_and_not_run_again(database: Database, project: Maker) -> None:
    bring_up(database, project({FIRST: "create table a (id int)", "seed.sql": "insert into a values (1)"}))
    changed = project({"seed.sql": "insert into a values (2)"})
    done = Done()
    run_seeds(database, changed, lambda line: None, done)
    assert done.seeds == [] and database.rows("select id from public.a") == [("1",)]
    assert database.rows("select hash from supabase_migrations.seed_files") == [
        (hashlib.sha256(b"insert into a values (2)").hexdigest(),)
    ]


def test_a_seed_that_fails_keeps_no_schema_from_being_served(database: Database, project: Maker) -> None:
    files = {FIRST: "create table a (id int)", "seed.sql": "insert into a values (1);\ninsert into a values ('x')"}
    done = bring_up(database, project(files))
    assert done.failed_seed.startswith("supabase/seed.sql, line 2: ") and has(database, "public.a")
    again = bring_up(database, project({**files, "seed.sql": "insert into a values (1)"}))
    assert (again.failed_seed, again.seeds) == ("", ["supabase/seed.sql"])


def test_seeds_run_in_the_order_of_their_patterns_once_each(database: Database, project: Maker) -> None:
    done = bring_up(
        database,
        project(
            {
                "config.toml": '[db.seed]\nsql_paths = ["./z.sql", "./seeds/*.sql", "z.sql", "./none/*.sql"]',
                "z.sql": "create table made_by_a_seed (id int); insert into made_by_a_seed values (1)",
                "seeds/b.sql": "insert into made_by_a_seed values (3)",
                "seeds/a.sql": "insert into made_by_a_seed values (2)",
            }
        ),
    )
    assert done.seeds == ["supabase/z.sql", "supabase/seeds/a.sql", "supabase/seeds/b.sql"]
    assert done.warnings == ["no seed file matches ./none/*.sql"]


def test_seeds_and_migrations_can_be_off(database: Database, project: Maker) -> None:
    files = {FIRST: "create table a ()", "seed.sql": "select nothing"}
    done = bring_up(database, project({**files, "config.toml": "[db.seed]\nenabled = false"}))
    assert (len(done.migrations), done.seeds) == (1, [])
    off = bring_up(database, project({SECOND: "select nothing", "config.toml": "[db.migrations]\nenabled = false"}))
    assert off.migrations == []


def test_a_file_that_comes_late_is_told_and_not_run(database: Database, project: Maker) -> None:
    bring_up(database, project({SECOND: "select 1"}))
    done = bring_up(database, project({FIRST: "create table a ()"}))
    assert done.migrations == [] and "20240101000000_first.sql" in done.warnings[0] and not has(database, "public.a")


def test_what_users_make_belongs_to_postgres(database: Database, project: Maker) -> None:
    bring_up(database, project({FIRST: "create table a (); create function f() returns int language sql return 1"}))
    assert database.rows("select tableowner from pg_tables where tablename = 'a'") == [("postgres",)]


def test_roles_of_the_platform_are_known(own_server: Server) -> None:
    with own_server.admin() as admin:
        migrations.migrate(admin, (migrations.platform(),))
        made = admin.rows("select rolname from pg_roles where rolname !~ '^pg_' and not rolsuper order by 1")
    assert {str(name) for (name,) in made} <= {*PLATFORM_ROLES}
