"""POST /token?grant_type=password, against a real database."""

from __future__ import annotations

import time

import jwt
import pytest

from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import PASSWORD, Auth


def test_signs_in_with_the_session_shape(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create(user_metadata={"name": "Ada"})
        answer = await auth.password("ADA@example.com")
        session = answer.body
        assert answer.status == 200
        assert session["token_type"] == "bearer"
        assert session["expires_in"] == 3600
        assert session["expires_at"] == int(auth.clock.now) + 3600
        assert session["user"]["id"] == user["id"]
        assert session["user"]["identities"][0]["id"] == user["id"]
        assert session["user"]["last_sign_in_at"].endswith("Z")
        assert "encrypted_password" not in str(session)
        claims = jwt.decode(session["access_token"], options={"verify_signature": False})
        assert claims["sub"] == user["id"]
        assert claims["role"] == claims["aud"] == "authenticated"
        assert claims["aal"] == "aal1"
        assert claims["amr"] == [{"method": "password", "timestamp": int(auth.clock.now)}]
        assert claims["user_metadata"] == {"name": "Ada", "email_verified": True}
        assert answer.headers["sb-auth-user-id"] == user["id"]
        assert answer.headers["sb-auth-session-id"] == claims["session_id"]

    with_auth(scenario)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        pytest.param({"password": "x"}, 400, "validation_failed", id="no name"),
        pytest.param({"email": "a@b.co", "phone": "1", "password": "x"}, 400, "validation_failed", id="two names"),
        pytest.param({"email": 5, "password": "x"}, 400, "bad_json", id="a number for an address"),
        pytest.param({"email": "a@b.co", "password": ["x"]}, 400, "bad_json", id="a list for a password"),
        pytest.param(
            {"email": "a" * 1_000_000 + "@b.co", "password": "x"}, 400, "invalid_credentials", id="1 MB e-mail"
        ),
        pytest.param({"email": "a" * 1_100_000, "password": "x"}, 413, "request_entity_too_large", id="a larger body"),
        pytest.param({"email": "no at sign", "password": "x"}, 400, "invalid_credentials", id="ill-formed"),
        pytest.param({"phone": "15085550100", "password": "x"}, 422, "phone_provider_disabled", id="by phone"),
        pytest.param({"email": "a@b.co", "password": "x\0y"}, 400, "validation_failed", id="a null character"),
        pytest.param({"email": "a@b.co", "password": "x" * 100}, 400, "invalid_credentials", id="100 bytes"),
        pytest.param({"email": "a@b.co", "password": ""}, 400, "invalid_credentials", id="no password"),
        pytest.param([], 400, "bad_json", id="not an object"),
    ],
)
def test_bad_sign_in_has_its_documented_code(with_shared_auth: WithAuth, body: object, status: int, code: str) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.call("POST", "/token?grant_type=password", body)
        assert (answer.status, answer.body["code"]) == (status, code)

    with_shared_auth(scenario)


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b'{"email": "a@b.co"'])
def test_broken_json_is_bad_json(with_shared_auth: WithAuth, raw: bytes) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.call("POST", "/token?grant_type=password", raw=raw)
        assert (answer.status, answer.body["code"]) == (400, "bad_json")

    with_shared_auth(scenario)


def test_unknown_grant_is_refused(with_shared_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.call("POST", "/token?grant_type=telepathy", {})
        assert (answer.status, answer.code) == (400, "invalid_credentials")
        assert answer.body["message"] == "unsupported_grant_type"

    with_shared_auth(scenario)


@pytest.mark.parametrize(
    ("version", "body"),
    [
        (None, {"code": 400, "error_code": "invalid_credentials", "msg": "Invalid login credentials"}),
        ("2023-12-31", {"code": 400, "error_code": "invalid_credentials", "msg": "Invalid login credentials"}),
        ("yesterday", {"code": 400, "error_code": "invalid_credentials", "msg": "Invalid login credentials"}),
        ("2024-01-01", {"code": "invalid_credentials", "message": "Invalid login credentials"}),
        ("2026-08-01", {"code": "invalid_credentials", "message": "Invalid login credentials"}),
    ],
)
def test_error_body_follows_the_api_version(
    with_shared_auth: WithAuth, version: str | None, body: dict[str, object]
) -> None:
    async def scenario(auth: Auth) -> None:
        headers = {"x-supabase-api-version": version or ""}
        answer = await auth.password("nobody@example.com", headers=headers)
        assert answer.body == body
        assert answer.headers["x-sb-error-code"] == "invalid_credentials"
        assert ("x-supabase-api-version" in answer.headers) == (body["code"] == "invalid_credentials")

    with_shared_auth(scenario)


def test_unconfirmed_address_is_told_after_the_right_password_only(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create(email_confirm=False)
        right, wrong = await auth.password(), await auth.password(password="something else")
        assert (right.status, right.code) == (400, "email_not_confirmed")
        assert (wrong.status, wrong.code) == (400, "invalid_credentials")

    with_auth(scenario)


def test_promise_28_unknown_wrong_and_banned_differ_neither_in_body_nor_in_time(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create("known@example.com")
        await auth.create("banned@example.com", ban_duration="24h")
        attempts = {
            "unknown": ("unknown@example.com", PASSWORD),
            "wrong": ("known@example.com", "not the password"),
            "banned": ("banned@example.com", PASSWORD),
        }
        answers = {}
        times: dict[str, list[float]] = {name: [] for name in attempts}
        for _ in range(5):
            for name, (email, password) in attempts.items():
                begun = time.perf_counter()
                answers[name] = await auth.password(email, password)
                times[name].append(time.perf_counter() - begun)
            auth.clock.move(3601)
        bodies = {(answer.status, answer.raw) for answer in answers.values()}
        assert bodies == {(400, b'{"code":"invalid_credentials","message":"Invalid login credentials"}')}
        # One hash is most of the time each takes; without it an answer comes in a tenth of that.
        quickest = {name: min(values) for name, values in times.items()}
        assert max(quickest.values()) < 3 * min(quickest.values()), quickest

    with_auth(scenario)


def test_bans_are_told_where_settings_ask_for_the_originals_answer(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create(ban_duration="24h")
        answer = await auth.password()
        assert (answer.status, answer.code) == (400, "user_banned")
        auth.clock.move(86_401)
        assert (await auth.password()).status == 200

    with_auth(scenario, auth_reveal_bans=True)


def test_weak_but_right_password_signs_in_and_is_reported(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create(password="monkey")
        session = await auth.sign_in(password="monkey")
        assert session["weak_password"]["reasons"] == ["length", "pwned"]

    with_auth(scenario)


def test_claims_hook_may_add_claims_and_refuse(with_fresh_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        auth.script(
            """
            create function public.add_team(event jsonb) returns jsonb language sql as $$
              select case when event ->> 'authentication_method' = 'password'
                  and event -> 'claims' ->> 'email' like 'ada%'
                then jsonb_build_object('claims', event -> 'claims' || '{"team": "blue"}')
                else '{"error": {"http_code": 403, "message": "not today"}}' end $$;
            grant usage on schema public to supabase_auth_admin;
            grant execute on function public.add_team to supabase_auth_admin;
            """
        )
        await auth.create("ada@example.com")
        await auth.create("bob@example.com")
        session = await auth.sign_in("ada@example.com")
        assert jwt.decode(session["access_token"], options={"verify_signature": False})["team"] == "blue"
        refused = await auth.password("bob@example.com")
        assert (refused.status, refused.body["message"]) == (403, "not today")

    with_fresh_auth(scenario, token_hook="pg-functions://postgres/public/add_team")
