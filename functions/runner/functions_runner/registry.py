"""Folder → functions: which there are, how each is configured, and the nearest name on a miss.

A function is a folder with a `main.py`, an `index.ts`, or the entry that its `function.toml` names. Folders that begin
with `_` or `.` and `shared` are never functions. Where the folder of functions is one of a `supabase/` project, what
its `config.toml` says of a function holds too (see project.py).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from functions_runner import project, scripts
from functions_runner.types import FunctionConfig, FunctionConfigError, FunctionUnknown

FOLDER: Final = Path("functions")  # of the functions, in the folder that a command is given in
NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,99}")  # a folder's name too, which may not be long
LONGEST: Final = 100  # characters of a name that is compared with others
RESERVED: Final = frozenset({"shared"})
CONFIG: Final = "function.toml"
# What a function begins with where nothing names its entry, the first that is there.
ENTRIES: Final = ("main.py", "index.ts", "index.tsx", "index.js", "index.jsx", "index.mjs")

# What several functions of a folder import from; the second is how Supabase's projects call it.
SHARED: Final = ("shared", "_shared")
# Told apart by nothing but their names, and never part of a function.
_LEFT_OUT: Final = frozenset(
    {"__pycache__", ".venv", "node_modules", ".git", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".env"}
)
_ENVIRONMENT: Final = "pyvenv.cfg"  # in a folder of packages, whatever its name
_GIVEN: Final = frozenset({"name", "folder"})


def folder_here() -> Path:
    """The folder of functions where a command is given: a project's in the original's layout has its own place."""
    project_s = Path("supabase") / FOLDER
    return project_s if not FOLDER.is_dir() and project_s.is_dir() else FOLDER


def names(root: Path = FOLDER) -> tuple[str, ...]:
    """Names of the functions in a folder, sorted."""
    if not root.is_dir():
        return ()
    return tuple(sorted(entry.name for entry in root.iterdir() if _is_function(entry)))


def find(name: str, root: Path = FOLDER) -> FunctionConfig:
    """Configuration of one function. Raises FunctionUnknown, FunctionConfigError."""
    # the pattern also keeps `..` and `/` of a URL away from the file system
    if not NAME.fullmatch(name) or not _is_function(root / name):
        from difflib import get_close_matches

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
    values = {**project.settings_of(folder), **_checked(path, table)}
    values.setdefault("entry", _entry(folder))
    return FunctionConfig(name=folder.name, folder=folder, **values)


def digest(config: FunctionConfig) -> str:
    """Twelve hexadecimal digits that name this version: the content of its folder and of what it shares."""
    total = hashlib.sha256()
    for name, content in contents(config):
        total.update(name.encode() + b"\0")
        total.update(hashlib.sha256(content).digest())
    return total.hexdigest()[:12]


def contents(config: FunctionConfig) -> Iterator[tuple[str, bytes]]:
    """What makes up the function: path below the folder of functions, and bytes.

    What a project's `config.toml` says of the function is among its own settings here, for that file stays behind.
    """
    said, own = project.settings_of(config.folder), config.folder / CONFIG
    found = files(config)
    if said:
        inside = sorted({own, *(file for file in found if file.is_relative_to(config.folder))})
        found = [*inside, *(file for file in found if not file.is_relative_to(config.folder))]
    for file in found:
        content = _with(said, own) if said and file == own else file.read_bytes()
        yield str(file.relative_to(config.root)), content


def _with(said: dict[str, Any], own: Path) -> bytes:
    """A function's own settings, and before them those that its project has for it."""
    text = own.read_text(encoding="utf-8") if own.is_file() else ""
    named = tomllib.loads(text)
    lines = [f"{key} = {json.dumps(value)}" for key, value in sorted(said.items()) if key not in named]
    return "\n".join((*lines, text)).encode()


def files(config: FunctionConfig) -> list[Path]:
    """Every file that makes up the function, in a fixed order."""
    found = [file for top in (config.folder, *(config.root / name for name in SHARED)) for file in _below(top)]
    if config.is_script:
        known = set(found)
        found += [file for file in scripts.beside(config.root, found) if file not in known]
    return found


def _below(top: Path) -> list[Path]:
    """The files of a folder, sorted; folders of packages are not even looked into."""
    found: list[Path] = []
    for folder, folders, names in os.walk(top):
        place = Path(folder)
        folders[:] = sorted(
            name for name in folders if name not in _LEFT_OUT and not (place / name / _ENVIRONMENT).is_file()
        )
        found += [place / name for name in names if name not in _LEFT_OUT and (place / name).is_file()]
    return sorted(found)


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
    return any((folder / name).is_file() for name in (*ENTRIES, CONFIG)) or project.names_entry(folder)


def _entry(folder: Path) -> str:
    """The file that a function without one in its settings begins with."""
    return next((name for name in ENTRIES if (folder / name).is_file()), ENTRIES[0])


def _checked(path: Path, table: dict[str, Any]) -> dict[str, Any]:
    kinds = {row.name: str(row.type) for row in fields(FunctionConfig) if row.name not in _GIVEN}
    values: dict[str, Any] = {}
    for key, value in table.items():
        kind = kinds.get(key)
        if kind is None:
            from difflib import get_close_matches

            nearest = get_close_matches(key, kinds, n=1)
            hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
            raise FunctionConfigError(f"{path}: unknown key {key!r}{hint}")
        values[key] = _value(path, key, kind, value)
    return values


def _value(path: Path, key: str, kind: str, value: Any) -> Any:
    kind = kind.removesuffix(" | None")
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
