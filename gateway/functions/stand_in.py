"""Whom functions run as when the gateway is root: the user `nobody`, who owns nothing on the machine.

For any other user functions run as the gateway itself does.
"""

from __future__ import annotations

import os
import pwd
import stat
from functools import cache
from pathlib import Path
from typing import Final

NAME: Final = "nobody"


@cache
def stand_in() -> tuple[int, int] | None:
    """User and group id of the stand-in; None where none is needed."""
    if os.geteuid() != 0:
        return None
    account = pwd.getpwnam(NAME)
    return account.pw_uid, account.pw_gid


def hand_over(folder: Path) -> None:
    """Make a scratch folder the stand-in's own, and let it pass through (not read) the folders above."""
    account = stand_in()
    if account is not None:
        os.chown(folder, *account)
        _open_the_way(folder)


def let_read(*folders: Path) -> None:
    """Let the stand-in read these folders, and pass through those above."""
    if stand_in() is not None:
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
