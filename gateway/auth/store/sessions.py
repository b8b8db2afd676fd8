"""Statements for sessions, refresh tokens, AMR claims, challenges and flow states."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import orjson

from gateway.auth.flows.rotation import TableToken
from gateway.auth.store.users import DOCUMENT, NO_INSTANCE
from gateway.auth.types import Session, User, moment_of, read_time
from gateway.database import Result
from gateway.database.statement import Statement, array_literal

SESSION: Final = """to_jsonb(s) || jsonb_build_object('amr', coalesce((
  select jsonb_agg(jsonb_build_object(
    'method', c.authentication_method, 'at', extract(epoch from c.updated_at)::bigint))
  from auth.mfa_amr_claims c where c.session_id = s.id), '[]'))"""


def _plain(now: float) -> str:
    """A moment for a column without a zone: UTC."""
    return moment_of(now).replace(tzinfo=None).isoformat()


# --- sessions -------------------------------------------------------------------------------------------------------


def by_id(session_id: str) -> Statement:
    return Statement(f"select {SESSION} from auth.sessions s where s.id = $1", (session_id,))


def of_user(user_id: str) -> Statement:
    """All sessions of a user, newest first."""
    return Statement(
        f"select {SESSION} from auth.sessions s where s.user_id = $1 order by s.created_at desc", (user_id,)
    )


def read(result: Result) -> Session | None:
    return Session.of(orjson.loads(result.value)) if result.value is not None else None


def read_all(result: Result) -> list[Session]:
    return [Session.of(orjson.loads(row[0])) for row in result.rows if row[0] is not None]


def locked(session_id: str, now: float) -> tuple[Statement, Statement]:
    """Lock a session; then read it with its user and whether the user has a newer one.

    Two statements, because the second must see what another refresh committed while the first one waited. A session
    from the future is not newer: the clock ran ahead when it was begun.
    """
    return (
        Statement("select from auth.sessions where id = $1 for update", (session_id,)),
        Statement(
            f"select jsonb_build_object('session', {SESSION}, 'user', {DOCUMENT}, 'newer', exists("
            "select from auth.sessions n where n.user_id = s.user_id and n.created_at > s.created_at"
            " and n.created_at <= $2 and n.tag is not distinct from s.tag))"
            " from auth.sessions s join auth.users u on u.id = s.user_id where s.id = $1",
            (session_id, moment_of(now).isoformat()),
        ),
    )


def read_locked(result: Result) -> tuple[Session, User, bool] | None:
    """Session, user and whether a newer session exists, of the second statement of `locked`."""
    if result.value is None:
        return None
    row = orjson.loads(result.value)
    return Session.of(row["session"]), User.of(row["user"]), row["newer"]


def insert(session: Session) -> Statement:
    return Statement(
        "insert into auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip,"
        " refresh_token_hmac_key, refresh_token_counter) values ($1, $2, $3, $3, $4, $5, $6, $7, $8)",
        (
            session.id,
            session.user_id,
            session.created_at.isoformat(),
            session.aal,
            session.user_agent,
            session.ip,
            session.hmac_key,
            None if session.counter is None else str(session.counter),
        ),
    )


def insert_claim(session_id: str, method: str, now: float) -> Statement:
    """Remember how the person of a session proved who they are."""
    return Statement(
        "insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)"
        " values ($1, $2, $3, $3, $4)"
        " on conflict (session_id, authentication_method) do update set updated_at = excluded.updated_at",
        (str(uuid.uuid4()), session_id, moment_of(now).isoformat(), method),
    )


def refreshed(session_id: str, agent: str | None, address: str | None, now: float) -> Statement:
    """Remember a refresh, without a new counter. A session that began in the future begins now."""
    return Statement(
        "update auth.sessions set refreshed_at = $2, updated_at = $3, user_agent = $4, ip = $5,"
        " created_at = least(created_at, $3) where id = $1",
        (session_id, _plain(now), moment_of(now).isoformat(), agent, address),
    )


def advance(session_id: str, key: str, counter: int, now: float) -> Statement:
    """Set a session's key and counter."""
    return Statement(
        "update auth.sessions set refresh_token_hmac_key = $2, refresh_token_counter = $3, updated_at = $4"
        " where id = $1",
        (session_id, key, str(counter), moment_of(now).isoformat()),
    )


def raise_aal(session_id: str, factor_id: str, now: float) -> Statement:
    return Statement(
        "update auth.sessions set aal = 'aal2', factor_id = $2, updated_at = $3 where id = $1",
        (session_id, factor_id, moment_of(now).isoformat()),
    )


def delete(session_id: str) -> Statement:
    return Statement("delete from auth.sessions where id = $1", (session_id,))


def delete_of_user(user_id: str, but: str | None = None) -> Statement:
    """End all sessions of a user, or all but one."""
    if but is None:
        return Statement("delete from auth.sessions where user_id = $1", (user_id,))
    return Statement("delete from auth.sessions where user_id = $1 and id <> $2", (user_id, but))


def delete_below_aal2(user_id: str, but: str) -> Statement:
    return Statement(
        "delete from auth.sessions where user_id = $1 and id <> $2 and coalesce(aal, 'aal1') < 'aal2'", (user_id, but)
    )


def lower_aal(user_id: str, factor_id: str) -> tuple[Statement, ...]:
    """Take a removed factor's proof back from the user's sessions."""
    return (
        Statement(
            "delete from auth.mfa_amr_claims where authentication_method in ('totp', 'mfa/phone') and session_id in"
            " (select id from auth.sessions where user_id = $1 and factor_id = $2)",
            (user_id, factor_id),
        ),
        Statement(
            "update auth.sessions set aal = 'aal1', factor_id = null where user_id = $1 and factor_id = $2",
            (user_id, factor_id),
        ),
    )


# --- table tokens ---------------------------------------------------------------------------------------------------


def session_of_token(*tokens: str) -> Statement:
    """Lock the session of a table token and name it."""
    return Statement(
        "select s.id from auth.sessions s where s.id in"
        " (select t.session_id from auth.refresh_tokens t where t.token = any($1::text[])) for update",
        (array_literal(tokens),),
    )


def rows_of_token(*tokens: str) -> Statement:
    """The presented row and the active row of its session."""
    return Statement(
        "with presented as (select * from auth.refresh_tokens where token = any($1::text[]) limit 1)"
        " select jsonb_build_object('presented', to_jsonb(p), 'active', (select to_jsonb(a)"
        " from auth.refresh_tokens a where a.session_id = p.session_id and not coalesce(a.revoked, false)"
        " order by a.id desc limit 1)) from presented p",
        (array_literal(tokens),),
    )


@dataclass(frozen=True, slots=True)
class Presented:
    """A table token and the active one of its session, if any."""

    row: TableToken
    active: TableToken | None
    session_id: str | None
    user_id: str


def _table_token(row: Mapping[str, Any]) -> TableToken:
    updated: datetime | None = read_time(row["updated_at"])
    return TableToken(row["id"], row["token"], row["parent"] or None, bool(row["revoked"]), updated)


def read_presented(result: Result) -> Presented | None:
    if result.value is None:
        return None
    document = orjson.loads(result.value)
    row, active = document["presented"], document["active"]
    return Presented(_table_token(row), _table_token(active) if active else None, row["session_id"], row["user_id"])


def insert_token(
    token: str, user_id: str, session_id: str, parent: str, now: float, *, used: bool = False
) -> Statement:
    """A table token; `used` ones only recognise what a client may still present."""
    return Statement(
        "insert into auth.refresh_tokens (instance_id, token, user_id, session_id, parent, revoked, created_at,"
        " updated_at) values ($1, $2, $3, $4, $5, $6, $7, $7)",
        (NO_INSTANCE, token, user_id, session_id, parent, "true" if used else "false", moment_of(now).isoformat()),
    )


def revoke_token(token_id: int, now: float) -> Statement:
    return Statement(
        "update auth.refresh_tokens set revoked = true, updated_at = $2 where id = $1",
        (str(token_id), moment_of(now).isoformat()),
    )


def revoke_tokens(session_id: str, now: float) -> Statement:
    """Revoke every token of a session."""
    return Statement(
        "update auth.refresh_tokens set revoked = true, updated_at = $2"
        " where session_id = $1 and not coalesce(revoked, false)",
        (session_id, moment_of(now).isoformat()),
    )


def rename_token(token_id: int, stored: str, parent: str, now: float) -> Statement:
    """Replace a plain table token by what only recognises it."""
    return Statement(
        "update auth.refresh_tokens set token = $2, parent = $3, revoked = true, updated_at = $4 where id = $1",
        (str(token_id), stored, parent, moment_of(now).isoformat()),
    )


def delete_token(token_id: int) -> Statement:
    return Statement("delete from auth.refresh_tokens where id = $1", (str(token_id),))


# --- flow states ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Flow:
    """A sign-in begun with a code challenge or at a provider."""

    id: str
    user_id: str | None
    auth_code: str | None
    challenge: str | None
    method: str | None
    provider: str
    authentication_method: str
    created_at: datetime
    issued_at: datetime | None
    provider_token: str | None
    provider_refresh_token: str | None
    referrer: str | None
    linking_target: str | None


def insert_flow(
    flow_id: str,
    *,
    provider: str,
    authentication_method: str,
    now: float,
    challenge: str | None = None,
    method: str | None = None,
    user_id: str | None = None,
    auth_code: str | None = None,
    referrer: str | None = None,
    linking_target: str | None = None,
) -> Statement:
    return Statement(
        "insert into auth.flow_state (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type,"
        " authentication_method, referrer, linking_target_id, created_at, updated_at)"
        " values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)",
        (
            flow_id,
            user_id,
            auth_code,
            method,
            challenge,
            provider,
            authentication_method,
            referrer,
            linking_target,
            moment_of(now).isoformat(),
        ),
    )


_FLOW: Final = "select to_jsonb(f) from auth.flow_state f where "


def flow_by_code(auth_code: str) -> Statement:
    return Statement(_FLOW + "f.auth_code = $1 for update", (auth_code,))


def flow_by_id(flow_id: str) -> Statement:
    return Statement(_FLOW + "f.id = $1 for update", (flow_id,))


def flow_of_user(user_id: str, methods: str) -> Statement:
    """The newest flow that a mail began for a user."""
    return Statement(
        _FLOW + "f.user_id = $1 and f.authentication_method = $2 order by f.created_at desc limit 1 for update",
        (user_id, methods),
    )


def read_flow(result: Result) -> Flow | None:
    if result.value is None:
        return None
    row = orjson.loads(result.value)
    created = read_time(row["created_at"])
    return Flow(
        id=row["id"],
        user_id=row["user_id"],
        auth_code=row["auth_code"],
        challenge=row["code_challenge"],
        method=row["code_challenge_method"],
        provider=row["provider_type"],
        authentication_method=row["authentication_method"],
        created_at=created if created is not None else moment_of(0),
        issued_at=read_time(row["auth_code_issued_at"]),
        provider_token=row["provider_access_token"],
        provider_refresh_token=row["provider_refresh_token"],
        referrer=row["referrer"],
        linking_target=row["linking_target_id"],
    )


def issue_code(flow_id: str, user_id: str, auth_code: str, now: float) -> Statement:
    """Give a flow its user and the code by which the client may take the session."""
    return Statement(
        "update auth.flow_state set user_id = $2, auth_code = $3, auth_code_issued_at = $4, updated_at = $4"
        " where id = $1",
        (flow_id, user_id, auth_code, moment_of(now).isoformat()),
    )


def keep_provider_tokens(flow_id: str, access: str, refresh: str) -> Statement:
    return Statement(
        "update auth.flow_state set provider_access_token = $2, provider_refresh_token = $3 where id = $1",
        (flow_id, access, refresh),
    )


def delete_flow(flow_id: str) -> Statement:
    return Statement("delete from auth.flow_state where id = $1", (flow_id,))
