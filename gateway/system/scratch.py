"""Folders for parts of a copy while it is made or read: personal data that must not outlive the work, killed or not.

Who works in such a folder holds a lock on it. Whoever begins next, there or on another copy in the same place, removes
those that nobody holds.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

PREFIX: Final = ".gateway-parts-"
# Folders of versions before this one, which held no lock: theirs were named after what they made.
FORMER: Final = "*.gateway.tar-*"


@contextmanager
def scratch(parent: Path | None = None) -> Iterator[Path]:
    """An empty folder that only its owner enters, gone afterwards. `parent` is the system's place if not given."""
    parent = parent or _place()
    with _held(parent):
        sweep(parent)
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        held = os.open(folder, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def sweep(parent: Path) -> list[Path]:
    """Remove what killed work left in a folder; what was removed."""
    removed = []
    for path in (*parent.glob(f"{PREFIX}*"), *parent.glob(f".{FORMER}")):
        if path.is_symlink() or not path.is_dir() or path.stat().st_uid != os.geteuid():
            continue
        with suppress(OSError):  # somebody works in it, or has just removed it
            descriptor = os.open(path, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path)
                removed.append(path)
            finally:
                os.close(descriptor)
    return removed


@contextmanager
def _held(parent: Path) -> Iterator[None]:
    """One at a time begins or sweeps, so that no folder is seen before its lock is held."""
    descriptor = os.open(parent, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _place() -> Path:
    """A folder of this user's own under the system's, which anybody can write to. Raises OSError."""
    place = Path(tempfile.gettempdir()) / f"gateway-parts-{os.geteuid()}"
    with suppress(FileExistsError):
        place.mkdir(mode=0o700)
    if place.is_symlink() or place.stat().st_uid != os.geteuid():
        raise PermissionError(f"{place} belongs to somebody else")
    # Root's Postgres runs as another user, and has to pass through to a folder of its own.
    os.chmod(place, 0o711 if os.geteuid() == 0 else 0o700)
    return place
