"""Whom functions run as when the gateway is root: each process a user of its own, who owns nothing on the machine.

For any other user functions run as the gateway itself does; functions_runner/confinement.py says what keeps them apart.
"""

from __future__ import annotations

import logging
import os
import pwd
import secrets
import stat
from pathlib import Path
from typing import Final

log = logging.getLogger("gateway.functions")

# The range that systemd keeps for users of the moment: nobody's account lies in it.
FIRST: Final = 61_184
LAST: Final = 65_519
FALLBACK: Final = "nobody"


def unprivileged_user() -> tuple[int, int] | None:
    """User and group id for one process; None where the gateway is not root.

    Drawn anew for each: what the kernel counts by user, it then counts by process, and two that happen on the same
    number are still kept apart by everything else.
    """
    if os.geteuid() != 0:
        return None
    if not (_is_mapped("uid", FIRST, LAST) and _is_mapped("gid", FIRST, LAST)):  # in some containers
        account = pwd.getpwnam(FALLBACK)
        return account.pw_uid, account.pw_gid
    number = FIRST + secrets.randbelow(LAST - FIRST + 1)
    return number, number


def hand_over(folder: Path, account: tuple[int, int] | None) -> None:
    """Make a scratch folder the user's own, and let it pass through (not read) the folders above."""
    if account is not None:
        os.chown(folder, *account)
        _open_the_way(folder)


def let_read(*folders: Path) -> None:
    """Where the gateway is root, let functions read these folders, and pass through those above."""
    if os.geteuid() == 0:
        for folder in folders:
            _allow(folder, stat.S_IROTH | stat.S_IXOTH)
            _open_the_way(folder)


def _open_the_way(folder: Path) -> None:
    for above in folder.parents:
        _allow(above, stat.S_IXOTH)


def _allow(folder: Path, bits: int) -> None:
    mode = folder.stat().st_mode
    if mode & bits != bits:
        os.chmod(folder, mode | bits)
        log.warning("%s is open to other users from now on (mode %o): functions must pass it", folder, mode | bits)


def _is_mapped(kind: str, first: int, last: int) -> bool:
    """Whether the numbers exist in this process's user namespace."""
    try:
        rows = [line.split() for line in Path(f"/proc/self/{kind}_map").read_text().splitlines()]
    except OSError:
        return True
    return any(int(start) <= first and last < int(start) + int(count) for start, _, count in rows)
