"""Requests of net: sent after the commit, once, to where they may go."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from gateway.database import Database, SyncConnection
from gateway.jobs.http_requests import HttpSender
from tests.fixtures.db import Server
from tests.projects.databases import database, embedded


class Echo(BaseHTTPRequestHandler):
    """Answers with what it was asked."""

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        if self.path.startswith("/slow"):
            time.sleep(0.5)
        if self.path.startswith("/to"):
            self.send_response(302)
            self.send_header("location", self.path.partition("=")[2])
            self.end_headers()
            return
        said = {"method": self.command, "path": self.path, "body": body, "host": self.headers["host"]}
        said["authorization"] = self.headers.get("authorization", "")
        content = json.dumps(said).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = _answer

    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def shared(server: Server) -> Iterator[tuple[Server, str]]:
    with embedded(server) as ours, database(ours) as name:
        with SyncConnection(ours.database(name, "postgres")) as connection:
            connection.script("create extension pg_net with schema extensions")
        yield ours, name


@pytest.fixture
def owner(shared: tuple[Server, str]) -> Iterator[SyncConnection]:
    server, name = shared
    with SyncConnection(server.database(name, "postgres")) as connection:
        connection.script("truncate net.http_request_queue, net._http_response")
        yield connection


def send(shared: tuple[Server, str], own: int, *allowed: str) -> int:
    server, name = shared

    async def main() -> int:
        pool = Database(server.database(name), size=2, application_name="test")
        try:
            return await HttpSender(pool, own, allowed).send_queued()
        finally:
            await pool.close()

    return asyncio.run(main())


def answers(owner: SyncConnection) -> list[tuple[str | None, ...]]:
    return owner.rows("select status_code, content, timed_out, error_msg from net._http_response order by id")


def test_a_request_is_sent_and_its_answer_kept(shared: tuple[Server, str], owner: SyncConnection, port: int) -> None:
    asked = owner.rows(
        'select net.http_post(url := $1, body := \'{"a": 1}\', headers := \'{"Authorization": "Bearer x"}\'),'
        " net.http_get('http://kong:8000/functions/v1/f', '{\"q\": \"ä\"}')",
        f"http://127.0.0.1:{port}/functions/v1/f",
    )
    assert send(shared, port) == 2
    (post, get) = [json.loads(str(row[1])) for row in answers(owner)]
    assert (post["method"], post["body"], post["authorization"]) == ("POST", '{"a": 1}', "Bearer x")
    assert (get["path"], get["host"]) == ("/functions/v1/f?q=%C3%A4", "kong:8000")
    first = str(asked[0][0])
    assert owner.rows("select status, (response).status_code from net._http_collect_response($1)", first) == [
        ("SUCCESS", "200")
    ]
    assert owner.rows("select count(*) from net.http_request_queue") == [("0",)]


def test_what_is_rolled_back_is_not_sent(shared: tuple[Server, str], owner: SyncConnection, port: int) -> None:
    owner.script(f"begin; select net.http_get('http://127.0.0.1:{port}/'); rollback")
    assert send(shared, port) == 0


def test_a_slow_answer_is_timed_out(shared: tuple[Server, str], owner: SyncConnection, port: int) -> None:
    owner.script(f"select net.http_get('http://127.0.0.1:{port}/slow', timeout_milliseconds := 50)")
    send(shared, port)
    assert answers(owner) == [(None, None, "t", "Timeout of 50 ms reached.")]


PLACES = [
    "http://127.0.0.1:{port}/", "http://localhost:{port}/", "http://[::1]:{port}/", "http://0.0.0.0:{port}/",
    "http://2130706433:{port}/", "http://[::ffff:127.0.0.1]:{port}/", "http://169.254.169.254/latest/meta-data/",
    "ftp://127.0.0.1:{port}/", "file:///etc/passwd", "gopher://x", "no address", "http://",
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_this_machine_is_not_asked(shared: tuple[Server, str], owner: SyncConnection, port: int, place: str) -> None:
    owner.rows("select net.http_get($1)", place.replace("{port}", str(port)))
    send(shared, own=1)
    ((status, content, _, error),) = answers(owner)
    assert status is None and content is None and error


def test_a_redirect_leads_no_further(shared: tuple[Server, str], owner: SyncConnection, port: int) -> None:
    owner.script(
        f"select net.http_get('http://127.0.0.1:{port}/to?=/there');"
        f"select net.http_get('http://127.0.0.1:{port}/to?=http://127.0.0.1:9/'); "
        f"select net.http_get('http://127.0.0.1:{port}/to?=http://169.254.169.254/')"
    )
    send(shared, port)
    found = answers(owner)
    assert json.loads(str(found[0][1]))["path"] == "/there"
    assert all(row[0] is None and "GATEWAY_NET_ALLOW" in str(row[3]) for row in found[1:])


@pytest.mark.parametrize("allowed", ["127.0.0.1", "127.0.0.1:{port}", "*"])
def test_a_setting_lets_requests_through(
    shared: tuple[Server, str], owner: SyncConnection, port: int, allowed: str
) -> None:
    owner.script(f"select net.http_delete('http://127.0.0.1:{port}/x')")
    send(shared, 1, allowed.replace("{port}", str(port)))
    assert answers(owner)[0][0] == "200"
