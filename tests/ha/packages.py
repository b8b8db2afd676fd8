"""Makes sure of HAProxy, PgBouncer, Redis and NATS: those there are, else the system's. Fails with what to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("haproxy", "pgbouncer", "redis-server", "nats-server")
SEARCHED = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"


def program(name: str) -> str:
    """Path of a program. Raises LookupError."""
    found = shutil.which(name, path=SEARCHED)
    if found is None:
        raise LookupError(f"{name} is not installed; `make test-road` installs it where there is apt-get")
    return found


def ensure() -> None:
    """Install what is missing. Raises SystemExit with what to do."""
    missing = [name for name in NAMES if shutil.which(name, path=SEARCHED) is None]
    if not missing:
        return
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if shutil.which("apt-get") is not None:
        for arguments in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *missing]):
            subprocess.run([*prefix, "apt-get", *arguments], env=environment, stdout=subprocess.DEVNULL)
    if any(shutil.which(name, path=SEARCHED) is None for name in NAMES):
        sys.exit(f"{' and '.join(missing)} could not be installed: install them with the system's package manager")


if __name__ == "__main__":
    ensure()
    print(f"found: {', '.join(map(program, NAMES))}")
