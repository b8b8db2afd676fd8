"""Root over somebody else's folder becomes that user, or it would leave files there that their owner cannot use."""

from __future__ import annotations

import logging
import os
import pwd
import sys
from pathlib import Path
from typing import Final

from gateway.system.file_faults import existing

log = logging.getLogger("gateway")

PROJECT: Final = Path(__file__).resolve().parents[2]


def become_owner(folder: Path) -> None:
    """Where this process is root's and the folder (or the one it will be in) is another user's: be that user.

    Not where that user is unknown to the system, or could not reach the folder or the program.
    """
    if os.geteuid() != 0:
        return
    there = existing(folder)
    owner = there.stat().st_uid
    if owner == 0:
        return
    try:
        account = pwd.getpwuid(owner)
    except KeyError:
        return
    if not _can_work(account, there):
        log.warning("%s belongs to %s, who cannot reach it or this program: root goes on", there, account.pw_name)
        return
    _become(account)
    os.environ.update(HOME=account.pw_dir, USER=account.pw_name, LOGNAME=account.pw_name)
    log.warning("%s belongs to %s: going on as %s", there, account.pw_name, account.pw_name)


def _become(account: pwd.struct_passwd) -> None:
    os.initgroups(account.pw_name, account.pw_gid)
    os.setgid(account.pw_gid)
    os.setuid(account.pw_uid)


def _can_work(account: pwd.struct_passwd, there: Path) -> bool:
    """Whether the user could go on where root is now; tried in a child, for there is no way back."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            _become(account)
            readable = (Path(sys.executable), PROJECT / "gateway" / "__init__.py")
            may = os.access(there, os.R_OK | os.W_OK | os.X_OK) and os.access(Path.cwd(), os.X_OK)
            status = 0 if may and all(os.access(path, os.R_OK) for path in readable) else 1
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0
