"""Visitors who read and visitors who write, each with an address of its own, until they are told to stop."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from collections.abc import Collection

import httpx

from tests.ops.procs import until

LIMIT = 60.0
MORE = 40  # answers to each kind of client between two events


class Client(threading.Thread):
    """A visitor with an address of its own, who reads or writes until told to stop."""

    def __init__(self, load: Load, number: int, writes: bool) -> None:
        super().__init__(daemon=True)
        self._load = load
        self._writes = writes
        transport = httpx.HTTPTransport(local_address=f"127.0.1.{number}")
        self._http = httpx.Client(base_url=load.url, headers=load.headers, timeout=LIMIT, transport=transport)
        self.done = 0

    def run(self) -> None:
        with self._http:
            while not self._load.over.is_set():
                (self._write if self._writes else self._read)()
                time.sleep(0.02)

    def _read(self) -> None:
        try:
            response = self._http.get("/rest/v1/notes?select=id,body&order=id&limit=20")
        except httpx.HTTPError as error:
            self._load.faults.append(f"a read failed: {error!r}")
            return
        if response.status_code in self._load.refused:
            return
        if response.status_code != 200:
            self._load.faults.append(f"a read was answered with {response.status_code} {response.text[:200]}")
        self.done += 1

    def _write(self) -> None:
        """Once, whatever the answer; what was acknowledged is read at once."""
        body = uuid.uuid4().hex
        try:
            response = self._http.post("/rest/v1/notes", json={"body": body})
        except httpx.HTTPError:
            self._load.answers["no answer"] += 1
            return
        self._load.answers[str(response.status_code)] += 1
        if response.status_code == 201:
            self._load.acknowledged.append(body)
            self.done += 1
        elif response.status_code not in (502, 503, 504):
            self._load.faults.append(f"a write was answered with {response.status_code} {response.text[:200]}")


class Load:
    """Visitors who read and visitors who write, all through one address."""

    def __init__(self, url: str, key: str, refused: Collection[int] = ()) -> None:
        """`refused` are statuses that readers bear with."""
        self.url = url
        self.refused = refused
        self.headers = {"apikey": key}
        self.over = threading.Event()
        self.faults: list[str] = []
        self.acknowledged: list[str] = []
        self.answers: Counter[str] = Counter()
        self._readers = [Client(self, number, writes=False) for number in range(1, 5)]
        self._writers = [Client(self, number, writes=True) for number in range(5, 9)]

    def __enter__(self) -> Load:
        for client in (*self._readers, *self._writers):
            client.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for client in (*self._readers, *self._writers):
            client.join(LIMIT)

    def until_more(self, reads: int = MORE, writes: int = MORE) -> None:
        """Wait for further answers of both kinds."""
        wanted = [
            (self._readers, self._done(self._readers) + reads),
            (self._writers, self._done(self._writers) + writes),
        ]

        def enough() -> bool:
            return bool(self.faults) or all(self._done(clients) >= goal for clients, goal in wanted)

        until(enough, f"{reads} more reads and {writes} more writes")
        assert self.faults == []

    @staticmethod
    def _done(clients: list[Client]) -> int:
        return sum(client.done for client in clients)
