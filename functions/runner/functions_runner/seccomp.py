"""Which system calls a process may make from now on, by seccomp: see https://docs.kernel.org/userspace-api/seccomp_filter.html.

Refused are sockets other than TCP and UDP (a database's or a neighbour's unix socket trusts whoever reaches it), new
namespaces, memory and objects that no limit counts or that outlive their process, and what reads other processes. A
refused call fails with an error, it does not end the process. A restriction cannot be taken back.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys
from collections.abc import Mapping
from typing import Final

_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_SET_SECCOMP: Final = 22
_FILTER: Final = 2
_ALLOW: Final = 0x7FFF0000
_ERRNO: Final = 0x00050000
_X32: Final = 0x40000000  # a second numbering of the calls on x86-64

# Offsets in what the filter looks at.
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06

_FAMILIES: Final = (2, 10, 16)  # IPv4, IPv6, and the kernel's routes, which the resolver reads
_UNIX: Final = 1
_NEW_NAMESPACES: Final = 0x7E020000  # flags of clone
_SHARED_ANONYMOUS: Final = 0x21  # flags of mmap; counted by no limit of a process

# name: number on x86-64, number on 64-bit ARM
_REFUSED: Final = {
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "open_by_handle_at": (304, 265),
    "kexec_load": (246, 104), "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "quotactl": (179, 60), "acct": (163, 89), "swapon": (167, 224), "reboot": (169, 142),
}  # fmt: skip
# On 64-bit ARM the first of these are none: a number that is never used.
_OF_MODES: Final = {
    "chmod": (90, 1023), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "setxattr": (188, 5),
    "lsetxattr": (189, 6), "fsetxattr": (190, 7), "utime": (132, 1023), "utimes": (235, 1023), "utimensat": (280, 88),
}  # fmt: skip
_CLONE: Final = (56, 220)
_CLONE3: Final = (435, 435)  # its flags are out of a filter's sight; the C library falls back to clone
_MMAP: Final = (9, 222)
_SOCKET: Final = (41, 198)
_ARCHITECTURES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}


def is_known() -> bool:
    """Whether there is a filter for this machine."""
    return sys.platform == "linux" and platform.machine() in _ARCHITECTURES


def restrict(*, modes: bool = True, unix_sockets: bool = False) -> bool:
    """Refuse these calls from now on, and without `modes` those that change a file's mode, times or attributes.

    With `unix_sockets` those may be made; who may reach which is then somebody else's to say.

    False where there is no filter for this machine or the kernel has no seccomp.
    """
    if not is_known():
        return False
    refused = _REFUSED if modes else _REFUSED | _OF_MODES
    families = (*_FAMILIES, _UNIX) if unix_sockets else _FAMILIES
    program = _program(*_ARCHITECTURES[platform.machine()], refused, families)
    held = ctypes.create_string_buffer(program)
    address = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(held))
    libc = ctypes.CDLL(None)
    return not (libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(_PR_SET_SECCOMP, _FILTER, address, 0, 0))


def _program(
    column: int, architecture: int, refused: Mapping[str, tuple[int, int]], families: tuple[int, ...] = _FAMILIES
) -> bytes:
    """The filter: instructions of code, jump if true, jump if false, operand."""
    rows: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _ERRNO | errno.ENOSYS),
    ]
    for numbers in refused.values():
        rows += [(_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]
    rows += [(_EQUAL, 0, 1, _CLONE3[column]), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    # Each of these loads an argument, so it ends in an answer.
    rows += [
        (_EQUAL, 0, 4, _CLONE[column]),
        (_LOAD, 0, 0, _ARGUMENTS),
        (_ANY_BIT, 0, 1, _NEW_NAMESPACES),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
        (_EQUAL, 0, 5, _MMAP[column]),
        (_LOAD, 0, 0, _ARGUMENTS + 3 * 8),
        (_AND, 0, 0, _SHARED_ANONYMOUS),
        (_EQUAL, 0, 1, _SHARED_ANONYMOUS),
        (_RETURN, 0, 0, _ERRNO | errno.ENOMEM),
        (_RETURN, 0, 0, _ALLOW),
        (_EQUAL, 0, 2 + len(families) * 2, _SOCKET[column]),
        (_LOAD, 0, 0, _ARGUMENTS),
    ]
    for family in families:
        rows += [(_EQUAL, 0, 1, family), (_RETURN, 0, 0, _ALLOW)]
    rows += [(_RETURN, 0, 0, _ERRNO | errno.EACCES), (_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("HBBI", *row) for row in rows)
