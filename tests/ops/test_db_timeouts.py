"""A Postgres that says nothing is answered for in time: by the gateway, before whoever asked gives up."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
import tomllib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import httpx
import pytest

from functions.shared import data, leads
from gateway.database import CONNECT_TIMEOUT, NO_SCOPE, Database, Scope, SyncConnection, Unresponsive
from gateway.database.embedded import EmbeddedPostgres
from gateway.database.statement import Statement
from gateway.database.timeouts import MARGIN, PROBE_AFTER, PROBE_LIMIT
from gateway.settings import Settings
from tests.fixtures.schema import migrate
from tests.fixtures.server import ROOT, LiveGateway, start_gateway
from tests.ops.procs import children, until

FORM: Final = {"firstName": "Lena", "lastName": "Okafor", "email": "lena@bayclinic.example", "honeypot": ""}
LIMITS: Final = {"GATEWAY_RATE_LIMIT_FUNCTIONS": "0"}


@pytest.fixture(scope="module")
def postgres() -> Iterator[EmbeddedPostgres]:
    """A server of its own, which may be stopped."""
    folder = Path(tempfile.mkdtemp(prefix="gw-pat-"))
    server = EmbeddedPostgres(folder)
    server.start()
    with SyncConnection(server.url()) as connection:
        migrate(connection)
    yield server
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def silent(server: EmbeddedPostgres) -> Iterator[None]:
    """The server and its sessions do nothing."""
    assert server.pid is not None
    held = [server.pid, *children(server.pid)]
    for pid in held:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in reversed(held):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def submit(gateway: LiveGateway, client: httpx.Client) -> httpx.Response:
    url = f"{gateway.url}/functions/v1/submit-newsletter"
    return client.post(url, json=FORM, headers={"idempotency-key": str(uuid.uuid4())})


def test_a_silent_postgres_is_answered_for_and_comes_back(postgres: EmbeddedPostgres, tmp_path: Path) -> None:
    gateway = start_gateway(postgres.url(), tmp_path, extra=LIMITS)
    try:
        with httpx.Client(headers={"apikey": gateway.publishable_key}, timeout=60) as client:
            reads = f"{gateway.url}/rest/v1/blog_posts?select=id"
            assert client.get(reads).status_code == 200
            until(lambda: submit(gateway, client).status_code == 200, "the function is up")
            with silent(postgres):
                answer = client.get(reads)
                assert (answer.status_code, answer.json()["code"]) == (503, "PGRST001")
                assert "does not answer" in answer.json()["details"] and int(answer.headers["retry-after"]) > 0
                stored = submit(gateway, client)
                assert stored.status_code == 503 and int(stored.headers["retry-after"]) > 0
                assert stored.json() == {"ok": False, "error": leads.UNAVAILABLE}
                login = {"email": "nobody@example.com", "password": "some words of no use"}
                signed = client.post(f"{gateway.url}/auth/v1/token?grant_type=password", json=login)
                assert signed.status_code in (503, 504) and signed.json()["msg"]
            until(lambda: client.get(reads).status_code == 200, "reads are back")
            until(lambda: submit(gateway, client).status_code == 200, "leads are back")
    finally:
        gateway.stop()


@pytest.mark.parametrize("timeout", ["500ms", "0"], ids=["past its own limit", "nobody is let in"])
def test_a_statement_without_an_answer_is_given_up(postgres: EmbeddedPostgres, timeout: str) -> None:
    async def main() -> None:
        db = Database(postgres.url(), size=2, core=1)
        await db.open()
        scope = Scope("", ("statement_timeout", "transaction_read_only"), (timeout, "on"))
        for _ in range(3):
            await db.run(scope, Statement("select 1"))
        with silent(postgres):
            async with asyncio.timeout(PROBE_AFTER + PROBE_LIMIT + MARGIN + 10):
                with pytest.raises(Unresponsive):
                    await db.run(scope, Statement("select 1"))
        async with asyncio.timeout(60):
            while True:
                with suppress(Exception):
                    assert (await db.run(scope, Statement("select 1"))).value == b"1"
                    break
                await asyncio.sleep(0.1)
        await db.close()

    asyncio.run(main())


def test_a_slow_statement_of_a_server_that_answers_is_waited_for(database_url: str) -> None:
    async def main() -> None:
        db = Database(database_url, size=2, core=1)
        await db.open()
        slow = Statement("select 1 from pg_sleep($1::float8)", (str(PROBE_AFTER + PROBE_LIMIT + 1),))
        assert (await db.run(NO_SCOPE, slow)).value == b"1"
        await db.close()

    asyncio.run(main())


def test_patience_inside_is_shorter_than_outside() -> None:
    """Each layer gives up before the one that waits for it; see the table in gateway/database/timeouts.py."""
    settings = Settings()
    api_timeout = 8.0  # of authenticator and authenticated, which service_role has too
    forms = [tomllib.loads(path.read_text()) for path in (ROOT / "functions").glob("submit-*/function.toml")]
    assert len(forms) == 3
    for inner, outer in (
        (PROBE_AFTER + PROBE_LIMIT, data.TIMEOUT),
        (leads.BUDGET, min(form["timeout"] for form in forms)),
        (data.TIMEOUT, leads.BUDGET),
        (api_timeout + MARGIN, leads.BUDGET),
        (settings.db_pool_acquisition_timeout, leads.BUDGET),
        (CONNECT_TIMEOUT, leads.BUDGET),
        (leads.BUDGET, settings.client_timeout),
    ):
        assert inner < outer
