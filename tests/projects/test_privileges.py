"""Three states of who may use what a project makes, by kind of object and role."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gateway.database import SyncConnection, privileges
from gateway.projects.config import read_config
from gateway.projects.errors import ProjectError
from tests.fixtures.db import Server
from tests.projects.conftest import Database, Maker, bring_up
from tests.projects.databases import database, embedded, refused, rolled_back

ROLES = ("anon", "authenticated", "service_role")
MADE = (
    "set local role postgres; create table public.t (n int); create view public.v as select 1 as n;"
    "create materialized view public.m as select 1 as n; create sequence public.s;"
    "create function public.f() returns int language sql return 1;"
    "create procedure public.p() language sql begin atomic select 1; end; reset role"
)
TABLE = {"select", "insert", "update", "delete", "truncate", "references", "trigger", "maintain"}
LEFT = {"truncate", "references", "trigger", "maintain"}
SEQUENCE = {"usage", "select", "update"}

# state → role → what it may do with tables, with sequences, with functions
STATES: dict[privileges.State, dict[str, tuple[set[str], set[str], bool]]] = {
    "open": dict.fromkeys(ROLES, (TABLE, SEQUENCE, True)),
    "tables-closed": dict.fromkeys(ROLES, (LEFT, {"update"}, True)),
    "closed": {
        "anon": (set(), set(), False),
        "authenticated": (set(), set(), False),
        "service_role": (TABLE, SEQUENCE, True),
    },
}


@pytest.fixture(scope="module")
def admin(server: Server) -> Iterator[SyncConnection]:
    with embedded(server) as ours, database(ours) as name, SyncConnection(ours.database(name)) as connection:
        yield connection


@pytest.mark.parametrize("before", privileges.STATES)
@pytest.mark.parametrize("state", privileges.STATES)
def test_each_state_grants_what_it_says_whichever_was_before(
    admin: SyncConnection, state: privileges.State, before: privileges.State
) -> None:
    with rolled_back(admin):
        privileges.apply(admin, before)
        privileges.apply(admin, state)
        assert privileges.found(admin) == state
        admin.script(MADE)
        for role in ROLES:
            tables, sequences, functions = STATES[state][role]
            for name in "tvm":
                assert {right for right in TABLE if may(admin, "table", role, f"public.{name}", right)} == tables
            assert {right for right in SEQUENCE if may(admin, "sequence", role, "public.s", right)} == sequences
            for routine in ("public.f()", "public.p()"):
                assert may(admin, "function", role, routine, "execute") is functions


def may(connection: SyncConnection, kind: str, role: str, name: str, right: str) -> bool:
    return connection.rows(f"select has_{kind}_privilege($1, $2, $3)", role, name, right) == [("t",)]


def test_a_new_database_is_closed_until_a_project_says_otherwise(admin: SyncConnection) -> None:
    assert privileges.found(admin) == "closed"


@pytest.mark.parametrize(
    ("lines", "environ", "state"),
    [
        ("", {}, "open"),
        ("auto_expose_new_tables = true", {}, "open"),
        ("auto_expose_new_tables = false", {}, "tables-closed"),
        ("auto_expose_new_tables = true", {"SUPABASE_API_AUTO_EXPOSE_NEW_TABLES": "false"}, "tables-closed"),
        ("auto_expose_new_tables = true", {"GATEWAY_DEFAULT_PRIVILEGES": "closed"}, "closed"),
    ],
)
def test_the_state_is_the_settings_then_the_files_then_hosteds(
    project: Maker, lines: str, environ: dict[str, str], state: str
) -> None:
    content = project({"config.toml": f'project_id = "p"\n[api]\n{lines}\n'}, **environ)
    assert content.config.default_privileges == state


def test_an_unknown_state_is_refused(project: Maker) -> None:
    content = project({"config.toml": 'project_id = "p"\n'})
    with pytest.raises(ProjectError, match="one of open, tables-closed, closed"):
        read_config(content.project, content.project.root, {"GATEWAY_DEFAULT_PRIVILEGES": "wide"})


def test_a_project_is_in_its_state_before_its_first_file(database: Database, project: Maker) -> None:
    made = "create table a (n int); create function f() returns int language sql return 1"
    bring_up(database, project({"migrations/20240101000000_a.sql": made, "config.toml": 'project_id = "p"\n'}))
    database.script("begin; set local role anon; select * from a; select f(); insert into a values (1); commit")
    database.script("begin; set local role anon")
    assert refused(database, "select * from gateway.migrations").sqlstate == "42501"
    database.script("rollback")
