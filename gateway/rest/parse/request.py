"""Method, path, headers and query string → ApiRequest (contract sections 3, 9, 10, 13, 14)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Final
from urllib.parse import unquote

import orjson

from gateway.errors import HEADER_TOO_LONG, URL_TOO_LONG, ApiError
from gateway.http.messages import HeaderList, Request
from gateway.lru_cache import LruCache
from gateway.rest import limits
from gateway.rest.errors import METHOD, OPENAPI_DISABLED, PATH, PUT_RANGE, RPC_METHOD, SCHEMA
from gateway.rest.parse.media import ANY, JSON, decode_media_type, parse_accept
from gateway.rest.parse.plan_key import Wishes
from gateway.rest.parse.prefer import NONE, parse_prefer
from gateway.rest.parse.query_shape import Parameter, ParameterKey, ParsedQuery, parse_query
from gateway.rest.parse.ranges import Range, root_range
from gateway.rest.types import Action, MediaType, Preferences, Resource
from gateway.settings import Settings

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


_NO_WISHES: Final = Wishes(NONE, (ANY,), JSON)
WishKey = tuple[bytes, bytes, bytes, bool]
"""`Accept`, `Prefer` and `Content-Type`, and whether a client may choose how its transaction ends."""


@dataclass(slots=True, eq=False)
class Headers:
    """What a request's headers say to the tables API; `text` is all of them as JSON, without cookies, and `too_long`
    names one that is longer than it may be."""

    accept: bytes = b""
    prefer: bytes = b""
    content_type: bytes = b""
    accept_profile: bytes | None = None
    content_profile: bytes | None = None
    range: bytes | None = None
    cookie: bytes | None = None
    text: bytes = b"{}"
    wishes: Wishes = _NO_WISHES
    too_long: str | None = None

    @property
    def accepted(self) -> tuple[MediaType, ...]:
        return self.wishes.accepted

    @property
    def content(self) -> MediaType:
        return self.wishes.content

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
            case b"cookie":
                picked.cookie = picked.cookie + b"; " + value if picked.cookie else value
    return picked


def headers_json(headers: HeaderList) -> bytes:
    """Headers as a JSON object, lower case, without cookies.

    >>> headers_json([(b'accept', b'*/*'), (b'cookie', b'a=b')])
    b'{"accept":"*/*"}'
    """
    told = _told(headers)
    told.pop("cookie", None)
    return orjson.dumps(told)


def _told(headers: HeaderList) -> dict[str, str]:
    """Headers as texts, of each name the last; decoded all at once, as a line break is in none.

    Where one is no UTF-8, all are taken for Latin-1; of cookies nobody is told by name, so theirs does not count.
    """
    try:
        texts = b"\n".join(chain.from_iterable(headers)).decode().split("\n")
        if len(texts) == 2 * len(headers):
            return dict(zip(texts[::2], texts[1::2], strict=True))
    except UnicodeDecodeError:
        pass
    charset = "utf-8"
    try:
        for name, value in headers:
            if name != b"cookie":
                value.decode()
    except UnicodeDecodeError:
        charset = "latin-1"
    return {name.decode(charset): value.decode(charset, "replace") for name, value in headers}


def parse_headers(
    headers: HeaderList, tx_allowed: bool = True, known: LruCache[WishKey, Wishes] | None = None
) -> Headers:
    """What the headers say; `known` are wishes that were read before.

    Nothing is refused here: `too_long` is for `parse_request` to refuse.
    """
    told = _told(headers)
    get = dict(headers).get
    if len(told) == len(headers):
        accept, prefer, content = get(b"accept", b""), get(b"prefer", b""), get(b"content-type", b"")
        picked = Headers(
            accept, prefer, content, get(b"accept-profile"), get(b"content-profile"), get(b"range"), get(b"cookie")
        )
    else:
        picked = pick_headers(headers)
        accept, prefer, content = picked.accept, picked.prefer, picked.content_type
    told.pop("cookie", None)
    picked.text = orjson.dumps(told)
    key = (accept, prefer, content, tx_allowed)
    wishes = known.get(key) if known is not None else None
    if wishes is None:
        for name, value in (("Accept", accept), ("Prefer", prefer), ("Content-Type", content)):
            if len(value) > limits.HEADER_BYTES:
                picked.too_long = name
                return picked
        wishes = Wishes(
            parse_prefer(prefer.decode("latin-1"), tx_allowed) if prefer else NONE,
            parse_accept(accept.decode("latin-1")) if accept else (ANY,),
            decode_media_type(content.decode("latin-1")) if content else JSON,
        )
        if known is not None:
            known.put(key, wishes, 1_000 + 20 * (len(accept) + len(prefer) + len(content)))
    picked.wishes = wishes
    return picked


@dataclass(slots=True)
class ApiRequest:
    """What was asked. `negotiated` tells whether the schema is worth naming in the response."""

    action: Action
    resource: Resource
    name: str
    schema: str
    negotiated: bool
    method: str
    parsed_query: ParsedQuery
    headers: Headers
    range: Range
    preferences: Preferences
    root_spec: bool = False

    @property
    def head(self) -> bool:
        return self.method == "HEAD"

    @property
    def direct_call(self) -> bool:
        """A function called by GET or HEAD, its arguments in the query string."""
        return self.action is Action.CALL and self.method != "POST"


def parse_request(
    request: Request, headers: Headers, settings: Settings, parameters: LruCache[ParameterKey, Parameter] | None = None
) -> ApiRequest:
    """What a request asks for, from everything but its body; `parameters` are those read before. Raises ApiError."""
    path, query, method = request.path, request.query, request.method
    if len(path) + len(query) > settings.max_url_bytes:
        raise ApiError(URL_TOO_LONG, limit=settings.max_url_bytes)
    if headers.too_long is not None:
        raise ApiError(HEADER_TOO_LONG, header=headers.too_long, limit=limits.HEADER_BYTES)
    resource, name, root_spec = _resource(path, settings)
    schema, negotiated = _schema(method, headers, settings)
    action = _action(resource, method)
    if action is Action.INSPECT or (action is Action.INFO and resource is not Resource.ROUTINE):
        query = ""  # nothing is asked of it
    parsed_query = parse_query(query, resource is Resource.ROUTINE and method != "POST", parameters)
    header = headers.range.decode("latin-1") if headers.range is not None and method == "GET" else None
    wanted = root_range(parsed_query.limit, parsed_query.offset, header)
    if method == "PUT" and not wanted.everything:
        raise ApiError(PUT_RANGE)
    return ApiRequest(
        action, resource, name, schema, negotiated, method, parsed_query, headers, wanted, headers.wishes.preferences,
        root_spec,
    )  # fmt: skip


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
