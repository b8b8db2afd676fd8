"""The slot from which changes are read, and who may read it: one process, by an advisory lock on the same connection.

Where the server bounds what a slot may hold back (`max_slot_wal_keep_size`), the slot outlives its reader, and the next
one goes on where the last one stopped. Where it does not, the slot is temporary: it ends with its connection, so that
nothing can fill the disk, and changes between two readers are lost, which their subscribers are told.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from gateway.database import DatabaseError, DatabaseUnavailable
from gateway.database.replication import ReplicationConnection, lsn_of
from gateway.database.statement import quote_literal

PUBLICATION: Final = "supabase_realtime"
LOCK: Final = int.from_bytes(b"changes!")
APPLICATION: Final = "gateway realtime reader"  # and its process, for who looks at pg_stat_replication
BUSY: Final = "55006"  # the slot's last reader has not gone yet
MISSING_PUBLICATION: Final = "42704"
REMEDY: Final = "`alter role supabase_replication_admin login replication` gives the right"
# What a server says at once to who may not replicate; libpq keeps no code of it.
DENIED: Final = ("walsender", "WAL sender", "no pg_hba.conf entry for replication", "does not support replication")

_FACTS: Final = f"""
select jsonb_build_object(
  'wal_level', current_setting('wal_level'),
  'bound', (select case setting when '-1' then null else setting::int8 * 1024 * 1024 end
    from pg_settings where name = 'max_slot_wal_keep_size'),
  'standby', pg_is_in_recovery(),
  'slot', 'gateway_changes_' || d.oid,
  'publication', exists (select from pg_publication where pubname = '{PUBLICATION}'),
  'found', (select jsonb_build_object('plugin', plugin, 'temporary', temporary, 'state', wal_status,
      'confirmed', confirmed_flush_lsn, 'database', database)
    from pg_replication_slots where slot_name = 'gateway_changes_' || d.oid))
from pg_database d where datname = current_database()"""


class CannotRead(Exception):
    """Changes cannot be read here; the message says what to set. Trying again helps once that was done."""


@dataclass(frozen=True, slots=True)
class OpenSlot:
    """An open slot: where reading begins, whether it outlives the connection, and how many bytes of the log it may hold
    back, None for no bound."""

    connection: ReplicationConnection
    name: str
    since: int
    lasting: bool
    bound: int | None = None


async def take(urls: Sequence[str], anew: bool = False) -> OpenSlot | None:
    """Become the reader, by the first of the logins that may; None where another process is. The stream is begun,
    where `anew` with a new slot.

    Raises CannotRead, DatabaseError, DatabaseUnavailable.
    """
    connection = await _connect(urls)
    try:
        locked = await connection.command(f"select pg_try_advisory_lock({LOCK})")
        if locked.value != b"t":
            connection.close()
            return None
        slot = await _open(connection, anew)
        await connection.start(slot.name, 0, (PUBLICATION,))
    except DatabaseError as error:
        connection.close()
        if error.sqlstate == BUSY:
            return None
        if error.sqlstate == "42501":
            raise CannotRead(f"the database refuses: {error.message}; {REMEDY}") from error
        if error.sqlstate == "53400":
            raise CannotRead("every replication slot is in use: raise max_replication_slots") from error
        raise
    except BaseException:
        connection.close()
        raise
    return slot


async def _connect(urls: Sequence[str]) -> ReplicationConnection:
    refused = ""
    for url in urls:
        try:
            return await ReplicationConnection.open(url, f"{APPLICATION} {os.getpid()}")
        except DatabaseUnavailable as error:
            if not any(word in error.reason for word in DENIED):
                raise
            refused = error.reason
    if "max_wal_senders" in refused:
        raise CannotRead("every WAL sender is in use: raise max_wal_senders")
    raise CannotRead(f"no login may read the log ({refused}): {REMEDY}")


async def _open(connection: ReplicationConnection, anew: bool) -> OpenSlot:
    facts = orjson.loads((await connection.command(_FACTS)).value or b"{}")
    if facts["wal_level"] != "logical":
        raise CannotRead(
            f"wal_level is {facts['wal_level']}: `alter system set wal_level = logical`, then restart Postgres"
        )
    if facts["standby"]:
        raise CannotRead("the database is a standby")
    if not facts["publication"]:
        raise CannotRead(f"there is no publication: `create publication {PUBLICATION}`")
    name, found, bound = facts["slot"], facts["found"], facts["bound"]
    lasting = bound is not None
    if found and (anew or not lasting or found["state"] == "lost" or found["plugin"] != "pgoutput"):
        await drop(connection, name)
        found = None
    if found:
        return OpenSlot(connection, name, lsn_of(found["confirmed"]), True, bound)
    made = await connection.command(
        f"select lsn from pg_create_logical_replication_slot({quote_literal(name)}, 'pgoutput', {not lasting})"
    )
    return OpenSlot(connection, name, lsn_of((made.value or b"0/0").decode()), lasting, bound)


async def drop(connection: ReplicationConnection, name: str) -> None:
    """Drop a slot that nobody reads. Raises DatabaseError, DatabaseUnavailable."""
    await connection.command(f"select pg_drop_replication_slot({quote_literal(name)})")


async def drop_idle(urls: Sequence[str]) -> None:
    """Drop what a reader has left, unless another one is at work. Raises what `take` raises."""
    connection = await _connect(urls)
    try:
        if (await connection.command(f"select pg_try_advisory_lock({LOCK})")).value != b"t":
            return
        await connection.command(
            "select pg_drop_replication_slot(slot_name) from pg_replication_slots, pg_database d"
            " where slot_name = 'gateway_changes_' || d.oid and datname = current_database() and not active"
        )
    finally:
        connection.close()
