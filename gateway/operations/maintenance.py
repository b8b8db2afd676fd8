"""Maintenance mode: reads go on, writes are refused, whichever gateway, job worker or program they come through.

The mark is a setting of the database itself, `default_transaction_read_only`: Postgres refuses every write of a session
that began under it. Sessions from before are waited for: gateways replace theirs when they are notified, what is left
after a grace is ended. When `begin` returns, every write that was answered is committed and no other can be, so a copy
made now has all of them. `end` replaces the sessions again.

Who holds the advisory lock is at work on a restore. A mark of a restore that nobody holds was left by one that was
killed: `settle` ends it, for the restore itself is one transaction.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from gateway.database import RENEW_SESSIONS, DatabaseError, SyncConnection

GRACE: Final = 3.0  # seconds that a session may take over what it is doing
IDLE_GRACE: Final = 0.5  # seconds that a gateway has to replace its idle sessions itself
END_LIMIT: Final = 30.0  # seconds that an ended session may take to be gone
LOOK: Final = 0.05  # seconds
HOLDER: Final = "gateway restore"  # application name of a restore's sessions
LOCK: Final = str(int.from_bytes(b"restore", "big"))
WATCHED_CHANNEL: Final = "pgrst"


class MaintenanceError(Exception):
    """Maintenance mode cannot be begun or ended; the message is one line that says why."""


@dataclass(frozen=True, slots=True)
class Maintenance:
    """Whether writes are refused and why. `is_left` says that whoever began it is gone and it can be ended."""

    is_on: bool
    kind: str = ""
    reason: str = ""
    since: str = ""
    is_left: bool = False
    stays: bool = False

    def __str__(self) -> str:
        if not self.is_on:
            return "off"
        since = f" since {self.since}" if self.since else ""
        left = ", left by a restore that was killed" if self.is_left else ""
        return f"on{since}: {self.reason or 'no reason given'}{left}"


def state(connection: SyncConnection) -> Maintenance:
    """How it is now. Raises DatabaseError."""
    is_on = bool(connection.rows(IS_ON))
    if not _has_table(connection):
        return Maintenance(is_on)
    rows = connection.rows(
        "select kind, reason, to_char(since at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), stays"
        " from gateway.maintenance"
    )
    if not rows:
        return Maintenance(is_on)
    kind, reason, since, stays = (str(value) for value in rows[0])
    is_left = is_on and kind == "restore" and not connection.rows(IS_HELD)
    return Maintenance(is_on, kind, reason, since, is_left, stays == "t")


def begin(connection: SyncConnection, kind: str, reason: str, *, channel: str = WATCHED_CHANNEL) -> None:
    """Refuse writes from now on; returns when every session from before is gone.

    Raises MaintenanceError, with writes taken as before, and DatabaseError.
    """
    connection.script("set default_transaction_read_only = off")  # this session is the one that writes
    for sql, reason_why in OBSTACLES.items():
        found = connection.rows(sql)
        if found:
            raise MaintenanceError(reason_why.format(found[0][0]))
    before = state(connection)
    stays = before.is_on and not before.is_left and (before.kind == "operator" or before.stays)
    with connection.transaction():
        if _has_table(connection):
            connection.rows(NOTE, kind, reason, str(stays).lower())
        _switch(connection, True)
    try:
        replace_sessions(connection, channel)
    except BaseException:
        if not before.is_on:
            with connection.transaction():
                if _has_table(connection):
                    connection.rows("delete from gateway.maintenance")
                _switch(connection, False)
        raise


def end(connection: SyncConnection, *, channel: str = WATCHED_CHANNEL) -> None:
    """Take writes again; returns when no session is left that refuses them. Raises MaintenanceError, DatabaseError."""
    connection.script("set default_transaction_read_only = off")
    with connection.transaction():
        if _has_table(connection):
            connection.rows("delete from gateway.maintenance")
        _switch(connection, False)
    replace_sessions(connection, channel)


@contextmanager
def restoring(connection: SyncConnection, reason: str, *, channel: str = WATCHED_CHANNEL) -> Iterator[None]:
    """Refuse writes while a restore is at work. Raises MaintenanceError where another one is."""
    hold(connection)
    try:
        begin(connection, "restore", reason, channel=channel)
        try:
            yield
        finally:
            if state(connection).stays:
                connection.rows("update gateway.maintenance set kind = 'operator'")
            else:
                end(connection, channel=channel)
    finally:
        release(connection)


def hold(connection: SyncConnection) -> None:
    """Be the one restore of this database. Raises MaintenanceError where another one is at work."""
    if connection.rows("select pg_try_advisory_lock($1::bigint)", LOCK) != [("t",)]:
        raise MaintenanceError("another restore of this database is at work")


def release(connection: SyncConnection) -> None:
    """Be it no longer."""
    connection.rows("select pg_advisory_unlock($1::bigint)", LOCK)


def settle(connection: SyncConnection) -> bool:
    """End what a killed restore left: its sessions, and the mark unless an operator's was there before.

    Whether that is done: not while a restore is at work.
    """
    if connection.rows("select pg_try_advisory_lock($1::bigint)", LOCK) != [("t",)]:
        return False
    try:
        _end_sessions(connection, {str(row[0]) for row in connection.rows(LEFT_SESSIONS)})
        found = state(connection)
        if found.is_on and found.kind == "restore":
            connection.script("set default_transaction_read_only = off")
            if found.stays:
                connection.rows("update gateway.maintenance set kind = 'operator'")
            else:
                end(connection)
        return True
    finally:
        release(connection)


def replace_sessions(connection: SyncConnection, channel: str = WATCHED_CHANNEL) -> None:
    """Have every other session of this database ended that may have begun under other settings.

    Raises MaintenanceError naming one that cannot be ended.
    """
    # In this order: one that starts shows first by its lock on the database, which it lets go of once it is in the
    # list of sessions; it reads the settings while it has that lock.
    starting = connection.rows(STARTING)
    pids = {str(row[0]) for row in (*starting, *connection.rows(SESSIONS))}
    connection.rows("select pg_notify($1, $2)", channel, RENEW_SESSIONS)
    _end_sessions(connection, pids, GRACE, IDLE_GRACE)


def _end_sessions(connection: SyncConnection, pids: set[str], grace: float = 0.0, idle_grace: float = 0.0) -> None:
    """Wait for sessions to go, and end those that do not within their grace."""
    listed = "{" + ",".join(sorted(pids)) + "}"
    started = time.monotonic()
    asked: set[str | None] = set()
    while left := connection.rows(f"{SESSIONS} and pid = any ($1::integer[])", listed):
        waited = time.monotonic() - started
        for pid, name, activity in left:
            if pid not in asked and waited >= (idle_grace if activity == "idle" else grace):
                asked.add(pid)
                try:
                    connection.rows("select pg_terminate_backend($1::integer)", pid)
                except DatabaseError as error:
                    raise MaintenanceError(
                        f"session {pid} of {name} may still write and cannot be ended: {error.message}"
                    ) from error
        if waited > grace + END_LIMIT:
            raise MaintenanceError(f"session {left[0][0]} of {left[0][1]} does not end")
        time.sleep(LOOK)


def _has_table(connection: SyncConnection) -> bool:
    """Whether there is a place for the reason: not in a database that was never migrated, or not so far."""
    return connection.rows("select to_regclass('gateway.maintenance')") != [(None,)]


def _switch(connection: SyncConnection, is_on: bool) -> None:
    change = "set default_transaction_read_only = on" if is_on else "reset default_transaction_read_only"
    name = connection.rows("select quote_ident(current_database())")[0][0]
    connection.script(f"alter database {name} {change}")


_HERE: Final = "(select oid from pg_database where datname = current_database())"
IS_ON: Final = (
    f"select from pg_db_role_setting where setdatabase = {_HERE} and setrole = 0"
    " and 'default_transaction_read_only=on' = any (setconfig)"
)
IS_HELD: Final = (
    "select from pg_locks where locktype = 'advisory' and granted and objsubid = 1"
    f" and database = {_HERE} and (classid::bigint << 32 | objid::bigint) = {LOCK}"
)
NOTE: Final = """
  insert into gateway.maintenance (kind, reason, stays) values ($1, $2, $3::boolean)
  on conflict (only_one) do update set kind = $1, reason = $2, stays = $3::boolean,
    since = case when $3::boolean then maintenance.since else clock_timestamp() end
"""
STARTING: Final = (
    "select pid from pg_locks where locktype = 'object' and classid = 'pg_database'::regclass"
    f" and objid = {_HERE} and pid <> pg_backend_pid()"
)
# Who may not look sees neither the kind of a session nor what it does.
SESSIONS: Final = (
    "select pid, coalesce(usename, 'somebody'), state from pg_stat_activity where pid <> pg_backend_pid()"
    f" and (datid = {_HERE} and coalesce(backend_type, 'client backend') = 'client backend'"
    " or datid is null and backend_type = 'client backend')"
)
LEFT_SESSIONS: Final = f"{SESSIONS} and application_name = '{HOLDER}'"
# What would write all the same, and what to say of it.
OBSTACLES: Final = {
    "select rolname from pg_db_role_setting join pg_roles on pg_roles.oid = setrole"
    f" where setdatabase in (0, {_HERE}) and exists (select from unnest(setconfig) as one"
    " where one ~* '^default_transaction_read_only=(off|false|f|no|n|0)$')": (
        "the role {0} has a default_transaction_read_only of its own: `alter role {0} reset"
        " default_transaction_read_only` first"
    ),
    "select gid from pg_prepared_xacts where database = current_database()": (
        "the prepared transaction {0} may be committed at any time: commit it or roll it back first"
    ),
}
