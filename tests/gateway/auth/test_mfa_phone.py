"""Numbers as second factors: off by default; the code goes through the hook that sends text messages."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import jwt
import pytest

from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.local import Asked, LocalServer, local_server
from tests.gateway.auth.service import Answer, Auth

PHONE = "+15085550100"
DIGITS = PHONE[1:]
OTHER = "+15085550199"


@pytest.fixture
def hook() -> Iterator[LocalServer]:
    """A hook that sends everything."""
    with local_server(lambda asked: (200, {})) as server:
        yield server


def on(server: LocalServer, **more: Any) -> dict[str, Any]:
    secrets = "v1,whsec_" + base64.b64encode(b"a secret of thirty-two characters").decode()
    hooked = {"sms_hook": server.url, "sms_hook_secrets": secrets}
    return {"mfa_phone_enroll": True, "mfa_phone_verify": True, **hooked, **more}


def sent(server: LocalServer) -> dict[str, Any]:
    """The last message."""
    return dict(json.loads(server.asked[-1].raw))


async def signed_in(auth: Auth, email: str = "ada@example.com") -> str:
    await auth.create(email)
    return str((await auth.sign_in(email))["access_token"])


async def enroll(auth: Auth, token: str, phone: str = PHONE, **more: Any) -> Answer:
    return await auth.call("POST", "/factors", {"factor_type": "phone", "phone": phone, **more}, token=token)


async def challenge(auth: Auth, token: str, factor: str, **body: Any) -> Answer:
    return await auth.call("POST", f"/factors/{factor}/challenge", body, token=token)


async def verify(auth: Auth, token: str, factor: str, challenge_id: str, code: str) -> Answer:
    return await auth.call(
        "POST", f"/factors/{factor}/verify", {"challenge_id": challenge_id, "code": code}, token=token
    )


async def lifted(auth: Auth, hook: LocalServer, token: str) -> tuple[str, dict[str, Any]]:
    """Enrol and prove a number; its factor's id, and the session."""
    factor = (await enroll(auth, token)).body["id"]
    challenge_id = (await challenge(auth, token, factor)).body["id"]
    answer = await verify(auth, token, factor, challenge_id, sent(hook)["sms"]["otp"])
    assert answer.status == 200, answer.body
    return factor, dict(answer.body)


def claims(token: str) -> dict[str, Any]:
    return dict(jwt.decode(token, options={"verify_signature": False}))


def wrong(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06}"


def test_code_of_a_message_lifts_the_session(with_auth: WithAuth, hook: LocalServer) -> None:
    async def scenario(auth: Auth) -> None:
        token = await signed_in(auth)
        answer = await enroll(auth, token, friendly_name="mine")
        factor = answer.body["id"]
        assert answer.status == 200
        assert answer.body == {"id": factor, "type": "phone", "friendly_name": "mine", "phone": PHONE}
        begun = await challenge(auth, token, factor)
        assert begun.status == 200 and set(begun.body) == {"id", "type", "expires_at"}
        assert begun.body["type"] == "phone" and begun.body["expires_at"] == int(auth.clock.now) + 300
        message = sent(hook)
        code = message["sms"]["otp"]
        assert message["sms"] == {"otp": code, "sms_type": "mfa", "phone": DIGITS}
        assert len(code) == 6 and message["user"]["email"] == "ada@example.com"
        refused = await verify(auth, token, factor, begun.body["id"], wrong(code))
        assert (refused.status, refused.code) == (422, "mfa_verification_failed")
        assert refused.body["message"] == "Invalid MFA Phone code entered"
        answer = await verify(auth, token, factor, begun.body["id"], code)
        assert answer.status == 200, answer.body
        session = claims(answer.body["access_token"])
        assert session["aal"] == "aal2" and session["session_id"] == claims(token)["session_id"]
        assert {entry["method"] for entry in session["amr"]} == {"password", "mfa/phone"}
        (shown,) = answer.body["user"]["factors"]
        assert (shown["factor_type"], shown["phone"], shown["status"]) == ("phone", DIGITS, "verified")
        again = await verify(auth, answer.body["access_token"], factor, begun.body["id"], code)
        assert (again.status, again.code) == (422, "mfa_ip_address_mismatch")

    with_auth(scenario, **on(hook))


def test_code_is_kept_as_a_hash(with_auth: WithAuth, hook: LocalServer) -> None:
    async def scenario(auth: Auth) -> None:
        token = await signed_in(auth)
        factor = (await enroll(auth, token)).body["id"]
        await challenge(auth, token, factor)
        ((kept,),) = auth.rows("select otp_code from auth.mfa_challenges where factor_id = $1", factor)
        assert kept and sent(hook)["sms"]["otp"] not in kept

    with_auth(scenario, **on(hook))


def test_refusals(with_auth: WithAuth, hook: LocalServer) -> None:
    async def scenario(auth: Auth) -> None:
        token = await signed_in(auth)

        def told(answer: Answer) -> tuple[int, str, str]:
            return answer.status, answer.code or "", answer.body["message"]

        answer = await auth.call("POST", "/factors", {"factor_type": "phone"}, token=token)
        assert told(answer) == (400, "validation_failed", "Phone number required to enroll Phone factor")
        assert told(await enroll(auth, token, "seven")) == (
            400, "validation_failed", "Invalid phone number format (E.164 required)",
        )  # fmt: skip
        factor, session = await lifted(auth, hook, token)
        assert told(await enroll(auth, session["access_token"])) == (
            422,
            "mfa_verified_factor_exists",
            "A verified phone factor already exists, unenroll the existing factor to continue",
        )
        weak = (await auth.sign_in())["access_token"]
        assert told(await enroll(auth, weak, OTHER, friendly_name="other")) == (
            403, "insufficient_aal", "AAL2 required to enroll a new factor",
        )  # fmt: skip
        assert told(await challenge(auth, weak, factor, channel="pigeon")) == (
            400, "validation_failed", "Invalid channel, supported values are 'sms' or 'whatsapp'",
        )  # fmt: skip
        answer = await challenge(auth, weak, factor)
        assert told(answer) == (
            429,
            "over_sms_send_rate_limit",
            "For security purposes, you can only request this after 60 seconds.",
        )
        auth.clock.move(61)
        assert (await challenge(auth, weak, factor)).status == 200

    with_auth(scenario, **on(hook))


def test_enrolment_begun_anew_takes_the_place_of_the_former(with_auth: WithAuth, hook: LocalServer) -> None:
    async def scenario(auth: Auth) -> None:
        token = await signed_in(auth)
        first = (await enroll(auth, token, friendly_name="mine")).body["id"]
        second = (await enroll(auth, token, friendly_name="mine")).body["id"]
        factors = (await auth.call("GET", "/user", token=token)).body["factors"]
        assert [item["id"] for item in factors] == [second] and second != first

    with_auth(scenario, **on(hook))


def test_factor_given_up_takes_its_proof_back(with_auth: WithAuth, hook: LocalServer) -> None:
    async def scenario(auth: Auth) -> None:
        factor, session = await lifted(auth, hook, await signed_in(auth))
        answer = await auth.call("DELETE", f"/factors/{factor}", token=session["access_token"])
        assert (answer.status, answer.body) == (200, {"id": factor})
        refreshed = claims((await auth.refresh(session["refresh_token"])).body["access_token"])
        assert refreshed["aal"] == "aal1" and [entry["method"] for entry in refreshed["amr"]] == ["password"]

    with_auth(scenario, **on(hook))


def test_admin_gives_the_factor_another_number(with_auth: WithAuth, hook: LocalServer) -> None:
    async def scenario(auth: Auth) -> None:
        factor, session = await lifted(auth, hook, await signed_in(auth))
        token, path = session["access_token"], f"/admin/users/{session['user']['id']}/factors/{factor}"
        auth.clock.move(61)
        former = (await challenge(auth, token, factor)).body["id"]
        code = sent(hook)["sms"]["otp"]
        answer = await auth.admin("PUT", path, {"phone": "seven"})
        assert (answer.status, answer.code) == (400, "validation_failed")
        answer = await auth.admin("PUT", path, {"phone": OTHER})
        assert (answer.status, answer.body["phone"]) == (200, OTHER[1:])
        # What went to the former number proves nothing any more.
        assert (await verify(auth, token, factor, former, code)).code == "mfa_factor_not_found"
        assert (await challenge(auth, token, factor)).status == 200
        assert sent(hook)["sms"]["phone"] == OTHER[1:]

    with_auth(scenario, **on(hook))


def test_off_by_default_each_for_itself(with_auth: WithAuth, hook: LocalServer) -> None:
    async def enrolling(auth: Auth) -> None:
        answer = await enroll(auth, await signed_in(auth))
        assert (answer.status, answer.code) == (422, "mfa_phone_enroll_not_enabled")

    async def verifying(auth: Auth) -> None:
        token = await signed_in(auth, "bob@example.com")
        factor = (await enroll(auth, token)).body["id"]
        for answer in (await challenge(auth, token, factor), await verify(auth, token, factor, factor, "123456")):
            assert (answer.status, answer.code) == (422, "mfa_phone_verify_not_enabled")

    with_auth(enrolling, **on(hook, mfa_phone_enroll=False))
    with_auth(verifying, **on(hook, mfa_phone_verify=False))


def test_message_that_cannot_be_sent_leaves_no_challenge(with_auth: WithAuth) -> None:
    def refuse(asked: Asked) -> tuple[int, Any]:
        return 200, {"error": {"http_code": 500, "message": "no credit"}}

    async def scenario(auth: Auth) -> None:
        token = await signed_in(auth)
        factor = (await enroll(auth, token)).body["id"]
        for _ in range(2):  # and none that has to be waited for
            answer = await challenge(auth, token, factor)
            assert (answer.status, answer.code) == (422, "sms_send_failed")
        assert not auth.rows("select id from auth.mfa_challenges where factor_id = $1", factor)

    async def nowhere(auth: Auth) -> None:
        # A fixed code is for signing in; no second factor rests on one.
        token = await signed_in(auth, "bob@example.com")
        factor = (await enroll(auth, token)).body["id"]
        assert (await challenge(auth, token, factor)).code == "sms_send_failed"

    with local_server(refuse) as server:
        with_auth(scenario, **on(server))
        with_auth(nowhere, **on(server, sms_test_otp=(f"{DIGITS}:123456",)) | {"sms_hook": ""})
