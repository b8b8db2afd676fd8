"""Second factors: enrol, challenge, verify, what they lift and end, and the admin's view."""

from __future__ import annotations

import asyncio
from typing import Any

import jwt
import pyotp
import pytest

from gateway.auth.types import moment_of
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import Auth

NOBODY = "4f9c0f2e-5d0f-4b0e-9f11-0b8b7d1e2a3c"


async def enroll(auth: Auth, token: str, name: str = "phone") -> dict[str, Any]:
    answer = await auth.call("POST", "/factors", {"factor_type": "totp", "friendly_name": name}, token=token)
    assert answer.status == 200, answer.body
    return dict(answer.body)


def code_now(auth: Auth, factor: dict[str, Any], offset: int = 0) -> str:
    return pyotp.TOTP(factor["totp"]["secret"]).at(moment_of(auth.clock.now + 30 * offset))


async def lift(auth: Auth, token: str, factor: dict[str, Any]) -> dict[str, Any]:
    """Prove the factor; the session at aal2."""
    challenge = (await auth.call("POST", f"/factors/{factor['id']}/challenge", {}, token=token)).body
    body = {"challenge_id": challenge["id"], "code": code_now(auth, factor)}
    answer = await auth.call("POST", f"/factors/{factor['id']}/verify", body, token=token)
    assert answer.status == 200, answer.body
    return dict(answer.body)


def claims(token: str) -> dict[str, Any]:
    return dict(jwt.decode(token, options={"verify_signature": False}))


def test_factor_lifts_the_session_and_ends_those_without_it(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        other = await auth.sign_in()
        session = await auth.sign_in()
        token = session["access_token"]
        factor = await enroll(auth, token)
        assert factor["type"] == "totp"
        assert factor["totp"]["qr_code"].startswith("<svg")
        assert not set("#\n") & set(factor["totp"]["qr_code"])  # it is put into a data URL
        assert factor["totp"]["uri"].startswith("otpauth://totp/app.example.com:ada%40example.com?secret=")
        unverified = await enroll(auth, token, "tablet")
        lifted = await lift(auth, token, factor)
        assert claims(lifted["access_token"])["aal"] == "aal2"
        methods = {entry["method"] for entry in claims(lifted["access_token"])["amr"]}
        assert methods == {"password", "totp"}
        assert claims(lifted["access_token"])["session_id"] == claims(token)["session_id"]
        assert [(item["id"], item["status"]) for item in lifted["user"]["factors"]] == [(factor["id"], "verified")]
        assert unverified["id"] not in str(lifted["user"]["factors"])
        assert "secret" not in lifted["user"]["factors"][0]
        assert (await auth.refresh(other["refresh_token"])).status == 400
        refreshed = (await auth.refresh(lifted["refresh_token"])).body
        assert claims(refreshed["access_token"])["aal"] == "aal2"
        assert claims((await auth.sign_in())["access_token"])["aal"] == "aal1"

    with_auth(scenario)


def test_refresh_token_of_before_the_proof_is_not_the_newest_one(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        session = await auth.sign_in()
        await lift(auth, session["access_token"], await enroll(auth, session["access_token"]))
        auth.clock.move(11)
        assert (await auth.refresh(session["refresh_token"])).code == "refresh_token_already_used"

    with_auth(scenario)


@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_codes_of_neighbouring_half_minutes_are_taken(with_auth: WithAuth, offset: int) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        factor = await enroll(auth, token)
        challenge = (await auth.call("POST", f"/factors/{factor['id']}/challenge", {}, token=token)).body
        body = {"challenge_id": challenge["id"], "code": code_now(auth, factor, offset)}
        assert (await auth.call("POST", f"/factors/{factor['id']}/verify", body, token=token)).status == 200

    with_auth(scenario)


def test_refusals_have_their_documented_codes(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        session = await auth.sign_in()
        token = session["access_token"]
        factor = await enroll(auth, token)
        path = f"/factors/{factor['id']}"

        async def refused(method: str, path: str, body: Any, status: int, code: str, **more: Any) -> None:
            answer = await auth.call(method, path, body, token=token, **more)
            assert (answer.status, answer.code) == (status, code), (method, path, body, answer.body)

        await refused(
            "POST", "/factors", {"factor_type": "totp", "friendly_name": "phone"}, 422, "mfa_factor_name_conflict"
        )
        await refused("POST", "/factors", {"factor_type": "phone"}, 422, "mfa_phone_enroll_not_enabled")
        await refused("POST", "/factors", {"factor_type": "webauthn"}, 422, "mfa_webauthn_enroll_not_enabled")
        await refused("POST", "/factors", {"factor_type": "key"}, 400, "validation_failed")
        await refused("POST", f"/factors/{NOBODY}/challenge", {}, 404, "mfa_factor_not_found")
        await refused("DELETE", "/factors/seven", None, 404, "validation_failed")
        challenge = (await auth.call("POST", f"{path}/challenge", {}, token=token)).body
        right, wrong = code_now(auth, factor), f"{(int(code_now(auth, factor)) + 500_000) % 1_000_000:06}"
        verify = f"{path}/verify"
        await refused("POST", verify, {"challenge_id": NOBODY, "code": right}, 422, "mfa_factor_not_found")
        await refused("POST", verify, {"challenge_id": challenge["id"], "code": wrong}, 422, "mfa_verification_failed")
        await refused("POST", verify, {"challenge_id": challenge["id"], "code": "x"}, 422, "mfa_verification_failed")
        await refused("POST", verify, {"challenge_id": challenge["id"]}, 400, "validation_failed")
        body = {"challenge_id": challenge["id"], "code": right}
        await refused("POST", verify, body, 422, "mfa_ip_address_mismatch", client="198.51.100.7")
        auth.clock.move(301)
        body = {"challenge_id": challenge["id"], "code": code_now(auth, factor)}
        await refused("POST", verify, body, 422, "mfa_challenge_expired")

    with_auth(scenario)


def test_challenge_is_answered_once(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        factor = await enroll(auth, token)
        challenge = (await auth.call("POST", f"/factors/{factor['id']}/challenge", {}, token=token)).body
        body = {"challenge_id": challenge["id"], "code": code_now(auth, factor)}
        answer = await auth.call("POST", f"/factors/{factor['id']}/verify", body, token=token)
        assert answer.status == 200, answer.body
        again = await auth.call("POST", f"/factors/{factor['id']}/verify", body, token=answer.body["access_token"])
        assert (again.status, again.code) == (422, "mfa_ip_address_mismatch")
        assert again.body["message"] == "Challenge and verify IP addresses mismatch."

    with_auth(scenario)


def test_verified_factor_guards_factors_password_and_itself(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        first = (await auth.sign_in())["access_token"]
        factor = await enroll(auth, first)
        lifted = (await lift(auth, first, factor))["access_token"]
        weak = (await auth.sign_in())["access_token"]
        more = await auth.call("POST", "/factors", {"factor_type": "totp"}, token=weak)
        assert (more.status, more.code) == (403, "insufficient_aal")
        for change in ({"password": "another-lantern-5"}, {"email": "new@example.com"}, {"phone": "15085550100"}):
            refused = await auth.call("PUT", "/user", change, token=weak)
            assert (refused.status, refused.code) == (401, "insufficient_aal"), change
        assert (await auth.call("PUT", "/user", {"data": {"name": "Ada"}}, token=weak)).status == 200
        removed = await auth.call("DELETE", f"/factors/{factor['id']}", token=weak)
        assert (removed.status, removed.code) == (422, "insufficient_aal")
        removed = await auth.call("DELETE", f"/factors/{factor['id']}", token=lifted)
        assert removed.body == {"id": factor["id"]}
        assert auth.rows("select count(*) from auth.sessions where aal <> 'aal1'") == [("0",)]

    with_auth(scenario)


def test_wrong_codes_slow_the_factor_down(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        factor = await enroll(auth, token)
        challenge = (await auth.call("POST", f"/factors/{factor['id']}/challenge", {}, token=token)).body
        wrong = f"{(int(code_now(auth, factor)) + 500_000) % 1_000_000:06}"
        body = {"challenge_id": challenge["id"], "code": wrong}
        statuses = [
            (await auth.call("POST", f"/factors/{factor['id']}/verify", body, token=token)).status for _ in range(8)
        ]
        assert statuses == [422] * 6 + [429] * 2

    with_auth(scenario)


def test_number_of_factors_is_limited(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        await enroll(auth, token, "one")
        await enroll(auth, token, "two")
        answer = await auth.call("POST", "/factors", {"factor_type": "totp"}, token=token)
        assert (answer.status, answer.code) == (422, "too_many_enrolled_mfa_factors")

    with_auth(scenario, mfa_max_factors=2)


def test_totp_can_be_turned_off(with_auth: WithAuth) -> None:
    async def prepare(auth: Auth) -> None:
        await auth.create()
        await enroll(auth, (await auth.sign_in())["access_token"])

    async def scenario(auth: Auth) -> None:
        session = await auth.sign_in()
        token, factor = session["access_token"], session["user"]["factors"][0]
        answer = await auth.call("POST", "/factors", {"factor_type": "totp"}, token=token)
        assert answer.code == "mfa_totp_enroll_not_enabled"
        answer = await auth.call("POST", f"/factors/{factor['id']}/challenge", {}, token=token)
        assert answer.code == "mfa_totp_verify_not_enabled"

    with_auth(prepare)
    with_auth(scenario, mfa_totp_enroll=False, mfa_totp_verify=False)


def test_admin_lists_renames_and_removes_a_lost_factor(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create()
        token = (await auth.sign_in())["access_token"]
        factor = await enroll(auth, token)
        lifted = await lift(auth, token, factor)
        path = f"/admin/users/{user['id']}/factors"
        listed = (await auth.admin("GET", path)).body
        assert [(item["id"], item["factor_type"]) for item in listed] == [(factor["id"], "totp")]
        renamed = await auth.admin("PUT", f"{path}/{factor['id']}", {"friendly_name": "old phone"})
        assert renamed.body["friendly_name"] == "old phone"
        removed = await auth.admin("DELETE", f"{path}/{factor['id']}")
        assert removed.body["id"] == factor["id"]
        assert (await auth.admin("DELETE", f"{path}/{factor['id']}")).code == "mfa_factor_not_found"
        refreshed = (await auth.refresh(lifted["refresh_token"])).body
        assert claims(refreshed["access_token"])["aal"] == "aal1"

    with_auth(scenario)


def test_session_without_the_factor_ends_where_settings_say_so(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        await lift(auth, token, await enroll(auth, token))
        session = await auth.sign_in()
        auth.clock.move(3601)
        answer = await auth.refresh(session["refresh_token"])
        assert "Low AAL" in answer.body["message"]

    with_auth(scenario, sessions_low_aal=3600)


def test_factor_without_a_name_is_the_only_one_until_its_enrolment_is_given_up(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        first = await auth.call("POST", "/factors", {"factor_type": "totp"}, token=token)
        assert first.body["friendly_name"] == ""
        again = await auth.call("POST", "/factors", {"factor_type": "totp"}, token=token)
        assert (again.status, again.code) == (422, "mfa_factor_name_conflict")
        assert again.body["message"] == 'A factor with the friendly name "" for this user already exists'
        auth.clock.move(301)
        later = await auth.call("POST", "/factors", {"factor_type": "totp"}, token=token)
        assert later.status == 200
        user = (await auth.call("GET", "/user", token=token)).body
        assert [factor["id"] for factor in user["factors"]] == [later.body["id"]]
        assert "friendly_name" not in user["factors"][0]

    with_auth(scenario)


async def prove(auth: Auth, token: str, factor: dict[str, Any], code: str) -> Any:
    challenge = (await auth.call("POST", f"/factors/{factor['id']}/challenge", {}, token=token)).body
    body = {"challenge_id": challenge["id"], "code": code}
    return await auth.call("POST", f"/factors/{factor['id']}/verify", body, token=token)


@pytest.mark.parametrize("offset", [-1, 0, 1])
def test_code_works_once_within_its_window(with_auth: WithAuth, offset: int) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        factor = await enroll(auth, token)
        code = code_now(auth, factor, offset)
        assert (await prove(auth, token, factor, code)).status == 200
        for _ in range(3):
            assert (await prove(auth, token, factor, code)).code == "mfa_verification_failed"
        for earlier in range(-1, offset):
            assert (await prove(auth, token, factor, code_now(auth, factor, earlier))).code == "mfa_verification_failed"
        auth.clock.move(90)
        assert (await prove(auth, token, factor, code_now(auth, factor))).status == 200

    with_auth(scenario, auth_address_limits=False)


def test_right_code_sent_many_times_at_once_works_once(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        factor = await enroll(auth, token)
        answers = await asyncio.gather(*(prove(auth, token, factor, code_now(auth, factor)) for _ in range(5)))
        assert sum(answer.status == 200 for answer in answers) == 1

    with_auth(scenario)


def test_challenges_at_once_do_not_wait_for_each_other(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        path = f"/factors/{(await enroll(auth, token))['id']}/challenge"
        for _ in range(30):
            auth.clock.move(1)
            answers = await asyncio.gather(*(auth.call("POST", path, {}, token=token) for _ in range(20)))
            assert {answer.status for answer in answers} == {200}

    with_auth(scenario, auth_address_limits=False)


def test_code_used_while_the_clock_ran_ahead_does_not_lock_the_factor(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        factor = await enroll(auth, token)
        auth.clock.move(5 * 3600)
        assert (await prove(auth, (await auth.sign_in())["access_token"], factor, code_now(auth, factor))).status == 200
        auth.clock.move(-5 * 3600)
        token = (await auth.sign_in())["access_token"]
        assert (await prove(auth, token, factor, code_now(auth, factor))).status == 200
        assert (await prove(auth, token, factor, code_now(auth, factor))).code == "mfa_verification_failed"

    with_auth(scenario, auth_address_limits=False)
