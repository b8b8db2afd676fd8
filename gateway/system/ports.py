"""Who listens on a port: Linux tells, of other users' processes only root."""

from __future__ import annotations

import os
from contextlib import suppress

from gateway.system.processes import PROC

LISTENS = "0A"
LONGEST = 60  # characters of a command


def holder(port: int) -> str:
    """The process that has a port open, such as `pid 312 (nginx: master process)`; empty where nobody says."""
    sockets = set()
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in (PROC / "net" / table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == LISTENS and int(fields[1].rpartition(":")[2], 16) == port:
                    sockets.add(f"socket:[{fields[9]}]")
    if not sockets:
        return ""
    for process in sorted(path for path in PROC.iterdir() if path.name.isdigit()):
        with suppress(OSError):
            for descriptor in (process / "fd").iterdir():
                if os.readlink(descriptor) in sockets:
                    return f"pid {process.name} ({_command(process.name)})"
    return "a process of another user"


def _command(pid: str) -> str:
    raw = (PROC / pid / "cmdline").read_bytes().replace(b"\0", b" ").strip().decode(errors="replace")
    text = "".join(character if character.isprintable() else "?" for character in raw)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
