"""Secrets of functions: set by a command, sealed in a file, given to functions at their start.

A secret is for every function, or for one alone. The file's `stamp` is another one after every change, so that running
functions are replaced at their next call. The key that opens the file lies beside it, for its owner only: what the seal
keeps them from is a copy of the file, a log and whoever looks over a shoulder.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import secrets as random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from functions_runner.env_file import RESERVED
from functions_runner.types import FunctionError

from gateway.encryption.values import NotOurs, seal, unseal

MOST: Final = 100  # of one function, or of all together
LONGEST_NAME: Final = 256
LONGEST: Final = 49_152  # bytes of a value
NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
SHARED: Final = ""  # the function's name of what is for all

Content = dict[str, dict[str, str]]


class BadSecret(FunctionError):
    """A name or value that no secret may have."""


@dataclass(frozen=True, slots=True)
class SecretRow:
    """What is shown of a secret: whose it is (empty for all), its name, and the SHA-256 of its value."""

    function: str
    name: str
    digest: str


class SecretStore:
    """The secrets in one folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "secrets.json"
        self._key = folder / "secrets.key"
        self._known: tuple[object, Content] = (None, {})

    def stamp(self) -> tuple[int, int] | None:
        """What differs after each change, whichever process made it."""
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    def of(self, function: str) -> dict[str, str]:
        """What is for this function alone."""
        return dict(self._read().get(function, {}))

    def shared(self) -> dict[str, str]:
        """What is for all."""
        return self.of(SHARED)

    def rows(self) -> list[SecretRow]:
        """Names and digests, sorted."""
        return [
            SecretRow(function, name, hashlib.sha256(value.encode()).hexdigest())
            for function, values in sorted(self._read().items())
            for name, value in sorted(values.items())
        ]

    def change(self, function: str, given: Mapping[str, str], taken: tuple[str, ...] = ()) -> None:
        """Set these and forget those. Raises BadSecret."""
        for name, value in given.items():
            _check(name, value)
        with self._locked():
            content = self._read()
            values = {**content.get(function, {}), **given}
            for name in taken:
                if name not in values:
                    raise BadSecret(f"There is no secret {name!r}.")
                del values[name]
            if len(values) > MOST:
                raise BadSecret(f"There may be {MOST} secrets and no more.")
            self._write({**{key: row for key, row in content.items() if key != function}, function: values})

    def _read(self) -> Content:
        stamp = self.stamp()
        if stamp is None:
            return {}
        if self._known[0] != stamp:
            try:
                sealed: dict[str, str] = json.loads(self._path.read_text())
                content = {name: unseal([self._secret()], text) for name, text in sealed.items()}
            except (OSError, ValueError, NotOurs) as error:
                raise BadSecret(f"{self._path} cannot be opened with {self._key.name} beside it") from error
            self._known = stamp, content
        return self._known[1]

    def _write(self, content: Content) -> None:
        sealed = {name: seal([self._secret()], values) for name, values in content.items() if values}
        spare = self._path.with_suffix(f".{os.getpid()}.tmp")
        with open(os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(sealed, file)
            file.flush()
            os.fsync(file.fileno())
        spare.replace(self._path)

    def _secret(self) -> bytes:
        try:
            return bytes.fromhex(self._key.read_text())
        except FileNotFoundError:
            made = random.token_hex(32)
            with open(os.open(self._key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(made)
            return bytes.fromhex(made)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Alone with the file: several processes may change it."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open(os.open(self._path.with_suffix(".lock"), os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _check(name: str, value: str) -> None:
    if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise BadSecret(f"{name[:LONGEST_NAME]!r} is no name for a secret: letters, digits and _, no digit first.")
    if name.startswith(RESERVED):
        raise BadSecret(f"{name} is reserved for the gateway: names of secrets do not begin with {RESERVED}.")
    if len(value.encode()) > LONGEST or "\0" in value:
        raise BadSecret(f"The value of {name} is larger than {LONGEST} bytes, or has a NUL in it.")
