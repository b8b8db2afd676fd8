"""Leads are sent at a steady rate while every part is killed in turn: what was acknowledged is there once, with its
mails."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator

import httpx
import pytest

from gateway.database import SyncConnection
from gateway.mail.trap_page import caught
from tests.chaos.cluster import LIMIT, Cluster, running

PHASE = 2.0  # seconds of sending before the next part is killed
SENDERS = 3


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with running() as cluster:
        yield cluster


class Senders:
    """Visitors who press the button until they are told that it worked, as the site's form does."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._done = threading.Event()
        self.acknowledged: list[str] = []
        self.threads = [threading.Thread(target=self._send) for _ in range(SENDERS)]
        for thread in self.threads:
            thread.start()

    def _send(self) -> None:
        while not self._done.is_set():
            name = uuid.uuid4().hex
            body = {"name": "Visitor", "email": f"{name}@example.test", "subject": "Pickup", "message": name}
            headers = {"idempotency-key": name}
            while True:
                try:
                    response = httpx.post(
                        f"{self._url}/functions/v1/submit-contact",
                        json=body,
                        headers=headers,
                        timeout=30,
                        trust_env=False,
                    )
                    if response.status_code == 200 and response.json() == {"ok": True}:
                        self.acknowledged.append(name)
                        break
                except (httpx.HTTPError, ValueError):
                    pass
                if self._done.is_set():
                    return  # gave up without an acknowledgement
                time.sleep(0.1)
            time.sleep(0.1)

    def stop(self) -> None:
        self._done.set()
        for thread in self.threads:
            thread.join()


def test_every_acknowledged_lead_and_its_mails_survive_every_kill(cluster: Cluster) -> None:
    senders = Senders(cluster.url)
    try:
        time.sleep(PHASE)
        cluster.kill_function()
        time.sleep(PHASE)
        cluster.kill("smtp")
        time.sleep(PHASE)
        cluster.start("smtp")
        cluster.kill_postgres()
        time.sleep(PHASE)
        cluster.postgres.start()
        time.sleep(PHASE)
        cluster.kill("gateway")
        cluster.start("gateway")
        time.sleep(PHASE)
        cluster.kill("worker")
        cluster.start("worker")
        time.sleep(PHASE)
    finally:
        senders.stop()
    assert len(senders.acknowledged) > 20

    with SyncConnection(cluster.postgres.url()) as connection:
        stored = Counter(str(row[0]) for row in connection.rows("select message from public.contact_messages"))
        assert {name: stored[name] for name in senders.acknowledged} == dict.fromkeys(senders.acknowledged, 1)
        assert set(stored.values()) == {1}

        # also what was stored without the visitor hearing of it has its two mails
        wanted = 2 * len(stored)
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            (left,) = connection.rows("select count(*) from jobs.procrastinate_jobs where status <> 'succeeded'")
            if left == ("0",):
                break
            connection.script("update jobs.procrastinate_jobs set scheduled_at = now() where status = 'todo'")
            time.sleep(0.5)
        assert connection.rows("select status, count(*) from jobs.procrastinate_jobs group by 1") == [
            ("succeeded", str(wanted))
        ]

    ids: Counter[str] = Counter()
    about: Counter[str] = Counter()
    for mail in caught(cluster.mail):
        id = mail.header("Message-ID")
        ids[id] += 1
        if ids[id] == 1:  # the same id again is the same mail, and says so
            about[
                mail.header("Reply-To").split("@")[0]
                if "Contact" in mail.header("Subject")
                else mail.header("X-Trap-To").split("@")[0]
            ] += 1
    assert len(ids) == wanted
    assert about == Counter(dict.fromkeys(stored, 2))
