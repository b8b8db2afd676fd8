"""Sign-in at a provider that an admin set up: its addresses, its claims, and where they may lead (contract section 23).

Addresses are https, and of a host on the open network: a server that asks whatever address it is told reaches what only
its own network may. They are looked at when they are set and each time before they are asked.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from gateway.auth import errors
from gateway.auth.outbound import http as web
from gateway.auth.outbound.providers import TIMEOUT, Person, Provider, ProviderGrant
from gateway.auth.outbound.social_profiles import text
from gateway.auth.store.custom_providers import CustomProvider
from gateway.errors import ApiError

log = logging.getLogger("gateway.auth")

# What a profile may hold beside sub, email and custom_claims.
CLAIMS: Final = (
    "name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture",
    "website", "gender", "birthdate", "zoneinfo", "locale", "updated_at", "phone", "full_name", "avatar_url", "slug",
    "user_name",
)  # fmt: skip
DOCUMENT: Final = ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri")


async def demand_public(url: str) -> None:
    """Refuse an address that is not https or is in a network of ours. Raises ApiError validation_failed."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or 443
    except ValueError as error:
        raise errors.invalid("URL is not valid") from error
    if parts.scheme != "https":
        raise errors.invalid("URL must use HTTPS")
    if not host or parts.username is not None or parts.password is not None:
        raise errors.invalid("URL must have a host")
    try:
        found = await resolve(host, port)
    except (OSError, UnicodeError) as error:
        raise errors.invalid("URL host cannot be resolved") from error
    if not found or any(not ip_address(address).is_global for address in found):
        raise errors.invalid("URL must not lead to a private or loopback address")


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host. Raises OSError, UnicodeError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[4][0]).partition("%")[0] for address in found]


async def discover(url: str, issuer: str) -> dict[str, Any]:
    """The document of an OpenID Connect provider. Raises ApiError validation_failed."""
    await demand_public(url)
    try:
        document = (await web.ask("GET", url, timeout=TIMEOUT, headers={"accept": "application/json"})).table()
    except web.WebError as error:
        raise errors.invalid(f"OIDC discovery failed: {error}") from error
    for name in DOCUMENT:
        if not isinstance(document.get(name), str) or not document[name]:
            raise errors.invalid(f"OIDC discovery document lacks {name}")
        if name != "issuer":
            await demand_public(document[name])
    if document["issuer"].rstrip("/") != issuer.rstrip("/"):
        raise errors.invalid("OIDC discovery document is of another issuer")
    return document


def discovery_url(row: Mapping[str, Any]) -> str:
    """Where a provider's document is."""
    return row.get("discovery_url") or str(row["issuer"]).rstrip("/") + "/.well-known/openid-configuration"


@dataclass(slots=True)
class CustomSignIn:
    """One provider of the table, as a sign-in goes through it."""

    provider: CustomProvider
    redirect_uri: str

    @property
    def name(self) -> str:
        return self.provider.identifier

    @property
    def email_optional(self) -> bool:
        return bool(self.provider.row["email_optional"])

    @property
    def client_ids(self) -> tuple[str, ...]:
        """Ours first, then those whose ID tokens are taken, too."""
        return (self.provider.text("client_id"), *self.provider.items("acceptable_client_ids"))

    @property
    def checks_nonce(self) -> bool:
        return self.provider.is_oidc and not self.provider.row["skip_nonce_check"]

    def _endpoint(self, own: str, named: str) -> str:
        if self.provider.is_oidc:
            return text(self.provider.table("cached_discovery").get(named)) or self.provider.text(own)
        return self.provider.text(own)

    async def authorization_url(
        self, *, state: str, nonce: str, verifier: str, scopes: str, extra: Mapping[str, str]
    ) -> str:
        """Where the browser goes to sign in; scopes that a client asks for take the place of the stored ones."""
        wanted = scopes.split() or list(self.provider.items("scopes"))
        fields = {
            **extra,
            **{name: text(value) for name, value in self.provider.table("authorization_params").items()},
            "client_id": self.client_ids[0],
            "redirect_uri": self.redirect_uri,
            "response_type": "code",
            "state": state,
        }
        if wanted:
            fields["scope"] = " ".join(dict.fromkeys(wanted))
        if self.checks_nonce:
            fields["nonce"] = nonce
        if self.provider.row["pkce_enabled"]:
            from gateway.auth.outbound import oidc

            fields |= {"code_challenge": oidc.challenge_of(verifier), "code_challenge_method": "S256"}
        url = self._endpoint("authorization_url", "authorization_endpoint")
        return f"{url}{'&' if '?' in url else '?'}{urlencode(fields)}"

    async def exchange(self, code: str, *, nonce: str, verifier: str) -> ProviderGrant:
        """The person behind a code. Raises ApiError unexpected_failure; what was wrong is in the log."""
        try:
            answer = await self._trade(code, verifier)
            access = text(answer.get("access_token"))
        except (web.WebError, ApiError) as error:
            log.warning("sign-in at %s: the code was not taken: %s", self.name, error)
            raise ApiError(errors.OAUTH_EXCHANGE_FAILED, code=code[:4]) from error
        try:
            token = answer.get("id_token")
            if self.provider.is_oidc and isinstance(token, str):
                raw = await self.claims(token, nonce=nonce if self.checks_nonce else None, access_token=access)
            else:
                raw = await self._userinfo(access)
            person = self.person(raw)
        except (web.WebError, ApiError) as error:
            log.warning("sign-in at %s: nobody is named: %s", self.name, error)
            raise ApiError(errors.OAUTH_PROFILE_FAILED) from error
        return ProviderGrant(person, access, text(answer.get("refresh_token")))

    async def claims(self, token: str, *, nonce: str | None, access_token: str = "") -> Mapping[str, Any]:
        """Checked claims of an ID token. Raises ApiError."""
        if not self.provider.is_oidc:
            raise errors.invalid(f'Custom OIDC provider "{self.name}" not allowed')
        tokens = Provider(
            self.name, self.client_ids, self.provider.text("client_secret"), self.provider.text("issuer"),
            self.redirect_uri, "",
        )  # fmt: skip
        document = self.provider.table("cached_discovery") or await discover(
            discovery_url(self.provider.row), self.provider.text("issuer")
        )
        await demand_public(text(document.get("jwks_uri")))
        tokens.remember_discovery(document)
        return await tokens.claims(token, nonce=nonce, access_token=access_token)

    async def _trade(self, code: str, verifier: str) -> Mapping[str, Any]:
        url = self._endpoint("token_url", "token_endpoint")
        await demand_public(url)
        fields = {"grant_type": "authorization_code", "code": code, "redirect_uri": self.redirect_uri}
        if self.provider.row["pkce_enabled"]:
            fields["code_verifier"] = verifier
        pair = (self.client_ids[0], self.provider.text("client_secret"))
        headers = {"accept": "application/json"}
        reply = await web.ask("POST", url, timeout=TIMEOUT, headers=headers, form=fields, basic=pair)
        if not reply.ok:
            inside = {**fields, "client_id": pair[0], "client_secret": pair[1]}
            reply = await web.ask("POST", url, timeout=TIMEOUT, headers=headers, form=inside)
        return reply.table()

    async def _userinfo(self, access: str) -> Mapping[str, Any]:
        url = self._endpoint("userinfo_url", "userinfo_endpoint")
        await demand_public(url)
        headers = {"accept": "application/json", "authorization": f"Bearer {access}"}
        return (await web.ask("GET", url, timeout=TIMEOUT, headers=headers)).table()

    def person(self, raw: Mapping[str, Any]) -> Person:
        """Who claims are about, after the admin's mapping. Raises ApiError where nobody is named."""
        claims: dict[str, Any] = {name: raw[name] for name in CLAIMS if text(raw.get(name))}
        claims |= {"sub": text(raw.get("sub")) or text(raw.get("id")), "email": raw.get("email")}
        custom = {name: raw[name] for name in self.provider.items("custom_claims_allowlist") if name in raw}
        for target, source in self.provider.table("attribute_mapping").items():
            value = raw.get(source) if isinstance(source, str) else source
            if value is None:
                continue
            if target in CLAIMS or target in ("sub", "email"):
                claims[target] = value
            else:
                custom[target] = value
        subject = text(claims.pop("sub"))
        if not subject:
            raise ApiError(errors.OAUTH_PROFILE_FAILED)
        address = text(claims.pop("email")).strip().lower()
        verified = bool(address) and raw.get("email_verified") in (True, "true")
        data = {
            "iss": text(raw.get("iss")) or self.provider.text("issuer") or self.provider.text("userinfo_url"),
            "sub": subject, "provider_id": subject, "email_verified": verified, "phone_verified": False,
            **({"email": address} if address else {}), **claims, **({"custom_claims": custom} if custom else {}),
        }  # fmt: skip
        if "name" in data:
            data.setdefault("full_name", data["name"])
        if "picture" in data:
            data.setdefault("avatar_url", data["picture"])
        return Person(self.name, subject, address, verified, data)
