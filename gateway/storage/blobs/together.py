"""Small blobs that come at once, made to last at once.

A thread for each of them costs more processor time than the writing: it gives the interpreter back and waits for it at
every call of the system. A few lanes, each a thread that takes all that waits, do the same with a third of the turns;
with one lane alone blobs would wait for each other's synchronization, which the disk does for several at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Final, Protocol

from gateway.storage.blobs import StoreUnavailable

LANES: Final = 4
MOST: Final = 64  # blobs of one turn


class Lasting(Protocol):
    """A blob that is to last. Each step is nothing for one that was given up meanwhile; all raise OSError."""

    @property
    def home(self) -> str:
        """The folder of its place."""

    def lay(self) -> None:
        """Write the bytes that are left aside."""

    def make_last(self) -> None:
        """Synchronize them to the disk."""

    def put(self) -> None:
        """Rename the file into its place."""


def settle_all(writers: Sequence[Lasting], sync_folder: Callable[[str], None]) -> list[OSError | None]:
    """Make blobs last, each in the order that crash safety asks for; what each failed with. In a thread."""
    failed: list[OSError | None] = [None] * len(writers)
    folders: dict[str, OSError | None] = {}
    for step in ("lay", "make_last", "put"):
        for number, writer in enumerate(writers):
            if failed[number] is None:
                try:
                    getattr(writer, step)()
                except OSError as error:
                    failed[number] = error
    for number, writer in enumerate(writers):
        if failed[number] is not None:
            continue
        if writer.home not in folders:
            folders[writer.home] = None
            try:
                sync_folder(writer.home)
            except OSError as error:
                folders[writer.home] = error
        failed[number] = folders[writer.home]
    return failed


class Together:
    """What waits, and how many threads are at work on what waited."""

    def __init__(self, threads: Executor, sync_folder: Callable[[str], None]) -> None:
        self._threads = threads
        self._sync_folder = sync_folder
        self._waiting: list[tuple[Lasting, asyncio.Future[None]]] = []
        self._lanes = 0

    async def settle(self, writer: Lasting) -> None:
        """Make a blob last. Raises OSError, StoreUnavailable."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((writer, future))
        if self._lanes < LANES:
            self._take()
        await future

    def _take(self) -> None:
        taken, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        if not taken:
            return
        writers = [writer for writer, _ in taken]
        try:
            work = asyncio.get_running_loop().run_in_executor(self._threads, settle_all, writers, self._sync_folder)
        except RuntimeError as error:  # the store was closed
            _tell(taken, [StoreUnavailable(str(error))] * len(taken))
            return
        self._lanes += 1

        def done(finished: asyncio.Future[list[OSError | None]]) -> None:
            self._lanes -= 1
            if finished.cancelled():
                _tell(taken, [StoreUnavailable("the store was closed")] * len(taken))
                return
            failed = finished.exception()
            _tell(taken, finished.result() if failed is None else [failed] * len(taken))
            self._take()

        work.add_done_callback(done)


def _tell(taken: Sequence[tuple[Lasting, asyncio.Future[None]]], outcomes: Sequence[BaseException | None]) -> None:
    for (_, future), outcome in zip(taken, outcomes, strict=True):
        if future.done():
            continue  # who waited was cancelled
        if outcome is None:
            future.set_result(None)
        else:
            future.set_exception(outcome)
