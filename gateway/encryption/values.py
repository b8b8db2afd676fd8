"""Words that only this server can read: sealed with its session secret, so that a copy of the database holds none.

A mail of the auth API waits in the queue like this; the worker, which has the same secret, opens it as it is sent.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Mapping, Sequence

import orjson
from cryptography.fernet import Fernet, InvalidToken, MultiFernet


class NotOurs(Exception):
    """Something sealed with a secret that is not known here."""


def seal(secrets: Sequence[bytes], words: Mapping[str, str]) -> str:
    """Words under the first secret."""
    return _box(secrets).encrypt(orjson.dumps(words)).decode()


def unseal(secrets: Sequence[bytes], sealed: str) -> dict[str, str]:
    """The words, whichever of the secrets was current then. Raises NotOurs."""
    try:
        words: dict[str, str] = orjson.loads(_box(secrets).decrypt(sealed.encode()))
    except InvalidToken as error:
        raise NotOurs from error
    return words


def _box(secrets: Sequence[bytes]) -> MultiFernet:
    keys = (hmac.digest(secret, b"mail", "sha256") for secret in secrets)
    return MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys])
