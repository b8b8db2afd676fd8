"""Process trees and load for the tests of operations."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx

from gateway.database import SyncConnection
from tests.fixtures.server import LiveGateway

LIMIT = 30.0  # seconds until a test gives up; nothing is measured

# A read that takes its time, and a write that can be counted.
NAPS = """
create function public.nap(seconds float8) returns float8 language plpgsql volatile as
  'begin perform pg_sleep(seconds); return seconds; end';
grant execute on function public.nap to anon;
"""


def children(pid: int) -> list[int]:
    """Direct child processes that are alive."""
    listing = subprocess.run(["ps", "-eo", "pid=,ppid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listing.splitlines()]
    return [int(child) for child, parent, state in rows if int(parent) == pid and not state.startswith("Z")]


def workers(gateway: LiveGateway) -> list[int]:
    """Of the supervisor's children those that answer: they listen on the gateway's port."""
    port = f":{int(gateway.url.rpartition(':')[2]):04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = {f"socket:[{row[9]}]" for row in rows if row[1].endswith(port) and row[3] == "0A"}
    return [pid for pid in children(gateway.process.pid) if listening & open_files(pid)]


def open_files(pid: int) -> set[str]:
    """What the descriptors of a process lead to; nothing where it has just ended."""
    found = set()
    with suppress(OSError):
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                found.add(os.readlink(descriptor))
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(true: Callable[[], bool], what: str, limit: float = LIMIT) -> None:
    """Wait for something; the state of the world is asked for, not the clock."""
    deadline = time.monotonic() + limit
    while not true():
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.05)


def prepare(database_url: str) -> None:
    """Give the database what the load asks for."""
    with SyncConnection(database_url) as connection:
        name = connection.rows("select current_database()")[0][0]
        connection.script(f'{NAPS} alter role anon in database "{name}" set statement_timeout = 0')


def nap(gateway: LiveGateway, seconds: float, client: httpx.Client | None = None) -> httpx.Response:
    """A request that the database answers after `seconds`."""
    post = (client or httpx).post
    return post(
        f"{gateway.url}/rest/v1/rpc/nap",
        headers={"apikey": gateway.publishable_key},
        json={"seconds": seconds},
        timeout=LIMIT,
    )


class Load:
    """Clients that ask one after another on connections they keep; every failure is kept too."""

    def __init__(self, gateway: LiveGateway, clients: int = 4) -> None:
        self._url = f"{gateway.url}/rest/v1/rpc/nap"
        self._headers = {"apikey": gateway.publishable_key}
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._ask, daemon=True) for _ in range(clients)]
        self.answered = 0
        self.failures: list[str] = []

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        with httpx.Client(timeout=LIMIT) as client:
            while not self._over.is_set():
                try:
                    response = client.post(self._url, headers=self._headers, json={"seconds": 0.001})
                    if response.status_code != 200:
                        self.failures.append(f"{response.status_code} {response.text}")
                    self.answered += 1
                except httpx.HTTPError as error:
                    self.failures.append(repr(error))

    def until_more(self, count: int) -> None:
        """Wait until so many further requests were answered."""
        goal = self.answered + count
        until(lambda: self.answered >= goal or bool(self.failures), f"{count} more answers")


def background(work: Callable[[], httpx.Response]) -> tuple[threading.Thread, list[httpx.Response]]:
    """Run a request beside the test; what it answered, or nothing."""
    answers: list[httpx.Response] = []

    def run() -> None:
        with suppress(httpx.HTTPError):
            answers.append(work())

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, answers
