"""Sample rows: `<set>.sql` files in the application's folder `seed`, each safe to run twice."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from gateway.migrations.connection import Connection, transaction
from gateway.migrations.errors import SeedFailed, SeedUnknown

FIRST: Final = "demo"


def seed(conn: Connection, folder: Path, set: str) -> None:
    """Adds the rows of one set; rows already there stay as they are. Raises SeedUnknown, SeedFailed."""
    files = {file.stem: file for file in sorted(folder.glob("*.sql"))}
    if set not in files:
        raise SeedUnknown(set, tuple(files))
    try:
        with transaction(conn):
            conn.script(files[set].read_text(encoding="utf-8"))
    except Exception as cause:
        raise SeedFailed(set, cause) from cause


def seed_new(conn: Connection, folder: Path) -> bool:
    """Adds the rows that a new database gets in development; whether the application has any. Raises SeedFailed."""
    if not (folder / f"{FIRST}.sql").exists():
        return False
    seed(conn, folder, FIRST)
    return True
