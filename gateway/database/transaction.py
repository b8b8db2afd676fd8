"""An explicit transaction on a connection that nobody else uses meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from gateway.database.connection import ENDING, INSIDE, Connection, Segment
from gateway.database.errors import ConnectionLost
from gateway.database.scope import Result, Scope, settings_text
from gateway.database.statement import Statement


class Transaction:
    """An explicit transaction on a connection of its own; see `Database.transaction`."""

    def __init__(self, connection: Connection, scope: Scope, begin: str) -> None:
        self._connection = connection
        self._scope = scope
        self._begin: str | None = begin
        self._rollback = False

    async def run(self, *statements: Statement) -> Result:
        """Run statements; the last one's result."""
        return (await self.run_all(*statements))[-1]

    async def run_all(self, *statements: Statement) -> list[Result]:
        """Run statements in one trip; every result."""
        scope = Scope(self._scope.role, code_free=self._scope.code_free)
        opening: tuple[Statement, ...] = ()
        if self._begin is not None:
            opening = (Statement(self._begin),)
            whole = self._connection.whole(self._scope)
            if whole.names:
                opening += (Statement(settings_text[whole.names], whole.values),)
            self._begin = None
        results = await self._submit(scope, (*opening, *statements))
        return results[len(opening) :]

    def rollback(self) -> None:
        """Undo everything when the block ends."""
        self._rollback = True

    async def _submit(self, scope: Scope, statements: Sequence[Statement], place: int = INSIDE) -> list[Result]:
        if self._connection.broken:
            raise ConnectionLost("the connection was closed")
        future: asyncio.Future[list[Result]] = self._connection.loop.create_future()
        self._connection.submit(Segment(scope, statements, future, place))
        return await future

    async def end(self, failed: bool) -> None:
        """Commit, or roll back when asked to or when the block failed."""
        if self._begin is not None or self._connection.broken:
            return
        ending = "rollback" if failed or self._rollback else "commit"
        await self._submit(Scope(code_free=self._scope.code_free), (Statement(ending),), ENDING)
