"""Who is at the console: one-time codes, sessions, and the cookie and token of one.

A code is printed by `gateway dev` and `gateway console`: it names the minute until which it holds and is signed with
the key of this start (`serving.json`), so that printing one needs no database; that it is used once is noted in
Postgres. A session's cookie is random, says who it is, what for, by what proof (gateway/console/proofs.py) and until
when, and is signed with the keys' session secret: whoever can write to the table of sessions makes none, and none
that may more or lasts longer. The token that every change carries is made of the cookie, which no script can read.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import orjson

from gateway.console import proofs
from gateway.database import NO_SCOPE, Database
from gateway.database.statement import Statement
from gateway.http.messages import HeaderList
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings

CODE_LIFETIME: Final = 600  # seconds
SESSION_LIFETIME: Final = 12 * 3600  # seconds; a session does not outlive a day's work
LONGEST: Final = 200  # characters of a code that is looked at
LONGEST_COOKIE: Final = 800  # characters of a cookie that is looked at
ALL: Final = "all"  # kinds of accounts; a code and a key are of the first
READ: Final = "read"
RECORDS: Final = "records"


@dataclass(frozen=True, slots=True)
class ConsoleSession:
    """A session that holds. `kind` is what it may, `cookie` is its secret."""

    id: str
    account: str
    kind: str
    read_only: bool
    cookie: str

    @property
    def token(self) -> str:
        """What a change carries in `x-console-token`."""
        return hmac.new(self.cookie.encode(), b"console token", hashlib.sha256).hexdigest()


def make_code(key: str, now: float | None = None) -> str:
    """A one-time code, by the key of a running gateway."""
    expires = int((time.time() if now is None else now) + CODE_LIFETIME)
    nonce = secrets.token_urlsafe(12)
    return f"{expires:x}.{nonce}.{_sign(key, f'{expires:x}.{nonce}')}"


def console_address(url: str, key: str) -> str:
    """Where a browser gets in once: the code stands behind `#`, which no server and no log ever sees."""
    return f"{url}/_console/#code={make_code(key)}"


def read_code(code: str, key: str, now: float) -> tuple[str, float] | None:
    """The nonce of a code and the time until which it holds; None for one that is not of this gateway, or too old.

    >>> read_code(make_code("key", 0), "key", CODE_LIFETIME + 1)
    >>> read_code(make_code("key", 0), "another", 1)
    """
    if len(code) > LONGEST or not key:
        return None
    said, _, mac = code.rpartition(".")
    if not hmac.compare_digest(mac.encode(), _sign(key, said).encode()):
        return None
    expires, _, nonce = said.partition(".")
    until = float(int(expires, 16))
    return (nonce, until) if now <= until else None


def _sign(key: str, said: str) -> str:
    return hmac.new(key.encode(), f"console code\0{said}".encode(), hashlib.sha256).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who has proved to be let in: as what, by what, and until when at most, in epoch seconds."""

    account: str
    kind: str
    proof: str
    until: float | None = None


class SessionStore:
    """Sessions in Postgres, which all workers share."""

    def __init__(self, database: Database, keys: KeyRing, settings: Settings) -> None:
        self._database = database
        self._keys = keys
        # Cookies ignore ports: a second project of this machine must not overwrite the first one's.
        project = hashlib.sha256(str(settings.data_dir.absolute()).encode()).hexdigest()[:8]
        self.cookie_name = f"console_{project}"

    async def enter(
        self, entrant: Entrant, read_only: bool, address: str, agent: str, code: tuple[str, float] | None
    ) -> ConsoleSession | None:
        """A new session; None where its code was used before."""
        now = time.time()
        expires = min(now + SESSION_LIFETIME, entrant.until or now + SESSION_LIFETIME)
        read_only = read_only or entrant.kind == READ
        claims = [entrant.account, entrant.kind, read_only, entrant.proof, int(expires)]
        content = base64.urlsafe_b64encode(orjson.dumps(claims)).decode().rstrip("=")
        said = f"{secrets.token_urlsafe(32)}.{content}"
        cookie = f"{said}.{self._mac(said, self._keys.session_secrets[0])}"
        until = datetime.fromtimestamp(code[1], UTC).isoformat() if code is not None else None
        result = await self._database.run(
            NO_SCOPE,
            Statement(
                "select gateway.console_enter($1, $2::timestamptz, decode($3, 'hex'), $4, $5::boolean, $6, $7,"
                " make_interval(secs => $8::double precision))",
                (
                    code[0] if code is not None else None, until, _digest(cookie), entrant.account,
                    "true" if read_only else "false", address, agent[:300], str(expires - now),
                ),
            ),
        )  # fmt: skip
        if result.value is None:
            return None
        return ConsoleSession(result.value.decode(), entrant.account, entrant.kind, read_only, cookie)

    async def find(self, headers: HeaderList) -> ConsoleSession | None:
        """The session of a request's cookie, while what it was begun with holds."""
        for cookie in self._cookies(headers):
            said, _, mac = cookie.rpartition(".")
            known = [self._mac(said, secret) for secret in self._keys.session_secrets]
            if not any(hmac.compare_digest(mac.encode(), each.encode()) for each in known):
                continue
            claims = _claims(said)
            if claims is None or claims[4] < time.time() or not proofs.holds(claims[3], self._keys):
                continue
            account, kind, read_only, proof, _ = claims
            question = "select gateway.console_session_of(decode($1, 'hex'), $2, $3::uuid)"
            values = (_digest(cookie), *proofs.account_of(proof))
            found = (await self._database.run(NO_SCOPE, Statement(question, values))).value
            if found is not None:
                return ConsoleSession(found.decode(), account, kind, read_only, cookie)
        return None

    async def leave(self, session: ConsoleSession) -> None:
        """End a session in every worker."""
        question = Statement("select gateway.console_leave(decode($1, 'hex'))", (_digest(session.cookie),))
        await self._database.run(NO_SCOPE, question)

    def set_cookie(self, session: ConsoleSession | None, secure: bool) -> tuple[bytes, bytes]:
        """The header that gives a browser its session, or takes it away."""
        name = self._name(secure)
        value, age = (session.cookie, SESSION_LIFETIME) if session is not None else ("", 0)
        # A name with `__Host-` has no path but `/`.
        place = "Path=/; Secure" if secure else "Path=/_console"
        return b"set-cookie", f"{name}={value}; {place}; Max-Age={age}; HttpOnly; SameSite=Strict".encode()

    def _name(self, secure: bool) -> str:
        return f"__Host-{self.cookie_name}" if secure else self.cookie_name

    def _cookies(self, headers: HeaderList) -> list[str]:
        wanted = (self._name(False), self._name(True))
        found = []
        for name, value in headers:
            if name == b"cookie":
                for pair in value.decode("latin-1").split(";"):
                    key, _, given = pair.strip().partition("=")
                    if key in wanted and len(given) <= LONGEST_COOKIE and given.isascii():
                        found.append(given)
        return found[:2]

    @staticmethod
    def _mac(said: str, secret: bytes) -> str:
        return hmac.new(secret, f"console session\0{said}".encode(), hashlib.sha256).hexdigest()[:32]


def _claims(said: str) -> tuple[str, str, bool, str, int] | None:
    """What a cookie says; None of one that an earlier release signed."""
    _, _, content = said.partition(".")
    try:
        account, kind, read_only, proof, expires = orjson.loads(base64.urlsafe_b64decode(content + "=="))
    except (ValueError, TypeError, binascii.Error):
        return None
    return account, kind, read_only, proof, expires


def _digest(cookie: str) -> str:
    return hashlib.sha256(cookie.encode()).hexdigest()
