"""An explicit transaction on a connection that nobody else uses meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from gateway.database.connection import ENDING, INSIDE, Connection, Segment
from gateway.database.errors import ConnectionLost
from gateway.database.scope import Result, Scope, settings_text
from gateway.database.statement import Statement

_COMMIT: Final = Statement("commit")
_ROLLBACK: Final = Statement("rollback")


class Transaction:
    """An explicit transaction on a connection of its own; see `Database.transaction`."""

    def __init__(self, connection: Connection, scope: Scope, begin: str) -> None:
        self._connection = connection
        self._scope = scope
        self._own = Scope(scope.role, code_free=scope.code_free)
        self._begin: str | None = begin
        self._rollback = False
        self._ended = False

    async def run(self, *statements: Statement) -> Result:
        """Run statements; the last one's result."""
        return (await self.run_all(*statements))[-1]

    async def run_all(self, *statements: Statement) -> list[Result]:
        """Run statements in one trip; every result."""
        opened = self._opening()
        return (await self._submit(self._own, (*opened, *statements)))[len(opened) :]

    async def finish(self, *statements: Statement) -> None:
        """Run the last statements and commit in the same trip. Raises DatabaseError, and nothing is kept then.

        Who goes away meanwhile does not know whether it was committed, as with any commit.
        """
        last, work = self._queue(self._own, (*self._opening(), *statements), again=False)
        self._ended = True
        # What was refused before it was sent left the transaction whole, and as it was before.
        ending = _COMMIT if last.error is None and not self._rollback else _ROLLBACK
        _, ended = self._queue(Scope(code_free=self._scope.code_free), (ending,), ENDING)
        # The commit of a transaction in which something failed rolls it back, and says nothing.
        await asyncio.gather(work, ended, return_exceptions=True)
        work.result()
        ended.result()

    def _opening(self) -> tuple[Statement, ...]:
        """What begins the transaction, once."""
        opening: tuple[Statement, ...] = ()
        if self._begin is not None:
            opening = (Statement(self._begin),)
            whole = self._connection.whole(self._scope)
            if whole.names:
                opening += (Statement(settings_text[whole.names], whole.values),)
            self._begin = None
        return opening

    def rollback(self) -> None:
        """Undo everything when the block ends."""
        self._rollback = True

    async def _submit(self, scope: Scope, statements: Sequence[Statement], place: int = INSIDE) -> list[Result]:
        return await self._queue(scope, statements, place)[1]

    def _queue(
        self, scope: Scope, statements: Sequence[Statement], place: int = INSIDE, again: bool = True
    ) -> tuple[Segment, asyncio.Future[list[Result]]]:
        """`again` is whether it may be asked twice, which what follows it in the queue would come before."""
        future: asyncio.Future[list[Result]] = self._connection.loop.create_future()
        work = Segment(scope, statements, future, place)
        work.retried = not again
        if self._connection.broken:
            future.set_exception(ConnectionLost("the connection was closed"))
        else:
            self._connection.submit(work)
        return work, future

    async def end(self, failed: bool) -> None:
        """Commit, or roll back when asked to or when the block failed."""
        if self._begin is not None or self._ended or self._connection.broken:
            return
        ending = _ROLLBACK if failed or self._rollback else _COMMIT
        await self._submit(Scope(code_free=self._scope.code_free), (ending,), ENDING)
