"""An embedded database as it was before its project: the database made anew, and the project's own roles removed.

Roles, their settings and memberships belong to the server and outlive a database. Those that are not the platform's
were made by the project's files, which make them again.
"""

from __future__ import annotations

from typing import Final

from gateway.database import DatabaseError, SyncConnection
from gateway.database.statement import array_literal, quote_name

# Roles that hosted projects have; the platform makes those that it needs.
PLATFORM_ROLES: Final = (
    "anon", "authenticated", "service_role", "authenticator", "postgres", "dashboard_user", "pgbouncer",
    "supabase_admin", "supabase_auth_admin", "supabase_storage_admin", "supabase_realtime_admin",
    "supabase_functions_admin", "supabase_replication_admin", "supabase_read_only_user", "supabase_etl_admin",
    "supabase_privileged_role", "supabase_superuser", "pgtle_admin", "gateway_console",
)  # fmt: skip


def recreate(admin: SyncConnection, name: str) -> None:
    """Drop a database and make it again; `admin` is the superuser's connection to another one. Raises DatabaseError."""
    admin.rows("select pg_terminate_backend(active_pid) from pg_replication_slots where database = $1 and active", name)
    for (slot,) in admin.rows("select slot_name from pg_replication_slots where database = $1", name):
        admin.rows("select pg_drop_replication_slot($1)", slot)
    admin.script(f"drop database if exists {quote_name(name)} with (force)")
    admin.script(f"create database {quote_name(name)}")
    _remove_roles(admin)


def _remove_roles(admin: SyncConnection) -> None:
    """Remove the project's own roles, and settings with a dot in their names that it gave those of the platform."""
    own = admin.rows(
        "select rolname from pg_roles where rolname !~ '^pg_' and rolname <> all($1::text[]) and not rolsuper"
        " and rolname <> session_user order by 1",
        array_literal(PLATFORM_ROLES),
    )
    for (role,) in own:
        try:
            admin.script(f"drop owned by {quote_name(str(role))}; drop role {quote_name(str(role))}")
        except DatabaseError as error:
            if error.sqlstate != "2BP01":  # it owns something in another database
                raise
    given = admin.rows(
        "select rolname, split_part(setting, '=', 1) from pg_db_role_setting join pg_roles on pg_roles.oid = setrole,"
        " unnest(setconfig) as setting where setdatabase = 0 and split_part(setting, '=', 1) like '%.%'"
    )
    for role, setting in given:
        admin.script(f"alter role {quote_name(str(role))} reset {setting}")
