"""The CAPTCHA hook: Turnstile or hCaptcha, asked before an account is tried, made or mailed."""

from __future__ import annotations

import logging
from typing import Final

from gateway.auth import errors
from gateway.auth.call import AuthCall
from gateway.auth.context import Context
from gateway.auth.outbound import http as web
from gateway.errors import ApiError

log = logging.getLogger("gateway.auth")

SERVICES: Final = {
    "turnstile": "https://challenges.cloudflare.com/turnstile/v0/siteverify",
    "hcaptcha": "https://hcaptcha.com/siteverify",
}


async def demand_human(context: Context, call: AuthCall) -> None:
    """Check the answer in `gotrue_meta_security.captcha_token`, where settings ask for one.

    Admin calls need none. Raises ApiError captcha_failed; an unreachable service lets nobody through.
    """
    settings = context.settings
    if not settings.captcha_enabled or _is_admin(context, call):
        return
    security = call.body.table("gotrue_meta_security") or {}
    answer = security.get("captcha_token")
    if not isinstance(answer, str) or not answer.strip():
        raise ApiError(errors.CAPTCHA_FAILED, reason="no captcha response (captcha_token) found in request")
    fields = {"secret": settings.captcha_secret, "response": answer.strip()}
    if call.origin.address is not None:
        fields["remoteip"] = call.origin.address
    url = settings.captcha_url or SERVICES[settings.captcha_provider]
    try:
        result = (await web.ask("POST", url, timeout=8, form=fields)).table()
    except web.WebError as error:
        log.error("the captcha service cannot be asked: %s", error)
        raise ApiError(errors.UNEXPECTED_FAILURE) from error
    if result.get("success") is not True:
        codes = result.get("error-codes")
        shown = ", ".join(str(code) for code in codes) if isinstance(codes, list) and codes else "not solved"
        raise ApiError(errors.CAPTCHA_FAILED, reason=shown)


def _is_admin(context: Context, call: AuthCall) -> bool:
    try:
        return context.guards.claims(call).get("role") in context.settings.jwt_admin_roles
    except ApiError:
        return False
