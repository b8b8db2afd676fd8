"""Turns at hashing: dealt out fairly by address, bounded, and none is lost."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from gateway.auth.crypto import passwords
from gateway.auth.crypto.hashing_queue import HashingQueue, TooManyWait
from gateway.auth.crypto.passwords import Hasher
from tests.gateway.auth.conftest import WithAuth
from tests.gateway.auth.service import PASSWORD, Auth


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(20):
            await scenario()

    asyncio.run(limited())


@pytest.mark.parametrize("attackers", [1, 10, 40])
@pytest.mark.parametrize("count", [1, 3])
def test_newcomer_waits_for_one_turn_of_each_other_source(attackers: int, count: int) -> None:
    async def scenario() -> None:
        turns = HashingQueue(count, per_source=30, altogether=10_000)
        served: list[str] = []

        async def ask(source: str) -> None:
            await turns.enter(source)
            served.append(source)
            await asyncio.sleep(0)
            turns.leave()

        crowd = [asyncio.create_task(ask(f"attacker {n % attackers}")) for n in range(30 * attackers)]
        await asyncio.sleep(0)
        before = len(served)
        await ask("honest")
        assert served.index("honest") - before <= attackers + count
        await asyncio.gather(*crowd, return_exceptions=True)

    run(scenario)


def test_source_that_fills_its_queue_is_refused_and_no_other() -> None:
    async def scenario() -> None:
        turns = HashingQueue(1, per_source=5, altogether=100)
        await turns.enter("busy")
        waiting = [asyncio.create_task(turns.enter("attacker")) for _ in range(5)]
        await asyncio.sleep(0)
        with pytest.raises(TooManyWait):
            await turns.enter("attacker")
        honest = asyncio.create_task(turns.enter("honest"))
        await asyncio.sleep(0)
        turns.leave()
        turns.leave()
        await honest
        for task in waiting:
            turns.leave()
            await task

    run(scenario)


def test_longest_queue_gives_way_when_all_are_full() -> None:
    async def scenario() -> None:
        turns = HashingQueue(1, per_source=50, altogether=50)
        await turns.enter("busy")
        crowd = [asyncio.create_task(turns.enter("attacker")) for _ in range(50)]
        await asyncio.sleep(0)
        honest = asyncio.create_task(turns.enter("honest"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert [task.done() for task in crowd] == [False] * 49 + [True]
        assert isinstance(crowd[-1].exception(), TooManyWait)
        turns.leave()
        turns.leave()
        await honest
        for task in crowd[:-1]:
            turns.leave()
            await task

    run(scenario)


@pytest.mark.parametrize("seed", range(40))
def test_no_turn_is_lost_whoever_gives_up(seed: int) -> None:
    """Any mixture of coming, leaving, giving up and being refused ends with as many free turns as at first."""

    async def scenario() -> None:
        chance = random.Random(seed)
        count = chance.randint(1, 4)
        turns = HashingQueue(count, per_source=chance.randint(1, 5), altogether=chance.randint(1, 12))
        inside = most = 0

        async def ask(source: str) -> None:
            nonlocal inside, most
            await turns.enter(source)
            inside += 1
            most = max(most, inside)
            try:
                for _ in range(chance.randint(0, 3)):
                    await asyncio.sleep(0)
            finally:
                inside -= 1
                turns.leave()

        tasks = []
        for _ in range(120):
            tasks.append(asyncio.create_task(ask(f"source {chance.randint(0, 5)}")))
            if chance.random() < 0.5:
                await asyncio.sleep(0)
            if chance.random() < 0.4:
                chance.choice(tasks).cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert most <= count
        for _ in range(count):
            await asyncio.wait_for(turns.enter("last"), 1)

    run(scenario)


def test_turn_ends_with_its_computation_when_the_client_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise those who come and leave would fill the threads' own queue, where nothing is fair."""

    async def scenario() -> None:
        hasher = Hasher(1)
        loop = asyncio.get_running_loop()
        released = asyncio.Event()
        gate = threading.Event()
        monkeypatch.setattr(passwords, "make_hash", lambda password: gate.wait() and "hash")

        async def leave_early() -> None:
            async with hasher.turn("gone") as turn:
                await turn.make("x")

        async def come_after() -> None:
            async with hasher.turn("honest"):
                released.set()

        gone = asyncio.create_task(leave_early())
        await asyncio.sleep(0.05)
        gone.cancel()
        after = asyncio.create_task(come_after())
        await asyncio.sleep(0.05)
        assert not released.is_set()
        loop.call_soon(gate.set)
        await after
        hasher.close()

    run(scenario)


def test_honest_sign_in_passes_a_crowd_of_guesses(with_auth: WithAuth, monkeypatch: pytest.MonkeyPatch) -> None:
    """300 guesses from 10 addresses, and the one right password after them: it waits for about one hash of each."""

    async def scenario(auth: Auth) -> None:
        await auth.create()
        computed: list[str] = []

        def counted(password: str, hashed: str) -> bool:
            computed.append(password)
            return genuine(password, hashed)

        genuine = passwords.verify
        monkeypatch.setattr(passwords, "verify", counted)
        crowd = [
            asyncio.create_task(auth.password(f"user{n}@example.com", "wrong", client=f"198.51.100.{n % 10}"))
            for n in range(300)
        ]
        while len(computed) < 3:
            await asyncio.sleep(0.01)
        before = len(computed)
        assert (await auth.password(client="203.0.113.77")).status == 200
        assert computed.index(PASSWORD) - before <= 10 + 2 * auth.service.context.guards.hasher.threads
        for task in crowd:
            task.cancel()
        await asyncio.gather(*crowd, return_exceptions=True)

    with_auth(scenario)


@pytest.mark.parametrize("path", ["/signup", "/admin/users"])
def test_hashes_of_new_passwords_wait_in_the_same_queues(with_auth: WithAuth, path: str) -> None:
    async def scenario(auth: Auth) -> None:
        await auth.create()
        turns: Any = auth.service.context.guards.hasher._turns
        for _ in range(auth.service.context.guards.hasher.threads):
            await turns.enter("busy")
        body = {"email": "new@example.com", "password": PASSWORD}
        call = auth.admin if path.startswith("/admin") else auth.call
        made = asyncio.create_task(call("POST", path, body))
        await asyncio.sleep(0.2)
        assert not made.done() and turns._waiting == 1
        turns.leave()
        assert (await made).status == 200

    with_auth(scenario, disable_signup=False)
