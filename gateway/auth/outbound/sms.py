"""Text messages: handed to a hook of the operator's, as the original's send-SMS hook takes them.

The hook is an address that gets `{"user", "sms": {"otp", "phone"}}` by POST, signed as https://www.standardwebhooks.com
says, or a function of the database (`pg-functions://postgres/SCHEMA/NAME`) that gets the same. Numbers of
GOTRUE_SMS_TEST_OTP have a fixed code, and no message is sent to them.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from gateway.auth import errors
from gateway.auth.crypto import tokens as codes
from gateway.auth.outbound import http as web
from gateway.auth.outbound.hooks import TIMEOUT, Hook, sign
from gateway.errors import ApiError
from gateway.settings import Settings

log = logging.getLogger("gateway.auth")


@dataclass(frozen=True, slots=True)
class Messenger:
    """Where messages go; without a hook nowhere."""

    hook: Hook | None
    fixed: Mapping[str, str]
    fixed_until: float | None
    length: int

    @classmethod
    def of(cls, settings: Settings) -> Messenger:
        """Raises ValueError for settings that cannot work."""
        hook = Hook.of("SEND_SMS", settings.sms_hook, settings.sms_hook_secrets)
        return cls(
            hook=hook,
            fixed=dict(_read_fixed(text) for text in settings.sms_test_otp),
            fixed_until=_read_until(settings.sms_test_otp_valid_until),
            length=settings.sms_otp_length,
        )

    def fixed_code(self, phone: str, now: float) -> str | None:
        """The code of a number that gets no message."""
        return None if self.fixed_until is not None and now > self.fixed_until else self.fixed.get(phone)

    def new_code(self, phone: str, now: float) -> str:
        return self.fixed_code(phone, now) or codes.new_code(self.length)


async def post(hook: Hook, event: Mapping[str, Any], now: float) -> None:
    """Ask a hook that is an address. Raises ApiError hook_timeout or sms_send_failed.

    It sends, so it is asked once: what it did before it failed to answer is not known.
    """
    content = orjson.dumps(event)
    headers = {"content-type": "application/json", **sign(hook.secrets, content, now)}
    try:
        reply = await web.ask("POST", hook.uri, timeout=TIMEOUT, headers=headers, content=content)
    except web.WebTimeout as error:
        raise ApiError(errors.HOOK_TIMEOUT, seconds=f"{TIMEOUT:f}") from error
    except web.WebError as error:
        log.error("the message hook cannot be asked: %s", error)
        raise ApiError(errors.SMS_SEND_FAILED, reason="the hook cannot be reached") from error
    try:
        answer = orjson.loads(reply.content or b"{}")
    except orjson.JSONDecodeError:
        answer = {}
    read_answer(answer)
    if not reply.ok:
        raise ApiError(errors.SMS_SEND_FAILED, reason=f"the hook answered with status {reply.status}")


def read_answer(answer: Any) -> None:
    """Raises ApiError sms_send_failed where the hook says that it could not send."""
    error = answer.get("error") if isinstance(answer, dict) else None
    if error:
        reason = error.get("message") if isinstance(error, dict) else error
        raise ApiError(errors.SMS_SEND_FAILED, reason=str(reason or "the hook refused"))


def _read_fixed(text: str) -> tuple[str, str]:
    phone, _, code = text.partition(":")
    if not (phone.strip().lstrip("+").isdigit() and code.strip().isdigit()):
        raise ValueError("GOTRUE_SMS_TEST_OTP must be PHONE:CODE, several parted by commas")
    return phone.strip().lstrip("+"), code.strip()


def _read_until(text: str) -> float | None:
    try:
        return datetime.fromisoformat(text).timestamp() if text else None
    except ValueError as error:
        raise ValueError("GOTRUE_SMS_TEST_OTP_VALID_UNTIL must be a moment such as 2027-01-31T00:00:00Z") from error
