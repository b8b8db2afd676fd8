"""Sight: the last day by the minute, what the database does now, and who is on the channels."""

from __future__ import annotations

import asyncio
import re
import shutil
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any, Final

import orjson

from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json
from gateway.console.errors import ConsoleError, bad_request
from gateway.database import NO_SCOPE, Database, DatabaseError
from gateway.database.statement import Statement
from gateway.http.messages import Response
from gateway.middleware.metrics import BUCKETS

BETWEEN: Final = "select * from gateway.sight_between($1::timestamptz, $2::timestamptz)"
CONNECTIONS: Final = """
    select pid, usename as role, application_name as application, client_addr as address, state, wait_event_type as
      waits_for, wait_event as waits_at, backend_start as since, xact_start as transaction_since, query_start,
      backend_type as kind, query, pg_blocking_pids(pid) as blocked_by
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
    order by xact_start nulls last, pid limit 500
"""
LOCKS: Final = """
    select lock.pid, lock.locktype as kind, lock.mode, lock.granted, class.oid::regclass::text as relation
    from pg_locks as lock left join pg_class as class on class.oid = lock.relation
    where lock.pid <> pg_backend_pid() and (not lock.granted or lock.pid = any (
      select unnest(pg_blocking_pids(waiting.pid)) from pg_locks as waiting where not waiting.granted
    ))
    order by lock.granted, lock.pid limit 500
"""
STATEMENTS: Final = Statement("""
    select class.oid::regclass::text
    from pg_extension join pg_depend on refobjid = pg_extension.oid and deptype = 'e'
      join pg_class as class on class.oid = objid and relname = 'pg_stat_statements'
    where extname = 'pg_stat_statements'
""")
SLOW: Final = """
    select query, calls, round(total_exec_time::numeric, 1) as total_ms, round(mean_exec_time::numeric, 2) as mean_ms,
      rows from {view} where dbid = (select oid from pg_database where datname = current_database())
    order by total_exec_time desc limit 50
"""
SIZE: Final = Statement("select pg_database_size(current_database())")
HITS: Final = Statement("""
    select blks_hit::float8 / nullif(blks_hit + blks_read, 0) from pg_stat_database where datname = current_database()
""")
LAG: Final = """
    select 'replica' as kind, application_name as name, state,
      pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) as bytes from pg_stat_replication
    union all
    select 'slot', slot_name, case when active then 'active' else 'idle' end,
      pg_wal_lsn_diff(pg_current_wal_lsn(), coalesce(confirmed_flush_lsn, restart_lsn)) from pg_replication_slots
"""
END: Final = """
    select case when $2::boolean then pg_cancel_backend(pid) else pg_terminate_backend(pid) end
    from pg_stat_activity where pid = $1::integer and datname = current_database() and pid <> pg_backend_pid()
"""
# What a statement says beside its words: texts, numbers, comments. A text that is cut off goes to its end.
_VALUE: Final = re.compile(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)|(?P<tag>\$(?:[^\W\d]\w*)?\$).*?(?:(?P=tag)|\Z)"
    r"|\b[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z)|'(?:[^']|'')*(?:'|\Z)|(?P<name>\"(?:[^\"]|\"\")*(?:\"|\Z)|\$?\b[^\W\d]\w*)"
    r"|(?P<parameter>\$\d+)|\b\d[\w.]*",
    re.DOTALL,
)


def without_values(query: str) -> str:
    """A statement without what somebody wrote into it: neither its texts nor its numbers.

    >>> without_values("select * from t1 where mail = 'a''b' and n = 42 and id = $1 -- Ada")
    'select * from t1 where mail = ? and n = ? and id = $1 ?'
    """
    return _VALUE.sub(lambda found: found[0] if found["name"] or found["parameter"] else "?", query)


async def sight(call: ConsoleCall) -> Response:
    """`?from=&to=` in ISO 8601, the last hour where nothing is said; of all gateways together."""
    ends = _moment(call.query.get("to")) or datetime.now(UTC)
    begins = _moment(call.query.get("from")) or ends - timedelta(hours=1)
    question = Statement(BETWEEN, (begins.isoformat(), ends.isoformat()))
    rows = (await call.gateway.databases.auth.run(NO_SCOPE, question)).texts()
    series: dict[str, list[list[Any]]] = {
        name: [] for name in ("requests", "errors", "p50", "p99", "connections", "cache_hits")
    }
    for at, of_minute in groupby(rows, key=lambda row: row["at"]):
        moment = datetime.fromisoformat(str(at)).astimezone(UTC).isoformat()
        for name, value in _minute(list(of_minute)).items():
            series[name].append([moment, value])
    return answer_json({"series": series, "step": 60})


def _minute(rows: list[dict[str, str | None]]) -> dict[str, float | None]:
    """The numbers of one minute, of all gateways."""

    def total(name: str) -> int:
        return sum(int(row[name] or 0) for row in rows)

    buckets = [0] * (len(BUCKETS) + 1)
    for row in rows:
        for place, count in enumerate((row["buckets"] or "{}").strip("{}").split(",")):
            buckets[place] += int(count or 0)
    hits, misses = total("hits"), total("misses")
    return {
        "requests": total("requests"),
        "errors": total("errors"),
        "p50": percentile(buckets, 0.5),
        "p99": percentile(buckets, 0.99),
        "connections": total("connections"),
        "cache_hits": hits / (hits + misses) if hits + misses else None,
    }


def percentile(buckets: list[int], share: float) -> float | None:
    """Milliseconds within which a share of the answers was there; within a bucket evenly. None for no answers.

    >>> percentile([0, 10] + [0] * 13, 0.5), percentile([0] * 15, 0.5), percentile([0] * 14 + [1], 0.5)
    (1.75, None, 30000.0)
    """
    wanted = sum(buckets) * share
    if not wanted:
        return None
    seen, least = 0, 0.0
    for bound, count in zip(BUCKETS, buckets, strict=False):
        if count and seen + count >= wanted:
            return round((least + (bound - least) * (wanted - seen) / count) * 1000, 3)
        seen, least = seen + count, bound
    return BUCKETS[-1] * 1000


async def now(call: ConsoleCall) -> Response:
    database = await call.database()
    connections = await _rows(database, CONNECTIONS)
    for row in connections:
        row["query"] = without_values(str(row["query"] or ""))[:500]
    disk = await asyncio.to_thread(shutil.disk_usage, call.settings.data_dir)
    size = (await database.run(NO_SCOPE, SIZE)).value
    return answer_json(
        {
            "at": datetime.now(UTC).isoformat(),
            "connections": connections,
            "locks": await _rows(database, LOCKS),
            "slow": await _slow(database),
            "disk": {"free": disk.free, "total": disk.total, "database": int(size or 0)},
            "cache_hits": float(hits) if (hits := (await database.run(NO_SCOPE, HITS)).value) is not None else None,
            "lag": await _rows(database, LAG),
        }
    )


async def _slow(database: Database) -> list[dict[str, Any]] | None:
    """What pg_stat_statements counted; None where it is not there, or not loaded with the server."""
    view = (await database.run(NO_SCOPE, STATEMENTS)).value
    if view is None:
        return None
    try:
        return await _rows(database, SLOW.format(view=view.decode()))
    except DatabaseError as error:
        if error.sqlstate != "55000":
            raise
        return None


async def end(call: ConsoleCall) -> Response:
    """`{"pid", "cancel"}`: end a connection of this database, or with `cancel` only what it does."""
    content = await call.json()
    pid, cancel = content.get("pid"), content.get("cancel") is True
    if not isinstance(pid, int) or isinstance(pid, bool) or not 0 < pid < 2**31:
        raise bad_request("pid is the number of a connection")
    call.note(pid=pid, cancel=cancel)
    question = Statement(END, (str(pid), "true" if cancel else "false"))
    said = (await (await call.database()).run(NO_SCOPE, question)).value
    if said is None:
        raise ConsoleError(404, "no_connection", f"No connection of this database has the number {pid}.")
    return answer_json({"ended": said == b"t"})


async def realtime(call: ConsoleCall) -> Response:
    """Channels of all workers of this gateway with the members that each has joined; a hundred of each worker."""
    found: dict[tuple[str, bool], int] = {}
    sockets = 0
    for worker in call.gateway.board.read().values():
        sockets += worker.get("realtime", {}).get("sockets", 0)
        for topic, private, members in worker.get("channels", ()):
            found[topic, private] = found.get((topic, private), 0) + members
    channels = [
        {"topic": topic, "members": members, "private": private}
        for (topic, private), members in sorted(found.items(), key=lambda row: (-row[1], row[0]))
    ]
    return answer_json({"channels": channels, "sockets": sockets})


async def _rows(database: Database, question: str) -> list[dict[str, Any]]:
    whole = f"select coalesce(jsonb_agg(to_jsonb(row)), '[]') from ({question}) as row"
    rows: list[dict[str, Any]] = orjson.loads((await database.run(NO_SCOPE, Statement(whole))).value or b"[]")
    return rows


def _moment(text: str | None) -> datetime | None:
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text.replace(" ", "+"))
    except ValueError:
        raise bad_request("from and to are times in ISO 8601") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


ROUTES: Final = (
    ConsoleRoute("GET", "/sight", sight),
    ConsoleRoute("GET", "/sight/now", now),
    ConsoleRoute("POST", "/sight/end", end),
    ConsoleRoute("GET", "/realtime", realtime),
)
