"""POST /token: what is offered (a password, a refresh token, a code) against a session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from gateway.auth import errors
from gateway.auth.call import AuthCall, digits_of
from gateway.auth.context import Context
from gateway.auth.flows import id_tokens, pkce, refresh
from gateway.auth.outbound.captcha import demand_human
from gateway.auth.sessions import Issued
from gateway.auth.store import limits, sessions, users
from gateway.auth.store.audit import Actor
from gateway.auth.types import User
from gateway.database.statement import Statement
from gateway.errors import ApiError
from gateway.http.messages import Response


async def token(context: Context, call: AuthCall) -> Response:
    """POST /token?grant_type=…: one handler for each grant."""
    grant = GRANTS.get(call.query.get("grant_type", ""))
    if grant is None:
        raise ApiError(errors.UNSUPPORTED_GRANT)
    return await context.sessions.session_response(await grant(context, call), call)


async def password(context: Context, call: AuthCall) -> Issued:
    """Sign in with an address or number and a password.

    Unknown, without a password, wrong, banned: one answer, after one hash. A guess is counted before its hash is
    computed and forgotten when it was right; it is counted in its turn, so that a rush of right ones is no rush of
    guesses.
    """
    name, lookup = _account(context, call)
    await demand_human(context, call)
    given = call.body.text("password")
    subject = f"{name}\0{call.origin.address or ''}"
    anywhere, here = context.secret.name("account", name), context.secret.name("account", subject)
    known = "known:" + context.secret.name("place", subject)
    bucket = limits.per(context.settings.rate_limit_token_refresh, 300, 30)
    address = context.guards.limit_name("password", call.origin)

    async with context.guards.turn(call) as turn:
        is_known, found = await context.run(limits.remembered(known, call.now), lookup)
        if address is not None and not await context.guards.took(address, bucket, call):
            raise ApiError(errors.OVER_REQUEST_LIMIT)
        permit = limits.UNLIMITED
        if context.settings.auth_account_limits:
            try:
                permit = await context.guards.permit("account", subject if limits.holds(is_known) else name, call)
            except ApiError:
                await context.guards.give_back("password", bucket, call)
                raise
        user = users.read(found)
        banned = user is not None and user.is_banned(call.now)
        if banned and context.settings.auth_reveal_bans:
            raise ApiError(errors.SIGN_IN_BANNED)
        matched = await turn.verify(permit, given, user.password if user is not None else None)
    if matched and not banned:
        await context.guards.give_back("password", bucket, call)
    if user is not None and not banned:
        await _ask_hook(context, call, user, matched)
    if user is None or banned or not matched:
        raise ApiError(errors.INVALID_CREDENTIALS)
    _demand_confirmed(user, name)
    issued = await context.sessions.sign_in(
        user,
        "password",
        call,
        also=(limits.forget((anywhere, here)), limits.remember(known, call.now)),
        traits={"provider": "phone" if name == user.phone else "email"},
    )
    weak = tuple(context.guards.rules.broken(given))
    if user.app_metadata.get("must_change_password") is True:
        weak = (*weak, ("one_time", "This password was made for the first sign-in only, please choose your own."))
    return Issued(issued.user, issued.session, issued.refresh_token, weak)


async def _ask_hook(context: Context, call: AuthCall, user: User, valid: bool) -> None:
    """Tell the hook of a password that was tried. Raises ApiError when it rejects the attempt."""
    if context.messages.password_hook is None:
        return
    answer = await context.messages.ask(context.messages.password_hook, {"user_id": user.id, "valid": valid}, call)
    if answer.get("decision") == "reject":
        if answer.get("should_logout_user") is True:
            await context.run(sessions.delete_of_user(user.id))
        reason = str(answer.get("message") or "Further password verification attempts will be rejected.")
        raise ApiError(errors.HOOK_REJECTED_PASSWORD, reason=reason)


def _account(context: Context, call: AuthCall) -> tuple[str, Statement]:
    """The name that an attempt is counted under, and the statement that finds the user."""
    email, phone = call.body.text("email"), call.body.text("phone")
    if email and phone:
        raise errors.invalid("Only an email address or phone number should be provided on login.")
    if not email and not phone:
        raise errors.invalid("missing email or phone")
    call.actor = Actor(name=email or phone)
    aud = context.audience(call)
    if email:
        if not context.settings.email_enabled:
            raise ApiError(errors.EMAIL_LOGINS_DISABLED)
        # Nobody has what is no address: that is no other answer than a wrong password's.
        address = email.strip().lower()
        return address, users.by_email(address, aud)
    if not context.settings.phone_enabled:
        raise ApiError(errors.PHONE_LOGINS_DISABLED)
    number = digits_of(phone)
    return number, users.by_phone(number, aud)


def _demand_confirmed(user: User, name: str) -> None:
    if name == user.phone and user.phone_confirmed_at is None:
        raise ApiError(errors.PHONE_NOT_CONFIRMED)
    if name == user.email and user.email_confirmed_at is None:
        raise ApiError(errors.EMAIL_NOT_CONFIRMED)


GRANTS: Final[Mapping[str, Callable[[Context, AuthCall], Awaitable[Issued]]]] = {
    "password": password,
    "refresh_token": refresh.refresh,
    "pkce": pkce.exchange,
    "id_token": id_tokens.id_token,
    "web3": id_tokens.web3,
}
