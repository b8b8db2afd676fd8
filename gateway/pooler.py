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
    """Database logins of the two services, the setting by which each becomes a lesser role, and where to listen."""

    def __init__(
        self,
        rest: str,
        auth: str,
        rest_as: Become | None = None,
        auth_as: Become | None = None,
        listen: str = "",
    ) -> None:
        """`listen` is the tables' login if not given."""
        self.rest = rest
        self.auth = auth
        self.rest_as = rest_as
        self.auth_as = auth_as
        self.listen = listen or rest


# The process that works for us, and whether it knows the statement by a name.
QUESTION: Final = "select pg_backend_pid(), exists (select from pg_prepared_statements where name = $1)"
# What PgBouncer says to who has waited too long for one of its connections.
WAITED: Final = "query_wait_timeout"


@dataclass(frozen=True, slots=True)
class Session:
    """Whether what it is set to stays, and whether statements may be prepared by name."""

    own: bool
    named: bool


OWN: Final = Session(own=True, named=True)


def session(told: int, works: int, is_known: bool) -> Session:
    """By the process that the connection was told of, the one that works for it, and whether that knew the name.

    >>> session(7, 7, True)
    Session(own=True, named=True)
    >>> session(7, 8, True)  # a name that the next transaction may not find, or find taken
    Session(own=False, named=False)
    >>> session(7, 8, False)
    Session(own=False, named=True)
    """
    return OWN if told == works else Session(own=False, named=not is_known)
