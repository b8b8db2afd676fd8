"""`gateway dev`, `gateway serve` and `gateway worker`: the gateway's processes.

`dev` does everything on one machine: embedded Postgres (unless DATABASE_URL names one), migrations, sample rows and
a first administrator on the first start, functions, the job worker with a mail trap, the built site. `serve` runs
the gateway alone against a migrated database, `worker` the jobs alone.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from gateway.app import Gateway, Urls
from gateway.cli.common import database_urls, fail, load_settings
from gateway.db import DatabaseError, DatabaseUnavailable, SyncConnection
from gateway.embedded import DataLock, EmbeddedError, EmbeddedPostgres
from gateway.http import App
from gateway.keys import FILE_NAME, KeyRing
from gateway.server import Companion, PortInUse, listen, serve
from gateway.settings import Settings
from schema import migrate as schema

ADMIN_EMAIL = "admin@unitedmedicalwaste.example"
TRAP_PATH = "/_mail"

Record = Annotated[str | None, typer.Option(metavar="FILE", help="Keep the site's API requests there, for `replay`")]


@dataclass(frozen=True, slots=True)
class FirstStart:
    """What only the first start did."""

    password: str | None
    applied: int


def _recorded(gateway: Gateway, settings: Settings) -> App:
    """The gateway, with a recorder around it where the settings name a file."""
    if not settings.record:
        return gateway
    from gateway.cli.record import recorded  # brings an HTTP client along, which a plain start does without

    return recorded(gateway, settings)


def dev(
    host: Annotated[str | None, typer.Option(help="Address to listen on")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one")] = None,
    seed: Annotated[bool, typer.Option(help="Load the sample articles on the first start")] = True,
    record: Record = None,
) -> None:
    """Run everything on this machine for development or a small site."""
    settings = load_settings(host=host, port=port, functions_reload=True, record=record)
    _log(settings)
    settings, bound = _listen(settings)
    embedded: EmbeddedPostgres | None = None
    companions: list[Companion] = []
    try:
        lock = DataLock(settings.data_dir, settings.port)
        if not settings.database_url:
            embedded = EmbeddedPostgres(settings.data_dir)
            embedded.start()
        owner = embedded.url() if embedded is not None else settings.database_url
        first = _prepare(owner, seed)
        trap_port = _free_port()
        companions = [_worker(settings, owner, trap_port)] if not settings.smtp_host else [_worker(settings, owner)]
        keys = _keys(settings)
        mounts = {} if settings.smtp_host else {TRAP_PATH: _trap_page(settings)}
        gateway = _gateway(settings, keys, database_urls(settings, embedded), mounts)
        for companion in companions:
            companion.start()
        if not serve(_recorded(gateway, settings), bound, lambda: _banner(settings, keys, first)):
            raise SystemExit(1)
        lock.release()
    except EmbeddedError as error:
        fail(str(error))
    finally:
        for companion in companions:
            companion.stop()
        if embedded is not None:
            embedded.stop()


def serve_command(
    host: Annotated[str | None, typer.Option(help="Address to listen on")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one")] = None,
    record: Record = None,
) -> None:
    """Run the gateway alone against the database of the settings."""
    settings = load_settings(host=host, port=port, record=record)
    _log(settings)
    urls = database_urls(settings, None)
    settings, bound = _listen(settings)
    gateway = _gateway(settings, _keys(settings), urls, {})
    if not serve(
        _recorded(gateway, settings), bound, lambda: print(f"gateway ready on {settings.api_url}", flush=True)
    ):
        raise SystemExit(1)


def worker(
    trap_port: Annotated[int | None, typer.Option(help="Also catch mails on this port instead of sending them")] = None,
) -> None:
    """Run the jobs: mails and clean-up."""
    settings = load_settings()
    _log(settings)
    if not settings.database_url:
        fail("set DATABASE_URL; with the embedded database, `gateway dev` runs the jobs itself")
    from gateway.jobs.worker import run  # procrastinate and psycopg's pool are needed by this process alone

    asyncio.run(run(settings, settings.database_url, trap_port=trap_port))


# --- steps ------------------------------------------------------------------------------------------------------


def _log(settings: Settings) -> None:
    logging.basicConfig(
        level=settings.log_level.upper(),
        stream=sys.stderr,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    if settings.log_level != "debug":
        for library in ("uvicorn", "httpx", "procrastinate", "asyncio"):
            logging.getLogger(library).setLevel(logging.WARNING)


def _listen(settings: Settings) -> tuple[Settings, socket.socket]:
    try:
        bound = listen(settings.host, settings.port)
    except PortInUse as error:
        fail(f"{error}. Choose another with PORT=…")
    return replace(settings, port=bound.getsockname()[1]), bound


def _prepare(owner: str, seed: bool) -> FirstStart:
    """Migrate; on a new database load the sample rows and make the first administrator."""
    from gateway.cli.users import ensure_first_admin

    try:
        with SyncConnection(owner) as connection:
            applied = schema.migrate(connection)
            fresh = bool(applied) and applied[0].startswith("0001")
            if fresh and seed:
                schema.seed(connection, "demo")
            return FirstStart(ensure_first_admin(connection, ADMIN_EMAIL), len(applied))
    except schema.SchemaError as error:
        fail(str(error))
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    except DatabaseError as error:
        fail(f"the database could not be prepared: {error.message}")


def _gateway(settings: Settings, keys: KeyRing, urls: Urls, mounts: Mapping[str, App]) -> Gateway:
    """The gateway; settings that only a service can judge are told in one line."""
    try:
        return Gateway(settings, keys, urls, mounts=mounts)
    except ValueError as error:
        fail(str(error))


def _keys(settings: Settings) -> KeyRing:
    try:
        return KeyRing.load(settings)
    except ValueError as error:
        fail(str(error))


def _worker(settings: Settings, owner: str, trap_port: int | None = None) -> Companion:
    arguments = [sys.executable, "-m", "gateway", "worker"]
    if trap_port is not None:
        arguments += ["--trap-port", str(trap_port)]
    environment = {**os.environ, "DATABASE_URL": owner, "GATEWAY_DATA_DIR": str(settings.data_dir)}
    return Companion(arguments, environment)


def _trap_page(settings: Settings) -> App:
    from gateway.jobs.trap_page import TrapPage

    return TrapPage(settings.data_dir / "mail")


def _free_port() -> int:
    with listen("127.0.0.1", 0) as probe:
        port: int = probe.getsockname()[1]
        return port


def _banner(settings: Settings, keys: KeyRing, first: FirstStart) -> None:
    url = settings.api_url
    rows = [
        ("Site", url),
        ("API", f"{url}{settings.rest_prefix}  {url}{settings.auth_prefix}  {url}{settings.functions_prefix}"),
        ("Publishable key", keys.publishable_key),
        ("Secret key", f"in {settings.data_dir / FILE_NAME} (readable by you alone)"),
        ("Admin", f"{ADMIN_EMAIL} at {url}/auth"),
    ]
    if first.password is not None:
        rows.append(("First password", f"{first.password}  (shown only now; change it)"))
    if not settings.smtp_host:
        rows.append(("Mail trap", f"{url}{TRAP_PATH}"))
    width = max(len(name) for name, _ in rows)
    print("\n" + "\n".join(f"  {name:<{width}}  {value}" for name, value in rows) + "\n", flush=True)
    if not Path(settings.site_dir, "routes.json").exists():
        print(f"  The site is not built: {settings.site_dir} is missing.\n", flush=True)
