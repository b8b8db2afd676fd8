"""One request of the fast path while it is answered."""

from __future__ import annotations

import asyncio
import logging
from typing import Final, Protocol

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.server import ServerState

from gateway.http.messages import Request
from gateway.server.compose import compose
from gateway.server.fast_path.matcher import FastPath

log = logging.getLogger("gateway")


class _NoEvent:
    """Stands where uvicorn wakes a reader of the body: there is none here."""

    def set(self) -> None:
        return


_NO_EVENT: Final = _NoEvent()


class Wire(Protocol):
    """The connection that an answer goes out on: what it needs of the server's protocol."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    flow: FlowControl
    server_state: ServerState
    client: tuple[str, int] | None

    def on_response_complete(self) -> None:
        """Go on with the connection: the answer is written."""


class FastAnswer:
    """Has what the protocol asks of a cycle of uvicorn's.

    It is answered by a task of its own, as any request is: a service may set a timeout, or be told to give way, without
    asking how it was reached.
    """

    message_event = _NO_EVENT
    response_started = False  # it is written whole
    response_complete = False
    disconnected = False
    more_body = True
    body = b""

    def __init__(
        self, protocol: Wire, fast_path: FastPath, request: Request, keep_alive: bool, keeps_alive: bool
    ) -> None:
        """`keep_alive` is whether the connection stays, `keeps_alive` whether the client wants it to."""
        self.protocol = protocol
        self.request = request
        self.keep_alive = keep_alive
        self.keeps_alive = keeps_alive
        self._fast_path = fast_path

    def start(self) -> None:
        """Begin to answer."""
        self._task = self.protocol.loop.create_task(self._run())  # held, or it might be collected under way

    async def _run(self) -> None:
        """Write the answer; one that cannot be had closes the connection, as an ASGI failure in mid-response does."""
        protocol = self.protocol
        transport = protocol.transport
        request = self.request
        try:
            response = await self._fast_path.handle(request, protocol.client)
            if protocol.flow.write_paused and not self.disconnected:
                await protocol.flow.drain()
            if self.disconnected:
                return
            headers = protocol.server_state.default_headers
            transport.write(compose(response, headers, self.keep_alive, request.method == "HEAD"))
        except asyncio.CancelledError:  # the server ends
            transport.close()
            return
        except Exception:
            log.exception("an answer of the fast path failed")
            transport.close()
            return
        self.response_complete = True
        if not self.keep_alive:
            transport.close()
        protocol.on_response_complete()
