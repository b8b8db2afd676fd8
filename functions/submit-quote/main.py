"""Quote request, full or Quick Start.

In: the fields of `quote.form.json`, or with `quickStartService: true` those of `quick-start.form.json`. Out:
`{"ok": true}` once request and mails are stored, else `{"ok": false, "error"}` with 400, 405, 413, 422, 429 or 503.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request

from functions.shared import forms, lead_mails, leads

FULL: Final = forms.load(Path(__file__).with_name("quote.form.json"))
QUICK: Final = forms.load(Path(__file__).with_name("quick-start.form.json"))
FULL_NEXT: Final = lead_mails.Next.load(Path(__file__).with_name("quote.next.json"))
QUICK_NEXT: Final = lead_mails.Next.load(Path(__file__).with_name("quick-start.next.json"))

COLUMNS: Final = {
    "facilityName": "facility_name",
    "facilityType": "facility_type",
    "contactName": "contact_name",
    "email": "email",
    "phone": "phone",
    "address": "address",
    "city": "city",
    "state": "state",
    "zipCode": "zip_code",
    "services": "services",
    "wasteVolume": "waste_volume",
    "pickupFrequency": "pickup_frequency",
    "currentProvider": "current_provider",
    "contactPriority": "contact_priority",
    "employeeCount": "employee_count",
    "location": "location",
    "serviceLocation": "service_location",
    "promotionAmount": "promotion_amount",
    "message": "message",
    "formattedMessage": "formatted_message",
}
LABELS: Final = {
    "promotionAmount": "Price shown",
    "wasteVolume": "Waste volume",
    "location": "Service location",
    "formattedMessage": "Summary",
}
# Said once: in the message, or because the other field says it better.
LEFT_OUT: Final = frozenset({"message", "formattedMessage", "quickStartService"})


async def handle(request: Request) -> Any:
    """Store the request and tell both sides."""
    return await leads.submit(request, choose)


def choose(body: Mapping[str, Any]) -> tuple[forms.Form, leads.Prepare]:
    """The Quick Start form marks itself."""
    return (QUICK, prepare_quick_start) if body.get("quickStartService") is True else (FULL, prepare_full)


def prepare_full(values: Mapping[str, Any], staff: str, number: str) -> leads.Lead:
    """Columns of quote_requests, a notice and a confirmation."""
    notice = lead_mails.Notice(
        title=f"Quote request from {values['facilityName']}",
        subject=f"Quote request: {values['facilityName']}",
        facts=facts(FULL, values),
        message="",
        reply_to=values["email"],
        urgency="URGENT" if values.get("contactPriority") == "urgent" else "",
        number=number,
    )
    answer = lead_mails.confirmation(
        values["email"],
        FULL.name,
        values["contactName"],
        "We have received your quote request",
        [
            "Thank you for your request. We'll contact you within 24 hours with a customized quote.",
            "The quote is based on what you told us, with no setup fees and no long-term contract.",
        ],
        replace(FULL_NEXT, number=number),
    )
    return leads.Lead(columns(values), [lead_mails.notice(staff, FULL.name, notice), answer])


def prepare_quick_start(values: Mapping[str, Any], staff: str, number: str) -> leads.Lead:
    """As `prepare_full`, for the monthly service."""
    notice = lead_mails.Notice(
        title=f"Quick Start request from {values['facilityName']}",
        subject=f"Quick Start: {values['facilityName']}, {values.get('serviceLocation', values['location'])}",
        facts=facts(QUICK, values),
        message=values.get("message", ""),
        reply_to=values["email"],
        number=number,
    )
    answer = lead_mails.confirmation(
        values["email"],
        QUICK.name,
        values["contactName"],
        "We have received your Quick Start request",
        [
            "Thank you! We'll contact you within 24 hours to set up your quick start service.",
            "Once we have spoken, you will be set up within 48 hours: containers, paperwork and a pickup day.",
        ],
        replace(QUICK_NEXT, number=number),
    )
    return leads.Lead(columns(values), [lead_mails.notice(staff, QUICK.name, notice), answer])


def columns(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values under the names of their columns."""
    return {COLUMNS[name]: value for name, value in values.items() if name in COLUMNS}


def facts(form: forms.Form, values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Every answered question with its answer in words, in the order of the form."""
    rows = []
    for field in form.fields:
        name = field["name"]
        value = values.get(name)
        if name in LEFT_OUT or value is None:
            continue
        if isinstance(value, list):
            text = ", ".join(form.label(name, str(item)) for item in value)
        elif name == "promotionAmount":
            text = f"${value:g} a month"
        else:
            text = form.label(name, str(value))
        rows.append((LABELS.get(name, field["label"]), text))
    return rows
