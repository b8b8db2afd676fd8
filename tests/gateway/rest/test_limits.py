"""What is too long, too deep or too large is refused with a clear error, in flat memory, and neighbours are served."""

from __future__ import annotations

import os
import re
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from gateway.database import SyncConnection
from tests.bench.cpu import children
from tests.fixtures.db import Server, clone
from tests.fixtures.server import LiveGateway, start_gateway

SCHEMA = """
create table public.marks (n int primary key, note text);
insert into public.marks select n, 'mark ' || n from generate_series(1, 20000) n;
grant all on public.marks to anon;
create function public.echo(text) returns text stable language sql as $$ select $1 $$;
"""
DEEP = 1_000
LONGEST = 60_000  # bytes of a URL
LARGE = 100_000_000  # bytes
PIECE = b'{"n": 1, "note": "' + b"x" * 65_000 + b'"},'
GROWTH = 120_000_000  # bytes: what a body below the limit may take, and far from the body that is refused


@pytest.fixture(scope="module")
def gateway(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveGateway]:
    """One for all: nothing here is written, and what one of them kept would show in the next."""
    name = f"limits_{os.getpid()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    with SyncConnection(server.database(name)) as connection:
        connection.script(SCHEMA)
    extra = {"REST_PREFIX": "", "PGRST_DB_MAX_ROWS": "", "GATEWAY_MAX_URL_BYTES": str(LONGEST)}
    gateway = start_gateway(server.database(name), tmp_path_factory.mktemp(name), "serve", extra)
    yield gateway
    gateway.stop()
    with server.admin() as admin:
        admin.script(f'drop database "{name}" with (force)')


def _peak(gateway: LiveGateway) -> int:
    """The most memory that the gateway's processes have had, in bytes."""
    total = 0
    for pid in (gateway.process.pid, *children(gateway.process.pid)):
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
        assert found is not None
        total += int(found[1]) * 1024
    return total


def _beside(gateway: LiveGateway, work: Callable[[], None]) -> list[int]:
    """Statuses of the reads of a neighbour while `work` goes on, and of one after it."""
    statuses: list[int] = []
    over = threading.Event()

    def read() -> None:
        with httpx.Client(base_url=gateway.url, timeout=60) as client:
            while not over.is_set():
                statuses.append(client.get("/marks?n=eq.7&select=note").status_code)
            statuses.append(client.get("/marks?n=eq.7&select=note").status_code)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        work()
    finally:
        over.set()
        reader.join()
    return statuses


def _post_large(gateway: LiveGateway, head: bytes, *, chunked: bool) -> bytes:
    """Send a body of LARGE bytes, whether anybody reads it or not; the first line of the answer."""
    address = urlsplit(gateway.url)
    length = b"transfer-encoding: chunked" if chunked else b"content-length: %d" % LARGE
    with socket.create_connection((address.hostname, address.port), timeout=60) as opened:
        opened.sendall(head + b"\r\nhost: x\r\ncontent-type: application/json\r\n" + length + b"\r\n\r\n")
        sent = 0
        try:
            while sent < LARGE:
                piece = PIECE[: LARGE - sent]
                opened.sendall(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
                sent += len(piece)
            if chunked:
                opened.sendall(b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            pass  # refused before it was all sent; the answer is there to be read
        return opened.makefile("rb").readline()


def test_large_bodies_are_refused_in_flat_memory(gateway: LiveGateway) -> None:
    before = _peak(gateway)
    answers: list[bytes] = []

    def post(head: bytes, chunked: bool) -> None:
        answers.append(_post_large(gateway, head, chunked=chunked))

    def work() -> None:
        heads = (b"POST /marks HTTP/1.1", b"POST /rpc/echo HTTP/1.1")
        senders = [threading.Thread(target=post, args=(head, head == heads[0])) for head in heads]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()

    assert set(_beside(gateway, work)) == {200}
    assert [answer.split()[1] for answer in answers] == [b"413", b"413"]
    assert _peak(gateway) - before < GROWTH


NESTED = {
    "logic": "/marks?or=" + "(or" * DEEP + "(n.eq.1,n.eq.2)" + ")" * DEEP,
    "negated logic": "/marks?and=" + "(not.or" * DEEP + "(n.eq.1)" + ")" * DEEP,
    "embeds": "/marks?select=" + "marks(" * DEEP + "n" + ")" * DEEP,
    "spreads": "/marks?select=" + "...marks(" * DEEP + "n" + ")" * DEEP,
    "parentheses alone": "/marks?or=" + "(" * DEEP + ")" * DEEP,
    "a select of parentheses": "/marks?select=" + "(" * DEEP,
    "an order of parentheses": "/marks?order=" + "n(" * DEEP,
    "a key of dots": "/marks?" + "n." * DEEP + "n=eq.1",
    "a list of lists": "/marks?n=in." + "(" * DEEP + "1" + ")" * DEEP,
}


@pytest.mark.parametrize("target", NESTED.values(), ids=NESTED)
def test_deep_nesting_is_refused_with_a_clear_error(gateway: LiveGateway, target: str) -> None:
    answers: list[httpx.Response] = []
    statuses = _beside(gateway, lambda: answers.extend(httpx.get(gateway.url + target) for _ in range(3)))
    assert set(statuses) == {200}
    for answer in answers:
        assert answer.status_code == 400
        assert answer.json()["code"] in ("PGRST100", "PGRST108", "22P02")
        assert answer.json()["message"]


def test_a_list_of_ten_thousand_finds_its_rows(gateway: LiveGateway) -> None:
    listed = ",".join(map(str, range(1, 10_001)))
    before = _peak(gateway)
    for key in (f"n=in.({listed})", f"or=(n.in.({listed}),n.eq.0)", f"n=not.in.({listed})"):
        answer = httpx.head(f"{gateway.url}/marks?{key}", headers={"Prefer": "count=exact"}, timeout=60)
        assert answer.headers["content-range"] == "0-9999/10000"
    for turn in range(20):  # each another list: none may be kept
        listed = ",".join(map(str, range(turn, 10_000 + turn)))
        assert httpx.head(f"{gateway.url}/marks?n=in.({listed})&limit=1", timeout=60).status_code == 200
    assert _peak(gateway) - before < GROWTH


def test_a_url_beyond_the_limit_is_refused(gateway: LiveGateway) -> None:
    listed = ",".join(["0b5e7a1c-2f0b-4a57-9c11-5e8f8d2d1b11"] * (LONGEST // 37 + 1))
    answer = httpx.get(f"{gateway.url}/marks?n=in.({listed})", timeout=60)
    assert answer.status_code == 414
    assert answer.json() == {"message": "The request URL is longer than 60000 bytes"}
