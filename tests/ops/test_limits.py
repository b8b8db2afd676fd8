"""Clients that ask too much, or too slowly, at a live gateway."""

from __future__ import annotations

import socket
from contextlib import closing
from urllib.parse import urlsplit

import httpx
import pytest

from gateway.database import SyncConnection
from tests.fixtures.server import GatewayStarter, LiveGateway
from tests.ops.procs import LIMIT, nap, prepare, until

VISITOR = {"x-forwarded-for": "203.0.113.9"}
TRUSTED = {"GATEWAY_TRUSTED_PROXIES": "127.0.0.1/32"}


@pytest.mark.parametrize(
    ("service", "path"),
    [
        ("TABLES", "/rest/v1/blog_posts?select=id&limit=1"),
        ("AUTH", "/auth/v1/settings"),
        ("FUNCTIONS", "/functions/v1/nothing"),
    ],
)
def test_too_many_requests_are_told_when_to_come_back(gateways: GatewayStarter, service: str, path: str) -> None:
    gateway = gateways(extra={**TRUSTED, "GATEWAY_WORKERS": "2", f"GATEWAY_RATE_LIMIT_{service}": "0.5"})
    headers = {"apikey": gateway.publishable_key}
    refused = []
    for _ in range(12):  # each on a connection of its own, so that either worker may get it
        answer = httpx.get(f"{gateway.url}{path}", headers={**headers, **VISITOR})
        if answer.status_code == 429:
            refused.append(answer)
    assert 6 <= len(refused) <= 7, "five at once, whichever worker is asked"
    assert all(1 <= int(answer.headers["retry-after"]) <= 2 for answer in refused)
    assert all("Too many requests" in answer.json()["message"] for answer in refused)
    assert all(answer.headers["x-request-id"] for answer in refused)
    other = httpx.get(f"{gateway.url}{path}", headers={**headers, "x-forwarded-for": "203.0.113.10"})
    assert other.status_code != 429


@pytest.fixture
def impatient(gateways: GatewayStarter, database_url: str) -> LiveGateway:
    prepare(database_url)
    return gateways(extra={"GATEWAY_CLIENT_TIMEOUT": "1"})


def connect(gateway: LiveGateway) -> socket.socket:
    parts = urlsplit(gateway.url)
    assert parts.hostname and parts.port
    return socket.create_connection((parts.hostname, parts.port), timeout=LIMIT)


def received(client: socket.socket) -> bytes:
    """What comes until the gateway ends the connection."""
    chunks = []
    try:
        while chunk := client.recv(65_536):
            chunks.append(chunk)
    except ConnectionResetError:
        pass
    return b"".join(chunks)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /rest/v1/ HTTP/1.1\r\nHost: x\r\nX-Slow: ",
        b"POST /rest/v1/rpc/nap HTTP/1.1\r\nHost: x\r\napikey: KEY\r\nContent-Length: 500000\r\n\r\n{",
    ],
    ids=["says nothing", "half a head", "half a body"],
)
def test_a_slow_sender_is_closed(impatient: LiveGateway, sent: bytes) -> None:
    with closing(connect(impatient)) as client:
        client.sendall(sent.replace(b"KEY", impatient.publishable_key.encode()))
        assert received(client).startswith(b"HTTP/1.1 408 ")
    assert nap(impatient, 0).status_code == 200


def test_a_slow_answer_is_no_slow_client(impatient: LiveGateway) -> None:
    assert nap(impatient, 3).status_code == 200


def test_a_reader_that_does_not_read_is_closed(impatient: LiveGateway, database_url: str) -> None:
    with SyncConnection(database_url) as connection:
        connection.script(
            "create function public.much() returns text language sql as $$ select repeat('x', 60000000) $$;"
            "grant execute on function public.much to anon"
        )
    path, key = "/rest/v1/rpc/much", impatient.publishable_key
    headers = {"apikey": key}
    until(lambda: httpx.head(f"{impatient.url}{path}", headers=headers, timeout=LIMIT).is_success, "it is known")
    with closing(connect(impatient)) as client:
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\napikey: {key}\r\n\r\n".encode())
        assert client.recv(12) == b"HTTP/1.1 200"
        mine = client.getsockname()[1]
        until(lambda: mine not in connections_to(impatient), "the gateway ends what its client does not read")


def connections_to(gateway: LiveGateway) -> set[int]:
    """Remote ports of the gateway's established connections."""
    port = urlsplit(gateway.url).port
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return {int(row[2].split(":")[1], 16) for row in rows if int(row[1].split(":")[1], 16) == port and row[3] == "01"}


def test_an_endless_head_is_refused(impatient: LiveGateway) -> None:
    with closing(connect(impatient)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        try:
            for number in range(200):
                client.sendall(b"X-%d: %s\r\n" % (number, b"a" * 8000))
        except (BrokenPipeError, ConnectionResetError):
            pass
        answer = received(client)
        assert answer.startswith(b"HTTP/1.1 431 ") or not answer
    assert nap(impatient, 0).status_code == 200
