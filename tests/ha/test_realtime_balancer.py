"""Sockets through a balancer before two gateways, one of which is killed: clients come back on the other, and what they
missed is given to them, or they are told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus

from gateway.database import SyncConnection
from tests.fixtures.db import Server, clone, drop
from tests.fixtures.server import LiveGateway, start_gateway
from tests.ha.test_failover import balancer
from tests.ha.test_realtime import JWT_SECRET, KEY
from tests.ops.procs import children, until, workers
from tests.realtime.changes.conftest import logical as logical
from tests.realtime.conftest import Line, Realtime

COUNT = 300
SCRIPT = Path(__file__).parents[1] / "realtime" / "js" / "balanced.mjs"
TABLES = """
create table public.open (id bigint primary key, title text);
grant select on public.open to anon;
alter publication supabase_realtime add table public.open;
"""
TOPIC = "realtime:balanced"
BINDING = {"event": "INSERT", "schema": "public", "table": "open"}


@pytest.fixture
def gateways(logical: tuple[Server, str], tmp_path: Path) -> Iterator[list[LiveGateway]]:
    """Two of two workers, on one database."""
    server, template = logical
    name = f"ha_balanced_{os.getpid()}_{time.monotonic_ns()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    with SyncConnection(server.database(name)) as connection:
        connection.script(TABLES)
    settings = {
        "GATEWAY_WORKERS": "2",
        "GATEWAY_TRUSTED_PROXIES": "127.0.0.1/32",
        "GATEWAY_RATE_LIMIT_REALTIME": "0",
        "PGRST_JWT_SECRET": JWT_SECRET,
        "SUPABASE_PUBLISHABLE_KEY": KEY,
    }
    with ExitStack() as stack:
        started = []
        for number in (1, 2):
            gateway = start_gateway(server.database(name), tmp_path / str(number), "serve", settings)
            stack.callback(gateway.stop)
            started.append(gateway)
        yield started
    drop(server, name)


def connections(gateway: LiveGateway) -> int:
    """Those that are open to it."""
    port = f":{int(gateway.url.rpartition(':')[2]):04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return sum(row[1].endswith(port) and row[3] == "01" for row in rows)


def kill(gateway: LiveGateway) -> None:
    """All of it at once, as a machine ends."""
    for pid in (gateway.process.pid, *children(gateway.process.pid)):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    gateway.process.wait(30)


class Returning(threading.Thread):
    """A client that notes changes, and comes back with the cursor of the last one."""

    def __init__(self, realtime: Realtime, line: Line) -> None:
        super().__init__(daemon=True)
        self.got: list[int] = []
        self.told: list[str] = []
        self.lives = 1
        self._realtime = realtime
        self._line: Line | None = line

    def run(self) -> None:
        cursor = ""
        while len(self.got) < COUNT and not self.told:
            try:
                if self._line is None:
                    self._line = self._realtime.line(key=KEY)
                    self._line.joined(TOPIC, {"postgres_changes": [{**BINDING, "since": cursor}]})
                    self.lives += 1
                message = self._line.hear(30)
            except (ConnectionClosed, OSError, InvalidStatus, InvalidMessage, EOFError):
                self._line = None
                continue
            if message.event == "postgres_changes":
                self.got.append(message.payload["data"]["record"]["id"])
                cursor = message.payload["data"]["cursor"]
            elif message.event == "system" and message.payload["status"] != "ok":
                self.told.append(message.payload["message"])


def test_clients_of_a_killed_gateway_get_on_the_other_what_they_missed(gateways: list[LiveGateway]) -> None:
    """By cursors; who is with the other one misses nothing anyway."""
    with balancer(gateways) as address, ExitStack() as stack:
        balanced = Realtime(replace(gateways[0], url=address), stack)
        lines = [balanced.line(key=KEY) for _ in range(4)]
        victim = max(gateways, key=connections)
        stays = Realtime(next(each for each in gateways if each is not victim), stack).line(key=KEY)
        for line in (*lines, stays):
            line.joined(TOPIC, {"postgres_changes": [{**BINDING, "since": ""}], "presence": {"enabled": True}})
            assert line.until("system").payload["status"] == "ok"
        lines[0].say(TOPIC, "presence", {"event": "track", "payload": {}})
        assert stays.until("presence_diff").payload["joins"]
        clients = [Returning(balanced, line) for line in lines]
        for client in clients:
            client.start()

        with SyncConnection(victim.database_url) as connection:
            for number in range(1, COUNT + 1):
                connection.script(f"insert into open values ({number})")
                if number == COUNT // 3:
                    until(lambda: all(client.got for client in clients), "all have heard of some")
                    kill(victim)

        got: list[int] = []
        left = False
        while len(got) < COUNT or not left:
            message = stays.hear(30)
            if message.event == "postgres_changes":
                got.append(message.payload["data"]["record"]["id"])
            left = left or (message.event == "presence_diff" and bool(message.payload["leaves"]))
        assert got == list(range(1, COUNT + 1))
        for client in clients:
            client.join(90)
            assert (client.got, client.told) == (list(range(1, COUNT + 1)), [])
            assert client.lives > 1


def test_the_official_client_comes_back_by_itself(gateways: list[LiveGateway]) -> None:
    """Through the balancer: its channel is joined again on the other gateway, where it hears and is there again."""
    with balancer(gateways) as address, ExitStack() as stack:
        client = subprocess.Popen(
            ["node", "--experimental-websocket", "--no-warnings", str(SCRIPT)],
            env={"PATH": os.environ["PATH"], "REALTIME_URL": address, "REALTIME_KEY": KEY},
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.callback(client.wait, 30)
        stack.callback(client.kill)
        assert client.stdout is not None
        said = stack.enter_context(client.stdout)

        def told(kind: str) -> object:
            while True:
                line = said.readline()
                assert line, f"the client ended before {kind}"
                if (message := json.loads(line))[0] == kind:
                    return message[1]

        assert told("status") == "SUBSCRIBED"
        victim = max(gateways, key=connections)
        other = next(each for each in gateways if each is not victim)
        watcher = Realtime(other, stack).line(key=KEY).joined("realtime:room", {"presence": {"enabled": True}})
        until(lambda: "ann" in watcher.hear().payload, "the client is there")
        kill(victim)
        while told("status") != "SUBSCRIBED":
            pass
        until(lambda: "ann" in watcher.until("presence_diff", 30).payload["joins"], "it is there again")
        watcher.say("realtime:room", "broadcast", {"type": "broadcast", "event": "hi", "payload": {"n": 1}})
        assert told("heard") == {"n": 1}
        assert len(workers(other)) == 2
