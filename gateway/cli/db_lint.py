"""`gateway db lint`: what plpgsql_check says of the project's functions."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Final

import typer

from gateway.cli.common import fail, project_here
from gateway.cli.target import DbUrl, target
from gateway.database import DatabaseError

UNAVAILABLE: Final = ("0A000", "58P01")
FUNCTIONS: Final = """
  select p.oid::regprocedure::text, plpgsql_check_function(p.oid, format := 'json')
  from pg_proc p
  join pg_namespace n on n.oid = p.pronamespace
  join pg_language l on l.oid = p.prolang
  where l.lanname = 'plpgsql' and p.prorettype <> 'trigger'::regtype and p.prorettype <> 'event_trigger'::regtype
  and case when $1 <> '' then n.nspname = any (string_to_array($1, ',')) else
    n.nspname !~ '^(pg_|information_schema|_analytics|_realtime|_supavisor|pgbouncer|pgmq|pgsodium|pgtle|vault)'
    and n.nspname <> 'supabase_migrations' and pg_get_userbyid(n.nspowner) <> 'supabase_admin'
    and not exists (select from pg_depend d where d.objid = n.oid and d.deptype = 'e') end
  order by 1
"""


class Severity(StrEnum):
    """How bad a finding is at least."""

    warning = "warning"
    error = "error"
    none = "none"


def lint(
    db_url: DbUrl = "",
    linked: Annotated[bool, typer.Option("--linked", help="The database of `gateway link`")] = False,
    schema: Annotated[str, typer.Option("--schema", "-s", help="Only these schemas: a,b")] = "",
    level: Annotated[Severity, typer.Option(help="Least level that is printed")] = Severity.warning,
    fail_on: Annotated[Severity, typer.Option(help="Least level that ends in status 1")] = Severity.none,
) -> None:
    """Check the functions in PL/pgSQL by plpgsql_check, in a transaction that is rolled back."""
    with target(project_here(), db_url, linked) as connection:
        connection.script("begin")
        try:
            connection.script("create extension if not exists plpgsql_check with schema extensions")
            rows = connection.rows(FUNCTIONS, schema)
        except DatabaseError as error:
            if error.sqlstate in UNAVAILABLE:
                fail("this Postgres has no extension plpgsql_check: lint a database that has it by --db-url")
            fail(error.message)
        finally:
            connection.script("rollback")
    found = []
    worst = 0
    for function, answer in rows:
        issues = [issue for issue in json.loads(str(answer)).get("issues", []) if _rank(issue) >= _floor(level)]
        if issues:
            found.append({"function": function, "issues": issues})
            worst = max(worst, *(_rank(issue) for issue in issues))
    print(json.dumps(found, indent=2) if found else "No schema errors found")
    if fail_on is not Severity.none and worst >= _floor(fail_on):
        raise SystemExit(1)


def _rank(issue: dict[str, object]) -> int:
    return 2 if issue.get("level") == "error" else 1


def _floor(level: Severity) -> int:
    return {Severity.warning: 1, Severity.error: 2}.get(level, 0)
