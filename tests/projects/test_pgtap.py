"""pgTAP in SQL: what each call prints is what Debian's pgTAP 1.2.0 printed, kept as data in `pgtap/`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.database import DatabaseError, SyncConnection
from tests.fixtures.db import Server
from tests.projects.databases import database

FOLDER = Path(__file__).parent / "pgtap"


@pytest.fixture(scope="module")
def owner(own_server: Server) -> Iterator[SyncConnection]:
    """A connection as who owns the server, to a database with pgTAP where projects have it."""
    with database(own_server) as name, SyncConnection(own_server.database(name)) as connection:
        connection.script("set search_path = public, extensions; create extension pgtap with schema extensions")
        yield connection


def answers(name: str) -> dict[str, str]:
    """Call → what it printed, or the code that it ended with."""
    pieces = ("\n" + (FOLDER / name).read_text().rstrip("\n")).split("\n>>> ")[1:]
    return dict(piece.split("\n", 1) for piece in pieces)


def asked(connection: SyncConnection, call: str) -> str:
    connection.script("begin")
    try:
        connection.rows("select plan(1)")
        return "\n".join(str(row[0]) for row in connection.rows(f"select {call}"))
    except DatabaseError as error:
        return f"ERROR {error.sqlstate}"
    finally:
        connection.script("rollback")


def test_every_call_prints_what_pgtap_prints(owner: SyncConnection) -> None:
    for things, said in (("setup.sql", "answers.txt"), ("more.sql", "more.txt")):
        owner.script((FOLDER / things).read_text())
        expected = answers(said)
        assert len(expected) > 250
        assert {call: asked(owner, call) for call in expected} == expected


def run(connection: SyncConnection, *statements: str) -> list[str]:
    """What statements print in one transaction."""
    connection.script("begin")
    try:
        said = [str(row[0]) for statement in statements for row in connection.rows(statement)]
    finally:
        connection.script("rollback")
    return "\n".join(said).split("\n")


def test_a_plan_counts_over_rollbacks_roles_and_what_is_to_be_done(owner: SyncConnection) -> None:
    said = run(
        owner,
        "select plan(7)",
        "select ok(true, 'one')",
        "select * from todo('later', 2)",
        "select fail('two')",
        "select pass('three')",
        "savepoint s",
        "select fail('four')",
        "rollback to s",
        "set local role anon",
        "select is(current_user::text, 'anon', 'five')",
        "select set_eq('select 1', array[1], 'six')",
        "select skip('seven')",
        "select * from finish()",
    )
    assert [line for line in said if line != "None"] == [
        "1..7",
        "ok 1 - one",
        "not ok 2 - two # TODO later",
        '# Failed (TODO) test 2: "two"',
        "ok 3 - three # TODO later",
        "not ok 4 - four",
        '# Failed test 4: "four"',
        "ok 5 - five",
        "ok 6 - six",
        "ok 7 # SKIP seven",
        "# Looks like you failed 1 test of 7",
    ]


def test_what_was_not_planned_is_told(owner: SyncConnection) -> None:
    assert run(owner, "select plan(2)", "select pass()", "select * from finish()")[-1] == (
        "# Looks like you planned 2 tests but ran 1"
    )
    assert run(owner, "select * from no_plan()", "select pass()", "select * from finish()") == ["ok 1", "1..1"]
    with pytest.raises(DatabaseError, match="without a plan"):
        owner.rows("select ok(true)")
    with pytest.raises(DatabaseError, match="plan twice"):
        run(owner, "select plan(2)", "select plan(2)")
    with pytest.raises(DatabaseError, match="1 test failed of 1"):
        run(owner, "select plan(1)", "select fail()", "select * from finish(true)")


def test_tests_in_functions_are_undone_one_by_one(owner: SyncConnection) -> None:
    said = run(
        owner,
        "create schema suite",
        "create table suite.kept (a int)",
        "create function suite.test_writes() returns setof text language plpgsql as"
        " $$ begin insert into suite.kept values (1); return next pass('wrote'); end $$",
        "create function suite.test_zero() returns setof text language plpgsql as"
        " $$ begin return next is_empty('select * from suite.kept', 'nothing is left'); end $$",
        "select * from runtests('suite'::name)",
    )
    assert said == [
        "    # Subtest: suite.test_writes()",
        "    ok 1 - wrote",
        "    1..1",
        "ok 1 - suite.test_writes",
        "    # Subtest: suite.test_zero()",
        "    ok 1 - nothing is left",
        "    1..1",
        "ok 2 - suite.test_zero",
        "1..2",
    ]


def test_helpers_act_as_users_of_the_project(owner: SyncConnection) -> None:
    said = run(
        owner,
        "create extension \"basejump-supabase_test_helpers\" version '0.0.6'",
        "create table public.notes (owner uuid default auth.uid(), body text)",
        "alter table public.notes enable row level security",
        "create policy own on public.notes using (owner = auth.uid())",
        "grant all on public.notes to authenticated",
        "select plan(5)",
        "select tests.rls_enabled('public', 'notes')",
        "select tests.create_supabase_user('ada', 'ada@example.com') is not null",
        "select tests.create_supabase_user('bea') is not null",
        "select tests.authenticate_as('ada')",
        "select lives_ok($$ insert into public.notes (body) values ('mine') $$)",
        "select is(auth.uid(), tests.get_supabase_uid('ada'))",
        "select tests.authenticate_as('bea')",
        "select is_empty('select * from public.notes')",
        "select tests.clear_authentication()",
        "select throws_ok('select * from public.notes', '42501')",
        "select * from finish()",
    )
    assert [line for line in said if "ok" in line] == [
        "ok 1 - notestable in thepublic schema should have row level security enabled",
        "ok 2",
        "ok 3",
        "ok 4",
        "ok 5 - threw 42501",
    ]
    assert run(
        owner,
        'create extension "basejump-supabase_test_helpers"',
        "select tests.freeze_time('2020-01-01 00:00:00+00')",
        "select now() = '2020-01-01 00:00:00+00'",
        "select tests.unfreeze_time()",
        "select now() > '2020-01-02'",
    ) == ["", "t", "", "t"]


@pytest.mark.parametrize("version", ["0.0.1", "0.0.2", "0.0.6", "0.0.7"])
def test_helpers_are_there_by_the_version_that_a_suite_names(owner: SyncConnection, version: str) -> None:
    assert run(
        owner,
        f"create extension \"basejump-supabase_test_helpers\" version '{version}'",
        "select tests.create_supabase_user('ada', null, '555-1234', '{\"plan\": \"free\"}') is not null",
        "select tests.get_supabase_user('ada') ->> 'phone', tests.authenticate_as('ada')",
        "select auth.jwt() -> 'user_metadata' ->> 'plan', tests.authenticate_as_service_role()",
        "select current_user, tests.clear_authentication()",
        "select current_user",
    ) == ["t", "555-1234", "free", "service_role", "anon"]


def test_a_list_of_nothing_may_be_written_with_a_null(owner: SyncConnection) -> None:
    said = run(
        owner,
        "create schema bare",
        "create table bare.t (a int)",
        "select plan(6)",
        "select schema_privs_are('bare', 'anon', array[null], 'nothing')",
        "select table_privs_are('bare', 't', 'anon', array[null]::name[], 'nothing')",
        "select policies_are('bare', 't', array[null]::name[], 'none')",
        "select functions_are('bare', array[null]::name[], 'none')",
        "select tables_are('bare', array['t', null], 'one')",
        "select tables_are('bare', array['u', null], 'one')",
    )
    assert said[1:6] == ["ok 1 - nothing", "ok 2 - nothing", "ok 3 - none", "ok 4 - none", "ok 5 - one"]
    assert said[6:] == ["not ok 6 - one", '# Failed test 6: "one"', "#     Extra tables:", "#         t",
                        "#     Missing tables:", "#         u"]  # fmt: skip
