"""Says which programs the tests use."""

from __future__ import annotations

from tests.fixtures.pooler import version
from tests.ha.packages import program


def pytest_report_header() -> str:
    return f"pooler: PgBouncer {'.'.join(map(str, version()))} ({program('pgbouncer')}); balancer: {program('haproxy')}"
