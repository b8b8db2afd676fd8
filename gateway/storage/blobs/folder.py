"""Blobs in a folder, safe against a crash at any moment.

`objects/<two digits>/<version>` is a whole blob, `tmp/<version>` one that is being written. A blob is written aside,
synchronized to the disk, renamed into its place, and the folder that now holds its name is synchronized too; only then
may a row name it. Nothing but the content is kept here: no name, no type, no extended attributes, so that a plain copy
of the folder is whole.

Threads do what may wait for a disk, as many at once as the pool has. What is in the page cache is read on the event
loop: a thread would cost more than the read (`preadv2` with RWF_NOWAIT says whether it would have to wait).
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

from gateway.storage.blobs import CHUNK, VERSION, BlobMissing, Found, Stored, StoreUnavailable
from gateway.storage.blobs.together import Together, settle_all

THREADS: Final = 16
WRITTEN: Final = 524_288  # bytes that gather before a thread hashes and writes them
SMALL: Final = 65_536  # bytes that are hashed without a turn of another thread
UNBROKEN: Final = 2_047  # bytes for which hashlib does not let another thread go on
COPIED: Final = 16 * 1024 * 1024  # bytes that the kernel copies at once
IDENTITY: Final = "store-id"
_NOWAIT: Final = getattr(os, "RWF_NOWAIT", 0)

_T = TypeVar("_T")


class FolderStore:
    """One folder, which several processes and machines may share."""

    def __init__(self, root: Path, sync: bool = True) -> None:
        """Without `sync` the last blobs may be lost, or be empty, after a crash of the machine."""
        self.root = root
        self._objects = str(root / "objects")
        self.tmp = str(root / "tmp")
        self.sync = sync
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="blobs")
        self._known: set[str] = set()  # folders that were made
        self.together = Together(self._threads, self.sync_folder)

    def path(self, version: str) -> Path:
        """Where a blob lies. Raises ValueError for what is no version, which could name another file."""
        return Path(self.place(version))

    def place(self, version: str) -> str:
        """The same as text: every download opens it."""
        if not VERSION.fullmatch(version):
            raise ValueError(f"{version!r} is no version")
        return f"{self._objects}/{version[:2]}/{version}"

    def aside(self, version: str) -> str:
        """Where it is written."""
        if not VERSION.fullmatch(version):
            raise ValueError(f"{version!r} is no version")
        return f"{self.tmp}/{version}"

    def folder(self, name: str) -> None:
        """Make a folder if it is missing."""
        if name not in self._known:
            path = Path(name)
            missing = [each for each in (path, *path.parents) if not each.exists()]
            path.mkdir(parents=True, exist_ok=True, mode=0o700)
            for each in missing:
                self.sync_folder(each.parent)
            self._known.add(name)

    def _lay_out(self) -> None:
        """Make all folders at once: each would else be a synchronization of its own, in the midst of an upload."""
        self.folder(self._objects)
        objects = Path(self._objects)
        for number in range(256):
            (objects / f"{number:02x}").mkdir(mode=0o700, exist_ok=True)
        self.sync_folder(objects)

    def forget(self) -> None:
        """Look for folders anew."""
        self._known.clear()

    def sync_folder(self, path: Path | str) -> None:
        """Make the names in a folder last."""
        if not self.sync:
            return
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    async def in_thread(self, work: Callable[[], _T]) -> _T:
        """What may wait for the disk. Raises StoreUnavailable."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise StoreUnavailable(f"{self.root}: {error.strerror}") from error

    def writer(self, version: str) -> FolderWriter:
        return FolderWriter(self, version)

    async def open(self, version: str) -> FileBlob:
        try:
            descriptor = os.open(self.place(version), os.O_RDONLY | os.O_CLOEXEC)
        except (FileNotFoundError, ValueError):
            raise BlobMissing(version) from None
        except OSError as error:
            raise StoreUnavailable(f"{self.root}: {error.strerror}") from error
        return FileBlob(self, descriptor)

    async def copy(self, version: str, target: str) -> None:
        def link() -> None:
            place = self.place(target)
            folder = os.path.dirname(place)
            self.folder(folder)
            os.link(self.place(version), place)
            self.sync_folder(folder)

        try:
            await self.in_thread(link)
        except (FileNotFoundError, ValueError):
            raise BlobMissing(version) from None

    async def join(self, versions: Iterable[str], target: str, *, hashed: bool = True) -> Stored:
        writer = self.writer(target)
        if not hashed:
            return await self._join(list(versions), writer)
        try:
            for version in versions:
                blob = await self.open(version)
                try:
                    async for piece in blob.read(0, blob.size):
                        await writer.write(piece)
                finally:
                    blob.close()
            return await writer.finish()
        except BaseException:
            await writer.abort()
            raise

    async def _join(self, versions: list[str], writer: FolderWriter) -> Stored:
        """Without a look at the bytes, which the kernel copies, or shares where the file system can."""
        try:
            for version in versions:
                blob = await self.open(version)
                try:
                    await writer.copy(blob)
                finally:
                    blob.close()
            return replace(await writer.finish(), md5="")
        except BaseException:
            await writer.abort()
            raise

    async def remove(self, versions: Iterable[str]) -> None:
        names = list(versions)

        def unlink() -> None:
            for version in names:
                with suppress(FileNotFoundError, ValueError):
                    os.unlink(self.place(version))

        await self.in_thread(unlink)

    async def list(self) -> AsyncIterator[list[Found]]:
        for number in range(256):
            place = self.root / "objects" / f"{number:02x}"
            found = await self.in_thread(lambda place=place: _scan(place))  # type: ignore[misc]
            for start in range(0, len(found), 1000):
                yield found[start : start + 1000]

    async def tidy(self, older: float) -> int:
        def sweep() -> int:
            left = [each for each in _scan(self.root / "tmp") if each.age > older]
            for each in left:
                with suppress(FileNotFoundError):
                    os.unlink(self.aside(each.version))
            return len(left)

        return await self.in_thread(sweep)

    async def identity(self, fresh: str) -> str:
        def claim() -> str:
            self.folder(str(self.root))
            path = self.root / IDENTITY
            aside = self.root / f"{IDENTITY}.{fresh}"
            try:
                return path.read_text().strip()
            except FileNotFoundError:
                self._lay_out()
                aside.write_text(fresh + "\n")
                with suppress(FileExistsError):
                    os.link(aside, path)  # whole or not at all, and never in another one's place
                aside.unlink()
                self.sync_folder(self.root)
                return path.read_text().strip()

        return await self.in_thread(claim)

    async def close(self) -> None:
        self._threads.shutdown(wait=True, cancel_futures=False)


class FolderWriter:
    """A blob on its way into the folder. Small ones wait in memory and are written in one go."""

    def __init__(self, store: FolderStore, version: str) -> None:
        self._store = store
        self._version = version
        self._place = store.place(version)
        self._aside = store.aside(version)
        self._pieces: list[bytes] = []
        self._waiting = 0
        self._size = 0
        self._hash = hashlib.md5(usedforsecurity=False)
        self._descriptor = -1
        self._began = False
        # Who is cancelled leaves a thread at work: its file must not be closed beneath it, as the number of a closed
        # file is another's at once.
        self._lock = threading.Lock()
        self._given_up = False

    async def write(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self._waiting += len(piece)
        if self._waiting >= WRITTEN:
            self._began = True
            await self._store.in_thread(self._write_out)

    async def copy(self, blob: FileBlob) -> None:
        """Add another blob's bytes, which are not hashed."""
        self._began = True
        await self._store.in_thread(lambda: self._copy(blob.fileno(), blob.size))

    def _copy(self, source: int, size: int) -> None:
        with self._lock:
            if self._given_up:
                return
            self._open()
            at = 0
            while at < size:
                copied = _copy_range(source, self._descriptor, min(size - at, COPIED), at)
                if not copied:
                    raise StoreUnavailable("a blob ended before its size")
                at += copied
            self._size += size

    async def finish(self) -> Stored:
        small = not self._began
        self._began = True
        try:
            if small:
                await self._store.together.settle(self)
            else:
                sync_folder = self._store.sync_folder
                (failed,) = await self._store.in_thread(lambda: settle_all([self], sync_folder))
                if failed is not None:
                    raise failed
        except FileNotFoundError as error:
            self._store.forget()  # somebody removed a folder: the next one is made anew
            raise StoreUnavailable(f"{self._aside}: {error.strerror}") from error
        except OSError as error:
            raise StoreUnavailable(f"{self._store.root}: {error.strerror}") from error
        return Stored(self._version, self._size, self._hash.hexdigest())

    async def abort(self) -> None:
        def undo() -> None:
            with self._lock:
                self._given_up = True
                if self._descriptor >= 0:
                    os.close(self._descriptor)
                    self._descriptor = -1
                for path in (self._aside, self._place):
                    with suppress(FileNotFoundError):
                        os.unlink(path)

        if self._began:
            # Not to be cut short: what is left would lie there until the next check.
            await asyncio.shield(self._store.in_thread(undo))

    # The steps of `settle_all`.

    def lay(self) -> None:
        self._write_out()

    def make_last(self) -> None:
        with self._lock:
            if not self._given_up and self._store.sync:
                os.fsync(self._descriptor)

    def put(self) -> None:
        with self._lock:
            if not self._given_up:
                descriptor, self._descriptor = self._descriptor, -1
                os.close(descriptor)
                self._store.folder(self.home)
                os.rename(self._aside, self._place)

    @property
    def home(self) -> str:
        """The folder of its place."""
        return os.path.dirname(self._place)

    def _write_out(self) -> None:
        """In a thread, which hashing and writing leave the interpreter free in."""
        with self._lock:
            if self._given_up:
                return
            self._open()
            small = self._waiting <= SMALL
            pieces, self._pieces, self._waiting = self._pieces, [], 0
            for piece in pieces:
                self._size += len(piece)
                if small:
                    for start in range(0, len(piece), UNBROKEN):
                        self._hash.update(piece[start : start + UNBROKEN])
                else:
                    self._hash.update(piece)
                view = memoryview(piece)
                while view:
                    view = view[os.write(self._descriptor, view) :]

    def _open(self) -> None:
        if self._descriptor < 0:
            self._store.folder(self._store.tmp)
            self._descriptor = os.open(self._aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)


def _copy_range(source: int, target: int, size: int, at: int) -> int:
    """Copy bytes from a place in one file to the end of another; how many were."""
    copy = getattr(os, "copy_file_range", None)  # Linux alone
    if copy is not None:
        try:
            return int(copy(source, target, size, at))
        except OSError as error:
            if error.errno not in (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP):
                raise
    return os.write(target, os.pread(source, min(size, CHUNK), at))


class FileBlob:
    """An open file. It outlives its name."""

    def __init__(self, store: FolderStore, descriptor: int) -> None:
        self._store = store
        self._descriptor = descriptor
        self.size = os.fstat(descriptor).st_size

    def fileno(self) -> int:
        """Its descriptor."""
        return self._descriptor

    async def load(self, start: int, length: int) -> None:
        """Have bytes in memory, so that to send them is not to wait for a disk.

        A file is read ahead in its order: where the last byte is, those before it are.
        """
        if self._from_memory(start + length - 1, 1) is None:
            await self._store.in_thread(lambda: os.pread(self._descriptor, length, start))

    async def read(self, start: int, length: int) -> AsyncIterator[bytes]:
        end = min(start + length, self.size)
        while start < end:
            found = self._from_memory(start, min(CHUNK, end - start))
            if found is not None:
                piece = bytes(found)
            else:
                piece = await self._store.in_thread(
                    lambda at=start: os.pread(self._descriptor, min(CHUNK, end - at), at)  # type: ignore[misc]
                )
            if not piece:
                raise StoreUnavailable("a blob ended before its size")
            yield piece
            start += len(piece)

    def _from_memory(self, start: int, length: int) -> bytearray | None:
        """What is in the page cache; None where that would mean to wait."""
        buffer = bytearray(length)
        try:
            got = os.preadv(self._descriptor, [buffer], start, _NOWAIT)
        except BlockingIOError:
            return None
        except OSError as error:
            if error.errno in (errno.EOPNOTSUPP, errno.EINVAL):  # a file system that cannot tell
                return None
            raise StoreUnavailable(str(error.strerror)) from error
        return buffer if got == length else buffer[:got] or None

    def at_hand(self, start: int, length: int) -> bytes | None:
        if not length:
            return b""
        piece = self._from_memory(start, length)
        return bytes(piece) if piece is not None and len(piece) == length else None

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _scan(folder: Path) -> list[Found]:
    """The blobs in a folder. Their age is from the change of the inode: linking and renaming are such a change."""
    now = time.time()
    found = []
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                if VERSION.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    found.append(Found(entry.name, status.st_size, now - status.st_ctime))
    return sorted(found, key=lambda each: each.version)
