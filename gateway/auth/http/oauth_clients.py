"""Other applications: registered by themselves where that is allowed, and kept by the admin (contract section 22)."""

from __future__ import annotations

from typing import Any

from gateway.auth import errors
from gateway.auth.call import AuthCall, JsonBody, read_uuid
from gateway.auth.context import Context
from gateway.auth.flows import oauth_registration as rules
from gateway.auth.render import json_response
from gateway.auth.store import limits, oauth_clients
from gateway.auth.store.oauth_clients import OAuthClient
from gateway.auth.types import show_time
from gateway.database.statement import Value
from gateway.errors import ApiError
from gateway.http.messages import Response

_CHANGEABLE = (
    "redirect_uris", "grant_types", "client_name", "client_uri", "logo_uri", "token_endpoint_auth_method",
)  # fmt: skip


async def register(context: Context, call: AuthCall) -> Response:
    """POST /oauth/clients/register: anybody's, where settings let them."""
    await context.guards.take("oauth_register", limits.per(context.settings.rate_limit_oauth_register, 300, 30), call)
    if not context.settings.oauth_server_registration:
        raise ApiError(errors.OAUTH_REGISTRATION_DISABLED)
    return await _create(context, call, "dynamic")


async def create(context: Context, call: AuthCall) -> Response:
    """POST /admin/oauth/clients."""
    return await _create(context, call, "manual")


async def _create(context: Context, call: AuthCall, registration_type: str) -> Response:
    body = _body(call)
    try:
        client, secret = rules.new_client(body, registration_type)
    except ApiError as error:
        if error.row is errors.BAD_JSON:
            raise
        # The original wraps its own refusal, and clients see both.
        raise errors.invalid(f"{error.status}: {error.message}") from error
    await context.run(oauth_clients.insert(client, call.now))
    return json_response(shown(await _again(context, client.id), secret), 201)


async def list_all(context: Context, call: AuthCall) -> Response:
    """GET /admin/oauth/clients: newest first, without pages; an empty object where there are none."""
    known = oauth_clients.read_all((await context.run(oauth_clients.every()))[0])
    return json_response({"clients": [shown(client) for client in known]} if known else {})


async def get(context: Context, call: AuthCall) -> Response:
    """GET /admin/oauth/clients/{id}."""
    return json_response(shown(await find(context, call)))


async def update(context: Context, call: AuthCall) -> Response:
    """PUT /admin/oauth/clients/{id}: what is given changes."""
    client, body = await find(context, call), _body(call)
    if not any(name in body for name in _CHANGEABLE):
        raise errors.invalid("No fields provided for update")
    columns: dict[str, Value] = {}
    if "redirect_uris" in body:
        columns["redirect_uris"] = oauth_clients.joined(rules.redirect_uris(rules.items(body, "redirect_uris")))
    if "grant_types" in body:
        columns["grant_types"] = oauth_clients.joined(rules.grant_types(rules.items(body, "grant_types")))
    for name in ("client_name", "client_uri", "logo_uri"):
        if name in body:
            columns[name] = rules.text(body, name)
    if "token_endpoint_auth_method" in body:
        method = body.text("token_endpoint_auth_method")
        columns["token_endpoint_auth_method"] = rules.kinds(client.client_type, method)[1]
    await context.run(oauth_clients.update(client.id, columns, call.now))
    return json_response(shown(await _again(context, client.id)))


async def delete(context: Context, call: AuthCall) -> Response:
    """DELETE /admin/oauth/clients/{id}."""
    client = await find(context, call)
    await context.run(oauth_clients.delete(client.id, call.now))
    return Response(204)


async def regenerate_secret(context: Context, call: AuthCall) -> Response:
    """POST /admin/oauth/clients/{id}/regenerate_secret: the former secret is worth nothing at once."""
    client = await find(context, call)
    if client.is_public:
        raise errors.invalid("Cannot regenerate secret for public client")
    secret = rules.new_secret()
    await context.run(oauth_clients.update(client.id, {"client_secret_hash": rules.hash_secret(secret)}, call.now))
    return json_response(shown(await _again(context, client.id), secret))


async def find(context: Context, call: AuthCall) -> OAuthClient:
    """The client of the path. Raises ApiError."""
    client_id = read_uuid(call.params["client_id"])
    if client_id is None:
        raise errors.invalid("invalid client_id format")
    return await _again(context, client_id)


async def _again(context: Context, client_id: str) -> OAuthClient:
    client = oauth_clients.read((await context.run(oauth_clients.by_id(client_id)))[0])
    if client is None:
        raise ApiError(errors.OAUTH_CLIENT_NOT_FOUND)
    return client


def _body(call: AuthCall) -> JsonBody:
    try:
        return call.body
    except ApiError as error:
        if error.row is errors.BAD_JSON:
            raise ApiError(errors.OAUTH_BAD_JSON, reason="Invalid JSON body") from error
        raise


def shown(client: OAuthClient, secret: str | None = None) -> dict[str, Any]:
    """A client as admins see it; its secret only when it was made just now."""
    body: dict[str, Any] = {"client_id": client.id}
    if secret is not None:
        body["client_secret"] = secret
    body |= {
        "client_type": client.client_type,
        "redirect_uris": list(client.redirect_uris),
        "token_endpoint_auth_method": client.auth_method,
        "grant_types": list(client.grant_types),
        "response_types": ["code"],
    }
    for name, value in (("client_name", client.name), ("client_uri", client.uri), ("logo_uri", client.logo_uri)):
        if value:
            body[name] = value
    body["registration_type"] = client.registration_type
    for name, moment in (("created_at", client.created_at), ("updated_at", client.updated_at)):
        if moment is not None:
            body[name] = show_time(moment)
    return body
