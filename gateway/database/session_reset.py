"""What a transaction's own code may leave in a session, and the statements that take it away.

Any transaction may run code of the application: policies, triggers, views, defaults, functions. What such code sets
without `local`, locks, listens to, prepares, opens or creates for the session would be found by the next request, which
is somebody else's. So each transaction is followed by a reset, in the same trip and in a transaction of its own; so is
one that failed, for advisory locks, prepared statements and the seed outlive a rollback.

Those are spared it where the catalogue shows that no code can run, for a reset costs 15 to 60 µs of the 60 that a small
read does, and twice that where statements may have been prepared: reads of tables (`SchemaCache.code_free`) and writes
of tables (`SchemaCache.code_free_writes`). What such a write does leave is its place in sequences (`lastval()`), which
only code can find: it is taken away before the next transaction that may run some. An upload's question to the policies
is spared it too: it is taken back, and cleans up after itself (storage_private.probe_insert). `DISCARD ALL` is not
used, because it takes the gateway's own statements along.

Where the login may call it, a function of the platform (gateway/migrations/tables/0201_session_reset.sql) does all but
the first statement: seven or eight statements took Postgres 65 µs and the gateway as much, these two take it 25.
Behind a pooler the next transaction may have another session: the pooler itself resets, compose.yaml says how.
"""

from __future__ import annotations

from typing import Final, NamedTuple

# They have names only where no code of the application can deallocate them.
RESET: Final = (
    "close all",
    "set session authorization default",
    "reset all",
    "unlisten *",
    # `random()` goes by a seed that `setseed` makes known; $1 is another one
    "select pg_advisory_unlock_all(), setseed($1)",
    "discard temp",
    "discard sequences",
)
NUMBERS: Final = (RESET[6],)
_FIRST: Final = RESET[1]  # before the function is called: whoever the code made the session be may not call it
_CALLS: Final = {given: f"select gateway.reset_session($1, {str(given).lower()})" for given in (False, True)}
SEEDED: Final = frozenset((RESET[4], *_CALLS.values()))

# Only where a function runs SQL that it is given or puts together can there be statements prepared by SQL; looking
# for them costs as much as a small read.
DEALLOCATE: Final = (
    "do 'declare statement name; begin"
    " for statement in select name from pg_catalog.pg_prepared_statements where from_sql"
    " loop execute pg_catalog.format(''deallocate %I'', statement); end loop; end'"
)


class Reset(NamedTuple):
    """One reset in both its forms: statement by statement, and by the platform's function."""

    listed: tuple[str, ...]
    called: tuple[str, ...]


def reset_of(runs_given_sql: bool, again: tuple[str, ...]) -> Reset:
    """`runs_given_sql` is whether code may have prepared statements, `again` what a session is set to for good."""
    listed = (*RESET, DEALLOCATE) if runs_given_sql else RESET
    return Reset((*listed, *again), (_FIRST, _CALLS[runs_given_sql], *again))
