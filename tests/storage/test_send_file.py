"""Large objects are sent by the kernel: whole, in order, to whoever takes them, and for no longer than he does."""

from __future__ import annotations

import hashlib
import os
import socket
import time
from pathlib import Path

import httpx
import pytest

from tests.bench.cpu import children
from tests.storage.conftest import Storage

SIZE = 12_000_000


@pytest.fixture(scope="module")
def large(storage: Storage) -> tuple[str, bytes]:
    """The address of an object, and its bytes."""
    content = hashlib.shake_256(b"large").digest(SIZE)
    with storage.client(storage.secret) as admin:
        admin.post("/bucket", json={"name": "large", "public": True})
        admin.put("/object/large/a.bin", content=content)
    return "/object/public/large/a.bin", content


def test_what_is_sent_is_what_was_put(anybody: httpx.Client, large: tuple[str, bytes]) -> None:
    url, content = large
    for _ in range(2):  # on one connection
        assert anybody.get(url).content == content
    for start, end in ((0, 100_000), (5, 1_048_580), (SIZE - 70_000, SIZE - 1), (1_048_576, 3_145_727)):
        answer = anybody.get(url, headers={"range": f"bytes={start}-{end}"})
        assert (answer.status_code, answer.content) == (206, content[start : end + 1])
        assert answer.headers["content-length"] == str(end - start + 1)
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "x-request-id" in answer.headers


def address(storage: Storage) -> tuple[str, int]:
    host, _, port = storage.gateway.url.removeprefix("http://").partition(":")
    return host, int(port)


def test_requests_behind_one_another_are_answered_in_their_order(storage: Storage, large: tuple[str, bytes]) -> None:
    url, content = large
    ask = f"GET /storage/v1{url} HTTP/1.1\r\nhost: x\r\nrange: bytes=%d-%d\r\n\r\n"
    with socket.create_connection(address(storage), timeout=20) as connection:
        connection.sendall((ask % (0, 2_999_999) + ask % (3_000_000, 5_999_999) + ask % (0, 9)).encode())
        got = b""
        while got.count(b"HTTP/1.1 206") < 3 or not got.endswith(content[:10]):
            piece = connection.recv(1_000_000)
            assert piece
            got += piece
    bodies = [part.partition(b"\r\n\r\n")[2] for part in got.split(b"HTTP/1.1 206")[1:]]
    assert bodies == [content[:3_000_000], content[3_000_000:6_000_000], content[:10]]


def test_a_head_that_asks_for_the_end_ends_the_connection(storage: Storage, large: tuple[str, bytes]) -> None:
    url, content = large
    with socket.create_connection(address(storage), timeout=20) as connection:
        connection.sendall(f"GET /storage/v1{url} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode())
        got = connection.makefile("rb").read()
    assert got.partition(b"\r\n\r\n")[2] == content


def open_blobs(storage: Storage) -> int:
    """How many files of objects the gateway's processes have open."""
    found = 0
    for pid in children(storage.gateway.process.pid):
        for entry in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                found += "/storage/objects/" in os.readlink(entry)
            except OSError:
                continue
    return found


def test_who_leaves_in_the_midst_leaves_nothing_open(storage: Storage, large: tuple[str, bytes]) -> None:
    url, _ = large
    connections = []
    for _ in range(10):
        connection = socket.create_connection(address(storage), timeout=20)
        connection.sendall(f"GET /storage/v1{url} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
        assert connection.recv(1000).startswith(b"HTTP/1.1 200")
        connections.append(connection)
    assert open_blobs(storage) > 0
    for connection in connections:
        connection.close()
    end = time.monotonic() + 20
    while open_blobs(storage):
        assert time.monotonic() < end
        time.sleep(0.1)
