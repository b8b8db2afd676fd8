"""Method, path, headers and query string → ApiRequest (contract sections 3, 9, 10, 13, 14)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar
from urllib.parse import unquote

import orjson

from gateway.errors import URL_TOO_LONG, ApiError
from gateway.http import HeaderList, Request
from gateway.remembered import Remembered
from gateway.rest.errors import METHOD, OPENAPI_DISABLED, PATH, PUT_RANGE, RPC_METHOD, SCHEMA
from gateway.rest.media import ANY, JSON, decode_media_type, parse_accept
from gateway.rest.prefer import NONE, parse_prefer
from gateway.rest.ranges import Range, root_range
from gateway.rest.shape import Scanned, parse_query, scan
from gateway.rest.types import Action, MediaType, Preferences, Resource
from gateway.settings import Settings

_V = TypeVar("_V")

_RELATION_ACTIONS: Final = {
    "GET": Action.READ,
    "HEAD": Action.READ,
    "POST": Action.CREATE,
    "PATCH": Action.UPDATE,
    "PUT": Action.UPSERT,
    "DELETE": Action.DELETE,
    "OPTIONS": Action.INFO,
}
_ROUTINE_ACTIONS: Final = {"GET": Action.CALL, "HEAD": Action.CALL, "POST": Action.CALL, "OPTIONS": Action.INFO}
_SCHEMA_ACTIONS: Final = {"GET": Action.INSPECT, "HEAD": Action.INSPECT, "OPTIONS": Action.INFO}
_BODY_PROFILE: Final = frozenset({"POST", "PATCH", "PUT", "DELETE"})


@dataclass(slots=True, eq=False)
class Headers:
    """What a request's headers say to the tables API; `text` is all of them as JSON, without cookies.

    Equal only to itself: requests with the same headers share one object (`HeaderMemory`).
    """

    accept: bytes = b""
    prefer: bytes = b""
    content_type: bytes = b""
    accept_profile: bytes | None = None
    content_profile: bytes | None = None
    range: bytes | None = None
    origin: bytes | None = None
    cookie: bytes | None = None
    wants_preflight: bool = False
    asked_headers: bytes = b""
    text: bytes = b"{}"
    accepted: tuple[MediaType, ...] = (ANY,)
    content: MediaType = JSON
    preferences: Preferences = NONE

    @property
    def size(self) -> int:
        """Characters of all headers."""
        return len(self.text) + len(self.cookie or b"")


def pick_headers(headers: HeaderList) -> Headers:
    """Pick what matters; the first of a kind counts, and several `Prefer` or `Accept` are one."""
    picked = Headers()
    for name, value in headers:
        match name:
            case b"accept":
                picked.accept = picked.accept + b"," + value if picked.accept else value
            case b"prefer":
                picked.prefer = picked.prefer + b"," + value if picked.prefer else value
            case b"content-type":
                picked.content_type = picked.content_type or value
            case b"accept-profile":
                picked.accept_profile = picked.accept_profile or value
            case b"content-profile":
                picked.content_profile = picked.content_profile or value
            case b"range":
                picked.range = picked.range or value
            case b"origin":
                picked.origin = value
            case b"cookie":
                picked.cookie = picked.cookie + b"; " + value if picked.cookie else value
            case b"access-control-request-method":
                picked.wants_preflight = True
            case b"access-control-request-headers":
                picked.asked_headers = value
    return picked


def headers_json(headers: HeaderList) -> bytes:
    """Headers as a JSON object, lower case, without cookies.

    >>> headers_json([(b'accept', b'*/*'), (b'cookie', b'a=b')])
    b'{"accept":"*/*"}'
    """
    try:
        return orjson.dumps({name.decode(): value.decode() for name, value in headers if name != b"cookie"})
    except UnicodeDecodeError:
        return orjson.dumps(
            {name.decode("latin-1"): value.decode("latin-1") for name, value in headers if name != b"cookie"}
        )


_KNOWN: Final = 4096  # bytes of headers that are remembered whole
_KNOWN_VALUE: Final = 512  # bytes of one header's value that is


class HeaderMemory:
    """Headers taken apart, as clients send the same ones over and over: whole, and one by one."""

    def __init__(self, tx_allowed: bool = True) -> None:
        self._tx_allowed = tx_allowed
        self._whole: Remembered[tuple[tuple[bytes, bytes], ...], Headers] = Remembered(500)
        self._accepts: Remembered[bytes, tuple[MediaType, ...]] = Remembered(500)
        self._contents: Remembered[bytes, MediaType] = Remembered(500)
        self._prefers: Remembered[bytes, Preferences] = Remembered(500)

    def parsed(self, headers: HeaderList) -> Headers:
        """What the headers say."""
        key = tuple(headers)
        known = self._whole.get(key)
        if known is None:
            known = pick_headers(headers)
            known.text = headers_json(headers)
            if known.accept:
                known.accepted = _recall(self._accepts, known.accept, parse_accept)
            if known.content_type:
                known.content = _recall(self._contents, known.content_type, decode_media_type)
            if known.prefer:
                known.preferences = _recall(self._prefers, known.prefer, self._preferences)
            if known.size <= _KNOWN:
                self._whole.put(key, known)
        return known

    def _preferences(self, text: str) -> Preferences:
        return parse_prefer(text, self._tx_allowed)


def _recall(memory: Remembered[bytes, _V], raw: bytes, parse: Callable[[str], _V]) -> _V:
    found = memory.get(raw)
    if found is None:
        found = parse(raw.decode("latin-1"))
        if len(raw) <= _KNOWN_VALUE:
            memory.put(raw, found)
    return found


@dataclass(slots=True)
class ApiRequest:
    """What was asked. `negotiated` tells whether the schema is worth naming in the response."""

    action: Action
    resource: Resource
    name: str
    schema: str
    negotiated: bool
    method: str
    scanned: Scanned
    headers: Headers
    range: Range
    root_spec: bool = False

    @property
    def preferences(self) -> Preferences:
        return self.headers.preferences

    @property
    def head(self) -> bool:
        return self.method == "HEAD"

    @property
    def direct_call(self) -> bool:
        """A function called by GET or HEAD, its arguments in the query string."""
        return self.action is Action.CALL and self.method != "POST"


def parse_request(request: Request, headers: Headers, settings: Settings) -> ApiRequest:
    """What a request asks for, from everything but its body. Raises ApiError."""
    path, query, method = request.path, request.query, request.method
    if len(path) + len(query) > settings.max_url_bytes:
        raise ApiError(URL_TOO_LONG, limit=settings.max_url_bytes)
    resource, name, root_spec = _resource(path, settings)
    schema, negotiated = _schema(method, headers, settings)
    action = _action(resource, method)
    calling = resource is Resource.ROUTINE and method != "POST"
    scanned = scan(query, calling)
    try:
        header = headers.range.decode("latin-1") if headers.range is not None and method == "GET" else None
        wanted = root_range(scanned.limit, scanned.offset, header)
        if method == "PUT" and not wanted.everything:
            raise ApiError(PUT_RANGE)
    except ApiError:
        parse_query(scanned, calling)  # a query string that cannot be parsed comes first
        raise
    return ApiRequest(action, resource, name, schema, negotiated, method, scanned, headers, wanted, root_spec)


def _resource(path: str, settings: Settings) -> tuple[Resource, str, bool]:
    if "%" in path:
        segments = [unquote(segment, errors="replace") for segment in path.split("/")[1:]]
    else:
        segments = path.split("/")[1:]
    match segments:
        case [] | [""]:
            if settings.openapi_mode == "disabled":
                raise ApiError(OPENAPI_DISABLED)
            if settings.db_root_spec:
                return Resource.ROUTINE, settings.db_root_spec.rpartition(".")[2], True
            return Resource.SCHEMA, "", False
        case [name]:
            return Resource.RELATION, name, False
        case ["rpc", name] if name:
            return Resource.ROUTINE, name, False
    raise ApiError(PATH)


def _schema(method: str, headers: Headers, settings: Settings) -> tuple[str, bool]:
    schemas = settings.db_schemas
    profile = headers.content_profile if method in _BODY_PROFILE else headers.accept_profile
    if profile is None:
        return schemas[0], len(schemas) > 1
    schema = profile.decode("utf-8", "replace")
    if schema not in schemas:
        raise ApiError(SCHEMA, schema=schema, schemas=", ".join(schemas))
    return schema, True


def _action(resource: Resource, method: str) -> Action:
    if resource is Resource.RELATION:
        action = _RELATION_ACTIONS.get(method)
    elif resource is Resource.ROUTINE:
        action = _ROUTINE_ACTIONS.get(method)
        if action is None:
            raise ApiError(RPC_METHOD, method=method)
    else:
        action = _SCHEMA_ACTIONS.get(method)
    if action is None:
        raise ApiError(METHOD, method=method)
    return action
