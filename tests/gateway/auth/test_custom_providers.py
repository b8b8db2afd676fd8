"""Providers that an admin sets up while the server runs, against local ones under a public name (section 23)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from gateway.auth.outbound import custom
from gateway.auth.outbound import http as web
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.local import Asked, LocalServer, local_server
from tests.gateway.auth.provider import Provider
from tests.gateway.auth.service import Answer, Auth

HOST = "https://idp.example"
OIDC = {"provider_type": "oidc", "identifier": "custom:acme", "name": "Acme", "client_id": "client-1",
        "client_secret": "secret-1", "issuer": HOST, "scopes": ["email"]}  # fmt: skip
PLAIN = {"provider_type": "oauth2", "identifier": "custom:plain", "name": "Plain", "client_id": "client-1",
         "client_secret": "secret-1", "authorization_url": f"{HOST}/go", "token_url": f"{HOST}/trade",
         "userinfo_url": f"{HOST}/who"}  # fmt: skip
OPEN: dict[str, Any] = {"disable_signup": False}


class Idp(Provider):
    """The local provider of OpenID Connect, and one that speaks OAuth alone, under one name."""

    server: LocalServer

    def __init__(self) -> None:
        super().__init__()
        self.url = HOST
        self.who: dict[str, Any] = {
            "id": 7,
            "mail": "Bo@example.com",
            "email_verified": True,
            "name": "Bo",
            "team": "x",
        }

    def answer(self, asked: Asked) -> tuple[int, Any]:
        if asked.path == "/trade":
            taken = asked.form.get("code") == "the-code"
            return (200, {"access_token": "provider-access"}) if taken else (400, {})
        if asked.path == "/who":
            return 200, self.who
        return super().answer(asked)


@pytest.fixture
def idp(monkeypatch: pytest.MonkeyPatch) -> Iterator[Idp]:
    """Asked by its public name, it answers from this machine."""
    made = Idp()
    with local_server(made.answer) as server:
        ask = web.ask

        async def locally(method: str, url: str, **more: Any) -> web.HttpReply:
            assert url.startswith(HOST), "nothing else is asked"
            return await ask(method, url.replace(HOST, server.url), **more)

        async def resolve(host: str, port: int) -> list[str]:
            return ["93.184.215.14"] if host == "idp.example" else ["127.0.0.1"]

        monkeypatch.setattr(web, "ask", locally)
        monkeypatch.setattr(custom, "resolve", resolve)
        made.server = server
        yield made


async def create(auth: Auth, **more: Any) -> Answer:
    base = PLAIN if more.get("provider_type") == "oauth2" else OIDC
    return await auth.admin("POST", "/admin/custom-providers", {**base, **more})


def test_openid_connect_provider_is_set_up_and_signs_in(with_auth: WithAuth, idp: Idp) -> None:
    async def scenario(auth: Auth) -> None:
        made = await create(
            auth, authorization_params={"prompt": "login"}, attribute_mapping={"nickname": "name", "tenant": 4},
            custom_claims_allowlist=["groups"],
        )  # fmt: skip
        assert made.status == 201, made.body
        body = made.body
        assert (body["identifier"], body["scopes"]) == ("custom:acme", ["openid", "email"])
        assert (body["pkce_enabled"], body["enabled"], body["email_optional"]) == (True, True, False)
        assert body["acceptable_client_ids"] == [] and body["discovery_document"]["issuer"] == HOST
        assert "secret-1" not in made.raw.decode() and "client_secret" not in body
        idp.person["groups"] = ["a", "b"]
        gone = await auth.call("GET", "/authorize?provider=custom:acme")
        asked = dict(parse_qsl(urlsplit(gone.location).query))
        assert gone.location.startswith(f"{HOST}/auth?tenant=1&")
        assert (asked["prompt"], asked["scope"], asked["code_challenge_method"]) == ("login", "openid email", "S256")
        back = await idp.come_back(auth, gone.location)
        user = (await auth.call("GET", "/user", token=back.fragment["access_token"])).body
        (identity,) = user["identities"]
        assert (identity["provider"], identity["id"], user["email"]) == ("custom:acme", "42", "ada@example.com")
        assert identity["identity_data"]["nickname"] == "Ada"
        assert identity["identity_data"]["custom_claims"] == {"groups": ["a", "b"], "tenant": 4}
        other = await auth.call("GET", "/authorize?provider=custom:acme&scopes=openid groups")
        assert dict(parse_qsl(urlsplit(other.location).query))["scope"] == "openid groups", "in place of the stored"

    with_auth(scenario, **OPEN)


def test_plain_provider_signs_in_by_its_profile(with_auth: WithAuth, idp: Idp) -> None:
    async def scenario(auth: Auth) -> None:
        made = await create(auth, provider_type="oauth2", attribute_mapping={"email": "mail"}, pkce_enabled=False)
        assert made.status == 201, made.body
        gone = await auth.call("GET", "/authorize?provider=custom:plain")
        asked = dict(parse_qsl(urlsplit(gone.location).query))
        assert {"code_challenge", "nonce", "scope"}.isdisjoint(asked)
        back = await auth.call("GET", f"/callback?code=the-code&state={asked['state']}")
        user = (await auth.call("GET", "/user", token=back.fragment["access_token"])).body
        assert (user["email"], user["identities"][0]["id"]) == ("bo@example.com", "7")
        gone = await auth.call("GET", "/authorize?provider=custom:plain")
        state = dict(parse_qsl(urlsplit(gone.location).query))["state"]
        await auth.admin("PUT", "/admin/custom-providers/custom:plain", {"enabled": False})
        back = await auth.call("GET", f"/callback?code=the-code&state={state}")
        assert (back.fragment["error"], back.fragment["error_code"]) == (
            "invalid_request", "oauth_provider_not_supported",
        )  # fmt: skip
        refused = await auth.call("GET", "/authorize?provider=custom:plain")
        assert refused.body["message"] == "Unsupported provider: provider is not enabled"
        unknown = await auth.call("GET", "/authorize?provider=custom:none")
        assert unknown.body["message"] == "Unsupported provider: Provider custom:none could not be found"

    with_auth(scenario, **OPEN)


def test_native_apps_bring_its_id_tokens(with_auth: WithAuth, idp: Idp) -> None:
    async def scenario(auth: Auth) -> None:
        await create(auth, acceptable_client_ids=["app-2"])
        for audience, status in (("client-1", 200), ("app-2", 200), ("other", 400)):
            body = {"provider": "custom:acme", "id_token": idp.id_token(aud=audience)}
            assert (await auth.call("POST", "/token?grant_type=id_token", body)).status == status, audience
        await create(auth, provider_type="oauth2")
        body = {"provider": "custom:plain", "id_token": idp.id_token()}
        assert (await auth.call("POST", "/token?grant_type=id_token", body)).status == 400

    with_auth(scenario, **OPEN)


def test_admin_lists_changes_and_deletes(with_auth: WithAuth, idp: Idp) -> None:
    async def scenario(auth: Auth) -> None:
        assert (await auth.admin("GET", "/admin/custom-providers")).body == {"providers": []}
        await create(auth)
        again = await create(auth)
        assert (again.status, again.code) == (400, "conflict")
        await create(auth, provider_type="oauth2")
        for query, found in (("", 2), ("?type=oidc", 1), ("?type=oauth2", 1)):
            listed = (await auth.admin("GET", f"/admin/custom-providers{query}")).body["providers"]
            assert len(listed) == found
        odd = await auth.admin("GET", "/admin/custom-providers?type=x")
        assert (odd.status, odd.body["message"]) == (400, "type must be either 'oauth2' or 'oidc'")
        path = "/admin/custom-providers/custom:acme"
        sent = {"name": "New", "scopes": ["groups"], "identifier": "custom:x", "provider_type": "oauth2"}
        changed = (await auth.admin("PUT", path, sent)).body
        assert (changed["name"], changed["scopes"], changed["identifier"], changed["provider_type"]) == (
            "New", ["openid", "groups"], "custom:acme", "oidc",
        )  # fmt: skip
        over = await create(auth, identifier="custom:third")
        assert (over.status, over.code) == (400, "over_custom_provider_quota")
        assert (await auth.admin("DELETE", path)).status == 204
        for method in ("GET", "PUT", "DELETE"):
            gone = await auth.admin(method, path, {})
            assert (gone.status, gone.code) == (404, "custom_provider_not_found")

    async def off(auth: Auth) -> None:
        assert (await auth.call("GET", "/admin/custom-providers")).status == 401
        refused = await auth.admin("GET", "/admin/custom-providers")
        assert (refused.status, refused.code) == (404, "feature_disabled")
        assert (await auth.call("GET", "/authorize?provider=custom:plain")).status == 400

    with_auth(scenario, custom_oauth_most=2)
    with_auth(off, custom_oauth_enabled=False)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"provider_type": "saml"}, "provider_type must be either 'oauth2' or 'oidc'"),
        ({"identifier": ""}, "identifier is required"),
        ({"identifier": "x"}, "identifier must start with 'custom:' prefix, e.g. 'custom:x'"),
        ({"name": ""}, "name is required"),
        ({"name": "x" * 101}, "name must be at most 100 characters"),
        ({"client_secret": ""}, "client_secret is required"),
        ({"issuer": ""}, "issuer is required for OIDC providers"),
        ({"provider_type": "oauth2", "token_url": ""}, "token_url is required for OAuth2 providers"),
        ({"issuer": "http://idp.example"}, "URL must use HTTPS"),
        ({"issuer": "https://inner.example"}, "URL must not lead to a private or loopback address"),
        ({"issuer": "https://user:pass@idp.example"}, "URL must have a host"),
        ({"authorization_params": {"State": "x"}}, "Cannot override reserved OAuth parameter: State"),
        ({"authorization_params": {"prompt": 1}}, "authorization_params must be strings: prompt"),
        ({"attribute_mapping": {"role": "x"}}, "Cannot map to protected system field: role"),
        ({"custom_claims_allowlist": [""]}, "custom_claims_allowlist must contain non-empty strings"),
        ({"scopes": [1]}, "scopes must contain non-empty strings"),
    ],
)
def test_provider_that_breaks_a_rule_is_refused(with_shared_auth: WithAuth, idp: Idp, more: Any, said: str) -> None:
    async def scenario(auth: Auth) -> None:
        refused = await create(auth, **more)
        assert (refused.status, refused.code, refused.body["message"]) == (400, "validation_failed", said)

    with_shared_auth(scenario)


@pytest.mark.parametrize(
    "url",
    ["https://127.0.0.1/", "https://[::1]/", "https://10.0.0.1/", "https://169.254.169.254/", "https://0.0.0.0/",
     "https://[::ffff:127.0.0.1]/", "https://[fe80::1]/", "https://192.168.1.1:8443/x"],
)  # fmt: skip
def test_address_in_a_network_of_ours_is_never_asked(with_shared_auth: WithAuth, url: str) -> None:
    async def scenario(auth: Auth) -> None:
        for sent in ({**OIDC, "issuer": url}, {**OIDC, "discovery_url": url}, {**PLAIN, "userinfo_url": url}):
            refused = await auth.admin("POST", "/admin/custom-providers", sent)
            assert (refused.status, refused.code) == (400, "validation_failed")

    with_shared_auth(scenario)


def test_address_that_moved_into_a_network_of_ours_is_not_asked(
    with_auth: WithAuth, idp: Idp, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(auth: Auth) -> None:
        await create(auth, provider_type="oauth2")
        gone = await auth.call("GET", "/authorize?provider=custom:plain")
        state = dict(parse_qsl(urlsplit(gone.location).query))["state"]

        async def moved(host: str, port: int) -> list[str]:
            return ["10.0.0.1"]

        monkeypatch.setattr(custom, "resolve", moved)
        asked = len(idp.server.asked)
        back = await auth.call("GET", f"/callback?code=the-code&state={state}")
        assert back.fragment["error_description"] == "Unable to exchange external code: the-"
        assert len(idp.server.asked) == asked

    with_auth(scenario, **OPEN)


def test_document_of_another_issuer_or_with_inner_addresses_is_refused(with_auth: WithAuth, idp: Idp) -> None:
    async def scenario(auth: Auth) -> None:
        other = await create(auth, issuer=f"{HOST}/other", discovery_url=f"{HOST}/.well-known/openid-configuration")
        assert other.body["message"] == "OIDC discovery document is of another issuer"
        idp.url = "https://inner.example"
        inner = await create(auth)
        assert inner.body["message"] == "URL must not lead to a private or loopback address"

    with_auth(scenario)


def test_single_sign_on_answers_with_codes(with_shared_auth: WithAuth) -> None:
    async def scenario(auth: Auth) -> None:
        for method, path in (("POST", "/sso"), ("GET", "/sso/saml/metadata"), ("POST", "/sso/saml/acs")):
            answer = await auth.call(method, path)
            assert (answer.status, answer.body) == (
                404, {"code": "saml_provider_disabled", "message": "SAML 2.0 is disabled"},
            )  # fmt: skip
        answer = await auth.call("GET", "/scim/v2/Schemas")
        assert (answer.status, answer.code) == (404, "feature_disabled")
        assert (await auth.admin("GET", "/admin/sso/providers")).body == {"items": []}
        for method in ("GET", "PUT", "DELETE"):
            answer = await auth.admin(method, "/admin/sso/providers/x")
            assert (answer.status, answer.code) == (404, "sso_provider_not_found")

    with_shared_auth(scenario)
