"""Realtime: what a socket takes of memory, and how many deliveries a second one worker makes on one core.

The clients are one process beside, which reads frames without a library. Deliveries are counted by processor
time of the worker, so that other work of the machine matters little; delays are by the clock.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import multiprocessing
import multiprocessing.connection
import os
import struct
import time
from collections.abc import Iterator
from pathlib import Path

from gateway.database import SyncConnection
from gateway.server.http_server import open_files
from tests.bench import cpu
from tests.bench.tables import postgres_at
from tests.fixtures.schema import migrate
from tests.fixtures.server import LiveGateway, start_gateway
from tests.ops.procs import workers

SOCKETS = int(os.environ.get("BENCH_SOCKETS", "2000"))
MEMBERS = 200
MESSAGES = 1500  # of 200 bytes, as fast as the worker takes them
IDLE_GOAL, JOINED_GOAL = 25.0, 35.0  # kB
DELIVERIES_GOAL = 30_000  # a second of one core
P99_GOAL = 50.0  # ms at a quarter of that
TOPIC = "realtime:bench"


class Client(asyncio.Protocol):
    """A websocket that counts frames; of those with a time in them it notes the delay."""

    def __init__(self, key: str, delays: list[float]) -> None:
        self._key = key
        self._data = bytearray()
        self._delays = delays
        self.open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.frames = 0
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        nonce = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET /realtime/v1/websocket?apikey={self._key}&vsn=2.0.0 HTTP/1.1\r\nhost: bench\r\nupgrade: websocket\r\n"
            f"connection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: {nonce}\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        pending = self._data
        pending += data
        if not self.open.done():
            head, found, rest = bytes(pending).partition(b"\r\n\r\n")
            if not found:
                return
            assert head.startswith(b"HTTP/1.1 101"), head
            pending[:] = rest
            self.open.set_result(None)
        at = 0
        while len(pending) - at >= 2:
            size, begin = pending[at + 1], at + 2
            if size == 126:
                if len(pending) - at < 4:
                    break
                size, begin = struct.unpack_from("!H", pending, at + 2)[0], at + 4
            if len(pending) < begin + size:
                break
            self.frames += 1
            if pending[begin] == 4:
                self._delays.append(time.monotonic() - struct.unpack_from("!d", pending, begin + size - 8)[0])
            at = begin + size
        del pending[:at]

    def send(self, payload: bytes, opcode: int = 1) -> None:
        size = len(payload)
        head = bytes((0x80 | opcode, 0x80 | size)) if size < 126 else struct.pack("!BBH", 0x80 | opcode, 0xFE, size)
        self.transport.write(head + b"\0\0\0\0" + payload)


def broadcast() -> bytes:
    """200 bytes, the last eight of which say when."""
    topic = TOPIC.encode()
    return (
        bytes((3, 1, 1, len(topic), 1, 0, 0)) + b"1b" + topic + b"e" + b"x" * 192 + struct.pack("!d", time.monotonic())
    )


async def connected(port: int, key: str, count: int, delays: list[float]) -> list[Client]:
    loop = asyncio.get_running_loop()
    clients: list[Client] = []
    for at in range(0, count, 100):
        made = await asyncio.gather(
            *(
                loop.create_connection(lambda: Client(key, delays), "127.0.0.1", port)
                for _ in range(min(100, count - at))
            )
        )
        clients += [client for _, client in made]
        await asyncio.gather(*(client.open for _, client in made))
    return clients


async def join(clients: list[Client], topic: str) -> None:
    for client in clients:
        config = {"config": {"broadcast": {"self": True}}}
        client.send(json.dumps(["1", "1", topic, "phx_join", config]).encode())
    while any(client.frames == 0 for client in clients):
        await asyncio.sleep(0.02)


def _sockets(port: int, key: str, pipe: multiprocessing.connection.Connection) -> None:
    async def run() -> None:
        open_files()
        warm = await connected(port, key, 20, [])
        await join(warm, "realtime:warm")
        pipe.send("warm")
        await asyncio.to_thread(pipe.recv)
        clients = await connected(port, key, SOCKETS, [])
        pipe.send("open")
        await asyncio.to_thread(pipe.recv)
        for number, client in enumerate(clients):
            client.send(json.dumps(["1", "1", f"realtime:room-{number // 10}", "phx_join", {"config": {}}]).encode())
        while any(client.frames == 0 for client in clients):
            await asyncio.sleep(0.05)
        pipe.send("joined")
        await asyncio.to_thread(pipe.recv)

    asyncio.run(run())


def _members(port: int, key: str, rate: float, pipe: multiprocessing.connection.Connection) -> None:
    async def run() -> None:
        delays: list[float] = []
        clients = await connected(port, key, MEMBERS, delays)
        (speaker,) = await connected(port, key, 1, [])
        await join(clients, TOPIC)
        await join([speaker], TOPIC)
        pipe.send("ready")
        await asyncio.to_thread(pipe.recv)
        delays.clear()
        count = MESSAGES if rate == 0 else int(rate * 8)
        began = time.monotonic()
        for number in range(count):
            if rate:
                await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
            elif number % 10 == 9:  # no more on their way than a fifth of what a queue holds
                while len(delays) < (number - 40) * MEMBERS:
                    await asyncio.sleep(0.001)
            speaker.send(broadcast(), 2)
        while len(delays) < count * MEMBERS and time.monotonic() - began < 120:
            await asyncio.sleep(0.005)
        spent = time.monotonic() - began
        delays.sort()
        pipe.send((len(delays), spent, delays[len(delays) // 2] * 1000, delays[int(len(delays) * 0.99)] * 1000))

    asyncio.run(run())


@contextlib.contextmanager
def serving() -> Iterator[LiveGateway]:
    with postgres_at() as (folder, postgres):
        with SyncConnection(postgres.url()) as connection:
            connection.script("create database realtime")
        with SyncConnection(postgres.url(database="realtime")) as connection:
            migrate(connection)
        settings = {"GATEWAY_WORKERS": "1", "PGRST_DB_URI": postgres.url("authenticator", "realtime")}
        gateway = start_gateway(postgres.url(database="realtime"), Path(folder) / "gateway", "serve", settings)
        try:
            yield gateway
        finally:
            gateway.stop()


def main() -> None:
    """Print all of it."""
    with serving() as gateway:
        (worker,) = workers(gateway)
        port, key = int(gateway.url.rpartition(":")[2]), gateway.publishable_key
        _memory(worker, port, key)
        _deliveries(worker, port, key)


def _memory(worker: int, port: int, key: str) -> None:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_sockets, args=(port, key, theirs))
    process.start()
    said = []
    for _ in range(3):
        ours.recv()
        time.sleep(1.0)
        said.append(cpu.memory(worker))
        ours.send(None)
    process.join()
    idle, joined = [(size - said[0]) * 1000 / SOCKETS for size in said[1:]]
    print(f"realtime: {SOCKETS} sockets of one worker, kB each")
    print(f"  idle   {idle:6.1f}   goal {IDLE_GOAL:.0f}")
    print(f"  joined {joined:6.1f}   goal {JOINED_GOAL:.0f}")


def _deliveries(worker: int, port: int, key: str) -> None:
    print(f"realtime: one worker, {MEMBERS} members, 200 bytes")
    for name, rate in (("all it can", 0.0), ("a quarter of the goal", DELIVERIES_GOAL / 4 / MEMBERS)):
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.Process(target=_members, args=(port, key, rate, theirs))
        process.start()
        ours.recv()
        before = cpu.seconds(worker)
        ours.send(None)
        count, spent, median, last = ours.recv()
        used = cpu.seconds(worker) - before
        process.join()
        print(
            f"  {name:<22} {count:>7} deliveries in {spent:5.1f} s, {used:5.2f} s of a core:"
            f" {count / used:7.0f} a second of one; delay {median:5.1f} ms, p99 {last:6.1f} ms"
        )
    print(f"  goals: {DELIVERIES_GOAL} a second of one core; p99 {P99_GOAL:.0f} ms at a quarter")
