"""What a database has of a project: its tables with their rows, and what of it no dump carries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from gateway.database import SyncConnection
from gateway.operations.transfer.rules import PLATFORM, RESERVED, Destination, wants_rows


@dataclass(frozen=True, slots=True)
class Left:
    """What no dump carries, by name: secrets, scheduled jobs and queues."""

    secrets: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()


def target_of(connection: SyncConnection, as_calls: Callable[[str], str] | None = None) -> Destination:
    """What is there before anything is loaded. Raises DatabaseError."""

    def names(sql: str) -> set[str]:
        return {str(row[0]) for row in connection.rows(sql)}

    return Destination(
        names("select rolname from pg_roles"),
        names("select name from pg_available_extensions"),
        names("select nspname from pg_namespace"),
        {(str(table), str(name)) for table, name in connection.rows(POLICIES)},
        names("select proname from pg_proc where pronamespace = to_regnamespace('auth')"),
        names("select pubname from pg_publication"),
        {str(name) for schema, name in connection.rows(INDEXES) if schema in PLATFORM},
        as_calls if connection.rows(IS_OURS) == [("t",)] else None,
    )


def elsewhere(connection: SyncConnection) -> Destination:
    """What any project has that is still empty. Raises DatabaseError."""
    return Destination(RESERVED, target_of(connection).extensions, (), ())


def rows_of(connection: SyncConnection) -> dict[str, int]:
    """Rows of each table that moves, by `schema.name`. Raises DatabaseError."""
    found = {}
    for name, quoted in connection.rows(TABLES):
        table = str(name)
        if wants_rows(table):
            found[table] = int(connection.rows(f"select count(*) from only {quoted}")[0][0] or 0)
    return found


def missing_columns(connection: SyncConnection, table: str, columns: Sequence[str]) -> tuple[str, ...]:
    """Of some columns those that a table does not have, or makes itself. Raises DatabaseError."""
    schema, _, name = table.partition(".")
    known = connection.rows(
        "select attname from pg_attribute where attrelid = to_regclass(format('%I.%I', $1::text, $2::text))"
        " and attnum > 0 and not attisdropped and attgenerated = ''",
        schema,
        name,
    )
    return tuple(column for column in columns if (column,) not in known) if known else ()


def unused_triggers(connection: SyncConnection) -> tuple[str, ...]:
    """Functions of the project's for triggers that no trigger calls. Raises DatabaseError."""
    return tuple(str(name) for schema, name in connection.rows(UNUSED) if str(schema) not in PLATFORM)


def own_tables(connection: SyncConnection) -> set[str]:
    """Tables in schemas of the project's. Raises DatabaseError."""
    return {str(name) for name, _ in connection.rows(TABLES) if str(name).partition(".")[0] not in PLATFORM}


def left_behind(connection: SyncConnection) -> Left:
    """What of a source is not in its dump. Raises DatabaseError."""

    def names(table: str, column: str) -> tuple[str, ...]:
        readable = connection.rows(
            "select to_regclass($1) is not null and has_table_privilege(to_regclass($1), 'select')", table
        )
        if readable != [("t",)]:
            return ()
        return tuple(str(row[0]) for row in connection.rows(f"select {column} from {table} where {column} is not null"))

    return Left(names("vault.secrets", "name"), names("cron.job", "jobname"), names("pgmq.meta", "queue_name"))


TABLES: Final = """
  select nspname || '.' || relname, format('%I.%I', nspname, relname)
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind = 'r' and relpersistence <> 't' and nspname !~ '^pg_' and nspname <> 'information_schema'
    and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
  order by 1
"""
UNUSED: Final = """
  select n.nspname, format('%I.%I', n.nspname, p.proname) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where p.prorettype = 'trigger'::regtype and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and not exists (select from pg_trigger where tgfoid = p.oid)
    and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
  order by 2
"""
# Whether what Postgres keeps for superusers can be had by the platform's functions.
IS_OURS: Final = """
  select coalesce(
    has_function_privilege(to_regprocedure('gateway.make_event_trigger(text,text,text[],regprocedure)'), 'execute')
    and has_schema_privilege('gateway', 'usage'), false)
"""
INDEXES: Final = "select schemaname, indexname from pg_indexes"
POLICIES: Final = "select schemaname || '.' || tablename, policyname from pg_policies"
