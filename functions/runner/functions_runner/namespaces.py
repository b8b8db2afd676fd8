"""Namespaces that keep the processes of a function together (Linux): see namespaces(7).

In a pid namespace of its own a function sees and signals its own processes alone, and the kernel ends all of them with
the first, however they were forked. Root makes one freely; anyone else needs a user namespace, which some systems
refuse.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

_NEW_USER: Final = 0x10000000
_NEW_PID: Final = 0x20000000
_NEW_IPC: Final = 0x08000000
_NEW_MOUNTS: Final = 0x00020000
_BIND: Final = 4096
_PRIVATE: Final = 1 << 18
_RECURSIVE: Final = 0x8000
_HERE: Final = -100
_MOUNT_SETATTR: Final = 442
_PR_SET_DUMPABLE: Final = 4
_PR_CAPBSET_DROP: Final = 24
_PR_SET_CHILD_SUBREAPER: Final = 36
_CAPABILITY_VERSION: Final = 0x20080522
_CAPABILITIES: Final = 64


def separate() -> bool:
    """Have this process's next child begin a pid namespace; False where the system refuses. Single-threaded only."""
    if os.geteuid() == 0:  # in a user namespace it could not become another user
        return _unshare(_NEW_PID | _NEW_IPC)
    return own_user_namespace() and _unshare(_NEW_PID | _NEW_IPC)


def own_user_namespace() -> bool:
    """Enter a user namespace in which this process is who it was: what is counted by user is counted in it anew."""
    user, group = os.geteuid(), os.getegid()
    if not _unshare(_NEW_USER):
        return False
    try:
        _write("/proc/self/uid_map", f"{user} {user} 1")
        with suppress(FileNotFoundError):
            _write("/proc/self/setgroups", "deny")
        _write("/proc/self/gid_map", f"{group} {group} 1")
    except OSError:
        return False
    return True


def read_only_but(folder: Path) -> bool:
    """In a new user namespace, make every file system read-only but this folder; False where the system refuses.

    Landlock lets a process change the modes, times and attributes of whatever its user owns.
    """
    libc, path = ctypes.CDLL(None), os.fsencode(folder)
    if not _unshare(_NEW_MOUNTS) or libc.mount(path, path, None, _BIND, None):
        return False
    read_only, writable = struct.pack("QQQQ", 1, 0, _PRIVATE, 0), struct.pack("QQQQ", 0, 1, 0, 0)
    for place, flags, attributes in ((b"/", _RECURSIVE, read_only), (path, 0, writable)):
        size = ctypes.c_size_t(len(attributes))
        if libc.syscall(_MOUNT_SETATTR, _HERE, place, flags, attributes, size):
            return False
    return True


def drop_capabilities() -> None:
    """Give up whatever root's or a namespace's maker could do."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    for number in range(_CAPABILITIES):
        libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0)
    libc.capset(struct.pack("Ii", _CAPABILITY_VERSION, 0), bytes(24))


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def hide_memory() -> None:
    """Keep this process's memory and environment from other processes of its user; its later forks as well."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _unshare(flags: int) -> bool:
    return sys.platform == "linux" and not ctypes.CDLL(None).unshare(flags)


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)
