"""A visitor asks for a quote: what they see, what staff get, what is stored."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, Request, Route, expect

from gateway.database import SyncConnection
from tests.e2e.forms import STAFF, fill_quote, newsletter_form, quick_start_form, quote_form, send_quote, somebody
from tests.e2e.screen import events, expect_error, expect_failure, expect_no_message, expect_toast
from tests.e2e.trap import caught, expect_mail
from tests.fixtures.browser import Delayed, Held, answer
from tests.fixtures.server import LiveGateway

FUNCTION = "**/functions/v1/submit-quote"
SENT = "Quote Request Submitted!"
PROMISE = "Thank you for your request. We'll contact you within 24 hours with a customized quote."
DEFAULT = "Something went wrong. Please try again."


def stored(rows: SyncConnection, email: str) -> int:
    return int(str(rows.rows("select count(*) from public.quote_requests where email = $1", email)[0][0]))


def test_a_full_quote_is_stored_once_and_both_sides_get_a_mail(
    page: Page, site: LiveGateway, rows: SyncConnection
) -> None:
    email = somebody()
    facility = f"Elm Park {email[8:18]}"
    page.goto("/quote")
    form = fill_quote(page, email, facility)
    form.get_by_label("Compliance Training").check()
    form.get_by_label("Number of Employees").select_option(label="10+")
    form.get_by_label("Street Address").fill("12 Elm Park Way")
    form.get_by_label("City").fill("Worcester")
    form.get_by_label("State").select_option(label="Massachusetts")
    form.get_by_label("ZIP Code").fill("01608")
    form.get_by_label("Current Provider").fill("Nobody yet")
    form.get_by_label("Contact Priority").select_option(label="High")
    send_quote(page)

    expect_toast(page, SENT, PROMISE)
    expect(page).to_have_url(re.compile("/quote/sent$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Your quote request is with us.")
    number = page.locator("strong").filter(has_text="UMW-").inner_text()
    page.reload()
    expect(page.get_by_text(number)).to_be_visible()
    expect(form.get_by_label("Facility Name")).to_have_value("")
    expect(form.get_by_label("Sharps Management")).not_to_be_checked()
    expect(form.get_by_label("Number of Employees")).to_have_count(0)

    notice = expect_mail(site, STAFF, f"Quote request: {facility}")
    assert notice["reply_to"] == email
    for words in ("Medical Practice", "Dana Whitfield", "(508) 555-0161", "Massachusetts", "01608", "Nobody yet"):
        assert words in notice["text"] and words in notice["html"]
    assert "Sharps Management, Compliance Training" in notice["text"]
    confirmation = expect_mail(site, email, "We have received your quote request")
    assert PROMISE in confirmation["text"]
    assert number in notice["text"] and number in notice["html"]
    assert number in confirmation["text"] and number in confirmation["html"]
    assert "What happens next" in confirmation["text"]

    columns = "facility_type, services, waste_volume, pickup_frequency, employee_count, state, quick_start_service"
    assert rows.rows(f"select {columns} from public.quote_requests where email = $1", email) == [
        ("medical-practice", "{sharps,training}", "3-5", "monthly", "10+", "MA", "f")
    ]


@pytest.mark.parametrize("form", ["quote", "quick-start-quote", "contact"])
def test_the_page_after_a_form_claims_nothing_to_who_sent_nothing(
    page: Page, new_context: Callable[..., BrowserContext], form: str
) -> None:
    unscripted = new_context(java_script_enabled=False).new_page()
    for seen in (page, unscripted):
        seen.goto(f"/{form}/sent")
        expect(seen.get_by_role("heading", level=1)).to_have_text(
            re.compile("^Your (quote request|Quick Start request|message)$")
        )
        expect(seen.get_by_text("is with us")).to_have_count(0)
        expect(seen.get_by_text("Your request number")).to_have_count(0)
        expect(seen.get_by_role("heading", name="What happens next")).to_have_count(0)
    assert "with us" not in page.title()


def test_an_empty_quote_names_every_missing_field_and_sends_nothing(page: Page) -> None:
    page.goto("/quote")
    calls: list[str] = []
    page.on("request", lambda request: calls.append(request.url) if "/functions/" in request.url else None)
    form = quote_form(page)
    send_quote(page)

    expect_error(form.get_by_label("Facility Name"), "Enter the name of your facility.")
    expect_error(form.get_by_label("Facility Type"), "Choose the type of facility.")
    expect_error(form.get_by_label("Contact Name"), "Enter the name of the person we should contact.")
    expect_error(form.get_by_label("Email"), "Enter an email address such as name@example.com.")
    expect_error(form.get_by_label("Phone"), "Enter a phone number with area code.")
    expect_error(form.get_by_label("Waste Volume per Pickup"), "Choose how many containers you fill between pickups.")
    expect_error(form.get_by_label("Pickup Frequency"), "Choose how often you need a pickup.")
    expect(form.get_by_role("group", name="Services")).to_have_accessible_description(
        "Please select at least one service."
    )
    expect_failure(page, "Services Required", "Please select at least one service.")
    expect(form.get_by_label("Facility Name")).to_be_focused()
    assert calls == []


def test_a_quote_goes_in_steps_that_are_remembered(page: Page) -> None:
    page.goto("/quote")
    form = quote_form(page)
    expect(form.get_by_role("progressbar")).to_have_attribute("aria-valuetext", "Step 1 of 3")
    form.get_by_role("button", name="Continue to step 2").click()
    expect_error(form.get_by_label("Facility Name"), "Enter the name of your facility.")
    expect(form.get_by_label("Facility Name")).to_be_focused()
    expect(form.get_by_label("Contact Name")).not_to_have_attribute("aria-invalid", "true")
    form.get_by_label("Facility Name").fill("Elm Park Family Medicine")
    form.get_by_label("Facility Type").select_option(label="Hospital")
    form.get_by_role("button", name="Continue to step 2").click()
    expect(form.get_by_role("group", name="What you need")).to_be_focused()
    expect(form.get_by_text("Step 2 of 3")).to_be_visible()
    page.reload()
    expect(quote_form(page).get_by_text("Step 2 of 3")).to_be_visible()


def test_a_quote_knows_what_led_to_it(page: Page) -> None:
    page.goto("/services/pharmaceutical")
    page.get_by_role("main").get_by_role("link", name="Get a Quote").first.click()
    expect(quote_form(page).get_by_label("Pharmaceutical Waste")).to_be_checked()
    page.goto("/industries")
    page.get_by_role("link", name="Get a Quote for Research & Laboratories").click()
    expect(quote_form(page).get_by_label("Facility Type")).to_have_value("laboratory")
    # What was chosen before is still there.
    expect(quote_form(page).get_by_label("Pharmaceutical Waste")).to_be_checked()


def test_an_error_goes_as_soon_as_its_cause_is_gone(page: Page) -> None:
    page.goto("/quote")
    form = quote_form(page)
    email = form.get_by_label("Email")
    email.fill("dana at elmpark")
    email.blur()
    expect_error(email, "Enter an email address such as name@example.com.")
    email.fill("dana@elmpark.example")
    expect(email).not_to_have_attribute("aria-invalid", "true")


def test_without_a_service_only_the_services_are_missing(page: Page) -> None:
    page.goto("/quote")
    form = fill_quote(page, somebody())
    form.get_by_label("Sharps Management").uncheck()
    send_quote(page)
    expect_failure(page, "Services Required", "Please select at least one service.")
    expect(form.locator("[aria-invalid=true]:not([name=services])")).to_have_count(0)
    expect(form.get_by_label("Facility Name")).to_have_value("Elm Park Family Medicine")


@pytest.mark.parametrize("service", ["Compliance Training", "Regulatory Consulting"])
def test_the_number_of_employees_is_asked_for_training_and_advice_alone(page: Page, service: str) -> None:
    page.goto("/quote")
    form = fill_quote(page, somebody())
    employees = form.get_by_label("Number of Employees")
    expect(employees).to_have_count(0)
    form.get_by_label(service).check()
    expect(employees).to_be_visible()
    assert employees.locator("option").all_inner_texts()[1:] == ["1-10", "10+"]
    send_quote(page)
    expect_error(employees, "Choose how many employees need training or advice.")
    form.get_by_label(service).uncheck()
    expect(employees).to_have_count(0)


def test_the_option_lists_are_those_of_the_business(page: Page) -> None:
    page.goto("/quote")
    form = quote_form(page)

    def options(label: str) -> list[str]:
        return form.get_by_label(label).locator("option").all_inner_texts()[1:]

    assert options("Facility Type") == [
        "Hospital", "Outpatient Clinic", "Medical Practice", "Laboratory", "Research Facility", "Long-term Care",
        "Government Facility", "Other",
    ]  # fmt: skip
    assert options("State") == ["Maine", "New Hampshire", "Vermont", "Massachusetts", "Rhode Island", "Connecticut"]
    assert options("Waste Volume per Pickup") == ["N/A", "1-2", "3-5", "6-10", "10+"]
    assert options("Pickup Frequency") == [
        "N/A", "Annually (one per year)", "Biannually (two per year)", "Quarterly (four per year)",
        "Every Two Months (6 per year)", "Monthly", "Biweekly (every other week)", "Weekly",
    ]  # fmt: skip
    assert options("Contact Priority") == ["Low", "Normal", "High", "Urgent"]
    assert form.get_by_role("group", name="Services").get_by_role("checkbox").count() == 8
    for label in (
        "Medical Waste Collection", "Sharps Management", "Pharmaceutical Waste", "Pathological Waste",
        "Document Shredding", "Compliance Training", "Emergency Cleanup", "Regulatory Consulting",
    ):  # fmt: skip
        expect(form.get_by_label(label, exact=True)).to_be_visible()


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        pytest.param(
            200, {"ok": False, "error": "We are closed for a storm."}, "We are closed for a storm.", id="refused"
        ),
        pytest.param(200, {}, "Submission failed", id="no ok"),
        pytest.param(429, {"ok": False, "error": "Please wait a minute."}, "Please wait a minute.", id="too many"),
        pytest.param(500, {"message": "boom"}, DEFAULT, id="broken"),
    ],
)
def test_a_failure_is_told_and_the_form_kept(page: Page, status: int, body: object, message: str) -> None:
    page.goto("/quote")
    form = fill_quote(page, somebody())
    answer(page, FUNCTION, status, body)
    send_quote(page)
    expect_failure(page, "Submission error", message)
    expect(form.get_by_label("Facility Name")).to_have_value("Elm Park Family Medicine")
    expect(form.get_by_label("Sharps Management")).to_be_checked()
    expect(page.get_by_role("button", name="Submit Quote Request")).to_be_enabled()


def test_a_lost_connection_is_told_and_the_form_kept(page: Page) -> None:
    page.goto("/quote")
    form = fill_quote(page, somebody())
    page.route(FUNCTION, lambda route: route.abort())
    send_quote(page)
    expect_failure(page, "Submission error", DEFAULT)
    expect(form.get_by_label("Contact Name")).to_have_value("Dana Whitfield")


def test_a_second_try_after_a_lost_answer_stores_one_lead(page: Page, site: LiveGateway, rows: SyncConnection) -> None:
    email = somebody()
    keys: list[str] = []
    page.on("request", lambda request: note_key(request, keys))

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    page.goto("/quote")
    fill_quote(page, email)
    page.route(FUNCTION, lose, times=1)
    send_quote(page)
    expect_failure(page, "Submission error", DEFAULT)
    assert stored(rows, email) == 1
    send_quote(page)
    expect_toast(page, SENT, PROMISE)

    assert len(keys) == 2 and keys[0] == keys[1]
    assert stored(rows, email) == 1
    expect_mail(site, email, "We have received your quote request")


def note_key(request: Request, keys: list[str]) -> None:
    if request.method == "POST" and "/functions/" in request.url:
        keys.append(request.headers["idempotency-key"])


def test_what_was_typed_survives_a_reload(page: Page) -> None:
    page.goto("/quote")
    fill_quote(page, "dana@elmpark.example")
    page.reload()
    form = quote_form(page)
    expect(form.get_by_label("Facility Name")).to_have_value("Elm Park Family Medicine")
    expect(form.get_by_label("Sharps Management")).to_be_checked()
    expect(form.get_by_label("Pickup Frequency")).to_have_value("monthly")


@pytest.mark.parametrize("query", ["", "?from=mail"], ids=["taken over", "drawn anew"])
def test_what_was_typed_before_the_script_arrived_is_kept(page: Page, query: str) -> None:
    scripts = Delayed(page, "**/assets/index-*.js")
    page.goto(f"/quote{query}", wait_until="commit")
    form = page.get_by_role("form", name="Quote request")
    form.get_by_label("Facility Name").fill("Elm Park Family Medicine")
    form.get_by_label("Facility Type").select_option(label="Hospital")
    form.get_by_label("Compliance Training").check()
    form.get_by_label("Contact Priority").select_option(label="High")
    news = page.get_by_role("form", name="Newsletter")
    news.get_by_label("Email Address").fill("dana@elmpark.example")
    scripts.let_go()

    quote_form(page)
    expect(form.get_by_label("Number of Employees")).to_be_visible()
    expect(form.get_by_label("Facility Name")).to_have_value("Elm Park Family Medicine")
    expect(form.get_by_label("Facility Type")).to_have_value("hospital")
    expect(form.get_by_label("Compliance Training")).to_be_checked()
    expect(form.get_by_label("Contact Priority")).to_have_value("high")
    expect(newsletter_form(page).get_by_label("Email Address")).to_have_value("dana@elmpark.example")
    assert [event["form_type"] for event in events(page, "umw_quote_started")] == ["full_quote"]
    page.reload()
    expect(quote_form(page).get_by_label("Facility Name")).to_have_value("Elm Park Family Medicine")


def test_a_location_from_the_address_stands_when_something_was_typed_early(page: Page) -> None:
    scripts = Delayed(page, "**/assets/index-*.js")
    page.goto("/quick-start-quote?location=boston", wait_until="commit")
    form = page.get_by_role("form", name="Quick Start request")
    form.get_by_label("Contact Name").fill("Sam Nickerson")
    scripts.let_go()
    quick_start_form(page)
    expect(form.get_by_label("Service Location")).to_have_value("boston")
    expect(form.get_by_label("Contact Name")).to_have_value("Sam Nickerson")


def test_offline_the_form_waits_and_sends_itself_later(
    page: Page, context: BrowserContext, rows: SyncConnection
) -> None:
    email = somebody()
    page.goto("/quote")
    fill_quote(page, email)
    # The code that sends is loaded when a form is first used; without a connection it could not be.
    page.wait_for_load_state("networkidle")
    context.set_offline(True)
    send_quote(page)
    expect(quote_form(page).get_by_role("status")).to_contain_text("You are offline.")
    context.set_offline(False)
    expect_toast(page, SENT, PROMISE)
    assert stored(rows, email) == 1


def test_what_waits_for_the_connection_is_sent_from_another_page_too(
    page: Page, context: BrowserContext, rows: SyncConnection
) -> None:
    email = somebody()
    page.goto("/quote")
    fill_quote(page, email)
    about = page.get_by_role("navigation", name="Main").get_by_role("link", name="About")
    about.hover()  # its code is loaded by that
    page.wait_for_load_state("networkidle")
    context.set_offline(True)
    send_quote(page)
    expect(quote_form(page).get_by_role("status")).to_contain_text("You are offline.")
    about.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("A regional company")
    context.set_offline(False)
    expect_toast(page, SENT, PROMISE)
    assert stored(rows, email) == 1
    assert page.url.endswith("/about"), "nobody is called back from where they read"


def test_what_waits_for_the_connection_is_sent_when_the_form_is_opened_again(
    page: Page, context: BrowserContext, rows: SyncConnection
) -> None:
    email = somebody()
    page.goto("/quote")
    fill_quote(page, email)
    page.wait_for_load_state("networkidle")
    context.set_offline(True)
    send_quote(page)
    expect(quote_form(page).get_by_role("status")).to_contain_text("You are offline.")
    page.goto("about:blank")
    context.set_offline(False)
    page.goto("/quote")
    expect_toast(page, SENT, PROMISE)
    assert stored(rows, email) == 1
    page.goto("/quote")
    expect(quote_form(page).get_by_label("Email")).to_have_value("")
    assert stored(rows, email) == 1


def test_what_is_typed_while_a_request_is_on_its_way_is_not_thrown_away(page: Page, rows: SyncConnection) -> None:
    email = somebody()
    page.goto("/quote")
    form = fill_quote(page, email)
    held = Held(page, FUNCTION)
    send_quote(page)
    expect(page.get_by_role("button", name="Submitting")).to_be_visible()
    form.get_by_label("Phone").fill("(508) 555-0199")
    held.first().continue_()
    page.unroute(FUNCTION)
    expect_toast(page, SENT, PROMISE)
    expect(page.get_by_text("Your last change was not sent", exact=True)).to_be_visible()
    expect(form.get_by_label("Phone")).to_have_value("(508) 555-0199")
    send_quote(page)
    page.wait_for_url("**/quote/sent")
    phones = rows.rows("select phone from public.quote_requests where email = $1 order by created_at", email)
    assert phones == [("(508) 555-0161",), ("(508) 555-0199",)]


def test_a_draft_of_an_earlier_form_keeps_what_still_fits(page: Page, rows: SyncConnection) -> None:
    email = somebody()
    page.goto("/quote")
    page.evaluate(
        "kept => sessionStorage.setItem('umw:form:quote:values', JSON.stringify(kept))",
        {"city": "Barre", "dropped": "?", "services": "sharps", "state": None, "address": ["x"], "__proto__": "x"},
    )
    page.reload()
    form = quote_form(page)
    expect(form.get_by_label("City")).to_have_value("Barre")
    expect(form.locator("[name=address]")).to_have_value("")
    fill_quote(page, email)
    send_quote(page)
    expect_toast(page, SENT, PROMISE)
    assert rows.rows("select city from public.quote_requests where email = $1", email) == [("Barre",)]


def test_a_filled_trap_is_dropped_without_a_word_and_kept_in_quarantine(
    page: Page, site: LiveGateway, rows: SyncConnection
) -> None:
    email = somebody()
    page.goto("/quote")
    fill_quote(page, email)
    trap = page.locator("input[name=leave-empty]").first
    expect(trap).not_to_be_in_viewport()
    trap.evaluate(
        """input => {
          Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, 'Robot Inc.')
          input.dispatchEvent(new Event('input', {bubbles: true}))
        }"""
    )
    with page.expect_response(FUNCTION) as told:
        send_quote(page)
    assert told.value.json() == {"ok": True}
    expect(page.get_by_role("button", name="Submit Quote Request")).to_be_enabled()
    expect_no_message(page)
    assert stored(rows, email) == 0
    kept = rows.rows("select form, payload ->> 'company' from public.quarantine where payload ->> 'email' = $1", email)
    assert kept == [("quote", "Robot Inc.")]
    assert caught(site, email) == []


def test_the_trap_is_out_of_reach_of_people_and_their_tools(page: Page) -> None:
    page.goto("/quote")
    trap = page.locator("form[aria-label='Quote request'] input[name=leave-empty]")
    expect(trap).to_have_attribute("tabindex", "-1")
    expect(trap).to_have_attribute("autocomplete", "off")
    assert trap.evaluate("input => input.closest('[aria-hidden=true]') !== null")


def test_phone_and_zip_bring_the_right_keyboard(page: Page) -> None:
    page.goto("/quote")
    form = quote_form(page)
    expect(form.get_by_label("Phone")).to_have_attribute("type", "tel")
    expect(form.get_by_label("Phone")).to_have_attribute("inputmode", "tel")
    expect(form.get_by_label("ZIP Code")).to_have_attribute("inputmode", "numeric")
    expect(form.get_by_label("Email")).to_have_attribute("type", "email")


def test_the_button_says_so_while_sending(page: Page) -> None:
    held = Held(page, FUNCTION)
    page.goto("/quote")
    fill_quote(page, somebody())
    send_quote(page)
    busy = page.get_by_role("button", name="Submitting...")
    expect(busy).to_be_disabled()
    held.first().fulfill(json={"ok": True})
    expect(page.get_by_role("button", name="Submit Quote Request")).to_be_enabled()


def test_a_quote_is_reported_as_it_happens(page: Page) -> None:
    page.goto("/quote")
    form = fill_quote(page, somebody())
    form.get_by_label("Document Shredding").check()
    form.get_by_label("Document Shredding").uncheck()
    answer(page, FUNCTION, 200, {"ok": True})
    send_quote(page)
    expect_toast(page, SENT, PROMISE)

    (started,) = events(page, "umw_quote_started")
    assert started["form_type"] == "full_quote"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", started["timestamp"])
    assert [(event["item_id"], event["action"]) for event in events(page, "select_content")] == [
        ("sharps", "selected"), ("document-shredding", "selected"), ("document-shredding", "deselected"),
    ]  # fmt: skip
    (lead,) = events(page, "generate_lead")
    assert lead == {
        "event": "generate_lead", "form_type": "quote_request", "facility_type": "medical-practice",
        "services": "sharps", "pickup_frequency": "monthly", "estimated_volume": "3-5", "currency": "USD",
    }  # fmt: skip
    quote_form(page).get_by_label("Facility Name").fill("Another")
    assert len(events(page, "umw_quote_started")) == 2
