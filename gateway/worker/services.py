"""The services of a worker as the middleware sees them: one row each, and the order in which they are looked for."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from gateway.auth.call import MAX_BODY
from gateway.auth.http.routes import FIXED_PATHS
from gateway.auth.service import AuthService
from gateway.errors import NOT_SERVED, ApiError
from gateway.functions.service import FunctionsService
from gateway.http.messages import App, Receive, Request, Response, Scope, Send, refuse_socket, respond
from gateway.identity.authenticator import Identity, strip_key
from gateway.middleware import security_headers
from gateway.middleware.cors import AuthCors, RealtimeCors, StorageCors, TablesCors
from gateway.middleware.metrics import OTHER
from gateway.middleware.refusal import render_refusal
from gateway.middleware.service import Refused, Service, StreamedService, WholeService, never
from gateway.realtime.rest import BroadcastApi
from gateway.rest.endpoint import RestService
from gateway.settings import Settings
from gateway.site.service import Site
from gateway.storage.service import StorageService, operation_of

# Reached by links, by other servers and by foreign OAuth clients, which carry no key.
AUTH_OPEN: Final = re.compile(
    r"/(?:verify|callback|authorize|health|\.well-known/.*|sso/saml/.*|oauth/(?:authorize|token|userinfo|clients/register))"
)


def tables(rest: RestService, current: Callable[[], Settings]) -> WholeService:
    """The tables API. `current` gives the settings, which may be read again."""
    prefix = current().rest_prefix

    def handle(request: Request, identity: Identity | None, seconds: float) -> Awaitable[Response]:
        assert identity is not None
        request.query = strip_key(request.query)
        return rest.handle(request, identity, seconds)

    def refuse(request: Request, error: Refused) -> Response:
        return render_refusal(error) if isinstance(error, ApiError) else rest.refuse(request, error)

    return WholeService(
        name="tables",
        prefix=prefix,
        label=lambda path, status: prefix,
        cors=TablesCors(lambda: current().cors_allowed_origins),
        demands_key=lambda request: request.method != "OPTIONS",
        identified=True,
        refuse=refuse,
        handle=handle,
        max_body=lambda: current().max_body_bytes,
    )


def auth(service: AuthService, settings: Settings) -> WholeService:
    """The auth API."""
    prefix = settings.auth_prefix

    def handle(request: Request, identity: Identity | None, seconds: float) -> Awaitable[Response]:
        return service.handle(request)

    return WholeService(
        name="auth",
        prefix=prefix,
        label=lambda path, status: prefix + (path if path in FIXED_PATHS else ""),
        cors=AuthCors(),
        demands_key=lambda request: not AUTH_OPEN.fullmatch(request.path),
        writes=True,
        handle=handle,
        max_body=lambda: MAX_BODY,
        cuts_body=True,
    )


METADATA: Final = "/.well-known/oauth-authorization-server"


def metadata(service: AuthService, settings: Settings) -> WholeService:
    """What the OAuth server is, where its clients look for it: the path of the issuer comes behind the well-known one
    (RFC 8414, section 3.1), outside of the prefix that the auth API has."""

    def handle(request: Request, identity: Identity | None, seconds: float) -> Awaitable[Response]:
        # Nothing else of the auth API is here: it would be reached without its key and beside its limits.
        of = request.path.rstrip("/")
        request.path = METADATA if of in ("", settings.auth_prefix) else METADATA + request.path
        return service.handle(request)

    return WholeService(
        name="auth",
        prefix=METADATA,
        label=lambda path, status: METADATA if status != 404 else OTHER,
        cors=AuthCors(),
        handle=handle,
        max_body=lambda: MAX_BODY,
        cuts_body=True,
    )


def functions(service: FunctionsService, settings: Settings) -> StreamedService:
    """Functions, which check tokens and answer other origins by themselves."""
    prefix = settings.functions_prefix

    def name_in(path: str) -> str:
        return path[1:].partition("/")[0]

    def refuse(request: Request, error: Refused) -> Response:
        return service.refusal(name_in(request.path), error) if isinstance(error, ApiError) else render_refusal(error)

    return StreamedService(
        name="functions",
        prefix=prefix,
        label=lambda path, status: f"{prefix}/{name_in(path)}" if status != 404 else OTHER,
        limited=lambda request: request.method != "OPTIONS",
        writes=True,
        sockets=True,
        refuse=refuse,
        app=service,
    )


def storage(service: StorageService, settings: Settings) -> StreamedService:
    """The storage API, which says by itself who may ask: much of it is open to anybody."""
    prefix = settings.storage_prefix
    return StreamedService(
        name="storage",
        prefix=prefix,
        label=lambda path, status: prefix + operation_of(path),
        cors=StorageCors(),
        limited=lambda request: request.method != "OPTIONS",
        writes=True,
        app=service,
    )


def realtime(api: BroadcastApi, settings: Settings) -> StreamedService:
    """The realtime API by HTTP; its socket is opened by gateway/realtime/door.py, under the same limits."""
    prefix = settings.realtime_prefix
    return StreamedService(
        name="realtime",
        prefix=prefix,
        label=lambda path, status: prefix + ("/websocket" if path.startswith("/websocket") else ""),
        cors=RealtimeCors(),
        limited=lambda request: request.method != "OPTIONS",
        app=api,
    )


# What hosted projects have beside: whoever asks for it is told so in JSON, and not sent a page of the site.
ABSENT: Final = ("/graphql/v1", "/graphql", "/pg", "/analytics/v1")


def absent(prefix: str) -> StreamedService:
    """A service that there is not."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await respond(scope, send, render_refusal(ApiError(NOT_SERVED, path=prefix)))
        else:
            await refuse_socket(send)

    return StreamedService(
        name="absent", prefix=prefix, label=lambda path, status: OTHER, cors=RealtimeCors(), limited=never, app=answer
    )


def site(pages: Site, settings: Settings) -> StreamedService:
    """The built site, which takes what no other service has."""
    return StreamedService(
        name="site",
        prefix="",
        label=lambda path, status: "site" if status != 404 else OTHER,
        limited=never,
        headers=security_headers.of_pages(settings),
        app=pages,
    )


def mounted(prefix: str, app: App) -> StreamedService:
    """A further application, such as the development mail trap's page."""
    sockets = getattr(app, "sockets", False)
    return StreamedService(
        name=prefix, prefix=prefix, label=lambda path, status: prefix, limited=never, app=app, sockets=sockets
    )


def route(path: str, services: tuple[Service, ...]) -> Service:
    """The service of a path: the first that has it, and the last has them all."""
    for service in services:
        if service.has(path):
            return service
    raise AssertionError("the last service has every path")


def path_in(wanted: Service, services: tuple[Service, ...]) -> Callable[[str], str | None]:
    """A shorter `route` for paths of one service: their part behind the prefix, None for others and for `prefix`
    alone. It looks at those services only whose paths could begin alike."""
    start, length = wanted.prefix + "/", len(wanted.prefix)
    before = services[: services.index(wanted)]
    rivals = tuple(service for service in before if (service.prefix + "/").startswith(start))

    def path_of(path: str) -> str | None:
        if not path.startswith(start):
            return None
        for rival in rivals:
            if rival.has(path):
                return None
        return path[length:]

    return path_of


def in_order(services: list[Service], mounts: Mapping[str, App], last: Service) -> tuple[Service, ...]:
    """The longest prefix first: an empty one takes what is left, tables before the others."""
    known = [*(mounted(prefix, app) for prefix, app in mounts.items()), *services]
    return (*sorted(known, key=lambda service: -len(service.prefix)), last)
