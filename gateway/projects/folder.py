"""Where a project is, and which files of it are what.

A project is the nearest folder, from the working directory up, with `supabase/config.toml` or `supabase/migrations`; a
folder named by `--workdir` or SUPABASE_WORKDIR is taken as it is. A folder with a `.gateway.toml` and no `supabase/` is
an application of another kind: the search ends there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Final

from gateway.projects.errors import ProjectError

WORKDIR: Final = "SUPABASE_WORKDIR"
FOLDER: Final = "supabase"
_NAME: Final = re.compile(r"([0-9]+)_(.*)\.sql", re.DOTALL)
_OLDEST_INIT: Final = 20211209000000  # files `<version>_init.sql` before this are of a form that is no longer applied


@dataclass(frozen=True, slots=True)
class MigrationFile:
    """`supabase/migrations/<version>_<name>.sql`."""

    version: str
    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Migrations:
    """The files in the order they run, and a line for each that is not one of them."""

    files: tuple[MigrationFile, ...]
    skipped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Project:
    """A project's folder."""

    root: Path

    @property
    def folder(self) -> Path:
        """The folder `supabase` in it."""
        return self.root / FOLDER

    @property
    def config_file(self) -> Path:
        return self.folder / "config.toml"

    @property
    def migrations_folder(self) -> Path:
        return self.folder / "migrations"

    @property
    def roles_file(self) -> Path:
        return self.folder / "roles.sql"

    def migrations(self) -> Migrations:
        """Its migrations, in the order of their names as text: `10_b.sql` comes before `9_a.sql`."""
        files: list[MigrationFile] = []
        skipped: list[str] = []
        for path in sorted(self.migrations_folder.glob("*"), key=lambda path: path.name.encode()):
            if path.is_dir():
                continue
            found = _NAME.fullmatch(path.name)
            shown = path.relative_to(self.root)
            if found is None:
                skipped.append(f"{shown} is skipped: its name is not like <timestamp>_name.sql")
            elif not files and found[2] == "init" and len(found[1]) == 14 and int(found[1]) < _OLDEST_INIT:
                skipped.append(
                    f"{shown} is skipped: it is of a form that is no longer applied; rename it to have it run"
                )
            else:
                files.append(MigrationFile(found[1], found[2], path))
        return Migrations(tuple(files), tuple(skipped))

    def matches(self, patterns: tuple[str, ...]) -> Iterator[tuple[str, tuple[Path, ...] | None]]:
        """Each pattern, relative to `supabase/`, with the files that it names and none before it has named; None where
        there is no such file."""
        seen: set[Path] = set()
        for pattern in patterns:
            whole = Path(pattern) if Path(pattern).is_absolute() else self.folder / pattern
            names = sorted(glob(str(whole), recursive=True))
            paths = dict.fromkeys(Path(name) for name in names if Path(name).is_file())
            fresh = tuple(path for path in paths if path.resolve() not in seen)
            seen.update(path.resolve() for path in fresh)
            yield pattern, fresh if paths else None


def find(start: Path, environ: Mapping[str, str], workdir: str = "") -> Project | None:
    """The project that a command runs in. Raises ProjectError for a folder that was named and is none."""
    named = workdir or environ.get(WORKDIR, "")
    if named:
        root = (start / named).resolve()
        if not (root / FOLDER).is_dir():
            raise ProjectError(f"{root} has no folder supabase, which --workdir (or {WORKDIR}) says it has")
        return Project(root)
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / FOLDER / "config.toml").is_file() or (folder / FOLDER / "migrations").is_dir():
            return Project(folder)
        if (folder / ".gateway.toml").exists():
            return None
    return None
