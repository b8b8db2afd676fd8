"""Putting a copy back, so that a kill at any moment leaves all of the old state or all of the new.

Writers are refused first (gateway/operations/maintenance.py), then a copy of what there is is made: every submission
that was answered with success is in that copy. The load, the check of every table, the erasures since the copy and
the word of the restore are one transaction. The deployed functions are files: they are set out beforehand under the
restore's id, and taken into use once the database has it. `settle` does so after a kill, and ends the maintenance that
it left.
"""

from __future__ import annotations

import json
import os
import shutil
import tarfile
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from gateway import migrations
from gateway.auth.store.audit import Actor, Origin, record
from gateway.database import SyncConnection
from gateway.operations import backup, maintenance, object_copies
from gateway.settings import Settings
from gateway.storage.blobs import StoreUnavailable

SAFETY: Final = "before-restore-"
STAGED: Final = "restore.json"  # beside the versions: whose `versions.new` is
MAINTENANCE_TABLE: Final = "gateway/0080_maintenance.sql"


def restore(
    url: str,
    settings: Settings,
    source: Path,
    folder: Path,
    manifest: Mapping[str, Any],
    copy: Callable[[Path], object],
    tell: Callable[[str, bool], None] = lambda step, can_stop: None,
) -> Path:
    """Put an unpacked copy in place of all there is; where the copy of what there was is.

    `copy` makes that one; `tell` hears what is being done, and whether it may be given up yet without a trace.

    Raises BackupError, MaintenanceError, DatabaseError, DatabaseUnavailable.
    """
    id = str(uuid.uuid4())
    safety = settings.data_dir / "backups" / f"{SAFETY}{backup.file_name(time.time())}"
    with SyncConnection(url, maintenance.HOLDER) as connection:
        settle(connection, settings)
        tell("Waiting for writers to end", True)
        with maintenance.restoring(connection, f"restore of {source.name}", channel=settings.db_channel):
            tell("Copying what there is now", True)
            copy(safety)
            tell("Putting the backup back", True)
            _stage_functions(folder, settings, id)
            _put_objects_back(folder, settings, manifest)
            backup.load(url, folder, manifest, _last_words(connection, source, id))
            tell("Finishing", False)
            _finish_functions(connection, settings)
    backup.prune_safety_copies(settings, time.time())
    return safety


def settle(connection: SyncConnection, settings: Settings) -> bool:
    """Finish what a killed restore left, in this data folder and in the database; whether none is at work now."""
    if not maintenance.settle(connection):
        return False
    _finish_functions(connection, settings)
    return True


def _last_words(connection: SyncConnection, source: Path, id: str) -> str:
    """What the transaction of the load does last, as text for psql."""

    def literal(value: object) -> str:
        return str(connection.rows("select quote_literal($1)", str(value))[0][0])

    erased = []
    for schema in ERASURES:
        if connection.rows("select to_regclass($1)", f"{schema}.erasures") != [(None,)]:
            erased = connection.rows(f"select format('(%L, %L)', digest, at) from {schema}.erasures order by at")
            break
    people = ", ".join(str(row[0]) for row in erased)
    stays = str(maintenance.state(connection).stays).lower()
    traits = {"file": source.name, "restore": id}
    row = record("database_restored", Actor(name="gateway db restore"), Origin(), time.time(), traits=traits)
    audit = row.text
    for number in range(len(row.params), 0, -1):
        audit = audit.replace(f"${number}", literal(_text(row.params[number - 1])))
    return WORDS.format(
        table=(migrations.FOLDER / MAINTENANCE_TABLE).read_text(),
        reason=literal(f"restore of {source.name}"),
        stays=stays,
        are_erased=str(bool(people)).lower(),
        people=people or "('', now())",
        audit=audit,
    )


def _text(value: str | bytes | None) -> str:
    return value.decode() if isinstance(value, bytes) else value or ""


def _put_objects_back(folder: Path, settings: Settings, manifest: Mapping[str, Any]) -> None:
    """Before the rows that name them: what a restore that fails leaves of them is found by the daily check."""
    if "objects" not in manifest:
        return
    try:
        object_copies.put_back(settings, folder / object_copies.OBJECTS, manifest["objects"])
    except (StoreUnavailable, tarfile.TarError) as error:
        raise backup.BackupError(f"the objects cannot be written: {error}") from error


# --- functions --------------------------------------------------------------------------------------------------------


def _stage_functions(folder: Path, settings: Settings, id: str) -> None:
    """Set out the deployed versions of an unpacked copy beside those in use."""
    functions = settings.data_dir / "functions"
    _discard(functions)
    if not (folder / backup.FUNCTIONS).exists():
        return
    aside = functions / "versions.new"
    aside.mkdir(parents=True)
    with tarfile.open(folder / backup.FUNCTIONS) as archive:
        archive.extractall(aside, filter="data")
    note = functions / f"{STAGED}.part"
    note.write_text(json.dumps({"restore": id}))
    os.replace(note, functions / STAGED)


def _finish_functions(connection: SyncConnection, settings: Settings) -> None:
    """Take what was set out into use if the database has that restore, else remove it; safe to repeat."""
    functions = settings.data_dir / "functions"
    aside, target, former = functions / "versions.new", functions / "versions", functions / "versions.former"
    with suppress(OSError, ValueError, KeyError):
        note = json.loads((functions / STAGED).read_text())
        if aside.exists() and _is_restored(connection, note["restore"]):
            if target.exists():
                shutil.rmtree(former, ignore_errors=True)
                os.replace(target, former)
            os.replace(aside, target)
    _discard(functions)


def _is_restored(connection: SyncConnection, id: str) -> bool:
    """Whether the database has the content of a restore, which its audit log says."""
    if connection.rows("select to_regclass('auth.audit_log_entries')") == [(None,)]:
        return False
    found = "select from auth.audit_log_entries where payload #>> '{traits,restore}' = $1"
    return bool(connection.rows(found, id))


def _discard(functions: Path) -> None:
    (functions / STAGED).unlink(missing_ok=True)
    for name in ("versions.new", "versions.former"):
        shutil.rmtree(functions / name, ignore_errors=True)


# Where the list of erasures is; the second up to version 0.6.
ERASURES: Final = ("gateway", "private")

# Where the copy is from before erasures were kept, nobody who was erased since may come back with it.
WORDS: Final = """
select to_regnamespace('gateway') is not null as is_ours, to_regclass('gateway.erasures') is not null as keeps,
  to_regclass('gateway.erasures') is null and to_regclass('private.erasures') is not null as kept,
  {are_erased} and coalesce(to_regclass('gateway.erasures'), to_regclass('private.erasures')) is null as forgets,
  to_regclass('auth.audit_log_entries') is not null as audits \\gset
\\if :is_ours
{table}
insert into gateway.maintenance (kind, reason, stays) values ('restore', {reason}, {stays})
on conflict (only_one) do update set kind = 'restore', reason = {reason}, since = clock_timestamp(), stays = {stays};
\\endif
\\if :forgets
do $$ begin
  raise exception 'the copy is from before erasures were kept, and would bring back people who were erased since';
end $$;
\\endif
\\if :keeps
insert into gateway.erasures (digest, at)
select digest, at::timestamptz from (values {people}) as erased (digest, at) where digest <> ''
on conflict on constraint erasures_pkey do nothing;
select gateway.erase_again();
\\endif
\\if :kept
insert into private.erasures (digest, at)
select digest, at::timestamptz from (values {people}) as erased (digest, at) where digest <> ''
on conflict on constraint erasures_pkey do nothing;
select private.erase_again();
\\endif
\\if :audits
{audit};
\\endif
"""
