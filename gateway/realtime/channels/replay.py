"""Messages of the database that a member missed (contract, section 16): the newest of the last three days, oldest
first."""

from __future__ import annotations

import logging
from base64 import b64decode
from dataclasses import dataclass
from typing import Any, Final

from gateway.database import Database, DatabaseError, DatabaseUnavailable, PoolTimeout, Scope
from gateway.database.statement import Statement
from gateway.realtime import errors
from gateway.realtime.channels.config import ABSENT
from gateway.realtime.channels.policies import OWNER
from gateway.realtime.errors import RealtimeError

log = logging.getLogger("gateway.realtime")

MOST: Final = 25
_ROWS: Final = (
    "select id, event, payload, encode(binary_payload, 'base64') from realtime.messages"
    " where topic = $1 and private and extension = 'broadcast' and event is not null"
    " and (payload is not null or binary_payload is not null)"
    " and inserted_at >= to_timestamp($2::numeric / 1000) at time zone 'utc'"
    " and inserted_at < now() at time zone 'utc' + interval '1 minute'"
    " order by inserted_at desc, tableoid desc, ctid desc limit $3::integer"
)


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A row of `realtime.messages`: `payload` is JSON, or None where `binary` has the bytes."""

    id: str
    event: str
    payload: bytes | None
    binary: bytes | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """From when on, in milliseconds, and how many."""

    since: int
    limit: int


def parse(replay: Any, private: bool) -> Wanted | None:
    """What a join asks for. Raises RealtimeError."""
    if replay is ABSENT:
        return None
    if not private:
        raise RealtimeError(errors.REPLAY, "Replay is not allowed for public channels")
    if replay is None:
        return None
    sent: dict[str, Any] = replay if isinstance(replay, dict) else {}
    since, limit = sent.get("since"), sent.get("limit", MOST)
    if not (isinstance(since, int) and isinstance(limit, int)) or not (_fits(since) and _fits(limit)):
        raise RealtimeError(errors.REPLAY, "Replay params are not valid")
    return Wanted(since, max(1, min(limit, MOST)))


async def read(db: Database, topic: str, wanted: Wanted) -> list[StoredMessage]:
    """The rows, oldest first. Raises RealtimeError."""
    try:
        result = await db.run(
            Scope(OWNER, ("role",), (OWNER,)), Statement(_ROWS, (topic, str(wanted.since), str(wanted.limit)))
        )
    except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
        log.warning("messages cannot be replayed: %s", error)
        raise RealtimeError(errors.REPLAY, "Realtime was unable to replay messages") from error
    return [stored(row) for row in reversed(result.rows)]


def stored(row: tuple[bytes | None, ...]) -> StoredMessage:
    """A row of id, event, payload and base64 of the bytes."""
    id, event, payload, binary = row[:4]
    return StoredMessage(
        (id or b"").decode(), (event or b"").decode(), payload, None if binary is None else b64decode(binary)
    )


def _fits(value: int) -> bool:
    return not isinstance(value, bool) and abs(value) < 2**53
