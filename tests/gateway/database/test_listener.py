"""What is notified is told to whoever listens, and one notification costs no other."""

from __future__ import annotations

import asyncio

import pytest

from gateway.database import Listener, SyncConnection


def test_a_notification_that_cannot_be_understood_costs_none_behind_it(
    database_url: str, connection: SyncConnection, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> tuple[list[int], int]:
        heard: list[int] = []
        connected = asyncio.Event()
        times = 0

        def on_connect() -> None:
            nonlocal times
            times += 1
            connected.set()

        task = asyncio.create_task(
            Listener(database_url, "numbers", lambda text: heard.append(int(text)), on_connect).run()
        )
        async with asyncio.timeout(30):
            await connected.wait()
            await asyncio.to_thread(
                connection.script, "notify numbers, '1'; notify numbers, 'no number'; notify numbers, '2'"
            )
            while 2 not in heard:
                await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return heard, times

    assert asyncio.run(main()) == ([1, 2], 1)
    assert "a notification on channel numbers was not understood" in caplog.text
