"""POST /signup and anonymous sign-in, in each setting."""

from __future__ import annotations

import pytest

from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import PASSWORD, Auth
from tests.gateway.auth.test_links import code_of, link_of

NEW = {"email": "New@Example.com", "password": PASSWORD, "data": {"name": "New"}}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(NEW, id="a proper one"),
        pytest.param({"email": "x"}, id="a broken one: before the body is looked at"),
        pytest.param({"phone": "+15085550100", "password": PASSWORD}, id="by phone"),
    ],
)
def test_promise_35_sign_up_is_off_by_default(with_shared_auth: WithAuth, body: dict[str, str]) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.call("POST", "/signup", body)
        assert (answer.status, answer.code) == (422, "signup_disabled")
        assert answer.body["message"] == "Signups not allowed for this instance"

    with_shared_auth(scenario)


def test_promise_35_anonymous_sign_in_is_off_by_default(with_shared_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.call("POST", "/signup", {"data": {}})
        assert (answer.status, answer.code) == (422, "anonymous_provider_disabled")

    with_shared_auth(scenario)


def test_sign_up_waits_for_its_confirmation(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.call("POST", "/signup?redirect_to=https://app.example.com/hi", NEW)
        assert answer.status == 200
        assert "access_token" not in answer.body
        assert answer.body["email"] == "new@example.com"
        assert answer.body["confirmation_sent_at"]
        assert answer.body["identities"][0]["identity_data"]["name"] == "New"
        assert (await auth.password("new@example.com")).code == "email_not_confirmed"
        followed = await auth.call("GET", link_of(auth.mails()[0]))
        assert followed.location.startswith("https://app.example.com/hi#access_token=")
        user = (await auth.password("new@example.com")).body["user"]
        assert user["email_confirmed_at"] == user["confirmed_at"]
        told = {"name": "New", "sub": user["id"], "email": "new@example.com", "phone_verified": False}
        assert answer.body["user_metadata"] == {**told, "email_verified": False}
        assert user["user_metadata"] == {**told, "email_verified": True}
        assert user["identities"][0]["identity_data"]["email_verified"] is True
        assert user["app_metadata"] == {"provider": "email", "providers": ["email"]}

    with_auth(scenario, disable_signup=False)


def test_autoconfirm_signs_in_at_once(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.call("POST", "/signup", NEW)
        assert answer.status == 200
        assert answer.body["access_token"] and answer.body["refresh_token"]
        again = await auth.call("POST", "/signup", NEW)
        assert (again.status, again.code) == (422, "user_already_exists")
        assert auth.mails() == []

    with_auth(scenario, disable_signup=False, mailer_autoconfirm=True)


def test_sign_up_with_a_taken_address_answers_with_a_made_up_user(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        real = await auth.create("new@example.com")
        answer = await auth.call("POST", "/signup", NEW)
        assert answer.status == 200
        assert answer.body["identities"] == []
        assert answer.body["role"] == ""
        assert answer.body["id"] != real["id"]
        assert answer.body["user_metadata"] == {"name": "New"}
        assert auth.mails() == []
        assert (await auth.password("new@example.com", PASSWORD)).status == 200

    with_auth(scenario, disable_signup=False)


def test_second_sign_up_of_a_waiting_account_mails_again_and_keeps_its_password(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.call("POST", "/signup", NEW)
        soon = await auth.call("POST", "/signup", {**NEW, "password": "another-fine-pass-77"})
        assert (soon.status, soon.code) == (429, "over_email_send_rate_limit")
        auth.clock.move(61)
        assert (await auth.call("POST", "/signup", {**NEW, "password": "another-fine-pass-77"})).status == 200
        _, mail = auth.mails()
        body = {"type": "signup", "email": "new@example.com", "token": code_of(mail)}
        assert (await auth.call("POST", "/verify", body)).status == 200
        assert (await auth.password("new@example.com", "another-fine-pass-77")).status == 400
        assert (await auth.password("new@example.com", PASSWORD)).status == 200

    with_auth(scenario, disable_signup=False)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        pytest.param({"email": "a@b.co"}, 400, "validation_failed", id="no password"),
        pytest.param({"email": "no", "password": PASSWORD}, 400, "validation_failed", id="ill-formed address"),
        pytest.param({"email": "a@b.co", "password": "short"}, 422, "weak_password", id="short"),
        pytest.param({"email": "a@b.co", "password": "Password123"}, 422, "weak_password", id="common"),
        pytest.param({"email": "a@b.co", "password": "é" * 37}, 400, "validation_failed", id="74 bytes"),
        pytest.param({"email": "a@b.co", "password": PASSWORD, "data": []}, 400, "bad_json", id="data is a list"),
        pytest.param({"phone": "15085550100", "password": PASSWORD}, 400, "phone_provider_disabled", id="by phone"),
    ],
)
def test_bad_sign_up_has_its_documented_code(
    with_shared_auth: WithAuth, body: dict[str, object], status: int, code: str
) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.call("POST", "/signup", body)
        assert (answer.status, answer.code) == (status, code)

    with_shared_auth(scenario, disable_signup=False, auth_address_limits=False)


def test_weak_password_names_its_reasons_in_both_bodies(with_shared_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        body = {"email": "a@b.co", "password": "short"}
        dated = (await auth.call("POST", "/signup", body)).body
        assert dated == {
            "code": "weak_password",
            "message": "Password should be at least 8 characters.",
            "weak_password": {"reasons": ["length"]},
        }
        legacy = (await auth.call("POST", "/signup", body, headers={"x-supabase-api-version": ""})).body
        assert legacy["weak_password"] == {"reasons": ["length"]}
        assert legacy["code"] == 422

    with_shared_auth(scenario, disable_signup=False)


def test_originals_password_rules_by_setting(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        assert (await auth.call("POST", "/signup", {**NEW, "password": "monkey"})).status == 200
        refused = await auth.call("POST", "/signup", {**NEW, "email": "b@b.co", "password": "monke"})
        assert refused.body["message"] == "Password should be at least 6 characters."

    with_auth(
        scenario, disable_signup=False, mailer_autoconfirm=True, password_min_length=6,
        auth_refuse_common_passwords=False,
    )  # fmt: skip


def test_required_characters_by_setting(with_shared_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        refused = await auth.call("POST", "/signup", {**NEW, "password": "only-lower-case"})
        assert refused.body["weak_password"] == {"reasons": ["characters"]}

    with_shared_auth(scenario, disable_signup=False, password_required_characters="abcdefgh:ABCDEFGH:0123456789")


def test_anonymous_user_signs_in_and_becomes_a_real_one(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        session = (await auth.call("POST", "/signup", {"data": {"cart": 1}})).body
        assert session["user"]["is_anonymous"] is True
        assert session["user"]["email"] == ""
        token = session["access_token"]
        alone = await auth.call("PUT", "/user", {"password": PASSWORD}, token=token)
        assert (alone.status, alone.code) == (422, "validation_failed")
        assert (await auth.call("POST", "/factors", {"factor_type": "totp"}, token=token)).status == 403
        changed = await auth.call("PUT", "/user", {"email": "new@example.com", "password": PASSWORD}, token=token)
        assert changed.body["is_anonymous"] is False
        assert (await auth.password("new@example.com")).body["user"]["id"] == session["user"]["id"]

    with_auth(scenario, disable_signup=False, anonymous_users_enabled=True, mailer_autoconfirm=True)


def test_anonymous_sign_ins_are_limited_by_address(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        statuses = [(await auth.call("POST", "/signup", {})).status for _ in range(4)]
        assert statuses == [200, 200, 200, 429]

    with_auth(scenario, disable_signup=False, anonymous_users_enabled=True, rate_limit_anonymous_users=3)


def test_phone_number_signs_up_and_in_where_it_is_confirmed_by_setting(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        body = {"phone": "+1 508 555 0100", "password": PASSWORD}
        session = (await auth.call("POST", "/signup", body)).body
        assert session["user"]["phone"] == "15085550100"
        assert session["user"]["app_metadata"]["provider"] == "phone"
        again = await auth.call("POST", "/token?grant_type=password", body)
        assert again.body["user"]["id"] == session["user"]["id"]

    with_auth(scenario, disable_signup=False, phone_enabled=True, sms_autoconfirm=True)


def test_sign_up_with_an_invited_address_tells_nothing_of_the_invitation(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.admin("POST", "/invite", {"email": "new@example.com", "data": {"team": "red"}})
        answer = await auth.call("POST", "/signup", NEW)
        assert answer.status == 200
        assert (answer.body["user_metadata"], answer.body["identities"]) == ({}, [])

    with_auth(scenario, disable_signup=False, smtp_max_frequency=0.0)


def test_address_that_nothing_confirmed_is_not_called_verified(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = (await auth.call("POST", "/signup", NEW)).body["user"]
        assert user["user_metadata"]["email_verified"] is True
        assert user["identities"][0]["identity_data"]["email_verified"] is False

    with_auth(scenario, disable_signup=False, mailer_autoconfirm=True)
