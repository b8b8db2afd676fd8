"""`gateway dev`, `gateway serve` and `gateway worker`: the gateway's processes.

`dev` does everything on one machine: embedded Postgres (unless DATABASE_URL names one), migrations, sample rows and
a first administrator on the first start, functions, the job worker with a mail trap, the built site. `serve` runs
the gateway alone against a migrated database, `worker` the jobs alone. Both `dev` and `serve` are a supervisor
(gateway/server/supervisor.py) whose workers answer the requests.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from functions_runner.namespaces import hide_memory

from gateway import migrations
from gateway.admin import Admin
from gateway.app import Gateway
from gateway.cli.common import database_urls, fail, load_settings, owner_url
from gateway.cli.status import SERVING
from gateway.database import DatabaseError, DatabaseUnavailable, SyncConnection
from gateway.database.embedded import QUIET_LOGINS, DataLock, EmbeddedError, EmbeddedPostgres
from gateway.database.poolers import Urls
from gateway.functions.children import look_how_functions_are_kept
from gateway.http.messages import App
from gateway.http.unix_client import address_of
from gateway.identity.keyring import FILE_NAME, KeyRing
from gateway.middleware import security_headers
from gateway.middleware.limits import Buckets
from gateway.middleware.metrics import Board
from gateway.operations.maintenance import state
from gateway.operations.restore import settle
from gateway.rest.replica import Recent
from gateway.server import logs
from gateway.server.http_server import Listener, PortInUse, listen, listen_at, serve
from gateway.server.log_rotation import Rotation
from gateway.server.supervisor import Lifeline, Program, Role, Supervisor
from gateway.settings import Settings, SettingsError, config_file
from gateway.system.ownership import become_owner
from gateway.system.processes import is_alive

log = logging.getLogger("gateway.serve")

ADMIN_EMAIL = "admin@unitedmedicalwaste.example"
TRAP_PATH = "/_mail"
BEAT = 1.0  # seconds between two signs of life
CHECK_LIMIT = 60.0  # seconds that a new program may take to say whether it would start
LEAVING = 10.0  # seconds that workers whose supervisor was killed may take to let go of the port

Workers = Annotated[int | None, typer.Option(min=1, help="Processes that answer requests")]
Record = Annotated[str | None, typer.Option(metavar="FILE", help="Keep the site's API requests there, for `replay`")]


@dataclass(frozen=True, slots=True)
class FirstStart:
    """What only the first start did."""

    password: str | None
    applied: int


def _warn_of_unserved(settings: Settings) -> None:
    """Name the variables that look like settings of the originals and set nothing, so that none is believed in."""
    if settings.unserved:
        log.warning("not served, or misspelled, and without effect: %s", ", ".join(settings.unserved))


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
    workers: Workers = None,
) -> None:
    """Run everything on this machine for development or a small site."""
    given = {"host": host, "port": port, "functions_reload": True, "record": record, "workers": workers}
    settings = load_settings(True, **given)
    logs.configure(settings)
    _warn_of_unserved(settings)
    settings, bound = _listen(settings)  # a port below 1024 is root's to open
    become_owner(settings.data_dir)
    embedded: EmbeddedPostgres | None = None
    programs: list[Program] = []
    try:
        lock = DataLock(settings.data_dir, settings.port)
        if not settings.database_url:
            embedded = EmbeddedPostgres(settings.data_dir)
            pid = embedded.start()
            programs = [Program("Postgres", embedded.spawn, lambda: embedded.ready, pid, embedded.last_words)]
        say_how_kept = look_how_functions_are_kept()
        owner = embedded.url() if embedded is not None else owner_url(settings)
        first = _prepare(owner, seed, settings, QUIET_LOGINS if embedded is not None else "")
        urls = database_urls(settings, embedded)
        trapped = not settings.smtp_host

        def ready() -> None:
            say_how_kept()  # not before: what keeps a start from succeeding is its only line
            _banner(settings, keys, first, ports.mail_key)

        def roles(settings: Settings, keys: KeyRing) -> list[Role]:
            mounts = {TRAP_PATH: _trap_page(settings, ports.mail_key)} if trapped else {}
            return _workers(settings, keys, urls, mounts, ports)

        ports = Ports(settings, bound, _admin_socket(settings))
        keys = _keys(settings)
        jobs = Role(
            "jobs worker", partial(_run_jobs, settings, owner, ports, _free_port() if trapped else None), worker=False
        )
        monitor = Role("monitor", partial(_run_monitor, settings, urls, ports), worker=False)
        supervisor = Supervisor(
            [*programs, jobs, monitor, *roles(settings, keys)],
            on_ready=ready,
            on_stop=ports.close,
            reload=lambda: _reloaded(settings, given, roles),
            changed=FileWatch(config_file()),
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


def serve_command(
    host: Annotated[str | None, typer.Option(help="Address to listen on")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one")] = None,
    record: Record = None,
    workers: Workers = None,
    check: Annotated[bool, typer.Option("--check", help="Only say whether it would start, by the exit status")] = False,
    handed_over: Annotated[str, typer.Option(hidden=True, help="Socket and workers of the program before")] = "",
) -> None:
    """Run the gateway alone against the database of the settings."""
    given = {"host": host, "port": port, "record": record, "workers": workers}
    settings = load_settings(True, **given)
    logs.configure(settings)
    _warn_of_unserved(settings)
    if check:
        become_owner(settings.data_dir)
        _gateway(settings, _keys(settings), database_urls(settings, None), {})
        print("gateway: ready to start")
        return
    leaving: list[int] = []
    if handed_over:
        public, admin_port, *leaving = [int(number) for number in handed_over.split(":")]
        bound = socket.socket(fileno=public)
        settings = _bound_to(settings, bound)
        admin = socket.socket(fileno=admin_port) if admin_port >= 0 else None
    else:
        settings, bound = _listen(settings)  # a port below 1024 is root's to open
        admin = _admin_socket(settings)
    become_owner(settings.data_dir)
    urls = database_urls(settings, None)
    keys = _keys(settings)
    say_how_kept = look_how_functions_are_kept()
    ports = Ports(settings, bound, admin)

    def ready() -> None:
        say_how_kept()
        logs.say(f"gateway ready on {settings.local_url if settings.unix_socket else settings.api_url}")

    def roles(settings: Settings, keys: KeyRing) -> list[Role]:
        return _workers(settings, keys, urls, {}, ports)

    monitor = Role("monitor", partial(_run_monitor, settings, urls, ports), worker=False)
    supervisor = Supervisor(
        [monitor, *roles(settings, keys)],
        on_ready=ready,
        on_stop=ports.close,
        reload=lambda: _reloaded(settings, given, roles),
        changed=FileWatch(config_file()),
        upgrade=lambda pids: _upgrade(ports, pids),
        leaving=leaving,
        on_tick=_rotation(settings).look,
        silence=settings.worker_timeout,
    )
    if not supervisor.run():
        raise SystemExit(1)


def worker(
    trap_port: Annotated[int | None, typer.Option(help="Also catch mails on this port instead of sending them")] = None,
    lifeline: Annotated[int | None, typer.Option(hidden=True, help="Descriptor of the supervisor's line")] = None,
) -> None:
    """Run the jobs: mails and clean-up."""
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

    async def work() -> None:
        beating = asyncio.create_task(_beat(Lifeline(lifeline))) if lifeline is not None else None
        await run(settings, owner, trap_port=trap_port)
        if beating is not None:
            beating.cancel()

    asyncio.run(work())


async def _beat(lifeline: Lifeline) -> None:
    """Tell the supervisor that the event loop turns."""
    while True:
        lifeline.beat()
        await asyncio.sleep(BEAT)


# --- steps ------------------------------------------------------------------------------------------------------


def _listen(settings: Settings) -> tuple[Settings, socket.socket]:
    deadline = time.monotonic() + (LEAVING if _was_killed(settings) else 0.0)
    while True:
        try:
            bound = (
                listen_at(settings.unix_socket, settings.unix_socket_mode)
                if settings.unix_socket
                else listen(settings.host, settings.port, settings.reuse_port)
            )
            break
        except PortInUse as error:
            if time.monotonic() >= deadline:
                fail(str(error) if settings.unix_socket else f"{error}. Choose another with PORT=…")
            time.sleep(0.05)
    return _bound_to(settings, bound), bound


def _bound_to(settings: Settings, bound: socket.socket) -> Settings:
    """Settings that name the port that was taken."""
    return settings if bound.family == socket.AF_UNIX else replace(settings, port=bound.getsockname()[1])


def _address(bound: socket.socket | None) -> str | None:
    """Where commands of this machine reach the admin port's socket."""
    if bound is None:
        return None
    name = bound.getsockname()
    return address_of(name) if bound.family == socket.AF_UNIX else f"http://127.0.0.1:{name[1]}"


def _was_killed(settings: Settings) -> bool:
    """Whether a gateway served this port whose supervisor is gone without a word; its workers are about to follow."""
    try:
        note = json.loads((settings.data_dir / SERVING).read_text())
        return bool(note["port"] == settings.port and not is_alive(note["pid"]))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _prepare(owner: str, seed: bool, settings: Settings, after: str) -> FirstStart:
    """Finish what a killed restore left, migrate, and run what is to come after; on a new database load sample rows and
    make the first administrator."""
    from gateway.cli.users import ensure_first_admin

    try:
        with SyncConnection(owner) as connection:
            settle(connection, settings)
            applied = migrations.migrate(connection, migrations.sets(settings.schema_dir))
            # Of the server's roles, not of the content that maintenance protects.
            connection.script(f"begin read write; {after}; commit")
            fresh = bool(applied) and applied[0] == migrations.platform().migrations[0].name
            if fresh and seed:
                migrations.seed_new(connection, settings.schema_dir / "seed")
            if state(connection).is_on:
                return FirstStart(None, len(applied))
            return FirstStart(ensure_first_admin(connection, ADMIN_EMAIL), len(applied))
    except migrations.SchemaError as error:
        fail(str(error))
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    except DatabaseError as error:
        fail(f"the database could not be prepared: {error.message}")


def _gateway(
    settings: Settings,
    keys: KeyRing,
    urls: Urls,
    mounts: Mapping[str, App],
    board: Board | None = None,
    buckets: Buckets | None = None,
    recent: Recent | None = None,
    slot: int = 0,
) -> Gateway:
    """The gateway; settings that only a service can judge are told in one line."""
    try:
        return Gateway(settings, keys, urls, mounts=mounts, board=board, buckets=buckets, recent=recent, slot=slot)
    except ValueError as error:
        fail(str(error))


def _keys(settings: Settings) -> KeyRing:
    try:
        return KeyRing.load(settings)
    except ValueError as error:
        fail(str(error))


def _workers(settings: Settings, keys: KeyRing, urls: Urls, mounts: Mapping[str, App], ports: Ports) -> list[Role]:
    """A role for each worker of the gateway."""
    # Before the forks, so that all share them.
    board, buckets, recent = Board(settings.workers), Buckets(), Recent()

    def run(slot: int, lifeline: Lifeline) -> int:
        gateway = _gateway(settings, keys, urls, mounts, board, buckets, recent, slot)
        admin = (
            Listener(Admin(gateway, board, ports.key, private=ports.admin.family == socket.AF_UNIX), ports.admin)
            if ports.admin is not None
            else None
        )
        app = _recorded(gateway, settings)
        served = serve(
            app,
            ports.public,
            lifeline,
            admin,
            settings.client_timeout,
            security_headers.of_all(settings),
            lifeline.beat,
            settings.max_connections,
            # What stands around the gateway sees nothing of what skips ASGI.
            gateway.fast_path if settings.fast_path and app is gateway else None,
        )
        return 0 if served else 1

    return [Role(f"worker {slot + 1}", partial(run, slot)) for slot in range(settings.workers)]


def _rotation(settings: Settings) -> Rotation:
    return Rotation(settings.data_dir, settings.log_max_bytes, settings.log_max_age)


class Ports:
    """The sockets that every worker listens on, and the note for `gateway status` that says where they are.

    `key` opens what the admin port shows to the owner alone, `mail_key` the mail trap; each start makes new ones.
    """

    def __init__(self, settings: Settings, public: socket.socket, admin: socket.socket | None) -> None:
        self.public = public
        self.admin = admin
        self.key = secrets.token_urlsafe(32)
        self.mail_key = secrets.token_urlsafe(32)
        self._note = settings.data_dir / SERVING
        content = {
            "pid": os.getpid(),
            "url": settings.local_url if settings.unix_socket else settings.api_url,
            "port": settings.port,
            "admin": _address(admin),
            "key": self.key,
            "mail_key": self.mail_key,
        }
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        # Removed first: one that another version left may be readable by more than its owner.
        self._note.unlink(missing_ok=True)
        with open(os.open(self._note, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as note:
            note.write(json.dumps(content) + "\n")

    def let_go(self) -> None:
        """Close the sockets in this process; the others go on listening."""
        self.public.close()
        if self.admin is not None:
            self.admin.close()

    def close(self) -> None:
        """Listen no more."""
        sockets = [each for each in (self.public, self.admin) if each is not None]
        paths = [each.getsockname() for each in sockets if each.family == socket.AF_UNIX]
        self.let_go()
        for path in paths:
            with suppress(OSError):  # it may stand in a folder that was root's to write to
                os.unlink(path)
        self._note.unlink(missing_ok=True)

    @property
    def descriptors(self) -> tuple[int, int]:
        """For a program that takes over; -1 is none."""
        return self.public.fileno(), self.admin.fileno() if self.admin is not None else -1


def _admin_socket(settings: Settings) -> socket.socket | None:
    if settings.admin_port is None and not settings.admin_unix_socket:
        return None
    try:
        if settings.admin_unix_socket:
            return listen_at(settings.admin_unix_socket, settings.admin_unix_socket_mode)
        assert settings.admin_port is not None
        return listen("127.0.0.1", settings.admin_port)
    except PortInUse as error:
        fail(str(error) if settings.admin_unix_socket else f"{error}. Choose another with PGRST_ADMIN_SERVER_PORT=…")


def _run_jobs(settings: Settings, owner: str, ports: Ports, trap_port: int | None, lifeline: Lifeline) -> int:
    """Be `gateway worker`: a program of its own, because it needs other libraries."""
    ports.let_go()  # or it would hold the port open, and a later start could not have it
    os.set_inheritable(lifeline.descriptor, True)
    arguments = [sys.executable, "-m", "gateway", "worker", "--lifeline", str(lifeline.descriptor)]
    if trap_port is not None:
        arguments += ["--trap-port", str(trap_port)]
    os.execve(
        sys.executable,
        arguments,
        {**os.environ, "DATABASE_URL": owner, "GATEWAY_DATA_DIR": str(settings.data_dir)},
    )


def _run_monitor(settings: Settings, urls: Urls, ports: Ports, lifeline: Lifeline) -> int:
    """Watch over the gateway in a process of its own."""
    from gateway.operations.monitor.run import watch  # brings the mail client along, which no worker needs

    admin = _address(ports.admin)
    ports.let_go()
    asyncio.run(watch(settings, urls, admin, lambda: _beat(lifeline)))
    return 0


def _reloaded(
    settings: Settings, given: Mapping[str, Any], roles: Callable[[Settings, KeyRing], list[Role]]
) -> list[Role] | None:
    """Roles with the settings and keys as they are now; None, and a line that says why, where these are at fault.

    Where the gateway listens and which database it uses stay as they were until it is started anew.
    """
    try:
        fresh = Settings.load(**{name: value for name, value in given.items() if value is not None})
        fresh = replace(
            fresh,
            host=settings.host,
            port=settings.port,
            data_dir=settings.data_dir,
            database_url=settings.database_url,
        )
        reloaded = roles(fresh, KeyRing.load(fresh))
    except (SettingsError, ValueError) as error:
        log.error("the settings stay as they were: %s", error)
        return None
    log.info("settings and keys are read again")
    return reloaded


def _upgrade(ports: Ports, workers: tuple[int, ...]) -> None:
    """Become the program as it is installed now; the workers serve on until its own are ready."""
    arguments = list(sys.orig_argv)
    if "--handed-over" in arguments:
        at = arguments.index("--handed-over")
        del arguments[at : at + 2]
    try:
        checked = subprocess.run(
            [*arguments, "--check"], executable=sys.executable, capture_output=True, text=True, timeout=CHECK_LIMIT
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        log.error("the new program cannot be tried, this one stays: %s", error)
        return
    if checked.returncode != 0:
        log.error("the new program would not start, this one stays: %s", checked.stderr.strip())
        return
    handed = ":".join(str(number) for number in (*ports.descriptors, *workers))
    os.execv(sys.executable, [*arguments, "--handed-over", handed])


class FileWatch:
    """Tells once of each change of a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = self._stamp()

    def __call__(self) -> bool:
        before, self._seen = self._seen, self._stamp()
        return self._seen != before

    def _stamp(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size


def _trap_page(settings: Settings, key: str) -> App:
    from gateway.mail.trap_page import TrapPage

    return TrapPage(settings.data_dir / "mail", key)


def _free_port() -> int:
    with listen("127.0.0.1", 0) as probe:
        port: int = probe.getsockname()[1]
        return port


def _banner(settings: Settings, keys: KeyRing, first: FirstStart, mail_key: str) -> None:
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
        rows.append(("Mail trap", f"{url}{TRAP_PATH}?key={mail_key}"))
    width = max(len(name) for name, _ in rows)
    logs.say("\n" + "\n".join(f"  {name:<{width}}  {value}" for name, value in rows) + "\n")
    if not Path(settings.site_dir, "routes.json").exists():
        logs.say(f"  The site is not built: {settings.site_dir} is missing.\n")
