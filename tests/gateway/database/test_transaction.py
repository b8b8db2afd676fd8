"""The last statements of a transaction go with its commit, and nothing is kept where one of them fails."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from gateway.database import Database, DatabaseError, Scope, SyncConnection
from gateway.database.statement import Statement

SCOPE = Scope("", ("my.own",), ("mine",), code_free=True)
KEEP = "insert into public.kept (id, word) values ($1, current_setting('my.own'))"


def kept(id: str) -> Statement:
    return Statement(KEEP, (id,))


@pytest.fixture
def table(connection: SyncConnection) -> Iterator[SyncConnection]:
    connection.script(
        "create table public.kept (id int primary key, word text,"
        " other int references public.kept deferrable initially deferred)"
    )
    yield connection
    connection.script("drop table public.kept")


def found(table: SyncConnection) -> list[str | None]:
    return [id for (id,) in table.rows("select id from public.kept where word = 'mine' order by id")]


async def state(db: Database) -> bytes | None:
    """Whether a transaction is under way; one process for all, as the pool has one connection."""
    return (await db.run(Scope(), Statement("select pg_current_xact_id_if_assigned() is null and now() = now()"))).value


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize(
    ("last", "code"),
    [
        (kept("2"), None),
        (kept("no number"), "22P02"),
        (kept("1\0"), "22021"),  # refused before it is sent
        (kept("1"), "23505"),
        (Statement("insert into public.kept (id, other, word) values (2, 77, 'mine')"), "23503"),  # at the commit
        (Statement("prepare what is this"), "42601"),
    ],
)
def test_what_ends_a_transaction_is_kept_whole_or_not_at_all(
    database_url: str, table: SyncConnection, before: bool, last: Statement, code: str | None
) -> None:
    async def main() -> None:
        db = Database(database_url, size=1, core=1)
        await db.open()
        try:
            for times in range(2):  # prepared, and as it was remembered
                failed = None
                try:
                    async with db.transaction(SCOPE) as tx:
                        if before:
                            await tx.run(kept("1"))
                            await tx.finish(last)
                        else:
                            await tx.finish(kept("1"), last)
                except DatabaseError as error:
                    failed = error.sqlstate
                assert failed == code
                assert await asyncio.to_thread(found, table) == (["1", "2"] if code is None else []), times
                assert await state(db) == b"t"
                await asyncio.to_thread(table.script, "truncate public.kept")
        finally:
            await db.close()

    asyncio.run(main())


def test_what_is_to_be_undone_is_undone(database_url: str, table: SyncConnection) -> None:
    async def main() -> None:
        db = Database(database_url, size=1, core=1)
        await db.open()
        async with db.transaction(SCOPE) as tx:
            tx.rollback()
            await tx.finish(kept("1"))
        await db.close()

    asyncio.run(main())
    assert found(table) == []


def test_a_statement_whose_name_is_gone_is_not_asked_behind_the_commit(
    database_url: str, table: SyncConnection
) -> None:
    async def main() -> None:
        db = Database(database_url, size=1, core=1)
        await db.open()
        async with db.transaction(SCOPE) as tx:
            await tx.finish(kept("1"))
        with pytest.raises(DatabaseError) as caught:
            async with db.transaction(SCOPE) as tx:
                await tx.run(Statement("deallocate all"))
                await tx.finish(kept("2"))
        assert caught.value.sqlstate == "26000"
        assert await asyncio.to_thread(found, table) == ["1"]
        await db.close()

    asyncio.run(main())
