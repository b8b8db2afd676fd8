"""Ways of signing in that are off until they are asked for, in the names of GoTrue."""

from __future__ import annotations

from dataclasses import dataclass

from gateway.settings.rows import Seconds, setting


@dataclass(frozen=True)
class AuthFeatureSettings:
    """Fields of `Settings`."""

    passkeys_enabled: bool = setting(False, "Sign-in by passkey", "GOTRUE_PASSKEY_ENABLED")
    passkeys_most: int = setting(10, "Passkeys a user may have", "GOTRUE_PASSKEY_MAX_PASSKEYS_PER_USER")
    rate_limit_passkey: float = setting(
        30.0, "Passkey sign-ins begun in 5 minutes by address", "GOTRUE_RATE_LIMIT_PASSKEY"
    )
    webauthn_rp_id: str = setting(
        "", "Domain that passkeys and security keys are for; default the site's host", "GOTRUE_WEBAUTHN_RP_ID"
    )
    webauthn_rp_name: str = setting(
        "", "Name that authenticators show; default that domain", "GOTRUE_WEBAUTHN_RP_DISPLAY_NAME"
    )
    webauthn_rp_origins: tuple[str, ...] = setting(
        (), "Origins of pages that may ask for them; default the site's", "GOTRUE_WEBAUTHN_RP_ORIGINS"
    )
    webauthn_challenge_expiry: Seconds = setting(
        300.0, "How long an authenticator may take to answer", "GOTRUE_WEBAUTHN_CHALLENGE_EXPIRY_DURATION"
    )
    mfa_webauthn_enroll: bool = setting(
        False, "Users may enroll security keys as second factors", "GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED"
    )
    mfa_webauthn_verify: bool = setting(
        False, "Such factors are asked and verified", "GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED"
    )
    oauth_server_enabled: bool = setting(
        False, "Sign-in at other applications by this one", "GOTRUE_OAUTH_SERVER_ENABLED"
    )
    oauth_server_registration: bool = setting(
        False, "Anybody may register such an application", "GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION"
    )
    oauth_server_path: str = setting(
        "", "Path of the site's page that asks users for their consent", "GOTRUE_OAUTH_SERVER_AUTHORIZATION_PATH"
    )
    oauth_server_ttl: Seconds = setting(
        600.0, "How long they may take, and how long a code is good", "GOTRUE_OAUTH_SERVER_AUTHORIZATION_TTL"
    )
    oauth_server_scope: str = setting(
        "email", "Scopes of an application that asks for none", "GOTRUE_OAUTH_SERVER_DEFAULT_SCOPE"
    )
    rate_limit_oauth_register: float = setting(
        10.0, "Applications registered in 5 minutes by address", "GOTRUE_RATE_LIMIT_OAUTH_DYNAMIC_CLIENT_REGISTER"
    )
    custom_oauth_enabled: bool = setting(
        True, "Providers may be set up by the admin API while the server runs", "GOTRUE_CUSTOM_OAUTH_ENABLED"
    )
    custom_oauth_most: int = setting(0, "How many of them there may be; 0 for any", "GOTRUE_CUSTOM_OAUTH_MAX_PROVIDERS")
