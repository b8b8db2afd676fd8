"""The id_token grant: a native app has signed in at a provider by itself."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from gateway.auth import errors
from gateway.auth.call import AuthCall
from gateway.auth.context import Context
from gateway.auth.flows.oauth import provider_of
from gateway.auth.flows.provider_accounts import account_of, link_to
from gateway.auth.http.custom_providers import PREFIX
from gateway.auth.http.identities import demand_linking
from gateway.auth.outbound.custom import CustomSignIn
from gateway.auth.outbound.providers import ISSUERS, Provider
from gateway.auth.outbound.social import TOKEN_ISSUERS, SocialProvider
from gateway.auth.sessions import Issued
from gateway.errors import ApiError


async def id_token(context: Context, call: AuthCall) -> Issued:
    """The id_token grant: a native app signed in at the provider by itself."""
    body = call.body
    name, token, nonce = body.text("provider"), body.text("id_token"), body.text("nonce")
    if not token:
        raise ApiError(errors.OAUTH_INVALID_REQUEST, reason="id_token required")
    if not name:
        raise ApiError(errors.OAUTH_INVALID_REQUEST, reason="provider or client_id and issuer required")
    is_linked = body.flag("link_identity")
    if is_linked:
        demand_linking(context)
        await context.guards.require_user(call)
    custom = await _custom(context, name)
    provider = custom or _token_provider(context, name)
    claims = await _token_claims(provider, token, body.text("access_token"))
    if provider.checks_nonce:
        _demand_nonce(claims, nonce)
    person = provider.person(claims)
    user = await (link_to(context, call, call.user.id, person) if is_linked else account_of(context, call, person))
    if user.is_banned(call.now):
        raise ApiError(errors.SIGN_IN_BANNED)
    return await context.sessions.sign_in(user, "oauth", call, traits={"provider": name})


async def web3(context: Context, call: AuthCall) -> Issued:
    """The web3 grant: there are no wallets here."""
    raise ApiError(errors.WEB3_DISABLED)


async def _custom(context: Context, name: str) -> CustomSignIn | None:
    """The provider that an admin set up under a name, if it is of that kind. Raises ApiError."""
    if not name.startswith(PREFIX):
        return None
    found = await provider_of(context, name)
    return found if isinstance(found, CustomSignIn) else None


def _token_provider(context: Context, name: str) -> Provider:
    provider = context.providers.get(name.lower())
    if isinstance(provider, SocialProvider):
        provider = provider.tokens
    if isinstance(provider, Provider):
        return provider
    known = {**ISSUERS, **TOKEN_ISSUERS}
    if name in known:
        raise ApiError(errors.TOKEN_PROVIDER_DISABLED, issuer=known[name])
    raise errors.invalid(f'Custom OIDC provider "{name}" not allowed')


async def _token_claims(provider: Provider | CustomSignIn, token: str, access_token: str) -> Mapping[str, Any]:
    try:
        return await provider.claims(token, nonce=None, access_token=access_token)
    except ApiError as error:
        raise ApiError(errors.OAUTH_INVALID_REQUEST, reason="Bad ID token") from error


def _demand_nonce(claims: Mapping[str, Any], nonce: str) -> None:
    """Refuse a token whose nonce is not the app's own, as it is or hashed: one taken elsewhere has another."""
    claimed = claims.get("nonce")
    if bool(nonce) != bool(claimed):
        reason = "Passed nonce and nonce in id_token should either both exist or not."
        raise ApiError(errors.OAUTH_INVALID_REQUEST, reason=reason)
    if nonce and claimed not in (hashlib.sha256(nonce.encode()).hexdigest(), nonce):
        raise ApiError(errors.OAUTH_INVALID_NONCE)
