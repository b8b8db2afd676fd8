"""Sign-in at OpenID Connect providers: their settings, their documents, and what an ID token of theirs says.

Any provider is set up by GOTRUE_EXTERNAL_NAME_{ENABLED, CLIENT_ID, SECRET, URL, REDIRECT_URI, SCOPES}, where URL is
the issuer. Authlib checks the claims of ID tokens (https://docs.authlib.org), joserfc their signatures.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
from authlib.common.errors import AuthlibBaseError
from authlib.common.security import generate_token
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from gateway.auth import errors
from gateway.errors import ApiError

log = logging.getLogger("gateway.auth")

# Issuers that need no URL setting.
ISSUERS: Final = {
    "apple": "https://appleid.apple.com",
    "azure": "https://login.microsoftonline.com/common/v2.0",
    "gitlab": "https://gitlab.com",
    "google": "https://accounts.google.com",
    "linkedin_oidc": "https://www.linkedin.com/oauth",
    "slack_oidc": "https://slack.com",
    "twitch": "https://id.twitch.tv/oauth2",
}
# Where they send browsers: used while their own document cannot be read.
AUTHORIZATION: Final = {
    "https://accounts.google.com": "https://accounts.google.com/o/oauth2/v2/auth",
    "https://appleid.apple.com": "https://appleid.apple.com/auth/authorize",
    "https://gitlab.com": "https://gitlab.com/oauth/authorize",
    "https://login.microsoftonline.com/common/v2.0": "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
}
ALGORITHMS: Final = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "EdDSA"]
CACHED: Final = 600  # seconds that a provider's documents are kept
TIMEOUT: Final = 8  # seconds for one request to a provider
LEEWAY: Final = 60  # seconds that a provider's clock may differ


@dataclass(frozen=True, slots=True)
class Person:
    """What a provider says about somebody. `subject` is their id there."""

    provider: str
    subject: str
    email: str
    email_verified: bool
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Grant:
    """A person, and the provider's own tokens for those who want to call it."""

    person: Person
    access_token: str
    refresh_token: str


@dataclass(slots=True)
class Provider:
    """One configured provider."""

    name: str
    client_ids: tuple[str, ...]
    secret: str
    issuer: str
    redirect_uri: str
    scopes: str
    _documents: dict[str, tuple[float, Any]] = field(default_factory=dict)

    async def authorization_url(
        self, *, state: str, nonce: str, verifier: str, scopes: str, extra: Mapping[str, str]
    ) -> str:
        """Where the browser goes to sign in."""
        endpoint = await self._authorization_endpoint()
        wanted = " ".join(dict.fromkeys(f"{self.scopes} {scopes}".split()))
        url = prepare_grant_uri(
            endpoint,
            client_id=self.client_ids[0],
            response_type="code",
            redirect_uri=self.redirect_uri,
            scope=wanted,
            state=state,
            nonce=nonce,
            code_challenge=create_s256_code_challenge(verifier),
            code_challenge_method="S256",
            **dict(extra),
        )
        return str(url)

    async def _authorization_endpoint(self) -> str:
        try:
            return str((await self._discovery())["authorization_endpoint"])
        except (ApiError, KeyError):
            if self.issuer not in AUTHORIZATION:
                raise
            return AUTHORIZATION[self.issuer]

    async def exchange(self, code: str, *, nonce: str, verifier: str) -> Grant:
        """The person behind a code. Raises ApiError bad_oauth_callback."""
        discovery = await self._discovery()
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect_uri,
            "code_verifier": verifier,
            "client_id": self.client_ids[0],
        }
        methods = discovery.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        basic = None
        if "client_secret_post" in methods and "client_secret_basic" not in methods:
            fields["client_secret"] = self.secret
        else:
            basic = httpx.BasicAuth(self.client_ids[0], self.secret)
        answer = await self._ask("POST", discovery["token_endpoint"], data=fields, auth=basic)
        token, access = answer.get("id_token"), str(answer.get("access_token") or "")
        if not isinstance(token, str):
            raise _refused("the provider sent no ID token")
        claims = await self.claims(token, nonce=nonce, access_token=access)
        if "email" not in claims and access and discovery.get("userinfo_endpoint"):
            headers = {"authorization": f"Bearer {access}"}
            info = await self._ask("GET", discovery["userinfo_endpoint"], headers=headers)
            if info.get("sub") == claims["sub"]:
                claims = {**info, **claims}
        return Grant(self.person(claims), access, str(answer.get("refresh_token") or ""))

    async def claims(self, token: str, *, nonce: str | None, access_token: str = "") -> Mapping[str, Any]:
        """Checked claims of an ID token. Raises ApiError bad_oauth_callback."""
        discovery = await self._discovery()
        try:
            decoded = await self._decode(token, discovery["jwks_uri"])
            issuer = str(discovery.get("issuer") or self.issuer)
            if "{tenantid}" in issuer:
                issuer = issuer.replace("{tenantid}", str(decoded.claims.get("tid", "")))
            params: dict[str, Any] = {"client_id": self._audience(decoded.claims.get("aud"))}
            if nonce:
                params["nonce"] = nonce
            if access_token:
                params["access_token"] = access_token
            options = {"iss": {"values": [issuer]}, "aud": {"values": list(self.client_ids)}}
            claims = CodeIDToken(decoded.claims, decoded.header, options, params)
            claims.validate(now=int(time.time()), leeway=LEEWAY)
        except (JoseError, AuthlibBaseError, ValueError, KeyError) as error:
            raise _refused("the provider's ID token is not valid") from error
        return dict(claims)

    def person(self, claims: Mapping[str, Any]) -> Person:
        """Who the claims are about."""
        email = claims.get("email")
        verified = claims.get("email_verified")
        kept = (
            "iss",
            "sub",
            "name",
            "given_name",
            "family_name",
            "nickname",
            "preferred_username",
            "picture",
            "locale",
        )
        data = {name: claims[name] for name in kept if name in claims}
        address = email.strip().lower() if isinstance(email, str) else ""
        is_verified = verified is True or verified == "true"
        data |= {"email": address, "email_verified": is_verified, "phone_verified": False}
        data |= {"provider_id": str(claims["sub"])}
        if "name" in data:
            data["full_name"] = data["name"]
        if "picture" in data:
            data["avatar_url"] = data["picture"]
        return Person(self.name, str(claims["sub"]), address, is_verified, data)

    def _audience(self, audience: Any) -> str:
        named = audience if isinstance(audience, list) else [audience]
        return next((each for each in named if each in self.client_ids), self.client_ids[0])

    async def _decode(self, token: str, jwks_uri: str) -> jwt.Token:
        for fresh in (False, True):
            keys = KeySet.import_key_set(await self._document(jwks_uri, fresh=fresh))
            try:
                return jwt.decode(token, keys, algorithms=ALGORITHMS)
            except (JoseError, ValueError):
                # The provider may have new keys: ask once more before giving up.
                if fresh:
                    raise
        raise AssertionError("unreachable")

    async def _discovery(self) -> Mapping[str, Any]:
        url = self.issuer.rstrip("/") + "/.well-known/openid-configuration"
        document: Mapping[str, Any] = await self._document(url)
        return document

    async def _document(self, url: str, fresh: bool = False) -> Any:
        known = self._documents.get(url)
        if known is not None and not fresh and time.monotonic() - known[0] < CACHED:
            return known[1]
        document = await self._ask("GET", url)
        self._documents[url] = (time.monotonic(), document)
        return document

    async def _ask(self, method: str, url: str, **more: Any) -> dict[str, Any]:
        try:
            async with httpx.AsyncClient(timeout=TIMEOUT, headers={"accept": "application/json"}) as client:
                answer = (await client.request(method, url, **more)).raise_for_status().json()
        except (httpx.HTTPError, ValueError) as error:
            raise _refused(f"the provider {self.name} did not answer as expected") from error
        if not isinstance(answer, dict):
            raise _refused(f"the provider {self.name} did not answer as expected")
        return answer


def _refused(reason: str) -> ApiError:
    return ApiError(errors.BAD_OAUTH_CALLBACK, reason=reason)


def new_verifier() -> str:
    """A PKCE verifier towards the provider."""
    return str(generate_token(64))


def load_providers(rows: Mapping[str, str], callback: str) -> dict[str, Provider]:
    """Enabled providers by name, of the settings named GOTRUE_EXTERNAL_NAME_PART.

    One that speaks no OpenID Connect (no issuer is known or given) is passed over with a warning, so that the settings
    of another installation can be carried over. Raises ValueError for one without its client.
    """
    found: dict[str, Provider] = {}
    for key, value in rows.items():
        name = key.removesuffix("_enabled")
        if name == key or name in ("email", "phone", "anonymous_users") or value.lower() not in ("true", "1", "yes"):
            continue
        part = {
            suffix: rows.get(f"{name}_{suffix}", "")
            for suffix in ("client_id", "secret", "url", "redirect_uri", "scopes")
        }
        issuer = part["url"] or ISSUERS.get(name, "")
        clients = tuple(each.strip() for each in part["client_id"].split(",") if each.strip())
        upper = f"GOTRUE_EXTERNAL_{name.upper()}"
        if not issuer:
            log.warning("sign-in at %s stays off: set %s_URL to its OpenID Connect issuer", name, upper)
            continue
        if not clients:
            raise ValueError(f"sign-in at {name} needs {upper}_CLIENT_ID")
        found[name] = Provider(
            name, clients, part["secret"], issuer, part["redirect_uri"] or callback,
            part["scopes"].replace(",", " ") or "openid email profile",
        )  # fmt: skip
    return found
