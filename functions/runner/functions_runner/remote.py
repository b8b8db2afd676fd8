"""Talking to a gateway from the command line: where it is, which key, and its admin API of functions."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from functions_runner.types import FunctionError

DEFAULT_URL: Final = "http://127.0.0.1:54321"
TIMEOUT: Final = 180.0  # seconds


class GatewayAway(FunctionError):
    """No gateway answers there."""


class Refused(FunctionError):
    """The gateway answered with an error; the text is its own."""


@dataclass(frozen=True, slots=True)
class Gateway:
    """A gateway's address and the keys that are known for it.

    `admin_url` is the admin port of one that serves from this machine's data folder; elsewhere the admin API is asked
    for on the public port, where `FUNCTIONS_ADMIN` must have been set.
    """

    url: str
    publishable_key: str
    secret_key: str
    admin_url: str = ""
    admin_key: str = ""
    jwt_secret: str = field(default="", repr=False)
    service_role_jwt: str = field(default="", repr=False)

    @classmethod
    def find(cls, url: str | None, environ: Mapping[str, str] = os.environ) -> Gateway:
        """The gateway at `url`, else of SUPABASE_URL, else on this machine; keys from variables or the data folder."""
        folder = Path(environ.get("GATEWAY_DATA_DIR", ".gateway"))
        try:
            kept: dict[str, Any] = json.loads((folder / "keys.json").read_text())
        except (OSError, ValueError):
            kept = {}
        try:
            serving: dict[str, Any] = json.loads((folder / "serving.json").read_text())
        except (OSError, ValueError):
            serving = {}
        port = environ.get("GATEWAY_PORT") or environ.get("PORT")
        local = f"http://127.0.0.1:{port}" if port else str(serving.get("url") or DEFAULT_URL)
        chosen = (url or environ.get("SUPABASE_URL") or local).rstrip("/")
        is_here = chosen in (serving.get("url"), f"http://127.0.0.1:{serving.get('port')}")
        return cls(
            chosen,
            environ.get("SUPABASE_PUBLISHABLE_KEY") or str(kept.get("publishable_key") or ""),
            environ.get("SUPABASE_SECRET_KEY") or str(kept.get("secret_key") or ""),
            str(serving.get("admin") or "") if is_here else "",
            str(serving.get("key") or "") if is_here else "",
            str(kept.get("jwt_secret") or ""),
            environ.get("SUPABASE_SERVICE_ROLE_KEY") or "",
        )

    @property
    def service_token(self) -> str:
        """A token of role service_role, for functions that ask for a token; the secret key where none is known."""
        if self.service_role_jwt:
            return self.service_role_jwt
        return token(self.jwt_secret, "service_role") if self.jwt_secret else self.secret_key

    def environ(self) -> dict[str, str]:
        """What a function is told of this gateway when it runs alone."""
        found = {
            "SUPABASE_URL": self.url,
            "SUPABASE_PUBLISHABLE_KEYS": json.dumps({"default": self.publishable_key}),
            "SUPABASE_SECRET_KEYS": json.dumps({"default": self.secret_key}),
            "SUPABASE_ANON_KEY": token(self.jwt_secret, "anon") if self.jwt_secret else self.publishable_key,
            "SUPABASE_SERVICE_ROLE_KEY": self.service_token,
        }
        return {name: value for name, value in found.items() if value}

    def request(
        self, method: str, path: str, *, content: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """One request to `/functions/v1` + path. Raises GatewayAway."""
        return self._request(method, f"{self.url}/functions/v1{path}", content, headers)

    def _request(
        self, method: str, address: str, content: bytes | None, headers: Mapping[str, str] | None
    ) -> httpx.Response:
        try:
            return httpx.request(
                method,
                address,
                content=content,
                headers=dict(headers or {}),
                timeout=TIMEOUT,
                trust_env=False,
            )
        except httpx.TransportError as error:
            raise GatewayAway(
                f"No gateway answers at {self.url} ({error}). Start one with `make run`, name another with --url,"
                " or use `call --alone`."
            ) from error

    def admin(self, method: str, path: str, content: bytes | None = None) -> Any:
        """Answer of the admin API. Raises GatewayAway, Refused."""
        response = self._admin(method, path, content)
        try:
            return response.json()
        except ValueError:
            raise Refused(f"{response.status_code} from {self.url}") from None

    def admin_bytes(self, method: str, path: str) -> bytes:
        """As `admin`, for an answer that is no JSON."""
        return self._admin(method, path, None).content

    def _admin(self, method: str, path: str, content: bytes | None) -> httpx.Response:
        if self.admin_url:
            response = self._request(method, f"{self.admin_url}/_admin{path}", content, {"apikey": self.admin_key})
        elif not self.secret_key:
            raise Refused("This needs the secret key: set SUPABASE_SECRET_KEY, or run it where .gateway/keys.json is.")
        else:
            response = self.request(method, f"/_admin{path}", content=content, headers={"apikey": self.secret_key})
            if response.status_code == 404 and b"Requested function was not found" in response.content:
                raise Refused(
                    f"The admin API is not on the public port of {self.url}. Run this where its data folder is"
                    " (GATEWAY_DATA_DIR), or set FUNCTIONS_ADMIN=true there."
                )
        if response.is_error:
            try:
                message = response.json().get("message")
            except ValueError:
                message = f"{response.status_code} from {self.url}"
            raise Refused(str(message))
        return response

    def sign_in(self, email: str, password: str) -> str:
        """Access token of a user. Raises GatewayAway, Refused."""
        try:
            response = httpx.post(
                f"{self.url}/auth/v1/token?grant_type=password",
                json={"email": email, "password": password},
                headers={"apikey": self.publishable_key},
                timeout=TIMEOUT,
                trust_env=False,
            )
        except httpx.TransportError as error:
            raise GatewayAway(f"No gateway answers at {self.url} ({error}).") from error
        if response.is_error:
            raise Refused(f"{email} cannot sign in: {response.text}")
        return str(response.json()["access_token"])


def token(secret: str, role: str, now: float | None = None) -> str:
    """A token of a role for a minute, signed with this machine's secret."""
    at = int(time.time() if now is None else now)
    head, body = {"alg": "HS256", "typ": "JWT"}, {"role": role, "iss": "functions", "iat": at, "exp": at + 60}
    parts = b".".join(_encoded(json.dumps(part, separators=(",", ":")).encode()) for part in (head, body))
    return (parts + b"." + _encoded(hmac.digest(secret.encode(), parts, hashlib.sha256))).decode()


def _encoded(raw: bytes) -> bytes:
    return base64.urlsafe_b64encode(raw).rstrip(b"=")
