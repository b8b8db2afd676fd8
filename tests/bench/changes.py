"""Changes of tables: from commit to delivery, and what 500 subscribers with users of their own cost under policies."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from typing import Any

import httpx
import jwt
from websockets.asyncio.client import ClientConnection, connect

from gateway.database import SyncConnection
from tests.bench import cpu
from tests.bench.realtime import serving
from tests.fixtures.server import LiveGateway
from tests.ops.procs import workers

RATE, SECONDS = 10, 20  # changes a second, for so long
SUBSCRIBERS = int(os.environ.get("BENCH_SUBSCRIBERS", "500"))
BURSTS, BURST = 20, 50  # transactions, and changes in each
MEDIAN_GOAL = 100.0  # ms
TABLES = """
create table public.notes (id bigint primary key, owner text, at float8);
create index on public.notes (owner);
alter table public.notes enable row level security;
create policy own on public.notes for select to authenticated using (owner = (select auth.jwt() ->> 'sub'));
grant select on public.notes to authenticated;
alter publication supabase_realtime add table public.notes;
"""


def main() -> None:
    """Print all of it."""
    with serving() as gateway:
        with SyncConnection(gateway.database_url) as connection:
            connection.script(TABLES)
        asyncio.run(_play(gateway))


async def _subscribed(gateway: LiveGateway, user: str) -> ClientConnection:
    token = jwt.encode(
        {"role": "authenticated", "sub": user, "exp": int(time.time()) + 3600}, gateway.keys["jwt_secret"], "HS256"
    )
    address = f"{gateway.url.replace('http', 'ws', 1)}/realtime/v1/websocket?apikey={gateway.publishable_key}&vsn=2.0.0"
    socket = await connect(address, compression=None, open_timeout=60)
    binding = {"event": "INSERT", "schema": "public", "table": "notes"}
    payload = {"config": {"postgres_changes": [binding]}, "access_token": token}
    await socket.send(json.dumps(["1", "1", f"realtime:{user}", "phx_join", payload]))
    while json.loads(await socket.recv())[3] != "system":
        pass
    return socket


async def _play(gateway: LiveGateway) -> None:
    sockets: list[ClientConnection] = [await _subscribed(gateway, "user0")]
    delays = await _delays(gateway, sockets[0])
    print(f"a change's way from commit to socket at {RATE} a second, median {_middle(delays):.1f} ms,", end=" ")
    print(f"p99 {delays[int(len(delays) * 0.99)]:.1f} ms (goal: median at most {MEDIAN_GOAL:g} ms)")
    for at in range(1, SUBSCRIBERS, 50):
        more = [_subscribed(gateway, f"user{number}") for number in range(at, min(at + 50, SUBSCRIBERS))]
        sockets += await asyncio.gather(*more)
    delays = await _delays(gateway, sockets[0])
    print(
        f"with {SUBSCRIBERS} subscribers of different users under a policy: median {_middle(delays):.1f} ms,", end=" "
    )
    print(f"p99 {delays[int(len(delays) * 0.99)]:.1f} ms")
    await _bursts(gateway, sockets)
    for socket in sockets:
        await socket.close()


def _middle(values: list[float]) -> float:
    return values[len(values) // 2]


async def _delays(gateway: LiveGateway, socket: ClientConnection) -> list[float]:
    """Changes of one user, one by one; ms from each commit to its message."""
    committed: dict[int, float] = {}
    delays: list[float] = []

    def write() -> None:
        with SyncConnection(gateway.database_url) as connection:
            ((first,),) = connection.rows("select coalesce(max(id), 0) + 1 from notes")
            began = time.monotonic()
            for number in range(RATE * SECONDS):
                time.sleep(max(0.0, began + number / RATE - time.monotonic()))
                id = int(first or 0) + number
                connection.script(f"insert into notes values ({id}, 'user0', 0)")
                committed[id] = time.monotonic()

    writing = asyncio.create_task(asyncio.to_thread(write))
    while len(delays) < RATE * SECONDS:
        message = json.loads(await socket.recv())
        if message[3] == "postgres_changes":
            now, id = time.monotonic(), message[4]["data"]["record"]["id"]
            delays.append(max(0.0, now - committed.get(id, now)) * 1000)
    await writing
    return sorted(delays)


async def _bursts(gateway: LiveGateway, sockets: list[ClientConnection]) -> None:
    """Changes of all users; each is heard by one of them."""
    (worker,) = workers(gateway)
    statements, spent = _statements(gateway), cpu.seconds(worker)
    total = BURSTS * BURST

    async def count(socket: ClientConnection, wanted: int) -> None:
        while wanted:
            wanted -= json.loads(await socket.recv())[3] == "postgres_changes"

    def write() -> None:
        with SyncConnection(gateway.database_url) as connection:
            for number in range(BURSTS):
                connection.script(
                    f"insert into notes select 1000000 + {number * BURST} + n, 'user' || ({number * BURST} + n)"
                    f" % {SUBSCRIBERS}, 0 from generate_series(0, {BURST - 1}) n"
                )

    wanted = [total // SUBSCRIBERS + (number < total % SUBSCRIBERS) for number in range(SUBSCRIBERS)]
    began = time.monotonic()
    async with asyncio.timeout(300):
        await asyncio.gather(asyncio.to_thread(write), *(count(*each) for each in zip(sockets, wanted, strict=True)))
    passed = time.monotonic() - began
    await asyncio.sleep(2.0)
    asked = _statements(gateway) - statements
    print(
        f"{total} changes in {BURSTS} transactions for {SUBSCRIBERS} users, each heard by one: {passed:.2f} s,", end=" "
    )
    print(f"{passed / total * 1000:.2f} ms a change, {asked:.0f} statements about policies,", end=" ")
    print(f"{(cpu.seconds(worker) - spent) / total * 1e6:.0f} µs of the worker's processor a change")


def _statements(gateway: LiveGateway) -> float:
    text: Any = httpx.get(f"{gateway.note['admin']}/metrics").text
    return sum(
        float(value) for value in re.findall(r"^gateway_realtime_changes_statements\S* (\S+)$", text, re.MULTILINE)
    )
