"""What can go wrong with a gateway: each check looks at one thing and gives the troubles it finds.

A trouble names a kind, what it is about, and a sentence that says what is wrong and what to do. It names no visitor:
it leaves the machine by mail and webhook.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import ssl
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import urlsplit

from gateway.database import NO_SCOPE, Database, DatabaseError, DatabaseUnavailable, PoolTimeout
from gateway.database.statement import Statement
from gateway.http.unix_client import opener
from gateway.identity.keyring import FILE_NAME, read_file
from gateway.operations.backup import SUFFIX
from gateway.settings import Settings

ANSWER_LIMIT: Final = 10.0  # seconds that what is looked at may take
SOON_FULL: Final = 10  # times the room below which /ready says that the disk is full
COPY_SLACK: Final = 3600.0  # seconds that a copy may take
CERTIFICATE_LEFT: Final = 14 * 86_400.0  # seconds; issuers renew a month before the end
KEY_LEFT: Final = 7 * 86_400.0  # seconds
KEY_USED: Final = 86_400.0  # seconds since a key's last use after which its end hurts nobody
JOBS: Final = Statement("select kind, subject, detail from jobs.troubles()")
CALLS: Final = Statement("select kind, subject, detail from jobs.troubles_of_calls()")
# The application's own; a database need not have it.
OF_APPLICATION: Final = Statement("select kind, subject, detail from gateway.alarms()")
TAKES_NO_WRITES: Final = Statement("select current_setting('default_transaction_read_only') = 'on'")
KEY_USES: Final = Statement("select id, extract(epoch from last_used_at) from gateway.api_key_uses")
UNDEFINED: Final = ("42883", "3F000", "42P01", "42501")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that is wrong."""

    kind: str
    subject: str
    text: str

    @property
    def name(self) -> str:
        """
        >>> Trouble("disk", "/srv", "…").name, Trouble("jobs", "", "…").name
        ('disk /srv', 'jobs')
        """
        return f"{self.kind} {self.subject}".strip()


def of_rows(rows: Iterable[Mapping[str, str | None]]) -> list[Trouble]:
    """Troubles that the database tells of itself."""
    return [Trouble(row["kind"] or "", row["subject"] or "", row["detail"] or "") for row in rows]


async def database(db: Database) -> list[Trouble]:
    """Whether the database answers, and what it says of mails, jobs and the application."""
    found: list[Trouble] = []
    try:
        async with asyncio.timeout(ANSWER_LIMIT):
            if (await db.run(NO_SCOPE, TAKES_NO_WRITES)).value == b"t":
                text = "Maintenance is on: forms and all other writes are refused. `gateway maintenance off` ends it."
                found.append(Trouble("maintenance", "", text))
            for statement in (JOBS, CALLS, OF_APPLICATION):
                try:
                    found += of_rows((await db.run(NO_SCOPE, statement)).texts())
                except DatabaseError as error:
                    if error.sqlstate not in UNDEFINED:
                        raise
    except (DatabaseError, DatabaseUnavailable, PoolTimeout, TimeoutError) as error:
        reason = f"it did not answer within {ANSWER_LIMIT:.0f} s" if isinstance(error, TimeoutError) else str(error)
        return [Trouble("database", "", f"The database cannot be used: {reason}.")]
    return found


async def key_uses(db: Database) -> dict[str, float]:
    """When each API key was last used, in epoch seconds; nothing while the database is away."""
    try:
        async with asyncio.timeout(ANSWER_LIMIT):
            rows = (await db.run(NO_SCOPE, KEY_USES)).rows
    except (DatabaseError, DatabaseUnavailable, PoolTimeout, TimeoutError):
        return {}
    return {row[0].decode(): float(row[1]) for row in rows if row[0] is not None and row[1] is not None}


def gateway(url: str, admin: str | None) -> list[Trouble]:
    """Whether the gateway answers at all, and each worker of it.

    The admin port is asked where there is one: it is answered by the same workers, and what is asked there is in no
    recording and no access log of the site's.
    """
    workers: list[dict[str, Any]] = []
    try:
        if admin is None:
            ask(url)
        else:
            workers = json.loads(ask(f"{admin}/ready"))["workers"]
    except (OSError, ValueError, KeyError) as error:
        return [Trouble("gateway", "", f"The gateway does not answer on {admin or url}: {error}.")]
    return [
        Trouble("worker", str(said["worker"]), f"Worker {said['worker']} (process {said['pid']}) is {said['state']}.")
        for said in workers
        if said["state"] != "ok"
    ]


def ask(url: str) -> bytes:
    """The body that an address answers, whatever its status below 500. Raises OSError."""
    try:
        with opener().open(url, timeout=ANSWER_LIMIT) as response:
            return bytes(response.read())
    except HTTPError as error:
        with error:
            body = error.read()
        if error.code >= 500 and not url.endswith("/ready"):
            raise OSError(f"it answered {error.code}") from error
        return body


def disk(settings: Settings) -> Iterator[Trouble]:
    """Folders whose disk is nearly full."""
    for folder in (settings.data_dir, Path(settings.backup_dir) if settings.backup_dir else settings.data_dir):
        try:
            free = shutil.disk_usage(folder).free
        except OSError:
            continue  # a folder that is not there yet is the copies' trouble
        if free < SOON_FULL * settings.least_disk:
            text = f"Only {free // 1_000_000} MB are left on the disk of {folder}. Make room, or give it more."
            yield Trouble("disk", str(folder), text)
        if folder == settings.data_dir and not settings.backup_dir:
            return


def copies(settings: Settings, now: float, since: float) -> Iterator[Trouble]:
    """Whether the newest copy of the database is too old; `since` is when somebody began to look."""
    if not settings.backup_dir:
        return
    found = Path(settings.backup_dir).glob(f"*{SUFFIX}")
    newest = max((path.stat().st_mtime for path in found), default=since)
    if now - newest > 2 * settings.backup_every + COPY_SLACK:
        text = f"No copy of the database was made for {(now - newest) / 3600:.0f} h in {settings.backup_dir}."
        yield Trouble("copies", "", text)


def keys(settings: Settings, uses: Mapping[str, float], now: float) -> Iterator[Trouble]:
    """API keys that end soon although somebody still uses them."""
    try:
        rows = read_file(settings.data_dir / FILE_NAME).get("api_keys", ())
    except (OSError, ValueError):
        return
    for row in rows:
        end, used = row.get("expires_at"), uses.get(row["id"], 0.0)
        if end and now < end < now + KEY_LEFT and now - used < KEY_USED:
            text = f"The API key {row['id']} ({row['name']}) ends in {(end - now) / 3600:.0f} h and is still used."
            yield Trouble("key", row["id"], text)


async def certificate(url: str, now: float, context: ssl.SSLContext | None = None) -> list[Trouble]:
    """Whether the certificate of the public address ends soon, or is refused already."""
    parts = urlsplit(url)
    if parts.scheme != "https" or parts.hostname is None:
        return []
    try:
        async with asyncio.timeout(ANSWER_LIMIT):
            _, writer = await asyncio.open_connection(
                parts.hostname, parts.port or 443, ssl=context or ssl.create_default_context()
            )
    except ssl.SSLCertVerificationError as error:
        text = f"The certificate of {parts.hostname} is refused: {error.verify_message}."
        return [Trouble("certificate", parts.hostname, text)]
    except (OSError, TimeoutError):
        return []  # not to be reached from here is no fault of the certificate
    try:
        shown: Any = writer.get_extra_info("peercert") or {}
        left = ssl.cert_time_to_seconds(shown["notAfter"]) - now if "notAfter" in shown else float("inf")
    finally:
        writer.close()
    if left > CERTIFICATE_LEFT:
        return []
    text = f"The certificate of {parts.hostname} ends in {left / 86_400:.0f} days."
    return [Trouble("certificate", parts.hostname, text)]


class Looker:
    """Makes every check; the dear ones less often."""

    def __init__(self, settings: Settings, db: Database, url: str, admin: str | None) -> None:
        self._settings = settings
        self._db = db
        self._url = url
        self._admin = admin
        self._since = time.time()
        self._hourly: list[Trouble] = []
        self._next = 0.0

    async def look(self) -> list[Trouble]:
        """All troubles of this moment."""
        now = time.time()
        found = await asyncio.to_thread(gateway, self._url, self._admin)
        found += await database(self._db)
        found += [*disk(self._settings), *copies(self._settings, now, self._since)]
        if now >= self._next:
            self._next = now + 3600
            self._hourly = await certificate(self._settings.public_url, now)
            self._hourly += keys(self._settings, await key_uses(self._db), now)
        return [*found, *self._hourly]
