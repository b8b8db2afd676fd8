"""A port on loopback by which psql, editors, ORMs and the official CLI reach the embedded Postgres.

The gateway itself stays on the socket, where nobody needs a password. By the port everybody does (SCRAM), and only a
role that has one gets in: `postgres`, with a random one from a file in the data folder. Other machines are not heard.
"""

from __future__ import annotations

import os
import secrets
import socket
from pathlib import Path
from typing import Final
from urllib.parse import quote

from gateway.database.statement import quote_literal, quote_name
from gateway.database.sync_client import SyncConnection

HOST: Final = "127.0.0.1"
PASSWORD_FILE: Final = "db-password"
ROLE: Final = "postgres"
DEFAULT: Final = 5432  # the port that the socket is named after, whatever the server's is
STEP: Final = 100  # between the ports that are tried, so that those of one project stay beside each other
TRIES: Final = 50
RULES_FILE: Final = "pg_hba.conf"
RULES: Final = """\
local all all trust
local replication all trust
host all all 127.0.0.1/32 scram-sha-256
"""


class Loopback:
    """The port of one cluster; it is chosen when the server starts."""

    def __init__(self, folder: Path, wanted: int) -> None:
        self._folder = folder
        self.port = wanted

    def options(self, sockets: Path) -> dict[str, str]:
        """Settings of the server, whose socket's folder is `sockets`; the port is free at this moment."""
        self.port = free_port(self.port)
        rules = sockets / RULES_FILE
        rules.write_text(RULES)
        if self.port != DEFAULT:
            # Connections by the socket name no port: they need not know which one was free.
            link = sockets / f".s.PGSQL.{DEFAULT}"
            link.unlink(missing_ok=True)
            link.symlink_to(f".s.PGSQL.{self.port}")
        return {"listen_addresses": HOST, "port": str(self.port), "hba_file": str(rules)}

    def admit(self, owner: SyncConnection) -> None:
        """Give the role its password. Raises DatabaseError."""
        verifier = quote_literal(owner.encrypted(self.password, ROLE))
        owner.script(f"begin read write; alter role {quote_name(ROLE)} login password {verifier}; commit")

    @property
    def password(self) -> str:
        """The password, made at the first call."""
        return password_in(self._folder)

    @property
    def url(self) -> str:
        """The whole address."""
        return url_of(self._folder, self.port)


def url_of(folder: Path, port: int) -> str:
    """The address of a data folder's server at a port. It says that there is no TLS: some tools demand it otherwise."""
    return f"postgresql://{ROLE}:{quote(password_in(folder))}@{HOST}:{port}/postgres?sslmode=disable"


def password_in(folder: Path) -> str:
    """The password of a data folder, made where there is none; its owner alone can read it."""
    path = folder / PASSWORD_FILE
    try:
        if found := path.read_text().strip():
            return found
    except FileNotFoundError:
        pass
    made = secrets.token_hex(16)
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(made + "\n")
    return made


def free_port(wanted: int, step: int = STEP) -> int:
    """A port that is free on loopback: the wanted one, one of the next in steps, or any; 0 asks for any."""
    tried = [wanted + step * number for number in range(TRIES)] if wanted else []
    for port in (*(port for port in tried if port < 65_536), 0):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            found: int = probe.getsockname()[1]
            return found
    return 0
