"""Contact message.

In: `{name, email, phone, company, subject, message, priority, honeypot}`. Out: `{"ok": true}` once message and mails
are stored, else `{"ok": false, "error"}` with 400, 405, 413, 422, 429 or 503. Emergency and urgent messages are
marked in the mail and leave before all others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request

from functions.shared import company, forms, lead_mails, leads

FORM: Final = forms.load(Path(__file__).with_name("contact.form.json"))
NEXT: Final = lead_mails.Next.load(Path(__file__).with_name("contact.next.json"))
URGENCY: Final = {"emergency": "EMERGENCY", "urgent": "URGENT"}
PROMISE: Final = {
    "emergency": "You marked this as an emergency: we are on it now."
    f" If you cannot wait, call {company.EMERGENCY_PHONE}, day or night.",
    "urgent": f"You marked this as urgent: expect to hear from us today. You can also call {company.PHONE}.",
}


async def handle(request: Request) -> Any:
    """Store the message and tell both sides."""
    return await leads.submit(request, choose)


def choose(_: Mapping[str, Any]) -> tuple[forms.Form, leads.Prepare]:
    """There is one form here."""
    return FORM, prepare


def prepare(values: Mapping[str, Any], staff: str, number: str) -> leads.Lead:
    """Columns of contact_messages, a notice and a confirmation."""
    columns = dict(values)
    priority = values["priority"]
    facts = [
        ("Priority", FORM.label("priority", priority)),
        ("Name", values["name"]),
        ("Email", values["email"]),
        ("Phone", values.get("phone", "")),
        ("Company", values.get("company", "")),
        ("Subject", values["subject"]),
    ]
    notice = lead_mails.Notice(
        title=f"Contact message from {values['name']}",
        subject=f"Contact: {values['subject']}",
        facts=[fact for fact in facts if fact[1]],
        message=values["message"],
        reply_to=values["email"],
        urgency=URGENCY.get(priority, ""),
        number=number,
    )
    answer = lead_mails.confirmation(
        values["email"],
        FORM.name,
        values["name"],
        "We have received your message",
        [
            "Thank you for contacting us. We'll respond within 24 hours.",
            *([PROMISE[priority]] if priority in PROMISE else []),
        ],
        replace(NEXT, number=number),
    )
    return leads.Lead(columns, [lead_mails.notice(staff, FORM.name, notice), answer])
