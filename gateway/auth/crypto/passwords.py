"""Passwords: rules, hashes, and the equal-cost miss. Hashing runs in a small pool of threads of its own.

New hashes are bcrypt of cost 10. bcrypt reads 72 bytes and no more, so a longer password is refused rather than
cut. Hashes that came with a restored database verify too: argon2, scrypt, and the Firebase form of scrypt.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import os
import re
import secrets
import string
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import argon2
import bcrypt
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR

from gateway.auth.crypto.hashing_queue import HashingQueue
from gateway.auth.store.limits import Permit

MAX_BYTES: Final = 72
COST: Final = 10
# A hash of a password nobody has: what a miss is checked against, so that it takes as long as a hit.
NOBODY: Final = "$2b$10$T.eYxYIDfqAese2T5jF3hOSLL4uJPsqVwIaVBxOxaEI0c/S5UAY56"
_SCRYPT_MEMORY: Final = 128 * 1024 * 1024  # bytes: a hash that asks for more is not computed
_FIREBASE = re.compile(
    r"\$fbscrypt\$v=1,n=(?P<n>\d{1,2}),r=(?P<r>\d{1,2})(?:,p=(?P<p>\d{1,2}))?(?:,ss=(?P<ss>[\w+/=-]*))?"
    r",sk=(?P<sk>[\w+/=-]+)\$(?P<salt>[\w+/=-]+)\$(?P<hash>[\w+/=-]+)"
)
_SCRYPT = re.compile(r"\$scrypt\$ln=(?P<n>\d{1,2}),r=(?P<r>\d{1,2}),p=(?P<p>\d{1,2})\$(?P<salt>[^$]+)\$(?P<hash>[^$]+)")
_BCRYPT_DIGITS: Final = "./" + string.ascii_uppercase + string.ascii_lowercase + string.digits
_LEET: Final = str.maketrans("@4301!$57", "aaeoiisst")


@dataclass(frozen=True, slots=True)
class Rules:
    """What a new password must satisfy. `required` are sets of characters, one of each of which must occur."""

    min_length: int = 8
    required: tuple[str, ...] = ()
    refuse_common: bool = True

    def broken(self, password: str) -> list[tuple[str, str]]:
        """(reason, message) of each broken rule; the reason words are the original's."""
        faults = []
        if len(password) < self.min_length:
            faults.append(("length", f"Password should be at least {self.min_length} characters."))
        if any(not set(characters).intersection(password) for characters in self.required):
            shown = ", ".join(self.required)
            faults.append(("characters", f"Password should contain at least one character of each: {shown}."))
        if self.refuse_common and is_common(password):
            message = "Password is known to be weak and easy to guess, please choose a different one."
            faults.append(("pwned", message))
        return faults


def parse_required(text: str) -> tuple[str, ...]:
    r"""Sets of characters from the setting: parted by `:`, where `\:` is a colon of its own.

    >>> parse_required("abc:123:\\:!")
    ('abc', '123', ':!')
    """
    parts = re.split(r"(?<!\\):", text)
    return tuple(part.replace("\\:", ":") for part in parts if part)


def too_long(password: str) -> bool:
    """Whether bcrypt would not see all of it."""
    return len(password.encode("utf-8", "surrogatepass")) > MAX_BYTES


@cache
def _common() -> frozenset[str]:
    text = Path(__file__).with_name("common_passwords.txt").read_text(encoding="utf-8")
    return frozenset(line for line in text.splitlines() if line and not line.startswith("#"))


def is_common(password: str) -> bool:
    """Whether a password is on the list of common ones, also in other case or with the usual replacements.

    >>> is_common("Password123"), is_common("p@ssw0rd123"), is_common("correct horse battery")
    (True, True, False)
    """
    words = _common()
    lowered = password.lower()
    if lowered in words:
        return True
    # "P@ssw0rd!2024": undo the replacements, then what people hang on the end.
    stem = lowered.rstrip("0123456789!?.*#-_$@")
    folded = lowered.translate(_LEET)
    if folded in words or folded.rstrip("0123456789!?.*#-_") in words or stem.translate(_LEET) in words:
        return True
    return len(set(password)) <= 2


def verify(password: str, hashed: str) -> bool:
    """Whether a password has a hash; an unreadable hash is no match. Slow on purpose."""
    raw = password.encode("utf-8", "surrogatepass")
    if hashed.startswith("$argon2"):
        try:
            return argon2.PasswordHasher().verify(hashed, raw)
        except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
            return False
    if hashed.startswith("$fbscrypt$"):
        return _verify_firebase(raw, hashed)
    if hashed.startswith("$scrypt$"):
        return _verify_scrypt(raw, hashed)
    if len(raw) > MAX_BYTES:
        bcrypt.checkpw(raw[:MAX_BYTES], NOBODY.encode())
        return False
    try:
        return bcrypt.checkpw(raw, hashed.encode())
    except ValueError:
        return False


def is_known_hash(hashed: str) -> bool:
    """Whether a hash is of a kind that `verify` reads."""
    if hashed.startswith(("$2a$", "$2b$", "$2y$")):
        return re.fullmatch(r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}", hashed) is not None
    if hashed.startswith("$argon2"):
        try:
            argon2.extract_parameters(hashed)
        except argon2.exceptions.InvalidHashError:
            return False
        return True
    return _FIREBASE.fullmatch(hashed) is not None or _SCRYPT.fullmatch(hashed) is not None


def no_password() -> str:
    """A hash that no known password has: bcrypt's form around random digits, which costs nothing to make."""
    return (
        f"$2b${COST}$"
        + "".join(secrets.choice(_BCRYPT_DIGITS) for _ in range(21))
        + "."
        + "".join(secrets.choice(_BCRYPT_DIGITS) for _ in range(30))
        + "."
    )


def make_hash(password: str) -> str:
    """bcrypt hash of a password of at most 72 bytes. Slow on purpose."""
    return bcrypt.hashpw(password.encode("utf-8", "surrogatepass"), bcrypt.gensalt(COST)).decode()


def _decode(text: str) -> bytes:
    padded = text.replace("-", "+").replace("_", "/").replace(".", "+")
    return base64.b64decode(padded + "==")  # more than is missing does no harm


def _scrypt(password: bytes, salt: bytes, log_n: int, r: int, p: int, length: int) -> bytes | None:
    if r < 1 or p < 1 or 128 * r * (1 << log_n) > _SCRYPT_MEMORY:
        return None
    return hashlib.scrypt(
        password, salt=salt, n=1 << log_n, r=r, p=p, dklen=length, maxmem=_SCRYPT_MEMORY + 1024 * 1024
    )


def _verify_scrypt(password: bytes, hashed: str) -> bool:
    found = _SCRYPT.fullmatch(hashed)
    if found is None:
        return False
    try:
        expected = _decode(found["hash"])
        computed = _scrypt(
            password, _decode(found["salt"]), int(found["n"]), int(found["r"]), int(found["p"]), len(expected)
        )
    except ValueError:
        return False
    return computed is not None and hmac.compare_digest(computed, expected)


def _verify_firebase(password: bytes, hashed: str) -> bool:
    found = _FIREBASE.fullmatch(hashed)
    if found is None:
        return False
    try:
        salt = _decode(found["salt"]) + _decode(found["ss"] or "")
        derived = _scrypt(password, salt, int(found["n"]), int(found["r"]), int(found["p"] or 1), 32)
        if derived is None:
            return False
        encryptor = Cipher(AES(derived), CTR(bytes(16))).encryptor()
        signed = encryptor.update(_decode(found["sk"])) + encryptor.finalize()
        return hmac.compare_digest(signed, _decode(found["hash"]))
    except ValueError:
        return False


class Hasher:
    """The thread pool in which hashes are computed: half the processors, behind everything else. Every hash is computed
    in a turn, and turns are dealt out fairly among those who ask."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or max(1, (os.cpu_count() or 2) // 2)
        self._turns = HashingQueue(self.threads)
        self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="password", initializer=_step_back)

    @asynccontextmanager
    async def turn(self, source: str | None) -> AsyncIterator[Turn]:
        """A turn to look at limits, count and compute. Raises TooManyWait."""
        await self._turns.enter(source)
        turn = Turn(self._pool)
        try:
            yield turn
        finally:
            # Whoever stopped waiting leaves a thread that computes: the turn ends with it.
            if turn.work is None or turn.work.done():
                self._turns.leave()
            else:
                turn.work.add_done_callback(lambda _: self._turns.leave())

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class Turn:
    """Computes one hash at a time."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        self.work: asyncio.Future[object] | None = None

    async def verify(self, permit: Permit, password: str, hashed: str | None) -> bool:
        """As `verify`; without a hash it takes as long and is False."""
        return bool(await self._compute(verify, password, hashed or NOBODY)) and hashed is not None

    async def make(self, password: str) -> str:
        """As `make_hash`."""
        return str(await self._compute(make_hash, password))

    async def _compute(self, function: Callable[..., object], *arguments: str) -> object:
        self.work = asyncio.get_running_loop().run_in_executor(self._pool, function, *arguments)
        return await asyncio.shield(self.work)


def _step_back() -> None:
    # On Linux a thread has its own priority: hashing yields to the event loop and to the database.
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 4)
