"""Running the gateway in this process: the listening socket, uvicorn, and a worker process beside it."""

from __future__ import annotations

import gc
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from signal import SIGTERM
from typing import Final

import uvicorn

from gateway.embedded import child_of_this_process
from gateway.http import App
from gateway.protocol import Protocol

GRACE: Final = 10  # seconds for requests in flight when the gateway is asked to stop
BACKLOG: Final = 2048
COLLECT_AFTER: Final = 20_000  # objects made and kept between collections; Python's own 700 is for small scripts


class PortInUse(Exception):
    """Something else listens there."""


def listen(host: str, port: int) -> socket.socket:
    """A bound socket; port 0 takes a free one. Raises PortInUse and OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        raise PortInUse(f"port {port} on {host} cannot be used: {error.strerror}") from error
    bound.set_inheritable(True)
    return bound


class _Server(uvicorn.Server):
    """Tells when it is ready."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            # What is loaded by now stays: the collector need not look at it again, and need not look so often.
            gc.collect()
            gc.freeze()
            gc.set_threshold(COLLECT_AFTER, 20, 20)
            self._on_ready()


def serve(app: App, bound: socket.socket, on_ready: Callable[[], None]) -> bool:
    """Serve until SIGINT or SIGTERM; False if the application could not start."""
    config = uvicorn.Config(
        app,
        loop="uvloop" if sys.platform != "win32" else "asyncio",
        http=Protocol,
        ws="websockets-sansio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=GRACE,
    )
    server = _Server(config, on_ready)
    # uvicorn raises the signal again once it has shut down: SIGTERM must not end this process before its caller
    # has stopped what it started
    signal.signal(SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        server.run(sockets=[bound])
    return server.started


class Companion:
    """A child process that is started again when it ends by itself, and ended with this one."""

    def __init__(self, arguments: list[str], environment: Mapping[str, str]) -> None:
        self._arguments = arguments
        self._environment = dict(environment)
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, daemon=True)

    def start(self) -> None:
        """Start it; called from the main thread, whose death ends the child."""
        self._launch()
        self._thread.start()

    def stop(self) -> None:
        """Ask it to end, and wait."""
        self._stopping.set()
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _launch(self) -> None:
        self._process = subprocess.Popen(
            self._arguments,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=child_of_this_process(SIGTERM),
        )

    def _keep(self) -> None:
        delay = 1.0
        while not self._stopping.is_set():
            assert self._process is not None
            self._process.wait()
            if self._stopping.wait(delay):
                return
            delay = min(30.0, delay * 2)
            self._launch()
