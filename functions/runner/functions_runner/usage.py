"""What a function's processes take together, which no limit of one process bounds: memory and scratch space.

Looked at every two seconds by their first process, which may look into them; see functions/init.py.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

EVERY: Final = 2.0  # seconds between looks
SCRATCH_BYTES: Final = 500_000_000  # of all files of one function process and its children
ENTRIES: Final = 10_000  # files and folders, likewise
CHILDREN_MB: Final = 256  # beyond a function's own memory limit, for the programs it runs


def excess(scratch: Path, memory_mb: int) -> str:
    """What this process's descendants take too much of, in words; empty if nothing."""
    pids = descendants()
    entries, size = _on_disk(scratch)
    size += sum(_unlinked(pid) for pid in pids)
    if size > SCRATCH_BYTES:
        return f"its scratch files take {size // 1_000_000} MB, more than {SCRATCH_BYTES // 1_000_000}"
    if entries > ENTRIES:
        return f"its scratch folder holds more than {ENTRIES} files"
    # One process alone has a limit that the kernel keeps.
    if len(pids) > 1 and (taken := sum(map(memory, pids)) // 1024) > memory_mb + CHILDREN_MB:
        return f"its processes take {taken} MB, more than {memory_mb + CHILDREN_MB}"
    return ""


def descendants(root: str = "self") -> set[int]:
    """Processes that this one started, and theirs, as the kernel's list numbers them."""
    found: set[int] = set()
    around = [root]
    while around:
        parent = around.pop()
        with suppress(OSError):
            for task in os.listdir(f"/proc/{parent}/task"):
                children = Path(f"/proc/{parent}/task/{task}/children").read_text().split()
                around += children
                found.update(map(int, children))
    return found


def _on_disk(folder: Path) -> tuple[int, int]:
    """How many entries a folder has below it, and their bytes on the disk."""
    entries = size = 0
    around = [os.fspath(folder)]
    while around and entries <= ENTRIES:
        with suppress(OSError), os.scandir(around.pop()) as rows:
            for row in rows:
                entries += 1
                with suppress(OSError):
                    size += row.stat(follow_symlinks=False).st_blocks * 512
                    if row.is_dir(follow_symlinks=False):
                        around.append(row.path)
    return entries, size


def _unlinked(pid: int) -> int:
    """Bytes of the files that a process has open and that have no name any more."""
    found: dict[int, int] = {}
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with suppress(OSError):
                row = os.stat(f"/proc/{pid}/fd/{name}")
                if stat.S_ISREG(row.st_mode) and row.st_nlink == 0:
                    found[row.st_ino] = row.st_blocks * 512
    return sum(found.values())


def memory(pid: int) -> int:
    """Kilobytes of a process, what it shares with others counted in parts."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0
