"""Reading what functions printed: JSON lines of the runner, and raw lines where C code wrote by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def read_lines(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """Lines of one function, oldest first: `{"at", "level", "request", "text"}`; a raw line has the time before it."""
    at = ""
    for path in (folder / f"{name}.1.log", folder / f"{name}.log"):
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        for line in text.splitlines():
            try:
                row = json.loads(line)
                at = row["at"]
                yield {"at": at, "level": row["level"], "request": row["request"], "text": row["text"]}
            except (ValueError, KeyError, TypeError):
                yield {"at": at, "level": "error", "request": None, "text": line}
