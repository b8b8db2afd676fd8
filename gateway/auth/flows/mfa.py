"""Second factors (apps and text messages): enrol, challenge, verify, give up; and the admin's view of them."""

from __future__ import annotations

import hmac
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import orjson
import pyotp
import segno

from gateway.auth import errors, render
from gateway.auth.call import AuthCall, read_channel, read_phone, read_uuid
from gateway.auth.context import Context
from gateway.auth.core import origin_of_url
from gateway.auth.crypto import tokens as codes
from gateway.auth.flows import phone
from gateway.auth.http.admin import find_user
from gateway.auth.sessions import Issued
from gateway.auth.store import audit, factors, limits, refresh_tokens, sessions, users
from gateway.auth.store.limits import Permit
from gateway.auth.types import Factor, Session, is_over, moment_of, read_time
from gateway.database import DatabaseError
from gateway.database.statement import Statement, Value
from gateway.errors import ApiError
from gateway.http.messages import Response

NO_ADDRESS: Final = "0.0.0.0"
ENROLMENT: Final = 300  # seconds after which an enrolment that was not finished no longer stands in another's way
_METHODS: Final = {"totp": "totp", "phone": "mfa/phone"}  # of authentication, as claims name them


async def enroll(context: Context, call: AuthCall) -> Response:
    """POST /factors: a secret to put into an authenticator app, or a number that gets codes."""
    _refuse_anonymous(call)
    kind = call.body.text("factor_type")
    if kind == "totp":
        if not context.settings.mfa_totp_enroll:
            raise ApiError(errors.TOTP_ENROLL_DISABLED)
        return await _enroll_app(context, call)
    if kind == "phone":
        if not context.settings.mfa_phone_enroll:
            raise ApiError(errors.PHONE_ENROLL_DISABLED)
        return await _enroll_phone(context, call)
    if kind == "webauthn":
        raise ApiError(errors.WEBAUTHN_ENROLL_DISABLED)
    raise errors.invalid("factor_type needs to be totp, phone, or webauthn")


async def _enroll_app(context: Context, call: AuthCall) -> Response:
    user = call.user
    issuer = call.body.text("issuer") or origin_of_url(context.site_url)
    secret = pyotp.random_base32()
    uri = pyotp.TOTP(secret).provisioning_uri(name=user.email or user.phone or user.id, issuer_name=issuer)
    answer = await _enroll(context, call, "totp", secret=secret)
    return render.json_response({**answer, "totp": {"qr_code": _qr_code(uri), "secret": secret, "uri": uri}})


async def _enroll_phone(context: Context, call: AuthCall) -> Response:
    text = call.body.text("phone")
    if not text:
        raise errors.invalid("Phone number required to enroll Phone factor")
    number = read_phone(text)
    same = [factor for factor in call.user.factors if factor.factor_type == "phone" and factor.phone == number]
    if any(factor.verified for factor in same):
        raise ApiError(errors.PHONE_FACTOR_EXISTS)
    answer = await _enroll(context, call, "phone", number=number, instead_of=same)
    return render.json_response({**answer, "phone": text})


async def _enroll(
    context: Context,
    call: AuthCall,
    kind: str,
    *,
    secret: str | None = None,
    number: str | None = None,
    instead_of: Sequence[Factor] = (),
) -> dict[str, Any]:
    """Store a factor that is to be proven. Raises ApiError where the user may not have one more."""
    user, name = call.user, call.body.text("friendly_name")
    dropped = [factor for factor in user.factors if factor in instead_of or _is_abandoned(factor, call.now)]
    kept = [factor for factor in user.factors if factor not in dropped]
    # A factor without a name is called nothing, and only one may be.
    if any((factor.friendly_name or "") == name for factor in kept):
        raise ApiError(errors.FACTOR_NAME_CONFLICT, name=name)
    if len(kept) >= context.settings.mfa_max_factors:
        raise ApiError(errors.TOO_MANY_FACTORS)
    if user.has_verified_factor and not _is_aal2(call.session):
        raise ApiError(errors.INSUFFICIENT_AAL_ENROLL)
    factor_id = users.new_id()
    try:
        await context.run(
            *(factors.delete(factor.id) for factor in dropped),
            factors.insert(factor_id, user.id, name, call.now, secret=secret, phone=number),
            _record("factor_in_progress", call, factor_id),
        )
    except DatabaseError as error:
        if error.sqlstate != "23505":
            raise
        raise ApiError(errors.FACTOR_NAME_CONFLICT, name=name) from error
    return {"id": factor_id, "type": kind, "friendly_name": name}


def _is_abandoned(factor: Factor, now: float) -> bool:
    """Whether somebody began to enrol and did not go on."""
    created = factor.created_at
    return not factor.verified and created is not None and is_over(created, now, ENROLMENT)


async def challenge(context: Context, call: AuthCall) -> Response:
    """POST /factors/{id}/challenge: begin to prove that the factor is at hand; a number gets its code."""
    factor = _own_factor(call)
    _demand_verifiable(context, factor)
    if factor.phone is not None:
        read_channel(call.body)
    await context.guards.take("challenge", limits.per(15, 60, 30), call)
    challenge_id = users.new_id()
    moment = moment_of(call.now)
    kept = None
    if factor.phone is not None:
        code = codes.new_code(context.settings.mfa_phone_otp_length)
        await phone.send_factor_code(context, call, factor.phone, code)
        kept = context.secret.stored(codes.hash_code(challenge_id, code))
    await context.run(
        *factors.insert_challenge(challenge_id, factor.id, moment, call.origin.address or NO_ADDRESS, kept),
        _record("challenge_created", call, factor.id),
    )
    expires = int(call.now + context.settings.mfa_challenge_expiry)
    return render.json_response({"id": challenge_id, "type": factor.factor_type, "expires_at": expires})


async def verify(context: Context, call: AuthCall) -> Response:
    """POST /factors/{id}/verify: the right code lifts the session to aal2."""
    factor = _own_factor(call)
    code = call.body.text("code")
    if not code:
        raise errors.invalid("Code needs to be non-empty")
    _demand_verifiable(context, factor)
    session = call.session
    if session is None:
        raise ApiError(errors.TOKEN_SESSION_NOT_FOUND)
    bucket = limits.per(15, 60, 30)
    await context.guards.take("factor", bucket, call)
    challenge_id, kept = await _demand_challenge(context, call, factor)
    permit = await context.guards.permit("factor", factor.id, call)
    if factor.phone is None:
        valid = await _matches(context, call, permit, factor, code)
    else:
        valid = _was_sent(context, permit, challenge_id, code, kept)
    await _ask_hook(context, call, factor, valid)
    if not valid:
        raise ApiError(errors.FACTOR_WRONG_CODE if factor.phone is None else errors.FACTOR_WRONG_MESSAGE_CODE)
    if not limits.holds((await context.run(factors.use_challenge(challenge_id, call.now)))[0]):
        raise ApiError(errors.CHALLENGE_ADDRESS_MISMATCH)
    issued = await _lift(context, call, factor, session, (permit.right(),))
    await context.guards.give_back("factor", bucket, call)
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


async def unenroll(context: Context, call: AuthCall) -> Response:
    """DELETE /factors/{id}."""
    factor = _own_factor(call)
    if factor.verified and not _is_aal2(call.session):
        raise ApiError(errors.INSUFFICIENT_AAL_UNENROLL)
    await context.run(
        *sessions.lower_aal(call.user.id, factor.id),
        factors.delete(factor.id),
        _record("factor_unenrolled", call, factor.id),
    )
    return render.json_response({"id": factor.id})


async def admin_list(context: Context, call: AuthCall) -> Response:
    """GET /admin/users/{id}/factors."""
    user = await find_user(context, call)
    return render.json_response([render.factor(factor) for factor in user.factors])


async def admin_update(context: Context, call: AuthCall) -> Response:
    """PUT /admin/users/{id}/factors/{factor_id}: another name, or another number."""
    user = await find_user(context, call)
    factor = _find(user.factors, call.params["factor_id"])
    columns: dict[str, Value] = {}
    also: list[Statement] = []
    name = call.body.text("friendly_name").strip()
    if name and name != factor.friendly_name:
        if any(other.friendly_name == name for other in user.factors):
            raise ApiError(errors.FACTOR_NAME_CONFLICT, name=name)
        columns["friendly_name"] = name
    if factor.phone is not None and call.body.text("phone"):
        number = read_phone(call.body.text("phone"))
        if any(other.phone == number and other.id != factor.id for other in user.factors):
            raise ApiError(errors.PHONE_FACTOR_EXISTS)
        columns["phone"] = number
        # Who reads the messages of the former number proves nothing any more.
        also.append(factors.delete_challenges(factor.id))
    if columns:
        await context.run(
            factors.update(factor.id, columns, call.now),
            *also,
            _record("factor_updated", call, factor.id, user.id),
        )
        factor = _find((await context.reload(user.id)).factors, factor.id)
    return render.json_response(render.factor(factor))


async def admin_delete(context: Context, call: AuthCall) -> Response:
    """DELETE /admin/users/{id}/factors/{factor_id}: for somebody who lost their phone."""
    user = await find_user(context, call)
    factor = _find(user.factors, call.params["factor_id"])
    await context.run(
        *sessions.lower_aal(user.id, factor.id),
        factors.delete(factor.id),
        _record("factor_deleted", call, factor.id, user.id),
    )
    return render.json_response(render.factor(factor))


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
        _record("verification_attempted", call, factor.id),
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


async def _demand_challenge(context: Context, call: AuthCall, factor: Factor) -> tuple[str, str | None]:
    """Id of the challenge a body names, and what is kept of its code where one was sent."""
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
    return challenge_id, row["otp_code"]


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


def _own_factor(call: AuthCall) -> Factor:
    _refuse_anonymous(call)
    return _find(call.user.factors, call.params["factor_id"])


def _find(known: tuple[Factor, ...], factor_id: str) -> Factor:
    wanted = read_uuid(factor_id)
    if wanted is None:
        raise ApiError(errors.VALIDATION_FAILED_404, reason="factor_id must be an UUID")
    factor = next((factor for factor in known if factor.id == wanted), None)
    if factor is None:
        raise ApiError(errors.FACTOR_NOT_FOUND)
    return factor


def _demand_verifiable(context: Context, factor: Factor) -> None:
    if factor.factor_type == "webauthn":
        raise ApiError(errors.WEBAUTHN_VERIFY_DISABLED)
    if factor.factor_type == "phone" and not context.settings.mfa_phone_verify:
        raise ApiError(errors.PHONE_VERIFY_DISABLED)
    if factor.factor_type == "totp" and not context.settings.mfa_totp_verify:
        raise ApiError(errors.TOTP_VERIFY_DISABLED)


def _refuse_anonymous(call: AuthCall) -> None:
    if call.user.is_anonymous:
        raise ApiError(errors.ANONYMOUS_REFUSED)


def _is_aal2(session: Session | None) -> bool:
    return session is not None and session.aal != "aal1"


def _record(action: str, call: AuthCall, factor_id: str, user_id: str | None = None) -> Statement:
    traits = {"factor_id": factor_id, **({"user_id": user_id} if user_id else {})}
    return audit.record(action, call.actor, call.origin, call.now, traits=traits)


def _qr_code(uri: str) -> str:
    """The QR code as SVG that fits into a data URL: no line breaks, no hash signs."""
    out = io.BytesIO()
    segno.make(uri, error="m").save(out, kind="svg", scale=4, xmldecl=False, nl=False, dark="black", light="white")
    # In a data URL a hash sign would end the picture: colours by name, not by number.
    return out.getvalue().decode().replace("#000", "black").replace("#fff", "white")
