"""Runs one statement as a caller of the API would: role and claims set, everything rolled back afterwards."""

from __future__ import annotations

import json
from dataclasses import dataclass

from gateway.database import DatabaseError, SyncConnection
from gateway.database.statement import Statement

PLAIN_ID = "00000000-0000-4000-8000-000000000001"
ADMIN_ID = "00000000-0000-4000-8000-000000000002"
OTHER_ADMIN_ID = "00000000-0000-4000-8000-000000000003"


@dataclass(frozen=True)
class Actor:
    """A kind of caller: the role of its requests and whose token it has."""

    name: str
    role: str
    user_id: str | None = None


ANON = Actor("anon", "anon")
PLAIN = Actor("signed-in", "authenticated", PLAIN_ID)
ADMIN = Actor("admin", "authenticated", ADMIN_ID)
SERVICE = Actor("service", "service_role")
ACTORS = (ANON, PLAIN, ADMIN, SERVICE)

# three accounts; the second and third are administrators
ACCOUNTS = f"""
    insert into auth.users (id, email) values
      ('{PLAIN_ID}', 'plain@example.com'),
      ('{ADMIN_ID}', 'admin@example.com'),
      ('{OTHER_ADMIN_ID}', 'other@example.com');
    insert into public.user_roles (user_id, role) values ('{ADMIN_ID}', 'admin'), ('{OTHER_ADMIN_ID}', 'admin');
"""


def become(connection: SyncConnection, actor: Actor) -> None:
    """Take on role and claims until the end of the transaction, which must be open."""
    claims = {"role": actor.role} | ({"sub": actor.user_id} if actor.user_id else {})
    connection.rows(
        "select set_config('role', $1, true), set_config('request.jwt.claims', $2, true)",
        actor.role,
        json.dumps(claims),
    )


def attempt(connection: SyncConnection, actor: Actor, sql: str) -> int | str:
    """Number of rows the statement sees or changes, or the SQLSTATE that refuses it. Leaves no trace."""
    connection.script("begin")
    try:
        become(connection, actor)
        return int(connection.run(Statement(sql)).tag.split()[-1])
    except DatabaseError as error:
        return error.sqlstate
    finally:
        connection.script("rollback")
