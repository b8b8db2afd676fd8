"""Statements for table tokens: the rows of `auth.refresh_tokens`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from gateway.auth.store.tables import NO_INSTANCE, REFRESH_TOKENS, TRUE, delete_where, insert_row
from gateway.auth.types import TableToken, moment_of, read_time
from gateway.database import Result
from gateway.database.sql import parameter, sql, template, update
from gateway.database.statement import Statement, array_literal

_LOCK_SESSION: Final = template(
    sql(
        "select s.id from auth.sessions s where s.id in"
        " (select t.session_id from auth.refresh_tokens t where t.token = any(",
        parameter("tokens"),
        "::text[])) for update",
    )
)
_PRESENTED: Final = template(
    sql(
        "with presented as (select * from auth.refresh_tokens where token = any(",
        parameter("tokens"),
        "::text[]) limit 1) select jsonb_build_object('presented', to_jsonb(p), 'active', (select to_jsonb(a)"
        " from auth.refresh_tokens a where a.session_id = p.session_id and not coalesce(a.revoked, false)"
        " order by a.id desc limit 1)) from presented p",
    )
)


def lock_session(*tokens: str) -> Statement:
    """Lock the session of a table token and name it."""
    return _LOCK_SESSION.fill(tokens=array_literal(tokens))


def presented(*tokens: str) -> Statement:
    """The presented row and the active row of its session."""
    return _PRESENTED.fill(tokens=array_literal(tokens))


@dataclass(frozen=True, slots=True)
class Presented:
    """A table token and the active one of its session, if any."""

    row: TableToken
    active: TableToken | None
    session_id: str | None
    user_id: str


def read(result: Result) -> Presented | None:
    if result.value is None:
        return None
    document = orjson.loads(result.value)
    row, active = document["presented"], document["active"]
    return Presented(_table_token(row), _table_token(active) if active else None, row["session_id"], row["user_id"])


def _table_token(row: Mapping[str, Any]) -> TableToken:
    return TableToken(
        row["id"], row["token"], row["parent"] or None, bool(row["revoked"]), read_time(row["updated_at"])
    )


_INSERT: Final = template(
    insert_row(
        REFRESH_TOKENS,
        "instance_id",
        "token",
        "user_id",
        "session_id",
        "parent",
        "revoked",
        created_at="now",
        updated_at="now",
    )
)
_REVOKE_ROWS: Final = (
    update(REFRESH_TOKENS).set(REFRESH_TOKENS.revoked, TRUE).set(REFRESH_TOKENS.updated_at, parameter("now"))
)
_REVOKE: Final = template(_REVOKE_ROWS.where(REFRESH_TOKENS.id == parameter("id")))
_REVOKE_ALL: Final = template(
    _REVOKE_ROWS.where(REFRESH_TOKENS.session_id == parameter("session_id")).where(sql("not coalesce(revoked, false)"))
)
_RENAME: Final = template(
    _REVOKE_ROWS.set(REFRESH_TOKENS.token, parameter("token"))
    .set(REFRESH_TOKENS.parent, parameter("parent"))
    .where(REFRESH_TOKENS.id == parameter("id"))
)
_DELETE: Final = delete_where(REFRESH_TOKENS, REFRESH_TOKENS.id == parameter("id"))


def insert(token: str, user_id: str, session_id: str, parent: str, now: float, *, used: bool = False) -> Statement:
    """A table token; `used` ones only recognise what a client may still present."""
    return _INSERT.fill(
        instance_id=NO_INSTANCE,
        token=token,
        user_id=user_id,
        session_id=session_id,
        parent=parent,
        revoked="true" if used else "false",
        now=moment_of(now).isoformat(),
    )


def revoke(token_id: int, now: float) -> Statement:
    return _REVOKE.fill(id=str(token_id), now=moment_of(now).isoformat())


def revoke_all(session_id: str, now: float) -> Statement:
    """Revoke every token of a session."""
    return _REVOKE_ALL.fill(session_id=session_id, now=moment_of(now).isoformat())


def rename(token_id: int, stored: str, parent: str, now: float) -> Statement:
    """Replace a plain table token by what only recognises it."""
    return _RENAME.fill(id=str(token_id), token=stored, parent=parent, now=moment_of(now).isoformat())


def delete(token_id: int) -> Statement:
    return _DELETE.fill(id=str(token_id))
