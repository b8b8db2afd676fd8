"""What a token may do on a private channel: the policies of `realtime.messages` are tried in its role (contract,
section 14), and whatever was written for that is rolled back.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

import orjson

from gateway.database import Database, DatabaseError, DatabaseUnavailable, PoolTimeout, Scope
from gateway.database.statement import Statement
from gateway.realtime import errors
from gateway.realtime.errors import RealtimeError
from gateway.realtime.tokens import Token

log = logging.getLogger("gateway.realtime")

OWNER: Final = "supabase_realtime_admin"
DENIED: Final = "42501"
NO_PARTITION: Final = "23514"
BROADCAST: Final = "broadcast"
PRESENCE: Final = "presence"
_PLANT: Final = (
    "insert into realtime.messages (id, topic, extension, private, inserted_at)"
    " select id, $1, extension, true, now() at time zone 'utc'"
    " from unnest($2::uuid[], $3::text[]) as probe (id, extension)"
)
_BECOME: Final = "select set_config('role', $1, true)"
_SEEN: Final = (
    "select extension from realtime.messages where id = any ($1::uuid[]) and inserted_at = now() at time zone 'utc'"
)
_TRY: Final = (
    "insert into realtime.messages (topic, extension, private, inserted_at)"
    " values ($1, $2, true, now() at time zone 'utc')"
)
KEEP_PARTITIONS: Final = Statement("select realtime_private.keep_partitions()")


@dataclass(slots=True)
class Rights:
    """What a token may; None is what was not asked yet."""

    read_broadcast: bool = True
    read_presence: bool | None = True
    write_broadcast: bool | None = True
    write_presence: bool | None = True


class Policies:
    """Asks them, by the login of the realtime API."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def read(self, token: Token, topic: str, headers: str, presence: bool) -> tuple[bool, bool]:
        """Whether broadcasts may be read, and presence, which is False where it is not asked for.

        A policy that fails refuses. Raises RealtimeError where the database cannot be asked.
        """
        extensions = (BROADCAST, PRESENCE) if presence else (BROADCAST,)
        try:
            seen = await self.seen(token, topic, headers, extensions)
        except DatabaseError as error:
            if error.sqlstate != NO_PARTITION:
                log.warning("RlsPolicyError: %s", error.message)
                return False, False
            raise RealtimeError(*errors.NO_PARTITION) from error
        return BROADCAST in seen, PRESENCE in seen

    async def seen(self, token: Token, topic: str, headers: str, extensions: tuple[str, ...]) -> set[str]:
        """The extensions that may be read. Raises DatabaseError for a policy that fails, RealtimeError where the
        database cannot be asked."""
        ids = "{" + ",".join(str(uuid4()) for _ in extensions) + "}"
        try:
            async with self._db.transaction(_scope(token, topic, headers, OWNER)) as tx:
                tx.rollback()
                result = await tx.run(
                    Statement(_PLANT, (topic, ids, "{" + ",".join(extensions) + "}")),
                    Statement(_BECOME, (token.role,)),
                    Statement(_SEEN, (ids,)),
                )
        except (DatabaseUnavailable, PoolTimeout) as error:
            raise RealtimeError(*errors.NO_DATABASE) from error
        return {(row[0] or b"").decode() for row in result.rows}

    async def write(self, token: Token, topic: str, headers: str, extension: str) -> bool:
        """Whether messages of an extension may be written. Raises DatabaseError for a policy that fails, RealtimeError
        where the database cannot be asked."""
        try:
            async with self._db.transaction(_scope(token, topic, headers, token.role)) as tx:
                tx.rollback()
                await tx.run(Statement(_TRY, (topic, extension)))
        except (DatabaseUnavailable, PoolTimeout) as error:
            raise RealtimeError(*errors.NO_DATABASE) from error
        except DatabaseError as error:
            if error.sqlstate == DENIED:
                return False
            if error.sqlstate == NO_PARTITION:
                raise RealtimeError(*errors.NO_PARTITION) from error
            raise
        return True

    async def keep_partitions(self) -> None:
        """Make the partitions of these days."""
        try:
            await self._db.run(Scope(OWNER), KEEP_PARTITIONS)
        except (DatabaseError, DatabaseUnavailable, PoolTimeout) as error:
            log.error("PartitionCreationFailed: %s", error)


def _scope(token: Token, topic: str, headers: str, role: str) -> Scope:
    names = (
        "role", "realtime.topic", "request.jwt.claims", "request.jwt.claim.sub", "request.jwt.claim.role",
        "request.headers", "statement_timeout",
    )  # fmt: skip
    return Scope(role, names, (role, topic, token.claims, token.sub, token.role, headers or "{}", "5s"))


def header_text(headers: list[tuple[bytes, bytes]], only_x: bool) -> str:
    """Headers of a request as policies see them in `request.headers`.

    >>> header_text([(b"x-a", b"1"), (b"cookie", b"c")], True)
    '{"x-a":"1"}'
    """
    kept = {
        name.decode("latin-1"): value.decode("latin-1") for name, value in headers if not only_x or name[:2] == b"x-"
    }
    return orjson.dumps(kept).decode()
