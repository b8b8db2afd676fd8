"""The database that instances are copied from: migrated and seeded once, kept until what it is made of changes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from gateway import __version__, migrations
from gateway.database import SyncConnection
from gateway.database.embedded import EmbeddedPostgres
from gateway.projects.content import Content
from gateway.projects.database import prepare
from gateway.projects.login import author_url
from gateway.settings import Settings

PREFIX: Final = "template_"
MAKING: Final = "making_"


_ensured: dict[str, str] = {}


def ensure_once(postgres: EmbeddedPostgres, settings: Settings, content: Content | None) -> str:
    """As `ensure`, without asking the database again for what it said before."""
    made_of = digest(settings, content)
    if made_of not in _ensured:
        _ensured.clear()  # others are dropped
        _ensured[made_of] = ensure(postgres, settings, content, made_of)
    return _ensured[made_of]


def ensure(postgres: EmbeddedPostgres, settings: Settings, content: Content | None, made_of: str) -> str:
    """Name of the template for what the project is now; made if need be. Others are dropped.

    Raises ProjectError, SchemaError, DatabaseError.
    """
    name = PREFIX + made_of
    with SyncConnection(postgres.url()) as admin:
        there = {str(row[0]) for row in admin.rows("select datname from pg_database")}
        for former in there:
            if former != name and former.startswith((PREFIX, MAKING)):
                admin.script(f'drop database "{former}" with (force)')
        if name in there:
            return name
        making = MAKING + name.removeprefix(PREFIX)
        owner = admin.rows("select pg_get_userbyid(datdba) from pg_database where datname = 'postgres'")[0][0]
        admin.script(f'create database "{making}" owner "{owner}"')
        _fill(postgres.url(database=making), settings, content)
        admin.script(f'alter database "{making}" rename to "{name}"')
    return name


def _fill(url: str, settings: Settings, content: Content | None) -> None:
    with SyncConnection(url) as connection:
        migrations.migrate(connection, migrations.sets(settings.schema_dir))
        if content is None:
            migrations.seed_new(connection, settings.schema_dir / "seed")
            return
        with SyncConnection(author_url(url, True)) as author:
            prepare(connection, author, content, lambda _: None)


def digest(settings: Settings, content: Content | None) -> str:
    """What the template is made of, in short."""
    made_of = hashlib.sha256(__version__.encode())
    for name in migrations.platform().names:
        made_of.update(name.encode())
    for path in _files(settings, content):
        made_of.update(f"{path.name}\0".encode())
        made_of.update(path.read_bytes())
    return made_of.hexdigest()[:16]


def _files(settings: Settings, content: Content | None) -> Iterator[Path]:
    if content is None:
        folders = [settings.schema_dir / "migrations", settings.schema_dir / "seed"]
    else:
        folders = [content.project.folder / "migrations", content.project.folder / "seeds"]
        yield from (path for path in sorted(content.project.folder.glob("*.*")) if path.is_file())
        for _, paths in content.project.matches(content.config.seed_paths):
            yield from paths or ()
    for folder in folders:
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file())
