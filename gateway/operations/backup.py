"""Copies of everything: make one, prove that it can be read back, put it back.

A copy is one tar file: `manifest.json` (versions, migrations, rows and a digest of each table, checksum of each part),
`database.dump` (pg_dump's own format), `roles.sql`, `settings.json` (no secrets), `functions.tar` (deployed versions),
`objects.tar` (the bytes of objects).
It is written aside and renamed, so that a copy that fails leaves the one before it alone. Keys are not in it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import tarfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from functions_runner.logs import timestamp

from gateway import migrations
from gateway.database import SyncConnection, command_line
from gateway.database.embedded import EmbeddedError, EmbeddedPostgres, client_program
from gateway.encryption.files import WrongKey, decrypt, encrypt, is_encrypted, parse_key
from gateway.migrations import MigrationSet, ledger
from gateway.operations import extension_owners, object_copies
from gateway.operations.maintenance import HOLDER
from gateway.operations.object_copies import OBJECTS
from gateway.settings import Settings
from gateway.storage.blobs import StoreUnavailable
from gateway.system.processes import child_of_this_process
from gateway.system.scratch import scratch

FORMAT: Final = 1
SUFFIX: Final = ".gateway.tar"
MANIFEST: Final = "manifest.json"
DATABASE: Final = "database.dump"
ROLES_FILE: Final = "roles.sql"
SETTINGS: Final = "settings.json"
FUNCTIONS: Final = "functions.tar"
WHOLE: Final = "whole"  # all of them in one, in a scratch folder


class BackupError(Exception):
    """The copy cannot be made, trusted or put back; the message is one line that says why."""


def dump(url: str, settings: Settings, target: Path, *, objects: bool = True) -> dict[str, Any]:
    """Write a copy, without `objects` of the database alone; its manifest.

    Raises BackupError, DatabaseError, DatabaseUnavailable.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with scratch(target.parent) as folder:
        with SyncConnection(url) as connection, object_copies.held(connection):
            connection.script("set row_security = off; set timezone = 'UTC'")
            # One snapshot for the dump and for what the manifest says of it, however much is written meanwhile.
            connection.script("begin isolation level repeatable read read only")
            snapshot = str(connection.rows("select pg_export_snapshot()")[0][0])
            database, secret = command_line(url)
            options = ["--format=custom", f"--snapshot={snapshot}", f"--file={folder / DATABASE}"]
            _run("pg_dump", database, *options, **secret)
            (folder / ROLES_FILE).write_text("".join(f"{row[0]}\n" for row in connection.rows(ROLES)))
            manifest = describe(connection)
            if objects and settings.backup_objects and object_copies.is_there(connection):
                try:
                    manifest["objects"] = object_copies.pack(connection, settings, folder / OBJECTS)
                except StoreUnavailable as error:
                    raise BackupError(f"the objects cannot be read: {error}") from error
            connection.script("commit")
        (folder / SETTINGS).write_text(json.dumps(public_settings(settings), indent=2, sort_keys=True))
        _pack(settings.data_dir / "functions" / "versions", folder / FUNCTIONS)
        manifest["files"] = {path.name: checksum(path) for path in sorted(folder.iterdir())}
        (folder / MANIFEST).write_text(json.dumps(manifest, indent=2))
        whole = folder / WHOLE
        with tarfile.open(whole, "w") as archive:
            for name in (MANIFEST, *manifest["files"]):
                archive.add(folder / name, name)
        os.chmod(whole, 0o600)
        if key := parse_key(settings.backup_key):
            encrypt(whole, folder / "sealed", key)
            whole = folder / "sealed"
        with whole.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(whole, target)
    return manifest


def unpack(source: Path, folder: Path, settings: Settings | None = None, *, objects: bool = True) -> dict[str, Any]:
    """Take a copy apart into a folder and hold every part against its checksum; the manifest. Raises BackupError.

    `settings` have the key of one that is encrypted. Without `objects` their bytes are left where they are.
    """
    try:
        with tarfile.open(_opened(source, folder, parse_key(settings.backup_key) if settings else b"")) as archive:
            wanted = [member for member in archive if objects or member.name != OBJECTS]
            archive.extractall(folder, wanted, filter="data")
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
        files: dict[str, str] = manifest["files"]
        format: int = manifest["format"]
    except (OSError, tarfile.TarError, ValueError, KeyError) as error:
        raise BackupError(f"{source} is no whole copy: {error}") from None
    if format > FORMAT:
        raise BackupError(f"{source} was made by a newer gateway (format {format}, this one reads {FORMAT})")
    for name, expected in files.items():
        if name == OBJECTS and not objects:
            continue
        if not (folder / name).is_file() or checksum(folder / name) != expected:
            raise BackupError(f"{source} is damaged: {name} is not what was written")
    return manifest


def _opened(source: Path, folder: Path, key: bytes) -> Path:
    """The copy itself, decrypted into a folder where it is encrypted. Raises BackupError, OSError."""
    if not is_encrypted(source):
        return source
    if not key:
        raise BackupError(f"{source} is encrypted: set GATEWAY_BACKUP_KEY to its key")
    try:
        decrypt(source, folder / WHOLE, key)
    except WrongKey:
        raise BackupError(f"{source} is encrypted with another key than GATEWAY_BACKUP_KEY, or damaged") from None
    return folder / WHOLE


def look_over(source: Path, settings: Settings) -> dict[str, Any]:
    """Check a copy's checksums and that its dump can be listed; the manifest. Raises BackupError."""
    with scratch() as folder:
        manifest = unpack(source, folder, settings)
        _run("pg_restore", "--list", str(folder / DATABASE))
    return manifest


def verify(source: Path, settings: Settings) -> dict[str, Any]:
    """Restore a copy into a throw-away Postgres and compare every table; the manifest. Raises BackupError."""
    with scratch() as folder, scratch() as server:
        manifest = unpack(source, folder, settings)
        postgres = EmbeddedPostgres(server / "p")
        try:
            postgres.start()
            load(postgres.url(), folder, manifest)
            if "objects" in manifest:
                with SyncConnection(postgres.url()) as connection:
                    object_copies.verify(connection, folder / OBJECTS, manifest["objects"])
        except (EmbeddedError, object_copies.ObjectsDiffer) as error:
            raise BackupError(str(error)) from error
        finally:
            postgres.stop()
    return manifest


def refuse_newer(manifest: Mapping[str, Any], connection: SyncConnection, sets: Sequence[MigrationSet]) -> None:
    """Refuse what this program or this server would not understand. Raises BackupError."""
    if unknown := migrations.unknown(sets, manifest["migrations"], manifest.get("application_migrations", [])):
        raise BackupError(f"the copy is of a newer version of this application: {unknown[-1]} is not known here")
    theirs, ours = int(manifest["postgres"]) // 10_000, int(_version(connection)) // 10_000
    if theirs > ours:
        raise BackupError(f"the copy is of Postgres {theirs}, newer than this server's {ours}")


def load(url: str, folder: Path, manifest: Mapping[str, Any], last: str = "") -> None:
    """Replace all of a database by an unpacked copy and run `last`, in one transaction, or raise BackupError.

    It is committed only if every table is as the manifest says. What is there before can be read meanwhile: it is set
    aside by name, and dropped at the end. That is not so where extensions are in the way, whose names are the whole
    database's.
    """
    _run("pg_restore", f"--file={folder / 'database.sql'}", str(folder / DATABASE))
    extension_owners.keep(folder / "database.sql", manifest.get("extensions", {}))
    with SyncConnection(url) as connection:
        first = "".join(f"{row[0]};\n" for row in connection.rows(GLOBAL_NAMES))
        names = connection.rows(SCHEMAS)
        in_the_way = connection.rows(EXTENSIONS.format(is_used=""))
        extensions = ", ".join(str(row[0]) for row in (*connection.rows(EXTENSIONS.format(is_used="not")), *in_the_way))
        if int(_version(connection)) < 170_000:
            _drop_line(folder / "database.sql", b"SET transaction_timeout = 0;\n")
        expected = connection.rows("select quote_literal($1)", json.dumps(manifest["tables"]))[0][0]
    if in_the_way:
        # together, for some need others, and before the schemas, of which some are their own
        first += LOCK.replace("$NAMED", "") + f"drop extension {extensions} cascade;\n"
        first += "".join(f"drop schema if exists {name} cascade;\n" for name, _ in names)
        drop = ""
    else:
        first += f"drop extension {extensions};\n" if extensions else ""
        first += "".join(f"alter schema {name} rename to {aside};\n" for name, aside in names)
        drop = f"drop schema {', '.join(str(aside) for _, aside in names)} cascade;\n"
        drop = LOCK.replace("$NAMED", "gateway_former_") + drop if names else ""
    # As a new database has it: pg_dump writes what of it is different, and never that it is made.
    first += PUBLIC
    if (known := manifest.get("migrations")) and OWNERS not in known:
        first, last = f"{first}{FORMER_SUPERUSER}", f"{last}{FORMER_SUPERUSERS_OBJECTS}"
    texts = {"first.sql": first, "last.sql": f"{CHECK.replace('$EXPECTED', str(expected))}{last}\n{drop}"}
    for name, text in texts.items():
        (folder / name).write_text(text)
    parts = [f"--file={folder / name}" for name in (ROLES_FILE, "first.sql", "database.sql", "last.sql")]
    options = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--single-transaction", "--output=/dev/null"]
    database, secret = command_line(url)
    session = {"PGOPTIONS": "-c client_min_messages=error -c default_transaction_read_only=off", "PGAPPNAME": HOLDER}
    _run("psql", database, *options, *parts, **session, **secret)


def rotate(folder: Path, keep: int) -> list[Path]:
    """Remove all but the newest copies of a folder; what was removed."""
    old = newest_first(folder)[keep:] if keep > 0 else []
    for path in old:
        path.unlink(missing_ok=True)
    return old


def prune_safety_copies(settings: Settings, now: float) -> list[Path]:
    """Remove the older of the copies that were made before a restore or an upgrade; what was removed."""
    folder = settings.data_dir / "backups"
    old = []
    for kind in ("before-restore-", "before-upgrade-"):
        kept = [path for path in newest_first(folder) if path.name.startswith(kind)]
        for rank, path in enumerate(kept):
            is_many = 0 < settings.safety_copies_keep <= rank
            if is_many or 0 < settings.safety_copies_days * 86_400 < now - path.stat().st_mtime:
                path.unlink(missing_ok=True)
                old.append(path)
    return old


def _drop_line(path: Path, unwanted: bytes) -> None:
    """Take the first line that says so out of a script: what newer programs write an older server does not know."""
    rest = path.with_name(f"{path.name}.rest")
    with path.open("rb") as source, rest.open("wb") as target:
        for line in source:
            if line == unwanted:
                break
            target.write(line)
        shutil.copyfileobj(source, target)
    os.replace(rest, path)


def newest_first(folder: Path) -> list[Path]:
    """The copies of a folder."""
    return sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime, reverse=True)


def file_name(now: float) -> str:
    """Name of a copy by its time, in UTC.

    >>> file_name(0)
    '1970-01-01T00-00-00.gateway.tar'
    """
    return time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime(now)) + SUFFIX


def public_settings(settings: Settings) -> dict[str, Any]:
    """Settings that are not the default and no secret."""
    found: dict[str, Any] = {}
    for row in fields(settings):
        value = getattr(settings, row.name)
        default = row.default_factory() if row.default_factory is not MISSING else row.default
        # What sets up providers carries their secrets.
        if value != default and not row.metadata["secret"] and row.name != "external_providers":
            found[row.name] = value if isinstance(value, bool | int | float | dict | tuple | None) else str(value)
    return found


def describe(connection: SyncConnection) -> dict[str, Any]:
    """Versions, migrations and every table of a database; the digest does not depend on the order of rows."""
    tables = {}
    for (name,) in connection.rows(TABLES):
        count, digest = connection.rows(DIGEST.replace("%s", str(name)))[0]
        tables[str(name)] = {"rows": int(count or 0), "digest": digest}
    return {
        "format": FORMAT,
        "made_at": timestamp(time.time()),
        "gateway": version("gateway"),
        "postgres": _version(connection),
        "migrations": sorted(ledger.read(connection, ledger.PLATFORM)),
        "application_migrations": sorted(ledger.read(connection, ledger.APPLICATION)),
        "tables": tables,
        "extensions": extension_owners.owners(connection),
    }


def _version(connection: SyncConnection) -> str:
    return str(connection.rows("show server_version_num")[0][0])


def _pack(folder: Path, target: Path) -> None:
    with tarfile.open(target, "w") as archive:
        for path in sorted(folder.glob("*")) if folder.is_dir() else ():
            archive.add(path, path.name)


_PLACE: Final = re.compile(r"^psql:\S+:\d+: ERROR: +")


def checksum(path: Path) -> str:
    """What a file holds, in short."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _run(name: str, *arguments: str, **environment: str) -> str:
    try:
        program = client_program(name, arguments[0])
    except EmbeddedError as error:
        raise BackupError(str(error)) from error
    done = subprocess.run(
        [program, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        umask=0o077,
        preexec_fn=child_of_this_process(signal.SIGKILL),  # one that goes on alone could commit what nobody finishes
    )
    if done.returncode != 0:
        told = [line for line in done.stderr.strip().splitlines() if "error" in line.lower()] or [done.stderr.strip()]
        raise BackupError(f"{name}: {_PLACE.sub('', told[0])}")
    return done.stdout


PUBLIC: Final = """
create schema public authorization pg_database_owner;
grant usage on schema public to public;
comment on schema public is 'standard public schema';
"""
# Schemas of the database, and what each is called while its successor is loaded.
SCHEMAS: Final = (
    "select quote_ident(nspname), 'gateway_former_' || oid from pg_namespace"
    " where nspname !~ '^pg_' and nspname <> 'information_schema'"
)
# Extensions, by whether anything beside them needs something of theirs.
EXTENSIONS: Final = """
  select quote_ident(extname) from pg_extension as made
  where extname <> 'plpgsql' and {is_used} exists (
    select from pg_depend as member
    join pg_depend as user_of on user_of.refclassid = member.classid and user_of.refobjid = member.objid
    where member.refclassid = 'pg_extension'::regclass and member.refobjid = made.oid and member.deptype = 'e'
      and user_of.deptype = 'n' -- what is 'a', such as an index, is of the extension's own tables
      and not exists (
        select from pg_depend as own
        where own.deptype = 'e' and (
          (own.classid, own.objid) = (user_of.classid, user_of.objid)
          -- the query of an extension's own view
          or user_of.classid = 'pg_rewrite'::regclass and own.classid = 'pg_class'::regclass
            and own.objid = (select ev_class from pg_rewrite where oid = user_of.objid)
        )
      )
  )
  order by 1
"""
# Up to this migration the embedded server's superuser was `postgres`: what a copy of before says to be his, event
# triggers among it, becomes that of the superuser of now.
OWNERS: Final = "roles/0111_owners.sql"
FORMER_SUPERUSER: Final = """
do $$
begin
  if current_user = 'supabase_admin' and current_user::regrole::oid = 10 then
    alter role postgres superuser;
  end if;
end
$$;
"""
FORMER_SUPERUSERS_OBJECTS: Final = """
do $$
begin
  if current_user = 'supabase_admin' and current_user::regrole::oid = 10 then
    reassign owned by postgres to supabase_admin;
    alter role postgres nosuperuser;
  end if;
end
$$;
"""
# What is in no schema and would stand in the way of its successor.
GLOBAL_NAMES: Final = """
  select format('drop event trigger %I', evtname) from pg_event_trigger
  where not exists (select from pg_depend where objid = pg_event_trigger.oid and deptype = 'e')
  union all
  select format('drop publication %I', pubname) from pg_publication
  union all
  select format('drop foreign data wrapper %I cascade', fdwname) from pg_foreign_data_wrapper
  where not exists (select from pg_depend where objid = pg_foreign_data_wrapper.oid and deptype = 'e')
  union all
  -- which would be that of the extensions in the copy, made before it closes functions itself
  select format('alter default privileges for role %s grant execute on functions to public', defaclrole::regrole)
  from pg_default_acl where defaclnamespace = 0 and defaclobjtype = 'f'
  union all
  select format('select lo_unlink(%s)', oid) from pg_largeobject_metadata
"""
TABLES: Final = """
  select format('%I.%I', nspname, relname) from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind = 'r' and nspname !~ '^(pg|gateway_former)_' and nspname <> 'information_schema'
    and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
  order by 1
"""

DIGEST: Final = (
    "select count(*), coalesce(sum(('x' || substr(md5(t::text), 1, 15))::bit(60)::bigint), 0) from only %s as t"
)
# Holds every table against the manifest, under the settings that `describe` has.
CHECK: Final = f"""
reset all;
set client_encoding = 'UTF8';
set row_security = off;
set timezone = 'UTC';
do $check$
declare
  expected jsonb := $EXPECTED;
  name text;
  amount bigint;
  digest numeric;
  differing text[] := '{{}}';
begin
  for name in select jsonb_object_keys(expected) union {TABLES} loop
    if expected -> name is null or to_regclass(name) is null then
      differing := differing || name;
      continue;
    end if;
    execute format('{DIGEST.replace("'", "''")}', name) into amount, digest;
    if amount <> (expected #>> array[name, 'rows'])::bigint or digest::text <> expected #>> array[name, 'digest'] then
      differing := differing || format('%s (%s rows in the copy, %s read back)',
        name, expected #>> array[name, 'rows'], amount);
    end if;
  end loop;
  if differing <> '{{}}' then
    raise exception 'the copy does not read back as it was: %', array_to_string(differing[1:5], ', ');
  end if;
end
$check$;
"""

# Takes every table that was there at once, or none for now: a drop that waits for one while it has others would stand
# in a circle with a reader. One try in ten is long enough to have an autovacuum give way.
LOCK: Final = """
do $lock$
declare
  found text;
begin
  select string_agg(format('%I.%I', nspname, relname), ', ') into found
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'p', 'v') and nspname !~ '^pg_' and nspname <> 'information_schema'
    and starts_with(nspname, '$NAMED');
  for attempt in 1..600 loop
    begin
      perform set_config('lock_timeout', case when attempt % 10 = 0 then '1500ms' else '100ms' end, true);
      if found is not null then
        execute 'lock table ' || found || ' in access exclusive mode';
      end if;
      exit;
    exception when lock_not_available or deadlock_detected then
      if attempt = 600 then
        raise;
      end if;
      perform pg_sleep(0.05);
    end;
  end loop;
  perform set_config('lock_timeout', '0', true);
end
$lock$;
"""

# A statement a row: every role but superusers, made where it is missing, its settings, and what it may become. Roles
# belong to the whole server, so no dump of a database has them; passwords are not among them.
ROLES: Final = """
  with wanted as (
    select oid, rolname as name, format(
      '%s %s %s %s %s',
      case when rolcanlogin and not rolsuper then 'login' else 'nologin' end,
      case when rolinherit then 'inherit' else 'noinherit' end,
      case when rolcreaterole and not rolsuper then 'createrole' else 'nocreaterole' end,
      case when rolcreatedb and not rolsuper then 'createdb' else 'nocreatedb' end,
      case when rolbypassrls and not rolsuper then 'bypassrls' else 'nobypassrls' end
    ) as options
    from pg_roles
    where rolname !~ '^pg_' and (not rolsuper or rolname = current_user)
  ),
  lines (place, line) as (
    select 1, format(
      'do $$ begin create role %I %s; exception when duplicate_object then null; end $$;', name, options
    ) from wanted
    union all
    select 2, format(
      -- lists are kept ready quoted
      case when split_part(setting, '=', 1) ~ '_path$|_libraries$|_tablespaces$' then 'alter role %I set %I to %s;'
        else 'alter role %I set %I to %L;' end,
      name, split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1)
    )
    from wanted join pg_db_role_setting on setrole = oid and setdatabase = 0, unnest(setconfig) as setting
    union all
    select 3, format('grant %I to %I;', granted.name, member.name)
    from pg_auth_members
    join wanted as granted on granted.oid = roleid
    join wanted as member on member.oid = pg_auth_members.member
    group by granted.name, member.name
    union all
    -- what is set for this database, or for a role in it; one that the other server does not know is left out
    select 4, format(
      'do $set$ begin execute format(%L, current_database());'
      ' exception when others then raise warning %L, sqlerrm; end $set$;',
      case when setrole = 0 then 'alter database %I set '
        else replace(format('alter role %I in database ', name), '%', '%%') || '%I set ' end
        || replace(format(
          case when split_part(setting, '=', 1) ~ '_path$|_libraries$|_tablespaces$' then '%I to %s'
            else '%I to %L' end,
          split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1)), '%', '%%'),
      '%'
    )
    from pg_db_role_setting left join wanted on setrole = oid, unnest(setconfig) as setting
    where setdatabase = (select oid from pg_database where datname = current_database())
      and (setrole = 0 or wanted.oid is not null)
  )
  select line from lines order by place, line
"""
