"""Two gateways behave as one, whatever carries messages between them: Postgres, Redis or NATS, each a real server."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.fixtures.db import Server, clone
from tests.fixtures.server import LiveGateway, start_gateway
from tests.ha.packages import program
from tests.ops.procs import workers
from tests.realtime.conftest import Line, Realtime

JWT_SECRET = "a secret that both gateways share, of many letters"
SAID = {"type": "broadcast", "event": "hi", "payload": {"n": 1}}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def broker(kind: str, folder: Path) -> Iterator[str]:
    """A server between gateways; its address."""
    if kind == "postgres":
        yield "postgres"
        return
    port = free_port()
    arguments = {
        "redis": [
            program("redis-server"),
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--dir",
            str(folder),
        ],
        "nats": [program("nats-server"), "--addr", "127.0.0.1", "--port", str(port)],
    }[kind]
    process = subprocess.Popen([str(each) for each in arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"{kind}://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="module", params=["postgres", "redis", "nats"])
def pair(
    request: pytest.FixtureRequest, server: Server, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[LiveGateway, LiveGateway]]:
    """Two gateways of two workers on one database."""
    name = f"ha_realtime_{request.param}_{os.getpid()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    folder = tmp_path_factory.mktemp(request.param)
    with ExitStack() as stack:
        address = stack.enter_context(broker(request.param, folder))
        settings = {
            "GATEWAY_WORKERS": "2",
            "GATEWAY_REALTIME_BUS": address,
            "PGRST_JWT_SECRET": JWT_SECRET,
            "SUPABASE_PUBLISHABLE_KEY": "sb_publishable_of_both",
        }
        gateways = []
        for number in (1, 2):
            gateway = start_gateway(server.database(name), folder / str(number), "serve", settings)
            stack.callback(gateway.stop)
            gateways.append(gateway)
        yield gateways[0], gateways[1]
        for gateway in gateways:
            assert not [line for line in gateway.output if "Traceback" in line], "".join(gateway.output)
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')


@pytest.fixture
def both(pair: tuple[LiveGateway, LiveGateway]) -> Iterator[tuple[Realtime, Realtime]]:
    with ExitStack() as stack:
        yield Realtime(pair[0], stack), Realtime(pair[1], stack)


KEY = "sb_publishable_of_both"


def lines(both: tuple[Realtime, Realtime], topic: str) -> tuple[Line, Line]:
    config = {"presence": {"enabled": True}}
    one = both[0].line(key=KEY).joined(topic, config)
    two = both[1].line(1, key=KEY).joined(topic, config)
    one.until("presence_state")
    two.until("presence_state")
    return one, two


def test_broadcasts_cross_in_order(both: tuple[Realtime, Realtime]) -> None:
    topic = f"realtime:{time.monotonic_ns()}"
    one, two = lines(both, topic)
    for n in range(100):
        size = 20_000 if n % 10 == 3 else 1  # some are too long for a notice of Postgres
        one.say(topic, "broadcast", {"event": "n", "payload": [n, "x" * size]})
    assert [two.hear().payload["payload"][0] for _ in range(100)] == list(range(100))
    two.say(topic, "broadcast", SAID)
    assert one.hear().payload == SAID
    sent = both[1].post(
        "/api/broadcast",
        json={"messages": [{"topic": topic[9:], "event": "rest", "payload": {}}]},
        headers={"apikey": KEY},
    )
    assert sent.status_code == 202
    assert {one.hear().payload["event"], two.hear().payload["event"]} == {"rest"}


def test_presence_crosses_and_ends_with_its_socket(both: tuple[Realtime, Realtime]) -> None:
    topic = f"realtime:{time.monotonic_ns()}"
    one, two = lines(both, topic)
    one.say(topic, "presence", {"event": "track", "payload": {"who": "one"}})
    (entry,) = two.until("presence_diff").payload["joins"].values()
    assert entry["metas"][0]["who"] == "one"
    late = both[1].line(key=KEY).joined(topic, {"presence": {"enabled": True}})
    assert len(late.until("presence_state").payload) == 1
    one.socket.close()
    assert two.until("presence_diff").payload["leaves"]


def test_a_message_of_the_database_reaches_both_once(both: tuple[Realtime, Realtime]) -> None:
    topic = f"realtime:{time.monotonic_ns()}"
    one, two = lines(both, topic)
    both[0].sql(f"select realtime.send('{{\"a\": 1}}', 'e', '{topic[9:]}', false)")
    assert one.hear().raw is not None
    assert two.hear().payload["event"] == "e"
    assert one.silent()
    assert two.silent()


def test_the_presences_of_a_killed_worker_leave(both: tuple[Realtime, Realtime]) -> None:
    topic = f"realtime:{time.monotonic_ns()}"
    watcher = both[0].line(key=KEY).joined(topic, {"presence": {"enabled": True}})
    trackers = [both[1].line(key=KEY).joined(topic) for _ in range(8)]  # some on each worker
    for tracker in trackers:
        tracker.say(topic, "presence", {"event": "track", "payload": {}})
    joined: set[str] = set()
    while len(joined) < len(trackers):
        joined |= set(watcher.until("presence_diff").payload["joins"])
    for pid in workers(both[1].gateway):
        os.kill(pid, signal.SIGKILL)
    left: set[str] = set()
    while left != joined:
        left |= set(watcher.until("presence_diff", 25.0).payload["leaves"])
