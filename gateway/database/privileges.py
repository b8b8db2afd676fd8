"""Who may use what is made in `public` from now on: three states, of which a database has one.

`open`: hosted projects until their closing: all is granted to the API's roles, and row level security alone decides.
`tables-closed`: hosted projects after it: tables and sequences are granted by hand; functions stay everybody's.
`closed`: functions are granted by hand too. What there is already keeps its grants.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, Protocol, get_args

from gateway.database.statement import quote_name

State = Literal["open", "tables-closed", "closed"]
STATES: Final[tuple[State, ...]] = get_args(State)
PROJECT: Final = "postgres"  # whose objects a project's are, on a server where the migrating role may become it

_ROLES: Final = "anon, authenticated, service_role"
_TABLES: Final = "select, insert, update, delete"  # what the closing takes; the rest stays, as it does there

# From whichever state: first all as Postgres has it, then what the state grants or takes.
_BARE: Final = (
    f"in schema public revoke all on tables from postgres, {_ROLES}",
    f"in schema public revoke all on sequences from postgres, {_ROLES}",
    f"in schema public revoke all on functions from postgres, {_ROLES}",
    "grant execute on functions to public",
)
_OPEN: Final = (
    f"in schema public grant all on tables to postgres, {_ROLES}",
    f"in schema public grant all on sequences to postgres, {_ROLES}",
    f"in schema public grant all on functions to postgres, {_ROLES}",
)
_CHANGES: Final[dict[State, tuple[str, ...]]] = {
    "open": _OPEN,
    "tables-closed": (
        *_OPEN,
        f"in schema public revoke {_TABLES} on tables from {_ROLES}",
        f"in schema public revoke usage, select on sequences from {_ROLES}",
        f"in schema public revoke execute on functions from {_ROLES}",
    ),
    "closed": (
        # that default of Postgres can only be taken back for all schemas at once
        "revoke execute on functions from public",
        "in schema extensions grant execute on functions to public",
        "in schema public grant all on tables to service_role",
        "in schema public grant all on sequences to service_role",
        "in schema public grant all on functions to service_role",
    ),
}


class Connection(Protocol):
    def script(self, sql: str) -> None: ...

    def rows(self, sql: str, *params: str | None) -> list[tuple[str | None, ...]]: ...


def state_of(text: str) -> State:
    """A state by its name. Raises ValueError."""
    for state in STATES:
        if text == state:
            return state
    raise ValueError(f"one of {', '.join(STATES)}")


def maker(connection: Connection) -> str:
    """The role whose new objects the state is about: the project's, or the session's own where it cannot be that."""
    ((can_be,),) = connection.rows(
        "select coalesce(pg_has_role(current_user, to_regrole($1), 'member'), false)", PROJECT
    )
    return PROJECT if can_be == "t" else str(connection.rows("select current_user")[0][0])


def apply(connection: Connection, state: State) -> None:
    """Bring the database into a state. Raises DatabaseError."""
    role = quote_name(maker(connection))
    connection.script(
        "".join(f"alter default privileges for role {role} {each};\n" for each in (*_BARE, *_CHANGES[state]))
    )


_SIGNS: Final[Mapping[tuple[str | None, str | None], State]] = {
    ("t", "f"): "closed",
    ("f", "t"): "open",
    ("f", "f"): "tables-closed",
}


def found(connection: Connection) -> State | None:
    """The state that a database is in; None where it is some other."""
    ((functions, tables),) = connection.rows(
        "select exists (select from pg_default_acl where defaclrole = to_regrole($1) and defaclnamespace = 0"
        "   and defaclobjtype = 'f' and not exists (select from aclexplode(defaclacl) where grantee = 0)),"
        " exists (select from pg_default_acl, aclexplode(defaclacl) where defaclrole = to_regrole($1)"
        "   and defaclnamespace = 'public'::regnamespace and defaclobjtype = 'r' and grantee = to_regrole('anon')"
        "   and privilege_type = 'SELECT')",
        maker(connection),
    )
    return _SIGNS.get((functions, tables))
