"""Statements for sessions and the claims of how their people proved who they are."""

from __future__ import annotations

from typing import Final

import orjson
from pypika import Order

from gateway.auth.store.tables import AMR_CLAIMS, NULL, SESSIONS, delete_where, insert_row
from gateway.auth.store.users import DOCUMENT, new_id
from gateway.auth.types import Session, User, moment_of
from gateway.database import Result
from gateway.database.sql import parameter, select_from, sql, template, update
from gateway.database.statement import Statement

# Session `s` with its claims as one JSON document, which `Session.of` reads.
SESSION: Final = sql("""to_jsonb(s) || jsonb_build_object('amr', coalesce((
  select jsonb_agg(jsonb_build_object(
    'method', c.authentication_method, 'at', extract(epoch from c.updated_at)::bigint))
  from auth.mfa_amr_claims c where c.session_id = s.id), '[]'))""")

_S: Final = SESSIONS.as_("s")
_SELECT: Final = select_from(_S).select(SESSION)
_BY_ID: Final = template(_SELECT.where(_S.id == parameter("id")))
_OF_USER: Final = template(_SELECT.where(_S.user_id == parameter("user_id")).orderby(_S.created_at, order=Order.desc))
_LOCK: Final = template(select_from(SESSIONS).select(SESSIONS.id).where(SESSIONS.id == parameter("id")).for_update())
_WITH_USER: Final = template(
    sql(
        "select jsonb_build_object('session', ",
        SESSION,
        ", 'user', ",
        DOCUMENT,
        ", 'newer', exists(select from auth.sessions n where n.user_id = s.user_id and n.created_at > s.created_at"
        " and n.created_at <= ",
        parameter("now"),
        " and n.tag is not distinct from s.tag))"
        " from auth.sessions s join auth.users u on u.id = s.user_id where s.id = ",
        parameter("id"),
    )
)


def by_id(session_id: str) -> Statement:
    return _BY_ID.fill(id=session_id)


def of_user(user_id: str) -> Statement:
    """All sessions of a user, newest first."""
    return _OF_USER.fill(user_id=user_id)


def read(result: Result) -> Session | None:
    return Session.of(orjson.loads(result.value)) if result.value is not None else None


def read_all(result: Result) -> list[Session]:
    return [Session.of(orjson.loads(row[0])) for row in result.rows if row[0] is not None]


def locked(session_id: str, now: float) -> tuple[Statement, Statement]:
    """Lock a session; then read it with its user and whether the user has a newer one.

    Two statements, because the second must see what another refresh committed while the first one waited. A session
    from the future is not newer: the clock ran ahead when it was begun.
    """
    return _LOCK.fill(id=session_id), _WITH_USER.fill(id=session_id, now=moment_of(now).isoformat())


def read_locked(result: Result) -> tuple[Session, User, bool] | None:
    """Session, user and whether a newer session exists, of the second statement of `locked`."""
    if result.value is None:
        return None
    row = orjson.loads(result.value)
    return Session.of(row["session"]), User.of(row["user"]), row["newer"]


_INSERT: Final = template(
    insert_row(
        SESSIONS,
        "id",
        "user_id",
        "aal",
        "user_agent",
        "ip",
        "refresh_token_hmac_key",
        "refresh_token_counter",
        "oauth_client_id",
        "scopes",
        created_at="now",
        updated_at="now",
    )
)
_INSERT_CLAIM: Final = template(
    insert_row(AMR_CLAIMS, "id", "session_id", "authentication_method", created_at="now", updated_at="now")
    .on_conflict("session_id", "authentication_method")
    .do_update("updated_at")
)


def insert(session: Session) -> Statement:
    return _INSERT.fill(
        id=session.id,
        user_id=session.user_id,
        aal=session.aal,
        user_agent=session.user_agent,
        ip=session.ip,
        refresh_token_hmac_key=session.hmac_key,
        refresh_token_counter=None if session.counter is None else str(session.counter),
        oauth_client_id=session.oauth_client_id,
        scopes=session.scopes,
        now=session.created_at.isoformat(),
    )


def insert_claim(session_id: str, method: str, now: float) -> Statement:
    """Remember how the person of a session proved who they are."""
    return _INSERT_CLAIM.fill(
        id=new_id(), session_id=session_id, authentication_method=method, now=moment_of(now).isoformat()
    )


_REFRESHED: Final = template(
    update(SESSIONS)
    .set(SESSIONS.refreshed_at, parameter("refreshed_at"))
    .set(SESSIONS.updated_at, parameter("now"))
    .set(SESSIONS.user_agent, parameter("agent"))
    .set(SESSIONS.ip, parameter("address"))
    .set(SESSIONS.created_at, sql("least(created_at, ", parameter("now"), ")"))
    .where(SESSIONS.id == parameter("id"))
)
_ADVANCE: Final = template(
    update(SESSIONS)
    .set(SESSIONS.refresh_token_hmac_key, parameter("key"))
    .set(SESSIONS.refresh_token_counter, parameter("counter"))
    .set(SESSIONS.updated_at, parameter("now"))
    .where(SESSIONS.id == parameter("id"))
)
_RAISE_AAL: Final = template(
    update(SESSIONS)
    .set(SESSIONS.aal, sql("'aal2'"))
    .set(SESSIONS.factor_id, parameter("factor_id"))
    .set(SESSIONS.updated_at, parameter("now"))
    .where(SESSIONS.id == parameter("id"))
)


def refreshed(session_id: str, agent: str | None, address: str | None, now: float) -> Statement:
    """Remember a refresh, without a new counter. A session that began in the future begins now."""
    moment = moment_of(now)
    return _REFRESHED.fill(
        id=session_id,
        refreshed_at=moment.replace(tzinfo=None).isoformat(),  # a column without a zone: UTC
        now=moment.isoformat(),
        agent=agent,
        address=address,
    )


def advance(session_id: str, key: str, counter: int, now: float) -> Statement:
    """Set a session's key and counter."""
    return _ADVANCE.fill(id=session_id, key=key, counter=str(counter), now=moment_of(now).isoformat())


def raise_aal(session_id: str, factor_id: str, now: float) -> Statement:
    return _RAISE_AAL.fill(id=session_id, factor_id=factor_id, now=moment_of(now).isoformat())


_OF_THE_USER: Final = SESSIONS.user_id == parameter("user_id")
_OTHERS: Final = _OF_THE_USER & (SESSIONS.id != parameter("but"))
_OF_FACTOR: Final = _OF_THE_USER & (SESSIONS.factor_id == parameter("factor_id"))
_DELETE: Final = delete_where(SESSIONS, SESSIONS.id == parameter("id"))
_DELETE_OF_USER: Final = delete_where(SESSIONS, _OF_THE_USER)
_DELETE_OTHERS: Final = delete_where(SESSIONS, _OTHERS)
_DELETE_OF_CLIENT: Final = delete_where(SESSIONS, _OF_THE_USER & (SESSIONS.oauth_client_id == parameter("client_id")))
_DELETE_BELOW_AAL2: Final = delete_where(SESSIONS, _OTHERS & sql("coalesce(aal, 'aal1') < 'aal2'"))
_DELETE_PROOFS: Final = delete_where(
    AMR_CLAIMS,
    sql("authentication_method in ('totp', 'mfa/phone', 'mfa/webauthn')")
    & AMR_CLAIMS.session_id.isin(select_from(SESSIONS).select(SESSIONS.id).where(_OF_FACTOR)),
)
_LOWER_AAL: Final = template(
    update(SESSIONS).set(SESSIONS.aal, sql("'aal1'")).set(SESSIONS.factor_id, NULL).where(_OF_FACTOR)
)


def delete(session_id: str) -> Statement:
    return _DELETE.fill(id=session_id)


def delete_of_user(user_id: str, but: str | None = None) -> Statement:
    """End all sessions of a user, or all but one."""
    return _DELETE_OF_USER.fill(user_id=user_id) if but is None else _DELETE_OTHERS.fill(user_id=user_id, but=but)


def delete_of_client(user_id: str, client_id: str) -> Statement:
    """End a user's sessions of another application."""
    return _DELETE_OF_CLIENT.fill(user_id=user_id, client_id=client_id)


def delete_below_aal2(user_id: str, but: str) -> Statement:
    return _DELETE_BELOW_AAL2.fill(user_id=user_id, but=but)


def lower_aal(user_id: str, factor_id: str) -> tuple[Statement, ...]:
    """Take a removed factor's proof back from the user's sessions."""
    return (
        _DELETE_PROOFS.fill(user_id=user_id, factor_id=factor_id),
        _LOWER_AAL.fill(user_id=user_id, factor_id=factor_id),
    )
