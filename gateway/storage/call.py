"""One request as the handlers see it, and who makes it."""

from __future__ import annotations

import asyncio
import base64
import binascii
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl

import orjson

from gateway.http.json_limits import is_too_much
from gateway.http.messages import ClientDisconnected, HeaderList, Receive, Response
from gateway.storage.blobs import Blob
from gateway.storage.errors import (
    BODY_TOO_LARGE,
    COMPLEX_JSON,
    EMPTY_JSON,
    INVALID_FORM,
    INVALID_JSON,
    INVALID_REQUEST,
    TOO_LARGE,
    StorageError,
)

MAX_PARAMETERS: Final = 200  # of a query
MAX_JSON: Final = 1_048_576  # bytes of a body that is JSON
MAX_METADATA: Final = 1_048_576  # bytes of a user's metadata
_JSON: Final = b"application/json; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: a database role, the JSON text of the claims, and the token that held them."""

    role: str
    claims: str
    sub: str | None = None
    token: str = ""

    @property
    def owner(self) -> str | None:
        """The caller as a UUID, if it is one."""
        try:
            return str(uuid.UUID(self.sub)) if self.sub else None
        except ValueError:
            return None


@dataclass(slots=True)
class Call:
    """One request. `path` is decoded and has no prefix, `raw_path` is as it was sent."""

    method: str
    path: str
    raw_path: str
    query_string: str
    headers: HeaderList
    receive: Receive
    request_id: str = ""
    operation: str = ""
    caller: Caller | None = None
    params: dict[str, str] = field(default_factory=dict)
    base_url: str = ""
    _first: dict[bytes, bytes] | None = None
    _query: dict[str, str] | None = None
    body_read: bool = False

    def header(self, name: bytes) -> str | None:
        """First value of a header (name in lower case), or None."""
        if self._first is None:
            self._first = dict(reversed(self.headers))
        value = self._first.get(name)
        return None if value is None else value.decode("latin-1")

    @property
    def query(self) -> dict[str, str]:
        """The query's parameters, the first of each name. Raises StorageError."""
        if self._query is None:
            try:
                pairs = parse_qsl(self.query_string, keep_blank_values=True, max_num_fields=MAX_PARAMETERS)
            except ValueError:
                raise StorageError(INVALID_REQUEST, "querystring has too many parameters") from None
            self._query = dict(reversed(pairs))
        return self._query

    @property
    def declared_length(self) -> int | None:
        """What the body's length is said to be."""
        text = self.header(b"content-length")
        return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 20 else None

    @property
    def upsert(self) -> bool:
        return self.header(b"x-upsert") == "true"

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body as it comes. Raises ClientDisconnected."""
        more = True
        while more:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnected
            more = message.get("more_body", False)
            self.body_read = not more  # before the last piece is given: who refuses it asks for no more
            piece: bytes = message.get("body", b"")
            if piece:
                yield piece

    async def body(self, limit: int = MAX_JSON) -> bytes:
        """The whole body. Raises StorageError where it is too long."""
        if (self.declared_length or 0) > limit:
            raise StorageError(BODY_TOO_LARGE)
        body = bytearray()
        async for piece in self.chunks():
            body += piece
            if len(body) > limit:
                raise StorageError(BODY_TOO_LARGE)
        return bytes(body)

    async def json(self, may_be_empty: bool = False) -> Any:
        """The body as JSON; None where there is none. Raises StorageError."""
        body = await self.body()
        if not body:
            is_json = (self.header(b"content-type") or "").startswith("application/json")
            if is_json and not may_be_empty:
                raise StorageError(EMPTY_JSON)
            return None
        if is_too_much(body):
            raise StorageError(COMPLEX_JSON)
        try:
            return orjson.loads(body)
        except orjson.JSONDecodeError:
            raise StorageError(INVALID_JSON) from None

    def user_metadata(self) -> str | None:
        """The JSON object of the `x-metadata` header; None where there is none that can be read."""
        text = self.header(b"x-metadata")
        if text is None:
            return None
        try:
            return json_object(base64.b64decode(text + "=" * (-len(text) % 4)))
        except (binascii.Error, ValueError):
            return None


def json_object(raw: bytes) -> str | None:
    """The text of a JSON object; None for what is none. Raises StorageError where it is too long."""
    if len(raw) > MAX_METADATA:
        raise StorageError(TOO_LARGE, what="user_metadata")
    if is_too_much(raw):
        return None
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    return orjson.dumps(value).decode() if isinstance(value, dict) else None


@dataclass(slots=True)
class Download:
    """A response whose body is a part of a blob."""

    status: int
    headers: HeaderList
    blob: Blob | None = None
    start: int = 0
    length: int = 0


Reply = Response | Download


def reply(content: Any, status: int = 200) -> Response:
    """A JSON response."""
    return raw_reply(orjson.dumps(content), status)


def raw_reply(body: bytes, status: int = 200) -> Response:
    """A response of JSON that Postgres has made."""
    return Response(status, [(b"content-type", _JSON), (b"content-length", b"%d" % len(body))], body)


class Body:
    """A body that can be read no further than a limit."""

    def __init__(self, pieces: AsyncIterator[bytes], limit: int) -> None:
        self._pieces = pieces
        self._limit = limit
        self.size = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._pieces:
            self.size += len(piece)
            if self.size > self._limit:
                raise StorageError(TOO_LARGE, what="object")
            yield piece


async def drain(call: Call, most: int = 65_536, seconds: float = 2.0) -> None:
    """Read the little that may be left of a body, so that the connection can go on."""
    left = most
    try:
        async with asyncio.timeout(seconds):
            async for piece in call.chunks():
                left -= len(piece)
                if left < 0:
                    return
    except (TimeoutError, ClientDisconnected):
        return


def refuse_form(reason: str) -> StorageError:
    """A form that cannot be read."""
    return StorageError(INVALID_FORM, reason=reason)
