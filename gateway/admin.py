"""The admin port, bound to loopback: `/live`, `/ready` and `/metrics` for whoever watches the gateway, and with the
owner's key `/lookups` and the functions' admin API.

live     the worker that got the question answers
ready    its database answers and has lately refused no write for want of room, its schema cache is loaded, there is
         room on the disk; else 503 with what is wrong. Also what makes it no less ready: maintenance,
         jobs, alarms, workers
lookups  the columns that table requests have filtered and ordered by, for `gateway doctor`
_admin   deploy, roll back and replay functions, see gateway/functions/admin.py
metrics  the numbers of all workers, of the job queue and of the application, in Prometheus' text format

Nothing of it is on the public port. A browser cannot be led here: other names than loopback's are refused, whatever
address they resolve to, and so is what a proxy forwards. Probes need no key; whatever else there is asks for the one in
`serving.json`, which neither functions nor holders of the secret API key have.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import time
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from gateway.catalog.dump import dump
from gateway.database import NO_SCOPE, Database, DatabaseError, DatabaseUnavailable, PoolTimeout
from gateway.database.statement import Statement
from gateway.http.messages import Receive, Response, Scope, Send, refuse_socket, respond
from gateway.middleware.metrics import BUCKETS, Board
from gateway.middleware.owner_only import given_key, is_local, same_key
from gateway.operations.monitor import alarms
from gateway.operations.monitor.checks import JOBS

if TYPE_CHECKING:
    from gateway.app import Gateway

ANSWER_LIMIT: Final = 5.0  # seconds that the database may take
REMEMBERED: Final = 60.0  # seconds that a refused write counts
SILENT: Final = 10.0  # seconds without a word after which a worker is called silent
FUNCTIONS: Final = "/_admin/"
KEYED: Final = frozenset(("/lookups",))  # what shows more than a probe asks for
PING: Final = Statement("select 1")
TAKES_NO_WRITES: Final = Statement("select current_setting('default_transaction_read_only') = 'on'")
# The application's own numbers; see schema/migrations. Where it defines none there are none.
OF_APPLICATION: Final = Statement("select name, labels, value from gateway.metrics()")
UNDEFINED: Final = ("42883", "3F000", "42501")
WRONG_STATES: Final = {"53100": "the disk of the database is full", "53300": "the database has too many connections"}
# What Postgres says to who may not connect; libpq keeps no code of it.
CROWDED: Final = re.compile("too many clients|too many connections|remaining connection slots")


class AdminPort:
    """The admin port's application, in each worker."""

    def __init__(self, gateway: Gateway, board: Board, key: str, private: bool = False) -> None:
        """`key` opens what is more than a probe. What is `private`, a socket of the file system, is reached by nobody
        but whom its mode lets in; a port is reached by every page that a browser of this machine shows."""
        self._private = private
        self._gateway = gateway
        self._board = board
        self._key = key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await respond(scope, send, await self._answer(scope, receive))
        elif scope["type"] == "websocket":
            await refuse_socket(send)

    async def _answer(self, scope: Scope, receive: Receive) -> Response:
        if not self._private and not is_local(scope):
            return _json(403, {"message": "this port answers to loopback names only, and to no proxy"})
        if scope["path"] in KEYED or scope["path"].startswith(FUNCTIONS):
            if not same_key(given_key(scope), self._key):
                return _json(403, {"message": "the key of serving.json in the data folder is needed here"})
            if scope["path"].startswith(FUNCTIONS):
                return await self._gateway.functions.administer(scope, receive)
        if scope["method"] not in ("GET", "HEAD"):
            refused = _json(405, {"message": "there is nothing to write here"})
            refused.headers.append((b"allow", b"GET, HEAD"))
            return refused
        match scope["path"]:
            case "/live":
                path = self._gateway.settings.unix_socket
                live = not path or os.path.exists(path)  # a socket whose file is gone is reached by nobody
                return _json(200 if live else 500, {"live": live})
            case "/ready":
                return await self._ready()
            case "/metrics":
                return await self._metrics()
            case "/lookups":
                return _json(200, {"lookups": sorted(self._lookups())})
            case "/schema_cache":
                return await self._schema_cache()
        return _json(404, {"message": "here are /live, /ready, /metrics, /schema_cache and /lookups"})

    async def _schema_cache(self) -> Response:
        """What the tables API knows of the database; nothing while it knows nothing."""
        cache = self._gateway.cache.current
        body = await asyncio.to_thread(dump, cache) if cache is not None else b""
        return Response(200, [], body)

    async def _ready(self) -> Response:
        database, checks = await self._database(), {}
        checks["database"] = database or self._shortage() or "ok"
        checks["schema cache"] = "ok" if self._gateway.cache.current is not None else "not loaded yet"
        free = shutil.disk_usage(self._gateway.settings.data_dir).free
        checks["disk"] = "ok" if free >= self._gateway.settings.least_disk else f"full: {free // 1_000_000} MB left"
        is_ready = all(state == "ok" for state in checks.values())
        content = {
            "ready": is_ready,
            "maintenance": await self._in_maintenance(),
            "checks": checks,
            "jobs": "unknown" if database else await self._jobs(),
            **alarms.summary(self._gateway.settings.data_dir),
            "workers": self._workers(),
        }
        return _json(200 if is_ready else 503, content)

    async def _jobs(self) -> str:
        """What is wrong with mails and job workers. Requests can be served without them: they make nobody unready."""
        try:
            async with asyncio.timeout(ANSWER_LIMIT):
                rows = (await self._gateway.databases.auth.run(NO_SCOPE, JOBS)).texts()
        except (DatabaseError, DatabaseUnavailable, PoolTimeout, TimeoutError):
            return "unknown"
        return " ".join(row["detail"] or "" for row in rows) or "ok"

    def _workers(self) -> list[dict[str, Any]]:
        now = time.monotonic()
        return [
            {
                "worker": slot + 1,
                "pid": said["pid"],
                "state": "ok" if now - said["at"] < SILENT else f"silent for {now - said['at']:.0f} s",
            }
            for slot, said in self._board.read().items()
        ]

    def _lookups(self) -> set[tuple[str, ...]]:
        return {tuple(lookup) for said in self._board.read().values() for lookup in said.get("lookups", ())}

    def _shortage(self) -> str:
        """What the database lacked in the last minute, by any worker's word; empty if nothing."""
        since = time.monotonic() - REMEMBERED
        for said in self._board.read().values():
            for sqlstate, at in said.get("shortages", {}).items():
                if at > since:
                    return WRONG_STATES[sqlstate]
        return ""

    async def _database(self) -> str:
        """What is wrong with the database, for tables or for auth; empty if nothing."""
        gateway = self._gateway
        return await self._ping(gateway.databases.rest) or await self._ping(gateway.databases.auth)

    async def _in_maintenance(self) -> bool:
        """Whether the database takes no writes, as it was told by `gateway maintenance` or a restore."""
        try:
            async with asyncio.timeout(ANSWER_LIMIT):
                return (await self._gateway.databases.rest.run(NO_SCOPE, TAKES_NO_WRITES)).value == b"t"
        except (DatabaseError, DatabaseUnavailable, PoolTimeout, TimeoutError):
            return False

    async def _ping(self, database: Database) -> str:
        try:
            async with asyncio.timeout(ANSWER_LIMIT):
                await database.run(NO_SCOPE, PING)
        except DatabaseUnavailable as error:
            return WRONG_STATES["53300"] if CROWDED.search(error.reason) else f"unavailable: {error.reason}"
        except DatabaseError as error:
            return WRONG_STATES.get(error.sqlstate, f"refuses: {error.message}")
        except (PoolTimeout, TimeoutError):
            return "every connection is busy"
        return ""

    async def _metrics(self) -> Response:
        registry = CollectorRegistry()
        maintenance = GaugeMetricFamily("gateway_maintenance", "Whether writes are refused for maintenance")
        maintenance.add_metric([], float(await self._in_maintenance()))
        families = [*worker_families(self._board.read()), maintenance, *await self._application()]
        families.append(alarm_family(alarms.summary(self._gateway.settings.data_dir)))
        registry.register(_Families(families))
        headers = [(b"content-type", b"text/plain; version=0.0.4; charset=utf-8")]
        return Response(200, headers, generate_latest(registry))

    async def _application(self) -> list[Metric]:
        try:
            async with asyncio.timeout(ANSWER_LIMIT):
                result = await self._gateway.databases.auth.run(NO_SCOPE, OF_APPLICATION)
        except (DatabaseError, DatabaseUnavailable, PoolTimeout, TimeoutError) as error:
            known = isinstance(error, DatabaseError) and error.sqlstate in UNDEFINED
            up = GaugeMetricFamily("gateway_database_up", "Whether the database answered this question")
            up.add_metric([], 1 if known else 0)
            return [up]
        return application_families(result.texts())


class _Families(Collector):
    """Families that were made beforehand."""

    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = list(families)

    def collect(self) -> Iterable[Metric]:
        return self._families


def worker_families(said: dict[int, dict[str, Any]]) -> list[Metric]:
    """The numbers of the workers; each keeps its own series, so that one that starts anew is a plain counter reset."""
    connections = GaugeMetricFamily("gateway_pool_connections", "Connections", labels=["worker", "pool", "state"])
    waiting = GaugeMetricFamily("gateway_pool_waiting", "Requests that wait for one", labels=["worker", "pool"])
    held = GaugeMetricFamily(
        "gateway_pool_held_most", "Connections of the address that holds most", labels=["worker", "pool"]
    )
    prepared = GaugeMetricFamily(
        "gateway_pool_prepared_statements", "Statements prepared on its connections", labels=["worker", "pool"]
    )
    characters = GaugeMetricFamily(
        "gateway_pool_prepared_characters", "Characters of these statements", labels=["worker", "pool"]
    )
    entries = GaugeMetricFamily("gateway_cache_entries", "Entries of a cache", labels=["worker", "cache"])
    kept = GaugeMetricFamily("gateway_cache_bytes", "About how much memory a cache takes", labels=["worker", "cache"])
    counters = {
        name: CounterMetricFamily(f"gateway_{name}", help, labels=["worker"])
        for name, help in (
            ("schema_reloads", "Times that the schema cache was loaded"),
            ("plans_built", "Table requests whose plan was not remembered"),
            ("plans_reused", "Table requests whose plan was remembered"),
            ("tokens_verified", "Tokens whose verification was not remembered"),
            ("tokens_reused", "Tokens whose verification was remembered"),
            ("failed_sign_ins", "Sign-ins and refreshes that were refused"),
            ("limited_requests", "Requests refused because there were too many"),
            ("refused_bodies", "Bodies refused because there were too many bytes of them at once"),
            ("log_lines_dropped", "Lines of logs that could not be written, as on a full disk"),
        )
    }
    for slot, content in said.items():
        worker = str(slot + 1)
        for pool, stats in content.get("pools", {}).items():
            connections.add_metric([worker, pool, "busy"], stats["busy"])
            connections.add_metric([worker, pool, "idle"], stats["open"] - stats["busy"])
            waiting.add_metric([worker, pool], stats["waiting"])
            held.add_metric([worker, pool], stats["held_most"])
            prepared.add_metric([worker, pool], stats["prepared"])
            characters.add_metric([worker, pool], stats["prepared_characters"])
        for cache, size in content.get("caches", {}).items():
            entries.add_metric([worker, cache], size["entries"])
            kept.add_metric([worker, cache], size["bytes"])
        for name, value in content.get("counters", {}).items():
            counters[name].add_metric([worker], value)
    requests = _tallied(said, "requests", "route", "request", "Requests answered", "Time to an answer")
    calls = _tallied(said, "functions", "function", "function_call", "Calls of functions", "Time that a function took")
    return [*requests, *calls, connections, waiting, held, prepared, characters, entries, kept, *counters.values()]


def _tallied(
    said: dict[int, dict[str, Any]], tally: str, subject: str, name: str, counted: str, timed: str
) -> tuple[Metric, Metric]:
    """Two families of what the workers tallied: how often by subject, method and status, how long by subject."""
    total = CounterMetricFamily(f"gateway_{name}s", counted, labels=["worker", subject, "method", "status"])
    seconds = HistogramMetricFamily(f"gateway_{name}_seconds", timed, labels=["worker", subject])
    for slot, content in said.items():
        worker = str(slot + 1)
        subjects: dict[str, list[float]] = {}
        for of, method, status, spent, *counts in content.get(tally, ()):
            total.add_metric([worker, of, method, str(status)], sum(counts))
            known = subjects.setdefault(of, [0.0] * (2 + len(BUCKETS)))
            for index, value in enumerate((spent, *counts)):
                known[index] += value
        for of, (spent, *counts) in subjects.items():
            running, buckets = 0.0, []
            for bound, count in zip((*map(str, BUCKETS), "+Inf"), counts, strict=True):
                running += count
                buckets.append((bound, running))
            seconds.add_metric([worker, of], buckets, spent)
    return total, seconds


def application_families(rows: Iterable[dict[str, str | None]]) -> list[Metric]:
    """Rows of `gateway.metrics()`: a name, labels as a JSON object, a value; names that end in `_total` only grow."""
    up = GaugeMetricFamily("gateway_database_up", "Whether the database answered this question")
    up.add_metric([], 1)
    families: dict[str, Metric] = {}
    for row in rows:
        name, labels = f"gateway_{row['name']}", json.loads(row["labels"] or "{}")
        kind = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
        family = families.get(name)
        if family is None:
            family = families[name] = kind(name.removesuffix("_total"), "Told by the database", labels=sorted(labels))
        assert isinstance(family, CounterMetricFamily | GaugeMetricFamily)
        family.add_metric([str(labels[key]) for key in sorted(labels)], float(row["value"] or 0))
    return [up, *families.values()]


def alarm_family(summary: dict[str, Any]) -> Metric:
    """Alarms that stand, by kind; one of its own where nobody looks for them."""
    family = GaugeMetricFamily("gateway_alarms", "Alarms that stand", labels=["kind"])
    counts = Counter(alarm["kind"] for alarm in summary["alarms"])
    counts["monitor"] = summary["monitor"] != "ok"
    for kind, count in counts.items():
        family.add_metric([kind], count)
    return family


def _json(status: int, content: dict[str, Any]) -> Response:
    headers = [(b"content-type", b"application/json; charset=utf-8"), (b"cache-control", b"no-store")]
    return Response(status, headers, json.dumps(content).encode() + b"\n")
