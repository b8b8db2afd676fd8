"""Text messages: handed to a hook of the operator's, as the original's send-SMS hook takes them.

The hook is an address that gets `{"user", "sms": {"otp", "phone"}}` by POST, signed as https://www.standardwebhooks.com
says, or a function of the database (`pg-functions://postgres/SCHEMA/NAME`) that gets the same. Numbers of
GOTRUE_SMS_TEST_OTP have a fixed code, and no message is sent to them.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import logging
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from gateway.auth import errors, web
from gateway.auth import tokens as codes
from gateway.auth.hooks import parse_uri
from gateway.errors import ApiError
from gateway.settings import Settings
from gateway.statement import Statement

log = logging.getLogger("gateway.auth")

TIMEOUT: Final = 5.0  # seconds
_LOCAL: Final = ("localhost", "127.0.0.1", "::1")
_SECRET: Final = "v1,whsec_"


@dataclass(frozen=True, slots=True)
class Messenger:
    """Where messages go. `function` is quoted SQL, `url` an address; both empty send nothing."""

    url: str
    function: str
    secrets: tuple[bytes, ...]
    fixed: Mapping[str, str]
    fixed_until: float | None
    length: int

    @classmethod
    def of(cls, settings: Settings) -> Messenger:
        """Raises ValueError for settings that cannot work."""
        uri = settings.sms_hook
        is_function = uri.startswith("pg-functions:")
        secrets = tuple(_read_secret(text) for text in settings.sms_hook_secrets.split("|") if text)
        if uri and not is_function:
            parts = urlsplit(uri)
            if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOCAL):
                raise ValueError("GOTRUE_HOOK_SEND_SMS_URI must be an https address or pg-functions://postgres/…")
            if not secrets:
                raise ValueError("GOTRUE_HOOK_SEND_SMS_SECRETS must hold the secret that signs messages")
        return cls(
            url="" if is_function else uri,
            function=parse_uri(uri) if is_function else "",
            secrets=secrets,
            fixed=dict(_read_fixed(text) for text in settings.sms_test_otp),
            fixed_until=_read_until(settings.sms_test_otp_valid_until),
            length=settings.sms_otp_length,
        )

    def fixed_code(self, phone: str, now: float) -> str | None:
        """The code of a number that gets no message."""
        return None if self.fixed_until is not None and now > self.fixed_until else self.fixed.get(phone)

    def can_reach(self, phone: str, now: float) -> bool:
        return bool(self.url or self.function or self.fixed_code(phone, now))

    def new_code(self, phone: str, now: float) -> str:
        return self.fixed_code(phone, now) or codes.new_code(self.length)

    def statement(self, event: Mapping[str, Any]) -> Statement:
        """Ask the hook that is a function; `read_answer` reads its answer."""
        return Statement(f"select {self.function}($1::jsonb)", (orjson.dumps(event).decode(),))

    async def post(self, event: Mapping[str, Any], now: float) -> None:
        """Ask the hook that is an address. Raises ApiError hook_timeout or sms_send_failed."""
        content = orjson.dumps(event)
        headers = {"content-type": "application/json", **self._signature(content, now)}
        try:
            reply = await web.ask("POST", self.url, timeout=TIMEOUT, headers=headers, content=content)
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

    def _signature(self, content: bytes, now: float) -> dict[str, str]:
        message_id, moment = f"msg_{uuid.uuid4()}", str(int(now))
        signed = f"{message_id}.{moment}.".encode() + content
        made = [base64.b64encode(hmac.digest(secret, signed, "sha256")).decode() for secret in self.secrets]
        return {
            "webhook-id": message_id,
            "webhook-timestamp": moment,
            "webhook-signature": " ".join(f"v1,{code}" for code in made),
        }


def read_answer(answer: Any) -> None:
    """Raises ApiError sms_send_failed where the hook says that it could not send."""
    error = answer.get("error") if isinstance(answer, dict) else None
    if error:
        reason = error.get("message") if isinstance(error, dict) else error
        raise ApiError(errors.SMS_SEND_FAILED, reason=str(reason or "the hook refused"))


def _read_secret(text: str) -> bytes:
    """A secret in its usual dress.

    >>> _read_secret("v1,whsec_c2VjcmV0")
    b'secret'
    """
    try:
        return base64.b64decode(text.strip().removeprefix(_SECRET), validate=True)
    except (ValueError, binascii.Error) as error:
        raise ValueError("GOTRUE_HOOK_SEND_SMS_SECRETS must be v1,whsec_BASE64, several parted by |") from error


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
