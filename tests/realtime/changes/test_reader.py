"""One reader for all workers: who reads, what the others missed, and what a client that returns is given."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest

from gateway.realtime.changes.follower import LOG
from gateway.realtime.changes.idle_slots import IdleSlots
from gateway.realtime.changes.leadership import Keeping
from gateway.realtime.changes.log import (
    Change,
    Frame,
    Position,
    Ring,
    decode_frame,
    encode_frame,
    parse_position,
)
from gateway.realtime.changes.logical import GONE, MISSED
from gateway.realtime.changes.pgoutput import UNCHANGED, Relation, RelationColumn
from tests.realtime.changes.scene import LIMIT, Listening, Scene, Worker

TODOS = """
create table public.todos (id bigint primary key, title text);
grant select on public.todos to anon;
alter publication supabase_realtime add table public.todos;
"""
BINDING = {"event": "INSERT", "schema": "public", "table": "todos"}


@pytest.fixture(scope="module", autouse=True)
def tables(scene: Scene) -> None:
    scene.sql(TODOS)


@pytest.fixture(autouse=True)
def clean(scene: Scene) -> None:
    scene.sql("truncate todos")


def insert(scene: Scene, first: int, last: int) -> None:
    """Rows, each in a transaction of its own."""
    scene.sql(
        "; ".join(f"begin; insert into todos values ({number}, 'x'); commit" for number in range(first, last + 1))
    )


def slots(scene: Scene) -> list[tuple[str | None, ...]]:
    return scene.rows(
        "select active::text, temporary::text from pg_replication_slots where database = current_database()"
    )


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(LIMIT):
        while not holds():
            await asyncio.sleep(0.01)


async def reader_among(workers: list[Worker]) -> Worker:
    await until(lambda: any(worker.changes.leadership.reads for worker in workers))
    return next(worker for worker in workers if worker.changes.leadership.reads)


def ids(member: Listening) -> list[int]:
    return [each["record"]["id"] for each in member.got]


async def kill(worker: Worker) -> None:
    """A worker that dies without a word: its connections are closed, as the system does with those of a process."""
    worker.bus.cut = True
    leadership = worker.changes.leadership
    if worker.changes.follower.reader is not None:
        worker.changes.follower.reader.slot.connection.close()
    leadership.listens = False
    leadership._urls = ()
    for task in (worker.changes._attending, *worker.changes._tasks):
        if task is not None:
            task.cancel()


def test_one_worker_reads_for_all(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        workers = [await scene.worker() for _ in range(3)]
        members = [await worker.listen(Listening(), BINDING) for worker in workers]
        assert [worker.changes.leadership.reads for worker in workers].count(True) == 1
        assert slots(scene) == [("true", "false")]
        insert(scene, 1, 20)
        for member in members:
            await member.changes(20)
            assert ids(member) == list(range(1, 21))

    scene.play(work)


@pytest.mark.parametrize("kept", [0, 120], ids=["what is kept was confirmed", "what is kept is read again"])
def test_promise_64_a_reader_that_dies_is_replaced_and_nothing_is_lost_or_doubled(scene: Scene, kept: int) -> None:
    async def work(scene: Scene) -> None:
        workers = [await scene.worker(Keeping(seconds=kept)) for _ in range(3)]
        members = [await worker.listen(Listening(), BINDING) for worker in workers]
        rounds = 3
        for at in range(rounds):
            insert(scene, at * 100 + 1, at * 100 + 60)
            await asyncio.sleep(0)
            reading = await reader_among(workers)
            living = [member for worker, member in zip(workers, members, strict=True) if worker is not reading]
            if at < rounds - 1:
                await kill(reading)
                workers, members = [worker for worker in workers if worker is not reading], living
            insert(scene, at * 100 + 61, at * 100 + 100)
        for member in members:
            await member.changes(rounds * 100)
            assert ids(member) == list(range(1, rounds * 100 + 1))
            assert member.told == []

    scene.play(work)


def test_a_reader_whose_connection_is_ended_goes_on_where_it_was(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        member = await worker.listen(Listening(), BINDING)
        for at in range(5):
            insert(scene, at * 10 + 1, at * 10 + 5)
            scene.rows(
                "select pg_terminate_backend(active_pid) from pg_replication_slots"
                " where active and database = current_database()"
            )
            insert(scene, at * 10 + 6, at * 10 + 10)
        await member.changes(50)
        assert ids(member) == list(range(1, 51)) and member.told == []

    scene.play(work)


def test_promise_65_frames_that_the_bus_loses_are_asked_for(scene: Scene) -> None:
    chance = random.Random(7)

    async def work(scene: Scene) -> None:
        reading = await scene.worker()
        await reading.listen(Listening(), BINDING)
        other = await scene.worker()
        member = await other.listen(Listening(), BINDING)
        scene.hub.drops = lambda topic, payload: topic == LOG and chance.random() < 0.3
        for at in range(20):
            insert(scene, at * 10 + 1, at * 10 + 10)
            await asyncio.sleep(0.01)
        scene.hub.drops = lambda topic, payload: False
        await member.changes(200)
        assert ids(member) == list(range(1, 201)) and member.told == []

    scene.play(work)


def test_what_nobody_has_any_more_is_told(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        reading = await scene.worker(Keeping(most_bytes=2000))
        near = await reading.listen(Listening(), BINDING)
        other = await scene.worker()
        member = await other.listen(Listening(), BINDING)
        other.bus.cut = True
        insert(scene, 1, 50)
        await near.changes(50)
        other.bus.cut = False
        await member.until(lambda: member.told)
        assert member.told == [("error", MISSED)]
        insert(scene, 60, 60)
        await member.changes(1)
        assert ids(member)[-1] == 60

    scene.play(work)


def test_promise_66_a_client_that_returns_gets_what_it_missed_or_is_told(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker, other = await scene.worker(), await scene.worker()
        stays = await worker.listen(Listening(), {**BINDING, "since": ""})
        await other.listen(Listening(), BINDING)
        insert(scene, 1, 30)
        await stays.changes(30)
        cursor, moment = stays.got[9]["cursor"], stays.got[0]["commit_timestamp"]
        for number, at in ((31, worker), (32, other)):
            returns = Listening()
            returns.joined = False
            await at.listen(returns, {**BINDING, "since": cursor})
            insert(scene, number, number)
            await asyncio.sleep(0.05)
            assert returns.got == []  # the join was not answered yet
            returns.joined = True
            await returns.changes(number - 10)
            assert ids(returns) == list(range(11, number + 1)) and returns.told == []
            by_time = await at.listen(Listening(), {**BINDING, "since": moment})
            await by_time.changes(number)
            assert ids(by_time)[-number:] == list(range(1, number + 1))
        too_late = await other.listen(Listening(), {**BINDING, "since": "0/1:0"})
        await too_late.until(lambda: too_late.told)
        assert too_late.told == [("error", GONE.format(since="0/1:0"))]
        assert "Error parsing `since` params" in await other.refusal(Listening(), {**BINDING, "since": "yesterday"})

    scene.play(work)


def test_who_returns_while_another_reader_takes_over_gets_each_change_once(scene: Scene) -> None:
    """To a worker that followed, and to one that never did: the new reader reads again what both clients had."""

    async def work(scene: Scene) -> None:
        dying = await scene.worker()
        gone = await dying.listen(Listening(), {**BINDING, "since": ""})
        follows, fresh = await scene.worker(), await scene.worker()
        await follows.listen(Listening(), BINDING)
        assert dying.changes.leadership.reads
        insert(scene, 1, 400)
        await gone.changes(400)
        seen = {at: gone.got[at - 1] for at in (200, 400)}
        await kill(dying)
        returned = {}
        for worker in (follows, fresh):
            for at in (200, 400):
                member = Listening()
                returned[at, worker] = member
                await worker.listen(member, {**BINDING, "since": seen[at]["cursor"]})
        insert(scene, 401, 420)
        for (at, _), member in returned.items():
            await member.changes(420 - at)
            assert ids(member) == list(range(at + 1, 421)) and member.told == []

    scene.play(work)


def test_the_slot_goes_when_nobody_listens_any_more(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker, other = await scene.worker(Keeping(idle=0.2)), await scene.worker(Keeping(idle=0.2))
        member = await worker.listen(Listening(), BINDING)
        await other.listen(Listening(), BINDING)
        assert slots(scene) == [("true", "false")]
        await worker.changes.unsubscribe(member)
        for subscription in other.changes.registry.by_member.copy().values():
            await other.changes.unsubscribe(subscription.member)
        for each in (worker, other):
            each.changes.follower.wanted.clear()
        await until(lambda: slots(scene) == [])
        member = await worker.listen(Listening(), BINDING)
        insert(scene, 1, 1)
        await member.changes(1)

    scene.play(work)


def test_a_publication_that_is_made_anew_is_read_again(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        member = await worker.listen(Listening(), BINDING)
        scene.sql("drop publication supabase_realtime; insert into todos values (1, 'unpublished')")
        scene.sql("create publication supabase_realtime for table todos")
        for number in range(2, 200):
            scene.sql(f"insert into todos values ({number}, 'x')")
            await asyncio.sleep(0.05)
            if member.got:
                break
        assert ids(member)[0] > 1

    scene.play(work)


def test_a_standing_subscription_survives_the_end_of_its_table_s_publication(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        member = await worker.listen(Listening(), BINDING)
        scene.sql("alter publication supabase_realtime drop table todos")
        await worker.changes._hold_against(set())
        assert member.told[0][0] == "error" and "Please check Realtime is enabled" in member.told[0][1]
        scene.sql("alter publication supabase_realtime add table todos")

    scene.play(work)


# --- frames and what is kept ------------------------------------------------------------------------------------------

RELATION = Relation(7, "public", "todos", "d", (RelationColumn("id", 20, -1, True), RelationColumn("t", 25, -1, False)))


def change(commit: int, number: int, at: int = 0, text: str = "x") -> Change:
    return Change(Position(commit, number), at, "UPDATE", RELATION, ("1", UNCHANGED), ("1", text), True)


def test_a_frame_comes_back_as_it_was() -> None:
    frame = Frame("e", 5, 2**40, Position(2**63 - 1, 3), (change(1, 0), change(1, 1, 9, "é\x01")))
    assert decode_frame(encode_frame(frame)) == frame
    assert parse_position(str(frame.reached)) == frame.reached


def test_what_is_kept_is_bounded_and_says_where_it_ends() -> None:
    ring = Ring(10.0, 10_000, Position(0, -1))
    for number in range(100):
        ring.add(change(number, 0, number * 1000), now=float(number))
        assert ring.bytes <= 10_000
    assert ring.after(Position(98, 0)) == [change(99, 0, 99_000)]
    assert ring.after(ring.reach) is not None and ring.after(Position(ring.reach.commit - 1, 0)) is None
    assert ring.since(99_000) == [change(99, 0, 99_000)] and ring.since(ring.reach_at) is None
    ring.expire(now=120.0)
    assert not ring.kept and ring.bytes == 0 and ring.after(Position(99, 0)) == []


def test_any_order_of_losses_and_doubles_gives_each_change_once() -> None:
    """Frames that are cut, lost, doubled by a second reader: a follower hands on each change once, in order."""
    from gateway.realtime.changes.follower import Follower, PastChanges
    from tests.realtime.changes.scene import Hub, HubBus

    async def play(seed: int) -> None:
        chance = random.Random(seed)
        everything = [change(commit, number) for commit in range(1, 30) for number in range(chance.randint(1, 4))]
        got: list[Change] = []
        gaps: list[Any] = []
        follower = Follower(HubBus(Hub()), got.extend, lambda: gaps.append(1))
        follower.position = Position(0, -1)
        said = 0
        number = 0
        epoch = "0"

        async def fetch(after: Any) -> PastChanges:
            changes = [each for each in everything[:said] if each.position > after]
            return PastChanges(epoch, number, everything[said - 1].position if said else Position(0, -1), changes)

        follower.fetch = fetch  # type: ignore[method-assign]
        while said < len(everything):
            if chance.random() < 0.1:  # another reader, which begins some changes before
                epoch, number = epoch + "'", 0
                said = max(0, said - chance.randint(0, 5))
            count = chance.randint(1, 3)
            piece = tuple(everything[said : said + count])
            said += len(piece)
            number += 1
            if chance.random() < 0.7:
                follower.take(Frame(epoch, number, 0, piece[-1].position, piece))
            await asyncio.sleep(0)
        number += 1
        follower.take(Frame(epoch, number, 0, everything[-1].position))
        for _ in range(20):
            await asyncio.sleep(0)
        assert got == everything and gaps == []

    for seed in range(200):
        asyncio.run(play(seed))


def test_a_slot_that_a_whole_gateway_left_is_dropped_by_the_next_one(scene: Scene) -> None:
    async def work(scene: Scene) -> None:
        worker = await scene.worker()
        await worker.listen(Listening(), BINDING)
        idle = IdleSlots(worker.database, [scene.reader], 60.0)
        assert not await idle.look(1000.0)
        await worker.changes.stop()
        await until(lambda: slots(scene) == [("false", "false")])
        assert not await idle.look(2000.0) and slots(scene)
        assert await idle.look(2060.0) and slots(scene) == []

    scene.play(work)
