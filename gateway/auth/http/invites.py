"""Admin calls that make links: invitations, and links of every kind to be sent by other means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gateway.auth import errors, render
from gateway.auth.call import AuthCall, read_email
from gateway.auth.context import Context
from gateway.auth.crypto.passwords import no_password
from gateway.auth.flows import email_change
from gateway.auth.flows import new_users as people
from gateway.auth.flows import one_time_codes as links
from gateway.auth.flows.new_password import demand_strength
from gateway.auth.flows.one_time_codes import Link
from gateway.auth.store import audit, users
from gateway.auth.types import User, moment_of
from gateway.database.statement import Statement
from gateway.errors import ApiError
from gateway.http.messages import Response

# Kind of link to the token it stores and the word it carries.
KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "signup": ("confirmation_token", "signup"),
    "invite": ("confirmation_token", "invite"),
    "magiclink": ("recovery_token", "magiclink"),
    "recovery": ("recovery_token", "recovery"),
    "email_change_current": ("email_change_token_current", "email_change"),
    "email_change_new": ("email_change_token_new", "email_change"),
}


async def invite(context: Context, call: AuthCall) -> Response:
    """POST /invite: an account without a password, and a mail to its address."""
    email = read_email(call.body.text("email"))
    data = call.body.table("data") or {}
    user = await context.find(users.by_email(email, context.audience(call)))
    if user is not None and user.email_confirmed_at is not None:
        raise ApiError(errors.EMAIL_EXISTS)
    await context.messages.demand_queue()
    redirect_to = context.redirect_to(call)
    user_id, statements = await _invited(context, call, email, user, data)
    link = links.new_link(context, "confirmation_token", "invite", email, redirect_to)
    statements += [
        *links.store_link(context, user_id, link, call.now),
        links.mail_link(context, call, "invite", link, redirect_to=redirect_to, data=data),
        _record("user_invited", call, user_id, email),
    ]
    await people.make(context, statements)
    return render.json_response(render.user(await context.reload(user_id)))


async def generate_link(context: Context, call: AuthCall) -> Response:
    """POST /admin/generate_link: a link and its code, without a mail."""
    body = call.body
    kind = body.text("type")
    if kind not in KINDS:
        raise errors.invalid(f"Invalid email action link type requested: {kind}")
    email = read_email(body.text("email"))
    redirect_to = context.redirect_to(call, body.text("redirect_to"))
    user = await context.find(users.by_email(email, context.audience(call)))
    if user is None and kind == "magiclink":
        kind = "signup"
    elif user is None and kind not in ("signup", "invite"):
        raise ApiError(errors.EMAIL_USER_NOT_FOUND)
    user_id, recipient, statements = await _prepare(context, call, kind, email, user)
    token_type, verification = KINDS[kind]
    link = links.new_link(context, token_type, verification, recipient, redirect_to)
    statements += [
        *links.store_link(context, user_id, link, call.now),
        _record("link_generated", call, user_id, email, kind=kind),
    ]
    await people.make(context, statements)
    return render.json_response({**render.user(await context.reload(user_id)), **_properties(link, kind, redirect_to)})


async def _prepare(
    context: Context, call: AuthCall, kind: str, email: str, user: User | None
) -> tuple[str, str, list[Statement]]:
    """Id, recipient and first statements of a link: what must be there before it."""
    data = call.body.table("data") or {}
    if kind == "signup":
        return await _sign_up(context, call, email, user, data)
    if kind == "invite":
        if user is not None and user.email_confirmed_at is not None:
            raise ApiError(errors.EMAIL_EXISTS)
        user_id, statements = await _invited(context, call, email, user, data)
        return user_id, email, statements
    if user is None:
        raise ApiError(errors.EMAIL_USER_NOT_FOUND)
    if not kind.startswith("email_change"):
        return user.id, email, []
    if kind == "email_change_current" and not context.settings.mailer_secure_email_change:
        raise errors.invalid("Enable secure email change to generate link for current email")
    new_email = read_email(call.body.text("new_email"))
    other = await context.find(users.by_email(new_email, user.aud))
    if other is not None and other.id != user.id:
        raise ApiError(errors.EMAIL_EXISTS)
    recipient = new_email if kind == "email_change_new" else email
    return user.id, recipient, list(email_change.aim(user.id, new_email, call.now))


async def _sign_up(
    context: Context, call: AuthCall, email: str, user: User | None, data: Mapping[str, Any]
) -> tuple[str, str, list[Statement]]:
    if user is not None:
        if user.email_confirmed_at is not None:
            raise ApiError(errors.EMAIL_EXISTS)
        changes = {"raw_user_meta_data": users.json_text(users.merged(user.user_metadata, data))}
        return user.id, email, [users.update(user.id, changes, call.now)]
    password = call.body.text("password")
    if password:
        await demand_strength(context, password)
    elif call.body.text("type") == "signup":
        raise errors.invalid("Signup requires a valid password")
    hashed = await context.guards.hash(password, call) if password else no_password()
    user_id, statements = await people.new_user(context, call, email=email, hashed=hashed, data=data)
    return user_id, email, statements


async def _invited(
    context: Context, call: AuthCall, email: str, user: User | None, data: Mapping[str, Any]
) -> tuple[str, list[Statement]]:
    invited = {"invited_at": moment_of(call.now).isoformat()}
    if user is not None:
        return user.id, [users.update(user.id, invited, call.now)]
    return await people.new_user(context, call, email=email, data=data, columns=invited)


def _properties(link: Link, kind: str, redirect_to: str) -> dict[str, str]:
    return {
        "action_link": link.url,
        "email_otp": link.code,
        "hashed_token": link.hashed,
        "verification_type": kind,
        "redirect_to": redirect_to,
    }


def _record(action: str, call: AuthCall, user_id: str, email: str, **traits: str) -> Statement:
    return audit.record(
        action, call.actor, call.origin, call.now, traits={"user_id": user_id, "user_email": email, **traits}
    )
