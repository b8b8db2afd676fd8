"""What writes has connections of its own: no commit that waits is in the way of a read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from gateway.database import NO_SCOPE, READ_ONLY, DatabaseUnavailable, Scope, SplitDatabase, SyncConnection, with_login
from gateway.database.statement import Statement
from gateway.database.write_lane import RESERVED
from tests.fixtures.db import Server
from tests.fixtures.pooler import through

T = TypeVar("T")
READS = 60
SIZE, WRITES = 4, 6
WRITER = Scope("", ("request.test",), ("write",))
FREE = Scope("", ("request.test",), ("write",), code_free=True)
READER = Scope("", ("request.test", READ_ONLY), ("read", "on"))
INSERT = Statement("insert into public.held default values")
ONE = Statement("select 1")
WHICH = Statement("select pg_backend_pid()")
LOCK = 815

# Whoever commits an insert waits for the lock at the commit, as for a disk that does not answer.
HELD = f"""
create table public.held (id bigint generated always as identity);
create function public.wait() returns trigger language plpgsql as
  $$ begin perform pg_advisory_xact_lock_shared({LOCK}); return null; end $$;
create constraint trigger waits after insert on public.held deferrable initially deferred
  for each row execute function public.wait();
"""


def run(url: str, work: Callable[[SplitDatabase], Awaitable[T]], **options: float) -> T:
    async def main() -> T:
        database = SplitDatabase(through(url), **{"size": SIZE, "writes": WRITES, **options})  # type: ignore[arg-type]
        await database.open()
        try:
            async with asyncio.timeout(60):
                return await work(database)
        finally:
            await database.close()

    return asyncio.run(main())


async def reads_while_held(db: SplitDatabase, writes: list[asyncio.Task[object]]) -> None:
    """Many reads of every kind are answered while no write is."""
    for scope in (READER, NO_SCOPE):
        await asyncio.gather(*[db.run(scope, Statement("select $1::int", (str(n),))) for n in range(READS)])
    for _ in range(3):
        async with db.transaction(READER, "begin read only") as transaction:
            await transaction.run(ONE)
    assert not any(write.done() for write in writes)


@pytest.mark.parametrize("explicit", [False, True])
def test_commits_that_are_held_up_delay_no_read(database_url: str, connection: SyncConnection, explicit: bool) -> None:
    connection.script(HELD)

    async def work(db: SplitDatabase) -> None:
        async def write() -> None:
            if not explicit:
                await db.run(WRITER, INSERT)
                return
            async with db.transaction(WRITER) as transaction:
                await transaction.run(INSERT)

        connection.script(f"select pg_advisory_lock({LOCK})")
        writes: list[asyncio.Task[object]] = [asyncio.create_task(write()) for _ in range(2 * WRITES)]
        while db.stats["waiting"] < WRITES:  # as many hold a connection as there are
            await asyncio.sleep(0.01)
        await reads_while_held(db, writes)
        connection.script(f"select pg_advisory_unlock({LOCK})")
        await asyncio.gather(*writes)
        assert connection.rows("select count(*) from public.held") == [(str(2 * WRITES),)]

    run(database_url, work)


def test_a_standby_that_does_not_answer_delays_no_read(own_server: Server) -> None:
    with own_server.admin() as admin:
        admin.script("create table public.kept (id int)")
        admin.script("alter system set synchronous_standby_names = 'nobody'")
        admin.script("select pg_reload_conf()")
        try:

            async def work(db: SplitDatabase) -> None:
                while (await db.run(NO_SCOPE, Statement("show synchronous_standby_names"))).value != b"nobody":
                    await asyncio.sleep(0.05)
                insert = Statement("insert into public.kept values (1)")
                writes: list[asyncio.Task[object]] = [asyncio.create_task(db.run(WRITER, insert)) for _ in range(9)]
                while db.stats["busy"] < WRITES:
                    await asyncio.sleep(0.01)
                await reads_while_held(db, writes)
                release(admin)
                await asyncio.gather(*writes)

            run(own_server.url, work)
        finally:
            release(admin)


def release(admin: SyncConnection) -> None:
    admin.script("alter system reset synchronous_standby_names")
    admin.script("select pg_reload_conf()")


@pytest.mark.parametrize(("scope", "held"), [(FREE, WRITES - RESERVED), (WRITER, SIZE // 2)])
def test_a_source_has_more_connections_for_what_is_known_to_be_short_and_cannot_sleep(
    database_url: str, connection: SyncConnection, scope: Scope, held: int
) -> None:
    connection.script("create table public.kept (id int)")

    async def work(db: SplitDatabase) -> int:
        insert = Statement("insert into public.kept values (1)")
        await db.run_all(scope, insert, source="a")  # from here on it is known to be short
        connection.script("begin")
        connection.script("lock table public.kept")
        writes = [asyncio.create_task(db.run_all(scope, insert, source="a")) for _ in range(2 * WRITES)]
        while db.stats["waiting"] < 2 * WRITES - held:
            assert db.stats["held_most"] <= held
            await asyncio.sleep(0.01)
        while db.stats["held_most"] < held:
            await asyncio.sleep(0.01)
        other = asyncio.create_task(db.run_all(WRITER, ONE, source="b"))
        assert (await other)[0].value == b"1"
        found = db.stats["held_most"]
        connection.script("rollback")
        await asyncio.gather(*writes)
        return found

    assert run(database_url, work, share=0.5) == held


def test_writes_take_the_other_connections_where_none_of_their_own_can_be_had(
    database_url: str, connection: SyncConnection
) -> None:
    connection.script("create table public.kept (id int); grant all on public.kept to authenticator")
    database = connection.rows("select quote_ident(current_database())")[0][0]

    async def work(db: SplitDatabase) -> None:
        before = (await db.run(NO_SCOPE, WHICH)).value
        taken = connection.rows(
            "select count(*) from pg_stat_activity where datname = current_database() and usename = 'authenticator'"
        )[0][0]
        connection.script(f"alter database {database} connection limit {taken}")
        pids = await asyncio.gather(*[db.run(WRITER, WHICH) for _ in range(3)])
        assert {result.value for result in pids} == {before}
        async with db.transaction(WRITER) as transaction:
            await transaction.run(Statement("insert into public.kept values (1)"))
        assert connection.rows("select count(*) from public.kept") == [("1",)]
        connection.script(f"alter database {database} connection limit -1")

    run(with_login(database_url, "authenticator", None), work, size=1)


def test_a_write_whose_connection_breaks_is_not_sent_again(database_url: str, connection: SyncConnection) -> None:
    connection.script("create table public.kept (id int)")

    async def work(db: SplitDatabase) -> None:
        with pytest.raises(DatabaseUnavailable):
            await db.run(
                WRITER,
                Statement("insert into public.kept values (1)"),
                Statement("select pg_terminate_backend(pg_backend_pid())"),
            )
        assert connection.rows("select count(*) from public.kept") == [("0",)]

    run(database_url, work)
