"""The signed-in user: reading, changing, reauthenticating, signing out."""

from __future__ import annotations

import re

import pytest

from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import PASSWORD, Auth
from tests.gateway.auth.test_links import LIMITS, code_of, link_of

OTHER = "quiet-harbor-9-lamp"


def test_metadata_is_merged_and_null_removes_a_key(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create(user_metadata={"name": "Ada", "old": 1})
        token = (await auth.sign_in())["access_token"]
        body = {"data": {"old": None, "nested": {"x": [1, None]}}}
        answer = await auth.call("PUT", "/user", body, token=token)
        assert answer.status == 200
        assert answer.body["user_metadata"] == {"name": "Ada", "nested": {"x": [1, None]}, "email_verified": True}
        assert (await auth.call("GET", "/user", token=token)).body["user_metadata"] == answer.body["user_metadata"]

    with_auth(scenario)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        pytest.param({"app_metadata": {"role": "admin"}}, 403, "not_admin", id="app_metadata"),
        pytest.param({"data": "text"}, 400, "bad_json", id="metadata is text"),
        pytest.param({"data": {"a": "\0"}}, 400, "validation_failed", id="a null character"),
        pytest.param({"email": "no"}, 400, "validation_failed", id="ill-formed address"),
        pytest.param({"email": "taken@example.com"}, 422, "email_exists", id="an address that is taken"),
        pytest.param({"phone": "15085550100"}, 400, "phone_provider_disabled", id="a phone number"),
        pytest.param({"password": "short"}, 422, "weak_password", id="a short password"),
        pytest.param({"password": "x" * 73}, 400, "validation_failed", id="73 bytes"),
        pytest.param({"password": PASSWORD}, 422, "same_password", id="the same password"),
        pytest.param(
            {"password": OTHER, "current_password": "wrong"}, 400, "current_password_invalid", id="wrong current one"
        ),
        pytest.param({"password": OTHER, "nonce": "123456"}, 422, "reauthentication_not_valid", id="wrong nonce"),
    ],
)
def test_refused_change_has_its_documented_code(
    with_auth: WithAuth, body: dict[str, object], status: int, code: str
) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        await auth.create("taken@example.com")
        token = (await auth.sign_in())["access_token"]
        answer = await auth.call("PUT", "/user", body, token=token)
        assert (answer.status, answer.code) == (status, code)
        assert (await auth.password()).status == 200  # nothing changed

    with_auth(scenario)


def test_promise_33_new_password_needs_proof_mails_the_user_and_ends_other_sessions(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        old = await auth.sign_in()
        auth.clock.move(86_401)
        current = (await auth.refresh(old["refresh_token"])).body
        other = await auth.sign_in()
        refused = await auth.call("PUT", "/user", {"password": OTHER}, token=current["access_token"])
        assert (refused.status, refused.code) == (400, "reauthentication_needed")
        body = {"password": OTHER, "current_password": PASSWORD}
        assert (await auth.call("PUT", "/user", body, token=current["access_token"])).status == 200
        assert (await auth.password(password=PASSWORD)).status == 400
        assert (await auth.password(password=OTHER)).status == 200
        assert (await auth.refresh(other["refresh_token"])).status == 400
        assert (await auth.call("GET", "/user", token=other["access_token"])).code == "session_not_found"
        assert (await auth.refresh(current["refresh_token"])).status == 200
        assert [mail["kind"] for mail in auth.mails()] == ["auth.password_changed"]

    with_auth(scenario, jwt_exp=200_000)


def test_promise_33_a_fresh_session_or_a_mailed_code_is_proof_too(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        session = await auth.sign_in()
        token = session["access_token"]
        assert (await auth.call("PUT", "/user", {"password": OTHER}, token=token)).status == 200
        auth.clock.move(86_401)
        assert (await auth.call("GET", "/reauthenticate", token=token)).body == {}
        code = code_of({"text": auth.mails()[-1]["text"].replace("go on:", "code:")})
        body = {"password": "third-stone-from-5", "nonce": code}
        assert (await auth.call("PUT", "/user", body, token=token)).status == 200
        body = {"password": "fourth-stone-from-6", "nonce": code}
        assert (await auth.call("PUT", "/user", body, token=token)).code == "reauthentication_not_valid"

    with_auth(scenario, jwt_exp=200_000)


def test_originals_password_change_without_proof_by_setting(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        auth.clock.move(86_401)
        assert (await auth.call("PUT", "/user", {"password": OTHER}, token=token)).status == 200

    with_auth(scenario, jwt_exp=200_000, update_password_reauthentication=False)


def test_current_password_can_be_made_a_must(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        answer = await auth.call("PUT", "/user", {"password": OTHER}, token=token)
        assert (answer.status, answer.code) == (400, "current_password_required")

    with_auth(scenario, update_password_current=True)


def test_new_address_takes_effect_when_both_agree(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create()
        token = (await auth.sign_in())["access_token"]
        answer = await auth.call("PUT", "/user", {"email": "New@example.com"}, token=token)
        assert answer.body["new_email"] == "new@example.com"
        assert answer.body["email"] == "ada@example.com"
        mails = {mail["to"][0]: mail for mail in auth.mails()}
        assert set(mails) == {"ada@example.com", "new@example.com"}
        half = await auth.call("GET", link_of(mails["new@example.com"]))
        assert "Please proceed to confirm link sent to the other email" in half.fragment["message"]
        assert (await auth.call("GET", "/user", token=token)).body["email"] == "ada@example.com"
        whole = await auth.call("GET", link_of(mails["ada@example.com"]))
        assert whole.fragment["type"] == "email_change"
        changed = (await auth.call("GET", "/user", token=whole.fragment["access_token"])).body
        assert (changed["id"], changed["email"]) == (user["id"], "new@example.com")
        assert "new_email" not in changed
        assert changed["identities"][0]["email"] == "new@example.com"
        assert (await auth.password("new@example.com")).status == 200
        assert (await auth.password("ada@example.com")).status == 400

    with_auth(scenario)


def test_new_address_by_codes_and_without_the_old_ones_consent_by_setting(with_auth: WithAuth) -> None:
    async def both(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        await auth.call("PUT", "/user", {"email": "new@example.com"}, token=token)
        for number, mail in enumerate(auth.mails()):
            body = {"type": "email_change", "email": mail["to"][0], "token": code_of(mail)}
            answer = await auth.call("POST", "/verify", body)
            assert answer.status == 200
            assert ("access_token" in answer.body) == (number == 1)
            if number == 0:
                assert answer.body["code"] == "200"

    async def one(auth: Auth) -> None:
        token = (await auth.sign_in("new@example.com"))["access_token"]
        await auth.call("PUT", "/user", {"email": "newer@example.com"}, token=token)
        (mail,) = auth.mails()[2:]
        assert mail["to"] == ["newer@example.com"]
        assert "access_token" in (await auth.call("GET", link_of(mail))).fragment

    with_auth(both, **LIMITS)
    with_auth(one, mailer_secure_email_change=False, **LIMITS)


def test_where_addresses_are_not_confirmed_one_link_changes_one_and_other_changes_are_kept(
    with_auth: WithAuth,
) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        body = {"email": "new@example.com", "data": {"name": "Ada"}}
        answer = await auth.call("PUT", "/user", body, token=token)
        assert (answer.body["email"], answer.body["new_email"]) == ("ada@example.com", "new@example.com")
        assert answer.body["user_metadata"] == {"name": "Ada", "email_verified": True}
        followed = await auth.call("GET", link_of(auth.mails()[0]))
        user = (await auth.call("GET", "/user", token=followed.fragment["access_token"])).body
        assert user["email"] == "new@example.com"
        assert "new_email" not in user

    with_auth(scenario, mailer_autoconfirm=True)


def test_token_of_another_audience_is_refused(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        answer = await auth.call("GET", "/user", token=token, headers={"x-jwt-aud": "other"})
        assert (answer.status, answer.code) == (400, "validation_failed")

    with_auth(scenario)


@pytest.mark.parametrize(
    ("scope", "left"),
    [("", []), ("global", []), ("local", ["second"]), ("others", ["first"])],
)
def test_promise_25_sign_out_ends_the_sessions_of_its_scope(with_auth: WithAuth, scope: str, left: list[str]) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        sessions = {"first": await auth.sign_in(), "second": await auth.sign_in()}
        path = f"/logout?scope={scope}" if scope else "/logout"
        answer = await auth.call("POST", path, token=sessions["first"]["access_token"])
        assert (answer.status, answer.raw) == (204, b"")
        alive = [name for name in sessions if (await auth.refresh(sessions[name]["refresh_token"])).status == 200]
        assert alive == left
        seen = {
            name: (await auth.call("GET", "/user", token=session["access_token"])).status
            for name, session in sessions.items()
        }
        assert seen == {name: 200 if name in left else 403 for name in sessions}

    with_auth(scenario)


def test_unknown_sign_out_scope_is_refused(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        answer = await auth.call("POST", "/logout?scope=galaxy", token=token)
        assert (answer.status, answer.body["message"]) == (400, 'Unsupported logout scope "galaxy"')

    with_auth(scenario)


@pytest.mark.parametrize(
    ("method", "body"),
    [
        pytest.param("PUT", {"ban_duration": "24h"}, id="ban"),
        pytest.param("DELETE", None, id="delete"),
        pytest.param("DELETE", {"should_soft_delete": True}, id="soft delete"),
        pytest.param("PUT", {"password": OTHER}, id="password set by an admin"),
    ],
)
def test_promise_25_ban_delete_and_password_end_sessions_at_once(
    with_auth: WithAuth, method: str, body: dict[str, object] | None
) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create()
        session = await auth.sign_in()
        assert (await auth.admin(method, f"/admin/users/{user['id']}", body)).status == 200
        assert (await auth.refresh(session["refresh_token"])).status == 400
        seen = await auth.call("GET", "/user", token=session["access_token"])
        assert (seen.status, seen.code in ("user_banned", "user_not_found", "session_not_found")) == (403, True)
        assert (await auth.password()).status == 400

    with_auth(scenario)


def test_promise_35_one_time_password_is_reported_until_it_is_changed(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create(app_metadata={"must_change_password": True})
        session = await auth.sign_in()
        assert "one_time" in session["weak_password"]["reasons"]
        assert session["user"]["app_metadata"]["must_change_password"] is True
        changed = await auth.call("PUT", "/user", {"password": OTHER}, token=session["access_token"])
        assert "must_change_password" not in changed.body["app_metadata"]
        assert "weak_password" not in await auth.sign_in(password=OTHER)

    with_auth(scenario)


def test_reauthentication_code_is_six_digits(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        await auth.call("GET", "/reauthenticate", token=token)
        assert re.search(r"code to go on: \d{6}\n", auth.mails()[0]["text"])
        soon = await auth.call("GET", "/reauthenticate", token=token)
        assert (soon.status, soon.code) == (429, "over_email_send_rate_limit")

    with_auth(scenario)


def test_audience_is_the_users_own_unless_another_is_asked_for(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create(aud="partners")
        assert (await auth.password()).code == "invalid_credentials"
        token = (await auth.sign_in(headers={"x-jwt-aud": "partners"}))["access_token"]
        assert (await auth.call("GET", "/user", token=token)).body["aud"] == "partners"
        other = {"x-jwt-aud": "authenticated"}
        assert (await auth.call("GET", "/user", token=token, headers=other)).code == "validation_failed"
        path = "/user/identities/4f9c0f2e-5d0f-4b0e-9f11-0b8b7d1e2a3c"
        refused = await auth.call("DELETE", path, token=token, headers=other)
        assert (refused.status, refused.code) == (403, "unexpected_audience")

    with_auth(scenario, manual_linking_enabled=True)


def test_account_of_single_sign_on_is_changed_there(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        auth.script("update auth.users set is_sso_user = true")
        for change in ({"email": "new@example.com"}, {"password": OTHER}, {"phone": "15085550100"}, {"nonce": "1"}):
            refused = await auth.call("PUT", "/user", change, token=token)
            assert (refused.status, refused.code) == (422, "user_sso_managed"), change
            words = "Updating email, phone, password of a SSO account only possible via SSO"
            assert refused.body["message"] == words
        kept = {"email": "ada@example.com", "data": {"name": "Ada"}}
        assert (await auth.call("PUT", "/user", kept, token=token)).status == 200

    with_auth(scenario)
