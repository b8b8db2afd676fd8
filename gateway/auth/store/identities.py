"""Statements for identities: the ways in which a user signs in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gateway.auth.store.tables import IDENTITIES, delete_where, insert_row
from gateway.auth.store.users import json_text, new_id
from gateway.auth.types import moment_of
from gateway.database.sql import parameter, sql, template
from gateway.database.sql import update as update_of
from gateway.database.statement import Statement

_INSERT: Final = template(
    insert_row(
        IDENTITIES,
        "id",
        "user_id",
        "provider",
        "provider_id",
        "identity_data",
        "last_sign_in_at",
        created_at="now",
        updated_at="now",
    )
)
_CHANGE: Final = (
    update_of(IDENTITIES)
    .set(IDENTITIES.identity_data, sql("identity_data || ", parameter("data"), "::jsonb"))
    .set(IDENTITIES.updated_at, parameter("now"))
)
_OF_PROVIDER: Final = (IDENTITIES.user_id == parameter("user_id")) & (IDENTITIES.provider == parameter("provider"))
_UPDATE: Final = template(_CHANGE.where(IDENTITIES.id == parameter("id")))
_UPDATE_OF: Final = template(_CHANGE.where(_OF_PROVIDER))
_TOUCH: Final = template(
    update_of(IDENTITIES)
    .set(IDENTITIES.last_sign_in_at, parameter("now"))
    .set(IDENTITIES.updated_at, parameter("now"))
    .where(_OF_PROVIDER)
)
_DELETE: Final = delete_where(IDENTITIES, IDENTITIES.id == parameter("id"))
_DELETE_OF: Final = delete_where(IDENTITIES, _OF_PROVIDER)
_DELETE_ALL: Final = delete_where(IDENTITIES, IDENTITIES.user_id == parameter("user_id"))


def insert(
    user_id: str, provider: str, provider_id: str, data: Mapping[str, Any], now: float, *, signed_in: bool = False
) -> Statement:
    moment = moment_of(now).isoformat()
    return _INSERT.fill(
        id=new_id(),
        user_id=user_id,
        provider=provider,
        provider_id=provider_id,
        identity_data=json_text(data),
        last_sign_in_at=moment if signed_in else None,
        now=moment,
    )


def update(identity_id: str, data: Mapping[str, Any], now: float) -> Statement:
    """Merge data into an identity's."""
    return _UPDATE.fill(id=identity_id, data=json_text(data), now=moment_of(now).isoformat())


def update_of_provider(user_id: str, provider: str, data: Mapping[str, Any], now: float) -> Statement:
    """Merge data into that of a user's identities at a provider."""
    return _UPDATE_OF.fill(user_id=user_id, provider=provider, data=json_text(data), now=moment_of(now).isoformat())


def touch(user_id: str, provider: str, now: float) -> Statement:
    """Remember a sign-in at a provider."""
    return _TOUCH.fill(user_id=user_id, provider=provider, now=moment_of(now).isoformat())


def delete(identity_id: str) -> Statement:
    return _DELETE.fill(id=identity_id)


def delete_of_provider(user_id: str, provider: str) -> Statement:
    return _DELETE_OF.fill(user_id=user_id, provider=provider)


def delete_of_user(user_id: str) -> Statement:
    return _DELETE_ALL.fill(user_id=user_id)
