"""Sign-in at a provider: /authorize redirects there, /callback comes back; linking; ID tokens from native apps."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gateway.auth import errors
from gateway.auth.call import AuthCall, JsonBody, actor_of, read_challenge, read_pairs, read_uuid
from gateway.auth.context import Context
from gateway.auth.flows import new_users as people
from gateway.auth.flows.signup import send_confirmation
from gateway.auth.flows.verify import code_redirect, error_values, lead, redirect, session_redirect, with_query
from gateway.auth.http.discovery import PROVIDERS
from gateway.auth.http.identities import demand_linking
from gateway.auth.outbound.providers import ISSUERS, Person, Provider, ProviderGrant
from gateway.auth.render import json_response
from gateway.auth.sessions import Issued
from gateway.auth.store import audit, flow_states, identities, one_time_tokens, sessions, users
from gateway.auth.store.flow_states import FlowState
from gateway.auth.types import User, moment_of
from gateway.database.statement import Statement, Value
from gateway.errors import ApiError
from gateway.http.messages import Response

LIFETIME = 600  # seconds that a sign-in at a provider may take
_OWN = frozenset({"provider", "redirect_to", "scopes", "code_challenge", "code_challenge_method", "apikey"})
# Refusals that are the person's own affair, not a failure of the server or the request.
_DENIED = frozenset({"signup_disabled", "user_banned", "provider_email_needs_verification"})
_RESERVED = frozenset({"client_id", "response_type", "redirect_uri", "state", "nonce", "scope"})


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
    provider = _provider(context, call.query.get("provider", ""))
    challenge = read_challenge(JsonBody(call.query))
    flow_id = users.new_id()
    extra = {
        name: value
        for name, value in call.query.items()
        if name not in _OWN and name not in _RESERVED and name != "skip_http_redirect"
    }
    # Nonce and verifier are derived from the flow's id, so nothing has to be kept for them.
    url = await provider.authorization_url(
        state=flow_id,
        nonce=_derived(context, "nonce", flow_id),
        verifier=_derived(context, "verifier", flow_id),
        scopes=call.query.get("scopes", ""),
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
        provider = _provider(context, flow.provider)
        grant = await provider.exchange(
            given["code"], nonce=_derived(context, "nonce", flow.id), verifier=_derived(context, "verifier", flow.id)
        )
        return await _finish(context, call, flow, grant)
    except ApiError as error:
        await _record(context, call, error.code)
        values = {"error": "server_error", **error_values(error)}
        if error.code in _DENIED:
            values["error"] = "access_denied"
        return redirect(target, values, pkce=True, status=302)


async def _record(context: Context, call: AuthCall, code: str) -> None:
    await context.run(audit.record("login", call.actor, call.origin, call.now, outcome="failure", error_code=code))


async def _finish(context: Context, call: AuthCall, flow: FlowState, grant: ProviderGrant) -> Response:
    if flow.linking_target is not None:
        user = await _link(context, call, flow.linking_target, grant.person)
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


async def id_token(context: Context, call: AuthCall) -> Issued:
    """The id_token grant: a native app signed in at the provider by itself."""
    body = call.body
    name, token, nonce = body.text("provider"), body.text("id_token"), body.text("nonce")
    if not token:
        raise ApiError(errors.OAUTH_INVALID_REQUEST, reason="id_token required")
    if not name:
        raise ApiError(errors.OAUTH_INVALID_REQUEST, reason="provider or client_id and issuer required")
    is_linked = body.flag("link_identity")
    if is_linked:
        demand_linking(context)
        await context.guards.require_user(call)
    provider = _token_provider(context, name)
    claims = await _token_claims(provider, token, body.text("access_token"))
    _demand_nonce(claims, nonce)
    person = provider.person(claims)
    user = await (_link(context, call, call.user.id, person) if is_linked else account_of(context, call, person))
    if user.is_banned(call.now):
        raise ApiError(errors.SIGN_IN_BANNED)
    return await context.sessions.sign_in(user, "oauth", call, traits={"provider": name})


def _token_provider(context: Context, name: str) -> Provider:
    provider = context.providers.get(name.lower())
    if provider is not None:
        return provider
    if name in ISSUERS:
        raise ApiError(errors.TOKEN_PROVIDER_DISABLED, issuer=ISSUERS[name])
    raise errors.invalid(f'Custom OIDC provider "{name}" not allowed')


async def _token_claims(provider: Provider, token: str, access_token: str) -> Mapping[str, Any]:
    try:
        return await provider.claims(token, nonce=None, access_token=access_token)
    except ApiError as error:
        raise ApiError(errors.OAUTH_INVALID_REQUEST, reason="Bad ID token") from error


def _demand_nonce(claims: Mapping[str, Any], nonce: str) -> None:
    """Refuse a token whose nonce is not the app's own, as it is or hashed: one taken elsewhere has another."""
    claimed = claims.get("nonce")
    if bool(nonce) != bool(claimed):
        reason = "Passed nonce and nonce in id_token should either both exist or not."
        raise ApiError(errors.OAUTH_INVALID_REQUEST, reason=reason)
    if nonce and claimed not in (hashlib.sha256(nonce.encode()).hexdigest(), nonce):
        raise ApiError(errors.OAUTH_INVALID_NONCE)


async def web3(context: Context, call: AuthCall) -> Issued:
    """The web3 grant: there are no wallets here."""
    raise ApiError(errors.WEB3_DISABLED)


async def single_sign_on(context: Context, call: AuthCall) -> Response:
    """POST /sso: there is no SAML here; OpenID Connect does the same by configuration."""
    raise ApiError(errors.SAML_DISABLED)


async def account_of(context: Context, call: AuthCall, person: Person) -> User:
    """The account of somebody a provider vouches for; made where sign-up is allowed.

    An account with the same address is theirs only when the provider has verified it. If nobody ever confirmed that
    account, whatever was set up on it before (a password above all) may be a stranger's and is dropped.
    """
    known = await context.find(users.by_identity(person.provider, person.subject))
    if known is not None:
        call.actor = actor_of(known)
        identity = next(item for item in known.identities if item.provider_id == person.subject)
        await context.run(
            identities.update(identity.id, person.data, call.now),
            identities.touch(known.id, person.provider, call.now),
            users.update(known.id, {"raw_user_meta_data": _told(known, person)}, call.now),
        )
        return await context.reload(known.id)
    if not person.email:
        raise ApiError(errors.BAD_OAUTH_CALLBACK, reason="Error getting user email from external provider")
    same = await context.find(users.by_email(person.email, context.audience(call)))
    if same is not None:
        if not person.email_verified:
            raise ApiError(errors.PROVIDER_EMAIL_UNVERIFIED, provider=person.provider)
        await context.run(*_adopt(same, person, call.now))
        return await context.reload(same.id)
    if context.settings.disable_signup:
        raise ApiError(errors.SIGNUP_DISABLED)
    return await _new_account(context, call, person)


async def _new_account(context: Context, call: AuthCall, person: Person) -> User:
    confirmed = person.email_verified or context.settings.mailer_autoconfirm
    app = {"provider": person.provider, "providers": [person.provider]}
    columns: dict[str, Value] = {
        "raw_app_meta_data": users.json_text(app),
        "email": person.email,
        "raw_user_meta_data": users.json_text(dict(person.data)),
        "email_confirmed_at": moment_of(call.now).isoformat() if confirmed else None,
    }
    user_id, statements = await people.new_user(context, call, columns=columns)
    statements.append(
        identities.insert(user_id, person.provider, person.subject, person.data, call.now, signed_in=True)
    )
    statements.append(
        audit.record("user_signedup", audit.Actor(user_id, person.email), call.origin, call.now,
                     traits={"provider": person.provider})
    )  # fmt: skip
    await people.make(context, statements)
    user = await context.reload(user_id)
    call.actor = actor_of(user)
    if not confirmed:
        await send_confirmation(context, call, person.email, user, "", user.user_metadata, None)
        raise ApiError(errors.PROVIDER_EMAIL_UNVERIFIED, provider=person.provider)
    return user


def _adopt(user: User, person: Person, now: float) -> list[Statement]:
    """Add a verified identity to the account of the same address."""
    statements = [_add(user, person, now)]
    columns: dict[str, Value] = {
        "raw_app_meta_data": users.json_text(_with_provider(user, person.provider)),
        "raw_user_meta_data": _told(user, person),
    }
    if user.email_confirmed_at is None:
        columns |= {"encrypted_password": None, "email_confirmed_at": moment_of(now).isoformat()}
        columns["raw_user_meta_data"] = users.json_text(dict(person.data))
        statements += [
            identities.delete_of_provider(user.id, "email"),
            *one_time_tokens.clear(user.id),
            sessions.delete_of_user(user.id),
        ]
    return [*statements, users.update(user.id, columns, now)]


async def _link(context: Context, call: AuthCall, user_id: str, person: Person) -> User:
    """Add an identity to the account of the user who asked for it."""
    user = await context.reload(user_id)
    call.actor = actor_of(user)
    owner = await context.find(users.by_identity(person.provider, person.subject))
    if owner is not None:
        raise ApiError(errors.IDENTITY_EXISTS, whom="" if owner.id == user.id else " to another user")
    columns: dict[str, Value] = {"raw_app_meta_data": users.json_text(_with_provider(user, person.provider))}
    if user.is_anonymous:
        columns["is_anonymous"] = "false"
    if user.email is None and person.email and person.email_verified:
        if await context.find(users.by_email(person.email, user.aud)) is not None:
            raise ApiError(errors.EMAIL_EXISTS)
        columns |= {"email": person.email, "email_confirmed_at": moment_of(call.now).isoformat()}
    await context.run(
        _add(user, person, call.now),
        users.update(user.id, columns, call.now),
        audit.record("identity_linked", call.actor, call.origin, call.now, traits={"provider": person.provider}),
    )
    return await context.reload(user.id)


def _add(user: User, person: Person, now: float) -> Statement:
    return identities.insert(user.id, person.provider, person.subject, person.data, now, signed_in=True)


def _told(user: User, person: Person) -> str:
    """user_metadata with what the provider says now."""
    return users.json_text(users.merged(user.user_metadata, person.data))


def _with_provider(user: User, provider: str) -> dict[str, Any]:
    providers = list(user.app_metadata.get("providers") or [])
    if provider not in providers:
        providers.append(provider)
    return {**user.app_metadata, "provider": user.app_metadata.get("provider") or provider, "providers": providers}


async def _take_flow(context: Context, call: AuthCall, state: str) -> FlowState:
    """Use a flow up. Raises ApiError bad_oauth_state."""
    if not state:
        raise ApiError(errors.BAD_OAUTH_CALLBACK, reason="OAuth state parameter missing")
    flow_id = read_uuid(state)
    if flow_id is None:
        raise ApiError(errors.BAD_OAUTH_STATE, reason="OAuth callback with invalid state")
    async with context.db.transaction() as tx:
        flow = flow_states.read(await tx.run(flow_states.by_id(flow_id)))
        if flow is None or flow.authentication_method != "oauth" or flow.issued_at is not None:
            raise ApiError(errors.BAD_OAUTH_STATE, reason="OAuth callback with invalid state")
        await tx.run(flow_states.delete(flow.id))
    if call.now > flow.created_at.timestamp() + LIFETIME:
        raise ApiError(errors.BAD_OAUTH_STATE, reason="OAuth callback with invalid state")
    return flow


def _provider(context: Context, name: str) -> Provider:
    provider = context.providers.get(name.lower())
    if provider is None:
        is_known = name.lower() in PROVIDERS
        reason = "provider is not enabled" if is_known else f"Provider {name.lower()} could not be found"
        raise ApiError(errors.PROVIDER_DISABLED, reason=reason)
    return provider


def _derived(context: Context, purpose: str, flow_id: str) -> str:
    return context.secret.derive(purpose, flow_id).hex()
