"""What stands before an answer: who asks, how often an address may, and whose turn it is to have a password hashed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from gateway.auth import errors
from gateway.auth.call import AuthCall, read_uuid
from gateway.auth.core import AuthCore
from gateway.auth.crypto import tokens as codes
from gateway.auth.crypto.hashing_queue import TooManyWait
from gateway.auth.crypto.passwords import Hasher, Rules, Turn, parse_required
from gateway.auth.store import audit, limits, sessions, users
from gateway.auth.store.limits import Permit, TokenBucket
from gateway.auth.store.tables import NO_INSTANCE
from gateway.errors import ApiError
from gateway.http.client_address import limit_subject
from gateway.http.messages import Request
from gateway.identity import tokens as jwt
from gateway.identity.authenticator import bearer, header_key

TURN_WITHIN: Final = 60.0  # seconds that a password may wait for its turn to be hashed, and then take


class Guards:
    """Checks of one worker; each raises ApiError for what it refuses."""

    def __init__(self, core: AuthCore) -> None:
        settings = core.settings
        self._core = core
        self.hasher = Hasher()
        self.rules = Rules(
            max(6, settings.password_min_length),
            parse_required(settings.password_required_characters),
            settings.auth_refuse_common_passwords,
        )

    def close(self) -> None:
        self.hasher.close()

    # --- who is asking -----------------------------------------------------------------------------------------------

    def claims(self, call: AuthCall) -> Mapping[str, Any]:
        """Claims of the request's bearer token; an opaque API key counts as a token of its role.

        Where the bearer is no token but an opaque key, or missing, the API key counts: clients without a session send
        their key as both. Raises ApiError no_authorization or bad_jwt.
        """
        token = presented(call.request)
        if not token:
            raise ApiError(errors.NO_AUTHORIZATION)
        role = self._core.keys.role_of(token)
        if role is not None:
            return {"role": role}
        try:
            claims = jwt.decode(token, self._core.keys.verification, now=call.now)
        except jwt.TokenError as error:
            raise ApiError(errors.BAD_JWT, reason=errors.JWT_REASONS.get(error.fault, error.message)) from error
        issuer = claims.get("iss")
        if issuer is not None and issuer not in self._core.issuers:
            raise ApiError(errors.BAD_JWT, reason="token has an invalid issuer")
        return claims

    async def require_user(self, call: AuthCall) -> None:
        """Set the call's claims, user and session. Raises ApiError as the original's guard does."""
        claims = self.claims(call)
        subject = codes.claim_text(claims, "sub")
        if not subject:
            raise ApiError(errors.BAD_JWT_CLAIM, reason="missing sub claim")
        user_id = read_uuid(subject)
        if user_id is None:
            raise ApiError(errors.BAD_JWT_SUBJECT)
        session_id = codes.claim_text(claims, "session_id")
        if session_id and read_uuid(session_id) is None:
            raise ApiError(errors.BAD_JWT_CLAIM, reason="session_id claim must be a UUID")
        statements = [users.by_id(user_id)]
        if session_id:
            statements.append(sessions.by_id(session_id))
        results = await self._core.run(*statements)
        user = users.read(results[0])
        if user is None or user.deleted_at is not None:
            raise ApiError(errors.TOKEN_USER_NOT_FOUND)
        session = sessions.read(results[1]) if session_id else None
        call.claims = claims
        call.user = user
        if session_id and (session is None or session.user_id != user.id):
            raise ApiError(errors.TOKEN_SESSION_NOT_FOUND)
        if user.is_banned(call.now):
            raise ApiError(errors.TOKEN_USER_BANNED)
        call.session = session

    def require_admin(self, call: AuthCall) -> None:
        """Refuse all but admins. Raises ApiError."""
        claims = self.claims(call)
        role = codes.claim_text(claims, "role")
        subject = codes.claim_text(claims, "sub")
        call.actor = audit.Actor(read_uuid(subject) or NO_INSTANCE, codes.claim_text(claims, "email") or role)
        if role not in self._core.settings.jwt_admin_roles:
            raise ApiError(errors.NOT_ADMIN)
        call.claims = claims

    # --- limits ------------------------------------------------------------------------------------------------------

    def limit_name(self, kind: str, origin: audit.Origin) -> str | None:
        """Name of an address's limit; None where addresses are not limited."""
        if not self._core.settings.auth_address_limits or origin.address is None:
            return None
        return self._core.secret.name(kind, limit_subject(origin.address))

    async def take(self, kind: str, bucket: TokenBucket, call: AuthCall) -> None:
        """Count a request against its address. Raises ApiError over_request_rate_limit."""
        name = self.limit_name(kind, call.origin)
        if name is not None and not await self.took(name, bucket, call):
            raise ApiError(errors.OVER_REQUEST_LIMIT)

    async def took(self, name: str, bucket: TokenBucket, call: AuthCall) -> bool:
        """Take one request from a bucket, if it holds one."""
        return limits.holds(
            (await self._core.run(limits.present(name, call.now), limits.take(name, bucket, call.now)))[-1]
        )

    async def is_empty(self, name: str, bucket: TokenBucket, call: AuthCall) -> bool:
        """Whether a bucket holds no request; none is taken."""
        return limits.holds(
            (await self._core.run(limits.present(name, call.now), limits.peek(name, bucket, call.now)))[-1]
        )

    async def permit(self, kind: str, subject: str, call: AuthCall) -> Permit:
        """Count a guess at a secret, before it is compared. Raises ApiError over_request_rate_limit."""
        name = self._core.secret.name(kind, subject)
        if not limits.holds((await self._core.run(limits.present(name, call.now), limits.guess(name, call.now)))[-1]):
            raise ApiError(errors.OVER_REQUEST_LIMIT)
        return Permit((name,))

    async def give_back(self, kind: str, bucket: TokenBucket, call: AuthCall) -> None:
        """Uncount a request that turned out to be in order."""
        name = self.limit_name(kind, call.origin)
        if name is not None:
            await self._core.run(limits.give_back(name, bucket))

    # --- passwords ---------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def turn(self, call: AuthCall) -> AsyncIterator[Turn]:
        """A turn to compute password hashes. Raises ApiError over_request_rate_limit where too many wait."""
        limited = self._core.settings.auth_address_limits and call.origin.address is not None
        source = limit_subject(call.origin.address or "") if limited else None
        # A rush of sign-ins waits its turn rather than failing; the turn itself is short.
        call.allow(TURN_WITHIN)
        try:
            async with self.hasher.turn(source) as turn:
                call.allow(TURN_WITHIN)
                yield turn
        except TooManyWait as error:
            raise ApiError(errors.OVER_REQUEST_LIMIT) from error

    async def hash(self, password: str, call: AuthCall) -> str:
        """Hash of a new password."""
        async with self.turn(call) as turn:
            return await turn.make(password)


def presented(request: Request) -> str | None:
    """The token that says who asks; None where another scheme, such as a client's secret, or nothing at all does."""
    token = bearer(request)
    if token is not None and not token.startswith("sb_"):
        return token
    if token is None and request.header(b"authorization") is not None:
        return None
    key = header_key(request)
    return token if key is None else key.removeprefix("Bearer ").strip()
