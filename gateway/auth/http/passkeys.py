"""A user's passkeys: listed, renamed, given up; and as the admin sees them."""

from __future__ import annotations

from collections.abc import Sequence

from gateway.auth import errors
from gateway.auth.call import AuthCall, read_uuid
from gateway.auth.context import Context
from gateway.auth.flows.passkeys import demand_aal2, shown
from gateway.auth.http.admin import find_user
from gateway.auth.render import json_response
from gateway.auth.store import audit, passkeys
from gateway.auth.store.passkeys import Passkey
from gateway.database.statement import Statement
from gateway.errors import ApiError
from gateway.http.messages import Response

LONGEST_NAME = 120  # bytes


async def list_own(context: Context, call: AuthCall) -> Response:
    """GET /passkeys."""
    return json_response([shown(each) for each in await _of(context, call.user.id)])


async def rename(context: Context, call: AuthCall) -> Response:
    """PATCH /passkeys/{id}."""
    name = call.body.text("friendly_name")
    if not name:
        raise errors.invalid("friendly_name is required")
    if len(name.encode()) > LONGEST_NAME:
        raise errors.invalid("friendly_name must be 120 characters or less")
    passkey = _find(await _of(context, call.user.id), call)
    await context.run(passkeys.rename(passkey.id, name, call.now), _record("passkey_updated", call, passkey))
    return json_response(shown(_find(await _of(context, call.user.id), call)))


async def delete(context: Context, call: AuthCall) -> Response:
    """DELETE /passkeys/{id}."""
    demand_aal2(call)
    passkey = _find(await _of(context, call.user.id), call)
    await context.run(passkeys.delete(passkey.id), _record("passkey_deleted", call, passkey))
    return Response(204)


async def admin_list(context: Context, call: AuthCall) -> Response:
    """GET /admin/users/{id}/passkeys."""
    user = await find_user(context, call)
    return json_response([shown(each) for each in await _of(context, user.id)])


async def admin_delete(context: Context, call: AuthCall) -> Response:
    """DELETE /admin/users/{id}/passkeys/{passkey_id}."""
    user = await find_user(context, call)
    passkey = _find(await _of(context, user.id), call)
    await context.run(passkeys.delete(passkey.id), _record("passkey_deleted", call, passkey))
    return Response(204)


async def _of(context: Context, user_id: str) -> list[Passkey]:
    return passkeys.read_all((await context.run(passkeys.of_user(user_id)))[0])


def _find(known: Sequence[Passkey], call: AuthCall) -> Passkey:
    wanted = read_uuid(call.params["passkey_id"])
    passkey = next((each for each in known if each.id == wanted), None)
    if passkey is None:
        raise ApiError(errors.VALIDATION_FAILED_404, reason="Passkey not found")
    return passkey


def _record(action: str, call: AuthCall, passkey: Passkey) -> Statement:
    traits = {"passkey_id": passkey.id, "user_id": passkey.user_id}
    return audit.record(action, call.actor, call.origin, call.now, traits=traits)
