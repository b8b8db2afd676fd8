"""Sign-in at other applications by this one: registration, consent, tokens, who is refused (contract section 22)."""

from __future__ import annotations

import asyncio
import base64
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
import pytest

from gateway.auth.flows.oauth_registration import hash_secret
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import Answer, Auth
from tests.gateway.auth.test_links import CHALLENGE, VERIFIER

ON: dict[str, Any] = {
    "oauth_server_enabled": True, "oauth_server_registration": True, "oauth_server_path": "/oauth/consent",
}  # fmt: skip
BACK = "https://client.example/callback"
FORM = {"content-type": "application/x-www-form-urlencoded"}


async def client_of(auth: Auth, **more: Any) -> dict[str, Any]:
    answer = await auth.admin("POST", "/admin/oauth/clients", {"redirect_uris": [BACK], "client_name": "Other", **more})
    assert answer.status == 201, answer.body
    return dict(answer.body)


async def token_of(auth: Auth, email: str = "ada@example.com") -> str:
    await auth.create(email, user_metadata={"name": "Ada", "avatar_url": "https://app.example/ada.png"})
    return str((await auth.sign_in(email))["access_token"])


async def ask(auth: Auth, client: dict[str, Any], **more: str) -> Answer:
    query = {
        "client_id": client["client_id"], "redirect_uri": BACK, "response_type": "code", "state": "s t&=",
        "code_challenge": CHALLENGE, "code_challenge_method": "S256", **more,
    }  # fmt: skip
    given = urlencode({name: value for name, value in query.items() if value is not None})
    return await auth.call("GET", f"/oauth/authorize?{given}")


async def asked(auth: Auth, client: dict[str, Any], **more: str) -> str:
    """Id of an authorization that waits."""
    answer = await ask(auth, client, **more)
    assert answer.status == 302 and answer.location.startswith("https://app.example.com/oauth/consent?"), answer.raw
    return str(answer.location_query["authorization_id"])


async def code_of(auth: Auth, client: dict[str, Any], token: str, **more: str) -> str:
    """A code that a user's consent gave."""
    waiting = await asked(auth, client, **more)
    shown = await auth.call("GET", f"/oauth/authorizations/{waiting}", token=token)
    if "redirect_url" not in shown.body:
        shown = await auth.call("POST", f"/oauth/authorizations/{waiting}/consent", {"action": "approve"}, token=token)
    return str(dict(parse_qsl(urlsplit(shown.body["redirect_url"]).query))["code"])


async def exchange(auth: Auth, client: dict[str, Any], code: str, **more: Any) -> Answer:
    fields = {"grant_type": "authorization_code", "code": code, "code_verifier": VERIFIER, "redirect_uri": BACK, **more}
    return await present(auth, client, fields)


async def present(auth: Auth, client: dict[str, Any], fields: dict[str, Any], **headers: str) -> Answer:
    """The token endpoint, as a client of its kind goes there."""
    sent = {name: value for name, value in fields.items() if value is not None}
    if client.get("token_endpoint_auth_method") == "client_secret_basic" and "client_secret" not in fields:
        pair = f"{client['client_id']}:{client['client_secret']}"
        headers = {"authorization": "Basic " + base64.b64encode(pair.encode()).decode(), **headers}
    elif client.get("token_endpoint_auth_method") == "client_secret_post":
        sent = {"client_id": client["client_id"], "client_secret": client["client_secret"], **sent}
    else:
        sent = {"client_id": client["client_id"], **sent}
    return await auth.call("POST", "/oauth/token", raw=urlencode(sent).encode(), headers={**FORM, **headers})


# --- the whole way --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post", "none"])
def test_user_signs_in_at_another_application(with_auth: WithAuth, method: str) -> None:
    async def scenario(auth: Auth) -> None:
        token, client = await token_of(auth), await client_of(auth, token_endpoint_auth_method=method)
        assert ("client_secret" in client) == (method != "none")
        waiting = await asked(auth, client, scope="openid email profile", nonce="n-1")
        shown = await auth.call("GET", f"/oauth/authorizations/{waiting}", token=token)
        user = (await auth.call("GET", "/user", token=token)).body
        assert shown.body == {
            "authorization_id": waiting, "redirect_uri": BACK,
            "client": {"id": client["client_id"], "name": "Other"},
            "user": {"id": user["id"], "email": "ada@example.com"}, "scope": "openid email profile",
        }  # fmt: skip
        path = f"/oauth/authorizations/{waiting}/consent"
        agreed = await auth.call("POST", path, {"action": "approve"}, token=token)
        back = urlsplit(agreed.body["redirect_url"])
        values = dict(parse_qsl(back.query))
        assert f"{back.scheme}://{back.netloc}{back.path}" == BACK and values["state"] == "s t&="
        answer = await exchange(auth, client, values["code"])
        assert answer.status == 200, answer.body
        assert set(answer.body) == {"access_token", "token_type", "expires_in", "refresh_token", "id_token"}
        assert answer.headers["cache-control"] == "no-store"

        claims = jwt.decode(answer.body["access_token"], options={"verify_signature": False})
        assert (claims["client_id"], claims["scope"]) == (client["client_id"], "openid email profile")
        assert (claims["aud"], claims["role"], claims["sub"]) == ("authenticated", "authenticated", user["id"])
        assert [each["method"] for each in claims["amr"]] == ["oauth_provider/authorization_code"]
        key = jwt.PyJWKSet.from_dict((await auth.call("GET", "/.well-known/jwks.json")).body)
        told = jwt.decode(
            answer.body["id_token"], key.keys[0], algorithms=["ES256"], audience=client["client_id"],
            options={"verify_exp": False, "verify_iat": False},
        )  # fmt: skip
        assert told["nonce"] == "n-1" and told["aud"] == client["client_id"] and told["sub"] == user["id"]
        assert (told["email"], told["email_verified"], told["phone_number_verified"]) == (
            "ada@example.com",
            True,
            False,
        )
        assert (told["name"], told["picture"]) == ("Ada", "https://app.example/ada.png")

        info = (await auth.call("GET", "/oauth/userinfo", token=answer.body["access_token"])).body
        assert (info["sub"], info["email"], info["email_verified"], info["name"]) == (
            user["id"], "ada@example.com", True, "Ada",
        )  # fmt: skip
        assert (await auth.call("GET", "/oauth/userinfo", token=token)).body == {"sub": user["id"]}

        renewed = await present(
            auth, client, {"grant_type": "refresh_token", "refresh_token": answer.body["refresh_token"]}
        )
        assert renewed.status == 200 and "id_token" not in renewed.body
        assert jwt.decode(renewed.body["access_token"], options={"verify_signature": False})["scope"] == claims["scope"]

    with_auth(scenario, **ON)


def test_standing_consent_is_not_asked_again_until_more_is_wanted_or_it_is_revoked(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, client = await token_of(auth), await client_of(auth)
        session = (await exchange(auth, client, await code_of(auth, client, token, scope="email profile"))).body
        again = await auth.call("GET", f"/oauth/authorizations/{await asked(auth, client, scope='email')}", token=token)
        assert list(again.body) == ["redirect_url"] and "code=" in again.body["redirect_url"]
        more = await asked(auth, client, scope="email phone")
        assert "client" in (await auth.call("GET", f"/oauth/authorizations/{more}", token=token)).body
        (grant,) = (await auth.call("GET", "/user/oauth/grants", token=token)).body
        assert grant["client"] == {"id": client["client_id"], "name": "Other"}
        assert grant["scopes"] == ["email"], "replaced at each approval"
        path = f"/user/oauth/grants?client_id={client['client_id']}"
        assert (await auth.call("DELETE", path, token=token)).status == 204
        assert (await auth.call("GET", "/user/oauth/grants", token=token)).body == []
        gone = await auth.call("GET", "/user", token=session["access_token"])
        assert (gone.status, gone.code) == (403, "session_not_found")
        assert (await auth.call("GET", "/user", token=token)).status == 200, "the user's own session stays"
        missing = await auth.call("DELETE", path, token=token)
        assert (missing.status, missing.code) == (404, "oauth_consent_not_found")
        anew = await auth.call("GET", f"/oauth/authorizations/{await asked(auth, client, scope='email')}", token=token)
        assert "client" in anew.body

    with_auth(scenario, **ON)


# --- the browser ----------------------------------------------------------------------------------------------------


def test_browser_is_led_to_registered_addresses_alone(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        client = await client_of(auth)
        for uri in ("https://evil.example/", BACK + "/", BACK + "?a=1", BACK.upper(), BACK + "#", "/callback"):
            refused = await ask(auth, client, redirect_uri=uri)
            assert (refused.status, refused.body) == (
                400, {"code": "validation_failed", "message": "invalid redirect_uri"},
            )  # fmt: skip
        for given, status, code, message in (
            ({"client_id": ""}, 400, "validation_failed", "client_id is required"),
            ({"redirect_uri": ""}, 400, "validation_failed", "redirect_uri is required"),
            ({"client_id": "x"}, 400, "oauth_client_not_found", "invalid client_id format"),
            ({"client_id": "0" * 32}, 400, "oauth_client_not_found", "invalid client_id"),
        ):
            refused = await ask(auth, client, **given)
            assert (refused.status, refused.code, refused.body["message"]) == (status, code, message)

    with_auth(scenario, **ON)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"response_type": "token"}, "only response_type=code is supported"),
        ({"scope": "email admin"}, "unsupported scope: admin"),
        ({"resource": "/x"}, "resource must be an absolute URI"),
        ({"resource": "https://a.example/#b"}, "resource must not include a fragment"),
        ({"code_challenge": ""}, "PKCE flow requires both code_challenge and code_challenge_method"),
        ({"code_challenge_method": ""}, "PKCE flow requires both code_challenge and code_challenge_method"),
        ({"code_challenge_method": "S512"}, "code_challenge_method must be 'S256' or 'plain'"),
        ({"code_challenge": "a" * 42}, "code_challenge must be between 43 and 128 characters"),
    ],
)
def test_request_that_is_wrong_leads_back_and_says_so(with_auth: WithAuth, given: dict[str, str], said: str) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await ask(auth, await client_of(auth), **given)
        assert answer.status == 302 and answer.location.startswith(BACK + "?")
        assert answer.location_query == {"error": "invalid_request", "error_description": said, "state": "s t&="}

    with_auth(scenario, **ON)


def test_without_a_page_of_consent_or_room_the_fault_is_the_servers(with_auth: WithAuth) -> None:
    async def pageless(auth: Auth) -> None:
        answer = await ask(auth, await client_of(auth))
        assert answer.location_query["error"] == "server_error"

    async def roomless(auth: Auth) -> None:
        answer = await ask(auth, await client_of(auth), nonce="n" * 256)
        assert answer.location_query["error"] == "server_error"

    with_auth(pageless, **{**ON, "oauth_server_path": ""})
    with_auth(roomless, **ON)


# --- consent --------------------------------------------------------------------------------------------------------


def test_one_user_decides_once_in_time_and_on_the_sites_page(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, other = await token_of(auth), await token_of(auth, "eve@example.com")
        client = await client_of(auth)
        waiting = await asked(auth, client)
        path = f"/oauth/authorizations/{waiting}"
        missing = (404, "oauth_authorization_not_found")
        early = await auth.call("POST", f"{path}/consent", {"action": "approve"}, token=token)
        assert (early.status, early.code) == missing, "it was not shown yet"
        for origin, status in (("https://evil.example", 400), ("https://app.example.com", 200)):
            answer = await auth.call("GET", path, token=token, headers={"origin": origin})
            assert answer.status == status
        for answer in (
            await auth.call("GET", path, token=other),
            await auth.call("POST", f"{path}/consent", {"action": "approve"}, token=other),
            await auth.call("GET", "/oauth/authorizations/nothing", token=token),
        ):
            assert (answer.status, answer.code) == missing
        for raw, code, message in (
            (b"{", "bad_json", "invalid JSON body"),
            (b'{"action": "x"}', "validation_failed", "action must be 'approve' or 'deny'"),
        ):
            answer = await auth.call("POST", f"{path}/consent", raw=raw, token=token)
            assert (answer.status, answer.code, answer.body["message"]) == (400, code, message)
        denied = await auth.call("POST", f"{path}/consent", {"action": "deny"}, token=token)
        assert dict(parse_qsl(urlsplit(denied.body["redirect_url"]).query)) == {
            "error": "access_denied", "error_description": "User denied the request", "state": "s t&=",
        }  # fmt: skip
        again = await auth.call("POST", f"{path}/consent", {"action": "approve"}, token=token)
        assert again.body["message"] == "authorization request is no longer pending"
        again = await auth.call("GET", path, token=token)
        assert again.body["message"] == "authorization request cannot be processed"
        late = await asked(auth, client)
        auth.clock.move(601)
        answer = await auth.call("GET", f"/oauth/authorizations/{late}", token=token)
        assert (answer.status, answer.code) == missing
        assert auth.rows("select status from auth.oauth_authorizations where authorization_id = $1", late) == [
            ("expired",)
        ]

    with_auth(scenario, **ON)


# --- tokens ---------------------------------------------------------------------------------------------------------


def test_code_is_good_once_for_its_client_verifier_and_address(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, client, other = await token_of(auth), await client_of(auth), await client_of(auth)
        code = await code_of(auth, client, token)
        wrong: list[tuple[dict[str, Any], dict[str, Any], str]] = [
            (client, {"code": "0" * 36}, "Invalid authorization code"),
            (other, {}, "Authorization code was not issued for this client"),
            (client, {"redirect_uri": "https://evil.example"}, "Invalid redirect_uri"),
            (client, {"code_verifier": None}, "PKCE verification failed: code_verifier is required"),
            (client, {"code_verifier": "a" * 43},
             "PKCE verification failed: code challenge does not match previously saved code verifier"),
        ]  # fmt: skip
        for who, more, said in wrong:
            refused = await exchange(auth, who, **{"code": code, **more})
            assert (refused.status, refused.body) == (400, {"error": "invalid_grant", "error_description": said})
        assert (await exchange(auth, client, code, redirect_uri=None)).status == 200
        again = await exchange(auth, client, code)
        assert again.body["error_description"] == "Invalid authorization code"
        late = await code_of(auth, client, token)
        auth.clock.move(601)
        assert (await exchange(auth, client, late)).body["error_description"] == "Authorization code has expired"

    with_auth(scenario, **ON)


def test_many_at_once_get_one_session_for_a_code(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, client = await token_of(auth), await client_of(auth)
        code = await code_of(auth, client, token)
        answers = await asyncio.gather(*(exchange(auth, client, code) for _ in range(8)))
        assert sorted(answer.status for answer in answers)[0] == 200
        assert sum(answer.status == 200 for answer in answers) == 1
        assert auth.rows("select count(*) from auth.sessions where oauth_client_id is not null") == [("1",)]

    with_auth(scenario, **ON)


def test_database_holds_no_code_and_no_secret_that_works(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, client = await token_of(auth), await client_of(auth)
        code = await code_of(auth, client, token)
        ((kept, hashed),) = auth.rows(
            "select authorization_code, client_secret_hash from auth.oauth_authorizations, auth.oauth_clients"
        )
        assert kept is not None and code not in kept
        assert hashed == hash_secret(client["client_secret"])
        assert (await exchange(auth, client, kept)).body["error"] == "invalid_grant"

    with_auth(scenario, **ON)


def test_session_belongs_to_its_client(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, client, other = await token_of(auth), await client_of(auth), await client_of(auth)
        foreign = (await exchange(auth, client, await code_of(auth, client, token))).body["refresh_token"]
        own = (await auth.sign_in())["refresh_token"]

        async def refused(who: dict[str, Any], text: str) -> str:
            answer = await present(auth, who, {"grant_type": "refresh_token", "refresh_token": text})
            assert (answer.status, answer.body["error"]) == (400, "invalid_client")
            return str(answer.body["error_description"])

        assert await refused(other, foreign) == "Client does not match the session's OAuth client"
        assert await refused(client, own) == "Client authentication not allowed for non-OAuth session"
        answer = await auth.refresh(foreign)
        assert answer.body == {
            "error": "invalid_client", "error_description": "Client authentication required for OAuth session",
        }  # fmt: skip
        for who, text in ((client, foreign),):
            assert (await present(auth, who, {"grant_type": "refresh_token", "refresh_token": text})).status == 200
        assert (await auth.refresh(own)).status == 200, "a refusal used nothing up"

    with_auth(scenario, **ON)


def test_client_proves_who_it_is_in_its_own_way(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        client, public = await client_of(auth), await client_of(auth, client_type="public")
        name = client["client_id"]

        def basic(text: str) -> dict[str, str]:
            return {"authorization": f"Basic {text}", **FORM}

        wrong = base64.b64encode(f"{name}:wrong".encode()).decode()
        for headers, fields, said in (
            (FORM, {}, "Invalid client credentials: client_id is required"),
            (basic("%%%"), {}, "Invalid client credentials: invalid basic auth encoding"),
            (basic(base64.b64encode(b"x").decode()), {}, "Invalid client credentials: invalid basic auth format"),
            (FORM, {"client_id": "x"}, "Invalid client_id format"),
            (FORM, {"client_id": "0" * 32}, "Invalid client credentials"),
            (FORM, {"client_id": name}, "invalid authentication method: client is registered for"
             " 'client_secret_basic' but 'none' was used"),
            (FORM, {"client_id": public["client_id"], "client_secret": "x"}, "invalid authentication method: client is"
             " registered for 'none' but 'client_secret_post' was used"),
            (basic(wrong), {}, "invalid client credentials"),
        ):  # fmt: skip
            answer = await auth.call("POST", "/oauth/token", raw=urlencode(fields).encode(), headers=headers)
            assert (answer.status, answer.code, answer.body["message"]) == (400, "invalid_credentials", said)
        for fields, error in (
            ({}, "invalid_request"),
            ({"grant_type": "password"}, "unsupported_grant_type"),
            ({"grant_type": "authorization_code"}, "invalid_request"),
            ({"grant_type": "refresh_token"}, "invalid_request"),
        ):
            answer = await present(auth, client, fields)
            assert (answer.status, answer.body["error"]) == (400, error)
        coded = await client_of(auth, grant_types=["authorization_code"])
        answer = await present(auth, coded, {"grant_type": "refresh_token", "refresh_token": "x"})
        assert answer.body["error_description"] == "Client is not allowed to use grant type: refresh_token"
        bad = await present(auth, client, {"grant_type": "refresh_token", "refresh_token": "x"})
        assert (bad.status, bad.code) == (400, "validation_failed"), "the ordinary shape"

    with_auth(scenario, **ON)


def test_json_is_taken_and_its_resource_compared(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, client = await token_of(auth), await client_of(auth, client_type="public")
        code = await code_of(auth, client, token, resource="https://api.example")
        body = {"client_id": client["client_id"], "grant_type": "authorization_code", "code": code,
                "code_verifier": VERIFIER, "resource": "https://other.example"}  # fmt: skip
        headers = {"content-type": "application/json"}
        refused = await auth.call("POST", "/oauth/token", body, headers=headers)
        assert refused.body["error"] == "invalid_grant"
        taken = await auth.call("POST", "/oauth/token", {**body, "resource": "https://api.example"}, headers=headers)
        assert taken.status == 200

    with_auth(scenario, **ON)


def test_banned_and_forgotten_users_get_no_tokens(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, client = await token_of(auth), await client_of(auth)
        codes = [await code_of(auth, client, token) for _ in range(2)]
        auth.script("update auth.users set banned_until = '2099-01-01'")
        assert (await exchange(auth, client, codes[0])).body == {
            "error": "access_denied", "error_description": "User is banned",
        }  # fmt: skip
        auth.script("update auth.users set banned_until = null, deleted_at = now()")
        refused = await exchange(auth, client, codes[1])
        assert refused.body["error_description"] == "User not found for authorization code"

    with_auth(scenario, **ON)


def test_shared_secret_signs_no_id_token_and_spends_no_code(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token, client = await token_of(auth), await client_of(auth)
        code = await code_of(auth, client, token, scope="openid")
        answer = await exchange(auth, client, code)
        assert (answer.status, answer.body["message"]) == (500, "Error generating ID token")
        assert auth.rows("select count(*) from auth.oauth_authorizations") == [("1",)]

    with_auth(scenario, **ON, jwt_secret="a-secret-of-thirty-two-characters!")


# --- clients --------------------------------------------------------------------------------------------------------


def test_clients_are_kept_by_the_admin(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        assert (await auth.admin("GET", "/admin/oauth/clients")).body == {}
        first = await client_of(auth, client_uri="https://client.example", logo_uri="https://client.example/l.png")
        assert first == {
            "client_id": first["client_id"], "client_secret": first["client_secret"], "client_type": "confidential",
            "redirect_uris": [BACK], "token_endpoint_auth_method": "client_secret_basic",
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "client_name": "Other", "client_uri": "https://client.example", "logo_uri": "https://client.example/l.png",
            "registration_type": "manual", "created_at": first["created_at"], "updated_at": first["updated_at"],
        }  # fmt: skip
        assert len(first["client_secret"]) == 43
        auth.clock.move(1)
        second = await client_of(auth)
        listed = (await auth.admin("GET", "/admin/oauth/clients")).body["clients"]
        assert [each["client_id"] for each in listed] == [second["client_id"], first["client_id"]]
        assert all("client_secret" not in each for each in listed)
        path = f"/admin/oauth/clients/{first['client_id']}"
        changed = await auth.admin("PUT", path, {"client_name": "New", "redirect_uris": ["app.example://back"]})
        assert (changed.body["client_name"], changed.body["redirect_uris"]) == ("New", ["app.example://back"])
        empty = await auth.admin("PUT", path, {})
        assert (empty.status, empty.body["message"]) == (400, "No fields provided for update")
        made = await auth.admin("POST", f"{path}/regenerate_secret")
        assert made.status == 200 and made.body["client_secret"] != first["client_secret"]
        public = await client_of(auth, client_type="public")
        refused = await auth.admin("POST", f"/admin/oauth/clients/{public['client_id']}/regenerate_secret")
        assert (refused.status, refused.body["message"]) == (400, "Cannot regenerate secret for public client")
        assert (await auth.admin("DELETE", path)).status == 204
        for answer in (await auth.admin("GET", path), await auth.admin("DELETE", path)):
            assert (answer.status, answer.code) == (404, "oauth_client_not_found")
        odd = await auth.admin("GET", "/admin/oauth/clients/x")
        assert (odd.status, odd.body["message"]) == (400, "invalid client_id format")
        broken = await auth.admin("POST", "/admin/oauth/clients", raw=b"{")
        assert (broken.status, broken.code, broken.body["message"]) == (400, "bad_json", "Invalid JSON body")
        token = await token_of(auth)
        assert (await ask(auth, first)).code == "oauth_client_not_found"
        assert (await auth.call("GET", "/user/oauth/grants", token=token)).body == []

    with_auth(scenario, **ON)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"redirect_uris": []}, "400: redirect_uris is required"),
        ({"redirect_uris": [BACK] * 11}, "400: redirect_uris cannot exceed 10 items"),
        ({"redirect_uris": ["http://client.example"]}, "400: invalid redirect_uri: must use HTTPS"),
        ({"redirect_uris": ["javascript://x/%0aalert(1)"]}, "400: invalid redirect_uri: scheme 'javascript' is not"
                                                            " allowed"),
        ({"redirect_uris": ["https://a.example/#x"]}, "400: invalid redirect_uri: must not have fragment"),
        ({"redirect_uris": ["/x"]}, "400: invalid redirect_uri: must have scheme and host"),
        ({"redirect_uris": ["https://a.example/,https://b.example"]}, "400: invalid redirect_uri: invalid URL"),
        ({"redirect_uris": [1]}, "400: invalid redirect_uri: redirect URI cannot be empty"),
        ({"grant_types": ["password"]}, "400: grant_types must only contain"),
        ({"client_name": "x" * 1025}, "400: client_name cannot exceed 1024 characters"),
        ({"client_uri": "no address"}, "400: client_uri must be a valid URL"),
        ({"client_type": "secret"}, "400: client_type must be"),
        ({"client_type": "public", "token_endpoint_auth_method": "client_secret_basic"},
         "400: token_endpoint_auth_method 'client_secret_basic' is not valid for public clients"),
    ],
)  # fmt: skip
def test_registration_has_rules(with_shared_auth: WithAuth, more: dict[str, Any], said: str) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.call("POST", "/oauth/clients/register", {"redirect_uris": [BACK], **more})
        assert (answer.status, answer.code) == (400, "validation_failed")
        assert answer.body["message"].startswith(said)

    with_shared_auth(scenario, **ON, auth_address_limits=False)


def test_anybody_registers_where_that_is_allowed(with_auth: WithAuth) -> None:
    async def on(auth: Auth) -> None:
        body = {"redirect_uris": ["http://127.0.0.1:8080/cb", "http://localhost/cb"]}
        made = await auth.call("POST", "/oauth/clients/register", {**body, "token_endpoint_auth_method": "none"})
        assert (made.status, made.body["registration_type"], made.body["client_type"]) == (201, "dynamic", "public")
        assert "client_secret" not in made.body

    async def off(auth: Auth) -> None:
        refused = await auth.call("POST", "/oauth/clients/register", {"redirect_uris": [BACK]})
        assert (refused.status, refused.code) == (403, "oauth_dynamic_client_registration_disabled")

    with_auth(on, **ON)
    with_auth(off, **{**ON, "oauth_server_registration": False})


def test_every_path_is_coded_while_it_is_off(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        token = await token_of(auth)
        shown = {"code": "feature_disabled", "message": "OAuth server is disabled"}
        for method, path in (
            ("GET", "/oauth/authorize"), ("POST", "/oauth/token"), ("GET", "/oauth/userinfo"),
            ("POST", "/oauth/clients/register"), ("GET", "/oauth/authorizations/x"),
            ("POST", "/oauth/authorizations/x/consent"), ("GET", "/.well-known/oauth-authorization-server"),
        ):  # fmt: skip
            answer = await auth.call(method, path)
            assert (answer.status, answer.body) == (404, shown), path
        for method, path, bearer in (
            ("GET", "/user/oauth/grants", token), ("DELETE", "/user/oauth/grants", token),
            ("GET", "/admin/oauth/clients", auth.keys.secret_key),
            ("POST", "/admin/oauth/clients/x/regenerate_secret", auth.keys.secret_key),
        ):  # fmt: skip
            assert (await auth.call(method, path)).status == 401, "the guard comes first"
            answer = await auth.call(method, path, token=bearer)
            assert (answer.status, answer.body) == (404, shown), path

    with_auth(scenario)


def test_discovery_names_what_there_is(with_shared_auth: WithAuth) -> None:
    async def on(auth: Auth) -> None:
        first = await auth.call("GET", "/.well-known/openid-configuration")
        second = await auth.call("GET", "/.well-known/oauth-authorization-server")
        assert first.body == second.body
        assert first.headers["cache-control"] == "public, max-age=600"
        base = "https://api.example.com/auth/v1"
        assert first.body["issuer"] == base
        assert first.body["token_endpoint"] == f"{base}/oauth/token"
        assert first.body["registration_endpoint"] == f"{base}/oauth/clients/register"
        assert "revocation_endpoint" not in first.body

    async def off(auth: Auth) -> None:
        assert "registration_endpoint" not in (await auth.call("GET", "/.well-known/openid-configuration")).body

    with_shared_auth(on, **ON)
    with_shared_auth(off)
