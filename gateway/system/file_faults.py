"""What is wrong with a file or a folder, and what to do about it, in one line."""

from __future__ import annotations

import errno
import os
import pwd
from pathlib import Path
from typing import Final

ADVICE: Final = {
    errno.EROFS: "its file system is read-only: mount it for writing, or set GATEWAY_DATA_DIR to another folder",
    errno.ENOSPC: "no space is left there: make room",
    errno.EDQUOT: "the quota is used up: make room",
    errno.EFBIG: "the limit on the size of files is reached: raise it (ulimit -f)",
    errno.ENOTDIR: "one of its folders is a file: move that away, or choose another place",
    errno.EEXIST: "it is a file where a folder is needed: move it away, or choose another place",
    errno.EISDIR: "it is a folder where a file is needed: move it away",
    errno.ELOOP: "its symbolic links lead in a circle: remove them",
    errno.ENAMETOOLONG: "the name is too long: choose another place",
    errno.EMFILE: "too many files are open: raise the limit (ulimit -n)",
    errno.ENFILE: "too many files are open on this machine",
    errno.EIO: "the disk fails: look at the system's log",
}


def explain(error: OSError, near: Path | None = None) -> str:
    """The fault of a file; `near` is named where the system does not say which it was."""
    path = Path(os.fsdecode(error.filename)) if isinstance(error.filename, str | bytes) else near
    reason = error.strerror or str(error) or type(error).__name__
    if path is None:
        return reason
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"{path}: {reason}; {_whose(path)}"
    advice = ADVICE.get(error.errno or 0)
    return f"{path}: {advice}" if advice else f"{path}: {reason}"


def _whose(path: Path) -> str:
    """Who owns what is in the way, and how to get on."""
    there, me = existing(path), user_name(os.geteuid())
    try:
        owner = there.stat().st_uid
    except OSError:
        return f"{me} cannot reach it: run as its owner, or set GATEWAY_DATA_DIR to a folder of {me}'s own"
    if owner == os.geteuid():
        return f"its owner {me} may not either: chmod u+rwX {there}"
    name = user_name(owner)
    return f"it belongs to {name}, and this is {me}: run as {name}, or `sudo chown -R {me} {there}`"


def existing(path: Path) -> Path:
    """The path, or the nearest folder above it that there is."""
    path = path.absolute()
    for candidate in (path, *path.parents):
        try:
            candidate.lstat()
        except OSError:
            continue
        return candidate
    return Path(path.anchor)


def user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"
