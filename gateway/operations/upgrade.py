"""The embedded database of an older Postgres, taken over into one of this gateway's version.

The old server's content goes through a copy as `gateway db dump --archive` makes it into a new cluster beside the old
one, every table is compared, and only then does the new cluster take the old one's place. Whatever ends it before
leaves the old cluster as it was. What belongs to the server and is in no copy (passwords of roles, settings of the
database) is taken over too.
"""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gateway.database import SyncConnection
from gateway.database.embedded import DATA, UPGRADED, VERSION, EmbeddedError, EmbeddedPostgres
from gateway.operations import backup
from gateway.settings import Settings
from gateway.system.scratch import scratch

NEW: Final = "postgres.new"


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What was done."""

    before: int
    former: Path
    copy: Path
    tables: int
    rows: int


def upgrade(settings: Settings) -> Upgrade | None:
    """Upgrade the embedded cluster; None where there is nothing to do.

    Raises EmbeddedError, BackupError, DatabaseError, DatabaseUnavailable; the old cluster is then as it was.
    """
    folder = settings.data_dir.resolve()
    before = _version(folder / DATA)
    if before is None or before == VERSION:
        return None
    try:
        old = EmbeddedPostgres(folder, before)
    except EmbeddedError as error:
        raise EmbeddedError(
            f"{error}: `gateway db dump --archive FILE` with the gateway that made {folder / DATA}, move that folder"
            " away, then `gateway db restore FILE` with this one"
        ) from error
    shutil.rmtree(folder / NEW, ignore_errors=True)
    shutil.rmtree(folder / UPGRADED, ignore_errors=True)
    copy = folder / "backups" / f"before-upgrade-{backup.file_name(time.time())}"
    try:
        old.start()
        with SyncConnection(old.url()) as connection:
            others = [str(row[0]) for row in connection.rows(OTHER_DATABASES)]
            if others:
                raise EmbeddedError(
                    f"the server has further databases, which would be left behind: {', '.join(others)};"
                    " dump and drop them first"
                )
            extras = "".join(f"{row[0]};\n" for row in connection.rows(EXTRAS))
        manifest = backup.dump(old.url(), settings, copy, objects=False)  # which stay where they are
    finally:
        old.stop()
    new = EmbeddedPostgres(folder, name=NEW)
    try:
        new.start()
        with scratch() as parts:
            backup.unpack(copy, parts, settings)
            backup.load(new.url(), parts, manifest)
        with SyncConnection(new.url()) as connection:
            connection.script(extras)
        with SyncConnection(new.url()) as connection:
            connection.script("vacuum analyze")
    finally:
        new.stop()
    former = folder / f"{DATA}.{before}-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}"
    # In this order a kill between any two steps leaves a whole cluster that the next start finds.
    os.replace(folder / NEW, folder / UPGRADED)
    os.replace(folder / DATA, former)
    os.replace(folder / UPGRADED, folder / DATA)
    tables = manifest["tables"].values()
    return Upgrade(before, former, copy, len(tables), sum(table["rows"] for table in tables))


def _version(data: Path) -> int | None:
    try:
        return int((data / "PG_VERSION").read_text())
    except FileNotFoundError:
        return None


OTHER_DATABASES: Final = (
    "select datname from pg_database where not datistemplate and datname <> current_database() order by 1"
)

# A statement a row: what no dump of a database has.
EXTRAS: Final = r"""
  select format('alter role %I password %L', rolname, rolpassword) from pg_authid
  where rolpassword is not null and rolname !~ '^pg_'
  union all
  select format(
    -- lists are kept ready quoted
    case when setting ~ '^[^=]*(_path|_libraries|_tablespaces)=' then 'alter %s set %I to %s'
      else 'alter %s set %I to %L' end,
    case when setrole = 0 then format('database %I', current_database())
      else format('role %I in database %I', pg_get_userbyid(setrole), current_database()) end,
    split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1)
  )
  from pg_db_role_setting, unnest(setconfig) as setting
  where setdatabase = (select oid from pg_database where datname = current_database())
"""
