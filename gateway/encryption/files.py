"""Encrypted copies: a file as a stream of sealed chunks, so that neither its size nor a cut at its end goes unnoticed.

    GWCOPY1\\n, 16 bytes of salt, then chunks of 1 MiB and the rest, each AES-256-GCM with its 16-byte tag

Each file has a key of its own, made of the settings' key and the salt by HKDF-SHA256. A chunk's nonce is its number in
eleven bytes and one byte that says whether it is the last, so chunks cannot be left out, repeated or change places; the
header is authenticated with each. A copy is read with its key and this page alone.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import IO, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

MAGIC: Final = b"GWCOPY1\n"
SALT: Final = 16  # bytes
CHUNK: Final = 1 << 20  # bytes
TAG: Final = 16  # bytes
KEY: Final = 32  # bytes


class WrongKey(Exception):
    """A file cannot be opened: another key, or it was changed or cut."""


def new_key() -> str:
    """A key as settings hold it."""
    return base64.b64encode(os.urandom(KEY)).decode()


def parse_key(text: str) -> bytes:
    """The key of a setting, empty for none. Raises ValueError.

    >>> len(parse_key(new_key())), parse_key("")
    (32, b'')
    """
    raw = base64.b64decode(text.strip(), validate=True)
    if raw and len(raw) != KEY:
        raise ValueError("a key is 32 bytes in base64, as `gateway db new-key` makes it")
    return raw


def is_encrypted(path: Path) -> bool:
    """Whether a file is one of these. Raises OSError."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def encrypt(source: Path, target: Path, key: bytes) -> None:
    """Write `source` encrypted. Raises OSError."""
    header = MAGIC + os.urandom(SALT)
    box = _box(header, key)
    with source.open("rb") as plain, open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        out.write(header)
        number, chunk = 0, plain.read(CHUNK)
        while True:
            following = plain.read(CHUNK) if len(chunk) == CHUNK else b""
            out.write(box.encrypt(_nonce(number, not following), chunk, header))
            if not following:
                return
            number, chunk = number + 1, following


def decrypt(source: Path, target: Path, key: bytes) -> None:
    """Write what an encrypted file holds. Raises WrongKey, with nothing to be trusted written, and OSError."""
    with source.open("rb") as sealed, open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        header = sealed.read(len(MAGIC) + SALT)
        box = _box(header, key)
        number, chunk = 0, sealed.read(CHUNK + TAG)
        while True:
            following = sealed.read(CHUNK + TAG)
            try:
                out.write(box.decrypt(_nonce(number, not following), chunk, header))
            except (InvalidTag, ValueError):
                _empty(out)
                raise WrongKey from None
            if not following:
                return
            number, chunk = number + 1, following


def _empty(out: IO[bytes]) -> None:
    out.seek(0)
    out.truncate()


def _box(header: bytes, key: bytes) -> AESGCM:
    return AESGCM(HKDF(SHA256(), KEY, header[len(MAGIC) :], b"gateway copy").derive(key))


def _nonce(number: int, is_last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([is_last])
