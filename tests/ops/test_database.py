"""A database that is busy, changed or away."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from gateway.database import NO_SCOPE, Database, DatabaseUnavailable, SyncConnection
from gateway.database.statement import Statement
from tests.fixtures.server import GatewayStarter
from tests.ops.procs import background, nap, prepare, until


def test_promise_13_attempts_back_off_to_32_seconds_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    sleep = asyncio.sleep
    enough = 9

    async def note(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) >= enough:
            await sleep(3600)
        await sleep(0)

    async def main() -> list[int]:
        database = Database("postgresql://nobody@127.0.0.1:1/none")
        told = []
        monkeypatch.setattr("gateway.database.opening.asyncio.sleep", note)
        for _ in range(2):
            with pytest.raises(DatabaseUnavailable) as refused:
                await database.run(NO_SCOPE, Statement("select 1"))
            told.append(refused.value.retry_after)
            while len(pauses) < enough:
                await sleep(0.01)
        await database.close()
        return told

    told = asyncio.run(main())
    assert pauses == [1, 2, 4, 8, 16, 32, 32, 32, 32]
    assert told == [1, 32], "clients are told to come back when the next attempt is due"


def test_promise_15_a_full_pool_is_504_and_told_a_few_times_only(gateways: GatewayStarter, database_url: str) -> None:
    prepare(database_url)
    gateway = gateways(
        extra={"PGRST_DB_POOL": "1", "GATEWAY_DB_POOL_WRITES": "0", "PGRST_DB_POOL_ACQUISITION_TIMEOUT": "0.1"}
    )
    assert nap(gateway, 0.3).status_code == 200  # known as slow from now on: nothing is queued behind it
    thread, answers = background(lambda: nap(gateway, 600))
    with SyncConnection(database_url) as connection:
        asleep = "from pg_stat_activity where wait_event = 'PgSleep'"
        until(lambda: bool(connection.rows(f"select {asleep}")), "the only connection is busy")
        with ThreadPoolExecutor(20) as threads:
            refused = list(threads.map(lambda _: nap(gateway, 0), range(20)))
        connection.rows(f"select pg_cancel_backend(pid) {asleep}")
    assert {(answer.status_code, answer.json()["code"]) for answer in refused} == {(504, "PGRST003")}
    thread.join()
    assert answers[0].json()["code"] == "57014"
    assert nap(gateway, 0).status_code == 200
    lines = [line for line in gateway.output if "no database connection became free" in line]
    assert 1 <= len(lines) < len(refused)


def test_promise_22_a_changed_statement_timeout_holds_on_connections_that_are_kept(
    gateways: GatewayStarter, database_url: str
) -> None:
    prepare(database_url)
    gateway = gateways(extra={"PGRST_DB_POOL": "1", "GATEWAY_DB_POOL_WRITES": "0"})
    assert nap(gateway, 0.3).status_code == 200
    with SyncConnection(database_url) as connection:
        name = connection.rows("select current_database()")[0][0]
        connection.script(f"alter role anon in database \"{name}\" set statement_timeout = '100ms'")
        connection.script("notify pgrst, 'reload config'")
        until(lambda: nap(gateway, 0.3).json().__class__ is dict, "the timeout holds")
        assert nap(gateway, 0.3).json()["code"] == "57014"
        connection.script(f'alter role anon in database "{name}" reset statement_timeout')
        connection.script("notify pgrst, 'reload config'")
        until(lambda: nap(gateway, 0.3).status_code == 200, "the timeout is gone")


@pytest.mark.parametrize("recovers", [True, False])
def test_a_lost_connection_ends_the_gateway_only_where_it_was_told_so(
    gateways: GatewayStarter, connection: SyncConnection, recovers: bool
) -> None:
    gateway = gateways(extra={"PGRST_DB_POOL_AUTOMATIC_RECOVERY": str(recovers).lower()})
    headers = {"apikey": gateway.publishable_key}
    assert httpx.get(f"{gateway.url}/rest/v1/blog_posts?select=id", headers=headers).status_code == 200
    ended = connection.rows(
        "select pg_terminate_backend(pid) from pg_stat_activity"
        " where datname = current_database() and application_name like 'PostgREST %'"
    )
    assert ended
    lost = "Automatic recovery disabled, exiting."
    if recovers:
        until(lambda: any("connection lost" in line for line in gateway.output), "the loss is told")
        assert gateway.process.poll() is None and not any(lost in line for line in gateway.output)
    else:
        until(lambda: gateway.process.poll() is not None, "the gateway ends")
        until(lambda: any(lost in line for line in gateway.output), "it says why")
