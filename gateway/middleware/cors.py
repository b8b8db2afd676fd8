"""Cross-origin requests: the answer to a preflight, and what pages of other origins may read of an answer.

Each service has a policy here, and no other module names these headers. Follows https://fetch.spec.whatwg.org/#cors-protocol;
which headers a service names is its original's own (section 14 of the tables contract, section 1 of the auth contract).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from gateway.http.messages import HeaderList, Request, Response, Scope

ORIGIN: Final = b"access-control-allow-origin"
CREDENTIALS: Final = (b"access-control-allow-credentials", b"true")
EXPOSED: Final = b"access-control-expose-headers"
METHODS: Final = b"access-control-allow-methods"
HEADERS: Final = b"access-control-allow-headers"
WANTED_METHOD: Final = b"access-control-request-method"
WANTED_HEADERS: Final = b"access-control-request-headers"
ANYWHERE: Final = (ORIGIN, b"*")
MAX_AGE: Final = (b"access-control-max-age", b"86400")
_NAMES: Final = re.compile(rb"[A-Za-z0-9_, -]{1,1000}")
RETRY_EXPOSED: Final = (EXPOSED, b"Retry-After")

# What the gateway says in a function's place; a function's own answers say what its author wrote.
OF_FUNCTIONS: Final = (ANYWHERE, (EXPOSED, b"sb-error-code, x-relay-error, x-request-id, retry-after"))


def let_through(scope: Scope) -> Response | None:
    """The answer to a preflight in the place of a function that cannot answer it; None for any other request.

    A browser that is refused here shows its page nothing; let through, it asks, and the page reads the error.
    """
    asked = dict(scope["headers"])
    if scope["method"] != "OPTIONS" or WANTED_METHOD not in asked:
        return None
    names = asked.get(WANTED_HEADERS, b"")
    wanted = names if _NAMES.fullmatch(names) else b"authorization, x-client-info, apikey, content-type"
    return Response(204, [*OF_FUNCTIONS, (METHODS, b"GET, POST, PUT, PATCH, DELETE, OPTIONS"), (HEADERS, wanted)])


class Cors:
    """The policy of a service that says nothing to pages of other origins, or says it by itself."""

    def preflight(self, request: Request) -> Response | None:
        """The answer to a preflight, an OPTIONS without key and token; None for any other request."""
        return None

    def dress(self, request: Request, response: Response) -> None:
        """Add to a whole answer what a browser needs to hand it to a page of another origin."""


class TablesCors(Cors):
    """Origins that the settings allow, or any; `allowed` is asked each time, as settings may be read again."""

    _EXPOSED: Final = (
        EXPOSED,
        b"Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, "
        b"Transfer-Encoding, Range-Unit",
    )
    _METHODS: Final = (METHODS, b"GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD")
    _SIMPLE: Final = (b"Accept", b"Accept-Language", b"Content-Language")

    def __init__(self, allowed: Callable[[], tuple[str, ...]]) -> None:
        self._allowed = allowed

    def preflight(self, request: Request) -> Response | None:
        origin = request.header(b"origin")
        if request.method != "OPTIONS" or origin is None or request.header(WANTED_METHOD) is None:
            return None
        allowing = self._allowing(origin)
        if not allowing:
            return None
        wanted = (request.header(WANTED_HEADERS) or b"").split(b",")
        names = (b"Authorization", *(name.strip() for name in wanted if name.strip()), *self._SIMPLE)
        headers = [*allowing, self._METHODS, (HEADERS, b", ".join(dict.fromkeys(names))), MAX_AGE]
        return Response(200, headers)

    def dress(self, request: Request, response: Response) -> None:
        origin = request.header(b"origin")
        allowing = self._allowing(origin) if origin is not None else []
        if allowing:
            _replace(response, [*allowing, self._EXPOSED])
        elif request.method == "OPTIONS" and response.status == 200:
            _replace(response, [ANYWHERE])

    def _allowing(self, origin: bytes) -> HeaderList:
        allowed = self._allowed()
        if not allowed:
            return [ANYWHERE]
        return [(ORIGIN, origin), CREDENTIALS] if origin.decode("latin-1") in allowed else []


class AuthCors(Cors):
    """Any origin."""

    _EXPOSED: Final = (EXPOSED, b"X-Total-Count, Link, X-Supabase-Api-Version")
    _METHODS: Final = (METHODS, b"GET, POST, PUT, PATCH, DELETE")
    _ALLOWED: Final = (
        b"Accept, Authorization, Content-Type, X-Client-IP, X-Client-Info, X-JWT-AUD, x-use-cookie, "
        b"X-Supabase-Api-Version, apikey"
    )

    def preflight(self, request: Request) -> Response | None:
        if request.method != "OPTIONS" or request.header(WANTED_METHOD) is None:
            return None
        response = Response(204)
        self.dress(request, response)
        if response.headers:
            wanted = request.header(WANTED_HEADERS)
            response.headers += [
                self._METHODS,
                (HEADERS, self._ALLOWED + (b", " + wanted if wanted else b"")),
                MAX_AGE,
            ]
        return response

    def dress(self, request: Request, response: Response) -> None:
        if request.header(b"origin") is not None:
            _replace(response, [ANYWHERE, CREDENTIALS, self._EXPOSED])


class StorageCors(Cors):
    """Any origin, with and without one, as a CDN may keep the answer for another one."""

    _EXPOSED: Final = (
        EXPOSED,
        b"Location, Upload-Offset, Upload-Length, Upload-Expires, Tus-Resumable, Tus-Version, Tus-Extension,"
        b" Tus-Max-Size, ETag, Content-Range, Content-Disposition, X-Transformations, Retry-After",
    )
    _METHODS: Final = (METHODS, b"GET, HEAD, PUT, PATCH, POST, DELETE, OPTIONS")

    def preflight(self, request: Request) -> Response | None:
        if request.method != "OPTIONS" or request.header(WANTED_METHOD) is None:
            return None
        wanted = request.header(WANTED_HEADERS)
        return Response(204, [ANYWHERE, self._EXPOSED, self._METHODS, (HEADERS, wanted or b"*"), MAX_AGE])

    def dress(self, request: Request, response: Response) -> None:
        _replace(response, [ANYWHERE, self._EXPOSED])


class RealtimeCors(Cors):
    """Any origin, by the methods of broadcasts."""

    _EXPOSED: Final = (EXPOSED, b"x-rate-rolling, x-rate-limit, x-rate-limit-remaining, Retry-After")
    _METHODS: Final = (METHODS, b"GET, POST, OPTIONS")
    _ALLOWED: Final = b"authorization, apikey, content-type, x-client-info"

    def preflight(self, request: Request) -> Response | None:
        if request.method != "OPTIONS" or request.header(WANTED_METHOD) is None:
            return None
        wanted = request.header(WANTED_HEADERS)
        return Response(204, [ANYWHERE, self._METHODS, (HEADERS, wanted or self._ALLOWED), MAX_AGE])

    def dress(self, request: Request, response: Response) -> None:
        _replace(response, [ANYWHERE, self._EXPOSED])


def _replace(response: Response, headers: HeaderList) -> None:
    """Add headers; the origin is said once, for a browser takes an answer that says it twice for one that says none."""
    said = [name for name, _ in headers if name != EXPOSED]
    response.headers = [header for header in response.headers if header[0] not in said] + headers
