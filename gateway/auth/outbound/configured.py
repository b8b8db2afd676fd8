"""Providers that the settings GOTRUE_EXTERNAL_NAME_PART set up: OpenID Connect by issuer, the others by their row."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

from gateway.auth.outbound.custom import CustomSignIn
from gateway.auth.outbound.providers import ISSUERS, Provider
from gateway.auth.outbound.social import ROWS, TOKEN_ISSUERS, SocialProvider

log = logging.getLogger("gateway.auth")

AnyProvider = Provider | SocialProvider | CustomSignIn
_ELSEWHERE: Final = frozenset({"email", "phone", "anonymous_users"})
_UNSERVED: Final = frozenset({"web3_solana", "web3_ethereum", "twitter"})
_TRUE: Final = ("true", "1", "yes")


def load_providers(rows: Mapping[str, str], callback: str) -> dict[str, AnyProvider]:
    """Enabled providers by name.

    One that is neither known nor has an issuer is passed over with a warning, so that the settings of another
    installation can be carried over. Raises ValueError for one without its client.
    """
    found: dict[str, AnyProvider] = {}
    for key, value in rows.items():
        name = key.removesuffix("_enabled")
        if name == key or name in _ELSEWHERE or value.lower() not in _TRUE:
            continue
        if name in _UNSERVED:
            log.warning("sign-in at %s is not served and stays off", name)
            continue
        part = {
            suffix: rows.get(f"{name}_{suffix}", "")
            for suffix in ("client_id", "secret", "url", "redirect_uri", "scopes", "email_optional", "skip_nonce_check")
        }
        issuer = part["url"] or ISSUERS.get(name, "")
        clients = tuple(each.strip() for each in part["client_id"].split(",") if each.strip())
        upper = f"GOTRUE_EXTERNAL_{name.upper()}"
        if not issuer and name not in ROWS:
            log.warning("sign-in at %s stays off: set %s_URL to its OpenID Connect issuer", name, upper)
            continue
        if not clients:
            raise ValueError(f"sign-in at {name} needs {upper}_CLIENT_ID")
        redirect_uri, optional = part["redirect_uri"] or callback, part["email_optional"].lower() in _TRUE
        scopes, skip = part["scopes"].replace(",", " "), part["skip_nonce_check"].lower() in _TRUE
        if name in ROWS:
            tokens = None
            if name in TOKEN_ISSUERS:
                tokens = Provider(
                    name, clients, part["secret"], TOKEN_ISSUERS[name], redirect_uri, "openid", optional, skip
                )
            found[name] = SocialProvider(
                name, clients, part["secret"], part["url"], redirect_uri, scopes, optional, tokens
            )
            continue
        found[name] = Provider(
            name, clients, part["secret"], issuer, redirect_uri, scopes or "openid email profile", optional, skip
        )
    return found
