"""What anyone may ask: health, settings, public keys."""

from __future__ import annotations

from typing import Final

import gateway
from gateway.auth.call import AuthCall
from gateway.auth.context import Context
from gateway.auth.render import json_response
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
    """GET /.well-known/openid-configuration."""
    algorithms = sorted({key["alg"] for key in context.keys.jwks()["keys"]} | {context.keys.signing.alg})
    return json_response(
        {
            "issuer": context.issuer,
            "authorization_endpoint": f"{context.external_url}/authorize",
            "token_endpoint": f"{context.external_url}/token",
            "userinfo_endpoint": f"{context.external_url}/user",
            "jwks_uri": f"{context.external_url}/.well-known/jwks.json",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": algorithms,
        },
        headers=list(_CACHED),
    )
