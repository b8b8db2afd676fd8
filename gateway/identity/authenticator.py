"""Who is calling: API key and bearer token in, `Identity` out. Verified tokens are remembered.

An opaque key is demanded where the settings say so; a bearer token of a user wins over the key's role. Keys may come
as the `apikey` header, the `apikey` query parameter, or alone as the bearer.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote_plus

import orjson

from gateway.claims import role_claim as claim_path
from gateway.errors import INVALID_API_KEY, NO_API_KEY, ApiError
from gateway.http.messages import Request
from gateway.identity import tokens
from gateway.identity.keyring import KeyRing
from gateway.lru_cache import Caches, LruCache
from gateway.settings import Settings

MAX_TOKEN_BYTES: Final = 16_384  # longer tokens are verified each time rather than remembered
TOKENS: Final = 16_000_000  # bytes of verified tokens
ENTRY_BYTES: Final = 800  # of one, beside its text and that of its claims
log = logging.getLogger("gateway.identity.authenticator")

_APIKEY_PARAMETER = re.compile(r"(?:^|&)apikey=([^&]*)")


@dataclass(frozen=True, slots=True)
class Identity:
    """The database role of a request and the JSON text of its claims, the resolved role among them."""

    role: str
    claims: str


class AnonymousRefused(Exception):
    """No token was sent and no role for anonymous requests is configured."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A token whose signature holds: who it says is asking, and when and for whom it says so."""

    identity: Identity
    since: float
    until: float
    audience: object


class Authenticator:
    """Checks keys and tokens; one per worker."""

    def __init__(
        self, settings: Settings, keys: KeyRing, clock: Callable[[], float] = time.time, caches: Caches | None = None
    ) -> None:
        self._clock = clock
        self.tokens_verified = 0
        self.tokens_reused = 0
        self._caches = caches or Caches(settings.caches)
        self.configure(settings, keys)

    def configure(self, settings: Settings, keys: KeyRing) -> None:
        """Take new settings or keys; forgets every remembered token."""
        self.settings = settings
        self.keys = keys
        self._caches.invalidate()
        most = settings.jwt_cache_max_entries
        self._entries: LruCache[str, _Entry] = self._caches.make("tokens", TOKENS if most > 0 else 0, most)
        self._role_path = claim_path.parse(settings.jwt_role_claim_key)
        if self._role_path.is_old:
            first, second = claim_path.OLD_GRAMMAR
            log.warning(first, settings.jwt_role_claim_key)
            log.warning(second)
        self._anon = self._identity_of(settings.db_anon_role, {}) if settings.db_anon_role else None
        self._by_role = {role: self._identity_of(role, {}) for role in ("anon", "service_role")}

    def demand_key(self, request: Request, prefix: str) -> Identity | None:
        """Refuse a request without a valid API key, where one is demanded. Raises ApiError.

        The identity of an opaque key that is all the request brings, so that its key is looked up once.
        """
        required = self.settings.require_api_key
        if not (bool(prefix) if required is None else required):
            return None
        key = api_key(request)
        if key is None:
            raise ApiError(NO_API_KEY)
        identity = self._opaque(key)
        if identity is not None:
            token = bearer(request)
            return identity if token is None or token == key else None
        try:
            self._verified(key)
        except tokens.TokenError as error:
            raise ApiError(INVALID_API_KEY) from error
        return None

    def identify(self, request: Request) -> Identity:
        """Role and claims of a request.

        Raises ApiError for an unknown opaque key, TokenError for a refused token, AnonymousRefused without either.
        """
        token = bearer(request)
        if token is None:
            token = header_key(request)
            if token is None:
                if self._anon is None:
                    raise AnonymousRefused
                return self._anon
        if token.startswith("sb_"):
            identity = self._opaque(token)
            if identity is None:
                raise ApiError(INVALID_API_KEY)
            return identity
        return self._verified(token).identity

    def identity_of(self, token: str) -> Identity:
        """Role and claims of an opaque key or of a token of any audience. Raises ApiError, TokenError."""
        if token.startswith("sb_"):
            identity = self._opaque(token)
            if identity is None:
                raise ApiError(INVALID_API_KEY)
            return identity
        try:
            return self._verified(token, audience="").identity
        except AnonymousRefused:
            raise tokens.TokenError(tokens.Fault.CLAIMS) from None

    def claims(self, token: str) -> Mapping[str, Any]:
        """Claims of a valid token. Raises TokenError."""
        self._verified(token, audience="")
        return tokens.read_claims(token)

    def _opaque(self, key: str) -> Identity | None:
        role = self.keys.role_of(key)  # each time: the key ring notes the use, and a key's time may end
        return self._by_role[role] if role is not None else None

    def _verified(self, token: str, audience: str | None = None) -> _Entry:
        now = self._clock()
        entry = self._entries.get(token)
        if entry is not None:
            self.tokens_reused += 1
            wanted = self.settings.jwt_aud if audience is None else audience
            if not entry.since <= now <= entry.until or (wanted and entry.audience is not None):
                tokens.check_claims(tokens.read_claims(token), now=now, audience=wanted)
            return entry
        self.tokens_verified += 1
        wanted = self.settings.jwt_aud if audience is None else audience
        claims = tokens.decode(token, self.keys.verification, now=now, audience=wanted)
        role = self._role_path.find(claims)
        if role is None:
            role = self.settings.db_anon_role or None
            if role is None:
                raise AnonymousRefused
        try:
            entry = _Entry(self._identity_of(role, claims), *tokens.times_of(claims), claims.get("aud"))
        except orjson.JSONEncodeError as error:  # a number of more than 64 bits
            raise tokens.TokenError(tokens.Fault.CLAIMS) from error
        if len(token) <= MAX_TOKEN_BYTES:
            self._entries.put(token, entry, ENTRY_BYTES + len(token) + len(entry.identity.claims))
        return entry

    @staticmethod
    def _identity_of(role: str, claims: Mapping[str, Any]) -> Identity:
        return Identity(role, orjson.dumps({**claims, "role": role}, option=orjson.OPT_PASSTHROUGH_SUBCLASS).decode())


def bearer(request: Request) -> str | None:
    """Token of `Authorization: Bearer …` (scheme in any case, an empty token is one); None for another or none."""
    raw = request.header(b"authorization")
    if raw is None:
        return None
    scheme, _, token = raw.partition(b" ")
    return token.strip().decode("latin-1") if scheme.lower() == b"bearer" else None


def header_key(request: Request) -> str | None:
    """API key of the `apikey` header or query parameter."""
    raw = request.header(b"apikey")
    if raw is not None:
        return raw.decode("latin-1").strip() or None
    if "apikey=" in request.query:
        found = _APIKEY_PARAMETER.search(request.query)
        if found is not None:
            return unquote_plus(found[1]) or None
    return None


def api_key(request: Request) -> str | None:
    """API key wherever it may be: header, query parameter, or alone as the bearer."""
    return header_key(request) or bearer(request)


def strip_key(query: str) -> str:
    """The query string without its `apikey` parameter, which is no filter."""
    if "apikey=" not in query:
        return query
    return _APIKEY_PARAMETER.sub("", query).lstrip("&")
