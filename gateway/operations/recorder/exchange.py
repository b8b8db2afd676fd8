"""One request with its answer, as a recording keeps it: a line of JSON.

`{"at", "as", "request": {"method", "path", "query", "headers", "body"}, "response": {"status", "headers", "body"}}`.
A body is text under `body`, or base64 under `base64`; of one that was too long only its size is kept, under `bytes`.
Paths have the prefixes of hosted projects (`/rest/v1`, `/auth/v1`, `/functions/v1`) whatever the gateway's own are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson


class RecordingError(Exception):
    """A file that is no recording; the message says where."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request; no secrets.

    `key` and `bearer` are what the API key and the bearer token were: publishable, secret, user, expired (a user's
    token past its time), unknown, or empty. `user` is the user's e-mail address, or id where there is none; `token` is
    a digest of the user's token.
    """

    key: str = ""
    bearer: str = ""
    user: str = ""
    token: str = ""

    def __str__(self) -> str:
        return self.user or self.bearer or self.key or "nobody"


@dataclass(frozen=True, slots=True)
class Message:
    """Headers (names in lower case) and body; `size` is that of a body that is not kept, in bytes."""

    headers: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    base64: str = ""
    size: int = 0

    @property
    def is_json(self) -> bool:
        return "json" in self.headers.get("content-type", "")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer. `query` is percent-encoded; `at` is the time of the request, ISO 8601 in UTC."""

    at: str
    caller: Caller
    method: str
    path: str
    query: str
    request: Message
    status: int
    response: Message

    @property
    def target(self) -> str:
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def service(self) -> str:
        """`rest`, `auth` or `functions`."""
        return self.path.split("/", 2)[1]


def encode(exchange: Exchange) -> bytes:
    """The exchange as a line, its end included."""
    return orjson.dumps(
        {
            "at": exchange.at,
            "as": {name: value for name, value in asdict(exchange.caller).items() if value},
            "request": {
                "method": exchange.method,
                "path": exchange.path,
                "query": exchange.query,
                **_fields(exchange.request),
            },
            "response": {"status": exchange.status, **_fields(exchange.response)},
        },
        option=orjson.OPT_APPEND_NEWLINE,
    )


def decode(line: bytes) -> Exchange:
    """The exchange of a line. Raises RecordingError."""
    try:
        content = orjson.loads(line)
        request, response = content["request"], content["response"]
        return Exchange(
            at=str(content["at"]),
            caller=Caller(**content["as"]),
            method=str(request["method"]),
            path=str(request["path"]),
            query=str(request["query"]),
            request=_message(request),
            status=int(response["status"]),
            response=_message(response),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RecordingError("is not a recorded request") from error


def read(path: Path) -> Iterator[tuple[int, Exchange]]:
    """Line numbers (from 1) and exchanges of a recording, in order. Raises RecordingError."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.isspace():  # a request of somebody who was erased
                    continue
                try:
                    yield number, decode(line)
                except RecordingError as error:
                    raise RecordingError(f"{path}, line {number} {error}") from error
    except OSError as error:
        raise RecordingError(f"{path} cannot be read: {error.strerror}") from error


def _fields(message: Message) -> dict[str, Any]:
    if message.size:
        return {"headers": dict(message.headers), "bytes": message.size}
    if message.base64:
        return {"headers": dict(message.headers), "base64": message.base64}
    return {"headers": dict(message.headers), "body": message.text}


def _message(fields: Mapping[str, Any]) -> Message:
    return Message(
        {str(name): str(value) for name, value in fields["headers"].items()},
        str(fields.get("body", "")),
        str(fields.get("base64", "")),
        int(fields.get("bytes", 0)),
    )
