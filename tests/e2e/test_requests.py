"""Contact, Quick Start, newsletter and the portal's form: what a visitor sends and what they are told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Playwright, expect

from gateway.database import SyncConnection
from tests import browser as chromium
from tests.e2e.forms import (
    STAFF,
    contact_form,
    fill_contact,
    fill_newsletter,
    fill_quick_start,
    fill_quote,
    newsletter_form,
    quick_start_form,
    quote_form,
    somebody,
)
from tests.e2e.screen import events, expect_error, expect_failure, expect_no_message, expect_toast
from tests.e2e.trap import expect_mail
from tests.fixtures.browser import FLAGS, PATIENCE, Held, answer
from tests.fixtures.server import LiveGateway

CONTACT = "**/functions/v1/submit-contact"
QUOTE = "**/functions/v1/submit-quote"
NEWSLETTER = "**/functions/v1/submit-newsletter"
DEFAULT = "Something went wrong. Please try again."

CONTACT_SENT = ("Message Sent!", "Thank you for contacting us. We'll respond within 24 hours.")
QUICK_SENT = (
    "Quick Start Request Submitted!",
    "Thank you! We'll contact you within 24 hours to set up your quick start service.",
)
SUBSCRIBED = ("Successfully Subscribed!", "Thank you for subscribing to our newsletter.")

FAILURES = [
    pytest.param(200, {"ok": False, "error": "We are closed for a storm."}, "We are closed for a storm.", id="refused"),
    pytest.param(200, {"ok": False}, "Submission failed", id="no ok"),
    pytest.param(500, {"message": "boom"}, DEFAULT, id="broken"),
]

# --- contact --------------------------------------------------------------------------------------------------------


def test_an_emergency_reaches_staff_as_such(page: Page, site: LiveGateway, rows: SyncConnection) -> None:
    email = somebody()
    subject = f"Spill at {email[8:18]}"
    page.goto("/contact")
    form = fill_contact(page, email, subject)
    expect(form.get_by_label("Normal (next business day)")).to_be_checked()
    form.get_by_label("Emergency (24hr response)").check()
    form.get_by_label("Phone").fill("508.555.0163 x12")
    form.get_by_label("Company").fill("North Shore Surgical")
    page.get_by_role("button", name="Send Message").click()

    expect_toast(page, *CONTACT_SENT)
    expect(form.get_by_label("Message")).to_have_value("")
    expect(form.get_by_label("Normal (next business day)")).to_be_checked()
    (emergency,) = events(page, "umw_emergency_request")
    assert emergency["priority"] == "emergency"
    (contact,) = events(page, "contact")
    assert (contact["form_type"], contact["priority_level"]) == ("contact_form", "emergency")
    assert contact["subject"] == subject

    notice = expect_mail(site, STAFF, f"[EMERGENCY] Contact: {subject}")
    assert notice["reply_to"] == email
    assert "The back door is open until 5." in notice["text"]
    assert "North Shore Surgical" in notice["text"]
    confirmation = expect_mail(site, email, "We have received your message")
    assert "We'll respond within 24 hours." in confirmation["text"]
    assert rows.rows("select priority, company from public.contact_messages where email = $1", email) == [
        ("emergency", "North Shore Surgical")
    ]


def test_an_empty_message_names_every_missing_field(page: Page) -> None:
    page.goto("/contact")
    form = contact_form(page)
    page.get_by_role("button", name="Send Message").click()
    expect_error(form.get_by_label("Name"), "Enter your name.")
    expect_error(form.get_by_label("Email"), "Enter an email address such as name@example.com.")
    expect_error(form.get_by_label("Subject"), "Enter a subject, such as “Add a sharps pickup”.")
    expect_error(form.get_by_label("Message"), "Tell us how we can help, in up to 4,000 characters.")
    expect(form.get_by_label("Name")).to_be_focused()
    expect_no_message(page)


@pytest.mark.parametrize(("status", "body", "message"), FAILURES)
def test_a_message_that_fails_is_kept(page: Page, status: int, body: object, message: str) -> None:
    page.goto("/contact")
    form = fill_contact(page, somebody())
    answer(page, CONTACT, status, body)
    page.get_by_role("button", name="Send Message").click()
    expect_failure(page, "Submission error", message)
    expect(form.get_by_label("Subject")).to_have_value("Two full sharps containers")


def test_the_contact_page_says_when_and_where(page: Page) -> None:
    page.goto("/contact")
    main = page.get_by_role("main")
    expect(main.get_by_role("heading", name="Schedule a Pickup")).to_be_visible()
    for line in ("7 AM-6 PM", "8 AM-12 PM", "Emergency only"):
        expect(main.get_by_text(line, exact=True)).to_be_visible()
    for state in ("Maine", "New Hampshire", "Vermont", "Massachusetts", "Rhode Island", "Connecticut"):
        expect(main.get_by_role("listitem").filter(has_text=state)).to_be_visible()
    expect(main.get_by_role("link", name="Get Quote")).to_have_attribute("href", "/quote")
    expect(main.get_by_role("link", name="service@")).to_have_attribute(
        "href", "mailto:service@unitedmedicalwaste.example"
    )


# --- Quick Start ----------------------------------------------------------------------------------------------------

CITIES = [
    ("/worcester", "worcester", "Worcester, MA"),
    ("/boston", "boston", "Boston, MA"),
    ("/providence", "providence", "Providence, RI"),
    ("/cape-cod", "capecod", "Cape Cod, MA"),
    ("/hartford", "hartford", "Hartford, CT"),
]


def test_quick_start_from_a_city_page_keeps_the_city(page: Page, site: LiveGateway, rows: SyncConnection) -> None:
    email = somebody()
    page.goto("/cape-cod")
    page.get_by_role("link", name="QUICK START SERVICE STARTING AT $75").click()
    page.wait_for_url("**/quick-start-quote?location=capecod")
    expect(page.get_by_role("heading", name="Quick Start Medical Waste Service")).to_be_visible()
    form = fill_quick_start(page, email)
    expect(form.get_by_label("Service Location")).to_have_value("capecod")
    form.get_by_label("Additional Information").fill("Season starts in May.")
    with page.expect_request(QUOTE) as sent:
        page.get_by_role("button", name="Request Quick Start Service").click()

    expect_toast(page, *QUICK_SENT)
    expect(form.get_by_label("Facility Name")).to_have_value("")
    expect(form.get_by_label("Service Location")).to_have_value("capecod")
    assert sent.value.post_data_json == {
        "facilityName": "Dune Road Dental", "facilityType": "dental-office", "contactName": "Sam Nickerson",
        "email": email, "phone": "508-555-0177", "location": "capecod", "message": "Season starts in May.",
        "company": "", "quickStartService": True, "promotionAmount": 99, "pickupFrequency": "monthly",
        "services": ["medical-waste"], "wasteVolume": "small", "city": "Cape Cod", "state": "MA",
        "serviceLocation": "Cape Cod, MA",
        "formattedMessage": "Quick Start Service for monthly pickup - Season starts in May.",
    }  # fmt: skip
    (started,) = events(page, "umw_quote_started")
    assert started["form_type"] == "quick_quote"
    (conversion,) = events(page, "umw_quick_start_conversion")
    assert (conversion["facility_type"], conversion["pickup_frequency"]) == ("dental-office", "monthly")
    assert (conversion["services"], conversion["estimated_volume"]) == ("medical-waste", "small")

    expect_mail(site, STAFF, "Quick Start: Dune Road Dental, Cape Cod, MA")
    expect_mail(site, email, "We have received your Quick Start request")
    columns = "quick_start_service, location, promotion_amount, message"
    assert rows.rows(f"select {columns} from public.quote_requests where email = $1", email) == [
        ("t", "capecod", "99.00", "Season starts in May.")
    ]


@pytest.mark.parametrize(("path", "key", "name"), CITIES, ids=[path.strip("/") for path, _, _ in CITIES])
def test_a_city_page_offers_both_services(page: Page, path: str, key: str, name: str) -> None:
    page.goto(path)
    main = page.get_by_role("main")
    quick = main.get_by_role("link", name="QUICK START SERVICE STARTING AT $75")
    expect(quick).to_have_attribute("href", f"/quick-start-quote?location={key}")
    expect(main.get_by_text("*for monthly pickups only", exact=True)).to_be_visible()
    quotes = main.get_by_role("link", name="Get a Quote")
    expect(quotes).to_have_count(2)
    for index in range(2):
        expect(quotes.nth(index)).to_have_attribute("href", "/quote")
    expect(main.get_by_role("link", name="Contact Us")).to_have_attribute("href", "/contact")
    expect(main.locator("details")).to_have_count(5)
    quick.click()
    expect(quick_start_form(page).get_by_label("Service Location").locator("option:checked")).to_have_text(name)


@pytest.mark.parametrize("address", ["/quick-start-quote", "/quick-start-quote?location=boston", "/quote", "/contact"])
def test_a_form_that_nobody_touched_is_not_started(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_load_state("networkidle")
    expect(page.locator("main button[type=submit]")).to_be_attached()
    assert events(page, "umw_quote_started") == []
    assert page.evaluate("sessionStorage.length") == 0


def test_quick_start_states_its_price_and_its_promises(page: Page) -> None:
    page.goto("/quick-start-quote")
    expect(page).to_have_title("Quick Start Medical Waste Service - $99/month | United Medical Waste")
    expect(page.locator("meta[name=description]")).to_have_attribute("content", re.compile(r"\$99/month"))
    main = page.get_by_role("main")
    for words in ("No setup fees, no long-term contracts", "Monthly Pickups", "Quick Setup", "Fully Compliant"):
        expect(main.get_by_text(words, exact=True)).to_be_visible()
    expect(main.get_by_role("heading", name="Start Service Today")).to_be_visible()
    expect(main.get_by_text("we'll have you set up within 48 hours")).to_be_visible()
    for card in ("What's Included", "Need Full Service?"):
        expect(main.get_by_role("heading", name=card)).to_be_visible()
    for point in ("Monthly pickup", "All containers provided", "Compliance documentation", "Trained technicians"):
        expect(main.get_by_text(point, exact=True)).to_be_visible()
    expect(main.get_by_role("link", name="Get Custom Quote")).to_have_attribute("href", "/quote")


def test_an_unknown_location_is_passed_on_as_it_was_written(page: Page) -> None:
    page.goto("/quick-start-quote?location=Nantucket")
    form = fill_quick_start(page, somebody())
    expect(form.get_by_label("Service Location")).to_have_value("Nantucket")
    answer(page, QUOTE, 200, {"ok": True})
    with page.expect_request(QUOTE) as sent:
        page.get_by_role("button", name="Request Quick Start Service").click()
    body = json.loads(sent.value.post_data or "")
    assert (body["serviceLocation"], body["city"], body["promotionAmount"]) == ("Nantucket", "", 99)
    assert body["formattedMessage"] == "Quick Start Service for monthly pickup"


def test_an_empty_quick_start_names_every_missing_field(page: Page) -> None:
    page.goto("/quick-start-quote")
    form = quick_start_form(page)
    page.get_by_role("button", name="Request Quick Start Service").click()
    for label in ("Facility Name", "Facility Type", "Contact Name", "Email", "Phone", "Service Location"):
        expect(form.get_by_label(label)).to_have_attribute("aria-invalid", "true")
    expect(form.get_by_label("Additional Information")).not_to_have_attribute("aria-invalid", "true")
    assert form.get_by_label("Facility Type").locator("option").all_inner_texts()[1:] == [
        "Outpatient Clinic", "Medical Practice", "Dental Office", "Veterinary Clinic", "Laboratory", "Long-term Care",
        "Other",
    ]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "message"), FAILURES)
def test_a_quick_start_that_fails_is_kept(page: Page, status: int, body: object, message: str) -> None:
    page.goto("/quick-start-quote?location=boston")
    form = fill_quick_start(page, somebody())
    answer(page, QUOTE, status, body)
    page.get_by_role("button", name="Request Quick Start Service").click()
    expect_failure(page, "Submission error", message)
    expect(form.get_by_label("Facility Name")).to_have_value("Dune Road Dental")


# --- newsletter -----------------------------------------------------------------------------------------------------


def test_a_subscriber_is_welcomed(page: Page, site: LiveGateway, rows: SyncConnection) -> None:
    email = somebody()
    page.goto("/about")
    form = fill_newsletter(page, email)
    form.get_by_role("button", name="Subscribe").click()
    expect_toast(page, *SUBSCRIBED)
    expect(form.get_by_label("Email Address")).to_have_value("")
    (event,) = events(page, "sign_up")
    assert event["method"] == "newsletter"
    expect_mail(site, email, "Welcome to the United Medical Waste newsletter")
    found = rows.rows("select first_name, last_name from public.newsletter_subscriptions where email = $1", email)
    assert found == [("Lena", "Okafor")]


def test_subscribing_is_shown_while_it_lasts(page: Page) -> None:
    held = Held(page, NEWSLETTER)
    page.goto("/")
    form = fill_newsletter(page, somebody())
    form.get_by_role("button", name="Subscribe").click()
    expect(form.get_by_role("button", name="Subscribing...")).to_be_disabled()
    held.first().fulfill(json={"ok": True})
    expect(form.get_by_role("button", name="Subscribe", exact=True)).to_be_enabled()


@pytest.mark.parametrize(("status", "body", "message"), FAILURES)
def test_a_subscription_that_fails_is_kept(page: Page, status: int, body: object, message: str) -> None:
    page.goto("/")
    form = fill_newsletter(page, "lena@bayclinic.example")
    answer(page, NEWSLETTER, status, body)
    form.get_by_role("button", name="Subscribe").click()
    expect_failure(page, "Subscription failed", message)
    expect(form.get_by_label("Email Address")).to_have_value("lena@bayclinic.example")


def test_an_empty_subscription_names_its_fields(page: Page) -> None:
    page.goto("/")
    form = newsletter_form(page)
    form.get_by_role("button", name="Subscribe").click()
    expect_error(form.get_by_label("First Name"), "Enter your first name.")
    expect_error(form.get_by_label("Last Name"), "Enter your last name.")
    expect_error(form.get_by_label("Email Address"), "Enter an email address such as name@example.com.")


# --- traps ----------------------------------------------------------------------------------------------------------

ADDRESS = {
    "NAME_FULL": "Dana Whitfield", "NAME_FIRST": "Dana", "NAME_LAST": "Whitfield", "COMPANY_NAME": "Elm Park",
    "EMAIL_ADDRESS": "dana@elmpark.example", "PHONE_HOME_WHOLE_NUMBER": "+15085550161",
    "ADDRESS_HOME_LINE1": "12 Elm Park Way", "ADDRESS_HOME_CITY": "Worcester", "ADDRESS_HOME_STATE": "MA",
    "ADDRESS_HOME_ZIP": "01608", "ADDRESS_HOME_COUNTRY": "US",
}  # fmt: skip


@contextmanager
def open_profile(playwright: Playwright, folder: Path) -> Iterator[Page]:
    """A browser that remembers what its earlier runs with this folder were told."""
    context = playwright.chromium.launch_persistent_context(
        folder, executable_path=chromium.ensure(), args=FLAGS, service_workers="block"
    )
    context.set_default_timeout(PATIENCE)
    yield context.pages[0]
    context.close()


def autofill(page: Page, field: Locator) -> None:
    """Let the browser fill in the form of a field from a saved address, as its own menu does."""
    session = page.context.new_cdp_session(page)
    session.send("Autofill.enable")
    field.evaluate("field => { window.__field = field }")
    found = session.send("Runtime.evaluate", {"expression": "window.__field"})["result"]["objectId"]
    node = session.send("DOM.describeNode", {"objectId": found})["node"]["backendNodeId"]
    address = {"fields": [{"name": name, "value": value} for name, value in ADDRESS.items()]}
    session.send("Autofill.trigger", {"fieldId": node, "address": address})


def test_a_browser_with_a_saved_address_never_fills_a_trap(
    playwright: Playwright, site: LiveGateway, tmp_path: Path
) -> None:
    with open_profile(playwright, tmp_path) as page:
        page.goto(site.url + "/contact")
        form = fill_contact(page, ADDRESS["EMAIL_ADDRESS"])
        form.get_by_label("Company").fill(ADDRESS["COMPANY_NAME"])
        form.get_by_label("Phone").fill("508-555-0161")
        form.get_by_role("button", name="Send Message").click()
        expect_toast(page, *CONTACT_SENT)

    with open_profile(playwright, tmp_path) as page:
        for address, find in {
            "/contact": contact_form, "/quote": quote_form, "/quick-start-quote": quick_start_form,
            "/about": newsletter_form,
        }.items():  # fmt: skip
            page.goto(site.url + address)
            form = find(page)
            email = form.get_by_label("Email")
            autofill(page, email)
            expect(email).to_have_value(ADDRESS["EMAIL_ADDRESS"])
            trap = form.locator("input[name=leave-empty]")
            expect(trap).to_have_value("")
            expect(trap).to_have_attribute("autocomplete", "off")
            expect(trap).to_have_attribute("tabindex", "-1")
            assert trap.evaluate("trap => trap.closest('[aria-hidden=true]') !== null"), address
            expect(form.get_by_role("textbox", name="Leave this field empty")).to_have_count(0)


@pytest.mark.parametrize(
    ("address", "fill", "url", "name"),
    [
        pytest.param("/quote", fill_quote, QUOTE, "company", id="quote"),
        pytest.param("/quick-start-quote?location=boston", fill_quick_start, QUOTE, "company", id="quick start"),
        pytest.param("/contact", fill_contact, CONTACT, "honeypot", id="contact"),
        pytest.param("/about", fill_newsletter, NEWSLETTER, "honeypot", id="newsletter"),
    ],
)
def test_a_filled_trap_keeps_a_robot_from_being_stored(
    page: Page, rows: SyncConnection, address: str, fill: Callable[[Page, str], Locator], url: str, name: str
) -> None:
    email = somebody()
    page.goto(address)
    form = fill(page, email)
    form.locator("input[name=leave-empty]").evaluate(
        """trap => {
          Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(trap, 'Robot Inc.')
          trap.dispatchEvent(new Event('input', { bubbles: true }))
        }"""
    )
    button = form.locator("button[type=submit]")
    with page.expect_response(url) as told:
        button.click()
    assert json.loads(told.value.request.post_data or "")[name] == "Robot Inc."
    assert told.value.json() == {"ok": True}
    expect(button).to_be_enabled()
    if url == QUOTE:
        expect_no_message(page)
    for table in ("quote_requests", "contact_messages", "newsletter_subscriptions"):
        assert rows.rows(f"select 1 from public.{table} where email = $1", email) == []
    assert len(rows.rows("select 1 from public.quarantine where payload ->> 'email' = $1", email)) == 1


# --- without scripts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["/quote", "/contact", "/quick-start-quote", "/about"])
def test_a_form_says_what_to_do_without_scripts(new_context: Callable[..., BrowserContext], address: str) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(address)
    notes = page.locator("noscript p")
    expect(notes).to_have_count(1 if address == "/about" else 2)
    for note in notes.all():
        expect(note).to_be_visible()
        assert note.inner_text().startswith("This form needs JavaScript. Without it, please call (508) 555-0142 or")
    # Nothing could receive them, and an ordinary submit would put them into the address.
    expect(page.locator("form button[type=submit]")).to_have_count(0)


# --- portal ---------------------------------------------------------------------------------------------------------


def test_the_portal_signs_in_at_the_provider_in_a_new_tab(page: Page) -> None:
    page.goto("/customer-portal")
    form = page.get_by_role("form", name="Customer portal")
    form.get_by_role("button", name="Log In to Portal").click()
    expect_error(form.get_by_label("Username"), "Enter your user name.")
    expect_error(form.get_by_label("Password"), "Enter your password.")
    form.get_by_label("Username").fill("elm-park")
    form.get_by_label("Password").fill("s3cret & more")
    with (
        page.context.expect_page(),
        page.context.expect_event("request", lambda request: request.method == "POST") as posted,
    ):
        form.get_by_role("button", name="Log In to Portal").click()
    request = posted.value
    assert request.url.startswith("https://") and "company_type=united_medical_waste" in request.url
    assert parse_qs(request.post_data or "") == {"username": ["elm-park"], "password": ["s3cret & more"]}
    assert page.url.endswith("/customer-portal")


def test_the_portal_explains_itself(page: Page) -> None:
    page.goto("/customer-portal")
    for title in ("Secure Document Access", "Compliance Certificates", "24/7 Portal Access"):
        expect(page.get_by_role("heading", name=title)).to_be_visible()
