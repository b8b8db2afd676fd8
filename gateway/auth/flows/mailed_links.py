"""Requests that send a link: recovery, sign-in by mail, and both once more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gateway.auth import errors
from gateway.auth.call import AuthCall, actor_of, read_challenge, read_email, read_phone
from gateway.auth.context import Context
from gateway.auth.crypto.passwords import no_password
from gateway.auth.flows import email_change, phone
from gateway.auth.flows import new_users as people
from gateway.auth.flows import one_time_codes as links
from gateway.auth.flows.signup import send_confirmation
from gateway.auth.outbound.captcha import demand_human
from gateway.auth.render import json_response
from gateway.auth.store import audit, limits, users
from gateway.auth.store.audit import Actor
from gateway.auth.types import User
from gateway.database.statement import Statement
from gateway.errors import ApiError, ErrorRow
from gateway.http.messages import Response


async def recover(context: Context, call: AuthCall) -> Response:
    """POST /recover: the same answer whether or not somebody has the address, before anybody is looked up."""
    if not context.settings.email_enabled:
        raise ApiError(errors.EMAIL_DISABLED)
    await demand_human(context, call)
    await context.guards.take("recover", limits.per(context.settings.rate_limit_otp, 300), call)
    if not call.body.text("email"):
        raise errors.invalid("Password recovery requires an email")
    email = read_email(call.body.text("email"))
    call.actor = Actor(name=email)
    challenge = read_challenge(call.body)
    await links.expect_mail(context, call, "recovery", email)

    async def send() -> None:
        user = await context.find(users.by_email(email, context.audience(call)))
        if user is None:
            await context.run(_nobody(call))
            return
        await links.count(context, call, links.mail_channel(context))
        await _send(context, call, user, email, "recovery", "recovery", challenge)

    call.later = send
    return json_response({})


def _nobody(call: AuthCall, code: str = "user_not_found") -> Statement:
    """The audit row of a request for somebody who is not there, or may not come in."""
    return audit.record(
        "user_recovery_requested", call.actor, call.origin, call.now, outcome="failure", error_code=code
    )


async def otp(context: Context, call: AuthCall) -> Response:
    """POST /otp: a code by mail, or by text message."""
    body = call.body
    if body.text("email") and body.text("phone"):
        raise errors.invalid("Only an email address or phone number should be provided")
    if body.text("email") and body.text("channel"):
        raise errors.invalid("Channel should only be specified with Phone OTP")
    read_challenge(body)
    if body.text("phone"):
        return await phone.otp(context, call)
    if not body.text("email"):
        raise errors.invalid("One of email or phone must be set")
    return await _mail_sign_in(context, call, "otp", create=body.flag("create_user", True))


async def magic_link(context: Context, call: AuthCall) -> Response:
    """POST /magiclink: a link by mail."""
    return await _mail_sign_in(context, call, "magiclink", create=True)


async def _mail_sign_in(context: Context, call: AuthCall, kind: str, create: bool) -> Response:
    settings = context.settings
    if not settings.email_enabled:
        raise ApiError(errors.EMAIL_LOGINS_DISABLED)
    if not settings.magic_links_enabled:
        raise ApiError(errors.MAGIC_LINKS_DISABLED)
    await demand_human(context, call)
    await context.guards.take(kind, limits.per(settings.rate_limit_otp, 300), call)
    if not call.body.text("email"):
        raise ApiError(errors.VALIDATION_FAILED_422, reason="Password recovery requires an email")
    email = read_email(call.body.text("email"))
    call.actor = Actor(name=email)
    challenge = read_challenge(call.body)
    data = call.body.table("data") or {}
    if settings.auth_reveal_accounts:
        refused = _refusal(context, await context.find(users.by_email(email, context.audience(call))), create)
        if refused is not None:
            raise ApiError(refused)
    await links.expect_mail(context, call, "magiclink", email)

    async def send() -> None:
        user = await context.find(users.by_email(email, context.audience(call)))
        refused = _refusal(context, user, create)
        if refused is not None:
            await context.run(_nobody(call, refused.code))
        elif user is not None and user.email_confirmed_at is not None:
            await links.count(context, call, links.mail_channel(context))
            await _send(context, call, user, email, "magic_link", "magiclink", challenge)
        elif not settings.mailer_autoconfirm:
            await send_confirmation(context, call, email, user, no_password(), data, challenge)
        else:
            await links.count(context, call, links.mail_channel(context))
            user = user or await _make_confirmed(context, call, email, data)
            await _send(context, call, user, email, "magic_link", "magiclink", challenge)

    call.later = send
    return json_response({})


def _refusal(context: Context, user: User | None, create: bool) -> ErrorRow | None:
    """Why nobody is to be let in by a mail, or None."""
    if user is None and not create:
        return errors.OTP_DISABLED
    if (user is None or user.email_confirmed_at is None) and context.settings.disable_signup:
        return errors.SIGNUP_DISABLED
    return None


async def _make_confirmed(context: Context, call: AuthCall, email: str, data: Mapping[str, Any]) -> User:
    """An account whose address is taken to be confirmed."""
    user_id, statements = await people.new_user(
        context, call, email=email, hashed=no_password(), data=data, confirmed=True, signed_up=True
    )
    await people.make(
        context, [*statements, audit.record("user_signedup", Actor(user_id, email), call.origin, call.now)]
    )
    return await context.reload(user_id)


async def _send(
    context: Context,
    call: AuthCall,
    user: User,
    email: str,
    template: str,
    verification: str,
    challenge: tuple[str, str] | None,
) -> None:
    """Store a recovery token and queue its mail."""
    redirect_to = context.redirect_to(call)
    link = links.new_link(context, "recovery_token", verification, email, redirect_to, pkce=challenge is not None)
    statements: list[Statement] = [*links.store_link(context, user.id, link, call.now)]
    if challenge is not None:
        statements.append(people.begin_flow(user.id, verification, challenge, call.now))
    call.actor = actor_of(user)
    statements.append(links.mail_link(context, call, template, link, redirect_to=redirect_to, data=user.user_metadata))
    statements.append(
        audit.record("user_recovery_requested", call.actor, call.origin, call.now, traits={"kind": verification})
    )
    await context.run(*statements)


async def resend(context: Context, call: AuthCall) -> Response:
    """POST /resend: a confirmation once more; the same answer when there is nothing to send."""
    body = call.body
    kind, email, number = body.text("type"), body.text("email"), body.text("phone")
    if kind not in ("signup", "email_change", "sms", "phone_change"):
        raise errors.invalid("Missing one of these types: signup, email_change, sms, phone_change")
    if kind == "signup" and not email:
        raise errors.invalid("Type provided requires an email address")
    if kind == "sms" and not number:
        raise errors.invalid("Type provided requires a phone number")
    if email and number:
        raise errors.invalid("Only an email address or phone number should be provided.")
    if not email and not number:
        raise errors.invalid("Missing email address or phone number")
    if not (context.settings.email_enabled if email else context.settings.phone_enabled):
        raise ApiError(errors.EMAIL_DISABLED if email else errors.PHONE_DISABLED)
    await demand_human(context, call)
    await context.guards.take("resend", limits.per(context.settings.rate_limit_otp, 300), call)
    name = read_email(email) if email else read_phone(number)
    call.actor = Actor(name=name)
    challenge = read_challenge(body)
    aud = context.audience(call)
    if email:
        await links.expect_mail(context, call, "confirmation" if kind == "signup" else "email_change", name)
    else:
        await phone.expect(context, call, kind, name)

    async def send() -> None:
        user = await context.find(users.by_email(name, aud) if email else users.by_phone(name, aud))
        if user is None:
            return
        if kind == "signup" and user.email_confirmed_at is None:
            await send_confirmation(context, call, name, user, "", user.user_metadata, challenge)
        elif kind == "email_change" and user.new_email is not None:
            await links.demand_mail(context, call, "email_change", user.new_email)
            await email_change.resend(context, call, user.id, user.new_email, challenge)
        elif not email:
            await phone.resend(context, call, kind, user)

    call.later = send
    return json_response({})
