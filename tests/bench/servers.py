"""The Postgres that is measured: Debian's where it is installed, as most people run it, else the embedded one."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from gateway.database.embedded import EmbeddedPostgres, programs
from tests.contract.debian import INSTALLED, DebianPostgres, installed_versions

WANTED = "15"  # the version that hosted projects have had the longest


class Running(Protocol):
    """A server that runs; fsync is on."""

    def url(self, user: str = "", database: str = "postgres") -> str:
        """Where a login finds a database."""

    @property
    def pid(self) -> int | None:
        """Its first process."""


@dataclass(frozen=True)
class DebiansPostgres:
    """Debian's, with its data on the machine's disk."""

    server: DebianPostgres

    def url(self, user: str = "", database: str = "postgres") -> str:
        return f"postgresql://{user or 'postgres'}@/{database}?{urlsplit(self.server.url).query}"

    @property
    def pid(self) -> int | None:
        return self.server.pid


@dataclass(frozen=True)
class Measured:
    """A server, the folder of its programs, what it is called, and a folder for what else is needed."""

    server: Running
    programs: Path
    title: str
    folder: Path


@contextlib.contextmanager
def measured_postgres() -> Iterator[Measured]:
    """The server of a measurement."""
    folder = Path(tempfile.mkdtemp(prefix="gw-bench-"))
    found = installed_versions()
    try:
        if found:
            version = WANTED if WANTED in found else found[-1]
            debian = DebianPostgres(version, "-c fsync=on -c wal_level=logical")
            debian.start()
            try:
                server = DebiansPostgres(debian)
                yield Measured(server, INSTALLED / version / "bin", f"Debian's Postgres {version}", folder)
            finally:
                debian.stop()
        else:
            own = EmbeddedPostgres(folder)
            own.start()
            try:
                yield Measured(own, programs(), "the embedded Postgres", folder)
            finally:
                own.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
