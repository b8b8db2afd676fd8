"""Refusals word for word: clients show these messages, and people search for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import PASSWORD, Auth

NOBODY = "4f9c0f2e-5d0f-4b0e-9f11-0b8b7d1e2a3c"
OPEN = {"disable_signup": False, "auth_address_limits": False, "smtp_max_frequency": 0.0}
EMAIL, PHONE = "new@example.com", "15085550100"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


@dataclass(frozen=True)
class Case:
    """One request, who asks (`as_`: nobody, a user or an admin), and what is said."""

    request: str
    body: dict[str, Any] | None
    status: int
    code: str
    message: str
    as_: str = "nobody"
    settings: dict[str, Any] = field(default_factory=dict)


def _invalid(request: str, body: dict[str, Any] | None, message: str, **more: Any) -> Case:
    return Case(request, body, more.pop("status", 400), "validation_failed", message, **more)


SIGN_UP = {"email": EMAIL, "password": PASSWORD}
CASES = {
    "sign-up by address and number": _invalid(
        "POST /signup",
        {**SIGN_UP, "phone": PHONE},
        "Only an email address or phone number should be provided on signup.",
    ),
    "sign-up by number with a challenge": _invalid(
        "POST /signup",
        {"phone": PHONE, "password": PASSWORD, "code_challenge": CHALLENGE, "code_challenge_method": "s256"},
        "PKCE not supported for phone signups",
    ),
    "sign-up by carrier pigeon": _invalid(
        "POST /signup",
        {"phone": PHONE, "password": PASSWORD, "channel": "pigeon"},
        "Invalid channel, supported values are 'sms' or 'whatsapp'",
    ),
    "challenge without a method": _invalid(
        "POST /signup",
        {**SIGN_UP, "code_challenge": CHALLENGE},
        "PKCE flow requires code_challenge_method and code_challenge",
    ),
    "short challenge": _invalid(
        "POST /signup",
        {**SIGN_UP, "code_challenge": "x", "code_challenge_method": "s256"},
        "code challenge has to be between 43 and 128 characters",
    ),
    "challenge of other characters": _invalid(
        "POST /signup",
        {**SIGN_UP, "code_challenge": "é" * 50, "code_challenge_method": "s256"},
        "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes",
    ),
    "ill-formed address": _invalid(
        "POST /signup", {**SIGN_UP, "email": "new"}, "Unable to validate email address: invalid format"
    ),
    "long address": _invalid(
        "POST /signup", {**SIGN_UP, "email": "a" * 250 + "@example.com"}, "An email address is too long"
    ),
    "ill-formed number": _invalid(
        "POST /signup",
        {"phone": "0", "password": PASSWORD},
        "Invalid phone number format (E.164 required)",
        settings={"phone_enabled": True},
    ),
    "sign-in of what is no address": Case(
        "POST /token?grant_type=password",
        {"email": "new", "password": PASSWORD},
        400,
        "invalid_credentials",
        "Invalid login credentials",
    ),
    "sign-in of what is no number": Case(
        "POST /token?grant_type=password",
        {"phone": "new", "password": PASSWORD},
        400,
        "invalid_credentials",
        "Invalid login credentials",
        settings={"phone_enabled": True},
    ),
    "code by mail with a channel": _invalid(
        "POST /otp", {"email": EMAIL, "channel": "sms"}, "Channel should only be specified with Phone OTP"
    ),
    "code for nobody": _invalid("POST /otp", {}, "One of email or phone must be set"),
    "code by message where there are none": Case(
        "POST /otp", {"phone": PHONE}, 400, "phone_provider_disabled", "Unsupported phone provider"
    ),
    "link where mail is off": Case(
        "POST /otp",
        {"email": EMAIL},
        422,
        "email_provider_disabled",
        "Email logins are disabled",
        settings={"email_enabled": False},
    ),
    "link where links are off": Case(
        "POST /otp",
        {"email": EMAIL},
        422,
        "email_provider_disabled",
        "Login with magic link is disabled",
        settings={"magic_links_enabled": False},
    ),
    "link for nobody": _invalid("POST /magiclink", {}, "Password recovery requires an email", status=422),
    "recovery for nobody": _invalid("POST /recover", {}, "Password recovery requires an email"),
    "recovery where mail is off": Case(
        "POST /recover",
        {"email": EMAIL},
        400,
        "email_provider_disabled",
        "Email logins are disabled",
        settings={"email_enabled": False},
    ),
    "once more, what": _invalid(
        "POST /resend", {"email": EMAIL}, "Missing one of these types: signup, email_change, sms, phone_change"
    ),
    "once more without an address": _invalid(
        "POST /resend", {"type": "signup"}, "Type provided requires an email address"
    ),
    "once more without a number": _invalid("POST /resend", {"type": "sms"}, "Type provided requires a phone number"),
    "once more to two": _invalid(
        "POST /resend",
        {"type": "sms", "phone": PHONE, "email": EMAIL},
        "Only an email address or phone number should be provided.",
    ),
    "once more to nobody": _invalid("POST /resend", {"type": "email_change"}, "Missing email address or phone number"),
    "once more where messages are off": Case(
        "POST /resend",
        {"type": "sms", "phone": PHONE},
        400,
        "phone_provider_disabled",
        "Phone logins are disabled",
    ),
    "once more where mail is off": Case(
        "POST /resend",
        {"type": "signup", "email": EMAIL},
        400,
        "email_provider_disabled",
        "Email logins are disabled",
        settings={"email_enabled": False},
    ),
    "verify what": _invalid("POST /verify", {"token": "1"}, "Verify requires a verification type"),
    "verify nothing": _invalid("POST /verify", {"type": "signup"}, "Verify requires either a token or a token hash"),
    "verify for two": _invalid(
        "POST /verify",
        {"type": "sms", "token": "1", "phone": PHONE, "email": EMAIL},
        "Only an email address or phone number should be provided on verify",
    ),
    "verify for what is no address": _invalid(
        "POST /verify", {"type": "email", "token": "123456", "email": "new"}, "Invalid email format", status=422
    ),
    "verify a hash and an address": _invalid(
        "POST /verify",
        {"type": "email", "token_hash": "x", "email": EMAIL},
        "Only the token_hash and type should be provided",
    ),
    "verify a hash and lead on": _invalid(
        "POST /verify",
        {"type": "email", "token_hash": "x", "redirect_to": "https://app.example.com"},
        "Only the token_hash and type should be provided",
    ),
    "verify a hash of no mail": _invalid(
        "POST /verify", {"type": "sms", "token_hash": "x"}, "Invalid email verification type"
    ),
    "verify a code of an unknown type": Case(
        "POST /verify",
        {"type": "letter", "token": "123456", "email": EMAIL},
        403,
        "otp_expired",
        "Token has expired or is invalid",
    ),
    "verify a hash that nobody has": Case(
        "POST /verify",
        {"type": "email", "token_hash": "x"},
        403,
        "otp_expired",
        "Email link is invalid or has expired",
    ),
    "follow a link to nothing": _invalid("GET /verify?type=signup", None, "Verify requires a token or a token hash"),
    "empty password": Case(
        "PUT /user",
        {"password": ""},
        422,
        "weak_password",
        "Password should be at least 8 characters.",
        as_="user",
        settings={"auth_refuse_common_passwords": False},
    ),
    "number with a channel of its own": _invalid(
        "PUT /user",
        {"phone": PHONE, "channel": "pigeon"},
        "Invalid channel, supported values are 'sms' or 'whatsapp'",
        as_="user",
    ),
    "taken address before the password is looked at": Case(
        "PUT /user",
        {"email": "taken@example.com", "password": "another-lantern-5", "current_password": "wrong"},
        422,
        "email_exists",
        "A user with this email address has already been registered",
        as_="user",
    ),
    "factor that is no id": _invalid(
        "DELETE /factors/seven", None, "factor_id must be an UUID", status=404, as_="user"
    ),
    "factor that nobody has": Case(
        f"DELETE /factors/{NOBODY}", None, 404, "mfa_factor_not_found", "Factor not found", as_="user"
    ),
    "identity that is no id": _invalid(
        "DELETE /user/identities/seven",
        None,
        "identity_id must be an UUID",
        status=404,
        as_="user",
        settings={"manual_linking_enabled": True},
    ),
    "the only identity": Case(
        f"DELETE /user/identities/{NOBODY}",
        None,
        422,
        "single_identity_not_deletable",
        "User must have at least 1 identity after unlinking",
        as_="user",
        settings={"manual_linking_enabled": True},
    ),
    "invitation for nobody": _invalid("POST /invite", {}, "An email address is required", as_="admin"),
    "user without a name": _invalid(
        "POST /admin/users", {}, "Cannot create a user without either an email or phone", as_="admin"
    ),
    "user without an id": _invalid(
        "POST /admin/users", {"email": EMAIL, "id": "x"}, "ID must conform to the uuid v4 format", as_="admin"
    ),
    "user with nobody's id": _invalid(
        "POST /admin/users",
        {"email": EMAIL, "id": "00000000-0000-0000-0000-000000000000"},
        "ID cannot be a nil uuid",
        as_="admin",
    ),
    "user with a taken number": Case(
        "POST /admin/users",
        {"phone": "15085550199"},
        422,
        "phone_exists",
        "Phone number already registered by another user",
        as_="admin",
    ),
    "user with two passwords": _invalid(
        "POST /admin/users",
        {"email": EMAIL, "password": PASSWORD, "password_hash": "x"},
        "Only a password or a password hash should be provided",
        as_="admin",
    ),
    "page of nothing": _invalid(
        "GET /admin/users?per_page=0",
        None,
        "Bad Pagination Parameters: per_page must be greater than 0",
        as_="admin",
    ),
    "users by name": _invalid(
        "GET /admin/users?sort=email", None, "Bad Sort Parameters: bad field for sort 'email'", as_="admin"
    ),
    "users in no direction": _invalid(
        "GET /admin/users?sort=created_at%20up",
        None,
        "Bad Sort Parameters: bad direction for sort 'up', only 'asc' and 'desc' allowed",
        as_="admin",
    ),
    "audit log by colour": _invalid(
        "GET /admin/audit?query=colour:red", None, "Invalid query scope: colour:red", as_="admin"
    ),
    "link of no kind": _invalid(
        "POST /admin/generate_link",
        {"type": "letter", "email": EMAIL},
        "Invalid email action link type requested: letter",
        as_="admin",
    ),
    "link for nobody's password": Case(
        "POST /admin/generate_link",
        {"type": "recovery", "email": EMAIL},
        404,
        "user_not_found",
        "User with this email not found",
        as_="admin",
    ),
    "link to an address that is not asked": _invalid(
        "POST /admin/generate_link",
        {"type": "email_change_current", "email": "taken@example.com", "new_email": EMAIL},
        "Enable secure email change to generate link for current email",
        as_="admin",
        settings={"mailer_secure_email_change": False},
    ),
}


@pytest.mark.parametrize("title", CASES)
def test_refusal_has_its_status_code_and_words(with_auth: WithAuth, title: str) -> None:
    case = CASES[title]

    async def scenario(auth: Auth) -> None:
        await auth.create("taken@example.com", phone="15085550199")
        method, path = case.request.split(" ")
        token = auth.keys.secret_key if case.as_ == "admin" else None
        if case.as_ == "user":
            await auth.create()
            token = (await auth.sign_in())["access_token"]
        answer = await auth.call(method, path, case.body, token=token)
        said = {key: answer.body[key] for key in ("code", "message")}
        assert (answer.status, said) == (case.status, {"code": case.code, "message": case.message})

    with_auth(scenario, **{**OPEN, **case.settings})
