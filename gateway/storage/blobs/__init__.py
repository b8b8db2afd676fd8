"""Where the bytes of objects lie: an interface and two stores behind it, a folder and an S3-compatible service.

A blob is named by the version of its object, a UUID that is never given twice, so it is written once and never changed.
A store knows no keys, owners or types: rows do. Whoever writes a blob commits the row that names it afterwards; until
then, and after the row has gone, nobody looks for it.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Final, Protocol

CHUNK: Final = 262_144  # bytes that are read, hashed or written at once
VERSION: Final = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


class BlobMissing(Exception):
    """The store has no blob of that version."""


class StoreUnavailable(Exception):
    """The store cannot be used: no room, no rights, no answer. The message is for the log."""


class WrongStore(Exception):
    """The store holds the blobs of another database."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A blob that was written: how many bytes it has, and their MD5 in hexadecimal digits."""

    version: str
    size: int
    md5: str


@dataclass(frozen=True, slots=True)
class Found:
    """A blob as the store lists it. `age` is the seconds since it came to be under this name."""

    version: str
    size: int
    age: float


class Writer(Protocol):
    """A blob that comes in pieces. Nobody can read it before `finish`, and nothing of it is left after `abort`."""

    async def write(self, piece: bytes) -> None:
        """Add bytes."""

    async def finish(self) -> Stored:
        """Make it last: it survives a crash of the machine from now on."""

    async def abort(self) -> None:
        """Throw away what was written; after `finish` this removes the blob."""


class Blob(Protocol):
    """A blob that was opened for reading; it can be read to its end even if it is removed meanwhile."""

    size: int

    def read(self, start: int, length: int) -> AsyncIterator[bytes]:
        """Its bytes in pieces."""

    def at_hand(self, start: int, length: int) -> bytes | None:
        """Some of its bytes, if they can be had at once."""

    def close(self) -> None:
        """Let go of it."""


class BlobStore(Protocol):
    """Where blobs lie. All raise StoreUnavailable."""

    def writer(self, version: str) -> Writer:
        """Begin a blob."""

    async def open(self, version: str) -> Blob:
        """Raises BlobMissing."""

    async def copy(self, version: str, target: str) -> None:
        """Have the same bytes under another version as well. Raises BlobMissing."""

    async def join(self, versions: Iterable[str], target: str, *, hashed: bool = True) -> Stored:
        """Write a blob that consists of others, in their order; where its MD5 is of no use that may be empty.

        Raises BlobMissing.
        """

    async def remove(self, versions: Iterable[str]) -> None:
        """Remove blobs; those that are not there are no fault."""

    def list(self) -> AsyncIterator[list[Found]]:
        """All blobs, some at a time, in the order of their versions."""

    async def tidy(self, older: float) -> int:
        """Remove what writers that were killed left, if it is older than so many seconds; how many there were."""

    async def identity(self, fresh: str) -> str:
        """The id that the store was given when it was first used; `fresh` becomes it where it has none."""

    async def close(self) -> None:
        """Let go of threads and connections."""
