"""An instance as a process: a worker without a supervisor, which answers until it is ended."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from gateway.app import Gateway
from gateway.database.embedded import EmbeddedPostgres
from gateway.database.logins import AUTH, REALTIME, REPLICATION, STORAGE, TABLES
from gateway.database.poolers import Urls
from gateway.identity.keyring import KeyRing
from gateway.middleware import security_headers
from gateway.server.http_server import serve
from gateway.settings import Settings
from gateway.system.processes import child_of_this_process
from gateway.testing import clock


@dataclass(frozen=True, slots=True)
class Served:
    """What a keeper knows of an instance that it has forked."""

    database: str
    folder: Path
    pid: int
    port: int
    ready: int  # descriptor that says so with a byte
    ahead: clock.Ahead


def fork(postgres: EmbeddedPostgres, database: str, folder: Path, settings: Settings, others: list[int]) -> Served:
    """Begin to serve a database. `others` are descriptors that an instance must not keep open."""
    bound = socket.create_server(("127.0.0.1", 0), backlog=100)
    port = int(bound.getsockname()[1])
    read, write = os.pipe()
    ahead = clock.Ahead()
    arrange = child_of_this_process(signal.SIGKILL)  # or one whose keeper was killed would hold its folder
    pid = os.fork()
    if pid:
        bound.close()
        os.close(write)
        return Served(database, folder, pid, port, read, ahead)
    status = 1
    try:
        if arrange is not None:
            arrange()
        for descriptor in (*others, read):
            os.close(descriptor)
        clock.use(ahead)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _into(folder / "log")
        urls = Urls(
            postgres.url(TABLES, database),
            postgres.url(AUTH, database),
            storage=postgres.url(STORAGE, database),
            realtime=postgres.url(REALTIME, database),
            replication=(postgres.url(REPLICATION, database),),
        )
        _answer(replace(settings, port=port), urls, bound, partial(_say, write))
        status = 0
    finally:
        os._exit(status)


def _answer(settings: Settings, urls: Urls, bound: socket.socket, on_ready: Callable[[], None]) -> None:
    gateway = Gateway(settings, KeyRing.load(settings), urls)
    serve(
        gateway,
        bound,
        on_ready,
        headers=security_headers.of_all(settings),
        fast_path=gateway.fast_path,
        door=gateway.door,
    )


def _say(descriptor: int) -> None:
    os.write(descriptor, b"1")


def _into(path: Path) -> None:
    """Have what is said and logged go into a file."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(descriptor, stream.fileno())
    os.close(descriptor)
