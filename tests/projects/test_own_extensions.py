"""Extensions whose scripts a project keeps in its migrations, by pgtle.install_extension."""

from __future__ import annotations

import subprocess

import pytest

from gateway.database.programs import client_program
from gateway.operations.extensions import BROUGHT, IN_SQL, expected, kinds
from gateway.projects.apply import StatementFailed
from tests.projects.conftest import Database, Maker, bring_up

PACKAGE = """
create extension if not exists pg_tle;
select pgtle.install_extension('acme@notes', '1.0.0', 'Notes', $_pgtle_$
\\echo Use "create extension" to load this file.
create type mood as enum ('good', 'bad');
create table @extschema@.notes (id uuid primary key default gen_random_uuid(), mood mood, at timestamptz);
create function @extschema@.stamp() returns trigger language plpgsql set search_path = @extschema@
  as $f$ begin new.at := now(); return new; end $f$;
create trigger stamped before insert on notes for each row execute function stamp();
alter table notes enable row level security;
create policy everybody on notes using (true);
insert into notes (mood) values ('good');
$_pgtle_$, array['pgcrypto']);
select pgtle.install_update_path('acme@notes', '1.0.0', '1.1.0', $_pgtle_$
create view good_notes as select * from notes where mood = 'good';
$_pgtle_$);
create schema if not exists kept;
"""
MAKE = """create extension "acme@notes" with schema kept version '1.0.0';"""


def test_a_package_of_the_projects_own_is_made_updated_and_dropped(database: Database, project: Maker) -> None:
    bring_up(
        database,
        project(
            {
                "migrations/1_a.sql": PACKAGE,
                "migrations/2_b.sql": MAKE + "comment on extension \"acme@notes\" is 'notes';",
                "migrations/3_c.sql": 'create extension if not exists "acme@notes"',
                "migrations/4_d.sql": """alter extension "acme@notes" update to '1.1.0';""",
            }
        ),
    )
    assert database.rows("select mood, at is not null from kept.good_notes") == [("good", "t")]
    assert database.rows("select pg_get_userbyid(relowner) from pg_class where oid = 'kept.notes'::regclass") == [
        ("postgres",)
    ]
    assert database.rows("select name, version, schema from pgtle._made") == [("acme@notes", "1.1.0", "kept")]
    bring_up(database, project({"migrations/5_e.sql": 'drop extension "acme@notes";'}))
    assert database.rows(
        "select count(*) from pg_depend where refobjid = 'kept'::regnamespace and refclassid = 'pg_namespace'::regclass"
    ) == [("0",)]
    bring_up(database, project({"migrations/6_f.sql": 'create extension "acme@notes" schema kept'}))
    assert database.rows("select to_regclass('kept.good_notes') is null") == [("t",)]


def test_a_body_brings_and_makes_one_with_what_it_requires(database: Database, project: Maker) -> None:
    body = """
    create extension pg_tle;
    do $$ begin
      perform pgtle.install_extension('first', '1', '', 'create type mark as enum ()', null, 'of_first');
      perform pgtle.install_extension('second', '1', '', 'create table marks (m mark, h hstore)',
        array['first', 'hstore']);
      drop extension if exists second;
      create extension if not exists second cascade;
      create extension if not exists citext with schema extensions;
    end $$;
    """
    bring_up(database, project({"migrations/1_a.sql": body}))
    assert database.rows("select name, schema from pgtle._made order by 1") == [
        ("first", "of_first"),
        ("second", "public"),
    ]
    assert database.rows("select to_regclass('public.marks') is not null, to_regtype('citext') is null") == [("t", "t")]


REFUSED = {
    "42710 once more": MAKE + MAKE,
    "42710 brought twice": "select pgtle.install_extension('acme@notes', '1.0.0', '', '')",
    "42704 unknown": "select pgtle.set_default_version('nobody@nothing', '1')",
    "22023 a version that has no script": """create extension "acme@notes" version '9'""",
    "22023 a name that is none": "select pgtle.install_extension('a--b', '1', '', '')",
    "3F000 a schema that is not there": 'create extension "acme@notes" schema nowhere',
    "42704 what it requires": "select pgtle.install_extension('x', '1', '', '', array['ltree']); create extension x",
    "2BP01 something needs it": MAKE + 'create table uses (m kept.mood); drop extension "acme@notes"',
    "42601 a script that is wrong": "select pgtle.install_extension('x', '1', '', 'create tabel'); create extension x",
    "42501 a script that wants a superuser": "select pgtle.install_extension('x', '1', '', 'create role r superuser');"
    "create extension x",
}


@pytest.mark.parametrize("sql", REFUSED.values(), ids=REFUSED)
def test_what_the_real_one_refuses_is_refused(
    database: Database, project: Maker, sql: str, request: pytest.FixtureRequest
) -> None:
    with pytest.raises(StatementFailed) as caught:
        bring_up(database, project({"migrations/1_a.sql": PACKAGE, "migrations/2_b.sql": sql}))
    assert caught.value.sqlstate == request.node.callspec.id.split()[0]


def test_dropping_with_cascade_takes_what_needs_it(database: Database, project: Maker) -> None:
    sql = MAKE + 'create table uses (id int, m kept.mood); drop extension if exists "acme@notes" cascade;'
    bring_up(database, project({"migrations/1_a.sql": PACKAGE, "migrations/2_b.sql": sql}))
    assert database.rows("select attname from pg_attribute where attrelid = 'uses'::regclass and attnum > 0") == [
        ("id",),
        ("........pg.dropped.2........",),
    ]


def test_the_check_and_the_doctor_know_whose_it_is(database: Database, project: Maker) -> None:
    content = project({"migrations/1_a.sql": PACKAGE + MAKE})
    assert expected([PACKAGE + MAKE], is_embedded=True) == {"acme@notes": BROUGHT, "pg_tle": IN_SQL}
    bring_up(database, content)
    found = {name: (kind, is_there) for name, kind, is_there in kinds(database, content.project.migrations_folder)}
    assert found["acme@notes"] == (BROUGHT, True)


def test_a_dump_has_the_scripts_and_what_they_made(database: Database, project: Maker) -> None:
    bring_up(database, project({"migrations/1_a.sql": PACKAGE + MAKE}))
    dumped = subprocess.run(
        [client_program("pg_dump", database.address), database.address],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    assert "COPY pgtle._script" in dumped and "create type mood" in dumped and "CREATE TABLE kept.notes" in dumped
