"""What a session was begun with, as it is named in its cookie: it holds no longer than that does.

    code                     a one-time code
    key:DIGEST               a secret key, until it is rotated (and its grace has ended) or revoked
    token:DIGEST             a token of service_role, while the key that signed it verifies
    account:NAME:STAMP       an account, until it is removed or has another password

The digests are of keys that nobody guesses; the cookie that names them is signed (gateway/console/sessions.py).
"""

from __future__ import annotations

import hashlib
from typing import Final

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from gateway.identity import tokens
from gateway.identity.keyring import KeyRing

CODE: Final = "code"
SERVICE: Final = "service_role"


def of_key(given: str, keys: KeyRing, now: float) -> tuple[str, float | None] | None:
    """The proof of a secret key or a token of service_role, and until when it holds at most; None of anything else."""
    if keys.role_of(given) == SERVICE or keys.role_of_digest(_digest(given)) == SERVICE:
        return f"key:{_digest(given).hex()}", None
    if given.count(".") != 2:
        return None
    for key in keys.verification:
        try:
            claims = tokens.decode(given, [key], now=now)
        except tokens.TokenError:
            continue
        if claims.get("role") == SERVICE:
            expires = claims.get("exp")
            return f"token:{_of_signing(key)}", float(expires) if expires is not None else None
    return None


def of_account(name: str, stamp: str) -> str:
    return f"account:{name}:{stamp}"


def account_of(proof: str) -> tuple[str | None, str | None]:
    """The name and stamp that the database has to know; nothing where it is no account's."""
    kind, _, rest = proof.partition(":")
    if kind != "account":
        return None, None
    name, _, stamp = rest.rpartition(":")
    return name, stamp


def holds(proof: str, keys: KeyRing) -> bool:
    """Whether the keys in force have what a proof names; an account's is the database's to say."""
    kind, _, digest = proof.partition(":")
    if kind == "key":
        return keys.role_of_digest(bytes.fromhex(digest)) == SERVICE
    if kind == "token":
        return digest in {_of_signing(key) for key in keys.verification}
    return kind in (CODE, "account")


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def _of_signing(key: tokens.Key) -> str:
    material = key.material
    if not isinstance(material, bytes):
        material = (
            material.encode()
            if isinstance(material, str)
            else material.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        )
    return hashlib.sha256(material).hexdigest()
