"""Limits and what happens past them: channels, payloads, rates, clients that do not read, a server that ends."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from gateway.realtime.limits import BUCKET, Rate
from tests.fixtures.db import Server, clone
from tests.fixtures.server import LiveGateway, start_gateway
from tests.ops.test_metrics import admin_of
from tests.realtime.conftest import Line, Realtime

Room = Callable[[], str]


@pytest.fixture(scope="module")
def extra_settings() -> dict[str, str]:
    return {
        "GATEWAY_WORKERS": "1",
        "GATEWAY_REALTIME_MAX_CHANNELS": "3",
        "GATEWAY_REALTIME_MAX_PAYLOAD_KB": "10",
        "GATEWAY_REALTIME_QUEUE_BYTES": "200000",
        "GATEWAY_REALTIME_MAX_CONNECTIONS": "20",
        "GATEWAY_ACCESS_LOG": "true",
    }


def test_a_socket_has_so_many_channels(realtime: Realtime, room: Room) -> None:
    line = realtime.line()
    topics = [room() for _ in range(3)]
    for topic in topics:
        line.joined(topic)
    refused = line.join(room())
    assert refused.payload["response"] == {"reason": "ChannelRateLimitReached: Too many channels"}
    line.joined(topics[0])  # again: it is one of them
    line.until("phx_close")
    line.say(topics[1], "phx_leave", {})
    line.until("phx_close")
    line.joined(room())


def test_payloads_have_a_size(realtime: Realtime, room: Room) -> None:
    line, topic = realtime.line(), room()
    line.joined(topic, {"broadcast": {"ack": True}})
    line.say(topic, "broadcast", {"event": "e", "payload": "x" * 11_000}, ref="1")
    assert line.hear().payload == {"status": "error", "response": {}}
    line.say(topic, "broadcast", {"event": "e", "payload": "x" * 9_000}, ref="2")
    assert line.hear().payload["status"] == "ok"
    line.say(topic, "presence", {"event": "track", "payload": {"x": "x" * 11_000}}, ref="3")
    assert line.hear().payload["message"] == "Track message size exceeded"
    assert line.hear().event == "phx_close"


def test_what_a_join_leaves_in_memory_is_bounded(realtime: Realtime) -> None:
    line = realtime.line()
    refusal = {"reason": "InvalidJoinPayload: Topic or join are too long"}
    assert line.join("realtime:" + "x" * 3_000).payload["response"] == refusal
    assert line.join("realtime:x", {"postgres_changes": [{"table": "x" * 100_000}]}).payload["response"] == refusal
    line.joined("realtime:x")


def test_a_worker_has_so_many_sockets(realtime: Realtime) -> None:
    lines: list[Line] = []
    headers = {"x-api-key": realtime.gateway.publishable_key}
    with pytest.raises(Exception, match="429"):
        lines += [realtime.line(headers=headers) for _ in range(25)]
    for line in lines:
        line.socket.close()


def test_who_does_not_read_is_let_go_and_slows_nobody(realtime: Realtime, room: Room) -> None:
    topic = room()
    deaf, sender, hearer = realtime.line(), realtime.line(), realtime.line()
    deaf.joined(topic)
    deaf.socket.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.socket.recv_messages.pause()
    for line in (sender, hearer):
        line.joined(topic)
    heard = 0
    for n in range(1500):
        sender.push(topic, "e", b"x" * 9_000, 0)
        if n % 20 == 19:
            while heard <= n - 19:
                assert hearer.hear().raw is not None
                heard += 1
    deaf.socket.recv_messages.resume()
    with pytest.raises(ConnectionClosed):
        for _ in range(1500):
            deaf.hear()
    end = time.monotonic() + 10
    while sum(_metric(realtime.gateway, "gateway_realtime_slow_consumers_total")) < 1 and time.monotonic() < end:
        time.sleep(0.2)
    assert sum(_metric(realtime.gateway, "gateway_realtime_slow_consumers_total")) == 1
    assert sum(_metric(realtime.gateway, "gateway_realtime_messages_out_total")) >= 1500


def _metric(gateway: LiveGateway, name: str) -> list[float]:
    page = httpx.get(f"{admin_of(gateway)}/metrics").text
    return [float(line.split()[-1]) for line in page.splitlines() if line.startswith(name)]


def test_the_key_is_not_in_the_access_log(realtime: Realtime) -> None:
    line = realtime.line(key=realtime.gateway.secret_key)
    line.say("phoenix", "heartbeat", {})
    line.hear()
    log: Path = realtime.gateway.data_dir / "access.jsonl"
    end = time.monotonic() + 10
    while time.monotonic() < end and (not log.exists() or "websocket" not in log.read_text()):
        time.sleep(0.1)
    text = log.read_text()
    assert '"path":"/realtime/v1/websocket","status":101' in text
    assert "sb_" not in text


def test_a_rate_is_an_average_over_buckets() -> None:
    now = 0.0
    rate = Rate(10, lambda: now)
    rate.add(1000)
    assert not rate.exceeded  # a burst shorter than a bucket
    now = BUCKET
    assert rate.exceeded
    now = 13 * BUCKET
    rate.add(0)
    assert not rate.exceeded
    assert not Rate(0, lambda: now).exceeded


def test_a_server_that_ends_says_so(server: Server, template: str, tmp_path: Path) -> None:
    name = f"realtime_end_{time.monotonic_ns()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    gateway = start_gateway(server.database(name), tmp_path / "g", "serve", {"GATEWAY_WORKERS": "1"})
    with ExitStack() as stack:
        realtime = Realtime(gateway, stack)
        line = realtime.line().joined("realtime:x")
        gateway.process.send_signal(signal.SIGTERM)
        said = line.until("system").payload
        assert said["message"] == "Server requested disconnect"
        with pytest.raises(ConnectionClosed) as closed:
            line.hear()
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1012
    gateway.process.wait(30)
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')
