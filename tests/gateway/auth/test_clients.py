"""The official clients drive every auth method against a live gateway: JavaScript in Node and as in a browser, Python.

Needs Node and the packages of supabase-compat (`npm ci` there).
"""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pyotp
import pytest
from supabase_auth import SyncGoTrueAdminAPI, SyncGoTrueClient
from supabase_auth.errors import AuthApiError, AuthWeakPasswordError

from gateway.db import SyncConnection
from tests.fixtures.db import Server
from tests.fixtures.server import LiveGateway, start_gateway

SCRIPT = Path(__file__).parent / "js" / "auth.test.mjs"
PASSWORD = "tin-lantern-42-river"
# Many people at one address, and mails faster than anybody reads them.
SETTINGS = {
    "GOTRUE_DISABLE_SIGNUP": "false",
    "GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED": "true",
    "GOTRUE_SECURITY_MANUAL_LINKING_ENABLED": "true",
    "GOTRUE_RATE_LIMIT_EMAIL_SENT": "10000",
    "GOTRUE_SMTP_MAX_FREQUENCY": "0s",
    "GATEWAY_AUTH_ADDRESS_LIMITS": "false",
}


@pytest.fixture(scope="module")
def live(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveGateway]:
    """A gateway for the module's clients."""
    name = f"auth_clients_{os.getpid()}"
    with server.admin() as admin:
        admin.script(f'create database "{name}" template "{template}"')
    gateway = start_gateway(server.database(name), tmp_path_factory.mktemp("clients"), extra=SETTINGS)
    yield gateway
    gateway.stop()
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')


@pytest.mark.parametrize("surroundings", ["node", "browser"])
def test_javascript_client_drives_every_method(live: LiveGateway, surroundings: str) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "GATEWAY_URL": live.url,
        "GATEWAY_PUBLISHABLE": live.publishable_key,
        "GATEWAY_SECRET": live.secret_key,
        "SURROUNDINGS": surroundings,
    }
    done = subprocess.run(
        ["node", "--test", "--test-reporter=tap", str(SCRIPT)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


# --- Python -----------------------------------------------------------------------------------------------------------


Opener = Callable[..., SyncGoTrueClient]


@pytest.fixture
def open_client(live: LiveGateway) -> Iterator[Opener]:
    """Makes clients, with the publishable key unless another is given; all are closed after the test."""
    opened: list[SyncGoTrueClient] = []

    def make(key: str = "", flow: Literal["pkce", "implicit"] = "implicit") -> SyncGoTrueClient:
        key = key or live.publishable_key
        headers = {"apikey": key, "Authorization": f"Bearer {key}"}
        made = SyncGoTrueClient(url=f"{live.url}/auth/v1", headers=headers, auto_refresh_token=False, flow_type=flow)
        opened.append(made)
        return made

    yield make
    for each in opened:
        each.close()
        each.admin.close()


@pytest.fixture
def admin(live: LiveGateway, open_client: Opener) -> SyncGoTrueAdminAPI:
    return open_client(live.secret_key).admin


def new_email() -> str:
    return f"{uuid.uuid4()}@example.com"


@pytest.fixture
def email(admin: SyncGoTrueAdminAPI) -> str:
    """Address of a confirmed account."""
    address = new_email()
    admin.create_user({"email": address, "password": PASSWORD, "email_confirm": True})
    return address


@pytest.fixture
def signed_in(open_client: Opener, email: str) -> SyncGoTrueClient:
    someone = open_client()
    someone.sign_in_with_password({"email": email, "password": PASSWORD})
    return someone


def test_python_session_through_its_life(open_client: Opener, email: str) -> None:
    someone = open_client()
    events: list[str] = []
    someone.on_auth_state_change(lambda event, session: events.append(event))
    session = someone.sign_in_with_password({"email": email, "password": PASSWORD}).session
    assert session is not None
    found = someone.get_user()
    assert found is not None and found.user.email == email
    claims = someone.get_claims()
    assert claims is not None and dict(claims["claims"])["email"] == email
    refreshed = someone.refresh_session()
    assert refreshed.session is not None and refreshed.session.refresh_token != session.refresh_token
    updated = someone.update_user({"data": {"name": "Ada"}})
    assert updated.user.user_metadata["name"] == "Ada"
    someone.sign_out()
    assert someone.get_session() is None
    assert events == ["SIGNED_IN", "TOKEN_REFRESHED", "USER_UPDATED", "SIGNED_OUT"]


def test_python_session_is_taken_over(open_client: Opener, signed_in: SyncGoTrueClient, email: str) -> None:
    session = signed_in.get_session()
    assert session is not None
    taken = open_client().set_session(session.access_token, session.refresh_token)
    assert taken.user is not None and taken.user.email == email


@pytest.mark.parametrize(
    ("password", "kind", "code"),
    [("wrong", AuthApiError, "invalid_credentials"), ("", AuthApiError, "invalid_credentials")],
)
def test_python_sign_in_fails_with_its_code(
    open_client: Opener, email: str, password: str, kind: type[AuthApiError], code: str
) -> None:
    with pytest.raises(kind) as refused:
        open_client().sign_in_with_password({"email": email, "password": password or "x"})
    assert (refused.value.status, refused.value.code) == (400, code)


def test_python_sign_up_and_weak_password(open_client: Opener) -> None:
    answer = open_client().sign_up({"email": new_email(), "password": PASSWORD, "options": {"data": {"a": 1}}})
    assert answer.session is None and answer.user is not None
    with pytest.raises(AuthWeakPasswordError) as weak:
        open_client().sign_up({"email": new_email(), "password": "short"})
    assert weak.value.reasons == ["length"]


def test_python_anonymous_sign_in(open_client: Opener) -> None:
    answer = open_client().sign_in_anonymously()
    assert answer.user is not None and answer.user.is_anonymous


def test_python_codes_links_and_mails(
    live: LiveGateway, open_client: Opener, admin: SyncGoTrueAdminAPI, email: str
) -> None:
    someone = open_client()
    someone.reset_password_for_email(email)
    someone.sign_in_with_otp({"email": email})
    someone.resend({"type": "signup", "email": new_email()})
    with SyncConnection(live.database_url) as connection:
        kinds = connection.rows(
            "select args -> 'mail' ->> 'kind' from jobs.procrastinate_jobs where args -> 'mail' -> 'to' ->> 0 = $1"
            " order by id",
            email,
        )
    assert kinds == [("auth.recovery",), ("auth.magic_link",)]
    link = admin.generate_link({"type": "magiclink", "email": email})
    answer = open_client().verify_otp({"type": "email", "email": email, "token": link.properties.email_otp})
    assert answer.session is not None
    link = admin.generate_link({"type": "recovery", "email": email})
    answer = open_client().verify_otp({"type": "recovery", "token_hash": link.properties.hashed_token})
    assert answer.session is not None


def test_python_reauthentication_and_password(signed_in: SyncGoTrueClient) -> None:
    signed_in.reauthenticate()
    with pytest.raises(AuthApiError) as refused:
        signed_in.update_user({"password": "another-lantern-5", "nonce": "000000"})
    assert refused.value.code == "reauthentication_not_valid"
    signed_in.update_user({"password": "another-lantern-5"})


def test_python_second_factor(signed_in: SyncGoTrueClient) -> None:
    factor = signed_in.mfa.enroll({"factor_type": "totp", "friendly_name": "phone", "issuer": "umw"})
    assert factor.totp is not None
    code = pyotp.TOTP(factor.totp.secret).now()
    verified = signed_in.mfa.challenge_and_verify({"factor_id": factor.id, "code": code})
    assert verified.user.factors is not None and verified.user.factors[0].status == "verified"
    assert signed_in.mfa.get_authenticator_assurance_level().current_level == "aal2"
    assert [each.id for each in signed_in.mfa.list_factors().totp] == [factor.id]
    assert signed_in.mfa.unenroll({"factor_id": factor.id}).id == factor.id


def test_python_identities(signed_in: SyncGoTrueClient) -> None:
    (identity,) = signed_in.get_user_identities().identities
    with pytest.raises(AuthApiError) as refused:
        signed_in.unlink_identity(identity)
    assert refused.value.code == "single_identity_not_deletable"


def test_python_administration(open_client: Opener, admin: SyncGoTrueAdminAPI) -> None:
    address = new_email()
    user = admin.create_user({"email": address, "password": PASSWORD, "app_metadata": {"team": "blue"}}).user
    assert admin.get_user_by_id(user.id).user.app_metadata["team"] == "blue"
    changed = admin.update_user_by_id(user.id, {"user_metadata": {"n": 1}, "email_confirm": True, "ban_duration": "1h"})
    assert changed.user.banned_until is not None
    assert len(admin.list_users(page=1, per_page=1)) == 1
    assert admin.invite_user_by_email(new_email()).user.invited_at is not None
    assert admin.mfa.list_factors({"user_id": user.id}) is not None
    admin.delete_user(user.id)
    with pytest.raises(AuthApiError) as gone:
        admin.get_user_by_id(user.id)
    assert (gone.value.status, gone.value.code) == (404, "user_not_found")
    with pytest.raises(AuthApiError) as refused:
        open_client().admin.list_users()
    assert refused.value.code == "not_admin"


def test_python_code_challenge(open_client: Opener, email: str) -> None:
    someone = open_client(flow="pkce")
    someone.reset_password_for_email(email)
    with pytest.raises(AuthApiError) as refused:
        someone.exchange_code_for_session(
            {"auth_code": str(uuid.uuid4()), "code_verifier": "x" * 43, "redirect_to": ""}
        )
    assert refused.value.code == "flow_state_not_found"
