"""Sign-in at other applications by this one: a browser asks, its user agrees, a code goes back (section 22)."""

from __future__ import annotations

import secrets
import string
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from gateway.auth import errors
from gateway.auth.call import AuthCall, read_uuid
from gateway.auth.context import Context
from gateway.auth.flows.verify import lead, with_query
from gateway.auth.redirects import is_allowed
from gateway.auth.render import json_response
from gateway.auth.store import audit, limits, oauth_clients, oauth_grants, sessions, users
from gateway.auth.store.oauth_clients import SCOPES, OAuthClient
from gateway.auth.store.oauth_grants import Authorization
from gateway.auth.types import read_time, show_time
from gateway.database import DatabaseError, Transaction
from gateway.errors import ApiError
from gateway.http.messages import Response

_LETTERS: Final = string.ascii_letters + string.digits


# --- a browser asks -------------------------------------------------------------------------------------------------


async def authorize(context: Context, call: AuthCall) -> Response:
    """GET /oauth/authorize: to the site's page of consent, or back with what is wrong.

    Only an address that the client registered is ever led to.
    """
    asked = call.query
    client_id, redirect_uri = asked.get("client_id", ""), asked.get("redirect_uri", "")
    if not client_id:
        raise errors.invalid("client_id is required")
    if not redirect_uri:
        raise errors.invalid("redirect_uri is required")
    known = read_uuid(client_id)
    if known is None:
        raise ApiError(errors.OAUTH_CLIENT_UNKNOWN, reason="invalid client_id format")
    client = oauth_clients.read((await context.run(oauth_clients.by_id(known)))[0])
    if client is None:
        raise ApiError(errors.OAUTH_CLIENT_UNKNOWN, reason="invalid client_id")
    if redirect_uri not in client.redirect_uris:
        raise errors.invalid("invalid redirect_uri")
    state = asked.get("state", "")
    problem = _problem(context, call)
    if problem:
        return _back(redirect_uri, state, error="invalid_request", error_description=problem)
    path = context.settings.oauth_server_path
    if not path:
        return _back(
            redirect_uri, state, error="server_error", error_description="OAuth authorization path not configured"
        )
    public_id = "".join(secrets.choice(_LETTERS) for _ in range(32))
    waits = oauth_grants.insert(
        public_id,
        client.id,
        redirect_uri,
        " ".join(_scopes(context, call)),
        (asked["code_challenge"], asked["code_challenge_method"].lower()),
        state=state or None,
        resource=asked.get("resource") or None,
        nonce=asked.get("nonce") or None,
        now=call.now,
        expires=call.now + context.settings.oauth_server_ttl,
    )
    try:
        await context.run(waits)
    except DatabaseError:  # a column holds only so much
        return _back(redirect_uri, state, error="server_error", error_description="error creating authorization")
    page = f"{context.site_url.rstrip('/')}/{path.lstrip('/')}"
    return lead(with_query(page, {"authorization_id": public_id}), 302)


def _scopes(context: Context, call: AuthCall) -> list[str]:
    return list(dict.fromkeys((call.query.get("scope") or context.settings.oauth_server_scope).split()))


def _problem(context: Context, call: AuthCall) -> str:
    """What is wrong with a request whose client and address are known."""
    asked = call.query
    if asked.get("response_type", "code") != "code":
        return "only response_type=code is supported"
    for scope in _scopes(context, call):
        if scope not in SCOPES:
            return f"unsupported scope: {scope}"
    if asked.get("resource"):
        parts = urlsplit(asked["resource"])
        if not parts.scheme or not parts.netloc:
            return "resource must be an absolute URI"
        if "#" in asked["resource"]:
            return "resource must not include a fragment"
        if parts.query:
            return "resource must not include a query"
    challenge, method = asked.get("code_challenge", ""), asked.get("code_challenge_method", "").lower()
    if not challenge or not method:
        return "PKCE flow requires both code_challenge and code_challenge_method"
    if method not in ("s256", "plain"):
        return "code_challenge_method must be 'S256' or 'plain'"
    if not 43 <= len(challenge) <= 128:
        return "code_challenge must be between 43 and 128 characters"
    return ""


def _back(redirect_uri: str, state: str, **values: str) -> Response:
    return lead(_with_state(redirect_uri, state, **values), 302)


def _with_state(redirect_uri: str, state: str | None, **values: str) -> str:
    return with_query(redirect_uri, {**values, **({"state": state} if state else {})})


# --- its user agrees ------------------------------------------------------------------------------------------------


async def details(context: Context, call: AuthCall) -> Response:
    """GET /oauth/authorizations/{id}: who asks for what; from now on this user alone decides.

    Where a consent that stands covers it all, the answer is where to go on.
    """
    _demand_origin(context, call)
    async with context.db.transaction() as tx:
        found = await _lock(context, call, tx)
        if isinstance(found, ApiError):
            failure: ApiError | None = found
        else:
            authorization, client = found
            failure = None
            if authorization.status != "pending":
                raise errors.invalid("authorization request cannot be processed")
            if authorization.user_id is None:
                await tx.run(oauth_grants.bind_to(authorization.id, call.user.id))
            wanted = authorization.scope.split()
            agreed = (await tx.run(oauth_grants.agreed(call.user.id, client.id))).value
            if agreed is not None and set(wanted) <= set(agreed.decode().split()):
                return json_response({"redirect_url": await _approve(context, call, tx, authorization)})
    if failure is not None:
        raise failure
    return json_response(
        {
            "authorization_id": authorization.public_id,
            "redirect_uri": authorization.redirect_uri,
            "client": shown(client),
            "user": {"id": call.user.id, "email": call.user.email or ""},
            "scope": authorization.scope,
        }
    )


async def consent(context: Context, call: AuthCall) -> Response:
    """POST /oauth/authorizations/{id}/consent: approved or denied."""
    _demand_origin(context, call)
    action = _action(call)
    async with context.db.transaction() as tx:
        found = await _lock(context, call, tx)
        failure = found if isinstance(found, ApiError) else None
        if not isinstance(found, ApiError):
            authorization, _ = found
            if authorization.user_id is None:  # the page was never shown to this user
                raise ApiError(errors.OAUTH_AUTHORIZATION_NOT_FOUND)
            if authorization.status != "pending":
                raise errors.invalid("authorization request is no longer pending")
            if action == "approve":
                target = await _approve(context, call, tx, authorization)
            else:
                await tx.run(oauth_grants.end(authorization.id, "denied"))
                target = _with_state(
                    authorization.redirect_uri, authorization.state,
                    error="access_denied", error_description="User denied the request",
                )  # fmt: skip
    if failure is not None:
        raise failure
    return json_response({"redirect_url": target})


def _action(call: AuthCall) -> str:
    try:
        action = call.body.text("action")
    except ApiError as error:
        if error.row is errors.BAD_JSON:
            raise ApiError(errors.OAUTH_BAD_JSON, reason="invalid JSON body") from error
        raise
    if action not in ("approve", "deny"):
        raise errors.invalid("action must be 'approve' or 'deny'")
    return action


def _demand_origin(context: Context, call: AuthCall) -> None:
    """Refuse a page that is not the site's. Raises ApiError."""
    origin = call.header(b"origin")
    if origin and not is_allowed(origin, context.site_url, context.settings.uri_allow_list):
        raise errors.invalid("unauthorized request origin")


async def _lock(context: Context, call: AuthCall, tx: Transaction) -> tuple[Authorization, OAuthClient] | ApiError:
    """An authorization that this user may decide about; an error where its end is to be written first."""
    missing = ApiError(errors.OAUTH_AUTHORIZATION_NOT_FOUND)
    authorization = oauth_grants.read(await tx.run(oauth_grants.by_public_id(call.params["authorization_id"])))
    if authorization is None or authorization.user_id not in (None, call.user.id):
        raise missing
    if authorization.status == "pending" and authorization.expires_at.timestamp() < call.now:
        await tx.run(oauth_grants.end(authorization.id, "expired"))
        return missing
    client = oauth_clients.read(await tx.run(oauth_clients.by_id(authorization.client_id)))
    if client is None or authorization.status == "expired":
        raise missing
    return authorization, client


async def _approve(context: Context, call: AuthCall, tx: Transaction, authorization: Authorization) -> str:
    """Where the browser takes the code. The table keeps what recognises the code, and no code."""
    code = users.new_id()
    await tx.run_all(
        oauth_grants.approve(authorization.id, context.secret.stored(code), call.now),
        oauth_grants.agree(call.user.id, authorization.client_id, authorization.scope, call.now),
    )
    return _with_state(authorization.redirect_uri, authorization.state, code=code)


# --- what stands ----------------------------------------------------------------------------------------------------


async def list_grants(context: Context, call: AuthCall) -> Response:
    """GET /user/oauth/grants."""
    rows = (await context.run(oauth_grants.consents_of(call.user.id)))[0].rows
    found = []
    for (document,) in rows:
        row = orjson.loads(document or b"{}")
        granted = read_time(row["granted_at"])
        found.append(
            {
                "client": shown(OAuthClient.of(row["client"])),
                "scopes": row["scopes"].split(),
                "granted_at": None if granted is None else show_time(granted),
            }
        )
    return json_response(found)


async def revoke_grant(context: Context, call: AuthCall) -> Response:
    """DELETE /user/oauth/grants?client_id=: the application's sessions of this user end."""
    text = call.query.get("client_id", "")
    if not text:
        raise errors.invalid("client_id query parameter is required")
    client_id = read_uuid(text)
    if client_id is None:
        raise errors.invalid("invalid client_id format")
    async with context.db.transaction() as tx:
        if not limits.holds(await tx.run(oauth_grants.revoke(call.user.id, client_id, call.now))):
            raise ApiError(errors.OAUTH_CONSENT_NOT_FOUND)
        traits = {"oauth_client_id": client_id}
        await tx.run_all(
            sessions.delete_of_client(call.user.id, client_id),
            audit.record("token_revoked", call.actor, call.origin, call.now, traits=traits),
        )
    return Response(204)


def shown(client: OAuthClient) -> dict[str, Any]:
    """A client as users see it."""
    body: dict[str, Any] = {"id": client.id}
    for name, value in (("name", client.name), ("uri", client.uri), ("logo_uri", client.logo_uri)):
        if value:
            body[name] = value
    return body
