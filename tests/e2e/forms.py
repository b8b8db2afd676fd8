"""Filling in the site's forms as a visitor does."""

from __future__ import annotations

import uuid
from typing import Final

from playwright.sync_api import Locator, Page, expect

STAFF: Final = "leads@unitedmedicalwaste.example"


def somebody() -> str:
    """An address nobody else in the run uses."""
    return f"visitor-{uuid.uuid4().hex[:10]}@clinic.example"


def ready_form(page: Page, name: str) -> Locator:
    """A form that its script has taken over: until then its button submits nothing."""
    form = page.get_by_role("form", name=name)
    expect(form.locator("button[type=submit]")).to_be_attached()
    return form


def quote_form(page: Page) -> Locator:
    return ready_form(page, "Quote request")


def fill_quote(page: Page, email: str, facility: str = "Elm Park Family Medicine") -> Locator:
    """All that a quote requires; no service that asks for the number of employees."""
    form = quote_form(page)
    form.get_by_label("Facility Name").fill(facility)
    form.get_by_label("Facility Type").select_option(label="Medical Practice")
    form.get_by_label("Contact Name").fill("Dana Whitfield")
    form.get_by_label("Email").fill(email)
    form.get_by_label("Phone").fill("(508) 555-0161")
    form.get_by_label("Sharps Management").check()
    form.get_by_label("Waste Volume per Pickup").select_option(label="3-5")
    form.get_by_label("Pickup Frequency").select_option(label="Monthly")
    return form


def send_quote(page: Page) -> None:
    page.get_by_role("button", name="Submit Quote Request").click()


def contact_form(page: Page) -> Locator:
    return ready_form(page, "Schedule a pickup")


def fill_contact(page: Page, email: str, subject: str = "Two full sharps containers") -> Locator:
    """All that a message requires."""
    form = contact_form(page)
    form.get_by_label("Name").fill("Priya Raman")
    form.get_by_label("Email").fill(email)
    form.get_by_label("Subject").fill(subject)
    form.get_by_label("Message").fill("Both are at the line.\nThe back door is open until 5.")
    return form


def quick_start_form(page: Page) -> Locator:
    return ready_form(page, "Quick Start request")


def fill_quick_start(page: Page, email: str) -> Locator:
    """All that Quick Start requires but the location."""
    form = quick_start_form(page)
    form.get_by_label("Facility Name").fill("Dune Road Dental")
    form.get_by_label("Facility Type").select_option(label="Dental Office")
    form.get_by_label("Contact Name").fill("Sam Nickerson")
    form.get_by_label("Email").fill(email)
    form.get_by_label("Phone").fill("508-555-0177")
    return form


def newsletter_form(page: Page) -> Locator:
    """Its code comes when the footer comes near."""
    page.get_by_role("form", name="Newsletter").scroll_into_view_if_needed()
    return ready_form(page, "Newsletter")


def fill_newsletter(page: Page, email: str) -> Locator:
    form = newsletter_form(page)
    form.get_by_label("First Name").fill("Lena")
    form.get_by_label("Last Name").fill("Okafor")
    form.get_by_label("Email Address").fill(email)
    return form
