"""Reads at a replica: nobody misses what they wrote, and neither server's end stops them."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.database import NO_SCOPE, Database, SyncConnection
from gateway.database.statement import Statement
from gateway.rest.replica import Replica
from gateway.settings import Seconds, Settings
from tests.fixtures.replication import Pair, replicated
from tests.fixtures.server import LiveGateway, start_gateway
from tests.ops.procs import LIMIT, until

WINDOW = 3600  # seconds: nothing here depends on how fast the machine is


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    with replicated() as servers:
        yield servers


def start(pair: Pair, folder: Path, workers: int) -> LiveGateway:
    """Writes at whoever takes them, reads at the standby."""
    extra = {
        "GATEWAY_WORKERS": str(workers),
        "DATABASE_READ_URL": pair.standby.url(),
        "GATEWAY_READ_AFTER_WRITE": str(WINDOW),
        "GATEWAY_TRUSTED_PROXIES": "127.0.0.1/32",
    }
    return start_gateway(pair.url(target_session_attrs="read-write"), folder, extra=extra)


@pytest.fixture(scope="module")
def split(pair: Pair, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveGateway]:
    """A gateway of two workers."""
    gateway = start(pair, tmp_path_factory.mktemp("split"), workers=2)
    yield gateway
    gateway.stop()


def visitor() -> str:
    """An address that nobody else has, so that each test has visitors of its own."""
    return f"2001:db8::{uuid.uuid4().hex[:4]}:{uuid.uuid4().hex[:4]}"


def ask(gateway: LiveGateway, method: str, path: str, address: str, **options: Any) -> httpx.Response:
    """A request on a connection of its own, which may reach either worker."""
    headers = {"apikey": gateway.publishable_key, "x-forwarded-for": address}
    return httpx.request(method, f"{gateway.url}{path}", headers=headers, timeout=LIMIT, trust_env=False, **options)


def at_replica(gateway: LiveGateway, address: str) -> bool:
    response = ask(gateway, "GET", "/rest/v1/place", address)
    assert response.status_code == 200, response.text
    (row,) = response.json()
    return bool(row["replica"])


def write(gateway: LiveGateway, address: str) -> str:
    body = uuid.uuid4().hex
    written = ask(gateway, "POST", "/rest/v1/notes", address, json={"body": body})
    assert written.status_code == 201, written.text
    return body


def is_there(gateway: LiveGateway, body: str, address: str) -> bool:
    response = ask(gateway, "GET", f"/rest/v1/notes?body=eq.{body}", address)
    assert response.status_code == 200, response.text
    return len(response.json()) == 1


def test_who_wrote_reads_the_primary_through_every_worker_and_others_the_replica(
    pair: Pair, split: LiveGateway
) -> None:
    writer, other = visitor(), visitor()
    assert all(at_replica(split, other) for _ in range(8))
    with SyncConnection(pair.standby.url()) as standby:
        standby.script("select pg_wal_replay_pause()")
        try:
            body = write(split, writer)
            assert all(is_there(split, body, writer) for _ in range(8))
            assert not any(at_replica(split, writer) for _ in range(8))
            assert at_replica(split, other) and not is_there(split, body, other)
        finally:
            standby.script("select pg_wal_replay_resume()")
    until(lambda: is_there(split, body, other), "the replica follows")


def test_a_read_that_the_replica_cannot_answer_is_the_primarys(pair: Pair, split: LiveGateway) -> None:
    other = visitor()
    assert at_replica(split, other)
    with SyncConnection(pair.standby.url()) as standby:
        standby.script("select pg_wal_replay_pause()")
        try:
            with SyncConnection(pair.primary.url()) as primary:
                primary.script("create view public.fresh as select 1 as one; grant select on public.fresh to anon")

            def answered() -> bool:
                response = ask(split, "GET", "/rest/v1/fresh", other)
                return response.status_code == 200 and response.json() == [{"one": 1}]

            until(answered, "the primary's view is read, which the replica does not have")
        finally:
            standby.script("select pg_wal_replay_resume()")


def test_a_replica_too_far_behind_answers_nobody(pair: Pair) -> None:
    now = 0.0

    async def main() -> None:
        nonlocal now
        primary, follower = Database(pair.primary.url()), Database(pair.standby.url())
        replica = Replica(primary, follower, Settings(read_after_write=Seconds(5.0)), clock=lambda: now)
        try:
            await replica.look()
            assert replica.usable
            await follower.run(NO_SCOPE, Statement("select pg_wal_replay_pause()"))
            await primary.run(NO_SCOPE, Statement("insert into public.notes (body) values ('not yet replayed')"))
            for now, expected in ((5.0, True), (11.0, False)):
                await replica.look()
                assert replica.usable is expected, f"at {now} s"
            await follower.run(NO_SCOPE, Statement("select pg_wal_replay_resume()"))
            async with asyncio.timeout(LIMIT):
                while not replica.usable:
                    await replica.look()
        finally:
            await follower.run(NO_SCOPE, Statement("select pg_wal_replay_resume()"))
            await replica.stop()
            await primary.close()

    asyncio.run(main())


def test_a_replica_that_ends_is_missed_by_nobody_and_one_that_is_back_is_used(pair: Pair, split: LiveGateway) -> None:
    other = visitor()
    until(lambda: at_replica(split, other), "reads go to the replica")
    pair.kill(pair.standby)
    assert not any(at_replica(split, other) for _ in range(8))
    pair.standby.start()
    until(lambda: all(at_replica(split, other) for _ in range(8)), "reads go to the replica again")


def test_reads_go_on_without_a_primary_and_writes_with_the_next(pair: Pair, tmp_path: Path) -> None:
    """Last: it leaves one server."""
    gateway = start(pair, tmp_path, workers=1)
    writer, other = visitor(), visitor()
    try:
        body = write(gateway, writer)
        until(lambda: is_there(gateway, body, other) and at_replica(gateway, other), "the replica has the row")
        pair.kill(pair.primary)
        assert all(at_replica(gateway, other) for _ in range(8))
        refused = ask(gateway, "POST", "/rest/v1/notes", visitor(), json={"body": "not now"})
        assert refused.status_code == 503 and int(refused.headers["retry-after"]) > 0
        with SyncConnection(pair.standby.url()) as standby:
            standby.script("select pg_promote()")

        def writes() -> bool:
            row = {"body": uuid.uuid4().hex}
            return ask(gateway, "POST", "/rest/v1/notes", visitor(), json=row).status_code == 201

        until(writes, "the next primary takes writes")
        assert is_there(gateway, body, writer)
    finally:
        gateway.stop()
