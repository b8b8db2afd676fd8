"""Accounts of the console: a name, a password, and what it is for.

What is hashed is the password under a MAC by the keys' session secret, together with the account's name and kind. So
the table alone is of no use: a hash that is read cannot be guessed at, one that is written matches no password, and a
row whose kind is changed lets nobody in. Where the secret is rotated, an account is sealed anew when it signs in.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import Final

from gateway.auth.crypto import passwords
from gateway.console.sessions import ALL, READ, RECORDS
from gateway.database import NO_SCOPE, Database
from gateway.database.statement import Statement
from gateway.identity.keyring import KeyRing

KINDS: Final = (ALL, READ, RECORDS)
SHORTEST: Final = 12  # characters of a password that somebody chooses
LONGEST: Final = 500  # characters of a password that is looked at
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")


@dataclass(frozen=True, slots=True)
class ConsoleAccount:
    """One whose password was right. `stamp` is of that password."""

    name: str
    kind: str
    stamp: str


def name_of(text: str) -> str | None:
    """A name as it is kept; None for a text that is none.

    >>> name_of(" Ann@Example.org "), name_of("secret key"), name_of("")
    ('ann@example.org', None, None)
    """
    name = text.strip().lower()
    return name if _NAME.fullmatch(name) else None


def mark_of(secret: bytes) -> str:
    """Names a secret without telling it."""
    return hmac.new(secret, b"console account mark", hashlib.sha256).hexdigest()[:16]


def _sealed(secret: bytes, name: str, kind: str, password: str) -> str:
    said = f"console account\0{name}\0{kind}\0{password}".encode("utf-8", "surrogatepass")
    return base64.b64encode(hmac.new(secret, said, hashlib.sha256).digest()).decode()


def make_hash(secret: bytes, name: str, kind: str, password: str) -> str:
    """Slow on purpose."""
    return passwords.make_hash(_sealed(secret, name, kind, password))


def problem_of(password: str) -> str | None:
    """Why a password is not taken."""
    if len(password) > LONGEST:
        return f"Password should be at most {LONGEST} characters."
    broken = passwords.Rules(SHORTEST).broken(password)
    return broken[0][1] if broken else None


class AccountStore:
    """Accounts as a worker asks for them."""

    def __init__(self, database: Database, keys: KeyRing) -> None:
        self._database = database
        self._keys = keys

    async def check(self, given: str, password: str) -> ConsoleAccount | None:
        """The account of a name and a password. Who is not there is found as slowly as who is."""
        name = name_of(given) or ""
        found = await self._database.run(NO_SCOPE, Statement("select * from gateway.console_account($1)", (name,)))
        row = next(iter(found.texts()), None)
        secrets = self._keys.session_secrets
        secret = next((each for each in secrets if row is not None and mark_of(each) == row["mark"]), None)
        kind = (row["kind"] if row is not None else None) or ""
        hashed = (row["hash"] if row is not None and secret is not None else None) or passwords.NOBODY
        sealed = _sealed(secret or b"", name, kind, password[: LONGEST + 1])
        right = await asyncio.to_thread(passwords.verify, sealed, hashed)
        if not right or row is None or secret is None or kind not in KINDS:
            return None
        account = ConsoleAccount(name, kind, row["stamp"] or "")
        if secret != secrets[0]:
            anew = await asyncio.to_thread(make_hash, secrets[0], name, kind, password)
            question = "select gateway.console_account_sealed($1, $2::uuid, $3, $4)"
            values = (name, account.stamp, anew, mark_of(secrets[0]))
            await self._database.run(NO_SCOPE, Statement(question, values))
        return account
