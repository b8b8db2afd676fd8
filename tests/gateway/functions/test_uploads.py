"""The bound on what is on its way to a function: the first goes on, the others wait their turn, and not for ever."""

from __future__ import annotations

import asyncio

import pytest

from gateway.errors import ApiError
from gateway.functions import uploads
from gateway.functions.errors import BUSY
from gateway.functions.uploads import Uploads


def test_the_first_goes_on_and_the_others_wait_for_it() -> None:
    async def scenario() -> None:
        room = Uploads()
        await room.grow("first", 60, 100)
        await room.grow("second", 40, 100)
        second = asyncio.ensure_future(room.grow("second", 10, 100))
        await room.grow("first", 500, 100)
        await asyncio.sleep(0.01)
        assert not second.done()
        room.release("first")
        await second
        assert room.held == 50
        room.release("second")
        assert room.held == 0

    asyncio.run(scenario())


def test_nobody_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "WAIT", 0.01)

    async def scenario() -> None:
        room = Uploads()
        await room.grow("first", 100, 100)
        with pytest.raises(ApiError) as refused:
            await room.grow("second", 1, 100)
        assert refused.value.row is BUSY and refused.value.headers
        assert room.held == 100

    asyncio.run(scenario())
