"""A copy of a project that is put back: whom things belong to and who may use them is as it was."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.database import SyncConnection
from gateway.operations import backup
from gateway.projects.login import author_url
from gateway.settings import Settings
from tests.fixtures.db import Server
from tests.projects.catalogue import catalogue
from tests.projects.conftest import Database
from tests.projects.sample_projects import SIGN_UPS, loaded, sign_up


@pytest.fixture
def other_url(server: Server) -> Iterator[str]:
    """An empty database of the project's role."""
    name = f"copy_{os.getpid()}"
    with server.admin() as admin:
        admin.script(f'create database "{name}" owner postgres')
    yield server.database(name)
    with server.admin() as admin:
        admin.script(f'drop database "{name}" with (force)')


def put_back(database: Database, url: str, folder: Path) -> None:
    """Copy a database, and load the copy in place of another, or of itself."""
    settings = Settings.load({"GATEWAY_DATA_DIR": str(folder / "data")})
    backup.dump(database.address, settings, folder / "a.gateway.tar")
    (folder / "copy").mkdir()
    manifest = backup.unpack(folder / "a.gateway.tar", folder / "copy", settings)
    backup.load(url, folder / "copy", manifest)


@pytest.mark.parametrize("name", SIGN_UPS)
def test_all_belongs_to_whom_it_belonged_to(name: str, database: Database, tmp_path: Path) -> None:
    with loaded(database, name, tmp_path / "project"):
        before = catalogue(database)
        put_back(database, database.address, tmp_path)
        after = catalogue(database)
        assert (before - after, after - before) == (set(), set())
        sign_up(database)
        assert database.rows(SIGN_UPS[name]) == [("1",)]


def test_a_copy_elsewhere_has_the_databases_settings_and_its_extensions_can_be_moved(
    database: Database, other_url: str, tmp_path: Path
) -> None:
    with loaded(database, "kinds", tmp_path / "project"):
        put_back(database, other_url, tmp_path)
        with SyncConnection(other_url) as owner:
            assert catalogue(database) ^ catalogue(owner) == set()
        with SyncConnection(author_url(other_url, True)) as author:
            assert author.rows("show app.kinds") == [("many",)]
            author.script("drop extension pg_trgm cascade; drop extension pgmq cascade; drop extension pg_cron")
        with SyncConnection(other_url) as owner:
            owner.script("drop owned by reporter_of_kinds")
