"""Services that are asked by setting: CAPTCHA, leaked passwords, hooks; and what anyone may ask of us."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from typing import Any

import jwt
import pytest

from gateway.auth.outbound import hooks
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.local import Asked, local_server
from tests.gateway.auth.service import PASSWORD, Auth
from tests.gateway.auth.test_mfa import enroll, lift

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


# --- hooks of the operator's -----------------------------------------------------------------------------------------

KEY = b"a secret of sixteen or more bytes"
SECRETS = "v1,whsec_" + base64.b64encode(KEY).decode()


def hooked(name: str, url: str) -> dict[str, str]:
    return {f"{name}_hook": url, f"{name}_hook_secrets": SECRETS}


def test_user_about_to_be_created_is_shown_to_a_hook_that_may_refuse(with_auth: WithAuth) -> None:
    def answer(asked: Asked) -> tuple[int, Any]:
        email = json.loads(asked.raw)["user"]["email"]
        return 200, {"error": {"http_code": 403, "message": "not here"}} if "evil" in email else {}

    async def scenario(auth: Auth) -> None:
        body = {"email": "new@example.com", "password": PASSWORD, "data": {"name": "New"}}
        made = (await auth.call("POST", "/signup", body)).body
        event = json.loads(server.asked[0].raw)
        assert (event["user"]["id"], event["user"]["email"]) == (made["id"], "new@example.com")
        assert event["user"]["user_metadata"]["name"] == "New"
        assert event["user"]["app_metadata"] == {"provider": "email", "providers": ["email"]}
        assert (event["metadata"]["name"], event["metadata"]["ip_address"]) == ("before-user-created", "203.0.113.5")
        headers = server.asked[0].headers
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{server.asked[0].raw}"
        code = base64.b64encode(hmac.digest(KEY, signed.encode(), "sha256")).decode()
        assert headers["webhook-signature"] == f"v1,{code}"
        for method, path, more in (
            ("POST", "/signup", {"password": PASSWORD}),
            ("POST", "/invite", {}),
            ("POST", "/admin/generate_link", {"type": "invite"}),
        ):
            refused = await auth.admin(method, path, {"email": "evil@example.com", **more})
            assert (refused.status, refused.body) == (403, {"code": "unknown", "message": "not here"}), path
        # A sign-in by mail is answered before anybody is looked up.
        assert (await auth.call("POST", "/otp", {"email": "evil@example.com"})).status == 200
        assert auth.rows("select count(*) from auth.users where email like 'evil%'") == [("0",)]
        assert (await auth.call("POST", "/signup", {})).status == 200
        assert json.loads(server.asked[-1].raw)["user"]["is_anonymous"] is True

    with local_server(answer) as server:
        with_auth(scenario, disable_signup=False, anonymous_users_enabled=True, **hooked("created", server.url))


@pytest.mark.parametrize(
    ("reply", "status", "code", "message"),
    [
        ((500, {}), 500, "unexpected_failure", "Unexpected status code returned from hook: 500"),
        (
            (200, "claims"),
            400,
            "hook_payload_invalid_content_type",
            "Invalid JSON response. Received content-type: text/plain",
        ),
        (
            (200, {"claims": "x" * 300_000}),
            422,
            "hook_payload_over_size_limit",
            "Payload size exceeded size limit of 204800 bytes",
        ),
        ((200, {"claims": {"sub": "x"}}), 500, "unexpected_failure", "Error running hook URI: {url}"),
        ((200, {"error": {"message": "no"}}), 500, "unexpected_failure", "no"),
        ((200, {"error": {"message": "no", "http_code": 418}}), 418, "unknown", "no"),
    ],
    ids=["status", "text", "large", "claims missing", "error", "error with a status"],
)
def test_hook_that_does_not_answer_as_it_should_is_named(
    with_auth: WithAuth, reply: tuple[int, Any], status: int, code: str, message: str
) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        answer = await auth.password()
        assert (answer.status, answer.code, answer.body["message"]) == (status, code, message.format(url=server.url))

    with local_server(lambda asked: reply) as server:
        with_auth(scenario, **hooked("token", server.url))


def test_claims_may_come_from_an_address(with_auth: WithAuth) -> None:
    def answer(asked: Asked) -> tuple[int, Any]:
        event = json.loads(asked.raw)
        return 200, {"claims": {**event["claims"], "via": event["authentication_method"]}}

    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        assert jwt.decode(token, options={"verify_signature": False})["via"] == "password"

    with local_server(answer) as server:
        with_auth(scenario, **hooked("token", server.url))


def test_hook_that_cannot_be_reached_is_tried_again_and_then_named(
    with_auth: WithAuth, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "BACKOFF", 0.0)

    async def scenario(auth: Auth) -> None:
        await auth.create()
        answer = await auth.password()
        assert (answer.status, answer.code) == (422, "hook_timeout_after_retry")

    with_auth(scenario, **hooked("token", "http://127.0.0.1:9/"))


def test_hook_that_is_silent_is_given_up(with_auth: WithAuth, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "TIMEOUT", 0.2)
    released = threading.Event()

    def answer(asked: Asked) -> tuple[int, Any]:
        released.wait(30)
        return 200, {}

    async def scenario(auth: Auth) -> None:
        await auth.create()
        answer = await auth.password()
        assert (answer.status, answer.code) == (422, "hook_timeout")
        released.set()

    with local_server(answer) as server:
        with_auth(scenario, **hooked("token", server.url))


def test_password_that_was_tried_is_told_to_a_hook_that_may_reject_it(with_auth: WithAuth) -> None:
    tried: list[tuple[str, bool]] = []

    def answer(asked: Asked) -> tuple[int, Any]:
        event = json.loads(asked.raw)
        tried.append((event["user_id"], event["valid"]))
        reject = {"decision": "reject", "message": "enough for today", "should_logout_user": True}
        return 200, reject if len(tried) == 3 else {"decision": "continue"}

    async def scenario(auth: Auth) -> None:
        user = await auth.create()
        session = await auth.sign_in()
        assert (await auth.password(password="wrong")).body["message"] == "Invalid login credentials"
        rejected = await auth.password()
        assert (rejected.status, rejected.code) == (400, "invalid_credentials")
        assert rejected.body["message"] == "enough for today"
        assert tried == [(user["id"], True), (user["id"], False), (user["id"], True)]
        assert (await auth.call("GET", "/user", token=session["access_token"])).code == "session_not_found"
        await auth.password("nobody@example.com")
        assert len(tried) == 3

    with local_server(answer) as server:
        with_auth(scenario, **hooked("password", server.url))


def test_code_that_was_tried_is_told_to_a_function_that_may_reject_it(with_fresh_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        auth.script(
            """
            create function public.judge(event jsonb) returns jsonb language sql as $$
              select case when (event ->> 'valid')::boolean then '{"decision": "continue"}'::jsonb
                else '{"decision": "reject"}' end $$;
            grant usage on schema public to supabase_auth_admin;
            grant execute on function public.judge to supabase_auth_admin;
            """
        )
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        lifted = (await lift(auth, token, await enroll(auth, token)))["access_token"]
        factor = (await auth.call("GET", "/user", token=lifted)).body["factors"][0]["id"]
        challenge = (await auth.call("POST", f"/factors/{factor}/challenge", {}, token=lifted)).body["id"]
        body = {"challenge_id": challenge, "code": "wrong"}
        rejected = await auth.call("POST", f"/factors/{factor}/verify", body, token=lifted)
        assert (rejected.status, rejected.code) == (403, "mfa_verification_rejected")
        assert rejected.body["message"] == "Further MFA verification attempts will be rejected."
        assert (await auth.call("GET", "/user", token=lifted)).code == "session_not_found"

    with_fresh_auth(scenario, factor_hook="pg-functions://postgres/public/judge")


@pytest.mark.parametrize("name", ["token", "created", "password", "factor"])
@pytest.mark.parametrize(
    "settings",
    [("http://hooks.example.com/", SECRETS), ("https://hooks.example.com/", ""), ("pg-functions://postgres/one", "")],
    ids=["no https", "no secret", "no schema"],
)
def test_hook_that_cannot_work_stops_the_start(with_auth: WithAuth, name: str, settings: tuple[str, str]) -> None:
    async def scenario(auth: Auth) -> None:
        raise AssertionError("it started")

    with pytest.raises(ValueError):
        with_auth(scenario, **{f"{name}_hook": settings[0], f"{name}_hook_secrets": settings[1]})
