"""Keeps the API requests that pass through an ASGI application, with their answers, in a file.

Nothing is changed on the way but one thing: answers are not asked for compressed. A request that cannot be kept is
served all the same.
"""

from __future__ import annotations

import errno
import logging
import os
import time
from collections.abc import Mapping, MutableMapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from gateway.http.messages import RESPOND, App, HeaderList, Receive, Response, Scope, Send
from gateway.operations.recorder.exchange import Exchange, encode
from gateway.operations.recorder.redact import BODY_LIMIT, Redactor, caller_of
from gateway.operations.recorder.relay import FORGET

log = logging.getLogger("gateway.operations.recorder")

PREFIXES: Final = {"rest": "/rest/v1", "auth": "/auth/v1", "functions": "/functions/v1"}


class Recording:
    """The file: whole lines only, readable by its owner alone, never longer than `limit` bytes."""

    def __init__(self, path: Path, limit: int) -> None:
        """Raises OSError."""
        self.path = path
        self._limit = limit
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        self._full = False
        self._drop_torn_line()

    def add(self, line: bytes) -> None:
        """Append a line, or nothing more for good once the file is full. Raises OSError."""
        size = os.fstat(self._file).st_size
        if self._full:
            return
        if self._limit and size + len(line) > self._limit:
            log.warning("%s is full: no further requests are recorded", self.path)
            self._full = True
        elif os.write(self._file, line) != len(line):  # one call: several processes may append
            os.ftruncate(self._file, size)
            raise OSError(errno.ENOSPC, "no space for a whole line")

    def close(self) -> None:
        os.close(self._file)

    def _drop_torn_line(self) -> None:
        """What a killed process left half written."""
        content = self.path.read_bytes()
        if content and not content.endswith(b"\n"):
            os.ftruncate(self._file, content.rfind(b"\n") + 1)


class Recorder:
    """An ASGI application around another, which it records."""

    def __init__(
        self,
        app: App,
        recording: Recording,
        *,
        prefixes: Mapping[str, str] = PREFIXES,
        bases: tuple[str, ...] = (),
        with_secret_key: bool = True,
    ) -> None:
        """`prefixes` are the services' own; `bases` are addresses of the application besides the one that is asked for.

        Without `with_secret_key`, requests with the secret key are passed by: where functions share the address with
        the site, theirs would be made twice when the site's are replayed.
        """
        self._app = app
        self._recording = recording
        self._prefixes = sorted(prefixes.items(), key=lambda item: -len(item[1]))
        self._bases = bases
        self._with_secret_key = with_secret_key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        target = self._target(scope)
        if target is None:
            await self._app(scope, receive, send)
            return
        began = time.time()
        taken, given = _Taken(receive), _Given(scope, send)
        headers = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
        extensions = {**(scope.get("extensions") or {}), **given.extensions}
        await self._app({**scope, "headers": headers, "extensions": extensions}, taken.receive, given.send)
        if given.complete:
            try:
                self._keep(scope, *target, began, taken, given)
            except Exception:
                log.exception("a request could not be recorded")

    def _target(self, scope: Scope) -> tuple[str, str] | None:
        """The service and the path within it, if this is a request of the API."""
        if scope["type"] != "http" or scope["method"] == "OPTIONS":
            return None
        path = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
        for service, prefix in self._prefixes:
            if path.startswith(prefix) and (not prefix or path[len(prefix) : len(prefix) + 1] in ("", "/")):
                return service, path[len(prefix) :]
        return None

    def _keep(self, scope: Scope, service: str, path: str, began: float, taken: _Taken, given: _Given) -> None:
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        said = dict(headers)
        query = scope["query_string"].decode("latin-1")
        caller = caller_of(said, query, began)
        if "secret" in (caller.bearer, caller.key) and not self._with_secret_key:
            return
        redactor = Redactor((f"{scope.get('scheme', 'http')}://{said.get('host', '')}", *self._bases))
        answered = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in given.headers]
        exchange = Exchange(
            at=datetime.fromtimestamp(began, UTC).isoformat(timespec="milliseconds"),
            caller=caller,
            method=scope["method"],
            path=PREFIXES[service] + path,
            query=redactor.query(service, query),
            request=redactor.request(service, headers, taken.body.content, taken.body.size),
            status=given.status,
            response=redactor.response(service, answered, given.body.content, given.body.size),
        )
        self._recording.add(encode(exchange))


class _Body:
    """A body as it passes; its bytes are let go when they grow too many."""

    def __init__(self) -> None:
        self.size = 0
        self.content: bytes | None = b""

    def add(self, chunk: bytes) -> None:
        self.size += len(chunk)
        self.content = self.content + chunk if self.content is not None and self.size <= BODY_LIMIT else None


class _Taken:
    """What the application reads of the request."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.body = _Body()

    async def receive(self) -> MutableMapping[str, Any]:
        message = await self._receive()
        if message["type"] == "http.request":
            self.body.add(message.get("body", b""))
        return message


class _Given:
    """What the application answers, by messages or, where the server can, as a whole."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._send = send
        self._direct = (scope.get("extensions") or {}).get(RESPOND)
        self.extensions: dict[str, Any] = {FORGET: self.forget}
        if self._direct is not None:
            self.extensions[RESPOND] = self.respond
        self._forgotten = False
        self.status = 0
        self.headers: HeaderList = []
        self.body = _Body()
        self._ended = False

    @property
    def complete(self) -> bool:
        """Whether there was a whole answer worth keeping."""
        return self._ended and not self._forgotten

    def forget(self) -> None:
        self._forgotten = True

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = list(message.get("headers", ()))
        elif message["type"] == "http.response.body":
            self.body.add(message.get("body", b""))
            self._ended = not message.get("more_body", False)
        await self._send(message)

    async def respond(self, response: Response) -> None:
        self.status = response.status
        self.headers = list(response.headers)
        self.body.add(response.body)
        self._ended = True
        await self._direct(response)  # type: ignore[misc]
