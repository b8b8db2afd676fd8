"""What a `supabase/config.toml` says of its functions, in this package's words.

A folder `functions` whose parent has a `config.toml` belongs to such a project. Its paths are relative to the project's
folder; see section 3 of the project's contract. What the file says of anything but functions is read elsewhere.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any, Final

from functions_runner.types import FunctionConfigError

FILE: Final = "config.toml"
FOLDER: Final = "functions"

_read: dict[Path, tuple[tuple[int, int], dict[str, Any]]] = {}  # the file's stamp and content; one project, one row


def settings_of(folder: Path) -> dict[str, Any]:
    """Fields of `FunctionConfig` that the project sets for the function in `folder`. Raises FunctionConfigError."""
    row = _table(folder)
    values: dict[str, Any] = {}
    for key in ("enabled", "verify_jwt"):
        if isinstance(row.get(key), bool):
            values[key] = row[key]
    for key, field in (("entrypoint", "entry"), ("import_map", "import_map")):
        if isinstance(row.get(key), str) and row[key]:
            values[field] = os.path.relpath(folder.parent.parent / row[key], folder)
    if isinstance(row.get("static_files"), list):
        globs = [item for item in row["static_files"] if isinstance(item, str)]
        values["static_files"] = tuple(os.path.relpath(folder.parent.parent / item, folder) for item in globs)
    return values


def names_entry(folder: Path) -> bool:
    """Whether the project says with which file of this folder a function begins."""
    try:
        entry = settings_of(folder).get("entry")
    except FunctionConfigError:
        return False
    return isinstance(entry, str) and (folder / entry).is_file()


def _table(folder: Path) -> dict[str, Any]:
    if folder.parent.name != FOLDER:
        return {}
    functions = _content(folder.parent.parent / FILE).get("functions")
    row = functions.get(folder.name) if isinstance(functions, dict) else None
    return row if isinstance(row, dict) else {}


def _content(path: Path) -> dict[str, Any]:
    try:
        found = path.stat()
        stamp = (found.st_mtime_ns, found.st_size)
        known = _read.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FunctionConfigError(f"{path}: {error}") from error
    _read.clear()
    _read[path] = stamp, content
    return content
