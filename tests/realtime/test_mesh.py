"""The sockets between the workers of one gateway: whoever starts when, everybody hears everybody."""

from __future__ import annotations

import asyncio
import errno
import socket
from pathlib import Path
from typing import Any

import pytest

from gateway.realtime.buses import mesh
from gateway.realtime.buses.mesh import MeshBus
from tests.realtime.changes.scene import LIMIT


async def hear_each_other(buses: list[MeshBus]) -> None:
    """Every bus subscribes, and is then told something by every other, at once."""
    heard: dict[str, set[bytes]] = {bus.name: set() for bus in buses}
    for bus in buses:
        await bus.subscribe("room", heard[bus.name].add)
    for bus in buses:
        bus.publish("room", bus.name.encode())
    async with asyncio.timeout(LIMIT):
        while any(len(names) < len(buses) - 1 for names in heard.values()):
            await asyncio.sleep(0.01)
    for bus in buses:
        assert heard[bus.name] == {other.name.encode() for other in buses if other is not bus}
        assert bus.dropped == 0


def meet(folder: Path, count: int) -> None:
    async def main() -> None:
        buses = [MeshBus(folder) for _ in range(count)]
        await asyncio.gather(*(bus.start() for bus in buses))
        try:
            await hear_each_other(buses)
        finally:
            for bus in buses:
                await bus.stop()

    asyncio.run(main())


@pytest.mark.parametrize("count", [2, 3, 8])
def test_workers_that_start_together_hear_each_other(tmp_path: Path, count: int) -> None:
    meet(tmp_path, count)
    assert [path.name for path in (tmp_path / mesh.FOLDER).iterdir()] == []


def test_nobody_finds_a_socket_that_does_not_listen_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that was called then would be taken for dead, its socket removed, and never be heard again."""
    found: list[list[Path]] = []

    class Slow(socket.socket):
        def listen(self, *backlog: int) -> None:
            found.append(list((tmp_path / mesh.FOLDER).glob("*.sock")))
            super().listen(*backlog)

    monkeypatch.setattr(socket, "socket", Slow)
    meet(tmp_path, 1)
    assert found and not any(found)


def test_a_worker_that_has_no_time_for_a_call_is_called_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        first, second = MeshBus(tmp_path), MeshBus(tmp_path)
        await first.start()
        loop = asyncio.get_running_loop()
        connect, refusals = loop.create_unix_connection, iter([BlockingIOError(errno.EAGAIN, "busy")] * 3)

        async def busy(*arguments: Any, **options: Any) -> Any:
            for refusal in refusals:
                raise refusal
            return await connect(*arguments, **options)

        monkeypatch.setattr(loop, "create_unix_connection", busy)
        await second.start()
        try:
            await hear_each_other([first, second])
        finally:
            await second.stop()
            await first.stop()

    asyncio.run(main())


def test_a_subscription_waits_until_it_can_be_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who hears of a subscription before it has called back cannot send yet: it must not be taken for ready."""

    async def main() -> None:
        first, second = MeshBus(tmp_path), MeshBus(tmp_path)
        await first.start()
        reach, late = first._reach, asyncio.Event()

        async def reached(file: str) -> Any:
            await late.wait()
            return await reach(file)

        monkeypatch.setattr(first, "_reach", reached)
        await second.start()
        heard: list[bytes] = []
        subscribing = asyncio.create_task(second.subscribe("room", heard.append))
        async with asyncio.timeout(LIMIT):
            while b"room" not in first._topics:
                await asyncio.sleep(0.01)
            assert not subscribing.done()
            late.set()
            await subscribing
            first.publish("room", b"said as soon as it was subscribed to")
            while not heard:
                await asyncio.sleep(0.01)
        assert first.dropped == 0
        await second.stop()
        await first.stop()

    asyncio.run(main())


def test_what_a_killed_worker_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / mesh.FOLDER).mkdir()
    monkeypatch.chdir(tmp_path / mesh.FOLDER)  # the whole path may be longer than a socket's can be
    with socket.socket(socket.AF_UNIX) as left:
        left.bind("1-dead.sock")
    meet(tmp_path, 2)
    assert not (tmp_path / mesh.FOLDER / "1-dead.sock").exists()
