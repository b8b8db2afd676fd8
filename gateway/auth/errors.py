"""Every error of the auth API, one row each, and the two bodies they may take.

Bodies: `{"code": status, "error_code", "msg"}` for old clients, `{"code", "message"}` for those that send
`X-Supabase-Api-Version: 2024-01-01` or later. A code with several statuses has a row for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

from gateway.errors import ApiError, ErrorRow
from gateway.http.messages import HeaderList, Response
from gateway.identity.tokens import Fault

API_VERSION: Final = "2024-01-01"

UNEXPECTED_FAILURE = ErrorRow(
    "unexpected_failure", 500, "Unexpected failure, please check server logs for more information"
)
# A step that the database refused, by its name.
STEP_FAILED = ErrorRow("unexpected_failure", 500, "{step}")
UNAVAILABLE = ErrorRow("unexpected_failure", 503, "The database cannot be reached, please retry after a moment.")
MAINTENANCE = ErrorRow("maintenance", 503, "The service is under maintenance and takes no changes for now.")
REQUEST_TIMEOUT = ErrorRow("request_timeout", 504, "Processing this request timed out, please retry after a moment.")
REQUEST_TOO_LARGE = ErrorRow("request_entity_too_large", 413, "Request body is larger than {limit} bytes")
BAD_JSON = ErrorRow("bad_json", 400, "Could not parse request body as JSON: {reason}")
VALIDATION_FAILED = ErrorRow("validation_failed", 400, "{reason}")
VALIDATION_FAILED_404 = ErrorRow("validation_failed", 404, "{reason}")
VALIDATION_FAILED_422 = ErrorRow("validation_failed", 422, "{reason}")
CONFLICT = ErrorRow("conflict", 409, "Too many concurrent token refresh requests on the same session or refresh token")

# --- who is asking
NO_AUTHORIZATION = ErrorRow("no_authorization", 401, "This endpoint requires a valid Bearer token")
ANONYMOUS_REFUSED = ErrorRow("no_authorization", 403, "Anonymous user not allowed to perform these actions")
BAD_JWT = ErrorRow("bad_jwt", 403, "invalid JWT: unable to parse or verify signature, {reason}")
BAD_JWT_CLAIM = ErrorRow("bad_jwt", 403, "invalid claim: {reason}")
BAD_JWT_SUBJECT = ErrorRow("bad_jwt", 400, "invalid claim: sub claim must be a UUID")
NOT_ADMIN = ErrorRow("not_admin", 403, "User not allowed")
NOT_ADMIN_METADATA = ErrorRow("not_admin", 403, "Updating app_metadata requires admin privileges")
TOKEN_USER_NOT_FOUND = ErrorRow("user_not_found", 403, "User from sub claim in JWT does not exist")
TOKEN_SESSION_NOT_FOUND = ErrorRow("session_not_found", 403, "Session from session_id claim in JWT does not exist")
TOKEN_USER_BANNED = ErrorRow("user_banned", 403, "User is banned")

# --- signing in
UNSUPPORTED_GRANT = ErrorRow("invalid_credentials", 400, "unsupported_grant_type")
INVALID_CREDENTIALS = ErrorRow("invalid_credentials", 400, "Invalid login credentials")
SIGN_IN_BANNED = ErrorRow("user_banned", 400, "User is banned")
EMAIL_LOGINS_DISABLED = ErrorRow("email_provider_disabled", 422, "Email logins are disabled")
EMAIL_DISABLED = ErrorRow("email_provider_disabled", 400, "Email logins are disabled")
EMAIL_SIGNUPS_DISABLED = ErrorRow("email_provider_disabled", 400, "Email signups are disabled")
MAGIC_LINKS_DISABLED = ErrorRow("email_provider_disabled", 422, "Login with magic link is disabled")
PHONE_LOGINS_DISABLED = ErrorRow("phone_provider_disabled", 422, "Phone logins are disabled")
PHONE_DISABLED = ErrorRow("phone_provider_disabled", 400, "Phone logins are disabled")
PHONE_CODES_DISABLED = ErrorRow("phone_provider_disabled", 400, "Unsupported phone provider")
PHONE_SIGNUPS_DISABLED = ErrorRow("phone_provider_disabled", 400, "Phone signups are disabled")
EMAIL_NOT_CONFIRMED = ErrorRow("email_not_confirmed", 400, "Email not confirmed")
PHONE_NOT_CONFIRMED = ErrorRow("phone_not_confirmed", 400, "Phone not confirmed")
REAUTHENTICATE_UNCONFIRMED = ErrorRow("email_not_confirmed", 422, "Please verify your email first.")
REAUTHENTICATE_PHONE_UNCONFIRMED = ErrorRow("phone_not_confirmed", 422, "Please verify your phone first.")
OTP_DISABLED = ErrorRow("otp_disabled", 422, "Signups not allowed for otp")
SMS_SEND_FAILED = ErrorRow("sms_send_failed", 422, "Error sending confirmation OTP to provider: {reason}")

# --- hooks
HOOK_TIMEOUT = ErrorRow("hook_timeout", 422, "Failed to reach hook within maximum time of {seconds} seconds")
HOOK_UNREACHABLE = ErrorRow("hook_timeout_after_retry", 422, "Failed to reach hook after maximum retries")
HOOK_TOO_LARGE = ErrorRow("hook_payload_over_size_limit", 422, "Payload size exceeded size limit of {limit} bytes")
HOOK_NO_JSON = ErrorRow(
    "hook_payload_invalid_content_type", 400, "Invalid JSON response. Received content-type: {kind}"
)
HOOK_BAD_JSON = ErrorRow("unexpected_failure", 500, "Error unmarshaling JSON output.")
HOOK_STATUS = ErrorRow("unexpected_failure", 500, "Unexpected status code returned from hook: {status}")
HOOK_FAILED = ErrorRow("unexpected_failure", 500, "Error running hook URI: {uri}")
# What a hook says itself; the status of a refusal is its own.
HOOK_FAILURE = ErrorRow("unexpected_failure", 500, "{reason}")
HOOK_REFUSAL = ErrorRow("unknown", 400, "{reason}")
HOOK_REJECTED_PASSWORD = ErrorRow("invalid_credentials", 400, "{reason}")
HOOK_REJECTED_FACTOR = ErrorRow("mfa_verification_rejected", 403, "{reason}")

# --- refreshing
REFRESH_TOKEN_INVALID = ErrorRow("validation_failed", 400, "Refresh token is not valid")
REFRESH_TOKEN_FOREIGN = ErrorRow("validation_failed", 400, "Invalid Refresh Token: Not Issued By This Server")
REFRESH_TOKEN_NOT_FOUND = ErrorRow("refresh_token_not_found", 400, "Invalid Refresh Token: Refresh Token Not Found")
REFRESH_TOKEN_USED = ErrorRow("refresh_token_already_used", 400, "Invalid Refresh Token: Already Used")
REFRESH_BANNED = ErrorRow("user_banned", 400, "Invalid Refresh Token: User Banned")
REFRESH_NO_SESSION = ErrorRow("session_not_found", 400, "Invalid Refresh Token: No Valid Session Found")
REFRESH_EXPIRED = ErrorRow("session_expired", 400, "Invalid Refresh Token: Session Expired")
REFRESH_INACTIVE = ErrorRow("session_expired", 400, "Invalid Refresh Token: Session Expired (Inactivity)")
REFRESH_LOW_AAL = ErrorRow(
    "session_expired", 400, "Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)"
)
REFRESH_NEWER_LOGIN = ErrorRow(
    "session_expired", 400, "Invalid Refresh Token: Session Expired (Revoked by Newer Login)"
)

# --- signing up
SIGNUP_DISABLED = ErrorRow("signup_disabled", 422, "Signups not allowed for this instance")
ANONYMOUS_DISABLED = ErrorRow("anonymous_provider_disabled", 422, "Anonymous sign-ins are disabled")
USER_ALREADY_EXISTS = ErrorRow("user_already_exists", 422, "User already registered")
EMAIL_EXISTS = ErrorRow("email_exists", 422, "A user with this email address has already been registered")
PHONE_EXISTS = ErrorRow("phone_exists", 422, "A user with this phone number has already been registered")
CAPTCHA_FAILED = ErrorRow("captcha_failed", 400, "captcha protection: request disallowed ({reason})")
WEAK_PASSWORD = ErrorRow("weak_password", 422, "{reason}")

# --- codes and links
OTP_EXPIRED = ErrorRow("otp_expired", 403, "Token has expired or is invalid")
LINK_EXPIRED = ErrorRow("otp_expired", 403, "Email link is invalid or has expired")
BAD_CODE_VERIFIER = ErrorRow("bad_code_verifier", 400, "code challenge does not match previously saved code verifier")
FLOW_STATE_NOT_FOUND = ErrorRow("flow_state_not_found", 404, "invalid flow state, no valid flow state found")
FLOW_STATE_EXPIRED = ErrorRow("flow_state_expired", 422, "invalid flow state, flow state has expired")

# --- the user's own account
USER_SSO_MANAGED = ErrorRow(
    "user_sso_managed", 422, "Updating email, phone, password of a SSO account only possible via SSO"
)
REAUTHENTICATION_NEEDED = ErrorRow("reauthentication_needed", 400, "Password update requires reauthentication")
REAUTHENTICATION_NOT_VALID = ErrorRow("reauthentication_not_valid", 422, "Nonce has expired or is invalid")
SAME_PASSWORD = ErrorRow("same_password", 422, "New password should be different from the old password.")
CURRENT_PASSWORD_REQUIRED = ErrorRow(
    "current_password_required", 400, "Current password required when setting new password."
)
CURRENT_PASSWORD_INVALID = ErrorRow("current_password_invalid", 400, "The current password is not correct.")
UNEXPECTED_AUDIENCE = ErrorRow("unexpected_audience", 403, "Token audience doesn't match request audience")
IDENTITY_NOT_FOUND = ErrorRow("identity_not_found", 422, "Identity doesn't exist")
SINGLE_IDENTITY = ErrorRow("single_identity_not_deletable", 422, "User must have at least 1 identity after unlinking")
IDENTITY_EMAIL_CONFLICT = ErrorRow(
    "email_conflict_identity_not_deletable",
    422,
    "Unable to unlink identity due to email conflict",
)
IDENTITY_EXISTS = ErrorRow("identity_already_exists", 422, "Identity is already linked{whom}")
MANUAL_LINKING_DISABLED = ErrorRow("manual_linking_disabled", 404, "Manual linking is disabled")

# --- second factors
INSUFFICIENT_AAL = ErrorRow(
    "insufficient_aal", 401, "AAL2 session is required to update email or password when MFA is enabled."
)
INSUFFICIENT_AAL_ENROLL = ErrorRow("insufficient_aal", 403, "AAL2 required to enroll a new factor")
INSUFFICIENT_AAL_UNENROLL = ErrorRow("insufficient_aal", 422, "AAL2 required to unenroll verified factor")
TOTP_ENROLL_DISABLED = ErrorRow("mfa_totp_enroll_not_enabled", 422, "MFA enroll is disabled for TOTP")
TOTP_VERIFY_DISABLED = ErrorRow("mfa_totp_verify_not_enabled", 422, "MFA verification is disabled for TOTP")
PHONE_ENROLL_DISABLED = ErrorRow("mfa_phone_enroll_not_enabled", 422, "MFA enroll is disabled for Phone")
PHONE_VERIFY_DISABLED = ErrorRow("mfa_phone_verify_not_enabled", 422, "MFA verification is disabled for Phone")
WEBAUTHN_ENROLL_DISABLED = ErrorRow("mfa_webauthn_enroll_not_enabled", 422, "MFA enroll is disabled for WebAuthn")
WEBAUTHN_VERIFY_DISABLED = ErrorRow("mfa_webauthn_verify_not_enabled", 422, "MFA verification is disabled for WebAuthn")
PHONE_FACTOR_EXISTS = ErrorRow(
    "mfa_verified_factor_exists",
    422,
    "A verified phone factor already exists, unenroll the existing factor to continue",
)
TOO_MANY_FACTORS = ErrorRow(
    "too_many_enrolled_mfa_factors", 422, "Maximum number of verified factors reached, unenroll to continue"
)
FACTOR_NAME_CONFLICT = ErrorRow(
    "mfa_factor_name_conflict", 422, 'A factor with the friendly name "{name}" for this user already exists'
)
FACTOR_NOT_FOUND = ErrorRow("mfa_factor_not_found", 404, "Factor not found")
CHALLENGE_NOT_FOUND = ErrorRow("mfa_factor_not_found", 422, "MFA factor with the provided challenge ID not found")
CHALLENGE_EXPIRED = ErrorRow(
    "mfa_challenge_expired",
    422,
    "MFA challenge {challenge} has expired, verify against another challenge or create a new challenge.",
)
CHALLENGE_ADDRESS_MISMATCH = ErrorRow("mfa_ip_address_mismatch", 422, "Challenge and verify IP addresses mismatch.")
WEBAUTHN_VERIFYING_DISABLED = ErrorRow(
    # The original's slip, which clients see: the code of enrolment.
    "mfa_webauthn_enroll_not_enabled",
    422,
    "MFA verification is disabled for WebAuthn",
)
FACTOR_WRONG_CREDENTIAL = ErrorRow("mfa_verification_failed", 422, "Failed to validate WebAuthn MFA response")
FACTOR_WRONG_CODE = ErrorRow("mfa_verification_failed", 422, "Invalid TOTP code entered")
FACTOR_WRONG_MESSAGE_CODE = ErrorRow("mfa_verification_failed", 422, "Invalid MFA Phone code entered")

# --- passkeys
PASSKEYS_DISABLED = ErrorRow("passkey_disabled", 404, "Passkeys are disabled")
INSUFFICIENT_AAL_PASSKEYS = ErrorRow(
    "insufficient_aal", 403, "AAL2 session is required to manage passkeys when MFA is enabled"
)
TOO_MANY_PASSKEYS = ErrorRow("too_many_passkeys", 422, "Maximum number of passkeys reached")
PASSKEY_CHALLENGE_NOT_FOUND = ErrorRow("webauthn_challenge_not_found", 400, "Challenge not found or already used")
PASSKEY_CHALLENGE_EXPIRED = ErrorRow("webauthn_challenge_expired", 400, "Challenge has expired")
PASSKEY_UNREADABLE = ErrorRow("webauthn_verification_failed", 400, "Invalid credential response")
PASSKEY_REFUSED = ErrorRow("webauthn_verification_failed", 400, "Credential verification failed")
PASSKEY_EXISTS = ErrorRow("webauthn_credential_exists", 422, "This credential is already registered")
PASSKEY_EMAIL_NOT_CONFIRMED = ErrorRow("email_not_confirmed", 403, "Email not confirmed")
PASSKEY_PHONE_NOT_CONFIRMED = ErrorRow("phone_not_confirmed", 403, "Phone not confirmed")

# --- limits
OVER_REQUEST_LIMIT = ErrorRow("over_request_rate_limit", 429, "Request rate limit reached")
MAIL_TOO_SOON = ErrorRow(
    "over_email_send_rate_limit", 429, "For security purposes, you can only request this after {seconds} seconds."
)
MAIL_QUOTA = ErrorRow("over_email_send_rate_limit", 429, "email rate limit exceeded")
SMS_TOO_SOON = ErrorRow(
    "over_sms_send_rate_limit", 429, "For security purposes, you can only request this after {seconds} seconds."
)
SMS_QUOTA = ErrorRow("over_sms_send_rate_limit", 429, "sms rate limit exceeded")

# --- admin
USER_NOT_FOUND = ErrorRow("user_not_found", 404, "User not found")
EMAIL_USER_NOT_FOUND = ErrorRow("user_not_found", 404, "User with this email not found")
PHONE_TAKEN = ErrorRow("phone_exists", 422, "Phone number already registered by another user")

# --- sign-in at a provider
PROVIDER_DISABLED = ErrorRow("validation_failed", 400, "Unsupported provider: {reason}")
TOKEN_PROVIDER_DISABLED = ErrorRow("provider_disabled", 400, 'Provider (issuer "{issuer}") is not enabled')
SAML_DISABLED = ErrorRow("saml_provider_disabled", 404, "SAML 2.0 is disabled")
SCIM_DISABLED = ErrorRow("feature_disabled", 404, "SCIM server is disabled")
SSO_PROVIDER_NOT_FOUND = ErrorRow("sso_provider_not_found", 404, "SSO Identity Provider not found")
CUSTOM_PROVIDERS_DISABLED = ErrorRow("feature_disabled", 404, "Custom OAuth providers are disabled")
CUSTOM_PROVIDER_NOT_FOUND = ErrorRow("custom_provider_not_found", 404, "Custom OAuth provider not found")
CUSTOM_PROVIDER_EXISTS = ErrorRow("conflict", 400, "A custom OAuth provider with this identifier already exists")
TOO_MANY_CUSTOM_PROVIDERS = ErrorRow(
    "over_custom_provider_quota", 400, "Maximum number of custom OAuth/OIDC providers reached"
)
WEB3_DISABLED = ErrorRow("web3_provider_disabled", 422, "Web3 provider is disabled")
# Bodies of these have the form of OAuth: `{"error", "error_description"}`.
OAUTH_INVALID_REQUEST = ErrorRow("invalid request", 400, "{reason}")
OAUTH_INVALID_NONCE = ErrorRow("invalid nonce", 400, "Nonces mismatch")
BAD_OAUTH_STATE = ErrorRow("bad_oauth_state", 400, "{reason}")
BAD_OAUTH_CALLBACK = ErrorRow("bad_oauth_callback", 400, "{reason}")
OAUTH_EXCHANGE_FAILED = ErrorRow("unexpected_failure", 500, "Unable to exchange external code: {code}")
OAUTH_PROFILE_FAILED = ErrorRow("unexpected_failure", 500, "Error getting user profile from external provider")
OAUTH_NO_EMAIL = ErrorRow("unexpected_failure", 500, "Error getting user email from external provider")
OAUTH_PROVIDER_GONE = ErrorRow("oauth_provider_not_supported", 400, "Unsupported provider: {reason}")
PROVIDER_EMAIL_UNVERIFIED = ErrorRow(
    "provider_email_needs_verification",
    422,
    "Unverified email with {provider}. A confirmation email has been sent to your {provider} email",
)

# --- sign-in at other applications
OAUTH_SERVER_DISABLED = ErrorRow("feature_disabled", 404, "OAuth server is disabled")
OAUTH_REGISTRATION_DISABLED = ErrorRow(
    "oauth_dynamic_client_registration_disabled", 403, "Dynamic client registration is not enabled"
)
OAUTH_CLIENT_NOT_FOUND = ErrorRow("oauth_client_not_found", 404, "OAuth client not found")
OAUTH_CLIENT_UNKNOWN = ErrorRow("oauth_client_not_found", 400, "{reason}")
OAUTH_AUTHORIZATION_NOT_FOUND = ErrorRow("oauth_authorization_not_found", 404, "authorization not found")
OAUTH_CONSENT_NOT_FOUND = ErrorRow("oauth_consent_not_found", 404, "No active grant found for this client")
OAUTH_BAD_JSON = ErrorRow("bad_json", 400, "{reason}")
OAUTH_BAD_CLIENT = ErrorRow("invalid_credentials", 400, "{problem}")
OAUTH_NO_ID_TOKEN = ErrorRow("unexpected_failure", 500, "Error generating ID token")
# In the form of OAuth, too.
OAUTH_BAD_REQUEST = ErrorRow("invalid_request", 400, "{reason}")
OAUTH_BAD_GRANT = ErrorRow("invalid_grant", 400, "{reason}")
OAUTH_BAD_GRANT_TYPE = ErrorRow("unsupported_grant_type", 400, "{reason}")
OAUTH_ACCESS_DENIED = ErrorRow("access_denied", 400, "{reason}")
OAUTH_OTHER_CLIENT = ErrorRow("invalid_client", 400, "Client does not match the session's OAuth client")
OAUTH_NO_CLIENT = ErrorRow("invalid_client", 400, "Client authentication required for OAuth session")
OAUTH_NEEDLESS_CLIENT = ErrorRow("invalid_client", 400, "Client authentication not allowed for non-OAuth session")

# What is said of a token that does not hold.
JWT_REASONS: Final[Mapping[Fault, str]] = {
    Fault.PARTS: "token is malformed: token contains an invalid number of segments",
    Fault.CRYPTO: "token is malformed: could not decode header",
    Fault.CLAIMS: "token is malformed: could not JSON decode claim",
    Fault.NO_KEY: "token signature is invalid: signature is invalid",
    Fault.ALGORITHM: "token signature is invalid: signing method none is invalid",
    Fault.EXPIRED: "token has invalid claims: token is expired",
    Fault.NOT_YET: "token has invalid claims: token is not valid yet",
    Fault.FUTURE: "token has invalid claims: token used before issued",
}

OAUTH_FORM: Final = frozenset(
    {
        OAUTH_INVALID_REQUEST, OAUTH_INVALID_NONCE, OAUTH_BAD_REQUEST, OAUTH_BAD_GRANT, OAUTH_BAD_GRANT_TYPE,
        OAUTH_ACCESS_DENIED, OAUTH_OTHER_CLIENT, OAUTH_NO_CLIENT, OAUTH_NEEDLESS_CLIENT,
    }
)  # fmt: skip

# --- raised nowhere here; kept so that no other meaning is ever given to them
RESERVED_CODES: Final = (
    "email_address_not_authorized",
    "email_address_invalid",
    "flow_state_already_used",
    "invite_not_found",
    "oauth_client_state_not_found",
    "oauth_client_state_expired",
    "oauth_invalid_state",
    "saml_relay_state_not_found",
    "saml_relay_state_expired",
    "saml_idp_not_found",
    "saml_assertion_no_user_id",
    "saml_assertion_no_email",
    "saml_metadata_fetch_failed",
    "saml_idp_already_exists",
    "saml_entity_id_mismatch",
    "sso_provider_disabled",
    "sso_domain_already_exists",
    "web3_unsupported_chain",
    "email_address_not_provided",
    "webauthn_credential_not_found",
)


def is_dated(version: bytes | None) -> bool:
    """Whether the client's API version asks for the newer body.

    >>> is_dated(b"2024-01-01"), is_dated(b"2023-12-31"), is_dated(b"yesterday"), is_dated(None)
    (True, False, False, False)
    """
    if version is None:
        return False
    text = version.decode("latin-1").strip()
    parts = text.split("-")
    if len(text) != 10 or [len(part) for part in parts] != [4, 2, 2] or not all(part.isdigit() for part in parts):
        return False
    return text >= API_VERSION


def weak_password(reasons: tuple[str, ...], messages: tuple[str, ...]) -> ApiError:
    """The error for a password that breaks the rules; `reasons` are length, characters or pwned."""
    return ApiError(WEAK_PASSWORD, reason=" ".join(messages), details={"weak_password": {"reasons": list(reasons)}})


def invalid(reason: str) -> ApiError:
    """400 `validation_failed` with its reason."""
    return ApiError(VALIDATION_FAILED, reason=reason)


def render_error(error: ApiError, dated: bool, request_id: str = "") -> Response:
    """An error as the client's API version wants it."""
    body: dict[str, Any]
    if error.row in OAUTH_FORM:
        content = orjson.dumps({"error": error.code, "error_description": error.message})
        return Response(error.status, [(b"content-type", b"application/json")], content)
    if dated:
        body = {"code": error.code, "message": error.message}
    else:
        body = {"code": error.status, "error_code": error.code, "msg": error.message}
        if error.status >= 500 and request_id:
            body["error_id"] = request_id
    if isinstance(error.details, dict):
        body.update(error.details)
    headers: HeaderList = [
        (b"content-type", b"application/json"),
        (b"x-sb-error-code", error.code.encode()),
        *error.headers,
    ]
    if dated:
        headers.append((b"x-supabase-api-version", API_VERSION.encode()))
    return Response(error.status, headers, orjson.dumps(body))


def render_words(status: int, body: Mapping[str, str], code: str) -> Response:
    """The database's own words, as clients of the older API version get them."""
    headers: HeaderList = [(b"content-type", b"application/json"), (b"x-sb-error-code", code.encode())]
    return Response(status, headers, orjson.dumps(dict(body)))
