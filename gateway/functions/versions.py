"""Deployed versions of functions: kept whole by the hash of their content, one of them current, the rest to go back to.

A version is a folder `NAME/HASH/` with the function's own folder and what it shares inside. `NAME/current.json` names
the versions in the order in which they were deployed and which one is served; it is replaced in one step, so a
reader sees the old or the new. Without it the function in the settings' folder is served. Its `stamp` is another one
after every change, so that each process that serves the function can ask at each call whether it still serves the right
version.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import shutil
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from functions_runner import registry, scripts
from functions_runner.logs import timestamp
from functions_runner.types import SCRIPTS, FunctionConfigError, FunctionUnknown

KEPT: Final = 10  # versions of one function
ARCHIVE_LIMIT: Final = 20_000_000  # bytes unpacked, as the hosted platform allows


Stamp = tuple[int, int] | None


class BadArchive(Exception):
    """An upload that holds no function; the text says why."""


@dataclass(frozen=True, slots=True)
class Version:
    """One deployed version."""

    version: str
    at: str


class Versions:
    """The versions under one folder."""

    def __init__(self, folder: Path, fallback: Path) -> None:
        """`fallback` is the folder of functions that were never deployed."""
        self._folder = folder
        self._fallback = fallback

    def names(self) -> tuple[str, ...]:
        """Functions with a deployed version."""
        if not self._folder.is_dir():
            return ()
        return tuple(sorted(path.parent.name for path in self._folder.glob("*/current.json")))

    def root(self, name: str) -> Path:
        """The folder in which the served version of a function lies."""
        return self.place(name, self.current(name))

    def place(self, name: str, version: str | None) -> Path:
        """The folder in which a kept version lies; None is the one in the functions folder."""
        return self._fallback if version is None else self._folder / name / version

    def stamp(self, name: str) -> Stamp:
        """What differs after each switch, whichever process made it."""
        try:
            found = os.stat(f"{self._folder}/{name}/current.json")
        except (OSError, ValueError):
            return None
        return found.st_ino, found.st_mtime_ns

    def current(self, name: str) -> str | None:
        """The deployed version that is served; None for the one in the functions folder."""
        return self._read(name)[0]

    def history(self, name: str) -> list[Version]:
        """Deployed versions, oldest first."""
        return self._read(name)[1]

    def store(self, name: str, archive: bytes) -> str:
        """Unpack an upload and keep it; its version. Raises BadArchive."""
        if not registry.NAME.fullmatch(name) or name in registry.RESERVED:
            raise BadArchive(f"{name!r} is no name for a function")
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        spare = self._folder / f".{name}.{os.getpid()}.{time.monotonic_ns()}"
        try:
            _unpack(archive, spare, name)
            try:
                version = registry.digest(registry.read(spare / name))
            except FunctionConfigError as error:
                raise BadArchive(str(error).replace(f"{spare}/", "")) from error
            target = self._folder / name / version
            if not target.is_dir():
                target.parent.mkdir(exist_ok=True, mode=0o700)
                spare.rename(target)
            return version
        finally:
            shutil.rmtree(spare, ignore_errors=True)

    def switch(self, name: str, version: str | None, now: Callable[[], float] = time.time) -> Stamp:
        """Serve a kept version, or with None the one in the functions folder; the stamp of this.

        Raises FunctionUnknown where another process has just removed it.
        """
        with self._locked(name):
            if not self.place(name, version).is_dir():
                raise FunctionUnknown(name, (), None)
            _, history = self._read(name)
            if version is not None and all(row.version != version for row in history):
                history.append(Version(version, timestamp(now())))
            gone = [old for old in history[:-KEPT] if old.version != version]
            stamp = self._write(name, version, [row for row in history if row not in gone])
            for old in gone:  # not before: what cannot be written must name nothing that is no longer there
                shutil.rmtree(self._folder / name / old.version, ignore_errors=True)
            return stamp

    def discard(self, name: str, version: str) -> None:
        """Forget an upload that was never served."""
        with self._locked(name):
            if all(row.version != version for row in self.history(name)):
                shutil.rmtree(self._folder / name / version, ignore_errors=True)

    def remove(self, name: str) -> None:
        """Forget every deployed version; what is in the functions folder is served, if anything is."""
        with self._locked(name):
            (self._folder / name / "current.json").unlink(missing_ok=True)
            for kept in (self._folder / name).iterdir():
                shutil.rmtree(kept, ignore_errors=True)  # not the lock, which is no folder

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        """Alone with this function's versions: several processes may deploy."""
        folder = self._folder / name
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open(folder / "lock", "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def previous(self, name: str) -> str | None:
        """The deployed version before the one that is served; None where there is none."""
        current, history = self._read(name)
        order = [row.version for row in history]
        index = order.index(current) if current in order else 0
        return order[index - 1] if index > 0 else None

    def _read(self, name: str) -> tuple[str | None, list[Version]]:
        if not registry.NAME.fullmatch(name):
            return None, []
        try:
            content: dict[str, Any] = json.loads((self._folder / name / "current.json").read_text())
            return content["current"], [Version(**row) for row in content["history"]]
        except FileNotFoundError:
            return None, []

    def _write(self, name: str, current: str | None, history: list[Version]) -> Stamp:
        folder = self._folder / name
        before = self.stamp(name)
        spare = folder / f"current.{os.getpid()}.tmp"
        with open(spare, "w") as file:
            json.dump({"current": current, "history": [asdict(row) for row in history]}, file)
            file.flush()
            os.fsync(file.fileno())  # or a machine that loses its power may be left with an empty one
        # A clock may stand still or go back, and the number of a file that is gone may come again.
        at = max(time.time_ns(), before[1] + 1 if before is not None else 0)
        os.utime(spare, ns=(at, at))
        written = os.stat(spare)
        spare.replace(folder / "current.json")
        return written.st_ino, written.st_mtime_ns


def _unpack(archive: bytes, target: Path, name: str) -> None:
    """Regular files below `NAME/` and `shared/` only: an upload must not reach anything else."""
    total = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as tar:
            for member in tar:
                path = PurePosixPath(member.name)
                if path.is_absolute() or ".." in path.parts or not path.parts:
                    raise BadArchive(f"{member.name!r} is outside the function")
                if not _belongs(path, name) or not member.isreg():
                    raise BadArchive(f"{member.name!r} is no file of {name} or shared")
                total += member.size
                if total > ARCHIVE_LIMIT:
                    raise BadArchive(f"larger than {ARCHIVE_LIMIT} bytes")
                source = tar.extractfile(member)
                assert source is not None
                file = target / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(source.read())
    except tarfile.TarError as error:
        raise BadArchive("not a gzipped tar archive") from error
    if not any((target / name / file).is_file() for file in (*registry.ENTRIES, registry.CONFIG)):
        raise BadArchive(f"holds no {name}/main.py")


def _belongs(path: PurePosixPath, name: str) -> bool:
    """Whether a file is one of the function, of what it shares, or a script or settings of imports beside it."""
    if len(path.parts) == 1:
        return path.name in scripts.SETTINGS
    return path.parts[0] in (name, *registry.SHARED) or path.name.endswith((*SCRIPTS, ".json"))
