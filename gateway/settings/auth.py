"""The auth API, in the names of GoTrue."""

from __future__ import annotations

from dataclasses import dataclass

from gateway.settings.auth_features import AuthFeatureSettings
from gateway.settings.rows import Seconds, setting


@dataclass(frozen=True)
class AuthSettings(AuthFeatureSettings):
    """Fields of `Settings`."""

    jwt_exp: int = setting(3600, "Seconds an access token lives", "GOTRUE_JWT_EXP")
    jwt_issuer: str = setting("", "Issuer of access tokens; default PUBLIC_URL/auth/v1", "GOTRUE_JWT_ISSUER")
    auth_aud: str = setting("authenticated", "Audience of users", "GOTRUE_JWT_AUD")
    site_url: str = setting("", "Where links in mails lead; default the public URL", "GOTRUE_SITE_URL")
    uri_allow_list: tuple[str, ...] = setting((), "Globs of further redirect addresses", "GOTRUE_URI_ALLOW_LIST")
    disable_signup: bool = setting(True, "Refuse sign-up", "GOTRUE_DISABLE_SIGNUP")
    mailer_autoconfirm: bool = setting(False, "Confirm e-mail addresses without a mail", "GOTRUE_MAILER_AUTOCONFIRM")
    anonymous_users_enabled: bool = setting(False, "Allow anonymous sign-in", "GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED")
    password_min_length: int = setting(8, "Shortest password", "GOTRUE_PASSWORD_MIN_LENGTH")
    refresh_token_rotation: bool = setting(
        True, "A refresh token used twice ends its session", "GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED"
    )
    refresh_token_reuse_interval: int = setting(
        10,
        "Seconds in which a used refresh token gives its successor again",
        "GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL",
    )
    rate_limit_token_refresh: float = setting(
        150.0, "Token requests in 5 minutes by address", "GOTRUE_RATE_LIMIT_TOKEN_REFRESH"
    )
    rate_limit_verify: float = setting(30.0, "Verify requests in 5 minutes by address", "GOTRUE_RATE_LIMIT_VERIFY")
    rate_limit_otp: float = setting(
        30.0, "Sign-up, recovery and code requests in 5 minutes by address, each", "GOTRUE_RATE_LIMIT_OTP"
    )
    rate_limit_anonymous_users: float = setting(
        30.0, "Anonymous sign-ins in an hour by address", "GOTRUE_RATE_LIMIT_ANONYMOUS_USERS"
    )
    rate_limit_email_sent: float = setting(30.0, "Auth mails in an hour, all told", "GOTRUE_RATE_LIMIT_EMAIL_SENT")
    auth_address_limits: bool = setting(
        True, "Limit auth requests by address (the original: only behind a named header)", "GATEWAY_AUTH_ADDRESS_LIMITS"
    )
    auth_account_limits: bool = setting(
        True,
        "Slow down wrong passwords by account (the original: false); guesses at codes always are",
        "GATEWAY_AUTH_ACCOUNT_LIMITS",
    )
    auth_reveal_bans: bool = setting(
        False, "Say that a user is banned at sign-in (the original: true)", "GATEWAY_AUTH_REVEAL_BANS"
    )
    auth_reveal_accounts: bool = setting(
        False,
        "Say at `/otp` and `/magiclink` that nobody has an address or number (the original: true)",
        "GATEWAY_AUTH_REVEAL_ACCOUNTS",
    )
    auth_plain_tokens: bool = setting(
        False,
        "Store mailed tokens as sent; whoever guesses a code can then make its link (the original: true)",
        "GATEWAY_AUTH_PLAIN_TOKENS",
    )
    auth_refuse_common_passwords: bool = setting(
        True, "Refuse passwords of the common list (the original: false)", "GATEWAY_AUTH_REFUSE_COMMON_PASSWORDS"
    )
    auth_hosted_issuers: tuple[str, ...] = setting(
        (), "Further issuers whose user tokens are taken, such as a hosted project's", "GATEWAY_AUTH_ISSUERS"
    )
    session_secret: tuple[str, ...] = setting(
        (),
        "Server's half of refresh-token keys, parted by commas: the first makes them, the others are recognised;"
        " default: made at first start, or derived from the JWT secret",
        "GATEWAY_SESSION_SECRET",
        secret=True,
    )
    refresh_token_version: int = setting(
        2,
        "Format of refresh tokens: 2 stores none, 1 is the original's table of plain tokens",
        "GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION",
    )
    refresh_token_allow_reuse: bool = setting(
        False, "A used refresh token always gives the current one", "GOTRUE_SECURITY_REFRESH_TOKEN_ALLOW_REUSE"
    )
    sessions_timebox: Seconds = setting(
        2_592_000.0, "Longest life of a session (the original: 0, no limit)", "GOTRUE_SESSIONS_TIMEBOX"
    )
    sessions_inactivity: Seconds = setting(
        1_209_600.0,
        "A session not refreshed for this long ends (the original: 0, no limit)",
        "GOTRUE_SESSIONS_INACTIVITY_TIMEOUT",
    )
    sessions_low_aal: Seconds = setting(
        0.0, "How long a user with a second factor may go without it; 0 for ever", "GOTRUE_SESSIONS_ALLOW_LOW_AAL"
    )
    sessions_single_per_user: bool = setting(
        False, "A new sign-in ends the user's other sessions", "GOTRUE_SESSIONS_SINGLE_PER_USER"
    )
    jwt_admin_roles: tuple[str, ...] = setting(
        ("service_role", "supabase_admin"), "Token roles that may call admin endpoints", "GOTRUE_JWT_ADMIN_ROLES"
    )
    jwt_default_role: str = setting("authenticated", "Role of new users", "GOTRUE_JWT_DEFAULT_GROUP_NAME")
    email_enabled: bool = setting(True, "Sign-in and sign-up by e-mail address", "GOTRUE_EXTERNAL_EMAIL_ENABLED")
    magic_links_enabled: bool = setting(
        True, "Sign-in by a mailed link or code", "GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED"
    )
    phone_enabled: bool = setting(False, "Sign-in and sign-up by phone number", "GOTRUE_EXTERNAL_PHONE_ENABLED")
    sms_autoconfirm: bool = setting(False, "Confirm phone numbers without a message", "GOTRUE_SMS_AUTOCONFIRM")
    sms_hook: str = setting(
        "",
        "Where text messages go: an https address that is sent the code, or pg-functions://postgres/SCHEMA/NAME",
        "GOTRUE_HOOK_SEND_SMS_URI",
    )
    sms_hook_secrets: str = setting(
        "", "Secrets that sign what the address is sent: v1,whsec_BASE64, several parted by a bar",
        "GOTRUE_HOOK_SEND_SMS_SECRETS", secret=True,
    )  # fmt: skip
    sms_test_otp: tuple[str, ...] = setting(
        (), "Numbers with a fixed code and no message, as PHONE:CODE", "GOTRUE_SMS_TEST_OTP", secret=True
    )
    sms_test_otp_valid_until: str = setting(
        "", "Moment after which these are numbers like any other", "GOTRUE_SMS_TEST_OTP_VALID_UNTIL"
    )
    sms_otp_exp: Seconds = setting(
        300.0, "How long codes of text messages are valid (the original: 60)", "GOTRUE_SMS_OTP_EXP"
    )
    sms_otp_length: int = setting(6, "Digits of codes in text messages, 6 to 10", "GOTRUE_SMS_OTP_LENGTH")
    sms_max_frequency: Seconds = setting(
        60.0, "Least time between two text messages of a kind to one number", "GOTRUE_SMS_MAX_FREQUENCY"
    )
    rate_limit_sms_sent: float = setting(30.0, "Text messages in an hour, all told", "GOTRUE_RATE_LIMIT_SMS_SENT")
    mailer_otp_exp: Seconds = setting(3600.0, "How long mailed codes and links are valid", "GOTRUE_MAILER_OTP_EXP")
    mailer_otp_length: int = setting(6, "Digits of mailed codes, 6 to 10", "GOTRUE_MAILER_OTP_LENGTH")
    mailer_secure_email_change: bool = setting(
        True, "Both addresses confirm a change of e-mail", "GOTRUE_MAILER_SECURE_EMAIL_CHANGE_ENABLED"
    )
    mailer_templates: str = setting(
        "", "Folder of templates that replace the built-in ones, by name", "GATEWAY_MAIL_TEMPLATES"
    )
    mailer_subjects: dict[str, str] = setting(
        {}, "GOTRUE_MAILER_SUBJECTS_KIND is the subject of a kind of mail, such as INVITE or MAGIC_LINK"
    )
    mailer_template_files: dict[str, str] = setting(
        {}, "GOTRUE_MAILER_TEMPLATES_KIND is an HTML file in the place of a kind of mail, whole"
    )
    smtp_max_frequency: Seconds = setting(
        60.0, "Least time between two mails of a kind to one address", "GOTRUE_SMTP_MAX_FREQUENCY"
    )
    password_required_characters: str = setting(
        "",
        "Sets of characters, parted by colons, each of which a password needs",
        "GOTRUE_PASSWORD_REQUIRED_CHARACTERS",
    )
    password_hibp_enabled: bool = setting(
        False, "Refuse passwords known from leaks (asks a service by hash prefix)", "GOTRUE_PASSWORD_HIBP_ENABLED"
    )
    password_hibp_url: str = setting(
        "https://api.pwnedpasswords.com/range/", "Service of the leak check", "GATEWAY_PASSWORD_HIBP_URL"
    )
    password_hibp_fail_closed: bool = setting(
        False, "Refuse passwords while the leak check is unreachable", "GOTRUE_PASSWORD_HIBP_FAIL_CLOSED"
    )
    update_password_reauthentication: bool = setting(
        True,
        "Changing a password needs a sign-in of the last 24 hours, the current password or a mailed code"
        " (the original: false)",
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
    )
    update_password_current: bool = setting(
        False,
        "Changing a password always needs the current one",
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD",
    )
    manual_linking_enabled: bool = setting(
        False, "Users may link and unlink identities", "GOTRUE_SECURITY_MANUAL_LINKING_ENABLED"
    )
    captcha_enabled: bool = setting(False, "Demand a CAPTCHA answer", "GOTRUE_SECURITY_CAPTCHA_ENABLED")
    captcha_provider: str = setting(
        "turnstile", "CAPTCHA service", "GOTRUE_SECURITY_CAPTCHA_PROVIDER", choices=("turnstile", "hcaptcha")
    )
    captcha_secret: str = setting("", "Secret at the CAPTCHA service", "GOTRUE_SECURITY_CAPTCHA_SECRET", secret=True)
    captcha_url: str = setting("", "Address that checks answers; default the service's", "GATEWAY_CAPTCHA_URL")
    mfa_totp_enroll: bool = setting(True, "Users may enroll TOTP factors", "GOTRUE_MFA_TOTP_ENROLL_ENABLED")
    mfa_totp_verify: bool = setting(True, "TOTP codes are verified", "GOTRUE_MFA_TOTP_VERIFY_ENABLED")
    mfa_phone_enroll: bool = setting(
        False, "Users may enroll numbers that get a code as second factors", "GOTRUE_MFA_PHONE_ENROLL_ENABLED"
    )
    mfa_phone_verify: bool = setting(
        False, "Codes of such factors are sent and verified", "GOTRUE_MFA_PHONE_VERIFY_ENABLED"
    )
    mfa_phone_otp_length: int = setting(6, "Digits of these codes, 6 to 10", "GOTRUE_MFA_PHONE_OTP_LENGTH")
    mfa_phone_max_frequency: Seconds = setting(
        60.0, "Least time between two of them to one number", "GOTRUE_MFA_PHONE_MAX_FREQUENCY"
    )
    mfa_max_factors: int = setting(10, "Second factors a user may have", "GOTRUE_MFA_MAX_ENROLLED_FACTORS")
    mfa_challenge_expiry: Seconds = setting(
        300.0, "How long a challenge can be answered", "GOTRUE_MFA_CHALLENGE_EXPIRY_DURATION"
    )
    token_hook: str = setting(
        "",
        "Hook that may change token claims: an https address, or pg-functions://postgres/SCHEMA/NAME",
        "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI",
    )
    token_hook_secrets: str = setting(
        "", "Secrets that sign what its address is sent: v1,whsec_BASE64, several parted by a bar",
        "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_SECRETS", secret=True,
    )  # fmt: skip
    created_hook: str = setting(
        "", "Hook that may refuse a user who is about to be created, likewise", "GOTRUE_HOOK_BEFORE_USER_CREATED_URI"
    )
    created_hook_secrets: str = setting("", "Its secrets", "GOTRUE_HOOK_BEFORE_USER_CREATED_SECRETS", secret=True)
    password_hook: str = setting(
        "",
        "Hook that is told of each password that is tried, and may reject it",
        "GOTRUE_HOOK_PASSWORD_VERIFICATION_ATTEMPT_URI",
    )
    password_hook_secrets: str = setting(
        "", "Its secrets", "GOTRUE_HOOK_PASSWORD_VERIFICATION_ATTEMPT_SECRETS", secret=True
    )
    factor_hook: str = setting(
        "",
        "Hook that is told of each code of a second factor that is tried, and may reject it",
        "GOTRUE_HOOK_MFA_VERIFICATION_ATTEMPT_URI",
    )
    factor_hook_secrets: str = setting("", "Its secrets", "GOTRUE_HOOK_MFA_VERIFICATION_ATTEMPT_SECRETS", secret=True)
    external_providers: dict[str, str] = setting(
        {},
        "GOTRUE_EXTERNAL_NAME_{ENABLED,CLIENT_ID,SECRET,URL,REDIRECT_URI,SCOPES,EMAIL_OPTIONAL,SKIP_NONCE_CHECK}"
        " set up sign-in at a provider",
    )
