"""A database behind a pooler that lends a server's connection for one transaction, as PgBouncer does in that mode.

Nothing may outlast a transaction there: statements have no names, and what a session of our own would be set to once
is set in each transaction, in the same trip as the request's own settings.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from gateway.db import NO_SCOPE, Database, Result, Scope, Transaction
from gateway.statement import Statement, quote_name

# A setting and its value by which a login becomes a lesser role.
Become = tuple[str, str]


class Urls:
    """Database logins of the two services, the setting by which each becomes a lesser role, and where to listen."""

    def __init__(
        self,
        rest: str,
        auth: str,
        rest_as: Become | None = None,
        auth_as: Become | None = None,
        listen: str | None = None,
    ) -> None:
        """`listen` is the tables' login if not given; empty for nowhere."""
        self.rest = rest
        self.auth = auth
        self.rest_as = rest_as
        self.auth_as = auth_as
        self.listen = rest if listen is None else listen


def open_database(url: str, become: Become | None, prepared: bool, **options: Any) -> Database:
    """The pool for a login: its sessions are its own where statements may be prepared, else a pooler's."""
    if not prepared:
        return PooledDatabase(url, become, **options)
    setup = f"set {become[0]} to {quote_name(become[1])}" if become is not None else None
    return Database(url, on_connect=setup, **options)


class PooledDatabase(Database):
    """Connections to a pooler."""

    def __init__(self, url: str, become: Become | None, **options: Any) -> None:
        super().__init__(url, prepared=False, **options)
        self._names = (become[0],) if become is not None else ()
        self._values = (become[1],) if become is not None else ()

    async def run_all(self, scope: Scope, *statements: Statement) -> list[Result]:
        return await super().run_all(self._whole(scope), *statements)

    @asynccontextmanager
    async def transaction(self, scope: Scope = NO_SCOPE, begin: str = "begin") -> AsyncIterator[Transaction]:
        async with super().transaction(self._whole(scope), begin) as transaction:
            yield transaction

    def _whole(self, scope: Scope) -> Scope:
        return Scope(scope.role, (*self._names, *scope.names), (*self._values, *scope.values))
