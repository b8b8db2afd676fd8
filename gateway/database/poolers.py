"""What is at the other end of a connection: a session of its own, or a pooler that lends one for each transaction.

Behind a pooler of transactions, such as PgBouncer, nothing may be left in a session and nothing found there: what one
of our own would be set to once is set in each transaction, in the same trip as the request's own settings. Statements
have names only where the pooler keeps track of them (PgBouncer since 1.21, by `max_prepared_statements`).

A new connection finds out by asking, with a statement that has a name. A pooler that keeps track of names has given it
one of its own at the server; any pooler tells clients another process than the one that works for them, because it is
asked to cancel what they run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# A setting and its value by which a login becomes a lesser role.
Become = tuple[str, str]


class Urls:
    """Database logins of the services, the settings by which auth's, storage's and realtime's take their roles on, and
    where to listen."""

    def __init__(
        self,
        rest: str,
        auth: str,
        auth_as: Become | None = None,
        listen: str = "",
        read: str = "",
        storage: str = "",
        storage_as: Become | None = None,
        realtime: str = "",
        realtime_as: Become | None = None,
        replication: tuple[str, ...] = (),
        console: str = "",
    ) -> None:
        """`listen` is the tables' login if not given; `read` is of replicas, if there are any; `storage` and `realtime`
        are auth's login if not given; `replication` are logins that may read the log, by preference; `console` is empty
        where the console has none."""
        self.rest = rest
        self.auth = auth
        self.auth_as = auth_as
        self.listen = listen or rest
        self.read = read
        self.storage = storage or auth
        self.storage_as = storage_as if storage else auth_as
        self.realtime = realtime or auth
        self.realtime_as = realtime_as if realtime else auth_as
        self.replication = replication
        self.console = console


# The process that works for us, whether it knows the statement by a name, whether the login is a superuser, how long
# its statements may take, and whether it may have its session reset by the platform's function.
QUESTION: Final = (
    "select pg_backend_pid(), exists (select from pg_prepared_statements where name = $1),"
    " (select rolsuper from pg_roles where rolname = session_user), current_setting('statement_timeout'),"
    " exists (select from pg_proc where proname = 'reset_session' and pronamespace = (select oid from pg_namespace"
    " where nspname = 'gateway' and has_schema_privilege(oid, 'usage')) and has_function_privilege(oid, 'execute'))"
)
# What PgBouncer says to who has waited too long for one of its connections.
WAITED: Final = "query_wait_timeout"


@dataclass(frozen=True, slots=True)
class SessionKind:
    """Whether what it is set to stays, and whether statements may be prepared by name."""

    own: bool
    named: bool
    superuser: bool = False
    timeout: str = "0"
    calls_reset: bool = False


OWN: Final = SessionKind(own=True, named=True)


def session(told: int, works: int, is_known: bool, superuser: bool = False, timeout: str = "0") -> SessionKind:
    """By the process that the connection was told of, the one that works for it, and whether that knew the name.

    >>> session(7, 7, True)
    SessionKind(own=True, named=True, superuser=False, timeout='0', calls_reset=False)
    >>> session(7, 8, True)  # a name that the next transaction may not find, or find taken
    SessionKind(own=False, named=False, superuser=False, timeout='0', calls_reset=False)
    >>> session(7, 8, False)
    SessionKind(own=False, named=True, superuser=False, timeout='0', calls_reset=False)
    """
    is_own = told == works
    return SessionKind(own=is_own, named=is_own or not is_known, superuser=superuser, timeout=timeout)
