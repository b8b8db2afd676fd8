"""One call: request out, answer back, both streamed as they come.

The client's words pass through except hop-by-hop headers and names that are the gateway's to say. What the function
never answered is told apart by how its process ended.
"""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import MutableMapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import quote, unquote

from functions_runner.logs import timestamp
from functions_runner.types import FAULT_HEADER, FunctionConfig

from gateway.errors import ApiError
from gateway.functions.errors import (
    CODE_HEADER,
    FUNCTION_ERROR,
    IDLE_TIMEOUT,
    REASONS,
    TOO_LARGE,
    UPSTREAM,
    WORKER_ERROR,
    WORKER_LIMIT,
)
from gateway.functions.invocations import RECORD_LIMIT, Invocation
from gateway.functions.uploads import FREE, SHARE, Uploads
from gateway.functions.upstream import ConnectFailed, Connection, HeaderList, HeadTimeout, Upstream, UpstreamLost
from gateway.functions.workers import FINISH, Instance, Worker
from gateway.http.messages import Receive, Response, Scope, Send, raw_path, respond

HOP_BY_HOP: Final = frozenset(
    (
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    )
)
# Said by the gateway alone, so a client's are dropped.
OURS: Final = frozenset((b"x-forwarded-for", b"x-real-ip", b"x-relay-error", CODE_HEADER, FAULT_HEADER.encode()))
DROPPED: Final = HOP_BY_HOP | OURS | {b"date"}  # the server of the gateway says the date
FAULT: Final = FAULT_HEADER.encode()
SHORT: Final = 65_536  # bytes of an answer that is kept until it is whole
SLACK: Final = 1.0  # seconds that a function's own time-out answer may take before its process is killed
WATCH_AFTER: Final = 0.25  # seconds until the relay begins to look whether the client is still there
BODY_METHODS: Final = frozenset(("POST", "PUT", "PATCH", "DELETE"))


class ClientGone(Exception):
    """The client left before its answer was complete."""


class CallAnswer:
    """The way back to the client, noting what the invocation log wants to know."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._at = time.time()
        self._clock = time.monotonic()
        self.status = 0
        self.started = False
        self.fault = ""
        self.version = ""
        self.record = False
        self.body = bytearray()
        self.answer = bytearray()
        self.answer_headers: HeaderList = []

    async def start(self, status: int, headers: HeaderList, reason: str | None = None) -> None:
        """Begin the answer."""
        self.status = status
        self.started = True
        self.answer_headers = headers
        message: MutableMapping[str, Any] = {"type": "http.response.start", "status": status, "headers": headers}
        if reason is not None:
            message["reason"] = reason
        await self._send(message)

    async def whole(self, response: Response) -> None:
        """The answer at once, in one write where the server can."""
        self.status = response.status
        self.started = True
        self.answer_headers = list(response.headers)  # before the gateway adds its own
        if self.record:
            self.answer += response.body[:RECORD_LIMIT]
        await respond(self._scope, self._send, response)

    async def write(self, body: bytes, more: bool) -> None:
        """Send a part of the answer."""
        if self.record and len(self.answer) < RECORD_LIMIT:
            self.answer += body[: RECORD_LIMIT - len(self.answer)]
        await self._send({"type": "http.response.body", "body": body, "more_body": more})

    async def refuse(self, response: Response) -> None:
        """Answer in the function's place; an answer that has begun stays cut short, which its reader notices."""
        if not self.started:
            self.started = True
            self.status = response.status
            self.answer_headers, self.answer = response.headers, bytearray(response.body[:RECORD_LIMIT])
            await respond(self._scope, self._send, response)

    def invocation(self, name: str, fault: str) -> Invocation:
        """What the log keeps of this call."""
        scope = self._scope
        request_id = next((value for key, value in scope["headers"] if key == b"x-request-id"), b"")
        return Invocation(
            at=timestamp(self._at),
            function=name,
            version=self.version,
            method=scope["method"],
            path=raw_path(scope),
            query=kept_query(scope["query_string"].decode("latin-1")) if self.record else "",
            status=self.status,
            ms=round((time.monotonic() - self._clock) * 1000, 1),
            fault=self.fault or fault,
            request=request_id.decode("latin-1"),
            headers=kept_headers(scope["headers"]) if self.record else [],
            body=base64.b64encode(self.body).decode() if self.record else None,
            answer_headers=kept_headers(self.answer_headers) if self.record else [],
            answer=base64.b64encode(self.answer).decode() if self.record else None,
        )


class FunctionCall:
    """One call on its way to a function."""

    def __init__(
        self, scope: Scope, receive: Receive, recorder: CallAnswer, config: FunctionConfig, limit: int, record: bool
    ) -> None:
        self.scope = scope
        self.recorder = recorder
        self.config = config
        self._receive = receive
        self._limit = limit
        self._first: MutableMapping[str, Any] | None = None
        self.uploads: Uploads | None = None  # counted where the function runs here
        recorder.record = record if config.record is None else config.record

    async def run(self, upstream: Upstream) -> None:
        """Relay over one connection. Raises ConnectFailed, UpstreamLost, HeadTimeout, ClientGone, ApiError."""
        message = self._first = self._first or await self.receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        body: bytes = message.get("body", b"")
        more: bool = message.get("more_body", False)
        self.check_size(len(body))
        connection = await upstream.connect()
        guard = _Guard(self, connection)
        is_head = self.scope["method"] == "HEAD"
        try:
            if more:
                connection.send(build_head(self.scope, upstream, None), is_head)
                guard.upload(body, chunked=_length(self.scope["headers"]) is None)
            else:
                connection.send(build_head(self.scope, upstream, len(body)) + body, is_head)
                guard.begin_later()
            await self._answer(connection, guard)
        finally:
            guard.end()
            connection.release()

    async def _answer(self, connection: Connection, guard: _Guard) -> None:
        try:
            head = await connection.head(self.config.timeout + SLACK)
        except UpstreamLost:
            guard.check()
            raise
        self.recorder.fault = self._fault(head.headers)
        headers = [pair for pair in head.headers if pair[0] not in DROPPED]
        headers.append((b"x-sb-edge-region", b"local"))
        if head.status >= 500:
            headers.append((CODE_HEADER, self.recorder.fault.encode() or FUNCTION_ERROR))
        deadline = asyncio.get_running_loop().call_later(self.config.wall, connection.close)
        try:
            # A short answer is begun once it is whole: one that is lost on the way is an error, and no half answer.
            held = b""
            if _is_short(_length(head.headers)):
                while (chunk := await connection.chunk()) is not None:
                    held += chunk
                    if connection.ended:
                        break
            if held:
                await self.recorder.whole(Response(head.status, headers, held, REASONS.get(head.status)))
                return
            await self.recorder.start(head.status, headers, REASONS.get(head.status))
            while True:
                chunk = await connection.chunk()
                if chunk is None:
                    await self.recorder.write(b"", False)
                    return
                ended = connection.ended
                await self.recorder.write(chunk, not ended)
                if ended:
                    return
        except UpstreamLost:
            guard.check()
            raise
        finally:
            deadline.cancel()

    @staticmethod
    def _fault(headers: HeaderList) -> str:
        return next((value.decode("latin-1") for key, value in headers if key == FAULT), "")

    async def receive(self) -> MutableMapping[str, Any]:
        """The next part of the request."""
        message = await self._receive()
        recorder = self.recorder
        if recorder.record and message["type"] == "http.request":
            recorder.body += message.get("body", b"")
            if len(recorder.body) > RECORD_LIMIT:  # half a body could not be replayed
                recorder.record = False
        return message

    def check_size(self, size: int) -> None:
        """Raises ApiError once the body is larger than allowed."""
        if size > self._limit:
            raise ApiError(TOO_LARGE, limit=self._limit)


class _Guard:
    """Sends what is left of the request and notices when the client leaves; either ends the call's connection."""

    def __init__(self, call: FunctionCall, connection: Connection) -> None:
        self._call = call
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._uploading = False
        self._reason: Exception | None = None

    def begin_later(self) -> None:
        """Look out for the client, in calls that take longer than most."""
        self._timer = self._loop.call_later(WATCH_AFTER, self._begin)

    def upload(self, body: bytes, *, chunked: bool) -> None:
        """Send the rest of the request's body as it comes, then look out for the client."""
        self._uploading = True
        self._task = self._loop.create_task(self._upload(body, chunked))

    def end(self) -> None:
        """The call is over; a connection with half a request on it is of no more use."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
        if self._uploading:
            self._connection.close()
        if self._call.uploads is not None:
            self._call.uploads.release(self._call)

    def check(self) -> None:
        """Raise the reason for which this ended the connection, if it did."""
        if self._reason is not None:
            raise self._reason

    def _begin(self) -> None:
        self._task = self._loop.create_task(self._watch())

    async def _watch(self) -> None:
        while (await self._call.receive())["type"] != "http.disconnect":
            pass
        self._stop(ClientGone())

    async def _upload(self, body: bytes, chunked: bool) -> None:
        size = 0
        more = True
        connection = self._connection
        uploads = self._call.uploads
        limit = self._call.config.memory_mb * 1_000_000 // SHARE
        try:
            while True:
                size += len(body)
                self._call.check_size(size)
                if uploads is not None and size > FREE:
                    await uploads.grow(self._call, len(body), limit)
                if body:
                    connection.write(b"%x\r\n%b\r\n" % (len(body), body) if chunked else body)
                    await connection.drain()
                if not more:
                    break
                message = await self._call.receive()
                if message["type"] == "http.disconnect":
                    self._stop(ClientGone())
                    return
                body = message.get("body", b"")
                more = message.get("more_body", False)
        except ApiError as error:
            self._stop(error)
            return
        if chunked:
            connection.write(b"0\r\n\r\n")
        self._uploading = False
        await self._watch()

    def _stop(self, reason: Exception) -> None:
        self._reason = reason
        self._connection.close()


async def to_worker(call: FunctionCall, worker: Worker) -> None:
    """Relay a call to the function's own process. Raises ApiError, ClientGone."""
    call.uploads = worker.uploads
    for _ in range(2):
        async with worker.instance() as instance:
            call.recorder.version = instance.version
            try:
                await call.run(instance.upstream)
            except ConnectFailed:
                # It ended by itself just now; nothing was sent, so a fresh process may have the call.
                instance.retire()
                continue
            except UpstreamLost:
                await _explain(call, instance)
            except HeadTimeout:
                instance.retire(within=FINISH)
                raise ApiError(IDLE_TIMEOUT) from None
            if call.recorder.fault in ("IDLE_TIMEOUT", "WORKER_LIMIT"):
                instance.retire(within=FINISH)
            return
    raise ApiError(WORKER_ERROR)


async def _explain(call: FunctionCall, instance: Instance) -> None:
    """Raise the error for an answer that never came."""
    limit = await instance.hit_limit()
    if not instance.alive:
        instance.retire()
    raise ApiError(WORKER_LIMIT if limit else WORKER_ERROR)


async def to_remote(call: FunctionCall, upstream: Upstream) -> None:
    """Relay a call to a function on another host. Raises ApiError, ClientGone."""
    try:
        await call.run(upstream)
    except (ConnectFailed, UpstreamLost) as error:
        raise ApiError(UPSTREAM) from error
    except HeadTimeout:
        raise ApiError(IDLE_TIMEOUT) from None


def build_head(scope: Scope, upstream: Upstream, length: int | None) -> bytes:
    """The request line and headers. `length` is the body's where it is known whole."""
    headers: HeaderList = scope["headers"]
    target = scope.get("raw_path") or quote(scope["path"]).encode()
    query: bytes = scope["query_string"]
    parts = [scope["method"].encode(), b" ", upstream.base, target]
    if query:
        parts += [b"?", query]
    parts.append(b" HTTP/1.1\r\n")
    declared = None
    for name, value in headers:
        if name == b"content-length":
            declared = value
        elif name == b"host" and upstream.authority:
            parts += [b"x-forwarded-host: ", value, b"\r\n"]
        elif name in HOP_BY_HOP or name in OURS or name.startswith(b"sb-") or name == b"expect":
            continue
        else:
            parts += [name, b": ", value, b"\r\n"]
    if upstream.authority:
        parts += [b"host: ", upstream.authority, b"\r\n"]
    client = scope.get("client")
    if client:
        address = str(client[0]).encode()
        parts += [b"x-forwarded-for: ", address, b"\r\nx-real-ip: ", address, b"\r\n"]
    if length is not None:
        if length or declared is not None or scope["method"] in BODY_METHODS:
            parts.append(b"content-length: %d\r\n" % length)
    elif declared is not None:
        parts += [b"content-length: ", declared, b"\r\n"]
    else:
        parts.append(b"transfer-encoding: chunked\r\n")
    parts.append(b"\r\n")
    return b"".join(parts)


def kept_headers(headers: HeaderList) -> list[tuple[str, str]]:
    """Headers that a recorded call keeps: none that let anyone in."""
    secret = (b"authorization", b"apikey", b"cookie", b"set-cookie")
    kept = []
    for name, value in headers:
        if name not in secret and name not in HOP_BY_HOP and name != b"content-length":
            with suppress(UnicodeDecodeError):
                kept.append((name.decode("ascii"), value.decode("latin-1")))
    return kept


_ADMITTING: Final = frozenset({"apikey", "token", "access_token", "refresh_token", "jwt", "password", "code"})


def kept_query(query: str) -> str:
    """The parameters that a recorded call keeps: none that let anyone in.

    >>> kept_query("x=1&ApiKey=word&y=%20")
    'x=1&y=%20'
    """
    return "&".join(part for part in query.split("&") if unquote(part.partition("=")[0]).lower() not in _ADMITTING)


def _is_short(length: bytes | None) -> bool:
    return length is not None and length.isdigit() and len(length) < 6 and 0 < int(length) <= SHORT


def _length(headers: HeaderList) -> bytes | None:
    return next((value for key, value in headers if key == b"content-length"), None)
