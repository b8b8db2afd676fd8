"""Tokens of other applications, for a code or a refresh token; what they tell of the user (contract section 22)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gateway.auth import errors
from gateway.auth.call import AuthCall, actor_of, read_pairs
from gateway.auth.context import Context
from gateway.auth.crypto import tokens as codes
from gateway.auth.flows import refresh
from gateway.auth.flows.oauth_registration import authenticate
from gateway.auth.render import json_response
from gateway.auth.sessions import Issued
from gateway.auth.store import audit, limits, oauth_grants, users
from gateway.auth.store.limits import Permit
from gateway.auth.store.oauth_clients import OAuthClient
from gateway.auth.store.oauth_grants import Authorization
from gateway.auth.types import User
from gateway.database.statement import array_literal
from gateway.errors import ApiError
from gateway.http.messages import Response
from gateway.identity import tokens as jwt

METHOD: Final = "oauth_provider/authorization_code"  # of authentication, as claims name it
ID_TOKEN_LIFETIME: Final = 3600  # seconds


async def token(context: Context, call: AuthCall) -> Response:
    """POST /oauth/token, by form or JSON."""
    bucket = limits.per(context.settings.rate_limit_token_refresh, 300, 30)
    await context.guards.take("oauth_token", bucket, call)
    fields, is_json = _fields(call)
    client = await authenticate(context, call, fields)
    call.client_id = client.id
    grant = fields.get("grant_type", "")
    if not grant:
        raise ApiError(errors.OAUTH_BAD_REQUEST, reason="grant_type is required")
    if grant not in client.grant_types:
        raise ApiError(errors.OAUTH_BAD_GRANT_TYPE, reason=f"Client is not allowed to use grant type: {grant}")
    if grant == "authorization_code":
        answer = await _exchange(context, call, client, fields, is_json)
    else:
        text = fields.get("refresh_token", "")
        if not text:
            raise ApiError(errors.OAUTH_BAD_REQUEST, reason="refresh_token is required for refresh_token grant")
        answer = await _shown(context, call, await refresh.renew(context, call, text, client.id))
    await context.guards.give_back("oauth_token", bucket, call)
    return json_response(answer, headers=[(b"cache-control", b"no-store"), (b"pragma", b"no-cache")])


def _fields(call: AuthCall) -> tuple[Mapping[str, str], bool]:
    """What was sent, and whether as JSON. Raises ApiError."""
    if (call.header(b"content-type") or "").partition(";")[0].strip().lower() == "application/json":
        body = call.body
        names = (
            "grant_type", "code", "redirect_uri", "code_verifier", "refresh_token", "client_id", "client_secret",
            "resource",
        )  # fmt: skip
        return {name: body.text(name) for name in names if body.text(name)}, True
    return read_pairs(call.request.body.decode("utf-8", "replace")), False


async def _exchange(
    context: Context, call: AuthCall, client: OAuthClient, fields: Mapping[str, str], is_json: bool
) -> dict[str, Any]:
    """Tokens for a code. The code is gone with the session that it begins."""
    code = fields.get("code", "")
    if not code:
        raise ApiError(errors.OAUTH_BAD_REQUEST, reason="code is required for authorization_code grant")
    kept = array_literal(context.secret.all_stored(code))
    begun = oauth_grants.read((await context.run(oauth_grants.by_code(kept)))[0])
    if begun is None:
        raise _bad_grant("Invalid authorization code")
    permit = await context.guards.permit("oauth_code", begun.id, call)
    async with context.db.transaction() as tx:
        authorization = oauth_grants.read(await tx.run(oauth_grants.by_code(kept)))
        if authorization is None or authorization.user_id is None:
            raise _bad_grant("Invalid authorization code")
        _demand_fit(call, permit, client, authorization, fields, is_json)
        user = users.read(await tx.run(users.by_id(authorization.user_id)))
        if user is None or user.deleted_at is not None:
            raise _bad_grant("User not found for authorization code")
        call.actor = actor_of(user)
        if user.is_banned(call.now):
            raise ApiError(errors.OAUTH_ACCESS_DENIED, reason="User is banned")
        id_token = _id_token(context, call, client, authorization, user)
        issued, statements = context.sessions.new_session(user, METHOD, call, client.id, authorization.scope)
        traits = {"provider": "oauth_provider", "oauth_client_id": client.id}
        await tx.run_all(
            oauth_grants.delete(authorization.id),
            *statements,
            permit.right(),
            audit.record("login", call.actor, call.origin, call.now, traits=traits),
        )
    answer = await _shown(context, call, issued)
    return answer if id_token is None else {**answer, "id_token": id_token}


def _demand_fit(
    call: AuthCall,
    permit: Permit,
    client: OAuthClient,
    authorization: Authorization,
    fields: Mapping[str, str],
    is_json: bool,
) -> None:
    """Refuse a code that is not this client's, or not exchanged as it was asked for. Raises ApiError invalid_grant."""
    if authorization.expires_at.timestamp() < call.now:
        raise _bad_grant("Authorization code has expired")
    if authorization.client_id != client.id:
        raise _bad_grant("Authorization code was not issued for this client")
    if fields.get("redirect_uri", authorization.redirect_uri) != authorization.redirect_uri:
        raise _bad_grant("Invalid redirect_uri")
    if is_json and fields.get("resource") and fields["resource"] != (authorization.resource or ""):
        raise _bad_grant("Authorization code resource does not match the resource parameter")
    verifier = fields.get("code_verifier", "")
    if not verifier:
        raise _bad_grant("PKCE verification failed: code_verifier is required")
    if not _matches(permit, verifier, authorization):
        raise _bad_grant("PKCE verification failed: code challenge does not match previously saved code verifier")


def _matches(permit: Permit, verifier: str, authorization: Authorization) -> bool:
    return codes.matches_challenge(verifier, authorization.challenge, authorization.method)


def _bad_grant(reason: str) -> ApiError:
    return ApiError(errors.OAUTH_BAD_GRANT, reason=reason)


async def _shown(context: Context, call: AuthCall, issued: Issued) -> dict[str, Any]:
    body = await context.sessions.session_body(issued, call)
    return {name: body[name] for name in ("access_token", "token_type", "expires_in", "refresh_token")}


# --- what is told of the user ---------------------------------------------------------------------------------------


def _profile(user: User) -> dict[str, Any]:
    told, data = {"name": user.user_metadata.get("name") or user.email}, user.user_metadata
    told["picture"] = data.get("picture") or data.get("avatar_url")
    told["preferred_username"] = data.get("preferred_username") or data.get("username")
    updated = None if user.updated_at is None else int(user.updated_at.timestamp())
    return {name: value for name, value in {**told, "updated_at": updated}.items() if value}


def _id_token(
    context: Context, call: AuthCall, client: OAuthClient, authorization: Authorization, user: User
) -> str | None:
    """An ID token where one was asked for. Raises ApiError where no key of this server can sign one."""
    scopes = authorization.scope.split()
    if "openid" not in scopes:
        return None
    key = context.keys.signing
    if key.private is None:
        raise ApiError(errors.OAUTH_NO_ID_TOKEN)
    issued = int(call.now)
    claims: dict[str, Any] = {
        "iss": context.issuer,
        "sub": user.id,
        "aud": client.id,
        "iat": issued,
        "exp": issued + ID_TOKEN_LIFETIME,
        "auth_time": issued,
        "client_id": client.id,
        "email_verified": "email" in scopes and user.email_confirmed_at is not None,
        "phone_number_verified": "phone" in scopes and user.phone_confirmed_at is not None,
    }
    if authorization.nonce:
        claims["nonce"] = authorization.nonce
    if "email" in scopes and user.email:
        claims["email"] = user.email
    if "phone" in scopes and user.phone:
        claims["phone_number"] = user.phone
    if "profile" in scopes:
        claims |= _profile(user)
    return jwt.mint(claims, key)


async def userinfo(context: Context, call: AuthCall) -> Response:
    """GET /oauth/userinfo: as much as the session's scopes let it tell."""
    user = call.user
    scopes = ((call.session.scopes if call.session is not None else None) or "").split()
    body: dict[str, Any] = {"sub": user.id}
    if "email" in scopes and user.email:
        body["email"] = user.email
        if user.email_confirmed_at is not None:
            body["email_verified"] = True
    if "profile" in scopes:
        body |= {**_profile(user), "user_metadata": user.user_metadata}
    if "phone" in scopes and user.phone:
        body["phone"] = user.phone
        if user.phone_confirmed_at is not None:
            body["phone_verified"] = True
    return json_response(body)
