"""One address cannot have the pool to itself, and what was thought to be quick holds nobody up."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

import pytest

from gateway.database import Database, DatabaseError, DatabaseUnavailable, PoolTimeout, Scope, SyncConnection
from gateway.database.fair_queue import Turns
from gateway.database.statement import Statement

T = TypeVar("T")
READER = Scope("", ("transaction_read_only",), ("on",))
WRITER = Scope("", ("application_name",), ("writes",))
NAP = Statement("select pg_sleep($1::float8)", ("1.5",))
ONE = Statement("select 1")


def run(url: str, work: Callable[[Database], Awaitable[T]], **options: float) -> T:
    async def main() -> T:
        database = Database(url, **options)  # type: ignore[arg-type]  # numbers of several types
        await database.open()
        try:
            return await work(database)
        finally:
            await database.close()

    return asyncio.run(main())


@pytest.mark.parametrize("seed", range(5))
def test_sources_take_turns_and_keep_to_their_share(seed: int) -> None:
    chance = random.Random(seed)
    turns: Turns[tuple[str, int]] = Turns(10, 0.5)
    held: Counter[str] = Counter()
    waiting: list[tuple[str, bool, tuple[str, int]]] = []
    for number in range(3_000):
        source, quick = chance.choice(["", "a", "b", "c"]), chance.random() < 0.3
        match chance.randrange(4):
            case 0:
                turns.add(source, quick, (source, number))
                waiting.append((source, quick, (source, number)))
            case 1 if waiting:
                gone = waiting.pop(chance.randrange(len(waiting)))
                assert turns.remove(*gone) and not turns.remove(*gone)
            case 2:
                entry = turns.next()
                if entry is None:
                    assert not any(turns.may_hold(source, quick) for source, quick, _ in waiting)
                    continue
                source, quick, _ = next(each for each in waiting if each[2] == entry)
                line = [each for each in waiting if each[:2] == (source, quick)]
                assert line[0][2] == entry and turns.may_hold(source, quick)
                waiting.remove(line[0])
                turns.hold(source)
                held[source] += 1
            case _ if held[source]:
                turns.let_go(source)
                held[source] -= 1
        assert len(turns) == len(waiting)
        assert all(held[name] <= 7 for name in "abc") and turns.held_most == max(held[name] for name in "abc")
    assert sorted(turns.clear()) == sorted(entry for *_, entry in waiting) and len(turns) == 0


def test_a_flood_of_one_address_leaves_connections_to_others(database_url: str) -> None:
    async def work(db: Database) -> None:
        flood = [asyncio.create_task(db.run_all(READER, NAP, source="one")) for _ in range(24)]
        await asyncio.sleep(0.3)
        assert db.turns.held_most == 5 and db.stats["waiting"] == 19
        async with db.transaction(READER, "begin", "another") as transaction:
            assert (await transaction.run(ONE)).value == b"1"
        for number in range(20):
            await db.run_all(READER, Statement(f"select {number}"), source="another")
            await db.run(READER, Statement(f"select {number} + 1"))
        assert not any(task.done() for task in flood)
        for task in flood:
            task.cancel()
        await asyncio.gather(*flood, return_exceptions=True)

    run(database_url, work, size=10, share=0.5)


def test_who_keeps_to_a_share_waits_no_longer_than_the_acquisition_time(database_url: str) -> None:
    async def work(db: Database) -> None:
        async def nap() -> str:
            try:
                await db.run_all(READER, NAP, source="one")
            except PoolTimeout:
                return "too long"
            return "slept"

        assert Counter(await asyncio.gather(*[nap() for _ in range(5)])) == {"slept": 2, "too long": 3}
        assert (db.turns.held_most, len(db.turns)) == (0, 0)

    run(database_url, work, size=4, share=0.5, acquire_timeout=0.3)


def test_a_transaction_counts_and_lets_go_however_it_ends(database_url: str) -> None:
    async def work(db: Database) -> None:
        for number in range(8):
            with suppress(Exception):
                async with asyncio.timeout(0.1 if number % 4 == 3 else 10), db.transaction(source="one") as transaction:
                    assert db.turns.held_most == 1
                    if number % 4 == 1:
                        await transaction.run(Statement("select 1 / 0"))
                    elif number % 4 == 2:
                        await transaction.run(Statement("select pg_terminate_backend(pg_backend_pid())"))
                    elif number % 4 == 3:
                        await transaction.run(NAP)
            assert db.turns.held_most == 0
        assert (await db.run_all(READER, ONE, source="one"))[0].value == b"1"

    run(database_url, work, size=2, share=0.5)


def test_what_waits_behind_a_text_that_used_to_be_quick_is_asked_anew(database_url: str) -> None:
    """A regular expression is quick for most values; for which it is not, whoever sends them knows."""
    pattern = "select pg_sleep($1::float8) is null"

    async def work(db: Database) -> None:
        for _ in range(30):
            await db.run(READER, Statement(pattern, ("0",)))
            await db.run(READER, ONE)
        slow = [asyncio.create_task(db.run_all(READER, Statement(pattern, ("3",)), source="one")) for _ in range(2)]
        others = [asyncio.create_task(db.run_all(READER, ONE, source="two")) for _ in range(6)]
        answered = await asyncio.gather(*others)
        assert [results[0].value for results in answered] == [b"1"] * 6
        assert (await db.run_all(READER, ONE, source="two"))[0].value == b"1"
        assert not any(task.done() for task in slow)  # had one of the others waited for them, they were over
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)

    run(database_url, work, size=6, core=2, share=0.5)


def test_a_write_is_never_asked_twice(database_url: str, connection: SyncConnection) -> None:
    connection.script("create table public.kept (n int)")

    async def work(db: Database) -> None:
        nap = Statement("select pg_sleep($1::float8) is null", ("0",))
        insert = Statement("insert into public.kept values ($1)", ("1",))
        for _ in range(30):
            await db.run(READER, nap)
            await db.run(Scope(), insert)
        connection.script("truncate public.kept")
        first = asyncio.create_task(db.run(READER, Statement(nap.text, ("1",))))
        await asyncio.sleep(0)
        await asyncio.gather(*[db.run(Scope(), insert) for _ in range(5)])
        await first

    run(database_url, work, size=3, core=1)
    assert connection.rows("select count(*) from public.kept") == [("5",)]


def test_who_holds_more_than_a_share_waits_beside_an_idle_connection(database_url: str) -> None:
    nap = "select pg_sleep($1::float8) is null"

    async def work(db: Database) -> None:
        for _ in range(30):  # the text is known to be quick
            await db.run(READER, Statement(nap, ("0",)))
        core = [asyncio.create_task(db.run_all(READER, NAP, source="two")) for _ in range(2)]
        await asyncio.sleep(0)
        mine = [asyncio.create_task(db.run_all(READER, Statement(nap, ("3",)), source="one")) for _ in range(4)]
        await asyncio.gather(*core)  # the first two connections are idle from here on
        assert db.turns.held_most == 4 and not any(task.done() for task in mine)
        further = asyncio.create_task(db.run_all(READER, Statement(nap, ("0",)), source="one"))
        assert (await db.run_all(READER, ONE, source="two"))[0].value == b"1"
        for task in mine:
            await task
        assert (await further)[0].value == b"f"

    run(database_url, work, size=6, core=2, share=0.5)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_comes_together_is_answered_or_refused_with_a_reason(
    database_url: str, connection: SyncConnection, seed: int
) -> None:
    """Addresses, quick and slow reads, writes, transactions, clients who leave, sessions that end and are renewed."""
    chance = random.Random(seed)
    connection.script("create table public.kept (n int)")
    nap = "select pg_sleep($1::float8) is null"
    answered: Counter[str] = Counter()

    async def ask(db: Database) -> None:
        source = chance.choice(["", "one", "two", "three"])
        kind = chance.choice(["one", "one", "nap", "write", "transaction", "refused", "ends"])
        try:
            async with asyncio.timeout(chance.choice([30, 30, 0.01, 0.3])):
                await asyncio.sleep(chance.random())
                if kind == "one":
                    assert (await db.run_all(READER, ONE, source=source))[0].value == b"1"
                elif kind == "nap":
                    seconds = chance.choice(["0", "0", "0.02", "0.5"])
                    assert (await db.run_all(READER, Statement(nap, (seconds,)), source=source))[0].value == b"f"
                elif kind == "write":
                    await db.run_all(WRITER, Statement("insert into public.kept values (1)"), source=source)
                elif kind == "transaction":
                    async with db.transaction(READER, source=source) as transaction:
                        assert (await transaction.run(ONE)).value == b"1"
                elif kind == "refused":
                    with pytest.raises(DatabaseError, match="division by zero"):
                        await db.run_all(READER, Statement("select 1 / 0"), source=source)
                elif chance.random() < 0.1:
                    db.renew_sessions()
                elif chance.random() < 0.1:
                    await db.run_all(WRITER, Statement("select pg_terminate_backend(pg_backend_pid())"))
        except (TimeoutError, PoolTimeout, DatabaseUnavailable) as error:
            kind = type(error).__name__
        except DatabaseError as error:
            assert error.sqlstate == "57P01"
            kind = "ended"
        answered[kind] += 1

    async def work(db: Database) -> None:
        for _ in range(3):
            await asyncio.gather(*[ask(db) for _ in range(150)])
        async with asyncio.timeout(20):
            while db.stats["busy"]:
                await asyncio.sleep(0.01)
        assert (db.stats["waiting"], db.turns.held_most) == (0, 0)
        assert (await db.run_all(READER, ONE, source="one"))[0].value == b"1"

    run(database_url, work, size=6, core=2, share=0.5)
    assert answered["one"] > 20 and answered["write"] > 10 and answered["transaction"] > 10, answered
