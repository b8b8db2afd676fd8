"""A pool in which what writes has connections of its own.

A commit waits: for the disk, for a standby, for a lock. On a connection that it shared with reads it would hold them
up, and where many wait at once, each on a connection of its own, Postgres writes the log for all of them together:
sixteen commits take the disk as long as one. Reads do best on few connections, writes on as many as wait at once.

Where none of these connections can be had, because the server lets nobody in any more, writes take the others.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

from gateway.database.connection import Segment
from gateway.database.errors import DatabaseUnavailable, PoolerFull
from gateway.database.fair_queue import Turns
from gateway.database.pool import Database
from gateway.database.scope import NO_SCOPE, READ_ONLY, Result, Scope
from gateway.database.statement import Statement
from gateway.database.transaction import Transaction

SHORT: Final = 0.25  # seconds: writes that usually take longer are held to their source's share
RESERVED: Final = 2  # connections that no source has with short writes alone

# Nothing was sent: no other kind of the error says so.
_NEVER_SENT: Final = (DatabaseUnavailable, PoolerFull)


class WriteLane(Database):
    """The connections of what writes. What may run code of the application may sleep, and never counts as short."""

    def __init__(self, url: str, *, size: int, held: int, **options: Any) -> None:
        """`held` is how many a source may hold with what is not short."""
        super().__init__(url, size=size, core=1, **options)
        self.turns = Turns(size, held / size, max(1, size - RESERVED))

    def is_hurried(self, work: Segment) -> bool:
        return work.scope.code_free and self.usual(work.key, SHORT) < SHORT


class SplitDatabase(Database):
    """Runs what writes on a lane of its own, the rest as any pool does."""

    def __init__(self, url: str, *, writes: int, size: int = 10, share: float = 1.0, **options: Any) -> None:
        """`size` connections at most, and `writes` more for what writes."""
        super().__init__(url, size=size, share=share, **options)
        self._lane = WriteLane(url, size=writes, held=self.turns.share, **options)

    def run_all(self, scope: Scope, *statements: Statement, source: str = "") -> Coroutine[Any, Any, list[Result]]:
        if scope.names and READ_ONLY not in scope.names:
            return self._write_all(scope, *statements, source=source)
        return super().run_all(scope, *statements, source=source)

    async def _write_all(self, scope: Scope, *statements: Statement, source: str) -> list[Result]:
        try:
            return await self._lane.run_all(scope, *statements, source=source)
        except DatabaseUnavailable as error:
            if type(error) not in _NEVER_SENT:
                raise
        return await super().run_all(scope, *statements, source=source)

    @asynccontextmanager
    async def transaction(
        self, scope: Scope = NO_SCOPE, begin: str = "begin", source: str = ""
    ) -> AsyncIterator[Transaction]:
        writes = scope.names and READ_ONLY not in scope.names and "read only" not in begin.lower()
        async with AsyncExitStack() as stack:
            try:
                pool = self._lane.transaction if writes else super().transaction
                transaction = await stack.enter_async_context(pool(scope, begin, source))
            except DatabaseUnavailable as error:
                if not writes or type(error) not in _NEVER_SENT:
                    raise
                transaction = await stack.enter_async_context(super().transaction(scope, begin, source))
            yield transaction

    @property
    def stats(self) -> dict[str, int]:
        mine, lane = super().stats, self._lane.stats
        together = {name: mine[name] + lane[name] for name in mine}
        return {**together, "held_most": max(mine["held_most"], lane["held_most"])}

    def renew(self, schema: str, runs_given_sql: bool = True) -> None:
        super().renew(schema, runs_given_sql)
        self._lane.renew(schema, runs_given_sql)

    def renew_sessions(self) -> None:
        super().renew_sessions()
        self._lane.renew_sessions()

    async def close(self) -> None:
        await self._lane.close()
        await super().close()
