"""Statements for flow states: sign-ins that were begun with a code challenge or at a provider."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import orjson
from pypika import Order

from gateway.auth.store.tables import FLOW_STATES, delete_where, insert_row
from gateway.auth.types import moment_of, read_time
from gateway.database import Result
from gateway.database.sql import parameter, select_from, sql, template, update
from gateway.database.statement import Statement


@dataclass(frozen=True, slots=True)
class FlowState:
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


_INSERT: Final = template(
    insert_row(
        FLOW_STATES,
        "id",
        "user_id",
        "auth_code",
        "code_challenge_method",
        "code_challenge",
        "provider_type",
        "authentication_method",
        "referrer",
        "linking_target_id",
        created_at="now",
        updated_at="now",
    )
)


def insert(
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
    return _INSERT.fill(
        id=flow_id,
        user_id=user_id,
        auth_code=auth_code,
        code_challenge_method=method,
        code_challenge=challenge,
        provider_type=provider,
        authentication_method=authentication_method,
        referrer=referrer,
        linking_target_id=linking_target,
        now=moment_of(now).isoformat(),
    )


_F: Final = FLOW_STATES.as_("f")
_FLOW: Final = select_from(_F).select(sql("to_jsonb(f)")).for_update()
_BY_CODE: Final = template(_FLOW.where(_F.auth_code == parameter("auth_code")))
_BY_ID: Final = template(_FLOW.where(_F.id == parameter("id")))
_OF_USER: Final = template(
    _FLOW.where((_F.user_id == parameter("user_id")) & (_F.authentication_method == parameter("method")))
    .orderby(_F.created_at, order=Order.desc)
    .limit(1)
)


def by_code(auth_code: str) -> Statement:
    return _BY_CODE.fill(auth_code=auth_code)


def by_id(flow_id: str) -> Statement:
    return _BY_ID.fill(id=flow_id)


def of_user(user_id: str, method: str) -> Statement:
    """The newest flow that a mail began for a user."""
    return _OF_USER.fill(user_id=user_id, method=method)


def read(result: Result) -> FlowState | None:
    if result.value is None:
        return None
    row = orjson.loads(result.value)
    created = read_time(row["created_at"])
    return FlowState(
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


_ISSUE_CODE: Final = template(
    update(FLOW_STATES)
    .set(FLOW_STATES.user_id, parameter("user_id"))
    .set(FLOW_STATES.auth_code, parameter("auth_code"))
    .set(FLOW_STATES.auth_code_issued_at, parameter("now"))
    .set(FLOW_STATES.updated_at, parameter("now"))
    .where(FLOW_STATES.id == parameter("id"))
)
_KEEP_TOKENS: Final = template(
    update(FLOW_STATES)
    .set(FLOW_STATES.provider_access_token, parameter("access"))
    .set(FLOW_STATES.provider_refresh_token, parameter("refresh"))
    .where(FLOW_STATES.id == parameter("id"))
)
_DELETE: Final = delete_where(FLOW_STATES, FLOW_STATES.id == parameter("id"))


def issue_code(flow_id: str, user_id: str, auth_code: str, now: float) -> Statement:
    """Give a flow its user and the code by which the client may take the session."""
    return _ISSUE_CODE.fill(id=flow_id, user_id=user_id, auth_code=auth_code, now=moment_of(now).isoformat())


def keep_provider_tokens(flow_id: str, access: str, refresh: str) -> Statement:
    return _KEEP_TOKENS.fill(id=flow_id, access=access, refresh=refresh)


def delete(flow_id: str) -> Statement:
    return _DELETE.fill(id=flow_id)
