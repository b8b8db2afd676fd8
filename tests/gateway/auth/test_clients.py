"""The official clients drive every auth method against a live gateway: JavaScript in Node and as in a browser, Python.

One test a method, named by it. Needs Node and the packages of supabase-compat (`npm ci` there).
"""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

import httpx
import pyotp
import pytest
from supabase_auth import SyncGoTrueAdminAPI, SyncGoTrueClient
from supabase_auth.errors import AuthApiError, AuthSessionMissingError, AuthWeakPasswordError
from supabase_auth.types import AuthMFAEnrollResponse, Session

from gateway.database import SyncConnection
from tests import parity
from tests.fixtures.db import Server, clone
from tests.fixtures.server import LiveGateway, start_gateway
from tests.gateway.auth.local import local_server
from tests.gateway.auth.provider import Provider
from tests.gateway.auth.service import opened

SCRIPT = Path(__file__).parent / "js" / "auth.test.mjs"
PASSWORD = "tin-lantern-42-river"
APP = "https://app.example.com/in"
# Numbers with a fixed code, for each of the surroundings.
PHONES = {name: [f"150855501{row}{n}" for n in range(5)] for row, name in enumerate(("node", "browser", "python"))}
# Many people at one address, and messages faster than anybody reads them.
SETTINGS = {
    "GOTRUE_DISABLE_SIGNUP": "false",
    "GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED": "true",
    "GOTRUE_EXTERNAL_PHONE_ENABLED": "true",
    "GOTRUE_SMS_TEST_OTP": ",".join(f"{phone}:123456" for phones in PHONES.values() for phone in phones),
    "GOTRUE_SMS_MAX_FREQUENCY": "0s",
    "GOTRUE_RATE_LIMIT_SMS_SENT": "10000",
    "GOTRUE_SECURITY_MANUAL_LINKING_ENABLED": "true",
    "GOTRUE_RATE_LIMIT_EMAIL_SENT": "10000",
    "GOTRUE_SMTP_MAX_FREQUENCY": "0s",
    "GOTRUE_URI_ALLOW_LIST": "https://app.example.com/**",
    "GOTRUE_EXTERNAL_KEYCLOAK_ENABLED": "true",
    "GOTRUE_EXTERNAL_KEYCLOAK_CLIENT_ID": "client-1",
    "GOTRUE_EXTERNAL_KEYCLOAK_SECRET": "secret-1",
    "GATEWAY_AUTH_ADDRESS_LIMITS": "false",
}
JAVASCRIPT: Final = (
    *("signUp", "signInAnonymously", "signInWithPassword", "signInWithOtp", "verifyOtp", "signInWithOAuth"),
    *("exchangeCodeForSession", "signInWithIdToken", "signInWithSSO", "signInWithWeb3", "initialize", "getSession"),
    *("setSession", "refreshSession", "getUser", "getClaims", "onAuthStateChange", "startAutoRefresh"),
    *("stopAutoRefresh", "signOut", "updateUser", "resetPasswordForEmail", "reauthenticate", "resend"),
    *("getUserIdentities", "linkIdentity", "unlinkIdentity"),
    *("mfa.enroll", "mfa.challenge", "mfa.verify", "mfa.challengeAndVerify", "mfa.getAuthenticatorAssuranceLevel"),
    *("mfa.listFactors", "mfa.unenroll"),
    *("admin.createUser", "admin.getUserById", "admin.listUsers", "admin.updateUserById", "admin.deleteUser"),
    *("admin.inviteUserByEmail", "admin.generateLink", "admin.signOut"),
    *("admin.mfa.listFactors", "admin.mfa.deleteFactor"),
)


@dataclass(frozen=True)
class World:
    """A gateway and the provider that it knows."""

    gateway: LiveGateway
    provider: Provider


@pytest.fixture(scope="module")
def world(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A gateway for the module's clients."""
    name = f"auth_clients_{os.getpid()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    provider = Provider()
    with local_server(provider.answer) as local:
        provider.url = local.url
        settings = {**SETTINGS, "GOTRUE_EXTERNAL_KEYCLOAK_URL": local.url}
        gateway = start_gateway(server.database(name), tmp_path_factory.mktemp("clients"), extra=settings)
        yield World(gateway, provider)
        gateway.stop()
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')


# --- JavaScript -------------------------------------------------------------------------------------------------------


@dataclass
class Suites:
    """Reports of the script, which is run once in each of the surroundings."""

    world: World
    done: dict[str, dict[str, ElementTree.Element]] = field(default_factory=dict)
    calls: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def of(self, surroundings: str) -> dict[str, ElementTree.Element]:
        if surroundings not in self.done:
            self.done[surroundings] = self._run(surroundings)
        return self.done[surroundings]

    def _run(self, surroundings: str) -> dict[str, ElementTree.Element]:
        gateway = self.world.gateway
        environment = {
            "PATH": os.environ["PATH"],
            **parity.environment(),
            "GATEWAY_URL": gateway.url,
            "GATEWAY_PUBLISHABLE": gateway.publishable_key,
            "GATEWAY_SECRET": gateway.secret_key,
            "PROVIDER_URL": self.world.provider.url,
            "PHONES": ",".join(PHONES[surroundings]),
            "SURROUNDINGS": surroundings,
        }
        command = ["node", "--test", "--test-reporter=junit", str(SCRIPT)]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert ran.stdout.lstrip().startswith("<?xml"), ran.stdout + ran.stderr
        self.calls[surroundings] = parity.javascript_calls()
        return {suite.attrib["name"]: suite for suite in ElementTree.fromstring(ran.stdout.strip()).iter("testsuite")}


@pytest.fixture(scope="module")
def suites(world: World) -> Suites:
    return Suites(world)


@pytest.mark.parametrize("suite", ["every method", *(f"auth.{name}" for name in JAVASCRIPT)])
@pytest.mark.parametrize("surroundings", ["node", "browser"])
def test_javascript(suites: Suites, surroundings: str, suite: str) -> None:
    report = suites.of(surroundings)[suite]
    cases = list(report.iter("testcase"))
    ran = [case for case in cases if case.find("skipped") is None]
    failures = [f"{case.attrib['name']}: {found.text}" for case in cases for found in case.iter("failure")]
    assert ran, f"nothing ran for {suite}"
    assert not failures, "\n".join(failures)
    for called, title in suites.calls[surroundings]:
        if title.startswith(f"{suite} > "):
            parity.note_javascript(called)


def test_javascript_has_no_suite_beside_these(suites: Suites) -> None:
    assert suites.of("node").keys() == {"every method", *(f"auth.{name}" for name in JAVASCRIPT)}


# --- Python -----------------------------------------------------------------------------------------------------------


class Someone:
    """Makes clients and accounts; all clients are closed after the test."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.gateway = world.gateway
        self.opened: list[SyncGoTrueClient] = []

    def client(self, key: str = "", flow: Literal["pkce", "implicit"] = "implicit") -> SyncGoTrueClient:
        """A client, with the publishable key unless another is given."""
        key = key or self.gateway.publishable_key
        headers = {"apikey": key, "Authorization": f"Bearer {key}"}
        url = f"{self.gateway.url}/auth/v1"
        made = SyncGoTrueClient(url=url, headers=headers, auto_refresh_token=False, flow_type=flow)
        self.opened.append(made)
        return made

    @property
    def admin(self) -> SyncGoTrueAdminAPI:
        return self.client(self.gateway.secret_key).admin

    def email(self) -> str:
        """Address of a confirmed account."""
        address = new_email()
        self.admin.create_user({"email": address, "password": PASSWORD, "email_confirm": True})
        return address

    def signed_in(self, email: str = "") -> tuple[SyncGoTrueClient, Session]:
        client = self.client()
        session = client.sign_in_with_password({"email": email or self.email(), "password": PASSWORD}).session
        assert session is not None
        return client, session

    def with_factor(self) -> tuple[SyncGoTrueClient, AuthMFAEnrollResponse, Callable[[], str]]:
        """A client, its enrolled factor, and what makes the factor's codes."""
        client, _ = self.signed_in()
        factor = client.mfa.enroll({"factor_type": "totp", "friendly_name": "phone", "issuer": "umw"})
        assert factor.totp is not None
        return client, factor, pyotp.TOTP(factor.totp.secret).now

    def id_token(self, email: str) -> str:
        """A token of the provider's, as a native app has it."""
        return self.world.provider.id_token(sub=email, email=email)

    def sign_in_at_provider(self, url: str) -> str:
        """Sign in at the provider whose page is behind `url`; where it leads the browser in the end."""
        gone = httpx.get(url)
        return self.come_back(gone.headers["location"] if gone.is_redirect else url)

    def come_back(self, page: str) -> str:
        back = httpx.get(httpx.get(page).json()["continue"])
        assert back.status_code == 302, back.text
        return back.headers["location"]

    def mails(self, email: str, least: int = 1) -> list[dict[str, Any]]:
        """Mails to an address, oldest first, once there are so many: a mail may come a moment after the answer."""
        rows: list[tuple[str | None, ...]] = []
        deadline = time.monotonic() + 5
        while len(rows) < least and time.monotonic() < deadline:
            with SyncConnection(self.gateway.database_url) as connection:
                rows = connection.rows(
                    "select args -> 'mail' from jobs.procrastinate_jobs where args #>> '{mail,to,0}' = $1 order by id",
                    email,
                )
        secrets = (self.gateway.keys["session_secret"].encode(),)
        return [opened(json.loads(mail or "{}"), secrets) for (mail,) in rows]


@pytest.fixture
def someone(world: World) -> Iterator[Someone]:
    made = Someone(world)
    yield made
    for each in made.opened:
        each.close()
        each.admin.close()


def new_email() -> str:
    return f"{uuid.uuid4()}@example.com"


Check = Callable[[Someone], None]
PYTHON: dict[str, Check] = {}


def method(name: str) -> Callable[[Check], Check]:
    """Say which method of the client a check is about."""

    def note(check: Check) -> Check:
        PYTHON[name] = check
        return check

    return note


@method("sign_up")
def _(someone: Someone) -> None:
    answer = someone.client().sign_up({"email": new_email(), "password": PASSWORD, "options": {"data": {"a": 1}}})
    assert answer.session is None and answer.user is not None
    with pytest.raises(AuthWeakPasswordError) as weak:
        someone.client().sign_up({"email": new_email(), "password": "short"})
    assert weak.value.reasons == ["length"]
    phone = PHONES["python"][0]
    answer = someone.client().sign_up({"phone": phone, "password": PASSWORD})
    assert answer.session is None and answer.user is not None and answer.user.phone == phone


@method("sign_in_anonymously")
def _(someone: Someone) -> None:
    answer = someone.client().sign_in_anonymously()
    assert answer.user is not None and answer.user.is_anonymous


@method("sign_in_with_password")
def _(someone: Someone) -> None:
    email = someone.email()
    _, session = someone.signed_in(email)
    assert session.user.email == email
    with pytest.raises(AuthApiError) as refused:
        someone.client().sign_in_with_password({"email": email, "password": "wrong"})
    assert (refused.value.status, refused.value.code) == (400, "invalid_credentials")


@method("sign_in_with_otp")
def _(someone: Someone) -> None:
    email = someone.email()
    someone.client().sign_in_with_otp({"email": email})
    assert [mail["kind"] for mail in someone.mails(email)] == ["auth.magic_link"]
    # Nobody is told that there is nobody: no error, and no mail.
    someone.client().sign_in_with_otp({"email": new_email(), "options": {"should_create_user": False}})
    phone, client = PHONES["python"][1], someone.client()
    client.sign_in_with_otp({"phone": phone})
    answer = client.verify_otp({"phone": phone, "token": "123456", "type": "sms"})
    assert answer.user is not None and answer.user.phone == phone


@method("verify_otp")
def _(someone: Someone) -> None:
    email, admin = someone.email(), someone.admin
    link = admin.generate_link({"type": "magiclink", "email": email})
    body = {"type": "email", "email": email, "token": link.properties.email_otp}
    assert someone.client().verify_otp(body).session is not None  # type: ignore[arg-type]
    link = admin.generate_link({"type": "recovery", "email": email})
    answer = someone.client().verify_otp({"type": "recovery", "token_hash": link.properties.hashed_token})
    assert answer.session is not None
    with pytest.raises(AuthApiError) as used:
        someone.client().verify_otp({"type": "recovery", "token_hash": link.properties.hashed_token})
    assert (used.value.status, used.value.code) == (403, "otp_expired")


@method("sign_in_with_oauth")
def _(someone: Someone) -> None:
    email = new_email()
    options = {"redirect_to": APP, "query_params": {"login_hint": email}}
    url = someone.client().sign_in_with_oauth({"provider": "keycloak", "options": options}).url  # type: ignore[typeddict-item]
    back = someone.sign_in_at_provider(url)
    assert back.startswith(f"{APP}#")
    values = dict(parse_qsl(urlsplit(back).fragment))
    taken = someone.client().set_session(values["access_token"], values["refresh_token"])
    assert taken.user is not None and taken.user.email == email


@method("exchange_code_for_session")
def _(someone: Someone) -> None:
    email, client = new_email(), someone.client(flow="pkce")
    options = {"redirect_to": APP, "query_params": {"login_hint": email}}
    url = client.sign_in_with_oauth({"provider": "keycloak", "options": options}).url  # type: ignore[typeddict-item]
    code = dict(parse_qsl(urlsplit(someone.sign_in_at_provider(url)).query))["code"]
    session = client.exchange_code_for_session({"auth_code": code, "code_verifier": "", "redirect_to": APP}).session
    assert session is not None and session.user.email == email
    assert (session.provider_token, session.provider_refresh_token) == ("provider-access", "provider-refresh")
    # a mailed link ends the same way
    email = someone.email()
    client.reset_password_for_email(email, {"redirect_to": APP})
    text = someone.mails(email)[-1]["text"]
    link = next(word for word in text.split() if "/verify?" in word)
    code = dict(parse_qsl(urlsplit(httpx.get(link).headers["location"]).query))["code"]
    session = client.exchange_code_for_session({"auth_code": code, "code_verifier": "", "redirect_to": APP}).session
    assert session is not None and session.user.email == email
    with pytest.raises(AuthApiError) as refused:
        client.exchange_code_for_session({"auth_code": code, "code_verifier": "x" * 43, "redirect_to": ""})
    assert refused.value.code == "flow_state_not_found"


@method("sign_in_with_id_token")
def _(someone: Someone) -> None:
    email = new_email()
    body: Any = {"provider": "keycloak", "token": someone.id_token(email)}
    answer = someone.client().sign_in_with_id_token(body)
    assert answer.user is not None and answer.user.email == email


@method("sign_in_with_sso")
def _(someone: Someone) -> None:
    with pytest.raises(AuthApiError) as refused:
        someone.client().sign_in_with_sso({"domain": "example.com"})
    assert (refused.value.status, refused.value.code) == (404, "saml_provider_disabled")


@method("initialize")
def _(someone: Someone) -> None:
    _, session = someone.signed_in()
    storage = someone.client()
    storage.set_session(session.access_token, session.refresh_token)
    storage.initialize()
    found = storage.get_session()
    assert found is not None and found.user.id == session.user.id


@method("initialize_from_storage")
def _(someone: Someone) -> None:
    client, session = someone.signed_in()
    client.initialize_from_storage()
    found = client.get_session()
    assert found is not None and found.access_token == session.access_token


@method("initialize_from_url")
def _(someone: Someone) -> None:
    email = someone.email()
    link = someone.admin.generate_link({"type": "recovery", "email": email})
    location = httpx.get(link.properties.action_link).headers["location"]
    client = someone.client()
    client.initialize_from_url(location.replace("#", "?"))
    found = client.get_session()
    assert found is not None and found.user.email == email


@method("get_session")
def _(someone: Someone) -> None:
    client, session = someone.signed_in()
    assert client.get_session() == session
    client.sign_out()
    assert client.get_session() is None


@method("set_session")
def _(someone: Someone) -> None:
    _, session = someone.signed_in()
    taken = someone.client().set_session(session.access_token, session.refresh_token)
    assert taken.user is not None and taken.user.id == session.user.id


@method("refresh_session")
def _(someone: Someone) -> None:
    client, session = someone.signed_in()
    refreshed = client.refresh_session().session
    assert refreshed is not None and refreshed.refresh_token != session.refresh_token
    client.sign_out()
    with pytest.raises(AuthApiError) as refused:
        someone.client().refresh_session(refreshed.refresh_token)
    assert str(refused.value.code) == "refresh_token_not_found"


@method("get_user")
def _(someone: Someone) -> None:
    client, session = someone.signed_in()
    for found in (client.get_user(), someone.client().get_user(session.access_token)):
        assert found is not None and found.user.id == session.user.id


@method("get_claims")
def _(someone: Someone) -> None:
    client, session = someone.signed_in()
    claims = client.get_claims()
    assert claims is not None and dict(claims["claims"])["email"] == session.user.email


@method("on_auth_state_change")
def _(someone: Someone) -> None:
    email, client = someone.email(), someone.client()
    events: list[str] = []
    client.on_auth_state_change(lambda event, session: events.append(event))
    client.sign_in_with_password({"email": email, "password": PASSWORD})
    client.refresh_session()
    client.update_user({"data": {"name": "Ada"}})
    client.sign_out()
    assert events == ["SIGNED_IN", "TOKEN_REFRESHED", "USER_UPDATED", "SIGNED_OUT"]


@method("sign_out")
def _(someone: Someone) -> None:
    scopes: tuple[tuple[Literal["local", "others", "global"], list[bool]], ...] = (
        ("local", [False, True]), ("others", [True, False]), ("global", [False, False]),
    )  # fmt: skip
    for scope, alive in scopes:
        email = someone.email()
        sessions = [someone.signed_in(email) for _ in range(2)]
        sessions[0][0].sign_out({"scope": scope})
        assert [_is_alive(someone, session) for _, session in sessions] == alive, scope


def _is_alive(someone: Someone, session: Session) -> bool:
    try:
        return someone.client().get_user(session.access_token) is not None
    except (AuthApiError, AuthSessionMissingError):
        return False


@method("update_user")
def _(someone: Someone) -> None:
    client, session = someone.signed_in()
    assert client.update_user({"data": {"name": "Ada"}}).user.user_metadata["name"] == "Ada"
    with pytest.raises(AuthApiError) as refused:
        client.update_user({"password": "another-lantern-5", "nonce": "000000"})
    assert refused.value.code == "reauthentication_not_valid"
    client.update_user({"password": "another-lantern-5"})
    email = new_email()
    assert client.update_user({"email": email}).user.new_email == email
    phone = PHONES["python"][2]
    client.update_user({"phone": phone})
    answer = client.verify_otp({"phone": phone, "token": "123456", "type": "phone_change"})
    assert answer.user is not None and (answer.user.id, answer.user.phone) == (session.user.id, phone)


for _name in ("reset_password_for_email", "reset_password_email"):

    @method(_name)
    def _(someone: Someone, name: str = _name) -> None:
        email = someone.email()
        getattr(someone.client(), name)(email)
        getattr(someone.client(), name)(new_email())
        assert [mail["kind"] for mail in someone.mails(email)] == ["auth.recovery"]


@method("reauthenticate")
def _(someone: Someone) -> None:
    client, session = someone.signed_in()
    client.reauthenticate()
    assert [mail["kind"] for mail in someone.mails(session.user.email or "")] == ["auth.reauthentication"]


@method("resend")
def _(someone: Someone) -> None:
    email = new_email()
    someone.client().sign_up({"email": email, "password": PASSWORD})
    someone.client().resend({"type": "signup", "email": email})
    assert [mail["kind"] for mail in someone.mails(email, 2)] == ["auth.confirmation"] * 2
    someone.client().resend({"type": "sms", "phone": PHONES["python"][3]})


@method("get_user_identities")
def _(someone: Someone) -> None:
    client, _ = someone.signed_in()
    assert [each.provider for each in client.get_user_identities().identities] == ["email"]


@method("link_identity")
def _(someone: Someone) -> None:
    client, session = someone.signed_in()
    options: Any = {"redirect_to": APP, "query_params": {"login_hint": new_email()}}
    someone.come_back(client.link_identity({"provider": "keycloak", "options": options}).url)
    found = client.get_user()
    assert found is not None and found.user.id == session.user.id
    assert found.user.app_metadata["providers"] == ["email", "keycloak"]


@method("unlink_identity")
def _(someone: Someone) -> None:
    client, _ = someone.signed_in()
    options: Any = {"redirect_to": APP, "query_params": {"login_hint": new_email()}}
    someone.come_back(client.link_identity({"provider": "keycloak", "options": options}).url)
    identities = client.get_user_identities().identities
    client.unlink_identity(next(each for each in identities if each.provider == "keycloak"))
    (left,) = client.get_user_identities().identities
    with pytest.raises(AuthApiError) as refused:
        client.unlink_identity(left)
    assert refused.value.code == "single_identity_not_deletable"


@method("mfa.enroll")
def _(someone: Someone) -> None:
    client, factor, _ = someone.with_factor()
    assert factor.type == "totp"
    with pytest.raises(AuthApiError) as refused:
        client.mfa.enroll({"factor_type": "totp", "friendly_name": "phone"})
    assert refused.value.code == "mfa_factor_name_conflict"


@method("mfa.challenge")
def _(someone: Someone) -> None:
    client, factor, _ = someone.with_factor()
    assert client.mfa.challenge({"factor_id": factor.id}).id


@method("mfa.verify")
def _(someone: Someone) -> None:
    client, factor, code = someone.with_factor()
    challenge_id = client.mfa.challenge({"factor_id": factor.id}).id
    with pytest.raises(AuthApiError) as refused:
        client.mfa.verify({"factor_id": factor.id, "challenge_id": challenge_id, "code": "12345x"})
    assert refused.value.code == "mfa_verification_failed"
    verified = client.mfa.verify({"factor_id": factor.id, "challenge_id": challenge_id, "code": code()})
    assert verified.user.factors is not None and verified.user.factors[0].status == "verified"


@method("mfa.challenge_and_verify")
def _(someone: Someone) -> None:
    client, factor, code = someone.with_factor()
    verified = client.mfa.challenge_and_verify({"factor_id": factor.id, "code": code()})
    assert verified.user.factors is not None and verified.user.factors[0].status == "verified"


@method("mfa.get_authenticator_assurance_level")
def _(someone: Someone) -> None:
    client, factor, code = someone.with_factor()
    assert client.mfa.get_authenticator_assurance_level().current_level == "aal1"
    client.mfa.challenge_and_verify({"factor_id": factor.id, "code": code()})
    assert client.mfa.get_authenticator_assurance_level().current_level == "aal2"


@method("mfa.list_factors")
def _(someone: Someone) -> None:
    client, factor, code = someone.with_factor()
    assert ([each.id for each in client.mfa.list_factors().all], client.mfa.list_factors().totp) == ([factor.id], [])
    client.mfa.challenge_and_verify({"factor_id": factor.id, "code": code()})
    assert [each.id for each in client.mfa.list_factors().totp] == [factor.id]


@method("mfa.unenroll")
def _(someone: Someone) -> None:
    client, factor, _ = someone.with_factor()
    assert client.mfa.unenroll({"factor_id": factor.id}).id == factor.id
    assert client.mfa.list_factors().all == []


@method("admin.create_user")
def _(someone: Someone) -> None:
    address = new_email()
    made = someone.admin.create_user({"email": address, "password": PASSWORD, "app_metadata": {"team": "blue"}}).user
    assert (made.email, made.app_metadata["team"]) == (address, "blue")
    with pytest.raises(AuthApiError) as refused:
        someone.admin.create_user({"email": address})
    assert refused.value.code == "email_exists"


@method("admin.get_user_by_id")
def _(someone: Someone) -> None:
    _, session = someone.signed_in()
    assert someone.admin.get_user_by_id(session.user.id).user.email == session.user.email
    with pytest.raises(AuthApiError) as gone:
        someone.admin.get_user_by_id(str(uuid.uuid4()))
    assert (gone.value.status, gone.value.code) == (404, "user_not_found")


@method("admin.list_users")
def _(someone: Someone) -> None:
    newest = [someone.email() for _ in range(2)][-1]
    assert [user.email for user in someone.admin.list_users(page=1, per_page=1)] == [newest]
    with pytest.raises(AuthApiError) as refused:
        someone.client().admin.list_users()
    assert refused.value.code == "not_admin"


@method("admin.update_user_by_id")
def _(someone: Someone) -> None:
    _, session = someone.signed_in()
    changed = someone.admin.update_user_by_id(session.user.id, {"user_metadata": {"n": 1}, "ban_duration": "1h"}).user
    assert changed.user_metadata["n"] == 1 and changed.banned_until is not None


@method("admin.delete_user")
def _(someone: Someone) -> None:
    _, session = someone.signed_in()
    someone.admin.delete_user(session.user.id)
    with pytest.raises(AuthApiError) as gone:
        someone.admin.get_user_by_id(session.user.id)
    assert gone.value.code == "user_not_found"


@method("admin.invite_user_by_email")
def _(someone: Someone) -> None:
    assert someone.admin.invite_user_by_email(new_email()).user.invited_at is not None


@method("admin.generate_link")
def _(someone: Someone) -> None:
    bodies: list[Any] = [
        {"type": "signup", "email": new_email(), "password": PASSWORD},
        {"type": "invite", "email": new_email()},
        *({"type": kind, "email": someone.email()} for kind in ("magiclink", "recovery")),
        *(
            {"type": kind, "email": someone.email(), "new_email": new_email()}
            for kind in ("email_change_current", "email_change_new")
        ),
    ]
    for body in bodies:
        link = someone.admin.generate_link(body)
        assert link.properties.verification_type == body["type"]


@method("admin.sign_out")
def _(someone: Someone) -> None:
    _, session = someone.signed_in()
    someone.admin.sign_out(session.access_token, "global")
    assert not _is_alive(someone, session)


@method("admin.mfa.list_factors")
def _(someone: Someone) -> None:
    client, factor, _ = someone.with_factor()
    session = client.get_session()
    assert session is not None
    listed = someone.admin.mfa.list_factors({"user_id": session.user.id})
    assert [each.id for each in listed] == [factor.id]


@method("admin.mfa.delete_factor")
def _(someone: Someone) -> None:
    client, factor, _ = someone.with_factor()
    session = client.get_session()
    assert session is not None
    someone.admin.mfa.delete_factor({"user_id": session.user.id, "id": factor.id})
    assert client.mfa.list_factors().all == []


@pytest.mark.parametrize("name", PYTHON)
def test_python(someone: Someone, name: str) -> None:
    PYTHON[name](someone)


def test_python_every_method_has_a_check(someone: Someone) -> None:
    client = someone.client()
    holders = {"": client, "mfa.": client.mfa, "admin.": client.admin, "admin.mfa.": client.admin.mfa}
    found = {
        f"{path}{name}"
        for path, holder in holders.items()
        for name, _ in inspect.getmembers(holder, callable)
        if not name.startswith("_") and name != "close"
    }
    assert {name for name in found if not name.startswith("admin.oauth")} == PYTHON.keys()
