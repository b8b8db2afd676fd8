"""One mail: from the queue's payload to a message that nobody can have smuggled a header into.

A payload is `{"to": [..], "subject", "text", "html", "reply_to", "headers", "kind"}`. The message id is made from the
job's id, so a mail that is sent twice (the worker died after the server took it, before that was noted) can be
recognised as one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, formataddr
from typing import Any, Final

SUBJECT_LIMIT: Final = 400  # characters
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]+")
_ADDRESS: Final = re.compile(r"[^@\s<>,;:\\\"()\[\]\x00-\x1f\x7f]+@[^@\s<>,;:\\\"()\[\]\x00-\x1f\x7f]+")
_HEADER: Final = re.compile(r"(?:X-[A-Za-z0-9-]{1,60}|Importance|Priority|Auto-Submitted|List-Unsubscribe(?:-Post)?)")


class BadMail(Exception):
    """A payload that can never be sent; the text says why."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Who the site's mails are from."""

    address: str
    name: str

    @property
    def domain(self) -> str:
        return self.address.rpartition("@")[2] or "localhost"


def build_message(payload: Mapping[str, Any], job_id: int, sender: Sender, now: datetime | None = None) -> EmailMessage:
    """The message of a payload. Raises BadMail."""
    recipients = [check_address(address) for address in payload.get("to") or []]
    if not recipients:
        raise BadMail("the mail has no recipient")
    message = EmailMessage(policy=SMTP)
    message["From"] = _mailbox(sender.name, sender.address)
    message["To"] = ", ".join(recipients)
    message["Subject"] = one_line(str(payload.get("subject") or ""))[:SUBJECT_LIMIT]
    message["Date"] = format_datetime(now or datetime.now(UTC))
    message["Message-ID"] = f"<job-{job_id}@{sender.domain}>"
    if payload.get("reply_to"):
        # A visitor's address that is none must not keep the staff from being told of what was sent.
        with suppress(BadMail):
            message["Reply-To"] = check_address(payload["reply_to"])
    for name, value in (payload.get("headers") or {}).items():
        if not _HEADER.fullmatch(name):
            raise BadMail(f"the header {name!r} may not be set")
        message[name] = one_line(str(value))
    text, html = payload.get("text"), payload.get("html")
    if text:
        message.set_content(str(text))
        if html:
            message.add_alternative(str(html), subtype="html")
    elif html:
        message.set_content(str(html), subtype="html")
    else:
        raise BadMail("the mail has no text")
    return message


def one_line(text: str) -> str:
    r"""Text for a header: control characters, line breaks and direction marks become single spaces.

    What would be read as encoded (RFC 2047) is taken apart: the email package decodes it, line breaks and all.

    >>> one_line("Hello\r\nBcc: everyone@example.com")
    'Hello Bcc: everyone@example.com'
    >>> one_line("=?utf-8?q?Hello=0D=0ABcc:_everyone@example.com?=")
    '= ?utf-8?q?Hello=0D=0ABcc:_everyone@example.com?='
    """
    return _CONTROL.sub(" ", text).replace("=?", "= ?").strip()


def check_address(address: Any) -> str:
    """An address that is exactly one address. Raises BadMail.

    >>> check_address("ann@example.com")
    'ann@example.com'
    """
    if not isinstance(address, str) or len(address) > 320 or not _ADDRESS.fullmatch(address) or "=?" in address:
        raise BadMail(f"{address!r} is no address that a mail can be sent to")
    return address


def _mailbox(name: str, address: str) -> str:
    return formataddr((one_line(name), check_address(address))) if name else check_address(address)
