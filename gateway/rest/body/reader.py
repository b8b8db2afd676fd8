"""Where a body is read: at once if that takes no time, else in a process of its own.

Neither JSON nor CSV nor HTML lets go of the interpreter while it is read, so a thread would hold the loop as much as
the loop itself. A small body is read here, in less than the five milliseconds that anything may hold the loop; what is
longer, or has enough markup or columns to take longer, goes to gateway/rest/body/worker.py. One process is for bodies
of up to a megabyte, so that they wait for none of the others.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from os import pathsep
from typing import Any, Final

import orjson

from gateway.errors import ApiError
from gateway.rest.body.htmlguard import guard_html
from gateway.rest.body.payload import parse_payload
from gateway.rest.body.worker import FRAME, job_of
from gateway.rest.errors import BODY
from gateway.rest.types import MediaType, Payload

log = logging.getLogger("gateway.rest")

AT_ONCE: Final = 16_384  # bytes; the slowest text of this length takes about five milliseconds
MARKS: Final = 200  # tags, and escapes that may be some: cleaning takes their square at worst
SMALL: Final = 1_000_000  # bytes
PATIENCE: Final = 60.0  # seconds for a body whose process gets no processor time
PIECE: Final = 262_144  # bytes of an answer read at once

Allow = Callable[[], Awaitable[None]]


def takes_long(body: bytes, media: MediaType, columns: tuple[str, ...] | None, guarded: frozenset[str]) -> bool:
    """Whether the body is too much for the loop."""
    if media.kind == "json":
        if columns is not None and guarded.isdisjoint(columns):
            return False  # sent on as it came
    elif media.kind not in ("csv", "form"):
        return False
    if len(body) > AT_ONCE:
        return True
    if guarded and body.count(b"<") + body.count(b"%3") + body.count(b"\\u") > MARKS:
        return True
    if media.kind != "csv":
        return False
    lines = body.count(b"\n") + body.count(b"\r")
    return lines * max(body.find(b"\n"), body.find(b"\r")) > AT_ONCE * 16  # each row has the names again


class BodyReader:
    """Reads the bodies of one worker."""

    def __init__(self) -> None:
        self._small, self._large = _Process(), _Process()

    async def read(
        self,
        body: bytes,
        media: MediaType,
        columns: tuple[str, ...] | None,
        guarded: frozenset[str],
        *,
        routine: bool,
        allow: Allow,
    ) -> Payload:
        """The payload, its HTML cleaned in the columns `guarded`. `allow` is awaited before anything that takes long;
        it raises where the client may not write at all. Raises ApiError BODY."""
        if not takes_long(body, media, columns, guarded):
            return guard_html(parse_payload(body, media, columns, routine=routine), guarded)
        await allow()
        process = self._small if len(body) <= SMALL else self._large
        job = orjson.dumps(job_of(media, columns, routine, guarded))
        # A task of its own: a client that leaves does not end it.
        meta, text = await asyncio.get_running_loop().create_task(process.run(job, body))
        if "error" in meta:
            raise ApiError(BODY, message=meta["error"])
        fields = None if meta["fields"] is None else tuple((name, value) for name, value in meta["fields"])
        return Payload(body if meta["same"] else text, tuple(meta["columns"]), meta["is_object"], fields)

    async def close(self) -> None:
        """End the processes."""
        await self._small.end()
        await self._large.end()


class _Process:
    """A process that reads one body at a time; it is started when it is needed."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None

    async def run(self, job: bytes, body: bytes) -> tuple[dict[str, Any], bytes]:
        async with self._turn:
            try:
                async with asyncio.timeout(PATIENCE):
                    return await self._ask(job, body)
            except (OSError, TimeoutError, asyncio.IncompleteReadError):
                log.warning("a body of %d bytes took more time or memory than one may", len(body))
                await self.end()
                raise ApiError(BODY, message="The body takes too long to read") from None
            except BaseException:  # in the midst of an answer
                await self.end()
                raise

    async def _ask(self, job: bytes, body: bytes) -> tuple[dict[str, Any], bytes]:
        process = self._process
        if process is None or process.returncode is not None or (process.stdout and process.stdout.at_eof()):
            process = self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "gateway.rest.body.worker",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env={"PYTHONPATH": pathsep.join(path or "." for path in sys.path)},  # and none of the secrets
                limit=PIECE,
            )
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(FRAME.pack(False, len(job), len(body)) + job)
        process.stdin.write(body)
        await process.stdin.drain()
        last, size, length = FRAME.unpack(await process.stdout.readexactly(FRAME.size))
        meta = await process.stdout.readexactly(size)
        pieces = []
        while length:
            piece = await process.stdout.read(min(length, PIECE))
            if not piece:
                raise asyncio.IncompleteReadError(b"", length)
            pieces.append(piece)
            length -= len(piece)
        if last:
            await self.end()
        return orjson.loads(meta), b"".join(pieces)

    async def end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
