"""Ready is what can serve: each thing that is missing makes it unready, by itself and beside others, and is named."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gateway.admin.readiness import readiness
from gateway.app import Gateway
from gateway.database import Database, DatabaseError, DatabaseUnavailable, PoolTimeout, Result, Scope
from gateway.database.statement import Statement
from gateway.middleware.metrics import Board
from gateway.settings import Settings

FAULTS = ("tables", "auth", "schema cache", "disk", "shortage")


class FakeDatabase:
    """Answers every question, or fails at each."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    async def run(self, _scope: Scope, _statement: Statement) -> Result:
        if self.error is not None:
            raise self.error
        return Result(("detail",), [(b"",)], "SELECT 1")


def ready(tmp_path: Path, faults: Iterable[str], error: Exception | None = None) -> dict[str, Any]:
    """What `/ready` says where these are wrong."""
    wrong = error or DatabaseUnavailable("no route to it")
    settings = Settings.load({}, data_dir=tmp_path, least_disk=10**18 if "disk" in faults else 1)
    gateway = SimpleNamespace(
        settings=settings,
        databases=SimpleNamespace(
            rest=cast(Database, FakeDatabase(wrong if "tables" in faults else None)),
            auth=cast(Database, FakeDatabase(wrong if "auth" in faults else None)),
        ),
        cache=SimpleNamespace(current=None if "schema cache" in faults else object()),
    )
    board = Board(2)
    board.write(0, {"shortages": {"53100": time.monotonic()} if "shortage" in faults else {}})
    board.write(1, {"shortages": {"53300": time.monotonic() - 61}})  # long over
    return asyncio.run(readiness(cast(Gateway, gateway), board))


@pytest.mark.parametrize("number", range(len(FAULTS) + 1))
def test_promise_16_ready_is_where_nothing_is_missing(tmp_path: Path, number: int) -> None:
    for faults in itertools.combinations(FAULTS, number):
        said = ready(tmp_path, faults)
        checks = said["checks"]
        assert said["ready"] is (not faults), faults
        assert set(checks) == {"database", "schema cache", "disk"}
        assert (checks["database"] != "ok") is bool({"tables", "auth", "shortage"} & set(faults)), faults
        assert (checks["schema cache"] != "ok") is ("schema cache" in faults), faults
        assert (checks["disk"] != "ok") is ("disk" in faults), faults


@pytest.mark.parametrize("part", ["tables", "auth"])
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (DatabaseUnavailable("no route to it"), "unavailable: no route to it"),
        (DatabaseUnavailable("FATAL: sorry, too many clients already"), "the database has too many connections"),
        (DatabaseError("53100", "No space"), "the disk of the database is full"),
        (DatabaseError("57P03", "it starts"), "refuses: it starts"),
        (PoolTimeout(), "every connection is busy"),
        (TimeoutError(), "every connection is busy"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_promise_16_ready_says_what_is_wrong_with_either_login(
    tmp_path: Path, part: str, error: Exception, reason: str
) -> None:
    said = ready(tmp_path, [part], error)
    assert (said["ready"], said["checks"]["database"]) == (False, reason)
