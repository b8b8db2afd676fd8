"""Takes the secrets out of a request or an answer before it is kept.

Passwords, codes and whatever else sounds secret become `<redacted NAME>`; tokens become `<redacted NAME DIGEST>`, so
that a later request with the same token can be told apart from one with another. The API key and the bearer are not
kept at all, only what they were (`Caller`). The gateway's own address becomes `<gateway>`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote_plus, unquote_plus

from gateway.http.json_limits import is_too_much
from gateway.operations.recorder.exchange import Caller, Message

BODY_LIMIT: Final = 262_144  # bytes; of a longer body only its size is kept

GATEWAY: Final = "<gateway>"
MASK: Final = re.compile(r"<redacted (?P<name>[\w-]+)(?: (?P<digest>[0-9a-f]{16}))?>")

# Of the browser, the network and the server's host: nothing that the API would answer to.
_NOISE: Final = re.compile(
    r"host|server|date|connection|keep-alive|te|trailer|transfer-encoding|upgrade.*|content-length|content-encoding|accept-encoding"
    r"|accept-language|user-agent|origin|referer|cookie|set-cookie|priority|dnt|pragma|cache-control|expect|via"
    r"|sec-.*|proxy-.*|x-forwarded-.*|x-real-ip|forwarded|cf-.*|cdn-.*|x-request-id|x-client-info|authorization|apikey"
)
_SECRET_NAME: Final = re.compile(r"passw|secret|token|api_?key|authorization|credential|signature", re.IGNORECASE)
_PLAIN_NAMES: Final = frozenset(("token_type", "idempotency-key"))
# Names that are secret in auth's messages only: elsewhere a code is an error's, an address a web page's.
_AUTH_REQUEST: Final = frozenset(("code", "auth_code", "code_verifier", "nonce", "otp"))
_AUTH_RESPONSE: Final = frozenset(("qr_code", "uri", "action_link", "email_otp", "phone_otp"))
# Long and random, so that a digest gives nothing away.
_TOKENS: Final = frozenset(("access_token", "refresh_token", "provider_token", "provider_refresh_token", "id_token"))

_JWT: Final = re.compile(r"\beyJ[\w-]{8,}\.eyJ[\w-]+\.[\w-]*")
_SECRET_KEY: Final = re.compile(r"\bsb_secret_[\w-]+")
_PAIR: Final = re.compile(r"(?<=[?&#])(?P<name>\w*(?:token|token_hash|code|password|apikey))=(?P<value>[^&#\s\"'<>]+)")

_ODD: Final = re.compile(r"[^\w-]")

Found = dict[str, str]


def digest(secret: str) -> str:
    """What stands for a token in a recording."""
    return hashlib.sha256(secret.encode()).hexdigest()[:16]


class Redactor:
    """Redacts the messages of one gateway, which answers at `bases` (addresses without a trailing slash).

    `found` collects the tokens met, by digest, for whoever must send them again.
    """

    def __init__(self, bases: Iterable[str], found: Found | None = None) -> None:
        known = "|".join(sorted({re.escape(base) for base in bases if base}, key=len, reverse=True))
        self._bases = re.compile(rf"(?:{known})(?![\w.:-])") if known else None
        self._found = found

    def request(self, service: str, headers: Sequence[tuple[str, str]], body: bytes | None, size: int = 0) -> Message:
        """`body` is None, and `size` its length, where it was too long."""
        return self._message(headers, body, size, _AUTH_REQUEST if service == "auth" else frozenset())

    def response(self, service: str, headers: Sequence[tuple[str, str]], body: bytes | None, size: int = 0) -> Message:
        return self._message(headers, body, size, _AUTH_RESPONSE if service == "auth" else frozenset())

    def query(self, service: str, query: str) -> str:
        """A query string without its secrets; untouched parts stay as they were sent."""
        extra = _AUTH_REQUEST if service == "auth" else frozenset()
        return "&".join(
            self._pair(piece, extra) for piece in query.split("&") if piece and not piece.startswith("apikey=")
        )

    # --- parts ---------------------------------------------------------------------------------------------------

    def _message(
        self, headers: Sequence[tuple[str, str]], body: bytes | None, size: int, extra: frozenset[str]
    ) -> Message:
        kept = self._headers(headers)
        kind = kept.get("content-type", "").lower()
        if body is None or len(body) > BODY_LIMIT or kind.startswith("multipart/"):
            return Message(kept, size=len(body) if body else size)
        try:
            text = body.decode()
        except UnicodeDecodeError:
            return Message(kept, base64=base64.b64encode(body).decode())
        if "json" in kind:
            if is_too_much(body):  # what cannot be looked through is not kept
                return Message(kept, size=len(body))
            try:
                content = json.loads(text)
            except ValueError:
                return Message(kept, self._text(text))
            clean = self._json(content, extra)
            # What holds no secret stays byte for byte.
            return Message(
                kept, text if clean == content else json.dumps(clean, ensure_ascii=False, separators=(",", ":"))
            )
        if kind.startswith("application/x-www-form-urlencoded"):
            return Message(kept, "&".join(self._pair(piece, extra) for piece in text.split("&") if piece))
        return Message(kept, self._text(text))

    def _headers(self, headers: Sequence[tuple[str, str]]) -> dict[str, str]:
        kept: dict[str, str] = {}
        for name, value in headers:
            if not _NOISE.fullmatch(name):
                clean = _mask(name) if _is_secret(name, frozenset()) else self._text(value)
                kept[name] = f"{kept[name]}, {clean}" if name in kept else clean
        return kept

    def _json(self, value: Any, extra: frozenset[str], name: str = "") -> Any:
        """`name` is that of the member the value stands under, if it sounds secret."""
        if isinstance(value, dict):
            return {
                key: self._json(item, extra, name or (key if _is_secret(key, extra) else ""))
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [self._json(item, extra, name) for item in value]
        if value is None or value == "" or isinstance(value, bool):
            return value
        if name:
            return self._hide(name, value)
        return self._text(value) if isinstance(value, str) else value

    def _pair(self, piece: str, extra: frozenset[str]) -> str:
        name, _, value = piece.partition("=")
        plain = unquote_plus(value)
        if plain and _is_secret(unquote_plus(name), extra):
            return f"{name}={quote_plus(self._hide(name, plain))}"
        clean = self._text(plain)
        return piece if clean == plain else f"{name}={quote_plus(clean)}"

    def _text(self, text: str) -> str:
        if self._bases is not None:
            text = self._bases.sub(GATEWAY, text)
        text = _JWT.sub(lambda found: self._token("jwt", found[0]), text)
        text = _SECRET_KEY.sub(_mask("secret_key"), text)
        return _PAIR.sub(
            lambda found: f"{found['name']}={self._hide(found['name'], unquote_plus(found['value']))}", text
        )

    def _hide(self, name: str, secret: object) -> str:
        return self._token(name, secret) if name in _TOKENS and isinstance(secret, str) else _mask(name)

    def _token(self, name: str, token: str) -> str:
        key = digest(token)
        if self._found is not None:
            self._found[key] = token
        return f"<redacted {name} {key}>"


def caller_of(headers: Mapping[str, str], query: str, now: float) -> Caller:
    """Who sends a request with these headers (names in lower case); `now` in epoch seconds."""
    key = headers.get("apikey", "")
    if not key and "apikey=" in query:
        key = next((unquote_plus(p[7:]) for p in query.split("&") if p.startswith("apikey=")), "")
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    bearer = bearer.strip() if scheme.lower() == "bearer" else ""
    kind, claims = _kind_of(bearer, now)
    if kind not in ("user", "expired"):
        return Caller(_kind_of(key, now)[0], kind)
    return Caller(_kind_of(key, now)[0], kind, str(claims.get("email") or claims.get("sub")), digest(bearer))


def _kind_of(token: str, now: float) -> tuple[str, Mapping[str, Any]]:
    if not token:
        return "", {}
    if token.startswith("sb_"):
        return ("secret" if token.startswith("sb_secret_") else "publishable"), {}
    claims = _claims(token)
    if claims.get("sub"):
        ends = claims.get("exp")
        return ("expired" if isinstance(ends, int | float) and ends < now else "user"), claims
    return {"anon": "publishable", "service_role": "secret"}.get(str(claims.get("role")), "unknown"), claims


def _claims(token: str) -> Mapping[str, Any]:
    """Claims of a token, unverified: they only say whom a recording must sign in."""
    parts = token.split(".")
    if len(parts) != 3:
        return {}
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return {}
    return claims if isinstance(claims, dict) else {}


def _is_secret(name: str, extra: frozenset[str]) -> bool:
    return name in extra or (name not in _PLAIN_NAMES and bool(_SECRET_NAME.search(name)))


def _mask(name: str) -> str:
    return f"<redacted {_ODD.sub('_', name)}>"
