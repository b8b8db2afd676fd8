"""Whether changes of tables can be read from a database, and what their slot holds back: for `gateway doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import orjson

from gateway.database import SyncConnection
from gateway.realtime.changes.slot import PUBLICATION

_STATE: Final = """
select jsonb_build_object(
  'wal_level', current_setting('wal_level'),
  'bound', (select case setting when '-1' then null else setting::int8 * 1024 * 1024 end
    from pg_settings where name = 'max_slot_wal_keep_size'),
  'reads', coalesce((select bool_or(rolreplication or rolsuper) from pg_roles
    where rolname in ('supabase_replication_admin', current_user)), false),
  'publication', exists (select from pg_publication where pubname = $1),
  'tables', (select count(*) from pg_publication_tables where pubname = $1),
  'keyless', (select coalesce(jsonb_agg(format('%I.%I', schemaname, tablename) order by 1), '[]')
    from pg_publication_tables p where pubname = $1 and not exists (
      select from pg_index where indisprimary
        and indrelid = to_regclass(format('%I.%I', schemaname, tablename)))),
  'full', (select count(*) from pg_replication_slots) >= current_setting('max_replication_slots')::int,
  'slot', (select jsonb_build_object('active', active, 'state', wal_status,
      'held', pg_wal_lsn_diff(pg_current_wal_insert_lsn(), restart_lsn)::int8)
    from pg_replication_slots where database = current_database() and slot_name like 'gateway\\_changes\\_%'))"""


@dataclass(frozen=True, slots=True)
class Shortcoming:
    """What keeps changes from being told, or may; `grave` where they are not told at all."""

    text: str
    advice: str
    grave: bool = False


def examine(connection: SyncConnection) -> tuple[str, list[Shortcoming]]:
    """The state in a sentence, and what is wrong with it. Raises DatabaseError."""
    about = orjson.loads(connection.rows(_STATE, PUBLICATION)[0][0] or "{}")
    slot = about["slot"]
    held = f"; their slot holds back {slot['held'] / 1e6:.0f} MB of the log" if slot else ""
    return f"changes of {about['tables']} tables are published{held}", list(_troubles(about))


def _troubles(about: dict[str, object]) -> Iterator[Shortcoming]:
    used = bool(about["tables"])
    if not about["publication"]:
        yield Shortcoming(f"there is no publication {PUBLICATION}", f"create publication {PUBLICATION}")
    if about["wal_level"] != "logical":
        advice = "alter system set wal_level = logical, then restart Postgres"
        yield Shortcoming(f"wal_level is {about['wal_level']}: changes of tables cannot be read", advice, used)
    if not about["reads"]:
        yield Shortcoming("no login may read the log", "alter role supabase_replication_admin login replication", used)
    if about["bound"] is None:
        advice = "alter system set max_slot_wal_keep_size = '1GB'"
        yield Shortcoming("nothing bounds what a slot holds back: changes are lost when their reader dies", advice)
    slot, bound = about["slot"], about["bound"]
    if about["full"] and slot is None:
        advice = "raise max_replication_slots and restart Postgres, or drop a slot that nobody reads"
        yield Shortcoming("every replication slot is in use", advice, used)
    if isinstance(slot, dict) and isinstance(bound, int) and slot["held"] > bound // 2:
        advice = "a long transaction, or a reader that cannot keep pace: select * from pg_stat_replication_slots"
        yield Shortcoming(f"the slot of changes holds back {slot['held'] / 1e6:.0f} MB of the log", advice, True)
    for name in about["keyless"] if isinstance(about["keyless"], list) else ():
        yield Shortcoming(
            f"{name} has no primary key: its new rows are not told", f"alter table {name} add primary key (…)"
        )
