"""Folder → functions: which there are, how each is configured, and the nearest name on a miss.

A function is a folder with a `main.py` (or the entry its `function.toml` names). Folders that begin with `_` or `.`
and `shared` are never functions.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from functions_runner.types import FunctionConfig, FunctionConfigError, FunctionUnknown

FOLDER: Final = Path("functions")  # of the functions, in the folder that a command is given in
NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,99}")  # a folder's name too, which may not be long
LONGEST: Final = 100  # characters of a name that is compared with others
RESERVED: Final = frozenset({"shared"})
CONFIG: Final = "function.toml"

_LEFT_OUT: Final = frozenset({"__pycache__", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache"})
_GIVEN: Final = frozenset({"name", "folder"})


def names(root: Path = FOLDER) -> tuple[str, ...]:
    """Names of the functions in a folder, sorted."""
    if not root.is_dir():
        return ()
    return tuple(sorted(entry.name for entry in root.iterdir() if _is_function(entry)))


def find(name: str, root: Path = FOLDER) -> FunctionConfig:
    """Configuration of one function. Raises FunctionUnknown, FunctionConfigError."""
    # the pattern also keeps `..` and `/` of a URL away from the file system
    if not NAME.fullmatch(name) or not _is_function(root / name):
        known = names(root)
        nearest = get_close_matches(name, known, n=1, cutoff=0.5) if len(name) <= LONGEST else []
        raise FunctionUnknown(name, known, nearest[0] if nearest else None)
    return read(root / name)


def read(folder: Path) -> FunctionConfig:
    """Configuration of the function in `folder`. Raises FunctionConfigError."""
    path = folder / CONFIG
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        table = {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FunctionConfigError(f"{path}: {error}") from error
    return FunctionConfig(name=folder.name, folder=folder, **_checked(path, table))


def digest(config: FunctionConfig) -> str:
    """Twelve hexadecimal digits that name this version: the content of its folder and of what it shares."""
    total = hashlib.sha256()
    for file in files(config):
        total.update(str(file.relative_to(config.root)).encode() + b"\0")
        total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()[:12]


def files(config: FunctionConfig) -> list[Path]:
    """Every file that makes up the function, in a fixed order."""
    found = []
    for top in (config.folder, config.root / "shared"):
        for file in sorted(top.rglob("*")):
            if not _LEFT_OUT & set(file.relative_to(config.root).parts) and file.is_file():
                found.append(file)
    return found


def fingerprint(config: FunctionConfig) -> tuple[tuple[str, int, int], ...]:
    """Names, times and sizes of every file whose change makes a new version of the function."""
    stamps = []
    for file in files(config):
        stat = file.stat()
        stamps.append((str(file.relative_to(config.root)), stat.st_mtime_ns, stat.st_size))
    return tuple(stamps)


def _is_function(folder: Path) -> bool:
    if folder.name in RESERVED or not NAME.fullmatch(folder.name):
        return False
    return (folder / "main.py").is_file() or (folder / CONFIG).is_file()


def _checked(path: Path, table: dict[str, Any]) -> dict[str, Any]:
    kinds = {row.name: str(row.type) for row in fields(FunctionConfig) if row.name not in _GIVEN}
    values: dict[str, Any] = {}
    for key, value in table.items():
        kind = kinds.get(key)
        if kind is None:
            nearest = get_close_matches(key, kinds, n=1)
            hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
            raise FunctionConfigError(f"{path}: unknown key {key!r}{hint}")
        values[key] = _value(path, key, kind, value)
    return values


def _value(path: Path, key: str, kind: str, value: Any) -> Any:
    if kind == "bool" and isinstance(value, bool):
        return value
    if kind in ("int", "float") and isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        return int(value) if kind == "int" else float(value)
    if kind == "str" and isinstance(value, str):
        return value
    if kind == "tuple[str, ...]" and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    if kind.startswith("tuple[tuple[") and isinstance(value, dict):
        if all(isinstance(item, str | bool | int) for item in value.values()):
            return tuple(value.items())
        raise FunctionConfigError(f"{path}: {key} may hold texts, numbers, true and false")
    wanted = {"bool": "true or false", "str": "text", "tuple[str, ...]": "a list of names"}
    if kind.startswith("tuple[tuple["):
        raise FunctionConfigError(f"{path}: {key} must be a table")
    raise FunctionConfigError(f"{path}: {key} must be {wanted.get(kind, 'a number above 0')}")
