"""Bad input has its documented code at every endpoint that takes a body, and never is a failure of the server."""

from __future__ import annotations

import uuid
from typing import Any

import orjson
import pytest

from gateway.auth.call import MAX_BODY
from gateway.auth.http.routes import ROUTES, Guard
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import PASSWORD, Answer, Auth

ON: dict[str, Any] = {
    "disable_signup": False, "phone_enabled": True, "anonymous_users_enabled": True, "auth_address_limits": False,
    "auth_account_limits": False, "sms_test_otp": ("15085550100:123456",), "manual_linking_enabled": True,
    "oauth_server_registration": True, **{route.switch.setting: True for route in ROUTES if route.switch is not None},
}  # fmt: skip

# What each endpoint reads, with a value that would do.
TEXT, FLAG, TABLE, LIST = "text", True, {"a": 1}, ["text"]
CLIENT = {"redirect_uris": LIST, "grant_types": LIST, "client_name": TEXT, "client_uri": TEXT, "client_type": TEXT}
FIELDS: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/token?grant_type=password"): {"email": TEXT, "phone": TEXT, "password": TEXT},
    ("POST", "/token?grant_type=refresh_token"): {"refresh_token": TEXT},
    ("POST", "/token?grant_type=pkce"): {"auth_code": TEXT, "code_verifier": TEXT},
    ("POST", "/token?grant_type=id_token"): {"provider": TEXT, "id_token": TEXT, "nonce": TEXT},
    ("POST", "/signup"): {"email": TEXT, "phone": TEXT, "password": TEXT, "data": TABLE},
    ("POST", "/recover"): {"email": TEXT, "code_challenge": TEXT},
    ("POST", "/otp"): {"email": TEXT, "phone": TEXT, "create_user": FLAG, "data": TABLE},
    ("POST", "/magiclink"): {"email": TEXT, "data": TABLE},
    ("POST", "/resend"): {"type": TEXT, "email": TEXT, "phone": TEXT},
    ("POST", "/verify"): {"type": TEXT, "token": TEXT, "token_hash": TEXT, "email": TEXT, "phone": TEXT},
    ("PUT", "/user"): {"email": TEXT, "phone": TEXT, "password": TEXT, "data": TABLE, "nonce": TEXT},
    ("POST", "/factors"): {"factor_type": TEXT, "friendly_name": TEXT},
    ("POST", "/invite"): {"email": TEXT, "data": TABLE},
    ("POST", "/admin/generate_link"): {"type": TEXT, "email": TEXT, "data": TABLE},
    ("POST", "/admin/users"): {
        "email": TEXT, "phone": TEXT, "password": TEXT, "email_confirm": FLAG, "user_metadata": TABLE,
        "app_metadata": TABLE, "ban_duration": TEXT, "role": TEXT,
    },
    ("PUT", "/admin/users/{user_id}"): {"email": TEXT, "password": TEXT, "email_confirm": FLAG, "user_metadata": TABLE},
    ("POST", "/passkeys/registration/verify"): {"challenge_id": TEXT, "credential": TABLE},
    ("POST", "/passkeys/authentication/verify"): {"challenge_id": TEXT, "credential": TABLE},
    ("POST", "/oauth/clients/register"): CLIENT,
    ("POST", "/admin/oauth/clients"): CLIENT,
    ("POST", "/admin/custom-providers"): {
        "provider_type": TEXT, "identifier": TEXT, "name": TEXT, "token_url": TEXT, "scopes": LIST, "enabled": FLAG,
        "authorization_params": TABLE, "attribute_mapping": TABLE,
    },
}  # fmt: skip
# What else a body needs to be looked at this far.
FULL: dict[str, dict[str, Any]] = {
    "/signup": {"email": "new@example.com", "password": PASSWORD},
    "/recover": {"email": "ada@example.com"},
    "/otp": {"email": "ada@example.com"},
    "/magiclink": {"email": "ada@example.com"},
    "/resend": {"type": "signup", "email": "ada@example.com"},
    "/verify": {"type": "email", "email": "ada@example.com", "token": "123456"},
    "/user": {"password": "another-lantern-5"},
    "/factors": {"factor_type": "totp"},
    "/invite": {"email": "new@example.com"},
    "/admin/generate_link": {"type": "recovery", "email": "ada@example.com"},
    "/admin/users": {"email": "new@example.com"},
    "/passkeys/registration/verify": {"challenge_id": str(uuid.UUID(int=1))},
    "/passkeys/authentication/verify": {"challenge_id": str(uuid.UUID(int=1))},
    "/oauth/clients/register": {"redirect_uris": ["https://client.example/cb"]},
    "/admin/oauth/clients": {"redirect_uris": ["https://client.example/cb"]},
    "/admin/custom-providers": {
        "provider_type": "oauth2",
        "identifier": "custom:a",
        "name": "A",
        "client_id": "a",
        "client_secret": "a",
    },
    "/token?grant_type=password": {"email": "ada@example.com", "password": PASSWORD},
}
WRONG: dict[str, Any] = {"a number": 7, "a list": ["x"], "an object": {"x": 1}, "text": "x", "a flag": True}
BROKEN: dict[str, bytes] = {
    "nothing": b"", "half an object": b'{"email":', "no UTF-8": b'{"email":"\xff"}', "a list": b"[]", "text": b'"x"',
    "null": b"null", "deep": b"[" * 100_000,
    "many parts": b'{"data":[' + b"[]," * 50_000 + b"[]]}",
    "900 deep": b'{"data":' + b'{"a":' * 900 + b"1" + b"}" * 901,
    "half a surrogate": b'{"email":"\\ud800"}',
}  # fmt: skip


class Caller:
    """Calls each endpoint as somebody who may."""

    def __init__(self, auth: Auth, token: str, user_id: str) -> None:
        self.auth, self.token, self.user_id = auth, token, user_id

    async def call(self, method: str, path: str, raw: bytes) -> Answer:
        guard = next(route.guard for route in ROUTES if (route.method, route.path) == (method, path.partition("?")[0]))
        token = {Guard.OPEN: None, Guard.USER: self.token, Guard.ADMIN: self.auth.keys.secret_key}[guard]
        return await self.auth.call(method, path.replace("{user_id}", self.user_id), token=token, raw=raw)


async def caller(auth: Auth) -> Caller:
    await auth.admin("POST", "/admin/users", {"email": "ada@example.com", "email_confirm": True})  # where it is missing
    user = await auth.create(f"{uuid.uuid4()}@example.com")
    return Caller(auth, (await auth.sign_in(user["email"]))["access_token"], user["id"])


def test_every_endpoint_that_must_have_a_body_is_here() -> None:
    bare = {
        "/logout", "/callback", "/sso", "/factors/{factor_id}/challenge", "/factors/{factor_id}/verify",
        "/admin/users/{user_id}/factors/{factor_id}", "/sso/saml/acs", "/passkeys/registration/options",
        "/passkeys/authentication/options", "/oauth/token", "/oauth/authorizations/{authorization_id}/consent",
        "/admin/oauth/clients/{client_id}", "/admin/oauth/clients/{client_id}/regenerate_secret",
        "/admin/sso/providers", "/admin/sso/providers/{provider_id}", "/admin/custom-providers/{identifier}",
    }  # fmt: skip
    taking = {(route.method, route.path) for route in ROUTES if route.method in ("POST", "PUT")}
    assert {(method, path.partition("?")[0]) for method, path in FIELDS} == {
        each for each in taking if each[1] not in bare
    }


@pytest.mark.parametrize(("method", "path"), FIELDS)
def test_broken_json_is_bad_json(with_shared_auth: WithAuth, method: str, path: str) -> None:
    async def scenario(auth: Auth) -> None:
        someone = await caller(auth)
        for title, raw in BROKEN.items():
            answer = await someone.call(method, path, raw)
            assert (answer.status, answer.code) == (400, "bad_json"), (title, answer.raw)
        large = await someone.call(method, path, b'{"x":"' + b"x" * MAX_BODY + b'"}')
        assert (large.status, large.code) == (413, "request_entity_too_large")

    with_shared_auth(scenario, **ON)


@pytest.mark.parametrize(("method", "path"), FIELDS)
def test_value_of_another_type_is_bad_json(with_shared_auth: WithAuth, method: str, path: str) -> None:
    async def scenario(auth: Auth) -> None:
        someone = await caller(auth)
        for name, right in FIELDS[method, path].items():
            for title, value in WRONG.items():
                if isinstance(value, type(right)):
                    continue
                raw = orjson.dumps({**FULL.get(path, {}), name: value})
                answer = await someone.call(method, path, raw)
                assert (answer.status, answer.code) == (400, "bad_json"), (name, title, answer.raw)

    with_shared_auth(scenario, **ON, smtp_max_frequency=0.0, rate_limit_email_sent=10_000.0, sms_max_frequency=0.0)


@pytest.mark.parametrize(
    "address",
    [
        pytest.param("a" * 1_000_000 + "@example.com", id="a megabyte"),
        pytest.param("a" * 250 + "@example.com", id="too long for the column"),
        *("nobody", "@example.com", "a@", "a b@example.com", "a@example", "<a@example.com>", "a@ex\nample.com"),
        pytest.param("a\0@example.com", id="a null character"),
        pytest.param("a@example.com, b@example.com", id="two of them"),
    ],
)
def test_what_is_no_address_is_refused_everywhere(with_shared_auth: WithAuth, address: str) -> None:
    async def scenario(auth: Auth) -> None:
        someone = await caller(auth)
        for (method, path), fields in FIELDS.items():
            if "email" not in fields or path == "/token?grant_type=password":  # where it is a name that nobody has
                continue
            answer = await someone.call(method, path, orjson.dumps({**FULL.get(path, {}), "email": address}))
            status = 422 if path == "/verify" and "\0" not in address else 400
            assert (answer.status, answer.code) == (status, "validation_failed"), (path, answer.raw)

    with_shared_auth(scenario, **ON)


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "/verify?type=recovery&token=%00"),
        ("GET", "/verify?type=recovery&token=x&redirect_to=%00"),
        ("GET", "/authorize?provider=%00"),
        ("GET", "/callback?state=%00"),
        ("POST", "/token?grant_type=%00"),
        ("GET", "/admin/users?filter=%00"),
        ("GET", "/admin/audit?query=author:%00"),
    ],
)
def test_a_null_character_in_the_address_is_refused(with_shared_auth: WithAuth, method: str, target: str) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await (auth.admin if "/admin/" in target else auth.call)(method, target)
        assert (answer.status, answer.code) == (400, "validation_failed")

    with_shared_auth(scenario)


def test_a_null_character_in_a_form_is_refused(with_shared_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        assert (await auth.call("POST", "/callback", raw=b"state=%00&code=x")).status == 400

    with_shared_auth(scenario)
