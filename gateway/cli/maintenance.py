"""`gateway maintenance …`: take no writes for a while, in every gateway of the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from gateway.cli.common import fail, load_settings, owner_url
from gateway.database import DatabaseError, DatabaseUnavailable, SyncConnection
from gateway.operations import maintenance
from gateway.operations.maintenance import MaintenanceError
from gateway.operations.restore import settle
from gateway.settings import Settings

maintenance_app = typer.Typer(help="Refuse writes for a while; reads go on.", no_args_is_help=True)


@contextmanager
def _database(settings: Settings) -> Iterator[SyncConnection]:
    try:
        with SyncConnection(owner_url(settings)) as connection:
            yield connection
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    except DatabaseError as error:
        fail(error.message)
    except MaintenanceError as error:
        fail(str(error))


@maintenance_app.command("on")
def on(reason: Annotated[str, typer.Option(help="Why, for `gateway status`")] = "") -> None:
    """Refuse writes; returns when every write that was answered is committed."""
    settings = load_settings()
    with _database(settings) as connection:
        settle(connection, settings)
        maintenance.hold(connection)
        maintenance.begin(connection, "operator", reason, channel=settings.db_channel)
    print("maintenance is on: reads are answered, writes get 503; `gateway maintenance off` ends it")


@maintenance_app.command("off")
def off() -> None:
    """Take writes again."""
    settings = load_settings()
    with _database(settings) as connection:
        settle(connection, settings)
        maintenance.hold(connection)
        maintenance.end(connection, channel=settings.db_channel)
    print("maintenance is off")


@maintenance_app.command("status")
def status() -> None:
    """Say whether writes are refused, since when and why. Exit status 0 when they are taken, 1 when not."""
    with _database(load_settings()) as connection:
        found = maintenance.state(connection)
    print(f"maintenance is {found}")
    if found.is_left:
        print("`gateway maintenance off` ends it; the job worker does so by itself")
    raise SystemExit(1 if found.is_on else 0)
