"""Sign-in at OpenID Connect providers: their settings, their documents, and what an ID token of theirs says.

Any provider is set up by GOTRUE_EXTERNAL_NAME_{ENABLED, CLIENT_ID, SECRET, URL, REDIRECT_URI, SCOPES}, where URL is
the issuer. What the libraries do stands in `oidc`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from gateway.auth import errors
from gateway.auth.outbound import http as web
from gateway.auth.outbound.http import WebError
from gateway.errors import ApiError

log = logging.getLogger("gateway.auth")

# Issuers that need no URL setting.
ISSUERS: Final = {
    "apple": "https://appleid.apple.com",
    "azure": "https://login.microsoftonline.com/common/v2.0",
    "google": "https://accounts.google.com",
    "linkedin_oidc": "https://www.linkedin.com/oauth",
    "slack_oidc": "https://slack.com",
}
# Where they send browsers: used while their own document cannot be read.
AUTHORIZATION: Final = {
    "https://accounts.google.com": "https://accounts.google.com/o/oauth2/v2/auth",
    "https://appleid.apple.com": "https://appleid.apple.com/auth/authorize",
    "https://login.microsoftonline.com/common/v2.0": "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
}
CACHED: Final = 600  # seconds that a provider's documents are kept
TIMEOUT: Final = 8  # seconds for one request to a provider


@dataclass(frozen=True, slots=True)
class Person:
    """What a provider says about somebody. `subject` is their id there."""

    provider: str
    subject: str
    email: str
    email_verified: bool
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ProviderGrant:
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
    email_optional: bool = False
    skip_nonce: bool = False  # of ID tokens that native apps bring
    _documents: dict[str, tuple[float, Any]] = field(default_factory=dict)

    @property
    def checks_nonce(self) -> bool:
        """Whether an ID token that an app brings has to hold the app's nonce."""
        return not self.skip_nonce

    async def authorization_url(
        self, *, state: str, nonce: str, verifier: str, scopes: str, extra: Mapping[str, str]
    ) -> str:
        """Where the browser goes to sign in."""
        from gateway.auth.outbound import oidc

        fields = {
            "client_id": self.client_ids[0],
            "redirect_uri": self.redirect_uri,
            "scope": " ".join(dict.fromkeys(f"{self.scopes} {scopes}".split())),
            "state": state,
            "nonce": nonce,
            **extra,
        }
        return oidc.authorization_url(await self._authorization_endpoint(), verifier, fields)

    async def _authorization_endpoint(self) -> str:
        try:
            return str((await self._discovery())["authorization_endpoint"])
        except (ApiError, KeyError):
            if self.issuer not in AUTHORIZATION:
                raise
            return AUTHORIZATION[self.issuer]

    async def exchange(self, code: str, *, nonce: str, verifier: str) -> ProviderGrant:
        """The person behind a code. Raises ApiError unexpected_failure; what was wrong is in the log."""
        try:
            answer = await self._trade(code, verifier)
        except (ApiError, KeyError) as error:
            log.warning("sign-in at %s: the code was not taken: %s", self.name, error)
            raise ApiError(errors.OAUTH_EXCHANGE_FAILED, code=code[:4]) from error
        try:
            return await self._grant(answer, nonce)
        except (ApiError, KeyError) as error:
            log.warning("sign-in at %s: nobody is named: %s", self.name, error)
            raise ApiError(errors.OAUTH_PROFILE_FAILED) from error

    async def _trade(self, code: str, verifier: str) -> Mapping[str, Any]:
        """What the provider gives for a code."""
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
            basic = (self.client_ids[0], self.secret)
        return await self._ask("POST", discovery["token_endpoint"], form=fields, basic=basic)

    async def _grant(self, answer: Mapping[str, Any], nonce: str) -> ProviderGrant:
        """The person that an answer of the token endpoint is about."""
        discovery = await self._discovery()
        token, access = answer.get("id_token"), str(answer.get("access_token") or "")
        if not isinstance(token, str):
            raise _refused("the provider sent no ID token")
        claims = await self.claims(token, nonce=nonce, access_token=access)
        if "email" not in claims and access and discovery.get("userinfo_endpoint"):
            headers = {"authorization": f"Bearer {access}"}
            info = await self._ask("GET", discovery["userinfo_endpoint"], headers=headers)
            if info.get("sub") == claims["sub"]:
                claims = {**info, **claims}
        return ProviderGrant(self.person(claims), access, str(answer.get("refresh_token") or ""))

    async def claims(self, token: str, *, nonce: str | None, access_token: str = "") -> Mapping[str, Any]:
        """Checked claims of an ID token. Raises ApiError bad_oauth_callback."""
        from gateway.auth.outbound import oidc

        discovery = await self._discovery()
        try:
            header, claims = await self._decode(token, discovery["jwks_uri"])
            issuer = str(discovery.get("issuer") or self.issuer).replace("{tenantid}", str(claims.get("tid", "")))
            return oidc.check(
                header, claims, issuer=issuer, client_ids=self.client_ids, nonce=nonce, access_token=access_token
            )
        except (oidc.BadToken, KeyError) as error:
            raise _refused("the provider's ID token is not valid") from error

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

    async def _decode(self, token: str, jwks_uri: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        from gateway.auth.outbound import oidc

        try:
            return oidc.decode(token, await self._document(jwks_uri))
        except oidc.BadToken:
            # The provider may have new keys: ask once more before giving up.
            return oidc.decode(token, await self._document(jwks_uri, fresh=True))

    async def _discovery(self) -> Mapping[str, Any]:
        url = self.issuer.rstrip("/") + "/.well-known/openid-configuration"
        document: Mapping[str, Any] = await self._document(url)
        return document

    def remember_discovery(self, document: Mapping[str, Any]) -> None:
        """Take a document that is known already."""
        url = self.issuer.rstrip("/") + "/.well-known/openid-configuration"
        self._documents[url] = (time.monotonic(), document)

    async def _document(self, url: str, fresh: bool = False) -> Any:
        known = self._documents.get(url)
        if known is not None and not fresh and time.monotonic() - known[0] < CACHED:
            return known[1]
        document = await self._ask("GET", url)
        self._documents[url] = (time.monotonic(), document)
        return document

    async def _ask(self, method: str, url: str, **more: Any) -> dict[str, Any]:
        headers = {"accept": "application/json", **more.pop("headers", {})}
        try:
            return (await web.ask(method, url, timeout=TIMEOUT, headers=headers, **more)).table()
        except WebError as error:
            raise _refused(f"the provider {self.name} did not answer as expected") from error


def _refused(reason: str) -> ApiError:
    return ApiError(errors.BAD_OAUTH_CALLBACK, reason=reason)
