"""What is asked of a connection in one turn is sent at once, and answered as if each had been sent alone."""

from __future__ import annotations

import asyncio
import random

import pytest
from psycopg import OperationalError, pq

from gateway.database import NO_SCOPE, Database, DatabaseError, DatabaseUnavailable, Scope, pipeline_sync
from gateway.database.connection import AT_ONCE
from gateway.database.scope import READ_ONLY
from gateway.database.statement import Statement

ANON = Scope("anon", ("role", "my.own"), ("anon", "kept"), code_free=True)
READER = Scope("anon", ("role", READ_ONLY), ("anon", "on"), code_free=True)  # which others may stand behind
CODE = Scope("anon", ("role",), ("anon",))


@pytest.fixture(params=["gathered", "each"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With libpq's function, and with one that is too old to have it."""
    if request.param == "each":
        monkeypatch.setattr(pipeline_sync, "_SEND", None)
    else:
        assert pipeline_sync._SEND is not None
    return str(request.param)


def test_each_of_many_gets_its_own_answer(database_url: str) -> None:
    """In any mixture of what succeeds, fails, is refused before it is sent, and runs code, in turns of any size."""
    chance = random.Random(7)

    async def one(db: Database, number: int) -> None:
        kind = chance.randrange(5)
        if kind == 0:
            with pytest.raises(DatabaseError, match="division by zero"):
                await db.run(CODE, Statement("select 1 / $1::int", ("0",)))
        elif kind == 1:
            with pytest.raises(DatabaseError, match="0x00"):
                await db.run(ANON, Statement("select $1::text", (f"{number}\0",)))
        else:
            scope = ANON if kind == 2 else CODE if kind == 3 else NO_SCOPE
            text = "x" * chance.choice((0, 10, 20_000))
            answer = await db.run(scope, Statement("select $1::text || length($2)", (f"{number} ", text)))
            assert answer.value == f"{number} {len(text)}".encode()

    async def main() -> None:
        db = Database(database_url, size=2, core=1)
        await db.open()
        try:
            for _ in range(60):
                await asyncio.gather(*[one(db, n) for n in range(chance.choice((1, 1, 2, 3, 16)))])
        finally:
            await db.close()

    asyncio.run(main())


def test_what_is_asked_in_a_turn_is_sent_together(database_url: str, way: str) -> None:
    async def main() -> None:
        db = Database(database_url, size=1, core=1)
        await db.open()
        (connection,) = db._connections
        one = Statement("select 1")
        for _ in range(20):  # it is known to be quick
            await db.run(READER, one)
        sent = []
        flush = connection._flush

        def counted() -> None:
            sent.append(connection.asked)
            flush()

        connection._flush = counted  # type: ignore[method-assign]
        for _ in range(3):
            del sent[:]
            await asyncio.gather(*[db.run(READER, one) for _ in range(6)])
            assert sent[0] == 1, "the first waits for nobody"
            assert len(sent) == 2
        # Two: the second waits for nobody's sake, so those after it are sent as they come.
        await asyncio.gather(*[db.run(READER, one) for _ in range(2)])
        assert connection.at_once == AT_ONCE
        del sent[:]
        await asyncio.gather(*[db.run(READER, one) for _ in range(4)])
        assert len(sent) == 4 and connection.at_once == AT_ONCE - 3
        await db.close()

    asyncio.run(main())


def test_a_connection_that_was_closed_is_not_synced(database_url: str) -> None:
    connection = pq.PGconn.connect(database_url.encode())
    connection.enter_pipeline_mode()
    sync = pipeline_sync.sync_of(connection)
    sync()
    connection.finish()
    with pytest.raises((OperationalError, DatabaseUnavailable)):
        sync()


def test_what_waits_for_the_end_of_a_turn_fails_with_its_connection(database_url: str) -> None:
    async def main() -> None:
        db = Database(database_url, size=1, core=1)
        await db.open()
        (connection,) = db._connections
        for _ in range(20):
            await db.run(READER, Statement("select 1"))
        tasks = [asyncio.ensure_future(db.run(READER, Statement("select 1"))) for _ in range(4)]
        await asyncio.sleep(0)
        assert connection.asked == 4 and connection.gathered == 3
        connection.close()
        assert [result.value for result in await asyncio.gather(*tasks)] == [b"1"] * 4, "by another connection"
        assert (await db.run(NO_SCOPE, Statement("select 2"))).value == b"2"
        await db.close()

    asyncio.run(main())
