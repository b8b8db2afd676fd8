"""Passkeys: registered by a signed-in user, and signed in with by whoever holds one (contract section 21)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

from gateway.auth import errors
from gateway.auth.call import AuthCall, JsonBody, actor_of, read_uuid
from gateway.auth.context import Context
from gateway.auth.crypto import relying_party as webauthn
from gateway.auth.outbound.captcha import demand_human
from gateway.auth.render import json_response
from gateway.auth.store import audit, limits, passkeys, users
from gateway.auth.store.passkeys import AUTHENTICATION, REGISTRATION, Passkey
from gateway.auth.store.violations import Taken, taken
from gateway.auth.types import User, moment_of, show_time
from gateway.database import DatabaseError
from gateway.errors import ApiError
from gateway.http.messages import Response

log = logging.getLogger("gateway.auth")


def party_of(context: Context) -> webauthn.RelyingParty:
    """Whom credentials of this server are for."""
    rows = context.settings
    return webauthn.RelyingParty.of(
        rows.webauthn_rp_id, rows.webauthn_rp_name, rows.webauthn_rp_origins, context.site_url
    )


def demand_manager(call: AuthCall) -> User:
    """The user, who may change their passkeys. Raises ApiError."""
    user = call.user
    if user.is_anonymous:
        raise ApiError(errors.ANONYMOUS_REFUSED)
    if user.is_sso_user:
        raise ApiError(errors.VALIDATION_FAILED_422, reason="SSO users cannot register passkeys")
    demand_aal2(call)
    return user


def demand_aal2(call: AuthCall) -> None:
    """Refuse a session that lacks the second factor its user has. Raises ApiError insufficient_aal."""
    if call.user.has_verified_factor and (call.session is None or call.session.aal == "aal1"):
        raise ApiError(errors.INSUFFICIENT_AAL_PASSKEYS)


# --- registration ---------------------------------------------------------------------------------------------------


async def registration_options(context: Context, call: AuthCall) -> Response:
    """POST /passkeys/registration/options: what the browser asks its authenticator to make."""
    user = demand_manager(call)
    known = passkeys.read_all((await context.run(passkeys.of_user(user.id)))[0])
    if len(known) >= context.settings.passkeys_most:
        raise ApiError(errors.TOO_MANY_PASSKEYS)
    party, challenge = party_of(context), webauthn.new_challenge()
    name = user.email or user.phone or user.id
    options = webauthn.creation_options(
        party,
        challenge,
        user_id=user.id,
        name=name,
        display_name=str(user.user_metadata.get("name") or name),
        exclude=[webauthn.descriptor(each.credential_id) for each in known],
        passkey=True,
    )
    return await _ask(context, call, user.id, REGISTRATION, party, challenge, options)


async def registration_verify(context: Context, call: AuthCall) -> Response:
    """POST /passkeys/registration/verify: the authenticator's answer makes the passkey."""
    user = demand_manager(call)
    asked, answer, challenge_id = await _take(context, call, user.id, REGISTRATION)
    permit = await context.guards.permit("passkey", challenge_id, call)
    try:
        made = await asyncio.to_thread(webauthn.registered, permit, party_of(context), str(asked["challenge"]), answer)
    except webauthn.NoCredential as error:
        raise ApiError(errors.PASSKEY_UNREADABLE) from error
    except webauthn.CredentialRefused as error:
        log.info("a passkey is not registered: %s", error)
        raise ApiError(errors.PASSKEY_REFUSED) from error
    passkey_id = users.new_id()
    name = webauthn.AUTHENTICATORS.get(made.aaguid, "Passkey")
    insert = passkeys.insert(
        passkey_id,
        user.id,
        credential_id=made.id,
        public_key=made.public_key,
        attestation=made.attestation,
        aaguid=made.aaguid,
        sign_count=made.sign_count,
        transports=made.transports,
        backup_eligible=made.backup_eligible,
        backed_up=made.backed_up,
        name=name,
        most=context.settings.passkeys_most,
        now=call.now,
    )
    try:
        async with context.db.transaction() as tx:
            _, inserted = await tx.run_all(users.lock(user.id), insert)
            if not limits.holds(inserted):
                raise ApiError(errors.TOO_MANY_PASSKEYS)
            traits = {"passkey_id": passkey_id}
            await tx.run_all(
                audit.record("passkey_created", call.actor, call.origin, call.now, traits=traits), permit.right()
            )
    except DatabaseError as error:
        if taken(error) is Taken.PASSKEY:
            raise ApiError(errors.PASSKEY_EXISTS) from error
        raise
    return json_response({"id": passkey_id, "friendly_name": name, "created_at": show_time(moment_of(call.now))})


# --- sign-in --------------------------------------------------------------------------------------------------------


async def authentication_options(context: Context, call: AuthCall) -> Response:
    """POST /passkeys/authentication/options: any passkey of this site may answer."""
    call.optional_body()
    await demand_human(context, call)
    await context.guards.take("passkey", limits.per(context.settings.rate_limit_passkey, 300, 30), call)
    party, challenge = party_of(context), webauthn.new_challenge()
    return await _ask(context, call, None, AUTHENTICATION, party, challenge, webauthn.request_options(party, challenge))


async def authentication_verify(context: Context, call: AuthCall) -> Response:
    """POST /passkeys/authentication/verify: the answer signs its holder in."""
    asked, answer, challenge_id = await _take(context, call, None, AUTHENTICATION)
    try:
        names = await asyncio.to_thread(webauthn.presented, answer)
    except webauthn.NoCredential as error:
        raise ApiError(errors.PASSKEY_UNREADABLE) from error
    user_id = read_uuid(names.user_handle.decode("latin-1"))
    user = None if user_id is None else await context.find(users.by_id(user_id))
    if user is None or user.deleted_at is not None:
        raise ApiError(errors.PASSKEY_REFUSED)
    call.actor = actor_of(user)
    known = passkeys.read_all((await context.run(passkeys.of_user(user.id)))[0])
    passkey = next((each for each in known if each.credential_id == names.id), None)
    if passkey is None:
        raise ApiError(errors.PASSKEY_REFUSED)
    permit = await context.guards.permit("passkey", challenge_id, call)
    try:
        found = await asyncio.to_thread(
            webauthn.used, permit, party_of(context), str(asked["challenge"]), passkey.public_key, answer
        )
    except webauthn.CredentialRefused as error:
        log.info("a passkey is not taken: %s", error)
        raise ApiError(errors.PASSKEY_REFUSED) from error
    _demand_welcome(user, call.now)
    issued = await context.sessions.sign_in(
        user,
        "passkey",
        call,
        also=(passkeys.was_used(passkey.id, found.sign_count, found.backed_up, call.now), permit.right()),
        traits={"passkey_id": passkey.id},
    )
    return await context.sessions.session_response(issued, call)


def _demand_welcome(user: User, now: float) -> None:
    if user.email and user.email_confirmed_at is None:
        raise ApiError(errors.PASSKEY_EMAIL_NOT_CONFIRMED)
    if user.phone and user.phone_confirmed_at is None:
        raise ApiError(errors.PASSKEY_PHONE_NOT_CONFIRMED)
    if user.is_banned(now):
        raise ApiError(errors.TOKEN_USER_BANNED)


# --- challenges -----------------------------------------------------------------------------------------------------


async def _ask(
    context: Context,
    call: AuthCall,
    user_id: str | None,
    kind: str,
    party: webauthn.RelyingParty,
    challenge: str,
    options: Mapping[str, Any],
) -> Response:
    """Keep a challenge until it is answered."""
    challenge_id, expires = users.new_id(), call.now + context.settings.webauthn_challenge_expiry
    asked = {"challenge": challenge, "rpId": party.id, "userVerification": "preferred"}
    await context.run(passkeys.insert_challenge(challenge_id, user_id, kind, asked, call.now, expires))
    return json_response({"challenge_id": challenge_id, "options": options, "expires_at": int(expires)})


async def _take(
    context: Context, call: AuthCall, user_id: str | None, kind: str
) -> tuple[Mapping[str, Any], Mapping[str, Any], str]:
    """What was asked, what came back, and the challenge's id; it is used up whatever comes of it. Raises ApiError."""
    challenge_id, answer = _read(call.body)
    result = await context.run(passkeys.take_challenge(challenge_id, user_id, kind))
    found = passkeys.read_challenge(result[0])
    if found is None:
        raise ApiError(errors.PASSKEY_CHALLENGE_NOT_FOUND)
    asked, expires = found
    if expires is None or expires.timestamp() < call.now:
        raise ApiError(errors.PASSKEY_CHALLENGE_EXPIRED)
    return asked, answer, challenge_id


def _read(body: JsonBody) -> tuple[str, Mapping[str, Any]]:
    text, answer = body.text("challenge_id"), body.table("credential")
    if not text:
        raise errors.invalid("challenge_id is required")
    if answer is None:
        raise errors.invalid("credential is required")
    challenge_id = read_uuid(text)
    if challenge_id is None:
        raise errors.invalid("challenge_id must be a valid UUID")
    return challenge_id, answer


def shown(passkey: Passkey) -> dict[str, Any]:
    """A passkey as clients see it."""
    body: dict[str, Any] = {"id": passkey.id}
    if passkey.name:
        body["friendly_name"] = passkey.name
    if passkey.created_at is not None:
        body["created_at"] = show_time(passkey.created_at)
    if passkey.last_used_at is not None:
        body["last_used_at"] = show_time(passkey.last_used_at)
    return body
