"""OpenID Connect as the libraries have it: Authlib makes the addresses and checks the claims of ID tokens
(https://docs.authlib.org), joserfc their signatures. Loaded with the first sign-in at a provider.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from authlib.common.errors import AuthlibBaseError
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

ALGORITHMS: Final = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "EdDSA"]
LEEWAY: Final = 60  # seconds that a provider's clock may differ


class BadToken(Exception):
    """An ID token that does not hold."""


def authorization_url(endpoint: str, verifier: str, fields: Mapping[str, str]) -> str:
    """Where a browser goes to sign in; `verifier` is the proof that is kept for the code's exchange."""
    challenge = challenge_of(verifier)
    return str(
        prepare_grant_uri(
            endpoint, response_type="code", code_challenge=challenge, code_challenge_method="S256", **dict(fields)
        )
    )


def challenge_of(verifier: str) -> str:
    """What is told of a verifier before it is shown."""
    return str(create_s256_code_challenge(verifier))


def decode(token: str, keys: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Header and claims of a token that one of a key set's keys signed; claims are not looked at. Raises BadToken."""
    try:
        decoded = jwt.decode(token, KeySet.import_key_set(keys), algorithms=ALGORITHMS)
    except (JoseError, ValueError, KeyError) as error:
        raise BadToken from error
    return decoded.header, decoded.claims


def check(
    header: Mapping[str, Any],
    claims: Mapping[str, Any],
    *,
    issuer: str,
    client_ids: Sequence[str],
    nonce: str | None,
    access_token: str,
) -> dict[str, Any]:
    """Claims that were issued to one of our clients, now. Raises BadToken."""
    audience = claims.get("aud")
    named = audience if isinstance(audience, list) else [audience]
    params: dict[str, Any] = {"client_id": next((each for each in named if each in client_ids), client_ids[0])}
    if nonce:
        params["nonce"] = nonce
    if access_token:
        params["access_token"] = access_token
    options = {"iss": {"values": [issuer]}, "aud": {"values": list(client_ids)}}
    try:
        checked = CodeIDToken(claims, header, options, params)
        checked.validate(now=int(time.time()), leeway=LEEWAY)
    except (JoseError, AuthlibBaseError, ValueError, KeyError) as error:
        raise BadToken from error
    return dict(checked)
