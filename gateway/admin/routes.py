"""The paths of the admin port, and who may ask for them.

live     the worker that got the question answers
ready    see readiness.py; 503 with what is wrong where it is not
metrics  see metrics_page.py
lookups  the columns that table requests have filtered and ordered by, for `gateway doctor`
_console the console, see gateway/console: it lets people in by itself
_admin   deploy, roll back and replay functions, see gateway/functions/admin.py

Nothing of it is on the public port. A browser cannot be led here: other names than loopback's are refused, whatever
address they resolve to, and so is what a proxy forwards. Probes need no key; whatever else there is asks for the one in
`serving.json`, which neither functions nor holders of the secret API key have.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from gateway.admin.readiness import readiness
from gateway.app import Gateway
from gateway.catalog.dump import dump
from gateway.console.mount import ConsoleMount, at_prefix
from gateway.http.messages import Receive, Response, Scope, Send, refuse_socket, respond
from gateway.http.routing import Routes
from gateway.middleware.metrics import Board
from gateway.middleware.owner_only import given_key, is_local, same_key


@dataclass(frozen=True, slots=True)
class _Row:
    """What stands at a path."""

    answer: Callable[[Scope, Receive], Awaitable[Response]]
    keyed: bool = False  # shows more than a probe asks for
    reads: bool = True  # takes no method that writes


class AdminPort:
    """The admin port's application, in each worker."""

    def __init__(
        self, gateway: Gateway, board: Board, key: str, private: bool = False, console: ConsoleMount | None = None
    ) -> None:
        """`key` opens what is more than a probe. What is `private`, a socket of the file system, is reached by nobody
        but whom its mode lets in; a port is reached by every page that a browser of this machine shows."""
        self._private = private
        self._console = console
        self._gateway = gateway
        self._board = board
        self._key = key
        self._routes = Routes(
            {
                "/live": _Row(self._live),
                "/ready": _Row(self._ready),
                "/metrics": _Row(self._metrics),
                "/lookups": _Row(self._lookups, keyed=True),
                "/schema_cache": _Row(self._schema_cache),
                "/_admin/{rest:path}": _Row(self._functions, keyed=True, reads=False),
            }
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._console is not None and (inner := at_prefix(scope)) is not None:
            await self._console(inner, receive, send)
        elif scope["type"] == "http":
            await respond(scope, send, await self._answer(scope, receive))
        elif scope["type"] == "websocket":
            await refuse_socket(send)

    async def _answer(self, scope: Scope, receive: Receive) -> Response:
        if not self._private and not is_local(scope):
            return _json(403, {"message": "this port answers to loopback names only, and to no proxy"})
        row, _ = self._routes.find(scope["path"].split("/")[1:]) or (_Row(_nothing_here), {})
        if row.keyed and not same_key(given_key(scope), self._key):
            return _json(403, {"message": "the key of serving.json in the data folder is needed here"})
        if row.reads and scope["method"] not in ("GET", "HEAD"):
            refused = _json(405, {"message": "there is nothing to write here"})
            refused.headers.append((b"allow", b"GET, HEAD"))
            return refused
        return await row.answer(scope, receive)

    async def _live(self, _scope: Scope, _receive: Receive) -> Response:
        path = self._gateway.settings.unix_socket
        live = not path or os.path.exists(path)  # a socket whose file is gone is reached by nobody
        return _json(200 if live else 500, {"live": live})

    async def _ready(self, _scope: Scope, _receive: Receive) -> Response:
        content = await readiness(self._gateway, self._board)
        return _json(200 if content["ready"] else 503, content)

    async def _metrics(self, _scope: Scope, _receive: Receive) -> Response:
        page = await asyncio.to_thread(import_module, "gateway.admin.metrics_page")  # for who asks alone
        headers = [(b"content-type", b"text/plain; version=0.0.4; charset=utf-8")]
        return Response(200, headers, await page.metrics_page(self._gateway, self._board))

    async def _lookups(self, _scope: Scope, _receive: Receive) -> Response:
        found = {tuple(lookup) for said in self._board.read().values() for lookup in said.get("lookups", ())}
        return _json(200, {"lookups": sorted(found)})

    async def _schema_cache(self, _scope: Scope, _receive: Receive) -> Response:
        """What the tables API knows of the database; nothing while it knows nothing."""
        cache = self._gateway.cache.current
        body = await asyncio.to_thread(dump, cache) if cache is not None else b""
        return Response(200, [], body)

    async def _functions(self, scope: Scope, receive: Receive) -> Response:
        return await self._gateway.functions.administer(scope, receive)


async def _nothing_here(_scope: Scope, _receive: Receive) -> Response:
    return _json(404, {"message": "here are /live, /ready, /metrics, /schema_cache and /lookups"})


def _json(status: int, content: dict[str, Any]) -> Response:
    headers = [(b"content-type", b"application/json; charset=utf-8"), (b"cache-control", b"no-store")]
    return Response(status, headers, json.dumps(content).encode() + b"\n")
