"""Messages of the database (contract, section 15): rows of `realtime.messages`, once their transaction has committed.

A trigger tells each worker of a row: its id, when it was inserted, whether it is private, and its topic. A worker with
members in that room reads the row, together with others that came meanwhile, and sends it; who has none does nothing. A
notification proves nothing by itself, for anybody can make one: what is sent is the row.

What was inserted while the listening connection was away is looked for when it is back.
"""

from __future__ import annotations

import asyncio
import logging
from base64 import b64decode
from collections import OrderedDict
from typing import Final

import orjson

from gateway.database import Database, DatabaseError, DatabaseUnavailable, PoolTimeout, Scope
from gateway.database.statement import Statement
from gateway.realtime.channels.policies import OWNER
from gateway.realtime.channels.rooms import Key, Rooms, made
from gateway.realtime.notices import Notices
from gateway.realtime.socket.frames import BYTES, JSON

log = logging.getLogger("gateway.realtime")

WORD: Final = "row"
BATCH: Final = 500  # rows read at once
REMEMBERED: Final = 5000  # ids of rows that were sent, against doubles
MARGIN: Final = 5.0  # seconds before the loss of the connection from which on rows are looked for again
_COLUMNS: Final = "select id, topic, event, private, payload, encode(binary_payload, 'base64') from realtime.messages"
_ROWS: Final = (
    f"{_COLUMNS} join unnest($1::uuid[], $2::timestamp[]) with ordinality as told (told_id, told_at, place)"
    " on id = told_id and inserted_at = told_at where inserted_at >= $3::timestamp and inserted_at <= $4::timestamp"
    " order by place"
)
_SINCE: Final = (
    f"{_COLUMNS} where extension = 'broadcast' and inserted_at >= (now() - make_interval(secs => $1::double precision))"
    " at time zone 'utc' order by inserted_at, tableoid, ctid limit 1000"
)
_SCOPE: Final = Scope(OWNER, ("role", "transaction_read_only"), (OWNER, "on"))


class StoredMessages:
    """Hears of rows, reads and sends them; one in each worker."""

    def __init__(self, db: Database, notices: Notices, rooms: Rooms, max_payload: int) -> None:
        self._db = db
        self._rooms = rooms
        self._max_payload = max_payload
        self._notices = notices
        self._reading: asyncio.Task[None] | None = None
        self._making_up: asyncio.Task[None] | None = None
        self._queue: list[tuple[str, str]] = []
        self._had: OrderedDict[str, None] = OrderedDict()

    def start(self) -> None:
        """Begin to hear of rows."""
        self._notices.want(WORD, self._told, self._connected)

    async def stop(self) -> None:
        """Hear of none any more."""
        tasks = [task for task in (self._reading, self._making_up) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- hearing -------------------------------------------------------------------------------------------------

    @property
    def flows(self) -> bool:
        """Whether rows are heard of."""
        return self._notices.flow.is_set()

    def _connected(self, away: float | None) -> None:
        if away is not None:
            self._making_up = asyncio.create_task(self._make_up(away + MARGIN))

    def _told(self, payload: str) -> None:
        rest = payload.split(" ", 3)
        if len(rest) < 3:
            return
        id, at, private = rest[:3]
        if len(rest) == 4 and (private == "t", rest[3]) not in self._rooms.by_key:
            return
        self._queue.append((id, at))
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        while self._queue:
            batch, self._queue = self._queue[:BATCH], self._queue[BATCH:]
            ids = "{" + ",".join(id for id, _ in batch) + "}"
            times = [at for _, at in batch]
            statement = Statement(_ROWS, (ids, "{" + ",".join(times) + "}", min(times), max(times)))
            try:
                result = await self._db.run(_SCOPE, statement)
            except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
                log.warning("messages of the database cannot be read: %s", error)
                continue
            for row in result.rows:
                self._send(row)

    async def _make_up(self, seconds: float) -> None:
        """Send what nobody told of."""
        try:
            result = await self._db.run(_SCOPE, Statement(_SINCE, (str(seconds),)))
        except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
            log.warning("messages of the database may have been missed: %s", error)
            return
        for row in result.rows:
            self._send(row)

    # --- sending -------------------------------------------------------------------------------------------------

    def _send(self, row: tuple[bytes | None, ...]) -> None:
        id, topic, event, private, payload, binary = row
        if id is None or topic is None:
            return
        self.take(
            id=id.decode(),
            topic=topic.decode(),
            event="" if event is None else event.decode(),
            private=private == b"t",
            payload=payload,
            binary=None if binary is None else b64decode(binary),
        )

    def take(
        self, *, id: str, topic: str, event: str, private: bool, payload: bytes | None, binary: bytes | None
    ) -> None:
        """Send a row to this worker's members of its room, once."""
        content = payload if payload is not None else binary
        if id in self._had or not event or content is None or len(content) > self._max_payload:
            return
        self._had[id] = None
        if len(self._had) > REMEMBERED:
            self._had.popitem(last=False)
        key: Key = (private, topic)
        if key in self._rooms.by_key:
            meta = orjson.dumps({"id": id})
            message = made(key, JSON if payload is not None else BYTES, event, content, meta)
            self._rooms.deliver(key, message, id=id)
