"""What visitors sent, as an administrator finds, reads and answers it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from gateway.database import SyncConnection
from tests.e2e.axe import violations
from tests.e2e.forms import STAFF, somebody
from tests.e2e.screen import expect_failure, expect_toast
from tests.e2e.trap import caught, expect_mail
from tests.fixtures.browser import PHONE, Hire, answer, sign_in
from tests.fixtures.server import LiveGateway

MESSAGES = re.compile(r"/rest/v1/contact_messages\?")
FUNCTION = "**/functions/v1/submit-contact"


def submit(site: LiveGateway, function: str, body: dict[str, Any]) -> None:
    """A form as the site sends it."""
    headers = {"apikey": site.publishable_key, "authorization": f"Bearer {site.publishable_key}"}
    reply = httpx.post(f"{site.url}/functions/v1/{function}", json=body, headers=headers, trust_env=False, timeout=60)
    assert reply.json() == {"ok": True}


def send_message(site: LiveGateway, email: str, **more: str) -> None:
    message = {
        "name": "Priya Raman",
        "email": email,
        "phone": "508-555-0163",
        "company": "North Shore Surgical",
        "subject": f"Containers of {email}",
        "message": "Both are at the line.\nThe back door is open until 5.",
        "priority": "urgent",
        "honeypot": "",
        **more,
    }
    submit(site, "submit-contact", message)


def row(page: Page, email: str) -> Locator:
    return page.get_by_role("main").get_by_role("listitem").filter(has_text=email)


def test_a_lead_is_found_read_and_handled(admin_page: Page, site: LiveGateway, rows: SyncConnection) -> None:
    email = somebody()
    send_message(site, email)
    admin_page.goto("/admin/leads")
    lead = row(admin_page, email)
    expect(lead).to_contain_text(f"Priya Raman · Containers of {email}")
    for badge in ("Urgent", "Contact message", "New"):
        expect(lead.get_by_text(badge, exact=True)).to_be_visible()

    lead.get_by_role("button", name="Priya Raman ·").click()
    dialog = admin_page.get_by_role("dialog", name="Contact message")
    for words in ("North Shore Surgical", "508-555-0163", "The back door is open until 5."):
        expect(dialog).to_contain_text(words)
    expect(dialog.get_by_role("link", name="Write an e-mail")).to_have_attribute("href", f"mailto:{email}")
    expect(dialog.get_by_role("link", name="Call")).to_have_attribute("href", "tel:5085550163")
    assert violations(admin_page) == []
    dialog.get_by_role("button", name="Mark as handled").click()
    expect_toast(admin_page, "Success", "Marked as handled")
    expect(dialog).to_have_count(0)
    expect(lead).to_have_count(0)
    assert rows.rows("select status from public.contact_messages where email = $1", email) == [("handled",)]

    admin_page.get_by_role("combobox", name="State").select_option(label="Handled")
    expect(lead.get_by_text("Handled", exact=True)).to_be_visible()
    assert admin_page.url.endswith("/admin/leads?status=handled")
    lead.get_by_role("button", name="Mark as new: Priya Raman").click()
    expect_toast(admin_page, "Success", "Marked as new")
    expect(lead).to_have_count(0)


def test_each_form_has_its_own_list(admin_page: Page, site: LiveGateway) -> None:
    message, subscription = somebody(), somebody()
    send_message(site, message)
    body = {"firstName": "Lena", "lastName": "Okafor", "email": subscription, "honeypot": ""}
    submit(site, "submit-newsletter", body)
    admin_page.goto("/admin/leads")
    expect(row(admin_page, message)).to_be_visible()
    expect(row(admin_page, subscription)).to_be_visible()
    tabs = admin_page.get_by_role("navigation", name="Forms")
    tabs.get_by_role("link", name="Newsletter").click()
    expect(row(admin_page, message)).to_have_count(0)
    expect(row(admin_page, subscription)).to_contain_text("Lena Okafor")
    admin_page.reload()
    expect(row(admin_page, subscription)).to_be_visible()
    tabs.get_by_role("link", name="Contact message").click()
    expect(row(admin_page, message)).to_be_visible()
    expect(row(admin_page, subscription)).to_have_count(0)


def test_leads_are_exported_as_a_table(admin_page: Page, site: LiveGateway, tmp_path: Path) -> None:
    email = somebody()
    send_message(site, email, company='=HYPERLINK("http://evil.example")')
    admin_page.goto("/admin/leads?form=contact")
    expect(row(admin_page, email)).to_be_visible()
    with admin_page.expect_download() as loading:
        admin_page.get_by_role("button", name="Export CSV").click()
    assert re.fullmatch(r"leads-contact-\d{4}-\d\d-\d\d\.csv", loading.value.suggested_filename)
    file = tmp_path / "leads.csv"
    loading.value.save_as(file)
    text = file.read_text(encoding="utf-8-sig")
    assert email in text
    assert '"\'=HYPERLINK(""http://evil.example"")"' in text  # a text, which no spreadsheet runs
    expect(admin_page.get_by_text("Leads exported", exact=True)).to_be_visible()


def test_a_submission_held_by_mistake_is_released(admin_page: Page, site: LiveGateway, rows: SyncConnection) -> None:
    email = somebody()
    send_message(site, email, honeypot="I am a person")
    admin_page.goto("/admin/leads")
    admin_page.get_by_role("navigation", name="Forms").get_by_role("link", name="Quarantine").click()
    held = row(admin_page, email)
    expect(held.get_by_text("Held", exact=True)).to_be_visible()
    assert caught(site, email) == []
    assert violations(admin_page) == []

    held.get_by_role("button").click()
    dialog = admin_page.get_by_role("dialog", name="Held submission")
    expect(dialog).to_contain_text("I am a person")
    answer(admin_page, FUNCTION, 500, {"ok": False, "error": "The database is away."})
    dialog.get_by_role("button", name="Release").click()
    expect_failure(admin_page, "Error", "The submission could not be released: The database is away.")
    admin_page.unroute(FUNCTION)
    dialog.get_by_role("button", name="Release").click()
    expect_toast(admin_page, "Success", "Released: it is now among the leads")
    expect(held).to_have_count(0)
    admin_page.get_by_role("navigation", name="Forms").get_by_role("link", name="Contact message").click()
    expect(row(admin_page, email)).to_be_visible()
    assert len(rows.rows("select from public.contact_messages where email = $1", email)) == 1
    assert any(email in str(mail) for mail in caught(site, STAFF)) or expect_mail(site, email, "We have your message")


def test_leads_that_cannot_be_read_or_changed_are_said(admin_page: Page, site: LiveGateway) -> None:
    email = somebody()
    send_message(site, email)
    refusal = {"code": "42501", "message": "permission denied"}
    answer(admin_page, MESSAGES, 403, refusal, method="PATCH")
    admin_page.goto("/admin/leads?form=contact")
    row(admin_page, email).get_by_role("button", name="Mark as handled").click()
    expect_failure(admin_page, "Error", "The lead could not be changed: permission denied")
    expect(row(admin_page, email)).to_be_visible()
    answer(admin_page, MESSAGES, 403, refusal)
    admin_page.reload()
    sentence = "The leads could not be loaded. Reload the page to try again."
    expect(admin_page.get_by_role("alert").get_by_text(sentence, exact=True)).to_be_visible()
    admin_page.get_by_role("button", name="Export CSV").click()
    expect_failure(admin_page, "Error", "The leads could not be exported")


def test_leads_are_for_administrators_alone(
    site: LiveGateway, hire: Hire, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    sign_in(page, hire(), "/admin/leads")
    expect(page.get_by_role("heading", name="Access Denied")).to_be_visible()
    headers = {"apikey": site.publishable_key}
    for table in ("contact_messages", "quote_requests", "newsletter_subscriptions", "quarantine"):
        reply = httpx.get(f"{site.url}/rest/v1/{table}", headers=headers, trust_env=False)
        assert reply.status_code in (401, 404)


@pytest.mark.parametrize("form", ["", "?form=quarantine"])
def test_the_leads_are_accessible_on_a_phone(admin_page: Page, site: LiveGateway, form: str) -> None:
    email = somebody()
    send_message(site, email, honeypot="robot" if form else "")
    admin_page.set_viewport_size(PHONE)
    admin_page.goto(f"/admin/leads{form}")
    expect(row(admin_page, email)).to_be_visible()
    assert violations(admin_page) == []
    wide, window = admin_page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide <= window, "the page scrolls sideways"
