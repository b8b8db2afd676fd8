"""What migrating needs of a database session, and its transaction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol


class Connection(Protocol):
    """A database session that is not inside a transaction."""

    def script(self, sql: str) -> None:
        """Runs one or more statements without values; raises if one of them fails."""

    def rows(self, sql: str, *params: str | None) -> list[tuple[str | None, ...]]:
        """Runs one statement with values for `$1`, `$2`, ...; every column comes back as text."""


@contextmanager
def transaction(conn: Connection) -> Iterator[None]:
    """All of it or nothing."""
    conn.script("begin")
    try:
        yield
        conn.script("commit")
    except BaseException:
        # a connection that was lost has rolled back by itself
        with suppress(Exception):
            conn.script("rollback")
        raise
