"""What an operator should know before it hurts: each check looks at one thing and says what to do about it."""

from __future__ import annotations

import json
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from gateway.database import DatabaseError, SyncConnection
from gateway.identity.keyring import FILE_NAME
from gateway.operations import extensions, storage_state
from gateway.operations.backup import SUFFIX
from gateway.operations.monitor.checks import JOBS, OF_APPLICATION
from gateway.operations.refused_calls import refused_calls
from gateway.realtime.changes import state as changes
from gateway.settings import Settings

OLDEST_POSTGRES: Final = 150_000
LOW_DISK: Final = 2_000_000_000  # bytes
CLOCK_SLACK: Final = 2.0  # seconds
PER_WORKER: Final = 8 + 4 + 3  # connections beside the pools of tables and storage: auth, realtime, three that listen
MANY_ROWS: Final = 1000
OLD_MAIL: Final = 3600  # seconds


class Level(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at, and what to do about it."""

    level: Level
    subject: str
    text: str
    advice: str = ""


Lookup = tuple[str, ...]
"""Schema, table and column that requests look rows up by; `pattern` after these where by one."""
Check = Callable[[Settings, SyncConnection], Iterator[Finding]]


def _ok(subject: str, text: str) -> Finding:
    return Finding(Level.OK, subject, text)


def examine(settings: Settings, connection: SyncConnection) -> Iterator[Finding]:
    """Every finding of every check; a check that cannot be made is a finding too."""
    for check in CHECKS:
        try:
            yield from check(settings, connection)
        except DatabaseError as error:
            subject = check.__name__.strip("_").replace("_", " ")
            yield Finding(Level.PROBLEM, subject, f"cannot be looked at: {error.message}", "apply the migrations")


def _version(_: Settings, connection: SyncConnection) -> Iterator[Finding]:
    number, text, encoding, locale = connection.rows(
        "select current_setting('server_version_num'), current_setting('server_version'),"
        " current_setting('server_encoding'), coalesce(to_jsonb(d) ->> 'datlocale', datcollate)"
        " from pg_database d where datname = current_database()"
    )[0]
    if int(number or 0) < OLDEST_POSTGRES:
        yield Finding(Level.PROBLEM, "postgres", f"version {text} is too old", "use Postgres 15 or newer")
    else:
        yield _ok("postgres", f"version {text}")
    if encoding != "UTF8":
        yield Finding(Level.PROBLEM, "encoding", f"the database is in {encoding}", "make it anew with encoding UTF8")
    else:
        yield _ok("locale", f"{encoding}, {locale}")


def _disk(settings: Settings, _: SyncConnection) -> Iterator[Finding]:
    folder = settings.data_dir if settings.data_dir.exists() else settings.data_dir.absolute().parent
    free = shutil.disk_usage(folder).free
    text = f"{free / 1e9:.1f} GB free at {folder}"
    if free < LOW_DISK:
        yield Finding(Level.PROBLEM, "disk", text, "make room: a full disk stops every write")
    else:
        yield _ok("disk", text)


def _clock(_: Settings, connection: SyncConnection) -> Iterator[Finding]:
    before = time.time()
    theirs = float(connection.rows("select extract(epoch from clock_timestamp())")[0][0] or 0)
    apart = max(before - theirs, theirs - time.time(), 0.0)
    if apart > CLOCK_SLACK:
        advice = "set the clocks by NTP: tokens and limits go by time"
        yield Finding(Level.PROBLEM, "clock", f"{apart:.1f} s apart from the database's", advice)
    else:
        yield _ok("clock", "agrees with the database's")


def _address(settings: Settings, _: SyncConnection) -> Iterator[Finding]:
    try:
        is_local = ip_address(settings.host).is_loopback
    except ValueError:
        is_local = settings.host == "localhost"
    if is_local:
        yield _ok("address", f"listens on {settings.host}:{settings.port}, this machine alone")
    elif not settings.public_url.startswith("https://"):
        advice = "put TLS before it and set GATEWAY_PUBLIC_URL to its https address"
        yield Finding(Level.WARNING, "address", f"listens on {settings.host} without TLS that it knows of", advice)
    else:
        yield _ok("address", f"listens on {settings.host}:{settings.port} as {settings.public_url}")
    if not is_local and not settings.trusted_proxies:
        advice = "set GATEWAY_TRUSTED_PROXIES if a proxy stands before it, or all visitors count as one"
        yield Finding(Level.WARNING, "proxies", "no proxy is named", advice)


def _keys(settings: Settings, _: SyncConnection) -> Iterator[Finding]:
    path = settings.data_dir / FILE_NAME
    if not path.exists():
        if settings.jwt_secret and settings.publishable_key and settings.secret_key:
            yield _ok("keys", "given by the settings")
        else:
            yield _ok("keys", "made at the first start")
        return
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        yield Finding(Level.PROBLEM, "keys", f"{path} can be read by others ({mode:o})", f"chmod 600 {path}")
    elif path.stat().st_uid != os.geteuid():
        yield Finding(Level.WARNING, "keys", f"{path} belongs to somebody else", "run the gateway as its owner")
    else:
        yield _ok("keys", f"in {path}, readable by you alone")


def _roles(_: Settings, connection: SyncConnection) -> Iterator[Finding]:
    wanted = ("anon", "authenticated", "service_role", "authenticator", "supabase_auth_admin")
    known = {row[0]: row[1:] for row in connection.rows("select rolname, rolsuper, rolbypassrls from pg_roles")}
    missing = [name for name in wanted if name not in known]
    if missing:
        yield Finding(Level.PROBLEM, "roles", f"missing: {', '.join(missing)}", "gateway db migrate")
    powerful = [name for name in ("anon", "authenticated") if "t" in known.get(name, ())]
    if powerful:
        advice = f"alter role {powerful[0]} nosuperuser nobypassrls"
        yield Finding(Level.PROBLEM, "roles", f"{', '.join(powerful)} may pass row level security by", advice)
    if not missing and not powerful:
        yield _ok("roles", "as they should be")


def _connections(settings: Settings, connection: SyncConnection) -> Iterator[Finding]:
    allowed = int(connection.rows("show max_connections")[0][0] or 0)
    wanted = settings.workers * (settings.db_pool + settings.db_writers + settings.storage_db_pool + PER_WORKER) + 10
    text = f"{settings.workers} workers and the jobs may open {wanted}; the database allows {allowed}"
    if wanted > allowed:
        advice = "raise max_connections, or lower PGRST_DB_POOL, DATABASE_MAX_CONNECTIONS or GATEWAY_WORKERS"
        yield Finding(Level.PROBLEM, "connections", text, advice)
    else:
        yield _ok("connections", text)


def _pooler(settings: Settings, connection: SyncConnection) -> Iterator[Finding]:
    if connection.is_shared and not settings.db_prepared_statements:
        text = "DATABASE_URL is one's address: jobs cannot run, and changes of the schema are found late"
        advice = "set DATABASE_DIRECT_URL to the address of Postgres itself"
        yield Finding(Level.PROBLEM, "pooler", text, advice)


def _open_tables(settings: Settings, connection: SyncConnection) -> Iterator[Finding]:
    """What the API can reach past row level security: tables without it, views over them, policies that hold nobody."""
    listed = "{" + ",".join(settings.db_schemas) + "}"
    open_tables, views = (connection.rows(f"{PAST_POLICIES} and {which} order by 1", listed) for which in (BARE, LENT))
    for (name,) in open_tables:
        advice = f"alter table {name} enable row level security"
        yield Finding(Level.PROBLEM, "policies", f"{name} has no row level security", advice)
    for (name,) in views:
        advice = f"alter view {name} set (security_invoker = true), or grant it to nobody who may not see all of it"
        yield Finding(Level.WARNING, "policies", f"{name} shows what its owner may see, whoever asks", advice)
    careless = connection.rows(
        "select format('%I.%I', schemaname, tablename), policyname, cmd,"
        " case when roles && array['anon', 'public']::name[] then 'anyone' else 'anyone signed in' end from pg_policies"
        " where schemaname = any ($1::text[]) and permissive = 'PERMISSIVE' and cmd <> 'SELECT'"
        " and roles && array['anon', 'authenticated', 'public']::name[]"
        " and coalesce(nullif(with_check, ''), qual) = 'true' order by 1, 2",
        listed,
    )
    for name, policy, verb, who in careless:
        advice = f"say who may in the policy's check, or: drop policy {policy} on {name}"
        yield Finding(Level.PROBLEM, "policies", f"{policy} lets {who} {verb} in {name}", advice)
    if not open_tables and not views and not careless:
        yield _ok("policies", "no table is open to anyone's writing")


def _indexes(settings: Settings, connection: SyncConnection) -> Iterator[Finding]:
    """Foreign keys without an index, and tables of some size that requests keep reading whole."""
    listed = "{" + ",".join(settings.db_schemas) + "}"
    found = 0
    for table, column in connection.rows(UNINDEXED_KEYS, listed, str(MANY_ROWS)):
        found += 1
        advice = f"create index on {table} ({column})"
        yield Finding(Level.WARNING, "indexes", f"{table}.{column} refers to another table without an index", advice)
    scans = connection.rows(
        "select format('%I.%I', schemaname, relname), seq_scan, n_live_tup from pg_stat_user_tables"
        " where schemaname = any ($1::text[]) and n_live_tup > $2::bigint and seq_scan > 1000"
        " and seq_scan > coalesce(idx_scan, 0) order by seq_tup_read desc limit 5",
        listed,
        str(MANY_ROWS),
    )
    for name, count, size in scans:
        found += 1
        advice = "index the columns that requests filter and order by"
        yield Finding(Level.WARNING, "indexes", f"{name} ({size} rows) was read whole {count} times", advice)
    if not found:
        yield _ok("indexes", "none is missed")


def unindexed(connection: SyncConnection, lookups: Iterable[Lookup]) -> Iterator[Finding]:
    """Columns that requests filter or order by, of tables of some size, and that no index mentions."""
    asked = json.dumps([list(lookup) for lookup in lookups])
    for table, column in connection.rows(UNINDEXED_LOOKUPS, asked, str(MANY_ROWS)):
        text = f"requests filter or order by {table}.{column}, which is in no index"
        yield Finding(Level.WARNING, "indexes", text, f"create index on {table} ({column})")


def _mail(_: Settings, connection: SyncConnection) -> Iterator[Finding]:
    if connection.rows("select to_regclass('jobs.procrastinate_jobs')") == [(None,)]:
        return
    failed, late = connection.rows(
        "select count(*) filter (where status = 'failed'), count(*) filter (where status = 'todo' and coalesce("
        "scheduled_at, (select min(at) from jobs.procrastinate_events e where e.job_id = j.id))"
        " < now() - make_interval(secs => $1::float8)) from jobs.procrastinate_jobs j where task_name = 'mail.send'",
        str(OLD_MAIL),
    )[0]
    if int(failed or 0):
        advice = "`gateway mail list` says why; `gateway mail resend ID` tries again"
        yield Finding(Level.WARNING, "mail", f"{failed} mails were refused for good or given up", advice)
    if int(late or 0):
        advice = "is a `gateway worker` running, and does the mail server answer?"
        yield Finding(Level.PROBLEM, "mail", f"{late} mails wait for more than an hour", advice)
    if not int(failed or 0) and not int(late or 0):
        yield _ok("mail", "none is left unsent")


def _troubles(settings: Settings, connection: SyncConnection) -> Iterator[Finding]:
    """What the database says of jobs and of the application."""
    found = 0
    for statement in (JOBS, OF_APPLICATION):
        for kind, _, text in connection.rows(statement.text):
            found += 1
            # Where nothing serves, nobody expects the jobs to be done either.
            idle = kind == "jobs" and not (settings.data_dir / "serving.json").exists()
            yield Finding(
                Level.WARNING if idle else Level.PROBLEM,
                kind or "",
                text or "",
                "`gateway worker` does them" if kind == "jobs" else "",
            )
    if not found:
        yield _ok("jobs", "a worker does them")


def _alarms(settings: Settings, _: SyncConnection) -> Iterator[Finding]:
    """Whether anybody would be told of trouble."""
    if settings.alarm_webhook or (settings.alarm_email and settings.smtp_host):
        yield _ok("alarms", "by mail" if settings.alarm_email and settings.smtp_host else "by webhook")
    else:
        advice = (
            "set GATEWAY_ALARM_EMAIL (with a mail server) or GATEWAY_ALARM_WEBHOOK; `gateway alarms test` tries them"
        )
        yield Finding(Level.WARNING, "alarms", "nobody is told when something is wrong", advice)


def _copies(settings: Settings, _: SyncConnection) -> Iterator[Finding]:
    if not settings.backup_dir:
        advice = "set GATEWAY_BACKUP_DIR, or let the database's host make them"
        yield Finding(Level.WARNING, "copies", "the job worker makes none", advice)
        return
    newest = max((path.stat().st_mtime for path in Path(settings.backup_dir).glob(f"*{SUFFIX}")), default=0.0)
    if time.time() - newest > 2 * settings.backup_every:
        advice = "is a `gateway worker` running? Its log says why a copy failed"
        yield Finding(Level.PROBLEM, "copies", f"none in {settings.backup_dir} is recent", advice)
    else:
        yield _ok("copies", f"the newest is {(time.time() - newest) / 3600:.0f} h old")


def _storage(settings: Settings, connection: SyncConnection) -> Iterator[Finding]:
    """Whether the bytes of objects can be had."""
    found = storage_state.look(settings, connection)
    if found is None:
        return
    if found.unavailable:
        advice = "see docs/operations/storage.md: the folder's rights and room, or the service's address and keys"
        yield Finding(Level.PROBLEM, "storage", f"the store cannot be used: {found.unavailable}", advice)
    elif found.lost:
        text = f"{found.lost} of the newest {found.looked_at} objects have no bytes"
        yield Finding(Level.PROBLEM, "storage", text, "is the volume mounted? `gateway storage check` names them")
    elif found.old_trash:
        text = f"{found.old_trash} versions that were replaced or deleted still have their bytes"
        yield Finding(Level.WARNING, "storage", text, "a `gateway worker` removes them every few minutes")
    else:
        yield _ok("storage", f"{found.objects} objects of {found.bytes / 1e6:.1f} MB; their bytes are there")


def _realtime(settings: Settings, connection: SyncConnection) -> Iterator[Finding]:
    """Whether messages of the database have a place to be, and gateways a way to each other."""
    ((missing,),) = connection.rows(
        "select count(*) from generate_series(0, 1) as day where to_regclass('realtime.messages_'"
        " || to_char((now() at time zone 'utc')::date + day, 'YYYY_MM_DD')) is null"
    )
    if int(missing or 0):
        advice = "select realtime_private.keep_partitions(); a `gateway worker` does it every few hours"
        yield Finding(Level.PROBLEM, "realtime", "realtime.messages lacks the partition of today or tomorrow", advice)
        return
    ((policies,),) = connection.rows("select count(*) from pg_policies where schemaname = 'realtime'")
    way = settings.realtime_bus.partition("://")[0]
    yield _ok("realtime", f"{policies} policies of channels; gateways reach each other by {way}")


def _changes(_: Settings, connection: SyncConnection) -> Iterator[Finding]:
    """Whether changes of tables can be read, and whether their slot holds too much."""
    text, troubles = changes.examine(connection)
    for trouble in troubles:
        yield Finding(Level.PROBLEM if trouble.grave else Level.WARNING, "changes", trouble.text, trouble.advice)
    if not troubles:
        yield _ok("changes", text)


def _extensions(settings: Settings, connection: SyncConnection) -> Iterator[Finding]:
    folder = settings.project_dir / "supabase" / "migrations" if settings.project_dir is not None else None
    for name, kind, is_installed in extensions.kinds(connection, folder):
        text = f"{name} is {kind}" + ("" if is_installed else ", and asked for by a migration")
        if kind == extensions.MISSING:
            advice = "calls of it end with 0A000: set DATABASE_URL to a server that has it, or do without"
            yield Finding(Level.WARNING, "extensions", text, advice)
        else:
            yield _ok("extensions", text)
    if folder is not None and folder.is_dir() and not settings.database_url:
        for call in refused_calls(
            (path.name, path.read_text(errors="replace")) for path in sorted(folder.glob("*.sql"))
        ):
            text = f"{call.file}, line {call.line}, names {call.name}, which the embedded Postgres does not have"
            yield Finding(Level.WARNING, "extensions", text, call.advice)


CHECKS: Final[tuple[Check, ...]] = (
    _version,
    _disk,
    _clock,
    _address,
    _keys,
    _roles,
    _extensions,
    _connections,
    _pooler,
    _open_tables,
    _indexes,
    _mail,
    _troubles,
    _alarms,
    _copies,
    _storage,
    _realtime,
    _changes,
)

# What visitors or people who are signed in have any right to; of that tables without row level security, and views that
# read with their owner's rights.
PAST_POLICIES: Final = (
    "select format('%I.%I', nspname, relname) from pg_class join pg_namespace n on n.oid = relnamespace"
    " where nspname = any ($1::text[]) and exists ("
    "select from unnest(array['anon', 'authenticated']) as role where"
    " has_any_column_privilege(role, pg_class.oid, 'select, insert, update')"
    " or has_table_privilege(role, pg_class.oid, 'delete'))"
)
BARE: Final = "relkind in ('r', 'p') and not relrowsecurity"
LENT: Final = (
    "relkind in ('v', 'm') and not exists (select from pg_options_to_table(reloptions)"
    " where option_name = 'security_invoker' and option_value::boolean)"
)

UNINDEXED_LOOKUPS: Final = """
  select format('%I.%I', nspname, relname), quote_ident(attname)
  from jsonb_array_elements($1::jsonb) as asked (lookup)
  join pg_namespace n on nspname = lookup ->> 0
  join pg_class on relnamespace = n.oid and relname = lookup ->> 1
  join pg_attribute on attrelid = pg_class.oid and attname = lookup ->> 2 and not attisdropped
  where lookup ->> 3 is null and relkind in ('r', 'p') and reltuples > $2::float8
    and not exists (
      select from pg_index where indrelid = pg_class.oid
        and pg_get_indexdef(indexrelid) ~ ('\\m' || regexp_replace(attname, '(\\W)', '\\\\\\1', 'g') || '\\M')
    )
  order by 1, 2
"""

UNINDEXED_KEYS: Final = """
  select format('%I.%I', nspname, relname), attname
  from pg_constraint
  join pg_class on pg_class.oid = conrelid
  join pg_namespace n on n.oid = relnamespace
  join pg_attribute on attrelid = conrelid and attnum = conkey[1]
  where contype = 'f' and nspname = any ($1::text[]) and reltuples > $2::float8
    and not exists (select from pg_index where indrelid = conrelid and indkey[0] = conkey[1])
  order by 1, 2
"""
