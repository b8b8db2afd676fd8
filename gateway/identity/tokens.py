"""JSON web tokens: `decode` and `mint` with PyJWT; keys, audience and the clock are arguments.

The faults are the finest any family tells apart (the tables API names each one); auth and functions answer every
fault alike. Times have 30 s of skew, as PostgREST has.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import jwt
import jwt.algorithms

from gateway.http.json_limits import is_too_much

SKEW: Final = 30  # seconds
MAX_HEADER: Final = 8192  # characters of a token's header, which is read before its signature is
ALGORITHMS: Final = ("HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "EdDSA",
                     "PS256", "PS384", "PS512")  # fmt: skip


class Fault(Enum):
    """Why a token is refused."""

    EMPTY = "Empty JWT is sent in Authorization header"
    PARTS = "Expected 3 parts in JWT; got {parts}"
    NO_KEYS = "Server lacks JWT secret"
    NO_KEY = "No suitable key or wrong key type"
    ALGORITHM = "Wrong or unsupported encoding algorithm"
    CRYPTO = "JWT cryptographic operation failed"
    CLAIMS = "Parsing claims failed"
    EXP_NUMBER = "The JWT 'exp' claim must be a number"
    NBF_NUMBER = "The JWT 'nbf' claim must be a number"
    IAT_NUMBER = "The JWT 'iat' claim must be a number"
    AUD_TEXT = "The JWT 'aud' claim must be a string or an array of strings"
    EXPIRED = "JWT expired"
    NOT_YET = "JWT not yet valid"
    FUTURE = "JWT issued at future"
    AUDIENCE = "JWT not in audience"


class TokenError(Exception):
    """A refused token; `message` and `details` are safe to show."""

    def __init__(self, fault: Fault, details: str | None = None, **fields: object) -> None:
        self.fault = fault
        self.details = details
        self.message = fault.value.format(**fields)
        super().__init__(self.message)


@dataclass(frozen=True, slots=True)
class Key:
    """A verification key, and a signing key where `private` is given. `material` is what PyJWT takes."""

    alg: str
    material: Any
    kid: str | None = None
    private: Any = None


def decode(token: str, keys: Sequence[Key], *, now: float, audience: str = "") -> dict[str, Any]:
    """Claims of a token whose signature and times hold. Raises TokenError.

    With a `kid` only the key of that name is tried, else each of the token's algorithm in turn; a key's algorithm is
    fixed, so a token cannot choose how it is verified.
    """
    claims = verify_signature(token, keys)
    check_claims(claims, now=now, audience=audience)
    return claims


def verify_signature(token: str, keys: Sequence[Key]) -> dict[str, Any]:
    """Claims of a token whose signature holds; times are not looked at. Raises TokenError."""
    if not token:
        raise TokenError(Fault.EMPTY)
    parts = token.split(".")
    if len(parts) != 3:
        raise TokenError(Fault.PARTS, parts=len(parts))
    if not keys:
        raise TokenError(Fault.NO_KEYS)
    header = _header(parts[0])
    alg, kid = header.get("alg"), header.get("kid")
    if alg == "none":
        raise TokenError(Fault.ALGORITHM, "JWT is unsecured but expected 'alg' was not 'none'")
    if not isinstance(alg, str) or alg not in ALGORITHMS:
        raise TokenError(Fault.CRYPTO)
    candidates = [key for key in keys if key.alg == alg]
    if isinstance(kid, str) and any(key.kid is not None for key in keys):
        named = [key for key in candidates if key.kid == kid]
        # A secret has no kid of its own: HS256 tokens of any kid may be its.
        candidates = named or [key for key in candidates if key.kid is None]
    if not candidates:
        raise TokenError(Fault.NO_KEY, "No suitable key was found to decode the JWT")
    for key in candidates:
        try:
            payload = jwt.api_jws.decode(token, key.material, algorithms=[key.alg])
        except jwt.InvalidSignatureError:
            continue
        except jwt.PyJWTError as error:
            raise TokenError(Fault.CRYPTO) from error
        return _object(payload, Fault.CLAIMS)
    raise TokenError(Fault.NO_KEY, "None of the keys was able to decode the JWT")


def read_claims(token: str) -> dict[str, Any]:
    """Claims of a token whose signature was found to hold before. Raises TokenError for one that cannot be read."""
    try:
        raw = base64.urlsafe_b64decode(token.split(".")[1] + "==")
    except (ValueError, IndexError) as error:
        raise TokenError(Fault.CLAIMS) from error
    return _object(raw, Fault.CLAIMS)


def times_of(claims: Mapping[str, Any]) -> tuple[float, float]:
    """From when to when claims that were checked before hold, as far as their times say; the skew is in it."""
    since = [float(claims[name]) for name in ("nbf", "iat") if claims.get(name) is not None]
    exp = claims.get("exp")
    return max(since, default=-math.inf) - SKEW, math.inf if exp is None else float(exp) + SKEW


def algorithm_of(token: str) -> str:
    """What a token says that it is signed with, which proves nothing. Raises TokenError."""
    parts = token.split(".")
    if len(parts) != 3:
        raise TokenError(Fault.PARTS, parts=len(parts))
    return str(_header(parts[0]).get("alg"))


def kid_of(token: str) -> str | None:
    """The key that a token says it is signed with, which proves nothing; None where it names none."""
    try:
        kid = _header(token.split(".")[0]).get("kid")
    except TokenError:
        return None
    return kid if isinstance(kid, str) else None


def check_claims(claims: Mapping[str, Any], *, now: float, audience: str = "") -> None:
    """Check exp, nbf, iat and, where one is configured, aud. Raises TokenError."""
    exp = _number(claims, "exp", Fault.EXP_NUMBER)
    nbf = _number(claims, "nbf", Fault.NBF_NUMBER)
    iat = _number(claims, "iat", Fault.IAT_NUMBER)
    if exp is not None and now > exp + SKEW:
        raise TokenError(Fault.EXPIRED)
    if nbf is not None and now < nbf - SKEW:
        raise TokenError(Fault.NOT_YET)
    if iat is not None and now < iat - SKEW:
        raise TokenError(Fault.FUTURE)
    aud = claims.get("aud")
    if aud is not None and not isinstance(aud, str):
        if not (isinstance(aud, list) and all(isinstance(item, str) for item in aud)):
            raise TokenError(Fault.AUD_TEXT)
        if not aud:
            return
    if audience and aud is not None and audience not in ([aud] if isinstance(aud, str) else aud):
        raise TokenError(Fault.AUDIENCE)


def mint(claims: Mapping[str, Any], key: Key, *, typed: bool = True) -> str:
    """Sign claims; the header says that it is a JWT where it is `typed`."""
    headers: dict[str, Any] = {} if typed else {"typ": None}
    if key.kid is not None:
        headers["kid"] = key.kid
    material = key.private if key.private is not None else key.material
    return jwt.encode(dict(claims), material, algorithm=key.alg, headers=headers)


def keys_from_secret(secret: str, is_base64: bool = False) -> list[Key]:
    """Verification keys of a configured secret: plain text, base64, one JWK or a JWK set. Raises ValueError."""
    text = secret.strip()
    if text.startswith("{"):
        document = json.loads(text)
        return [key_from_jwk(jwk) for jwk in document.get("keys", [document])]
    if is_base64:
        padded = text.replace("-", "+").replace("_", "/").replace(".", "=")
        material = base64.b64decode(padded + "==")  # more than it needs is passed over
    else:
        material = secret.encode()  # blanks at its ends are part of it
    if len(material) < 32:
        raise ValueError("the JWT secret must be at least 32 characters long")
    return [Key(alg, material) for alg in ("HS256", "HS384", "HS512")]


def key_from_jwk(jwk: Mapping[str, Any]) -> Key:
    """A key of a JWK; its `d` member makes it a signing key. Raises ValueError."""
    alg = jwk.get("alg") or {"oct": "HS256", "RSA": "RS256", "EC": "ES256", "OKP": "EdDSA"}.get(str(jwk.get("kty")))
    if alg not in ALGORITHMS:
        raise ValueError(f"unsupported key algorithm {alg!r}")
    algorithm = jwt.algorithms.get_default_algorithms()[alg]
    try:
        material = algorithm.from_jwk(dict(jwk))
    except (jwt.PyJWTError, KeyError, TypeError, AttributeError) as error:  # a member is missing or of another type
        raise ValueError(f"a key of type {jwk.get('kty')} cannot be read: {error}") from error
    kid = jwk.get("kid")
    if jwk.get("kty") != "oct" and "d" in jwk:
        return Key(alg, material.public_key(), kid, private=material)
    return Key(alg, material, kid)


def _header(part: str) -> dict[str, Any]:
    if len(part) > MAX_HEADER:
        raise TokenError(Fault.CRYPTO)
    try:
        raw = base64.urlsafe_b64decode(part + "==")
    except (ValueError, binascii.Error) as error:
        raise TokenError(Fault.CRYPTO) from error
    return _object(raw, Fault.CRYPTO)


def _object(raw: bytes, fault: Fault) -> dict[str, Any]:
    """A JSON object that can be written as JSON again. Raises TokenError."""
    if is_too_much(raw):
        raise TokenError(fault)
    try:
        value = json.loads(raw)
    except ValueError as error:
        raise TokenError(fault) from error
    if not isinstance(value, dict):
        raise TokenError(fault)
    return value


def _number(claims: Mapping[str, Any], name: str, fault: Fault) -> float | None:
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TokenError(fault)
    return float(value)
