"""Which packages a function asks for, and whether an interpreter has them already.

A function says so in its `pyproject.toml` or `requirements.txt`; `requirements.lock` holds the exact versions with
their hashes, and the digest of what it was made of, so that a lock which has grown old is never taken for a fresh one.
Wheels of its own lie in its folder, in `wheels/`.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import re
import sys
import sysconfig
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from functions_runner.types import FunctionConfig, FunctionConfigError

LOCK: Final = "requirements.lock"
WHEELS: Final = "wheels"
_MADE_OF: Final = "# made of "
# What the runner imports in a function's interpreter; what a function names itself takes its place.
RUNNER: Final = (
    "starlette>=1.10,<2",
    "uvicorn>=0.54,<1",
    "uvloop>=0.23; sys_platform != 'win32'",
    "httptools>=0.8",
    "websockets>=15",
    "python-multipart>=0.0.20",
)
_NAME: Final = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
# They name other files, or change what the whole command does.
_REFUSED: Final = ("-r", "--requirement", "-c", "--constraint", "-e", "--editable")


@dataclass(frozen=True, slots=True)
class Requirements:
    """Lines as pip reads them; `locked` says that they are exact and have hashes. `wheels` are the function's own."""

    lines: tuple[str, ...]
    locked: bool
    wheels: tuple[Path, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The packages that are asked for, in words for a person."""
        return tuple(found[1] for line in self.lines if (found := _NAME.match(line)))

    @property
    def key(self) -> str:
        """Names the environment: what is in it, and for which interpreter."""
        total = hashlib.sha256()
        parts = [platform.python_implementation(), platform.python_version(), sysconfig.get_platform()]
        for part in (*parts, "locked" if self.locked else "", *sorted(self.lines)):
            total.update(part.encode() + b"\0")
        for wheel in self.wheels:
            total.update(wheel.name.encode() + b"\0" + hashlib.sha256(wheel.read_bytes()).digest())
        return total.hexdigest()[:16]


def declared(config: FunctionConfig) -> tuple[str, ...]:
    """What the function asks for, without the runner's. Raises FunctionConfigError."""
    path = config.folder / "pyproject.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("project", {})
        lines = table.get("dependencies", [])
    except FileNotFoundError:
        path = config.folder / "requirements.txt"
        try:
            lines = [line.split(" #")[0].strip() for line in path.read_text(encoding="utf-8").splitlines()]
        except FileNotFoundError:
            return ()
    except (OSError, ValueError, AttributeError) as error:
        raise FunctionConfigError(f"{path}: {error}") from error
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise FunctionConfigError(f"{path}: dependencies must be a list of texts")
    lines = [line for line in lines if line and not line.startswith("#")]
    for line in lines:
        if line.split()[0].split("=")[0] in _REFUSED or "\n" in line:
            raise FunctionConfigError(f"{path}: {line!r} cannot be locked; name the packages themselves")
    return tuple(lines)


def wanted(config: FunctionConfig) -> Requirements | None:
    """What an environment of the function's own holds; None where this interpreter has all of it.

    Raises FunctionConfigError.
    """
    if config.is_script:
        return None
    asked = declared(config)
    exact = locked(config, asked)
    if not asked or _has(exact if exact is not None else asked):
        return None
    wheels = tuple(sorted((config.folder / WHEELS).glob("*.whl")))
    if exact is not None:
        return Requirements(exact, True, wheels)
    return Requirements(with_runner(asked), False, wheels)


def with_runner(asked: Sequence[str]) -> tuple[str, ...]:
    """The lines, and the runner's where they do not name the same package.

    >>> with_runner(["Starlette==1.10.1"])[:2]
    ('Starlette==1.10.1', 'uvicorn>=0.54,<1')
    """
    own = {_normal(found[1]) for line in asked if (found := _NAME.match(line))}
    ours = (line for line in RUNNER if (found := _NAME.match(line)) and _normal(found[1]) not in own)
    return (*asked, *ours)


def locked(config: FunctionConfig, asked: Sequence[str]) -> tuple[str, ...] | None:
    """The lines of the lock; None where there is none, or one that was made of something else."""
    try:
        text = (config.folder / LOCK).read_text(encoding="utf-8")
    except OSError:
        return None
    joined = re.sub(r"\\\n\s*", "", text)
    if f"{_MADE_OF}{digest(asked)}" not in text.splitlines():
        return None
    return tuple(line.strip() for line in joined.splitlines() if line.strip() and not line.lstrip().startswith("#"))


def write_lock(config: FunctionConfig, asked: Sequence[str], lines: Sequence[str]) -> Path:
    """Keep exact lines beside the function."""
    path = config.folder / LOCK
    text = "\n".join(("# Written by `functions lock`.", f"{_MADE_OF}{digest(asked)}", *lines))
    path.write_text(text + "\n", encoding="utf-8")
    return path


def digest(asked: Sequence[str]) -> str:
    """Names what a lock is made of.

    >>> digest(["b", "a"]) == digest(["a", "b"]) != digest(["a"])
    True
    """
    return hashlib.sha256("\n".join(sorted((*asked, *RUNNER))).encode()).hexdigest()[:16]


def _has(lines: Sequence[str]) -> bool:
    """Whether this interpreter's packages are what the lines ask for, with what those need in turn."""
    from packaging.requirements import InvalidRequirement, Requirement

    seen: set[str] = set()
    around: list[Requirement] = []
    try:
        around = [Requirement(line.split(" --hash")[0]) for line in lines]
        while around:
            wish = around.pop()
            if str(wish) in seen or (wish.marker is not None and not wish.marker.evaluate({"extra": ""})):
                continue
            seen.add(str(wish))
            found = importlib.metadata.distribution(wish.name)
            if wish.url or not wish.specifier.contains(found.version, prereleases=True):
                return False
            for row in map(Requirement, (found.requires or ()) if wish.extras else ()):
                of_extra = row.marker is not None and not row.marker.evaluate({"extra": ""})
                if of_extra and any(row.marker.evaluate({"extra": extra}) for extra in wish.extras if row.marker):
                    row.marker = None
                    around.append(row)
    except (InvalidRequirement, importlib.metadata.PackageNotFoundError):
        return False
    return True


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def interpreter() -> str:
    """The interpreter that environments are made with, as it is called outside any environment."""
    return getattr(sys, "_base_executable", None) or sys.executable
