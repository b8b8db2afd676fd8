"""Where the gateway's files name a person, and taking her out of those it can.

Logs and recordings are written by other processes at the same time, which hold them open or add to them by name. So a
place that names her is overwritten where it is, at the same length: in a log the address, in a recording of calls and
in the log of calls the whole line, for a body has her name and telephone beside the address. Copies are not touched,
or they would not verify: who they name is said with the day on which they go.
"""

from __future__ import annotations

import base64
import html
import json
import re
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from pathlib import Path
from typing import Final
from urllib.parse import quote, quote_plus

from gateway.database.embedded import LOGS, client_program
from gateway.operations import backup
from gateway.settings import Settings
from gateway.system.scratch import scratch

# Below the data folder: written line by line, and mails that the trap caught.
LINES: Final = ("access*.jsonl", "functions/logs/*.log", f"{LOGS}/*", "*.log")
CALLS: Final = ("functions/invocations*.jsonl",)
MAILS: Final = ("mail/*.eml",)
DAY: Final = 86_400.0  # seconds
_ENCODED: Final = re.compile(rb'"([A-Za-z0-9+/]{12,}={0,2})"')


@dataclass(frozen=True, slots=True)
class NamingCopy:
    """A copy that names the person, or that cannot be read; `gone` is when it is removed, 0 where nobody knows."""

    path: Path
    gone: float
    fault: str = ""


def spellings(email: str) -> list[bytes]:
    """How files write an address, in lower case: as it is, in a URL, in a form, in JSON, in HTML.

    >>> spellings("O'Neil+a@b.c")
    [b"o'neil+a@b.c", b'o%27neil%2ba%40b.c', b"o'neil+a%40b.c", b'o&#x27;neil+a@b.c']
    """
    forms = (email.strip().lower(), email.strip(), email.strip().upper())  # what is not ASCII is not the same in each
    # ASCII is compared in lower case, which is how lines are read.
    return list(dict.fromkeys(text.encode().lower() for form in forms for text in _written(form)))


def _written(form: str) -> tuple[str, ...]:
    return (
        form,
        quote(form, safe=""),
        quote_plus(form),
        form.replace("@", "%40"),
        json.dumps(form)[1:-1],
        html.escape(form),
    )


def erase_from_files(settings: Settings, email: str) -> dict[str, int]:
    """Take a person out of logs, recordings and caught mails; how many places of each. Raises OSError."""
    needles = spellings(email)
    recordings = [Path(settings.record)] if settings.record and Path(settings.record).is_file() else []
    calls = (*_matching(settings.data_dir, CALLS), *recordings)
    caught = [path for path in _matching(settings.data_dir, MAILS) if _mail_names(path.read_bytes(), needles)]
    for path in caught:
        path.unlink(missing_ok=True)
    return {
        "log_lines": sum(_overwrite(path, needles, False) for path in _matching(settings.data_dir, LINES)),
        "recorded_calls": sum(_overwrite(path, needles, True) for path in calls),
        "caught_mails": len(caught),
    }


def copies_that_name(settings: Settings, email: str) -> list[NamingCopy]:
    """Copies of this machine that still name the person, or that nobody can read."""
    needles = spellings(email)
    found = []
    for path, gone in _copies(settings):
        try:
            with scratch() as folder:
                backup.unpack(path, folder, settings, objects=False)
                if not _dump_names(folder, needles):
                    continue
            found.append(NamingCopy(path, gone))
        except (backup.BackupError, OSError) as error:
            found.append(NamingCopy(path, gone, str(error)))
    return found


# --- parts -----------------------------------------------------------------------------------------------------------


def _matching(folder: Path, patterns: tuple[str, ...]) -> Iterator[Path]:
    for pattern in patterns:
        yield from (path for path in sorted(folder.glob(pattern)) if path.is_file() and not path.is_symlink())


def _overwrite(path: Path, needles: list[bytes], whole_lines: bool) -> int:
    """Overwrite what names the person, without moving a byte of the rest."""
    count = at = 0
    with path.open("r+b") as file:
        for line in file:
            places = list(_places(line, needles))
            if places:
                count += 1
                body = line.rstrip(b"\n")
                clean = b" " * len(body) if whole_lines else _masked(body, places)
                end = file.tell()
                file.seek(at)
                file.write(clean)
                file.seek(end)
            at += len(line)
        file.flush()
    return count


def _places(line: bytes, needles: list[bytes]) -> Iterator[tuple[int, int]]:
    """Where a line names the person, be it within a part that is encoded as base64."""
    lowered = line.lower()
    for needle in needles:
        start = lowered.find(needle)
        while start >= 0:
            yield start, start + len(needle)
            start = lowered.find(needle, start + len(needle))
    for encoded in _ENCODED.finditer(line):
        try:
            decoded = base64.b64decode(encoded[1]).lower()
        except ValueError:
            continue
        if any(needle in decoded for needle in needles):
            yield encoded.span(1)


def _masked(line: bytes, places: list[tuple[int, int]]) -> bytes:
    clean = bytearray(line)
    for start, end in places:
        clean[start:end] = b"x" * (end - start)
    return bytes(clean)


def _mail_names(raw: bytes, needles: list[bytes]) -> bool:
    """Whether a mail is to, from or about the person, whatever its parts are encoded as."""
    mail = message_from_bytes(raw, policy=policy.default)
    texts = [raw, *(str(value).encode() for value in mail.values())]
    for part in mail.walk():
        content = part.get_payload(decode=True)
        if isinstance(content, bytes):
            texts.append(content)
    return any(needle in text.lower() for text in texts for needle in needles)


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


def _dump_names(folder: Path, needles: list[bytes]) -> bool:
    """Whether a row of an unpacked copy names the person."""
    program = client_program("pg_restore", "")
    process = subprocess.Popen(
        [program, "--data-only", "--file=-", folder / backup.DATABASE],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    with process.stdout:
        named = any(any(needle in line.lower() for needle in needles) for line in process.stdout)
    process.wait()
    return named
