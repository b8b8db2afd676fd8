"""The processes of a running gateway: workers, jobs, monitor; read again, and handed over to a newer program."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from gateway.admin.routes import AdminPort
from gateway.app import Gateway
from gateway.cli.common import fail
from gateway.cli.ports import Ports, address_of_socket
from gateway.console.mount import PREFIX, ConsoleMount
from gateway.database.poolers import Urls
from gateway.http.messages import App
from gateway.identity.keyring import KeyRing
from gateway.middleware import security_headers
from gateway.middleware.limits import Buckets
from gateway.middleware.metrics import Board
from gateway.projects.errors import ProjectError
from gateway.projects.settings import find_content, load_settings_of
from gateway.rest.replica import Recent
from gateway.server.http_server import BoundApp, serve
from gateway.server.supervisor import Lifeline, Role
from gateway.settings import Settings, SettingsError

log = logging.getLogger("gateway.serve")

BEAT = 1.0  # seconds between two signs of life
CHECK_LIMIT = 60.0  # seconds that a new program may take to say whether it would start


def make_gateway(
    settings: Settings,
    keys: KeyRing,
    urls: Urls,
    mounts: Mapping[str, App],
    board: Board | None = None,
    buckets: Buckets | None = None,
    recent: Recent | None = None,
    slot: int = 0,
) -> Gateway:
    """The gateway; settings that only a service can judge are told in one line."""
    try:
        return Gateway(settings, keys, urls, mounts=mounts, board=board, buckets=buckets, recent=recent, slot=slot)
    except ValueError as error:
        fail(str(error))


def load_keys(settings: Settings) -> KeyRing:
    try:
        return KeyRing.load(settings)
    except ValueError as error:
        fail(str(error))


def worker_roles(
    settings: Settings, keys: KeyRing, urls: Urls, mounts: Mapping[str, App], ports: Ports, console: bool = False
) -> list[Role]:
    """A role for each worker of the gateway; `console` puts the console on the public port too."""
    # Before the forks, so that all share them.
    board, buckets, recent = Board(settings.workers), Buckets(), Recent()

    def run(slot: int, lifeline: Lifeline) -> int:
        public = ConsoleMount(urls, ports.key, private=bool(settings.unix_socket))
        own = {PREFIX: public} if console and settings.console else {}
        gateway = make_gateway(settings, keys, urls, {**mounts, **own}, board, buckets, recent, slot)
        public.gateway = gateway
        admin = None
        if ports.admin is not None:
            private = ports.admin.family == socket.AF_UNIX
            held = ConsoleMount(urls, ports.key, private, gateway) if settings.console else None
            admin = BoundApp(AdminPort(gateway, board, ports.key, private, held), ports.admin)
        app = recorded_if_asked(gateway, settings)
        served = serve(
            app,
            ports.public,
            lifeline,
            admin,
            settings.client_timeout,
            security_headers.of_all(settings),
            lifeline.beat,
            settings.max_connections,
            # What stands around the gateway sees nothing of what skips ASGI.
            gateway.fast_path if settings.fast_path and app is gateway else None,
            gateway.door,
        )
        return 0 if served else 1

    return [Role(f"worker {slot + 1}", partial(run, slot)) for slot in range(settings.workers)]


def run_jobs(settings: Settings, owner: str, ports: Ports, trap_port: int | None, lifeline: Lifeline) -> int:
    """Be `gateway worker`: a program of its own, because it needs other libraries."""
    ports.let_go()  # or it would hold the port open, and a later start could not have it
    lifeline.wait_for_workers()
    os.set_inheritable(lifeline.descriptor, True)
    arguments = [sys.executable, "-m", "gateway", "worker", "--lifeline", str(lifeline.descriptor)]
    if trap_port is not None:
        arguments += ["--trap-port", str(trap_port)]
    os.execve(
        sys.executable,
        arguments,
        {
            **os.environ,
            "DATABASE_URL": owner,
            "GATEWAY_DATA_DIR": str(settings.data_dir),
            "GATEWAY_PORT": str(settings.port),  # the one that was free
        },
    )


def run_monitor(settings: Settings, urls: Urls, ports: Ports, lifeline: Lifeline) -> int:
    """Watch over the gateway in a process of its own."""
    admin = address_of_socket(ports.admin)
    ports.let_go()
    lifeline.wait_for_workers()
    from gateway.operations.monitor.run import watch  # brings the mail client along, which no worker needs

    asyncio.run(watch(settings, urls, admin, lambda: beat(lifeline)))
    return 0


async def beat(lifeline: Lifeline) -> None:
    """Tell the supervisor that the event loop turns."""
    while True:
        lifeline.beat()
        await asyncio.sleep(BEAT)


def recorded_if_asked(gateway: Gateway, settings: Settings) -> App:
    """The gateway, with a recorder around it where the settings name a file."""
    if not settings.record:
        return gateway
    from gateway.cli.record import recorded  # brings an HTTP client along, which a plain start does without

    return recorded(gateway, settings)


def reloaded_roles(
    settings: Settings, given: Mapping[str, Any], roles: Callable[[Settings, KeyRing], list[Role]]
) -> list[Role] | None:
    """Roles with the settings and keys as they are now; None, and a line that says why, where these are at fault.

    Where the gateway listens and which database it uses stay as they were until it is started anew.
    """
    try:
        content = find_content(Path.cwd(), os.environ)
        fresh = load_settings_of(content, **{name: value for name, value in given.items() if value is not None})
        fresh = replace(
            fresh,
            host=settings.host,
            port=settings.port,
            data_dir=settings.data_dir,
            database_url=settings.database_url,
        )
        reloaded = roles(fresh, KeyRing.load(fresh))
    except (SettingsError, ProjectError, ValueError) as error:
        log.error("the settings stay as they were: %s", error)
        return None
    log.info("settings and keys are read again")
    return reloaded


def hand_over(ports: Ports, workers: tuple[int, ...]) -> None:
    """Become the program as it is installed now; the workers serve on until its own are ready."""
    arguments = list(sys.orig_argv)
    if "--handed-over" in arguments:
        at = arguments.index("--handed-over")
        del arguments[at : at + 2]
    try:
        checked = subprocess.run(
            [*arguments, "--check"], executable=sys.executable, capture_output=True, text=True, timeout=CHECK_LIMIT
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        log.error("the new program cannot be tried, this one stays: %s", error)
        return
    if checked.returncode != 0:
        log.error("the new program would not start, this one stays: %s", checked.stderr.strip())
        return
    handed = ":".join(str(number) for number in (*ports.descriptors, *workers))
    os.execv(sys.executable, [*arguments, "--handed-over", handed])


class FileWatch:
    """Tells once of each change of one of its files."""

    def __init__(self, *paths: Path) -> None:
        self._paths = paths
        self._seen = self._stamps()

    def __call__(self) -> bool:
        before, self._seen = self._seen, self._stamps()
        return self._seen != before

    def _stamps(self) -> list[tuple[int, int] | None]:
        return [_stamp(path) for path in self._paths]


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
