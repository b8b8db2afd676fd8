"""Between gateways by Postgres: NOTIFY, which every listening worker of every gateway hears.

Messages that come together go in one transaction, one at a time, as many as fit into a notice; one that is too long for
that is a row, and the notice says which. Nothing is sent while no other gateway is there: each says every few seconds
that it is. A notice proves nothing by itself, for whoever has SQL can make one: it bears a mark made with a secret that
the realtime login alone can read.

A commit that notifies takes a lock of the whole server, and every worker wakes for every notice: this is for some
hundred messages a second. Redis or NATS are for more.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import logging
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from gateway.database import Database, DatabaseError, DatabaseUnavailable, PoolTimeout, Scope
from gateway.database.statement import Statement
from gateway.realtime.bus import Callback
from gateway.realtime.notices import CHANNEL, Notices
from gateway.system.lasting import lasting

log = logging.getLogger("gateway.realtime")

OWNER: Final = "supabase_realtime_admin"
SCOPE: Final = Scope(OWNER, ("role",), (OWNER,))
LONGEST: Final = 5_500  # bytes of one notice's messages; as text they are a third more, and 8,000 is too many
MOST_WAITING: Final = 16_000_000  # bytes that may wait to be sent
BEAT: Final = 10.0  # seconds
SILENCE: Final = 25.0  # seconds after which a gateway is taken for gone
FIRST: Final = 3.0  # seconds that the start waits for the connection
ANSWERS: Final = 0.1  # seconds in which others hear of this one, and answer
COME, HERE, MESSAGE = b"c", b"h", b"m"
WORD: Final = "bus"
_NOTIFY: Final = f"select pg_notify('{CHANNEL}', $1)"
_KEEP: Final = "insert into realtime_private.bus_messages (payload) values (decode($1, 'base64')) returning id"
_FETCH: Final = "select encode(payload, 'base64') from realtime_private.bus_messages where id = $1::bigint"
_SECRET: Final = "select secret from realtime_private.bus_secret"


class PostgresBus:
    """A worker's way to other gateways; `gateway` gives the word that its own workers have in common."""

    def __init__(self, db: Database, notices: Notices, gateway: Callable[[], str]) -> None:
        self.name = ""
        self.lost: list[Callable[[str], None]] = []
        self._db = db
        self._notices = notices
        self._word = gateway
        self._gateway = ""
        self._secret = b""
        self._callbacks: dict[str, list[Callback]] = {}
        self._queue: list[bytes] = []
        self._waiting = 0
        self._sending: asyncio.Task[None] | None = None
        self._beating: asyncio.Task[None] | None = None
        self._fetching: asyncio.Task[None] | None = None
        self._inbox: deque[str] = deque()
        self._others: dict[str, float] = {}
        self.sent = self.heard = self.dropped = 0

    @property
    def counters(self) -> dict[str, int]:
        return {"sent": self.sent, "heard": self.heard, "dropped": self.dropped, "gateways": len(self._others)}

    async def start(self) -> None:
        """Listen, and say that this gateway is there."""
        self._gateway = self._word()
        self._notices.want(WORD, self._told, lambda away: self._say(COME))
        try:
            await asyncio.wait_for(self._notices.flow.wait(), FIRST)
            self._secret = (await self._db.run(SCOPE, Statement(_SECRET))).value or b""
        except (TimeoutError, DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
            log.warning("other gateways are not reached: %s", error or "the database does not answer")
        self._beating = asyncio.create_task(lasting(self._beat))
        self._say(COME)
        await asyncio.sleep(ANSWERS)

    async def stop(self) -> None:
        """Say nothing more."""
        tasks = [task for task in (self._beating, self._sending, self._fetching) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def publish(self, topic: str, payload: bytes) -> None:
        """Send, if there is anybody."""
        if self._others:
            self._put(MESSAGE, topic, payload)

    async def subscribe(self, topic: str, callback: Callback) -> None:
        """Everything is heard anyway."""
        self._callbacks.setdefault(topic, []).append(callback)

    def unsubscribe(self, topic: str, callback: Callback) -> None:
        """Hear it no more."""
        callbacks = self._callbacks.get(topic, [])
        if callback in callbacks:
            callbacks.remove(callback)
        if not callbacks:
            self._callbacks.pop(topic, None)

    # --- sending -------------------------------------------------------------------------------------------------

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            now = time.monotonic()
            self._others = {name: at for name, at in self._others.items() if now - at < SILENCE}
            if not self._secret:
                try:
                    self._secret = (await self._db.run(SCOPE, Statement(_SECRET))).value or b""
                except (DatabaseError, DatabaseUnavailable, PoolTimeout):
                    continue
            self._say(HERE)

    def _say(self, kind: bytes) -> None:
        self._put(kind, "", b"")

    def _put(self, kind: bytes, topic: str, payload: bytes) -> None:
        if not self._secret:
            return
        word = topic.encode()
        content = kind + len(word).to_bytes(4, "big") + word + payload
        if self._waiting + len(content) > MOST_WAITING:
            self.dropped += 1
            return
        self._waiting += len(content)
        self._queue.append(content)
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send())

    async def _send(self) -> None:
        while self._queue:
            batch, self._queue = self._queue, []
            self._waiting = 0
            try:
                for part in _parts(batch):
                    await self._notify(part)
                    self.sent += len(part)
            except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
                self.dropped += len(batch)
                log.warning("messages to other gateways are lost: %s", error)

    async def _notify(self, part: list[bytes]) -> None:
        packed = b"".join(len(each).to_bytes(4, "big") + each for each in part)
        if len(packed) > LONGEST:
            encoded = base64.b64encode(packed).decode()
            id = (await self._db.run(SCOPE, Statement(_KEEP, (encoded,)))).value or b""
            text = "row:" + id.decode()
        else:
            text = base64.b64encode(packed).decode()
        notice = f"{WORD} {self._gateway} {self._mark(text)} {text}"
        await self._db.run(SCOPE, Statement(_NOTIFY, (notice,)))

    def _mark(self, text: str) -> str:
        return hmac.new(self._secret, f"{self._gateway} {text}".encode(), hashlib.sha256).hexdigest()[:32]

    # --- hearing -------------------------------------------------------------------------------------------------

    def _told(self, rest: str) -> None:
        gateway, mark, text = [*rest.split(" ", 2), "", ""][:3]
        if gateway == self._gateway or not self._secret:
            return
        right = hmac.new(self._secret, f"{gateway} {text}".encode(), hashlib.sha256).hexdigest()[:32]
        if not hmac.compare_digest(mark, right):
            return
        self._others[gateway] = time.monotonic()
        fetching = self._fetching is not None and not self._fetching.done()
        if fetching or text.startswith("row:"):
            self._inbox.append(text)
            if not fetching:
                self._fetching = asyncio.create_task(self._fetch())
        else:
            self._unpack(base64.b64decode(text))

    async def _fetch(self) -> None:
        """Read what is a row; what was told behind it waits, for order is kept."""
        while self._inbox:
            text = self._inbox.popleft()
            if text.startswith("row:"):
                try:
                    encoded = (await self._db.run(SCOPE, Statement(_FETCH, (text[4:],)))).value or b""
                except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
                    log.warning("a long message of another gateway is lost: %s", error)
                    continue
                self._unpack(base64.b64decode(encoded))
            else:
                self._unpack(base64.b64decode(text))

    def _unpack(self, packed: bytes) -> None:
        at = 0
        while at < len(packed):
            end = at + 4 + int.from_bytes(packed[at : at + 4], "big")
            content = packed[at + 4 : end]
            at = end
            size = int.from_bytes(content[1:5], "big")
            if content[:1] == COME:
                self._say(HERE)  # for it has to know of this one too
            elif content[:1] == MESSAGE:
                self.heard += 1
                for callback in tuple(self._callbacks.get(content[5 : 5 + size].decode(), ())):
                    callback(content[5 + size :])


def _parts(batch: list[bytes]) -> list[list[bytes]]:
    """Messages in the order they came, as many together as fit into a notice; one that is longer is alone."""
    parts: list[list[bytes]] = []
    room = 0
    for each in batch:
        if not parts or len(each) + 4 > room:
            parts.append([])
            room = LONGEST
        parts[-1].append(each)
        room -= len(each) + 4
    return parts
