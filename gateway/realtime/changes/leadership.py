"""Who reads the log: one worker of all gateways, while any of them has subscribers, and some minutes longer."""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from gateway.database import Database, DatabaseError, DatabaseUnavailable, PoolTimeout, Scope
from gateway.database.replication import lsn_of
from gateway.database.statement import Statement
from gateway.realtime.changes.follower import Follower
from gateway.realtime.changes.log import Ring
from gateway.realtime.changes.pgoutput import Malformed
from gateway.realtime.changes.reader import LogReader
from gateway.realtime.changes.slot import (
    MISSING_PUBLICATION,
    PUBLICATION,
    CannotRead,
    OpenSlot,
    drop_idle,
    take,
)

log = logging.getLogger("gateway.realtime.changes")

KNOCK: Final = 10.0  # seconds between two words that a worker follows
PATIENCE: Final = 0.15  # seconds that a reader may take to answer a knock before another one tries
LOOK: Final = 0.5  # seconds between two looks at whether somebody reads
CHECK: Final = 30.0  # seconds between two looks at the slot
UNBOUNDED: Final = 1 << 30  # bytes that a slot may hold back where the server has no bound
LONGEST_PAUSE: Final = 5.0
FAILURES: Final = 3  # in a row, after which the slot is given up: what it holds cannot be read

_SLOT: Final = f"""
select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), coalesce(restart_lsn, pg_current_wal_insert_lsn()))::int8,
  pg_current_wal_insert_lsn()::text, s.setting::int8 * 1024 * 1024,
  (select oid from pg_publication where pubname = '{PUBLICATION}')
from pg_settings s
left join pg_replication_slots on slot_name = 'gateway_changes_' || (
  select oid from pg_database where datname = current_database())
where s.name = 'max_slot_wal_keep_size'"""


@dataclass(slots=True)
class Keeping:
    """How long, and how many bytes of, changes are kept, and how long the log is read with nobody listening."""

    seconds: float = 120.0
    most_bytes: int = 16 * 1024 * 1024
    idle: float = 300.0


class Leadership:
    """Has this worker read the log where no other one does."""

    def __init__(
        self,
        follower: Follower,
        database: Database,
        urls: Sequence[str],
        keeping: Keeping,
    ) -> None:
        self.listens = False
        self.fault = ""  # why the log cannot be read; empty while it is, or may be soon
        self.lag = 0  # bytes of the log that the slot holds back
        self._follower = follower
        self._database = database
        self._urls = urls
        self._keeping = keeping
        self._reading: asyncio.Task[None] | None = None
        self._anew = False
        self._failures = 0
        self._pause = 0.0
        self._due = 0.0
        self._knocked = 0.0
        self._checked = 0.0
        self._wanted = 0.0  # when somebody last listened
        self._publication: bytes | None = None

    @property
    def reads(self) -> bool:
        """Whether this worker is the one."""
        return self._follower.reader is not None

    async def run(self) -> None:
        """See to it that somebody reads, until nobody listens any more."""
        follower = self._follower
        await follower.attach()
        self._wanted = time.monotonic()
        try:
            while self.listens or self.reads:
                now = time.monotonic()
                self._note_wishes(now)
                if self._reading is not None and self._reading.done():
                    self._ended(self._reading)
                if self._reading is not None:
                    if now - self._wanted > self._keeping.idle:
                        await self._give_up()
                        break
                    if now - self._checked > CHECK:
                        self._checked = now
                        await self._check()
                elif not follower.hears and self.listens:
                    await self._seek()
                if now - self._knocked > KNOCK and self.listens and not self.reads:
                    self._knocked = now
                    follower.knock()
                waiting = [self._reading] if self._reading is not None else []
                if waiting:
                    await asyncio.wait(waiting, timeout=LOOK)
                else:
                    await asyncio.sleep(LOOK if follower.hears else 0.05)
        finally:
            await self.stop()
            follower.detach()

    def _note_wishes(self, now: float) -> None:
        wanted = self._follower.wanted
        for name in [name for name, at in wanted.items() if now - at > 2 * KNOCK]:
            del wanted[name]
        if self.listens or wanted:
            self._wanted = now

    # --- becoming the reader ---------------------------------------------------------------------------------------

    async def _seek(self) -> None:
        """Ask who reads; where nobody answers, read."""
        now = time.monotonic()
        if now < self._due:
            return
        self._follower.knock()
        await asyncio.sleep(PATIENCE)
        if self._follower.hears:
            self._pause = 0.0
            return
        try:
            slot = await take(self._urls, self._anew)
        except CannotRead as error:
            if self.fault != str(error):
                log.error("changes of tables cannot be read: %s", error)
            self.fault = str(error)
            slot = None
        except (DatabaseError, DatabaseUnavailable) as error:
            log.warning("changes of tables cannot be read now: %s", error)
            slot = None
        if slot is None:
            self._pause = min(LONGEST_PAUSE, self._pause * 2 or 0.25)
            self._due = time.monotonic() + self._pause * random.uniform(0.5, 1.0)
            return
        self.fault, self._anew = "", False
        self._lead(slot)

    def _lead(self, slot: OpenSlot) -> None:
        follower = self._follower
        ring = Ring(self._keeping.seconds, self._keeping.most_bytes)
        reader = LogReader(slot, f"{follower.bus.name}/{secrets.token_hex(4)}", ring, follower.say)
        follower.reader = reader
        self._checked, self._publication = time.monotonic(), None
        self._reading = asyncio.create_task(reader.run())
        log.info("this worker reads the changes of tables, from slot %s", slot.name)

    # --- ceasing to be ---------------------------------------------------------------------------------------------

    def _ended(self, reading: asyncio.Task[None]) -> None:
        """The reader has ended by itself: see why, and whether its slot is of any more use."""
        reader = self._follower.reader
        self._reading, self._follower.reader = None, None
        self._follower.part()
        error = None if reading.cancelled() else reading.exception()
        self._failures = self._failures + 1 if reader is not None and not reader.read else 0
        lost = isinstance(error, DatabaseError) and error.sqlstate in (MISSING_PUBLICATION, "55000")
        if lost or isinstance(error, Malformed) or self._failures >= FAILURES:
            self._anew, self._failures = True, 0
        self._pause, self._due = 0.0, time.monotonic() + 0.1
        if error is not None:
            log.warning("the reader of changes has ended and is replaced: %s", error)

    async def stop(self) -> None:
        """Read no more; the slot stays for the next reader."""
        if self._reading is not None:
            self._reading.cancel()
            with suppress(asyncio.CancelledError, DatabaseError, DatabaseUnavailable, Malformed):
                await self._reading
            self._reading, self._follower.reader = None, None
            self._follower.part()

    async def _give_up(self) -> None:
        """Nobody has listened for long: the slot goes too."""
        await self.stop()
        await self.tidy()

    async def tidy(self) -> None:
        """Drop a slot that nobody reads."""
        try:
            await drop_idle(self._urls)
        except (CannotRead, DatabaseError, DatabaseUnavailable) as error:
            log.info("a slot that may be left could not be looked for: %s", error)

    async def _check(self) -> None:
        """See how much the slot holds back, and whether the publication is still the one that is read."""
        reader = self._follower.reader
        try:
            ((held, end, bound, publication),) = (
                await self._database.run(Scope(code_free=True), Statement(_SLOT))
            ).rows
        except (DatabaseError, DatabaseUnavailable, PoolTimeout):
            return
        self.lag = int(held or 0)
        if reader is None or self._reading is None:
            return
        most = (int(bound or -1) if int(bound or -1) > 0 else UNBOUNDED) // 2
        behind = lsn_of((end or b"0/0").decode()) - reader.reached.commit
        reader.hurry = self.lag > most
        if behind > most:
            log.error("the reader of changes is %d bytes behind: it begins anew, and changes are missed", behind)
            self._anew = True
            self._reading.cancel()
        elif publication != (self._publication or publication):
            log.info("the publication is another one: the reader begins anew")
            self._reading.cancel()
        self._publication = publication
