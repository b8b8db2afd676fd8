"""The queue's schema is the one of the library that is installed."""

from __future__ import annotations

from pathlib import Path

import procrastinate

from gateway.migrations import FOLDER


def test_the_migration_holds_the_installed_library_s_schema() -> None:
    shipped = (Path(procrastinate.__file__).parent / "sql" / "schema.sql").read_text()
    migration = (FOLDER / "jobs" / "0030_job_queue.sql").read_text()
    kept = migration.split("-- >>> procrastinate\n", 1)[1].split("-- <<< procrastinate\n", 1)[0]
    assert kept.strip() == shipped.strip()
