"""Errors the gateway makes in place of a function's answer: `{"code", "message"}`, readable across origins.

A refused token is marked `x-relay-error: true`, which clients turn into their relay error; every other row is an
ordinary answer that is not 2xx. Section 6 of the functions contract has the codes. The code stands in the header
`sb-error-code` too, where an answer of 500 or more that a function made itself is EDGE_FUNCTION_ERROR.
"""

from __future__ import annotations

from typing import Final

import orjson

from gateway.errors import ApiError, ErrorRow
from gateway.http.messages import Response
from gateway.identity.tokens import TokenError, algorithm_of
from gateway.middleware import cors

Fallback = tuple[tuple[str, str | bool | int], ...]

NO_TOKEN: Final = ErrorRow("UNAUTHORIZED_NO_AUTH_HEADER", 401, "Missing authorization header")
NOT_BEARER: Final = ErrorRow("UNAUTHORIZED_INVALID_JWT_FORMAT", 401, "Auth header is not 'Bearer {token}'")
NO_JWT: Final = ErrorRow("UNAUTHORIZED_INVALID_JWT_FORMAT", 401, "Invalid JWT")
LEGACY_TOKEN: Final = ErrorRow("UNAUTHORIZED_LEGACY_JWT", 401, "Invalid JWT")
ASYMMETRIC_TOKEN: Final = ErrorRow("UNAUTHORIZED_ASYMMETRIC_JWT", 401, "Invalid JWT")
UNSUPPORTED_TOKEN: Final = ErrorRow("UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM", 401, "Invalid JWT")
NOT_FOUND: Final = ErrorRow("NOT_FOUND", 404, "Requested function was not found")
TOO_LARGE: Final = ErrorRow("PAYLOAD_TOO_LARGE", 413, "The request body is larger than {limit} bytes")
WORKER_ERROR: Final = ErrorRow("WORKER_ERROR", 500, "Function exited due to an error (please check logs)")
UPSTREAM: Final = ErrorRow("UPSTREAM_ERROR", 502, "The function's server cannot be reached")
BOOT_ERROR: Final = ErrorRow("BOOT_ERROR", 503, "Function failed to start (please check logs)")
BROKEN: Final = ErrorRow("BOOT_ERROR", 503, "Function failed to start: {report}")  # in development
INSTALLING: Final = ErrorRow("BOOT_ERROR", 503, "Function is installing its packages, call it again in a moment")
BUSY: Final = ErrorRow("WORKER_BUSY", 503, "Too many calls of this function at once")
STOPPING: Final = ErrorRow("STOPPING", 503, "The gateway is stopping")
IDLE_TIMEOUT: Final = ErrorRow("IDLE_TIMEOUT", 504, "Function did not respond in time")
WORKER_LIMIT: Final = ErrorRow(
    "WORKER_LIMIT", 546, "Worker failed to respond due to a resource limit (please check logs)"
)

# 546 is no registered status, so its reason phrase must be supplied.
REASONS: Final = {546: "Worker Limit"}

# Names the error of an answer; the gateway's to say.
CODE_HEADER: Final = b"sb-error-code"
FUNCTION_ERROR: Final = b"EDGE_FUNCTION_ERROR"

_TOKENS: Final = {"HS256": LEGACY_TOKEN, "ES256": ASYMMETRIC_TOKEN, "RS256": ASYMMETRIC_TOKEN}


def refused_token(token: str) -> ErrorRow:
    """The error of a token that does not hold, by its algorithm.

    >>> refused_token("sb_publishable_x").code
    'UNAUTHORIZED_INVALID_JWT_FORMAT'
    """
    try:
        algorithm = algorithm_of(token)
    except TokenError:
        return NO_JWT
    return _TOKENS.get(str(algorithm), UNSUPPORTED_TOKEN)


def render(error: ApiError, fallback: Fallback = ()) -> Response:
    """The response for an error; the hosted platform gives refused tokens a number for a code.

    `fallback` is what the function's callers find in its own answers (see `FunctionConfig`).
    """
    code: int | str = error.status if error.status == 401 else error.code
    body = orjson.dumps({"code": code, "message": error.message, **dict(fallback)})
    headers = [
        (b"content-type", b"application/json"),
        (CODE_HEADER, error.code.encode()),
        *cors.OF_FUNCTIONS,
        *error.headers,
    ]
    if error.status == 401:
        headers.append((b"x-relay-error", b"true"))
    if error.row in (BUSY, STOPPING, INSTALLING):
        headers.append((b"retry-after", b"1"))
    return Response(error.status, headers, body, REASONS.get(error.status))
