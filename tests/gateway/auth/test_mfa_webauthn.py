"""Security keys as second factors, against an authenticator in software (contract section 14)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gateway.auth.crypto.relying_party import ALGORITHMS, encode
from tests.gateway.auth.authenticator import Authenticator
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import Answer, Auth

ON: dict[str, Any] = {"mfa_webauthn_enroll": True, "mfa_webauthn_verify": True}
# What clients add and the server knows better.
CLAIMED = {"rpId": "evil.example", "rpOrigins": ["https://evil.example"]}


async def enroll(auth: Auth, token: str, name: str = "key") -> Answer:
    return await auth.call("POST", "/factors", {"factor_type": "webauthn", "friendly_name": name}, token=token)


async def challenge(auth: Auth, factor: str, token: str) -> dict[str, Any]:
    body = {"factorId": factor, "webauthn": CLAIMED}
    answer = await auth.call("POST", f"/factors/{factor}/challenge", body, token=token)
    assert answer.status == 200, answer.body
    return dict(answer.body)


async def answered(auth: Auth, factor: str, token: str, key: Authenticator, **more: Any) -> Answer:
    """Ask a factor and send what an authenticator says."""
    asked = await challenge(auth, factor, token)
    kind, options = asked["webauthn"]["type"], asked["webauthn"]["credential_options"]["publicKey"]
    response = key.create(options) if kind == "create" else key.get(options)
    sent = {"type": kind, "credential_response": response, **CLAIMED, **more}
    body = {"challenge_id": asked["id"], "webauthn": sent}
    return await auth.call("POST", f"/factors/{factor}/verify", body, token=token)


async def signed_in(auth: Auth) -> str:
    await auth.create()
    return str((await auth.sign_in())["access_token"])


def test_security_key_is_enrolled_and_lifts_sessions(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, key = await signed_in(auth), Authenticator()
        made = (await enroll(auth, token)).body
        assert made == {"id": made["id"], "type": "webauthn", "friendly_name": "key"}
        asked = await challenge(auth, made["id"], token)
        assert (asked["type"], asked["expires_at"], asked["webauthn"]["type"]) == (
            "webauthn", auth.clock.now + 300, "create",
        )  # fmt: skip
        options = asked["webauthn"]["credential_options"]["publicKey"]
        assert options["authenticatorSelection"] == {}
        assert {"attestation", "excludeCredentials"}.isdisjoint(options)
        assert [each["alg"] for each in options["pubKeyCredParams"]] == list(ALGORITHMS)

        lifted = await answered(auth, made["id"], token, key)
        assert lifted.status == 200, lifted.body
        (factor,) = lifted.body["user"]["factors"]
        assert (factor["status"], factor["web_authn_aaguid"]) == ("verified", "fbfc3007-154e-4ecc-8c0b-6e020557d7bd")
        assert factor["last_webauthn_challenge_data"]["type"] == "create"
        assert "credential" not in " ".join(factor)
        assert auth.rows("select count(*) from auth.mfa_challenges where factor_id = $1 and verified_at is not null",
                         made["id"]) == [("0",)]  # fmt: skip

        weak = (await auth.sign_in())["access_token"]
        auth.clock.move(1)
        asked = await challenge(auth, made["id"], weak)
        options = asked["webauthn"]["credential_options"]["publicKey"]
        assert asked["webauthn"]["type"] == "request"
        assert options["allowCredentials"] == [{"type": "public-key", "id": encode(key.id), "transports": ["internal"]}]
        assert options["rpId"] == "app.example.com" and "userVerification" not in options
        again = await answered(auth, made["id"], weak, key)
        assert again.status == 200
        claims = _claims(again.body["access_token"])
        assert (claims["aal"], claims["amr"][0]["method"]) == ("aal2", "mfa/webauthn")
        gone = await auth.call("DELETE", f"/factors/{made['id']}", token=again.body["access_token"])
        assert gone.status == 200
        assert auth.rows("select distinct aal from auth.sessions") == [("aal1",)]

    with_auth(scenario, **ON)


def _claims(token: str) -> dict[str, Any]:
    import jwt

    return dict(jwt.decode(token, options={"verify_signature": False}))


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"origin": "https://evil.example"}, id="another origin"),
        pytest.param({"rp_id": "evil.example"}, id="another site"),
        pytest.param({"challenge": encode(b"x" * 32)}, id="another challenge"),
        pytest.param({"flags": 0x1C}, id="nobody present"),
    ],
)
def test_answer_that_does_not_hold_lifts_nothing(with_auth: WithAuth, wrong: dict[str, Any]) -> None:
    async def scenario(auth: Auth) -> None:
        token, key = await signed_in(auth), Authenticator()
        factor = (await enroll(auth, token)).body["id"]
        refused = await answered(auth, factor, token, replace(key, **wrong))
        assert (refused.status, refused.code) == (422, "mfa_verification_failed")
        token = (await answered(auth, factor, token, key)).body["access_token"]
        refused = await answered(auth, factor, token, replace(key, **wrong))
        assert (refused.status, refused.code) == (422, "mfa_verification_failed")
        stranger = await answered(auth, factor, token, Authenticator())
        assert (stranger.status, stranger.code) == (422, "mfa_verification_failed")
        forged = await answered(auth, factor, token, replace(key, key=Authenticator().key))
        assert (forged.status, forged.code) == (422, "mfa_verification_failed")

    with_auth(scenario, **ON)


def test_verified_factor_is_not_made_anew_and_a_new_one_not_asked(with_auth: WithAuth) -> None:
    """Creation of a fresh credential in place of a proof would let anybody with the session pass."""

    async def scenario(auth: Auth) -> None:
        token, key = await signed_in(auth), Authenticator()
        factor = (await enroll(auth, token)).body["id"]
        refused = await answered(auth, factor, token, key, type="request")
        assert refused.status == 422
        await answered(auth, factor, token, key)
        weak = (await auth.sign_in())["access_token"]
        asked = await challenge(auth, factor, weak)
        options = asked["webauthn"]["credential_options"]["publicKey"]
        fresh = Authenticator().create({"rp": {"id": options["rpId"]}, "user": {"id": "eA"}, **options})
        body = {"challenge_id": asked["id"], "webauthn": {"type": "create", "credential_response": fresh}}
        refused = await auth.call("POST", f"/factors/{factor}/verify", body, token=weak)
        assert (refused.status, refused.code) == (422, "mfa_verification_failed")

    with_auth(scenario, **ON)


def test_challenge_works_once_within_its_time(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, key = await signed_in(auth), Authenticator()
        factor = (await enroll(auth, token)).body["id"]
        asked = await challenge(auth, factor, token)
        options = asked["webauthn"]["credential_options"]["publicKey"]
        body = {"challenge_id": asked["id"], "webauthn": {"type": "create", "credential_response": key.create(options)}}
        token = (await auth.call("POST", f"/factors/{factor}/verify", body, token=token)).body["access_token"]
        again = await auth.call("POST", f"/factors/{factor}/verify", body, token=token)
        assert (again.status, again.code) == (422, "mfa_factor_not_found")
        asked = await challenge(auth, factor, token)
        options = asked["webauthn"]["credential_options"]["publicKey"]
        body = {"challenge_id": asked["id"], "webauthn": {"type": "request", "credential_response": key.get(options)}}
        auth.clock.move(301)
        late = await auth.call("POST", f"/factors/{factor}/verify", body, token=token)
        assert (late.status, late.code) == (422, "mfa_challenge_expired")

    with_auth(scenario, **ON)


def test_bodies_and_names_are_judged(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token = await signed_in(auth)
        factor = (await enroll(auth, token, "")).body["id"]
        twice = await enroll(auth, token, "")
        assert (twice.status, twice.code) == (422, "mfa_factor_name_conflict")
        empty = await auth.call("POST", f"/factors/{factor}/challenge", token=token)
        assert (empty.status, empty.code) == (400, "bad_json")
        path = f"/factors/{factor}/verify"
        for sent, message in (
            ({}, "WebAuthn config required"),
            ({"webauthn": {}}, "WebAuthn type must be create or request"),
            ({"webauthn": {"type": "x"}}, "WebAuthn type must be create or request"),
            ({"webauthn": {"type": "create"}}, "credential_response required"),
        ):
            refused = await auth.call("POST", path, sent, token=token)
            assert (refused.status, refused.code, refused.body["message"]) == (400, "validation_failed", message)
        asked = await challenge(auth, factor, token)
        sent = {"challenge_id": asked["id"], "webauthn": {"type": "create", "credential_response": {"id": 1}}}
        refused = await auth.call("POST", path, sent, token=token)
        assert (refused.status, refused.body["message"]) == (400, "Invalid credential_response")

    with_auth(scenario, **ON)


def test_each_half_has_its_switch(with_auth: WithAuth) -> None:
    async def none(auth: Auth) -> None:
        refused = await enroll(auth, await signed_in(auth))
        assert (refused.status, refused.code) == (422, "mfa_webauthn_enroll_not_enabled")

    async def half(auth: Auth) -> None:
        token = (await auth.sign_in())["access_token"]
        factor = (await enroll(auth, token)).body["id"]
        refused = await auth.call("POST", f"/factors/{factor}/challenge", {}, token=token)
        assert (refused.status, refused.code) == (422, "mfa_webauthn_verify_not_enabled")
        refused = await auth.call("POST", f"/factors/{factor}/verify", {}, token=token)
        assert (refused.status, refused.body) == (
            422,
            {"code": "mfa_webauthn_enroll_not_enabled", "message": "MFA verification is disabled for WebAuthn"},
        )

    with_auth(none)
    with_auth(half, mfa_webauthn_enroll=True)


def test_key_of_a_hosted_project_goes_on(with_auth: WithAuth) -> None:
    """Its row, with bytes in the original's base64, is read as ours is."""

    async def scenario(auth: Auth) -> None:
        token, key = await signed_in(auth), Authenticator()
        factor = (await enroll(auth, token)).body["id"]
        await answered(auth, factor, token, key)
        (stored,) = auth.rows("select web_authn_credential ->> 'id', web_authn_credential -> 'flags' ->> 'backupState'"
                              " from auth.mfa_factors")  # fmt: skip
        import base64

        assert stored == (base64.b64encode(key.id).decode(), "true")

    with_auth(scenario, **ON)
