"""Hooks: what the operator is asked, or told, before something happens.

A hook is an address that gets JSON by POST, signed as https://www.standardwebhooks.com says, or a function of the
database (`pg-functions://postgres/SCHEMA/NAME`) that takes one jsonb. Either answers with a JSON object; with
`{"error": {"http_code", "message"}}` it refuses. There are four, and messages go out through one of their own (`sms`):

    custom access token     {"user_id", "claims", "authentication_method"} → {"claims"}
    before user created     {"metadata", "user"}
    password verification   {"user_id", "valid"} → {"decision", "message", "should_logout_user"}
    MFA verification        {"factor_id", "factor_type", "user_id", "valid"} → {"decision", "message"}
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import logging
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from gateway.auth import errors
from gateway.auth.outbound import http as web
from gateway.errors import ApiError

log = logging.getLogger("gateway.auth")

# Claims that a hook has to leave in place, or the token would not work.
REQUIRED: Final = ("iss", "aud", "exp", "iat", "sub", "email", "phone", "role", "aal", "session_id", "is_anonymous")
TIMEOUT: Final = 5.0  # seconds for all attempts together
ATTEMPTS: Final = 3
BACKOFF = 2.0  # seconds between attempts to reach an address
MAX_ANSWER: Final = 200 * 1024  # bytes
_LOCAL: Final = ("localhost", "127.0.0.1", "::1")
_SECRET: Final = "v1,whsec_"


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook. `function` is a schema and a name; None for an address."""

    uri: str
    function: tuple[str, str] | None
    secrets: tuple[bytes, ...]

    @classmethod
    def of(cls, name: str, uri: str, secrets: str) -> Hook | None:
        """The hook of settings GOTRUE_HOOK_`name`_URI and _SECRETS. Raises ValueError for what cannot work."""
        if not uri:
            return None
        if uri.startswith("pg-functions:"):
            return cls(uri, parse_uri(uri), ())
        parts = urlsplit(uri)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOCAL):
            raise ValueError(f"GOTRUE_HOOK_{name}_URI must be an https address or pg-functions://postgres/…")
        if not secrets:
            raise ValueError(f"GOTRUE_HOOK_{name}_SECRETS must hold the secret that signs messages")
        return cls(uri, None, read_secrets(name, secrets))

    async def post(self, event: Mapping[str, Any], now: float) -> Any:
        """Ask an address; its answer. Raises ApiError hook_timeout and the like."""
        content = orjson.dumps(event)
        try:
            async with asyncio.timeout(TIMEOUT):
                return _answer_of(await self._reach(content, now))
        except (TimeoutError, web.WebTimeout) as error:
            raise ApiError(errors.HOOK_TIMEOUT, seconds=f"{TIMEOUT:f}") from error

    async def _reach(self, content: bytes, now: float) -> web.HttpReply:
        for attempt in range(ATTEMPTS):
            headers = {"content-type": "application/json", **sign(self.secrets, content, now)}
            try:
                reply = await web.ask("POST", self.uri, timeout=TIMEOUT, headers=headers, content=content)
            except web.WebTimeout:
                raise
            except web.WebError as error:
                log.warning("the hook %s cannot be asked: %s", self.uri, error)
                if attempt + 1 < ATTEMPTS:
                    await asyncio.sleep(BACKOFF)
                continue
            if reply.status in (429, 503) and reply.headers.get("retry-after"):
                continue
            return reply
        raise ApiError(errors.HOOK_UNREACHABLE)


def _answer_of(reply: web.HttpReply) -> Any:
    if reply.status == 204:
        return {}
    if reply.status not in (200, 202):
        log.error("a hook answered with status %s", reply.status)
        raise ApiError(errors.HOOK_STATUS, status=reply.status)
    kind = reply.headers.get("content-type", "")
    if kind.partition(";")[0].strip().lower() != "application/json":
        raise ApiError(errors.HOOK_NO_JSON, kind=kind)
    if len(reply.content) > MAX_ANSWER:
        raise ApiError(errors.HOOK_TOO_LARGE, limit=MAX_ANSWER)
    try:
        return orjson.loads(reply.content)
    except orjson.JSONDecodeError as error:
        raise ApiError(errors.HOOK_BAD_JSON) from error


def read_answer(answer: Any, uri: str) -> dict[str, Any]:
    """What a hook answered, unless it refuses. Raises ApiError with the status and words that it gave."""
    if answer is None:
        return {}
    if not isinstance(answer, dict):
        raise ApiError(errors.HOOK_FAILED, uri=uri)
    error = answer.get("error")
    if isinstance(error, dict) and error.get("message"):
        code = error.get("http_code")
        status = code if isinstance(code, int) and 400 <= code <= 599 else 500
        row = errors.HOOK_FAILURE if status == 500 else replace(errors.HOOK_REFUSAL, status=status)
        raise ApiError(row, reason=str(error["message"]))
    return answer


def read_claims(answer: Mapping[str, Any], uri: str) -> dict[str, Any]:
    """The claims of a hook's answer. Raises ApiError."""
    claims = answer.get("claims")
    if not isinstance(claims, dict) or any(name not in claims for name in REQUIRED):
        log.error("hook %s answered without one of the claims %s", uri, ", ".join(REQUIRED))
        raise ApiError(errors.HOOK_FAILED, uri=uri)
    return claims


def parse_uri(uri: str) -> tuple[str, str]:
    """Schema and name of the function of a hook's URI. Raises ValueError.

    >>> parse_uri("pg-functions://postgres/public/add_role")
    ('public', 'add_role')
    """
    parts = urlsplit(uri)
    names = parts.path.strip("/").split("/")
    if parts.scheme != "pg-functions" or len(names) != 2 or not all(names):
        raise ValueError(f"{uri!r} is not pg-functions://postgres/SCHEMA/NAME")
    return names[0], names[1]


def read_secrets(name: str, text: str) -> tuple[bytes, ...]:
    """Secrets in their usual dress, parted by bars. Raises ValueError.

    >>> read_secrets("SEND_SMS", "v1,whsec_c2VjcmV0")
    (b'secret',)
    """
    try:
        return tuple(
            base64.b64decode(each.strip().removeprefix(_SECRET), validate=True) for each in text.split("|") if each
        )
    except (ValueError, binascii.Error) as error:
        raise ValueError(f"GOTRUE_HOOK_{name}_SECRETS must be v1,whsec_BASE64, several parted by |") from error


def sign(secrets: Sequence[bytes], content: bytes, now: float) -> dict[str, str]:
    """Headers by which a hook can tell who asks it."""
    message_id, moment = f"msg_{uuid.uuid4()}", str(int(now))
    signed = f"{message_id}.{moment}.".encode() + content
    made = [base64.b64encode(hmac.digest(secret, signed, "sha256")).decode() for secret in secrets]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": moment,
        "webhook-signature": " ".join(f"v1,{code}" for code in made),
    }
