"""Bodies as the S3 protocol sends them: in signed chunks, with checksums in trailers, or whole with a hash.

What comes in are pieces as the network cuts them, what goes out are the object's bytes. Nothing is kept of them: a
wrong signature or checksum is found at the end of its chunk or of the body, and raised, so that what was written is
thrown away.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final, Protocol

from gateway.storage.errors import StorageError
from gateway.storage.s3.errors import (
    BAD_DIGEST,
    INCOMPLETE,
    INVALID_DIGEST,
    INVALID_SIGNATURE,
    MISMATCH,
    WRONG_SHA256,
)
from gateway.storage.s3.signature import ALGORITHM, UNSIGNED, CredentialScope, sign

LONGEST: Final = 8 * 1024 * 1024  # bytes of a chunk
MAX_LINE: Final = 1024  # bytes of a chunk's head
MAX_TRAILERS: Final = 8192  # bytes of all trailers
NOTHING: Final = hashlib.sha256().hexdigest()

_HEAD: Final = re.compile(rb"([0-9a-fA-F]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?[ \t]*\r")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


class Hash(Protocol):
    """What hashlib gives."""

    def update(self, data: bytes, /) -> None: ...

    def digest(self) -> bytes: ...


class _Crc32:
    def __init__(self) -> None:
        self._value = 0

    def update(self, data: bytes, /) -> None:
        self._value = zlib.crc32(data, self._value)

    def digest(self) -> bytes:
        return self._value.to_bytes(4, "big")


def new_hash(name: str) -> Hash | None:
    """A checksum by its name in headers; None for those that nothing here computes (crc32c, crc64nvme), which are
    taken on trust: the transport has its own."""
    if name == "crc32":
        return _Crc32()
    return hashlib.new(name, usedforsecurity=False) if name in ("sha1", "sha256", "md5") else None


@dataclass(frozen=True, slots=True)
class ChunkSigner:
    """What signs the chunks of a body after the request itself was signed."""

    key: bytes
    date: str
    scope: CredentialScope
    seed: str

    def chunk(self, before: str, digest: str) -> str:
        """The signature of a chunk behind the one with `before`."""
        text = (f"{ALGORITHM}-PAYLOAD", self.date, self.scope.text, before, NOTHING, digest)
        return sign(self.key, "\n".join(text))

    def trailer(self, before: str, lines: str) -> str:
        """The signature of the trailers, each a line."""
        digest = hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()
        return sign(self.key, "\n".join((f"{ALGORITHM}-TRAILER", self.date, self.scope.text, before, digest)))


@dataclass(frozen=True, slots=True)
class BodyFormat:
    """How a body is sent. `digest` is that of the whole; `signer` signs chunks; `checksums` are expected values by the
    names of their hashes; `trailer` names the hash whose value comes behind the body."""

    chunked: bool = False
    digest: str | None = None
    signer: ChunkSigner | None = None
    length: int | None = None
    checksums: tuple[tuple[str, bytes], ...] = ()
    trailers: bool = False
    trailer: str | None = None


def kind_of(said: str | None) -> tuple[bool, bool, bool]:
    """Of `x-amz-content-sha256`: whether the body is in chunks, whether these are signed, and whether trailers follow.

    Raises StorageError.
    """
    if said is None or said == UNSIGNED or _DIGEST.fullmatch(said):
        return False, False, False
    if said.startswith("STREAMING-") and said.removesuffix("-TRAILER") in (
        f"STREAMING-{ALGORITHM}-PAYLOAD",
        f"STREAMING-{UNSIGNED}",
    ):
        return True, ALGORITHM in said, said.endswith("-TRAILER")
    raise StorageError(INVALID_SIGNATURE, "Invalid x-amz-content-sha256")


def decoded(text: str, what: str, length: int) -> bytes:
    """The bytes of a checksum in base64. Raises StorageError."""
    try:
        value = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        value = b""
    if len(value) != length:
        raise StorageError(INVALID_DIGEST, what=what)
    return value


async def pieces(source: AsyncIterator[bytes], payload: BodyFormat) -> AsyncIterator[bytes]:
    """The object's bytes. Raises StorageError where they are not what was signed or announced."""
    hashes = [(name, made, wanted) for name, wanted in payload.checksums if (made := new_hash(name)) is not None]
    whole = hashlib.sha256() if payload.digest is not None else None
    behind = new_hash(payload.trailer) if payload.trailer else None
    unpacked = Chunks(source, payload) if payload.chunked else None
    size = 0
    async for piece in source if unpacked is None else unpacked:
        size += len(piece)
        for _, each, _ in hashes:
            each.update(piece)
        if whole is not None:
            whole.update(piece)
        if behind is not None:
            behind.update(piece)
        yield piece
    if payload.length is not None and size != payload.length:
        raise StorageError(INCOMPLETE)
    if whole is not None and whole.hexdigest() != payload.digest:
        raise StorageError(WRONG_SHA256)
    for name, each, wanted in hashes:
        if each.digest() != wanted:
            raise StorageError(BAD_DIGEST, what="Content-MD5" if name == "md5" else name)
    if unpacked is not None and payload.trailer:
        said = unpacked.trailers.get(f"x-amz-checksum-{payload.trailer}")
        if said is None:
            raise StorageError(INCOMPLETE, "The checksum that was announced did not come")
        if behind is not None and decoded(said, payload.trailer, len(behind.digest())) != behind.digest():
            raise StorageError(BAD_DIGEST, what=payload.trailer)


class Chunks:
    """`aws-chunked`: takes the frames away and checks their signatures. `trailers` are known at the end."""

    def __init__(self, source: AsyncIterator[bytes], payload: BodyFormat) -> None:
        self._source = source
        self._signer = payload.signer
        self._has_trailers = payload.trailers
        self._buffer = b""
        self._before = payload.signer.seed if payload.signer is not None else ""
        self.trailers: dict[str, str] = {}

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            size, signature = self._read_head(await self._line())
            digest = hashlib.sha256() if self._signer is not None else None
            left = size
            while left:
                piece = await self._take(left)
                left -= len(piece)
                if digest is not None:
                    digest.update(piece)
                yield piece
            if self._signer is not None and digest is not None:
                wanted = self._signer.chunk(self._before, digest.hexdigest())
                if not hmac.compare_digest(wanted, signature or ""):
                    raise StorageError(MISMATCH)
                self._before = wanted
            if size == 0:
                break
            if await self._line() != b"\r":
                raise StorageError(INCOMPLETE, "A chunk is longer than its head says")
        await self._end()

    def _read_head(self, line: bytes) -> tuple[int, str | None]:
        found = _HEAD.fullmatch(line)
        if found is None or (self._signer is not None and found[2] is None):
            raise StorageError(INCOMPLETE, "The head of a chunk cannot be read")
        size = int(found[1], 16)
        if size > LONGEST:
            raise StorageError(INCOMPLETE, f"A chunk has more than {LONGEST} bytes")
        return size, found[2].decode() if found[2] is not None else None

    async def _end(self) -> None:
        """The trailers, and that nothing is behind them."""
        lines: list[str] = []
        signature: str | None = None
        size = 0
        while self._has_trailers:
            line = await self._line()
            size += len(line)
            if size > MAX_TRAILERS:
                raise StorageError(INCOMPLETE, "The trailers are too long")
            text = line.rstrip(b"\r").decode("utf-8", "surrogateescape")
            if not text:
                if lines or signature is not None:
                    break
                raise StorageError(INCOMPLETE, "The trailers are missing")
            name, _, value = text.partition(":")
            if name.strip().lower() == "x-amz-trailer-signature":
                signature = value.strip()
                continue
            lines.append(f"{name.strip().lower()}:{value.strip()}\n")
            self.trailers[name.strip().lower()] = value.strip()
        if self._has_trailers and self._signer is not None:
            wanted = self._signer.trailer(self._before, "".join(lines))
            if not hmac.compare_digest(wanted, signature or ""):
                raise StorageError(MISMATCH)
        rest = self._buffer + b"".join([piece async for piece in _bounded(self._source)])
        if rest.strip(b"\r\n"):
            raise StorageError(INCOMPLETE, "There is more behind the last chunk")

    async def _line(self) -> bytes:
        """Up to a line feed, which is left out."""
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > MAX_LINE:
                raise StorageError(INCOMPLETE, "The head of a chunk is too long")
            self._buffer += await self._more()
        line, self._buffer = self._buffer[:end], self._buffer[end + 1 :]
        return line

    async def _take(self, most: int) -> bytes:
        piece = self._buffer or await self._more()
        self._buffer = piece[most:]
        return piece[:most]

    async def _more(self) -> bytes:
        piece = await anext(self._source, None)
        if piece is None:
            raise StorageError(INCOMPLETE)
        return piece


async def _bounded(source: AsyncIterator[bytes], most: int = 64) -> AsyncIterator[bytes]:
    """A little of what is left."""
    async for piece in source:
        yield piece[:most]
        most -= len(piece)
        if most <= 0:
            return
