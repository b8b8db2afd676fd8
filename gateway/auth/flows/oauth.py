"""Sign-in at a provider: /authorize redirects there, /callback comes back; linking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gateway.auth import errors
from gateway.auth.call import AuthCall, JsonBody, read_challenge, read_pairs, read_uuid
from gateway.auth.context import Context
from gateway.auth.flows.provider_accounts import account_of, link_to
from gateway.auth.flows.verify import code_redirect, error_values, lead, redirect, session_redirect, with_query
from gateway.auth.http.custom_providers import PREFIX
from gateway.auth.http.discovery import PROVIDERS
from gateway.auth.http.identities import demand_linking
from gateway.auth.outbound.configured import AnyProvider
from gateway.auth.outbound.custom import CustomSignIn
from gateway.auth.outbound.providers import ProviderGrant
from gateway.auth.raised import failure_of
from gateway.auth.render import json_response
from gateway.auth.store import audit, custom_providers, flow_states, users
from gateway.auth.store.flow_states import FlowState
from gateway.database import DatabaseError
from gateway.errors import ApiError, ErrorRow
from gateway.http.messages import Response

LIFETIME = 300  # seconds that a sign-in at a provider may take
_OWN = frozenset({"provider", "redirect_to", "scopes", "code_challenge", "code_challenge_method", "apikey"})
# Refusals that are the person's own affair, not a failure of the server or the request.
_DENIED = frozenset({"signup_disabled", "user_banned", "provider_email_needs_verification"})
# What a client may not ask a provider for by itself, in any case; the nonce of OpenID Connect is ours.
_RESERVED = frozenset({
    "client_id", "client_secret", "redirect_uri", "response_type", "state", "code_challenge", "code_challenge_method",
    "code_verifier", "scope",
})  # fmt: skip


async def authorize(context: Context, call: AuthCall) -> Response:
    """GET /authorize?provider=…: off to the provider."""
    return Response(302, [(b"location", (await _begin(context, call, None)).encode())])


async def link_identity(context: Context, call: AuthCall) -> Response:
    """GET /user/identities/authorize?provider=…: the same, to add a way of signing in."""
    demand_linking(context)
    url = await _begin(context, call, call.user.id)
    if call.query.get("skip_http_redirect") == "true":
        return json_response({"url": url})
    return Response(302, [(b"location", url.encode())])


async def _begin(context: Context, call: AuthCall, linking_target: str | None) -> str:
    provider = await provider_of(context, call.query.get("provider", ""))
    challenge = read_challenge(JsonBody(call.query))
    flow_id = users.new_id()
    extra = {
        name: value
        for name, value in call.query.items()
        if name not in _OWN and name.lower() not in _RESERVED and name != "skip_http_redirect"
    }
    # Nonce and verifier are derived from the flow's id, so nothing has to be kept for them.
    url = await provider.authorization_url(
        state=flow_id,
        nonce=_derived(context, "nonce", flow_id),
        verifier=_derived(context, "verifier", flow_id),
        scopes=call.query.get("scopes", "").replace(",", " "),
        extra=extra,
    )
    await context.run(
        flow_states.insert(
            flow_id,
            provider=provider.name,
            authentication_method="oauth",
            now=call.now,
            challenge=challenge[0] if challenge else None,
            method=challenge[1] if challenge else None,
            referrer=context.redirect_to(call),
            linking_target=linking_target,
        )
    )
    return url


async def callback(context: Context, call: AuthCall) -> Response:
    """GET or POST /callback?state=&code=: back from the provider."""
    given: Mapping[str, str] = call.query
    if call.request.method == "POST":
        given = read_pairs(call.request.body.decode("utf-8", "replace"))
    try:
        flow = await _take_flow(context, call, given.get("state", ""))
    except ApiError as error:
        await _record(context, call, error.code)
        values = error_values(error)
        return lead(with_query(context.site_url, values))
    target = flow.referrer or context.site_url
    try:
        if given.get("error"):
            await _record(context, call, errors.BAD_OAUTH_CALLBACK.code)
            values = {name: given[name] for name in ("error", "error_description") if given.get(name)}
            return redirect(target, {**values, "sb": ""}, pkce=True, status=302)
        if not given.get("code"):
            reason = "OAuth callback with missing authorization code missing"
            raise ApiError(errors.BAD_OAUTH_CALLBACK, reason=reason)
        provider = await provider_of(context, flow.provider, errors.OAUTH_PROVIDER_GONE)
        grant = await provider.exchange(
            given["code"], nonce=_derived(context, "nonce", flow.id), verifier=_derived(context, "verifier", flow.id)
        )
        return await _finish(context, call, flow, grant, provider.email_optional)
    except DatabaseError as error:
        failure = failure_of(error, call.place, call.origin.request_id)
        return redirect(target, error_values(failure), pkce=True, status=302)
    except ApiError as error:
        await _record(context, call, error.code)
        values = {"error": "server_error", **error_values(error)}
        if error.code in _DENIED:
            values["error"] = "access_denied"
        return redirect(target, values, pkce=True, status=302)


async def _record(context: Context, call: AuthCall, code: str) -> None:
    await context.run(audit.record("login", call.actor, call.origin, call.now, outcome="failure", error_code=code))


async def _finish(
    context: Context, call: AuthCall, flow: FlowState, grant: ProviderGrant, email_optional: bool
) -> Response:
    if not grant.person.email and not email_optional:
        raise ApiError(errors.OAUTH_NO_EMAIL)
    if flow.linking_target is not None:
        user = await link_to(context, call, flow.linking_target, grant.person)
    else:
        user = await account_of(context, call, grant.person)
    if user.is_banned(call.now):
        raise ApiError(errors.TOKEN_USER_BANNED)
    redirect_to = flow.referrer or context.site_url
    if flow.challenge is not None:
        code = users.new_id()
        await context.run(
            flow_states.insert(
                flow.id, provider=flow.provider, authentication_method="oauth", now=call.now,
                challenge=flow.challenge, method=flow.method, referrer=flow.referrer,
            ),
            flow_states.issue_code(flow.id, user.id, code, call.now),
            flow_states.keep_provider_tokens(flow.id, grant.access_token, grant.refresh_token),
        )  # fmt: skip
        return code_redirect(redirect_to, code, status=302)
    issued = await context.sessions.sign_in(user, "oauth", call, traits={"provider": flow.provider})
    issued = replace(issued, provider_token=grant.access_token, provider_refresh_token=grant.refresh_token)
    return await session_redirect(context, call, issued, redirect_to, {}, status=302)


async def _take_flow(context: Context, call: AuthCall, state: str) -> FlowState:
    """Use a flow up. Raises ApiError bad_oauth_state."""
    if not state:
        raise ApiError(errors.BAD_OAUTH_CALLBACK, reason="OAuth state parameter missing")
    flow_id = read_uuid(state)
    if flow_id is None:
        raise ApiError(errors.BAD_OAUTH_STATE, reason="OAuth state parameter is invalid")
    async with context.db.transaction() as tx:
        flow = flow_states.read(await tx.run(flow_states.by_id(flow_id)))
        if flow is None or flow.authentication_method != "oauth" or flow.issued_at is not None:
            raise ApiError(errors.BAD_OAUTH_STATE, reason="OAuth state not found or expired")
        await tx.run(flow_states.delete(flow.id))
    if call.now > flow.created_at.timestamp() + LIFETIME:
        raise ApiError(errors.BAD_OAUTH_STATE, reason="OAuth state has expired")
    return flow


async def provider_of(context: Context, name: str, row: ErrorRow = errors.PROVIDER_DISABLED) -> AnyProvider:
    """A provider of the settings or of the table. Raises ApiError."""
    provider: AnyProvider | None = context.providers.get(name.lower())
    if provider is None and name.startswith(PREFIX) and context.settings.custom_oauth_enabled:
        found = custom_providers.read((await context.run(custom_providers.by_identifier(name)))[0])
        if found is not None and found.row["enabled"]:
            provider = CustomSignIn(found, f"{context.external_url}/callback")
        elif found is not None:
            raise ApiError(row, reason="provider is not enabled")
    if provider is None:
        is_known = name.lower() in PROVIDERS
        reason = "provider is not enabled" if is_known else f"Provider {name.lower()} could not be found"
        raise ApiError(row, reason=reason)
    return provider


def _derived(context: Context, purpose: str, flow_id: str) -> str:
    return context.secret.derive(purpose, flow_id).hex()
