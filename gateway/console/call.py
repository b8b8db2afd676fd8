"""A request of the console as its handlers see it, and the row by which a handler is found.

A subject is a module with handlers and a tuple `ROUTES` of them; `gateway/console/routes.py` lists the modules. What
every request passes before its handler (host, session, origin, token, read-only mode, audit) is in
`gateway/console/app.py`, from the row alone: a new route is guarded because it is a row.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl

import orjson

from gateway.app import Gateway
from gateway.console.door import ConsoleDoor
from gateway.console.errors import ConsoleError, bad_request
from gateway.console.sessions import RECORDS, ConsoleSession
from gateway.database import Database
from gateway.http.messages import ClientDisconnected, Receive, Request, Response, Scope, Send, read_body
from gateway.settings import Settings

Done = TypeVar("Done")
MAX_BODY: Final = 8_000_000  # bytes of a body that is read whole


@dataclass(slots=True)
class ConsoleCall:
    """One request that was let in."""

    door: ConsoleDoor
    scope: Scope
    receive: Receive
    send: Send
    path: Mapping[str, str]
    """Decoded parameters of the route's path."""
    session: ConsoleSession | None
    request: Request
    noted: dict[str, Any] = field(default_factory=dict)

    @property
    def gateway(self) -> Gateway:
        """This worker: its services, settings, keys and pools."""
        return self.door.gateway

    async def database(self) -> Database:
        """The pool of the console's own login. Raises ConsoleError 503 where there is none."""
        return await self.door.login.database()

    @property
    def is_read_only(self) -> bool:
        return self.session is None or self.door.is_read_only(self.session)

    @property
    def records_alone(self) -> bool:
        """Whether who asks may see and change rows of the API's tables, and nothing else."""
        return self.session is None or self.session.kind == RECORDS

    def admit_schema(self, schema: str) -> None:
        """Raises ConsoleError 403 for a schema that is not for who asks."""
        if self.records_alone and schema not in self.settings.db_schemas:
            raise ConsoleError(403, "records_only", f"This account may not see the schema {schema}.")

    @property
    def settings(self) -> Settings:
        return self.gateway.settings

    @property
    def method(self) -> str:
        return str(self.scope["method"])

    @property
    def query(self) -> dict[str, str]:
        """Parameters of the address; of one that is given twice the last."""
        return dict(parse_qsl(self.request.query, keep_blank_values=True))

    def note(self, **what: Any) -> None:
        """Have the audit keep this beside the request, such as `old` and `new`. Never a secret's value."""
        self.noted.update(what)

    async def json(self) -> dict[str, Any]:
        """The body, which is a JSON object. Raises ConsoleError 400."""
        body = await read_body(self.receive, MAX_BODY)
        try:
            content = orjson.loads(body or b"{}")
        except ValueError:
            raise bad_request("the body is no JSON") from None
        if not isinstance(content, dict):
            raise bad_request("the body is no JSON object")
        return content

    async def body(self) -> AsyncIterator[bytes]:
        """The body as it comes. Raises ClientDisconnected."""
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnected
            if message.get("body"):
                yield message["body"]
            if not message.get("more_body"):
                return

    async def unless_left(self, work: Coroutine[Any, Any, Done]) -> Done:
        """What comes of work, which is stopped when who asked for it goes away. The body has been read.

        Raises ClientDisconnected, and what the work raises."""
        task = asyncio.ensure_future(work)
        left = asyncio.ensure_future(self._left())
        try:
            await asyncio.wait((task, left), return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise ClientDisconnected
            return task.result()
        finally:
            left.cancel()
            if not task.done():
                task.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await task

    async def _left(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass

    async def stream(self, pieces: AsyncIterator[bytes], kind: str, filename: str = "") -> None:
        """Answer 200 with a body as it is made; the answer begins with its first piece, so that what fails before is
        still an error's."""
        headers = [*HEADERS, (b"content-type", kind.encode())]
        if filename:
            safe = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in filename)
            headers.append(
                (b"content-disposition", f'attachment; filename="{safe.encode("ascii", "replace").decode()}"'.encode())
            )
        first = await anext(pieces, b"")
        await self.send({"type": "http.response.start", "status": 200, "headers": headers})
        await self.send({"type": "http.response.body", "body": first, "more_body": True})
        async for piece in pieces:
            await self.send({"type": "http.response.body", "body": piece, "more_body": True})
        await self.send({"type": "http.response.body", "body": b""})


Handler = Callable[[ConsoleCall], Awaitable[Response | None]]


@dataclass(frozen=True, slots=True)
class ConsoleRoute:
    """A row: `path` is behind `/_console/api`, such as `/functions/{name:segment}`.

    Whatever is no GET is a change: it needs the token, is refused in read-only mode and stands in the audit. One that
    only `reads`, by a POST because its question is long, is let in there and not noted; one that `streams` reads its
    own body, which need not be JSON. A handler that has answered by `call.send` gives None.
    """

    method: str
    path: str
    answer: Handler
    reads: bool = False
    streams: bool = False
    open: bool = False
    """Answers without a session: the sign-in alone."""
    by_token: bool = False
    """Needs the token even by GET, or a browser's word that a script of the page asks and nobody opens an address."""
    when_read_only: bool = False
    """Answers in read-only mode though it is a change: it ends a session, or is told to read alone."""
    for_records: bool = False
    """Answers accounts that may edit records and nothing else; its handler asks `call.admit_schema`."""

    @property
    def is_change(self) -> bool:
        return self.method not in ("GET", "HEAD") and not self.reads


HEADERS: Final = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


def answer_json(content: Any, status: int = 200) -> Response:
    """An answer of JSON that no cache keeps."""
    body = orjson.dumps(content, default=str)
    return Response(status, [*HEADERS, (b"content-type", b"application/json; charset=utf-8")], body)


def answer_error(error: ConsoleError) -> Response:
    return answer_json(error.content, error.status)


def text_of(content: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """A text of a body. Raises ConsoleError 400."""
    value = content.get(name, default)
    if not isinstance(value, str):
        raise bad_request(f"{name} must be a text")
    return value
