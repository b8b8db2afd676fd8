"""Long bodies to a running gateway: no 500, no worker held, no memory beyond a few times the body's own.

How long a worker is held is told by its own processor time, which a busy machine does not change as it does the
clock's: what is read elsewhere is not among it.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from gateway.database import SyncConnection
from tests.fixtures.db import Server, clone
from tests.fixtures.server import LiveGateway, start_gateway
from tests.ops.procs import children

SCHEMA = """
create table public.marks (n int, note text, data json);
create table public.pages (n int, content public.html);
create table public.closed (n int, content public.html);
revoke all on public.closed from anon;
grant all on public.marks, public.pages to anon;
create function public.taken(data json) returns int language sql as $$ select 1 $$;
grant execute on function public.taken to anon;
"""
MB = 1_000_000
TICKS = os.sysconf("SC_CLK_TCK")


@pytest.fixture(scope="module")
def gateway(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveGateway]:
    name = f"bodies_{os.getpid()}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    with SyncConnection(server.database(name)) as connection:
        connection.script(SCHEMA)
        connection.script(f'alter role anon in database "{name}" set statement_timeout = 0')  # the machine may be busy
    gateway = start_gateway(server.database(name), tmp_path_factory.mktemp(name), "serve", {"REST_PREFIX": ""})
    yield gateway
    gateway.stop()
    with server.admin() as admin:
        admin.script(f'drop database "{name}" with (force)')


def workers(gateway: LiveGateway) -> list[int]:
    """The gateway's own processes, without those that read bodies for them."""
    return [gateway.process.pid, *children(gateway.process.pid)]


def readers(gateway: LiveGateway) -> list[int]:
    """Those that read bodies."""
    below = [pid for worker in children(gateway.process.pid) for pid in children(worker)]
    return [pid for pid in below if b"bodyworker" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def peak(pids: list[int]) -> int:
    """The most memory that processes have had."""
    total = 0
    for pid in pids:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
        assert found is not None
        total += int(found[1]) * 1024
    return total


def used(pids: list[int]) -> float:
    """Seconds of processor time that processes have taken."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(each[11]) + int(each[12]) for each in fields) / TICKS


def post(gateway: LiveGateway, path: str, body: bytes, kind: str = "application/json") -> httpx.Response:
    return httpx.post(gateway.url + path, content=body, headers={"content-type": kind}, timeout=120, trust_env=False)


def repeated(piece: bytes, size: int) -> bytes:
    return piece * (size // len(piece))


CSV, FORM = "text/csv", "application/x-www-form-urlencoded"
ROWS = b'{"n":1,"note":"a note of some length","data":null},'

# Path, kind, a body of so many bytes, and what may be answered.
BODIES: dict[str, tuple[str, str, Callable[[int], bytes], set[int]]] = {
    "rows": ("/marks", "", lambda n: b"[" + repeated(ROWS, n) + ROWS[:-1] + b"]", {201}),
    "tiny rows": ("/marks", "", lambda n: b"[" + repeated(b'{"n":1},', n) + b'{"n":1}]', {201}),
    "rows of other names": ("/marks", "", lambda n: b"[" + repeated(b'{"n":1},', n) + b'{"note":1}]', {400}),
    "nothing but opened": ("/marks", "", lambda n: b"[" * n, {400}),
    "a long text": ("/marks", "", lambda n: b'{"note":"' + b"x" * n + b'"}', {201}),
    "a long name": ("/marks", "", lambda n: b'{"form' + b"e" * n + b'":1}', {400}),
    "a long name of an argument": ("/rpc/taken", "", lambda n: b'{"dat' + b"a" * n + b'":1}', {404}),
    "very many names": ("/marks", "", lambda n: b"{" + b",".join(b'"%d":1' % i for i in range(n // 11)) + b"}", {400}),
    "very many arguments": (
        "/rpc/taken", "", lambda n: b"{" + b",".join(b'"%d":1' % i for i in range(n // 11)) + b"}", {404},
    ),
    "lines": ("/marks", CSV, lambda n: b"n\n" + repeated(b"1\n", n), {201}),
    "a long line": ("/marks", CSV, lambda n: b"note\n" + b"x" * n + b"\n", {201}),
    "names again and again": ("/marks", CSV, lambda n: b"n" * (n // 2) + b"\n" + repeated(b"1\n", n // 2), {400}),
    "a form of fields": ("/marks", FORM, lambda n: repeated(b"a=1&", n), {400}),
    "a form of names": ("/rpc/taken", FORM, lambda n: b"&".join(b"f%d=1" % i for i in range(n // 10)), {400, 404}),
    "a form's text": ("/marks", FORM, lambda n: b"note=" + repeated(b"%20", n), {201}),
    "markup": ("/pages", "", lambda n: b'{"content":"' + repeated(b"<p>a</p>", n) + b'"}', {201}),
    "nested markup": ("/pages", "", lambda n: b'{"content":"' + repeated(b"<ul><li>", n // 3) + b'"}', {400}),
    "nested markup without a grant": (
        "/closed", "", lambda n: b'{"content":"' + repeated(b"<ul><li>", n) + b'"}', {401},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_a_long_body_holds_no_worker_and_little_memory(gateway: LiveGateway, name: str) -> None:
    path, kind, make, expected = BODIES[name]
    body = make(MB)
    pids = workers(gateway)
    post(gateway, path, make(20_000), kind or "application/json")  # what is made at the first time is made
    before, seconds = peak(pids), used(pids)
    answer = post(gateway, path, body, kind or "application/json")
    taken = used(pids) - seconds
    assert answer.status_code in expected, answer.text[:300]
    assert taken < 0.15, f"{taken:.2f} s"
    assert peak(pids) - before < 20 * len(body), f"{(peak(pids) - before) / MB:.0f} MB"
    assert all(peak([reader]) < 250 * MB for reader in readers(gateway))


@pytest.mark.parametrize("depth", [10, 254, 300, 900, 1024, 1100, 3000])
def test_deep_json_is_stored_or_refused_by_postgres(gateway: LiveGateway, depth: int) -> None:
    for opened, closed in ((b"[", b"]"), (b'{"a":', b"}")):
        deep = opened * depth + b"1" + closed * depth
        for path, body in (("/marks", b'{"data":%b}' % deep), ("/pages", b'{"content":"<p>a</p>","n":1}')):
            assert post(gateway, path, body).status_code == 201
        assert post(gateway, "/marks", deep).status_code in (201, 400)
        assert post(gateway, "/pages", b'{"content":%b}' % deep).status_code == 201
        assert post(gateway, "/rpc/taken", b'{"data":%b}' % deep).status_code == 200
        assert post(gateway, "/auth/v1/signup", b'{"email":"a@example.com","data":%b}' % deep).status_code < 500
        called = post(gateway, "/functions/v1/submit-contact", b'{"form":%b}' % deep)
        assert called.status_code in (400, 422), called.text


def test_numbers_of_any_size_reach_postgres(gateway: LiveGateway) -> None:
    for number in ("1e400", "-1e-400", "9" * 4000):
        assert post(gateway, "/marks", b'{"data":%b}' % number.encode()).status_code == 201
    refused = post(gateway, "/marks", b'{"n":1e400}')
    assert refused.status_code == 400 and refused.json()["code"] == "22P02"


def test_many_large_bodies_at_once_are_stored_or_put_off(gateway: LiveGateway) -> None:
    body = b'{"note":"' + b"x" * (19 * MB) + b'"}'
    before = peak(workers(gateway))
    answers: list[httpx.Response] = []

    def send() -> None:
        answers.append(post(gateway, "/marks?columns=note", body))

    senders = [threading.Thread(target=send) for _ in range(8)]
    for sender in senders:
        sender.start()
    neighbour = [httpx.get(f"{gateway.url}/pages?limit=1", timeout=60, trust_env=False) for _ in range(10)]
    for sender in senders:
        sender.join()
    assert {answer.status_code for answer in neighbour} == {200}
    statuses = sorted(answer.status_code for answer in answers)
    assert statuses[0] == 201 and set(statuses) <= {201, 503}, statuses
    assert all(answer.headers["retry-after"] for answer in answers if answer.status_code == 503)
    assert peak(workers(gateway)) - before < 600 * MB
    assert post(gateway, "/marks", b'{"n":1}').status_code == 201
