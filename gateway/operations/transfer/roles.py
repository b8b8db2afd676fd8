"""Roles of a project, which pg_dump leaves out: those that it made, and what it set for those of the platform."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from gateway.database import SyncConnection


def write_roles(connection: SyncConnection, target: Path) -> None:
    """Write statements that make them; passwords stay where they are. Raises DatabaseError, OSError."""
    target.write_text("".join(f"{line[0]}\n" for line in connection.rows(ROLES)))


ROLES: Final = """
  with wanted as (
    select oid, rolname as name, format(
      '%s %s %s %s %s',
      case when rolcanlogin then 'LOGIN' else 'NOLOGIN' end,
      case when rolinherit then 'INHERIT' else 'NOINHERIT' end,
      case when rolcreaterole then 'CREATEROLE' else 'NOCREATEROLE' end,
      case when rolcreatedb then 'CREATEDB' else 'NOCREATEDB' end,
      case when rolbypassrls then 'BYPASSRLS' else 'NOBYPASSRLS' end
    ) as options
    from pg_roles where rolname !~ '^pg_' and not rolsuper
  ),
  lines (place, line) as (
    select 1, format('CREATE ROLE %I %s;', name, options) from wanted
    union all
    select 2, format(
      -- lists are kept ready quoted
      case when split_part(setting, '=', 1) ~ '_path$|_libraries$|_tablespaces$' then 'ALTER ROLE %I SET %I TO %s;'
        else 'ALTER ROLE %I SET %I TO %L;' end,
      name, split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1)
    )
    from wanted join pg_db_role_setting on setrole = oid
      and setdatabase in (0, (select oid from pg_database where datname = current_database())),
    unnest(setconfig) as setting
    union all
    select 3, format('GRANT %I TO %I;', granted.name, member.name)
    from pg_auth_members
    join wanted as granted on granted.oid = roleid
    join wanted as member on member.oid = pg_auth_members.member
    group by granted.name, member.name
  )
  select line from lines order by place, line
"""
