"""Sign-in at providers that speak OAuth 2 and no OpenID Connect: each is a row of addresses, scopes and a reading.

A configured URL takes the place of every host of a row, for servers of one's own.
"""

from __future__ import annotations

import hmac
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import orjson

from gateway.auth import errors
from gateway.auth.outbound import http as web
from gateway.auth.outbound.providers import TIMEOUT, Person, Provider, ProviderGrant
from gateway.auth.outbound.social_profiles import READINGS, Address, Profile, text
from gateway.errors import ApiError

log = logging.getLogger("gateway.auth")


class NoAnswer(Exception):
    """A provider did not answer as it should; the text is for the log."""


@dataclass(frozen=True, slots=True)
class SocialRow:
    """One provider. `profile` are the addresses that are asked with the access token; without one the answer to the
    code is the profile. `issuer` is empty where it is the profile's address."""

    authorize: str
    token: str
    profile: tuple[str, ...]
    scopes: str
    issuer: str
    more_scopes: bool = True  # whether those that a client asks for are added
    pkce: bool = False
    secret_in_body: bool = False
    headers: tuple[tuple[str, str], ...] = ()
    own_api: str = ""  # path of the API on a server of one's own


_SNAP: Final = "https://auth.snapchat.com/oauth2/api/user."
ROWS: Final[Mapping[str, SocialRow]] = {
    "bitbucket": SocialRow(
        "https://bitbucket.org/site/oauth2/authorize", "https://bitbucket.org/site/oauth2/access_token",
        ("https://api.bitbucket.org/2.0/user", "https://api.bitbucket.org/2.0/user/emails"),
        "account email", "https://api.bitbucket.org/2.0", more_scopes=False,
    ),
    "discord": SocialRow(
        "https://discord.com/api/oauth2/authorize", "https://discord.com/api/oauth2/token",
        ("https://discord.com/api/users/@me",), "email identify", "https://discord.com/api",
    ),
    "facebook": SocialRow(
        "https://www.facebook.com/dialog/oauth", "https://graph.facebook.com/oauth/access_token",
        ("https://graph.facebook.com/me?fields=email,first_name,last_name,name,picture",), "email", "",
    ),
    "figma": SocialRow(
        "https://www.figma.com/oauth", "https://api.figma.com/v1/oauth/token", ("https://api.figma.com/v1/me",),
        "current_user:read", "https://api.figma.com",
    ),
    "fly": SocialRow(
        "https://api.fly.io/oauth/authorize", "https://api.fly.io/oauth/token",
        ("https://api.fly.io/oauth/token/info",), "read", "https://api.fly.io",
    ),
    "github": SocialRow(
        "https://github.com/login/oauth/authorize", "https://github.com/login/oauth/access_token",
        ("https://api.github.com/user", "https://api.github.com/user/emails"), "user:email", "https://api.github.com",
        own_api="/api/v3",
    ),
    "gitlab": SocialRow(
        "https://gitlab.com/oauth/authorize", "https://gitlab.com/oauth/token",
        ("https://gitlab.com/api/v4/user", "https://gitlab.com/api/v4/user/emails"), "read_user", "https://gitlab.com",
    ),
    "kakao": SocialRow(
        "https://kauth.kakao.com/oauth/authorize", "https://kauth.kakao.com/oauth/token",
        ("https://kapi.kakao.com/v2/user/me",), "account_email profile_image profile_nickname",
        "https://kapi.kakao.com", secret_in_body=True,
    ),
    "linkedin": SocialRow(
        "https://api.linkedin.com/oauth/v2/authorization", "https://api.linkedin.com/oauth/v2/accessToken",
        ("https://api.linkedin.com/v2/me?projection=(id,firstName,lastName,profilePicture(displayImage~:playableStreams))",
         "https://api.linkedin.com/v2/emailAddress?q=members&projection=(elements*(handle~))"),
        "r_emailaddress r_liteprofile", "https://api.linkedin.com",
    ),
    "notion": SocialRow(
        "https://api.notion.com/v1/oauth/authorize", "https://api.notion.com/v1/oauth/token",
        ("https://api.notion.com/v1/users/me",), "", "https://api.notion.com", more_scopes=False,
        headers=(("notion-version", "2021-08-16"),),
    ),
    "slack": SocialRow(
        "https://slack.com/oauth/authorize", "https://slack.com/api/oauth.access",
        ("https://slack.com/api/openid.connect.userInfo",), "profile email openid", "https://slack.com/api",
    ),
    "snapchat": SocialRow(
        "https://accounts.snapchat.com/accounts/oauth2/auth", "https://accounts.snapchat.com/accounts/oauth2/token",
        ("https://kit.snapchat.com/v1/me?" + urlencode(
            {"query": "{me { externalId displayName bitmoji { avatar id } email } }"}),),
        f"{_SNAP}external_id {_SNAP}display_name {_SNAP}bitmoji.avatar",
        "https://accounts.snapchat.com/accounts/oauth2/token",
    ),
    "spotify": SocialRow(
        "https://accounts.spotify.com/authorize", "https://accounts.spotify.com/api/token",
        ("https://api.spotify.com/v1/me",), "user-read-email", "https://api.spotify.com/v1",
    ),
    "twitch": SocialRow(
        "https://id.twitch.tv/oauth2/authorize", "https://id.twitch.tv/oauth2/token",
        ("https://api.twitch.tv/helix/users",), "user:read:email", "https://api.twitch.tv",
    ),
    "workos": SocialRow(
        "https://api.workos.com/sso/authorize", "https://api.workos.com/sso/token", (), "", "https://api.workos.com",
    ),
    "x": SocialRow(
        "https://x.com/i/oauth2/authorize", "https://api.x.com/2/oauth2/token",
        ("https://api.x.com/2/users/me?user.fields=id,name,username,confirmed_email,profile_image_url,url,created_at",),
        "users.email tweet.read users.read offline.access", "https://api.x.com", pkce=True,
    ),
    "zoom": SocialRow(
        "https://zoom.us/oauth/authorize", "https://zoom.us/oauth/token", ("https://api.zoom.us/v2/users/me",), "",
        "https://api.zoom.us/v2", more_scopes=False,
    ),
}  # fmt: skip
# Those whose native apps send ID tokens: their issuers, and nothing else of OpenID Connect.
TOKEN_ISSUERS: Final[Mapping[str, str]] = {
    "facebook": "https://www.facebook.com", "kakao": "https://kauth.kakao.com",
}  # fmt: skip


@dataclass(slots=True)
class SocialProvider:
    """One configured provider. `tokens` checks ID tokens of its native apps."""

    name: str
    client_ids: tuple[str, ...]
    secret: str
    url: str
    redirect_uri: str
    scopes: str
    email_optional: bool = False
    tokens: Provider | None = None

    @property
    def row(self) -> SocialRow:
        return ROWS[self.name]

    async def authorization_url(
        self, *, state: str, nonce: str, verifier: str, scopes: str, extra: Mapping[str, str]
    ) -> str:
        """Where the browser goes to sign in. What a client asks for by itself is passed on."""
        row = self.row
        wanted = f"{self.scopes or row.scopes} {scopes if row.more_scopes else ''}".split()
        fields = {
            **{("provider" if name == "workos_provider" else name): value for name, value in extra.items()},
            "client_id": self.client_ids[0],
            "redirect_uri": self.redirect_uri,
            "response_type": "code",
            "state": state,
        }
        if wanted:
            fields["scope"] = " ".join(dict.fromkeys(wanted))
        if row.pkce:
            from gateway.auth.outbound import oidc

            fields |= {"code_challenge": oidc.challenge_of(verifier), "code_challenge_method": "S256"}
        return f"{self._own(row.authorize)}?{urlencode(fields)}"

    async def exchange(self, code: str, *, nonce: str, verifier: str) -> ProviderGrant:
        """The person behind a code. Raises ApiError unexpected_failure; what was wrong is in the log."""
        try:
            answer = await self._trade(code, verifier)
            access = answer["access_token"]
            if not isinstance(access, str) or not access:
                raise NoAnswer("there is no access token")
        except (web.WebError, NoAnswer, KeyError) as error:
            log.warning("sign-in at %s: the code was not taken: %s", self.name, error)
            raise ApiError(errors.OAUTH_EXCHANGE_FAILED, code=code[:4]) from error
        try:
            found = [await self._get(url, access) for url in self.row.profile] or [answer]
            profile = READINGS[self.name](found)
            if not text(profile.subject):
                raise NoAnswer("nobody is named")
        except (web.WebError, NoAnswer) as error:
            log.warning("sign-in at %s: nobody is named: %s", self.name, error)
            raise ApiError(errors.OAUTH_PROFILE_FAILED) from error
        return ProviderGrant(self.person(profile), access, text(answer.get("refresh_token")))

    async def _trade(self, code: str, verifier: str) -> Mapping[str, Any]:
        """What the provider gives for a code: asked with the secret in the header, then in the body, as it likes."""
        row = self.row
        fields = {"grant_type": "authorization_code", "code": code, "redirect_uri": self.redirect_uri}
        if row.pkce:
            fields["code_verifier"] = verifier
        pair = (self.client_ids[0], self.secret)
        inside = {**fields, "client_id": pair[0], "client_secret": pair[1]}
        url, headers = self._own(row.token), {"accept": "application/json", **dict(row.headers)}
        reply = None
        if not row.secret_in_body:
            reply = await web.ask("POST", url, timeout=TIMEOUT, headers=headers, form=fields, basic=pair)
        if reply is None or not reply.ok:
            reply = await web.ask("POST", url, timeout=TIMEOUT, headers=headers, form=inside)
        if not reply.ok:
            raise NoAnswer(f"status {reply.status}")
        return _pairs_of(reply)

    async def _get(self, url: str, access: str) -> Any:
        """A profile request: JSON."""
        address = self._own(url, api=True)
        headers = {"accept": "application/json", "authorization": f"Bearer {access}", **dict(self.row.headers)}
        if self.name == "twitch":
            headers["client-id"] = self.client_ids[0]
        if self.name == "facebook":
            proof = hmac.digest(self.secret.encode(), access.encode(), "sha256").hex()
            address += f"&appsecret_proof={proof}"
        reply = await web.ask("GET", address, timeout=TIMEOUT, headers=headers)
        if not reply.ok:
            raise NoAnswer(f"status {reply.status}")
        try:
            return orjson.loads(reply.content)
        except orjson.JSONDecodeError as error:
            raise NoAnswer("the answer is no JSON") from error

    def _own(self, url: str, api: bool = False) -> str:
        """An address of the row, on the configured server."""
        if not self.url:
            return url
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        return f"{self.url.rstrip('/')}{self.row.own_api if api else ''}{parts.path}{query}"

    def person(self, profile: Profile) -> Person:
        """Who a profile is about: their identity_data, and the address that counts."""
        address = address_of(profile)
        subject = text(profile.subject)
        issuer = self.row.issuer or self.row.profile[0]
        data = {
            "iss": self._own(issuer) if self.row.issuer else self._own(issuer, api=True),
            "sub": subject,
            "email": address.email,
            "email_verified": address.verified,
            "phone_verified": False,
            "provider_id": subject,
            **{name: text(value) for name, value in profile.claims.items() if text(value)},
        }
        custom = {name: value for name, value in profile.custom.items() if value not in (None, "")}
        if custom:
            data["custom_claims"] = custom
        if not address.email:
            del data["email"]
        return Person(self.name, subject, address.email, address.verified, data)


def address_of(profile: Profile) -> Address:
    """The address that counts: a verified one before others, the primary one before those; else the last.

    >>> address_of(Profile("1", [Address("B@x.example", True, False), Address("a@x.example", False, True)])).email
    'b@x.example'
    """
    known = [each for each in profile.addresses if each.email]
    if not known:
        return Address("", False)
    _, best = max(enumerate(known), key=lambda pair: (pair[1].verified, pair[1].primary, pair[0]))
    return Address(best.email.strip().lower(), best.verified, best.primary)


def _pairs_of(reply: web.HttpReply) -> Mapping[str, Any]:
    """The answer of a token endpoint: JSON, or a form as some send it. Raises NoAnswer."""
    try:
        value = orjson.loads(reply.content)
    except orjson.JSONDecodeError:
        value = dict(parse_qsl(reply.text))
    if not isinstance(value, dict) or value.get("error"):
        raise NoAnswer(text(value.get("error")) if isinstance(value, dict) else "the answer is no object")
    return value
