"""A local OpenID Connect provider that signs in whoever it is told to, and checks what a careful one checks."""

from __future__ import annotations

import base64
import hashlib
import time
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.gateway.auth.local import Asked
from tests.gateway.auth.service import Answer, Auth

KEY = RSAKey.generate_key(2048, {"kid": "one", "alg": "RS256", "use": "sig"}, private=True)
OTHER = RSAKey.generate_key(2048, {"kid": "one", "alg": "RS256", "use": "sig"}, private=True)


class Provider:
    """A provider that signs in whoever `person` is, and checks what a careful one checks."""

    def __init__(self) -> None:
        self.url = ""
        self.person: dict[str, Any] = {"sub": "42", "email": "Ada@example.com", "email_verified": True, "name": "Ada"}
        self.overrides: dict[str, Any] = {}
        self.key = KEY
        self.codes: dict[str, dict[str, str]] = {}

    def answer(self, asked: Asked) -> tuple[int, Any]:
        match asked.path:
            case "/.well-known/openid-configuration":
                return 200, {
                    "issuer": self.url,
                    "authorization_endpoint": f"{self.url}/auth?tenant=1",
                    "token_endpoint": f"{self.url}/token",
                    "userinfo_endpoint": f"{self.url}/me",
                    "jwks_uri": f"{self.url}/keys",
                }
            case "/auth":
                return 200, {"continue": self._sign_in(asked.query)}
            case "/native":
                return 200, {"id_token": self.id_token(**hinted(asked.query))}
            case "/keys":
                return 200, {"keys": [KEY.as_dict(private=False)]}
            case "/token":
                return self._token(asked)
        return 404, {}

    def _sign_in(self, asked: dict[str, str]) -> str:
        """The page's answer to whoever `login_hint` names: where the browser goes next."""
        code = f"code-{len(self.codes)}-{asked['state'][:8]}"
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def _token(self, asked: Asked) -> tuple[int, Any]:
        basic = base64.b64encode(b"client-1:secret-1").decode()
        begun = self.codes.pop(asked.form.get("code", ""), None)
        digest = hashlib.sha256(asked.form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if begun is None or asked.headers.get("authorization") != f"Basic {basic}":
            return 400, {"error": "invalid_grant"}
        if challenge != begun["code_challenge"] or asked.form["redirect_uri"] != begun["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        token = self.id_token(nonce=begun["nonce"], **hinted(begun))
        return 200, {"access_token": "provider-access", "refresh_token": "provider-refresh", "id_token": token}

    def id_token(self, **claims: Any) -> str:
        now = int(time.time())
        content = {
            "iss": self.url, "aud": "client-1", "iat": now, "exp": now + 300, **self.person, **claims, **self.overrides,
        }  # fmt: skip
        return jwt.encode({"alg": "RS256", "kid": "one"}, content, self.key)

    @property
    def settings(self) -> dict[str, Any]:
        rows = {
            "keycloak_enabled": "true",
            "keycloak_client_id": "client-1",
            "keycloak_secret": "secret-1",
            "keycloak_url": self.url,
        }
        return {"external_providers": rows}

    async def sign_in(self, auth: Auth, path: str = "/authorize?provider=keycloak", **more: Any) -> Answer:
        """Go there and come back, as a browser does."""
        gone = await auth.call("GET", path, **more)
        assert gone.status == 302, gone.raw
        return await self.come_back(auth, gone.location)

    async def come_back(self, auth: Auth, location: str) -> Answer:
        back = self._sign_in(dict(parse_qsl(urlsplit(location).query)))
        return await auth.call("GET", f"/callback?{urlsplit(back).query}")


def hinted(query: dict[str, str]) -> dict[str, str]:
    """The person that a request names."""
    hint = query.get("login_hint")
    return {"sub": hint, "email": hint} if hint else {}
