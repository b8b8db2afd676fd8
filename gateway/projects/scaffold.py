"""`gateway new`: a project that runs at once, from the files in `template/`."""

from __future__ import annotations

import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from gateway.projects.errors import ProjectError

_PLACE: Final = "NAME"
_RENAMED: Final = {"gitignore": ".gitignore", "readme": "README.md"}  # which mean something here


def make(folder: Path) -> list[str]:
    """Write the project's files; their names. Raises ProjectError."""
    if folder.exists() and any(folder.iterdir()):
        raise ProjectError(f"{folder} is not empty")
    name = re.sub(r"[^a-z0-9-]+", "-", folder.resolve().name.lower()).strip("-") or "project"
    made = _write(files("gateway.projects") / "template", folder, name)
    return sorted(str(path.relative_to(folder)) for path in made)


def _write(source: Traversable, target: Path, name: str) -> list[Path]:
    target.mkdir(parents=True, exist_ok=True)
    made = []
    for entry in source.iterdir():
        path = target / _RENAMED.get(entry.name, entry.name)
        if entry.is_dir():
            made += _write(entry, path, name)
        else:
            path.write_text(entry.read_text(encoding="utf-8").replace(_PLACE, name), encoding="utf-8")
            made.append(path)
    return made
