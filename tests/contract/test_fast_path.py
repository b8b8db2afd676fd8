"""What goes by the fast path is answered as by the plain way, to the byte: every case of the contract, sent to both."""

from __future__ import annotations

import re
import socket
from contextlib import closing
from dataclasses import replace

import httpx
import pytest

from tests.contract.case import Case
from tests.contract.harness import Service
from tests.contract.test_cases import ROWS
from tests.fixtures.contract import MAIN, Services

# What differs between two answers to the same request: when, which, and how long it took.
UNLIKE = re.compile(rb"(?im)^(date|x-request-id|x-trace|server-timing):[^\r]*\r\n")


class Written(httpx.BaseTransport):
    """Sends each request as bytes on a connection of its own, and keeps what comes back."""

    def __init__(self) -> None:
        self.answer = b""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        body = request.read()
        lines = [b"%s %s HTTP/1.1" % (request.method.encode(), request.url.raw_path), b"Host: harbour"]
        skipped = (b"host", b"connection", b"accept-encoding", b"user-agent")
        lines += [name + b": " + value for name, value in request.headers.raw if name.lower() not in skipped]
        whole = b"\r\n".join([*lines, b"Connection: close", b"", body])
        with closing(socket.create_connection((request.url.host, request.url.port or 80), timeout=60)) as client:
            client.sendall(whole)
            self.answer = b"".join(iter(lambda: client.recv(65_536), b""))
        return httpx.Response(200)


def answer(service: Service, case: Case) -> bytes:
    written = Written()
    with httpx.Client(transport=written) as client:
        replace(service, client=client).send(case)
    head, mark, body = written.answer.partition(b"\r\n\r\n")
    port = service.url.rpartition(":")[2].encode()  # which the root's document names
    return UNLIKE.sub(b"", head + b"\r\n") + mark + body.replace(b"127.0.0.1:" + port, b"127.0.0.1:PORT")


@pytest.mark.parametrize("profile", sorted({case.profile for _, case in ROWS}))
def test_both_ways_answer_alike_to_the_byte(profile: str, services: Services) -> None:
    fast, plain = services(MAIN, profile), services(MAIN, profile, "without the fast path")
    compared = 0
    for topic, case in ROWS:
        if case.profile != profile:
            continue
        expected = answer(plain, case)
        found = [answer(fast, case) for _ in range(2)]  # the second may be one that is not parsed again
        if expected == answer(plain, case):  # else it answers anew each time, as with a number that is drawn
            assert found == [expected] * 2, f"{topic}: {case.title}"
            compared += 1
    assert compared > 3
