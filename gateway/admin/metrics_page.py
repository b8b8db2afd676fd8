"""The metrics page: the numbers of all workers, of the job queue and of the application, in Prometheus' text format."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from gateway.admin.database_state import NO_ANSWER, ask, in_maintenance
from gateway.admin.metric_families import alarm_family, application_families, worker_families
from gateway.app import Gateway
from gateway.database import Database, DatabaseError
from gateway.database.statement import Statement
from gateway.middleware.metrics import Board
from gateway.operations.monitor import alarms

# The application's own numbers; see schema/migrations. Where it defines none there are none.
OF_APPLICATION: Final = Statement("select name, labels, value from gateway.metrics()")
UNDEFINED: Final = ("42883", "3F000", "42501")


async def metrics_page(gateway: Gateway, board: Board) -> bytes:
    """The page's text."""
    maintenance = GaugeMetricFamily("gateway_maintenance", "Whether writes are refused for maintenance")
    maintenance.add_metric([], float(await in_maintenance(gateway.databases.rest)))
    families = [*worker_families(board.read()), maintenance, *await _application(gateway.databases.auth)]
    families.append(alarm_family(alarms.summary(gateway.settings.data_dir)))
    registry = CollectorRegistry()
    registry.register(_Families(families))
    return generate_latest(registry)


async def _application(database: Database) -> list[Metric]:
    try:
        result = await ask(database, OF_APPLICATION)
    except NO_ANSWER as error:
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
