"""Second factors (apps, text messages, security keys): challenged, and proven to be at hand."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson
import pyotp

from gateway.auth import errors, render
from gateway.auth.call import AuthCall, read_channel, read_uuid
from gateway.auth.context import Context
from gateway.auth.crypto import tokens as codes
from gateway.auth.flows import mfa_webauthn, phone
from gateway.auth.flows.mfa_enrolment import own_factor, record_of
from gateway.auth.sessions import Issued
from gateway.auth.store import factors, limits, refresh_tokens, sessions, users
from gateway.auth.store.limits import Permit
from gateway.auth.types import Factor, Session, is_over, moment_of, read_time
from gateway.database.statement import Statement
from gateway.errors import ApiError
from gateway.http.messages import Response

NO_ADDRESS: Final = "0.0.0.0"
_ANSWERS: Final = limits.per(15, 60, 30)
# Of authentication, as claims name them.
_METHODS: Final = {"totp": "totp", "phone": "mfa/phone", "webauthn": "mfa/webauthn"}


async def challenge(context: Context, call: AuthCall) -> Response:
    """POST /factors/{id}/challenge: begin to prove that the factor is at hand; a number gets its code."""
    factor = own_factor(call)
    _demand_verifiable(context, factor)
    if factor.phone is not None:
        read_channel(call.body)
    shown: dict[str, Any] = {}
    asked = None
    if factor.factor_type == "webauthn":
        _ = call.body  # an object, whatever it says
        shown["webauthn"], asked = mfa_webauthn.ask(context, call, factor)
    await context.guards.take("challenge", limits.per(15, 60, 30), call)
    challenge_id = users.new_id()
    moment = moment_of(call.now)
    kept = None
    if factor.phone is not None:
        code = codes.new_code(context.settings.mfa_phone_otp_length)
        await phone.send_factor_code(context, call, factor.phone, code)
        kept = context.secret.stored(codes.hash_code(challenge_id, code))
    await context.run(
        *factors.insert_challenge(challenge_id, factor.id, moment, call.origin.address or NO_ADDRESS, kept, asked),
        record_of("challenge_created", call, factor.id),
    )
    expires = int(call.now + context.settings.mfa_challenge_expiry)
    return render.json_response({"id": challenge_id, "type": factor.factor_type, "expires_at": expires, **shown})


async def verify(context: Context, call: AuthCall) -> Response:
    """POST /factors/{id}/verify: the right code lifts the session to aal2."""
    factor = own_factor(call)
    if factor.factor_type == "webauthn":
        return await _verify_key(context, call, factor)
    code = call.body.text("code")
    if not code:
        raise errors.invalid("Code needs to be non-empty")
    _demand_verifiable(context, factor)
    attempt = await _begin(context, call, factor)
    if factor.phone is None:
        valid = await _matches(context, call, attempt.permit, factor, code)
    else:
        valid = _was_sent(context, attempt.permit, attempt.challenge_id, code, attempt.row["otp_code"])
    await _ask_hook(context, call, factor, valid)
    if not valid:
        raise ApiError(errors.FACTOR_WRONG_CODE if factor.phone is None else errors.FACTOR_WRONG_MESSAGE_CODE)
    if not limits.holds((await context.run(factors.use_challenge(attempt.challenge_id, call.now)))[0]):
        raise ApiError(errors.CHALLENGE_ADDRESS_MISMATCH)
    return await _finish(context, call, factor, attempt, ())


async def _verify_key(context: Context, call: AuthCall, factor: Factor) -> Response:
    """The same for a security key: its answer, rather than a code."""
    if not context.settings.mfa_webauthn_verify:
        raise ApiError(errors.WEBAUTHN_VERIFYING_DISABLED)
    answer = mfa_webauthn.read_answer(call.body)
    attempt = await _begin(context, call, factor)
    asked = attempt.row["web_authn_session_data"] or {}
    columns = None
    if asked.get("challenge"):
        columns = await mfa_webauthn.check(context, call, attempt.permit, factor, answer, asked)
    await _ask_hook(context, call, factor, columns is not None)
    if columns is None:
        raise ApiError(errors.FACTOR_WRONG_CREDENTIAL)
    if not limits.holds((await context.run(factors.use_challenge(attempt.challenge_id, call.now)))[0]):
        raise ApiError(errors.CHALLENGE_ADDRESS_MISMATCH)
    also = (factors.update(factor.id, columns, call.now), factors.delete_challenge(attempt.challenge_id))
    return await _finish(context, call, factor, attempt, also)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """An answer to a challenge that was counted and may be compared."""

    session: Session
    challenge_id: str
    row: Mapping[str, Any]
    permit: Permit


async def _begin(context: Context, call: AuthCall, factor: Factor) -> _Attempt:
    """Count an answer to a challenge. Raises ApiError."""
    session = call.session
    if session is None:
        raise ApiError(errors.TOKEN_SESSION_NOT_FOUND)
    await context.guards.take("factor", _ANSWERS, call)
    challenge_id, row = await _demand_challenge(context, call, factor)
    return _Attempt(session, challenge_id, row, await context.guards.permit("factor", factor.id, call))


async def _finish(
    context: Context, call: AuthCall, factor: Factor, attempt: _Attempt, also: Sequence[Statement]
) -> Response:
    issued = await _lift(context, call, factor, attempt.session, (attempt.permit.right(), *also))
    await context.guards.give_back("factor", _ANSWERS, call)
    return await context.sessions.session_response(issued, call)


async def _ask_hook(context: Context, call: AuthCall, factor: Factor, valid: bool) -> None:
    """Tell the hook of a code that was tried. Raises ApiError when it rejects the attempt; all sessions end then."""
    if context.messages.factor_hook is None:
        return
    event = {"factor_id": factor.id, "factor_type": factor.factor_type, "user_id": factor.user_id, "valid": valid}
    answer = await context.messages.ask(context.messages.factor_hook, event, call)
    if answer.get("decision") == "reject":
        await context.run(sessions.delete_of_user(factor.user_id))
        reason = str(answer.get("message") or "Further MFA verification attempts will be rejected.")
        raise ApiError(errors.HOOK_REJECTED_FACTOR, reason=reason)


async def _lift(
    context: Context, call: AuthCall, factor: Factor, session: Session, also: tuple[Statement, ...]
) -> Issued:
    """Raise the session to aal2, with a fresh refresh token; sessions without the factor end."""
    user, now = call.user, call.now
    method = _METHODS[factor.factor_type]
    statements = [*also, sessions.raise_aal(session.id, factor.id, now), sessions.insert_claim(session.id, method, now)]
    if not factor.verified:
        statements.append(factors.update(factor.id, {"status": "verified"}, now))
    statements += [
        sessions.delete_below_aal2(user.id, but=session.id),
        factors.delete_unverified(user.id, factor.factor_type),
        record_of("verification_attempted", call, factor.id),
    ]
    key = session.hmac_key
    if key is not None and session.counter is not None:
        if not codes.is_half_key(key):
            key = codes.new_session_key()
        # Two further, so that the token of before the proof is not taken for the one that was just replaced.
        counter = session.counter + 2
        statements.append(sessions.advance(session.id, key, counter, now))
        statements.append(sessions.refreshed(session.id, call.origin.agent, call.origin.address, now))
        token = codes.make_refresh_token(session.id, counter, context.secret.session_key(key))
    else:
        counter = None
        token = codes.new_legacy_token()
        statements.append(refresh_tokens.revoke_all(session.id, now))
        statements.append(refresh_tokens.insert(token, user.id, session.id, "", now))
    await context.run(*statements)
    found = sessions.read((await context.run(sessions.by_id(session.id)))[0])
    return Issued(await context.reload(user.id), replace(found or session, counter=counter), token)


async def _demand_challenge(context: Context, call: AuthCall, factor: Factor) -> tuple[str, Mapping[str, Any]]:
    """Id and row of the challenge that a body names."""
    challenge_id = read_uuid(call.body.text("challenge_id"))
    if challenge_id is None:
        raise ApiError(errors.CHALLENGE_NOT_FOUND)
    result = (await context.run(factors.find_challenge(challenge_id, factor.id)))[0]
    if result.value is None:
        raise ApiError(errors.CHALLENGE_NOT_FOUND)
    row = orjson.loads(result.value)
    if row["verified_at"] is not None or row["address"] != (call.origin.address or NO_ADDRESS):
        raise ApiError(errors.CHALLENGE_ADDRESS_MISMATCH)
    created = read_time(row["created_at"])
    if created is None or is_over(created, call.now, context.settings.mfa_challenge_expiry):
        await context.run(factors.delete_challenge(challenge_id))
        raise ApiError(errors.CHALLENGE_EXPIRED, challenge=challenge_id)
    return challenge_id, row


async def _matches(context: Context, call: AuthCall, permit: Permit, factor: Factor, code: str) -> bool:
    """Whether a code is the one of this half minute, or of the one before or after, and was not used before."""
    if factor.secret is None or not code.isascii() or not code.isdigit():
        return False
    app = pyotp.TOTP(factor.secret)
    step = app.timecode(moment_of(call.now))
    matched = [near for near in (step - 1, step, step + 1) if hmac.compare_digest(app.generate_otp(near), code)]
    if not matched:
        return False
    used = limits.use_step(context.secret.name("totp", factor.id), matched[-1])
    return limits.holds((await context.run(used))[0])


def _was_sent(context: Context, permit: Permit, challenge_id: str, code: str, kept: str | None) -> bool:
    """Whether a code is the one that was sent for a challenge."""
    return kept is not None and kept in context.secret.all_stored(codes.hash_code(challenge_id, code))


def _demand_verifiable(context: Context, factor: Factor) -> None:
    if factor.factor_type == "webauthn" and not context.settings.mfa_webauthn_verify:
        raise ApiError(errors.WEBAUTHN_VERIFY_DISABLED)
    if factor.factor_type == "phone" and not context.settings.mfa_phone_verify:
        raise ApiError(errors.PHONE_VERIFY_DISABLED)
    if factor.factor_type == "totp" and not context.settings.mfa_totp_verify:
        raise ApiError(errors.TOTP_VERIFY_DISABLED)
