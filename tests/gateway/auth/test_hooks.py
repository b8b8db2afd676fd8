"""Services that are asked by setting: CAPTCHA and leaked passwords; and what anyone may ask of us."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.local import Asked, local_server
from tests.gateway.auth.service import PASSWORD, Auth

GUARDED: list[tuple[str, dict[str, Any]]] = [
    ("/token?grant_type=password", {"email": "ada@example.com", "password": PASSWORD}),
    ("/signup", {"email": "new@example.com", "password": PASSWORD}),
    ("/signup", {}),
    ("/recover", {"email": "ada@example.com"}),
    ("/magiclink", {"email": "ada@example.com"}),
    ("/otp", {"email": "ada@example.com"}),
    ("/resend", {"type": "signup", "email": "ada@example.com"}),
]


@pytest.mark.parametrize(("path", "body"), GUARDED)
def test_captcha_guards_what_machines_try(with_auth: WithAuth, path: str, body: dict[str, Any]) -> None:
    def answer(asked: Asked) -> tuple[int, Any]:
        solved = asked.form.get("response") == "solved" and asked.form["secret"] == "shared"
        return 200, {"success": solved, "error-codes": [] if solved else ["invalid-input-response"]}

    async def scenario(auth: Auth) -> None:
        await auth.create()
        for token, expected in ((None, "no captcha response"), ("guess", "invalid-input-response")):
            security = {"gotrue_meta_security": {"captcha_token": token}}
            refused = await auth.call("POST", path, {**body, **security})
            assert (refused.status, refused.code) == (400, "captcha_failed")
            assert expected in refused.body["message"]
        solved = {"gotrue_meta_security": {"captcha_token": "solved"}}
        assert (await auth.call("POST", path, {**body, **solved})).status == 200
        assert server.asked[-1].form["remoteip"] == "203.0.113.5"

    with local_server(answer) as server:
        with_auth(
            scenario, captcha_enabled=True, captcha_secret="shared", captcha_url=server.url, disable_signup=False,
            anonymous_users_enabled=True, smtp_max_frequency=0.0,
        )  # fmt: skip


def test_unreachable_captcha_service_lets_nobody_in(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        answer = await auth.password(headers={})
        assert answer.code == "captcha_failed"
        body = {"email": "ada@example.com", "password": PASSWORD, "gotrue_meta_security": {"captcha_token": "x"}}
        assert (await auth.call("POST", "/token?grant_type=password", body)).status == 500

    with_auth(scenario, captcha_enabled=True, captcha_secret="s", captcha_url="http://127.0.0.1:9/")


def test_leaked_password_is_refused_and_never_sent(with_auth: WithAuth) -> None:
    leaked = "kuzhvsao-leaked"
    digest = hashlib.sha1(leaked.encode()).hexdigest().upper()

    def answer(asked: Asked) -> tuple[int, Any]:
        return 200, f"{digest[5:]}:12\r\n{'0' * 35}:0\r\n"

    async def scenario(auth: Auth) -> None:
        body = {"email": "new@example.com", "password": leaked}
        refused = await auth.call("POST", "/signup", body)
        assert (refused.status, refused.body["weak_password"]) == (422, {"reasons": ["pwned"]})
        assert server.asked[0].path == f"/range/{digest[:5]}"
        assert (await auth.call("POST", "/signup", {**body, "password": PASSWORD})).status == 200

    with local_server(answer) as server:
        with_auth(scenario, disable_signup=False, password_hibp_enabled=True, password_hibp_url=f"{server.url}/range/")


@pytest.mark.parametrize(("closed", "status"), [(False, 200), (True, 422)])
def test_unreachable_leak_service_is_passed_over_or_not_by_setting(
    with_auth: WithAuth, closed: bool, status: int
) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.call("POST", "/signup", {"email": "new@example.com", "password": PASSWORD})
        assert answer.status == status

    with_auth(
        scenario, disable_signup=False, password_hibp_enabled=True, password_hibp_url="http://127.0.0.1:9/",
        password_hibp_fail_closed=closed,
    )  # fmt: skip


def test_settings_health_and_discovery(with_shared_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        settings = (await auth.call("GET", "/settings")).body
        assert settings["disable_signup"] is True
        assert settings["external"]["email"] is True and settings["external"]["phone"] is False
        assert settings["mailer_autoconfirm"] is False
        health = (await auth.call("GET", "/health")).body
        assert (health["name"], set(health)) == ("GoTrue", {"name", "version", "description"})
        keys = await auth.call("GET", "/.well-known/jwks.json")
        assert keys.headers["cache-control"] == "public, max-age=600"
        assert [(key["alg"], "d" in key) for key in keys.body["keys"]] == [("ES256", False)]
        found = (await auth.call("GET", "/.well-known/openid-configuration")).body
        assert found["issuer"] == "https://api.example.com/auth/v1"
        assert found["jwks_uri"] == "https://api.example.com/auth/v1/.well-known/jwks.json"

    with_shared_auth(scenario)
