"""The hook that may change the claims of access tokens: a function of the database.

Named by `pg-functions://postgres/SCHEMA/NAME`, it takes one jsonb, `{"user_id", "claims", "authentication_method"}`,
and answers `{"claims": {…}}` or `{"error": {"http_code", "message"}}`, as hosted projects have it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from gateway.errors import ApiError, ErrorRow
from gateway.statement import Statement, quote_name

log = logging.getLogger("gateway.auth")

# Claims that a hook has to leave in place, or the token would not work.
REQUIRED: Final = ("iss", "aud", "exp", "iat", "sub", "email", "phone", "role", "aal", "session_id", "is_anonymous")
HOOK_FAILED = ErrorRow("unexpected_failure", 500, "Error running hook URI: {uri}")
HOOK_REFUSED = ErrorRow("unexpected_failure", 403, "{reason}")


def parse_uri(uri: str) -> str:
    """The quoted function of a hook's URI. Raises ValueError.

    >>> parse_uri("pg-functions://postgres/public/add_role")
    '"public"."add_role"'
    """
    parts = urlsplit(uri)
    names = parts.path.strip("/").split("/")
    if parts.scheme != "pg-functions" or len(names) != 2 or not all(names):
        raise ValueError(f"{uri!r} is not pg-functions://postgres/SCHEMA/NAME")
    return ".".join(quote_name(name) for name in names)


def statement(function: str, claims: Mapping[str, Any], method: str) -> Statement:
    """Ask the hook."""
    event = {"user_id": claims["sub"], "claims": claims, "authentication_method": method}
    return Statement(f"select {function}($1::jsonb)", (orjson.dumps(event).decode(),))


def read(answer: Any, uri: str) -> dict[str, Any]:
    """The claims of a hook's answer. Raises ApiError."""
    if not isinstance(answer, dict):
        raise ApiError(HOOK_FAILED, uri=uri)
    error = answer.get("error")
    if isinstance(error, dict):
        raise ApiError(HOOK_REFUSED, reason=str(error.get("message") or "the token hook refused"))
    claims = answer.get("claims")
    if not isinstance(claims, dict) or any(name not in claims for name in REQUIRED):
        log.error("hook %s answered without one of the claims %s", uri, ", ".join(REQUIRED))
        raise ApiError(HOOK_FAILED, uri=uri)
    return claims
