"""Newsletter sign-up.

In: `{firstName, lastName, email, honeypot}`. Out: `{"ok": true}`, also for an address that has signed up before, else
`{"ok": false, "error"}` with 400, 405, 413, 422, 429 or 503.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request

from functions.shared import company, forms, lead_mails, leads

FORM: Final = forms.load(Path(__file__).with_name("newsletter.form.json"))


async def handle(request: Request) -> Any:
    """Store the subscription and tell both sides."""
    return await leads.submit(request, choose)


def choose(_: Mapping[str, Any]) -> tuple[forms.Form, leads.Prepare]:
    """There is one form here."""
    return FORM, prepare


def prepare(values: Mapping[str, Any], staff: str, _number: str) -> leads.Lead:
    """Columns of newsletter_subscriptions, a notice and a confirmation."""
    columns = {"first_name": values["firstName"], "last_name": values["lastName"], "email": values["email"]}
    name = f"{values['firstName']} {values['lastName']}"
    notice = lead_mails.Notice(
        title="New newsletter subscriber",
        subject=f"Newsletter: {name}",
        facts=[("Name", name), ("Email", values["email"])],
        message="",
        reply_to=values["email"],
    )
    welcome = lead_mails.confirmation(
        values["email"],
        FORM.name,
        values["firstName"],
        f"Welcome to the {company.NAME} newsletter",
        [
            "Thank you for subscribing to our newsletter. We write about once a month, about what changes in medical"
            " and pharmaceutical waste rules in New England and what it means for your facility.",
            "If you did not ask for this, reply with the word unsubscribe and we will remove your address.",
        ],
    )
    return leads.Lead(columns, [lead_mails.notice(staff, FORM.name, notice), welcome])
