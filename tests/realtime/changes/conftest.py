"""A server whose log can be read, and a migrated database on it for the module."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.database import SyncConnection
from gateway.database.embedded import EmbeddedPostgres
from tests.contract.debian import DebianPostgres, installed_versions
from tests.fixtures.db import Server, clone, drop
from tests.fixtures.schema import migrate
from tests.realtime.changes.scene import Scene


@pytest.fixture(scope="session")
def logical(server: Server, template: str) -> Iterator[tuple[Server, str]]:
    """The run's server where it is the embedded one, else one for these tests; and the migrated template on it."""
    if server.kind == "embedded":
        yield server, template
        return
    folder = Path(tempfile.mkdtemp(prefix="gw-chg-"))
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    try:
        own = Server("embedded", postgres.url())
        with own.admin() as admin:
            admin.script("create database template_changes")
        with SyncConnection(own.database("template_changes")) as connection:
            migrate(connection)
        yield own, "template_changes"
    finally:
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)


def scene_on(server: Server, name: str) -> Scene:
    """A scene on a database of a server that trusts every login."""
    return Scene(
        server.database(name),
        server.database(name, user="authenticator"),
        server.database(name, user="supabase_replication_admin"),
    )


@pytest.fixture(scope="module")
def scene(logical: tuple[Server, str], request: pytest.FixtureRequest) -> Iterator[Scene]:
    """A migrated database of the module's own."""
    server, template = logical
    name = f"changes_{os.getpid()}_{request.module.__name__.rpartition('.')[2]}"
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')
        admin.script(clone(name, template))
    yield scene_on(server, name)
    drop(server, name)


@pytest.fixture(scope="session", params=installed_versions())
def debian(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Debian's own Postgres, with its log at the logical level, migrated."""
    postgres = DebianPostgres(request.param, "-c wal_level=logical")
    postgres.start()
    try:
        with SyncConnection(postgres.url) as connection:
            migrate(connection)
            connection.script("alter system set max_slot_wal_keep_size = '64MB'")
            connection.script("select pg_reload_conf()")
        yield Server("debian", postgres.url)
    finally:
        postgres.stop()
