"""Second factors (apps, numbers, security keys): enrolled, given up, and as the admin sees them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, Final

import pyotp

from gateway.auth import errors, render
from gateway.auth.call import AuthCall, read_phone, read_uuid
from gateway.auth.context import Context
from gateway.auth.core import origin_of_url
from gateway.auth.http.admin import find_user
from gateway.auth.store import audit, factors, sessions, users
from gateway.auth.store.violations import Taken, taken
from gateway.auth.types import Factor, Session, is_over
from gateway.database import DatabaseError
from gateway.database.statement import Statement, Value
from gateway.errors import ApiError
from gateway.http.messages import Response

ENROLMENT: Final = 300  # seconds after which an enrolment that was not finished no longer stands in another's way


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
        if not context.settings.mfa_webauthn_enroll:
            raise ApiError(errors.WEBAUTHN_ENROLL_DISABLED)
        return render.json_response(await _enroll(context, call, "webauthn"))
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
            factors.insert(factor_id, user.id, name, call.now, kind=kind, secret=secret, phone=number),
            record_of("factor_in_progress", call, factor_id),
        )
    except DatabaseError as error:
        if taken(error) is not Taken.FACTOR:
            raise
        raise ApiError(errors.FACTOR_NAME_CONFLICT, name=name) from error
    return {"id": factor_id, "type": kind, "friendly_name": name}


def _is_abandoned(factor: Factor, now: float) -> bool:
    """Whether somebody began to enrol and did not go on."""
    created = factor.created_at
    return not factor.verified and created is not None and is_over(created, now, ENROLMENT)


async def unenroll(context: Context, call: AuthCall) -> Response:
    """DELETE /factors/{id}."""
    factor = own_factor(call)
    if factor.verified and not _is_aal2(call.session):
        raise ApiError(errors.INSUFFICIENT_AAL_UNENROLL)
    await context.run(
        *sessions.lower_aal(call.user.id, factor.id),
        factors.delete(factor.id),
        record_of("factor_unenrolled", call, factor.id),
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
            record_of("factor_updated", call, factor.id, user.id),
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
        record_of("factor_deleted", call, factor.id, user.id),
    )
    return render.json_response(render.factor(factor))


def own_factor(call: AuthCall) -> Factor:
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


def _refuse_anonymous(call: AuthCall) -> None:
    if call.user.is_anonymous:
        raise ApiError(errors.ANONYMOUS_REFUSED)


def _is_aal2(session: Session | None) -> bool:
    return session is not None and session.aal != "aal1"


def record_of(action: str, call: AuthCall, factor_id: str, user_id: str | None = None) -> Statement:
    traits = {"factor_id": factor_id, **({"user_id": user_id} if user_id else {})}
    return audit.record(action, call.actor, call.origin, call.now, traits=traits)


def _qr_code(uri: str) -> str:
    """The QR code as SVG that fits into a data URL: no line breaks, no hash signs."""
    import segno  # for who enrols alone

    out = io.BytesIO()
    segno.make(uri, error="m").save(out, kind="svg", scale=4, xmldecl=False, nl=False, dark="black", light="white")
    # In a data URL a hash sign would end the picture: colours by name, not by number.
    return out.getvalue().decode().replace("#000", "black").replace("#fff", "white")
