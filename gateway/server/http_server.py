"""Running an application in this process: the listening socket and uvicorn."""

from __future__ import annotations

import asyncio
import errno
import gc
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from signal import SIGTERM
from typing import Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from gateway.http.messages import App
from gateway.server.client_timeouts import ClientTimeouts
from gateway.server.fast_path import FastPath
from gateway.server.fast_path.protocol import FastProtocol
from gateway.server.protocol import Protocol, SocketDoor
from gateway.system.ports import holder

GRACE: Final = 10  # seconds for requests in flight when the gateway is asked to stop
CLIENT_TIMEOUT: Final = 20.0  # seconds that a client may take over a head
KEPT: Final = 75.0  # seconds that an idle connection is kept; longer than the minute of most balancers
BACKLOG: Final = 2048
CONNECTIONS: Final = 2000
MOST_FILES: Final = 65_536
COLLECT_AFTER: Final = 20_000  # objects made and kept between collections; Python's own 700 is for small scripts


class PortInUse(Exception):
    """Something else listens there."""


def listen(host: str, port: int, shared: bool = False) -> socket.socket:
    """A bound socket; port 0 takes a free one, `shared` lets other processes have it too. Raises PortInUse."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        if shared:
            if not hasattr(socket, "SO_REUSEPORT"):
                raise OSError(errno.ENOTSUP, "this system has no SO_REUSEPORT")
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        by = holder(port) if error.errno == errno.EADDRINUSE else ""
        named = f", by {by}" if by else ""
        raise PortInUse(f"port {port} on {host} cannot be used: {error.strerror}{named}") from error
    bound.set_inheritable(True)
    return bound


def listen_at(path: str, mode: int) -> socket.socket:
    """A bound unix socket of this mode; a file that is at its path is removed first. Raises PortInUse."""
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o777 & ~mode)  # it must not be open wider for a moment
    try:
        with suppress(FileNotFoundError):
            os.unlink(path)
        bound.bind(path)
    except OSError as error:
        bound.close()
        raise PortInUse(f"the socket {path} cannot be used: {error.strerror or error}") from error
    finally:
        os.umask(before)
    bound.set_inheritable(True)
    return bound


def open_files() -> int:
    """How many files this process may have open, after that was made as many as it can be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if wanted > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(soft, wanted)


@dataclass(frozen=True, slots=True)
class BoundApp:
    """An application and the socket it answers on."""

    app: App
    bound: socket.socket


class _State(ServerState):
    """What the connections of a server share."""

    draining = False


class _Server(uvicorn.Server):
    """Tells when it is ready."""

    server_state: _State

    def __init__(
        self,
        config: uvicorn.Config,
        on_ready: Callable[[], None],
        admin: BoundApp | None,
        timeouts: ClientTimeouts,
        beat: Callable[[], None] = lambda: None,
        door: SocketDoor | None = None,
    ) -> None:
        super().__init__(config)
        self._door = door
        self.server_state = _State()
        self._beat = beat
        self._timeouts = timeouts
        self._on_ready = on_ready
        self._admin = admin

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            # What is loaded by now stays: the collector need not look at it again, and need not look so often.
            gc.collect()
            gc.freeze()
            gc.set_threshold(COLLECT_AFTER, 20, 20)
            if self._admin is not None:
                await self._listen_apart(self._admin)
            self._on_ready()

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:  # once a second
            self._beat()
            self._timeouts.look(self.server_state.connections, time.monotonic())
        return await super().on_tick(counter)

    async def _listen_apart(self, served: BoundApp) -> None:
        """Serve another application on a port of its own, with nothing of the public one's short cuts."""
        config = uvicorn.Config(served.app, http="httptools", lifespan="off", log_config=None, access_log=False)
        config.load()
        state = ServerState()

        def protocol() -> asyncio.Protocol:
            return HttpToolsProtocol(config, state, {})

        self.servers.append(await asyncio.get_running_loop().create_server(protocol, sock=served.bound))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """After SIGTERM, let go of connections without cutting a request that is on its way.

        A request may be travelling on a connection that looks idle here, so for a moment each is answered once more,
        with the word that the connection ends: see Protocol.drain. Ctrl-C does not wait for that.
        """
        for server in self.servers:
            server.close()
        if self._captured_signals[:1] == [SIGTERM]:
            self.server_state.draining = True
            for connection in list(self.server_state.connections):
                if isinstance(connection, Protocol):
                    connection.drain()
            if self._door is not None:
                await self._door.drain()
        await super().shutdown(sockets)


def serve(
    app: App,
    bound: socket.socket,
    on_ready: Callable[[], None],
    admin: BoundApp | None = None,
    client_timeout: float = CLIENT_TIMEOUT,
    headers: Sequence[tuple[str, str]] = (),
    beat: Callable[[], None] = lambda: None,
    most: int = CONNECTIONS,
    fast_path: FastPath | None = None,
    door: SocketDoor | None = None,
) -> bool:
    """Serve until SIGINT or SIGTERM, and `admin` beside it; False if the application could not start.

    `client_timeout` is in seconds, `most` are the connections at a time: see client_timeouts.py. `headers` go onto
    every response. `beat` is called about once a second while the event loop turns. `fast_path` is offered each request
    before the application is, `door` each upgrade to a websocket.
    """
    timeouts = ClientTimeouts(client_timeout, KEPT, min(most, open_files() * 3 // 4))
    protocol = (
        partial(Protocol, timeouts=timeouts, door=door)
        if fast_path is None
        else partial(FastProtocol, timeouts=timeouts, door=door, fast_path=fast_path)
    )
    config = uvicorn.Config(
        app,
        loop="uvloop" if sys.platform != "win32" else "asyncio",
        http=protocol,  # type: ignore[arg-type]  # uvicorn only calls it
        ws="websockets-sansio",
        ws_per_message_deflate=False,  # a compressor for each takes three times the memory of all the rest
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        headers=list(headers),
        timeout_graceful_shutdown=GRACE,
    )
    server = _Server(config, on_ready, admin, timeouts, beat, door)
    # uvicorn raises the signal again once it has shut down: SIGTERM must not end this process before its caller
    # has stopped what it started
    signal.signal(SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        server.run(sockets=[bound])
    return server.started
