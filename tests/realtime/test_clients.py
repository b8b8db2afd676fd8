"""The official clients, unmodified: realtime-js in Node, supabase-py's realtime."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from realtime import AsyncRealtimeChannel, AsyncRealtimeClient, RealtimeSubscribeStates

from gateway.database import SyncConnection
from tests.fixtures.server import LiveGateway
from tests.realtime.conftest import Realtime

SCRIPT = Path(__file__).parent / "js" / "realtime.test.mjs"
COMPAT = Path(__file__).parent / "js" / "compat.test.mjs"
POLICIES = """
create policy "in" on realtime.messages for select to authenticated using (realtime.topic() = 'open');
create policy "out" on realtime.messages for insert to authenticated with check (realtime.topic() = 'open');
"""


@pytest.fixture(scope="module", autouse=True)
def policies(running: LiveGateway) -> None:
    with SyncConnection(running.database_url) as connection:
        connection.script(POLICIES)


def test_the_javascript_client_finds_all_it_needs(realtime: Realtime) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "REALTIME_URL": realtime.url,
        "REALTIME_KEY": realtime.gateway.publishable_key,
        "REALTIME_TOKEN": realtime.token(),
    }
    done = subprocess.run(
        ["node", "--experimental-websocket", "--no-warnings", "--test", "--test-reporter=tap", str(SCRIPT)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_thin_client_finds_all_it_needs(realtime: Realtime, tmp_path: Path) -> None:
    realtime.sql(
        "create table public.thin (id int primary key, title text); grant select on public.thin to anon;"
        "alter publication supabase_realtime add table public.thin"
    )
    package = Path(__file__).parents[2] / "supabase-compat"
    subprocess.run(["node", str(package / "scripts" / "build.mjs"), str(tmp_path)], check=True, capture_output=True)
    environment = {
        "PATH": os.environ["PATH"],
        "REALTIME_URL": realtime.url,
        "REALTIME_KEY": realtime.gateway.publishable_key,
        "SECRET_KEY": realtime.gateway.secret_key,
        "REALTIME_TOKEN": realtime.token(),
        "COMPAT": str(tmp_path / "index.js"),
    }
    done = subprocess.run(
        ["node", "--experimental-websocket", "--no-warnings", "--test", "--test-reporter=tap", str(COMPAT)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def client(realtime: Realtime) -> AsyncRealtimeClient:
    return AsyncRealtimeClient(f"{realtime.url}/realtime/v1", realtime.gateway.publishable_key)


async def subscribed(channel: AsyncRealtimeChannel) -> AsyncRealtimeChannel:
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def told(state: RealtimeSubscribeStates, error: Exception | None) -> None:
        if not done.done():
            if state == RealtimeSubscribeStates.SUBSCRIBED:
                done.set_result(None)
            else:
                done.set_exception(error or RuntimeError(state))

    await channel.subscribe(told)
    await asyncio.wait_for(done, 10)
    return channel


def test_the_python_client_broadcasts(realtime: Realtime) -> None:
    async def run() -> dict[str, Any]:
        one, two = client(realtime), client(realtime)
        await one.connect()
        await two.connect()
        name = f"py-{time.monotonic_ns()}"
        heard: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        hearer = two.channel(name)
        hearer.on_broadcast("hi", heard.set_result)
        await subscribed(hearer)
        sender = await subscribed(one.channel(name, {"config": {"broadcast": {"ack": True, "self": False}}}))  # type: ignore[arg-type]
        await sender.send_broadcast("hi", {"n": 1})
        message: dict[str, Any] = await asyncio.wait_for(heard, 10)
        await one.remove_channel(sender)
        await one.close()
        await two.close()
        return message

    assert asyncio.run(run())["payload"] == {"n": 1}


def test_the_python_client_sees_who_is_there(realtime: Realtime) -> None:
    async def run() -> Any:
        one, two = client(realtime), client(realtime)
        await one.connect()
        await two.connect()
        name = f"py-{time.monotonic_ns()}"
        joined: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        seer = two.channel(name)
        seer.on_presence_join(lambda key, before, fresh: None if joined.done() else joined.set_result((key, fresh)))
        await subscribed(seer)
        tracker = await subscribed(one.channel(name, {"config": {"presence": {"key": "ann", "enabled": True}}}))  # type: ignore[arg-type]
        await tracker.track({"on": 1})
        found = await asyncio.wait_for(joined, 10)
        await one.close()
        await two.close()
        return found

    key, fresh = asyncio.run(run())
    assert key == "ann"
    assert fresh[0]["on"] == 1
