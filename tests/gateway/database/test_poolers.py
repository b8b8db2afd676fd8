"""Behind a pooler of transactions nothing may be left behind in a session; see tests/ha for a pooler itself."""

from __future__ import annotations

import asyncio

import pytest

from gateway.database import NO_SCOPE, Database, Scope
from gateway.database.poolers import SessionKind
from gateway.database.statement import Statement

BECOME = ("session_authorization", "authenticator")
WHO = Statement("select session_user, current_user, current_setting('request.test', true)")
NAMES = Statement("select count(*) from pg_prepared_statements")
SESSION = Statement("select session_user")
TEST = Scope("", ("request.test", "role"), ("one", "anon"))


async def ask(database: Database) -> None:
    """The login is the lesser role in whatever is asked, and the settings are there."""
    for _ in range(2):
        assert (await database.run(TEST, WHO)).rows == [(b"authenticator", b"anon", b"one")]
        assert (await database.run(NO_SCOPE, SESSION)).value == b"authenticator"
        async with database.transaction(TEST, "begin isolation level serializable") as transaction:
            assert (await transaction.run(WHO)).rows == [(b"authenticator", b"anon", b"one")]
            assert (await transaction.run(WHO)).rows == [(b"authenticator", b"anon", b"one")]
        async with database.transaction() as transaction:
            assert (await transaction.run(SESSION)).value == b"authenticator"


@pytest.mark.parametrize("named", [False, True])
def test_a_pooled_transaction_is_of_the_lesser_role_and_leaves_nothing(
    database_url: str, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    monkeypatch.setattr("gateway.database.opening.session", lambda *_: SessionKind(own=False, named=named))

    async def main() -> None:
        database = Database(database_url, become=BECOME, size=1)
        try:
            await ask(database)
            database.become = None
            for connection in database._connections:  # what it finds that comes after us
                connection.become = None
            assert (await database.run(NO_SCOPE, SESSION)).value == b"supabase_admin"
            assert ((await database.run(NO_SCOPE, NAMES)).value != b"0") is named
        finally:
            await database.close()

    asyncio.run(main())


@pytest.mark.parametrize("prepared", [None, True, False])
def test_a_session_of_our_own_becomes_the_lesser_role_once(database_url: str, prepared: bool | None) -> None:
    async def main() -> None:
        database = Database(database_url, become=BECOME, prepared=prepared, size=1)
        try:
            await ask(database)
            assert [connection.become for connection in database._connections] == [None]
            assert (await database.run(NO_SCOPE, NAMES)).value == (b"0" if prepared is False else b"6")
        finally:
            await database.close()

    asyncio.run(main())
