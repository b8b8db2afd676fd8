"""Work that several ask for at once: shared by those who asked before it began, and by nobody later."""

from __future__ import annotations

import asyncio
import random

import pytest

from functions.shared.together import Together


def test_who_asks_at_once_shares_one_work() -> None:
    async def main() -> None:
        shared = Together[int]()
        begun = 0

        async def work() -> int:
            nonlocal begun
            begun += 1
            await asyncio.sleep(0)
            return begun

        assert await asyncio.gather(*[shared.do("a", work) for _ in range(9)]) == [1] * 9
        await asyncio.gather(shared.do("a", work), shared.do("b", work))
        assert begun == 3
        assert not shared._running and not shared._waiting

    asyncio.run(main())


@pytest.mark.parametrize("seed", range(20))
def test_nobody_gets_what_was_begun_before_he_asked(seed: int) -> None:
    chance = random.Random(seed)

    async def main() -> None:
        shared = Together[int]()
        published = works = 0

        async def work() -> int:
            nonlocal works
            works += 1
            seen = published
            for _ in range(chance.randrange(5)):
                await asyncio.sleep(0)
            return seen

        async def ask() -> None:
            nonlocal published
            for _ in range(chance.randrange(30)):
                await asyncio.sleep(0)
            if chance.random() < 0.3:
                published += 1
            before = published
            asking = asyncio.create_task(shared.do(chance.choice("ab"), work))
            if chance.random() < 0.2:
                await asyncio.sleep(0)
                asking.cancel()
                return
            assert await asking >= before

        await asyncio.gather(*[ask() for _ in range(200)])
        assert works < 150 and not shared._running

    asyncio.run(main())


def test_an_error_is_everybodys_and_nothing_of_it_stays() -> None:
    async def main() -> None:
        shared = Together[int]()

        async def fails() -> int:
            raise ValueError("no")

        async def works() -> int:
            return 1

        found = await asyncio.gather(*[shared.do("a", fails) for _ in range(3)], return_exceptions=True)
        assert [type(each) for each in found] == [ValueError] * 3
        assert await shared.do("a", works) == 1

    asyncio.run(main())


def test_work_that_hangs_holds_nobody_behind_it_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("functions.shared.together.PATIENCE", 0.01)

    async def main() -> None:
        shared = Together[int]()
        hangs = asyncio.create_task(shared.do("a", asyncio.Event().wait))
        await asyncio.sleep(0)
        await asyncio.sleep(0)

        async def works() -> int:
            return 1

        assert await asyncio.wait_for(shared.do("a", works), 20) == 1
        hangs.cancel()
        for task in shared._running.values():
            task.cancel()

    asyncio.run(main())
