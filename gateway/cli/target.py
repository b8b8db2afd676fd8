"""The database that a command of a project is for: that of the gateway here, one by address, or the linked one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from gateway.cli.common import fail, load_settings, owner_url
from gateway.database import DatabaseUnavailable, SyncConnection, is_address
from gateway.projects.content import Content
from gateway.projects.database import leave_session
from gateway.projects.login import author_url, become_author

LINK: Final = "linked-db-url"  # in the data folder
DbUrl = Annotated[str, typer.Option("--db-url", "--remote", help="Address of another database")]


@contextmanager
def target(content: Content, url: str = "", linked: bool = False) -> Iterator[SyncConnection]:
    """A connection to the database, as the role that owns what users make."""
    if linked and not url:
        url = linked_url(content)
    with _open(url) as connection:
        become_author(connection)
        try:
            yield connection
        finally:
            if not connection.in_transaction:
                leave_session(connection)


def _open(url: str) -> SyncConnection:
    if not url:
        settings = load_settings()
        owner = owner_url(settings)
        try:
            return SyncConnection(author_url(owner, not settings.database_url))
        except DatabaseUnavailable as error:
            fail(f"cannot connect to the database: {error.reason}")
    if not is_address(url):
        fail("that is no address of a database; one looks like postgresql://USER@HOST:PORT/DATABASE")
    try:
        return SyncConnection(url)
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")


def link_file(content: Content) -> Path:
    """Where the address of the linked database is kept; it holds a password."""
    del content
    return load_settings().data_dir / LINK


def linked_url(content: Content) -> str:
    """The address that `gateway link` has kept."""
    try:
        return link_file(content).read_text().strip()
    except FileNotFoundError:
        fail("no database is linked: `gateway link --db-url URL`")
