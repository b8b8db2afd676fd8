"""What the storage API's statements have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

STATEMENT_TIMEOUT: Final = "30s"
LOCK_TIMEOUT: Final = "5s"  # for a row that somebody else is writing


def array(values: Iterable[str]) -> str:
    """A literal of a Postgres array of text."""
    escaped = (value.replace("\\", "\\\\").replace('"', '\\"') for value in values)
    return "{" + ",".join(f'"{value}"' for value in escaped) + "}"
