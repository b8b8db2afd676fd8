"""Settings of an original installation, carried over as they are: what its clients and admins then find.

`DEFAULTS` takes back what is stricter here by default; docs/sign-in.md lists the same.
"""

from __future__ import annotations

import json
import os
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from supabase_auth import SyncGoTrueClient

from gateway.identity.keyring import new_signing_key
from tests.fixtures.db import Server, clone
from tests.fixtures.server import LiveGateway, start_gateway

SECRET = "37c304f8-51aa-419a-a1af-06154e63707a"
SIGNING = {**new_signing_key("RS256"), "key_ops": ["sign", "verify"]}
SETTINGS = {
    "GOTRUE_JWT_SECRET": SECRET,
    "GOTRUE_JWT_KEYS": json.dumps([SIGNING]),
    "GOTRUE_JWT_EXP": "3600",
    "GOTRUE_DB_DRIVER": "postgres",
    "DB_NAMESPACE": "auth",
    "GOTRUE_SITE_URL": "http://localhost:9998",
    "GOTRUE_URI_ALLOW_LIST": "https://docs.example.com/**",
    "GOTRUE_DISABLE_SIGNUP": "false",
    "GOTRUE_MAILER_AUTOCONFIRM": "true",
    "GOTRUE_EXTERNAL_PHONE_ENABLED": "true",
    "GOTRUE_SMS_AUTOCONFIRM": "true",
    "GOTRUE_SMS_PROVIDER": "twilio",
    "GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED": "true",
    "GOTRUE_EXTERNAL_GOOGLE_ENABLED": "true",
    "GOTRUE_EXTERNAL_GOOGLE_CLIENT_ID": "client.apps.googleusercontent.com",
    "GOTRUE_EXTERNAL_GOOGLE_SECRET": "secret",
    "GOTRUE_EXTERNAL_GOOGLE_REDIRECT_URI": "http://localhost:9998/callback",
    "GOTRUE_SECURITY_MANUAL_LINKING_ENABLED": "true",
    "GOTRUE_LOG_LEVEL": "DEBUG",
    "GOTRUE_OPERATOR_TOKEN": "super-secret-operator-token",
    "GOTRUE_COOKIE_KEY": "sb",
    "GOTRUE_MAILER_URLPATHS_CONFIRMATION": "/verify",
    "GOTRUE_MAILER_SUBJECTS_CONFIRMATION": "Please confirm",
    "AUTH_PREFIX": "",
}
DEFAULTS = {
    "GOTRUE_PASSWORD_MIN_LENGTH": "6",
    "GATEWAY_AUTH_REFUSE_COMMON_PASSWORDS": "false",
    "GATEWAY_AUTH_ADDRESS_LIMITS": "false",
    "GATEWAY_AUTH_ACCOUNT_LIMITS": "false",
    "GATEWAY_AUTH_REVEAL_BANS": "true",
    "GATEWAY_AUTH_PLAIN_TOKENS": "true",
    "GOTRUE_SESSIONS_TIMEBOX": "0",
    "GOTRUE_SESSIONS_INACTIVITY_TIMEOUT": "0",
    "GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION": "1",
    "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION": "false",
}


@pytest.fixture(scope="module")
def original(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveGateway]:
    name = f"auth_carried_{os.getpid()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    gateway = start_gateway(server.database(name), tmp_path_factory.mktemp("carried"), extra={**SETTINGS, **DEFAULTS})
    yield gateway
    gateway.stop()
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')


def client(gateway: LiveGateway, token: str = "") -> SyncGoTrueClient:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return SyncGoTrueClient(url=gateway.url, headers=headers, auto_refresh_token=False)


def admin_token(**claims: Any) -> str:
    return jwt.encode({"role": "service_role", **claims}, SECRET, algorithm="HS256")


def new_email() -> str:
    return f"{uuid.uuid4()}@example.com"


def test_bare_paths_need_no_api_key(original: LiveGateway) -> None:
    with client(original) as someone:
        answer = someone.sign_up({"email": new_email(), "password": "abc123"})
        assert answer.session is not None
        assert re.fullmatch("[a-z0-9]{12}", answer.session.refresh_token)
        refreshed = someone.refresh_session().session
        assert refreshed is not None and refreshed.refresh_token != answer.session.refresh_token
        assert jwt.get_unverified_header(answer.session.access_token)["kid"] == SIGNING["kid"]
        claims = someone.get_claims()
        assert claims is not None and dict(claims["claims"])["iss"] == original.url


@pytest.mark.parametrize("claims", [{}, {"sub": "1234567890", "role": "supabase_admin"}], ids=["service_role", "admin"])
def test_admin_token_signed_with_the_secret_administers(original: LiveGateway, claims: dict[str, Any]) -> None:
    with client(original, admin_token(**claims)) as someone:
        email = new_email()
        user = someone.admin.create_user({"email": email, "phone": None, "password": "abc123"}).user  # type: ignore[typeddict-item]
        assert someone.admin.get_user_by_id(user.id).user.email == email
        link = someone.admin.generate_link(
            {"type": "magiclink", "email": email, "options": {"redirect_to": "https://docs.example.com/in"}}
        )
        assert link.properties.redirect_to == "https://docs.example.com/in"
        assert link.properties.action_link.startswith(f"{original.url}/verify?")
        refused = someone.admin.generate_link(
            {"type": "recovery", "email": email, "options": {"redirect_to": "https://evil.example/"}}
        )
        assert refused.properties.redirect_to == "http://localhost:9998"
        someone.admin.delete_user(user.id)
        someone.admin.close()


def test_number_signs_up_at_once_and_taken_ones_are_told(original: LiveGateway) -> None:
    body = {"phone": "+15085550142", "password": "abc123"}
    first = httpx.post(f"{original.url}/signup", json=body)
    assert (first.status_code, first.json()["user"]["phone"]) == (200, "15085550142")
    again = httpx.post(f"{original.url}/signup", json=body)
    assert (again.status_code, again.json()["error_code"]) == (422, "user_already_exists")
    otp = httpx.post(f"{original.url}/otp", json={"phone": "+15085550142"})
    assert (otp.status_code, otp.json()["error_code"]) == (422, "sms_send_failed")


def test_provider_is_offered_at_its_configured_address(original: LiveGateway) -> None:
    settings = httpx.get(f"{original.url}/settings").json()
    assert settings["external"]["google"] is True and settings["mailer_autoconfirm"] is True
    gone = httpx.get(f"{original.url}/authorize?provider=google")
    assert gone.status_code == 302
    assert "redirect_uri=http%3A%2F%2Flocalhost%3A9998%2Fcallback" in gone.headers["location"]


def test_the_documents_list_these_defaults() -> None:
    page = (Path(__file__).parents[3] / "docs" / "sign-in.md").read_text()
    assert [f"{name}={value}" for name, value in DEFAULTS.items() if f"`{name}={value}`" not in page] == []


def test_ban_is_told_and_wrong_passwords_are_not_counted(original: LiveGateway) -> None:
    body = {"email": new_email(), "password": "abc123"}
    user = httpx.post(f"{original.url}/signup", json=body).json()["user"]
    for _ in range(12):
        wrong = httpx.post(f"{original.url}/token?grant_type=password", json={**body, "password": "wrong"})
        assert (wrong.status_code, wrong.json()["error_code"]) == (400, "invalid_credentials")
    headers = {"authorization": f"Bearer {admin_token()}"}
    httpx.put(f"{original.url}/admin/users/{user['id']}", json={"ban_duration": "1h"}, headers=headers)
    banned = httpx.post(f"{original.url}/token?grant_type=password", json={**body, "password": "wrong"})
    assert (banned.status_code, banned.json()["error_code"]) == (400, "user_banned")
