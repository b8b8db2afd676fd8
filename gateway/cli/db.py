"""`gateway db …`: schema and data."""

from __future__ import annotations

import os
import re
import sys
from typing import Annotated, Final

import typer

from gateway.cli.common import connect, fail, load_settings, owner_url
from gateway.embedded import SUPERUSER, programs
from schema import migrate as schema
from schema.snapshot import write_snapshot

db_app = typer.Typer(help="Schema and data.", no_args_is_help=True)


@db_app.command("migrate")
def migrate() -> None:
    """Apply pending migrations."""
    with connect(load_settings()) as connection:
        try:
            applied = schema.migrate(connection)
        except schema.SchemaError as error:
            fail(str(error))
    for name in applied:
        print(f"applied {name}")
    print("up to date" if not applied else f"{len(applied)} applied")


@db_app.command("new")
def new(subject: Annotated[str, typer.Argument(help="What it changes, a few words")]) -> None:
    """Begin a migration file with the next number."""
    slug = re.sub(r"[^a-z0-9]+", "_", subject.lower()).strip("_")
    if not slug:
        fail("a migration needs a subject of letters or digits")
    numbers = [int(path.name[:4]) for path in schema.MIGRATIONS.glob("[0-9][0-9][0-9][0-9]_*.sql")]
    path = schema.MIGRATIONS / f"{max(numbers, default=0) + 1:04}_{slug}.sql"
    path.write_text(f"-- {subject}: why this change is made.\n")
    print(path)


@db_app.command("seed")
def seed(name: Annotated[str, typer.Argument(help="Set in schema/seed")] = "demo") -> None:
    """Load a set of sample rows; safe to run twice."""
    with connect(load_settings()) as connection:
        try:
            schema.seed(connection, name)
        except schema.SchemaError as error:
            fail(str(error))
    print(f"seeded {name}")


@db_app.command("reset")
def reset(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask")] = False,
    remote: Annotated[bool, typer.Option("--yes-remote", help="Really reset a database given by URL")] = False,
) -> None:
    """Drop everything, then migrate and seed again."""
    settings = load_settings()
    if settings.database_url and not remote:
        fail("this would erase the database of DATABASE_URL; repeat with --yes-remote if that is meant")
    if not yes and not typer.confirm("Erase every table, user and lead of this database?"):
        raise SystemExit(1)
    with connect(settings) as connection:
        names = [
            row[0]
            for row in connection.rows(
                "select quote_ident(nspname) from pg_namespace"
                " where nspname !~ '^pg_' and nspname <> 'information_schema'"
            )
        ]
        connection.script("".join(f"drop schema {name} cascade;" for name in names) + "create schema public;")
        try:
            schema.migrate(connection)
            schema.seed(connection, "demo")
        except schema.SchemaError as error:
            fail(str(error))
    print("reset, migrated and seeded")


@db_app.command("snapshot")
def snapshot() -> None:
    """Write schema/snapshot.sql anew from the database, after a migration."""
    with connect(load_settings()) as connection:
        write_snapshot(connection)
    print("schema/snapshot.sql written")


PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True}


@db_app.command("dump", context_settings=PASS_ON)
def dump(
    context: typer.Context,
    roles_only: Annotated[bool, typer.Option("--roles-only", help="The roles that the schema names, no data")] = False,
) -> None:
    """Run pg_dump on the database; further arguments are pg_dump's."""
    settings = load_settings()
    if roles_only:
        with connect(settings) as connection:
            print("".join(f"{line[0]}\n" for line in connection.rows(ROLES)), end="")
    else:
        _become("pg_dump", owner_url(settings), context.args)


@db_app.command("psql", context_settings=PASS_ON)
def psql(context: typer.Context) -> None:
    """Open psql on the database; further arguments are psql's."""
    settings = load_settings()
    url = owner_url(settings)
    if not settings.database_url and sys.stdout.isatty():
        print(f"connecting as {SUPERUSER}")
    _become("psql", url, context.args)


def _become(name: str, url: str, arguments: list[str]) -> None:
    """Give this process over to a Postgres program, which then also ends the server that was started for it."""
    program = programs() / name
    os.execv(program, [str(program), f"--dbname={url}", *arguments])


# A statement a row: every role but superusers, made where it is missing, its settings, and what it may become. Roles
# belong to the whole server, so no dump of a database has them; passwords are not among them.
ROLES: Final = """
  with wanted as (
    select oid, rolname as name, format(
      '%s %s %s %s %s',
      case when rolcanlogin and not rolsuper then 'login' else 'nologin' end,
      case when rolinherit then 'inherit' else 'noinherit' end,
      case when rolcreaterole and not rolsuper then 'createrole' else 'nocreaterole' end,
      case when rolcreatedb and not rolsuper then 'createdb' else 'nocreatedb' end,
      case when rolbypassrls and not rolsuper then 'bypassrls' else 'nobypassrls' end
    ) as options
    from pg_roles
    where rolname !~ '^pg_' and (not rolsuper or rolname = current_user)
  ),
  lines (place, line) as (
    select 1, format(
      'do $$ begin create role %I %s; exception when duplicate_object then null; end $$;', name, options
    ) from wanted
    union all
    select 2, format(
      -- lists are kept ready quoted
      case when split_part(setting, '=', 1) ~ '_path$|_libraries$|_tablespaces$' then 'alter role %I set %I to %s;'
        else 'alter role %I set %I to %L;' end,
      name, split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1)
    )
    from wanted join pg_db_role_setting on setrole = oid and setdatabase = 0, unnest(setconfig) as setting
    union all
    select 3, format('grant %I to %I;', granted.name, member.name)
    from pg_auth_members
    join wanted as granted on granted.oid = roleid
    join wanted as member on member.oid = pg_auth_members.member
    group by granted.name, member.name
  )
  select line from lines order by place, line
"""
