"""A database that goes away: clients are told to come back, and once it is back everything works again."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from gateway.database import SyncConnection
from gateway.database.embedded import EmbeddedPostgres
from tests.contract.case import Case
from tests.contract.harness import ENVELOPE, Service
from tests.contract.profiles import PROFILES
from tests.fixtures.contract import SCHEMA
from tests.fixtures.server import start_gateway

LIMIT = 60.0  # seconds until a test gives up; nothing is measured
CREATE = "create table harbor.fresh (id int primary key); grant select on harbor.fresh to contract_anon"
READ = Case("", "GET /owners?select=id&id=eq.1")


@pytest.fixture
def postgres() -> Iterator[EmbeddedPostgres]:
    """A server of its own, which tests may stop."""
    folder = Path(tempfile.mkdtemp(prefix="gw-out-"))
    server = EmbeddedPostgres(folder)
    server.start()
    with SyncConnection(server.url()) as connection:
        connection.script(SCHEMA.read_text())
    yield server
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def service(postgres: EmbeddedPostgres, tmp_path: Path) -> Iterator[Service]:
    extra = PROFILES["open"] | {"PGRST_DB_URI": postgres.url("contract_login")}
    gateway = start_gateway(postgres.url(), tmp_path, "serve", extra)
    with httpx.Client(timeout=30) as client:
        yield Service(gateway.url, client)
    gateway.stop()


def wait_for(service: Service, case: Case, status: int) -> httpx.Response:
    deadline = time.monotonic() + LIMIT
    while (response := service.send(case)).status_code != status:
        assert time.monotonic() < deadline, f"still {response.status_code}: {response.text}"
        time.sleep(0.1)
    return response


def test_promise_13_an_outage_is_answered_and_healed(service: Service, postgres: EmbeddedPostgres) -> None:
    assert service.send(READ).json() == [{"id": 1}]

    postgres.stop()
    refused = wait_for(service, READ, 503)
    assert set(refused.json()) == ENVELOPE
    assert refused.json()["code"] in ("PGRST000", "PGRST001")
    assert int(refused.headers["retry-after"]) >= 1
    write = service.send(Case("", "POST /scraps", body={"value": "lost"}))
    assert write.status_code == 503

    postgres.start()
    assert wait_for(service, READ, 200).json() == [{"id": 1}]


def test_changes_made_during_an_outage_are_seen_after_it(service: Service, postgres: EmbeddedPostgres) -> None:
    fresh = Case("", "GET /fresh")
    assert service.send(fresh).status_code == 404

    postgres.stop()
    wait_for(service, READ, 503)
    postgres.start()
    with SyncConnection(postgres.url()) as connection:
        connection.script(
            "create table harbor.fresh (id int primary key); grant select on harbor.fresh to contract_anon"
        )
    assert wait_for(service, fresh, 200).json() == []


def test_a_column_that_changes_its_type_is_filtered_by_its_new_one(
    service: Service, postgres: EmbeddedPostgres
) -> None:
    with SyncConnection(postgres.url()) as connection:
        connection.script(f"{CREATE}; alter table harbor.fresh add kind int; insert into harbor.fresh values (1, 7)")
        wait_for(service, Case("", "GET /fresh?select=kind&kind=eq.7"), 200)
        connection.script("alter table harbor.fresh alter kind type text using 'k' || kind")
        changed = wait_for(service, Case("", "GET /fresh?select=kind&kind=eq.k7"), 200)
    assert changed.json() == [{"kind": "k7"}]
    assert wait_for(service, Case("", "GET /fresh?select=kind&kind=eq.7"), 200).json() == []  # on every connection


def test_a_table_made_while_serving_is_seen_without_being_asked(service: Service, postgres: EmbeddedPostgres) -> None:
    fresh = Case("", "GET /fresh")
    with SyncConnection(postgres.url()) as connection:
        connection.script(
            "create table harbor.fresh (id int primary key); grant select on harbor.fresh to contract_anon"
        )
        assert wait_for(service, fresh, 200).json() == []
        connection.script("drop table harbor.fresh")
        assert wait_for(service, fresh, 404).json()["code"] in ("PGRST205", "42P01")
