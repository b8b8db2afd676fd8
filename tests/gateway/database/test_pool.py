"""The database layer under pipelining: nothing leaks between neighbours, slow does not delay quick, losses heal."""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import pytest

from gateway.database import (
    NO_SCOPE,
    ConnectionLost,
    Database,
    DatabaseError,
    DatabaseUnavailable,
    Listener,
    PoolTimeout,
    ReadOnlyDatabase,
    Result,
    Scope,
    SyncConnection,
)
from gateway.database.scope import READ_ONLY
from gateway.database.statement import Statement
from tests.fixtures.pooler import through

T = TypeVar("T")
SLEEP = Statement("select pg_sleep($1::float8)", ("0.5",))
ONE = Statement("select 1")


def run(url: str, work: Callable[[Database], Awaitable[T]], **options: object) -> T:
    """Run a coroutine with an open pool of its own."""

    async def main() -> T:
        # options of several types, each test its own
        database = Database(through(url), **options)  # type: ignore[arg-type]
        await database.open()
        try:
            return await work(database)
        finally:
            await database.close()

    return asyncio.run(main())


def named(value: str) -> Scope:
    return Scope("", ("request.test",), (value,))


def test_values_are_bound_and_nulls_are_kept(database_url: str) -> None:
    async def work(db: Database) -> list[tuple[bytes | None, ...]]:
        return (await db.run(NO_SCOPE, Statement("select $1::text, $2::text", ("a'; --", None)))).rows

    assert run(database_url, work) == [(b"a'; --", None)]


def test_nul_in_a_value_is_an_error_and_not_a_cut(database_url: str) -> None:
    async def work(db: Database) -> str:
        with pytest.raises(DatabaseError) as caught:
            await db.run(NO_SCOPE, Statement("select $1::text", ("a\0b",)))
        assert (await db.run(NO_SCOPE, ONE)).value == b"1"
        return caught.value.sqlstate

    assert run(database_url, work) == "22021"


def test_promise_12_errors_among_pipelined_requests_touch_no_neighbour(database_url: str) -> None:
    async def one(db: Database, number: int) -> str:
        scope, word = named(str(number)), str(number)
        try:
            match number % 6:
                case 3:
                    await db.run(scope, Statement("select 1 / $1::int", ("0",)))
                case 4:
                    await db.run(scope, Statement("select nothing from nowhere"))
                case 5:
                    await db.run(scope, Statement(f"select syntax eror {number % 4}"))
                case _:
                    statement = Statement("select current_setting('request.test'), $1::text", (word,))
                    result = await db.run(scope, statement)
                    assert result.rows == [(word.encode(), word.encode())]
                    return "own answer"
        except DatabaseError as error:
            return error.sqlstate
        return "no error"

    async def work(db: Database) -> Counter[str]:
        outcomes: Counter[str] = Counter()
        for _ in range(4):
            outcomes.update(await asyncio.gather(*[one(db, number) for number in range(300)]))
        left = await db.run(NO_SCOPE, Statement("select current_setting('request.test', true)"))
        assert left.value in (None, b"")
        return outcomes

    assert run(database_url, work, size=4, core=2) == {
        "own answer": 600,
        "22012": 200,
        "42P01": 200,
        "42601": 200,
    }


def test_promise_12_roles_never_leak_between_mixed_requests(database_url: str) -> None:
    async def role_of(db: Database, role: str) -> tuple[str, bytes | None]:
        scope = Scope(role, ("role", "request.jwt.claims"), (role, f'{{"role":"{role}"}}'))
        text = "select current_user || ' ' || current_setting('request.jwt.claims')"
        return role, (await db.run(scope, Statement(text))).value

    async def work(db: Database) -> None:
        roles = ["anon", "authenticated", "service_role"] * 60
        for role, answer in await asyncio.gather(*[role_of(db, role) for role in roles]):
            assert answer == f'{role} {{"role":"{role}"}}'.encode()
        after = await db.run(NO_SCOPE, Statement("select current_user = session_user"))
        assert after.value == b"t"

    run(database_url, work, size=2, core=2)


def test_a_failed_segment_leaves_nothing_behind(database_url: str, connection: SyncConnection) -> None:
    connection.script("create table public.kept (n int check (n > 0))")

    async def insert(db: Database, number: int) -> str:
        try:
            await db.run(NO_SCOPE, Statement("insert into public.kept values ($1)", (str(number),)))
        except DatabaseError as error:
            return error.sqlstate
        return "in"

    async def work(db: Database) -> list[str]:
        return list(await asyncio.gather(*[insert(db, number) for number in (1, 2, -1, 3, 4)]))

    assert run(database_url, work, size=1, core=1) == ["in", "in", "23514", "in", "in"]
    assert connection.rows("select n from public.kept order by n") == [("1",), ("2",), ("3",), ("4",)]


def test_what_is_refused_at_the_commit_is_one_requests_own(database_url: str, connection: SyncConnection) -> None:
    connection.script("create table public.late (n int unique deferrable initially deferred)")

    async def insert(db: Database, number: int) -> str:
        try:
            await db.run(NO_SCOPE, Statement("insert into public.late values ($1)", (str(number),)))
        except DatabaseError as error:
            return error.sqlstate
        return "in"

    async def work(db: Database) -> list[str]:
        return list(await asyncio.gather(*[insert(db, number) for number in (1, 1, 2, 2, 3)]))

    assert run(database_url, work, size=1, core=1) == ["in", "23505", "in", "23505", "in"]
    assert connection.rows("select n from public.late order by n") == [("1",), ("2",), ("3",)]


def test_an_explicit_transaction_commits_or_rolls_back_as_told(database_url: str, connection: SyncConnection) -> None:
    connection.script("create table public.ledger (n int)")

    async def work(db: Database) -> None:
        async with db.transaction(named("x")) as tx:
            first = await tx.run(Statement("select current_setting('request.test') || txid_current()"))
            await tx.run(Statement("insert into public.ledger values (1)"))
            assert (await tx.run(Statement("select 'x' || txid_current()"))).value == first.value
        async with db.transaction() as tx:
            await tx.run(Statement("insert into public.ledger values (2)"))
            tx.rollback()
        with pytest.raises(RuntimeError):
            async with db.transaction() as tx:
                await tx.run(Statement("insert into public.ledger values (3)"))
                raise RuntimeError("changed its mind")
        with pytest.raises(DatabaseError):
            async with db.transaction() as tx:
                await tx.run(Statement("select 1 / 0"))
        assert (await db.run(NO_SCOPE, ONE)).value == b"1"

    run(database_url, work, size=1, core=1)
    assert connection.rows("select n from public.ledger") == [("1",)]


def test_promise_12_an_explicit_transaction_leaves_no_role_nor_setting_behind(database_url: str) -> None:
    scope = Scope("anon", ("role", "request.test"), ("anon", "of this transaction"))
    look = Statement("select current_user || ' ' || coalesce(current_setting('request.test', true), '')")
    within = b"anon of this transaction"

    async def committed(db: Database) -> None:
        async with db.transaction(scope) as tx:
            assert (await tx.run(look)).value == within

    async def rolled_back(db: Database) -> None:
        async with db.transaction(scope) as tx:
            assert (await tx.run(look)).value == within
            tx.rollback()

    async def refused(db: Database) -> None:
        with pytest.raises(DatabaseError):
            async with db.transaction(scope) as tx:
                await tx.run(look, Statement("select 1 / 0"))

    async def given_up(db: Database) -> None:
        with pytest.raises(RuntimeError):
            async with db.transaction(scope) as tx:
                await tx.run(look)
                raise RuntimeError

    async def work(db: Database) -> None:
        nobody = (await db.run(NO_SCOPE, look)).value
        assert nobody is not None and not nobody.startswith(b"anon")
        for transaction in (committed, rolled_back, refused, given_up):
            await transaction(db)
            assert (await db.run(NO_SCOPE, look)).value == nobody, transaction.__name__

    run(database_url, work, size=1, core=1)


def test_quick_requests_do_not_wait_behind_slow_ones(database_url: str) -> None:
    async def median(db: Database) -> float:
        taken = []
        for _ in range(40):
            started = time.perf_counter()
            await db.run(NO_SCOPE, ONE)
            taken.append(time.perf_counter() - started)
        return statistics.median(taken)

    async def work(db: Database) -> None:
        await median(db)
        slow = [asyncio.create_task(db.run(NO_SCOPE, SLEEP)) for _ in range(3)]
        await asyncio.sleep(0.05)
        await median(db)
        # Not a measurement: had even one of the forty queued behind a sleeper, all three would be over by now.
        assert not any(task.done() for task in slow)
        await asyncio.gather(*slow)

    run(database_url, work)


@pytest.mark.parametrize(("names", "connections"), [(("transaction_read_only",), 1), (("a.b",), 4)])
def test_reads_share_a_connection_and_writes_do_not(
    database_url: str, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], connections: int
) -> None:
    monkeypatch.setattr("gateway.database.pool.QUICK", 60.0)

    async def work(db: Database) -> int:
        async def busy() -> int:
            """Connections that eight requests take, which all come at once."""
            asked = [asyncio.create_task(db.run(Scope(names=names, values=("on",)), ONE)) for _ in range(8)]
            await asyncio.sleep(0)
            taken = db.stats["busy"]
            await asyncio.gather(*asked)
            return taken

        while db.stats["open"] < 4:  # nothing is known for quick yet, so that every connection is opened
            await busy()
            db._costs.clear()
        await busy()
        return await busy()

    assert run(database_url, work, size=4, core=1) == connections


def test_waiting_for_a_connection_ends_after_the_acquisition_time(database_url: str) -> None:
    async def work(db: Database) -> None:
        busy = asyncio.create_task(db.run(NO_SCOPE, SLEEP))
        await asyncio.sleep(0.05)
        with pytest.raises(PoolTimeout):
            await db.run(NO_SCOPE, ONE)
        with pytest.raises(PoolTimeout):
            async with db.transaction():
                pass
        await busy
        assert (await db.run(NO_SCOPE, ONE)).value == b"1"
        assert [db.stats[name] for name in ("open", "busy", "waiting")] == [1, 0, 0]

    run(database_url, work, size=1, core=1, acquire_timeout=0.1)


def test_a_lost_connection_fails_its_own_requests_and_is_replaced(database_url: str) -> None:
    async def work(db: Database) -> None:
        with pytest.raises(ConnectionLost):
            await db.run(NO_SCOPE, Statement("select pg_terminate_backend(pg_backend_pid())"))
        assert (await db.run(NO_SCOPE, ONE)).value == b"1"

    run(database_url, work)


def test_a_read_whose_session_is_ended_is_asked_again_and_a_write_is_not(
    database_url: str, connection: SyncConnection
) -> None:
    """What only reads has done nothing yet; of a write nobody knows."""
    connection.script("create sequence public.asked")
    ending = "select case when nextval('public.asked') = 1 then pg_terminate_backend(pg_backend_pid()) end"

    async def work(db: Database) -> None:
        read = Scope("", ("transaction_read_only",), ("on",))
        sleeping = asyncio.ensure_future(db.run(read, Statement("select pg_sleep(1), 'whole'")))
        asleep = "select pid from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
        while not (found := connection.rows(asleep)):
            await asyncio.sleep(0.01)
        connection.rows("select pg_terminate_backend($1::integer)", found[0][0])
        assert (await sleeping).rows[0][1] == b"whole"
        with pytest.raises(ConnectionLost):
            await db.run(NO_SCOPE, Statement(ending))
        assert connection.rows("select last_value from public.asked") == [("1",)]

    run(database_url, work)


def test_only_a_write_that_maintenance_refuses_is_told_from_the_rest(
    database_url: str, connection: SyncConnection
) -> None:
    """One that its own function made read-only, and one of a read, are refused as ever."""
    connection.script(
        "create table public.written (n int);"
        "create function public.once() returns void language plpgsql as $$ begin"
        " set transaction_read_only = on; insert into public.written values (1); end $$"
    )
    write = Statement("insert into public.written values (1)")

    def switch(sql: str) -> None:
        """As maintenance does it: sessions from before end, which a pooler would lend on."""
        connection.script(sql)
        connection.rows(
            "select pg_terminate_backend(pid, 5000) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )

    async def work(db: Database) -> None:
        with pytest.raises(DatabaseError, match="read-only"):
            await db.run(NO_SCOPE, Statement("select public.once()"))
        with pytest.raises(DatabaseError, match="read-only"):
            async with db.transaction() as tx:
                await tx.run(Statement("select public.once()"))
        name = connection.rows("select quote_ident(current_database())")[0][0]
        switch(f"alter database {name} set default_transaction_read_only = on")
        db.renew_sessions()
        with pytest.raises(ReadOnlyDatabase):
            await db.run(NO_SCOPE, write)
        with pytest.raises(ReadOnlyDatabase):
            async with db.transaction() as tx:
                await tx.run(ONE)
                await tx.run(write)
        with pytest.raises(DatabaseError, match="read-only"):
            await db.run(Scope("", ("transaction_read_only",), ("on",)), write)
        switch(f"set default_transaction_read_only = off; alter database {name} reset all")
        db.renew_sessions()
        await db.run(NO_SCOPE, write)

    run(database_url, work)


def test_an_idle_connection_closed_by_the_server_is_noticed(database_url: str, connection: SyncConnection) -> None:
    async def work(db: Database) -> None:
        connection.rows(
            "select pg_terminate_backend(pid) from pg_stat_activity"
            " where datname = current_database() and pid <> pg_backend_pid()"
        )
        await asyncio.sleep(0.2)
        assert (await db.run(NO_SCOPE, ONE)).value == b"1"

    run(database_url, work)


def test_requests_that_find_the_database_gone_together_wait_no_longer_than_one(tmp_path: Path) -> None:
    async def main() -> list[int]:
        database = Database(f"postgresql://?host={tmp_path}")
        asked = [asyncio.create_task(database.run(NO_SCOPE, ONE)) for _ in range(8)]
        failed = await asyncio.gather(*asked, return_exceptions=True)
        with pytest.raises(DatabaseUnavailable) as caught:
            await database.run(NO_SCOPE, ONE)
        await database.close()
        return [error.retry_after for error in (*failed, caught.value) if isinstance(error, DatabaseUnavailable)]

    assert asyncio.run(main()) == [1] * 9


def test_a_request_given_to_a_connection_that_is_gone_fails_and_does_not_wait_for_ever(database_url: str) -> None:
    async def work(db: Database) -> None:
        busy = asyncio.ensure_future(db.run(NO_SCOPE, SLEEP))
        await asyncio.sleep(0.05)
        waiting = asyncio.ensure_future(db.run(NO_SCOPE, Statement("select 2")))
        await asyncio.sleep(0.05)
        (connection,) = db._connections
        given = connection.submit

        def cut(work: Any) -> None:
            connection.pgconn.finish()
            given(work)

        connection.submit = cut  # type: ignore[method-assign]
        await busy
        with pytest.raises(DatabaseUnavailable):
            async with asyncio.timeout(30):
                await waiting
        assert (await db.run(NO_SCOPE, ONE)).value == b"1"

    run(database_url, work, size=1, core=1)


def test_a_connection_that_cannot_be_set_up_is_no_connection(database_url: str) -> None:
    async def work(db: Database) -> None:
        refused = Database(database_url, become=("role", "nobody"))
        with pytest.raises(DatabaseUnavailable, match='role "nobody" does not exist'):
            await refused.open()

    run(database_url, work)


def test_an_unreachable_database_is_told_at_once(database_url: str) -> None:
    async def work(db: Database) -> None:
        missing = Database(database_url.replace("/test_", "/absent_"))
        with pytest.raises(DatabaseUnavailable, match="does not exist"):
            await missing.open()

    run(database_url, work)


class Told:
    """A connection that remembers the names it was told of and not told to close: a pooler keeps them all."""

    def __init__(self, pgconn: Any) -> None:
        self._pgconn = pgconn
        self.names: set[bytes] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pgconn, name)

    def send_prepare(self, name: bytes, *rest: Any) -> None:
        self.names.add(name)
        self._pgconn.send_prepare(name, *rest)

    def send_close_prepared(self, name: bytes) -> None:
        self.names.discard(name)
        self._pgconn.send_close_prepared(name)


def test_prepared_statements_are_bounded_on_each_connection(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.database.prepared_statements.COUNT", 5)

    async def work(db: Database) -> tuple[int, int]:
        (connection,) = db._connections
        connection.pgconn = told = Told(connection.pgconn)  # type: ignore[assignment]
        for number in range(40):
            asked = [
                db.run(NO_SCOPE, Statement(f"select {number}")),
                db.run(named("x"), Statement(f"select missing_{number} from nowhere")),
                db.run(Scope("", ("role",), ("nobody",)), Statement(f"select {number} + 1")),
            ]
            first, *failed = await asyncio.gather(*asked, return_exceptions=True)
            assert isinstance(first, Result) and first.value == str(number).encode()
            assert [error.sqlstate for error in failed if isinstance(error, DatabaseError)] == ["42P01", "22023"]
        there = (await db.run(NO_SCOPE, Statement("select count(*) from pg_prepared_statements"))).value
        return len(told.names), 0 if connection.shared else int(there or 0)  # a pooler has its own

    assert max(run(database_url, work, size=1, core=1)) <= 7


def test_making_room_for_a_transaction_is_no_query_in_it(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An isolation level can only be asked for before any query."""
    monkeypatch.setattr("gateway.database.prepared_statements.COUNT", 3)

    async def work(db: Database) -> None:
        for level in ("serializable", "repeatable read", "read committed"):
            for number in range(5):
                await db.run(NO_SCOPE, Statement(f"select {number}"))
            async with db.transaction(begin=f"begin isolation level {level}") as transaction:
                shown = await transaction.run(Statement("select current_setting('transaction_isolation')"))
                assert shown.value == level.encode()

    run(database_url, work, size=1, core=1)


def test_parameters_have_other_types_once_the_schema_is_another(database_url: str, connection: SyncConnection) -> None:
    connection.script("create table public.kinds (kind int); insert into public.kinds values (7)")
    count = "select count(*) from public.kinds where kind = $1"

    async def work(db: Database) -> None:
        assert (await db.run(NO_SCOPE, Statement(count, ("7",)))).value == b"1"
        connection.script("alter table public.kinds alter column kind type text using 'k' || kind")
        with suppress(DatabaseError):  # where it has a name
            await db.run(NO_SCOPE, Statement(count, ("k7",)))
        db.renew("with a text")
        assert (await db.run(NO_SCOPE, Statement(count, ("k7",)))).value == b"1"

    run(database_url, work, size=1, core=1)


def test_a_cancelled_request_does_not_poison_the_connection(database_url: str) -> None:
    async def work(db: Database) -> None:
        for _ in range(3):
            task = asyncio.create_task(db.run(NO_SCOPE, Statement("select pg_sleep(0.05), 'cancelled'")))
            await asyncio.sleep(0.01)
            task.cancel()
            assert (await db.run(NO_SCOPE, Statement("select 'mine'"))).value == b"mine"
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05), db.transaction() as tx:
                await tx.run(SLEEP)
        assert (await db.run(NO_SCOPE, Statement("select 'mine'"))).value == b"mine"

    run(database_url, work, size=1, core=1)


def test_a_large_body_passes_both_ways(database_url: str) -> None:
    text = "é" * 3_000_000

    async def work(db: Database) -> int:
        answers = await asyncio.gather(*[db.run(NO_SCOPE, Statement("select $1::text", (text,))) for _ in range(4)])
        return sum(len(answer.value or b"") for answer in answers)

    assert run(database_url, work, size=1, core=1) == 4 * len(text.encode())


def test_a_listener_hears_notifications_and_comes_back_after_a_loss(
    database_url: str, connection: SyncConnection
) -> None:
    async def main() -> list[str]:
        heard: list[str] = []
        connected: list[None] = []
        listener = Listener(database_url, "pgrst", heard.append, lambda: connected.append(None))
        task = asyncio.create_task(listener.run())

        async def until(count: int) -> None:
            async with asyncio.timeout(20):
                while len(connected) < count:
                    await asyncio.sleep(0.01)

        await until(1)
        connection.script("notify pgrst, 'reload schema'")
        async with asyncio.timeout(20):
            while not heard:
                await asyncio.sleep(0.01)
        connection.rows(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gateway listener'"
        )
        await until(2)
        task.cancel()
        return heard

    assert asyncio.run(main()) == ["reload schema"]


PID = Statement("select pg_backend_pid()")


@pytest.mark.skipif("TEST_POOLER" in os.environ, reason="a pooler decides how long it keeps a session")
def test_a_connection_is_used_no_longer_than_its_lifetime(database_url: str) -> None:
    async def work(db: Database) -> None:
        first = (await db.run(NO_SCOPE, PID)).value
        in_use = await db.run(NO_SCOPE, Statement("select pg_backend_pid() from pg_sleep(0.7)"))
        assert in_use.value == first  # its time was over meanwhile
        async with asyncio.timeout(30):
            while db.stats["open"]:
                await asyncio.sleep(0.02)
        assert (await db.run(NO_SCOPE, PID)).value != first

    run(database_url, work, size=1, core=1, lifetime=0.3)


@pytest.mark.parametrize("renewed", [False, True], ids=["from the start", "after maintenance"])
def test_connections_beyond_the_first_are_closed_when_they_were_not_used_for_a_while(
    database_url: str, renewed: bool
) -> None:
    async def work(db: Database) -> None:
        if renewed:
            db.renew_sessions()
        await asyncio.gather(*[db.run(NO_SCOPE, Statement("select pg_sleep(0.2)")) for _ in range(4)])
        assert db.stats["open"] == 4
        async with asyncio.timeout(30):
            while db.stats["open"] > 2:
                await asyncio.sleep(0.02)

    run(database_url, work, size=4, core=2, idle_timeout=0.3)


@pytest.mark.parametrize(("milliseconds", "asked", "more"), [(0, 200, False), (4, 12, True)])
def test_a_queue_is_as_long_as_what_stands_in_it_is_quick(
    database_url: str, milliseconds: int, asked: int, more: bool
) -> None:
    """Two hundred of no time share the first connections; a dozen of some milliseconds have others opened."""
    statement = Statement("select pg_sleep($1)", (str(milliseconds / 1000),))
    scope = Scope("", (READ_ONLY,), ("on",), code_free=True)

    async def main() -> None:
        db = Database(database_url, size=6, core=2)
        await db.open()
        try:
            await asyncio.gather(*[db.run(scope, statement) for _ in range(2)])
            for _ in range(40):
                await db.run(scope, statement)
                db.observe(("", statement.text), milliseconds / 1000)  # whatever the machine is busy with
            db.observe = lambda key, seconds: None  # type: ignore[method-assign]
            while db.stats["open"] < 2:
                await asyncio.gather(*[db.run(NO_SCOPE, Statement("select pg_sleep(0.05)")) for _ in range(2)])
            before = db.stats["open"]
            await asyncio.gather(*[db.run(scope, statement) for _ in range(asked)])
            assert (db.stats["open"] > before) is more
            assert all(connection.expected == 0 for connection in db._connections)
        finally:
            await db.close()

    asyncio.run(main())
