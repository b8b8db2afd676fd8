"""Statements that clear away what has ended, and the note of when each API key was used."""

from __future__ import annotations

from typing import Final

from pypika import Table
from pypika.terms import Term

from gateway.auth.store import limits
from gateway.auth.store.tables import (
    API_KEY_USES,
    CHALLENGES,
    FACTORS,
    FLOW_STATES,
    ONE_TIME_TOKENS,
    PASSKEY_CHALLENGES,
    REFRESH_TOKENS,
    SESSIONS,
    USERS,
    insert_row,
)
from gateway.auth.types import moment_of
from gateway.database.sql import render, select_from, sql, template
from gateway.database.statement import Statement


def _delete_some(table: Table, ended: Term, most: int = 500) -> Statement:
    """Delete a small batch that passes over locked rows, so that no sign-in ever waits for a clean-up."""
    batch = select_from(table).for_update(skip_locked=True).select(table.id).where(ended).limit(most)
    return render(select_from(table).delete().where(table.id.isin(batch)))


STATEMENTS: Final = (
    _delete_some(REFRESH_TOKENS, sql("revoked and updated_at < now() - interval '1 day'")),
    _delete_some(FLOW_STATES, sql("created_at < now() - interval '1 day'")),
    _delete_some(ONE_TIME_TOKENS, sql("created_at < timezone('utc', now()) - interval '7 days'")),
    _delete_some(CHALLENGES, sql("created_at < now() - interval '1 day'")),
    _delete_some(PASSKEY_CHALLENGES, sql("expires_at < now()")),
    _delete_some(FACTORS, sql("status = 'unverified' and created_at < now() - interval '1 day'")),
    _delete_some(SESSIONS, sql("not_after < now() - interval '3 days'")),
    _delete_some(USERS, sql("is_anonymous and created_at < now() - interval '30 days'"), 100),
    limits.CLEAN_UP,
)

_KEY_USED: Final = template(
    sql(
        insert_row(API_KEY_USES, "id", "last_used_at"),
        " on conflict (id) do update"
        " set last_used_at = greatest(gateway.api_key_uses.last_used_at, excluded.last_used_at)",
    )
)


def key_used(key_id: str, used: float) -> Statement:
    """Write when an API key was last used."""
    return _KEY_USED.fill(id=key_id, last_used_at=moment_of(used).isoformat())
