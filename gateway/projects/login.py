"""The role that a project's files run as: the one place that decides it (docs/decisions/0017-roles-of-a-project.md).

At the embedded server they log in as `postgres`, so that no `reset role` makes a superuser of them. At a foreign server
the owner of DATABASE_URL is what `postgres` is here; a superuser takes the role on, where there is one.
"""

from __future__ import annotations

from typing import Final

from gateway.database import SyncConnection, with_login

AUTHOR: Final = "postgres"


def author_url(owner: str, is_embedded: bool) -> str:
    """The address by which files run, of that of the schema's owner."""
    return with_login(owner, AUTHOR, None) if is_embedded else owner


def become_author(connection: SyncConnection) -> None:
    """Be the role that owns what users make, where the login is a superuser that is another one."""
    ((is_needed,),) = connection.rows(
        "select current_user <> $1 and to_regrole($1) is not null and (rolsuper or rolname = 'supabase_admin')"
        " and pg_has_role(session_user, to_regrole($1), 'member') from pg_roles where rolname = session_user",
        AUTHOR,
    )
    if is_needed == "t":
        connection.script(f"set session role {AUTHOR}")
