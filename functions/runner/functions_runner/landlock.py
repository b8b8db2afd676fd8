"""Which files a process may touch from now on, by Landlock (Linux 5.13 and newer): what no rule names is refused.

See https://docs.kernel.org/userspace-api/landlock.html. A restriction cannot be taken back, holds for every child, and
brings more as kernels bring it: reading the memory or environment of processes outside (always), listening on TCP
(version 4), signals to processes outside (version 6).
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

_CREATE: Final = 444  # system calls; the same number on every architecture
_ADD: Final = 445
_RESTRICT: Final = 446
_WANT_VERSION: Final = 1
_PATH_BENEATH: Final = 1
_PR_SET_NO_NEW_PRIVS: Final = 38

EXECUTE: Final = 1 << 0
_WRITE_FILE: Final = 1 << 1
_READ_FILE: Final = 1 << 2
LIST: Final = 1 << 3
_REFER: Final = 1 << 13  # version 2
_TRUNCATE: Final = 1 << 14  # version 3
_IOCTL: Final = 1 << 15  # version 5
_OF_FILES: Final = EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_BIND_TCP: Final = 1  # version 4
_SCOPES: Final = 3  # version 6: abstract unix sockets, signals

READ: Final = EXECUTE | _READ_FILE | LIST
WRITE: Final = (1 << 16) - 1 & ~_IOCTL & ~(1 << 6) & ~(1 << 11)  # all but devices and their controls


def version() -> int:
    """The kernel's version of Landlock; 0 where there is none or it is off."""
    if sys.platform != "linux":
        return 0
    found: int = ctypes.CDLL(None).syscall(_CREATE, None, ctypes.c_size_t(0), _WANT_VERSION)
    return max(found, 0)


def restrict(rules: Iterable[tuple[Path, int]]) -> bool:
    """Allow only what the rules say, each a path and rights beneath it; False where the kernel has no Landlock.

    Paths that are missing are passed over. Raises OSError.
    """
    known = version()
    if known == 0:
        return False
    handled = (1 << 13) - 1
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL)):
        handled |= right if known >= since else 0
    attributes = struct.pack("QQQ", handled, _BIND_TCP, _SCOPES)[: 8 if known < 4 else 16 if known < 6 else 24]
    ruleset = _call(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0)
    try:
        for path, rights in rules:
            with suppress(FileNotFoundError, PermissionError, NotADirectoryError):
                _allow(ruleset, path, rights & handled)
        if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
        _call(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)
    return True


def _allow(ruleset: int, path: Path, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        _call(_ADD, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, descriptor), 0)
    finally:
        os.close(descriptor)


def _call(number: int, *arguments: object) -> int:
    result: int = ctypes.CDLL(None, use_errno=True).syscall(number, *arguments)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result
