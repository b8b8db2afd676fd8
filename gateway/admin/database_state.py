"""What the admin port asks the database, each question within a time."""

from __future__ import annotations

import asyncio
import re
from typing import Final

from gateway.database import NO_SCOPE, Database, DatabaseError, DatabaseUnavailable, PoolTimeout, Result
from gateway.database.statement import Statement

ANSWER_LIMIT: Final = 5.0  # seconds that the database may take
NO_ANSWER: Final = (DatabaseError, DatabaseUnavailable, PoolTimeout, TimeoutError)
PING: Final = Statement("select 1")
TAKES_NO_WRITES: Final = Statement("select current_setting('default_transaction_read_only') = 'on'")
WRONG_STATES: Final = {"53100": "the disk of the database is full", "53300": "the database has too many connections"}
# What Postgres says to who may not connect; libpq keeps no code of it.
CROWDED: Final = re.compile("too many clients|too many connections|remaining connection slots")


async def ask(database: Database, question: Statement) -> Result:
    """The answer to a question. Raises one of NO_ANSWER."""
    async with asyncio.timeout(ANSWER_LIMIT):
        return await database.run(NO_SCOPE, question)


async def in_maintenance(database: Database) -> bool:
    """Whether the database takes no writes, as it was told by `gateway maintenance` or a restore."""
    try:
        return (await ask(database, TAKES_NO_WRITES)).value == b"t"
    except NO_ANSWER:
        return False


async def fault_of(database: Database) -> str:
    """What is wrong with the database; empty if nothing."""
    try:
        await ask(database, PING)
    except DatabaseUnavailable as error:
        return WRONG_STATES["53300"] if CROWDED.search(error.reason) else f"unavailable: {error.reason}"
    except DatabaseError as error:
        return WRONG_STATES.get(error.sqlstate, f"refuses: {error.message}")
    except (PoolTimeout, TimeoutError):
        return "every connection is busy"
    return ""
