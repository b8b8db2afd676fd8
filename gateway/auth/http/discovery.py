"""What anyone may ask: health, settings, public keys."""

from __future__ import annotations

from typing import Final

import gateway
from gateway.auth.call import AuthCall
from gateway.auth.context import Context
from gateway.auth.render import json_response
from gateway.auth.store.oauth_clients import AUTH_METHODS, GRANT_TYPES, SCOPES
from gateway.http.messages import Response

# Providers that clients look for in the settings, whether or not they can be configured here.
PROVIDERS: Final = (
    "apple",
    "azure",
    "bitbucket",
    "discord",
    "facebook",
    "figma",
    "fly",
    "github",
    "gitlab",
    "google",
    "kakao",
    "keycloak",
    "linkedin",
    "linkedin_oidc",
    "notion",
    "slack",
    "slack_oidc",
    "snapchat",
    "spotify",
    "twitch",
    "twitter",
    "workos",
    "x",
    "zoom",
)
_OPENID: Final = {
    "scopes_supported": list(SCOPES),
    "response_types_supported": ["code"],
    "response_modes_supported": ["query"],
    "grant_types_supported": list(GRANT_TYPES),
    "subject_types_supported": ["public"],
    "id_token_signing_alg_values_supported": ["RS256", "HS256", "ES256"],
    "token_endpoint_auth_methods_supported": list(AUTH_METHODS),
    "code_challenge_methods_supported": ["S256", "plain"],
    "claims_supported": [
        "sub", "aud", "iss", "exp", "iat", "auth_time", "nonce", "email", "email_verified", "phone_number",
        "phone_number_verified", "name", "picture", "preferred_username", "updated_at",
    ],
}  # fmt: skip
_CACHED: Final = [(b"cache-control", b"public, max-age=600")]


async def health(context: Context, call: AuthCall) -> Response:
    """GET /health: the process answers."""
    return json_response(
        {
            "version": f"v{gateway.__version__}",
            "name": "GoTrue",
            "description": "GoTrue is a user registration and authentication API",
        }
    )


async def settings(context: Context, call: AuthCall) -> Response:
    """GET /settings: what sign-in pages may offer."""
    rows = context.settings
    external = dict.fromkeys(PROVIDERS, False) | dict.fromkeys(context.providers, True)
    external.pop("x", None)  # which the original does not show
    external.update(
        {"anonymous_users": rows.anonymous_users_enabled, "email": rows.email_enabled, "phone": rows.phone_enabled}
    )
    return json_response(
        {
            "external": external,
            "disable_signup": rows.disable_signup,
            "mailer_autoconfirm": rows.mailer_autoconfirm,
            "phone_autoconfirm": rows.sms_autoconfirm,
            "sms_provider": "",
            "saml_enabled": False,
            "saml_private_key_next_configured": False,
            "passkeys_enabled": rows.passkeys_enabled,
        }
    )


async def jwks(context: Context, call: AuthCall) -> Response:
    """GET /.well-known/jwks.json: public keys; secrets are never listed."""
    return json_response(context.keys.jwks(), headers=list(_CACHED))


async def openid_configuration(context: Context, call: AuthCall) -> Response:
    """GET /.well-known/openid-configuration, /.well-known/oauth-authorization-server."""
    rows, base = context.settings, context.issuer.rstrip("/")
    body = {
        "issuer": context.issuer,
        "authorization_endpoint": f"{base}/oauth/authorize",
        "token_endpoint": f"{base}/oauth/token",
        "userinfo_endpoint": f"{base}/oauth/userinfo",
        "jwks_uri": f"{base}/.well-known/jwks.json",
    }
    if rows.oauth_server_enabled and rows.oauth_server_registration:
        body["registration_endpoint"] = f"{base}/oauth/clients/register"
    return json_response({**body, **_OPENID}, headers=list(_CACHED))
