"""What the tests look at on every page: messages, and what the page reported to the tag manager."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, expect


def notifications(page: Page) -> Locator:
    return page.get_by_role("region", name="Notifications")


def expect_toast(page: Page, title: str, text: str) -> None:
    """A message with exactly these words."""
    _expect_card(page, notifications(page).get_by_role("status"), title, text)


def expect_failure(page: Page, title: str, text: str) -> None:
    """A destructive message with exactly these words: it interrupts a screen reader."""
    _expect_card(page, notifications(page).get_by_role("alert"), title, text)


def _expect_card(page: Page, region: Locator, title: str, text: str) -> None:
    cards = region.locator("> *").filter(has=page.get_by_text(title, exact=True))
    expect(cards.filter(has=page.get_by_text(text, exact=True))).to_be_visible()


def expect_no_message(page: Page) -> None:
    """No message at this moment; call it once something else has shown that the page is done."""
    assert notifications(page).inner_text() == ""


def expect_error(control: Locator, sentence: str) -> None:
    """The control is marked as wrong, and the sentence is tied to it."""
    expect(control).to_have_attribute("aria-invalid", "true")
    expect(control).to_have_accessible_description(sentence)


def events(page: Page, name: str) -> list[dict[str, Any]]:
    """Events of one name that the page has reported, oldest first."""
    found: list[dict[str, Any]] = page.evaluate("name => (window.dataLayer ?? []).filter(e => e.event === name)", name)
    return found
