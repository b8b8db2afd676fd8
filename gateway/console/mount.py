"""Where a port holds the console: nothing of it is loaded before somebody asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gateway.http.messages import App, Receive, Scope, Send

if TYPE_CHECKING:
    from gateway.app import Gateway
    from gateway.database.poolers import Urls

PREFIX: Final = "/_console"


class ConsoleMount:
    """An ASGI application whose paths come without the prefix. The gateway is given once it is there: it holds this."""

    sockets: Final = True
    """It has one: see tail.py."""

    def __init__(self, urls: Urls, key: str, private: bool = False, gateway: Gateway | None = None) -> None:
        """`key` signs one-time codes; what is `private` is reached by a socket of the file system."""
        self.gateway = gateway
        self._urls = urls
        self._key = key
        self._private = private
        self._app: App | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._app is None:
            from gateway.console.app import Console
            from gateway.console.door import ConsoleDoor

            assert self.gateway is not None
            self._app = Console(ConsoleDoor(self.gateway, self._urls, self._key, self._private))
        await self._app(scope, receive, send)


def at_prefix(scope: Scope) -> Scope | None:
    """A scope with its path behind the prefix; None for a path that is not the console's."""
    path = str(scope["path"])
    if path != PREFIX and not path.startswith(PREFIX + "/"):
        return None
    raw = bytes(scope.get("raw_path") or path.encode())
    return {**scope, "path": path[len(PREFIX) :] or "/", "raw_path": raw[len(PREFIX) :] or b"/"}
