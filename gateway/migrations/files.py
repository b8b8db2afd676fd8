"""A set of migrations: the files of one folder, and the ledger that says which of them a database has.

`NNNN_subject.sql`, in the folder itself or in one folder of it for each subject. They run in the order of their
numbers, whichever folder they are in, so a number is used once in a set. A file `adopted.json` beside them says what an
earlier version called them:

    {"0007_old_name.sql": {"checksum": "…", "files": ["0007_new_name.sql"]}}

A ledger that has the old name with that checksum counts as having the new files; one file may have become several, or
none where later files make anew what it made. `"rest": true` says that a part of the old file is in another set.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from gateway.migrations.errors import FolderError

ADOPTED: Final = "adopted.json"
_NAME: Final = re.compile(r"(?:[a-z][a-z0-9_]*/)?\d{4}_[a-z0-9_]+\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of a set; `name` has its folder in front where it is in one."""

    name: str
    sql: str
    checksum: str


@dataclass(frozen=True, slots=True)
class Adopted:
    """What an entry of an earlier version stands for now."""

    checksum: str
    files: tuple[str, ...]
    rest: bool = False


@dataclass(frozen=True, slots=True)
class MigrationSet:
    """Files and the table (`schema.name`) that keeps the names and checksums of those that were applied."""

    migrations: tuple[Migration, ...]
    ledger: str
    adopted: Mapping[str, Adopted] = field(default_factory=dict)

    @property
    def names(self) -> set[str]:
        """Every name that a ledger may have of this set, today's and those of earlier versions."""
        return {migration.name for migration in self.migrations} | set(self.adopted)


def load(folder: Path, ledger: str) -> MigrationSet:
    """The set of a folder; none where the folder is missing. Raises FolderError."""
    migrations = load_migrations(folder)
    known = {migration.name for migration in migrations}
    adopted = _read_adopted(folder / ADOPTED)
    for name, entry in adopted.items():
        if unknown := sorted(set(entry.files) - known):
            raise FolderError(f"{folder / ADOPTED}: {name} stands for {unknown[0]}, which is not there.")
    return MigrationSet(migrations, ledger, adopted)


def load_migrations(folder: Path) -> tuple[Migration, ...]:
    """All migrations of a folder in the order they run. Raises FolderError."""
    files = {path.relative_to(folder).as_posix(): path for path in (*folder.glob("*.sql"), *folder.glob("*/*.sql"))}
    numbers: dict[str, str] = {}
    for name in sorted(files):
        if not _NAME.fullmatch(name):
            raise FolderError(f"{name} is not named like 0001_subject.sql.")
        other = numbers.setdefault(_number(name), name)
        if other != name:
            raise FolderError(f"{other} and {name} have the same number.")
    return tuple(_read(name, files[name]) for name in sorted(files, key=_number))


def next_number(folder: Path) -> int:
    """The number after the last one. Raises FolderError."""
    return max((int(_number(migration.name)) for migration in load_migrations(folder)), default=0) + 1


def _number(name: str) -> str:
    return name.rpartition("/")[2][:4]


def _read(name: str, path: Path) -> Migration:
    # read_text makes line ends "\n", so a checkout with other line ends has the same checksum
    sql = path.read_text(encoding="utf-8")
    return Migration(name, sql, sha256(sql.encode()).hexdigest())


def _read_adopted(path: Path) -> dict[str, Adopted]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return {
            name: Adopted(entry["checksum"], tuple(entry["files"]), entry.get("rest", False))
            for name, entry in content.items()
        }
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FolderError(f"{path} cannot be read: {error}") from error
