"""Sign-in at providers that are no OpenID Connect, each against a fake one that answers as theirs do."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from gateway.auth.outbound.social import ROWS, SocialProvider
from gateway.auth.outbound.social_profiles import READINGS
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.local import Asked, LocalServer, local_server
from tests.gateway.auth.service import Answer, Auth
from tests.gateway.auth.test_links import link_of


@dataclass(frozen=True)
class Case:
    """What a provider answers, and what somebody is known as afterwards; `{url}` is the fake provider's."""

    replies: dict[str, Any]
    data: dict[str, Any]
    asks: dict[str, str] = field(default_factory=dict)  # of the way there
    subject: str = "42"


def n(name: str) -> dict[str, str]:
    return {"name": name, "full_name": name}


def a(url: str) -> dict[str, str]:
    return {"picture": url, "avatar_url": url}


PICTURE = "https://pictures.example/ada.png"
CASES: dict[str, Case] = {
    "github": Case(
        {"/api/v3/user": {"id": 42, "login": "ada", "name": "Ada", "avatar_url": PICTURE, "email": "spam@example.com"},
         "/api/v3/user/emails": [{"email": "old@example.com", "verified": True, "primary": False},
                                 {"email": "Ada@example.com", "verified": True, "primary": True}]},
        {"iss": "https://api.github.com", **n("Ada"), "preferred_username": "ada", "user_name": "ada",
         "avatar_url": PICTURE}, {"scope": "user:email"},
    ),
    "discord": Case(
        {"/api/users/@me": {"id": "42", "username": "ada", "discriminator": "0", "global_name": "Ada L",
                            "avatar": "a_x", "email": "ada@example.com", "verified": True}},
        {"iss": "https://discord.com/api", "name": "ada#0", "full_name": "ada",
         "custom_claims": {"global_name": "Ada L"}, **a("https://cdn.discordapp.com/avatars/42/a_x.gif")},
        {"scope": "email identify"},
    ),
    "facebook": Case(
        {"/me": {"id": "42", "first_name": "Ada", "last_name": "L", "name": "Countess", "email": "ada@example.com",
                 "picture": {"data": {"url": PICTURE}}}},
        {"iss": "{url}/me?fields=email,first_name,last_name,name,picture", **n("Ada L"), "nickname": "Countess",
         "slug": "Countess", **a(PICTURE)}, {"scope": "email"},
    ),
    "x": Case(
        {"/2/users/me": {"data": {"id": "42", "name": "Ada", "username": "ada", "confirmed_email": "ada@example.com",
                                  "profile_image_url": PICTURE, "url": "https://t.co/x", "created_at": "2020"}}},
        {"iss": "https://api.x.com", **n("Ada"), "preferred_username": "ada", "user_name": "ada", **a(PICTURE),
         "profile": "https://x.com/ada", "website": "https://t.co/x", "custom_claims": {"created_at": "2020"}},
        {"scope": "users.email tweet.read users.read offline.access", "code_challenge_method": "S256"},
    ),
    "notion": Case(
        {"/v1/users/me": {"bot": {"owner": {"user": {"id": "42", "name": "Ada", "avatar_url": PICTURE,
                                                     "person": {"email": "ada@example.com"}}}}}},
        {"iss": "https://api.notion.com", **n("Ada"), **a(PICTURE)},
    ),
    "bitbucket": Case(
        {"/2.0/user": {"uuid": "42", "display_name": "Ada", "links": {"avatar": {"href": PICTURE}}},
         "/2.0/user/emails": {"values": [{"email": "ada@example.com", "is_primary": True, "is_confirmed": True}]}},
        {"iss": "https://api.bitbucket.org/2.0", **n("Ada"), **a(PICTURE)}, {"scope": "account email"},
    ),
    "figma": Case(
        {"/v1/me": {"id": "42", "handle": "Ada", "img_url": PICTURE, "email": "ada@example.com"}},
        {"iss": "https://api.figma.com", **n("Ada"), "avatar_url": PICTURE}, {"scope": "current_user:read"},
    ),
    "kakao": Case(
        {"/v2/user/me": {"id": 42, "kakao_account": {
            "email": "ada@example.com", "is_email_valid": True, "is_email_verified": True,
            "profile": {"nickname": "Ada", "profile_image_url": PICTURE}}}},
        {"iss": "https://kapi.kakao.com", **n("Ada"), "preferred_username": "Ada", "user_name": "Ada",
         "avatar_url": PICTURE}, {"scope": "account_email profile_image profile_nickname"},
    ),
    "zoom": Case(
        {"/v2/users/me": {"id": "42", "first_name": "Ada", "last_name": "L", "pic_url": PICTURE, "login_type": 100,
                          "verified": 1, "email": "ada@example.com"}},
        {"iss": "https://api.zoom.us/v2", **n("Ada L"), **a(PICTURE)},
    ),
    "twitch": Case(
        {"/helix/users": {"data": [{"id": "42", "login": "ada", "display_name": "Ada", "email": "ada@example.com",
                                    "profile_image_url": PICTURE, "view_count": 3, "type": ""}]}},
        {"iss": "https://api.twitch.tv", **n("ada"), "nickname": "Ada", "slug": "Ada", **a(PICTURE),
         "custom_claims": {"view_count": 3}}, {"scope": "user:read:email"},
    ),
    "fly": Case(
        {"/oauth/token/info": {"user_id": "42", "user_name": "Ada", "email": "ada@example.com", "scope": ["read"]}},
        {"iss": "https://api.fly.io", "full_name": "Ada", "custom_claims": {"scope": ["read"]}}, {"scope": "read"},
    ),
    "gitlab": Case(
        {"/api/v4/user": {"id": 42, "name": "Ada", "avatar_url": PICTURE, "email": "ada@example.com",
                          "confirmed_at": "2020-01-01"},
         "/api/v4/user/emails": [{"email": "other@example.com"}]},
        {"iss": "https://gitlab.com", **n("Ada"), **a(PICTURE)}, {"scope": "read_user"},
    ),
    "snapchat": Case(
        {"/v1/me": {"data": {"me": {"externalId": "42", "displayName": "Ada", "email": "ada@example.com",
                                    "bitmoji": {"avatar": {"id": PICTURE}}}}}},
        {"iss": "https://accounts.snapchat.com/accounts/oauth2/token", **n("Ada"), "slug": "Ada", **a(PICTURE)},
    ),
    "slack": Case(
        {"/api/openid.connect.userInfo": {"https://slack.com/user_id": "42", "https://slack.com/team_id": "T1",
                                          "name": "Ada", "picture": PICTURE, "email": "ada@example.com"}},
        {"iss": "https://slack.com/api", **n("Ada"), **a(PICTURE),
         "custom_claims": {"https://slack.com/team_id": "T1"}},
    ),
    "workos": Case(
        {},
        {"iss": "https://api.workos.com", **n("Ada L"),
         "custom_claims": {"connection_id": "c", "organization_id": "o"}},
    ),
    "linkedin": Case(
        {"/v2/me": {"id": "42", "firstName": {"localized": {"en_US": "Ada"},
                                              "preferredLocale": {"language": "en", "country": "US"}},
                    "lastName": {"localized": {"en_US": "L"},
                                 "preferredLocale": {"language": "en", "country": "US"}},
                    "profilePicture": {"displayImage~": {"elements": [{"identifiers": [{"identifier": PICTURE}]}]}}},
         "/v2/emailAddress": {"elements": [{"handle~": {"emailAddress": "ada@example.com"}}]}},
        {"iss": "https://api.linkedin.com", **n("Ada L"), **a(PICTURE)},
    ),
    "spotify": Case(
        {"/v1/me": {"id": "42", "display_name": "Ada", "email": "ada@example.com",
                    "images": [{"url": "small", "height": 64}, {"url": PICTURE, "height": 640}]}},
        {"iss": "https://api.spotify.com/v1", **n("Ada"), **a(PICTURE), "email_verified": False},
        {"scope": "user-read-email"},
    ),
}  # fmt: skip


@dataclass
class Fake:
    """A provider of the tests'. `token` may be replaced to answer otherwise."""

    name: str
    case: Case
    server: LocalServer | None = None
    basic: bool = True
    status: int = 200

    def answer(self, asked: Asked) -> tuple[int, Any]:
        row = ROWS[self.name]
        if asked.path == urlsplit(row.token).path and asked.method == "POST":
            return self._token(asked)
        if asked.path not in self.case.replies or asked.headers.get("authorization") != "Bearer provider-access":
            return 404, {}
        return self.status, self.case.replies[asked.path]

    def _token(self, asked: Asked) -> tuple[int, Any]:
        pair = b64encode(b"client-1:secret-1").decode()
        inside = asked.form.get("client_id") == "client-1" and asked.form.get("client_secret") == "secret-1"
        if asked.form.get("code") != "the-code" or not (
            inside or (self.basic and asked.headers.get("authorization") == f"Basic {pair}")
        ):
            return 401, {"error": "invalid_client"}
        body = {"access_token": "provider-access", "refresh_token": "provider-refresh"}
        if self.name == "github":
            return 200, urlencode(body)  # as it does unless asked otherwise
        if self.name == "workos":
            profile = {"id": "42", "first_name": "Ada", "last_name": "L", "email": "ada@example.com",
                       "connection_id": "c", "organization_id": "o"}  # fmt: skip
            return 200, {**body, "profile": profile}
        return 200, body

    def settings(self, **more: str) -> dict[str, Any]:
        assert self.server is not None
        rows = {"enabled": "true", "client_id": "client-1", "secret": "secret-1", "url": self.server.url, **more}
        return {"external_providers": {f"{self.name}_{key}": value for key, value in rows.items()}}


Made = Callable[[str], Fake]


@pytest.fixture
def fake() -> Iterator[Made]:
    state: list[Fake] = []

    with local_server(lambda asked: state[0].answer(asked)) as server:

        def make(name: str) -> Fake:
            state.append(Fake(name, CASES[name], server))
            return state[0]

        yield make


async def sign_in(auth: Auth, name: str, query: str = "") -> tuple[dict[str, str], Answer]:
    """Go there, and come back with a code: what was asked for, and where the browser ends."""
    gone = await auth.call("GET", f"/authorize?provider={name}{query}")
    assert gone.status == 302, gone.raw
    asked = dict(parse_qsl(urlsplit(gone.location).query))
    return asked, await auth.call("GET", f"/callback?code=the-code&state={asked['state']}")


def test_every_row_has_a_reading_and_a_case() -> None:
    assert set(ROWS) == set(CASES) and set(READINGS) - {"twitter"} == set(ROWS)


@pytest.mark.parametrize("name", CASES)
def test_provider_signs_somebody_in_with_the_originals_data(with_auth: WithAuth, fake: Made, name: str) -> None:
    made, case = fake(name), CASES[name]
    verified = case.data.get("email_verified", True)

    async def scenario(auth: Auth) -> None:
        asked, back = await sign_in(auth, name)
        assert back.status == 302 and back.fragment["provider_token"] == "provider-access", back.location
        assert asked["client_id"] == "client-1"
        assert asked["redirect_uri"] == "https://api.example.com/auth/v1/callback"
        assert {key: asked[key] for key in case.asks} == case.asks
        assert ("code_challenge" in asked) == (name == "x")
        user = (await auth.call("GET", "/user", token=back.fragment["access_token"])).body
        (identity,) = user["identities"]
        url = made.server.url if made.server is not None else ""
        hosted = {"iss": case.data["iss"].replace("{url}", url)}
        if hosted["iss"].startswith("https://"):  # the configured server takes the host's place
            hosted["iss"] = url + urlsplit(hosted["iss"]).path
        assert identity["identity_data"] == {
            **case.data, **hosted, "sub": "42", "provider_id": "42", "email": "ada@example.com",
            "email_verified": verified, "phone_verified": False,
        }  # fmt: skip
        assert (user["email"], identity["id"]) == ("ada@example.com", "42")
        assert user["app_metadata"] == {"provider": name, "providers": [name]}

    with_auth(scenario, disable_signup=False, mailer_autoconfirm=not verified, **made.settings())


@pytest.mark.parametrize("name", ["github", "notion"])
def test_secret_goes_into_the_body_where_the_header_is_not_taken(with_auth: WithAuth, fake: Made, name: str) -> None:
    made = fake(name)
    made.basic = False

    async def scenario(auth: Auth) -> None:
        _, back = await sign_in(auth, name)
        assert "access_token" in back.fragment

    with_auth(scenario, disable_signup=False, **made.settings())


def test_facebook_is_shown_that_the_secret_is_ours(with_auth: WithAuth, fake: Made) -> None:
    made = fake("facebook")

    async def scenario(auth: Auth) -> None:
        await sign_in(auth, "facebook")
        assert made.server is not None
        proof = made.server.asked[-1].query["appsecret_proof"]
        assert proof == hmac.new(b"secret-1", b"provider-access", hashlib.sha256).hexdigest()

    with_auth(scenario, disable_signup=False, **made.settings())


def test_notion_and_twitch_get_their_headers(with_auth: WithAuth, fake: Made) -> None:
    made = fake("notion")

    async def scenario(auth: Auth) -> None:
        await sign_in(auth, "notion")
        assert made.server is not None and made.server.asked[-1].headers["notion-version"] == "2021-08-16"

    with_auth(scenario, disable_signup=False, **made.settings())


def test_scopes_of_a_client_are_added_where_the_provider_has_any(with_auth: WithAuth, fake: Made) -> None:
    made = fake("github")

    async def scenario(auth: Auth) -> None:
        query = "&scopes=repo,gist&prompt=consent&nonce=n&client_id=evil&State=evil&Redirect_URI=evil"
        asked, _ = await sign_in(auth, "github", query)
        assert asked["scope"] == "user:email repo gist"
        assert (asked["prompt"], asked["nonce"], asked["client_id"]) == ("consent", "n", "client-1")
        assert {"State", "Redirect_URI"}.isdisjoint(asked)

    with_auth(scenario, disable_signup=False, **made.settings())


def test_unverified_address_gets_no_session_however_often_it_is_tried(with_auth: WithAuth, fake: Made) -> None:
    """Tokens name the address: whoever wrote a stranger's into their profile must not come in under it."""
    made = fake("spotify")

    async def scenario(auth: Auth) -> None:
        for _ in range(3):
            _, back = await sign_in(auth, "spotify")
            assert (back.fragment["error"], back.fragment["error_code"]) == (
                "access_denied", "provider_email_needs_verification",
            )  # fmt: skip
            assert "access_token" not in back.fragment
        assert auth.rows("select count(*) from auth.sessions") == [("0",)]
        await auth.call("GET", link_of(auth.mails()[-1]))  # its owner agrees
        _, back = await sign_in(auth, "spotify")
        assert "access_token" in back.fragment

    with_auth(scenario, disable_signup=False, smtp_max_frequency=0.0, **made.settings())


@pytest.mark.parametrize(
    ("optional", "code"), [("false", "unexpected_failure"), ("true", None)], ids=["demanded", "optional"]
)
def test_missing_address_is_a_failure_unless_it_is_optional(
    with_auth: WithAuth, fake: Made, optional: str, code: str | None
) -> None:
    made = fake("discord")
    profile = {**CASES["discord"].replies["/api/users/@me"], "email": None}
    made.case = Case({"/api/users/@me": profile}, {})

    async def scenario(auth: Auth) -> None:
        _, back = await sign_in(auth, "discord")
        assert back.fragment.get("error_code") == code
        if code is not None:
            assert back.fragment["error"] == "server_error"
            assert back.fragment["error_description"] == "Error getting user email from external provider"
            return
        user = (await auth.call("GET", "/user", token=back.fragment["access_token"])).body
        assert user["email"] == "" and "email" not in user["identities"][0]["identity_data"]
        _, again = await sign_in(auth, "discord")
        assert "access_token" in again.fragment

    with_auth(scenario, disable_signup=False, **made.settings(email_optional=optional))


def test_failures_of_the_provider_are_coded(with_auth: WithAuth, fake: Made) -> None:
    made = fake("github")

    async def scenario(auth: Auth) -> None:
        gone = await auth.call("GET", "/authorize?provider=github")
        state = dict(parse_qsl(urlsplit(gone.location).query))["state"]
        back = await auth.call("GET", f"/callback?code=another-code&state={state}")
        assert (back.fragment["error"], back.fragment["error_description"]) == (
            "server_error", "Unable to exchange external code: anot",
        )  # fmt: skip
        made.status = 500
        _, back = await sign_in(auth, "github")
        assert back.fragment["error_description"] == "Error getting user profile from external provider"
        made.status = 200
        made.case = Case({"/api/v3/user": {"message": "no"}, "/api/v3/user/emails": {}}, {})
        _, back = await sign_in(auth, "github")
        assert back.fragment["error_description"] == "Error getting user profile from external provider"
        made.case = Case({"/api/v3/user": "no json", "/api/v3/user/emails": []}, {})
        _, back = await sign_in(auth, "github")
        assert back.fragment["error_code"] == "unexpected_failure"

    with_auth(scenario, disable_signup=False, **made.settings())


@pytest.mark.parametrize("name", READINGS)
@pytest.mark.parametrize("odd", [None, [], {}, "x", 1, [None], {"data": "x"}, {"emails": None}], ids=repr)
def test_no_answer_of_a_provider_breaks_a_reading(name: str, odd: Any) -> None:
    two = name in ("github", "bitbucket", "gitlab", "linkedin")
    profile = READINGS[name]([odd, odd] if two else [odd])
    if name in ROWS:
        SocialProvider(name, ("c",), "s", "", "https://app.example", "").person(profile)


def test_addresses_of_the_rows_are_the_providers_own() -> None:
    provider = SocialProvider("github", ("c",), "s", "", "https://app.example", "")
    assert provider._own(ROWS["github"].profile[0], api=True) == "https://api.github.com/user"
    own = SocialProvider("github", ("c",), "s", "https://git.example/", "https://app.example", "")
    assert own._own(ROWS["github"].profile[0], api=True) == "https://git.example/api/v3/user"
    assert own._own(ROWS["github"].authorize) == "https://git.example/login/oauth/authorize"
