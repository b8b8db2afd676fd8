"""The console's audit: a row before a change is made, and once what came of it.

The table is reached through functions that add, and nothing else (gateway/migrations/gateway/0190_console.sql): what
runs in the console, SQL of its page included, cannot change what was noted.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from gateway.console.sessions import ConsoleSession
from gateway.database import NO_SCOPE, Database
from gateway.database.statement import Statement

LONGEST: Final = 4000  # characters of a value that is kept
MOST: Final = 200  # elements of a list that are kept


class Audit:
    """Notes through the auth API's login, which the console's SQL has not."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, session: ConsoleSession | None, account: str, address: str, action: str, target: str) -> str:
        """Note that a change is about to be made; the number of the note. Raises DatabaseError, DatabaseUnavailable:
        what cannot be noted is not done."""
        result = await self._database.run(
            NO_SCOPE,
            Statement(
                "select gateway.console_note($1::uuid, $2, $3, $4, $5)",
                (session.id if session is not None else None, account, address, action, target[:LONGEST]),
            ),
        )
        return (result.value or b"").decode()

    async def end(self, note: str, status: int, detail: dict[str, Any]) -> None:
        """Note what came of it."""
        kept = orjson.dumps(cut(detail), default=str).replace(b"\\u0000", b"") if detail else None
        await self._database.run(
            NO_SCOPE,
            Statement("select gateway.console_noted($1::bigint, $2::integer, $3::jsonb)", (note, str(status), kept)),
        )

    async def trail(self, before: str | None, wanted: int) -> list[dict[str, str | None]]:
        """The newest notes, or those before one."""
        question = Statement("select * from gateway.console_trail($1::bigint, $2::integer)", (before, str(wanted)))
        return (await self._database.run(NO_SCOPE, question)).texts()

    async def actions(self, action: str, wanted: int) -> list[dict[str, str | None]]:
        """The newest notes of one kind."""
        question = Statement("select * from gateway.console_actions($1, $2::integer)", (action, str(wanted)))
        return (await self._database.run(NO_SCOPE, question)).texts()


def cut(value: Any) -> Any:
    """A value short enough to be kept.

    >>> cut({"a": "x" * 5000})["a"][-8:], len(cut(list(range(1000))))
    ('… (5000)', 201)
    """
    if isinstance(value, str):
        return value if len(value) <= LONGEST else f"{value[:LONGEST]}… ({len(value)})"
    if isinstance(value, dict):
        return {str(name)[:200]: cut(each) for name, each in list(value.items())[:MOST]}
    if isinstance(value, list | tuple):
        return [*(cut(each) for each in value[:MOST]), *([f"… ({len(value)})"] if len(value) > MOST else [])]
    return value
