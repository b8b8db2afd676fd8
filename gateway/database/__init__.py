"""Postgres, and psycopg's only user: `Database.run(scope, statement)` for services, `SyncConnection` for commands."""

from gateway.database.conninfo import (
    CONNECT_TIMEOUT,
    command_line,
    is_address,
    password_of,
    user_of,
    with_login,
    with_login_of,
)
from gateway.database.errors import (
    READ_ONLY_REFUSED,
    ConnectionLost,
    DatabaseError,
    DatabaseUnavailable,
    PoolTimeout,
    ReadOnlyDatabase,
    Unresponsive,
)
from gateway.database.listener import RENEW_SESSIONS, Listener
from gateway.database.opening import connect
from gateway.database.pool import BACKOFF_LIMIT, Database
from gateway.database.scope import NO_SCOPE, READ_ONLY, Encoded, Result, Scope, encode
from gateway.database.script_session import ScriptSession
from gateway.database.sync_client import SyncConnection
from gateway.database.transaction import Transaction
from gateway.database.write_lane import SplitDatabase

__all__ = (
    "BACKOFF_LIMIT",
    "CONNECT_TIMEOUT",
    "NO_SCOPE",
    "READ_ONLY",
    "READ_ONLY_REFUSED",
    "RENEW_SESSIONS",
    "ConnectionLost",
    "Database",
    "DatabaseError",
    "DatabaseUnavailable",
    "Encoded",
    "Listener",
    "PoolTimeout",
    "ReadOnlyDatabase",
    "Result",
    "Scope",
    "ScriptSession",
    "SplitDatabase",
    "SyncConnection",
    "Transaction",
    "Unresponsive",
    "command_line",
    "connect",
    "encode",
    "is_address",
    "password_of",
    "user_of",
    "with_login",
    "with_login_of",
)
