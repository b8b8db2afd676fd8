"""Keeps the schema cache and the settings held in the database up to date, without being asked.

Listens on the channel of PostgREST (`notify pgrst, 'reload schema'`, `'reload config'`, empty for both). Where no event
trigger sends these for every change of the schema, or they do not arrive (a pooler between may swallow them), a digest
of the catalogue is compared every few seconds instead. Requests go on with the cache there is until a new one is whole.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from gateway.catalog import queries
from gateway.catalog.load import load, load_database_settings
from gateway.catalog.model import SchemaCache
from gateway.database import (
    BACKOFF_LIMIT,
    NO_SCOPE,
    RENEW_SESSIONS,
    Database,
    DatabaseError,
    DatabaseUnavailable,
    Listener,
    PoolTimeout,
)
from gateway.database.statement import Statement
from gateway.settings import Settings, SettingsError
from gateway.system.lasting import lasting

log = logging.getLogger("gateway.catalog")

DEBOUNCE: Final = 0.1  # seconds of quiet that end a burst of notifications
BURST_LIMIT: Final = 2.0  # seconds after which an endless burst is answered all the same
POLL: Final = 5.0  # seconds between looks at the catalogue where nobody notifies of changes
FIRST_CONTACT: Final = 2.0  # seconds to wait for the listener before the first load
LONG: Final = 10.0  # seconds of a load after which the operator hears that it goes on
ECHO_AGAIN: Final = 0.5  # seconds until it is said again where the database could not be told
ECHO_LIMIT: Final = 2.0  # seconds in which a notification of our own must arrive
WATCHED_CHANNEL: Final = "pgrst"  # the one that event triggers notify

_PAYLOADS: Final = {"": "both", "reload schema": "schema", "reload config": "config"}
_FAILURES: Final = (DatabaseError, DatabaseUnavailable, PoolTimeout)


class SchemaCacheHolder:
    """Holds the `current` cache (None until the first is loaded) and the `settings` it was loaded with."""

    def __init__(
        self,
        settings: Settings,
        db: Database,
        url: str,
        *,
        on_schema: Callable[[SchemaCache], None] | None = None,
        on_config: Callable[[Settings], None] | None = None,
        on_renewal: Callable[[], None] | None = None,
        poll: float = POLL,
    ) -> None:
        """`db` reads the catalogue, `url` is where the listener connects. `on_schema` is called with each
        new cache, `on_config` with new settings when those in the database changed them, `on_renewal` when
        sessions must begin anew. `poll` is in seconds."""
        self.current: SchemaCache | None = None
        self.settings = settings
        self._given = settings
        self._db = db
        self._url = url
        self._on_schema = on_schema
        self._on_config = on_config
        self._on_renewal = on_renewal
        self._poll_interval = poll
        self._wanted: set[str] = set()
        self._wake = asyncio.Event()
        self._heard = 0.0  # when the last wish for a reload came in
        self._connected = asyncio.Event()
        self._has_cache = asyncio.Event()
        self._unserved: tuple[str, ...] = ()  # settings in the database that were told of
        self._loading = False
        self._echo = f"echo {secrets.token_hex(8)}"
        self._hears = False  # whether notifications arrive
        self._fingerprint: bytes | None = None
        self._members: bytes | None = None
        self._tasks: set[asyncio.Task[object]] = set()

    async def start(self) -> None:
        """Listen, then load for the first time. A failure is logged and tried again: until then there is no cache."""
        if self._given.db_channel_enabled:
            # Connected before the first load, so that no change falls between the two.
            listening, connected = self._spawn(self._listen()), self._spawn(self._connected.wait())
            await asyncio.wait((listening, connected), timeout=FIRST_CONTACT, return_when=asyncio.FIRST_COMPLETED)
        self._loading = True
        if not await self._try_reload(config=True):
            self.reload_soon()
        self._spawn(lasting(self._follow_wishes))
        self._spawn(lasting(self._follow_catalogue))

    async def stop(self) -> None:
        """Stop listening and reloading; the current cache stays."""
        tasks, self._tasks = self._tasks, set()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def loaded(self) -> None:
        """Wait until there is a cache."""
        await self._has_cache.wait()

    def reload_soon(self, what: str = "both") -> None:
        """Ask for a reload of the `schema`, the `config`, or `both`."""
        self._wanted.update(("config", "schema") if what == "both" else (what,))
        self._heard = time.monotonic()
        self._wake.set()

    def _spawn(self, work: Coroutine[Any, Any, object]) -> asyncio.Task[object]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    @property
    def version(self) -> str:
        """A word for the schema that was loaded, the same in every gateway."""
        return hashlib.sha256(self._fingerprint or b"").hexdigest()[:12]

    # --- reasons to reload ---------------------------------------------------------------------------------------

    async def _listen(self) -> None:
        given = self._given
        listener = Listener(
            self._url, given.db_channel, self._on_notify, self._on_listening, given.db_prepared_statements
        )
        await listener.run()
        log.warning(
            "the database's address is a pooler's, which hands no notifications on: set DATABASE_DIRECT_URL;"
            " looking for changes of the schema every %.0f s instead",
            self._poll_interval,
        )

    def _on_notify(self, payload: str) -> None:
        if payload == self._echo:
            self._hears = True
            return
        if payload == RENEW_SESSIONS:
            log.info("database sessions begin anew")
            if self._on_renewal is not None:
                self._on_renewal()
            return
        what = _PAYLOADS.get(payload)
        if what is None:
            log.debug("ignored the notification %r on channel %s", payload, self._given.db_channel)
            return
        log.debug("asked to reload: %s", what)
        self.reload_soon(what)

    def _on_listening(self) -> None:
        log.info("listening on channel %s", self._given.db_channel)
        self._connected.set()
        self._hears = False
        self._spawn(self._listen_for_echo())
        if self._loading:  # whatever was said while nobody listened is made up for
            self.reload_soon()

    async def _listen_for_echo(self) -> None:
        """Find out whether notifications arrive at all."""
        notify = Statement("select pg_notify($1, $2)", (self._given.db_channel, self._echo))
        while True:
            try:
                await self._db.run(NO_SCOPE, notify)
                break
            except DatabaseError:
                break
            except (DatabaseUnavailable, PoolTimeout):
                # After an outage the listener may be back before the pool is: nothing was said that could be heard.
                await asyncio.sleep(ECHO_AGAIN)
        await asyncio.sleep(ECHO_LIMIT)
        if not self._hears:
            log.warning(
                "notifications on channel %s do not arrive; looking for changes every %.0f s instead",
                self._given.db_channel,
                self._poll_interval,
            )

    async def _follow_catalogue(self) -> None:
        while True:
            await asyncio.sleep(self._poll_interval)
            try:
                found = await self._look()
            except _FAILURES as error:
                log.debug("could not look for changes of the schema: %s", error)
                continue
            if found.startswith(b"members"):
                before, self._members = self._members, found
            else:
                before, self._fingerprint = self._fingerprint, found
            if before is not None and found != before:
                log.info("the schema has changed")
                self.reload_soon()

    async def _look(self) -> bytes:
        """The digest of the catalogue, or of memberships where notifications tell of other changes."""
        told = self._hears and self._given.db_channel == WATCHED_CHANNEL
        text = queries.FINGERPRINT_UNLESS_WATCHED if told else queries.FINGERPRINT
        return (await self._db.run(NO_SCOPE, Statement(text))).value or b""

    # --- reloading -----------------------------------------------------------------------------------------------

    async def _follow_wishes(self) -> None:
        """Reload at once when asked, then at most once more when the burst of wishes is over."""
        delay = 0.0
        while True:
            if delay:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), delay)
            else:
                await self._wake.wait()
            wanted, self._wanted = self._wanted, set()
            self._wake.clear()
            if await self._try_reload("config" in wanted, delay):
                delay = 0.0
                await self._end_of_burst()
            else:
                delay = _longer(delay)
                self._wanted |= wanted

    async def _end_of_burst(self) -> None:
        limit = time.monotonic() + BURST_LIMIT
        await asyncio.sleep(DEBOUNCE)
        while self._wake.is_set():
            now = time.monotonic()
            quiet_at = min(self._heard + DEBOUNCE, limit)
            if now >= quiet_at:
                return
            await asyncio.sleep(quiet_at - now)

    async def _try_reload(self, config: bool, delay: float = 0.0) -> bool:
        """Whether a reload succeeded after one that was tried `delay` seconds ago; else the operator hears why."""
        kept = "the old one stays in use" if self.current is not None else "requests are refused until then"
        told = asyncio.get_running_loop().call_later(
            LONG, log.warning, "the schema cache is being loaded for %.0f s, maybe it waits for a lock; %s", LONG, kept
        )
        try:
            await self._reload(config)
        except _FAILURES as error:
            next_in = _longer(delay)
            log.error(
                "the schema cache could not be loaded and is tried again within %.0f s, %s: %s", next_in, kept, error
            )
        except Exception:  # of this schema, or a fault of ours: whoever gave up here would never load another one
            log.exception(
                "the schema cache could not be loaded and is tried again within %.0f s, %s", _longer(delay), kept
            )
        else:
            return True
        finally:
            told.cancel()
        return False

    async def _reload(self, config: bool) -> None:
        """Settings first where asked for (the roles' own come with the schema), then the schema."""
        started = time.monotonic()
        settings = self.settings
        if config:
            self._read_files_again()
            pairs = await load_database_settings(self._db, self._given)
            unserved = self._given.unserved_in_database(pairs)
            if unserved and unserved != self._unserved:
                log.warning("not served, or misspelled, and without effect in the database: %s", ", ".join(unserved))
            self._unserved = unserved
            try:
                settings = self._given.with_database_settings(pairs)
            except SettingsError as error:
                log.error("Failed reloading config: %s", error)
        # Before the load: what changes meanwhile shows as a difference.
        fingerprint = (await self._db.run(NO_SCOPE, Statement(queries.FINGERPRINT))).value
        members = (await self._db.run(NO_SCOPE, Statement(queries.MEMBERS))).value
        cache = await load(self._db, settings)
        changed = settings != self.settings
        self.settings, self.current, self._fingerprint, self._members = settings, cache, fingerprint, members
        self._has_cache.set()
        log.info(
            "schema cache loaded in %.0f ms: %d relations, %d functions",
            (time.monotonic() - started) * 1000,
            len(cache.tables),
            sum(map(len, cache.routines.values())),
        )
        if changed:
            log.info("settings of the login role taken from the database")
            if self._on_config is not None:
                self._on_config(settings)
        if self._on_schema is not None:
            self._on_schema(cache)

    def _read_files_again(self) -> None:
        """Take the secret as its file holds it now; one that cannot be read leaves the old one in force."""
        try:
            self._given = self._given.read_again("jwt_secret")
        except SettingsError as error:
            log.error("Failed reloading config: %s", error)


def _longer(delay: float) -> float:
    """Seconds to wait after another failure."""
    return min(BACKOFF_LIMIT, delay * 2 or 1.0)
