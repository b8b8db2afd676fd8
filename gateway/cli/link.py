"""`gateway link`: keep the address of another database, such as a hosted project's, for `--linked`."""

from __future__ import annotations

from typing import Annotated

import typer

from gateway.cli.common import fail, project_here
from gateway.cli.target import link_file
from gateway.database import DatabaseUnavailable, SyncConnection, is_address
from gateway.identity.keyring import write_private
from gateway.projects.settings import hide_from_git


def link(
    db_url: Annotated[str, typer.Option("--db-url", help="Its address: postgresql://USER:password@HOST:PORT/postgres")],
) -> None:
    """Keep the address of another database for `db push --linked`, `db pull`, `db diff --linked` and their like."""
    content = project_here()
    if not is_address(db_url):
        fail("that is no address of a database; one looks like postgresql://USER:password@HOST:PORT/DATABASE")
    try:
        with SyncConnection(db_url) as connection:
            ((version,),) = connection.rows("show server_version")
    except DatabaseUnavailable as error:
        fail(f"cannot connect to that database: {error.reason}")
    path = link_file(content)
    hide_from_git(path.parent)
    write_private(path, db_url + "\n")
    print(f"Linked: Postgres {version}. The address is in {path}, readable by you alone.")
