"""What the embedded server has before any migration runs: its superuser and the roles of hosted projects.

Up to version 0.7 the superuser was called `postgres`. On the hosted platform that is the role of whoever owns the
project, without a superuser's rights, so the superuser of a cluster of those versions is renamed once. What it owned
stays its own.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Final, Protocol

FIRST_WITH_ROLES: Final = 18  # clusters of an older Postgres are left as they are: `gateway db upgrade` only reads them
SUPERUSER: Final = "supabase_admin"
FORMER_SUPERUSER: Final = "postgres"
ADOPTING: Final = "gateway_adopting"  # nobody can rename who he is: this superuser is there for a moment


class Connection(Protocol):
    def script(self, sql: str) -> None: ...


def superuser_of(version: int) -> str:
    """Name of the superuser in a cluster of a major version."""
    return SUPERUSER if version >= FIRST_WITH_ROLES else FORMER_SUPERUSER


def roles() -> str:
    """Puts the roles right; for the superuser."""
    return (files(__package__) / "roles.sql").read_text()


IS_SUPERUSER: Final = "select rolsuper from pg_roles where rolname = session_user"

MAKE_ADOPTING: Final = f"""
do $$
begin
  if not exists (select from pg_roles where rolname = '{ADOPTING}') then
    create role {ADOPTING} superuser login;
  end if;
end
$$
"""

# As ADOPTING. What the role of the new name owned or was granted here it was given by a dump: it goes to the superuser.
RENAME: Final = f"""
do $$
begin
  if exists (select from pg_roles where rolname = '{SUPERUSER}') then
    alter role {SUPERUSER} rename to {SUPERUSER}_former;
    alter role {FORMER_SUPERUSER} rename to {SUPERUSER};
    reassign owned by {SUPERUSER}_former to {SUPERUSER};
    drop owned by {SUPERUSER}_former;
    begin
      drop role {SUPERUSER}_former;
    exception when dependent_objects_still_exist then
      raise notice 'role {SUPERUSER}_former owns something in another database';
    end;
  else
    alter role {FORMER_SUPERUSER} rename to {SUPERUSER};
  end if;
end
$$
"""
