"""Tells whoever runs the gateway: by mail past the queue, by webhook, and in the log. The queue may be what is wrong.

A webhook gets `{"text", "gateway", "standing": [{kind, subject, text, since}], "over": […]}` by POST; `text` is what
chat services show.
"""

from __future__ import annotations

import asyncio
import json
import logging
from datetime import UTC, datetime
from email.utils import make_msgid
from typing import Any, Final
from urllib.error import URLError
from urllib.request import ProxyHandler, Request, build_opener

from gateway.mail.message import BadMail, Sender, build_message
from gateway.operations.monitor.alarms import Alarm, News
from gateway.settings import Settings

log = logging.getLogger("gateway.operations.monitor")

ANSWER_LIMIT: Final = 15.0  # seconds


def words(news: News, gateway: str) -> tuple[str, str]:
    """Subject and text of what is told."""
    names = ", ".join(dict.fromkeys(alarm.kind for alarm in news.standing or news.over))
    subject = f"{'Alarm' if news.standing else 'Over'}: {names} ({gateway})"
    lines = [f"{alarm.text}\n  since {_moment(alarm.since)}" for alarm in news.standing]
    lines += [f"Over: {alarm.text}\n  stood since {_moment(alarm.since)}" for alarm in news.over]
    return subject, "\n\n".join(lines) + "\n"


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


async def tell(settings: Settings, news: News, *, every: bool = False) -> bool:
    """Whether somebody was told by a way that is set up, or by `every` one; the log is told in any case."""
    for alarm in news.standing:
        log.error("alarm: %s", alarm.text)
    for alarm in news.over:
        log.info("alarm over: %s", alarm.text)
    subject, text = words(news, settings.public_url or settings.api_url)
    told = [
        await way
        for way in (
            *([_by_mail(settings, subject, text)] if settings.alarm_email and settings.smtp_host else []),
            *([_by_webhook(settings, news, f"{subject}\n\n{text}")] if settings.alarm_webhook else []),
        )
    ]
    # One of two is enough: else a mail server that is down would have the webhook called at every look.
    return all(told) if every else any(told) or not told


async def _by_mail(settings: Settings, subject: str, text: str) -> bool:
    from gateway.mail.delivery import DeliveryFailed, Server, deliver  # and the library of mail with it

    server = Server(settings.smtp_host, settings.smtp_port, settings.smtp_user, settings.smtp_password)
    sender = Sender(settings.smtp_sender, settings.smtp_sender_name)
    try:
        message = build_message({"to": [settings.alarm_email], "subject": subject, "text": text}, 0, sender)
        message.replace_header("Message-ID", make_msgid(domain=sender.domain))  # each alarm is a mail of its own
        await asyncio.wait_for(deliver(message, server), 2 * ANSWER_LIMIT)
    except (BadMail, DeliveryFailed, TimeoutError) as error:
        log.error("the alarm could not be mailed: %s", error or "no answer")
        return False
    return True


async def _by_webhook(settings: Settings, news: News, text: str) -> bool:
    content = {
        "text": text,
        "gateway": settings.public_url or settings.api_url,
        "standing": [_row(alarm) for alarm in news.standing],
        "over": [_row(alarm) for alarm in news.over],
    }
    try:
        await asyncio.to_thread(_post, settings.alarm_webhook, content)
    except (OSError, ValueError) as error:
        # Its address may be a secret: the reason alone is told.
        log.error("the alarm webhook did not take it: %s", getattr(error, "reason", None) or type(error).__name__)
        return False
    return True


def _row(alarm: Alarm) -> dict[str, Any]:
    return {"kind": alarm.kind, "subject": alarm.subject, "text": alarm.text, "since": _moment(alarm.since)}


def _post(url: str, content: dict[str, Any]) -> None:
    if not url.startswith(("https://", "http://")):
        raise URLError("GATEWAY_ALARM_WEBHOOK is no http address")
    headers = {"content-type": "application/json", "user-agent": "gateway-monitor"}
    request = Request(url, json.dumps(content).encode(), headers, method="POST")
    with build_opener(ProxyHandler()).open(request, timeout=ANSWER_LIMIT):
        pass
