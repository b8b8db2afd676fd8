"""Databases as a project in `supabase/` finds them: the platform's migrations and nothing of an application."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gateway import migrations
from gateway.database import DatabaseError, SyncConnection
from gateway.database.embedded import EmbeddedPostgres
from tests.fixtures.db import Server

_numbers = itertools.count()


@contextmanager
def embedded(server: Server) -> Iterator[Server]:
    """The run's server where it is the embedded one, else one of our own: other servers have roles of their own."""
    if server.kind == "embedded":
        yield server
        return
    folder = Path(tempfile.mkdtemp(prefix="gw-prj-"))
    postgres = EmbeddedPostgres(folder)
    postgres.start()
    try:
        yield Server("embedded", postgres.url())
    finally:
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def database(server: Server) -> Iterator[str]:
    """Name of a new database with the platform's migrations."""
    name = f"shell_{os.getpid()}_{next(_numbers)}"
    with server.admin() as admin:
        admin.script(f'create database "{name}"')
    with SyncConnection(server.database(name)) as connection:
        migrations.migrate(connection, (migrations.platform(),))
    try:
        yield name
    finally:
        with server.admin() as admin:
            admin.script(f'drop database "{name}" with (force)')


@contextmanager
def rolled_back(connection: SyncConnection) -> Iterator[SyncConnection]:
    """Nothing that is done inside stays."""
    connection.script("begin")
    try:
        yield connection
    finally:
        connection.script("rollback")


def refused(connection: SyncConnection, sql: str) -> DatabaseError:
    """The error that a statement ends with."""
    with pytest.raises(DatabaseError) as caught:
        connection.script(sql)
    return caught.value
