"""Whether a gateway can serve: its database answers and has lately refused no write for want of room, its schema cache
is loaded, there is room on the disk. Beside that what makes it no less ready: maintenance, jobs, alarms, workers.
"""

from __future__ import annotations

import shutil
import time
from typing import Any, Final

from gateway.admin.database_state import NO_ANSWER, WRONG_STATES, ask, fault_of, in_maintenance
from gateway.app import Gateway
from gateway.database import Database
from gateway.middleware.metrics import Board

REMEMBERED: Final = 60.0  # seconds that a refused write counts
SILENT: Final = 10.0  # seconds without a word after which a worker is called silent


async def readiness(gateway: Gateway, board: Board) -> dict[str, Any]:
    """What `/ready` answers; its `ready` says whether all checks are ok."""
    from gateway.operations.monitor import alarms  # of what watches over the gateway; workers are asked for it at times

    settings, databases = gateway.settings, gateway.databases
    database, checks = await fault_of(databases.rest) or await fault_of(databases.auth), {}
    checks["database"] = database or _shortage(board) or "ok"
    checks["schema cache"] = "ok" if gateway.cache.current is not None else "not loaded yet"
    free = shutil.disk_usage(settings.data_dir).free
    checks["disk"] = "ok" if free >= settings.least_disk else f"full: {free // 1_000_000} MB left"
    return {
        "ready": all(state == "ok" for state in checks.values()),
        "maintenance": await in_maintenance(databases.rest),
        "checks": checks,
        "jobs": "unknown" if database else await _jobs(databases.auth),
        **alarms.summary(settings.data_dir),
        "workers": _workers(board),
    }


async def _jobs(database: Database) -> str:
    """What is wrong with mails and job workers. Requests can be served without them: they make nobody unready."""
    from gateway.operations.monitor.checks import JOBS

    try:
        rows = (await ask(database, JOBS)).texts()
    except NO_ANSWER:
        return "unknown"
    return " ".join(row["detail"] or "" for row in rows) or "ok"


def _shortage(board: Board) -> str:
    """What the database lacked in the last minute, by any worker's word; empty if nothing."""
    since = time.monotonic() - REMEMBERED
    for said in board.read().values():
        for sqlstate, at in said.get("shortages", {}).items():
            if at > since:
                return WRONG_STATES[sqlstate]
    return ""


def _workers(board: Board) -> list[dict[str, Any]]:
    now = time.monotonic()
    return [
        {
            "worker": slot + 1,
            "pid": said["pid"],
            "state": "ok" if now - said["at"] < SILENT else f"silent for {now - said['at']:.0f} s",
        }
        for slot, said in board.read().items()
    ]
