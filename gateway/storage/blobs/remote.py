"""Blobs in an S3-compatible service: AWS, MinIO, R2, Ceph and others, through obstore.

A blob is one key, `PREFIX/objects/<version>`. An upload of more than one part shows nothing until it is completed, and
one that is given up is aborted; what a killed process leaves of it is the service's to expire (a lifecycle rule for
incomplete multipart uploads), as no key names it.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError
from obstore.store import S3Store

from gateway.storage.blobs import CHUNK, VERSION, BlobMissing, Found, Stored, StoreUnavailable

PART: Final = 8 * 1024 * 1024  # bytes of a part; the services take 10,000 of at least 5 MiB
BUFFERS: Final = 8  # uploads that hold a part in memory at once, so that memory does not grow with their number
IDENTITY: Final = "store-id"


class RemoteStore:
    """One bucket of an S3-compatible service, or what begins with a prefix in it."""

    def __init__(
        self,
        bucket: str,
        *,
        endpoint: str = "",
        region: str = "us-east-1",
        access_key: str = "",
        secret_key: str = "",
        prefix: str = "",
        path_style: bool = True,
    ) -> None:
        options: dict[str, Any] = {"region": region, "virtual_hosted_style_request": not path_style}
        if endpoint:
            options["endpoint"] = endpoint
        if access_key:
            options.update(access_key_id=access_key, secret_access_key=secret_key)
        client: Any = {"allow_http": endpoint.startswith("http://"), "timeout": "300s", "connect_timeout": "10s"}
        self.store = S3Store(bucket, prefix=prefix or None, client_options=client, **options)
        self.room = asyncio.Semaphore(BUFFERS)

    @staticmethod
    def path(version: str) -> str:
        """The key of a blob. Raises ValueError for what is no version."""
        if not VERSION.fullmatch(version):
            raise ValueError(f"{version!r} is no version")
        return f"objects/{version}"

    def writer(self, version: str) -> RemoteWriter:
        return RemoteWriter(self, version)

    async def open(self, version: str) -> RemoteBlob:
        try:
            meta = await obstore.head_async(self.store, self.path(version))
        except (NotFoundError, FileNotFoundError, ValueError):
            raise BlobMissing(version) from None
        except BaseError as error:
            raise StoreUnavailable(str(error)) from error
        return RemoteBlob(self, version, int(meta["size"]))

    async def copy(self, version: str, target: str) -> None:
        try:
            await obstore.copy_async(self.store, self.path(version), self.path(target))
        except (NotFoundError, FileNotFoundError, ValueError):
            raise BlobMissing(version) from None
        except BaseError as error:
            raise StoreUnavailable(str(error)) from error

    async def join(self, versions: Iterable[str], target: str, *, hashed: bool = True) -> Stored:
        writer = self.writer(target)
        try:
            for version in versions:
                blob = await self.open(version)
                async for piece in blob.read(0, blob.size):
                    await writer.write(piece)
            return await writer.finish()
        except BaseException:
            await writer.abort()
            raise

    async def remove(self, versions: Iterable[str]) -> None:
        paths = [self.path(version) for version in versions if VERSION.fullmatch(version)]
        for start in range(0, len(paths), 1000):
            try:
                await obstore.delete_async(self.store, paths[start : start + 1000])
            except (NotFoundError, FileNotFoundError):
                for path in paths[start : start + 1000]:
                    with suppress(NotFoundError, FileNotFoundError):
                        await obstore.delete_async(self.store, path)
            except BaseError as error:
                raise StoreUnavailable(str(error)) from error

    async def list(self) -> AsyncIterator[list[Found]]:
        try:
            async for page in obstore.list(self.store, prefix="objects/", chunk_size=1000):
                now = datetime.now(UTC)
                yield [
                    Found(name, int(meta["size"]), (now - meta["last_modified"]).total_seconds())
                    for meta in page
                    if VERSION.fullmatch(name := str(meta["path"]).rpartition("/")[2])
                ]
        except BaseError as error:
            raise StoreUnavailable(str(error)) from error

    async def tidy(self, older: float) -> int:
        return 0  # an upload that is not completed has no key

    async def identity(self, fresh: str) -> str:
        try:
            with suppress(AlreadyExistsError):
                await obstore.put_async(self.store, IDENTITY, fresh.encode(), mode="create")
            return bytes(await (await obstore.get_async(self.store, IDENTITY)).bytes_async()).decode().strip()
        except (BaseError, FileNotFoundError) as error:
            raise StoreUnavailable(str(error)) from error

    async def close(self) -> None:
        return


class RemoteWriter:
    """A blob on its way to the service: in one request if it is small, else in parts."""

    def __init__(self, store: RemoteStore, version: str) -> None:
        self._store = store
        self._version = version
        self._path = store.path(version)
        self._hash = hashlib.md5(usedforsecurity=False)
        self._size = 0
        self._pieces: list[bytes] = []
        self._waiting = 0
        self._queue: asyncio.Queue[bytes | None] | None = None
        self._sending: asyncio.Task[Any] | None = None
        self._finished = False

    async def write(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self._waiting += len(piece)
        if self._waiting >= CHUNK:
            await self._pass_on()

    async def finish(self) -> Stored:
        body = b"".join(self._pieces)
        try:
            if self._sending is None:
                await asyncio.to_thread(self._hash.update, body)
                self._size += len(body)
                await obstore.put_async(self._store.store, self._path, body, use_multipart=False)
            else:
                await self._pass_on()
                assert self._queue is not None
                await self._offer(None)
                await self._sending
        except (BaseError, OSError) as error:
            raise StoreUnavailable(str(error)) from error
        finally:
            self._release()
        self._finished = True
        return Stored(self._version, self._size, self._hash.hexdigest())

    async def abort(self) -> None:
        if self._sending is not None:
            self._sending.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._sending
        self._release()
        if self._finished:
            await asyncio.shield(self._store.remove([self._version]))

    async def _pass_on(self) -> None:
        body = b"".join(self._pieces)
        self._pieces, self._waiting = [], 0
        if not body:
            return
        await asyncio.to_thread(self._hash.update, body)
        self._size += len(body)
        if self._sending is None:
            await self._store.room.acquire()
            self._queue = asyncio.Queue(2)
            self._sending = asyncio.create_task(self._send(self._queue))
        await self._offer(body)

    async def _offer(self, piece: bytes | None) -> None:
        """Give a piece to the request; what went wrong with that is told here. Raises StoreUnavailable."""
        assert self._queue is not None and self._sending is not None
        putting = asyncio.ensure_future(self._queue.put(piece))
        await asyncio.wait((putting, self._sending), return_when=asyncio.FIRST_COMPLETED)
        if not putting.done():
            putting.cancel()
        if self._sending.done() and self._sending.exception() is not None:
            raise StoreUnavailable(str(self._sending.exception()))

    async def _send(self, queue: asyncio.Queue[bytes | None]) -> None:
        async def pieces() -> AsyncIterator[bytes]:
            while (piece := await queue.get()) is not None:
                yield piece

        await obstore.put_async(
            self._store.store, self._path, pieces(), use_multipart=True, chunk_size=PART, max_concurrency=2
        )

    def _release(self) -> None:
        if self._queue is not None:
            self._queue = None
            self._store.room.release()


class RemoteBlob:
    """A blob that is there; each reading of it is a request."""

    def __init__(self, store: RemoteStore, version: str, size: int) -> None:
        self._store = store
        self._version = version
        self.size = size

    async def read(self, start: int, length: int) -> AsyncIterator[bytes]:
        end = min(start + length, self.size)
        if start >= end:
            return
        try:
            result = await obstore.get_async(
                self._store.store, self._store.path(self._version), options={"range": (start, end)}
            )
            async for piece in result.stream(min_chunk_size=CHUNK):
                yield bytes(piece)
        except (NotFoundError, FileNotFoundError):
            raise BlobMissing(self._version) from None
        except BaseError as error:
            raise StoreUnavailable(str(error)) from error

    def at_hand(self, start: int, length: int) -> bytes | None:
        return None

    def close(self) -> None:
        return
