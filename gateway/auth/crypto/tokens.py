"""Refresh tokens, one-time codes and access-token claims: made and read here, without I/O; the clock is an argument.

A refresh token names its session and a counter and carries a code made with the session's key:

    base64url(0x00 | session uuid | uvarint counter | 16 bytes HMAC-SHA-256 | 4 bytes SHA-256 of all before)

This is the original's second format. The key in the database is only half of the one that is used: the other half
is the server's secret, so a dump of the database holds no token that works. Keys restored from a hosted project are
whole (no `k1:` before them) and are replaced when their session is first refreshed.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gateway.auth.types import Session, User

_HALF: Final = "k1:"
_LEGACY_ALPHABET: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
LEGACY_LENGTH: Final = 12
LONGEST: Final = 62  # characters of a refresh token whose counter is the largest


class Secret:
    """The server's half of every key, and what is derived from it.

    The first secret makes things; what the others made before a rotation is still recognised.
    """

    __slots__ = ("_current", "_former")

    def __init__(self, current: bytes, *former: bytes) -> None:
        self._current = current
        self._former = former

    def derive(self, purpose: str, text: str) -> bytes:
        """32 bytes that only this server can compute from `text`."""
        return hmac.digest(self._current, f"{purpose}\0{text}".encode("utf-8", "surrogatepass"), "sha256")

    @property
    def former(self) -> tuple[Secret, ...]:
        """Each earlier secret by itself."""
        return tuple(Secret(secret) for secret in self._former)

    def stored(self, token: str) -> str:
        """What the database keeps of a mailed or earlier token: enough to recognise it, useless to present."""
        return _HALF + self.derive("token", token).hex()

    def all_stored(self, token: str) -> tuple[str, ...]:
        """What the database may have kept of a token, whichever secret was current then."""
        return tuple(secret.stored(token) for secret in (self, *self.former))

    def link(self, recipient: str, code: str) -> str:
        """What a link carries for a code: as long as the original's hash of it, but nobody can compute it from a code
        that is guessed, so links give no way round the limit on codes."""
        return self.derive("link", f"{recipient.lower()}\0{code}").hex()[:56]

    def all_links(self, recipient: str, code: str) -> tuple[str, ...]:
        """What a link may carry for a code, whichever secret was current when it was sent."""
        return tuple(secret.link(recipient, code) for secret in (self, *self.former))

    def all_marks(self, purpose: str, text: str) -> tuple[str, ...]:
        """What the database keeps to remember that something happened, the current secret's first. Nothing that is
        presented has this form."""
        return tuple(_HALF + secret.derive(f"mark {purpose}", text).hex() for secret in (self, *self.former))

    def name(self, kind: str, subject: str) -> str:
        """Name of a limit, without the address or e-mail it is for."""
        return f"{kind}:{self.derive('limit', subject).hex()[:32]}"

    def session_key(self, stored: str) -> bytes:
        """The key of a session's refresh tokens, from the half in the database."""
        if stored.startswith(_HALF):
            return self.derive("refresh", stored.removeprefix(_HALF))
        try:
            return base64.b64decode(stored.replace("-", "+").replace("_", "/") + "==")
        except (ValueError, binascii.Error):
            return stored.encode()

    def signed(self, token: RefreshToken, stored: str) -> bool:
        """Whether a refresh token was made with a session's key, whichever secret was current then."""
        return any(token.is_signed_by(secret.session_key(stored)) for secret in (self, *self.former))


def new_session_key() -> str:
    """The database's half of a new session's key."""
    return _HALF + secrets.token_urlsafe(32)


def is_half_key(stored: str) -> bool:
    """Whether a stored key works only together with the server's secret."""
    return stored.startswith(_HALF)


@dataclass(frozen=True, slots=True)
class RefreshToken:
    """A read token: which session, which counter, and the parts its code is checked with."""

    session_id: str
    counter: int
    signed: bytes
    code: bytes

    def is_signed_by(self, key: bytes) -> bool:
        return hmac.compare_digest(_code(key, self.signed), self.code)


def make_refresh_token(session_id: str, counter: int, key: bytes) -> str:
    """The refresh token of a session at a counter."""
    signed = b"\0" + uuid.UUID(session_id).bytes + _uvarint(counter)
    whole = signed + _code(key, signed)
    return base64.urlsafe_b64encode(whole + hashlib.sha256(whole).digest()[:4]).rstrip(b"=").decode()


def parse_refresh_token(text: str) -> RefreshToken | None:
    """A token read, or None when it is malformed; its code is not yet checked."""
    if len(text) > LONGEST:
        return None
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (ValueError, binascii.Error):
        return None
    whole, checksum = raw[:-4], raw[-4:]
    if raw[:1] != b"\0" or hashlib.sha256(whole).digest()[:4] != checksum:
        return None
    signed, code = whole[:-16], whole[-16:]
    # What is too short for all of it has no counter.
    counter = _read_uvarint(signed[17:])
    if counter is None:
        return None
    return RefreshToken(str(uuid.UUID(bytes=signed[1:17])), counter, signed, code)


def is_legacy_token(text: str) -> bool:
    """Whether a text has the form of the original's table tokens.

    >>> is_legacy_token("k3v9x0q2m7ab"), is_legacy_token("K3V9X0Q2M7AB")
    (True, False)
    """
    return len(text) == LEGACY_LENGTH and _LEGACY_ALPHABET.issuperset(text)


def new_legacy_token() -> str:
    """A table token, as the original's first version makes them."""
    alphabet = sorted(_LEGACY_ALPHABET)
    return "".join(secrets.choice(alphabet) for _ in range(LEGACY_LENGTH))


def new_code(length: int) -> str:
    """A one-time code of `length` digits (6 to 10)."""
    length = min(max(length, 6), 10)
    return f"{secrets.randbelow(10**length):0{length}d}"


def hash_code(recipient: str, code: str) -> str:
    """What a link carries for a code sent to an address: hex SHA-224 of both.

    >>> len(hash_code("ada@example.com", "123456"))
    56
    """
    return hashlib.sha224((recipient.lower() + code).encode()).hexdigest()


def access_claims(user: User, session: Session, *, issuer: str, lifetime: int, now: float) -> dict[str, Any]:
    """Claims of an access token. `lifetime` is in seconds."""
    issued = int(now)
    foreign = {}
    if session.oauth_client_id is not None:
        foreign = {"client_id": session.oauth_client_id, "scope": session.scopes or ""}
    return {
        "iss": issuer,
        "sub": user.id,
        "aud": user.aud,
        "exp": issued + lifetime,
        "iat": issued,
        "email": user.email or "",
        "phone": user.phone or "",
        "app_metadata": user.app_metadata,
        "user_metadata": user.user_metadata,
        "role": user.role,
        "aal": session.aal,
        "amr": [{"method": method, "timestamp": at} for method, at in session.amr],
        "session_id": session.id,
        "is_anonymous": user.is_anonymous,
        **foreign,
    }


def matches_challenge(verifier: str, challenge: str, method: str) -> bool:
    """Whether a PKCE verifier belongs to a challenge.

    >>> matches_challenge("a" * 43, "a" * 43, "plain")
    True
    """
    if method == "s256":
        digest = hashlib.sha256(verifier.encode("utf-8", "surrogatepass")).digest()
        verifier = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return hmac.compare_digest(verifier.encode("utf-8", "surrogatepass"), challenge.encode())


def claim_text(claims: Mapping[str, Any], name: str) -> str:
    """A claim that should be text; empty when it is missing or something else."""
    value = claims.get(name)
    return value if isinstance(value, str) else ""


def claim_audience(claims: Mapping[str, Any]) -> str:
    """The audience of a token: the first of several; empty without one.

    >>> claim_audience({"aud": ["authenticated", "x"]}), claim_audience({"aud": "anyone"}), claim_audience({})
    ('authenticated', 'anyone', '')
    """
    value = claims.get("aud")
    if isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, str) else ""


def _code(key: bytes, signed: bytes) -> bytes:
    return hmac.digest(key, signed, "sha256")[:16]


def _uvarint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _read_uvarint(raw: bytes) -> int | None:
    number = 0
    for place, byte in enumerate(raw):
        number |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            complete = place == len(raw) - 1 and _uvarint(number) == raw
            return number if complete and number < 1 << 63 else None
    return None
