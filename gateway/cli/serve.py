"""`gateway dev`, `gateway serve` and `gateway worker`: the gateway's processes.

`dev` does everything on one machine: embedded Postgres (unless DATABASE_URL names one), migrations, sample rows and
a first administrator on the first start, functions, the job worker with a mail trap, the built site. `serve` runs
the gateway alone against a migrated database, `worker` the jobs alone. Both `dev` and `serve` are a supervisor
(gateway/server/supervisor.py) whose workers answer the requests.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from functions_runner.namespaces import hide_memory

from gateway import migrations
from gateway.cli.common import database_urls, fail, load_settings, owner_url, prepare_console_login, project_content
from gateway.cli.ports import Ports, bound_to, free_port, listen_admin, listen_public
from gateway.cli.processes import (
    FileWatch,
    beat,
    hand_over,
    load_keys,
    make_gateway,
    reloaded_roles,
    run_jobs,
    run_monitor,
    worker_roles,
)
from gateway.console.sessions import console_address
from gateway.database import DatabaseError, DatabaseUnavailable, SyncConnection
from gateway.database.embedded import QUIET_LOGINS, DataLock, EmbeddedError, EmbeddedPostgres
from gateway.database.loopback import Loopback
from gateway.functions.children import look_how_functions_are_kept
from gateway.http.messages import App
from gateway.identity.keyring import FILE_NAME, KeyRing
from gateway.projects.content import Content
from gateway.projects.errors import ProjectError
from gateway.projects.settings import config_files, hide_from_git
from gateway.server import logs
from gateway.server.log_rotation import Rotation
from gateway.server.supervisor import Lifeline, Program, Role, Supervisor
from gateway.settings import Settings
from gateway.system.ownership import become_owner

log = logging.getLogger("gateway.serve")

TRAP_PATH = "/_mail"


@dataclass(frozen=True, slots=True)
class FirstStart:
    """What only the first start did."""

    password: str | None
    applied: int


def _warn_of_unserved(settings: Settings) -> None:
    """Name the variables that look like settings of the originals and set nothing, so that none is believed in."""
    if settings.unserved:
        log.warning("not served, or misspelled, and without effect: %s", ", ".join(settings.unserved))


def dev(
    host: str | None = None,
    port: int | None = None,
    seed: bool = True,
    record: str | None = None,
    workers: int | None = None,
) -> None:
    """Run everything on this machine for development or a small site."""
    given = {"host": host, "port": port, "functions_reload": True, "record": record, "workers": workers}
    settings = load_settings(True, **given)
    unsaid: dict[str, Any] = {name: True for name in ("access_log", "functions_record") if name not in settings.given}
    settings, given = replace(settings, **unsaid), {**given, **unsaid}
    logs.configure(settings)
    _warn_of_unserved(settings)
    content = project_content()
    may_differ = content is not None and port is None and "port" not in settings.given
    settings, bound = listen_public(settings, may_differ)  # a port below 1024 is root's to open
    become_owner(settings.data_dir)
    if content is not None:
        hide_from_git(settings.data_dir)
    embedded: EmbeddedPostgres | None = None
    programs: list[Program] = []
    try:
        lock = DataLock(settings.data_dir, settings.port)
        if not settings.database_url:
            embedded = EmbeddedPostgres(settings.data_dir)
            figures = embedded.statement_figures if content is not None else {}
            embedded.settings = {**figures, **settings.db_settings}
            if settings.db_port is not None:
                embedded.loopback = Loopback(settings.data_dir, settings.db_port)
            pid = embedded.start()
            programs = [Program("Postgres", embedded.spawn, lambda: embedded.ready, pid, embedded.last_words)]
        say_how_kept = look_how_functions_are_kept()
        owner = embedded.url() if embedded is not None else owner_url(settings)
        first = _prepare(owner, seed, settings, QUIET_LOGINS if embedded is not None else "", content)
        if embedded is not None and embedded.loopback is not None:
            _admit(owner, embedded.loopback)
        urls = database_urls(settings, embedded)
        trapped = not settings.smtp_host

        def ready() -> None:
            say_how_kept()  # not before: what keeps a start from succeeding is its only line
            _banner(settings, keys, first, ports, embedded.loopback if embedded is not None else None)

        def roles(settings: Settings, keys: KeyRing) -> list[Role]:
            mounts = {TRAP_PATH: _trap_page(settings, ports.mail_key)} if trapped else {}
            return worker_roles(settings, keys, urls, mounts, ports, console=True)

        ports = Ports(settings, bound, listen_admin(settings), settings.console)
        keys = load_keys(settings)
        jobs = Role(
            "jobs worker", partial(run_jobs, settings, owner, ports, free_port() if trapped else None), worker=False
        )
        monitor = Role("monitor", partial(run_monitor, settings, urls, ports), worker=False)
        supervisor = Supervisor(
            [*programs, jobs, monitor, *roles(settings, keys)],
            on_ready=ready,
            on_stop=ports.close,
            reload=lambda: reloaded_roles(settings, given, roles),
            changed=FileWatch(*config_files(content)),
            on_tick=_rotation(settings).look,
            silence=settings.worker_timeout,
            hangup_stops=True,
        )
        if not supervisor.run():
            raise SystemExit(1)
        lock.release()
    except EmbeddedError as error:
        fail(str(error))
    finally:
        if embedded is not None:
            embedded.stop()


def serve_gateway(
    host: str | None = None,
    port: int | None = None,
    record: str | None = None,
    workers: int | None = None,
    check: bool = False,
    handed_over: str = "",
) -> None:
    """Run the gateway alone against the database of the settings."""
    given = {"host": host, "port": port, "record": record, "workers": workers}
    settings = load_settings(True, **given)
    logs.configure(settings)
    _warn_of_unserved(settings)
    if check:
        become_owner(settings.data_dir)
        make_gateway(settings, load_keys(settings), database_urls(settings, None), {})
        print("gateway: ready to start")
        return
    leaving: list[int] = []
    if handed_over:
        public, admin_port, *leaving = [int(number) for number in handed_over.split(":")]
        bound = socket.socket(fileno=public)
        settings = bound_to(settings, bound)
        admin = socket.socket(fileno=admin_port) if admin_port >= 0 else None
    else:
        settings, bound = listen_public(settings)  # a port below 1024 is root's to open
        admin = listen_admin(settings)
    become_owner(settings.data_dir)
    urls = database_urls(settings, None)
    keys = load_keys(settings)
    say_how_kept = look_how_functions_are_kept()
    ports = Ports(settings, bound, admin, settings.console and settings.console_public)

    def ready() -> None:
        say_how_kept()
        logs.say(f"gateway ready on {settings.local_url if settings.unix_socket else settings.api_url}")

    def roles(settings: Settings, keys: KeyRing) -> list[Role]:
        return worker_roles(settings, keys, urls, {}, ports, settings.console_public)

    monitor = Role("monitor", partial(run_monitor, settings, urls, ports), worker=False)
    supervisor = Supervisor(
        [monitor, *roles(settings, keys)],
        on_ready=ready,
        on_stop=ports.close,
        reload=lambda: reloaded_roles(settings, given, roles),
        changed=FileWatch(*config_files(project_content())),
        upgrade=lambda pids: hand_over(ports, pids),
        leaving=leaving,
        on_tick=_rotation(settings).look,
        silence=settings.worker_timeout,
    )
    if not supervisor.run():
        raise SystemExit(1)


def worker(trap_port: int | None = None, lifeline: int | None = None) -> None:
    """Run the jobs: mails and clean-up. `trap_port` is where mails are caught instead of sent, `lifeline` the
    descriptor of the supervisor's line."""
    settings = load_settings()
    logs.configure(settings)
    _warn_of_unserved(settings)
    if not settings.database_url:
        fail("set DATABASE_URL; with the embedded database, `gateway dev` runs the jobs itself")
    hide_memory()
    owner = owner_url(settings)
    if not settings.db_prepared_statements:
        with suppress(DatabaseUnavailable), SyncConnection(owner) as connection:  # one that is away is waited for
            if connection.is_shared:
                fail("the jobs cannot go through a pooler; set DATABASE_DIRECT_URL to the address of Postgres itself")
    from gateway.jobs.worker import run  # procrastinate and psycopg's pool are needed by this process alone

    content = project_content()

    async def work() -> None:
        beating = asyncio.create_task(beat(Lifeline(lifeline))) if lifeline is not None else None
        if content is not None and content.config.buckets:
            from gateway.projects.buckets import fill_when_served

            # Held by a name, or it may be collected before it is done.
            filling = asyncio.create_task(asyncio.to_thread(fill_when_served, content, settings, owner))
            filling.add_done_callback(lambda task: task.cancelled() or task.exception())
        await run(settings, owner, trap_port=trap_port)
        if beating is not None:
            beating.cancel()

    asyncio.run(work())


def _prepare(owner: str, seed: bool, settings: Settings, after: str, content: Content | None) -> FirstStart:
    """Finish what a killed restore left, migrate, and run what is to come after; on a new database load sample rows and
    make the first administrator. A project's own files come last."""
    from gateway.cli.users import ensure_first_admin
    from gateway.operations.maintenance import state
    from gateway.operations.restore import settle

    try:
        with SyncConnection(owner) as connection:
            settle(connection, settings)
            applied = migrations.migrate(connection, migrations.sets(settings.schema_dir))
            # Of the server's roles, not of the content that maintenance protects.
            connection.script(f"begin read write; {after}; commit")
            prepare_console_login(connection)
            fresh = bool(applied) and applied[0] == migrations.platform().migrations[0].name
            if fresh and seed:
                migrations.seed_new(connection, settings.schema_dir / "seed")
            if state(connection).is_on:
                return FirstStart(None, len(applied))
            if content is not None:
                from gateway.projects.database import prepare
                from gateway.projects.login import author_url

                with SyncConnection(author_url(owner, not settings.database_url)) as author:
                    told = prepare(connection, author, content, logs.say, seed)
                for warning in (*content.config.warnings, *told.warnings):
                    log.warning("%s", warning)
                if told.failed_seed:
                    log.error("a seed failed; the rest is served, and the next start tries again: %s", told.failed_seed)
            admin = settings.first_admin
            return FirstStart(ensure_first_admin(connection, admin) if admin else None, len(applied))
    except (migrations.SchemaError, ProjectError) as error:
        fail(str(error))
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    except DatabaseError as error:
        fail(f"the database could not be prepared: {error.message}")


def _admit(owner: str, loopback: Loopback) -> None:
    """Let tools in by the port. Where that cannot be done for now, such as during maintenance, the gateway starts."""
    try:
        with SyncConnection(owner) as connection:
            loopback.admit(connection)
    except (DatabaseError, DatabaseUnavailable) as error:
        log.warning("nobody gets in by the database's port: %s", error)


def _rotation(settings: Settings) -> Rotation:
    return Rotation(settings.data_dir, settings.log_max_bytes, settings.log_max_age)


def _trap_page(settings: Settings, key: str) -> App:
    from gateway.mail.trap_page import TrapPage

    return TrapPage(settings.data_dir / "mail", key)


def _banner(settings: Settings, keys: KeyRing, first: FirstStart, ports: Ports, loopback: Loopback | None) -> None:
    url = settings.api_url
    rows = [
        ("Site", url) if settings.project_dir is None else ("API URL", url),
        ("API", f"{url}{settings.rest_prefix}  {url}{settings.auth_prefix}  {url}{settings.functions_prefix}"),
        ("Publishable key", keys.publishable_key),
        ("Secret key", f"in {settings.data_dir / FILE_NAME} (readable by you alone)"),
    ]
    if settings.first_admin:
        rows.append(("Admin", f"{settings.first_admin} at {url}/auth"))
    if first.password is not None:
        rows.append(("First password", f"{first.password}  (shown only now; change it)"))
    if not settings.smtp_host:
        rows.append(("Mail trap", f"{url}{TRAP_PATH}?key={ports.mail_key}"))
    if settings.console:
        rows.append(("Console", console_address(url, ports.key)))
    if loopback is not None:
        rows.append(("Database", loopback.url))
    if settings.project_dir is not None:
        rows.append(("Variables", "`gateway status -o env` prints them for your application"))
    width = max(len(name) for name, _ in rows)
    logs.say("\n" + "\n".join(f"  {name:<{width}}  {value}" for name, value in rows) + "\n")
    if settings.project_dir is None and not Path(settings.site_dir, "routes.json").exists():
        logs.say(f"  The site is not built: {settings.site_dir} is missing.\n")
