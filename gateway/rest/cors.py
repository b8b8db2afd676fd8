"""Cross-origin requests: preflights, and the headers of ordinary responses (contract section 14)."""

from __future__ import annotations

from typing import Final

from gateway.http.messages import HeaderList, Response
from gateway.rest.request import Headers

_EXPOSED: Final = (
    b"access-control-expose-headers",
    b"Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, "
    b"Transfer-Encoding, Range-Unit",
)
_METHODS: Final = (b"access-control-allow-methods", b"GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD")
_SIMPLE: Final = (b"Accept", b"Accept-Language", b"Content-Language")
_MAX_AGE: Final = (b"access-control-max-age", b"86400")
_ANYWHERE: Final[HeaderList] = [(b"access-control-allow-origin", b"*")]


def _allowing(origin: bytes, allowed: tuple[str, ...]) -> HeaderList | None:
    if not allowed:
        return _ANYWHERE
    if origin.decode("latin-1") in allowed:
        return [(b"access-control-allow-origin", origin), (b"access-control-allow-credentials", b"true")]
    return None


def preflight(picked: Headers, allowed: tuple[str, ...]) -> Response | None:
    """The answer to a preflight, or None where the request is none that is allowed."""
    if picked.origin is None or not picked.wants_preflight:
        return None
    origin = _allowing(picked.origin, allowed)
    if origin is None:
        return None
    asked = [name.strip() for name in picked.asked_headers.split(b",") if name.strip()]
    names = b", ".join(dict.fromkeys((b"Authorization", *asked, *_SIMPLE)))
    headers: HeaderList = [
        *origin,
        _METHODS,
        (b"access-control-allow-headers", names),
        _MAX_AGE,
        (b"content-length", b"0"),
    ]
    return Response(200, headers)


def add_cors(response: Response, origin: bytes, allowed: tuple[str, ...]) -> None:
    """Add what a browser needs to hand the response to a page of another origin."""
    headers = _allowing(origin, allowed)
    if headers is None:
        return
    names = {name for name, _ in headers}
    response.headers = [header for header in response.headers if header[0] not in names] + [*headers, _EXPOSED]
