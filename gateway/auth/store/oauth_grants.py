"""Statements for what users let other applications do: authorizations that wait, and consents that stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import orjson

from gateway.auth.store.tables import OAUTH_AUTHORIZATIONS, OAUTH_CONSENTS, delete_where, insert_row
from gateway.auth.store.users import new_id
from gateway.auth.types import moment_of, read_time
from gateway.database import Result
from gateway.database.sql import parameter, select_from, sql, template, update
from gateway.database.statement import Statement


@dataclass(frozen=True, slots=True)
class Authorization:
    """A row of `auth.oauth_authorizations`. `public_id` is what its address carries."""

    id: str
    public_id: str
    client_id: str
    user_id: str | None
    redirect_uri: str
    scope: str
    state: str | None
    resource: str | None
    challenge: str
    method: str
    status: str
    expires_at: datetime
    nonce: str | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Authorization:
        expires = read_time(row["expires_at"])
        return cls(
            id=row["id"],
            public_id=row["authorization_id"],
            client_id=row["client_id"],
            user_id=row["user_id"],
            redirect_uri=row["redirect_uri"],
            scope=row["scope"],
            state=row["state"],
            resource=row["resource"],
            challenge=row["code_challenge"] or "",
            method=row["code_challenge_method"] or "plain",
            status=row["status"],
            expires_at=expires if expires is not None else moment_of(0),
            nonce=row["nonce"],
        )


_INSERT: Final = template(
    insert_row(
        OAUTH_AUTHORIZATIONS,
        "id",
        "authorization_id",
        "client_id",
        "redirect_uri",
        "scope",
        "state",
        "resource",
        "code_challenge",
        "code_challenge_method",
        "nonce",
        "expires_at",
        created_at="now",
    )
)
_A: Final = OAUTH_AUTHORIZATIONS.as_("a")
_DOCUMENT: Final = sql("to_jsonb(a)")
_BY_PUBLIC_ID: Final = template(
    select_from(_A)
    .for_update(skip_locked=True)
    .select(_DOCUMENT)
    .where(_A.authorization_id == parameter("authorization_id"))
)
_BY_CODE: Final = template(
    select_from(_A)
    .select(_DOCUMENT)
    .where(sql("a.authorization_code = any(", parameter("codes"), "::text[])"))
    .where(_A.status == sql("'approved'"))
    .for_update()
)
_ID: Final = OAUTH_AUTHORIZATIONS.id == parameter("id")
_BIND: Final = template(update(OAUTH_AUTHORIZATIONS).set(OAUTH_AUTHORIZATIONS.user_id, parameter("user_id")).where(_ID))
_END: Final = template(update(OAUTH_AUTHORIZATIONS).set(OAUTH_AUTHORIZATIONS.status, parameter("status")).where(_ID))
_APPROVE: Final = template(
    update(OAUTH_AUTHORIZATIONS)
    .set(OAUTH_AUTHORIZATIONS.status, sql("'approved'"))
    .set(OAUTH_AUTHORIZATIONS.authorization_code, parameter("code"))
    .set(OAUTH_AUTHORIZATIONS.approved_at, parameter("now"))
    .where(_ID)
)
_DELETE: Final = delete_where(OAUTH_AUTHORIZATIONS, _ID)


def insert(
    public_id: str,
    client_id: str,
    redirect_uri: str,
    scope: str,
    challenge: tuple[str, str],
    *,
    state: str | None,
    resource: str | None,
    nonce: str | None,
    now: float,
    expires: float,
) -> Statement:
    """An authorization that waits for a user."""
    return _INSERT.fill(
        id=new_id(),
        authorization_id=public_id,
        client_id=client_id,
        redirect_uri=redirect_uri,
        scope=scope,
        state=state,
        resource=resource,
        code_challenge=challenge[0],
        code_challenge_method=challenge[1],
        nonce=nonce,
        expires_at=moment_of(expires).isoformat(),
        now=moment_of(now).isoformat(),
    )


def by_public_id(public_id: str) -> Statement:
    """Lock an authorization, unless somebody else has it."""
    return _BY_PUBLIC_ID.fill(authorization_id=public_id)


def by_code(codes: str) -> Statement:
    """Lock the approved authorization of a code; `codes` is an array literal of what the table may keep of it."""
    return _BY_CODE.fill(codes=codes)


def read(result: Result) -> Authorization | None:
    return Authorization.of(orjson.loads(result.value)) if result.value is not None else None


def bind_to(authorization_id: str, user_id: str) -> Statement:
    """Let one user decide about an authorization."""
    return _BIND.fill(id=authorization_id, user_id=user_id)


def end(authorization_id: str, status: str) -> Statement:
    """An authorization is denied, or expired."""
    return _END.fill(id=authorization_id, status=status)


def approve(authorization_id: str, code: str, now: float) -> Statement:
    return _APPROVE.fill(id=authorization_id, code=code, now=moment_of(now).isoformat())


def delete(authorization_id: str) -> Statement:
    return _DELETE.fill(id=authorization_id)


# --- consents -------------------------------------------------------------------------------------------------------

_AGREE: Final = template(
    sql(
        insert_row(OAUTH_CONSENTS, "id", "user_id", "client_id", "scopes", granted_at="now"),
        " on conflict (user_id, client_id) do update"
        " set scopes = excluded.scopes, granted_at = excluded.granted_at, revoked_at = null",
    )
)
_O: Final = OAUTH_CONSENTS.as_("o")
_SCOPES: Final = template(
    select_from(_O)
    .select(_O.scopes)
    .where((_O.user_id == parameter("user_id")) & (_O.client_id == parameter("client_id")) & _O.revoked_at.isnull())
)
_OF_USER: Final = template(
    sql(
        "select jsonb_build_object('client', to_jsonb(c), 'scopes', o.scopes, 'granted_at', o.granted_at)"
        " from auth.oauth_consents o join auth.oauth_clients c on c.id = o.client_id and c.deleted_at is null"
        " where o.user_id = ",
        parameter("user_id"),
        " and o.revoked_at is null order by o.granted_at desc, o.id",
    )
)
_REVOKE: Final = template(
    update(OAUTH_CONSENTS)
    .returning(OAUTH_CONSENTS.id)
    .set(OAUTH_CONSENTS.revoked_at, sql("greatest(granted_at, ", parameter("now"), ")"))
    .where(
        (OAUTH_CONSENTS.user_id == parameter("user_id"))
        & (OAUTH_CONSENTS.client_id == parameter("client_id"))
        & OAUTH_CONSENTS.revoked_at.isnull()
    )
)


def agree(user_id: str, client_id: str, scopes: str, now: float) -> Statement:
    """A user's consent, in place of the one before."""
    return _AGREE.fill(id=new_id(), user_id=user_id, client_id=client_id, scopes=scopes, now=moment_of(now).isoformat())


def agreed(user_id: str, client_id: str) -> Statement:
    """The scopes that a user's consent covers."""
    return _SCOPES.fill(user_id=user_id, client_id=client_id)


def consents_of(user_id: str) -> Statement:
    """A user's consents with their clients as JSON, newest first."""
    return _OF_USER.fill(user_id=user_id)


def revoke(user_id: str, client_id: str, now: float) -> Statement:
    """Take a consent back: a row comes where there was one."""
    return _REVOKE.fill(user_id=user_id, client_id=client_id, now=moment_of(now).isoformat())
