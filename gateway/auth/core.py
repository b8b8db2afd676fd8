"""What every part of the auth API stands on: settings, database, keys, addresses, the clock."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from gateway.auth import errors
from gateway.auth.call import AuthCall
from gateway.auth.crypto import tokens as codes
from gateway.auth.outbound.configured import load_providers
from gateway.auth.redirects import choose
from gateway.auth.store import audit, users
from gateway.auth.types import User
from gateway.database import NO_SCOPE, Database, Result, Scope
from gateway.database.statement import Statement
from gateway.errors import ApiError
from gateway.http.client_address import client_address, parse_networks
from gateway.http.messages import Request
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings

log = logging.getLogger("gateway.auth")

# Issuers of the legacy API keys, which are tokens without a user.
KEY_ISSUERS: Final = ("supabase", "supabase-demo")
# A refresh that cannot have its session's lock within this time is told to come again.
LOCK_TIMEOUT: Final = Scope(names=("lock_timeout",), values=("5s",))


class AuthCore:
    """Shared by all requests of one worker; see `Context` for what handlers get."""

    def __init__(self, settings: Settings, db: Database, keys: KeyRing, clock: Callable[[], float]) -> None:
        self.settings = settings
        self.db = db
        self.keys = keys
        self.clock = clock
        self.site_url = settings.site_url or settings.api_url
        self.external_url = settings.api_url + settings.auth_prefix
        self.issuer = settings.jwt_issuer or self.external_url
        self.issuers = {self.issuer, *settings.auth_hosted_issuers, *KEY_ISSUERS}
        self.proxies = parse_networks(settings.trusted_proxies)
        self.providers = load_providers(settings.external_providers, f"{self.external_url}/callback")

    @property
    def secret(self) -> codes.Secret:
        """The server's half of every key, as the key file has it now."""
        return codes.Secret(*self.keys.session_secrets)

    # --- the request -------------------------------------------------------------------------------------------------

    def origin(self, request: Request) -> audit.Origin:
        """Address, agent and request id of a request."""
        forwarded = request.header(b"x-forwarded-for")
        agent = request.header(b"user-agent")
        return audit.Origin(
            client_address(request.client, None if forwarded is None else forwarded.decode("latin-1"), self.proxies),
            None if agent is None else agent.decode("latin-1")[:500],
            request.request_id,
        )

    def redirect_to(self, call: AuthCall, given: str = "") -> str:
        """Where to lead the user afterwards; what is not allowed is replaced by the site."""
        asked = given or call.query.get("redirect_to") or call.header(b"redirect_to")
        return choose((asked, call.header(b"referer")), self.site_url, self.settings.uri_allow_list)

    def audience(self, call: AuthCall) -> str:
        """Audience that users are looked up by: what a header asks for, else the user's own."""
        return call.header(b"x-jwt-aud") or call.aud or self.settings.auth_aud

    def is_for(self, call: AuthCall) -> bool:
        """Whether the bearer's token is for the audience that is asked for."""
        return codes.claim_audience(call.claims) == self.audience(call)

    # --- running -----------------------------------------------------------------------------------------------------

    async def run(self, *statements: Statement) -> list[Result]:
        """Run statements together: all or none."""
        return await self.db.run_all(NO_SCOPE, *statements)

    async def find(self, statement: Statement) -> User | None:
        """One user."""
        return users.read((await self.run(statement))[0])

    async def reload(self, user_id: str) -> User:
        """A user that exists."""
        user = await self.find(users.by_id(user_id))
        if user is None:
            raise ApiError(errors.USER_NOT_FOUND)
        return user


def origin_of_url(url: str) -> str:
    """Host of a URL, as authenticator apps name the issuer of a code."""
    return urlsplit(url).netloc or url


def load_json(raw: bytes | None) -> Any:
    """A JSON value of a row."""
    return None if raw is None else orjson.loads(raw)
