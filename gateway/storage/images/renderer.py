"""Has pictures made by a process, one after the other, and keeps what was made for who asks next.

A picture is named by the version of its object, which is never given twice, and by what is asked of it: what is kept
cannot be another's. Who asks for the same while it is made waits for that.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from contextlib import suppress
from dataclasses import dataclass
from os import pathsep
from typing import Any, Final

import orjson

from gateway.lru_cache import ENTRY, Caches, LruCache
from gateway.storage.errors import INVALID_PICTURE, SLOW_DOWN, StorageError
from gateway.storage.images.worker_protocol import FRAME, TOO_LONG

log = logging.getLogger("gateway.storage")

KEPT: Final = 64_000_000  # bytes of pictures in a worker's memory
WAITING: Final = 64  # that may wait; more are told to come again
PATIENCE: Final = 20.0  # seconds for one, whose process may get no processor time
PIECE: Final = 262_144


@dataclass(frozen=True, slots=True)
class Picture:
    """What was made."""

    type: str
    content: bytes


class Renderer:
    """The pictures of one worker."""

    def __init__(self, caches: Caches) -> None:
        self._kept: LruCache[tuple[str, bytes], Picture] = caches.make("pictures", KEPT)
        self._making: dict[tuple[str, bytes], asyncio.Task[Picture]] = {}
        self._turn = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None

    def kept(self, version: str, job: dict[str, Any]) -> Picture | None:
        """A picture that was made before."""
        return self._kept.get((version, orjson.dumps(job)))

    async def render(self, version: str, job: dict[str, Any], source: bytes) -> Picture:
        """Raises StorageError."""
        key = (version, orjson.dumps(job))
        making = self._making.get(key)
        if making is None:
            if len(self._making) >= WAITING:
                raise StorageError(SLOW_DOWN, "Too many images are being rendered")
            making = self._making[key] = asyncio.get_running_loop().create_task(self._make(key, source))
            making.add_done_callback(lambda _: self._making.pop(key, None))
        # A task of its own: a client that leaves does not end it for others.
        return await asyncio.shield(making)

    async def close(self) -> None:
        """End the process."""
        for making in list(self._making.values()):
            making.cancel()
        await self._end()

    async def _make(self, key: tuple[str, bytes], source: bytes) -> Picture:
        async with self._turn:
            try:
                async with asyncio.timeout(PATIENCE):
                    meta, content = await self._ask(key[1], source)
            except (OSError, TimeoutError, asyncio.IncompleteReadError):
                log.warning("a picture of %d bytes took more time or memory than one may", len(source))
                await self._end()
                raise StorageError(INVALID_PICTURE, TOO_LONG) from None
            except BaseException:  # in the midst of an answer
                await self._end()
                raise
        if "error" in meta:
            raise StorageError(INVALID_PICTURE, meta["error"])
        made = Picture(meta["type"], content)
        self._kept.put(key, made, ENTRY + len(key[1]) + len(content))
        return made

    async def _ask(self, job: bytes, source: bytes) -> tuple[dict[str, Any], bytes]:
        process = self._process
        if process is None or process.returncode is not None or (process.stdout and process.stdout.at_eof()):
            process = self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "gateway.storage.images.worker",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env={"PYTHONPATH": pathsep.join(path or "." for path in sys.path)},  # and none of the secrets
                limit=PIECE,
            )
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(FRAME.pack(len(job), len(source)) + job)
        process.stdin.write(source)
        await process.stdin.drain()
        size, length = FRAME.unpack(await process.stdout.readexactly(FRAME.size))
        meta = orjson.loads(await process.stdout.readexactly(size))
        pieces = []
        while length:
            piece = await process.stdout.read(min(length, PIECE))
            if not piece:
                raise asyncio.IncompleteReadError(b"", length)
            pieces.append(piece)
            length -= len(piece)
        return meta, b"".join(pieces)

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
