"""The signed-in user's own account: read it, change it, leave it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from gateway.auth import errors, render
from gateway.auth.call import AuthCall, read_challenge, read_channel, read_email, read_phone
from gateway.auth.context import Context
from gateway.auth.flows import email_change, phone
from gateway.auth.flows import new_users as people
from gateway.auth.flows import one_time_codes as links
from gateway.auth.flows.new_password import demand_strength, password_changes, password_notice
from gateway.auth.store import audit, sessions, users
from gateway.auth.types import is_over
from gateway.database.statement import Statement, Value
from gateway.errors import ApiError
from gateway.http.messages import Response

FRESH: Final = 86_400  # seconds after signing in during which a password may be changed without more proof
_RECOVERED: Final = frozenset({"otp", "recovery", "magiclink", "invite", "email/signup"})


async def get_user(context: Context, call: AuthCall) -> Response:
    """GET /user."""
    if not context.is_for(call):
        raise errors.invalid("Token audience doesn't match request audience")
    return render.json_response(render.user(call.user))


async def logout(context: Context, call: AuthCall) -> Response:
    """POST /logout?scope=local|global|others."""
    scope = call.query.get("scope") or "global"
    if scope not in ("global", "local", "others"):
        raise errors.invalid(f'Unsupported logout scope "{scope}"')
    user, session = call.user, call.session
    if session is None or scope == "global":
        ending = sessions.delete_of_user(user.id)
    elif scope == "local":
        ending = sessions.delete(session.id)
    else:
        ending = sessions.delete_of_user(user.id, but=session.id)
    await context.run(ending, audit.record("logout", call.actor, call.origin, call.now, traits={"scope": scope}))
    return Response(204)


async def reauthenticate(context: Context, call: AuthCall) -> Response:
    """GET /reauthenticate: send a code that proves the user is still there."""
    user = call.user
    if not user.email and user.phone:
        return await _reauthenticate_by_phone(context, call, user.phone)
    if not user.email:
        raise errors.invalid("Reauthentication requires the user to have an email or a phone number")
    if user.email_confirmed_at is None:
        raise ApiError(errors.REAUTHENTICATE_UNCONFIRMED)
    await links.demand_mail(context, call, "reauthentication", user.email)
    link = links.new_link(context, "reauthentication_token", "reauthentication", user.email, context.site_url)
    await context.run(
        *links.store_link(context, user.id, link, call.now),
        links.mail_link(context, call, "reauthentication", link, redirect_to="", data=user.user_metadata),
        audit.record("user_reauthenticate_requested", call.actor, call.origin, call.now),
    )
    return render.json_response({})


async def _reauthenticate_by_phone(context: Context, call: AuthCall, number: str) -> Response:
    user = call.user
    if user.phone_confirmed_at is None:
        raise ApiError(errors.REAUTHENTICATE_PHONE_UNCONFIRMED)
    await context.run(
        *await phone.send_code(context, call, user.id, render.user(user), "reauthentication_token", number),
        audit.record("user_reauthenticate_requested", call.actor, call.origin, call.now),
    )
    return render.json_response({})


@dataclass(slots=True)
class _Changes:
    """What a PUT /user will do, all at once."""

    columns: dict[str, Value] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


async def update_user(context: Context, call: AuthCall) -> Response:
    """PUT /user: password, metadata, e-mail address."""
    user, body = call.user, call.body
    email = read_email(body.text("email")) if body.text("email") else ""
    number = read_phone(body.text("phone")) if body.text("phone") else ""
    if number:
        read_channel(body)
    password, data = body.text("password"), body.table("data")
    if "password" in body:
        await demand_strength(context, password)
    if body.table("app_metadata") is not None:
        raise ApiError(errors.NOT_ADMIN_METADATA)
    email, number = "" if email == user.email else email, "" if number == user.phone else number
    await _demand_allowed(context, call, email, number)
    changes = _Changes()
    if password:
        await _change_password(context, call, password, changes)
    if data is not None:
        call.user = user = replace(user, user_metadata=users.merged(user.user_metadata, data))
        changes.columns["raw_user_meta_data"] = users.json_text(user.user_metadata)
        changes.names.append("data")
    if email:
        await _change_email(context, call, email, changes)
    if number:
        await _change_phone(context, call, number, changes)
    if changes.columns:
        changes.statements.insert(0, users.update(user.id, changes.columns, call.now))
    if changes.names:
        traits = {"changed": changes.names}
        changes.statements.append(audit.record("user_modified", call.actor, call.origin, call.now, traits=traits))
    if changes.statements:
        await context.run(*changes.statements)
    return render.json_response(render.user(await context.reload(user.id)))


async def _demand_allowed(context: Context, call: AuthCall, email: str, number: str) -> None:
    """Refuse a new address, number or password to those who may not have one. Raises ApiError."""
    user, body = call.user, call.body
    password = body.text("password")
    is_weak = call.session is None or call.session.aal == "aal1"
    if user.has_verified_factor and is_weak and (password or email or number):
        raise ApiError(errors.INSUFFICIENT_AAL)
    named = body.text("email") or body.text("phone") or user.email or user.phone
    if user.is_anonymous and password and not named:
        reason = "Updating password of an anonymous user without an email or phone is not allowed"
        raise ApiError(errors.VALIDATION_FAILED_422, reason=reason)
    if user.is_sso_user and (password or email or number or body.text("nonce")):
        raise ApiError(errors.USER_SSO_MANAGED)
    if number and not context.settings.phone_enabled:
        raise ApiError(errors.PHONE_SIGNUPS_DISABLED)
    if email and await context.find(users.by_email(email, user.aud)) is not None:
        raise ApiError(errors.EMAIL_EXISTS)
    if number and await context.find(users.by_phone(number, user.aud)) is not None:
        raise ApiError(errors.PHONE_EXISTS)


async def _change_password(context: Context, call: AuthCall, password: str, changes: _Changes) -> None:
    user = call.user
    right = await _demand_proof(context, call)
    if user.password is not None:
        # To be told that a new password is the old one is a guess at the old one, too.
        permit = await context.guards.permit("current_password", user.id, call)
        async with context.guards.turn(call) as turn:
            if await turn.verify(permit, password, user.password):
                raise ApiError(errors.SAME_PASSWORD)
        right = [*right, permit.right()]
    columns, statements = password_changes(user, await context.guards.hash(password, call), call.now)
    changes.columns.update(columns)
    changes.statements += right
    changes.statements += statements
    changes.statements += [
        sessions.delete_of_user(user.id, but=call.session.id if call.session is not None else None),
        audit.record("user_updated_password", call.actor, call.origin, call.now),
        *await password_notice(context, call, user),
    ]
    changes.names.append("password")


async def _demand_proof(context: Context, call: AuthCall) -> list[Statement]:
    """A new password needs the current one, a mailed code, or a session that is not old; the statements that forget
    the wrong guesses before the right one.

    Somebody who came by a link forgot the password: the link is the proof.
    """
    user, session, body = call.user, call.session, call.body
    current, nonce = body.text("current_password"), body.text("nonce")
    if user.password is None:
        return []
    by_link = session is not None and any(method in _RECOVERED for method, _ in session.amr)
    if context.settings.update_password_current and not by_link and not current:
        raise ApiError(errors.CURRENT_PASSWORD_REQUIRED)
    if current:
        permit = await context.guards.permit("current_password", user.id, call)
        async with context.guards.turn(call) as turn:
            if not await turn.verify(permit, current, user.password):
                raise ApiError(errors.CURRENT_PASSWORD_INVALID)
        return [permit.right()]
    if not context.settings.update_password_reauthentication:
        return []
    if nonce:
        return [await _demand_nonce(context, call, nonce)]
    if session is None or is_over(session.created_at, call.now, FRESH):
        raise ApiError(errors.REAUTHENTICATION_NEEDED)
    return []


async def _demand_nonce(context: Context, call: AuthCall, nonce: str) -> Statement:
    permit = await context.guards.permit("nonce", call.user.id, call)
    found = links.read_found(
        (
            await context.run(
                links.code_lookup(
                    context, permit, ("reauthentication_token",), call.user.email or call.user.phone or "", nonce
                ).take()
            )
        )[0]
    )
    is_expired = found is not None and found.is_expired(call.now, links.lifetime(context, found))
    if found is None or found.user.id != call.user.id or is_expired:
        raise ApiError(errors.REAUTHENTICATION_NOT_VALID)
    return permit.right()


async def _change_email(context: Context, call: AuthCall, email: str, changes: _Changes) -> None:
    """Begin a change of address: it takes effect when the mailed links are followed."""
    user = call.user
    changes.names.append("email")
    if user.is_anonymous and context.settings.mailer_autoconfirm:
        # This is how they sign up. Whoever has an address already shows that the new one is theirs, too.
        changes.statements += people.change_email(user, email, call.now)
        return
    challenge = read_challenge(call.body)
    await links.demand_mail(context, call, "email_change", email)
    if challenge is not None:
        changes.statements.append(people.begin_flow(user.id, "email_change", challenge, call.now))
    changes.statements += email_change.begin(context, call, user, email, pkce=challenge is not None)


async def _change_phone(context: Context, call: AuthCall, number: str, changes: _Changes) -> None:
    """Begin a change of number: it takes effect when the code that is sent there comes back."""
    user = call.user
    changes.names.append("phone")
    if context.settings.sms_autoconfirm:
        changes.statements += people.change_phone(user, number, call.now)
        return
    shown = {**render.user(user), "new_phone": number}
    changes.statements += await phone.send_code(context, call, user.id, shown, "phone_change_token", number)
    changes.columns["phone_change"] = number
