"""Processor time and memory of process trees, from /proc."""

from __future__ import annotations

import os
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def _stat(pid: int) -> list[str] | None:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None


def children(pid: int) -> list[int]:
    """Direct and indirect child processes."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (stat := _stat(int(entry.name))) is not None:
            parents.setdefault(int(stat[1]), []).append(int(entry.name))
    found: list[int] = []
    waiting = [pid]
    while waiting:
        below = parents.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def seconds(pid: int, *without: int) -> float:
    """User and system seconds of a process, its living children and those it has waited for.

    The trees below `without` are left out (the database below the gateway that started it).
    """
    skipped = {member for root in without for member in (root, *children(root))}
    total = 0
    for member in [pid, *children(pid)]:
        stat = None if member in skipped else _stat(member)
        if stat is not None:
            total += sum(int(value) for value in stat[11:15])
    return total / _TICK


def memory(pid: int) -> float:
    """Resident megabytes of one process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE / 1e6
