"""Signing in and out, what the page is told of where it is, and the trail of what was done here."""

from __future__ import annotations

import hmac
import math
import time
from typing import Any, Final

from gateway import __version__
from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json, text_of
from gateway.console.errors import ConsoleError, bad_request
from gateway.console.sessions import ConsoleSession, read_code
from gateway.http.messages import Response

TRIES: Final = 0.5  # sign-ins a second and address, after the first few
SERVICES: Final = ("rest", "auth", "storage", "functions", "realtime")


async def sign_in(call: ConsoleCall) -> Response:
    """`{"code"}` of a printed address or `{"key"}`, the secret key; `{"read_only": true}` asks for less."""
    wait = call.gateway.limits.take(("console", call.request.client or ""), TRIES)
    if wait > 0:
        raise ConsoleError(429, "too_many", "Too many tries to sign in.", more={"retry_after": math.ceil(wait)})
    content = await call.json()
    read_only = content.get("read_only") is True
    code: tuple[str, float] | None = None
    if "code" in content:
        account = "one-time code"
        code = read_code(text_of(content, "code"), call.door.key, time.time())
        if code is None:
            raise ConsoleError(
                401, "bad_code", "This code does not hold.", hint="`gateway console` prints a fresh address."
            )
    elif "key" in content:
        account = "secret key"
        given = text_of(content, "key").strip()
        keys = call.gateway.keys
        if not (keys.role_of(given) == "service_role" or _same(given, keys.secret_key)):
            raise ConsoleError(401, "bad_key", "This is no secret key of this project.")
    else:
        raise bad_request("a code or a key is needed")
    agent = (call.request.header(b"user-agent") or b"").decode("latin-1")
    session = await call.door.sessions.enter(account, read_only, call.request.client or "", agent, code)
    if session is None:
        raise ConsoleError(
            401, "used_code", "This code was used before.", hint="`gateway console` prints a fresh address."
        )
    call.note(account=account, session=session.id, read_only=read_only)
    answer = answer_json(_told(call, session))
    answer.headers.append(call.door.sessions.set_cookie(session, call.door.secure(call.request)))
    return answer


async def who(call: ConsoleCall) -> Response:
    assert call.session is not None
    return answer_json(_told(call, call.session))


async def sign_out(call: ConsoleCall) -> Response:
    assert call.session is not None
    await call.door.sessions.leave(call.session)
    answer = answer_json({})
    answer.headers.append(call.door.sessions.set_cookie(None, call.door.secure(call.request)))
    return answer


async def audit(call: ConsoleCall) -> Response:
    """The newest notes; `?before=ID` goes on."""
    before, wanted = call.query.get("before"), call.query.get("limit", "100")
    if (before is not None and not _is_number(before)) or not _is_number(wanted):
        raise bad_request("before and limit are numbers")
    rows = await call.door.audit.trail(before, min(int(wanted), 1000))
    return answer_json({"rows": rows})


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 18


def _same(given: str, key: str) -> bool:
    return bool(key) and hmac.compare_digest(given.encode(), key.encode())


def _told(call: ConsoleCall, session: ConsoleSession) -> dict[str, Any]:
    settings = call.settings
    project = (
        settings.project_dir.name if settings.project_dir is not None else settings.data_dir.absolute().parent.name
    )
    return {
        "token": session.token,
        "account": session.account,
        "read_only": call.door.is_read_only(session),
        "project": project,
        "version": __version__,
        "api_url": settings.api_url,
        "publishable_key": call.gateway.keys.publishable_key,
        "services": list(SERVICES),
    }


ROUTES: Final = (
    ConsoleRoute("POST", "/session", sign_in, open=True),
    ConsoleRoute("GET", "/session", who),
    ConsoleRoute("DELETE", "/session", sign_out, when_read_only=True),
    ConsoleRoute("GET", "/audit", audit),
)
