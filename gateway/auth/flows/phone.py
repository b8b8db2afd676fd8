"""Codes by text message: sign-up, sign-in, a new number, proof of presence. What `flows` does for mails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from gateway.auth import errors, render
from gateway.auth.call import AuthCall, actor_of, read_channel, read_phone
from gateway.auth.context import Context
from gateway.auth.crypto.passwords import no_password
from gateway.auth.flows import new_users as people
from gateway.auth.flows import one_time_codes as links
from gateway.auth.flows.one_time_codes import Channel, Link
from gateway.auth.outbound import sms
from gateway.auth.outbound.captcha import demand_human
from gateway.auth.outbound.hooks import Hook
from gateway.auth.store import audit, hook_functions, limits, users
from gateway.auth.store.audit import Actor
from gateway.auth.types import User
from gateway.database.statement import Statement
from gateway.errors import ApiError, ErrorRow
from gateway.http.messages import Response

# Which stored token a kind of message carries; limits count under its name.
_TOKENS: Final[Mapping[str, str]] = {"sms": "confirmation_token", "phone_change": "phone_change_token"}


async def otp(context: Context, call: AuthCall) -> Response:
    """POST /otp with a number: a code to sign in with; the account is made where sign-up is allowed."""
    if not context.settings.phone_enabled:
        raise ApiError(errors.PHONE_CODES_DISABLED)
    await demand_human(context, call)
    await context.guards.take("otp", limits.per(context.settings.rate_limit_otp, 300), call)
    phone = read_phone(call.body.text("phone"))
    call.actor = Actor(name=phone)
    read_channel(call.body)
    create, data = call.body.flag("create_user", True), call.body.table("data") or {}
    if context.settings.auth_reveal_accounts or (create and not context.settings.disable_signup):
        # Everybody gets a code, and is told if it cannot be sent; or the settings ask for the original's answers.
        user = await context.find(users.by_phone(phone, context.audience(call)))
        refused = _refusal(context, user, create)
        if refused is not None:
            raise ApiError(refused)
        await expect(context, call, "sms", phone)
        await send_confirmation(context, call, phone, user, no_password(), data)
        return render.json_response({})
    await expect(context, call, "sms", phone)

    async def send() -> None:
        user = await context.find(users.by_phone(phone, context.audience(call)))
        refused = _refusal(context, user, create)
        if refused is not None:
            raise ApiError(refused)
        await send_confirmation(context, call, phone, user, no_password(), data)

    call.later = send
    return render.json_response({})


def _refusal(context: Context, user: User | None, create: bool) -> ErrorRow | None:
    """Why nobody is to be let in by a message, or None."""
    if user is None and not create:
        return errors.OTP_DISABLED
    if (user is None or user.phone_confirmed_at is None) and context.settings.disable_signup:
        return errors.SIGNUP_DISABLED
    return None


async def expect(context: Context, call: AuthCall, kind: str, phone: str) -> None:
    """Look at the limits of a message before anybody is looked up. Raises ApiError."""
    await expect_code(context, call, _TOKENS[kind], phone)


async def expect_code(context: Context, call: AuthCall, token_type: str, phone: str) -> None:
    """Look at the limits of a message with a code. Raises ApiError."""
    if context.messages.messenger.hook is None and context.messages.messenger.fixed_code(phone, call.now) is None:
        raise ApiError(errors.SMS_SEND_FAILED, reason="no provider is configured")
    await links.expect(context, call, links.sms_channel(context), token_type, phone)


async def resend(context: Context, call: AuthCall, kind: str, user: User) -> None:
    """The code of a sign-up (`sms`) or of a new number (`phone_change`) once more, where one is waited for."""
    if kind == "sms" and user.phone is not None and user.phone_confirmed_at is None:
        await send_confirmation(context, call, user.phone, user, "", user.user_metadata)
    if kind == "phone_change" and user.new_phone is not None:
        await context.run(
            *await send_code(context, call, user.id, render.user(user), "phone_change_token", user.new_phone),
            audit.record("user_modified", actor_of(user), call.origin, call.now, traits={"resent": "phone_change"}),
        )


async def send_confirmation(
    context: Context, call: AuthCall, phone: str, user: User | None, hashed: str, data: Mapping[str, Any]
) -> User:
    """Send a code that confirms a number and signs in; make the account where there is none. `expect` comes first.

    An account that waits for its confirmation keeps its password: whoever asks now may be somebody else.
    """
    made: list[Statement] = []
    if user is None:
        user_id, made = await people.new_user(
            context,
            call,
            phone=phone,
            hashed=hashed,
            data=data,
            confirmed=context.settings.sms_autoconfirm,
            signed_up=True,
        )
        shown = {"id": user_id, "aud": context.audience(call), "phone": phone, "user_metadata": data}
        action = "user_confirmation_requested"
    else:
        user_id, shown = user.id, render.user(user)
        action = "user_recovery_requested" if user.phone_confirmed_at else "user_confirmation_requested"
    sent = await send_code(context, call, user_id, shown, "confirmation_token", phone, is_expected=True)
    row = audit.record(action, Actor(user_id, phone), call.origin, call.now, traits={"channel": "sms"})
    await people.make(context, [*made, *sent, row])
    return await context.reload(user_id)


async def send_code(
    context: Context,
    call: AuthCall,
    user_id: str,
    user: Mapping[str, Any],
    token_type: str,
    phone: str,
    *,
    is_expected: bool = False,
) -> Sequence[Statement]:
    """Send a code; the statements that store it, for the caller to run. `user` is what the hook is shown, `is_expected`
    says that `expect` came first.

    Raises ApiError sms_send_failed, hook_timeout or over_sms_send_rate_limit; nothing is stored then.
    """
    messenger, channel = context.messages.messenger, links.sms_channel(context)
    if not is_expected:
        await expect_code(context, call, token_type, phone)
    await links.count(context, call, channel)
    code = messenger.new_code(phone, call.now)
    if messenger.fixed_code(phone, call.now) is None:
        await _message(context, call, channel, token_type, {"user": user, "sms": {"otp": code, "phone": phone}})
    link = Link(token_type, "sms", phone, code, links.link_hash(context, phone, code), "")
    return links.store_link(context, user_id, link, call.now)


async def send_factor_code(context: Context, call: AuthCall, phone: str, code: str) -> None:
    """Send a code to a number that is a second factor. Numbers with a fixed code have none here.

    Raises ApiError sms_send_failed, hook_timeout or over_sms_send_rate_limit.
    """
    channel = links.sms_channel(context, context.settings.mfa_phone_max_frequency)
    event = {"user": render.user(call.user), "sms": {"otp": code, "sms_type": "mfa", "phone": phone}}
    if context.messages.messenger.hook is None:
        raise ApiError(errors.SMS_SEND_FAILED, reason="no provider is configured")
    await links.demand(context, call, channel, "mfa", phone)
    await _message(context, call, channel, "mfa", event)


async def _message(context: Context, call: AuthCall, channel: Channel, kind: str, event: Mapping[str, Any]) -> None:
    if context.messages.messenger.hook is None:
        raise ApiError(errors.SMS_SEND_FAILED, reason="no provider is configured")
    phone = event["sms"]["phone"]
    try:
        await _deliver(context, call, context.messages.messenger.hook, event)
    except ApiError:
        # What was not sent need not be waited for.
        await context.run(limits.forget((links.interval_name(context, channel, kind, phone),)))
        raise


async def _deliver(context: Context, call: AuthCall, hook: Hook, event: Mapping[str, Any]) -> None:
    if hook.function is None:
        await sms.post(hook, event, call.now)
        return
    answer = (await context.run(hook_functions.ask(*hook.function, event)))[0].value
    sms.read_answer(None if answer is None else orjson.loads(answer))
