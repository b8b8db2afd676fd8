"""POST /signup: with an address, a number, or (where allowed) nothing at all."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gateway.auth import errors, render
from gateway.auth.call import AuthCall, actor_of, read_challenge, read_channel, read_email, read_phone
from gateway.auth.context import Context
from gateway.auth.flows import new_users as people
from gateway.auth.flows import one_time_codes as links
from gateway.auth.flows import phone
from gateway.auth.flows.new_password import demand_strength
from gateway.auth.outbound.captcha import demand_human
from gateway.auth.raised import ANONYMOUS
from gateway.auth.store import audit, limits, users
from gateway.auth.store.audit import Actor
from gateway.auth.types import User, moment_of, show_time
from gateway.database.statement import Statement
from gateway.errors import ApiError
from gateway.http.messages import Response


async def signup(context: Context, call: AuthCall) -> Response:
    """Make an account: a session when nothing is left to confirm, else the user."""
    email, number = call.body.text("email"), call.body.text("phone")
    if not email and not number:
        return await _anonymous(context, call)
    await demand_human(context, call)
    bucket = limits.per(context.settings.rate_limit_otp, 300)
    await context.guards.take("signup", bucket, call)
    response = await (_by_email if email else _by_phone)(context, call)
    if context.settings.mailer_autoconfirm if email else context.settings.sms_autoconfirm:
        await context.guards.give_back("signup", bucket, call)  # it sent nothing
    return response


async def _anonymous(context: Context, call: AuthCall) -> Response:
    settings = context.settings
    if not settings.anonymous_users_enabled:
        raise ApiError(errors.ANONYMOUS_DISABLED)
    await demand_human(context, call)
    await context.guards.take("anonymous", limits.per(settings.rate_limit_anonymous_users, 3600), call)
    if settings.disable_signup:
        raise ApiError(errors.SIGNUP_DISABLED)
    call.place = ANONYMOUS
    user_id, statements = await people.new_user(
        context, call, data=call.body.table("data"), columns={"is_anonymous": "true"}
    )
    await context.run(*statements)
    user = await context.reload(user_id)
    return await context.sessions.session_response(
        await context.sessions.sign_in(user, "anonymous", call, action="user_signedup"), call
    )


async def _by_email(context: Context, call: AuthCall) -> Response:
    settings = context.settings
    password, data, challenge = await _demand_allowed(context, call)
    if not settings.email_enabled:
        raise ApiError(errors.EMAIL_SIGNUPS_DISABLED)
    email = read_email(call.body.text("email"))
    call.actor = Actor(name=email)
    # The hash is computed first, so that an address that is taken takes as long as one that is free.
    hashed = await context.guards.hash(password, call)
    if not settings.mailer_autoconfirm:
        await links.expect_mail(context, call, "confirmation", email)
    user = await context.find(users.by_email(email, context.audience(call)))
    if user is not None and (user.email_confirmed_at is not None or settings.mailer_autoconfirm):
        if settings.mailer_autoconfirm:
            raise ApiError(errors.USER_ALREADY_EXISTS)
        await context.run(audit.record("user_repeated_signup", actor_of(user), call.origin, call.now))
        return render.json_response(_nobody(email, "", context.audience(call), data, call.now))
    if settings.mailer_autoconfirm:
        return await _confirmed(context, call, email=email, hashed=hashed, data=data)
    user = await send_confirmation(context, call, email, user, hashed, data, challenge)
    shown = render.user(user)
    if user.invited_at is not None:
        shown |= {"user_metadata": {}, "identities": []}  # whoever asks now may be nobody who was invited
    return render.json_response(shown)


async def _by_phone(context: Context, call: AuthCall) -> Response:
    password, data, _ = await _demand_allowed(context, call)
    if not context.settings.phone_enabled:
        raise ApiError(errors.PHONE_SIGNUPS_DISABLED)
    number = read_phone(call.body.text("phone"))
    call.actor = Actor(name=number)
    hashed = await context.guards.hash(password, call)
    if not context.settings.sms_autoconfirm:
        await phone.expect(context, call, "sms", number)
    user = await context.find(users.by_phone(number, context.audience(call)))
    if context.settings.sms_autoconfirm:
        if user is not None:
            raise ApiError(errors.USER_ALREADY_EXISTS)
        return await _confirmed(context, call, phone=number, hashed=hashed, data=data)
    if user is not None and user.phone_confirmed_at is not None:
        await context.run(audit.record("user_repeated_signup", actor_of(user), call.origin, call.now))
        return render.json_response(_nobody("", number, context.audience(call), data, call.now))
    user = await phone.send_confirmation(context, call, number, user, hashed, data)
    return render.json_response(render.user(user))


async def _demand_allowed(context: Context, call: AuthCall) -> tuple[str, Mapping[str, Any], tuple[str, str] | None]:
    """Password, metadata and code challenge of a sign-up that may go on. Raises ApiError."""
    body = call.body
    if context.settings.disable_signup:
        raise ApiError(errors.SIGNUP_DISABLED)
    password = body.text("password")
    if not password:
        raise errors.invalid("Signup requires a valid password")
    await demand_strength(context, password)
    if body.text("email") and body.text("phone"):
        raise errors.invalid("Only an email address or phone number should be provided on signup.")
    if body.text("phone"):
        read_channel(body)
        if body.text("code_challenge"):
            raise errors.invalid("PKCE not supported for phone signups")
    return password, body.table("data") or {}, read_challenge(body)


async def _confirmed(context: Context, call: AuthCall, **account: Any) -> Response:
    """An account that needs no confirmation, signed in to at once."""
    user_id, statements = await people.new_user(context, call, confirmed=True, signed_up=True, **account)
    await people.make(context, statements)
    user = await context.reload(user_id)
    row = audit.record("user_signedup", actor_of(user), call.origin, call.now)
    return await context.sessions.session_response(
        await context.sessions.sign_in(user, "password", call, also=(row,)), call
    )


async def send_confirmation(
    context: Context,
    call: AuthCall,
    email: str,
    user: User | None,
    hashed: str,
    data: Mapping[str, Any],
    challenge: tuple[str, str] | None,
) -> User:
    """Make an unconfirmed account where there is none, and mail its link; `links.expect_mail` comes first.

    An account that waits for its confirmation keeps its password: whoever asks now may be somebody else.
    """
    redirect_to = context.redirect_to(call)
    statements: list[Statement] = []
    if user is None:
        user_id, statements = await people.new_user(
            context, call, email=email, hashed=hashed, data=data, signed_up=True
        )
        action = "user_confirmation_requested"
    else:
        user_id, action = user.id, "user_confirmation_requested"
    await links.count(context, call, links.mail_channel(context))
    link = links.new_link(context, "confirmation_token", "signup", email, redirect_to, pkce=challenge is not None)
    statements += links.store_link(context, user_id, link, call.now)
    if challenge is not None:
        statements.append(people.begin_flow(user_id, "email/signup", challenge, call.now))
    shown = user.user_metadata if user is not None else data
    statements.append(links.mail_link(context, call, "confirmation", link, redirect_to=redirect_to, data=shown))
    statements.append(audit.record(action, Actor(user_id, email), call.origin, call.now))
    await people.make(context, statements)
    return await context.reload(user_id)


def _nobody(email: str, number: str, aud: str, data: Mapping[str, Any], now: float) -> dict[str, Any]:
    """A user made up for an address that is taken; the empty identities tell a client that knows."""
    moment: datetime = moment_of(now)
    return {
        "id": users.new_id(),
        "aud": aud,
        "role": "",
        "email": email,
        "phone": number,
        "confirmation_sent_at": show_time(moment),
        "app_metadata": people.provider_metadata(email, number),
        "user_metadata": data,
        "identities": [],
        "created_at": show_time(moment),
        "updated_at": show_time(moment),
        "is_anonymous": False,
    }
