"""Postgres: who logs in where, and how its connections are used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gateway.settings.rows import Seconds, parse_list, setting


def _parse_database(raw: Any) -> str:
    """An address or a list of parameters that libpq understands; empty for none."""
    from gateway.database import is_address  # the one room of psycopg, loaded where there is an address to read

    text = str(raw).strip()
    if not is_address(text):
        raise ValueError(f"{text!r} is no address of a database")
    return text


@dataclass(frozen=True)
class DatabaseSettings:
    """Fields of `Settings`."""

    database_url: str = setting(
        "",
        "Postgres to use, or `@PATH` of a file that holds the address; empty starts the embedded one",
        "DATABASE_URL",
        secret=True,
        file=True,
        parse=_parse_database,
    )
    default_privileges: str = setting(
        "",
        "Who may use new tables and functions of `public` in a project with `supabase/`, set before its first file;"
        " empty: as config.toml says, else open",
        "GATEWAY_DEFAULT_PRIVILEGES",
        choices=("", "open", "tables-closed", "closed"),
    )
    net_allow: tuple[str, ...] = setting(
        (),
        "Hosts on this machine or its link, as `name` or `name:port`, that requests of the extension pg_net may go to"
        " besides the gateway itself; `*` is all",
        "GATEWAY_NET_ALLOW",
        parse=parse_list,
    )
    rest_database_url: str = setting(
        "",
        "Login of the tables API, no superuser's; default: authenticator at DATABASE_URL, which gets a password",
        "PGRST_DB_URI",
        secret=True,
        file=True,
        parse=_parse_database,
    )
    auth_database_url: str = setting(
        "",
        "Login of the auth API, likewise; default: supabase_auth_admin",
        "GOTRUE_DB_DATABASE_URL",
        secret=True,
        file=True,
        parse=_parse_database,
    )
    storage_database_url: str = setting(
        "",
        "Login of the storage API, likewise; default: supabase_storage_admin",
        "GATEWAY_STORAGE_DATABASE_URL",
        secret=True,
        file=True,
        parse=_parse_database,
    )
    realtime_database_url: str = setting(
        "",
        "Login of the realtime API, likewise; default: supabase_realtime_admin",
        "GATEWAY_REALTIME_DATABASE_URL",
        secret=True,
        file=True,
        parse=_parse_database,
    )
    console_database_url: str = setting(
        "",
        "Login of the console, which may neither be nor become a superuser; default: gateway_console",
        "GATEWAY_CONSOLE_DATABASE_URL",
        secret=True,
        file=True,
        parse=_parse_database,
    )
    direct_database_url: str = setting(
        "",
        "Postgres itself where DATABASE_URL is a pooler: for LISTEN, jobs and commands",
        "DATABASE_DIRECT_URL",
        "DIRECT_URL",
        secret=True,
        file=True,
        parse=_parse_database,
    )
    read_database_url: str = setting(
        "",
        "Replicas that answer GET and HEAD of the tables API; default none",
        "DATABASE_READ_URL",
        secret=True,
        file=True,
        parse=_parse_database,
    )
    read_after_write: Seconds = setting(
        5.0,
        "How long who wrote reads from the primary; a replica further behind answers nobody",
        "GATEWAY_READ_AFTER_WRITE",
    )
    db_port: int | None = setting(
        54322,
        "Port on loopback by which psql and other tools reach the embedded Postgres, or the next free one after it;"
        " empty for none",
        "GATEWAY_DB_PORT",
    )
    db_settings: dict[str, str] = setting(
        {}, "Further settings of the embedded Postgres: name=value,name=value", "GATEWAY_DB_SETTINGS"
    )
    db_prepared_statements: bool | None = setting(
        None,
        "Statements are prepared by name; default: where a connection finds that they may. true says that each has a"
        " session of its own, be it a pooler's",
        "PGRST_DB_PREPARED_STATEMENTS",
    )
