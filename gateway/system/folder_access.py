"""Lets one user pass through a folder, and nobody else: an entry for that user in the folder's access control list.

The format of the list is the kernel's (`linux/posix_acl_xattr.h`): a version, then a tag, permissions and an id for
each entry, sorted by tag. Where the file system has no such lists, everybody may pass instead.
"""

from __future__ import annotations

import errno
import os
import struct
from pathlib import Path
from typing import Final

NAME: Final = "system.posix_acl_access"
VERSION: Final = 2
PASS: Final = 1  # of read 4, write 2 and execute 1, which for a folder means to pass
USER_OBJ, USER, GROUP_OBJ, GROUP, MASK, OTHER = 1, 2, 4, 8, 16, 32
NOBODY: Final = 0xFFFFFFFF  # in place of an id

Entry = tuple[int, int, int]


def let_pass(uid: int, folder: Path) -> bool:
    """Let a user pass (not read) a folder; whether anything had to change for that. Raises OSError."""
    found = folder.stat()
    if found.st_mode & PASS or (found.st_uid == uid and found.st_mode & 0o100):
        return False
    entries = _read(folder, found.st_mode)
    if entries is None:
        os.chmod(folder, found.st_mode | PASS)
        return True
    wanted = with_passage(entries, uid)
    if wanted == entries:
        return False
    os.setxattr(folder, NAME, _encode(wanted))
    return True


def with_passage(entries: list[Entry], uid: int) -> list[Entry]:
    """The list with passage for a user; nobody else may do more or less than before.

    The mask bounds what all but the owner and others may do, so that it must allow to pass. An entry that it kept from
    passing so far is taken that right itself.

    >>> with_passage([(USER_OBJ, 7, NOBODY), (GROUP_OBJ, 0, NOBODY), (OTHER, 0, NOBODY)], 70)[1:4]
    [(2, 1, 70), (4, 0, 4294967295), (16, 1, 4294967295)]
    """
    bounded = [entry for entry in entries if entry[0] in (USER, GROUP_OBJ, GROUP) and entry[:3:2] != (USER, uid)]
    owners = [entry for entry in entries if entry[0] in (USER_OBJ, OTHER)]
    mask = next((permissions for tag, permissions, _ in entries if tag == MASK), 7)
    own = next((permissions for tag, permissions, id in entries if (tag, id) == (USER, uid)), 0)
    bounded = [(tag, permissions & mask, id) for tag, permissions, id in bounded]
    bounded.append((USER, own & mask | PASS, uid))
    needed = 0
    for _, permissions, _ in bounded:
        needed |= permissions
    return sorted([*owners, *bounded, (MASK, needed, NOBODY)], key=lambda entry: (entry[0], entry[2]))


def _read(folder: Path, mode: int) -> list[Entry] | None:
    """The list, made of the plain mode where there is none; None where the file system knows no lists."""
    if not hasattr(os, "getxattr"):
        return None
    try:
        raw = os.getxattr(folder, NAME)
    except OSError as error:
        if error.errno == errno.ENODATA:
            shifts = ((USER_OBJ, 6), (GROUP_OBJ, 3), (OTHER, 0))
            return [(tag, mode >> shift & 7, NOBODY) for tag, shift in shifts]
        if error.errno in (errno.ENOTSUP, errno.ENOSYS):
            return None
        raise
    return list(struct.iter_unpack("<HHI", raw[4:]))


def _encode(entries: list[Entry]) -> bytes:
    return struct.pack("<I", VERSION) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
