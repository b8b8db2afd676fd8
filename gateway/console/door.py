"""What stands behind the console's door: who may enter, under which name, and what the rooms inside share."""

from __future__ import annotations

from gateway.app import Gateway
from gateway.console.accounts import AccountStore
from gateway.console.audit import Audit
from gateway.console.catalog_cache import CatalogCache
from gateway.console.errors import ConsoleError
from gateway.console.hosts import configured_names, host_of, is_loopback, name_of
from gateway.console.login import ConsoleLogin
from gateway.console.sessions import ConsoleSession, SessionStore
from gateway.database.poolers import Urls
from gateway.http.messages import HeaderList, Request, Scope
from gateway.middleware.owner_only import was_forwarded


class ConsoleDoor:
    """Of one mount of one worker.

    `key` is that of this start, which signs one-time codes; `private` says that only this machine's owner can connect.
    """

    def __init__(self, gateway: Gateway, urls: Urls, key: str, private: bool = False) -> None:
        self.gateway = gateway
        self.key = key
        self.sessions = SessionStore(gateway.databases.auth, gateway.keys, gateway.settings)
        self.accounts = AccountStore(gateway.databases.auth, gateway.keys)
        self.audit = Audit(gateway.databases.auth)
        self.login = ConsoleLogin(urls)
        self.catalog = CatalogCache()
        self._private = private
        settings = gateway.settings
        self._names = configured_names(settings.console_hosts, settings.public_url if settings.console_public else "")
        self._https = settings.public_url.startswith("https://")

    def host(self, scope: Scope, headers: HeaderList) -> str:
        """The host that was asked for. Raises ConsoleError 421 for one that a foreign page could have."""
        host = host_of(headers)
        name = name_of(host)
        client = scope.get("client")
        is_here = self._private or (client is not None and is_loopback(str(client[0])) and not was_forwarded(scope))
        if host is None or name is None or not (name in self._names or (is_here and is_loopback(name))):
            raise ConsoleError(
                421,
                "host",
                "The console answers to this machine's loopback names, and to those of GATEWAY_CONSOLE_HOSTS.",
            )
        return host

    def secure(self, request: Request) -> bool:
        """Whether the browser reaches this by TLS: a configured name whose public address says so."""
        return self._https and name_of(host_of(request.headers)) in self._names

    def is_read_only(self, session: ConsoleSession) -> bool:
        """Whether this session changes nothing."""
        return session.read_only or self.gateway.settings.console_read_only
