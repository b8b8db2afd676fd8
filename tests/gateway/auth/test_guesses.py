"""Every secret that can be guessed, on every route that takes it: of 200 guesses at once no more are compared than of
200 one after the other."""

from __future__ import annotations

import ast
import asyncio
import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pyotp
import pytest

import gateway.auth
from gateway.auth.store.limits import FREE_MISSES
from gateway.auth.types import moment_of
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.local import LocalServer, local_server
from tests.gateway.auth.service import PASSWORD, Answer, Auth
from tests.gateway.auth.test_links import LIMITS, code_of, link_of
from tests.gateway.auth.test_mfa_phone import on, sent

EMAIL, PHONE = "ada@example.com", "15085550100"
JSON = {"content-type": "application/json"}
ALLOWED = FREE_MISSES + 1  # the guess that makes the next one wait is compared itself
GUESSES = 200


@dataclass(frozen=True)
class Secret:
    """Where a secret is presented, how a guess is written there, and the right one."""

    method: str
    path: str
    body: Callable[[str], dict[str, Any]]
    right: str
    token: str | None = None
    headers: dict[str, str] | None = None
    client: str = ""  # where a factor was challenged from; the others are guessed from many addresses

    async def guess(self, auth: Auth, text: str, number: int = 0) -> Answer:
        client = self.client or f"198.51.{100 + number // 250}.{number % 250 + 1}"
        return await auth.call(
            self.method, self.path, self.body(text), token=self.token, headers=self.headers, client=client
        )


def wrong(right: str, number: int) -> str:
    """A guess of the right form."""
    if right.isdigit():
        return f"{(int(right) + 1 + number) % 10 ** len(right):0{len(right)}}"
    return f"{right[:-4]}{number:04}"


async def token_of(auth: Auth, **more: Any) -> str:
    await auth.create(**more)
    return str((await auth.sign_in())["access_token"])


def mailed(auth: Auth, to: str = EMAIL) -> str:
    mail = [mail for mail in auth.mails() if mail["to"] == [to]][-1]
    return code_of({"text": mail["text"].replace("go on:", "code:")})


def verifying(kind: str, code: str, email: str = EMAIL) -> Secret:
    return Secret("POST", "/verify", lambda text: {"type": kind, "email": email, "token": text}, code)


def verifying_phone(kind: str, code: str, phone: str = PHONE) -> Secret:
    return Secret("POST", "/verify", lambda text: {"type": kind, "phone": phone, "token": text}, code)


async def password(auth: Auth, hook: LocalServer) -> Secret:
    await auth.create()
    path = "/token?grant_type=password"
    return Secret("POST", path, lambda text: {"email": EMAIL, "password": text}, PASSWORD)


async def password_of_phone(auth: Auth, hook: LocalServer) -> Secret:
    await auth.create(phone=PHONE, phone_confirm=True)
    path = "/token?grant_type=password"
    return Secret("POST", path, lambda text: {"phone": PHONE, "password": text}, PASSWORD)


async def current_password(auth: Auth, hook: LocalServer) -> Secret:
    token = await token_of(auth)
    new = {"password": "quiet-harbor-9-lamp"}
    return Secret("PUT", "/user", lambda text: {**new, "current_password": text}, PASSWORD, token)


async def same_password(auth: Auth, hook: LocalServer) -> Secret:
    """A change that fails in the end tells whether the new password is the old one."""
    token = await token_of(auth)
    auth.script("create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;"
                "create trigger refuse before update on auth.users for each row execute function refuse()")  # fmt: skip
    return Secret("PUT", "/user", lambda text: {"password": text}, PASSWORD, token)


async def nonce(auth: Auth, hook: LocalServer) -> Secret:
    token = await token_of(auth)
    await auth.call("GET", "/reauthenticate", token=token)
    new = {"password": "quiet-harbor-9-lamp"}
    return Secret("PUT", "/user", lambda text: {**new, "nonce": text}, mailed(auth), token)


async def nonce_of_phone(auth: Auth, hook: LocalServer) -> Secret:
    token = await token_of(auth, phone=PHONE, phone_confirm=True)
    auth.script("update auth.users set email = null")
    await auth.call("GET", "/reauthenticate", token=token)
    new = {"password": "quiet-harbor-9-lamp"}
    return Secret("PUT", "/user", lambda text: {**new, "nonce": text}, sent(hook)["sms"]["otp"], token)


async def sign_up(auth: Auth, hook: LocalServer) -> Secret:
    await auth.call("POST", "/signup", {"email": EMAIL, "password": PASSWORD})
    return verifying("signup", mailed(auth))


async def invitation(auth: Auth, hook: LocalServer) -> Secret:
    await auth.admin("POST", "/invite", {"email": EMAIL})
    return verifying("invite", mailed(auth))


async def recovery(auth: Auth, hook: LocalServer) -> Secret:
    await auth.create()
    await auth.call("POST", "/recover", {"email": EMAIL})
    return verifying("recovery", mailed(auth))


async def magic_link(auth: Auth, hook: LocalServer) -> Secret:
    await auth.create()
    await auth.call("POST", "/magiclink", {"email": EMAIL})
    return verifying("magiclink", mailed(auth))


async def mailed_code(auth: Auth, hook: LocalServer) -> Secret:
    await auth.create()
    await auth.call("POST", "/otp", {"email": EMAIL})
    return verifying("email", mailed(auth))


async def generated_code(auth: Auth, hook: LocalServer) -> Secret:
    await auth.create()
    made = await auth.admin("POST", "/admin/generate_link", {"type": "magiclink", "email": EMAIL})
    return verifying("magiclink", made.body["email_otp"])


async def new_address(auth: Auth, hook: LocalServer) -> Secret:
    await auth.call("PUT", "/user", {"email": "new@example.com"}, token=await token_of(auth))
    return verifying("email_change", mailed(auth, "new@example.com"), "new@example.com")


async def current_address(auth: Auth, hook: LocalServer) -> Secret:
    await auth.call("PUT", "/user", {"email": "new@example.com"}, token=await token_of(auth))
    return verifying("email_change", mailed(auth))


async def message(auth: Auth, hook: LocalServer) -> Secret:
    await auth.call("POST", "/otp", {"phone": PHONE})
    return verifying_phone("sms", sent(hook)["sms"]["otp"])


async def new_number(auth: Auth, hook: LocalServer) -> Secret:
    await auth.call("PUT", "/user", {"phone": PHONE}, token=await token_of(auth))
    return verifying_phone("phone_change", sent(hook)["sms"]["otp"])


async def app(auth: Auth, hook: LocalServer) -> Secret:
    token = await token_of(auth)
    made = (await auth.call("POST", "/factors", {"factor_type": "totp"}, token=token)).body
    return await _factor(auth, made["id"], token, pyotp.TOTP(made["totp"]["secret"]).at(moment_of(auth.clock.now)))


async def number(auth: Auth, hook: LocalServer) -> Secret:
    token = await token_of(auth)
    made = (await auth.call("POST", "/factors", {"factor_type": "phone", "phone": PHONE}, token=token)).body
    return await _factor(auth, made["id"], token, lambda: sent(hook)["sms"]["otp"])


async def _factor(auth: Auth, factor: str, token: str, right: str | Callable[[], str]) -> Secret:
    challenge = (await auth.call("POST", f"/factors/{factor}/challenge", {}, token=token)).body
    code = right if isinstance(right, str) else right()
    body = {"challenge_id": challenge["id"]}
    path = f"/factors/{factor}/verify"
    return Secret("POST", path, lambda text: {**body, "code": text}, code, token, client="203.0.113.5")


async def verifier(auth: Auth, hook: LocalServer) -> Secret:
    await auth.create()
    secret = "a-verifier-that-a-client-chose-badly-because-it-is-not-random-abcd"
    challenge = urlsafe_b64encode(hashlib.sha256(secret.encode()).digest()).rstrip(b"=").decode()
    asked = {"email": EMAIL, "code_challenge": challenge, "code_challenge_method": "s256"}
    await auth.call("POST", "/recover", asked)
    code = (await auth.call("GET", link_of(auth.mails()[-1]))).location_query["code"]
    path = "/token?grant_type=pkce"
    return Secret("POST", path, lambda text: {"auth_code": code, "code_verifier": text}, secret)


async def _other_application(auth: Auth, challenge: str, kind: str) -> tuple[dict[str, Any], str]:
    """A client and a code that it was given."""
    made = {"redirect_uris": ["https://client.example"], "token_endpoint_auth_method": kind}
    client = (await auth.admin("POST", "/admin/oauth/clients", made)).body
    query = urlencode({
        "client_id": client["client_id"], "redirect_uri": "https://client.example", "code_challenge": challenge,
        "code_challenge_method": "S256",
    })  # fmt: skip
    waiting = (await auth.call("GET", f"/oauth/authorize?{query}")).location_query["authorization_id"]
    token, path = await token_of(auth), f"/oauth/authorizations/{waiting}"
    await auth.call("GET", path, token=token)
    agreed = await auth.call("POST", f"{path}/consent", {"action": "approve"}, token=token)
    return client, agreed.body["redirect_url"].partition("code=")[2]


async def verifier_of_an_application(auth: Auth, hook: LocalServer) -> Secret:
    secret = "a-verifier-that-a-client-chose-badly-because-it-is-not-random-abcd"
    challenge = urlsafe_b64encode(hashlib.sha256(secret.encode()).digest()).rstrip(b"=").decode()
    client, code = await _other_application(auth, challenge, "none")
    body = {"client_id": client["client_id"], "grant_type": "authorization_code", "code": code}
    return Secret("POST", "/oauth/token", lambda text: {**body, "code_verifier": text}, secret, headers=JSON)


async def secret_of_an_application(auth: Auth, hook: LocalServer) -> Secret:
    client, _ = await _other_application(auth, "a" * 43, "client_secret_post")
    body = {"client_id": client["client_id"], "grant_type": "refresh_token", "refresh_token": "x"}
    return Secret("POST", "/oauth/token", lambda text: {**body, "client_secret": text}, client["client_secret"],
                  headers=JSON, client="203.0.113.5")  # fmt: skip


SECRETS: tuple[Callable[[Auth, LocalServer], Awaitable[Secret]], ...] = (
    password, password_of_phone, current_password, same_password, nonce, nonce_of_phone, sign_up, invitation, recovery,
    magic_link, mailed_code, generated_code, new_address, current_address, message, new_number, app, number, verifier,
    verifier_of_an_application, secret_of_an_application,
)  # fmt: skip


@pytest.fixture
def hook() -> Iterator[LocalServer]:
    with local_server(lambda asked: (200, {})) as server:
        yield server


# An address may try these less often than a guess may be made.
LIMITED_ELSEWHERE = (app, number, secret_of_an_application)


def settings_of(hook: LocalServer) -> dict[str, Any]:
    others = {"oauth_server_enabled": True, "oauth_server_path": "/consent"}
    return {**LIMITS, **on(hook), **others, "phone_enabled": True, "disable_signup": False}


def is_refused(answer: Answer) -> bool:
    return answer.status == 429 and answer.code == "over_request_rate_limit"


@pytest.mark.parametrize("make", SECRETS, ids=lambda make: make.__name__)
def test_of_guesses_at_once_no_more_are_compared_than_allowed(
    with_fresh_auth: WithAuth, hook: LocalServer, make: Callable[[Auth, LocalServer], Awaitable[Secret]]
) -> None:
    async def scenario(auth: Auth) -> None:
        secret = await make(auth, hook)
        answers = await asyncio.gather(
            *(secret.guess(auth, wrong(secret.right, number), number) for number in range(GUESSES))
        )
        assert sum(not is_refused(answer) for answer in answers) == ALLOWED
        assert not any(answer.status < 400 for answer in answers)
        assert is_refused(await secret.guess(auth, secret.right))  # nor is the right one, before the wait is over

    with_fresh_auth(scenario, **settings_of(hook), auth_address_limits=make not in LIMITED_ELSEWHERE)


@pytest.mark.parametrize("make", SECRETS, ids=lambda make: make.__name__)
def test_right_guess_is_good_before_the_limit_and_forgets_the_wrong_ones(
    with_fresh_auth: WithAuth, hook: LocalServer, make: Callable[[Auth, LocalServer], Awaitable[Secret]]
) -> None:
    async def scenario(auth: Auth) -> None:
        secret = await make(auth, hook)
        for number in range(FREE_MISSES - 1):
            assert not is_refused(await secret.guess(auth, wrong(secret.right, number)))
        answer = await secret.guess(auth, secret.right)
        # What comes after the proof fails: the change of a password, and a refresh token that is none.
        late = {"same_password": 422, "secret_of_an_application": 400}
        assert answer.status == late.get(make.__name__, 200), answer.body
        assert answer.code != "invalid_credentials"
        if make is not same_password:
            kinds = auth.rows("select name from gateway.throttle where level > 1 and name !~ '^(mail|totp|sms)'")
            assert kinds == []

    with_fresh_auth(scenario, **settings_of(hook), auth_address_limits=False)


# --- by construction --------------------------------------------------------------------------------------------------

AUTH = Path(gateway.auth.__file__).parent
SOURCES = {
    path.relative_to(AUTH).with_suffix("").as_posix(): ast.parse(path.read_text()) for path in AUTH.rglob("*.py")
}


def calls(tree: ast.AST, name: str) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == name
    ]


def test_only_what_counts_a_guess_gives_leave_to_compare_it() -> None:
    made = [module for module, tree in SOURCES.items() for _ in calls(tree, "Permit")]
    assert sorted(made) == ["guards", "store/limits"]  # Guards.permit, and the one for no limit
    unlimited = {module for module, tree in SOURCES.items() if "'UNLIMITED'" in ast.dump(tree)}
    assert unlimited == {"flows/grants", "store/limits"}  # sign-in with a password, where settings ask for it


@pytest.mark.parametrize(
    ("compares", "modules"),
    [
        ("take_token", {"flows/one_time_codes"}),  # by Lookup.take
        ("code_lookup", {"http/account", "flows/verify"}),
        ("hash_code", {"flows/one_time_codes", "flows/mfa"}),
        ("matches_challenge", {"flows/pkce", "flows/oauth_tokens"}),
        ("matches_secret", {"flows/oauth_registration"}),
        ("checkpw", {"crypto/passwords"}),
        ("generate_otp", {"flows/mfa"}),
        ("_was_sent", {"flows/mfa"}),
        ("registered", {"flows/mfa_webauthn", "flows/passkeys"}),  # in a thread, by their names
        ("used", {"flows/mfa_webauthn", "flows/passkeys"}),
        ("verify_authentication_response", {"crypto/relying_party"}),
    ],
)
def test_secrets_are_compared_nowhere_else(compares: str, modules: set[str]) -> None:
    assert {module for module, tree in SOURCES.items() if calls(tree, compares) or threads(tree, compares)} == modules


def threads(tree: ast.AST, name: str) -> list[ast.Call]:
    """Calls of a function in a thread, with a permit as the first thing that it is given."""
    found = [call for call in calls(tree, "to_thread") if getattr(call.args[0], "attr", "") == name]
    assert all("permit" in ast.dump(call.args[1]) for call in found)
    return found
