"""Behind a pooler of transactions nothing may be left behind in a session: no names, no settings."""

from __future__ import annotations

import asyncio

from gateway.db import Scope
from gateway.pooler import open_database
from gateway.statement import Statement

BECOME = ("session_authorization", "authenticator")
WHO = Statement("select session_user, current_user, current_setting('request.test', true)")
LEFT = Statement("select count(*), session_user from pg_prepared_statements")
TEST = Scope("", ("request.test", "role"), ("one", "anon"))


def test_a_pooled_transaction_is_of_the_lesser_role_and_leaves_nothing(database_url: str) -> None:
    async def main() -> None:
        database = open_database(database_url, BECOME, prepared=False, size=1)
        try:
            for _ in range(2):
                assert (await database.run(TEST, WHO)).rows == [(b"authenticator", b"anon", b"one")]
                async with database.transaction(TEST, "begin isolation level serializable") as transaction:
                    assert (await transaction.run(WHO)).rows == [(b"authenticator", b"anon", b"one")]
                    assert (await transaction.run(WHO)).rows == [(b"authenticator", b"anon", b"one")]
        finally:
            await database.close()
        plain = open_database(database_url, None, prepared=False, size=1)
        try:
            await plain.run(TEST, WHO)
            assert (await plain.run(Scope(), LEFT)).rows == [(b"0", b"postgres")]
        finally:
            await plain.close()

    asyncio.run(main())


def test_a_session_of_our_own_becomes_the_lesser_role_once(database_url: str) -> None:
    async def main() -> None:
        database = open_database(database_url, BECOME, prepared=True, size=1)
        try:
            assert (await database.run(TEST, WHO)).rows == [(b"authenticator", b"anon", b"one")]
            assert (await database.run(Scope(), LEFT)).rows == [(b"3", b"authenticator")]
        finally:
            await database.close()

    asyncio.run(main())
