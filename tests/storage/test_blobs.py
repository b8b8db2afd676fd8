"""Both stores of blobs keep the same promises: a folder, and a service that somebody else made (moto's server)."""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from gateway.storage.blobs import BlobMissing, BlobStore, StoreUnavailable
from gateway.storage.blobs.folder import FolderStore
from gateway.storage.blobs.remote import PART, RemoteStore
from gateway.storage.blobs.together import LANES
from tests.storage.s3_service import make_service_bucket, service

__all__ = ("service",)

Opener = Callable[[], BlobStore]


@pytest.fixture(params=["folder", "service"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    if request.param == "folder":
        return lambda: FolderStore(tmp_path / "blobs")
    address = request.getfixturevalue("service")
    bucket = f"b{uuid4().hex[:8]}"
    make_service_bucket(address, bucket).close()
    return lambda: RemoteStore(bucket, endpoint=address, access_key="k", secret_key="s", prefix="some/where")


@asynccontextmanager
async def opened(opener: Opener) -> AsyncIterator[BlobStore]:
    store = opener()
    try:
        yield store
    finally:
        await store.close()


def version() -> str:
    return str(uuid4())


async def written(store: BlobStore, content: bytes, piece: int = 100_000) -> str:
    name = version()
    writer = store.writer(name)
    for start in range(0, len(content), piece):
        await writer.write(content[start : start + piece])
    stored = await writer.finish()
    assert (stored.version, stored.size) == (name, len(content))
    assert stored.md5 == hashlib.md5(content).hexdigest()
    return name


async def read(store: BlobStore, name: str, start: int = 0, length: int | None = None) -> bytes:
    blob = await store.open(name)
    try:
        return b"".join([piece async for piece in blob.read(start, blob.size if length is None else length)])
    finally:
        blob.close()


async def names(store: BlobStore) -> list[str]:
    return [blob.version async for page in store.list() for blob in page]


@pytest.mark.parametrize("size", [0, 1, 1000, 300_000, PART * 2 + 5])
def test_what_was_written_is_read_again(opener: Opener, size: int) -> None:
    async def run() -> None:
        async with opened(opener) as store:
            content = os.urandom(size)
            name = await written(store, content)
            assert await read(store, name) == content
            assert await read(store, name, size // 3, size // 2) == content[size // 3 : size // 3 + size // 2]
            assert await names(store) == [name]

    asyncio.run(run())


def test_what_is_not_finished_is_not_there(opener: Opener) -> None:
    async def run() -> None:
        async with opened(opener) as store:
            for size in (0, 1000, 2_000_000, PART * 2):
                name = version()
                writer = store.writer(name)
                await writer.write(b"x" * size)
                with pytest.raises(BlobMissing):
                    await store.open(name)
                await writer.abort()
            finished = store.writer(version())
            await finished.write(b"x" * 1_000_000)
            await finished.finish()
            await finished.abort()
            assert await names(store) == []
            assert await store.tidy(0) == 0

    asyncio.run(run())


def test_copies_and_joins_outlive_what_they_were_made_of(opener: Opener) -> None:
    async def run() -> None:
        async with opened(opener) as store:
            first, second = await written(store, b"one"), await written(store, b"two")
            copy, joined = version(), version()
            await store.copy(first, copy)
            stored = await store.join([first, second, first], joined)
            assert (stored.size, stored.md5) == (9, hashlib.md5(b"onetwoone").hexdigest())
            await store.remove([first, second, version()])
            assert await read(store, copy) == b"one"
            assert await read(store, joined) == b"onetwoone"
            assert await names(store) == sorted([copy, joined])
            with pytest.raises(BlobMissing):
                await store.copy(first, version())
            with pytest.raises(BlobMissing):
                await store.join([copy, first], version())
            assert await names(store) == sorted([copy, joined])

    asyncio.run(run())


def test_a_store_is_given_one_identity(opener: Opener) -> None:
    async def run() -> None:
        async with opened(opener) as store:
            given = await asyncio.gather(*(store.identity(version()) for _ in range(5)))
            assert len(set(given)) == 1
        async with opened(opener) as again:
            assert await again.identity(version()) == given[0]

    asyncio.run(run())


def test_a_reader_gets_all_of_a_file_that_is_removed_meanwhile(tmp_path: Path) -> None:
    async def run() -> None:
        async with opened(lambda: FolderStore(tmp_path)) as store:
            content = os.urandom(2_000_000)
            name = await written(store, content)
            blob = await store.open(name)
            got = b""
            async for piece in blob.read(0, blob.size):
                if not got:
                    await store.remove([name])
                got += piece
            blob.close()
            assert got == content

    asyncio.run(run())


@pytest.mark.parametrize("name", ["../../etc/passwd", "", "a", "0" * 36, "0ab41870-e94c-4396-acb9-17a8716283d9/x"])
def test_no_other_file_can_be_named(tmp_path: Path, name: str) -> None:
    async def run() -> None:
        async with opened(lambda: FolderStore(tmp_path)) as store:
            with pytest.raises(BlobMissing):
                await store.open(name)
            with pytest.raises(ValueError, match="no version"):
                store.writer(name)
            await store.remove([name])

    asyncio.run(run())


def test_what_killed_writers_left_goes_when_it_is_old(tmp_path: Path) -> None:
    async def run() -> None:
        async with opened(lambda: FolderStore(tmp_path)) as store:
            writer = store.writer(version())
            await writer.write(b"x" * 1_000_000)
            assert await store.tidy(3600) == 0
            assert await store.tidy(0) == 1
            assert list((tmp_path / "tmp").iterdir()) == []

    asyncio.run(run())


def test_a_folder_that_was_removed_is_made_again(tmp_path: Path) -> None:
    async def scenario() -> None:
        store = FolderStore(tmp_path / "store")
        await store.identity(version())
        assert len(list((tmp_path / "store" / "objects").iterdir())) == 256
        outcomes = []
        for _ in range(2):
            name = version()
            (tmp_path / "store" / "objects" / name[:2]).rmdir()
            store.folder(str(tmp_path / "store" / "objects" / name[:2]))
            (tmp_path / "store" / "objects" / name[:2]).rmdir()
            for attempt in (name, name):
                writer = store.writer(attempt)
                await writer.write(b"x")
                try:
                    outcomes.append((await writer.finish()).size)
                except StoreUnavailable:
                    await writer.abort()
                    outcomes.append(-1)
        assert outcomes == [-1, 1, -1, 1]
        await store.close()

    asyncio.run(scenario())


def test_small_blobs_that_come_at_once_are_made_to_last_by_few_threads_and_in_the_safe_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file is synchronized before it gets its name, and its folder after that, before anybody is told."""

    async def check() -> None:
        events: list[tuple[str, str]] = []
        at_work: set[int] = set()
        most = [0]
        fsync, rename = os.fsync, os.rename

        def recorded_fsync(descriptor: int) -> None:
            at_work.add(threading.get_ident())
            most[0] = max(most[0], len(at_work))
            fsync(descriptor)
            at_work.discard(threading.get_ident())
            events.append(("sync", os.readlink(f"/proc/self/fd/{descriptor}")))

        def recorded_rename(source: str, target: str) -> None:
            rename(source, target)
            events.append(("rename", str(target)))

        store = FolderStore(tmp_path / "store")
        try:
            await store.identity(version())
            monkeypatch.setattr(os, "fsync", recorded_fsync)
            monkeypatch.setattr(os, "rename", recorded_rename)
            contents = [bytes([number]) * (number * 331) for number in range(1, 120)]

            async def one(content: bytes) -> str:
                name = await written(store, content)
                place = store.place(name)
                order = [
                    events.index(("sync", store.aside(name))),
                    events.index(("rename", place)),
                    len(events) - 1 - events[::-1].index(("sync", os.path.dirname(place))),
                ]
                assert order == sorted(order)
                return name

            names = await asyncio.gather(*map(one, contents))
            assert [await read(store, name) for name in names] == contents
            assert most[0] <= LANES
            assert not list((tmp_path / "store" / "tmp").iterdir())
        finally:
            await store.close()

    asyncio.run(check())


def test_of_small_blobs_that_come_at_once_each_fails_or_is_given_up_alone(tmp_path: Path) -> None:
    async def check() -> None:
        store = FolderStore(tmp_path / "store")
        try:
            await store.identity(version())
            names = [version() for _ in range(60)]
            refused = names[7]
            Path(store.place(refused)).mkdir()  # no file can take its place

            async def one(name: str) -> object:
                writer = store.writer(name)
                await writer.write(name.encode())
                try:
                    return (await writer.finish()).size
                except (StoreUnavailable, asyncio.CancelledError) as error:
                    if name != refused:
                        await writer.abort()
                    return type(error)

            tasks = [asyncio.create_task(one(name)) for name in names]
            await asyncio.sleep(0)
            for task in tasks[40:]:
                task.cancel()
            outcomes = await asyncio.gather(*tasks)
            assert outcomes[7] is StoreUnavailable
            assert outcomes[:7] + outcomes[8:40] == [36] * 39
            assert set(outcomes[40:]) == {asyncio.CancelledError}
            for name in names[:7] + names[8:40]:
                assert await read(store, name) == name.encode()
            assert not any(os.path.exists(store.place(name)) for name in names[40:])
        finally:
            await store.close()

    asyncio.run(check())


def test_who_waits_while_the_store_closes_is_told(tmp_path: Path) -> None:
    async def check() -> None:
        store = FolderStore(tmp_path / "store")
        await store.identity(version())
        await store.close()
        writer = store.writer(version())
        await writer.write(b"x")
        with pytest.raises(StoreUnavailable):
            await writer.finish()

    asyncio.run(check())
