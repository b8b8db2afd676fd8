"""The mails about a lead: a notice to the staff and a confirmation to the sender, each as text and as HTML.

The result is what the mail queue takes: `{"to", "subject", "text", "html", "reply_to", "headers", "kind", "priority"}`.
Every value is escaped for HTML and kept to one line in a subject. The confirmation repeats nothing that the sender
wrote except a name that looks like one, so that the form cannot be used to mail a stranger a message.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Final

from functions.shared import company

Mail = dict[str, Any]

EMERGENCY: Final = 100  # place in the queue; what is above 0 is also retried more often
URGENT: Final = 50
NOTICE: Final = 10
CONFIRMATION: Final = 0
AHEAD: Final = "What happens next"
ALARM_AFTER: Final = 600  # seconds; whoever runs the gateway is told of a notice that has not been delivered by then

_NAME: Final = re.compile(r"[^\W\d_]+(?:[ .'\u2019-]{1,2}[^\W\d_]+)*\.?")


@dataclass(frozen=True, slots=True)
class Notice:
    """What the staff are told: a headline, the facts in order, and the sender's address for the reply."""

    title: str
    subject: str
    facts: Sequence[tuple[str, str]]
    message: str
    reply_to: str
    urgency: str = ""  # EMERGENCY or URGENT, said in front of the subject
    number: str = ""  # the one that the sender was told


@dataclass(frozen=True, slots=True)
class Next:
    """What a sender is told of what follows: the number of the request, and the steps that the site's page says too."""

    number: str = ""
    steps: Sequence[Mapping[str, str]] = ()

    @classmethod
    def load(cls, path: Path) -> Next:
        """The steps in a form's `….next.json`, which the site shows too."""
        return cls(steps=tuple(json.loads(path.read_text(encoding="utf-8"))))


def notice(to: str, kind: str, content: Notice) -> Mail:
    """The mail to the staff."""
    priority = {"EMERGENCY": EMERGENCY, "URGENT": URGENT}.get(content.urgency, NOTICE)
    mark = f"[{content.urgency}] " if content.urgency else ""
    lines = [f"{mark}{content.title}", ""]
    facts = [*([("Request number", content.number)] if content.number else []), *content.facts]
    width = max((len(label) for label, _ in facts), default=0)
    lines += [f"{label + ':':<{width + 1}} {value}" for label, value in facts]
    if content.message:
        lines += ["", content.message]
    lines += ["", f"Reply to this mail to answer {content.reply_to}."]
    rows = "".join(
        f'<tr><th align="left" valign="top" style="padding:4px 16px 4px 0;color:#4B5E67;font-weight:600">'
        f'{escape(label)}</th><td style="padding:4px 0">{escape(value)}</td></tr>'
        for label, value in facts
    )
    banner = (
        f'<p style="background:#B3261E;color:#fff;padding:8px 12px;font-weight:700">{content.urgency}</p>'
        if content.urgency
        else ""
    )
    body = f"{banner}<table cellspacing='0'>{rows}</table>"
    if content.message:
        style = "white-space:pre-wrap;border-left:3px solid #0F5D6B;padding-left:12px"
        body += f'<p style="{style}">{escape(content.message)}</p>'
    body += f"<p>Reply to this mail to answer {escape(content.reply_to)}.</p>"
    headers = {"X-Lead-Kind": kind}
    if content.urgency:
        headers |= {"Importance": "high", "X-Priority": "1"}
    return {
        "to": [to],
        "subject": f"{mark}{content.subject}",
        "text": "\n".join(lines) + "\n",
        "html": page(content.title, body),
        "reply_to": content.reply_to,
        "headers": headers,
        "kind": f"{kind}-notice",
        "alarm_after": ALARM_AFTER,
        "priority": priority,
    }


def confirmation(
    to: str, kind: str, name: str, subject: str, paragraphs: Sequence[str], following: Next | None = None
) -> Mail:
    """The mail to the sender."""
    following = following or Next()
    steps = [f"{step['when']}: {step['title']}. {step['text']}" for step in following.steps]
    if following.number:
        said = (
            f"Your request number is {following.number}. Say it when you call, and we have your request in front of us."
        )
        paragraphs = [*paragraphs, said]
    greeting = f"Hello {name}," if is_name(name) else "Hello,"
    closing = f"{company.NAME}\n{company.PHONE}\n{company.EMAIL}"
    listed = ["\n".join([AHEAD, *(f"{n}. {step}" for n, step in enumerate(steps, 1))])] if steps else []
    text = "\n\n".join([greeting, *paragraphs, *listed, closing]) + "\n"
    body = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in [greeting, *paragraphs])
    if steps:
        items = "".join(f"<li>{escape(step)}</li>" for step in steps)
        body += f'<h2 style="font-size:16px;margin:24px 0 8px">{AHEAD}</h2><ol>{items}</ol>'
    body += f"<p>{escape(closing).replace(chr(10), '<br>')}</p>"
    return {
        "to": [to],
        "subject": subject,
        "text": text,
        "html": page(subject, body),
        "reply_to": company.EMAIL,
        "headers": {"Auto-Submitted": "auto-replied"},
        "kind": f"{kind}-confirmation",
        "priority": CONFIRMATION,
    }


def is_name(text: str) -> bool:
    """Whether text can only be a person's name.

    >>> is_name("Dr. Aoife O'Brien-Smith"), is_name("buy at evil.example/now")
    (True, False)
    """
    return len(text) <= 60 and text.count(" ") <= 4 and _NAME.fullmatch(text) is not None and not _looks_like_host(text)


def _looks_like_host(text: str) -> bool:
    return re.search(r"\w\.\w", text) is not None


def page(title: str, body: str) -> str:
    """An HTML mail. `body` is markup already."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title></head>"
        '<body style="margin:0;background:#F4F7F7;color:#132A33;font:16px/1.5 Arial,Helvetica,sans-serif">'
        '<div style="max-width:600px;margin:0 auto;padding:24px">'
        f'<p style="color:#0F5D6B;font-weight:700;margin:0 0 16px">{escape(company.NAME)}</p>'
        '<div style="background:#fff;border:1px solid #D9E2E3;border-radius:8px;padding:24px">'
        f'<h1 style="font-size:20px;margin:0 0 16px">{escape(title)}</h1>{body}</div></div></body></html>'
    )
