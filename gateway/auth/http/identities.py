"""DELETE /user/identities/{id}: give up one of several ways of signing in."""

from __future__ import annotations

from collections.abc import Sequence

from gateway.auth import errors
from gateway.auth.call import AuthCall, read_uuid
from gateway.auth.context import Context
from gateway.auth.render import json_response
from gateway.auth.store import audit, identities, users
from gateway.auth.types import UserIdentity, moment_of
from gateway.database.statement import Value
from gateway.errors import ApiError
from gateway.http.messages import Response


def demand_linking(context: Context) -> None:
    """Refuse where users may not link identities. Raises ApiError manual_linking_disabled."""
    if not context.settings.manual_linking_enabled:
        raise ApiError(errors.MANUAL_LINKING_DISABLED)


async def unlink(context: Context, call: AuthCall) -> Response:
    """Remove an identity; the address is taken from those that stay."""
    demand_linking(context)
    user = call.user
    wanted = read_uuid(call.params["identity_id"])
    if wanted is None:
        raise ApiError(errors.VALIDATION_FAILED_404, reason="identity_id must be an UUID")
    if not context.is_for(call):
        raise ApiError(errors.UNEXPECTED_AUDIENCE)
    if len(user.identities) <= 1:
        raise ApiError(errors.SINGLE_IDENTITY)
    gone = next((item for item in user.identities if item.id == wanted), None)
    if gone is None:
        raise ApiError(errors.IDENTITY_NOT_FOUND)
    rest = [item for item in user.identities if item.id != wanted]
    columns: dict[str, Value] = {"phone": None, "phone_confirmed_at": None}
    if gone.provider != "phone":
        columns = await _address_of(context, call, rest)
    providers = sorted({item.provider for item in rest})
    app = {**user.app_metadata, "providers": providers}
    if app.get("provider") not in providers:
        app["provider"] = providers[0]
    columns["raw_app_meta_data"] = users.json_text(app)
    await context.run(
        identities.delete(gone.id),
        users.update(user.id, columns, call.now),
        audit.record(
            "identity_unlinked", call.actor, call.origin, call.now,
            traits={"identity_id": gone.id, "provider": gone.provider},
        ),
    )  # fmt: skip
    return json_response({})


async def _address_of(context: Context, call: AuthCall, rest: Sequence[UserIdentity]) -> dict[str, Value]:
    """Columns of the address that identities leave a user. Raises ApiError."""
    user = call.user
    email = next((item.email for item in rest if item.provider == "email" and item.email), None) or next(
        (item.email for item in rest if item.email), None
    )
    if email == user.email:
        return {}
    if email is not None:
        other = await context.find(users.by_email(email, user.aud))
        if other is not None and other.id != user.id:
            raise ApiError(errors.IDENTITY_EMAIL_CONFLICT)
    verified = any(item.email == email and item.data.get("email_verified") for item in rest)
    return {"email": email, "email_confirmed_at": moment_of(call.now).isoformat() if verified else None}
