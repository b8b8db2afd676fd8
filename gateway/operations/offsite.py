"""Copies elsewhere: each copy goes to a folder or through a command, and is compared with what was made.

A command gets `COPY`, the path of the file, and `NAME`, what it is called; it sees no secret of the gateway's. What the
second command brings back must be the same bytes. The last copy that arrived is noted beside the copies, so that one
that did not is sent again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from gateway.operations.backup import BackupError, checksum, newest_first, rotate
from gateway.settings import Settings
from gateway.system.scratch import scratch

NOTE: Final = ".sent"
COMMAND_LIMIT: Final = 6 * 3600.0  # seconds


def is_wanted(settings: Settings) -> bool:
    """Whether copies go elsewhere at all."""
    return bool(settings.backup_offsite or settings.backup_send)


def unsent(settings: Settings) -> Path | None:
    """The newest copy, where it has not arrived."""
    folder = Path(settings.backup_dir)
    newest = next(iter(newest_first(folder)), None)
    if newest is None or not is_wanted(settings):
        return None
    note = folder / NOTE
    return None if note.exists() and note.read_text() == newest.name else newest


def send(copy: Path, settings: Settings) -> None:
    """Take a copy elsewhere and compare it there. Raises BackupError, OSError."""
    if settings.backup_offsite:
        _to_folder(copy, Path(settings.backup_offsite))
        rotate(Path(settings.backup_offsite), settings.backup_keep)
    if settings.backup_send:
        _run(settings.backup_send, "GATEWAY_BACKUP_SEND", copy, copy.name, settings)
    if settings.backup_send and settings.backup_fetch:
        with scratch(copy.parent) as folder:
            fetched = folder / copy.name
            _run(settings.backup_fetch, "GATEWAY_BACKUP_FETCH", fetched, copy.name, settings)
            if not fetched.is_file() or checksum(fetched) != checksum(copy):
                raise BackupError(f"what GATEWAY_BACKUP_FETCH brought back is not {copy.name} as it was made")
    (copy.parent / NOTE).write_text(copy.name)


def _to_folder(copy: Path, folder: Path) -> None:
    if not folder.is_dir():  # a share that is not mounted: a folder made here would be on this disk
        raise BackupError(f"{folder} is not there")
    part = folder / f"{copy.name}.part"
    with copy.open("rb") as source, open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
        target.flush()
        os.fsync(target.fileno())
    if checksum(part) != checksum(copy):
        part.unlink()
        raise BackupError(f"{folder} does not hold what was written to it")
    os.replace(part, folder / copy.name)


def _run(command: str, setting: str, copy: Path, name: str, settings: Settings) -> None:
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            env={**settings.functions_environ, "COPY": str(copy), "NAME": name},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=COMMAND_LIMIT,
        )
    except subprocess.TimeoutExpired:
        raise BackupError(f"{setting} did not end within {COMMAND_LIMIT / 3600:.0f} h") from None
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:] or [f"status {done.returncode}"]
        raise BackupError(f"{setting} failed: {said[0]}")
