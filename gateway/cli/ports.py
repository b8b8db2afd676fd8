"""The sockets that a gateway listens on, and the note by which commands of this machine find them."""

from __future__ import annotations

import json
import os
import secrets
import socket
import time
from contextlib import suppress
from dataclasses import replace

from gateway.cli.common import SERVING, fail
from gateway.database.loopback import free_port as free_port_near
from gateway.http.unix_client import address_of
from gateway.server.http_server import PortInUse, listen, listen_at
from gateway.settings import Settings
from gateway.system.processes import is_alive

LEAVING = 10.0  # seconds that workers whose supervisor was killed may take to let go of the port


class Ports:
    """The sockets that every worker listens on, and the note for `gateway status` that says where they are.

    `key` opens what the admin port shows to the owner alone, `mail_key` the mail trap; each start makes new ones.
    """

    def __init__(
        self, settings: Settings, public: socket.socket, admin: socket.socket | None, console: bool = False
    ) -> None:
        """`console` is whether the console is on the public port too."""
        self.public = public
        self.admin = admin
        self.key = secrets.token_urlsafe(32)
        self.mail_key = secrets.token_urlsafe(32)
        self._note = settings.data_dir / SERVING
        content = {
            "pid": os.getpid(),
            "url": settings.local_url if settings.unix_socket else settings.api_url,
            "port": settings.port,
            "admin": address_of_socket(admin),
            "key": self.key,
            "mail_key": self.mail_key,
            "console": console,
        }
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        # Removed first: one that another version left may be readable by more than its owner.
        self._note.unlink(missing_ok=True)
        with open(os.open(self._note, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as note:
            note.write(json.dumps(content) + "\n")

    def let_go(self) -> None:
        """Close the sockets in this process; the others go on listening."""
        self.public.close()
        if self.admin is not None:
            self.admin.close()

    def close(self) -> None:
        """Listen no more."""
        sockets = [each for each in (self.public, self.admin) if each is not None]
        paths = [each.getsockname() for each in sockets if each.family == socket.AF_UNIX]
        self.let_go()
        for path in paths:
            with suppress(OSError):  # it may stand in a folder that was root's to write to
                os.unlink(path)
        self._note.unlink(missing_ok=True)

    @property
    def descriptors(self) -> tuple[int, int]:
        """For a program that takes over; -1 is none."""
        return self.public.fileno(), self.admin.fileno() if self.admin is not None else -1


def listen_public(settings: Settings, may_differ: bool = False) -> tuple[Settings, socket.socket]:
    """The public socket; where the port `may_differ`, one that is free in place of one that is taken."""
    if may_differ and not settings.unix_socket and not _was_killed(settings):
        settings = replace(settings, port=free_port_near(settings.port))
    deadline = time.monotonic() + (LEAVING if _was_killed(settings) else 0.0)
    while True:
        try:
            bound = (
                listen_at(settings.unix_socket, settings.unix_socket_mode)
                if settings.unix_socket
                else listen(settings.host, settings.port, settings.reuse_port)
            )
            break
        except PortInUse as error:
            if time.monotonic() >= deadline:
                fail(str(error) if settings.unix_socket else f"{error}. Choose another with PORT=…")
            time.sleep(0.05)
    return bound_to(settings, bound), bound


def listen_admin(settings: Settings) -> socket.socket | None:
    if settings.admin_port is None and not settings.admin_unix_socket:
        return None
    try:
        if settings.admin_unix_socket:
            return listen_at(settings.admin_unix_socket, settings.admin_unix_socket_mode)
        assert settings.admin_port is not None
        return listen("127.0.0.1", settings.admin_port)
    except PortInUse as error:
        fail(str(error) if settings.admin_unix_socket else f"{error}. Choose another with PGRST_ADMIN_SERVER_PORT=…")


def bound_to(settings: Settings, bound: socket.socket) -> Settings:
    """Settings that name the port that was taken."""
    return settings if bound.family == socket.AF_UNIX else replace(settings, port=bound.getsockname()[1])


def address_of_socket(bound: socket.socket | None) -> str | None:
    """Where commands of this machine reach the admin port's socket."""
    if bound is None:
        return None
    name = bound.getsockname()
    return address_of(name) if bound.family == socket.AF_UNIX else f"http://127.0.0.1:{name[1]}"


def _was_killed(settings: Settings) -> bool:
    """Whether a gateway served this port whose supervisor is gone without a word; its workers are about to follow."""
    try:
        note = json.loads((settings.data_dir / SERVING).read_text())
        return bool(note["port"] == settings.port and not is_alive(note["pid"]))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def free_port() -> int:
    with listen("127.0.0.1", 0) as probe:
        port: int = probe.getsockname()[1]
        return port
