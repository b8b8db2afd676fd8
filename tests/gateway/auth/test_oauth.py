"""Sign-in at an OpenID Connect provider by configuration, against a local one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from gateway.auth import errors
from gateway.auth.outbound import providers
from gateway.errors import ApiError
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.local import local_server
from tests.gateway.auth.provider import OTHER, Provider
from tests.gateway.auth.service import Auth
from tests.gateway.auth.test_links import CHALLENGE, VERIFIER


@pytest.fixture
def provider() -> Iterator[Provider]:
    made = Provider()
    with local_server(made.answer) as server:
        made.url = server.url
        yield made


def test_person_of_a_provider_gets_an_account_and_a_session(with_auth: WithAuth, provider: Provider) -> None:
    async def scenario(auth: Auth) -> None:
        gone = await auth.call(
            "GET", "/authorize?provider=keycloak&scopes=groups&redirect_to=https://app.example.com/in&prompt=login"
        )
        asked = dict(parse_qsl(urlsplit(gone.location).query))
        assert gone.location.startswith(f"{provider.url}/auth?tenant=1&")
        assert asked["client_id"] == "client-1"
        assert asked["redirect_uri"] == "https://api.example.com/auth/v1/callback"
        assert asked["scope"] == "openid email profile groups"
        assert asked["prompt"] == "login"
        back = await provider.come_back(auth, gone.location)
        assert back.status == 302
        assert back.location.startswith("https://app.example.com/in#")
        assert back.fragment["provider_token"] == "provider-access"
        user = (await auth.call("GET", "/user", token=back.fragment["access_token"])).body
        assert user["email"] == "ada@example.com"
        assert user["app_metadata"] == {"provider": "keycloak", "providers": ["keycloak"]}
        assert user["user_metadata"]["full_name"] == "Ada"
        assert [(item["provider"], item["id"]) for item in user["identities"]] == [("keycloak", "42")]
        again = await provider.sign_in(auth)
        same = (await auth.call("GET", "/user", token=again.fragment["access_token"])).body
        assert same["id"] == user["id"]
        provider.person["name"] = "Ada K."
        renamed = await provider.sign_in(auth)
        now = (await auth.call("GET", "/user", token=renamed.fragment["access_token"])).body
        assert now["user_metadata"]["full_name"] == "Ada K."

    with_auth(scenario, disable_signup=False, **provider.settings)


def test_code_challenge_of_the_client_guards_the_way_back(with_auth: WithAuth, provider: Provider) -> None:
    async def scenario(auth: Auth) -> None:
        path = f"/authorize?provider=keycloak&code_challenge={CHALLENGE}&code_challenge_method=s256"
        back = await provider.sign_in(auth, path)
        code = back.location_query["code"]
        assert "#" not in back.location
        body = {"auth_code": code, "code_verifier": VERIFIER}
        session = (await auth.call("POST", "/token?grant_type=pkce", body)).body
        assert session["provider_token"] == "provider-access"
        assert session["provider_refresh_token"] == "provider-refresh"
        assert session["user"]["email"] == "ada@example.com"

    with_auth(scenario, disable_signup=False, **provider.settings)


def test_promise_35_provider_makes_no_account_while_sign_up_is_off(with_auth: WithAuth, provider: Provider) -> None:
    async def scenario(auth: Auth) -> None:
        back = await provider.sign_in(auth)
        assert back.fragment["error_code"] == back.location_query["error_code"] == "signup_disabled"
        assert back.fragment["error"] == "access_denied"
        assert auth.rows("select count(*) from auth.users") == [("0",)]
        user = await auth.create("ada@example.com")  # but who has an account comes in
        back = await provider.sign_in(auth)
        found = (await auth.call("GET", "/user", token=back.fragment["access_token"])).body
        assert found["id"] == user["id"]
        assert found["app_metadata"]["providers"] == ["email", "keycloak"]

    with_auth(scenario, **provider.settings)


def test_unverified_address_takes_nobodys_account(with_auth: WithAuth, provider: Provider) -> None:
    provider.person["email_verified"] = False

    async def scenario(auth: Auth) -> None:
        await auth.create("ada@example.com")
        back = await provider.sign_in(auth)
        assert back.fragment["error_code"] == "provider_email_needs_verification"
        assert auth.rows("select count(*) from auth.identities where provider = 'keycloak'") == [("0",)]

    with_auth(scenario, **provider.settings)


def test_account_set_up_by_a_stranger_is_cleaned_before_its_owner_takes_it(
    with_auth: WithAuth, provider: Provider
) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.call("POST", "/signup", {"email": "ada@example.com", "password": "strangers-choice-1"})
        back = await provider.sign_in(auth)
        assert "access_token" in back.fragment
        assert (await auth.password("ada@example.com", "strangers-choice-1")).status == 400

    with_auth(scenario, disable_signup=False, **provider.settings)


@pytest.mark.parametrize(
    "overrides",
    [
        pytest.param({"aud": "somebody-else"}, id="another audience"),
        pytest.param({"iss": "https://evil.example"}, id="another issuer"),
        pytest.param({"exp": 1_000_000_000}, id="expired"),
        pytest.param({"nonce": "replayed"}, id="another nonce"),
        pytest.param({"nonce": None}, id="no nonce"),
    ],
)
def test_id_token_that_is_not_ours_is_refused(
    with_auth: WithAuth, provider: Provider, overrides: dict[str, Any]
) -> None:
    provider.overrides = overrides

    async def scenario(auth: Auth) -> None:
        back = await provider.sign_in(auth)
        assert back.fragment == {
            "error": "server_error",
            "error_code": "unexpected_failure",
            "error_description": "Error getting user profile from external provider",
            "sb": "",
        }

    with_auth(scenario, disable_signup=False, **provider.settings)


def test_id_token_with_another_signature_is_refused(with_auth: WithAuth, provider: Provider) -> None:
    provider.key = OTHER

    async def scenario(auth: Auth) -> None:
        back = await provider.sign_in(auth)
        assert back.fragment == {
            "error": "server_error",
            "error_code": "unexpected_failure",
            "error_description": "Error getting user profile from external provider",
            "sb": "",
        }

    with_auth(scenario, disable_signup=False, **provider.settings)


def test_state_works_once_and_not_for_ever(with_auth: WithAuth, provider: Provider) -> None:
    async def scenario(auth: Auth) -> None:
        gone = await auth.call("GET", "/authorize?provider=keycloak")
        assert "access_token" in (await provider.come_back(auth, gone.location)).fragment
        assert (await provider.come_back(auth, gone.location)).location_query["error_code"] == "bad_oauth_state"
        late = await auth.call("GET", "/authorize?provider=keycloak")
        auth.clock.move(601)
        assert (await provider.come_back(auth, late.location)).location_query["error_code"] == "bad_oauth_state"
        back = await auth.call("GET", "/callback?state=x&code=y")
        assert back.location == (
            "https://app.example.com?error=invalid_request&error_code=bad_oauth_state"
            "&error_description=OAuth+state+parameter+is+invalid"
        )
        assert (await auth.call("GET", "/callback")).location_query["error_code"] == "bad_oauth_callback"

    with_auth(scenario, disable_signup=False, **provider.settings)


def test_refusal_of_the_provider_is_handed_on(with_auth: WithAuth, provider: Provider) -> None:
    async def scenario(auth: Auth) -> None:
        gone = await auth.call("GET", "/authorize?provider=keycloak&redirect_to=https://app.example.com/in")
        state = dict(parse_qsl(urlsplit(gone.location).query))["state"]
        back = await auth.call("GET", f"/callback?state={state}&error=access_denied&error_description=No+thanks")
        assert back.location.startswith("https://app.example.com/in?")
        assert back.fragment == {"error": "access_denied", "error_description": "No thanks", "sb": ""}
        gone = await auth.call("GET", "/authorize?provider=keycloak")
        state = dict(parse_qsl(urlsplit(gone.location).query))["state"]
        assert (await auth.call("GET", f"/callback?state={state}")).fragment["error"] == "invalid_request"

    with_auth(scenario, **provider.settings)


def test_identity_is_linked_and_unlinked_by_its_user(with_auth: WithAuth, provider: Provider) -> None:
    provider.person["email"] = "other@example.com"

    async def scenario(auth: Auth) -> None:
        user = await auth.create("grace@example.com")
        token = (await auth.sign_in("grace@example.com"))["access_token"]
        path = "/user/identities/authorize?provider=keycloak&skip_http_redirect=true"
        url = (await auth.call("GET", path, token=token)).body["url"]
        assert "access_token" in (await provider.come_back(auth, url)).fragment
        linked = (await auth.call("GET", "/user", token=token)).body
        assert linked["id"] == user["id"]
        assert linked["app_metadata"]["providers"] == ["email", "keycloak"]
        url = (await auth.call("GET", path, token=token)).body["url"]
        assert (await provider.come_back(auth, url)).fragment["error_code"] == "identity_already_exists"
        identity = next(item for item in linked["identities"] if item["provider"] == "keycloak")
        removed = await auth.call("DELETE", f"/user/identities/{identity['identity_id']}", token=token)
        assert (removed.status, removed.body) == (200, {})
        left = (await auth.call("GET", "/user", token=token)).body
        assert [item["provider"] for item in left["identities"]] == ["email"]
        assert left["email"] == "grace@example.com"

    with_auth(scenario, manual_linking_enabled=True, **provider.settings)


def test_linking_is_off_by_default(with_auth: WithAuth, provider: Provider) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        token = (await auth.sign_in())["access_token"]
        answer = await auth.call("GET", "/user/identities/authorize?provider=keycloak", token=token)
        assert (answer.status, answer.code) == (404, "manual_linking_disabled")

    with_auth(scenario, **provider.settings)


def test_native_app_trades_an_id_token_for_a_session(with_auth: WithAuth, provider: Provider) -> None:
    async def scenario(auth: Auth) -> None:
        hashed = hashlib.sha256(b"raw nonce").hexdigest()
        body = {"provider": "keycloak", "id_token": provider.id_token(nonce=hashed), "nonce": "raw nonce"}
        answer = await auth.call("POST", "/token?grant_type=id_token", body)
        assert answer.status == 200
        assert answer.body["user"]["email"] == "ada@example.com"
        for nonce in ("another", ""):
            refused = await auth.call("POST", "/token?grant_type=id_token", {**body, "nonce": nonce})
            assert (refused.status, refused.body["error"].split()[0]) == (400, "invalid")
        refused = await auth.call("POST", "/token?grant_type=id_token", {**body, "id_token": "not.a.token"})
        assert refused.body == {"error": "invalid request", "error_description": "Bad ID token"}

    with_auth(scenario, disable_signup=False, **provider.settings)


def test_id_token_adds_an_identity_to_the_account_of_who_asks(with_auth: WithAuth, provider: Provider) -> None:
    async def scenario(auth: Auth) -> None:
        user = await auth.create("grace@example.com")
        token = (await auth.sign_in("grace@example.com"))["access_token"]
        body = {"provider": "keycloak", "id_token": provider.id_token(), "link_identity": True}
        refused = await auth.call("POST", "/token?grant_type=id_token", body)
        assert (refused.status, refused.code) == (401, "no_authorization")
        session = (await auth.call("POST", "/token?grant_type=id_token", body, token=token)).body
        assert session["user"]["id"] == user["id"]
        assert session["user"]["app_metadata"]["providers"] == ["email", "keycloak"]
        again = await auth.call("POST", "/token?grant_type=id_token", body, token=token)
        assert (again.status, again.code) == (422, "identity_already_exists")

    with_auth(scenario, manual_linking_enabled=True, **provider.settings)


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("/sso", {"domain": "example.com"}, 404, "saml_provider_disabled"),
        ("/token?grant_type=web3", {"chain": "solana"}, 422, "web3_provider_disabled"),
        ("/token?grant_type=id_token", {"provider": "google", "id_token": "x"}, 400, "provider_disabled"),
        ("/token?grant_type=id_token", {"provider": "acme", "id_token": "x"}, 400, "validation_failed"),
    ],
)
def test_ways_in_that_are_not_open_have_their_codes(
    with_shared_auth: WithAuth, path: str, body: dict[str, str], status: int, code: str
) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.call("POST", path, body)
        assert (answer.status, answer.code) == (status, code)

    with_shared_auth(scenario)


def test_provider_that_is_not_configured_is_refused_and_not_offered(with_auth: WithAuth, provider: Provider) -> None:
    async def scenario(auth: Auth) -> None:
        answer = await auth.call("GET", "/authorize?provider=github")
        assert (answer.status, answer.code) == (400, "validation_failed")
        assert answer.body["message"] == "Unsupported provider: provider is not enabled"
        unknown = (await auth.call("GET", "/authorize?provider=acme")).body["message"]
        assert unknown == "Unsupported provider: Provider acme could not be found"
        offered = (await auth.call("GET", "/settings")).body["external"]
        assert (offered["keycloak"], offered["github"]) == (True, False)

    with_auth(scenario, **provider.settings)


def test_provider_without_its_client_stops_the_start(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        raise AssertionError("it started")

    with pytest.raises(ValueError, match="GOTRUE_EXTERNAL_GOOGLE_CLIENT_ID"):
        with_auth(scenario, external_providers={"google_enabled": "true"})


def test_provider_without_an_issuer_is_passed_over(with_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        assert "strange" not in (await auth.call("GET", "/settings")).body["external"]

    with_auth(scenario, external_providers={"strange_enabled": "true", "strange_client_id": "x"})


def test_well_known_provider_is_reached_without_its_document(
    with_auth: WithAuth, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unreachable(self: object, *args: object, **more: object) -> dict[str, object]:
        raise ApiError(errors.BAD_OAUTH_CALLBACK, reason="unreachable")

    monkeypatch.setattr(providers.Provider, "_ask", unreachable)

    async def scenario(auth: Auth) -> None:
        gone = await auth.call("GET", "/authorize?provider=google")
        assert gone.location.startswith("https://accounts.google.com/o/oauth2/v2/auth?")

    with_auth(scenario, external_providers={"google_enabled": "true", "google_client_id": "x"})


def test_nonce_of_native_apps_is_not_checked_where_settings_say_so(with_auth: WithAuth, provider: Provider) -> None:
    """Some libraries of native apps make one that their users never see."""
    rows = provider.settings["external_providers"]
    body = {"provider": "keycloak", "id_token": provider.id_token(nonce="made-by-a-library")}

    async def strict(auth: Auth) -> None:
        assert (await auth.call("POST", "/token?grant_type=id_token", body)).status == 400

    async def lax(auth: Auth) -> None:
        assert (await auth.call("POST", "/token?grant_type=id_token", body)).status == 200

    with_auth(strict, disable_signup=False, external_providers=rows)
    with_auth(lax, disable_signup=False, external_providers={**rows, "keycloak_skip_nonce_check": "true"})
