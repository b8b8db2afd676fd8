"""Passkeys: registered, signed in with, renamed, given up; each refusal has its code (contract section 21)."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyotp
import pytest

import gateway.auth.crypto.relying_party as relying_party
from gateway.auth.crypto.relying_party import encode
from gateway.auth.types import moment_of
from tests.gateway.auth.authenticator import Authenticator
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import Answer, Auth

ON: dict[str, Any] = {"passkeys_enabled": True}


async def token_of(auth: Auth, email: str = "ada@example.com") -> str:
    await auth.create(email)
    return str((await auth.sign_in(email))["access_token"])


async def register(auth: Auth, token: str, key: Authenticator, *, wait: float = 0) -> Answer:
    asked = await auth.call("POST", "/passkeys/registration/options", {}, token=token)
    assert asked.status == 200, asked.body
    auth.clock.move(wait)
    body = {"challenge_id": asked.body["challenge_id"], "credential": key.create(asked.body["options"])}
    return await auth.call("POST", "/passkeys/registration/verify", body, token=token)


async def come_in(auth: Auth, key: Authenticator, *, wait: float = 0) -> Answer:
    asked = await auth.call("POST", "/passkeys/authentication/options", {})
    assert asked.status == 200, asked.body
    auth.clock.move(wait)
    body = {"challenge_id": asked.body["challenge_id"], "credential": key.get(asked.body["options"])}
    return await auth.call("POST", "/passkeys/authentication/verify", body)


def test_passkey_is_registered_and_signs_its_holder_in(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, key = await token_of(auth), Authenticator()
        asked = (await auth.call("POST", "/passkeys/registration/options", {}, token=token)).body
        options = asked["options"]
        user = (await auth.call("GET", "/user", token=token)).body
        assert options["rp"] == {"name": "app.example.com", "id": "app.example.com"}
        assert options["user"] == {
            "name": "ada@example.com", "displayName": "ada@example.com", "id": encode(user["id"].encode()),
        }  # fmt: skip
        assert options["authenticatorSelection"] == {"residentKey": "required", "userVerification": "preferred"}
        assert (options["attestation"], options["timeout"]) == ("none", 300_000)
        assert "excludeCredentials" not in options and asked["expires_at"] == auth.clock.now + 300
        body = {"challenge_id": asked["challenge_id"], "credential": key.create(options)}
        made = await auth.call("POST", "/passkeys/registration/verify", body, token=token)
        assert made.status == 200 and made.body["friendly_name"] == "iCloud Keychain"
        listed = (await auth.call("GET", "/passkeys", token=token)).body
        assert listed == [{**made.body, "created_at": listed[0]["created_at"]}]
        again = (await auth.call("POST", "/passkeys/registration/options", {}, token=token)).body
        assert again["options"]["excludeCredentials"] == [{"type": "public-key", "id": encode(key.id)}]

        began = (await auth.call("POST", "/passkeys/authentication/options", {})).body
        assert "allowCredentials" not in began["options"] and began["options"]["userVerification"] == "preferred"
        key.count = 7
        answer = await come_in(auth, key)
        assert answer.status == 200, answer.body
        session = answer.body
        assert session["user"]["id"] == user["id"]
        claims = _claims(session["access_token"])
        assert (claims["aal"], [each["method"] for each in claims["amr"]]) == ("aal1", ["passkey"])
        assert auth.rows("select sign_count, backed_up, attestation_type from auth.webauthn_credentials") == [
            ("7", "t", "none")
        ]
        assert "last_used_at" in (await auth.call("GET", "/passkeys", token=token)).body[0]
        assert auth.audit()[-1]["traits"] == {"passkey_id": made.body["id"]}
        assert (await auth.call("GET", "/settings")).body["passkeys_enabled"] is True

    with_auth(scenario, **ON)


def _claims(token: str) -> dict[str, Any]:
    import jwt

    return dict(jwt.decode(token, options={"verify_signature": False}))


def test_every_path_of_passkeys_is_coded_while_they_are_off(with_shared_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        for method, path in (
            ("POST", "/passkeys/registration/options"), ("POST", "/passkeys/registration/verify"),
            ("POST", "/passkeys/authentication/options"), ("POST", "/passkeys/authentication/verify"),
            ("GET", "/passkeys"), ("GET", "/passkeys/"), ("PATCH", "/passkeys/x"), ("DELETE", "/passkeys/x"),
        ):  # fmt: skip
            answer = await auth.call(method, path)
            shown = {"code": "passkey_disabled", "message": "Passkeys are disabled"}
            assert (answer.status, answer.body) == (404, shown), path

    with_shared_auth(scenario)


def altered(**changes: Any) -> Callable[[Authenticator], Authenticator]:
    return lambda key: replace(key, **changes)


WRONG = {
    "another origin": altered(origin="https://evil.example"),
    "an origin that begins alike": altered(origin="https://app.example.com.evil.example"),
    "another site": altered(rp_id="evil.example"),
    "another challenge": altered(challenge=encode(b"x" * 32)),
    "nobody present": altered(flags=0x1C),
}


@pytest.mark.parametrize("title", WRONG)
def test_answer_that_does_not_hold_is_refused_and_its_challenge_used_up(with_auth: WithAuth, title: str) -> None:
    wrong = WRONG[title]

    async def scenario(auth: Auth) -> None:
        token, key = await token_of(auth), Authenticator()
        refused = await register(auth, token, wrong(key))
        assert (refused.status, refused.code) == (400, "webauthn_verification_failed")
        assert (await register(auth, token, key)).status == 200
        refused = await come_in(auth, wrong(key))
        assert (refused.status, refused.body["message"]) == (400, "Credential verification failed")
        assert auth.rows("select count(*) from auth.webauthn_challenges") == [("0",)]
        assert (await come_in(auth, key)).status == 200

    with_auth(scenario, **ON)


def test_another_key_is_refused(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, key = await token_of(auth), Authenticator()
        await register(auth, token, key)
        forged = replace(key, key=Authenticator().key)
        unknown = replace(Authenticator(), handle=key.handle)
        eve = Authenticator()
        await register(auth, await token_of(auth, "eve@example.com"), eve)
        nobody = replace(key, handle=b"00000000-0000-4000-8000-000000000000")
        odd = replace(key, handle=b"\xff\xfe")
        for wrong in (forged, unknown, replace(eve, handle=key.handle), nobody, odd):
            refused = await come_in(auth, wrong)
            assert (refused.status, refused.code) == (400, "webauthn_verification_failed")

    with_auth(scenario, **ON)


def test_challenge_is_good_once_for_its_user_and_kind(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, key = await token_of(auth), Authenticator()
        other = await token_of(auth, "eve@example.com")
        asked = (await auth.call("POST", "/passkeys/registration/options", {}, token=token)).body
        body = {"challenge_id": asked["challenge_id"], "credential": key.create(asked["options"])}
        for path, bearer in (("/passkeys/registration/verify", other), ("/passkeys/authentication/verify", None)):
            refused = await auth.call("POST", path, body, token=bearer)
            assert (refused.status, refused.code) == (400, "webauthn_challenge_not_found")
        assert (await auth.call("POST", "/passkeys/registration/verify", body, token=token)).status == 200
        again = await auth.call("POST", "/passkeys/registration/verify", body, token=token)
        assert again.code == "webauthn_challenge_not_found"
        late = await register(auth, token, Authenticator(), wait=301)
        assert (late.status, late.code) == (400, "webauthn_challenge_expired")
        late = await come_in(auth, key, wait=301)
        assert (late.status, late.code) == (400, "webauthn_challenge_expired")

    with_auth(scenario, **ON)


def test_credential_is_registered_once_by_anybody(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        key = Authenticator()
        await register(auth, await token_of(auth), key)
        again = await register(auth, await token_of(auth, "eve@example.com"), key)
        assert (again.status, again.code) == (422, "webauthn_credential_exists")

    with_auth(scenario, **ON)


def test_user_has_so_many_passkeys(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token = await token_of(auth)
        begun = [(await auth.call("POST", "/passkeys/registration/options", {}, token=token)).body for _ in range(3)]
        answers = []
        for asked in begun:
            body = {"challenge_id": asked["challenge_id"], "credential": Authenticator().create(asked["options"])}
            answers.append(await auth.call("POST", "/passkeys/registration/verify", body, token=token))
        assert [answer.status for answer in answers] == [200, 200, 422], "also of those that were begun before"
        refused = await auth.call("POST", "/passkeys/registration/options", {}, token=token)
        assert (refused.status, refused.code) == (422, "too_many_passkeys")

    with_auth(scenario, **ON, passkeys_most=2)


BODIES: list[tuple[Any, str, str]] = [
    ({}, "validation_failed", "challenge_id is required"),
    ({"challenge_id": "x"}, "validation_failed", "credential is required"),
    ({"challenge_id": "x", "credential": {}}, "validation_failed", "challenge_id must be a valid UUID"),
]


def test_bodies_that_say_nothing_are_refused(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, key = await token_of(auth), Authenticator()
        await register(auth, token, key)
        for path, bearer in (("registration", token), ("authentication", None)):
            for body, code, message in BODIES:
                answer = await auth.call("POST", f"/passkeys/{path}/verify", body, token=bearer)
                assert (answer.status, answer.code, answer.body["message"]) == (400, code, message)
            answer = await auth.call("POST", f"/passkeys/{path}/verify", raw=b"{", token=bearer)
            assert (answer.status, answer.code) == (400, "bad_json")
            for credential in (
                {}, {"id": 1}, {**key.get({"rpId": "a", "challenge": "b"}), "response": {}},
                {"id": "x", "rawId": "x", "type": "public-key", "response": {"clientDataJSON": "e30"}},
                {"id": "x" * 70_000},
            ):  # fmt: skip
                asked = (await auth.call("POST", f"/passkeys/{path}/options", {}, token=bearer)).body
                sent = {"challenge_id": asked["challenge_id"], "credential": credential}
                answer = await auth.call("POST", f"/passkeys/{path}/verify", sent, token=bearer)
                assert (answer.status, answer.body["message"]) == (400, "Invalid credential response")

    with_auth(scenario, **ON)


def test_unwelcome_holders_are_told_why(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, key = await token_of(auth), Authenticator()
        await register(auth, token, key)
        for change, code in (
            ("email_confirmed_at = null", "email_not_confirmed"),
            ("email_confirmed_at = now(), phone = '15085550100'", "phone_not_confirmed"),
            ("phone = null, banned_until = '2099-01-01'", "user_banned"),
        ):
            auth.script(f"update auth.users set {change}")
            refused = await come_in(auth, key)
            assert (refused.status, refused.code) == (403, code)

    with_auth(scenario, **ON)


def test_second_factor_is_needed_to_change_passkeys_and_not_to_see_them(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, key = await token_of(auth), Authenticator()
        made = (await register(auth, token, key)).body
        factor = (await auth.call("POST", "/factors", {"factor_type": "totp"}, token=token)).body
        challenge = (await auth.call("POST", f"/factors/{factor['id']}/challenge", {}, token=token)).body
        code = pyotp.TOTP(factor["totp"]["secret"]).at(moment_of(auth.clock.now))
        body = {"challenge_id": challenge["id"], "code": code}
        lifted = (await auth.call("POST", f"/factors/{factor['id']}/verify", body, token=token)).body["access_token"]
        weak = (await auth.sign_in())["access_token"]
        for method, path, sent in (
            ("POST", "/passkeys/registration/options", {}),
            ("POST", "/passkeys/registration/verify", {}),
            ("DELETE", f"/passkeys/{made['id']}", None),
        ):
            refused = await auth.call(method, path, sent, token=weak)
            assert (refused.status, refused.code) == (403, "insufficient_aal")
        assert (await auth.call("GET", "/passkeys", token=weak)).status == 200
        renamed = await auth.call("PATCH", f"/passkeys/{made['id']}", {"friendly_name": "Home"}, token=weak)
        assert (renamed.status, renamed.body["friendly_name"]) == (200, "Home")
        assert (await auth.call("DELETE", f"/passkeys/{made['id']}", token=lifted)).status == 204

    with_auth(scenario, **ON)


def test_names_and_ids_of_passkeys_are_judged(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, other = await token_of(auth), await token_of(auth, "eve@example.com")
        made = (await register(auth, token, Authenticator())).body
        path = f"/passkeys/{made['id']}"
        for name, message in (("", "friendly_name is required"),
                              ("ä" * 61, "friendly_name must be 120 characters or less")):  # fmt: skip
            refused = await auth.call("PATCH", path, {"friendly_name": name}, token=token)
            assert (refused.status, refused.body["message"]) == (400, message)
        for bearer, where in ((other, path), (token, "/passkeys/x"), (token, f"/passkeys/{'0' * 32}")):
            for method, body in (("PATCH", {"friendly_name": "Home"}), ("DELETE", None)):
                refused = await auth.call(method, where, body, token=bearer)
                assert (refused.status, refused.body) == (
                    404, {"code": "validation_failed", "message": "Passkey not found"},
                )  # fmt: skip

    with_auth(scenario, **ON)


def test_admin_sees_and_removes_passkeys_even_where_they_are_off(with_auth: WithAuth) -> None:
    async def on(auth: Auth) -> None:
        await register(auth, await token_of(auth), Authenticator())

    async def off(auth: Auth) -> None:
        (row,) = auth.rows("select user_id, id from auth.webauthn_credentials")
        path = f"/admin/users/{row[0]}/passkeys"
        assert [each["id"] for each in (await auth.admin("GET", path)).body] == [row[1]]
        assert (await auth.admin("DELETE", f"{path}/{row[1]}")).status == 204
        gone = await auth.admin("DELETE", f"{path}/{row[1]}")
        assert (gone.status, gone.code) == (404, "validation_failed")

    with_auth(on, **ON)
    with_auth(off)


def test_anonymous_and_sso_users_have_none(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        guest = (await auth.call("POST", "/signup", {})).body["access_token"]
        refused = await auth.call("POST", "/passkeys/registration/options", {}, token=guest)
        assert (refused.status, refused.code) == (403, "no_authorization")
        token = await token_of(auth)
        auth.script("update auth.users set is_sso_user = true where email is not null")
        refused = await auth.call("POST", "/passkeys/registration/options", {}, token=token)
        assert (refused.status, refused.body["message"]) == (422, "SSO users cannot register passkeys")

    with_auth(scenario, **ON, anonymous_users_enabled=True, disable_signup=False)


def test_forgotten_person_leaves_no_passkey(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, key = await token_of(auth), Authenticator()
        await register(auth, token, key)
        user = (await auth.call("GET", "/user", token=token)).body
        await auth.admin("DELETE", f"/admin/users/{user['id']}", {"should_soft_delete": True})
        assert auth.rows("select count(*) from auth.webauthn_credentials") == [("0",)]
        assert (await come_in(auth, key)).code == "webauthn_verification_failed"

    with_auth(scenario, **ON)


def test_library_is_loaded_with_the_first_answer_alone() -> None:
    tree = ast.parse(Path(relying_party.__file__).read_text())
    loaded = {
        name.split(".")[0]
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names])
    }
    assert "webauthn" not in loaded
