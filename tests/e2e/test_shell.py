"""What surrounds every page: navigation, old addresses, the 404 page, the error screen, consent, the keyboard."""

from __future__ import annotations

import json
import re

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.e2e.screen import events
from tests.fixtures.browser import PHONE
from tests.fixtures.server import LiveGateway

CLOSE_DELAY = 1500  # milliseconds

# --- navigation -----------------------------------------------------------------------------------------------------


def test_every_link_of_the_shell_leads_where_the_specification_says(page: Page) -> None:
    page.goto("/")
    bar = page.get_by_role("banner")
    for label in ("Customer Login", "Make Payment"):
        expect(bar.get_by_role("link", name=label)).to_have_attribute("href", "/customer-portal")
    main = page.get_by_role("navigation", name="Main")
    for label, target in {
        "Home": "/", "Services": "/services", "Insights": "/insights", "Customer Portal": "/customer-portal",
        "About": "/about", "Contact": "/contact",
    }.items():  # fmt: skip
        expect(main.get_by_role("link", name=label, exact=True)).to_have_attribute("href", target)
    expect(bar.get_by_role("link", name="Get Quote")).to_have_attribute("href", "/quote")
    footer = page.get_by_role("contentinfo")
    for label, target in {
        "Worcester, MA": "/worcester", "Boston, MA": "/boston", "Providence, RI": "/providence",
        "Cape Cod, MA": "/cape-cod", "Hartford, CT": "/hartford", "Pharmaceutical Waste": "/services/pharmaceutical",
    }.items():  # fmt: skip
        expect(footer.get_by_role("link", name=label)).to_have_attribute("href", target)
    expect(footer.get_by_text("Mon-Fri 7:00 AM - 6:00 PM")).to_be_visible()


def test_home_makes_its_promises(page: Page) -> None:
    page.goto("/")
    main = page.get_by_role("main")
    for figure in ("29+", "5000+", "24/7", "100%"):
        expect(main.get_by_text(figure, exact=True)).to_be_visible()
    closing = main.locator("section", has=page.get_by_role("heading", name="Get a FREE Waste Audit")).last
    for link in closing.get_by_role("link").all():
        expect(link).to_have_attribute("href", "/quote")
    expect(closing.get_by_role("link")).to_have_count(2)
    # The second copy of the band is for the eye only.
    names = page.get_by_test_id("carousel-track").get_by_role("listitem").all_inner_texts()
    assert len(names) == len(set(names)) == 13


def test_the_submenu_stays_for_a_second_and_a_half(page: Page) -> None:
    page.clock.install()
    page.goto("/")
    menu = page.locator("#services-menu")
    services = page.get_by_role("navigation", name="Main").get_by_role("link", name="Services", exact=True)
    services.hover()
    expect(menu).to_be_visible()
    page.clock.pause_at(page.evaluate("Date.now() / 1000 + 60"))
    page.mouse.move(640, 800)
    page.clock.run_for(CLOSE_DELAY - 1)
    expect(menu).to_be_visible()
    page.clock.run_for(1)
    expect(menu).to_be_hidden()


def test_coming_back_in_time_keeps_the_submenu(page: Page) -> None:
    page.clock.install()
    page.goto("/")
    menu = page.locator("#services-menu")
    services = page.get_by_role("navigation", name="Main").get_by_role("link", name="Services", exact=True)
    services.hover()
    expect(menu).to_be_visible()
    page.clock.pause_at(page.evaluate("Date.now() / 1000 + 60"))
    page.mouse.move(640, 800)
    page.clock.run_for(CLOSE_DELAY - 500)
    menu.get_by_role("link", name="Compliance Training").hover()
    page.clock.run_for(2 * CLOSE_DELAY)
    expect(menu).to_be_visible()
    menu.get_by_role("link", name="Compliance Training").click()
    page.wait_for_url("**/services/compliance-training")
    expect(menu).to_be_hidden()


def test_the_submenu_works_by_keyboard(page: Page) -> None:
    page.goto("/")
    toggle = page.get_by_role("button", name="Services submenu")
    menu = page.locator("#services-menu")
    expect(toggle).to_have_attribute("aria-expanded", "false")
    toggle.focus()
    page.keyboard.press("Enter")
    expect(toggle).to_have_attribute("aria-expanded", "true")
    assert menu.get_by_role("link").all_inner_texts() == [
        "Medical Waste",
        "Pharmaceutical Waste",
        "Compliance Training",
    ]
    page.keyboard.press("Tab")
    expect(menu.get_by_role("link", name="Medical Waste")).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(toggle).to_be_focused()
    page.keyboard.press("Enter")
    for _ in range(4):
        page.keyboard.press("Tab")
    expect(menu).to_be_hidden()


def test_a_phone_has_a_menu_of_its_own(page: Page) -> None:
    page.set_viewport_size(PHONE)
    page.goto("/")
    expect(page.get_by_role("navigation", name="Main")).to_be_hidden()
    toggle = page.get_by_role("button", name="Open menu")
    menu = page.get_by_role("navigation", name="Mobile")
    expect(menu).to_be_hidden()
    toggle.click()
    expect(menu).to_be_visible()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    toggle.click()
    assert menu.get_by_role("link").all_inner_texts() == [
        "Home", "Services", "Medical Waste", "Pharmaceutical Waste", "Compliance Training", "Insights",
        "Customer Portal", "About", "Contact", "Get Quote",
    ]  # fmt: skip
    menu.get_by_role("link", name="Pharmaceutical Waste").click()
    page.wait_for_url("**/services/pharmaceutical")
    expect(menu).to_be_hidden()


def test_every_page_starts_at_its_top_and_is_counted_once(page: Page) -> None:
    page.goto("/about")
    page.get_by_role("contentinfo").get_by_role("link", name="Industries").click()
    expect(page).to_have_title(re.compile("Industries"))
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    assert page.evaluate("window.scrollY") == 0
    page.go_back()
    expect(page).to_have_title(re.compile("About"))
    seen = [(event["page_path"], event["page_title"] != "") for event in events(page, "page_view")]
    assert seen == [("/about", True), ("/industries", True), ("/about", True)]
    assert events(page, "page_view")[1]["page_location"].endswith("/industries")
    assert "Industries" in events(page, "page_view")[1]["page_title"]


# --- old and unknown addresses --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "target"),
    [
        ("/resources", "/insights"),
        ("/blog", "/insights"),
        ("/blog?tag=OSHA", "/insights?tag=OSHA"),
        ("/blog/some-article", "/insights/some-article"),
        ("/quick-quote?location=boston", "/quick-start-quote?location=boston"),
        ("/services/pharmaceutical-waste", "/services/pharmaceutical"),
        ("/local/cape-cod", "/cape-cod"),
        ("/about/", "/about"),
    ],
)
def test_an_old_address_leads_to_the_new_one_for_good(site: LiveGateway, old: str, target: str) -> None:
    response = httpx.get(site.url + old)
    assert (response.status_code, response.headers["location"]) == (301, target)


def test_an_unknown_address_is_not_found_and_counted(page: Page) -> None:
    response = page.goto("/no/such/page?x=1")
    assert response is not None and response.status == 404
    expect(page.get_by_role("heading", level=1)).to_contain_text("404")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Page Not Found")
    (lost,) = events(page, "page_not_found")
    assert lost["page_path"] == "/no/such/page"
    main = page.get_by_role("main")
    for label, target in {"Return Home": "/", "View Services": "/services", "Contact Us": "/contact"}.items():
        expect(main.get_by_role("link", name=label)).to_have_attribute("href", target)
    popular = page.get_by_role("navigation", name="Popular pages").get_by_role("link")
    assert [link.get_attribute("href") for link in popular.all()] == [
        "/services/medical-waste", "/services/pharmaceutical", "/services/compliance-training", "/quote",
    ]  # fmt: skip
    main.get_by_role("link", name="View Services").click()
    page.wait_for_url("**/services")
    (click,) = events(page, "umw_navigation_click")
    assert (click["link_text"], click["link_url"]) == ("View Services", "/services")


# --- the error screen -----------------------------------------------------------------------------------------------

BREAK = """() => {
  const real = Date.prototype.getMonth
  Date.prototype.getMonth = () => { throw new Error('broken on purpose') }
  window.heal = () => { Date.prototype.getMonth = real }
}"""


def test_a_broken_page_says_so_and_can_be_tried_again(page: Page) -> None:
    page.goto("/about")
    page.evaluate(BREAK)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Insights").click()
    expect(page.get_by_role("heading", name="Something Went Wrong")).to_be_visible()
    expect(
        page.get_by_text("We apologize for the inconvenience. An unexpected error has occurred.", exact=True)
    ).to_be_visible()
    main = page.get_by_role("main")
    expect(main.get_by_role("link", name="Return Home")).to_have_attribute("href", "/")
    expect(main.get_by_role("link", name="contact us")).to_have_attribute("href", "/contact")
    page.evaluate("window.heal()")
    main.get_by_role("button", name="Try Again").click()
    expect(page.get_by_role("article")).to_have_count(10)


def test_a_broken_page_leaves_the_others_alone(page: Page) -> None:
    page.goto("/about")
    page.evaluate(BREAK)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Insights").click()
    expect(page.get_by_role("heading", name="Something Went Wrong")).to_be_visible()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Contact").click()
    expect(page.get_by_role("heading", name="Schedule a Pickup")).to_be_visible()


# --- the tag manager ------------------------------------------------------------------------------------------------


def test_without_a_container_nothing_is_asked_or_loaded(page: Page) -> None:
    outside: list[str] = []
    page.on("request", lambda request: outside.append(request.url) if "127.0.0.1" not in request.url else None)
    page.goto("/")
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("region", name="Cookie consent")).to_have_count(0)
    assert outside == []


@pytest.mark.parametrize(("choice", "loaded"), [("Accept", 1), ("Decline", 0)])
def test_a_container_is_loaded_only_with_consent(page: Page, choice: str, loaded: int) -> None:
    values = {"SUPABASE_URL": "", "SUPABASE_PUBLISHABLE_KEY": "x", "GTM_ID": "GTM-TEST"}
    page.route("**/env.js", lambda route: route.fulfill(body=f"window.__ENV__ = {json.dumps(values)}"))
    containers = page.locator("script[src*='googletagmanager']")
    page.goto("/")
    banner = page.get_by_role("region", name="Cookie consent")
    expect(banner).to_be_visible()
    expect(containers).to_have_count(0)
    banner.get_by_role("button", name=choice).click()
    expect(banner).to_have_count(0)
    expect(containers).to_have_count(loaded)
    page.reload()
    expect(page.get_by_role("button", name="Services submenu")).to_be_enabled()
    page.wait_for_load_state("networkidle")
    expect(banner).to_have_count(0)
    expect(containers).to_have_count(loaded)
    if choice == "Decline":
        assert events(page, "page_view") == []


def test_buttons_and_pages_looked_at_are_reported(page: Page) -> None:
    page.goto("/services/medical-waste")
    page.wait_for_load_state("networkidle")
    (seen,) = events(page, "view_item")
    assert seen["item_id"] == "/services/medical-waste"
    page.get_by_role("main").get_by_role("link", name="Get a Quote").first.click()
    page.wait_for_url("**/quote")
    page.get_by_role("banner").get_by_role("link", name="Make Payment").click()
    page.wait_for_url("**/customer-portal")
    clicks = [tuple(list(event.values())[1:]) for event in events(page, "umw_button_click")]
    assert clicks == [("Get a Quote", "Medical Waste hero", "cta"), ("Make Payment", "utility_bar", "cta")]


# --- the keyboard ---------------------------------------------------------------------------------------------------

# What Tab must reach, in the order of the document; a group of radio buttons is one stop.
STOPS = """() => {
  const groups = new Set()
  return [...document.querySelectorAll('a[href], button, input, select, textarea, summary')].filter(e => {
    if (e.tabIndex < 0 || e.disabled || e.closest('[hidden], [inert], noscript') || !e.checkVisibility()) return false
    if (e.type !== 'radio') return true
    if (groups.has(e.name)) return false
    groups.add(e.name)
    return true
  }).length
}"""
FOCUSED = """async () => {
  const e = document.activeElement
  if (e === document.body) return null
  const style = getComputedStyle(e)
  const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 || style.boxShadow !== 'none'
  const inSight = ({ bottom, top, width }) => bottom > 0 && top < innerHeight && width > 0
  let seen = inSight(e.getBoundingClientRect())
  // Scrolling to it, or its own way into sight, may take some frames.
  for (let frames = 0; !seen && frames < 120; frames += 1) {
    await new Promise(requestAnimationFrame)
    seen = inSight(e.getBoundingClientRect())
  }
  window.__stops ??= new Map()
  if (!window.__stops.has(e)) window.__stops.set(e, window.__stops.size)
  return { number: window.__stops.get(e), ring, seen, name: e.outerHTML.slice(0, 120) }
}"""


@pytest.mark.parametrize("address", ["/", "/quote", "/contact", "/insights", "/customer-portal"])
def test_tab_reaches_everything_in_order_and_shows_where_it_is(page: Page, address: str) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto(address)
    if address == "/insights":
        expect(page.get_by_role("article")).to_have_count(10)
        # What the server put into the page gives way to the browser's own drawing, which alone can show all topics.
        expect(page.get_by_role("button", name=re.compile(r"^All \d+ topics$"))).to_be_visible()
    page.get_by_role("contentinfo").scroll_into_view_if_needed()
    expect(page.get_by_role("form", name="Newsletter").locator("button[type=submit]")).to_be_attached()
    page.evaluate("window.scrollTo(0, 0)")
    expected = page.evaluate(STOPS)
    for number in range(expected):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        assert focused is not None, f"the focus left the page after {number} of {expected} stops"
        assert focused["number"] == number, f"the focus came back to {focused['name']}"
        assert focused["ring"], f"no visible focus on {focused['name']}"
        assert focused["seen"], f"out of sight: {focused['name']}"


def test_the_skip_link_is_first_and_leads_to_the_content(page: Page) -> None:
    page.goto("/services")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to main content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


def test_the_band_of_clients_can_be_stopped(page: Page) -> None:
    page.goto("/")
    track = page.get_by_test_id("carousel-track")
    expect(track).to_have_css("animation-play-state", "running")
    page.get_by_role("button", name="Pause the list of clients").click()
    page.mouse.move(0, 0)
    expect(track).to_have_css("animation-play-state", "paused")
    page.get_by_role("button", name="Play the list of clients").focus()
    expect(track).to_have_css("animation-play-state", "paused")


def test_nothing_moves_for_those_who_prefer_that(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto("/")
    expect(page.get_by_test_id("carousel-track")).to_have_css("animation-name", "none")


def test_a_newsletter_form_that_cannot_be_fetched_leaves_the_page(page: Page) -> None:
    page.route("**/assets/newsletter-form-*.js", lambda route: route.abort())
    page.goto("/about")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_be_visible()
    # The page is loaded anew once, as after a deployment; the second time it stays.
    sentence = page.get_by_text("The newsletter form could not be loaded.")
    with page.expect_navigation():
        page.get_by_role("contentinfo").scroll_into_view_if_needed()
    page.get_by_role("contentinfo").scroll_into_view_if_needed()
    expect(sentence).to_be_visible()
    expect(heading).to_have_count(1)


def test_being_offline_takes_no_page_away(page: Page) -> None:
    page.goto("/about")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.context.set_offline(True)
    page.get_by_role("contentinfo").scroll_into_view_if_needed()
    expect(page.get_by_text("The newsletter form could not be loaded.")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
