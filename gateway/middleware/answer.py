"""The answer of a streamed service on its way out: dressed when it starts, counted when it is complete."""

from __future__ import annotations

import time
from collections.abc import MutableMapping
from typing import Any

from gateway.http.messages import SEND_FILE, OpenFile, Request, Response, Scope, Send
from gateway.http.messages import respond as respond_with
from gateway.middleware.observers import Observers
from gateway.middleware.request_id import RequestIds
from gateway.middleware.service import Service


class StreamedAnswer:
    """Stands between a service and its client."""

    def __init__(
        self, ids: RequestIds, observers: Observers, service: Service, request: Request, scope: Scope, send: Send
    ) -> None:
        self._ids = ids
        self._observers = observers
        self._service = service
        self._request = request
        self._scope = scope
        self._send = send
        self._began = time.perf_counter()
        self._status = 0
        self._size = 0

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """What the service sends, piece by piece."""
        kind = message["type"]
        if kind == "http.response.start":
            start = Response(message["status"], list(message.get("headers", ())))
            self._dress(start)
            message["headers"] = start.headers
            self._status = start.status
        await self._send(message)
        if kind == "http.response.body":
            self._size += len(message.get("body", b""))
            if not message.get("more_body", False):
                self._note()

    async def respond(self, response: Response) -> None:
        """What it sends whole."""
        self._dress(response)
        self._status, self._size = response.status, len(response.body)
        await respond_with(self._scope, self._send, response)
        self._note()

    async def send_file(self, response: Response, file: OpenFile, start: int, length: int) -> bool:
        """What the kernel sends from a file; False if it cannot, and nothing was sent."""
        dressed = Response(response.status, list(response.headers))
        self._dress(dressed)
        sent: bool = await self._scope["extensions"][SEND_FILE](dressed, file, start, length)
        if sent:
            self._status, self._size = response.status, length
            self._note()
        return sent

    def _dress(self, response: Response) -> None:
        self._service.cors.dress(self._request, response)
        response.headers += [*self._service.headers, (self._ids.header, self._request.request_id.encode())]

    def _note(self) -> None:
        service, request = self._service, self._request
        label = service.label(request.path, self._status)
        self._observers.note(label, request, service.prefix, self._status, self._size, self._began)
