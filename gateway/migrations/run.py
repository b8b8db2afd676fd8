"""Brings a database to the schema of the gateway and of the application on it.

In: sets of migrations (`files.py`), the gateway's first. Out: the same tables in any Postgres 15 or newer. A migration
runs once, in a transaction of its own; its set's ledger keeps its name and the checksum of its text. Every set is
looked over before the first file runs: an edited or unknown migration of any of them stops all. What was applied is
never edited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import gateway.migrations.ledger as ledger
from gateway.migrations.connection import Connection, transaction
from gateway.migrations.errors import ApplicationMissing, MigrationFailed
from gateway.migrations.files import Migration, MigrationSet

# Any fixed number: it only has to be the same in every process that migrates this database.
_LOCK: Final = str(int.from_bytes(b"gateway", "big"))
# A project's own event triggers are not the platform's to run: one that fails would keep it from being upgraded.
_OWN_TRIGGERS: Final = """
  select quote_ident(evtname) from pg_event_trigger
  join pg_proc p on p.oid = evtfoid join pg_roles r on r.oid = p.proowner
  where not r.rolsuper and evtenabled = 'O' and exists (select from pg_roles where rolname = current_user and rolsuper)
"""


@dataclass(frozen=True, slots=True)
class _Ledger:
    """What a ledger has, and what it stands for now."""

    files: MigrationSet
    before: dict[str, str]
    after: dict[str, str]

    @property
    def pending(self) -> list[Migration]:
        return [migration for migration in self.files.migrations if migration.name not in self.after]


def pending(conn: Connection, sets: Sequence[MigrationSet]) -> list[str]:
    """Names of the migrations still to run. Raises ApplicationMissing, MigrationEdited, DatabaseNewer."""
    return [migration.name for found in _look(conn, sets) for migration in found.pending]


def migrate(conn: Connection, sets: Sequence[MigrationSet]) -> list[str]:
    """Applies what is pending and returns the names; safe to call from several processes at once.

    Raises what `pending` raises, and MigrationFailed with everything before the failed file applied.
    """
    applied = []
    while (name := _apply_next(conn, sets)) is not None:
        applied.append(name)
    return applied


def _apply_next(conn: Connection, sets: Sequence[MigrationSet]) -> str | None:
    # The lock is taken and the ledgers read inside the transaction that applies the next file: a second process waits,
    # then sees the file as applied. It also holds through a transaction pooler.
    with transaction(conn):
        conn.rows("select pg_advisory_xact_lock($1::bigint)", _LOCK)
        ledgers = _look(conn, sets)
        following = next(((each.files.ledger, migration) for each in ledgers for migration in each.pending), None)
        if following is None and all(each.before == each.after for each in ledgers):
            return None
        ledger.ensure(conn)
        for each in ledgers:
            ledger.write(conn, each.files.ledger, each.before, each.after)
        if following is None:
            return None
        name, migration = following
        try:
            paused = [str(trigger) for (trigger,) in conn.rows(_OWN_TRIGGERS)]
            conn.script("".join(f"alter event trigger {trigger} disable;" for trigger in paused))
            conn.script(migration.sql)
            conn.script("".join(f"alter event trigger {trigger} enable;" for trigger in paused))
            ledger.add(conn, name, migration)
        except Exception as cause:
            raise MigrationFailed(migration.name, cause) from cause
    return migration.name


def _look(conn: Connection, sets: Sequence[MigrationSet]) -> list[_Ledger]:
    """Every set's ledger as it is and as it is to be. Raises ApplicationMissing, MigrationEdited, DatabaseNewer."""
    found = {files.ledger: ledger.read(conn, files.ledger) for files in sets}
    moved: dict[str, str] = {}
    ledgers = []
    for files in sets:
        before = found[files.ledger]
        applied = before
        if files.ledger == ledger.PLATFORM:
            applied, moved = ledger.parted(files, before)
        elif files.ledger == ledger.APPLICATION:
            applied = {**moved, **before}
        ledgers.append(_Ledger(files, before, ledger.renamed(files, applied)))
    if ledger.APPLICATION not in found and (kept := {**moved, **ledger.read(conn, ledger.APPLICATION)}):
        raise ApplicationMissing(sorted(kept))
    return ledgers
