"""Databases with the platform alone, as a project finds them; projects written into a folder."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gateway import migrations
from gateway.database import SyncConnection
from gateway.projects.config import read_config
from gateway.projects.content import Content
from gateway.projects.database import Done, prepare
from gateway.projects.folder import Project
from gateway.projects.login import author_url
from tests.fixtures.db import Server, clone

_numbers = itertools.count()
Maker = Callable[..., Content]


@pytest.fixture(scope="session")
def platform_template(server: Server) -> str:
    """Name of a database with the gateway's own migrations."""
    name = f"platform_{os.getpid()}"
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}"')
        admin.script(f'create database "{name}"')
    with SyncConnection(server.database(name)) as connection:
        migrations.migrate(connection, (migrations.platform(),))
    return name


@pytest.fixture
def platform_url(server: Server, platform_template: str) -> Iterator[str]:
    """URL of a fresh database with the platform."""
    name = f"project_{os.getpid()}_{next(_numbers)}"
    with server.admin() as admin:
        admin.script(clone(name, platform_template))
        admin.script(f'alter database "{name}" owner to postgres')
    yield server.database(name)
    with server.admin() as admin:
        admin.script(f'drop database if exists "{name}" with (force)')


class Database(SyncConnection):
    """A connection as the owner of the platform, and its address."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


@pytest.fixture
def database(platform_url: str) -> Iterator[Database]:
    """A connection to it as the owner of the platform."""
    with Database(platform_url) as connection:
        assert isinstance(connection, Database)
        yield connection


@pytest.fixture
def project(tmp_path: Path) -> Maker:
    """Writes a project's files, named relative to `supabase/`, and reads its configuration."""

    def make(files: dict[str, str], **environ: str) -> Content:
        (tmp_path / "supabase" / "migrations").mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            path = tmp_path / "supabase" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = Project(tmp_path)
        return Content(found, read_config(found, tmp_path, environ))

    return make


def bring_up(database: Database, content: Content, seed: bool = True) -> Done:
    """What a start does with a project; as `postgres` by a login of its own, where the server is the embedded one."""
    with SyncConnection(author_url(database.address, True)) as author:
        return prepare(database, author, content, lambda line: None, seed)
