"""Every key of config.toml: the setting it becomes, or why it becomes none.

`*` stands for a name. A key that is in no table here is unknown, and a warning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

PASSWORDS: Final = {
    "": "",
    "letters_digits": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789",
    "lower_upper_letters_digits": "abcdefghijklmnopqrstuvwxyz:ABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789",
    "lower_upper_letters_digits_symbols": "abcdefghijklmnopqrstuvwxyz:ABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789:"
    "!@#$%^&*()_+-=[]{};'\\\\:\"|<>?,./`~",
}


@dataclass(frozen=True, slots=True)
class ConfigKey:
    """A key and the variable that it sets. `default` is the official CLI's, None where it has none; `kind` says how it
    is read: text, secret, bool, not (a bool turned round), int, list, seconds, bytes, password, file."""

    key: str
    variable: str
    kind: str = "text"
    default: Any = None


KEYS: Final = (
    ConfigKey("api.port", "PORT", "int", 54321),
    ConfigKey("api.external_url", "GATEWAY_PUBLIC_URL"),
    ConfigKey("api.schemas", "PGRST_DB_SCHEMAS", "list", ["public", "graphql_public"]),
    ConfigKey("api.extra_search_path", "PGRST_DB_EXTRA_SEARCH_PATH", "list", ["public", "extensions"]),
    ConfigKey("api.max_rows", "PGRST_DB_MAX_ROWS", "int", 1000),
    ConfigKey("db.port", "GATEWAY_DB_PORT", "int", 54322),
    ConfigKey("storage.file_size_limit", "UPLOAD_FILE_SIZE_LIMIT", "bytes", "50MiB"),
    ConfigKey("auth.site_url", "GOTRUE_SITE_URL", "text", "http://127.0.0.1:3000"),
    ConfigKey("auth.additional_redirect_urls", "GOTRUE_URI_ALLOW_LIST", "list", ["https://127.0.0.1:3000"]),
    ConfigKey("auth.jwt_expiry", "GOTRUE_JWT_EXP", "int", 3600),
    ConfigKey("auth.jwt_issuer", "GOTRUE_JWT_ISSUER"),
    ConfigKey("auth.signing_keys_path", "GOTRUE_JWT_KEYS", "file"),
    ConfigKey("auth.publishable_key", "SUPABASE_PUBLISHABLE_KEY"),
    ConfigKey("auth.secret_key", "SUPABASE_SECRET_KEY", "secret"),
    ConfigKey("auth.enable_refresh_token_rotation", "GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED", "bool", True),
    ConfigKey("auth.refresh_token_reuse_interval", "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL", "int", 10),
    ConfigKey("auth.enable_signup", "GOTRUE_DISABLE_SIGNUP", "not", True),
    ConfigKey("auth.enable_anonymous_sign_ins", "GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED", "bool", False),
    ConfigKey("auth.enable_manual_linking", "GOTRUE_SECURITY_MANUAL_LINKING_ENABLED", "bool", False),
    ConfigKey("auth.minimum_password_length", "GOTRUE_PASSWORD_MIN_LENGTH", "int", 6),
    ConfigKey("auth.password_requirements", "GOTRUE_PASSWORD_REQUIRED_CHARACTERS", "password", ""),
    ConfigKey("auth.passkey.enabled", "GOTRUE_PASSKEY_ENABLED", "bool"),
    ConfigKey("auth.webauthn.rp_id", "GOTRUE_WEBAUTHN_RP_ID"),
    ConfigKey("auth.webauthn.rp_display_name", "GOTRUE_WEBAUTHN_RP_DISPLAY_NAME"),
    ConfigKey("auth.webauthn.rp_origins", "GOTRUE_WEBAUTHN_RP_ORIGINS", "list"),
    ConfigKey("auth.rate_limit.sms_sent", "GOTRUE_RATE_LIMIT_SMS_SENT", "int", 30),
    ConfigKey("auth.rate_limit.anonymous_users", "GOTRUE_RATE_LIMIT_ANONYMOUS_USERS", "int", 30),
    ConfigKey("auth.rate_limit.token_refresh", "GOTRUE_RATE_LIMIT_TOKEN_REFRESH", "int", 150),
    ConfigKey("auth.rate_limit.sign_in_sign_ups", "GOTRUE_RATE_LIMIT_OTP", "int", 30),
    ConfigKey("auth.rate_limit.token_verifications", "GOTRUE_RATE_LIMIT_VERIFY", "int", 30),
    ConfigKey("auth.rate_limit.web3", "GOTRUE_RATE_LIMIT_WEB3", "int"),
    ConfigKey("auth.email.double_confirm_changes", "GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED", "bool", True),
    ConfigKey("auth.email.enable_confirmations", "GOTRUE_MAILER_AUTOCONFIRM", "not", False),
    ConfigKey(
        "auth.email.secure_password_change",
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
        "bool",
        False,
    ),
    ConfigKey(
        "auth.email.require_current_password",
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD",
        "bool",
    ),
    ConfigKey("auth.email.max_frequency", "GOTRUE_SMTP_MAX_FREQUENCY", "seconds", "1s"),
    ConfigKey("auth.email.otp_length", "GOTRUE_MAILER_OTP_LENGTH", "int", 6),
    ConfigKey("auth.email.otp_expiry", "GOTRUE_MAILER_OTP_EXP", "int", 3600),
    ConfigKey("auth.sms.enable_confirmations", "GOTRUE_SMS_AUTOCONFIRM", "not", False),
    ConfigKey("auth.sms.template", "GOTRUE_SMS_TEMPLATE"),
    ConfigKey("auth.sms.max_frequency", "GOTRUE_SMS_MAX_FREQUENCY", "seconds", "5s"),
    ConfigKey("auth.sessions.timebox", "GOTRUE_SESSIONS_TIMEBOX", "seconds", "0s"),
    ConfigKey("auth.sessions.inactivity_timeout", "GOTRUE_SESSIONS_INACTIVITY_TIMEOUT", "seconds", "0s"),
    ConfigKey("auth.mfa.max_enrolled_factors", "GOTRUE_MFA_MAX_ENROLLED_FACTORS", "int", 10),
    ConfigKey("auth.mfa.totp.enroll_enabled", "GOTRUE_MFA_TOTP_ENROLL_ENABLED", "bool", False),
    ConfigKey("auth.mfa.totp.verify_enabled", "GOTRUE_MFA_TOTP_VERIFY_ENABLED", "bool", False),
    ConfigKey("auth.mfa.phone.enroll_enabled", "GOTRUE_MFA_PHONE_ENROLL_ENABLED", "bool", False),
    ConfigKey("auth.mfa.phone.verify_enabled", "GOTRUE_MFA_PHONE_VERIFY_ENABLED", "bool", False),
    ConfigKey("auth.mfa.phone.otp_length", "GOTRUE_MFA_PHONE_OTP_LENGTH", "int"),
    ConfigKey("auth.mfa.phone.template", "GOTRUE_MFA_PHONE_TEMPLATE"),
    ConfigKey("auth.mfa.phone.max_frequency", "GOTRUE_MFA_PHONE_MAX_FREQUENCY", "seconds"),
    ConfigKey("auth.mfa.web_authn.enroll_enabled", "GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED", "bool"),
    ConfigKey("auth.mfa.web_authn.verify_enabled", "GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED", "bool"),
    ConfigKey("auth.oauth_server.enabled", "GOTRUE_OAUTH_SERVER_ENABLED", "bool"),
    ConfigKey("auth.oauth_server.authorization_url_path", "GOTRUE_OAUTH_SERVER_AUTHORIZATION_PATH"),
    ConfigKey("auth.oauth_server.allow_dynamic_registration", "GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION", "bool"),
    ConfigKey("storage.s3_protocol.enabled", "S3_PROTOCOL_ENABLED", "bool"),
    ConfigKey("storage.image_transformation.enabled", "IMAGE_TRANSFORMATION_ENABLED", "bool"),
)
"""Keys that one variable stands for. What several keys decide together is in gateway/projects/config_groups.py."""

# Settings of a project that no key names: where hosted projects do otherwise than an installation of one's own.
HOSTED: Final = {
    "GATEWAY_AUTH_REFUSE_COMMON_PASSWORDS": "false",
    "GATEWAY_AUTH_REVEAL_BANS": "true",
    "GATEWAY_AUTH_REVEAL_ACCOUNTS": "true",
    "GATEWAY_AUTH_ACCOUNT_LIMITS": "false",
}

# What is read elsewhere: by the groups, the seeds, the buckets, the functions.
GROUPS: Final = (
    "project_id",
    "api.auto_expose_new_tables",
    "db.migrations.enabled",
    "db.seed.enabled",
    "db.seed.sql_paths",
    "db.vault.*",
    "db.settings.*",
    "storage.buckets.*",
    "auth.jwt_secret",
    "auth.captcha.*",
    "auth.anon_key",
    "auth.service_role_key",
    "auth.email.enable_signup",
    "auth.email.enabled",
    "auth.email.smtp.*",
    "auth.email.template.*",
    "auth.email.notification.*",
    "auth.rate_limit.email_sent",
    "auth.sms.enable_signup",
    "auth.sms.enabled",
    "auth.sms.test_otp.*",
    "auth.sms.twilio.*",
    "auth.sms.twilio_verify.*",
    "auth.sms.messagebird.*",
    "auth.sms.textlocal.*",
    "auth.sms.vonage.*",
    "auth.hook.*",
    "auth.external.*",
    "edge_runtime.secrets.*",
    "functions.*",
    "inbucket.admin_email",
    "inbucket.sender_name",
    "local_smtp.admin_email",
    "local_smtp.sender_name",
    "experimental.webhooks.enabled",
)

_ALWAYS: Final = "it is always served here"
_HOSTED_ONLY: Final = "hosted projects alone have it"
IGNORED: Final = {
    "$schema": "it is for editors",
    "api.enabled": _ALWAYS,
    "api.tls.*": "the gateway speaks plain HTTP on this machine; a proxy before it does TLS",
    "db.shadow_port": "`gateway db diff` takes a database of its own on the same server",
    "db.major_version": "the embedded Postgres is 18; DATABASE_URL names another one",
    "db.orioledb_version": "the embedded Postgres stores as Postgres does",
    "db.health_timeout": "a start waits for the database by itself",
    "db.root_key": "secrets of the vault are sealed with a key of this installation",
    "db.pooler.*": "the gateway pools its connections itself",
    "db.migrations.schema_paths": "declarative schemas are not run; `gateway db diff` says how to compare",
    "db.network_restrictions.*": _HOSTED_ONLY,
    "db.ssl_enforcement.*": _HOSTED_ONLY,
    "realtime.enabled": _ALWAYS,
    "realtime.*": "it is a setting of the original's server",
    "studio.*": "there is no Studio here",
    "inbucket.*": "mails are caught in the trap that the banner names",
    "local_smtp.*": "mails are caught in the trap that the banner names",
    "storage.enabled": _ALWAYS,
    "storage.analytics.*": _HOSTED_ONLY,
    "storage.vector.*": _HOSTED_ONLY,
    "auth.enabled": _ALWAYS,
    "auth.external_url": "auth answers below the API's own address",
    "auth.third_party.*": "tokens of other issuers are taken by PGRST_JWT_SECRET as a JWK set of theirs",
    "auth.web3.*": "sign-in by a wallet is not served: it ends with web3_provider_disabled",
    "edge_runtime.enabled": _ALWAYS,
    "edge_runtime.*": "it is a setting of the original's runtime",
    "analytics.*": "there is no log service here; `gateway logs` reads logs",
    "experimental.*": "it is a setting of the original's tools",
    "remotes.*": "it is for hosted projects; a local run does not read it",
    "pg_delta.*": "it is a setting of the original's tools",
}
