"""The numbers of the workers, of the application and of alarms as families of Prometheus' text format."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

from gateway.middleware.metrics import BUCKETS


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
    realtime = _of_service(said, "realtime", REALTIME)
    storage = _of_service(said, "storage", STORAGE)
    requests = _tallied(said, "requests", "route", "request", "Requests answered", "Time to an answer")
    calls = _tallied(said, "functions", "function", "function_call", "Calls of functions", "Time that a function took")
    return [
        *requests,
        *calls,
        connections,
        waiting,
        held,
        prepared,
        characters,
        entries,
        kept,
        *counters.values(),
        *realtime,
        *storage,
    ]


REALTIME: Final = {
    "sockets": "Sockets that are open",
    "channels": "Channels that are joined",
    "presences": "Presences of these channels",
    "bus_workers": "Other workers that are connected",
    "bus_gateways": "Other gateways that are heard",
    "joins": "Joins",
    "joins_refused": "Joins that were refused",
    "messages_in": "Messages that came",
    "messages_out": "Messages that were delivered",
    "messages_dropped": "Messages that were refused, or could not be delivered",
    "slow_consumers": "Sockets that were closed because they did not read",
    "bus_sent": "Messages to other processes",
    "bus_heard": "Messages of other processes",
    "bus_dropped": "Messages to other processes that were lost",
}
STORAGE: Final = {
    "bytes_in": "Bytes of objects and their parts that were written",
    "bytes_out": "Bytes of objects and pictures that were sent",
    "rows_remembered": "Reads of buckets and public objects whose row was remembered",
    "rows_asked": "Reads of buckets and public objects whose row was asked for",
    "pictures_remembered": "Transformed pictures that were remembered",
    "pictures_made": "Transformed pictures that were made",
    "store_failures": "Times that the blob store could not be used",
    "blobs_missing": "Requests for objects whose bytes are lost",
}
GAUGES: Final = frozenset(("sockets", "channels", "presences", "bus_workers", "bus_gateways"))


def _of_service(said: dict[int, dict[str, Any]], service: str, helps: dict[str, str]) -> list[Metric]:
    """What a service counts; those of changes are named by who counts them."""
    families: dict[str, GaugeMetricFamily | CounterMetricFamily] = {}
    for slot, content in said.items():
        for name, value in content.get(service, {}).items():
            family = families.get(name)
            if family is None:
                kind = GaugeMetricFamily if name in GAUGES or name.startswith("changes_") else CounterMetricFamily
                help = helps.get(name, name.replace("_", " ").capitalize())
                family = families[name] = kind(f"gateway_{service}_{name}", help, labels=["worker"])
            family.add_metric([str(slot + 1)], value)
    return list(families.values())


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
