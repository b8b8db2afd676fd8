"""The role that a project's files run as: the one place that decides it."""

from __future__ import annotations

from typing import Final

from gateway.database import SyncConnection

AUTHOR: Final = "postgres"  # what a hosted project's migrations run as


def become_author(connection: SyncConnection) -> None:
    """Be the role that owns what users make. Who may not become it, such as the owner of a foreign server, stays."""
    ((is_needed,),) = connection.rows(
        "select current_user <> $1 and coalesce(pg_has_role(session_user, to_regrole($1), 'member'), false)", AUTHOR
    )
    if is_needed == "t":
        connection.script(f"set session role {AUTHOR}")
