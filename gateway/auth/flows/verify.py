"""/verify: a code or a link comes back. GET answers with a redirect, POST with a session."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from gateway.auth import errors, render
from gateway.auth.call import AuthCall, actor_of, read_email, read_phone
from gateway.auth.context import Context
from gateway.auth.crypto.passwords import no_password
from gateway.auth.flows import email_change
from gateway.auth.flows import new_users as people
from gateway.auth.flows import one_time_codes as links
from gateway.auth.flows.one_time_codes import FoundToken, Lookup
from gateway.auth.raised import RefusedByDatabase, failure_of
from gateway.auth.sessions import Issued
from gateway.auth.store import flow_states, limits, one_time_tokens, users
from gateway.auth.store.audit import Actor, record
from gateway.auth.types import User
from gateway.database import DatabaseError
from gateway.database.statement import Statement
from gateway.errors import ApiError
from gateway.http.messages import Response

log = logging.getLogger("gateway.auth")

# Which stored tokens a verification type may use.
TOKEN_TYPES: Final[Mapping[str, tuple[str, ...]]] = {
    "signup": ("confirmation_token",),
    "invite": ("confirmation_token",),
    "recovery": ("recovery_token",),
    "magiclink": ("recovery_token",),
    "email": ("confirmation_token", "recovery_token"),
    "email_change": email_change.SIDES,
    "sms": ("confirmation_token",),
    "phone_change": ("phone_change_token",),
}
PHONE_KINDS: Final = frozenset({"sms", "phone_change"})
# The flow that a code challenge was stored under, by verification type.
FLOW_METHODS: Final[Mapping[str, str]] = {
    "signup": "email/signup",
    "invite": "email/signup",
    "recovery": "recovery",
    "magiclink": "magiclink",
    "email_change": "email_change",
}
# What OAuth calls an error, by its status; another status has no such word.
OAUTH_ERRORS: Final[Mapping[int, str]] = {
    400: "invalid_request",
    401: "unauthorized_client",
    403: "access_denied",
    500: "server_error",
    503: "temporarily_unavailable",
}
HALF_CHANGED: Final = "Confirmation link accepted. Please proceed to confirm link sent to the other email"


@dataclass(frozen=True, slots=True)
class Verified:
    """A token that was good: whose, what else must be written, what it was for, and whether a change needs its other
    half."""

    user: User
    statements: tuple[Statement, ...]
    action: str
    kind: str
    half: bool = False


async def verify_get(context: Context, call: AuthCall) -> Response:
    """GET /verify?token=&type=&redirect_to=: a mailed link is followed."""
    kind, hashed = call.query.get("type", ""), call.query.get("token", "") or call.query.get("token_hash", "")
    redirect_to = context.redirect_to(call)
    if not kind:
        raise errors.invalid("Verify requires a verification type")
    if not hashed:
        raise errors.invalid("Verify requires a token or a token hash")
    pkce = hashed.startswith(links.PKCE_PREFIX)
    bucket = limits.per(context.settings.rate_limit_verify, 300)
    await context.guards.take("verify", bucket, call)
    try:
        _demand_mailed(kind)
        verified = await _take(context, call, kind, links.hash_lookup(context, TOKEN_TYPES[kind], hashed), by_link=True)
        await context.guards.give_back("verify", bucket, call)
        if verified.half:
            return redirect(redirect_to, {"message": HALF_CHANGED}, pkce=pkce)
        if pkce:
            code = await _issue_code(context, call, verified)
            return code_redirect(redirect_to, code)
        issued = await context.sessions.sign_in(
            verified.user, "otp", call, also=verified.statements, action=verified.action
        )
        return await session_redirect(context, call, issued, redirect_to, {"type": verified.kind})
    except DatabaseError as error:
        failure = failure_of(error, call.place, call.origin.request_id)
        if not isinstance(failure, RefusedByDatabase):
            raise failure from error
        return error_redirect(redirect_to, failure, pkce=pkce)
    except ApiError as error:
        if error.status >= 500:
            raise
        await _record(context, call, error)
        return error_redirect(redirect_to, error, pkce=pkce)


async def verify_post(context: Context, call: AuthCall) -> Response:
    """POST /verify: a typed code, or the hash of a link."""
    body = call.body
    kind, code, hashed = body.text("type"), body.text("token"), body.text("token_hash")
    if not kind:
        raise errors.invalid("Verify requires a verification type")
    if bool(code) == bool(hashed):
        raise errors.invalid("Verify requires either a token or a token hash")
    email, phone = body.text("email"), body.text("phone")
    if hashed and (email or phone or body.text("redirect_to")):
        raise errors.invalid("Only the token_hash and type should be provided")
    if code and bool(email) == bool(phone):
        raise errors.invalid("Only an email address or phone number should be provided on verify")
    bucket = limits.per(context.settings.rate_limit_verify, 300)
    await context.guards.take("verify", bucket, call)
    if hashed:
        _demand_mailed(kind)
        lookup, permit = links.hash_lookup(context, TOKEN_TYPES[kind], hashed), None
    else:
        recipient = _recipient(email, phone)
        call.actor = Actor(name=recipient)
        permit = await context.guards.permit("code", recipient, call)
        # There are no codes of an unknown type.
        lookup = links.code_lookup(context, permit, TOKEN_TYPES.get(kind, ()), recipient, code)
    verified = await _take(context, call, kind, lookup, by_link=bool(hashed))
    await context.guards.give_back("verify", bucket, call)
    right = [] if permit is None else [permit.right()]
    if verified.half:
        if right:
            await context.run(*right)
        return render.json_response({"msg": HALF_CHANGED, "code": "200"})
    issued = await context.sessions.sign_in(
        verified.user, "otp", call, also=(*verified.statements, *right), action=verified.action
    )
    return await context.sessions.session_response(issued, call)


def _demand_mailed(kind: str) -> None:
    if kind not in TOKEN_TYPES or kind in PHONE_KINDS:
        raise errors.invalid("Invalid email verification type")


def _recipient(email: str, phone: str) -> str:
    """Whom a code was sent to. Raises ApiError validation_failed."""
    if phone:
        return read_phone(phone)
    try:
        return read_email(email)
    except ApiError as error:
        raise ApiError(errors.VALIDATION_FAILED_422, reason="Invalid email format") from error


async def _take(context: Context, call: AuthCall, kind: str, lookup: Lookup, *, by_link: bool) -> Verified:
    """Use a token up. Raises ApiError otp_expired or user_banned."""
    failure = ApiError(errors.LINK_EXPIRED if by_link else errors.OTP_EXPIRED)
    if kind == "email_change":
        confirmed = await email_change.confirm(context, call, lookup)
        if confirmed is None:
            raise failure
        user, is_changed = confirmed
        return Verified(user, (), "login", kind, half=not is_changed)
    found = links.read_found((await context.run(lookup.take()))[0])
    if found is None:
        raise failure
    call.actor = actor_of(found.user)
    # A code sent to a number confirms no address, and the other way about.
    if ("@" in found.recipient) == (kind in PHONE_KINDS) or found.is_expired(call.now, links.lifetime(context, found)):
        raise failure
    if found.user.is_banned(call.now):
        raise ApiError(errors.TOKEN_USER_BANNED)
    return await _effects(context, call, kind, found)


async def _effects(context: Context, call: AuthCall, kind: str, found: FoundToken) -> Verified:
    user, now = found.user, call.now
    if kind == "phone_change":
        return _phone_change(call, found)
    statements = list(one_time_tokens.clear(user.id))
    if kind == "sms":
        action = "login" if user.phone_confirmed_at is not None else "user_signedup"
        return Verified(user, (*statements, *people.confirm_phone(user, now)), action, kind)
    action = "login"
    if kind == "email":
        kind = "signup" if found.token_type == "confirmation_token" else "magiclink"
    if found.token_type == "confirmation_token":
        action = "invite_accepted" if user.invited_at is not None else "user_signedup"
        if user.password is None:
            statements.append(users.update(user.id, {"encrypted_password": no_password()}, now))
    if found.token_type == "confirmation_token" or user.email_confirmed_at is None:
        statements += people.confirm_email(user, now)
    return Verified(user, tuple(statements), action, kind)


def _phone_change(call: AuthCall, found: FoundToken) -> Verified:
    user = found.user
    if user.new_phone is None or user.new_phone != found.recipient:
        raise ApiError(errors.OTP_EXPIRED)
    statements = (*people.change_phone(user, user.new_phone, call.now), *one_time_tokens.clear(user.id))
    return Verified(user, statements, "user_modified", "phone_change")


async def _issue_code(context: Context, call: AuthCall, verified: Verified) -> str:
    """The code by which the client that began the flow may take the session. Raises ApiError."""
    method = FLOW_METHODS[verified.kind]
    flow = flow_states.read((await context.run(flow_states.of_user(verified.user.id, method)))[0])
    if flow is None:
        raise ApiError(errors.FLOW_STATE_NOT_FOUND)
    code = users.new_id()
    await context.run(
        *verified.statements,
        flow_states.issue_code(flow.id, verified.user.id, code, call.now),
        record(verified.action, call.actor, call.origin, call.now, traits={"flow": method}),
    )
    return code


async def _record(context: Context, call: AuthCall, error: ApiError) -> None:
    """A refused link is answered with a redirect, so its audit row is written here."""
    if error.status == 429:
        return
    row = record("login", call.actor, call.origin, call.now, outcome="failure", error_code=error.code)
    try:
        await context.run(row)
    except DatabaseError as problem:
        log.error("could not write the audit row of a refused link: %s", problem)


# --- redirects ------------------------------------------------------------------------------------------------------


async def session_redirect(
    context: Context, call: AuthCall, issued: Issued, redirect_to: str, more: Mapping[str, str], status: int = 303
) -> Response:
    """Lead the browser to the site with a session in the fragment."""
    body = await context.sessions.session_body(issued, call)
    values = {name: str(body[name]) for name in ("access_token", "expires_at", "expires_in", "refresh_token")}
    for name in ("provider_token", "provider_refresh_token"):
        if body.get(name):
            values[name] = str(body[name])
    return redirect(redirect_to, {**values, "sb": "", "token_type": "bearer", **more}, status=status)


def redirect(redirect_to: str, values: Mapping[str, str], *, pkce: bool = False, status: int = 303) -> Response:
    """Lead the browser to an address with values in its fragment, and for PKCE in its query too."""
    target = with_query(redirect_to, values) if pkce else redirect_to
    return lead(urlunsplit((*urlsplit(target)[:4], urlencode(sorted(values.items())))), status)


def code_redirect(redirect_to: str, code: str, status: int = 303) -> Response:
    """Lead the browser to an address with the code that the client exchanges for a session."""
    return lead(with_query(redirect_to, {"code": code}), status)


def lead(target: str, status: int = 303) -> Response:
    """Lead the browser to an address."""
    return Response(status, [(b"location", _ascii(target)), (b"cache-control", b"no-store")])


def _ascii(url: str) -> bytes:
    return quote(url, safe="!#$%&'()*+,/:;=?@[]~").encode()


def error_redirect(redirect_to: str, error: ApiError, *, pkce: bool = False) -> Response:
    """Lead the browser to an address with an error."""
    return redirect(redirect_to, error_values(error), pkce=pkce)


def error_values(error: ApiError) -> dict[str, str]:
    """What an address is told of an error; of a nameless one in the database, what the database says."""
    if isinstance(error, RefusedByDatabase) and not error.wrapped and error.words is not None:
        word = OAUTH_ERRORS.get(error.words.status, "server_error")
        return {"error": word, "error_description": error.words.message, "sb": ""}
    values = {"error_code": error.code, "error_description": error.message, "sb": ""}
    if error.status in OAUTH_ERRORS:
        values["error"] = OAUTH_ERRORS[error.status]
    return values


def with_query(url: str, values: Mapping[str, str]) -> str:
    """A URL with further parameters in its query; one of the same name gives way."""
    parts = urlsplit(url)
    kept = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] not in values]
    pairs: Sequence[tuple[str, str]] = [*kept, *sorted(pair for pair in values.items() if pair[0] != "sb")]
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(pairs), parts.fragment))
