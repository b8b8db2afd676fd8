"""Where the gateway's files name a person, and taking her out of those it can.

Logs and recordings are written by other processes at the same time, which hold them open or add to them by name. So a
place that names her is overwritten where it is, at the same length: in a log the address, in a recording of calls and
in the log of calls the whole line, for a body has her name and telephone beside the address. Copies are not touched,
or they would not verify: who they name is said with the day on which they go.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from pathlib import Path
from typing import Final

from gateway.database.embedded import LOGS, client_program
from gateway.operations import backup
from gateway.operations.spellings import Spellings
from gateway.settings import Settings
from gateway.system.scratch import scratch

# Below the data folder: written line by line, and mails that the trap caught.
LINES: Final = ("access*.jsonl", "functions/logs/*.log", f"{LOGS}/*", "*.log")
CALLS: Final = ("functions/invocations*.jsonl",)
MAILS: Final = ("mail/*.eml",)
DAY: Final = 86_400.0  # seconds


@dataclass(frozen=True, slots=True)
class NamingCopy:
    """A copy that names the person, or that cannot be read; `gone` is when it is removed, 0 where nobody knows."""

    path: Path
    gone: float
    fault: str = ""


def erase_from_files(settings: Settings, email: str) -> dict[str, int]:
    """Take a person out of logs, recordings and caught mails; how many places of each. Raises OSError."""
    person = Spellings(email)
    recordings = [Path(settings.record)] if settings.record and Path(settings.record).is_file() else []
    calls = (*_matching(settings.data_dir, CALLS), *recordings)
    caught = [path for path in _matching(settings.data_dir, MAILS) if _mail_names(path.read_bytes(), person)]
    for path in caught:
        path.unlink(missing_ok=True)
    return {
        "log_lines": sum(_overwrite(path, person, False) for path in _matching(settings.data_dir, LINES)),
        "recorded_calls": sum(_overwrite(path, person, True) for path in calls),
        "caught_mails": len(caught),
    }


def copies_that_name(settings: Settings, email: str) -> list[NamingCopy]:
    """Copies of this machine that still name the person, or that nobody can read."""
    person = Spellings(email)
    found = []
    for path, gone in _copies(settings):
        try:
            with scratch() as folder:
                backup.unpack(path, folder, settings, objects=False)
                if not _dump_names(folder, person):
                    continue
            found.append(NamingCopy(path, gone))
        except (backup.BackupError, OSError) as error:
            found.append(NamingCopy(path, gone, str(error)))
    return found


# --- parts -----------------------------------------------------------------------------------------------------------


def _matching(folder: Path, patterns: tuple[str, ...]) -> Iterator[Path]:
    """What is written before what was set aside: a log that is set aside meanwhile is seen twice, and never missed."""
    for pattern in patterns:
        found = sorted(folder.glob(pattern), reverse=True)
        yield from (path for path in found if path.is_file() and not path.is_symlink())


def _overwrite(path: Path, person: Spellings, whole_lines: bool) -> int:
    """Overwrite what names the person, without moving a byte of the rest."""
    count = at = 0
    with path.open("r+b") as file:
        for line in file:
            body = line.rstrip(b"\n")
            places = list(person.places(body))
            if places:
                count += 1
                clean = b" " * len(body) if whole_lines else _masked(body, places)
                end = file.tell()
                file.seek(at)
                file.write(clean)
                file.seek(end)
            at += len(line)
        file.flush()
    return count


def _masked(line: bytes, places: list[tuple[int, int]]) -> bytes:
    clean = bytearray(line)
    for start, end in places:
        clean[start:end] = b"x" * (end - start)
    return bytes(clean)


def _mail_names(raw: bytes, person: Spellings) -> bool:
    """Whether a mail is to, from or about the person, whatever its parts are encoded as."""
    mail = message_from_bytes(raw, policy=policy.default)
    texts = [raw, *(str(value).encode() for value in mail.values())]
    for part in mail.walk():
        content = part.get_payload(decode=True)
        if isinstance(content, bytes):
            texts.append(content)
    return any(person.named_in(text) for text in texts)


def _copies(settings: Settings) -> Iterator[tuple[Path, float]]:
    """Every copy of this machine, and when it is removed."""
    if settings.backup_dir:
        kept = backup.newest_first(Path(settings.backup_dir))
        for rank, path in enumerate(kept):
            waits = max(0, settings.backup_keep - rank) * settings.backup_every
            yield path, time.time() + waits if settings.backup_keep else 0.0
    for path in backup.newest_first(settings.data_dir / "backups"):
        days = settings.safety_copies_days
        yield path, path.stat().st_mtime + days * DAY if days else 0.0


def _dump_names(folder: Path, person: Spellings) -> bool:
    """Whether a row of an unpacked copy names the person."""
    program = client_program("pg_restore", "")
    process = subprocess.Popen(
        [program, "--data-only", "--file=-", folder / backup.DATABASE],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    with process.stdout:
        named = any(person.named_in(line) for line in process.stdout)
    process.wait()
    return named
