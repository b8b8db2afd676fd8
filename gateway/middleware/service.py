"""What the middleware knows of a service: how to tell it from others, and in what it differs from them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from gateway.errors import ApiError
from gateway.http.messages import App, HeaderList, Request, Response
from gateway.identity.authenticator import AnonymousRefused, Identity
from gateway.identity.tokens import TokenError
from gateway.middleware.cors import Cors
from gateway.middleware.refusal import render_refusal

Refused = ApiError | TokenError | AnonymousRefused


def never(_: Request) -> bool:
    return False


def always(_: Request) -> bool:
    return True


def _refuse(_: Request, error: Refused) -> Response:
    return render_refusal(error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A service behind a prefix."""

    name: str
    """Names its rate limit and its line of metrics."""
    prefix: str
    label: Callable[[str, int], str]
    """Route, for metrics and traces, of a path and the status of its answer: one of few, whatever is asked."""
    cors: Cors = field(default_factory=Cors)
    limited: Callable[[Request], bool] = always
    """Whether a request counts against the rate limits."""
    demands_key: Callable[[Request], bool] = never
    """Whether a request must bring an API key, where the settings want one."""
    identified: bool = False
    """Whether the service is told who asks."""
    writes: bool = False
    """Whether it may write what the tables API reads: who asked then reads from the primary for a while."""
    headers: HeaderList = field(default_factory=list)
    """Security headers of all its answers."""
    refuse: Callable[[Request, Refused], Response] = _refuse
    """The answer to a request that the middleware refuses."""

    def has(self, path: str) -> bool:
        """Whether a path lies behind its prefix; an empty one has them all."""
        prefix = self.prefix
        return path.startswith(prefix) and (not prefix or path[len(prefix) : len(prefix) + 1] in ("", "/"))


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeService(Service):
    """One whose answers are made whole, of bodies that were read whole."""

    handle: Callable[[Request, Identity | None, float], Awaitable[Response]]
    """Answers a request; the last argument is the seconds that its admission took."""
    max_body: Callable[[], int]
    """Bytes of the longest body."""
    cuts_body: bool = False
    """Whether it gets the beginning of a longer one, and refuses it in its own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamedService(Service):
    """An ASGI application. It is mounted: its paths come without the prefix. `scope["gateway.identity"]` says who asks,
    where it is told."""

    app: App
    sockets: bool = False
    """Whether it takes websockets."""
