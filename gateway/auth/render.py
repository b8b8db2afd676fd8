"""What clients see of users, factors and sessions: rows in, plain dictionaries and responses out."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import orjson

from gateway.auth.types import Factor, User, UserIdentity, show_time
from gateway.http.messages import HeaderList, Response


def json_response(body: Any, status: int = 200, headers: HeaderList | None = None) -> Response:
    """A JSON body."""
    return Response(status, [(b"content-type", b"application/json"), *(headers or ())], orjson.dumps(body))


def identity(item: UserIdentity) -> dict[str, Any]:
    body: dict[str, Any] = {
        "identity_id": item.id,
        "id": item.provider_id,
        "user_id": item.user_id,
        "identity_data": item.data,
        "provider": item.provider,
    }
    _put_times(
        body,
        ("last_sign_in_at", item.last_sign_in_at),
        ("created_at", item.created_at),
        ("updated_at", item.updated_at),
    )
    if item.email:
        body["email"] = item.email
    return body


def factor(item: Factor) -> dict[str, Any]:
    """A factor without its secret."""
    body: dict[str, Any] = {"id": item.id}
    _put_times(body, ("created_at", item.created_at), ("updated_at", item.updated_at))
    body["status"] = item.status
    if item.friendly_name:
        body["friendly_name"] = item.friendly_name
    body["factor_type"] = item.factor_type
    body["phone"] = item.phone
    _put_times(body, ("last_challenged_at", item.last_challenged_at))
    if item.aaguid is not None:
        body["web_authn_aaguid"] = item.aaguid
    if item.answered is not None:
        body["last_webauthn_challenge_data"] = item.answered
    return body


def user(item: User) -> dict[str, Any]:
    """A user; what is null or empty is left out where the original leaves it out."""
    body: dict[str, Any] = {"id": item.id, "aud": item.aud, "role": item.role, "email": item.email or ""}
    _put_times(body, ("email_confirmed_at", item.email_confirmed_at), ("invited_at", item.invited_at))
    body["phone"] = item.phone or ""
    _put_times(
        body,
        ("phone_confirmed_at", item.phone_confirmed_at),
        ("confirmation_sent_at", item.confirmation_sent_at),
        ("confirmed_at", item.confirmed_at),
        ("recovery_sent_at", item.recovery_sent_at),
    )
    if item.new_email:
        body["new_email"] = item.new_email
    _put_times(body, ("email_change_sent_at", item.email_change_sent_at))
    if item.new_phone:
        body["new_phone"] = item.new_phone
    _put_times(
        body,
        ("phone_change_sent_at", item.phone_change_sent_at),
        ("reauthentication_sent_at", item.reauthentication_sent_at),
        ("last_sign_in_at", item.last_sign_in_at),
    )
    body["app_metadata"] = item.app_metadata
    body["user_metadata"] = item.user_metadata
    if item.factors:
        body["factors"] = [factor(each) for each in item.factors]
    body["identities"] = [identity(each) for each in item.identities]
    _put_times(
        body,
        ("created_at", item.created_at),
        ("updated_at", item.updated_at),
        ("banned_until", item.banned_until),
        ("deleted_at", item.deleted_at),
    )
    body["is_anonymous"] = item.is_anonymous
    return body


def _put_times(body: dict[str, Any], *pairs: tuple[str, datetime | None]) -> None:
    for name, moment in pairs:
        if moment is not None:
            body[name] = show_time(moment)
