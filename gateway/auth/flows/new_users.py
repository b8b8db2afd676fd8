"""New users and confirmed ones: the rows they are made of, shared by sign-up, invitations, codes and providers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gateway.auth import errors
from gateway.auth.call import AuthCall
from gateway.auth.context import Context
from gateway.auth.core import load_json
from gateway.auth.store import flow_states, identities, users
from gateway.auth.store.violations import taken
from gateway.auth.types import User, moment_of, show_time
from gateway.database import DatabaseError
from gateway.database.statement import Statement, Value
from gateway.errors import ApiError

NEVER: Final = "0001-01-01T00:00:00Z"  # when somebody was made who is not there yet


def provider_metadata(email: str | None, phone: str | None) -> dict[str, Any]:
    """What app_metadata says about ways of signing in."""
    providers = [name for name, value in (("email", email), ("phone", phone)) if value]
    return {"provider": providers[0], "providers": providers} if providers else {}


def identity_data(user_id: str, email: str | None, phone: str | None, data: Mapping[str, Any]) -> dict[str, Any]:
    """What an identity says about somebody whose address and number nobody has confirmed yet."""
    names = {name: value for name, value in (("email", email), ("phone", phone)) if value}
    return {**data, "sub": user_id, **names, "email_verified": False, "phone_verified": False}


def identities_of(
    user_id: str, email: str | None, phone: str | None, data: Mapping[str, Any], now: float, verified: bool = False
) -> list[Statement]:
    """The identities of a new user."""
    statements = []
    if email:
        content = identity_data(user_id, email, None, data) | {"email_verified": verified}
        statements.append(identities.insert(user_id, "email", user_id, content, now, signed_in=True))
    if phone:
        content = identity_data(user_id, None, phone, data) | {"phone_verified": verified}
        statements.append(identities.insert(user_id, "phone", user_id, content, now, signed_in=True))
    return statements


async def new_user(
    context: Context,
    call: AuthCall,
    *,
    email: str | None = None,
    phone: str | None = None,
    hashed: str | None = None,
    data: Mapping[str, Any] | None = None,
    confirmed: bool = False,
    signed_up: bool = False,
    columns: Mapping[str, Value] | None = None,
) -> tuple[str, list[Statement]]:
    """The id of a new user and the statements that make them.

    `data` becomes user_metadata; of somebody who signed up themselves it tells what their identity does, too.
    Raises ApiError where a hook refuses them.
    """
    user_id, now = users.new_id(), call.now
    moment = moment_of(now).isoformat()
    verified = [kind for kind, value in (("email", email), ("phone", phone)) if confirmed and value]
    metadata = identity_data(user_id, email, phone, data or {}) if signed_up else dict(data or {})
    metadata = users.merged(metadata, {f"{kind}_verified": True for kind in verified})
    values: dict[str, Value] = {
        "aud": context.audience(call),
        "role": context.settings.jwt_default_role,
        "email": email,
        "phone": phone,
        "encrypted_password": hashed,
        "raw_app_meta_data": users.json_text(provider_metadata(email, phone)),
        "raw_user_meta_data": users.json_text(metadata),
        "email_confirmed_at": moment if confirmed and email else None,
        "phone_confirmed_at": moment if confirmed and phone else None,
        **(columns or {}),
    }
    if context.messages.created_hook is not None:
        await context.messages.ask(context.messages.created_hook, _creation(user_id, values, call), call)
    identities = identities_of(user_id, email, phone, data or {}, now)
    return user_id, [users.insert(user_id, values, now), *identities]


def _creation(user_id: str, values: Mapping[str, Value], call: AuthCall) -> dict[str, Any]:
    """What the hook is told of a user who is not there yet."""
    user = {
        "id": user_id,
        "aud": values["aud"],
        "role": values["role"],
        "email": values["email"] or "",
        "phone": values["phone"] or "",
        "app_metadata": load_json(str(values["raw_app_meta_data"]).encode()),
        "user_metadata": load_json(str(values["raw_user_meta_data"]).encode()),
        "identities": [],
        "created_at": NEVER,
        "updated_at": NEVER,
        "is_anonymous": values.get("is_anonymous") == "true",
    }
    metadata = {
        "uuid": users.new_id(),
        "time": show_time(moment_of(call.now)),
        "name": "before-user-created",
        "ip_address": call.origin.address or "",
    }
    return {"metadata": metadata, "user": user}


async def make(context: Context, statements: Sequence[Statement]) -> None:
    """Run the statements of a new user. Raises ApiError when the address was taken in between."""
    try:
        await context.run(*statements)
    except DatabaseError as error:
        if taken(error) is not None:
            raise ApiError(errors.USER_ALREADY_EXISTS) from error
        raise


def confirm_email(user: User, now: float) -> list[Statement]:
    """Confirm a user's address."""
    if not user.email:
        return []
    metadata = users.merged(user.user_metadata, {"email_verified": True})
    columns: dict[str, Value] = {"raw_user_meta_data": users.json_text(metadata)}
    if user.email_confirmed_at is None:
        columns["email_confirmed_at"] = moment_of(now).isoformat()
    statements = [users.update(user.id, columns, now)]
    if user.identity("email") is None:
        return [*statements, *identities_of(user.id, user.email, None, {}, now, verified=True)]
    return [*statements, identities.update_of_provider(user.id, "email", {"email_verified": True}, now)]


def confirm_phone(user: User, now: float) -> list[Statement]:
    """Confirm a user's number."""
    metadata = users.merged(user.user_metadata, {"phone_verified": True})
    columns: dict[str, Value] = {"raw_user_meta_data": users.json_text(metadata), "is_anonymous": "false"}
    if user.phone_confirmed_at is None:
        columns["phone_confirmed_at"] = moment_of(now).isoformat()
    return [
        users.update(user.id, columns, now),
        identities.update_of_provider(user.id, "phone", {"phone_verified": True}, now),
    ]


def change_phone(user: User, phone: str, now: float) -> list[Statement]:
    """Make `phone` the user's confirmed number."""
    columns: dict[str, Value] = {
        "phone": phone,
        "phone_change": "",
        "phone_confirmed_at": moment_of(now).isoformat(),
        "raw_user_meta_data": users.json_text(users.merged(user.user_metadata, {"phone_verified": True})),
        "raw_app_meta_data": users.json_text(_with_provider(user, "phone")),
        "is_anonymous": "false",
    }
    data = {"phone": phone, "phone_verified": True}
    if user.identity("phone") is not None:
        identity = identities.update_of_provider(user.id, "phone", data, now)
    else:
        identity = identities.insert(user.id, "phone", user.id, {**data, "sub": user.id, "email_verified": False}, now)
    return [users.update(user.id, columns, now), identity]


def _with_provider(user: User, provider: str) -> dict[str, Any]:
    app: dict[str, Any] = dict(user.app_metadata)
    providers = list(app.get("providers") or [])
    if provider in providers:
        return app
    return {**app, "provider": app.get("provider") or provider, "providers": [*providers, provider]}


def change_email(user: User, email: str, now: float) -> list[Statement]:
    """Make `email` the user's confirmed address."""
    columns: dict[str, Value] = {
        "email": email,
        "email_change": "",
        "email_change_confirm_status": "0",
        "email_confirmed_at": moment_of(now).isoformat(),
        "raw_user_meta_data": users.json_text(users.merged(user.user_metadata, {"email_verified": True})),
        "raw_app_meta_data": users.json_text(_with_provider(user, "email")),
        "is_anonymous": "false",
    }
    data = {"email": email, "email_verified": True}
    if user.identity("email") is not None:
        identity = identities.update_of_provider(user.id, "email", data, now)
    else:
        identity = identities.insert(user.id, "email", user.id, {**data, "sub": user.id, "phone_verified": False}, now)
    return [users.update(user.id, columns, now), identity]


def begin_flow(user_id: str, method: str, challenge: tuple[str, str], now: float) -> Statement:
    """Remember a code challenge until the mailed link is followed."""
    return flow_states.insert(
        users.new_id(),
        provider="email",
        authentication_method=method,
        now=now,
        challenge=challenge[0],
        method=challenge[1],
        user_id=user_id,
        auth_code=users.new_id(),
    )
