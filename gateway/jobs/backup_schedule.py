"""Copies by the clock: the job worker makes one when the newest is old enough, keeps some, and says so when it fails.

`gateway db backup` does it in a process of its own. Of several job workers one makes the copy: it holds the folder.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
import os
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from gateway.operations import offsite
from gateway.operations.backup import newest_first
from gateway.settings import Settings

log = logging.getLogger("gateway.jobs")

FAILED: Final = ".failed.json"
LOOK: Final = 60.0  # seconds
TRY_AGAIN: Final = 3600.0  # seconds after a copy that failed

Alarm = Callable[[str], Awaitable[None]]


async def keep_copies(settings: Settings, database_url: str, alarm: Alarm) -> None:
    """Make copies until cancelled. `alarm` is told why one could not be made."""
    failed_at = float("-inf")
    while True:
        if is_due(settings, time.time()) and time.monotonic() - failed_at > TRY_AGAIN:
            reason = await make(settings, database_url)
            if reason:
                failed_at = time.monotonic()
                log.error("the copy of the database could not be made: %s", reason)
                await alarm(reason)
        await asyncio.sleep(LOOK)


def is_due(settings: Settings, now: float) -> bool:
    """Whether the newest copy is older than it may be, or has not arrived where it belongs."""
    newest = max((path.stat().st_mtime for path in newest_first(Path(settings.backup_dir))), default=0.0)
    return now - newest >= settings.backup_every or offsite.unsent(settings) is not None


async def make(settings: Settings, database_url: str) -> str:
    """Make one copy and let go of the oldest; why it could not be made, or nothing."""
    folder = Path(settings.backup_dir)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        return f"{folder}: {error.strerror}"
    with open(descriptor, "rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return ""  # another worker is at it
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "gateway", "db", "backup"),
            env={
                **os.environ,
                "DATABASE_URL": database_url,
                "GATEWAY_DATA_DIR": str(settings.data_dir),
                "GATEWAY_BACKUP_DIR": str(folder),
                "GATEWAY_BACKUP_KEEP": str(settings.backup_keep),
                "GATEWAY_BACKUP_EVERY": str(settings.backup_every),
            },
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            made, said = await process.communicate()
        except asyncio.CancelledError:
            process.terminate()
            await process.wait()
            raise
        if process.returncode != 0:
            reason = said.decode(errors="replace").strip().removeprefix("gateway: ") or f"status {process.returncode}"
            note_failure(folder, reason)
            return reason
        note_failure(folder, "")
        log.info("copy %s made and verified", made.decode(errors="replace").strip())
        return ""


def note_failure(folder: Path, reason: str) -> None:
    """Keep beside the copies why the last one could not be made; nothing once one could."""
    with suppress(OSError):
        if reason:
            (folder / FAILED).write_text(json.dumps({"at": time.time(), "reason": reason}))
        else:
            (folder / FAILED).unlink(missing_ok=True)


def last_failure(folder: Path) -> tuple[float, str] | None:
    """When a copy could not be made, in epoch seconds, and why; None where the last one could."""
    try:
        said = json.loads((folder / FAILED).read_text())
        return float(said["at"]), str(said["reason"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
