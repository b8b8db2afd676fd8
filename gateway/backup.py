"""Copies of everything: make one, prove that it can be read back, put it back.

A copy is one tar file: `manifest.json` (versions, migrations, rows and a digest of each table, checksum of each part),
`database.dump` (pg_dump's own format), `roles.sql`, `settings.json` (no secrets), `functions.tar` (deployed versions).
It is written aside and renamed, so that a copy that fails leaves the one before it alone. Keys are not in it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Mapping
from dataclasses import MISSING, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from functions.logs import timestamp
from gateway.db import SyncConnection, command_line
from gateway.embedded import EmbeddedError, EmbeddedPostgres, client_program
from gateway.settings import Settings

FORMAT: Final = 1
SUFFIX: Final = ".gateway.tar"
MANIFEST: Final = "manifest.json"
DATABASE: Final = "database.dump"
ROLES_FILE: Final = "roles.sql"
SETTINGS: Final = "settings.json"
FUNCTIONS: Final = "functions.tar"


class BackupError(Exception):
    """The copy cannot be made, trusted or put back; the message is one line that says why."""


def dump(url: str, settings: Settings, target: Path) -> dict[str, Any]:
    """Write a copy; its manifest. Raises BackupError, DatabaseError, DatabaseUnavailable."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as scratch:
        folder = Path(scratch)
        with SyncConnection(url) as connection:
            connection.script("set row_security = off; set timezone = 'UTC'")
            # One snapshot for the dump and for what the manifest says of it, however much is written meanwhile.
            connection.script("begin isolation level repeatable read read only")
            snapshot = str(connection.rows("select pg_export_snapshot()")[0][0])
            database, secret = command_line(url)
            options = ["--format=custom", f"--snapshot={snapshot}", f"--file={folder / DATABASE}"]
            _run("pg_dump", database, *options, **secret)
            (folder / ROLES_FILE).write_text("".join(f"{row[0]}\n" for row in connection.rows(ROLES)))
            manifest = describe(connection)
            connection.script("commit")
        (folder / SETTINGS).write_text(json.dumps(public_settings(settings), indent=2, sort_keys=True))
        _pack(settings.data_dir / "functions" / "versions", folder / FUNCTIONS)
        manifest["files"] = {path.name: _checksum(path) for path in sorted(folder.iterdir())}
        (folder / MANIFEST).write_text(json.dumps(manifest, indent=2))
        whole = folder / "whole"
        with tarfile.open(whole, "w") as archive:
            for name in (MANIFEST, *manifest["files"]):
                archive.add(folder / name, name)
        os.chmod(whole, 0o600)
        with whole.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(whole, target)
    return manifest


def unpack(source: Path, folder: Path) -> dict[str, Any]:
    """Take a copy apart into a folder and hold every part against its checksum; the manifest. Raises BackupError."""
    try:
        with tarfile.open(source) as archive:
            archive.extractall(folder, filter="data")
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text())
        files: dict[str, str] = manifest["files"]
    except (OSError, tarfile.TarError, ValueError, KeyError) as error:
        raise BackupError(f"{source} is no whole copy: {error}") from None
    if manifest.get("format", 0) > FORMAT:
        raise BackupError(
            f"{source} was made by a newer gateway (format {manifest['format']}, this one reads {FORMAT})"
        )
    for name, expected in files.items():
        if not (folder / name).is_file() or _checksum(folder / name) != expected:
            raise BackupError(f"{source} is damaged: {name} is not what was written")
    return manifest


def verify(source: Path) -> dict[str, Any]:
    """Restore a copy into a throw-away Postgres and compare every table; the manifest. Raises BackupError."""
    with tempfile.TemporaryDirectory(prefix="gw-verify-") as scratch:
        folder = Path(scratch)
        manifest = unpack(source, folder)
        postgres = EmbeddedPostgres(folder / "p")
        try:
            postgres.start()
            load(postgres.url(), folder)
            with SyncConnection(postgres.url()) as connection:
                connection.script("set row_security = off; set timezone = 'UTC'")
                compare(manifest, describe(connection))
        except EmbeddedError as error:
            raise BackupError(str(error)) from error
        finally:
            postgres.stop()
    return manifest


def refuse_newer(manifest: Mapping[str, Any], connection: SyncConnection, known: set[str]) -> None:
    """Refuse what this program or this server would not understand. Raises BackupError."""
    unknown = sorted(set(manifest["migrations"]) - known)
    if unknown:
        raise BackupError(f"the copy is of a newer version of this application: {unknown[-1]} is not known here")
    theirs, ours = int(manifest["postgres"]) // 10_000, int(_version(connection)) // 10_000
    if theirs > ours:
        raise BackupError(f"the copy is of Postgres {theirs}, newer than this server's {ours}")


def load(url: str, folder: Path) -> None:
    """Replace all of a database by an unpacked copy, in one transaction. Raises BackupError."""
    listing = _run("pg_restore", "--list", str(folder / DATABASE))
    _run("pg_restore", f"--file={folder / 'database.sql'}", str(folder / DATABASE))
    with SyncConnection(url) as connection:
        names = [str(row[0]) for row in connection.rows(SCHEMAS)]
    empty = "".join(f"drop schema {name} cascade;\n" for name in names)
    if " SCHEMA - public " not in listing:
        empty += "create schema public authorization pg_database_owner;\ngrant usage on schema public to public;\n"
    (folder / "empty.sql").write_text(empty)
    parts = [f"--file={folder / name}" for name in (ROLES_FILE, "empty.sql", "database.sql")]
    options = ["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--single-transaction", "--output=/dev/null"]
    database, secret = command_line(url)
    _run("psql", database, *options, *parts, PGOPTIONS="-c client_min_messages=error", **secret)


def compare(expected: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Hold the tables of a database against a manifest. Raises BackupError that names the first differences."""
    differing = [
        f"{name} ({rows(expected, name)} rows in the copy, {rows(found, name)} read back)"
        for name in sorted({*expected["tables"], *found["tables"]})
        if expected["tables"].get(name) != found["tables"].get(name)
    ]
    if differing:
        raise BackupError(f"the copy does not read back as it was: {', '.join(differing[:5])}")


def rows(manifest: Mapping[str, Any], name: str) -> str:
    """How many rows a manifest says a table has."""
    table = manifest["tables"].get(name)
    return str(table["rows"]) if table else "no"


def restore_functions(folder: Path, settings: Settings) -> None:
    """Put the deployed versions of an unpacked copy in place of those there are."""
    target = settings.data_dir / "functions" / "versions"
    if not (folder / FUNCTIONS).exists():
        return
    aside = target.with_name("versions.new")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    with tarfile.open(folder / FUNCTIONS) as archive:
        archive.extractall(aside, filter="data")
    former = target.with_name("versions.former")
    shutil.rmtree(former, ignore_errors=True)
    if target.exists():
        os.replace(target, former)
    os.replace(aside, target)
    shutil.rmtree(former, ignore_errors=True)


def rotate(folder: Path, keep: int) -> list[Path]:
    """Remove all but the newest copies of a folder; what was removed."""
    copies = sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime)
    old = copies[: -keep or None] if keep > 0 else []
    for path in old:
        path.unlink(missing_ok=True)
    return old


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
        count, digest = connection.rows(
            "select count(*), coalesce(sum(('x' || substr(md5(t::text), 1, 15))::bit(60)::bigint), 0)"
            f" from only {name} as t"
        )[0]
        tables[str(name)] = {"rows": int(count or 0), "digest": digest}
    is_ours = connection.rows("select to_regclass('gateway.migrations')") != [(None,)]
    migrations = connection.rows("select name from gateway.migrations order by name") if is_ours else []
    return {
        "format": FORMAT,
        "made_at": timestamp(time.time()),
        "gateway": version("gateway"),
        "postgres": _version(connection),
        "migrations": [name for (name,) in migrations],
        "tables": tables,
    }


def _version(connection: SyncConnection) -> str:
    return str(connection.rows("show server_version_num")[0][0])


def _pack(folder: Path, target: Path) -> None:
    with tarfile.open(target, "w") as archive:
        for path in sorted(folder.glob("*")) if folder.is_dir() else ():
            archive.add(path, path.name)


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _run(name: str, *arguments: str, **environment: str) -> str:
    try:
        program = client_program(name, arguments[0])
    except EmbeddedError as error:
        raise BackupError(str(error)) from error
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode != 0:
        told = [line for line in done.stderr.strip().splitlines() if "error" in line.lower()] or [done.stderr.strip()]
        raise BackupError(f"{name}: {told[0]}")
    return done.stdout


SCHEMAS: Final = (
    "select quote_ident(nspname) from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'"
)
TABLES: Final = """
  select format('%I.%I', nspname, relname) from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind = 'r' and nspname !~ '^pg_' and nspname <> 'information_schema'
    and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
  order by 1
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
  )
  select line from lines order by place, line
"""
