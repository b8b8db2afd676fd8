"""Processes as the system knows them: which are alive, whose children they are, and that none outlives its parent.

Linux says all of it; elsewhere what is not known is told as None or nothing, and callers do without.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
_PDEATHSIG: Final = 1  # PR_SET_PDEATHSIG
_SUBREAPER: Final = 36  # PR_SET_CHILD_SUBREAPER


def child_of_this_process(on_parent_death: signal.Signals) -> Callable[[], None] | None:
    """A `preexec_fn` that has Linux signal the child when this process dies; None elsewhere."""
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    parent = os.getpid()

    def arrange() -> None:
        libc.prctl(_PDEATHSIG, int(on_parent_death))
        if os.getppid() != parent:
            os._exit(1)

    return arrange


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies, so that none is lost sight of (Linux)."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1)


def is_alive(pid: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def has_ended(pid: int) -> bool:
    """Whether a process is gone or only waits for its parent to hear of it."""
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return not is_alive(pid)


def children(pid: int) -> set[int]:
    """Direct children, of this process or another with one thread, that run; empty where the system does not say."""
    try:
        listed = (PROC / str(pid) / "task" / str(pid) / "children").read_text().split()
    except OSError:
        return set()
    return {child for child in map(int, listed) if not has_ended(child)}


def programs_in(folder: Path, name: str) -> set[int]:
    """Processes of a program that work in a folder; those of other users are seen by root alone."""
    found = set()
    for pid in _pids():
        try:
            if Path(os.readlink(PROC / str(pid) / "cwd")) == folder and command(pid)[0].endswith(name):
                found.add(pid)
        except (OSError, IndexError):
            continue
    return found


def command(pid: int) -> list[str]:
    """The first word is the program: `postgres: checkpointer` is one of `postgres`. Raises OSError."""
    words = (PROC / str(pid) / "cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
    words[0] = words[0].partition(":")[0]
    return words


def _pids() -> Iterator[int]:
    if PROC.is_dir():
        yield from (int(path.name) for path in PROC.iterdir() if path.name.isdigit())
