"""Requests to prepared statements, without a database."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

from gateway.catalog.model import SchemaCache
from gateway.database.statement import Statement
from gateway.http.messages import CachedRequest, Request
from gateway.identity.authenticator import Identity
from gateway.lru_cache import LruCache
from gateway.rest.endpoint import RestService, key_of
from gateway.rest.parse.request import ApiRequest, parse_headers, parse_request
from gateway.rest.planner.prepare import Prepared, prepare
from gateway.rest.types import Payload
from gateway.settings import Settings

T = TypeVar("T")

ROLE = "anon"


def asked_of(request: Request, settings: Settings, cache: SchemaCache) -> ApiRequest:
    return parse_request(request, parse_headers(request.headers), settings)


def request_of(method: str, target: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Request:
    path, _, query = target.partition("?")
    raw = [(name.lower().encode(), value.encode()) for name, value in (headers or {}).items()]
    return Request(method, path, query, raw, body)


class Wire:
    """Hands requests on as the server does: one without a body that comes again byte for byte is the same once more."""

    def __init__(self, cache: LruCache[bytes, CachedRequest]) -> None:
        self.cache = cache

    def hand_on(self, request: Request) -> Request:
        if request.body:
            return request
        data = repr((request.method, request.path, request.query, request.headers)).encode()
        cached = self.cache.get(data)
        if cached is None:
            cached = CachedRequest(request, True)
            cached.came_as(data, self.cache)
        return cached.again()


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """The result of what waits for nothing."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    raise AssertionError("it waits")


class Planner:
    """Plans requests as the service does."""

    def __init__(self, cache: SchemaCache, settings: Settings) -> None:
        self.cache = cache
        self.settings = settings
        self._service = RestService(settings, None, lambda: cache)  # type: ignore[arg-type]  # no statement is run

    def prepared(self, request: Request) -> tuple[ApiRequest, Payload | None, Prepared]:
        asked = asked_of(request, self.settings, self.cache)
        payload = at_once(self._service._payload(request, asked, Identity(ROLE, "{}"), self.cache))
        return asked, payload, prepare(key_of(asked, payload), self.cache, self.settings)

    def statement(
        self, method: str, target: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> Statement:
        """The statement that a request runs, its values as texts."""
        asked, payload, prepared = self.prepared(request_of(method, target, body, headers))
        values = [payload.raw if payload else None, str(asked.range.offset), *asked.parsed_query.literals]
        values += [value for _, value in payload.fields or ()] if payload else []
        text, params = prepared.main.fill(values)
        return Statement(text, tuple([None if value is None else _text(value) for value in params]))


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")
