"""The middleware's own envelope: `{"message", "hint"}`, which any page may read."""

from __future__ import annotations

import orjson

from gateway.errors import INTERNAL, INVALID_API_KEY, ApiError
from gateway.http.messages import Response
from gateway.identity.authenticator import AnonymousRefused
from gateway.identity.tokens import TokenError
from gateway.middleware.cors import ANYWHERE


def render_refusal(error: ApiError | TokenError | AnonymousRefused) -> Response:
    """The answer to a request that no service gets."""
    if not isinstance(error, ApiError):
        return render_refusal(ApiError(INVALID_API_KEY))
    content = {"message": error.message, "hint": error.hint} if error.hint else {"message": error.message}
    body = orjson.dumps({"code": error.code, **content} if error.row is INTERNAL else content)
    return Response(
        error.status, [(b"content-type", b"application/json; charset=utf-8"), ANYWHERE, *error.headers], body
    )
