"""Tokens of channels: role, claims and end of a JWT or of an opaque key (contract, section 7).

Other than for the tables API, `role` and `exp` are required, `nbf`, `aud` and `iss` are not looked at, and a token has
expired the second it says.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from gateway.identity import tokens
from gateway.identity.keyring import KeyRing
from gateway.identity.tokens import Fault, TokenError
from gateway.realtime import errors
from gateway.realtime.errors import RealtimeError


@dataclass(frozen=True, slots=True)
class Token:
    """Who a channel or a socket is. `claims` is JSON text, the role in it; `expires` None for an opaque key."""

    text: str
    role: str
    claims: str
    sub: str
    expires: float | None


class Verifier:
    """Checks tokens by the keys as they are now."""

    def __init__(self, keys: KeyRing, clock: Callable[[], float] = time.time) -> None:
        self._keys = keys
        self._clock = clock

    def verify(self, text: str) -> Token:
        """Raises RealtimeError."""
        if text.startswith("sb_"):
            role = self._keys.role_of(text)
            if role is None:
                raise RealtimeError(*errors.MALFORMED)
            return Token(text, role, orjson.dumps({"role": role}).decode(), "", None)
        try:
            claims = tokens.verify_signature(text, self._keys.verification)
        except TokenError as error:
            raise _refusal(error, text) from error
        return self._read(text, claims)

    def _read(self, text: str, claims: dict[str, Any]) -> Token:
        role, exp = claims.get("role"), claims.get("exp")
        if not isinstance(role, str) or not role or exp is None:
            raise RealtimeError(*errors.NO_CLAIMS)
        if not _is_number(exp) or not (claims.get("iat") is None or _is_number(claims["iat"])):
            raise RealtimeError(*errors.BAD_EXPIRY)
        expires = float(round(exp))
        left = expires - self._clock()
        if left <= 0:
            raise expired(-left)
        try:
            sub = claims.get("sub")
            said = orjson.dumps(claims, option=orjson.OPT_PASSTHROUGH_SUBCLASS).decode()
        except orjson.JSONEncodeError as error:  # a number of more than 64 bits
            raise RealtimeError(*errors.MALFORMED) from error
        return Token(text, role, said, sub if isinstance(sub, str) else "", expires)

    def check(self, token: Token) -> None:
        """Whether it holds still. Raises RealtimeError."""
        if token.expires is None:
            if self._keys.role_of(token.text) != token.role:
                raise RealtimeError(*errors.SIGNATURE)
        elif (over := self._clock() - token.expires) >= 0:
            raise expired(over)


def expired(seconds: float) -> RealtimeError:
    return RealtimeError(errors.EXPIRED, f"Token has expired {max(0, int(seconds))} seconds ago")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _refusal(error: TokenError, text: str) -> RealtimeError:
    if error.fault is Fault.NO_KEY and error.details == "None of the keys was able to decode the JWT":
        return RealtimeError(*errors.SIGNATURE)
    if error.fault in (Fault.NO_KEY, Fault.NO_KEYS, Fault.ALGORITHM):
        named = f" for key ID (kid) {kid!r}," if (kid := tokens.kid_of(text)) else ","
        named = named.replace("'", '"')
        return RealtimeError(
            errors.SIGNER, f"Failed to generate JWT signer{named} check your JWT secret or JWKS configuration"
        )
    return RealtimeError(*errors.MALFORMED)
