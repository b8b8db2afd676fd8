"""Debian's own Postgres, where it is installed: a throw-away cluster of each version found."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

INSTALLED = Path("/usr/lib/postgresql")


def installed_versions() -> list[str]:
    """Versions with a server's programs, such as `15`."""
    return sorted(path.parent.parent.name for path in INSTALLED.glob("*/bin/initdb"))


class DebianPostgres:
    """A cluster in a temporary folder that listens on a socket there alone."""

    def __init__(self, version: str, options: str = "") -> None:
        """`options` are further ones of the server."""
        self._options = options
        self._programs = INSTALLED / version / "bin"
        self._folder = Path(tempfile.mkdtemp(prefix=f"gw-pg{version}-"))
        # The server refuses to run as root.
        self._account = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        if self._account is not None:
            os.chown(self._folder, self._account.pw_uid, self._account.pw_gid)

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={quote(str(self._folder), safe='')}"

    @property
    def pid(self) -> int:
        """The server's process, while it runs."""
        return int((self._folder / "data" / "postmaster.pid").read_text().splitlines()[0])

    def start(self) -> None:
        data = self._folder / "data"
        self._run("initdb", "-D", str(data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C.UTF-8")
        options = f"-c listen_addresses= -k {self._folder} -c fsync=off -c timezone=UTC {self._options}"
        self._run("pg_ctl", "-D", str(data), "-o", options, "-l", str(self._folder / "log"), "-w", "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self._folder / "data"), "-m", "immediate", "-w", "stop")
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> None:
        account = self._account
        identity: dict[str, Any] = (
            {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account is not None else {}
        )
        done = subprocess.run(
            [str(self._programs / program), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=self._folder,
            **identity,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{program} failed: {done.stderr.decode()}")
