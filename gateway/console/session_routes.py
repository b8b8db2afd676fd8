"""Signing in and out, what the page is told of where it is, and the trail of what was done here."""

from __future__ import annotations

import math
import time
from typing import Any, Final

from gateway import __version__
from gateway.console import proofs
from gateway.console.accounts import name_of
from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json, text_of
from gateway.console.errors import ConsoleError, bad_request
from gateway.console.sessions import ALL, ConsoleSession, Entrant, read_code
from gateway.http.messages import Response

TRIES: Final = 0.5  # sign-ins a second and address, after the first few
TRIES_OF_A_NAME: Final = 2.0  # the same, of an account, from wherever they come
SERVICES: Final = ("rest", "auth", "storage", "functions", "realtime")


async def sign_in(call: ConsoleCall) -> Response:
    """`{"code"}` of a printed address, `{"key"}`, the secret key, or `{"account", "password"}`; `{"read_only": true}`
    asks for less."""
    _slow(call, "console", call.request.client or "", TRIES)
    content = await call.json()
    read_only = content.get("read_only") is True
    code: tuple[str, float] | None = None
    if "code" in content:
        code = read_code(text_of(content, "code"), call.door.key, time.time())
        if code is None:
            raise ConsoleError(
                401, "bad_code", "This code does not hold.", hint="`gateway console` prints a fresh address."
            )
        entrant = Entrant("one-time code", ALL, proofs.CODE)
    elif "key" in content:
        proof = proofs.of_key(text_of(content, "key").strip(), call.gateway.keys, time.time())
        if proof is None:
            raise ConsoleError(401, "bad_key", "This is no secret key of this project.")
        entrant = Entrant("secret key", ALL, *proof)
    elif "account" in content:
        entrant = await _by_password(call, text_of(content, "account"), text_of(content, "password"))
    else:
        raise bad_request("a code, a key, or an account and its password are needed")
    agent = (call.request.header(b"user-agent") or b"").decode("latin-1")
    session = await call.door.sessions.enter(entrant, read_only, call.request.client or "", agent, code)
    if session is None:
        raise ConsoleError(
            401, "used_code", "This code was used before.", hint="`gateway console` prints a fresh address."
        )
    call.note(account=session.account, session=session.id, kind=session.kind, read_only=session.read_only)
    answer = answer_json(_told(call, session))
    answer.headers.append(call.door.sessions.set_cookie(session, call.door.secure(call.request)))
    return answer


async def _by_password(call: ConsoleCall, given: str, password: str) -> Entrant:
    """Raises ConsoleError 401, which does not say whether there is such an account."""
    name = name_of(given) or ""
    call.note(account=name)
    # Whoever guesses from many addresses is slowed at the name; one address alone cannot keep its owner out.
    _slow(call, "console account", name, TRIES_OF_A_NAME)
    account = await call.door.accounts.check(name, password)
    if account is None:
        raise ConsoleError(
            401, "bad_account", "There is no such account, or this is not its password.",
            hint="`gateway console accounts password NAME` gives it another.",
        )  # fmt: skip
    return Entrant(account.name, account.kind, proofs.of_account(account.name, account.stamp))


def _slow(call: ConsoleCall, what: str, subject: str, rate: float) -> None:
    """Raises ConsoleError 429."""
    wait = call.gateway.limits.take((what, subject), rate)
    if wait > 0:
        raise ConsoleError(429, "too_many", "Too many tries to sign in.", more={"retry_after": math.ceil(wait)})


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


def _told(call: ConsoleCall, session: ConsoleSession) -> dict[str, Any]:
    settings = call.settings
    project = (
        settings.project_dir.name if settings.project_dir is not None else settings.data_dir.absolute().parent.name
    )
    return {
        "token": session.token,
        "account": session.account,
        "kind": session.kind,
        "read_only": call.door.is_read_only(session),
        "project": project,
        "version": __version__,
        "api_url": settings.api_url,
        "publishable_key": call.gateway.keys.publishable_key,
        "services": list(SERVICES),
    }


ROUTES: Final = (
    ConsoleRoute("POST", "/session", sign_in, open=True),
    ConsoleRoute("GET", "/session", who, for_records=True),
    ConsoleRoute("DELETE", "/session", sign_out, when_read_only=True, for_records=True),
    ConsoleRoute("GET", "/audit", audit),
)
